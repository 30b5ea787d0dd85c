#include "tui/screen/chat_log.h"

#include <stdlib.h>
#include <string.h>

#include "tui/text/markdown.h"
#include "util/alloc.h"
#include "util/text.h"

/* Show a block as the options say; returns it. */
static struct ik_block *dress(const struct ik_chat_log *log, struct ik_block *block)
{
	block->lines = log->tool_lines;
	block->drawer = log->drawer;
	block->prose = block->call ? 0 : log->prose_width;
	if (block->kind == IK_BLOCK_ASSISTANT)
		ik_block_set_renderer(block, log->markdown ? &ik_renderer_markdown : &ik_renderer_plain);
	return block;
}

static void add_block(struct ik_chat_log *log, struct ik_block *block)
{
	if (!block)
		return;
	ik_scrollback_add(log->scrollback, dress(log, block));
}

static void add_text(struct ik_chat_log *log, enum ik_block_kind kind, const char *code,
	const char *text, size_t length)
{
	struct ik_block *block = ik_block_new(kind);

	ik_block_append(block, text, length);
	if (code && code[0]) {
		block->tail = block->length;
		ik_block_append(block, " (", 2);
		ik_block_append(block, code, strlen(code));
		ik_block_append(block, ")", 1);
	}
	ik_block_finish(block);
	add_block(log, block);
}

void ik_chat_log_say(struct ik_chat_log *log, const char *sentence)
{
	add_text(log, IK_BLOCK_NOTICE, NULL, sentence, strlen(sentence));
}

/* A notice or an error: the stored message where there is one. */
static void add_notice(struct ik_chat_log *log, const struct ik_event *event,
	enum ik_block_kind kind)
{
	if (event->message)
		add_block(log, ik_block_of_message(event->message));
	else if (event->text)
		add_text(log, kind, event->code != IK_CODE_NONE ? ik_error_code_word(event->code) : NULL,
			event->text, event->text_length);
}

/* The reply that goes on, if it does and nothing is after it; NULL. */
static struct ik_block *continued_reply(struct ik_chat_log *log, enum ik_block_kind kind)
{
	bool continues = log->continues && kind == IK_BLOCK_ASSISTANT;

	log->continues = log->continues && !continues;
	return continues && log->last_reply && log->last_reply == ik_scrollback_last(log->scrollback)
		? log->last_reply
		: NULL;
}

/* Something else comes: the thoughts that came last are over. */
static void end_thinking(struct ik_chat_log *log)
{
	if (log->live_count > 0 && log->live[log->live_count - 1]->kind == IK_BLOCK_THINKING)
		ik_block_finish(log->live[log->live_count - 1]);
	log->live_open = false;
}

static struct ik_block *begin_live(struct ik_chat_log *log, enum ik_block_kind kind)
{
	struct ik_block *block = continued_reply(log, kind);

	end_thinking(log);
	if (block) {
		ik_block_go_on(block, NULL);
	} else {
		block = ik_block_new(kind);
		add_block(log, block);
	}
	log->live = ik_alloc_more(log->live, log->live_count, sizeof(struct ik_block *));
	log->live[log->live_count++] = block;
	log->live_open = true;
	if (kind == IK_BLOCK_ASSISTANT)
		log->last_reply = block;
	return block;
}

/* A piece: it belongs to what came last, if that is of its kind. */
static void grow(struct ik_chat_log *log, enum ik_block_kind kind, const struct ik_event *event)
{
	struct ik_block *block = NULL;

	if (kind == IK_BLOCK_THINKING && log->hide_thinking)
		return;
	if (log->live_open)
		block = log->live[log->live_count - 1];
	if (!block || block->kind != kind) {
		if (!ik_block_text_shows(event->text, event->text_length))
			return;
		block = begin_live(log, kind);
	}
	ik_block_append(block, event->text, event->text_length);
}

/* The stored message of a text or thoughts: of the first that waits for one, or
 * of one that was never streamed. */
static void finish_live(struct ik_chat_log *log, struct ik_message *message,
	enum ik_block_kind kind)
{
	if (!ik_block_text_shows(message->content, message->content_length) ||
		(kind == IK_BLOCK_THINKING && log->hide_thinking))
		return;
	size_t index = 0;

	while (index < log->live_count && log->live[index]->kind != kind)
		index++;
	if (index < log->live_count) {
		ik_block_finish_with(log->live[index], message);
		log->live_count--;
		memmove(log->live + index, log->live + index + 1,
			(log->live_count - index) * sizeof(struct ik_block *));
		log->live_open = false;
		return;
	}
	struct ik_block *block = continued_reply(log, kind);

	if (block) {
		ik_block_go_on(block, message);
		return;
	}
	block = ik_block_of_message(message);
	add_block(log, block);
	if (kind == IK_BLOCK_ASSISTANT)
		log->last_reply = block;
}

/* Nothing more comes of what grew. */
static void end_live(struct ik_chat_log *log)
{
	for (size_t i = 0; i < log->live_count; i++)
		ik_block_finish(log->live[i]);
	log->live_count = 0;
	log->live_open = false;
}

/* The block of a call that has none yet. */
static struct ik_block *call_block(struct ik_shown_call *call)
{
	if (call->has_block)
		return NULL;
	call->has_block = true;
	return ik_block_of_call(call);
}

/* Does it say something of a call? */
static bool is_of_call(const struct ik_message *message)
{
	return message->kind == IK_KIND_TOOL_CALL || message->kind == IK_KIND_TOOL_RESULT ||
		ik_message_own_call(message) != IK_OWN_NONE;
}

/* The record of the call of such a message; a new one goes to index. */
static struct ik_shown_call *call_of_message(struct ik_chat_log *log, struct ik_message *message,
	size_t index)
{
	bool own = message->kind == IK_KIND_COMMAND;
	const char *id = own ? message->id : message->call_id;
	char *name = ik_message_tool_name(message);
	struct ik_shown_call *call = NULL;

	if (id)
		call = ik_calls_get_at(log->calls, index, id, name);
	if (call && (message->kind == IK_KIND_TOOL_CALL || own)) {
		size_t length;
		char *arguments = ik_message_arguments(message, &length);

		if (arguments)
			ik_calls_set_arguments(log->calls, call, arguments, length);
		free(arguments);
		if (call->stage == IK_STAGE_WRITING)
			ik_calls_set_stage(log->calls, call, IK_STAGE_WAITING);
	}
	if (call && own)
		ik_calls_set_command(call, message);
	if (call && message->kind != IK_KIND_TOOL_CALL)
		ik_calls_set_result(log->calls, call, message);
	free(name);
	return call;
}

/* Return the block of a stored message, or of its call, which has its place at index if it is new;
 * NULL: there is none, or there is one already. */
static struct ik_block *block_of(struct ik_chat_log *log, struct ik_message *message, size_t index)
{
	if (!is_of_call(message))
		return ik_block_of_message(message);
	struct ik_shown_call *call = call_of_message(log, message, index);

	return call ? call_block(call) : NULL;
}

/* Add a stored message at the end of the conversation, and the pictures that go with it. */
static void add_message(struct ik_chat_log *log, struct ik_message *message)
{
	enum ik_kind kind = message->kind;
	size_t picture = 0;

	log->continues = kind == IK_KIND_USER ? ik_message_is_automatic(message) : log->continues;
	if (kind == IK_KIND_ASSISTANT || kind == IK_KIND_THINKING)
		finish_live(log, message,
			kind == IK_KIND_ASSISTANT ? IK_BLOCK_ASSISTANT
				: message->searches   ? IK_BLOCK_NOTICE
									  : IK_BLOCK_THINKING);
	else
		add_block(log, block_of(log, message, ik_calls_count(log->calls)));
	for (struct ik_block *block; (block = ik_block_of_picture(message, &picture));)
		add_block(log, block);
}

/* Show older messages of a restored session above what is there. */
static void prepend(struct ik_chat_log *log, struct ik_message *const *messages, size_t count)
{
	struct ik_block **blocks = NULL;
	size_t made = 0;
	size_t calls_made = 0;
	bool continues = false;

	for (size_t i = 0; i < count; i++) {
		struct ik_message *message = messages[i];
		size_t before = ik_calls_count(log->calls);
		struct ik_block *block = NULL;

		if (message->kind == IK_KIND_USER)
			continues = ik_message_is_automatic(message);
		if (continues && message->kind == IK_KIND_ASSISTANT && made > 0 &&
			blocks[made - 1]->kind == IK_BLOCK_ASSISTANT)
			ik_block_go_on(blocks[made - 1], message);
		else if (message->kind != IK_KIND_THINKING || message->searches || !log->hide_thinking)
			block = block_of(log, message, calls_made);
		calls_made += ik_calls_count(log->calls) - before;
		for (size_t picture = 0; block || (block = ik_block_of_picture(message, &picture));
			 block = NULL) {
			blocks = ik_alloc_more(blocks, made, sizeof(*blocks));
			blocks[made++] = dress(log, block);
		}
	}
	ik_scrollback_prepend(log->scrollback, blocks, made);
	free(blocks);
}

static void apply_call(struct ik_chat_log *log, const struct ik_event *event)
{
	if (!event->id)
		return;
	struct ik_shown_call *call = ik_calls_get(log->calls, event->id, event->name);
	add_block(log, call_block(call));
	end_thinking(log);
	const char *text = event->text ? event->text : "";
	size_t length = event->text ? event->text_length : 0;

	switch (event->kind) {
	case IK_EVENT_TOOL_STARTED:
		call->own = event->round == 0;
		call->nested = event->parent;
		ik_calls_set_arguments(log->calls, call, text, length);
		ik_calls_set_stage(log->calls, call, IK_STAGE_RUNNING);
		break;
	case IK_EVENT_TOOL_OUTPUT:
		ik_calls_add_output(log->calls, call, event->is_stderr, text, length);
		break;
	case IK_EVENT_TOOL_DONE:
		if (event->message)
			ik_calls_set_command(call, event->message);
		if (event->message && ik_message_own_call(event->message) != IK_OWN_NONE)
			ik_calls_set_result(log->calls, call, event->message);
		ik_calls_set_whole(log->calls, call, event->whole);
		ik_calls_set_envelope(log->calls, call, text, length, event->duration_ms);
		break;
	default: /* IK_EVENT_CALL_PROGRESS */
		ik_calls_grow_arguments(log->calls, call, text, length);
		break;
	}
}

static void end_turn(struct ik_chat_log *log, enum ik_turn_stop stop)
{
	bool cancelled = stop == IK_TURN_STOP_CANCELLED;

	end_live(log);
	ik_calls_end_turn(log->calls);
	struct ik_block *last = ik_scrollback_last(log->scrollback);

	if (cancelled && last && last == log->last_reply)
		ik_block_remark(last, _("[interrupted]"));
	else if (cancelled && last && last->kind == IK_BLOCK_USER)
		ik_chat_log_say(log, _("Interrupted."));
	if (!log->last_reply)
		return;
	if (stop == IK_TURN_STOP_LENGTH)
		ik_block_remark(log->last_reply,
			_("[cut at the model's output limit; \"go on\" asks for more]"));
	else if (stop == IK_TURN_STOP_REFUSED)
		ik_block_remark(log->last_reply, _("[the model refused to go on]"));
}

void ik_chat_log_apply(struct ik_chat_log *log, const struct ik_event *event)
{
	switch (event->kind) {
	case IK_EVENT_MESSAGE:
		add_message(log, event->message);
		break;
	case IK_EVENT_OLDER:
		prepend(log, event->older, event->count);
		break;
	case IK_EVENT_TURN_STARTED:
		log->continues = false;
		log->last_reply = NULL;
		break;
	case IK_EVENT_ROUND_STARTED:
		end_live(log);
		break;
	case IK_EVENT_TEXT:
		grow(log, IK_BLOCK_ASSISTANT, event);
		break;
	case IK_EVENT_THINKING:
		grow(log, IK_BLOCK_THINKING, event);
		break;
	case IK_EVENT_SEARCH:
		log->live_open = false; /* a notice of its own */
		grow(log, IK_BLOCK_NOTICE, event);
		log->live_open = false;
		break;
	case IK_EVENT_CALL_PROGRESS:
	case IK_EVENT_TOOL_STARTED:
	case IK_EVENT_TOOL_OUTPUT:
	case IK_EVENT_TOOL_DONE:
		apply_call(log, event);
		break;
	case IK_EVENT_NOTICE:
		add_notice(log, event, IK_BLOCK_NOTICE);
		break;
	case IK_EVENT_ERROR:
		add_notice(log, event, IK_BLOCK_ERROR);
		break;
	case IK_EVENT_TURN_DONE:
		end_turn(log, event->stop);
		break;
	default:
		break;
	}
}

struct ik_chat_log *ik_chat_log_new(struct ik_calls *calls)
{
	struct ik_chat_log *log = ik_alloc(sizeof(*log));

	log->calls = calls;
	log->scrollback = ik_scrollback_new();
	return log;
}

struct ik_chat_log *ik_chat_log_free(struct ik_chat_log *log)
{
	if (!log)
		return NULL;
	ik_scrollback_free(log->scrollback);
	free(log->live);
	free(log);
	return NULL;
}

void ik_chat_log_clear(struct ik_chat_log *log)
{
	ik_scrollback_clear(log->scrollback);
	log->clears++;
	log->live_count = 0;
	log->live_open = false;
	log->last_reply = NULL;
}

bool ik_chat_log_toggle_markdown(struct ik_chat_log *log)
{
	log->markdown = !log->markdown;
	for (size_t i = 0; i < ik_scrollback_count(log->scrollback); i++)
		(void)dress(log, ik_scrollback_at(log->scrollback, i));
	return log->markdown;
}

bool ik_chat_log_tick(struct ik_chat_log *log, int64_t now_ms)
{
	bool changed = false;

	for (size_t i = 0; i < log->live_count; i++)
		changed |= ik_block_tick(log->live[i], now_ms);
	return changed;
}
