#include "acp/call.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conversation/attachment.h"
#include "json/write.h"
#include "tool/display.h"
#include "tool/envelope.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* The shortest time between two looks at what a call prints, and how much of it is kept. */
#define SHOW_MS 200
#define KEPT_BYTES IK_KIB(16)

struct ik_viewed_call *ik_viewed_call_find(const struct ik_calls_viewed *calls, const char *id)
{
	struct ik_viewed_call *call = calls->first;

	while (call && !ik_text_equal(call->id, id))
		call = call->next;
	return call;
}

/* Return the call with this id. *ret_new: it was not known. */
static struct ik_viewed_call *want(struct ik_calls_viewed *calls, const char *id, const char *name,
	bool *ret_new)
{
	struct ik_viewed_call *call = ik_viewed_call_find(calls, id);

	*ret_new = !call;
	if (call)
		return call;
	call = ik_alloc(sizeof(*call));
	call->all = calls;
	call->next = calls->first;
	calls->first = call;
	call->id = ik_strdup(id);
	call->name = ik_strdup(name);
	call->title = ik_strdup(name);
	ik_uuid_new(call->told);
	ik_buf_init(&call->output, 2 * KEPT_BYTES);
	return call;
}

static void forget(struct ik_viewed_call *call)
{
	struct ik_viewed_call **at = &call->all->first;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	if (call->question != 0)
		ik_peer_take_back(call->all->viewer->peer, call->question);
	free(call->id);
	free(call->name);
	free(call->title);
	free(call->arguments);
	free(call->targets);
	ik_buf_done(&call->output);
	free(call);
}

/* ---- the parts of an update ---- */

static struct ik_json_span display_of(const struct ik_viewed_call *call)
{
	return ik_registry_display(ik_core_registry(call->all->core), call->name);
}

static const char *kind_of(const struct ik_viewed_call *call)
{
	enum ik_display_kind kind = ik_display_kind(display_of(call));

	if (kind == IK_DISPLAY_OTHER &&
		ik_tool_reads_only(ik_registry_find(ik_core_registry(call->all->core), call->name)))
		kind = IK_DISPLAY_READ;
	return ik_display_kind_name(kind);
}

static struct ik_json_span arguments_of(const struct ik_viewed_call *call)
{
	struct ik_json_span value;

	if (call->arguments && ik_json_check(call->arguments, call->length, &value, NULL) == IK_OK &&
		ik_json_span_type(value) == IK_JSON_OBJECT)
		return value;
	return (struct ik_json_span){ NULL, 0 };
}

/* Append the file that a call is about, and the line of it that its result names. */
static void put_location(const struct ik_viewed_call *call, struct ik_json_span result,
	struct ik_buf *out)
{
	struct ik_json_span display = display_of(call);
	enum ik_display_kind kind = ik_display_kind(display);
	char *name = ik_json_text_new(ik_display_value(display, "path", arguments_of(call)));
	char *path = name ? ik_path_join(call->all->viewer->directory, name) : NULL;
	int64_t line;

	if (path && (kind == IK_DISPLAY_READ || kind == IK_DISPLAY_EDIT)) {
		ik_json_printf(out, "'locations':[{'path':'%s'", path);
		if (ik_json_integer(ik_display_value(display, "at", result), &line) && line > 0)
			ik_json_printf(out, "'line':%lld", (long long)line);
		ik_json_printf(out, "}]");
	}
	free(name);
	free(path);
}

/* Append a file's text, null if it does not exist. Return false and append nothing if it is unknown:
 * no plain text, or too large. */
static bool put_file(struct ik_buf *out, const char *path)
{
	struct ik_error error;
	struct ik_buf text;
	struct stat status;
	enum ik_status read = IK_OK;

	ik_buf_init(&text, IK_LIMIT_COMPARED);
	/* Files that the kernel generates have size 0, and reading may consume their contents. */
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > 0)
		read = ik_file_read(path, &text, &error);
	if (read == IK_NOT_FOUND)
		ik_json_put_null(out);
	else if (read == IK_OK && !memchr(text.data, '\0', text.length))
		ik_json_put_string(out, text.data, text.length);
	else
		read = IK_FAILED;
	ik_buf_done(&text);
	return read != IK_FAILED;
}

/* Append what a call changes. live: the file is as it was before. */
static void put_change(const struct ik_viewed_call *call, bool live, struct ik_buf *out)
{
	struct ik_display_change change;
	size_t before = out->length;
	char *name, *path;

	if (!ik_display_change(display_of(call), arguments_of(call), &change) ||
		(!change.old_text.text && !live))
		return;
	name = ik_json_string_new(change.path, NULL);
	path = ik_path_join(call->all->viewer->directory, name ? name : "");
	ik_json_printf(out, "{'type':'diff','path':'%s','newText':%.*s", path,
		(int)change.new_text.length, change.new_text.text);
	ik_json_key(out, "oldText");
	if (change.old_text.text)
		ik_json_put_raw(out, change.old_text);
	if (change.old_text.text || put_file(out, path))
		ik_json_close(out, '}');
	else
		ik_buf_truncate(out, before);
	free(name);
	free(path);
}

void ik_viewed_call_put(const struct ik_viewed_call *call, bool live, const char *why,
	struct ik_buf *out)
{
	struct ik_json_span arguments = arguments_of(call);

	ik_json_printf(out, "'toolCallId':'%s','title':'%s','name':'%s','kind':'%s'", call->told,
		call->title, call->name, kind_of(call));
	ik_json_printf(out, "'status':'pending'");
	if (!call->arguments)
		return;
	ik_json_key(out, "rawInput");
	if (arguments.text)
		ik_json_put_raw(out, arguments);
	else
		ik_json_put_string(out, call->arguments, call->length);
	put_location(call, (struct ik_json_span){ NULL, 0 }, out);
	ik_json_printf(out, "'content':[");
	if (why && why[0])
		ik_update_put_text(out, why, strlen(why), false);
	put_change(call, live, out);
	ik_json_close(out, ']');
}

/* ---- its life ---- */

void ik_viewed_call_begin(struct ik_calls_viewed *calls, const char *id, const char *name)
{
	struct ik_viewed_call *call;
	struct ik_buf out;
	bool is_new;

	call = want(calls, id, name, &is_new);
	if (!is_new)
		return;
	ik_update_open(&out, calls->viewer, "tool_call");
	ik_viewed_call_put(call, false, NULL, &out);
	ik_update_send(calls->viewer, &out);
}

struct ik_viewed_call *ik_viewed_call_tell(struct ik_calls_viewed *calls, const char *id,
	const char *name, const char *line, const char *arguments, size_t length, bool live)
{
	struct ik_viewed_call *call;
	struct ik_buf out;
	bool is_new;

	call = want(calls, id, name, &is_new);
	free(call->title);
	free(call->arguments);
	call->title = ik_strdup(line && line[0] ? line : name);
	call->arguments = ik_strndup(arguments, length);
	call->length = length;
	ik_update_open(&out, calls->viewer, is_new ? "tool_call" : "tool_call_update");
	ik_viewed_call_put(call, live, NULL, &out);
	ik_update_send(calls->viewer, &out);
	return call;
}

/* Begin an update of a call with a status. */
static void open_update(const struct ik_viewed_call *call, const char *status, struct ik_buf *out)
{
	ik_update_open(out, call->all->viewer, "tool_call_update");
	ik_json_printf(out, "'toolCallId':'%s','status':'%s'", call->told, status);
}

void ik_viewed_call_run(struct ik_viewed_call *call)
{
	struct ik_buf out;

	open_update(call, "in_progress", &out);
	ik_update_send(call->all->viewer, &out);
}

void ik_viewed_call_print(struct ik_viewed_call *call, const char *text, size_t length)
{
	int64_t now = ik_clock_ms();
	struct ik_buf out;

	if (length > KEPT_BYTES) {
		text += length - KEPT_BYTES;
		length = KEPT_BYTES;
	}
	if (call->output.length + length > 2 * KEPT_BYTES)
		ik_buf_consume(&call->output, call->output.length - KEPT_BYTES);
	ik_buf_append(&call->output, text, length);
	if (now - call->shown_ms < SHOW_MS)
		return;
	call->shown_ms = now;
	open_update(call, "in_progress", &out);
	ik_json_printf(&out, "'content':[");
	ik_update_put_text(&out, call->output.data, call->output.length, true);
	ik_json_close(&out, ']');
	ik_update_send(call->all->viewer, &out);
}

/* Did the call do what it was to do, also by its tool's account? */
static bool is_good(struct ik_json_span envelope)
{
	return ik_envelope_succeeded(envelope) &&
		ik_json_span_type(ik_json_at(envelope, "result.error")) != IK_JSON_STRING;
}

/* Append the content of a call that has ended: what it returned, unless its change says it. */
static void put_content(const struct ik_viewed_call *call, struct ik_json_span envelope,
	const struct ik_message *result, struct ik_buf *out)
{
	bool good = is_good(envelope);
	struct ik_display_change change;
	struct ik_attachment file;
	struct ik_buf text;

	if (good && ik_display_change(display_of(call), arguments_of(call), &change))
		return;
	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	/* Of a result with an output, that is what people want to see; rawOutput has all of it. */
	if (!ik_json_string(ik_json_at(envelope, "result.output"), &text))
		ik_envelope_put_text(envelope, &text);
	ik_json_printf(out, "'content':[");
	ik_update_put_text(out, text.data, text.length, good);
	for (size_t i = 0; result && ik_message_attachment(result, i, &file); i++) {
		if (!file.contents)
			continue;
		ik_json_printf(out, "{'type':'content','content':");
		ik_attachment_put_block(&file, out);
		ik_json_close(out, '}');
	}
	ik_json_close(out, ']');
	ik_buf_done(&text);
}

void ik_viewed_call_end(struct ik_viewed_call *call, const char *envelope, size_t length,
	const struct ik_message *result)
{
	struct ik_json_span value = { NULL, 0 };
	struct ik_buf out;

	if (ik_json_check(envelope, length, &value, NULL) != IK_OK)
		value = IK_JSON_SPAN("{}");
	open_update(call, is_good(value) ? "completed" : "failed", &out);
	ik_json_key(&out, "rawOutput");
	ik_json_put_raw(&out, value);
	put_location(call, ik_json_member(value, "result"), &out);
	put_content(call, value, result, &out);
	ik_update_send(call->all->viewer, &out);
	forget(call);
}

void ik_calls_viewed_end(struct ik_calls_viewed *calls)
{
	struct ik_buf out;

	while (calls->first) {
		open_update(calls->first, "failed", &out);
		ik_update_send(calls->viewer, &out);
		forget(calls->first);
	}
}

void ik_calls_viewed_done(struct ik_calls_viewed *calls)
{
	while (calls->first)
		forget(calls->first);
}
