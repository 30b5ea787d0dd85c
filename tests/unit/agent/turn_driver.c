#include "turn_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "util/alloc.h"
#include "util/text.h"

/* A call whose name ends in w changes something. */
static bool is_read_only(const void *tools, const char *name)
{
	size_t length = strlen(name);

	(void)tools;
	return length == 0 || name[length - 1] != 'w';
}

/* What a call does. */
static char *call_line(const void *arg, const char *name, const char *arguments, size_t length)
{
	(void)arg;
	return ik_format("%s %.*s", name, (int)length, arguments);
}

static struct driver_call *find_call(struct driver *driver, const char *id)
{
	size_t i;

	for (i = driver->call_count; i > 0; i--) {
		if (strcmp(driver->calls[i - 1].id, id) == 0)
			return &driver->calls[i - 1];
	}
	return NULL;
}

static void note(struct driver *driver, const char *word, const char *detail)
{
	ik_buf_printf(&driver->log, "%s%s%s%.100s", driver->log.length ? " " : "", word,
		detail ? ":" : "", detail ? detail : "");
}

/* What the rules say of a call. */
static enum ik_turn_verdict judge(void *arg, const struct ik_judged_call *call, char **ret_text)
{
	struct driver *driver = arg;
	struct driver_call *known = find_call(driver, call->id);

	*ret_text = ik_strdup("No.");
	if (strncmp(call->name, "wait", 4) == 0 && !known->ruled) {
		known->number = call->call;
		return IK_TURN_WAIT;
	}
	if (strncmp(call->name, "ask", 3) == 0)
		return driver->asked;
	return strncmp(call->name, "deny", 4) == 0 ? IK_TURN_DENY : IK_TURN_ALLOW;
}

static bool may_end(void *arg, bool again)
{
	struct driver *driver = arg;

	if (driver->rules_ends)
		note(driver, again ? "end-again?" : "end?", NULL);
	return !driver->rules_ends;
}

static bool read_output(const void *arg, const char *text, size_t length, struct ik_buf *out,
	struct ik_error *error)
{
	const struct driver *driver = arg;

	if (driver->demands && (length == 0 || text[0] != '='))
		return ik_error_set(error, IK_INVALID, "no =") == IK_OK;
	ik_buf_append(out, text, driver->demands ? length : 0);
	return true;
}

struct driver *driver_free(struct driver *driver)
{
	ik_turn_free(driver->turn);
	ik_buf_done(&driver->log);
	free(driver);
	return NULL;
}

static void expect_all_resulted(const struct driver *driver)
{
	size_t i;

	for (i = 0; i < driver->call_count; i++)
		cr_assert(driver->calls[i].resulted, "call %s has no result", driver->calls[i].id);
}

static void note_call(struct driver *driver, struct ik_message *message)
{
	struct driver_call *call = &driver->calls[driver->call_count++];
	const char *id = message->call_id;
	char *name = ik_message_tool_name(message);

	cr_assert_lt(driver->call_count, 4096);
	cr_assert_not_null(id);
	cr_assert_null(find_call(driver, id), "id %s used twice", id);
	snprintf(call->id, sizeof(call->id), "%s", id);
	snprintf(call->name, sizeof(call->name), "%s", name);
	note(driver, "+call", id);
	free(name);
}

static void note_result(struct driver *driver, struct ik_message *message)
{
	const char *id = message->call_id;
	char *envelope = ik_message_envelope(message, NULL);
	struct driver_call *call = find_call(driver, id);

	cr_assert_not_null(call, "result of %s without its call", id);
	cr_assert(!call->resulted, "two results of %s", id);
	call->resulted = true;
	snprintf(call->envelope, sizeof(call->envelope), "%s", envelope);
	note(driver, "+result", id);
	free(envelope);
}

/* Note what the provider wants back. */
static void note_opaque(struct driver *driver, const struct ik_message *message)
{
	struct ik_json_span data = ik_message_opaque(message, "p", "t");
	char text[64];

	if (message->data)
		cr_assert_eq(ik_json_check(message->data, message->data_length, NULL, NULL), IK_OK);
	snprintf(text, sizeof text, "%.*s", (int)data.length, data.text ? data.text : "");
	if (data.text)
		note(driver, "opaque", text);
}

static void check_append(struct driver *driver, const struct ik_effect *effect)
{
	struct ik_message *message = effect->event.message;

	cr_assert_eq(ik_turn_pending(driver->turn), message);
	switch (message->kind) {
	case IK_KIND_TOOL_CALL:
		note_call(driver, message);
		break;
	case IK_KIND_TOOL_RESULT:
		note_result(driver, message);
		break;
	case IK_KIND_ASSISTANT:
		memcpy(driver->said, message->id, sizeof(driver->said));
		note(driver, ik_json_member(ik_message_data(message), "interrupted").text ?
			"+assistant!" : "+assistant", message->content);
		break;
	case IK_KIND_USER:
		if (ik_message_is_automatic(message)) {
			cr_assert(driver->in_turn);
			note(driver, "+go-on", NULL);
			break;
		}
		cr_assert(!driver->in_turn);
		driver->users++;
		note(driver, "+user", message->content);
		break;
	case IK_KIND_NOTICE:
		cr_assert(effect->event.kind == IK_EVENT_NOTICE || effect->event.kind == IK_EVENT_ERROR);
		if (effect->event.kind == IK_EVENT_ERROR)
			note(driver, "+error", ik_error_code_word(effect->event.code));
		else
			note(driver, "+notice", NULL);
		break;
	default:
		note(driver, message->kind == IK_KIND_USAGE ? "+usage" :
			message->searches ? "+search" : "+thinking", NULL);
		break;
	}
	note_opaque(driver, message);
}

static void check_event(struct driver *driver, const struct ik_event *event)
{
	char number[32];

	snprintf(number, sizeof(number), "%zu", event->count);
	switch (event->kind) {
	case IK_EVENT_TURN_STARTED:
		cr_assert(!driver->in_turn);
		driver->in_turn = true;
		note(driver, "started", NULL);
		break;
	case IK_EVENT_TURN_DONE:
		cr_assert(driver->in_turn);
		cr_assert(!driver->request_out);
		expect_all_resulted(driver);
		driver->in_turn = false;
		driver->turns_done++;
		note(driver, "done", ik_turn_stop_word(event->stop));
		if (event->text)
			note(driver, "yields", event->text);
		cr_assert(!event->text || event->stop == IK_TURN_STOP_END);
		break;
	case IK_EVENT_TOOL_STARTED:
		cr_assert_eq(strncmp(event->detail, event->name, strlen(event->name)), 0);
		note(driver, "tool", event->id);
		break;
	case IK_EVENT_TOOL_DONE:
		cr_assert(find_call(driver, event->id)->resulted, "told before it was stored");
		break;
	case IK_EVENT_ASKING:
		find_call(driver, event->id)->asking = true;
		note(driver, "asking", event->id);
		break;
	case IK_EVENT_ASKED:
		cr_assert(find_call(driver, event->id)->asking);
		find_call(driver, event->id)->asking = false;
		note(driver, "asked", event->id);
		break;
	case IK_EVENT_QUEUED:
		note(driver, event->held ? "held" : "queued", number);
		break;
	case IK_EVENT_RETRY:
		cr_assert_eq(event->delay_ms, 500);
		note(driver, "retry", ik_error_code_word(event->code));
		break;
	case IK_EVENT_WAITING:
		note(driver, "waiting", NULL);
		break;
	default:
		break;
	}
}

/* Calls take effect in their order: beside this one only read-only neighbours are open. */
static void check_order(const struct driver *driver, const struct driver_call *call)
{
	const struct driver_call *other = driver->calls;

	for (; other < call; other++)
		cr_assert(other->resulted || (is_read_only(NULL, other->name) &&
			is_read_only(NULL, call->name)), "%s overtakes %s", call->id, other->id);
}

static void check_run(struct driver *driver, const struct ik_effect *effect)
{
	struct driver_call *call = find_call(driver, effect->event.id);

	cr_assert_not_null(call, "run of %s before its call was stored", effect->event.id);
	cr_assert_eq(effect->event.kind, IK_EVENT_TOOL_STARTED);
	check_event(driver, &effect->event);
	check_order(driver, call);
	cr_assert(!call->run && !call->resulted && !call->asking);
	call->run = call->running = true;
	call->number = effect->call;
	note(driver, "run", effect->event.text);
}

static void perform(void *arg, const struct ik_effect *effect)
{
	struct driver *driver = arg;
	size_t i;

	switch (effect->kind) {
	case IK_EFFECT_APPEND:
		check_append(driver, effect);
		break;
	case IK_EFFECT_EMIT:
		check_event(driver, &effect->event);
		break;
	case IK_EFFECT_REQUEST:
		cr_assert(driver->in_turn && !driver->request_out);
		expect_all_resulted(driver);
		driver->request_out = true;
		driver->request = effect->request;
		note(driver, effect->forbid_calls ? "request-" : "request", NULL);
		break;
	case IK_EFFECT_ABORT:
		cr_assert(driver->request_out && effect->request == driver->request);
		driver->request_out = false;
		note(driver, "abort", NULL);
		break;
	case IK_EFFECT_RUN:
		check_run(driver, effect);
		break;
	case IK_EFFECT_CANCEL_RUNS:
		note(driver, "cancel", NULL);
		break;
	case IK_EFFECT_CLOSE_RUNS:
		for (i = 0; i < driver->call_count; i++)
			driver->calls[i].running = false;
		note(driver, "close", NULL);
		break;
	}
}

struct driver *driver_new(int concurrency, int max_tool_turns, bool ask_repeated)
{
	struct driver *driver = ik_alloc(sizeof(*driver));
	struct ik_turn_options options = {
		.concurrency = concurrency,
		.is_read_only = is_read_only,
		.call_line = call_line,
		.judge = judge,
		.may_end = may_end,
		.read_output = read_output,
		.perform = perform,
		.arg = driver,
		.max_tool_turns = max_tool_turns,
		.ask_repeated = ask_repeated,
	};

	driver->turn = ik_turn_new(&options);
	driver->asked = IK_TURN_ASK;
	ik_buf_init(&driver->log, 1 << 22);
	return driver;
}

static void step(struct driver *driver, const struct ik_input *input)
{
	ik_turn_step(driver->turn, input);
	cr_assert_null(ik_turn_pending(driver->turn));
}

/* The person's word on a call, whether or not that waits for it. */
static void answer(struct driver *driver, const char *id, bool allow)
{
	int call = ik_turn_asking(driver->turn, id);
	const struct driver_call *known = find_call(driver, id);

	cr_assert_eq(call != 0, known && known->asking);
	step(driver, &(struct ik_input){
		.kind = IK_INPUT_ANSWER, .call = call, .success = allow, .text = "No!", .text_length = 3,
	});
}

/* There is a ruling on a call: it may run. */
static void rule(struct driver *driver, const char *id)
{
	struct driver_call *call = find_call(driver, id);

	call->ruled = true;
	step(driver, &(struct ik_input){ .kind = IK_INPUT_RULING, .call = call->number });
}

/* The rules are others now; told: the turn hears of it. */
static void judge_again(struct driver *driver, const char *word, bool told)
{
	driver->asked = strcmp(word, "allow") == 0 ? IK_TURN_ALLOW :
		strcmp(word, "deny") == 0 ? IK_TURN_DENY : IK_TURN_ASK;
	if (told)
		step(driver, &(struct ik_input){ .kind = IK_INPUT_JUDGE_AGAIN });
}

static void delta(struct driver *driver, struct ik_delta given)
{
	struct ik_input input = {
		.kind = IK_INPUT_DELTA, .request = driver->request, .delta = &given,
	};

	step(driver, &input);
}

/* text up to the next colon (cut there), the rest in *rest. */
static char *split(char *text, char **rest)
{
	char *colon = strchr(text, ':');

	*rest = NULL;
	if (colon) {
		*colon = '\0';
		*rest = colon + 1;
	}
	return text;
}

static enum ik_stop_reason stop_of(const char *word)
{
	if (strcmp(word, "calls") == 0)
		return IK_STOP_TOOL_CALLS;
	if (strcmp(word, "length") == 0)
		return IK_STOP_LENGTH;
	if (strcmp(word, "refused") == 0)
		return IK_STOP_REFUSED;
	if (strcmp(word, "paused") == 0)
		return IK_STOP_PAUSED;
	cr_assert_str_eq(word, "end");
	return IK_STOP_END;
}

static enum ik_error_code code_of(const char *word)
{
	enum ik_error_code code = IK_CODE_STORE;

	while (code != IK_CODE_NONE && strcmp(ik_error_code_word(code), word) != 0)
		code--;
	cr_assert_neq(code, IK_CODE_NONE, "code %s", word);
	return code;
}

/* Words about the stream. False when it is another word. */
static bool stream_word(struct driver *driver, char *word)
{
	struct ik_input input = { .request = driver->request, .text = "why", .text_length = 3 };
	char *rest, *more;
	char kind = word[0];

	split(word, &rest);
	switch (kind) {
	case 'x':
	case 'k':
		delta(driver, (struct ik_delta){ .kind = kind == 'x' ? IK_DELTA_TEXT : IK_DELTA_THINKING,
			.text = rest, .text_length = strlen(rest) });
		return true;
	case 'w':
		delta(driver, (struct ik_delta){ .kind = IK_DELTA_SEARCH, .text = rest,
			.text_length = strlen(rest) });
		return true;
	case 'c':
		split(rest, &more);
		delta(driver, (struct ik_delta){ .kind = IK_DELTA_CALL, .slot = atoi(word + 1),
			.id = rest[0] ? rest : NULL, .name = more });
		return true;
	case 'a':
		delta(driver, (struct ik_delta){ .kind = IK_DELTA_ARGUMENTS, .slot = atoi(word + 1),
			.text = rest, .text_length = strlen(rest) });
		return true;
	case 'o':
		delta(driver, (struct ik_delta){ .kind = IK_DELTA_OPAQUE, .name = "t", .id = "p",
			.of = word[1] == 'k' ? IK_DELTA_THINKING : word[1] == 'x' ? IK_DELTA_TEXT :
			IK_DELTA_CALL, .slot = atoi(word + 1), .text = rest, .text_length = strlen(rest) });
		return true;
	case 'g':
		split(rest, &more);
		delta(driver, (struct ik_delta){ .kind = IK_DELTA_USAGE, .input_tokens = atoi(rest),
			.output_tokens = atoi(more) });
		return true;
	case 's':
		delta(driver, (struct ik_delta){ .kind = IK_DELTA_STOP, .stop = stop_of(rest) });
		return true;
	case '.':
		input.kind = IK_INPUT_STREAM_END;
		break;
	case 'R':
		/* It is sent again. */
		input.kind = IK_INPUT_RETRY;
		input.code = code_of(rest);
		input.delay_ms = 500;
		step(driver, &input);
		return true;
	case 'L':
		input.kind = IK_INPUT_FALLBACK;
		step(driver, &input);
		return true;
	case 'F':
		input.kind = IK_INPUT_STREAM_FAILED;
		input.code = code_of(rest);
		break;
	default:
		return false;
	}
	/* The stream is over from here on. */
	driver->request_out = false;
	step(driver, &input);
	return true;
}

static void tool_word(struct driver *driver, const char *id, bool success)
{
	const char *envelope = success ? "{\"tool_success\":true,\"result\":{}}" :
		"{\"tool_success\":false,\"error\":\"no\",\"error_code\":\"TOOL_CRASHED\","
		"\"exit_code\":1,\"stdout\":\"\",\"stderr\":\"\"}";
	struct driver_call *call = find_call(driver, id);
	struct ik_input input = {
		.kind = IK_INPUT_TOOL_DONE, .text = envelope, .text_length = strlen(envelope),
		.success = success, .duration_ms = 7, .call = call ? call->number : 999999,
	};

	if (call)
		call->running = false;
	step(driver, &input);
}

void driver_word(struct driver *driver, const char *text)
{
	char *word = ik_strdup(text);
	struct ik_input input = { 0 };

	switch (word[0]) {
	case 'u':
		input = (struct ik_input){ .kind = IK_INPUT_USER,
			.message = ik_message_new(IK_KIND_USER, word + 2, strlen(word + 2), NULL, 0) };
		step(driver, &input);
		ik_message_unref(input.message);
		break;
	case 'T':
	case 't':
		input = (struct ik_input){ .kind = IK_INPUT_TOOLS, .ready = word[0] == 'T' };
		step(driver, &input);
		break;
	case 'H':
	case 'h':
		input = (struct ik_input){ .kind = IK_INPUT_HISTORY, .ready = word[0] == 'H' };
		step(driver, &input);
		break;
	case 'd':
	case 'D':
		tool_word(driver, word + 2, word[0] == 'd');
		break;
	case 'y':
	case 'n':
		answer(driver, word + 2, word[0] == 'y');
		break;
	case 'J':
	case 'j':
		judge_again(driver, word + 2, word[0] == 'J');
		break;
	case 'V':
		rule(driver, word + 2);
		break;
	case 'E':
		driver->rules_ends = strcmp(word + 2, "on") == 0;
		break;
	case 'X':
	case 'Z':
		input = (struct ik_input){ .kind = word[0] == 'X' ? IK_INPUT_RULING : IK_INPUT_REFUSED,
			.text = word + 2, .text_length = strlen(word + 2) };
		step(driver, &input);
		break;
	case 'O':
		driver->demands = strcmp(word + 2, "on") == 0;
		break;
	case 'B':
		input.kind = IK_INPUT_UNQUEUE;
		step(driver, &input);
		break;
	case 'G':
		input.kind = IK_INPUT_RELEASE;
		step(driver, &input);
		break;
	case 'C':
		input.kind = IK_INPUT_CANCEL;
		step(driver, &input);
		break;
	default:
		cr_assert(stream_word(driver, word), "no word: %s", text);
	}
	free(word);
}

void driver_script(struct driver *driver, const char *script)
{
	char *words = ik_strdup(script);
	char *rest = words, *word;

	while ((word = strsep(&rest, " ")) != NULL) {
		if (word[0])
			driver_word(driver, word);
	}
	free(words);
}

void driver_finish_runs(struct driver *driver)
{
	size_t i;

	for (i = 0; i < driver->call_count; i++) {
		if (driver->calls[i].running)
			tool_word(driver, driver->calls[i].id, true);
	}
}
