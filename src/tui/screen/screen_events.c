/* What the session tells: the part of the screen that listens. */
#include "tui/screen/screen_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define LABEL_BYTES 400 /* of a text that is shown on one row */

/* The text of an event on one row. */
static char *event_label(const struct ik_event *event)
{
	struct ik_buf out;
	size_t length = event->text_length < LABEL_BYTES ? event->text_length : LABEL_BYTES;

	ik_buf_init(&out, IK_KIB(16));
	ik_sanitize_line(&out, event->text ? event->text : "", event->text ? length : 0);
	return ik_buf_take(&out, NULL);
}

/* Show a block at the end. */
static void add_block(struct ik_screen *screen, struct ik_block *block)
{
	if (!block)
		return;
	ik_scrollback_add(screen->scrollback, ik_screen_dress(screen, block));
	screen->dirty = true;
}

/* Show a sentence. */
static void add_text(struct ik_screen *screen, enum ik_block_kind kind, const char *code,
	const char *text, size_t length)
{
	struct ik_block *block = ik_block_new(kind, screen->utf8);

	if (code && code[0]) {
		ik_block_append(block, code, strlen(code));
		ik_block_append(block, "  ", 2);
	}
	ik_block_append(block, text, length);
	ik_block_finish(block);
	add_block(screen, block);
}

void ik_screen_say(struct ik_screen *screen, const char *sentence)
{
	add_text(screen, IK_BLOCK_NOTICE, NULL, sentence, strlen(sentence));
}

/* A notice or an error: the stored message where there is one. */
static void add_notice(struct ik_screen *screen, const struct ik_event *event,
	enum ik_block_kind kind)
{
	if (event->message)
		add_block(screen, ik_block_of_message(event->message, screen->utf8));
	else if (event->text)
		add_text(screen, kind, event->code != IK_CODE_NONE ? ik_error_code_word(event->code) : NULL,
			event->text, event->text_length);
}

/* The reply that goes on, if it does and nothing stands behind it; NULL. */
static struct ik_block *continued_reply(struct ik_screen *screen, enum ik_block_kind kind)
{
	bool continues = screen->continues && kind == IK_BLOCK_ASSISTANT;

	screen->continues = screen->continues && !continues;
	return continues && screen->last_reply &&
			screen->last_reply == ik_scrollback_last(screen->scrollback)
		? screen->last_reply
		: NULL;
}

/* Something else comes: the thoughts that came last are over. */
static void end_thinking(struct ik_screen *screen)
{
	if (screen->live_count > 0 && screen->live[screen->live_count - 1]->kind == IK_BLOCK_THINKING)
		ik_block_finish(screen->live[screen->live_count - 1]);
	screen->live_open = false;
}

/* Begin a text or thoughts. */
static struct ik_block *begin_live(struct ik_screen *screen, enum ik_block_kind kind)
{
	struct ik_block *block = continued_reply(screen, kind);

	end_thinking(screen);
	if (block) {
		ik_block_go_on(block, NULL);
	} else {
		block = ik_block_new(kind, screen->utf8);
		add_block(screen, block);
	}
	if (screen->live_count == screen->live_capacity) {
		screen->live_capacity = screen->live_capacity ? screen->live_capacity * 2 : 4;
		screen->live = ik_alloc_array(screen->live, screen->live_capacity,
			sizeof(struct ik_block *));
	}
	screen->live[screen->live_count++] = block;
	screen->live_open = true;
	if (kind == IK_BLOCK_ASSISTANT)
		screen->last_reply = block;
	return block;
}

/* A piece: it belongs to what came last, if that is of its kind. */
static void grow(struct ik_screen *screen, enum ik_block_kind kind, const struct ik_event *event)
{
	struct ik_block *block = NULL;

	if (kind == IK_BLOCK_THINKING && screen->hide_thinking)
		return;
	if (screen->live_open)
		block = screen->live[screen->live_count - 1];
	if (!block || block->kind != kind) {
		if (!ik_block_text_shows(event->text, event->text_length))
			return;
		block = begin_live(screen, kind);
	}
	ik_block_append(block, event->text, event->text_length);
}

/* The stored message of a text or thoughts: of the first that waits for one, or
 * of one that was never streamed. */
static void finish_live(struct ik_screen *screen, struct ik_message *message,
	enum ik_block_kind kind)
{
	if (!ik_block_text_shows(message->content, message->content_length) ||
		(kind == IK_BLOCK_THINKING && screen->hide_thinking))
		return;
	size_t index = 0;

	while (index < screen->live_count && screen->live[index]->kind != kind)
		index++;
	if (index < screen->live_count) {
		ik_block_finish_with(screen->live[index], message);
		screen->live_count--;
		memmove(screen->live + index, screen->live + index + 1,
			(screen->live_count - index) * sizeof(struct ik_block *));
		screen->live_open = false;
		return;
	}
	struct ik_block *block = continued_reply(screen, kind);

	if (block) {
		ik_block_go_on(block, message);
		return;
	}
	block = ik_block_of_message(message, screen->utf8);
	add_block(screen, block);
	if (kind == IK_BLOCK_ASSISTANT)
		screen->last_reply = block;
}

/* Nothing more comes of what grew. */
static void end_live(struct ik_screen *screen)
{
	for (size_t i = 0; i < screen->live_count; i++)
		ik_block_finish(screen->live[i]);
	screen->live_count = 0;
	screen->live_open = false;
}

/* The block of a call that has none yet. */
static struct ik_block *call_block(struct ik_screen *screen, struct ik_shown_call *call)
{
	if (call->has_block)
		return NULL;
	call->has_block = true;
	return ik_block_of_call(call, screen->utf8);
}

/* Does it say something of a call? */
static bool is_of_call(const struct ik_message *message)
{
	return message->kind == IK_KIND_TOOL_CALL || message->kind == IK_KIND_TOOL_RESULT ||
		ik_message_own_call(message) != IK_OWN_NONE;
}

/* The record of the call of such a message; a new one goes to index. */
static struct ik_shown_call *call_of_message(struct ik_screen *screen, struct ik_message *message,
	size_t index)
{
	bool own = message->kind == IK_KIND_COMMAND;
	char *id = own ? ik_strdup(message->id) : ik_message_call_id(message);
	char *name = ik_message_tool_name(message);
	struct ik_shown_call *call = NULL;

	if (id)
		call = ik_calls_get_at(screen->calls, index, id, name);
	if (call && (message->kind == IK_KIND_TOOL_CALL || own)) {
		size_t length;
		char *arguments = ik_message_arguments(message, &length);

		if (arguments)
			ik_calls_set_arguments(screen->calls, call, arguments, length);
		free(arguments);
		if (call->stage == IK_STAGE_WRITING)
			ik_calls_set_stage(screen->calls, call, IK_STAGE_WAITING);
	}
	if (call && own)
		ik_calls_set_command(call, message);
	if (call && message->kind != IK_KIND_TOOL_CALL)
		ik_calls_set_result(screen->calls, call, message);
	free(id);
	free(name);
	return call;
}

/* Count what a stored usage says. */
static void add_stored_usage(struct ik_screen *screen, const struct ik_message *message)
{
	struct ik_usage usage;

	if (ik_usage_read(message, &usage))
		ik_usage_add(&screen->bar.usage, &usage);
}

/* What is stored of a call, at the end of the conversation. */
static void add_call(struct ik_screen *screen, struct ik_message *message)
{
	struct ik_shown_call *call = call_of_message(screen, message, ik_calls_count(screen->calls));

	if (call)
		add_block(screen, call_block(screen, call));
}

/* A stored message at the end of the conversation. */
static void apply_message(struct ik_screen *screen, struct ik_message *message)
{
	if (!screen->told_any)
		screen->older = message->sequence > 1;
	screen->told_any = true;
	ik_screen_title_of(screen, message, false);
	bool restored = !screen->turn_seen &&
		(message->kind == IK_KIND_ASSISTANT || message->kind == IK_KIND_TOOL_CALL ||
			message->kind == IK_KIND_TOOL_RESULT);
	if (restored)
		ik_screen_drop_welcome(screen);
	switch (message->kind) {
	case IK_KIND_ASSISTANT:
		finish_live(screen, message, IK_BLOCK_ASSISTANT);
		break;
	case IK_KIND_THINKING:
		finish_live(screen, message, IK_BLOCK_THINKING);
		break;
	case IK_KIND_TOOL_CALL:
	case IK_KIND_TOOL_RESULT:
		add_call(screen, message);
		break;
	case IK_KIND_USAGE:
		add_stored_usage(screen, message);
		break;
	case IK_KIND_USER:
		screen->continues = ik_message_is_automatic(message);
		add_block(screen, ik_block_of_message(message, screen->utf8));
		break;
	case IK_KIND_COMMAND:
	case IK_KIND_NOTICE:
		if (is_of_call(message))
			add_call(screen, message);
		else
			add_block(screen, ik_block_of_message(message, screen->utf8));
		break;
	case IK_KIND_SYSTEM:
	case IK_KIND_COUNT:
		break;
	}
}

void ik_screen_prepend(struct ik_screen *screen, struct ik_message *const *messages, size_t count)
{
	struct ik_block **blocks = ik_alloc_array(NULL, count + 1, sizeof(struct ik_block *));
	size_t made = 0;
	size_t calls_made = 0;
	bool continues = false;

	ik_screen_drop_welcome(screen);
	for (size_t i = 0; i < count; i++) {
		struct ik_message *message = messages[i];
		struct ik_block *block = NULL;

		if (is_of_call(message)) {
			size_t before = ik_calls_count(screen->calls);
			struct ik_shown_call *call = call_of_message(screen, message, calls_made);

			calls_made += ik_calls_count(screen->calls) - before;
			if (call)
				block = call_block(screen, call);
		} else if (message->kind == IK_KIND_USAGE) {
			add_stored_usage(screen, message);
		} else {
			if (message->kind == IK_KIND_USER)
				continues = ik_message_is_automatic(message);
			if (continues && message->kind == IK_KIND_ASSISTANT && made > 0 &&
				blocks[made - 1]->kind == IK_BLOCK_ASSISTANT)
				ik_block_go_on(blocks[made - 1], message);
			else if (message->kind != IK_KIND_THINKING || !screen->hide_thinking)
				block = ik_block_of_message(message, screen->utf8);
		}
		if (block)
			blocks[made++] = ik_screen_dress(screen, block);
	}
	ik_scrollback_prepend(screen->scrollback, blocks, made);
	free(blocks);
	screen->dirty = true;
}

/* Something about a call. */
static void apply_call(struct ik_screen *screen, const struct ik_event *event)
{
	if (!event->id)
		return;
	struct ik_shown_call *call = ik_calls_get(screen->calls, event->id, event->name);
	add_block(screen, call_block(screen, call));
	ik_screen_offer_inspector(screen, IK_INSPECTOR_AUTO, IK_INSPECTOR_COLUMNS);
	end_thinking(screen);
	const char *text = event->text ? event->text : "";
	size_t length = event->text ? event->text_length : 0;

	switch (event->kind) {
	case IK_EVENT_TOOL_STARTED:
		call->own = event->round == 0;
		if (call->own)
			ik_turn_status_stop_waiting(screen->turn);
		ik_calls_set_arguments(screen->calls, call, text, length);
		ik_calls_set_stage(screen->calls, call, IK_STAGE_RUNNING);
		break;
	case IK_EVENT_TOOL_OUTPUT:
		ik_calls_add_output(screen->calls, call, event->number == 1, text, length);
		break;
	case IK_EVENT_TOOL_DONE:
		if (event->message)
			ik_calls_set_command(call, event->message);
		if (event->message && ik_message_own_call(event->message) == IK_OWN_TOOL)
			ik_calls_set_result(screen->calls, call, event->message);
		ik_calls_set_whole(screen->calls, call, event->whole);
		ik_calls_set_envelope(screen->calls, call, text, length, event->number);
		break;
	default: /* IK_EVENT_CALL_PROGRESS */
		ik_calls_grow_arguments(screen->calls, call, text, length);
		break;
	}
}

static void start_turn(struct ik_screen *screen)
{
	ik_turn_status_start(screen->turn);
	screen->older = false;
	screen->turn_seen = true;
	screen->continues = false;
	screen->last_reply = NULL;
}

static void end_turn(struct ik_screen *screen, enum ik_turn_stop stop)
{
	bool cancelled = stop == IK_TURN_STOP_CANCELLED;

	end_live(screen);
	ik_turn_status_end(screen->turn);
	ik_calls_end_turn(screen->calls);
	struct ik_block *last = ik_scrollback_last(screen->scrollback);

	if (cancelled && last && last == screen->last_reply)
		ik_block_remark(last, _("[interrupted]"));
	else if (cancelled && last && last->kind == IK_BLOCK_USER)
		ik_screen_say(screen, _("Interrupted."));
	if (!screen->last_reply)
		return;
	if (stop == IK_TURN_STOP_LENGTH)
		ik_block_remark(screen->last_reply,
			_("[cut at the model's output limit; \"go on\" asks for more]"));
	else if (stop == IK_TURN_STOP_REFUSED)
		ik_block_remark(screen->last_reply, _("[the model refused to go on]"));
}

static void set_queued(struct ik_screen *screen, const struct ik_event *event)
{
	screen->bar.queued = event->number > 0 ? (size_t)event->number : 0;
	ik_queue_set(screen->queue, screen->bar.queued, event->text, event->text_length, event->held);
}

/* A model's first sign of life: no wait for tools, no retry. */
static void start_round(struct ik_screen *screen)
{
	end_live(screen);
	ik_turn_status_answer(screen->turn);
}

/* A message or an own call waits. */
static void start_waiting(struct ik_screen *screen, const struct ik_event *event)
{
	ik_turn_status_wait(screen->turn, !event->text || event->text_length > 0,
		event->text ? event_label(event) : NULL);
}

void ik_screen_apply(struct ik_screen *screen, const struct ik_event *event)
{
	screen->dirty = true;
	switch (event->kind) {
	case IK_EVENT_SESSION:
		ik_screen_set_model(screen, event->name, event->detail);
		break;
	case IK_EVENT_MESSAGE:
		apply_message(screen, event->message);
		ik_screen_place_told(screen, &event->message, 1);
		break;
	case IK_EVENT_OLDER:
		screen->older = event->number > 0 && event->older[0]->sequence > 1;
		ik_screen_prepend(screen, event->older, (size_t)event->number);
		for (size_t i = (size_t)event->number; i-- > 0;)
			ik_screen_title_of(screen, event->older[i], true);
		ik_screen_place_told(screen, event->older, (size_t)event->number);
		break;
	case IK_EVENT_TURN_STARTED:
		start_turn(screen);
		break;
	case IK_EVENT_WAITING:
		start_waiting(screen, event);
		break;
	case IK_EVENT_ROUND_STARTED:
		start_round(screen);
		break;
	case IK_EVENT_TEXT:
		grow(screen, IK_BLOCK_ASSISTANT, event);
		break;
	case IK_EVENT_THINKING:
		grow(screen, IK_BLOCK_THINKING, event);
		break;
	case IK_EVENT_CALL_PROGRESS:
	case IK_EVENT_TOOL_STARTED:
	case IK_EVENT_TOOL_OUTPUT:
	case IK_EVENT_TOOL_DONE:
		apply_call(screen, event);
		break;
	case IK_EVENT_USAGE:
		ik_usage_add(&screen->bar.usage, &event->usage);
		break;
	case IK_EVENT_CONTEXT:
		screen->bar.context = (int)event->number;
		break;
	case IK_EVENT_NOTICE:
		add_notice(screen, event, IK_BLOCK_NOTICE);
		break;
	case IK_EVENT_ERROR:
		add_notice(screen, event, IK_BLOCK_ERROR);
		break;
	case IK_EVENT_RETRY:
		ik_turn_status_retry(screen->turn, event->number, event_label(event));
		break;
	case IK_EVENT_QUEUED:
		set_queued(screen, event);
		break;
	case IK_EVENT_STORE:
		screen->bar.store_waiting = event->number;
		screen->bar.store_trouble = event->trouble;
		break;
	case IK_EVENT_TURN_DONE:
		end_turn(screen, event->stop);
		break;
	case IK_EVENT_ASKING: /* whoever is told asks: ik_screen_ask() */
	case IK_EVENT_ASKED:
	case IK_EVENT_LOCK: /* whoever is told says so */
		break;
	}
}
