#include "acp/update.h"

#include <string.h>

#include "json/write.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/utf8.h"

/* Limit on the text of a call's content: an editor shows it, the whole is in rawOutput. */
#define CONTENT_BYTES IK_KIB(32)

void ik_update_open(struct ik_buf *out, const struct ik_viewer *viewer, const char *kind)
{
	ik_peer_open(out);
	ik_json_printf(out, "'sessionId':'%s','update':{'sessionUpdate':'%s'", viewer->session, kind);
}

void ik_update_send(const struct ik_viewer *viewer, struct ik_buf *out)
{
	ik_json_close(out, '}');
	ik_peer_notify(viewer->peer, "session/update", out);
}

void ik_update_text(const struct ik_viewer *viewer, const char *kind, const char *message,
	const char *text, size_t length)
{
	struct ik_buf out;

	if (length == 0)
		return;
	ik_update_open(&out, viewer, kind);
	ik_json_printf(&out, "'content':{'type':'text','text':");
	ik_json_put_string(&out, text, length);
	ik_json_close(&out, '}');
	if (message)
		ik_json_printf(&out, "'messageId':'%s'", message);
	ik_update_send(viewer, &out);
}

void ik_update_notice(const struct ik_viewer *viewer, const char *severity, const char *text,
	size_t length)
{
	struct ik_buf line, out;

	if (length == 0)
		return;
	ik_buf_init(&line, IK_LIMIT_ENVELOPE);
	if (viewer->shows_notices) {
		ik_sanitize_line(&line, text, length);
		ik_update_open(&out, viewer, "notice");
		ik_json_printf(&out, "'severity':'%s','title':'%s'", severity, line.data);
		ik_update_send(viewer, &out);
	} else {
		ik_buf_puts(&line, "\n\n> ");
		ik_sanitize_line(&line, text, length);
		ik_buf_puts(&line, "\n\n");
		ik_update_text(viewer, "agent_message_chunk", NULL, line.data, line.length);
	}
	ik_buf_done(&line);
}

void ik_update_put_option(struct ik_buf *out, const char *id, const char *name, const char *kind)
{
	ik_json_printf(out, "{'optionId':'%s','name':'%s','kind':'%s'}", id, name, kind);
}

void ik_update_fence(struct ik_buf *text, const char *word)
{
	size_t most = 2, run = 0;
	struct ik_buf fence;

	ik_buf_init(&fence, IK_LIMIT_ENVELOPE);
	for (size_t i = 0; i < text->length; i++) {
		run = text->data[i] == '`' ? run + 1 : 0;
		most = run > most ? run : most;
	}
	for (size_t i = 0; i <= most; i++)
		ik_buf_putc(&fence, '`');
	if (text->length > 0 && text->data[text->length - 1] != '\n')
		ik_buf_putc(text, '\n');
	ik_buf_append(text, fence.data, fence.length);
	ik_buf_printf(&fence, "%s\n", word);
	ik_buf_insert(text, 0, fence.data, fence.length);
	ik_buf_done(&fence);
}

void ik_update_put_text(struct ik_buf *out, const char *text, size_t length, bool printed)
{
	struct ik_buf clean;

	while (length > CONTENT_BYTES || (length > 0 && ik_utf8_is_continuation(text[0]))) {
		size_t skip = length > CONTENT_BYTES ? length - CONTENT_BYTES : 1;

		text += skip;
		length -= skip;
	}
	ik_buf_init(&clean, IK_LIMIT_ENVELOPE);
	ik_sanitize(&clean, text, length);
	if (printed)
		ik_update_fence(&clean, "console");
	ik_json_printf(out, "{'type':'content','content':{'type':'text','text':");
	ik_json_put_string(out, clean.data, clean.length);
	ik_json_printf(out, "}}");
	ik_buf_done(&clean);
}
