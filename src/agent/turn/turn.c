#include "agent/turn/turn.h"

#include <stdlib.h>
#include <string.h>

#include "agent/reply.h"
#include "tool/envelope.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* Limit on "continue" requests after a length cut. */
#define CONTINUATIONS 3

/* Limit on the pauses of a turn. */
#define PAUSES 20

/* Limit on the displayed part of a queued message: more than a row of any terminal. */
#define QUEUED_BYTES 400

/* This many identical calls in a row are a loop. */
#define REPEATED_CALLS 5

/* Limit on rulings in a turn that it is not to end yet. */
#define CONTINUED_ENDS 5

struct ik_turn {
	struct ik_turn_options options;
	struct ik_price price;
	char *model; /* its name; NULL: not set */
	enum ik_turn_state state;
	bool tools_ready;
	bool history_loading;
	bool model_unknown;

	struct ik_message **queue; /* messages that wait for the end of the turn */
	size_t queue_count;
	bool held;      /* they wait for the user */
	bool failed;    /* the last turn ended with an error: it can be tried again */
	bool half_said; /* and its reply broke off in a text */

	struct ik_call_ids ids;
	int next_call; /* next numbers of calls and requests in the session */
	int request;

	/* This turn's: */
	int round;
	int tool_rounds; /* rounds with calls so far */
	int continued;   /* consecutive "continue" requests */
	int ends;        /* how often it was not to end */
	int paused;      /* replies of the turn that the provider has paused */
	bool forbidden;  /* the current request forbids calls */
	char *last_name; /* the previous call, and how often it was repeated in a row */
	struct ik_buf last_arguments;
	int repeated;
	struct ik_part *looping; /* that call, while the user decides whether to continue (no call of
	                            its round is judged before), or NULL */

	struct ik_buf said;   /* the last reply so far, which may take several "continue" requests */
	struct ik_buf output; /* what the turn yields */
	bool output_wrong;    /* a reply was not good; the next one is the last try */

	struct ik_reply reply;
	size_t running;

	struct ik_message *appending; /* while its effect is performed */
};

/* ---- effects ---- */

/* Perform an effect of this round. */
static void perform(struct ik_turn *turn, struct ik_effect effect)
{
	effect.event.round = turn->round;
	turn->options.perform(turn->options.arg, &effect);
}

static void emit(struct ik_turn *turn, struct ik_event event)
{
	perform(turn, (struct ik_effect){ .kind = IK_EFFECT_EMIT, .event = event });
}

/* Store message, taking over the reference, and emit event with it. */
static void append(struct ik_turn *turn, struct ik_message *message, struct ik_event event)
{
	event.message = message;
	event.text = message->content;
	event.text_length = message->content_length;
	turn->appending = message;
	perform(turn, (struct ik_effect){ .kind = IK_EFFECT_APPEND, .event = event });
	turn->appending = ik_message_unref(message);
}

static void append_notice(struct ik_turn *turn, const char *sentence)
{
	append(turn, ik_message_notice(sentence, NULL), (struct ik_event){ .kind = IK_EVENT_NOTICE });
}

static void append_error(struct ik_turn *turn, enum ik_error_code code, const char *sentence,
	size_t length)
{
	char *data = ik_format("{\"code\":\"%s\"}", ik_error_code_word(code));

	append(turn, ik_message_new(IK_KIND_NOTICE, sentence, length, data, strlen(data)),
		(struct ik_event){ .kind = IK_EVENT_ERROR, .code = code });
	free(data);
}

/* Emit what the turn waits for; "": it no longer waits. */
static void emit_waiting(struct ik_turn *turn, const char *text)
{
	emit(turn,
		(struct ik_event){ .kind = IK_EVENT_WAITING, .text = text, .text_length = strlen(text) });
}

/* ---- beginning and end of a turn ---- */

/* Send a request to the model. */
static void begin_round(struct ik_turn *turn)
{
	ik_reply_clear(&turn->reply);
	turn->round++;
	turn->forbidden = turn->tool_rounds >= turn->options.max_tool_turns;
	turn->state = IK_TURN_STREAMING;
	emit(turn, (struct ik_event){ .kind = IK_EVENT_ROUND_STARTED });
	perform(turn,
		(struct ik_effect){
			.kind = IK_EFFECT_REQUEST,
			.request = ++turn->request,
			.forbid_calls = turn->forbidden,
		});
}

/* Ask for the rest of a reply that broke off. It is in the conversation, and services refuse one
 * that ends with a reply. */
static void ask_for_rest(struct ik_turn *turn)
{
	/* The model reads this, so it is not translated. */
	append(turn,
		ik_message_automatic("Your reply broke off. Go on exactly where it stopped; repeat "
							 "nothing and say nothing about it."),
		(struct ik_event){ .kind = IK_EVENT_MESSAGE });
}

/* Begin a turn with the user's message, or without one (NULL) that which failed, again. */
static void begin_turn(struct ik_turn *turn, struct ik_message *message)
{
	turn->tool_rounds = 0;
	turn->continued = turn->paused = turn->ends = 0;
	turn->failed = turn->output_wrong = false;
	ik_buf_clear(&turn->said);
	ik_buf_clear(&turn->output);
	turn->state = IK_TURN_WAITING;
	if (message) {
		message->time_ms = ik_clock_wall_ms(); /* it may have been queued */
		append(turn, ik_message_ref(message), (struct ik_event){ .kind = IK_EVENT_MESSAGE });
	}
	emit(turn, (struct ik_event){ .kind = IK_EVENT_TURN_STARTED });
	if (!message && turn->half_said)
		ask_for_rest(turn);
	if (turn->tools_ready)
		begin_round(turn);
	else
		emit_waiting(turn, _("Loading tools…"));
}

/* Emit the list of queued messages, the beginning of each in one line. */
static void emit_queued(struct ik_turn *turn)
{
	struct ik_event event = {
		.kind = IK_EVENT_QUEUED,
		.count = turn->queue_count,
		.held = turn->held,
	};
	struct ik_buf lines;

	ik_buf_init(&lines, IK_LIMIT_USER_TEXT);
	for (size_t index = 0; index < turn->queue_count; index++) {
		size_t length;
		const char *text = ik_turn_queued_at(turn, index, &length);

		length = ik_utf8_cut(text, length, QUEUED_BYTES);
		if (index > 0)
			ik_buf_putc(&lines, '\n');
		for (size_t i = 0; i < length; i++)
			ik_buf_putc(&lines, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
	}
	event.text = lines.data;
	event.text_length = lines.length;
	turn->options.perform(turn->options.arg,
		&(struct ik_effect){ .kind = IK_EFFECT_EMIT, .event = event });
	ik_buf_done(&lines);
}

static bool may_begin(const struct ik_turn *turn)
{
	return turn->state == IK_TURN_IDLE && !turn->history_loading && !turn->model_unknown;
}

/* Hold the queued messages, which were written for a turn that succeeds. */
static void hold(struct ik_turn *turn)
{
	if (turn->queue_count == 0 || turn->held)
		return;
	turn->held = true;
	emit_queued(turn);
}

static void enqueue(struct ik_turn *turn, struct ik_message *message)
{
	turn->queue = ik_alloc_more(turn->queue, turn->queue_count, sizeof(*turn->queue));
	turn->queue[turn->queue_count++] = ik_message_ref(message);
	emit_queued(turn);
	if (turn->state == IK_TURN_IDLE)
		emit_waiting(turn,
			turn->history_loading ? _("Loading the session…") : _("Asking for the model…"));
}

/* Remove a message from the queue and return it with its reference. */
static struct ik_message *remove_queued(struct ik_turn *turn, size_t index)
{
	struct ik_message *message = turn->queue[index];

	turn->queue_count--;
	memmove(turn->queue + index, turn->queue + index + 1,
		(turn->queue_count - index) * sizeof(*turn->queue));
	turn->held = turn->held && turn->queue_count > 0;
	emit_queued(turn);
	return message;
}

/* Start a turn with the first queued message, if a turn may begin. */
static void take_queued(struct ik_turn *turn)
{
	struct ik_message *message;

	if (turn->queue_count == 0 || turn->held || !may_begin(turn))
		return;
	message = remove_queued(turn, 0);
	begin_turn(turn, message);
	ik_message_unref(message);
}

/* End the turn, and start one with the next queued message. */
static void finish(struct ik_turn *turn, enum ik_turn_stop stop)
{
	ik_reply_clear(&turn->reply);
	free(turn->last_name);
	turn->last_name = NULL;
	ik_buf_done(&turn->last_arguments);
	turn->repeated = 0;
	turn->looping = NULL;
	turn->round = 0;
	turn->state = IK_TURN_IDLE;
	turn->failed = stop == IK_TURN_STOP_ERROR;
	if (stop == IK_TURN_STOP_ERROR || stop == IK_TURN_STOP_CANCELLED)
		hold(turn);
	emit(turn,
		(struct ik_event){
			.kind = IK_EVENT_TURN_DONE,
			.stop = stop,
			.text = turn->output.length > 0 ? turn->output.data : NULL,
			.text_length = turn->output.length,
		});
	take_queued(turn);
}

/* ---- calls ---- */

/* Return the next call of the reply, from part *at on; NULL at the end. */
static struct ik_part *next_call(const struct ik_turn *turn, size_t *at)
{
	while (*at < turn->reply.count) {
		struct ik_part *part = turn->reply.parts[(*at)++];

		if (part->kind == IK_PART_CALL)
			return part;
	}
	return NULL;
}

/* Store and emit the result of a call. */
static void add_result(struct ik_turn *turn, struct ik_part *part, struct ik_json_span envelope,
	const struct ik_input *outcome)
{
	size_t kept[2] = { 0, 0 };
	struct ik_event event = { .kind = IK_EVENT_MESSAGE, .id = part->id, .name = part->name };
	struct ik_message *message;

	/* The complete output is stored only if the envelope was cut. */
	for (int i = 0; i < 2 && outcome->truncated; i++)
		kept[i] = ik_bytes_length(outcome->whole[i]);
	memcpy(event.whole, outcome->whole, sizeof(event.whole));
	part->state = IK_CALL_DONE;
	message = ik_message_tool_result(part->id, part->name, envelope.text, envelope.length,
		outcome->success, outcome->duration_ms, kept);
	if (outcome->attachments)
		message = ik_message_with_attachments(message, outcome->attachments);
	append(turn, message, event);
	event.kind = IK_EVENT_TOOL_DONE;
	event.text = envelope.text;
	event.text_length = envelope.length;
	event.duration_ms = outcome->duration_ms;
	emit(turn, event);
}

/* Report that a call no longer waits for the user. */
static void end_asking(struct ik_turn *turn, const struct ik_part *part)
{
	if (part->state == IK_CALL_ASKING)
		emit(turn, (struct ik_event){ .kind = IK_EVENT_ASKED, .id = part->id, .name = part->name });
}

/* Set the result of a call that is not run to a failure; sentence says why. */
static void fail_call(struct ik_turn *turn, struct ik_part *part, enum ik_tool_failure failure,
	const char *sentence)
{
	struct ik_buf envelope;

	end_asking(turn, part);
	ik_buf_init(&envelope, IK_KIB(64));
	ik_envelope_refusal(&envelope, failure, sentence);
	add_result(turn, part, (struct ik_json_span){ envelope.data, envelope.length },
		&(struct ik_input){ .kind = IK_INPUT_TOOL_DONE });
	ik_buf_done(&envelope);
}

/* Fail every call that is not running (or, if running, every call that is); what completes the
 * sentence about the tool ("was cancelled"). */
static void fail_calls(struct ik_turn *turn, bool running, enum ik_tool_failure failure,
	const char *what)
{
	struct ik_part *part;
	size_t at = 0;

	while ((part = next_call(turn, &at))) {
		char *message;

		if (part->state == IK_CALL_DONE || (part->state == IK_CALL_RUNNING) != running)
			continue;
		message = ik_format("Tool '%s' %s", part->name, what);
		fail_call(turn, part, failure, message);
		free(message);
	}
}

/* Fail a call whose arguments are incomplete because the reply was cut at its limit. */
static void fail_if_cut(struct ik_turn *turn, struct ik_part *part)
{
	char *message;

	if (turn->reply.stop != IK_STOP_LENGTH ||
		ik_json_check(part->text.data, part->text.length, NULL, NULL) == IK_OK)
		return;
	message = ik_format("Tool '%s' was not run: its arguments were cut at the output limit of a "
						"reply. Make the call smaller",
		part->name);
	fail_call(turn, part, IK_TOOL_INVALID_PARAMS, message);
	free(message);
}

/* Return an event about a call, with its arguments. */
static struct ik_event call_event(const struct ik_part *part, enum ik_event_kind kind)
{
	return (struct ik_event){
		.kind = kind,
		.id = part->id,
		.name = part->name,
		.detail = part->line,
		.text = part->text.data,
		.text_length = part->text.length,
	};
}

static void emit_asking(struct ik_turn *turn, struct ik_part *part, const char *why, bool ends_turn)
{
	struct ik_event event = call_event(part, IK_EVENT_ASKING);

	event.detail = why;
	event.ends_turn = ends_turn;
	part->state = IK_CALL_ASKING;
	emit(turn, event);
}

static void run_call(struct ik_turn *turn, struct ik_part *part)
{
	part->state = IK_CALL_RUNNING;
	turn->running++;
	perform(turn,
		(struct ik_effect){
			.kind = IK_EFFECT_RUN,
			.event = call_event(part, IK_EVENT_TOOL_STARTED),
			.call = part->call,
		});
}

static bool is_read_only(const struct ik_turn *turn, const struct ik_part *part)
{
	return turn->options.is_read_only(turn->options.arg, part->name);
}

/* Apply the verdict of the rules or the user to a call; text is what the rules returned with it. */
static void apply_verdict(struct ik_turn *turn, struct ik_part *part, enum ik_turn_verdict verdict,
	const char *text)
{
	switch (verdict) {
	case IK_TURN_ALLOW:
		end_asking(turn, part);
		part->state = IK_CALL_ALLOWED;
		break;
	case IK_TURN_ASK:
		if (part->state != IK_CALL_ASKING)
			emit_asking(turn, part, text, false);
		break;
	case IK_TURN_DENY:
		fail_call(turn, part, IK_TOOL_DENIED, text);
		break;
	case IK_TURN_WAIT:
		part->state = IK_CALL_RULING;
		break;
	}
}

/* Let the rules judge a call, and apply their verdict. */
static void judge(struct ik_turn *turn, struct ik_part *part)
{
	const struct ik_judged_call call = {
		.call = part->call,
		.id = part->id,
		.name = part->name,
		.arguments = { part->text.data, part->text.length },
		.is_asking = part->state == IK_CALL_ASKING,
	};
	char *text = NULL;
	enum ik_turn_verdict verdict = turn->options.judge(turn->options.arg, &call, &text);

	apply_verdict(turn, part, verdict, text ? text : "");
	free(text);
}

/* Judge and start the calls whose turn it is: the first call without a result and, if it is
 * read-only, the read-only calls directly after it. */
static void advance(struct ik_turn *turn)
{
	size_t limit = turn->options.concurrency > 1 ? (size_t)turn->options.concurrency : 1;
	bool first = true, read_only = true;
	struct ik_part *part;
	size_t at = 0;

	while (read_only && (part = next_call(turn, &at))) {
		if (part->state == IK_CALL_DONE)
			continue;
		if (!first && !is_read_only(turn, part))
			break;
		if (part->state == IK_CALL_PENDING)
			judge(turn, part);
		if (part->state == IK_CALL_DONE)
			continue; /* it was denied */
		first = false;
		read_only = is_read_only(turn, part);
		if (part->state == IK_CALL_ALLOWED && turn->running < limit)
			run_call(turn, part);
	}
}

/* Return the call with number call that is running (or, unless running, still waits); NULL if there
 * is no such call. */
static struct ik_part *find_call(const struct ik_turn *turn, int call, bool running)
{
	struct ik_part *part;
	size_t at = 0;

	while ((part = next_call(turn, &at))) {
		if (part->call == call && part->state != IK_CALL_DONE &&
			(part->state == IK_CALL_RUNNING) == running)
			return part;
	}
	return NULL;
}

/* Start the calls of the round in order, except those that cannot run. */
static void start_calls(struct ik_turn *turn)
{
	struct ik_part *part;
	size_t at = 0;

	while ((part = next_call(turn, &at)))
		fail_if_cut(turn, part);
	advance(turn);
}

/* End the turn because its calls are a loop. */
static void stop_loop(struct ik_turn *turn)
{
	fail_calls(turn, false, IK_TOOL_DENIED, "was not run: the same call came again and again");
	append_notice(turn, _("The model made the same call five times running; the turn was ended."));
	finish(turn, IK_TURN_STOP_REPEATED);
}

/* Ask the user whether the turn may continue, and restart the count. */
static void ask_about_loop(struct ik_turn *turn, struct ik_part *part)
{
	turn->looping = part;
	turn->repeated = 0;
	emit_asking(turn, part, _("It made the same call with the same arguments five times running."),
		true);
}

/* Does any call of the round still wait or run? */
static bool has_open_calls(const struct ik_turn *turn)
{
	const struct ik_part *part;
	size_t at = 0;

	while ((part = next_call(turn, &at))) {
		if (part->state != IK_CALL_DONE)
			return true;
	}
	return false;
}

/* End the round, or the cancelled turn, if all calls have their results. */
static void end_round(struct ik_turn *turn)
{
	if (has_open_calls(turn))
		return;
	if (turn->state == IK_TURN_CANCELLING)
		finish(turn, IK_TURN_STOP_CANCELLED);
	else
		begin_round(turn);
}

/* Continue or end the turn, as the user decided. */
static void answer_about_loop(struct ik_turn *turn, bool may_continue)
{
	struct ik_part *part = turn->looping;

	turn->looping = NULL;
	if (!may_continue) {
		stop_loop(turn);
		return;
	}
	end_asking(turn, part);
	part->state = IK_CALL_PENDING;
	start_calls(turn);
	end_round(turn);
}

/* Apply the user's answer, unless it is about another turn. */
static void take_answer(struct ik_turn *turn, const struct ik_input *input)
{
	struct ik_part *part = turn->state == IK_TURN_RUNNING ? find_call(turn, input->call, false)
														  : NULL;

	if (!part || (turn->looping && part != turn->looping))
		return;
	if (turn->looping) {
		answer_about_loop(turn, input->success);
		return;
	}
	part->granted = part->granted || input->success;
	apply_verdict(turn, part, input->success ? IK_TURN_ALLOW : IK_TURN_DENY, input->text);
	advance(turn);
	end_round(turn);
}

/* Count how often a call was repeated in a row. Return true if that is a loop. */
static bool is_repeated(struct ik_turn *turn, const struct ik_part *part)
{
	bool same = turn->last_name && strcmp(turn->last_name, part->name) == 0 &&
		turn->last_arguments.length == part->text.length &&
		memcmp(turn->last_arguments.data, part->text.data, part->text.length) == 0;

	if (!same) {
		free(turn->last_name);
		turn->last_name = ik_strdup(part->name);
		ik_buf_clear(&turn->last_arguments);
		ik_buf_append(&turn->last_arguments, part->text.data, part->text.length);
		turn->repeated = 0;
	}
	return ++turn->repeated >= REPEATED_CALLS;
}

/* Record the result of a call of this turn, and continue. */
static void end_call(struct ik_turn *turn, const struct ik_input *input)
{
	struct ik_json_span envelope = { input->text, input->text_length };
	struct ik_part *part = find_call(turn, input->call, true);
	struct ik_buf marked;

	if (!part)
		return;
	turn->running--;
	ik_buf_init(&marked, IK_LIMIT_ENVELOPE);
	if (turn->state == IK_TURN_RUNNING && turn->tool_rounds >= turn->options.max_tool_turns) {
		ik_envelope_limit(&marked, envelope, turn->options.max_tool_turns);
		envelope = (struct ik_json_span){ marked.data, marked.length };
	}
	add_result(turn, part, envelope, input);
	ik_buf_done(&marked);
	if (turn->state == IK_TURN_RUNNING)
		advance(turn);
	end_round(turn);
}

/* Start the calls of a complete reply, unless they end the turn: calls are forbidden, or repeat in
 * a loop. */
static void begin_calls(struct ik_turn *turn)
{
	struct ik_part *repeated = NULL, *part;
	size_t at = 0;

	if (turn->forbidden) {
		fail_calls(turn, false, IK_TOOL_DENIED, "was not run: the tool call limit is reached");
		finish(turn, IK_TURN_STOP_LIMIT);
		return;
	}
	while ((part = next_call(turn, &at))) {
		if (is_repeated(turn, part))
			repeated = part;
	}
	if (repeated && !turn->options.ask_repeated) {
		stop_loop(turn);
		return;
	}
	turn->tool_rounds++;
	turn->state = IK_TURN_RUNNING;
	if (repeated)
		ask_about_loop(turn, repeated);
	else
		start_calls(turn);
	end_round(turn);
}

/* ---- the stream ---- */

/* Store the parts that have arrived. */
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

		part->appended = true;
		if (part->kind == IK_PART_CALL)
			part->line = turn->options.call_line(turn->options.arg, part->name, part->text.data,
				part->text.length);
		append(turn, ik_part_message(part, interrupted && i == last_text),
			(struct ik_event){ .kind = IK_EVENT_MESSAGE, .id = part->id, .name = part->name });
	}
	if (turn->reply.has_usage)
		append(turn, ik_usage_message(&turn->reply.usage, turn->round, turn->model),
			(struct ik_event){ .kind = IK_EVENT_USAGE, .usage = turn->reply.usage });
}

static void abort_request(struct ik_turn *turn)
{
	perform(turn, (struct ik_effect){ .kind = IK_EFFECT_ABORT, .request = turn->request });
}

/* End the turn with an error: the request failed or its reply is unusable. */
static void fail_request(struct ik_turn *turn, enum ik_error_code code, const char *sentence,
	size_t length)
{
	turn->half_said = turn->reply.count > 0 && turn->reply.call_count == 0;
	append_parts(turn, true);
	fail_calls(turn, false, IK_TOOL_CANCELLED, "was not run: the reply broke off");
	append_error(turn, code, sentence, length);
	finish(turn, IK_TURN_STOP_ERROR);
}

struct ik_event ik_retry_event(const struct ik_input *input)
{
	return (struct ik_event){
		.kind = IK_EVENT_RETRY,
		.code = input->code,
		.delay_ms = input->delay_ms,
		.attempt = input->attempt,
		.attempts = input->attempts,
		.text = input->text,
		.text_length = input->text_length,
	};
}

/* Show a break between two texts of a reply, which are messages of their own. */
static void emit_break(struct ik_turn *turn)
{
	static const char lines[] = "\n\n";

	emit(turn,
		(struct ik_event){
			.kind = IK_EVENT_TEXT,
			.text = lines,
			.text_length = sizeof(lines) - 1,
		});
}

/* Add a piece of text or thinking. */
static enum ik_status take_text(struct ik_turn *turn, const struct ik_delta *delta)
{
	bool thinking = delta->kind == IK_DELTA_THINKING;
	bool had_text = !thinking && ik_reply_has_text(&turn->reply);
	size_t parts = turn->reply.count;
	enum ik_status status = IK_OK;

	if (delta->text_length == 0)
		return IK_OK;
	status = ik_reply_add_text(&turn->reply, thinking ? IK_PART_THINKING : IK_PART_TEXT, delta);
	if (status == IK_OK && had_text && turn->reply.count > parts)
		emit_break(turn);
	if (status == IK_OK)
		emit(turn,
			(struct ik_event){
				.kind = thinking ? IK_EVENT_THINKING : IK_EVENT_TEXT,
				.text = delta->text,
				.text_length = delta->text_length,
			});
	return status;
}

/* Add a search by the provider, or show that there is one whose words are not known yet. */
static enum ik_status take_search(struct ik_turn *turn, const struct ik_delta *delta)
{
	char *query = ik_strndup(delta->text, delta->text_length);
	struct ik_event event = { .kind = IK_EVENT_SEARCH, .detail = query, .text = "" };
	enum ik_status status = IK_OK;

	if (delta->text_length > 0) {
		status = ik_reply_add_search(&turn->reply, delta);
		event.text = turn->reply.parts[turn->reply.count - 1]->text.data;
		event.text_length = turn->reply.parts[turn->reply.count - 1]->text.length;
	}
	if (status == IK_OK)
		emit(turn, event);
	free(query);
	return status;
}

static void on_delta(struct ik_turn *turn, const struct ik_delta *delta)
{
	enum ik_status status = IK_OK;
	struct ik_part *part = NULL;

	switch (delta->kind) {
	case IK_DELTA_TEXT:
	case IK_DELTA_THINKING:
		status = take_text(turn, delta);
		break;
	case IK_DELTA_SEARCH:
		status = take_search(turn, delta);
		break;
	case IK_DELTA_SOURCE:
		emit(turn,
			(struct ik_event){
				.kind = IK_EVENT_SOURCE,
				.text = delta->text,
				.text_length = delta->text_length,
				.detail = delta->name,
			});
		break;
	case IK_DELTA_NOTICE:
		append_notice(turn, delta->text);
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
		turn->reply.has_usage = true;
		turn->reply.usage = ik_delta_usage(delta, &turn->price);
		break;
	case IK_DELTA_STOP:
		turn->reply.stop = delta->stop;
		free(turn->reply.why);
		turn->reply.why = delta->text_length > 0 ? ik_strndup(delta->text, delta->text_length)
												 : NULL;
		break;
	case IK_DELTA_ERROR:
		return; /* the request fails */
	}
	if (status != IK_OK) {
		const char *sentence = status == IK_NO_MEMORY
			? _("There is not enough memory for the reply; it was ended.")
			: _("The reply is larger than ikigai takes; it was ended.");

		abort_request(turn);
		fail_request(turn, IK_CODE_BAD_RESPONSE, sentence, strlen(sentence));
	} else if (part) {
		emit(turn, call_event(part, IK_EVENT_CALL_PROGRESS));
	}
}

/* Request the rest of a reply that was cut at the model's limit. Return false if that is not
 * possible. */
static bool continue_reply(struct ik_turn *turn)
{
	if (turn->reply.stop != IK_STOP_LENGTH || !ik_reply_has_text(&turn->reply) || turn->forbidden ||
		turn->continued >= CONTINUATIONS)
		return false;
	turn->continued++;
	/* The model reads this, so it is not translated. */
	append(turn,
		ik_message_automatic("Your reply was cut at its limit of length. Go on "
							 "exactly where it stopped; repeat nothing and say nothing about it."),
		(struct ik_event){ .kind = IK_EVENT_MESSAGE });
	begin_round(turn);
	return true;
}

/* Continue a reply that the provider has paused: the request ends with what has arrived of it. Return
 * false if it is not paused, or too often. */
static bool resume_reply(struct ik_turn *turn)
{
	if (turn->reply.stop != IK_STOP_PAUSED || turn->forbidden || turn->paused >= PAUSES)
		return false;
	turn->paused++;
	begin_round(turn);
	return true;
}

/* Say that the exchange was refused. The notice marks it, too: it isn't sent again, since a provider
 * would refuse every later request that has it. */
static void append_refusal(struct ik_turn *turn, const char *why)
{
	char *sentence = why
		? ik_format(_("The provider refused to answer (%s). The next message goes without what was "
					  "refused: say it in another way, or to another model."),
			  why)
		: ik_strdup(_("The provider refused to answer. The next message goes without what was "
					  "refused: say it in another way, or to another model."));

	append(turn, ik_message_notice(sentence, "{\"refused\":true}"),
		(struct ik_event){ .kind = IK_EVENT_NOTICE });
	free(sentence);
}

/* Tell the user why the reply is empty or was refused. */
static void explain_end(struct ik_turn *turn)
{
	const struct ik_reply *reply = &turn->reply;

	if (reply->stop == IK_STOP_REFUSED) {
		append_refusal(turn, reply->why);
	} else if (reply->stop == IK_STOP_LENGTH && !ik_reply_has_text(reply)) {
		append_notice(turn,
			_("The model used up its output limit before it answered: raise "
			  "providers.NAME.max_output_tokens, or lower providers.NAME.thinking."));
	} else if (reply->stop == IK_STOP_PAUSED) {
		append_notice(turn, _("The provider paused its reply too often; send a message to go on."));
	} else if (!ik_reply_has_text(reply)) {
		append_notice(turn, _("The model sent an empty reply."));
	}
}

/* Add the reply's last text, which is the answer after any commentary. */
static void gather(struct ik_turn *turn)
{
	size_t i = turn->reply.count;

	while (i > 0 && turn->reply.parts[i - 1]->kind != IK_PART_TEXT)
		i--;
	if (turn->options.read_output && i > 0)
		ik_buf_append(&turn->said, turn->reply.parts[i - 1]->text.data,
			turn->reply.parts[i - 1]->text.length);
}

/* Let the model write the last reply once more. */
static void ask_again(struct ik_turn *turn, const char *why)
{
	char *sentence =
		ik_format(_("The reply does not satisfy the schema, so the model is asked once "
					"more: %s"),
			why);
	/* The model reads this, so it is not translated. */
	char *demand =
		ik_format("Your reply does not satisfy the JSON Schema: %s. Write the whole JSON "
				  "again, corrected, and nothing else.",
			why);

	turn->output_wrong = true;
	append_notice(turn, sentence);
	append(turn, ik_message_automatic(demand), (struct ik_event){ .kind = IK_EVENT_MESSAGE });
	free(sentence);
	free(demand);
	begin_round(turn);
}

/* End the turn with what the complete reply says, if that is good. */
static void yield(struct ik_turn *turn)
{
	struct ik_error why = { .text = "" };
	char *sentence;

	if (!turn->options.read_output ||
		turn->options.read_output(turn->options.arg, turn->said.data, turn->said.length,
			&turn->output, &why)) {
		if (!turn->options.may_end || turn->ends >= CONTINUED_ENDS ||
			turn->options.may_end(turn->options.arg, turn->ends > 0))
			finish(turn, IK_TURN_STOP_END);
		else
			turn->state = IK_TURN_ENDING;
		return;
	}
	ik_buf_clear(&turn->said);
	ik_buf_clear(&turn->output);
	if (!turn->output_wrong) {
		ask_again(turn, why.text);
		return;
	}
	sentence = ik_format(_("The reply does not satisfy the schema: %s"), why.text);
	turn->half_said = false;
	append_error(turn, IK_CODE_BAD_RESPONSE, sentence, strlen(sentence));
	free(sentence);
	finish(turn, IK_TURN_STOP_ERROR);
}

/* End the turn, or let the model go on for a reason. */
static void rule_on_end(struct ik_turn *turn, const char *reason)
{
	if (reason[0] == '\0') {
		finish(turn, IK_TURN_STOP_END);
		return;
	}
	turn->ends++;
	ik_buf_clear(&turn->said);
	ik_buf_clear(&turn->output);
	append(turn, ik_message_automatic(reason), (struct ik_event){ .kind = IK_EVENT_MESSAGE });
	begin_round(turn);
}

/* Judge a call of this turn, or the end of the turn, now that there is a ruling. */
static void take_ruling(struct ik_turn *turn, const struct ik_input *input)
{
	struct ik_part *part = turn->state == IK_TURN_RUNNING ? find_call(turn, input->call, false)
														  : NULL;

	if (turn->state == IK_TURN_ENDING && input->call == 0)
		rule_on_end(turn, input->text ? input->text : "");
	if (!part || part->state != IK_CALL_RULING)
		return;
	judge(turn, part);
	advance(turn);
	end_round(turn);
}

/* Say why a message is not sent. Whoever waits for a turn gets the end of one. */
static void refuse_message(struct ik_turn *turn, const char *why)
{
	bool idle = turn->state == IK_TURN_IDLE;

	if (idle)
		emit(turn, (struct ik_event){ .kind = IK_EVENT_TURN_STARTED });
	append_notice(turn, why);
	if (idle)
		emit(turn, (struct ik_event){ .kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_REFUSED });
}

static void on_stream_end(struct ik_turn *turn)
{
	append_parts(turn, false);
	if (turn->reply.stop == IK_STOP_REFUSED) {
		fail_calls(turn, false, IK_TOOL_CANCELLED, "was not called, since the reply was refused");
	} else if (turn->reply.call_count > 0) {
		ik_buf_clear(&turn->said);
		begin_calls(turn);
		return;
	}
	gather(turn);
	if (resume_reply(turn) || continue_reply(turn))
		return;
	explain_end(turn);
	if (turn->reply.stop == IK_STOP_LENGTH)
		finish(turn, IK_TURN_STOP_LENGTH);
	else if (turn->reply.stop == IK_STOP_REFUSED)
		finish(turn, IK_TURN_STOP_REFUSED);
	else if (turn->forbidden)
		finish(turn, IK_TURN_STOP_LIMIT);
	else
		yield(turn);
}

/* Judge all waiting calls again, since the rules have changed. */
static void judge_again(struct ik_turn *turn)
{
	struct ik_part *part;
	size_t at = 0;

	if (turn->state != IK_TURN_RUNNING || turn->looping)
		return;
	while ((part = next_call(turn, &at))) {
		if (!part->granted && (part->state == IK_CALL_ASKING || part->state == IK_CALL_ALLOWED))
			judge(turn, part);
	}
	advance(turn);
	end_round(turn);
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
		abort_request(turn);
		append_parts(turn, true);
		fail_calls(turn, false, IK_TOOL_CANCELLED, sentence);
		break;
	case IK_TURN_RUNNING:
		fail_calls(turn, false, IK_TOOL_CANCELLED, sentence);
		if (turn->running == 0)
			break; /* all of them waited for the user */
		turn->state = IK_TURN_CANCELLING;
		perform(turn, (struct ik_effect){ .kind = IK_EFFECT_CANCEL_RUNS });
		return;
	case IK_TURN_ENDING: /* the reply is complete */
		hold(turn);
		finish(turn, IK_TURN_STOP_END);
		return;
	case IK_TURN_CANCELLING:
		perform(turn, (struct ik_effect){ .kind = IK_EFFECT_CLOSE_RUNS });
		fail_calls(turn, true, IK_TOOL_CANCELLED, sentence);
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
	ik_buf_init(&turn->last_arguments, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&turn->said, IK_LIMIT_REPLY);
	ik_buf_init(&turn->output, IK_LIMIT_REPLY);
	return turn;
}

void ik_turn_set_model(struct ik_turn *turn, const char *name, const struct ik_price *price)
{
	free(turn->model);
	turn->model = ik_strdup(name);
	turn->price = *price;
}

struct ik_turn *ik_turn_free(struct ik_turn *turn)
{
	if (!turn)
		return NULL;
	ik_reply_clear(&turn->reply);
	while (turn->queue_count > 0)
		ik_message_unref(turn->queue[--turn->queue_count]);
	free(turn->queue);
	ik_call_ids_done(&turn->ids);
	free(turn->last_name);
	free(turn->model);
	ik_buf_done(&turn->last_arguments);
	ik_buf_done(&turn->said);
	ik_buf_done(&turn->output);
	free(turn);
	return NULL;
}

/* Process an input about the current request. */
static void on_stream(struct ik_turn *turn, const struct ik_input *input)
{
	if (input->kind == IK_INPUT_DELTA) {
		on_delta(turn, input->delta);
	} else if (input->kind == IK_INPUT_STREAM_END) {
		on_stream_end(turn);
	} else if (input->kind == IK_INPUT_STREAM_FAILED) {
		fail_request(turn, input->code, input->text, input->text_length);
	} else {
		/* It is sent again: it failed before any of the reply was visible. */
		ik_reply_clear(&turn->reply);
		if (input->kind == IK_INPUT_RETRY)
			emit(turn, ik_retry_event(input));
		else
			append_notice(turn, input->text);
	}
}

void ik_turn_step(struct ik_turn *turn, const struct ik_input *input)
{
	switch (input->kind) {
	case IK_INPUT_USER:
		if (may_begin(turn))
			begin_turn(turn, input->message);
		else
			enqueue(turn, input->message);
		break;
	case IK_INPUT_UNQUEUE:
		if (turn->queue_count > 0)
			ik_message_unref(remove_queued(turn, turn->queue_count - 1));
		break;
	case IK_INPUT_RELEASE:
		turn->held = false;
		if (!may_begin(turn))
			emit_queued(turn);
		else if (turn->queue_count == 0 && turn->failed)
			begin_turn(turn, NULL);
		take_queued(turn);
		break;
	case IK_INPUT_TOOLS:
		turn->tools_ready = input->ready;
		if (turn->state == IK_TURN_WAITING && input->ready)
			begin_round(turn);
		else if (input->ready)
			judge_again(turn); /* a name may now be a different tool */
		break;
	case IK_INPUT_HISTORY:
		turn->history_loading = !input->ready;
		turn->half_said = turn->half_said && !input->success;
		take_queued(turn);
		break;
	case IK_INPUT_MODEL:
		if (turn->model_unknown && turn->queue_count > 0 && turn->state == IK_TURN_IDLE)
			emit_waiting(turn, "");
		turn->model_unknown = !input->ready;
		if (input->ready && !input->success)
			hold(turn);
		take_queued(turn);
		break;
	case IK_INPUT_DELTA:
	case IK_INPUT_STREAM_END:
	case IK_INPUT_STREAM_FAILED:
	case IK_INPUT_RETRY:
	case IK_INPUT_FALLBACK:
		if (turn->state == IK_TURN_STREAMING && input->request == turn->request)
			on_stream(turn, input);
		break;
	case IK_INPUT_ANSWER:
		take_answer(turn, input);
		break;
	case IK_INPUT_JUDGE_AGAIN:
		judge_again(turn);
		break;
	case IK_INPUT_RULING:
		take_ruling(turn, input);
		break;
	case IK_INPUT_REFUSED:
		refuse_message(turn, input->text);
		break;
	case IK_INPUT_TOOL_DONE:
		end_call(turn, input);
		break;
	case IK_INPUT_CANCEL:
		on_cancel(turn);
		break;
	}
}

void ik_turn_know_call(struct ik_turn *turn, const char *id)
{
	if (id)
		ik_call_ids_add(&turn->ids, id);
}

enum ik_turn_state ik_turn_state(const struct ik_turn *turn)
{
	return turn->state;
}

int ik_turn_asking(const struct ik_turn *turn, const char *id)
{
	const struct ik_part *part;
	size_t at = 0;

	while ((part = next_call(turn, &at))) {
		if (part->state == IK_CALL_ASKING && ik_text_equal(part->id, id))
			return part->call;
	}
	return 0;
}

bool ik_turn_has_queued(const struct ik_turn *turn)
{
	return turn->queue_count > 0 && !turn->held;
}

const char *ik_turn_queued_at(const struct ik_turn *turn, size_t index, size_t *ret_length)
{
	if (index >= turn->queue_count)
		return NULL;
	*ret_length = ik_message_typed(turn->queue[index]);
	return turn->queue[index]->content;
}

/* ---- what has not been stored yet ---- */

/* Return a message for part without copying its text, which may be very large; ik_part_message()
 * copies it. */
static struct ik_message message_of(const struct ik_part *part)
{
	static char mark[] = "{\"interrupted\":true}";
	bool text = part->kind == IK_PART_TEXT;
	struct ik_message message = {
		.references = 1,
		.kind = text ? IK_KIND_ASSISTANT : IK_KIND_THINKING,
		.searches = part->kind == IK_PART_SEARCH,
		.time_ms = ik_clock_wall_ms(),
		.content = part->text.data,
		.content_length = part->text.length,
		.data = text ? mark : NULL,
		.data_length = text ? strlen(mark) : 0,
	};

	memcpy(message.id, part->message_id, sizeof(message.id));
	return message;
}

struct ik_message *ik_turn_pending(const struct ik_turn *turn)
{
	return turn->appending;
}

/* Is part text that has no message yet? */
static bool is_unappended(const struct ik_part *part)
{
	return !part->appended && part->kind != IK_PART_CALL && part->text.length > 0;
}

bool ik_turn_has_partial_reply(const struct ik_turn *turn)
{
	size_t i = turn->reply.count;

	while (i > 0 && !is_unappended(turn->reply.parts[i - 1]))
		i--;
	return i > 0;
}

void ik_turn_partial_reply(const struct ik_turn *turn, ik_turn_message_sink *keep, void *arg)
{
	const struct ik_reply *reply = &turn->reply;
	size_t i;

	for (i = 0; i < reply->count; i++) {
		struct ik_message message = message_of(reply->parts[i]);

		if (is_unappended(reply->parts[i]))
			keep(arg, &message);
	}
}
