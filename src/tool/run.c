#include "tool/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guard/sandbox.h"
#include "json/schema.h"
#include "json/write.h"
#include "tool/protocol.h"
#include "tool/returned_files.h"
#include "tool/source.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* Limit on the text of a tool's own error in the envelope's error. */
enum { WORDS_SHOWN = 4096 };
/* Bytes at each end of an output that are searched for a refusal. */
enum { LOOKED_AT = 16384 };

/* One stream of the tool. */
struct run_stream {
	struct ik_buf bytes;
	uint64_t dropped; /* bytes beyond the limit */
};

struct ik_run {
	struct ik_loop *loop;
	struct ik_registry *registry;
	char *name;
	int64_t timeout_ms;
	int waits;             /* number of questions that it waits for, */
	int64_t waiting_since; /* the first of them, or what has been counted */
	int64_t waited_ms;     /* that the time-out is to be longer */
	size_t output_limit;
	struct ik_run_events events;
	void *arg;
	const struct ik_tool *tool; /* of the registry; NULL: not found */
	struct ik_sandbox *sandbox; /* that it ran in, or NULL */
	struct ik_call *call;       /* NULL: not running */
	struct ik_buf arguments;
	struct run_stream streams[2];  /* by enum ik_stream */
	struct ik_output_files *files; /* for what is cut; NULL: none */
	struct ik_fit_options fit;
	struct ik_returned_files *returned; /* pictures and documents in the result; NULL: none */
	struct ik_buf envelope;
	struct ik_run_result result;
};

/* Does either end of an output say that something was refused? */
static bool tells_refusal(const struct ik_buf *output)
{
	const char *const words[] = {
		"ermission denied",
		"peration not permitted",
		"EACCES",
		"EPERM",
		strerror(EACCES),
	};
	size_t skipped = output->length > 2 * LOOKED_AT ? output->length - LOOKED_AT : output->length;
	size_t first = skipped < output->length ? LOOKED_AT : output->length, i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (memmem(output->data, first, words[i], strlen(words[i])) ||
			memmem(output->data + skipped, output->length - skipped, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Add the hint that there was a sandbox if that may be why the call failed. A tool that only reads
 * may have read these words, so it counts only if it failed. */
static void add_hint(struct ik_run *run)
{
	const struct ik_buf *output = &run->streams[IK_STDOUT].bytes;
	struct ik_buf sentence;

	if (!run->sandbox ||
		(run->result.success && run->tool->read_only &&
			!ik_text_starts(output->data, "{\"error\"")))
		return;
	if (!tells_refusal(output) && !tells_refusal(&run->streams[IK_STDERR].bytes) &&
		(run->result.success || !tells_refusal(&run->envelope)))
		return;
	ik_buf_init(&sentence, IK_LIMIT_ARGUMENTS);
	ik_sandbox_put_hint(run->sandbox, &sentence);
	ik_envelope_add(&run->envelope, "hint", sentence.data);
	ik_buf_done(&sentence);
}

/* Report the result, once the files have all of the texts that were cut. */
static void report(void *arg)
{
	struct ik_run *run = arg;

	if (!ik_output_files_write(run->files)) {
		ik_loop_defer(run->loop, report, run);
		return;
	}
	add_hint(run);
	for (int i = 0; i < 2; i++)
		run->result.whole[i] = ik_bytes_take(&run->streams[i].bytes);
	run->result.envelope = run->envelope.data;
	run->result.envelope_length = run->envelope.length;
	run->events.done(run->arg, &run->result);
}

/* Report the result in a turn of its own: the receiver has enough to do with it. */
static void finish(struct ik_run *run, bool truncated)
{
	run->result.truncated = run->result.truncated || truncated;
	ik_loop_defer(run->loop, report, run);
}

/* Fail; message is taken over. */
static void fail(struct ik_run *run, enum ik_tool_failure failure, char *message, int exit_code)
{
	const struct ik_buf *output = &run->streams[IK_STDOUT].bytes;
	const struct ik_buf *errors = &run->streams[IK_STDERR].bytes;
	const struct ik_json_span streams[2] = {
		{ output->data, output->length },
		{ errors->data, errors->length },
	};

	run->result.exit_code = exit_code;
	finish(run,
		ik_envelope_failure(&run->envelope, failure, message, exit_code, streams, run->output_limit,
			run->files));
	free(message);
}

static void call_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_run *run = arg;
	struct run_stream *kept = &run->streams[stream];
	size_t room = kept->bytes.ceiling - kept->bytes.length;

	if (ik_buf_status(&kept->bytes) != IK_OK)
		room = 0; /* out of memory: keep what is there */
	if (length > room)
		kept->dropped += length - room;
	ik_buf_append(&kept->bytes, bytes, length < room ? length : room);
	if (run->events.output)
		run->events.output(run->arg, stream, bytes, length);
}

/* Return "30", "0.5", without the locale's decimal sign (new memory). */
static char *seconds_text(int64_t milliseconds)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_KIB(1));
	ik_json_printf(&text, "%g", (double)milliseconds / 1000);
	return ik_buf_take(&text, NULL);
}

/* Return the error that the value printed by a Kodelet tool reports (new memory); NULL: it does not
 * report one. */
static char *reported_failure(const struct ik_run *run, struct ik_json_span value)
{
	char *message = NULL;
	struct ik_buf words;

	ik_buf_init(&words, 4 * WORDS_SHOWN);
	if (run->tool->protocol == IK_PROTOCOL_KODELET &&
		ik_protocol_kodelet_failure(value, WORDS_SHOWN, &words))
		message = ik_format("Tool '%s' failed: %.*s", run->name,
			(int)ik_utf8_cut(words.data, words.length, WORDS_SHOWN), words.data);
	ik_buf_done(&words);
	return message;
}

static void close_call(struct ik_run *run)
{
	if (run->call)
		run->tool->owner->ops->close_call(run->call);
	run->call = NULL;
}

static void wrap_value(struct ik_run *run, struct ik_json_span value)
{
	bool cut = ik_envelope_value(&run->envelope, value, run->output_limit, run->files);

	if (ik_buf_status(&run->envelope) != IK_OK) {
		ik_buf_clear(&run->envelope);
		ik_envelope_refusal(&run->envelope, IK_TOOL_INVALID_OUTPUT,
			"Its result does not fit into memory");
	} else {
		run->result.success = true;
	}
	finish(run, cut);
}

/* The files in the result are attached to it. */
static void on_returned(void *arg, struct ik_json_span value, const struct ik_attachments *files)
{
	struct ik_run *run = arg;

	run->result.attachments = files;
	wrap_value(run, value);
}

static void take_value(struct ik_run *run, struct ik_json_span value)
{
	char *message = reported_failure(run, value);

	if (message) {
		fail(run, IK_TOOL_CRASHED, message, 0);
		return;
	}
	if (run->fit.program)
		run->returned = ik_returned_files_start(value, &run->fit, run->files, on_returned, run);
	if (!run->returned)
		wrap_value(run, value);
}

static void take_text(struct ik_run *run)
{
	const struct ik_buf *output = &run->streams[IK_STDOUT].bytes;

	run->result.success = true;
	finish(run,
		ik_envelope_text(&run->envelope, output->data, output->length, run->output_limit,
			run->files));
}

/* The tool exited with status 0: its output is JSON, or text if it is Kodelet's or too large to be
 * read at once. */
static void take_answer(struct ik_run *run)
{
	const struct run_stream *output = &run->streams[IK_STDOUT];
	bool large = output->bytes.length > IK_LIMIT_JSON_ANSWER;
	struct ik_json_span value;
	struct ik_buf repaired;

	run->result.exit_code = 0;
	/* One byte may become three, and the limit is for both. */
	ik_buf_init(&repaired, IK_LIMIT_JSON_ANSWER);
	if (output->dropped > 0 && run->tool->protocol == IK_PROTOCOL_NATIVE)
		fail(run, IK_TOOL_INVALID_OUTPUT,
			ik_format("Tool '%s' returned more than %zu bytes", run->name, output->bytes.length),
			0);
	else if (!large &&
		ik_json_check_repaired(output->bytes.data, output->bytes.length, &repaired, &value))
		take_value(run, value);
	else if (large || ik_buf_status(&repaired) != IK_OK ||
		run->tool->protocol == IK_PROTOCOL_KODELET)
		take_text(run);
	else
		fail(run, IK_TOOL_INVALID_OUTPUT, ik_format("Tool '%s' returned invalid JSON", run->name),
			0);
	ik_buf_done(&repaired);
}

static void call_done(void *arg, const struct ik_child_result *result)
{
	struct ik_run *run = arg;
	int code = result->exited ? result->exit_code : 128 + result->signal_number;

	run->result.duration_ms = result->duration_ms;
	run->result.truncated = run->streams[IK_STDOUT].dropped > 0 ||
		run->streams[IK_STDERR].dropped > 0;
	close_call(run);
	if (result->cancelled) {
		fail(run, IK_TOOL_CANCELLED, ik_format("Tool '%s' was cancelled", run->name), -1);
	} else if (result->timed_out) {
		char *seconds = seconds_text(run->timeout_ms);

		fail(run, IK_TOOL_TIMEOUT, ik_format("Tool '%s' timed out after %ss", run->name, seconds),
			-1);
		free(seconds);
	} else if (result->failure) {
		fail(run, IK_TOOL_MCP_ERROR, ik_format("Tool '%s' failed: %s", run->name, result->failure),
			-1);
	} else if (code != 0) {
		fail(run, IK_TOOL_CRASHED,
			ik_format("Tool '%s' crashed with exit code %d", run->name, code), code);
	} else {
		take_answer(run);
	}
}

/* Check the arguments; return what is wrong with them (new memory), or NULL. */
static char *judge_arguments(const struct ik_run *run)
{
	const struct ik_tool *tool = run->tool;
	struct ik_json_span arguments, schema;
	struct ik_error error;

	if (ik_json_check(run->arguments.data, run->arguments.length, &arguments, &error) != IK_OK)
		return ik_format("The arguments of tool '%s' are not valid JSON: %s", run->name,
			error.text);
	if (ik_json_span_type(arguments) != IK_JSON_OBJECT)
		return ik_format("The arguments of tool '%s' have to be a JSON object, not of type %s",
			run->name, ik_json_type_name(ik_json_span_type(arguments)));
	if (tool->parameters &&
		(ik_json_check(tool->parameters, tool->parameters_length, &schema, &error) != IK_OK ||
			ik_schema_validate(schema, schema, arguments, &error) != IK_OK))
		return ik_format("The arguments of tool '%s' do not fit its schema: %s", run->name,
			error.text);
	return NULL;
}

/* Count the time that the run has waited since it was counted. */
static void count_wait(struct ik_run *run)
{
	int64_t now = ik_clock_ms();

	if (run->waits > 0)
		run->waited_ms += now - run->waiting_since;
	run->waiting_since = now;
}

void ik_run_wait(struct ik_run *run, bool waiting)
{
	count_wait(run);
	run->waits += waiting ? 1 : -1;
}

/* The time-out has expired: return what is left of it because of waits. */
static int64_t call_overdue(void *arg)
{
	struct ik_run *run = arg;
	int64_t more;

	count_wait(run);
	more = run->waited_ms;
	if (run->waits > 0 && more < 1000)
		more = 1000;
	run->waited_ms -= more;
	return more > 0 ? more : 0;
}

static void call_ask(void *arg, struct ik_json_span question)
{
	struct ik_run *run = arg;

	run->events.ask(run->arg, question);
}

void ik_run_answer(struct ik_run *run, struct ik_json_span answer)
{
	if (run->call && run->tool->owner->ops->answer_call)
		run->tool->owner->ops->answer_call(run->call, answer);
}

/* Let the tool's source start the call. */
static void begin(struct ik_run *run, const struct ik_run_options *options)
{
	static const struct ik_child_events events = { call_output, call_done };
	const struct ik_tool *tool = run->tool;
	struct ik_call_spec spec = {
		.tool = tool,
		.arguments = run->arguments.data,
		.length = run->arguments.length,
		.timeout_ms = run->timeout_ms,
		.overdue = call_overdue,
		.ask = options->asks ? call_ask : NULL,
		.environments = {
			[IK_PROTOCOL_NATIVE] = options->environment,
			[IK_PROTOCOL_KODELET] = options->kodelet.environment,
		},
		.directory = options->directory,
		.id = options->id,
		.memory_limit = options->memory_limit,
		.door = options->door,
		.sandbox = options->sandbox,
	};
	struct ik_error error = { .text = "" };

	if (tool->owner)
		run->call = tool->owner->ops->call(tool->owner, &spec, &events, run, &error);
	if (run->call && ik_sandbox_confines(options->sandbox, tool->name))
		run->sandbox = options->sandbox;
	if (!run->call && error.status == IK_DENIED)
		fail(run, IK_TOOL_DENIED, ik_format("Tool '%s' was not run: %s", run->name, error.text),
			-1);
	else if (!run->call)
		fail(run, IK_TOOL_SPAWN_FAILED,
			ik_format("Tool '%s' could not be started: %s", run->name, error.text), -1);
}

/* Return the timeout: from the configuration for this tool, else its own, else the general one. */
static int64_t timeout_of(const struct ik_run_options *options, const struct ik_tool *tool)
{
	size_t i;

	for (i = 0; i < options->timeout_count; i++)
		if (ik_text_equal(options->timeouts[i].name, tool->name))
			return options->timeouts[i].seconds * 1000;
	if (tool->protocol == IK_PROTOCOL_KODELET)
		return options->kodelet.timeout_ms;
	return tool->timeout_s > 0 ? (int64_t)tool->timeout_s * 1000 : options->timeout_ms;
}

struct ik_json_span ik_run_arguments(const char *text, size_t length)
{
	while (length > 0 && memchr(" \t\r\n", text[0], 4)) {
		text++;
		length--;
	}
	return length > 0 ? (struct ik_json_span){ text, length } : (struct ik_json_span){ "{}", 2 };
}

/* Does a call read a file with the whole text of an earlier result? If its own result is cut, it is
 * not written to a file again: each call would name a new one. */
static bool reads_output(const struct ik_run_options *options, const char *name, const char *text,
	size_t length)
{
	struct ik_json_span arguments;
	char *path = NULL, *whole, *root;
	bool reads = false;

	if (ik_text_equal(name, "file_read") && ik_json_check(text, length, &arguments, NULL) == IK_OK)
		path = ik_json_string_new(ik_json_member(arguments, "file_path"), NULL);
	if (path) {
		whole = ik_path_join(options->directory, path);
		root = ik_path_canonical(options->outputs);
		reads = ik_path_within(root, whole);
		free(root);
		free(whole);
	}
	free(path);
	return reads;
}

struct ik_run *ik_run_start(const struct ik_run_options *options, struct ik_registry *registry,
	const char *name, const char *arguments, size_t length, const struct ik_run_events *events,
	void *arg)
{
	struct ik_run *run = ik_alloc(sizeof(*run));
	const struct ik_tool *tool = ik_registry_find(registry, name);
	struct ik_json_span text;
	char *wrong;

	run->loop = options->loop;
	run->registry = ik_registry_ref(registry);
	run->name = ik_strdup(name);
	run->tool = tool;
	run->output_limit = options->output_limit;
	if (tool && tool->protocol == IK_PROTOCOL_KODELET)
		run->output_limit = options->kodelet.output_limit < options->output_limit
			? options->kodelet.output_limit
			: options->output_limit;
	run->events = *events;
	run->arg = arg;
	run->result.exit_code = -1;
	ik_buf_init(&run->arguments, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&run->streams[IK_STDOUT].bytes, IK_LIMIT_TOOL_OUTPUT);
	ik_buf_init(&run->streams[IK_STDERR].bytes, IK_LIMIT_TOOL_OUTPUT);
	ik_buf_init(&run->envelope, IK_LIMIT_ENVELOPE);
	if (options->outputs && !reads_output(options, name, arguments, length))
		run->files = ik_output_files_new(options->outputs, options->session,
			options->outputs_limit);
	if (!tool) {
		fail(run, IK_TOOL_NOT_FOUND, ik_format("Tool '%s' not found", name), -1);
		return run;
	}
	run->timeout_ms = timeout_of(options, tool);
	run->fit = (struct ik_fit_options){
		.loop = options->loop,
		.program = options->picture,
		.directory = options->directory,
		.sandbox = options->sandbox,
		.tool = tool->name,
	};
	text = ik_run_arguments(arguments, length);
	ik_buf_append(&run->arguments, text.text, text.length);
	if (ik_buf_status(&run->arguments) != IK_OK) {
		fail(run, IK_TOOL_INVALID_PARAMS,
			ik_format("The arguments of tool '%s' are too large", name), -1);
		return run;
	}
	wrong = judge_arguments(run);
	if (wrong)
		fail(run, IK_TOOL_INVALID_PARAMS, wrong, -1);
	else
		begin(run, options);
	return run;
}

void ik_run_cancel(struct ik_run *run)
{
	if (run->call) {
		run->tool->owner->ops->cancel_call(run->call);
	} else if (run->returned && !run->result.attachments) {
		run->returned = ik_returned_files_close(run->returned);
		fail(run, IK_TOOL_CANCELLED, ik_format("Tool '%s' was cancelled", run->name), -1);
	}
}

/* Deferred: free the memory. */
static void release(void *arg)
{
	struct ik_run *run = arg;

	ik_buf_done(&run->arguments);
	ik_buf_done(&run->streams[IK_STDOUT].bytes);
	ik_buf_done(&run->streams[IK_STDERR].bytes);
	for (int i = 0; i < 2; i++)
		ik_bytes_unref(run->result.whole[i]);
	ik_buf_done(&run->envelope);
	run->files = ik_output_files_free(run->files);
	ik_registry_unref(run->registry);
	free(run->name);
	free(run);
}

struct ik_run *ik_run_close(struct ik_run *run)
{
	if (!run)
		return NULL;
	close_call(run);
	run->returned = ik_returned_files_close(run->returned);
	ik_loop_cancel_deferred(run->loop, report, run);
	ik_loop_defer(run->loop, release, run);
	return NULL;
}
