#include "tool/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/json.h"
#include "json/schema.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* From SIGTERM to SIGKILL, and how long output is awaited after the leader's end. */
enum { KILL_AFTER_MS = 2000, GRACE_MS = 250 };

/* One stream of the tool, as kept. */
struct stream {
	struct ik_buf bytes;
	uint64_t dropped; /* beyond what is kept */
};

struct ik_run {
	struct ik_loop *loop;
	struct ik_registry *registry;
	char *name;
	int64_t timeout_ms;
	size_t output_limit;
	struct ik_run_events events;
	void *arg;
	struct ik_child *child;
	struct ik_buf arguments;
	struct stream streams[2]; /* by enum ik_stream */
	struct ik_buf envelope;
	struct ik_run_result result;
};

/* Tell the outcome. */
static void report(void *arg)
{
	struct ik_run *run = arg;
	struct ik_buf *output = &run->streams[IK_STDOUT].bytes;
	struct ik_buf *errors = &run->streams[IK_STDERR].bytes;

	run->result.envelope = run->envelope.data;
	run->result.envelope_length = run->envelope.length;
	run->result.output = output->data;
	run->result.output_length = output->length;
	run->result.errors = errors->data;
	run->result.errors_length = errors->length;
	run->events.done(run->arg, &run->result);
}

/* Write the envelope of a failure. */
static void put_failure(struct ik_run *run, enum ik_tool_failure failure, const char *message,
	int exit_code)
{
	const struct ik_buf *output = &run->streams[IK_STDOUT].bytes;
	const struct ik_buf *errors = &run->streams[IK_STDERR].bytes;

	ik_envelope_failure(&run->envelope, failure, message, exit_code, output->data,
		output->length, errors->data, errors->length, run->output_limit);
	run->result.success = false;
	run->result.exit_code = exit_code;
	if (output->length + errors->length > run->output_limit)
		run->result.truncated = true;
}

/* Fail before there is a process; message is taken over. */
static void refuse(struct ik_run *run, enum ik_tool_failure failure, char *message)
{
	put_failure(run, failure, message, -1);
	free(message);
	ik_loop_defer(run->loop, report, run);
}

static void child_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_run *run = arg;
	struct stream *kept = &run->streams[stream];
	size_t room = kept->bytes.ceiling - kept->bytes.length;

	if (ik_buf_status(&kept->bytes) != IK_OK)
		room = 0; /* no memory: what is there stays */
	if (length > room)
		kept->dropped += length - room;
	ik_buf_append(&kept->bytes, bytes, length < room ? length : room);
	if (run->events.output != NULL)
		run->events.output(run->arg, stream, bytes, length);
}

/* "30", "0.5", without the locale's decimal sign. New memory. */
static char *seconds_text(int64_t milliseconds)
{
	char *text = ik_format("%lld.%03lld", (long long)milliseconds / 1000,
		(long long)milliseconds % 1000);
	size_t length = strlen(text);

	while (text[length - 1] == '0')
		text[--length] = '\0';
	if (text[length - 1] == '.')
		text[--length] = '\0';
	return text;
}

/* Wrap what a tool printed that ended in order. */
static void put_answer(struct ik_run *run)
{
	const struct stream *output = &run->streams[IK_STDOUT];
	struct ik_error error;
	char *message;

	run->result.exit_code = 0;
	if (output->dropped == 0 && ik_buf_status(&output->bytes) == IK_OK
		&& ik_envelope_success(&run->envelope, output->bytes.data, output->bytes.length,
			run->output_limit, &error) == IK_OK) {
		struct ik_json_span envelope = { run->envelope.data, run->envelope.length };

		run->result.success = true;
		run->result.truncated = ik_envelope_truncated(envelope);
		return;
	}
	if (output->dropped > 0)
		message = ik_format("Tool '%s' returned more than %zu bytes", run->name,
			output->bytes.length);
	else
		message = ik_format("Tool '%s' returned invalid JSON", run->name);
	put_failure(run, IK_TOOL_INVALID_OUTPUT, message, 0);
	free(message);
}

static void child_done(void *arg, const struct ik_child_result *result)
{
	struct ik_run *run = arg;
	int code = result->exited ? result->exit_code : 128 + result->signal_number;
	char *message;

	run->result.duration_ms = result->duration_ms;
	run->result.truncated =
		run->streams[IK_STDOUT].dropped > 0 || run->streams[IK_STDERR].dropped > 0;
	if (result->cancelled) {
		message = ik_format("Tool '%s' was cancelled", run->name);
		put_failure(run, IK_TOOL_CANCELLED, message, -1);
		free(message);
	} else if (result->timed_out) {
		char *seconds = seconds_text(run->timeout_ms);

		message = ik_format("Tool '%s' timed out after %ss", run->name, seconds);
		put_failure(run, IK_TOOL_TIMEOUT, message, -1);
		free(seconds);
		free(message);
	} else if (code != 0) {
		message = ik_format("Tool '%s' crashed with exit code %d", run->name, code);
		put_failure(run, IK_TOOL_CRASHED, message, code);
		free(message);
	} else {
		put_answer(run);
	}
	run->child = ik_child_close(run->child);
	report(run);
}

/* Judge the arguments; what is wrong with them as new memory, or NULL. */
static char *judge_arguments(const struct ik_run *run, const struct ik_tool *tool)
{
	struct ik_json *arguments, *schema;
	struct ik_error error;
	char *wrong = NULL;

	arguments = ik_json_parse(run->arguments.data, run->arguments.length, &error);
	if (arguments == NULL)
		return ik_format("The arguments of tool '%s' are not valid JSON: %s", run->name,
			error.text);
	if (ik_json_type(arguments) != IK_JSON_OBJECT) {
		wrong = ik_format("The arguments of tool '%s' have to be a JSON object, not of type %s",
			run->name, ik_json_type_name(ik_json_type(arguments)));
	} else if (tool->parameters != NULL) {
		schema = ik_json_parse(tool->parameters, tool->parameters_length, &error);
		if (schema == NULL || ik_schema_validate(schema, arguments, &error) != IK_OK)
			wrong = ik_format("The arguments of tool '%s' do not fit its schema: %s",
				run->name, error.text);
		schema = ik_json_free(schema);
	}
	arguments = ik_json_free(arguments);
	return wrong;
}

/* The environment with IKIGAI_LIVE=1 on top: an array whose strings are borrowed. */
static const char **live_environment(const char *const *environment)
{
	const char *const *from = environment != NULL
		? environment : (const char *const *)environ;
	const char **copy;
	size_t count = 0;

	while (from != NULL && from[count] != NULL)
		count++;
	copy = ik_alloc_array(NULL, count + 2, sizeof(char *));
	count = 0;
	for (; from != NULL && *from != NULL; from++) {
		if (!ik_text_starts(*from, "IKIGAI_LIVE="))
			copy[count++] = *from;
	}
	copy[count++] = "IKIGAI_LIVE=1";
	copy[count] = NULL;
	return copy;
}

/* Start the process. */
static void spawn(struct ik_run *run, const struct ik_tool *tool,
	const struct ik_run_options *options)
{
	static const struct ik_child_events events = { child_output, child_done };
	const char *const argv[] = { tool->path, NULL };
	const char **environment = live_environment(options->environment);
	struct ik_child_spec spec = {
		.path = tool->path,
		.argv = argv,
		.environment = environment,
		.directory = options->directory,
		.input = run->arguments.data,
		.input_length = run->arguments.length,
		.timeout_ms = run->timeout_ms,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
		.memory_limit = options->memory_limit,
	};
	struct ik_error error;

	if (ik_child_start(run->loop, &spec, &events, run, &run->child, &error) != IK_OK)
		refuse(run, IK_TOOL_SPAWN_FAILED,
			ik_format("Tool '%s' could not be started: %s", run->name, error.text));
	free(environment);
}

/* The configuration's word for this tool, else its own, else that for all. */
static int64_t timeout_of(const struct ik_run_options *options, const struct ik_tool *tool)
{
	size_t i;

	for (i = 0; i < options->timeout_count; i++)
		if (ik_text_equal(options->timeouts[i].name, tool->name))
			return options->timeouts[i].seconds * 1000;
	return tool->timeout_s > 0 ? (int64_t)tool->timeout_s * 1000 : options->timeout_ms;
}

struct ik_run *ik_run_start(const struct ik_run_options *options, struct ik_registry *registry,
	const char *name, const char *arguments, size_t length,
	const struct ik_run_events *events, void *arg)
{
	struct ik_run *run = ik_alloc(sizeof *run);
	const struct ik_tool *tool = ik_registry_find(registry, name);
	char *wrong;

	run->loop = options->loop;
	run->registry = ik_registry_ref(registry);
	run->name = ik_strdup(name);
	run->output_limit = options->output_limit;
	run->events = *events;
	run->arg = arg;
	run->result.exit_code = -1;
	ik_buf_init(&run->arguments, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&run->streams[IK_STDOUT].bytes, IK_LIMIT_TOOL_OUTPUT);
	ik_buf_init(&run->streams[IK_STDERR].bytes, IK_LIMIT_TOOL_OUTPUT);
	ik_buf_init(&run->envelope, IK_LIMIT_ENVELOPE);
	if (tool == NULL) {
		refuse(run, IK_TOOL_NOT_FOUND, ik_format("Tool '%s' not found", name));
		return run;
	}
	run->timeout_ms = timeout_of(options, tool);
	while (length > 0 && memchr(" \t\r\n", arguments[0], 4) != NULL) {
		arguments++;
		length--;
	}
	ik_buf_append(&run->arguments, length > 0 ? arguments : "{}", length > 0 ? length : 2);
	if (ik_buf_status(&run->arguments) != IK_OK) {
		refuse(run, IK_TOOL_INVALID_PARAMS,
			ik_format("The arguments of tool '%s' are too large", name));
		return run;
	}
	wrong = judge_arguments(run, tool);
	if (wrong != NULL)
		refuse(run, IK_TOOL_INVALID_PARAMS, wrong);
	else
		spawn(run, tool, options);
	return run;
}

void ik_run_cancel(struct ik_run *run)
{
	if (run->child != NULL)
		ik_child_cancel(run->child);
}

/* The deferred end. */
static void release(void *arg)
{
	struct ik_run *run = arg;

	ik_buf_done(&run->arguments);
	ik_buf_done(&run->streams[IK_STDOUT].bytes);
	ik_buf_done(&run->streams[IK_STDERR].bytes);
	ik_buf_done(&run->envelope);
	ik_registry_unref(run->registry);
	free(run->name);
	free(run);
}

struct ik_run *ik_run_close(struct ik_run *run)
{
	if (run == NULL)
		return NULL;
	run->child = ik_child_close(run->child);
	ik_loop_cancel_deferred(run->loop, report, run);
	ik_loop_defer(run->loop, release, run);
	return NULL;
}
