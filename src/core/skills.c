#include "core/skills.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/attachment.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#define SKILL_FILE "SKILL.md"
#define READER "file_read"

/* Limit on the catalogue, some 60,000 tokens; skills beyond it are left out. */
#define LARGEST IK_KIB(256)
/* Limits on what of one skill, and of all, is kept with a summary, which is to be short. */
#define KEPT_OF_ONE IK_KIB(20)
#define KEPT_OF_ALL IK_KIB(60)

void ik_skill_put_line(const struct ik_tool *skill, struct ik_buf *out)
{
	if (skill->state == IK_TOOL_SKILL && !skill->user_only)
		ik_buf_printf(out, "- %s: %s (%s)\n", skill->name + 1, skill->description, skill->path);
}

char *ik_skills_catalogue(const struct ik_registry *registry)
{
	static const char paragraph[] =
		"Skills are instructions for particular tasks. When the description of one fits what is "
		"asked, read its file, once and as a whole, before you begin, and follow it; paths in it "
		"are relative to its directory. These are the skills:\n\n";
	struct ik_buf out;

	ik_buf_init(&out, LARGEST);
	ik_buf_puts(&out, paragraph);
	for (size_t i = 0; i < ik_registry_count(registry); i++)
		ik_skill_put_line(ik_registry_at(registry, i), &out);
	if (out.length > strlen(paragraph) && ik_registry_ok_count(registry) > 0)
		return ik_buf_take(&out, NULL);
	ik_buf_done(&out);
	return NULL;
}

/* ---- what was loaded ---- */

/* Add a file; takes over path and call_id. */
static void add_load(struct ik_skill_loads *loads, char *path, char *call_id)
{
	loads->items = ik_alloc_more(loads->items, loads->count, sizeof(*loads->items));
	loads->items[loads->count++] = (struct ik_skill_load){ .path = path, .call_id = call_id };
}

static void drop_load(struct ik_skill_loads *loads, size_t index)
{
	free(loads->items[index].path);
	free(loads->items[index].call_id);
	memmove(loads->items + index, loads->items + index + 1,
		(--loads->count - index) * sizeof(*loads->items));
}

/* Return the absolute path that a JSON string names, if it is that of a skill's file; or NULL. */
static char *skill_path(const struct ik_places *places, struct ik_json_span name)
{
	char *text = ik_json_text_new(name), *path = NULL;

	if (text && ik_text_equal(ik_path_base(text), SKILL_FILE))
		path = ik_places_whole_path(places, text, strlen(text));
	free(text);
	return path;
}

/* Take note of the files that came with a message. */
static bool see_attached(struct ik_skill_loads *loads, const struct ik_places *places,
	const struct ik_message *message)
{
	struct ik_attachment attachment;
	bool any = false;

	for (size_t i = 0; ik_message_attachment(message, i, &attachment); i++) {
		char *path = skill_path(places, attachment.name);

		if (path)
			add_load(loads, path, NULL);
		any = any || path;
	}
	return any;
}

/* Take note of a call that may read such a file. */
static void see_call(struct ik_skill_loads *loads, const struct ik_places *places,
	const struct ik_message *message)
{
	char *name = ik_message_tool_name(message), *arguments = NULL, *path;
	struct ik_json_span value;
	size_t length;

	if (name && message->data && message->call_id && ik_text_equal(name, READER) &&
		strstr(message->data, SKILL_FILE))
		arguments = ik_message_arguments(message, &length);
	if (arguments && ik_json_check(arguments, length, &value, NULL) == IK_OK) {
		path = skill_path(places, ik_json_member(value, "file_path"));
		if (path)
			add_load(loads, path, ik_strdup(message->call_id));
	}
	free(arguments);
	free(name);
}

/* Take note of a result: was such a file read? */
static bool see_result(struct ik_skill_loads *loads, const struct ik_message *message)
{
	for (size_t i = 0; i < loads->count && message->call_id; i++) {
		struct ik_skill_load *load = &loads->items[i];

		if (!load->call_id || !ik_text_equal(load->call_id, message->call_id))
			continue;
		free(load->call_id);
		load->call_id = NULL;
		if (ik_json_is_true(ik_json_member(ik_message_data(message), "success")))
			return true;
		drop_load(loads, i);
		return false;
	}
	return false;
}

bool ik_skill_loads_see(struct ik_skill_loads *loads, const struct ik_places *places,
	const struct ik_message *message)
{
	if (message->kind == IK_KIND_USER && message->attached)
		return see_attached(loads, places, message);
	if (message->kind == IK_KIND_TOOL_CALL)
		see_call(loads, places, message);
	return message->kind == IK_KIND_TOOL_RESULT && see_result(loads, message);
}

void ik_skill_loads_done(struct ik_skill_loads *loads)
{
	while (loads->count > 0)
		drop_load(loads, loads->count - 1);
	free(loads->items);
	loads->items = NULL;
}

const struct ik_tool *ik_skill_at(const struct ik_registry *registry, const char *path)
{
	char *canonical = ik_path_canonical(path);
	const struct ik_tool *found = NULL;

	for (size_t i = 0; i < ik_registry_count(registry) && !found; i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state == IK_TOOL_SKILL &&
			(ik_text_equal(tool->path, path) || ik_text_equal(tool->path, canonical)))
			found = tool;
	}
	free(canonical);
	return found;
}

/* ---- what a summary keeps ---- */

/* Append a skill's text. */
static void put_skill(const struct ik_tool *skill, struct ik_buf *out)
{
	size_t length = ik_utf8_cut(skill->schema, skill->schema_length, KEPT_OF_ONE);

	ik_buf_printf(out, "\n\n<skill file=\"%s\">\n", skill->path);
	ik_utf8_repair(out, skill->schema, length);
	if (length < skill->schema_length)
		ik_buf_puts(out, "\n(cut here: read the file for the rest)");
	ik_buf_puts(out, "\n</skill>");
}

void ik_skills_put_loaded(const struct ik_registry *registry, const struct ik_places *places,
	const struct ik_conversation *said, size_t end, struct ik_buf *out)
{
	struct ik_skill_loads loads = { NULL, 0 };
	size_t start = out->length, before = 0, count = ik_conversation_count(said);
	bool *done = ik_alloc(ik_registry_count(registry) + 1);

	for (size_t i = 0; i < count; i++) {
		ik_skill_loads_see(&loads, places, ik_conversation_at(said, i));
		before = i < end ? loads.count : before;
	}
	for (size_t i = loads.count; i-- > 0;) {
		const struct ik_tool *skill = loads.items[i].call_id
			? NULL
			: ik_skill_at(registry, loads.items[i].path);

		if (!skill || done[skill - ik_registry_at(registry, 0)])
			continue;
		done[skill - ik_registry_at(registry, 0)] = true;
		if (i < before && out->length - start < KEPT_OF_ALL - KEPT_OF_ONE)
			put_skill(skill, out);
	}
	ik_skill_loads_done(&loads);
	free(done);
}
