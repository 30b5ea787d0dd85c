#include "journal/event_line.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"

void ik_event_line_put(struct ik_buf *out, const char *session, const struct ik_message *message)
{
	ik_json_printf(out, "{'id':'%s'", message->id);
	if (session)
		ik_json_printf(out, "'session':'%s'", session);
	if (message->sequence > 0)
		ik_json_printf(out, "'sequence':%lld", (long long)message->sequence);
	ik_json_printf(out, "'kind':'%s','time':%lld,'content':'%.*s'", ik_kind_name(message->kind),
		(long long)message->time_ms, (int)message->content_length, message->content);
	if (message->data)
		ik_json_printf(out, "'data':%.*s", (int)message->data_length, message->data);
	ik_json_printf(out, "}");
}

bool ik_event_line_id(struct ik_json_span object, const char *name, char ret_id[IK_UUID_TEXT])
{
	return ik_json_uuid(ik_json_member(object, name), ret_id);
}

static bool read_kind(struct ik_json_span object, enum ik_kind *ret_kind)
{
	char *name = ik_json_text_new(ik_json_member(object, "kind"));
	bool known = name && ik_kind_from_name(name, ret_kind);

	free(name);
	return known;
}

struct ik_message *ik_event_line_read(struct ik_json_span object)
{
	struct ik_json_span data = ik_json_member(object, "data");
	int64_t time_ms = 0, sequence = 0;
	struct ik_message *message = NULL;
	char id[IK_UUID_TEXT];
	enum ik_kind kind = IK_KIND_NOTICE;
	struct ik_buf content;

	ik_buf_init(&content, IK_LIMIT_ENVELOPE);
	if (ik_json_span_type(data) == IK_JSON_NULL)
		data = (struct ik_json_span){ NULL, 0 };
	(void)ik_json_integer(ik_json_member(object, "sequence"), &sequence);
	if (ik_event_line_id(object, "id", id) && read_kind(object, &kind) &&
		(ik_json_integer(ik_json_member(object, "time"), &time_ms) ||
			/* the name in earlier versions */
			ik_json_integer(ik_json_member(object, "time_ms"), &time_ms)) &&
		ik_json_string(ik_json_member(object, "content"), &content) &&
		ik_buf_status(&content) == IK_OK)
		message = ik_message_stored(kind, id, sequence, time_ms, content.data, content.length,
			data.text, data.length);
	if (ik_buf_status(&content) == IK_NO_MEMORY)
		ik_alloc_fail(); /* returning NULL would lose the event */
	ik_buf_done(&content);
	return message;
}
