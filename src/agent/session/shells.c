#include "agent/session/shells.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/write.h"
#include "loop/child.h"
#include "loop/orphans.h"
#include "tool/envelope.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

enum { KILL_AFTER_MS = 2000, GRACE_MS = 250 };

/* Of an output that is too long, the beginning and the end are kept. */
#define HALF (IK_LIMIT_OWN_OUTPUT / 2)

struct user_shell {
	struct user_shell *next;
	struct ik_shells *shells;
	struct ik_child *child;
	char *id;
	char *command;
	struct ik_buf head, tail;
	size_t left_out; /* bytes between the two */
};

struct ik_shells {
	struct ik_session_record *record;
	const char *const *environment;
	struct user_shell *first;
};

/* Deferred: its memory. */
static void shell_free(void *arg)
{
	struct user_shell *shell = arg;

	free(shell->id);
	free(shell->command);
	ik_buf_done(&shell->head);
	ik_buf_done(&shell->tail);
	free(shell);
}

/* Remove a command from the list, silently. */
static void release(struct user_shell *shell)
{
	struct user_shell **at = &shell->shells->first;

	while (*at != shell)
		at = &(*at)->next;
	*at = shell->next;
	shell->child = ik_child_close(shell->child);
	ik_loop_defer(shell->shells->record->loop, shell_free, shell);
}

static struct ik_event shell_event(const struct user_shell *shell, enum ik_event_kind kind)
{
	return (struct ik_event){ .kind = kind, .id = shell->id, .name = IK_OWN_COMMAND };
}

/* Tell a piece of output, and keep it up to the limit. */
static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct user_shell *shell = arg;
	struct ik_event event = shell_event(shell, IK_EVENT_TOOL_OUTPUT);
	size_t room = HALF - shell->head.length, first = length < room ? length : room;

	(void)stream;
	event.text = bytes;
	event.text_length = length;
	ik_session_record_emit(shell->shells->record, &event);
	ik_buf_append(&shell->head, bytes, first);
	ik_buf_append(&shell->tail, bytes + first, length - first);
	if (shell->tail.length > 2 * HALF) {
		shell->left_out += shell->tail.length - HALF;
		ik_buf_consume(&shell->tail, shell->tail.length - HALF);
	}
}

/* Append the output that was kept, and how the command ended unless it succeeded. */
static void put_output(struct ik_buf *out, const struct user_shell *shell,
	const struct ik_child_result *result)
{
	size_t cut = shell->tail.length > HALF ? shell->tail.length - HALF : 0;

	ik_utf8_repair(out, shell->head.data, shell->head.length);
	if (shell->left_out + cut > 0)
		ik_buf_printf(out, "\n[%zu bytes left out]\n", shell->left_out + cut);
	ik_utf8_repair(out, shell->tail.data + cut, shell->tail.length - cut);
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

/* Append the arguments as which a command is told and stored. */
static void put_arguments(struct ik_buf *out, const char *command)
{
	ik_json_open(out, '{');
	ik_json_key(out, "command");
	ik_json_put_text(out, command);
	ik_json_close(out, '}');
}

/* Store and tell a command that has ended. */
static void finish(struct user_shell *shell, const char *output, size_t length, int64_t duration_ms)
{
	struct ik_session_record *record = shell->shells->record;
	struct ik_event event = shell_event(shell, IK_EVENT_TOOL_DONE);
	char *line = ik_format("!%s", shell->command);
	struct ik_buf arguments, envelope;
	struct ik_own own = { .name = IK_OWN_COMMAND, .duration_ms = duration_ms };

	ik_buf_init(&arguments, IK_LIMIT_ARGUMENTS);
	put_arguments(&arguments, shell->command);
	own.arguments = arguments.data;
	own.arguments_length = arguments.length;
	event.message = ik_message_own(line, &own, output, length);
	ik_session_record_add(record, event.message);
	ik_buf_done(&arguments);
	free(line);
	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	ik_envelope_open(&envelope);
	ik_json_put_string(&envelope, output, length);
	ik_envelope_close(&envelope, false);
	event.text = envelope.data;
	event.text_length = envelope.length;
	event.number = duration_ms;
	ik_session_record_emit(record, &event);
	ik_message_unref(event.message);
	ik_buf_done(&envelope);
}

static void end(struct user_shell *shell, const struct ik_child_result *result)
{
	struct ik_buf output;

	ik_buf_init(&output, IK_LIMIT_ENVELOPE);
	put_output(&output, shell, result);
	release(shell); /* off the list first, so that the session is idle for the sink */
	finish(shell, output.data, output.length, result->duration_ms);
	ik_buf_done(&output);
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	end(arg, result);
}

/* Return the environment of tools (NULL: this process's) with the call's id added; only the array
 * is new. */
static const char **make_environment(const char *const *variables, const char *id_entry)
{
	size_t count = 0, kept = 0;
	const char **copy;

	if (!variables)
		variables = (const char *const *)environ;
	while (variables[count])
		count++;
	copy = ik_alloc_array(NULL, count + 2, sizeof(*copy));
	for (size_t i = 0; i < count; i++)
		if (!ik_text_starts(variables[i], IK_CALL_VARIABLE "="))
			copy[kept++] = variables[i];
	copy[kept++] = id_entry;
	copy[kept] = NULL;
	return copy;
}

/* Start the shell; false: the error is its output. */
static bool spawn(struct user_shell *shell, struct ik_error *error)
{
	static const struct ik_child_events events = { on_output, on_done };
	const struct ik_shells *shells = shell->shells;
	/* One stream, so that all output is in the order in which it was written. */
	char *script = ik_format("exec 2>&1; %s", shell->command);
	char *id_entry = ik_format("%s=%s", IK_CALL_VARIABLE, shell->id);
	const char *argv[] = { "sh", "-c", script, NULL };
	const char **environment = make_environment(shells->environment, id_entry);
	const struct ik_child_spec spec = {
		.path = "/bin/sh",
		.argv = argv,
		.environment = environment,
		.directory = shells->record->directory,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
	};
	bool started = ik_child_start(shells->record->loop, &spec, &events, shell, &shell->child,
					   error) == IK_OK;

	free(environment);
	free(id_entry);
	free(script);
	return started;
}

void ik_shells_start(struct ik_shells *shells, const char *id, const char *command)
{
	struct user_shell *shell = ik_alloc(sizeof(*shell)), **at = &shells->first;
	struct ik_event event;
	struct ik_buf arguments;
	struct ik_error error;
	bool started;

	shell->shells = shells;
	shell->id = ik_strdup(id);
	shell->command = ik_strdup(command);
	ik_buf_init(&shell->head, IK_LIMIT_OWN_OUTPUT);
	ik_buf_init(&shell->tail, 4 * IK_LIMIT_OWN_OUTPUT);
	while (*at)
		at = &(*at)->next;
	*at = shell;
	ik_buf_init(&arguments, IK_LIMIT_ARGUMENTS);
	put_arguments(&arguments, command);
	event = shell_event(shell, IK_EVENT_TOOL_STARTED);
	event.text = arguments.data;
	event.text_length = arguments.length;
	started = spawn(shell, &error);
	ik_session_record_emit(shells->record, &event);
	ik_buf_done(&arguments);
	if (!started) {
		release(shell);
		finish(shell, error.text, strlen(error.text), 0);
	}
}

bool ik_shells_is_empty(const struct ik_shells *shells)
{
	return !shells->first;
}

void ik_shells_cancel(struct ik_shells *shells)
{
	struct user_shell *shell;

	for (shell = shells->first; shell; shell = shell->next)
		if (shell->child)
			ik_child_cancel(shell->child);
}

struct ik_shells *ik_shells_new(struct ik_session_record *record, const char *const *environment)
{
	struct ik_shells *shells = ik_alloc(sizeof(*shells));

	shells->record = record;
	shells->environment = environment;
	return shells;
}

/* Deferred: its memory. */
static void shells_free(void *arg)
{
	free(arg);
}

struct ik_shells *ik_shells_close(struct ik_shells *shells)
{
	while (shells->first)
		end(shells->first, &(struct ik_child_result){ .cancelled = true });
	ik_loop_defer(shells->record->loop, shells_free, shells);
	return NULL;
}
