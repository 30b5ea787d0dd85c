#include "hook/hook_run.h"

#include <stdlib.h>
#include <string.h>

#include "json/schema.h"
#include "json/write.h"
#include "loop/child.h"
#include "tool/run.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* From SIGTERM to SIGKILL, and how long to wait for output after the end. */
enum { KILL_AFTER_MS = 1000, GRACE_MS = 250 };
/* The program waits for hooks about a session's end, but not longer. */
#define END_MS 5000
/* Limit on what a hook may write; one that writes more is ended. */
#define OUTPUT IK_MIB(1)
/* Limits on a hook's words, and on the name of one that is a command. */
enum { REASON = 8192, NAME = 60 };

/* A running hook. */
struct hook_process {
	struct ik_hook_work *work;
	char *name, *path;
	struct ik_child *child; /* NULL: not started, or ended */
	struct ik_buf input, output[2];
	bool flooded;
	int64_t duration_ms;
	/* What it wants: */
	enum ik_hook_decision decision;
	char *reason, *message; /* or NULL */
	bool end;
	struct ik_buf changes, context; /* JSON, an object; text */
};

struct ik_hook_work {
	struct ik_hook_work *next;
	struct ik_hook_runner *runner;
	enum ik_hook_event event;
	struct ik_buf arguments, schema;
	struct hook_process *processes;
	size_t count, left;
	ik_hook_done *done;
	void *arg;
	bool over;
	struct ik_hook_outcome outcome;
};

struct ik_hook_runner {
	struct ik_loop *loop;
	const char *const *environment;
	const struct ik_hooks *hooks;
	struct ik_hook_work *works;
	void (*rested)(void *arg);
	void *arg;
};

/* ---- what a hook gets ---- */

/* Return the mode in Claude Code's words. */
static const char *permission_mode(const char *mode)
{
	if (ik_text_equal(mode, ik_mode_name(IK_MODE_AUTO)))
		return "bypassPermissions";
	return ik_text_equal(mode, ik_mode_name(IK_MODE_READ_ONLY)) ? "plan" : "default";
}

/* Append what a hook reads on standard input. name: the tool's, as the hook knows it. */
static void put_input(const struct ik_hook_call *call, const char *name, struct ik_buf *out)
{
	const char *mode = call->mode ? call->mode : ik_mode_name(IK_MODE_AUTO);

	ik_json_printf(out,
		"{'session_id':'%s','transcript_path':'','cwd':'%s','hook_event_name':'%s',"
		"'permission_mode':'%s','mode':'%s','model':'%s'",
		call->session, call->directory, ik_hook_event_name(call->event), permission_mode(mode),
		mode, call->model);
	switch (call->event) {
	case IK_HOOK_POST_TOOL_USE:
	case IK_HOOK_PRE_TOOL_USE:
		ik_json_printf(out, "'tool_name':'%s','tool':'%s','tool_use_id':'%s','tool_input':%.*s",
			name, call->subject, call->id, (int)call->input.length, call->input.text);
		if (call->response.text)
			ik_json_printf(out, "'tool_response':%.*s", (int)call->response.length,
				call->response.text);
		break;
	case IK_HOOK_USER_PROMPT:
		ik_json_printf(out, "'prompt':'%.*s'", (int)call->length, call->text);
		break;
	case IK_HOOK_STOP:
		ik_json_printf(out, "'stop_hook_active':%s", ik_json_word(call->again));
		break;
	case IK_HOOK_SESSION_START:
		ik_json_printf(out, "'source':'%s'", call->subject);
		break;
	case IK_HOOK_SESSION_END:
		ik_json_printf(out, "'reason':'%s'", call->subject);
		break;
	case IK_HOOK_NOTIFICATION:
		ik_json_printf(out, "'message':'%s','notification_type':'%s'", call->text, call->subject);
		break;
	case IK_HOOK_PRE_COMPACT:
		ik_json_printf(out, "'trigger':'%s','custom_instructions':'%s'", call->subject,
			call->text ? call->text : "");
		break;
	case IK_HOOK_EVENTS:
		break;
	}
	ik_json_close(out, '}');
	ik_buf_putc(out, '\n');
}

/* ---- what a hook says ---- */

/* Note a hook's opinion; reason (new memory, or NULL) is taken over. */
static void decide(struct hook_process *process, enum ik_hook_decision decision, char *reason)
{
	free(process->reason);
	process->decision = decision;
	process->reason = reason;
}

/* Note that a hook failed, which the user is told; message is taken over. */
static void warn(struct hook_process *process, char *message)
{
	free(process->message);
	process->message = message;
}

/* Return the beginning of a text as valid UTF-8, without blanks at the ends, in new memory. */
static char *words(const struct ik_buf *text, size_t most)
{
	const char *at = text->data + strspn(text->data, " \t\r\n");
	size_t length = text->length - (size_t)(at - text->data);
	struct ik_buf out;

	ik_buf_init(&out, 4 * most);
	ik_utf8_repair(&out, at, length < most ? length : ik_utf8_cut(at, length, most));
	ik_buf_trim(&out, 0, " \t\r\n");
	return ik_buf_take(&out, NULL);
}

static void take_specific(struct hook_process *process, struct ik_json_span specific)
{
	static const struct {
		const char *word;
		enum ik_hook_decision decision;
	} decisions[] = {
		{ "allow", IK_HOOK_ALLOW },
		{ "ask", IK_HOOK_ASK },
		{ "deny", IK_HOOK_DENY },
	};
	struct ik_json_span decision = ik_json_member(specific, "permissionDecision");
	struct ik_json_span changes = ik_json_member(specific, "updatedInput");

	for (size_t i = 0; i < sizeof(decisions) / sizeof(decisions[0]); i++)
		if (ik_json_string_is(decision, decisions[i].word))
			decide(process, decisions[i].decision,
				ik_json_text_new(ik_json_member(specific, "permissionDecisionReason")));
	if (ik_json_span_type(changes) == IK_JSON_OBJECT)
		ik_buf_append(&process->changes, changes.text, changes.length);
	(void)ik_json_string(ik_json_member(specific, "additionalContext"), &process->context);
}

static void take_json(struct hook_process *process, struct ik_json_span value)
{
	struct ik_json_span word = ik_json_member(value, "decision");
	struct ik_json_span reason = ik_json_member(value, "reason");
	bool go_on;

	if (ik_json_string_is(word, "block"))
		decide(process, IK_HOOK_DENY, ik_json_text_new(reason));
	else if (ik_json_string_is(word, "approve"))
		decide(process, IK_HOOK_ALLOW, ik_json_text_new(reason));
	take_specific(process, ik_json_member(value, "hookSpecificOutput"));
	warn(process, ik_json_text_new(ik_json_member(value, "systemMessage")));
	if (ik_json_bool(ik_json_member(value, "continue"), &go_on) && !go_on) {
		process->end = true;
		decide(process, IK_HOOK_DENY, ik_json_text_new(ik_json_member(value, "stopReason")));
	}
}

/* Take the output of a hook that succeeded. */
static void take_output(struct hook_process *process)
{
	const struct ik_buf *output = &process->output[IK_STDOUT];
	enum ik_hook_event event = process->work->event;
	struct ik_json_span value;
	struct ik_error error;

	if (output->data[strspn(output->data, " \t\r\n")] == '{') {
		if (ik_json_check(output->data, output->length, &value, &error) == IK_OK)
			take_json(process, value);
		else
			warn(process, ik_format(_("what it wrote is not valid JSON: %s"), error.text));
	} else if (event == IK_HOOK_USER_PROMPT || event == IK_HOOK_SESSION_START) {
		char *text = words(output, IK_LIMIT_MODEL_OUTPUT);

		ik_buf_puts(&process->context, text);
		free(text);
	}
}

/* Take how a hook has ended. */
static void take_end(struct hook_process *process, const struct ik_child_result *result)
{
	char *text = words(&process->output[IK_STDERR], REASON);

	if (process->flooded)
		warn(process, ik_format(_("it wrote more than %zu bytes, and was ended"), (size_t)OUTPUT));
	else if (result->timed_out)
		warn(process, ik_strdup(_("it took too long, and was ended")));
	else if (result->exited && result->exit_code == 0)
		take_output(process);
	else if (result->exited && result->exit_code == 2)
		decide(process, IK_HOOK_DENY, ik_strdup(text));
	else if (result->exited)
		warn(process,
			ik_format(_("it failed with exit code %d: %s"), result->exit_code,
				text[0] ? text : "-"));
	else if (!process->work->outcome.cancelled)
		warn(process, ik_format(_("it was ended by signal %d"), result->signal_number));
	free(text);
}

/* ---- all of them together ---- */

/* Append the members of an object, except those that are also in changes. */
static void put_members(struct ik_buf *out, struct ik_json_span object, struct ik_json_span changes)
{
	for (struct ik_json_walk walk = ik_json_walk(object); ik_json_next(&walk);)
		if (!ik_json_member_named(changes, walk.key).text)
			ik_json_printf(out, "%.*s:%.*s", (int)walk.key.length, walk.key.text,
				(int)walk.value.length, walk.value.text);
}

static struct ik_json_span span_of(const struct ik_buf *text)
{
	return (struct ik_json_span){ text->data, text->length };
}

/* Merge a hook's changes into the arguments, and check these against the schema. */
static void merge_changes(struct ik_hook_work *work, struct hook_process *process)
{
	struct ik_json_span none = { NULL, 0 }, changes = span_of(&process->changes), value;
	struct ik_hook_outcome *outcome = &work->outcome;
	struct ik_json_span before = span_of(outcome->input.length > 0 ? &outcome->input
																   : &work->arguments);
	struct ik_error error = { .text = "" };
	struct ik_buf merged;

	if (changes.length == 0)
		return;
	ik_buf_init(&merged, IK_LIMIT_ARGUMENTS);
	ik_json_open(&merged, '{');
	put_members(&merged, before, changes);
	put_members(&merged, changes, none);
	ik_json_close(&merged, '}');
	if (ik_buf_status(&merged) == IK_OK &&
		ik_json_check(merged.data, merged.length, &value, &error) == IK_OK &&
		(work->schema.length == 0 ||
			ik_schema_validate(span_of(&work->schema), span_of(&work->schema), value, &error) ==
				IK_OK)) {
		ik_buf_clear(&outcome->input);
		ik_buf_append(&outcome->input, merged.data, merged.length);
	} else {
		decide(process, IK_HOOK_DENY,
			ik_format("its changed arguments do not fit the tool's schema: %s", error.text));
	}
	ik_buf_done(&merged);
}

/* Append a text of a hook for the model. */
static void put_text(struct ik_buf *out, const char *name, const char *text)
{
	ik_buf_printf(out, "%s<hook name=\"%s\">\n%s\n</hook>", out->length > 0 ? "\n" : "", name,
		text);
}

/* Append what a hook tells the model, marked as its. */
static void put_context(struct ik_hook_outcome *outcome, const struct hook_process *process)
{
	char *text = words(&process->context, IK_LIMIT_MODEL_OUTPUT);

	if (text[0])
		put_text(&outcome->context, process->name, text);
	free(text);
}

static void put_record(struct ik_hook_work *work, const struct hook_process *process)
{
	static const char *const decisions[] = { NULL, "allow", "ask", "deny" };
	struct ik_buf *out = &work->outcome.record;

	ik_json_printf(out, "{'hook':'%s','path':'%s','event':'%s','duration_ms':%lld", process->name,
		process->path, ik_hook_event_name(work->event), (long long)process->duration_ms);
	if (process->decision != IK_HOOK_NO_OPINION)
		ik_json_printf(out, "'decision':'%s'", decisions[process->decision]);
	if (process->reason)
		ik_json_printf(out, "'reason':'%s'", process->reason);
	if (process->message)
		ik_json_printf(out, "'message':'%s'", process->message);
	if (process->changes.length > 0)
		ik_json_printf(out, "'input':%.*s", (int)process->changes.length, process->changes.data);
	if (process->context.length > 0)
		ik_json_printf(out, "'context':'%s'", process->context.data);
	ik_json_close(out, '}');
}

/* Add what one hook wants. */
static void merge(struct ik_hook_work *work, struct hook_process *process)
{
	struct ik_hook_outcome *outcome = &work->outcome;

	merge_changes(work, process);
	if (process->decision > outcome->decision || (process->end && !outcome->end)) {
		free(outcome->by);
		free(outcome->reason);
		outcome->decision = process->decision;
		outcome->by = ik_strdup(process->name);
		outcome->reason = ik_strdup(process->reason ? process->reason
				: process->message                  ? process->message
													: "");
	}
	outcome->end = outcome->end || process->end;
	put_context(outcome, process);
	put_record(work, process);
	if (!process->message)
		return;
	outcome->messages = ik_alloc_more(outcome->messages, outcome->message_count,
		sizeof(*outcome->messages));
	outcome->messages[outcome->message_count++] = ik_format(_("Hook %s: %s"), process->name,
		process->message);
}

/* All have ended: merge what they want in their order, and report it. */
static void finish(void *arg)
{
	struct ik_hook_work *work = arg;

	ik_json_open(&work->outcome.record, '[');
	for (size_t i = 0; i < work->count; i++)
		merge(work, &work->processes[i]);
	ik_json_close(&work->outcome.record, ']');
	work->over = true;
	if (work->done)
		work->done(work->arg);
	else
		ik_hook_close(work);
}

/* ---- processes ---- */

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct hook_process *process = arg;

	ik_buf_append(&process->output[stream], bytes, length);
	if (ik_buf_status(&process->output[stream]) == IK_OK)
		return;
	process->flooded = true;
	ik_child_cancel(process->child);
}

static void on_end(void *arg, const struct ik_child_result *result)
{
	struct hook_process *process = arg;
	struct ik_hook_work *work = process->work;

	process->duration_ms = result->duration_ms;
	take_end(process, result);
	process->child = ik_child_close(process->child);
	if (--work->left == 0)
		finish(work);
}

/* Note that a hook could not be started. If it may forbid something, but is not the one that was
 * trusted, the user decides. */
static void fail(struct hook_process *process, const struct ik_error *error)
{
	process->work->left--;
	if (error->status == IK_DENIED && process->work->event == IK_HOOK_PRE_TOOL_USE)
		decide(process, IK_HOOK_ASK, ik_strdup(error->text));
	else
		warn(process, ik_strdup(error->text));
}

static enum ik_status spawn(struct hook_process *process, const struct ik_hook *hook,
	const struct ik_hook_call *call, struct ik_error *error)
{
	static const struct ik_child_events events = { on_output, on_end };
	const struct ik_hook_runner *runner = process->work->runner;
	const char *const shell[] = { "sh", "-c", hook->command, NULL };
	const char *const program[] = { hook->path, NULL };
	char *claude = ik_format("CLAUDE_PROJECT_DIR=%s", call->directory);
	char *own = ik_format("IKIGAI_PROJECT_DIR=%s", call->directory);
	const char *const entries[] = { claude, own, NULL };
	const char **environment = ik_environment_with(runner->environment, entries);
	bool ends = call->event == IK_HOOK_SESSION_END && hook->timeout_ms > END_MS;
	const struct ik_child_spec spec = {
		.path = hook->command ? "/bin/sh" : hook->path,
		.identity = hook->pinned && !hook->command ? &hook->identity : NULL,
		.argv = hook->command ? shell : program,
		.environment = environment,
		.directory = call->directory,
		.input = process->input.data,
		.input_length = process->input.length,
		.timeout_ms = ends ? END_MS : hook->timeout_ms,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
	};
	enum ik_status status = IK_OK;

	if (hook->pinned && hook->command && !ik_identity_holds(hook->path, &hook->identity))
		status = ik_error_set(error, IK_DENIED, _("%s was changed since it was trusted"),
			hook->path);
	if (status == IK_OK)
		status = ik_child_start(runner->loop, &spec, &events, process, &process->child, error);
	free(environment);
	free(claude);
	free(own);
	return status;
}

/* Return the program that a command names by a path: the last part of the first such word, preferably
 * of one with a suffix (after an interpreter), or all of the command if there is none. */
static struct ik_json_span program_of(const char *command)
{
	struct ik_json_span found = { command, strlen(command) };
	bool any = false;

	for (const char *at = command; *at;) {
		size_t length = strcspn(at, " \t\r\n");
		const char *end = at + length, *base = end;

		while (end > at && strchr("\"';", end[-1]))
			end--;
		for (base = end; base > at && base[-1] != '/';)
			base--;
		if (base > at && base < end && !memchr(at, '=', (size_t)(base - at))) {
			bool suffix = memchr(base, '.', (size_t)(end - base));

			if (suffix || !any)
				found = (struct ik_json_span){ base, (size_t)(end - base) };
			any = true;
			if (suffix)
				break;
		}
		at += length;
		at += strspn(at, " \t\r\n");
	}
	return found;
}

/* Return the name of a hook, for people: of a command the program's, or its beginning. */
static char *name_of(const struct ik_hook *hook)
{
	struct ik_json_span name;
	struct ik_buf out;

	if (!hook->command)
		return ik_strdup(ik_path_base(hook->path));
	name = program_of(hook->command);
	ik_buf_init(&out, IK_KIB(4));
	ik_utf8_repair(&out, name.text, ik_utf8_cut(name.text, name.length, NAME));
	if (name.length > NAME)
		ik_buf_puts(&out, "…");
	for (size_t i = 0; i < out.length; i++)
		if ((unsigned char)out.data[i] < ' ' || out.data[i] == '"')
			out.data[i] = ' ';
	return ik_buf_take(&out, NULL);
}

static void prepare(struct ik_hook_work *work, struct hook_process *process,
	const struct ik_hook *hook, const struct ik_hook_call *call, const char *name)
{
	process->work = work;
	process->name = name_of(hook);
	process->path = ik_strdup(hook->path);
	ik_buf_init(&process->input, IK_LIMIT_ENVELOPE);
	ik_buf_init(&process->output[IK_STDOUT], OUTPUT);
	ik_buf_init(&process->output[IK_STDERR], OUTPUT);
	ik_buf_init(&process->changes, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&process->context, OUTPUT);
	put_input(call, name, &process->input);
}

static struct ik_hook_work *work_new(struct ik_hook_runner *runner, const struct ik_hook_call *call,
	size_t most)
{
	struct ik_hook_work *work = ik_alloc(sizeof(*work));

	work->runner = runner;
	work->event = call->event;
	work->processes = ik_alloc(most * sizeof(*work->processes));
	ik_buf_init(&work->arguments, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&work->schema, IK_LIMIT_ARGUMENTS);
	ik_buf_append(&work->arguments, call->input.text ? call->input.text : "", call->input.length);
	ik_buf_append(&work->schema, call->schema.text ? call->schema.text : "", call->schema.length);
	ik_buf_init(&work->outcome.input, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&work->outcome.context, IK_LIMIT_USER_TEXT);
	ik_buf_init(&work->outcome.record, IK_LIMIT_ARGUMENTS);
	work->next = runner->works;
	runner->works = work;
	return work;
}

struct ik_hook_work *ik_hook_start(struct ik_hook_runner *runner, const struct ik_hook_call *call,
	ik_hook_done *done, void *arg)
{
	const struct ik_hooks *hooks = runner ? runner->hooks : NULL;
	struct ik_hook_work *work = NULL;
	struct ik_error error;

	for (size_t i = 0; hooks && i < hooks->count; i++) {
		const struct ik_hook *hook = &hooks->items[i];
		struct hook_process *process;
		const char *name;
		char *memory;

		if (hook->event != call->event || hook->state != IK_TRUST_TRUSTED)
			continue;
		name = ik_hook_match(hook, call->subject, &memory);
		if (name) {
			work = work ? work : work_new(runner, call, hooks->count);
			process = &work->processes[work->count++];
			work->left++;
			prepare(work, process, hook, call, name);
			if (spawn(process, hook, call, &error) != IK_OK)
				fail(process, &error);
		}
		free(memory);
	}
	if (!work)
		return NULL;
	work->done = done;
	work->arg = arg;
	if (work->left == 0)
		ik_loop_defer(runner->loop, finish, work);
	return work;
}

const struct ik_hook_outcome *ik_hook_outcome(const struct ik_hook_work *work)
{
	return work->over ? &work->outcome : NULL;
}

const char *ik_hook_running(const struct ik_hook_work *work)
{
	for (size_t i = 0; i < work->count; i++)
		if (work->processes[i].child)
			return work->processes[i].name;
	return "";
}

void ik_hook_cancel(struct ik_hook_work *work)
{
	work->outcome.cancelled = true;
	for (size_t i = 0; i < work->count; i++)
		if (work->processes[i].child)
			ik_child_cancel(work->processes[i].child);
}

/* Release the memory (deferred). */
static void release(void *arg)
{
	struct ik_hook_work *work = arg;

	for (size_t i = 0; i < work->count; i++) {
		struct hook_process *process = &work->processes[i];

		free(process->name);
		free(process->path);
		free(process->reason);
		free(process->message);
		ik_buf_done(&process->input);
		ik_buf_done(&process->output[IK_STDOUT]);
		ik_buf_done(&process->output[IK_STDERR]);
		ik_buf_done(&process->changes);
		ik_buf_done(&process->context);
	}
	for (size_t i = 0; i < work->outcome.message_count; i++)
		free(work->outcome.messages[i]);
	free(work->outcome.messages);
	free(work->outcome.by);
	free(work->outcome.reason);
	ik_buf_done(&work->outcome.input);
	ik_buf_done(&work->outcome.context);
	ik_buf_done(&work->outcome.record);
	ik_buf_done(&work->arguments);
	ik_buf_done(&work->schema);
	free(work->processes);
	free(work);
}

struct ik_hook_work *ik_hook_close(struct ik_hook_work *work)
{
	struct ik_hook_runner *runner;
	struct ik_hook_work **at;

	if (!work)
		return NULL;
	runner = work->runner;
	for (at = &runner->works; *at != work;)
		at = &(*at)->next;
	*at = work->next;
	for (size_t i = 0; i < work->count; i++)
		work->processes[i].child = ik_child_close(work->processes[i].child);
	ik_loop_cancel_deferred(runner->loop, finish, work);
	ik_loop_defer(runner->loop, release, work);
	if (!runner->works && runner->rested)
		ik_loop_defer(runner->loop, runner->rested, runner->arg);
	if (!runner->works)
		runner->rested = NULL;
	return NULL;
}

enum ik_decision ik_hook_decide(enum ik_decision policy, const struct ik_hook_outcome *outcome)
{
	enum ik_hook_decision wanted = outcome ? outcome->decision : IK_HOOK_NO_OPINION;

	if (policy == IK_DECISION_DENY || wanted == IK_HOOK_DENY)
		return IK_DECISION_DENY;
	if (wanted == IK_HOOK_ASK)
		return IK_DECISION_ASK;
	return wanted == IK_HOOK_ALLOW ? IK_DECISION_ALLOW : policy;
}

char *ik_hook_refusal(const struct ik_policy *policy, const char *tool,
	const struct ik_verdict *verdict, const struct ik_hook_outcome *outcome)
{
	bool denied = outcome && outcome->decision == IK_HOOK_DENY;

	if (verdict->decision == IK_DECISION_DENY || (verdict->decision == IK_DECISION_ASK && !denied))
		return ik_policy_denial(policy, tool, verdict);
	return ik_format("Tool '%s' was not run: the hook %s %s%s%s", tool, outcome->by,
		denied ? "denied this call"
			   : "wants the person to be asked first, and there is nobody to ask",
		outcome->reason[0] ? ": " : "", outcome->reason);
}

void ik_hook_put_context(const struct ik_hook_work *before, const struct ik_hook_work *after,
	struct ik_buf *out)
{
	const struct ik_hook_outcome *outcome = before ? ik_hook_outcome(before) : NULL;

	if (outcome)
		ik_buf_append(out, outcome->context.data, outcome->context.length);
	outcome = after ? ik_hook_outcome(after) : NULL;
	if (outcome && outcome->context.length > 0)
		ik_buf_printf(out, "%s%s", out->length > 0 ? "\n" : "", outcome->context.data);
	/* Nothing can be forbidden any more: it is an objection. */
	if (outcome && outcome->decision == IK_HOOK_DENY && !outcome->end && outcome->reason[0])
		put_text(out, outcome->by, outcome->reason);
}

/* ---- the runner ---- */

struct ik_hook_runner *ik_hook_runner_new(struct ik_loop *loop, const char *const *environment)
{
	struct ik_hook_runner *runner = ik_alloc(sizeof(*runner));

	runner->loop = loop;
	runner->environment = environment;
	return runner;
}

struct ik_hook_runner *ik_hook_runner_close(struct ik_hook_runner *runner)
{
	if (!runner)
		return NULL;
	runner->rested = NULL;
	while (runner->works)
		ik_hook_close(runner->works);
	ik_loop_defer(runner->loop, free, runner);
	return NULL;
}

void ik_hook_runner_set(struct ik_hook_runner *runner, const struct ik_hooks *hooks)
{
	runner->hooks = hooks;
}

bool ik_hook_runner_rest(struct ik_hook_runner *runner, void (*rested)(void *arg), void *arg)
{
	if (!runner->works)
		return true;
	runner->rested = rested;
	runner->arg = arg;
	return false;
}
