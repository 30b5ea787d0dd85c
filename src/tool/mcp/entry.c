#include "tool/mcp/entry.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

void ik_mcp_list_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void ik_mcp_entry_done(struct ik_mcp_entry *entry)
{
	free(entry->name);
	free(entry->file);
	free(entry->problem);
	free(entry->command);
	ik_mcp_list_free(entry->args);
	ik_mcp_list_free(entry->env);
	free(entry->cwd);
	free(entry->url);
	ik_mcp_list_free(entry->headers);
	free(entry->headers_helper);
	ik_mcp_list_free(entry->tools);
	memset(entry, 0, sizeof(*entry));
}

static void put_list(struct ik_buf *out, char *const *list)
{
	ik_json_open(out, '[');
	for (; list && *list; list++)
		ik_json_put_text(out, *list);
	ik_json_close(out, ']');
}

char *ik_mcp_entry_text(const struct ik_mcp_entry *entry)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	ik_json_printf(&text, "['%s','%s','%s','%s'", entry->command, entry->cwd, entry->url,
		entry->headers_helper);
	put_list(&text, entry->args);
	put_list(&text, entry->env);
	put_list(&text, entry->headers);
	ik_json_close(&text, ']');
	return ik_buf_take(&text, NULL);
}

static char *whole_text(const struct ik_mcp_entry *entry)
{
	char *server = ik_mcp_entry_text(entry), *whole;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	ik_json_printf(&text, "['%s','%s','%s',%d,%d,%d,%s", entry->name, entry->file, entry->problem,
		(int)entry->project, (int)entry->enabled, entry->timeout_s, server);
	put_list(&text, entry->tools);
	ik_json_close(&text, ']');
	whole = ik_buf_take(&text, NULL);
	free(server);
	return whole;
}

bool ik_mcp_entry_equal(const struct ik_mcp_entry *one, const struct ik_mcp_entry *other)
{
	char *left = whole_text(one), *right = whole_text(other);
	bool equal = ik_text_equal(left, right);

	free(left);
	free(right);
	return equal;
}
