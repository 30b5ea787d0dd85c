#include "tool/mcp/http_headers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/redact.h"
#include "util/text.h"

void ik_mcp_header_add(struct ik_string_list *headers, const char *name, const char *value)
{
	ik_string_list_add(headers, ik_format(*value ? "%s: %s" : "%s;", name, value));
}

/* ---- mirrored values ---- */

/* Can a header have this value as it is? */
static bool is_plain(const char *text, size_t length)
{
	static const char begin[] = "=?base64?", end[] = "?=";

	for (size_t i = 0; i < length; i++)
		if ((text[i] < ' ' && text[i] != '\t') || text[i] > '~')
			return false;
	if (length > 0 && (strchr(" \t", text[0]) || strchr(" \t", text[length - 1])))
		return false;
	return !ik_text_starts(text, begin) || !ik_text_ends(text, end);
}

/* Add a header with the value of a string, an integer or a boolean; none for any other value. */
static void mirror(struct ik_string_list *headers, const char *name, struct ik_json_span value)
{
	struct ik_buf text, encoded;
	int64_t number;

	ik_buf_init(&text, IK_KIB(64));
	ik_buf_init(&encoded, IK_KIB(128));
	if (ik_json_span_type(value) == IK_JSON_BOOL)
		ik_buf_append(&text, value.text, value.length);
	else if (ik_json_integer(value, &number))
		ik_buf_printf(&text, "%lld", (long long)number);
	if (text.length > 0 || ik_json_string(value, &text)) {
		if (is_plain(text.data, text.length)) {
			ik_buf_append(&encoded, text.data, text.length);
		} else {
			ik_buf_puts(&encoded, "=?base64?");
			ik_base64_put(&encoded, text.data, text.length);
			ik_buf_puts(&encoded, "?=");
		}
		/* A longer value would make the request fail; the server says so without it, too. */
		if (ik_buf_status(&text) == IK_OK && ik_buf_status(&encoded) == IK_OK)
			ik_mcp_header_add(headers, name, encoded.data);
	}
	ik_buf_done(&text);
	ik_buf_done(&encoded);
}

/* Mirror the arguments that the properties of a schema mark. */
static void mirror_arguments(struct ik_string_list *headers, struct ik_json_span schema,
	struct ik_json_span arguments)
{
	struct ik_json_span properties = ik_json_member(schema, "properties");

	for (struct ik_json_walk walk = ik_json_walk(properties); ik_json_next(&walk);) {
		char *mark = ik_json_text_new(ik_json_member(walk.value, "x-mcp-header"));
		struct ik_json_span value = ik_json_member_named(arguments, walk.key);

		if (mark) {
			char *name = ik_format("Mcp-Param-%s", mark);

			mirror(headers, name, value);
			free(name);
		} else {
			mirror_arguments(headers, walk.value, value);
		}
		free(mark);
	}
}

void ik_mcp_headers_mirror(struct ik_string_list *headers, struct ik_json_span method,
	struct ik_json_span params, struct ik_json_span schema)
{
	bool resource = ik_json_string_is(method, "resources/read");

	mirror(headers, "Mcp-Method", method);
	if (resource || ik_json_string_is(method, "tools/call") ||
		ik_json_string_is(method, "prompts/get"))
		mirror(headers, "Mcp-Name", ik_json_member(params, resource ? "uri" : "name"));
	if (ik_json_string_is(method, "tools/call"))
		mirror_arguments(headers, schema, ik_json_member(params, "arguments"));
}

/* ---- schemas ---- */

/* Count the marks anywhere in a schema. */
static size_t count_marks(struct ik_json_span value)
{
	size_t count = 0;

	for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next(&walk);) {
		count += walk.key.length > 0 && ik_json_string_is(walk.key, "x-mcp-header") &&
			ik_json_span_type(walk.value) == IK_JSON_STRING;
		count += count_marks(walk.value);
	}
	return count;
}

/* Is it a name for a header (RFC 9110, 5.1: a token)? */
static bool is_token(const char *name)
{
	static const char good[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
							   "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	return name && *name && strspn(name, good) == strlen(name);
}

static bool has_type(struct ik_json_span property)
{
	static const char *const types[] = { "string", "integer", "boolean" };
	struct ik_json_span type = ik_json_member(property, "type");

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (ik_json_span_type(type) == IK_JSON_STRING && ik_json_string_is(type, types[i]))
			return true;
	return false;
}

/* Collect the marks that can be reached by properties alone. Return false at one that is wrong. */
static bool collect_marks(struct ik_json_span schema, struct ik_string_list *marks)
{
	struct ik_json_span properties = ik_json_member(schema, "properties");
	bool fit = true;

	for (struct ik_json_walk walk = ik_json_walk(properties); fit && ik_json_next(&walk);) {
		struct ik_json_span mark = ik_json_member(walk.value, "x-mcp-header");
		char *name = ik_json_text_new(mark);

		if (mark.text) {
			fit = is_token(name) && has_type(walk.value);
			for (size_t i = 0; fit && i < marks->count; i++)
				fit = strcasecmp(marks->items[i], name) != 0;
		}
		if (fit && mark.text) {
			ik_string_list_add(marks, name);
			name = NULL;
		}
		free(name);
		fit = fit && collect_marks(walk.value, marks);
	}
	return fit;
}

bool ik_mcp_headers_fit(struct ik_json_span schema, struct ik_error *error)
{
	struct ik_string_list marks = { NULL, 0 };
	bool fit = collect_marks(schema, &marks) && count_marks(schema) == marks.count;

	ik_string_list_done(&marks);
	if (!fit)
		(void)ik_error_set(error, IK_INVALID,
			_("its schema has an \"x-mcp-header\" that is wrong"));
	return fit;
}

/* ---- a helper's headers ---- */

bool ik_mcp_headers_read(struct ik_string_list *headers, struct ik_json_span object)
{
	bool fit = ik_json_span_type(object) == IK_JSON_OBJECT;

	for (struct ik_json_walk walk = ik_json_walk(object); fit && ik_json_next(&walk);) {
		char *name = ik_json_text_new(walk.key), *text = ik_json_text_new(walk.value);
		const char *blank = text ? strchr(text, ' ') : NULL;

		fit = is_token(name) && text && !strpbrk(text, "\r\n");
		if (fit) {
			ik_secret_know(text);
			ik_secret_know(blank ? blank + 1 : NULL);
			ik_mcp_header_add(headers, name, text);
		}
		free(name);
		free(text);
	}
	return fit;
}
