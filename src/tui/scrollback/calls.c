#include "tui/scrollback/calls.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "tool/envelope.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

struct ik_calls {
	struct ik_shown_call **items; /* in the order of the session */
	size_t count;
	void *by_id; /* a tree of tsearch(3) */
	unsigned version;
	size_t open;    /* calls without an outcome */
	size_t running; /* of those: started */
	bool unstarted; /* one of these waits for the time of its start */
	char *open_key;
	struct ik_registry *registry;
	bool stored; /* outputs that have a blob can be read from the store */
};

struct ik_calls *ik_calls_new(void)
{
	return ik_alloc(sizeof(struct ik_calls));
}

static void call_free(struct ik_shown_call *call)
{
	free(call->id);
	free(call->name);
	ik_buf_done(&call->arguments);
	ik_buf_done(&call->line);
	ik_buf_done(&call->result_words);
	ik_buf_done(&call->output);
	ik_buf_done(&call->errors);
	ik_buf_done(&call->envelope);
	for (int i = 0; i < 2; i++)
		ik_bytes_unref(call->whole[i]);
	ik_message_unref(call->result);
	free(call);
}

/* Release a record's place in the tree: the list owns the record. */
static void leave(void *call)
{
	(void)call;
}

void ik_calls_clear(struct ik_calls *calls)
{
	tdestroy(calls->by_id, leave);
	for (size_t i = 0; i < calls->count; i++)
		call_free(calls->items[i]);
	free(calls->items);
	*calls = (struct ik_calls){
		.version = calls->version + 1,
		.open_key = calls->open_key,
		.registry = calls->registry,
	};
}

static void find_display(const struct ik_calls *calls, struct ik_shown_call *call)
{
	const struct ik_tool *tool = calls->registry ? ik_registry_find(calls->registry, call->name)
												 : NULL;

	call->display = tool ? tool->display : NULL;
}

void ik_calls_set_open_key(struct ik_calls *calls, const char *key)
{
	free(calls->open_key);
	calls->open_key = ik_strdup(key);
}

struct ik_calls *ik_calls_free(struct ik_calls *calls)
{
	if (!calls)
		return NULL;
	ik_calls_clear(calls);
	ik_registry_unref(calls->registry);
	free(calls->open_key);
	free(calls);
	return NULL;
}

size_t ik_calls_count(const struct ik_calls *calls)
{
	return calls->count;
}

struct ik_shown_call *ik_calls_at(const struct ik_calls *calls, size_t index)
{
	return calls->items[index];
}

unsigned ik_calls_version(const struct ik_calls *calls)
{
	return calls->version;
}

static bool is_over(const struct ik_shown_call *call)
{
	return call->stage == IK_STAGE_OK || call->stage == IK_STAGE_FAILED;
}

size_t ik_calls_running(const struct ik_calls *calls)
{
	return calls->running;
}

static void touch(struct ik_calls *calls, struct ik_shown_call *call)
{
	call->version++;
	calls->version++;
}

void ik_calls_set_registry(struct ik_calls *calls, struct ik_registry *registry)
{
	struct ik_registry *old = calls->registry;

	calls->registry = ik_registry_ref(registry);
	for (size_t i = 0; i < calls->count; i++) {
		struct ik_shown_call *call = calls->items[i];
		const char *before = call->display;

		find_display(calls, call);
		if (ik_text_equal(before ? before : "", call->display ? call->display : ""))
			continue;
		ik_buf_clear(&call->line);
		touch(calls, call);
	}
	ik_registry_unref(old);
}

static int compare_ids(const void *one, const void *other)
{
	const struct ik_shown_call *call = one, *with = other;

	return strcmp(call->id, with->id);
}

struct ik_shown_call *ik_calls_get_at(struct ik_calls *calls, size_t index, const char *id,
	const char *name)
{
	const struct ik_shown_call wanted = { .id = (char *)id };
	struct ik_shown_call *const *place = tfind(&wanted, &calls->by_id, compare_ids), *call;

	if (place) {
		call = *place;
		if (name && name[0] && !ik_text_equal(call->name, name)) {
			free(call->name);
			call->name = ik_strdup(name);
			find_display(calls, call);
			ik_buf_clear(&call->line);
			touch(calls, call);
		}
		return call;
	}
	call = ik_alloc(sizeof(*call));
	call->id = ik_strdup(id);
	if (!tsearch(call, &calls->by_id, compare_ids))
		ik_alloc_fail();
	call->name = ik_strdup(name ? name : "");
	call->started_ms = -1;
	call->duration_ms = -1;
	call->open_key = calls->open_key;
	find_display(calls, call);
	ik_buf_init(&call->arguments, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&call->line, IK_KIB(64));
	ik_buf_init(&call->result_words, IK_KIB(4));
	ik_buf_init(&call->output, IK_LIMIT_TOOL_OUTPUT);
	ik_buf_init(&call->errors, IK_LIMIT_TOOL_OUTPUT);
	ik_buf_init(&call->envelope, IK_LIMIT_ENVELOPE);
	calls->items = ik_alloc_more(calls->items, calls->count, sizeof(struct ik_shown_call *));
	memmove(calls->items + index + 1, calls->items + index,
		(calls->count - index) * sizeof(struct ik_shown_call *));
	calls->items[index] = call;
	calls->count++;
	calls->open++;
	touch(calls, call);
	return call;
}

struct ik_shown_call *ik_calls_get(struct ik_calls *calls, const char *id, const char *name)
{
	return ik_calls_get_at(calls, calls->count, id, name);
}

void ik_calls_set_arguments(struct ik_calls *calls, struct ik_shown_call *call,
	const char *arguments, size_t length)
{
	if (call->arguments.length == length && memcmp(call->arguments.data, arguments, length) == 0)
		return;
	ik_buf_clear(&call->arguments);
	ik_buf_append(&call->arguments, arguments, length);
	ik_buf_clear(&call->line);
	touch(calls, call);
}

void ik_calls_grow_arguments(struct ik_calls *calls, struct ik_shown_call *call,
	const char *arguments, size_t length)
{
	size_t had = call->arguments.length;

	if (length <= had) {
		ik_calls_set_arguments(calls, call, arguments, length);
		return;
	}
	ik_buf_append(&call->arguments, arguments + had, length - had);
	ik_buf_clear(&call->line);
	touch(calls, call);
}

/* Go to another stage, whatever the present one is. */
static void change_stage(struct ik_calls *calls, struct ik_shown_call *call,
	enum ik_call_stage stage)
{
	if (call->stage == stage)
		return;
	calls->running -= call->stage == IK_STAGE_RUNNING;
	calls->running += stage == IK_STAGE_RUNNING;
	calls->open -= !is_over(call);
	call->stage = stage;
	calls->open += !is_over(call);
	calls->unstarted |= stage == IK_STAGE_RUNNING;
	touch(calls, call);
}

void ik_calls_set_stage(struct ik_calls *calls, struct ik_shown_call *call,
	enum ik_call_stage stage)
{
	if (!is_over(call))
		change_stage(calls, call, stage);
}

void ik_calls_add_output(struct ik_calls *calls, struct ik_shown_call *call, bool is_error,
	const char *bytes, size_t length)
{
	struct ik_buf *live = is_error ? &call->errors : &call->output;

	if (is_over(call) || length == 0)
		return;
	ik_buf_append(live, bytes, length);
	/* Half of it at a time, so that each byte is moved once at most. */
	if (live->length > IK_LIMIT_LIVE_OUTPUT) {
		size_t more = live->length - IK_LIMIT_LIVE_OUTPUT / 2;

		while (more < live->length && ik_utf8_is_continuation(live->data[more]))
			more++;
		call->left_out[is_error] += more;
		ik_buf_consume(live, more);
	}
	touch(calls, call);
}

static size_t kept_output(const struct ik_shown_call *call)
{
	return ik_bytes_length(call->whole[0]) + ik_bytes_length(call->whole[1]);
}

/* Forget what calls printed that are over, the oldest first, as soon as a large one makes it too
 * much. */
static void forget_old_output(struct ik_calls *calls, const struct ik_shown_call *newest)
{
	size_t kept = 0;

	if (kept_output(newest) < IK_KIB(64))
		return;
	for (size_t i = calls->count; i-- > 0;) {
		struct ik_shown_call *call = calls->items[i];

		kept += kept_output(call);
		if (kept <= IK_LIMIT_OLD_OUTPUT || call == newest || !is_over(call))
			continue;
		for (int stream = 0; stream < 2; stream++)
			call->whole[stream] = ik_bytes_unref(call->whole[stream]);
		touch(calls, call);
	}
}

/* End a call as its envelope, or the beginning of it, says. */
static void finish(struct ik_calls *calls, struct ik_shown_call *call, const char *envelope,
	size_t length, int64_t duration_ms)
{
	struct ik_json_span value;
	bool failed = true;

	if (ik_json_check(envelope, length, &value, NULL) == IK_OK) {
		(void)ik_json_integer(ik_json_at(value, "result.exit_code"), &call->exit_code);
		failed = !ik_envelope_succeeded(value) || call->exit_code != 0 ||
			ik_json_span_type(ik_json_at(value, "result.error")) == IK_JSON_STRING;
		call->denied = ik_json_string_is(ik_json_member(value, "error_code"),
			ik_tool_failure_code(IK_TOOL_DENIED));
	}
	ik_buf_done(&call->output); /* the envelope has it */
	call->duration_ms = duration_ms;
	change_stage(calls, call, failed ? IK_STAGE_FAILED : IK_STAGE_OK);
	touch(calls, call);
}

void ik_calls_set_envelope(struct ik_calls *calls, struct ik_shown_call *call, const char *envelope,
	size_t length, int64_t duration_ms)
{
	if (call->result || call->envelope.length > 0)
		return;
	ik_buf_append(&call->envelope, envelope, length);
	finish(calls, call, envelope, length, duration_ms);
}

void ik_calls_set_stored(struct ik_calls *calls, bool stored)
{
	calls->stored = stored;
}

void ik_calls_set_whole(struct ik_calls *calls, struct ik_shown_call *call,
	struct ik_bytes *const whole[2])
{
	for (int i = 0; i < 2; i++) {
		struct ik_bytes *kept = calls->stored && call->blobs[i].bytes > 0 ? NULL
																		  : ik_bytes_ref(whole[i]);

		ik_bytes_unref(call->whole[i]);
		call->whole[i] = kept;
	}
	ik_buf_done(&call->errors);
	call->left_out[1] = 0;
	touch(calls, call);
	forget_old_output(calls, call);
}

void ik_calls_set_command(struct ik_shown_call *call, const struct ik_message *command)
{
	char *parent = ik_message_parent(command);

	call->own = true;
	call->nested = call->nested || parent;
	free(parent);
	memcpy(call->command, command->id, sizeof(call->command));
}

/* Make the envelope of a shell command, of which only output and exit code are stored. */
static void set_printed(struct ik_calls *calls, struct ik_shown_call *call,
	const struct ik_message *message, int64_t duration_ms)
{
	struct ik_json_span printed = ik_json_member(ik_message_data(message), "output");
	struct ik_buf envelope;

	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	ik_envelope_open(&envelope);
	ik_buf_append(&envelope, printed.text, printed.length);
	ik_envelope_close(&envelope, false);
	(void)ik_json_integer(ik_json_at(ik_message_data(message), "call.exit_code"), &call->exit_code);
	ik_calls_set_envelope(calls, call, envelope.data, envelope.length, duration_ms);
	ik_buf_done(&envelope);
}

void ik_calls_set_result(struct ik_calls *calls, struct ik_shown_call *call,
	struct ik_message *message)
{
	if (call->result)
		return;
	bool fresh = call->envelope.length == 0;
	struct ik_result result;
	ik_message_result(message, &result);
	if (ik_message_own_call(message) == IK_OWN_SHELL) {
		set_printed(calls, call, message, result.duration_ms);
		return;
	}
	call->result = ik_message_ref(message);
	call->stored = result.envelope;
	if (fresh) {
		struct ik_buf beginning;

		ik_buf_init(&beginning, IK_LIMIT_ENVELOPE);
		(void)ik_call_envelope(call, IK_CALL_LARGE, &beginning);
		finish(calls, call, beginning.data, beginning.length, result.duration_ms);
		ik_buf_done(&beginning);
	}
	memcpy(call->blobs, result.blobs, sizeof(call->blobs));
	ik_buf_done(&call->envelope); /* the message has it */
	touch(calls, call);
}

void ik_calls_end_turn(struct ik_calls *calls)
{
	for (size_t i = calls->count; calls->open > 0 && i-- > 0;) {
		if (!calls->items[i]->own)
			ik_calls_set_stage(calls, calls->items[i], IK_STAGE_FAILED);
	}
}

void ik_calls_tick(struct ik_calls *calls, int64_t now_ms)
{
	for (size_t i = calls->count; calls->unstarted && i-- > 0;) {
		struct ik_shown_call *call = calls->items[i];

		if (call->stage == IK_STAGE_RUNNING && call->started_ms < 0)
			call->started_ms = now_ms;
	}
	calls->unstarted = false;
}
