#include "cli/import_event.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conversation/prompt.h"
#include "util/text.h"

/* Read "2026-01-31T12:00:00.000Z" as milliseconds since 1970. */
static bool read_time(const char *text, int64_t *ret_ms)
{
	struct tm parts = { .tm_isdst = 0 };
	const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &parts) : NULL;
	int64_t milliseconds = 0;
	int digits;

	if (!rest)
		return false;
	if (*rest == '.') {
		for (rest++, digits = 0; *rest >= '0' && *rest <= '9'; rest++, digits++)
			milliseconds = digits < 3 ? milliseconds * 10 + (*rest - '0') : milliseconds;
		for (; digits < 3; digits++)
			milliseconds *= 10;
	}
	*ret_ms = (int64_t)timegm(&parts) * 1000 + milliseconds;
	return ik_text_equal(rest, "Z");
}

/* Is it a UUID as ikigai stores it: 36 characters, lower case? */
static bool is_id(const char *text)
{
	return text && strlen(text) == IK_UUID_TEXT - 1 &&
		strspn(text, "0123456789abcdef-") == IK_UUID_TEXT - 1;
}

/* Read the session of an event; a rescued event may belong to a fork of its original session. */
static char *session_of(struct ik_json_span object)
{
	char *fork = ik_json_string_new(ik_json_member(object, "stored_as"), NULL);

	return fork ? fork : ik_json_string_new(ik_json_member(object, "session"), NULL);
}

/* Read the message of an event. A file must not tell the model what to do: a system prompt becomes
 * a notice, which no model gets, unless it is the built-in one. */
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

/* Read the event on a line. Return NULL, or what is wrong with it. */
static const char *read_event(struct ik_json_span object, struct ik_import_event *event)
{
	struct ik_json_span data;
	char *session, *id, *kind_name, *content, *time;
	const char *problem = NULL;
	size_t content_length = 0;
	int64_t time_ms = 0;
	enum ik_kind kind;

	session = session_of(object);
	id = ik_json_string_new(ik_json_member(object, "id"), NULL);
	kind_name = ik_json_string_new(ik_json_member(object, "kind"), NULL);
	content = ik_json_string_new(ik_json_member(object, "content"), &content_length);
	time = ik_json_string_new(ik_json_member(object, "time"), NULL);
	data = ik_json_member(object, "data");
	if (ik_json_span_type(data) == IK_JSON_NULL)
		data = (struct ik_json_span){ NULL, 0 };
	if (!is_id(session))
		problem = _("\"session\" is no id of a session");
	else if (!is_id(id))
		problem = _("\"id\" is no id of an event");
	else if (!kind_name || !ik_kind_from_name(kind_name, &kind))
		problem = _("\"kind\" is none that this ikigai knows");
	else if (!content)
		problem = _("\"content\" is no text");
	else if (!ik_json_integer(ik_json_member(object, "time_ms"), &time_ms) &&
		!read_time(time, &time_ms))
		problem = _("\"time\" is no time such as 2026-01-31T12:00:00.000Z");
	if (!problem) {
		event->session = session;
		event->parent = ik_json_string_new(ik_json_member(object, "parent"), NULL);
		if (!is_id(event->parent) ||
			!ik_json_integer(ik_json_member(object, "forked_at"), &event->forked_at) ||
			event->forked_at < 0) {
			free(event->parent);
			event->parent = NULL;
		}
		event->message = make_message(kind, id, time_ms, content, content_length, data);
		session = NULL;
	}
	free(session);
	free(id);
	free(kind_name);
	free(content);
	free(time);
	return problem;
}

/* Is it a line that only the store itself uses? */
static bool is_of_store(struct ik_json_span object)
{
	return ik_json_member(object, "ikigai_rescue").text || ik_json_member(object, "more").text ||
		(ik_json_member(object, "parent").text && !ik_json_member(object, "id").text);
}

const char *ik_import_event_read(const char *line, size_t length, struct ik_outputs *outputs,
	struct ik_import_event *event)
{
	struct ik_json_span object;
	const char *problem;

	ik_import_event_clear(event);
	if (ik_json_check(line, length, &object, NULL) != IK_OK ||
		ik_json_span_type(object) != IK_JSON_OBJECT)
		return _("this is no JSON object");
	if (ik_outputs_is_line(object))
		return ik_outputs_take_line(outputs, object, &event->bytes, &event->blob, &event->part);
	if (is_of_store(object))
		return NULL;
	problem = read_event(object, event);
	if (!problem)
		ik_outputs_begin(outputs, event->message);
	return problem;
}

void ik_import_event_clear(struct ik_import_event *event)
{
	free(event->session);
	event->session = NULL;
	free(event->parent);
	event->parent = NULL;
	ik_message_unref(event->message);
	event->message = NULL;
	event->blob = NULL;
	ik_buf_clear(&event->bytes);
}
