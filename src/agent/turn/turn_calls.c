#include "agent/turn/turn_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* So many times running the same call with the same arguments is a loop. */
#define REPEATED_CALLS 5

/* The outcome of a call: stored, told. envelope lives as long as the effects. */
static void add_result(struct ik_turn *turn, struct ik_part *part, struct ik_json_span envelope,
	const struct ik_input *outcome)
{
	size_t kept[2] = { 0, 0 };
	struct ik_event *event;

	/* An envelope that was cut lacks something of what was printed. */
	for (int i = 0; i < 2 && outcome->truncated; i++)
		kept[i] = ik_bytes_length(outcome->whole[i]);
	part->state = IK_CALL_DONE;
	event = ik_turn_append(turn,
		ik_message_tool_result_kept(part->id, part->name, envelope.text, envelope.length,
			outcome->success, outcome->duration_ms, kept),
		IK_EVENT_MESSAGE);
	event->id = part->id;
	event->name = part->name;
	memcpy(event->whole, outcome->whole, sizeof(event->whole));
	event = ik_turn_emit(turn, IK_EVENT_TOOL_DONE);
	event->id = part->id;
	event->name = part->name;
	event->text = envelope.text;
	event->text_length = envelope.length;
	memcpy(event->whole, outcome->whole, sizeof(event->whole));
	event->number = outcome->duration_ms;
}

/* A call leaves the state in which it waits for the person. */
static void end_asking(struct ik_turn *turn, struct ik_part *part)
{
	struct ik_event *event;

	if (part->state != IK_CALL_ASKING)
		return;
	event = ik_turn_emit(turn, IK_EVENT_ASKED);
	event->id = part->id;
	event->name = part->name;
}

/* A call is not run: its result is a failure, sentence says why. */
static void fail_call(struct ik_turn *turn, struct ik_part *part, enum ik_tool_failure failure,
	const char *sentence)
{
	end_asking(turn, part);
	ik_envelope_failure(&part->envelope, failure, sentence, -1, NULL, IK_KIB(1));
	add_result(turn, part, (struct ik_json_span){ part->envelope.data, part->envelope.length },
		&(struct ik_input){ .kind = IK_INPUT_TOOL_DONE });
}

void ik_turn_fail_calls(struct ik_turn *turn, bool running, enum ik_tool_failure failure,
	const char *what)
{
	size_t i;

	for (i = 0; i < turn->reply.count; i++) {
		struct ik_part *part = turn->reply.parts[i];
		char *message;

		if (part->kind != IK_PART_CALL || part->state == IK_CALL_DONE ||
			(part->state == IK_CALL_RUNNING) != running)
			continue;
		message = ik_format("Tool '%s' %s", part->name, what);
		fail_call(turn, part, failure, message);
		free(message);
	}
}

/* The reply was cut at its limit: a call whose arguments are not whole is not run. */
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

/* Let an effect name a call. */
static void add_call_effect(struct ik_turn *turn, enum ik_effect_kind kind,
	const struct ik_part *part)
{
	struct ik_effect *effect = ik_turn_add_effect(turn, kind);

	effect->call = part->call;
	effect->id = part->id;
	effect->name = part->name;
	effect->arguments = part->text.data;
	effect->arguments_length = part->text.length;
}

/* Tell of a call with its arguments. */
static struct ik_event *emit_call(struct ik_turn *turn, enum ik_event_kind kind,
	const struct ik_part *part)
{
	struct ik_event *event = ik_turn_emit(turn, kind);

	event->id = part->id;
	event->name = part->name;
	event->text = part->text.data;
	event->text_length = part->text.length;
	return event;
}

/* Start a call that is allowed. */
static void run_call(struct ik_turn *turn, struct ik_part *part)
{
	part->state = IK_CALL_RUNNING;
	turn->running++;
	(void)emit_call(turn, IK_EVENT_TOOL_STARTED, part);
	add_call_effect(turn, IK_EFFECT_RUN, part);
}

/* Does a call change nothing? */
static bool is_read_only(const struct ik_turn *turn, const struct ik_part *part)
{
	return turn->options.is_read_only &&
		turn->options.is_read_only(turn->options.tools, part->name);
}

/* Judge and start the calls whose turn it is: the first that has no result and, if it is
 * read-only, the read-only calls that follow it directly. */
static void advance(struct ik_turn *turn)
{
	size_t limit = turn->options.concurrency > 1 ? (size_t)turn->options.concurrency : 1;
	bool first = true, read_only = true;
	size_t i;

	for (i = 0; i < turn->reply.count && read_only; i++) {
		struct ik_part *part = turn->reply.parts[i];

		if (part->kind != IK_PART_CALL || part->state == IK_CALL_DONE)
			continue;
		read_only = is_read_only(turn, part);
		if (!first && !read_only)
			break;
		first = false;
		if (part->state == IK_CALL_PENDING) {
			part->state = IK_CALL_JUDGING;
			add_call_effect(turn, IK_EFFECT_JUDGE, part);
		} else if (part->state == IK_CALL_ALLOWED && turn->running < limit) {
			run_call(turn, part);
		}
	}
}

/* The call of that number which has no result yet and does not run; NULL: none. */
static struct ik_part *find_waiting(const struct ik_turn *turn, int call)
{
	size_t i;

	for (i = 0; i < turn->reply.count; i++) {
		struct ik_part *part = turn->reply.parts[i];

		if (part->kind == IK_PART_CALL && part->call == call && part->state != IK_CALL_RUNNING &&
			part->state != IK_CALL_DONE)
			return part;
	}
	return NULL;
}

/* Start the calls of the round in their order, except those that cannot be run. */
static void start_calls(struct ik_turn *turn)
{
	size_t i;

	for (i = 0; i < turn->reply.count; i++) {
		if (turn->reply.parts[i]->kind == IK_PART_CALL)
			fail_if_cut(turn, turn->reply.parts[i]);
	}
	advance(turn);
}

/* Give no call of the round to a tool, since they go round in circles. */
static void stop_circling(struct ik_turn *turn)
{
	ik_turn_fail_calls(turn, false, IK_TOOL_DENIED,
		"was not run: the same call came again and again");
	ik_turn_append_notice(turn,
		_("The model made the same call five times running; the turn was ended."));
}

/* Ask the person whether the turn is to go on, and count from here. */
static void begin_circling(struct ik_turn *turn, struct ik_part *part)
{
	struct ik_event *event = emit_call(turn, IK_EVENT_ASKING, part);

	event->number = 1;
	event->detail = _("It made the same call with the same arguments five times running.");
	part->state = IK_CALL_ASKING;
	turn->circling = part;
	turn->repeated = 0;
}

/* The person has said whether the turn is to go on. */
static void end_circling(struct ik_turn *turn, bool go_on)
{
	struct ik_part *part = turn->circling;

	turn->circling = NULL;
	turn->stopped = !go_on;
	if (!go_on) {
		stop_circling(turn);
		return;
	}
	end_asking(turn, part);
	part->state = IK_CALL_PENDING;
	start_calls(turn);
}

bool ik_turn_take_verdict(struct ik_turn *turn, const struct ik_input *input)
{
	struct ik_part *part = turn->state == IK_TURN_RUNNING ? find_waiting(turn, input->call) : NULL;

	if (part && turn->circling) {
		if (part != turn->circling)
			return false;
		end_circling(turn, input->verdict == IK_TURN_GRANT);
		return true;
	}
	if (!part || (part->granted && input->verdict != IK_TURN_DENY))
		return false;
	switch (input->verdict) {
	case IK_TURN_GRANT:
		part->granted = true;
		/* fall through */
	case IK_TURN_ALLOW:
		end_asking(turn, part);
		part->state = IK_CALL_ALLOWED;
		break;
	case IK_TURN_ASK:
		if (part->state != IK_CALL_ASKING)
			emit_call(turn, IK_EVENT_ASKING, part)->detail = input->text;
		part->state = IK_CALL_ASKING;
		break;
	case IK_TURN_DENY:
		fail_call(turn, part, IK_TOOL_DENIED, input->text);
		break;
	}
	advance(turn);
	return true;
}

void ik_turn_judge_again(struct ik_turn *turn)
{
	size_t i;

	if (turn->state != IK_TURN_RUNNING || turn->circling)
		return;
	for (i = 0; i < turn->reply.count; i++) {
		struct ik_part *part = turn->reply.parts[i];

		if (part->kind == IK_PART_CALL && !part->granted &&
			(part->state == IK_CALL_ASKING || part->state == IK_CALL_ALLOWED))
			add_call_effect(turn, IK_EFFECT_JUDGE, part);
	}
}

bool ik_turn_has_open_calls(const struct ik_turn *turn)
{
	size_t i;

	for (i = 0; i < turn->reply.count; i++) {
		if (turn->reply.parts[i]->kind == IK_PART_CALL &&
			turn->reply.parts[i]->state != IK_CALL_DONE)
			return true;
	}
	return false;
}

/* Count how often a call came running; true at the time too many. */
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

bool ik_turn_end_call(struct ik_turn *turn, const struct ik_input *input)
{
	struct ik_json_span envelope = { input->text, input->text_length };
	struct ik_part *part = NULL;
	size_t i;

	for (i = 0; i < turn->reply.count && !part; i++) {
		if (turn->reply.parts[i]->kind == IK_PART_CALL &&
			turn->reply.parts[i]->state == IK_CALL_RUNNING &&
			turn->reply.parts[i]->call == input->call)
			part = turn->reply.parts[i];
	}
	if (!part)
		return false;
	turn->running--;
	if (turn->state == IK_TURN_RUNNING && turn->tool_rounds >= turn->options.max_tool_turns) {
		ik_envelope_limit(&part->envelope, envelope, turn->options.max_tool_turns);
		envelope = (struct ik_json_span){ part->envelope.data, part->envelope.length };
	}
	add_result(turn, part, envelope, input);
	if (turn->state == IK_TURN_RUNNING)
		advance(turn);
	return true;
}

bool ik_turn_begin_calls(struct ik_turn *turn, enum ik_turn_stop *ret_stop)
{
	struct ik_part *repeated = NULL;
	size_t i;

	if (turn->forbidden) {
		ik_turn_fail_calls(turn, false, IK_TOOL_DENIED,
			"was not run: the tool call limit is reached");
		*ret_stop = IK_TURN_STOP_LIMIT;
		return false;
	}
	for (i = 0; i < turn->reply.count; i++) {
		if (turn->reply.parts[i]->kind == IK_PART_CALL && is_repeated(turn, turn->reply.parts[i]))
			repeated = turn->reply.parts[i];
	}
	if (repeated && !turn->options.ask_repeated) {
		stop_circling(turn);
		*ret_stop = IK_TURN_STOP_REPEATED;
		return false;
	}
	turn->tool_rounds++;
	turn->state = IK_TURN_RUNNING;
	if (repeated)
		begin_circling(turn, repeated);
	else
		start_calls(turn);
	return true;
}
