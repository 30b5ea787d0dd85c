#include "cli/import_event.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/prompt.h"
#include "journal/event_line.h"
#include "util/clock.h"
#include "util/text.h"

/* Copy a member that is a UUID as ikigai stores it: 36 characters, lower case. */
static bool read_id(struct ik_json_span object, const char *name, char ret_id[IK_UUID_TEXT])
{
	char *text = ik_json_text_new(ik_json_member(object, name));
	bool good = text && strlen(text) == IK_UUID_TEXT - 1 &&
		strspn(text, "0123456789abcdef-") == IK_UUID_TEXT - 1;

	if (good)
		memcpy(ret_id, text, IK_UUID_TEXT);
	free(text);
	return good;
}

/* Make the message of an event. A system prompt other than the built-in one becomes a notice, which
 * no model gets, because a file must not tell the model what to do. */
static struct ik_message *make_message(enum ik_kind kind, const char *id, int64_t time_ms,
	const char *content, size_t length, struct ik_json_span data)
{
	struct ik_message *message = ik_message_stored(kind, id, 0, time_ms, content, length, data.text,
						  data.length),
					  *notice;

	if (kind != IK_KIND_SYSTEM || strcmp(content, ik_built_in_prompt()) == 0)
		return message;
	notice = ik_message_system_notice(message);
	ik_message_unref(message);
	return notice;
}

/* Read an event; in a journal its session is known already. Return NULL, or what is wrong with it. */
static const char *read_event(struct ik_json_span object, struct ik_import_event *event)
{
	struct ik_json_span data = ik_json_member(object, "data");
	size_t length = 0;
	char *kind_name = ik_json_text_new(ik_json_member(object, "kind"));
	char *content = ik_json_string_new(ik_json_member(object, "content"), &length);
	char *time = ik_json_text_new(ik_json_member(object, "time"));
	const char *problem = NULL;
	char id[IK_UUID_TEXT];
	int64_t time_ms = 0;
	enum ik_kind kind;

	if (ik_json_span_type(data) == IK_JSON_NULL)
		data = (struct ik_json_span){ NULL, 0 };
	if (!event->in_journal && !read_id(object, "session", event->session))
		problem = _("\"session\" is no id of a session");
	else if (!read_id(object, "id", id))
		problem = _("\"id\" is no id of an event");
	else if (!kind_name || !ik_kind_from_name(kind_name, &kind))
		problem = _("\"kind\" is none that this ikigai knows");
	else if (!content)
		problem = _("\"content\" is no text");
	else if (!ik_json_integer(ik_json_member(object, "time"), &time_ms) &&
		!ik_clock_read(time, &time_ms))
		problem = _("\"time\" is no time such as 2026-01-31T12:00:00.000Z");
	else
		event->message = make_message(kind, id, time_ms, content, length, data);
	free(kind_name);
	free(content);
	free(time);
	return problem;
}

/* Read a line of a journal, whose first one names the session. What is neither an event nor a part
 * of an output of the last one is passed over. */
static const char *read_record(struct ik_json_span object, struct ik_outputs *outputs,
	struct ik_import_event *event)
{
	struct ik_json_span value = ik_json_member(object, "event");

	if (ik_json_span_type(value) != IK_JSON_NONE)
		return read_event(value, event);
	if (ik_outputs_is_line(object) &&
		ik_outputs_take_line(outputs, object, &event->bytes, &event->blob, &event->part))
		ik_import_event_clear(event);
	return NULL;
}

const char *ik_import_event_read(const char *line, size_t length, struct ik_outputs *outputs,
	struct ik_import_event *event)
{
	struct ik_json_span object;
	const char *problem;

	ik_import_event_clear(event);
	if (ik_json_check_around(line, length, IK_EVENT_LINE_LEVELS, &object, NULL) != IK_OK ||
		ik_json_span_type(object) != IK_JSON_OBJECT)
		return _("this is no JSON object");
	if (ik_json_span_type(ik_json_member(object, "journal")) != IK_JSON_NONE)
		event->in_journal = read_id(object, "session", event->session);
	else if (ik_json_span_type(ik_json_member(object, "session")) != IK_JSON_NONE)
		event->in_journal = false; /* here an export follows the journal */
	if (event->in_journal)
		problem = read_record(object, outputs, event);
	else if (ik_outputs_is_line(object))
		problem = ik_outputs_take_line(outputs, object, &event->bytes, &event->blob, &event->part);
	else
		problem = read_event(object, event);
	if (event->message)
		ik_outputs_begin(outputs, event->message);
	return problem;
}

void ik_import_event_clear(struct ik_import_event *event)
{
	ik_message_unref(event->message);
	event->message = NULL;
	event->blob = NULL;
	ik_buf_clear(&event->bytes);
}
