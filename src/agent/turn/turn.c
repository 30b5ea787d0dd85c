#include "agent/turn/turn.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/turn/turn_private.h"
#include "agent/turn/turn_retry.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* So often the rest of a reply that was cut is asked for. */
#define CONTINUATIONS 3

/* What is told of each message that waits: more than a row of any terminal. */
#define QUEUED_BYTES 400

/* ---- beginning and end of a turn ---- */

/* Ask the model, for the first time in this round or again. */
static void send_request(struct ik_turn *turn)
{
	struct ik_effect *effect;

	turn->forbidden = turn->tool_rounds >= turn->options.max_tool_turns;
	turn->state = IK_TURN_STREAMING;
	effect = ik_turn_add_effect(turn, IK_EFFECT_REQUEST);
	effect->request = ++turn->request;
	effect->forbid_calls = turn->forbidden;
}

static void begin_round(struct ik_turn *turn)
{
	ik_reply_clear(&turn->reply, &turn->dead);
	turn->round++;
	turn->attempts = 0;
	ik_turn_emit(turn, IK_EVENT_ROUND_STARTED);
	send_request(turn);
}

static void begin_turn(struct ik_turn *turn, const struct ik_input *input)
{
	turn->tool_rounds = 0;
	turn->continued = 0;
	ik_turn_append(turn,
		ik_message_new(IK_KIND_USER, input->text, input->text_length,
			input->data_length > 0 ? input->data : NULL, input->data_length),
		IK_EVENT_MESSAGE);
	ik_turn_emit(turn, IK_EVENT_TURN_STARTED);
	if (turn->tools_ready) {
		begin_round(turn);
		return;
	}
	turn->state = IK_TURN_WAITING;
	ik_turn_emit_text(turn, IK_EVENT_WAITING, _("Loading tools…"));
}

/* Say which messages wait, the beginning of each in one line. */
static void emit_queued(struct ik_turn *turn)
{
	const struct ik_queued *item;
	size_t i;

	ik_turn_emit(turn, IK_EVENT_QUEUED)->round = 0;
	ik_buf_clear(&turn->queue_lines);
	for (item = turn->queue; item; item = item->next) {
		size_t length = ik_user_typed(item->data.data, item->data.length, item->text.length);

		length = ik_utf8_cut(item->text.data, length, QUEUED_BYTES);
		for (i = 0; i < length; i++)
			ik_buf_putc(&turn->queue_lines,
				(unsigned char)item->text.data[i] < ' ' ? ' ' : item->text.data[i]);
		if (item->next)
			ik_buf_putc(&turn->queue_lines, '\n');
	}
	/* All of a step are told after it, and have one buffer. */
	for (i = 0; i < turn->effect_count; i++) {
		struct ik_event *event = &turn->effects[i].event;

		if (turn->effects[i].kind != IK_EFFECT_EMIT || event->kind != IK_EVENT_QUEUED)
			continue;
		event->number = (int64_t)turn->queue_count;
		event->held = turn->held;
		event->text = turn->queue_lines.data;
		event->text_length = turn->queue_lines.length;
	}
}

/* The turn did not go as expected when the rest was queued: hold it. */
/* Can a turn begin now? */
static bool may_begin(const struct ik_turn *turn)
{
	return turn->state == IK_TURN_IDLE && !turn->history_loading && !turn->model_unknown;
}

static void hold(struct ik_turn *turn)
{
	if (!turn->queue || turn->held)
		return;
	turn->held = true;
	emit_queued(turn);
}

static void enqueue(struct ik_turn *turn, const struct ik_input *input)
{
	struct ik_queued *item = ik_alloc(sizeof(*item));

	/* Whoever let it in has bounded it. */
	ik_buf_init(&item->text, input->text_length);
	ik_buf_append(&item->text, input->text, input->text_length);
	ik_buf_init(&item->data, input->data_length);
	if (input->data_length > 0)
		ik_buf_append(&item->data, input->data, input->data_length);
	*turn->queue_end = item;
	turn->queue_end = &item->next;
	turn->queue_count++;
	emit_queued(turn);
	if (turn->state == IK_TURN_IDLE)
		ik_turn_emit_text(turn, IK_EVENT_WAITING,
			turn->history_loading ? _("Loading the session…") : _("Asking for the model…"));
}

static void queued_free(struct ik_queued *item)
{
	ik_buf_done(&item->text);
	ik_buf_done(&item->data);
	free(item);
}

/* Take one off the queue. */
static void unlink_queued(struct ik_turn *turn, struct ik_queued **place)
{
	struct ik_queued *item = *place;

	*place = item->next;
	if (!item->next)
		turn->queue_end = place;
	turn->queue_count--;
	turn->held = turn->held && turn->queue;
	emit_queued(turn);
}

/* With nothing to do: take the first message that waits. */
static void take_queued(struct ik_turn *turn)
{
	struct ik_queued *item = turn->queue;

	if (!item || turn->held || !may_begin(turn))
		return;
	unlink_queued(turn, &turn->queue);
	begin_turn(turn,
		&(struct ik_input){
			.text = item->text.data,
			.text_length = item->text.length,
			.data = item->data.data,
			.data_length = item->data.length,
		});
	queued_free(item);
}

/* The person has the newest back. */
static void forget_newest(struct ik_turn *turn)
{
	struct ik_queued **place = &turn->queue, *item;

	if (!*place)
		return;
	while ((*place)->next)
		place = &(*place)->next;
	item = *place;
	unlink_queued(turn, place);
	queued_free(item);
}

/* End the turn, and start the next one that waits. */
static void finish(struct ik_turn *turn, enum ik_turn_stop stop)
{
	ik_reply_clear(&turn->reply, &turn->dead);
	free(turn->last_name);
	turn->last_name = NULL;
	ik_buf_done(&turn->last_arguments);
	turn->repeated = 0;
	turn->circling = NULL;
	turn->stopped = false;
	turn->round = 0;
	turn->state = IK_TURN_IDLE;
	if (stop == IK_TURN_STOP_ERROR || stop == IK_TURN_STOP_CANCELLED)
		hold(turn);
	ik_turn_emit(turn, IK_EVENT_TURN_DONE)->stop = stop;
	take_queued(turn);
}

/* ---- the stream ---- */

/* Store what has arrived, part by part. */
static void append_parts(struct ik_turn *turn, bool interrupted)
{
	size_t last_text = turn->reply.count;
	size_t i;

	for (i = 0; i < turn->reply.count; i++) {
		if (turn->reply.parts[i]->kind == IK_PART_TEXT)
			last_text = i;
	}
	for (i = 0; i < turn->reply.count; i++) {
		struct ik_part *part = turn->reply.parts[i];
		struct ik_event *event = ik_turn_append(turn,
			ik_part_message(part, interrupted && i == last_text), IK_EVENT_MESSAGE);

		event->id = part->id;
		event->name = part->name;
		part->appended = true;
	}
	if (turn->reply.has_usage)
		ik_turn_append(turn, ik_usage_message(&turn->reply.usage, turn->round), IK_EVENT_USAGE)
			->usage = turn->reply.usage;
}

/* The request failed, or what it brought cannot be used. */
static void fail_request(struct ik_turn *turn, const struct ik_input *input)
{
	int64_t delay = turn->reply.started ? -1
										: ik_retry_wait(&turn->options, turn->attempts + 1, input);

	if (delay >= 0) {
		struct ik_event *event;

		turn->attempts++;
		ik_reply_clear(&turn->reply, &turn->dead);
		turn->state = IK_TURN_RETRYING;
		event = ik_turn_emit(turn, IK_EVENT_RETRY);
		event->code = input->code;
		event->number = delay;
		event->text = input->text;
		event->text_length = input->text_length;
		ik_turn_add_effect(turn, IK_EFFECT_RETRY)->delay_ms = delay;
		return;
	}
	append_parts(turn, true);
	ik_turn_fail_calls(turn, false, IK_TOOL_CANCELLED, "was not run: the reply broke off");
	ik_turn_append_error(turn, input->code, input->text, input->text_length);
	finish(turn, IK_TURN_STOP_ERROR);
}

/* End the request from this side: it sent what cannot be used. */
static void abort_request(struct ik_turn *turn, enum ik_error_code code, const char *sentence,
	size_t length, bool retryable, uint32_t random)
{
	struct ik_input failure = {
		.kind = IK_INPUT_STREAM_FAILED,
		.code = code,
		.text = sentence,
		.text_length = length,
		.retryable = retryable,
		.retry_after_ms = -1,
		.random = random,
	};

	ik_turn_add_effect(turn, IK_EFFECT_ABORT)->request = turn->request;
	fail_request(turn, &failure);
}

/* What a call's arguments look like so far. */
static void emit_progress(struct ik_turn *turn, const struct ik_part *part)
{
	struct ik_event *event = ik_turn_emit(turn, IK_EVENT_CALL_PROGRESS);

	event->id = part->id;
	event->name = part->name;
	event->text = part->text.data;
	event->text_length = part->text.length;
}

/* A piece of text or thinking. */
static enum ik_status take_text(struct ik_turn *turn, const struct ik_delta *delta)
{
	bool thinking = delta->kind == IK_DELTA_THINKING;
	struct ik_event *event;
	enum ik_status status;

	if (delta->text_length == 0)
		return IK_OK;
	status = ik_reply_add_text(&turn->reply, thinking ? IK_PART_THINKING : IK_PART_TEXT, delta);
	if (status != IK_OK)
		return status;
	event = ik_turn_emit(turn, thinking ? IK_EVENT_THINKING : IK_EVENT_TEXT);
	event->text = delta->text;
	event->text_length = delta->text_length;
	return IK_OK;
}

static void take_usage(struct ik_turn *turn, const struct ik_delta *delta)
{
	turn->reply.has_usage = true;
	turn->reply.usage = ik_delta_usage(delta, &turn->price);
}

static void on_delta(struct ik_turn *turn, const struct ik_delta *delta, uint32_t random)
{
	enum ik_status status = IK_OK;
	struct ik_part *part = NULL;

	switch (delta->kind) {
	case IK_DELTA_TEXT:
	case IK_DELTA_THINKING:
		status = take_text(turn, delta);
		break;
	case IK_DELTA_CALL:
		status = ik_reply_add_call(&turn->reply, delta, &turn->ids, turn->next_call + 1, &part);
		turn->next_call++;
		break;
	case IK_DELTA_ARGUMENTS:
		status = ik_reply_add_arguments(&turn->reply, delta, &part);
		break;
	case IK_DELTA_OPAQUE:
		status = ik_reply_add_opaque(&turn->reply, delta);
		break;
	case IK_DELTA_USAGE:
		take_usage(turn, delta);
		break;
	case IK_DELTA_STOP:
		turn->reply.stop = delta->stop;
		break;
	case IK_DELTA_ERROR:
		abort_request(turn, delta->code, delta->text, delta->text_length, delta->retryable, random);
		return;
	}
	if (status != IK_OK) {
		const char *sentence = status == IK_NO_MEMORY
			? _("There is not enough memory for the reply; it was ended.")
			: _("The reply is larger than ikigai takes; it was ended.");

		abort_request(turn, IK_CODE_BAD_RESPONSE, sentence, strlen(sentence), false, 0);
	} else if (part) {
		emit_progress(turn, part);
	}
}

/* Ask for the rest of a reply that was cut at the model's limit. False: do not. */
static bool continue_reply(struct ik_turn *turn)
{
	if (turn->reply.stop != IK_STOP_LENGTH || !ik_reply_has_text(&turn->reply) || turn->forbidden ||
		turn->continued >= CONTINUATIONS)
		return false;
	turn->continued++;
	/* For the model, hence not translated. */
	ik_turn_append(turn,
		ik_message_automatic("Your reply was cut at its limit of length. Go on "
							 "exactly where it stopped; repeat nothing and say nothing about it."),
		IK_EVENT_MESSAGE);
	begin_round(turn);
	return true;
}

/* The reply is whole. */
static void on_stream_end(struct ik_turn *turn)
{
	append_parts(turn, false);
	if (turn->reply.call_count > 0) {
		enum ik_turn_stop stop;

		if (!ik_turn_begin_calls(turn, &stop))
			finish(turn, stop);
		else if (!ik_turn_has_open_calls(turn))
			begin_round(turn);
		return;
	}
	if (continue_reply(turn))
		return;
	if (!ik_reply_has_text(&turn->reply) && turn->reply.stop != IK_STOP_REFUSED)
		ik_turn_append_notice(turn, _("The model sent an empty reply."));
	if (turn->reply.stop == IK_STOP_LENGTH)
		finish(turn, IK_TURN_STOP_LENGTH);
	else if (turn->reply.stop == IK_STOP_REFUSED)
		finish(turn, IK_TURN_STOP_REFUSED);
	else
		finish(turn, turn->forbidden ? IK_TURN_STOP_LIMIT : IK_TURN_STOP_END);
}

/* A call has its result, perhaps; with the last one the round is over, or the
 * cancelled turn. */
static void end_round(struct ik_turn *turn)
{
	if (ik_turn_has_open_calls(turn))
		return;
	if (turn->state == IK_TURN_CANCELLING)
		finish(turn, IK_TURN_STOP_CANCELLED);
	else if (turn->stopped)
		finish(turn, IK_TURN_STOP_REPEATED);
	else
		begin_round(turn);
}

/* ---- cancel ---- */

static void on_cancel(struct ik_turn *turn)
{
	const char *sentence = "was cancelled";

	switch (turn->state) {
	case IK_TURN_IDLE:
		hold(turn);
		return;
	case IK_TURN_WAITING:
		break;
	case IK_TURN_STREAMING:
		ik_turn_add_effect(turn, IK_EFFECT_ABORT)->request = turn->request;
		append_parts(turn, true);
		ik_turn_fail_calls(turn, false, IK_TOOL_CANCELLED, sentence);
		break;
	case IK_TURN_RETRYING:
		ik_turn_add_effect(turn, IK_EFFECT_RETRY_STOP);
		break;
	case IK_TURN_RUNNING:
		ik_turn_fail_calls(turn, false, IK_TOOL_CANCELLED, sentence);
		if (turn->running == 0)
			break; /* all of them waited for the person */
		turn->state = IK_TURN_CANCELLING;
		ik_turn_add_effect(turn, IK_EFFECT_CANCEL_RUNS);
		return;
	case IK_TURN_CANCELLING:
		ik_turn_add_effect(turn, IK_EFFECT_CLOSE_RUNS);
		ik_turn_fail_calls(turn, true, IK_TOOL_CANCELLED, sentence);
		turn->running = 0;
		break;
	}
	finish(turn, IK_TURN_STOP_CANCELLED);
}

/* ---- the machine ---- */

struct ik_turn *ik_turn_new(const struct ik_turn_options *options)
{
	struct ik_turn *turn = ik_alloc(sizeof(*turn));

	turn->options = *options;
	turn->price = (struct ik_price)IK_PRICE_UNKNOWN;
	turn->queue_end = &turn->queue;
	ik_buf_init(&turn->last_arguments, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&turn->queue_lines, IK_LIMIT_USER_TEXT);
	return turn;
}

void ik_turn_set_price(struct ik_turn *turn, const struct ik_price *price)
{
	turn->price = *price;
}

struct ik_turn *ik_turn_free(struct ik_turn *turn)
{
	if (!turn)
		return NULL;
	assert(!turn->stepping);
	ik_reply_clear(&turn->reply, &turn->dead);
	ik_turn_forget_effects(turn);
	free(turn->effects);
	while (turn->queue) {
		struct ik_queued *item = turn->queue;

		turn->queue = item->next;
		queued_free(item);
	}
	ik_buf_done(&turn->queue_lines);
	ik_call_ids_done(&turn->ids);
	free(turn->last_name);
	ik_buf_done(&turn->last_arguments);
	free(turn);
	return NULL;
}

/* Is this about the request that is out? */
static bool is_current(const struct ik_turn *turn, const struct ik_input *input)
{
	return turn->state == IK_TURN_STREAMING && input->request == turn->request;
}

/* Take one input; effects are collected in turn. */
static void take_input(struct ik_turn *turn, const struct ik_input *input)
{
	switch (input->kind) {
	case IK_INPUT_USER:
		if (may_begin(turn))
			begin_turn(turn, input);
		else
			enqueue(turn, input);
		break;
	case IK_INPUT_TAKE_BACK:
		forget_newest(turn);
		break;
	case IK_INPUT_RELEASE:
		turn->held = false;
		if (!may_begin(turn))
			emit_queued(turn);
		take_queued(turn);
		break;
	case IK_INPUT_TOOLS:
		turn->tools_ready = input->ready;
		if (turn->state == IK_TURN_WAITING && input->ready)
			begin_round(turn);
		else if (input->ready)
			ik_turn_judge_again(turn); /* a name may stand for another tool now */
		break;
	case IK_INPUT_HISTORY:
		turn->history_loading = !input->ready;
		take_queued(turn);
		break;
	case IK_INPUT_MODEL:
		if (turn->model_unknown && turn->queue && turn->state == IK_TURN_IDLE)
			ik_turn_emit_text(turn, IK_EVENT_WAITING, "");
		turn->model_unknown = !input->ready;
		if (input->ready && !input->success)
			hold(turn);
		take_queued(turn);
		break;
	case IK_INPUT_DELTA:
		if (is_current(turn, input))
			on_delta(turn, input->delta, input->random);
		break;
	case IK_INPUT_STREAM_END:
		if (is_current(turn, input))
			on_stream_end(turn);
		break;
	case IK_INPUT_STREAM_FAILED:
		if (is_current(turn, input))
			fail_request(turn, input);
		break;
	case IK_INPUT_RETRY_DUE:
		if (turn->state == IK_TURN_RETRYING)
			send_request(turn);
		break;
	case IK_INPUT_VERDICT:
		if (ik_turn_take_verdict(turn, input))
			end_round(turn);
		break;
	case IK_INPUT_JUDGE_AGAIN:
		ik_turn_judge_again(turn);
		break;
	case IK_INPUT_TOOL_DONE:
		if (ik_turn_end_call(turn, input))
			end_round(turn);
		break;
	case IK_INPUT_CANCEL:
		on_cancel(turn);
		break;
	}
}

size_t ik_turn_step(struct ik_turn *turn, const struct ik_input *input,
	const struct ik_effect **ret_effects)
{
	assert(!turn->stepping);
	turn->stepping = true;
	ik_turn_forget_effects(turn);
	take_input(turn, input);
	turn->stepping = false;
	*ret_effects = turn->effects;
	return turn->effect_count;
}

void ik_turn_know_call(struct ik_turn *turn, const char *id)
{
	ik_call_ids_add(&turn->ids, id);
}

enum ik_turn_state ik_turn_state(const struct ik_turn *turn)
{
	return turn->state;
}

int ik_turn_asking(const struct ik_turn *turn, const char *id)
{
	for (size_t i = 0; i < turn->reply.count; i++) {
		const struct ik_part *part = turn->reply.parts[i];

		if (part->kind == IK_PART_CALL && part->state == IK_CALL_ASKING &&
			ik_text_equal(part->id, id))
			return part->call;
	}
	return 0;
}

size_t ik_turn_queued(const struct ik_turn *turn)
{
	return turn->queue_count;
}

bool ik_turn_holds(const struct ik_turn *turn)
{
	return turn->held;
}

const char *ik_turn_queued_at(const struct ik_turn *turn, size_t index, size_t *ret_length)
{
	const struct ik_queued *item = turn->queue;

	while (item && index-- > 0)
		item = item->next;
	if (!item)
		return NULL;
	*ret_length = ik_user_typed(item->data.data, item->data.length, item->text.length);
	return item->text.data;
}
