#include "stores/answer.h"

#include <string.h>

#include "journal/event_line.h"
#include "json/write.h"
#include "util/text.h"

static void put_text(struct ik_buf *line, const char *name, const char *text)
{
	ik_json_key(line, name);
	ik_json_put_string(line, text, strlen(text));
}

static void put_number(struct ik_buf *line, const char *name, int64_t number)
{
	ik_json_key(line, name);
	ik_json_put_integer(line, number);
}

void ik_answer_put_session(struct ik_buf *line, const struct ik_session_line *session)
{
	ik_json_key(line, "session");
	ik_json_open(line, '{');
	put_text(line, "id", session->id);
	put_text(line, "title", session->title);
	put_text(line, "directory", session->directory);
	put_number(line, "created_ms", session->created_ms);
	put_number(line, "updated_ms", session->updated_ms);
	put_number(line, "event_count", session->event_count);
	if (session->parent[0]) {
		put_text(line, "parent", session->parent);
		put_number(line, "forked_at", session->forked_at);
	}
	if (session->owner)
		put_text(line, "owner", session->owner);
	ik_json_close(line, '}');
}

void ik_answer_put_event(struct ik_buf *line, const char *session, const struct ik_message *message)
{
	ik_json_key(line, "event");
	ik_event_line_put(line, session, message);
}

void ik_answer_put_pattern(struct ik_buf *out, const char *words)
{
	ik_buf_putc(out, '%');
	for (; *words; words++) {
		if (*words == ' ') {
			ik_buf_putc(out, '%');
			continue;
		}
		if (strchr("%_\\", *words))
			ik_buf_putc(out, '\\');
		ik_buf_putc(out, *words);
	}
	ik_buf_putc(out, '%');
}

enum ik_status ik_answer_no_session(struct ik_error *error)
{
	return ik_error_set(error, IK_NOT_FOUND, "%s", _("There is no such session."));
}

enum ik_status ik_answer_several(const char *prefix, struct ik_error *error)
{
	return ik_error_set(error, IK_INVALID,
		_("Several sessions begin with %s. Write more of the id."), prefix);
}
