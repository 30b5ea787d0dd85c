#include "agent/session/runs.h"

#include <stdlib.h>
#include <string.h>

#include "agent/reply.h"
#include "agent/session/commands.h"
#include "json/write.h"
#include "loop/child.h"
#include "loop/orphans.h"
#include "tool/display.h"
#include "tool/envelope.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* For a command: time from SIGTERM to SIGKILL, and time to wait for output after its end. */
enum { KILL_AFTER_MS = 2000, GRACE_MS = 250 };

/* If a command's output is too long, its beginning and end are kept, each up to this size. */
#define HALF (IK_LIMIT_OWN_OUTPUT / 2)

/* Limit on waiting until the conversation before a call is on disk. */
#define SYNC_MS 1000

/* Limits on calls that the processes of calls make: how deep, and how many of one call at once. */
#define DEPTH 3
#define CHILDREN 8

/* A running call or command. */
struct tool_run {
	struct tool_run *next;
	struct ik_runs *runs;
	struct ik_run *run;                 /* NULL: not yet started, or ended */
	const struct ik_run_result *result; /* that is kept; or NULL */
	char *shell;                        /* the user's shell command; NULL: a tool */
	struct ik_child *child;             /* process of the command */
	struct ik_buf head, tail;           /* its output */
	size_t left_out;                    /* bytes left out between head and tail */
	bool own;                           /* the user's, or made by its processes */
	struct tool_run *parent;            /* whose process made this call; NULL: none did */
	int depth;                          /* number of parents */
	struct ik_command *command;         /* which waits for the result; NULL: none */
	char key[IK_UUID_TEXT];             /* of its processes; "": they have no commands */
	bool asking;                        /* the user is asked whether it may run, */
	bool allowed;                       /* or it may, */
	bool granted;                       /* because the user said so */
	bool inquiring;                     /* it runs, and wants to know something from the user */
	bool ending;                        /* its processes may make no more calls */
	bool start_emitted;                 /* for a call that the turn doesn't know */
	bool released;       /* it reports nothing more and is not in the list any more */
	struct ik_slot slot; /* for a model's call */
	int call;            /* the turn's number of it; negative: a process made it */
	int round;
	char *id;
	char *name;
	char *line; /* what it does, in words; set when it starts */
	struct ik_buf arguments;
	struct ik_store_read *sync;         /* writes the conversation to disk before the call */
	struct ik_timer *patience;          /* limits the time of sync */
	struct ik_recording *recording;     /* of its changes to files; NULL: none */
	struct ik_preparation *preparation; /* NULL: nothing was to be prepared */
};

struct ik_runs {
	struct ik_runs_options options;
	struct ik_session_record *record;
	struct ik_registry *registry;
	struct ik_commands *commands; /* NULL: not needed yet */
	bool no_commands;             /* they can't be made */
	bool tools_ready;
	int slots_held;
	int own_count;   /* number of the user's so far, and of those by processes */
	int child_count; /* of these alone */
	struct tool_run *first;
};

/* Free the run (deferred). */
static void run_free(void *arg)
{
	struct tool_run *run = arg;

	free(run->id);
	free(run->name);
	free(run->line);
	free(run->shell);
	ik_buf_done(&run->arguments);
	ik_buf_done(&run->head);
	ik_buf_done(&run->tail);
	free(run);
}

/* Return the running call with this key; key NULL: one with any. */
static struct tool_run *find_key(const struct ik_runs *runs, const char *key)
{
	struct tool_run *run = runs->first;

	while (run && (!run->key[0] || (key && !ik_text_equal(run->key, key))))
		run = run->next;
	return run;
}

/* Remove a run, which has no children, from the list; it reports nothing more. */
static void run_release(struct tool_run *run)
{
	struct tool_run **at = &run->runs->first;

	while (*at != run)
		at = &(*at)->next;
	*at = run->next;
	run->released = true;
	run->sync = ik_store_read_close(run->sync);
	run->patience = ik_timer_close(run->patience);
	run->recording = ik_recording_close(run->recording);
	if (run->preparation)
		run->runs->options.preparer->close(run->preparation);
	run->preparation = NULL;
	run->run = ik_run_close(run->run);
	run->child = ik_child_close(run->child);
	if (run->runs->options.slots)
		ik_slots_give_back(run->runs->options.slots, &run->slot);
	if (run->key[0] && !find_key(run->runs, NULL))
		ik_commands_hang_up(run->runs->commands);
	ik_loop_defer(run->runs->record->loop, run_free, run);
}

/* Return the id of the call from which a call stems, through its parents; NULL: it has none. */
static const char *root_id(const struct tool_run *run)
{
	const struct tool_run *root = run;

	while (root->parent)
		root = root->parent;
	return root == run ? NULL : root->id;
}

static struct ik_event run_event(const struct tool_run *run, enum ik_event_kind kind)
{
	return (struct ik_event){
		.kind = kind,
		.round = run->round,
		.id = run->id,
		.name = run->name,
		.parent = root_id(run),
	};
}

/* Begin or end a question about a call, which those that wait for it have time for. */
static void set_asking(struct tool_run *run, bool asking)
{
	run->asking = asking;
	for (const struct tool_run *parent = run->parent; parent; parent = parent->parent)
		if (parent->run)
			ik_run_wait(parent->run, asking);
}

/* The user is no longer asked about a call, or by it. */
static void end_question(struct tool_run *run)
{
	struct ik_event event = run_event(run, IK_EVENT_ASKED);

	if (!run->asking && !run->inquiring)
		return;
	if (run->asking)
		set_asking(run, false);
	run->inquiring = false;
	ik_session_record_emit(run->runs->record, &event);
}

/* Emit what a call wants to know from the user. */
static void on_ask(void *arg, struct ik_json_span question)
{
	struct tool_run *run = arg;
	struct ik_event event = run_event(run, IK_EVENT_QUESTION);

	end_question(run);
	if (run->released || !question.text)
		return;
	run->inquiring = true;
	event.text = question.text;
	event.text_length = question.length;
	ik_session_record_emit(run->runs->record, &event);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct tool_run *run = arg;
	struct ik_event event = run_event(run, IK_EVENT_TOOL_OUTPUT);

	event.is_stderr = stream == IK_STDERR;
	event.text = bytes;
	event.text_length = length;
	ik_session_record_emit(run->runs->record, &event);
}

/* Get the complete output of a tool (borrowed). */
static void get_whole(struct ik_bytes *whole[2], const struct ik_run_result *result)
{
	whole[0] = result->truncated ? result->whole[IK_STDOUT] : NULL;
	whole[1] = result->whole[IK_STDERR];
}

/* Return what a call does, in words. */
static const char *line_of(struct tool_run *run)
{
	const struct ik_tool *tool = ik_registry_find(run->runs->registry, run->name);

	if (!run->line)
		run->line = ik_display_line(tool ? tool->display : NULL, run->name, run->arguments.data,
			run->arguments.length);
	return run->line;
}

/* Emit the start of a user's call. */
static void emit_started(struct tool_run *run)
{
	struct ik_event event = run_event(run, IK_EVENT_TOOL_STARTED);

	run->start_emitted = true;
	if (run->parent)
		event.detail = line_of(run);
	event.text = run->arguments.data;
	event.text_length = run->arguments.length;
	ik_session_record_emit(run->runs->record, &event);
}

/* Store and emit the end of a call that the turn does not know about, as a command with line and
 * output. */
static void end_own(struct tool_run *run, const char *line, struct ik_json_span output,
	const struct ik_run_result *result)
{
	struct ik_session_record *record = run->runs->record;
	struct ik_event event = run_event(run, IK_EVENT_TOOL_DONE);
	struct ik_own own = {
		.name = run->name,
		.arguments = run->arguments.data,
		.arguments_length = run->arguments.length,
		.duration_ms = result->duration_ms,
		.exit_code = result->exit_code,
		/* The user's own call gets another id when it is stored. */
		.parent = run->own ? NULL : event.parent,
	};

	if (!run->start_emitted)
		emit_started(run);
	get_whole(event.whole, result);
	for (int i = 0; i < 2; i++)
		own.kept[i] = ik_bytes_length(event.whole[i]);
	event.message = ik_message_own(line, &own, output.text, output.length);
	if (result->attachments)
		event.message = ik_message_with_attachments(event.message, result->attachments);
	if (run->parent)
		event.message = ik_hooked_forget(run->runs->options.hooked, run->id, event.message);
	event.text = result->envelope;
	event.text_length = result->envelope_length;
	event.duration_ms = result->duration_ms;
	ik_session_record_add(record, event.message);
	ik_session_record_add_blobs(record, event.message, event.whole);
	ik_session_record_emit(record, &event);
	ik_message_unref(event.message);
}

static void cut_children(struct tool_run *parent);
static void start_children(struct tool_run *parent);

/* Pass the result of a tool to the turn; or store it if the call is the user's or a process's, and
 * pass it to that. */
static void deliver(struct tool_run *run, const struct ik_run_result *result)
{
	const struct ik_json_span envelope = { result->envelope, result->envelope_length };
	const struct ik_runs *runs = run->runs;
	struct ik_input input = {
		.kind = IK_INPUT_TOOL_DONE,
		.call = run->call,
		.text = envelope.text,
		.text_length = envelope.length,
		.success = result->success,
		.duration_ms = result->duration_ms,
		.truncated = result->truncated,
		.attachments = result->attachments,
	};

	cut_children(run);
	end_question(run);
	/* The sink may have closed the session. */
	if (run->released)
		return;
	/* Remove it first, so that the sink finds the session idle. */
	run_release(run);
	if (run->command)
		ik_command_done(run->command, result);
	if (run->own || run->parent) {
		char *line = ik_format("%s%s %s", run->parent ? "" : "/run ", run->name,
			run->arguments.data);

		end_own(run, line, envelope, result);
		free(line);
		if (run->parent)
			start_children(run->parent);
	} else {
		get_whole(input.whole, result);
		runs->options.done(runs->options.arg, &input);
	}
}

/* Deliver the result of a call. */
static void end_run(struct tool_run *run, const struct ik_run_result *result)
{
	struct ik_run *done = run->run;

	run->result = NULL;
	/* What hooks did after the call is undone with it. */
	run->recording = ik_recording_end(run->recording);
	run->run = NULL; /* result's pointers are valid until the run is closed */
	deliver(run, result);
	ik_run_close(done);
}

/* End a call that does not run, or not any more, with a failure. */
static void refuse(struct tool_run *run, enum ik_tool_failure failure, const char *message)
{
	struct ik_buf envelope;

	ik_buf_init(&envelope, IK_KIB(64));
	ik_envelope_refusal(&envelope, failure, message);
	deliver(run,
		&(struct ik_run_result){
			.envelope = envelope.data,
			.envelope_length = envelope.length,
			.exit_code = -1,
		});
	ik_buf_done(&envelope);
}

static struct ik_judged_call judged(const struct tool_run *run)
{
	return (struct ik_judged_call){
		.call = run->call,
		.id = run->id,
		.name = run->name,
		.arguments = { run->arguments.data, run->arguments.length },
		.is_asking = run->asking,
	};
}

static void on_done(void *arg, const struct ik_run_result *result)
{
	struct tool_run *run = arg;
	const struct ik_judged_call call = judged(run);

	cut_children(run);
	if (!run->released)
		end_question(run);
	if (run->released)
		return;
	if ((!run->own || run->parent) &&
		ik_hooked_ended(run->runs->options.hooked, &call,
			(struct ik_json_span){ result->envelope, result->envelope_length }))
		run->result = result;
	else
		end_run(run, result);
}

/* Append a run to the list. Strings are copied. id is that of a model's call, or NULL for the
 * user's. */
static struct tool_run *run_add(struct ik_runs *runs, const char *id, const char *name,
	struct ik_json_span arguments)
{
	struct tool_run *run = ik_alloc(sizeof(*run)), **end = &runs->first;

	run->runs = runs;
	run->own = !id;
	run->id = id ? ik_strdup(id) : ik_format(IK_OWN_CALL_ID "%d", ++runs->own_count);
	run->name = ik_strdup(name);
	ik_buf_init(&run->arguments, IK_LIMIT_ARGUMENTS);
	ik_buf_append(&run->arguments, arguments.text, arguments.length);
	ik_buf_init(&run->head, IK_LIMIT_OWN_OUTPUT);
	ik_buf_init(&run->tail, 4 * IK_LIMIT_OWN_OUTPUT);
	/* Append it, so that runs that wait for the tools start in order. */
	while (*end)
		end = &(*end)->next;
	*end = run;
	return run;
}

static bool have_commands(struct ik_runs *runs);

/* Does the tool of a call run commands, which are to find all tools? */
static bool needs_commands(const struct tool_run *run)
{
	const struct ik_tool *tool = ik_registry_find(run->runs->registry, run->name);
	const char *display = tool ? tool->display : NULL;

	return display &&
		ik_display_kind((struct ik_json_span){ display, strlen(display) }) == IK_DISPLAY_EXECUTE;
}

/* Start the tool, now that what it may overwrite is recorded. */
static void start_tool(void *arg)
{
	static const struct ik_run_events events = { on_output, on_done, on_ask };
	struct tool_run *run = arg;
	struct ik_runs *runs = run->runs;
	struct ik_run_options options = runs->options.run;
	char *texts[2] = { NULL, NULL };
	const char **environment = NULL;

	if (run->released || runs->record->closing)
		return;
	options.id = run->id;
	options.session = runs->record->id;
	options.asks = options.asks && !run->parent; /* whose time would run out */
	if (needs_commands(run) && have_commands(runs)) {
		ik_uuid_new(run->key);
		environment = ik_commands_environment(runs->commands, run->key, options.environment, texts);
		options.environment = environment;
		options.door = ik_commands_door(runs->commands);
	}
	run->run = ik_run_start(&options, runs->registry, run->name, run->arguments.data,
		run->arguments.length, &events, run);
	free(environment);
	free(texts[0]);
	free(texts[1]);
}

/* Continue when the conversation before the call is on disk, or cannot be written now. */
static void on_synced(void *arg, const struct ik_store_answer *answer)
{
	struct tool_run *run = arg;

	run->sync = NULL;
	ik_timer_stop(run->patience);
	start_tool(run);
}

/* Continue without waiting any longer. */
static void on_late(void *arg)
{
	struct tool_run *run = arg;

	run->sync = ik_store_read_close(run->sync);
	start_tool(run);
}

/* Start the tool. If it may change something, first write the conversation to disk, so that the
 * session says what happened even after a power failure. */
static void sync_and_start(void *arg)
{
	struct tool_run *run = arg;
	struct ik_session_record *record = run->runs->record;
	const struct ik_tool *tool = ik_registry_find(run->runs->registry, run->name);

	if (run->released || record->closing)
		return;
	if (tool && !tool->read_only)
		run->sync = ik_store_sync(record->store, record->id, on_synced, run);
	if (!run->sync) {
		start_tool(run);
		return;
	}
	run->patience = ik_timer_new(record->loop, on_late, run);
	ik_timer_start(run->patience, SYNC_MS);
}

/* Record what the call may overwrite, then start it. */
static void record_and_start(struct tool_run *run)
{
	struct ik_runs *runs = run->runs;
	const struct ik_tool *tool = ik_registry_find(runs->registry, run->name);

	const struct ik_recorded_call call = {
		.tool = tool,
		.name = run->name,
		.line = line_of(run),
		.id = run->id,
		.arguments = run->arguments.data,
		.arguments_length = run->arguments.length,
		.own = run->own,
	};

	if (ik_recording_start(runs->options.recorder, &call, sync_and_start, run, &run->recording))
		sync_and_start(run);
}

static void on_prepared(void *arg, struct ik_json_span arguments)
{
	struct tool_run *run = arg;

	if (run->released || run->runs->record->closing)
		return;
	if (arguments.text) {
		ik_buf_clear(&run->arguments);
		ik_buf_append(&run->arguments, arguments.text, arguments.length);
	}
	record_and_start(run);
}

/* Start a call, after what it is about was prepared. */
static void run_start(void *arg)
{
	struct tool_run *run = arg;
	const struct ik_runs_options *options = &run->runs->options;
	const struct ik_tool *tool = ik_registry_find(run->runs->registry, run->name);
	struct ik_json_span arguments;

	if (options->preparer && tool &&
		ik_json_check(run->arguments.data, run->arguments.length, &arguments, NULL) == IK_OK)
		run->preparation = options->preparer->start(options->preparer_arg, tool, arguments,
			on_prepared, run);
	if (!run->preparation)
		record_and_start(run);
}

void ik_runs_start(struct ik_runs *runs, const struct ik_effect *effect,
	struct ik_json_span arguments)
{
	struct tool_run *run = run_add(runs, effect->event.id, effect->event.name, arguments);

	run->call = effect->call;
	run->round = effect->event.round;
	run->slot.begin = run_start;
	run->slot.arg = run;
	run->slot.owner = &runs->slots_held;
	if (!runs->options.slots || ik_slots_take(runs->options.slots, &run->slot))
		run_start(run);
}

/* Emit the start of a user's call, and start it unless the sink cancels it. */
static void start_own(struct tool_run *run)
{
	emit_started(run);
	if (!run->released)
		run_start(run);
}

void ik_runs_start_own(struct ik_runs *runs, const char *name, struct ik_json_span arguments)
{
	struct tool_run *run = run_add(runs, NULL, name, arguments);

	if (runs->tools_ready)
		start_own(run);
	else
		ik_session_record_emit_text(runs->record, IK_EVENT_WAITING, _("Loading tools…"));
}

/* ---- calls that the processes of a call make ---- */

/* Return the number of a call's calls that run. */
static int running_children(const struct tool_run *parent)
{
	int count = 0;

	for (const struct tool_run *run = parent->runs->first; run; run = run->next)
		count += run->parent == parent && run->start_emitted;
	return count;
}

static void cut(struct tool_run *run);

/* Start the calls that may run, up to the limit. */
static void start_children(struct tool_run *parent)
{
	struct tool_run *run = parent->runs->first;

	/* Start over each time: the sink may cancel other runs. */
	while (!parent->ending && run && running_children(parent) < CHILDREN) {
		if (run->parent != parent || run->start_emitted || !run->allowed) {
			run = run->next;
		} else {
			start_own(run);
			run = parent->runs->first;
		}
	}
}

/* Cancel the calls of a call that ends. */
static void cut_children(struct tool_run *parent)
{
	struct tool_run *run = parent->runs->first;

	parent->ending = true;
	while (!parent->released && run) {
		if (run->parent != parent) {
			run = run->next;
		} else {
			cut(run);
			run = parent->runs->first;
		}
	}
}

/* Let a call start as soon as the limit allows it. */
static void allow(struct tool_run *run)
{
	end_question(run);
	run->allowed = true;
	start_children(run->parent);
}

/* Let hooks and the policy decide about a call. */
static void judge(struct tool_run *run)
{
	const struct ik_runs_options *options = &run->runs->options;
	const struct ik_judged_call call = judged(run);
	struct ik_event event = run_event(run, IK_EVENT_ASKING);
	char *text = NULL, *why;
	enum ik_turn_verdict verdict = options->judge(options->arg, &call, &text);
	struct ik_json_span arguments = ik_hooked_arguments(options->hooked, run->id, call.arguments);

	if (arguments.text != call.arguments.text) {
		ik_buf_clear(&run->arguments);
		ik_buf_append(&run->arguments, arguments.text, arguments.length);
	}
	if (verdict == IK_TURN_DENY) {
		refuse(run, IK_TOOL_DENIED, text);
	} else if (verdict == IK_TURN_ALLOW) {
		allow(run);
	} else if (verdict == IK_TURN_ASK && !run->asking) {
		run->allowed = false;
		set_asking(run, true);
		/* Translators: why the user is asked about a call, a sentence; then the call that makes it. */
		why = ik_format(_("%s The call comes from a command: %s"), text, run->parent->line);
		event.text = arguments.text;
		event.text_length = arguments.length;
		event.detail = why;
		ik_session_record_emit(run->runs->record, &event);
		free(why);
	}
	free(text);
}

void ik_runs_answer(struct ik_runs *runs, const char *id, bool allowed, const char *denial)
{
	struct tool_run *run = runs->first;

	while (run && (!run->asking || !ik_text_equal(run->id, id)))
		run = run->next;
	if (!run)
		return;
	run->granted = allowed;
	if (allowed)
		allow(run);
	else
		refuse(run, IK_TOOL_DENIED, denial);
}

void ik_runs_answer_question(struct ik_runs *runs, const char *id, struct ik_json_span answer)
{
	struct tool_run *run = runs->first;

	while (run && !(run->inquiring && ik_text_equal(run->id, id)))
		run = run->next;
	if (!run)
		return;
	end_question(run);
	if (!run->released)
		ik_run_answer(run->run, answer);
}

bool ik_runs_rule(struct ik_runs *runs, int call)
{
	struct tool_run *run = runs->first;

	/* Those of the user have the number 0, as the end of a turn. */
	while (run && (run->call != call || call == 0))
		run = run->next;
	if (run && run->result)
		end_run(run, run->result);
	else if (run && run->parent && !run->allowed)
		judge(run);
	return run;
}

/* Return the next call by a process, after the one with that number, that has not started, and that
 * the user has not allowed. */
static struct tool_run *next_open(const struct ik_runs *runs, int call)
{
	struct tool_run *run = runs->first;

	while (run &&
		(run->call >= call || run->start_emitted || run->granted || !(run->asking || run->allowed)))
		run = run->next;
	return run;
}

void ik_runs_judge_again(struct ik_runs *runs)
{
	struct tool_run *run;
	int call = 0;

	/* Look for each anew: the sink may end other runs. */
	while ((run = next_open(runs, call))) {
		call = run->call;
		judge(run);
	}
}

/* Start a call for a process. */
static void *start_for_process(void *arg, const char *key, struct ik_command *command,
	const char *name, struct ik_json_span arguments, const char **ret_wrong)
{
	struct ik_runs *runs = arg;
	struct tool_run *parent = find_key(runs, key), *run;

	if (!parent || parent->ending)
		return NULL;
	if (parent->depth == DEPTH) {
		*ret_wrong = "calls from commands can't be nested deeper than 3 levels";
		return NULL;
	}
	arguments = ik_run_arguments(arguments.text, arguments.length);
	run = run_add(runs, NULL, name, arguments);
	run->own = parent->own;
	run->parent = parent;
	run->depth = parent->depth + 1;
	run->round = parent->round;
	run->command = command;
	run->call = -++runs->child_count;
	judge(run);
	return run;
}

static bool knows_key(void *arg, const char *key)
{
	return find_key(arg, key);
}

/* Cancel a call whose process has ended. */
static void cancel_for_process(void *arg, void *call)
{
	struct tool_run *run = call;

	run->command = NULL;
	if (run->run)
		ik_run_cancel(run->run);
	else
		cut(run);
}

/* Make the commands if there are none yet. Return false if that is impossible. */
static bool have_commands(struct ik_runs *runs)
{
	const struct ik_runs_options *options = &runs->options;

	if (!runs->commands && !runs->no_commands && options->commands_root)
		runs->commands = ik_commands_new(&(struct ik_commands_options){
			.loop = runs->record->loop,
			.root = options->commands_root,
			.program = options->commands_program,
			.start = start_for_process,
			.knows = knows_key,
			.cancel = cancel_for_process,
			.arg = runs,
		});
	runs->no_commands = !runs->commands;
	if (runs->commands)
		ik_commands_set_registry(runs->commands, runs->registry);
	return runs->commands;
}

/* ---- commands ---- */

/* Emit a piece of a command's output, and keep it up to the limit. */
static void on_command_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct tool_run *run = arg;
	size_t room = HALF - run->head.length, first = length < room ? length : room;

	ik_buf_append(&run->head, bytes, first);
	ik_buf_append(&run->tail, bytes + first, length - first);
	if (run->tail.length > 2 * HALF) {
		run->left_out += run->tail.length - HALF;
		ik_buf_consume(&run->tail, run->tail.length - HALF);
	}
	on_output(run, IK_STDOUT, bytes, length);
}

/* Append the output that was kept, and how the command ended unless it succeeded. */
static void put_output(struct ik_buf *out, const struct tool_run *run,
	const struct ik_child_result *result)
{
	size_t cut = run->tail.length > HALF ? run->tail.length - HALF : 0;

	ik_utf8_repair(out, run->head.data, run->head.length);
	if (run->left_out + cut > 0)
		ik_buf_printf(out, "\n[%zu bytes left out]\n", run->left_out + cut);
	ik_utf8_repair(out, run->tail.data + cut, run->tail.length - cut);
	if (!result->cancelled && result->exited && result->exit_code == 0)
		return;
	if (out->length > 0 && out->data[out->length - 1] != '\n')
		ik_buf_putc(out, '\n');
	if (result->cancelled)
		ik_buf_puts(out, "[cancelled]");
	else if (result->exited)
		ik_buf_printf(out, "[exit code %d]", result->exit_code);
	else
		ik_buf_printf(out, "[ended by signal %d]", result->signal_number);
}

/* End a command, with its output and, as a shell counts it, its exit code. */
static void end_command(struct tool_run *run, struct ik_json_span output, int exit_code,
	int64_t duration_ms)
{
	char *line = ik_format("!%s", run->shell);
	struct ik_buf envelope;

	run_release(run); /* remove it first, as above */
	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	ik_envelope_open(&envelope);
	ik_json_put_string(&envelope, output.text, output.length);
	ik_envelope_close(&envelope, false);
	end_own(run, line, output,
		&(struct ik_run_result){
			.envelope = envelope.data,
			.envelope_length = envelope.length,
			.exit_code = exit_code,
			.duration_ms = duration_ms,
		});
	ik_buf_done(&envelope);
	free(line);
}

static void on_command_done(void *arg, const struct ik_child_result *result)
{
	int exit_code = result->exited ? result->exit_code : 128 + result->signal_number;
	struct ik_buf output;

	ik_buf_init(&output, IK_LIMIT_ENVELOPE);
	put_output(&output, arg, result);
	end_command(arg, (struct ik_json_span){ output.data, output.length }, exit_code,
		result->duration_ms);
	ik_buf_done(&output);
}

/* Start the shell. Return false with error set on failure. */
static bool spawn(struct tool_run *run, struct ik_error *error)
{
	static const struct ik_child_events events = { on_command_output, on_command_done };
	const struct ik_runs *runs = run->runs;
	/* Use one stream, so that all output is in the order in which it was written. */
	char *script = ik_format("exec 2>&1; %s", run->shell);
	char *id_entry = ik_format("%s=%s", IK_CALL_VARIABLE, run->id);
	const char *const argv[] = { "sh", "-c", script, NULL };
	const char *const entries[] = { id_entry, NULL };
	const char **environment = ik_environment_with(runs->options.run.environment, entries);
	const struct ik_child_spec spec = {
		.path = "/bin/sh",
		.argv = argv,
		.environment = environment,
		.directory = runs->record->directory,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
	};
	bool started = ik_child_start(runs->record->loop, &spec, &events, run, &run->child, error) ==
		IK_OK;

	free(environment);
	free(id_entry);
	free(script);
	return started;
}

void ik_runs_start_command(struct ik_runs *runs, const char *command)
{
	struct tool_run *run;
	struct ik_buf arguments;
	struct ik_error error;
	bool started;

	ik_buf_init(&arguments, IK_LIMIT_ARGUMENTS);
	ik_json_printf(&arguments, "{'command':'%s'}", command);
	run = run_add(runs, NULL, IK_OWN_COMMAND,
		(struct ik_json_span){ arguments.data, arguments.length });
	run->shell = ik_strdup(command);
	started = spawn(run, &error);
	emit_started(run);
	if (!started && !run->released)
		end_command(run, (struct ik_json_span){ error.text, strlen(error.text) }, 127, 0);
	ik_buf_done(&arguments);
}

/* ---- all of them ---- */

/* Start the user's calls that waited for the tools. */
static void start_waiting(struct ik_runs *runs)
{
	struct tool_run *run = runs->first;

	/* Start over each time: the sink may cancel other runs. */
	while (run) {
		if (!run->own || run->parent || run->start_emitted) {
			run = run->next;
		} else {
			start_own(run);
			run = runs->first;
		}
	}
}

void ik_runs_set_registry(struct ik_runs *runs, struct ik_registry *registry, bool ready)
{
	runs->registry = registry;
	runs->tools_ready = ready;
	if (runs->commands)
		ik_commands_set_registry(runs->commands, registry);
	if (!ready)
		return;
	start_waiting(runs);
	ik_runs_judge_again(runs); /* a name may now be a different tool */
}

/* Return the first of the model's runs (own: the user's); waiting: only those not yet started that no
 * process made. NULL: none. */
static struct tool_run *find(const struct ik_runs *runs, bool own, bool waiting)
{
	struct tool_run *run = runs->first;

	while (run && (run->own != own || (waiting && (run->run || run->shell || run->parent))))
		run = run->next;
	return run;
}

/* End a run at once, as cancelled. */
static void cut(struct tool_run *run)
{
	char *message;

	if (run->shell) {
		on_command_done(run, &(struct ik_child_result){ .cancelled = true });
		return;
	}
	message = ik_format("Tool '%s' was cancelled", run->name);
	refuse(run, IK_TOOL_CANCELLED, message);
	free(message);
}

bool ik_runs_is_empty(const struct ik_runs *runs)
{
	return !runs->first;
}

void ik_runs_cancel(struct ik_runs *runs, bool own)
{
	struct tool_run *run;

	for (run = runs->first; run; run = run->next)
		run->ending = run->ending || run->own == own;
	/* Cancel waiting runs first, so that none starts in place of one that ends. Start over each
	 * time, as above. */
	while ((run = find(runs, own, true)))
		cut(run);
	/* A call by a process ends with that. If it ended before, the process would go on. */
	for (run = runs->first; run; run = run->next) {
		if (run->own == own && run->run && !run->parent)
			ik_run_cancel(run->run);
		else if (run->own == own && run->child)
			ik_child_cancel(run->child);
	}
}

void ik_runs_drop(struct ik_runs *runs)
{
	struct tool_run *run;

	while ((run = find(runs, false, false))) {
		cut_children(run);
		if (!run->released)
			end_question(run);
		if (!run->released)
			run_release(run);
	}
}

struct ik_runs *ik_runs_new(const struct ik_runs_options *options)
{
	struct ik_runs *runs = ik_alloc(sizeof(*runs));

	runs->options = *options;
	runs->record = options->record;
	return runs;
}

struct ik_runs *ik_runs_close(struct ik_runs *runs)
{
	struct tool_run *run;

	ik_runs_drop(runs);
	while ((run = find(runs, true, false)))
		cut(run);
	runs->commands = ik_commands_close(runs->commands);
	ik_loop_defer(runs->record->loop, free, runs);
	return NULL;
}
