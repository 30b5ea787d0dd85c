#include "core/tool_switch.h"

#include <stdlib.h>

#include "json/scan.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

void ik_tool_switches_done(struct ik_tool_switches *switches)
{
	for (size_t i = 0; i < switches->count; i++)
		free(switches->items[i].name);
	free(switches->items);
	*switches = (struct ik_tool_switches){ .items = NULL };
}

void ik_tool_switches_set(struct ik_tool_switches *switches, const char *name, bool on)
{
	for (size_t i = 0; i < switches->count; i++)
		if (ik_text_equal(switches->items[i].name, name)) {
			switches->items[i].on = on;
			return;
		}
	switches->items = ik_alloc_array(switches->items, switches->count + 1,
		sizeof(*switches->items));
	switches->items[switches->count++] = (struct ik_tool_switch){ ik_strdup(name), on };
}

/* Add the switches of a text. */
static enum ik_status take(const char *path, struct ik_buf *text, struct ik_tool_switches *switches,
	struct ik_error *error)
{
	struct ik_json_span object, key, value;
	struct ik_json_walk walk = { 0 };
	struct ik_error reason;

	ik_json_blank_comments(text->data, text->length);
	if (ik_json_check(text->data, text->length, &object, &reason) != IK_OK)
		return ik_error_set(error, IK_INVALID, "%s: %s", path, reason.text);
	if (ik_json_span_type(object) != IK_JSON_OBJECT)
		return ik_error_set(error, IK_INVALID,
			_("%s must be an object of tools: {\"NAME\": false}"), path);
	while (ik_json_next(object, &walk, &key, &value)) {
		bool on;
		char *name = ik_json_text_new(key);

		if (!name || !ik_json_bool(value, &on)) {
			free(name);
			return ik_error_set(error, IK_INVALID,
				_("%s:%d: a tool's name and true or false were expected"), path,
				ik_json_line(text->data, key.text));
		}
		ik_tool_switches_set(switches, name, on);
		free(name);
	}
	return IK_OK;
}

enum ik_status ik_tool_switches_read(const char *path, struct ik_tool_switches *switches,
	struct ik_error *error)
{
	enum ik_status status = IK_NOT_FOUND;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_CONFIG);
	if (path)
		status = ik_file_read(path, &text, error);
	if (status == IK_OK)
		status = take(path, &text, switches, error);
	else if (status == IK_NOT_FOUND)
		status = IK_OK;
	ik_buf_done(&text);
	return status;
}

enum ik_status ik_tool_switch_keep(const char *path, const char *name, bool on,
	struct ik_error *error)
{
	struct ik_tool_switches switches = { .items = NULL };
	enum ik_status status;
	struct ik_buf out;
	size_t i;

	if (!path)
		return ik_error_set(error, IK_FAILED,
			_("there is no directory of your own to keep this in"));
	ik_buf_init(&out, IK_LIMIT_CONFIG);
	status = ik_tool_switches_read(path, &switches, error);
	if (status == IK_OK) {
		ik_tool_switches_set(&switches, name, on);
		ik_json_open(&out, '{');
		for (i = 0; i < switches.count; i++)
			ik_json_printf(&out, "'%s':%s", switches.items[i].name,
				ik_json_word(switches.items[i].on));
		ik_json_close(&out, '}');
		ik_buf_putc(&out, '\n');
		status = ik_buf_check(&out, path, error);
	}
	if (status == IK_OK)
		status = ik_file_write(path, out.data, out.length, 0600, error);
	ik_tool_switches_done(&switches);
	ik_buf_done(&out);
	return status;
}
