#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/exec_print.h"
#include "cli/output.h"
#include "core/attach.h"
#include "core/core.h"
#include "core/print.h"
#include "tool/fit.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* The session is open elsewhere; trying later may help (EX_TEMPFAIL of <sysexits.h>). */
#define STATUS_LOCKED 75
/* The reply is not in the database, as --require-store demands (EX_IOERR of <sysexits.h>). */
#define STATUS_NOT_STORED 74

/* Stop waiting for a pipe that is silent for this long. */
#define SILENCE_MS 1000

/* ---- exec ---- */

struct exec {
	struct ik_cli cli;
	struct ik_core core;
	struct ik_output *out, *errors;
	struct ik_exec_printer printer;
	int status;
	bool begun; /* the turn has started */
	bool done;
	bool warned;
	bool resuming; /* the next session id is not the final one */
	const struct ik_buf *prompt;
	bool waits;               /* the prompt is sent after the scan */
	struct ik_attach *attach; /* reads the files that it mentions, or NULL */
	size_t written;           /* bytes of the prompt from the command line */
	bool said;                /* the prompt was sent */
	bool holding; /* hold all lines until then: a session without a prompt can't be resumed and
	                   isn't announced */
	struct ik_buf session, held; /* the line that announces the session; all lines after it */
};

/* ---- the prompt ---- */

/* Append all of standard input. */
static enum ik_status read_stdin(struct ik_buf *prompt, struct ik_error *error)
{
	struct ik_buf raw;
	enum ik_status status;
	int number;

	ik_buf_init(&raw, IK_LIMIT_USER_TEXT);
	number = ik_read_all(STDIN_FILENO, &raw, 0);
	status = ik_buf_check(&raw, _("what came on standard input"), error);
	/* A closed standard input counts as empty. */
	if (status == IK_OK && number != 0 && number != EBADF)
		status = ik_error_set_errno(error, number, _("cannot read standard input"));
	if (status == IK_OK && ik_fit_begins(raw.data, raw.length))
		status = ik_error_set(error, IK_INVALID,
			_("what came on standard input is a picture or a PDF: name its file in the prompt, as "
			  "in \"What is this? @shot.png\""));
	if (status == IK_OK) {
		ik_utf8_repair(prompt, raw.data, raw.length);
		status = ik_buf_check(prompt, _("what came on standard input"), error);
	}
	ik_buf_done(&raw);
	return status;
}

/* Should standard input be appended to a prompt from the command line? */
static bool goes_with_prompt(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	struct stat status;
	off_t at;

	if (isatty(STDIN_FILENO) == 1 || fstat(STDIN_FILENO, &status) != 0)
		return false;
	if (S_ISREG(status.st_mode)) {
		at = lseek(STDIN_FILENO, 0, SEEK_CUR);
		if (at > 0 && at < status.st_size)
			ik_complain(_("standard input is left to the program that has read the first lines of "
						  "it "
						  "(ikigai exec PROMPT - reads the rest; </dev/null: there is nothing)"));
		return at == 0;
	}
	if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode))
		return true;
	/* The end of the input also ends the wait. */
	if (poll(&input, 1, SILENCE_MS) != 0)
		return true;
	ik_complain(_("nothing came on standard input for a second, so it is left unread "
				  "(ikigai exec PROMPT - waits for its end; </dev/null: there is nothing)"));
	return false;
}

/*
 * Build the prompt. Its first *ret_written bytes are from the command line, the rest from standard
 * input. Without a PROMPT, or with "-", standard input is read to its end. With a PROMPT alone, it
 * is read only if there is something for ikigai:
 *
 * - A file that another program has begun to read is left to that program: it may be the input of a
 *   `while read` loop, or the script that a shell is running. Reading it would end the loop, and
 *   send a model what isn't meant for it. (A pipe does not show who has read from it.)
 * - A pipe or socket that stays silent for SILENCE_MS without ending is left alone: a
 *   supervisor may never write to it. From the first byte on, it is read to its end.
 *
 * A message on standard error says if something was left unread.
 */
static enum ik_status read_prompt(const struct ik_options *options, struct ik_buf *prompt,
	size_t *ret_written, struct ik_error *error)
{
	bool whole = !options->first || options->second || ik_text_equal(options->first, "-");
	enum ik_status status = IK_OK;
	size_t before;

	if (!options->first && isatty(STDIN_FILENO) == 1)
		return ik_error_set(error, IK_INVALID,
			_("exec needs a prompt: ikigai exec \"...\", or text on standard input"));
	if (options->first && !ik_text_equal(options->first, "-"))
		ik_utf8_repair(prompt, options->first, strlen(options->first));
	*ret_written = before = prompt->length;
	if (whole || goes_with_prompt()) {
		if (before > 0)
			ik_buf_puts(prompt, "\n\n");
		status = read_stdin(prompt, error);
		if (status == IK_OK && before > 0 && prompt->length == before + 2)
			ik_buf_truncate(prompt, before);
	}
	if (status == IK_OK && strspn(prompt->data, " \t\r\n") == prompt->length)
		return ik_error_set(error, IK_INVALID,
			_("the prompt is empty; exec needs one: ikigai exec \"...\""));
	return status;
}

/* ---- the turn ---- */

/* Stop the loop once the turn is over and everything is written. */
static void stop_when_written(void *arg)
{
	struct exec *exec = arg;

	if (ik_output_error(exec->out) != 0 && !exec->done) {
		exec->done = true;
		exec->status = 1;
		ik_session_cancel(exec->core.session);
	}
	if (exec->done && ik_output_is_empty(exec->out) && ik_output_is_empty(exec->errors) &&
		ik_core_may_end(&exec->core, stop_when_written, exec))
		ik_loop_stop(exec->cli.loop);
}

/* Record how the turn ended. */
static void note_end(struct exec *exec, const struct ik_event *event)
{
	bool ended = event->stop == IK_TURN_STOP_END;

	exec->done = true;
	if (exec->status == 0)
		exec->status = ended ? 0 : 1;
	ik_loop_defer(exec->cli.loop, stop_when_written, exec);
}

/* Write the held lines, after the line that announces the session, if any. */
static void release(struct exec *exec)
{
	if (!exec->holding)
		return;
	exec->holding = false;
	if (exec->said)
		ik_output_write(exec->out, exec->session.data, exec->session.length);
	ik_output_write(exec->out, exec->held.data, exec->held.length);
}

/* Print an event, or hold its lines. */
static void print(struct exec *exec, const struct ik_event *event)
{
	struct ik_buf out, errors;

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_buf_init(&errors, IK_LIMIT_ENVELOPE);
	ik_exec_print(&exec->printer, event, &out, &errors);
	if (event->kind == IK_EVENT_TURN_DONE)
		ik_exec_print_end(&exec->printer, &out);
	if (!exec->holding)
		ik_output_write(exec->out, out.data, out.length);
	else
		ik_buf_append(event->kind == IK_EVENT_SESSION ? &exec->session : &exec->held, out.data,
			out.length);
	ik_output_write(exec->errors, errors.data, errors.length);
	ik_buf_done(&out);
	ik_buf_done(&errors);
}

/* Print a call with the arguments that its tool gets. */
static void print_call(struct exec *exec, const struct ik_event *event)
{
	struct ik_event call = *event;
	struct ik_buf arguments;
	size_t length = 0;
	char *text = ik_message_arguments(event->message, &length);

	ik_buf_init(&arguments, IK_LIMIT_ARGUMENTS);
	ik_session_put_arguments(exec->core.session, event->name, text ? text : "", length, &arguments);
	call.text = arguments.data;
	call.text_length = arguments.length;
	print(exec, &call);
	ik_buf_done(&arguments);
	free(text);
}

static void on_event(void *arg, const struct ik_event *event)
{
	struct exec *exec = arg;

	ik_core_log_event(event);
	if (exec->done)
		return; /* "done" must be the last line */
	if (event->kind == IK_EVENT_TURN_STARTED)
		exec->begun = true;
	if (event->kind == IK_EVENT_SESSION && exec->resuming) {
		exec->resuming = false;
		return;
	}
	if (event->kind == IK_EVENT_LOCK) {
		if (event->lock == IK_LOCK_CHANGE_OTHERS)
			ik_complainf(_("The session is open in another ikigai (%.*s): waiting for it to end."),
				(int)event->text_length, event->text);
		return;
	}
	exec->said = exec->said ||
		(event->kind == IK_EVENT_MESSAGE && event->message->kind == IK_KIND_USER);
	if (exec->said || event->kind == IK_EVENT_TURN_DONE)
		release(exec);
	if (ik_exec_is_call(event))
		print_call(exec, event);
	else
		print(exec, event);
	if (event->kind == IK_EVENT_TURN_DONE)
		note_end(exec, event);
}

static void on_signal(struct ik_cli *cli)
{
	struct exec *exec = (struct exec *)cli;

	/* While a session is being read, there is no turn to cancel. */
	if (exec->done || !exec->begun)
		ik_loop_stop(cli->loop);
	else
		ik_session_cancel(exec->core.session);
}

/* End a turn that can't start. */
static void refuse(struct exec *exec, enum ik_error_code code, const struct ik_error *error)
{
	const struct ik_event why = {
		.kind = IK_EVENT_ERROR,
		.code = code,
		.text = error->text,
		.text_length = strlen(error->text),
	};
	const struct ik_event end = { .kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_ERROR };

	on_event(exec, &why);
	on_event(exec, &end);
}

static void on_attached(void *arg, struct ik_message *message, const char *last_command,
	const struct ik_error *error)
{
	struct exec *exec = arg;

	(void)last_command;
	if (message) {
		ik_session_submit(exec->core.session, message);
		return;
	}
	exec->status = 2;
	refuse(exec, IK_CODE_CONFIG, error);
}

/* Send the prompt, with the files that it mentions and what the model should know about earlier
 * commands, such as an /undo in the chat. Standard input can't mention files: another program wrote
 * it. */
static void submit(struct exec *exec)
{
	struct ik_session *session = exec->core.session;
	const struct ik_attach_options options = {
		.loop = exec->cli.loop,
		.places = &exec->core.setup->places,
		.core = &exec->core,
		.conversation = ik_session_conversation(session),
		.since = "",
		.model = ik_session_model(session),
		.unattended = true,
	};

	exec->attach = ik_attach_start(&options, exec->prompt->data, exec->prompt->length,
		exec->written, on_attached, exec);
}

/* Send the prompt once its session is open, or fail. One that may begin with a skill's name waits for
 * the scan, as its session would. */
static void on_resumed(void *arg, const struct ik_error *error)
{
	struct exec *exec = arg;

	if (error && error->status == IK_UNAVAILABLE)
		exec->status = STATUS_LOCKED;
	if (error)
		refuse(exec, IK_CODE_STORE, error);
	else if (exec->prompt->data[0] == '/' && !exec->core.scanned)
		exec->waits = true;
	else
		submit(exec);
}

/* Name the directory's untrusted files once, because exec can't ask the user. */
static void on_scan_finished(void *arg, struct ik_registry *registry)
{
	struct exec *exec = arg;
	char *warning = exec->warned ? NULL : ik_project_warning(&exec->core.setup->project, registry);

	exec->warned = true;
	if (warning)
		ik_session_add_notice(exec->core.session, warning);
	free(warning);
	if (exec->waits)
		submit(exec);
	exec->waits = false;
}

/* Resume a stored session. Following one that is open elsewhere is not enough. */
static void resume(struct exec *exec, const struct ik_options *options)
{
	ik_session_restore(exec->core.session,
		&(struct ik_restoring){
			.id = options->resume_id,
			.when_locked = options->wait ? IK_LOCKED_WAIT : IK_LOCKED_REFUSE,
			.new_prompt = options->system_prompt,
			.done = on_resumed,
			.arg = exec,
		});
}

/* A global, because the hook has no argument. */
static struct ik_core *current_core;

static void keep_before_the_end(void)
{
	ik_memory_gone_with(current_core, NULL);
}

/* Set everything up, send the prompt, and run the loop until the reply is written. */
static void run(struct exec *exec)
{
	static const struct ik_core_events events = {
		.event = on_event,
		.store = on_event,
		.scan_finished = on_scan_finished,
	};
	const struct ik_options *options = exec->cli.options;
	struct ik_error error;

	if (ik_core_start(&exec->core, exec->cli.loop, exec->cli.setup, options->no_tools,
			options->yes ? IK_ASKING_ALLOWED : IK_ASKING_NOBODY, &events, exec, exec,
			&error) != IK_OK)
		refuse(exec, IK_CODE_CONNECT, &error);
	else if (options->resume)
		resume(exec, options);
	else
		on_resumed(exec, NULL);
	if (exec->core.scanned)
		on_scan_finished(exec, ik_core_registry(&exec->core));
	(void)!ik_cli_wait(&exec->cli);
	exec->done = true;
	exec->attach = ik_attach_close(exec->attach);
}

/* End the session, and say what could not be written or stored. Return the exit status. */
static int end(struct exec *exec)
{
	const struct ik_cli *cli = &exec->cli;
	int number = ik_output_error(exec->out);
	struct ik_error notice;

	if (number != 0 && exec->status == 0)
		exec->status = 1;
	current_core = NULL;
	if (!ik_core_stop(&exec->core, &notice) && exec->status == 0)
		exec->status = 1;
	if (notice.status != IK_OK)
		ik_complain(notice.text);
	if (exec->status == 0 && cli->options->require_store &&
		(!cli->setup->database || notice.status != IK_OK))
		exec->status = STATUS_NOT_STORED;
	if (number != 0 && number != EPIPE) /* EPIPE: the reader has seen enough, like head */
		ik_complainf("%s: %s", _("cannot write the reply"), strerror(number));
	exec->out = ik_output_close(exec->out);
	exec->errors = ik_output_close(exec->errors);
	return ik_cli_close(&exec->cli, exec->status);
}

void ik_exec_refuse(const struct ik_options *options, const char *sentence)
{
	struct ik_exec_printer printer = { .json = options->json };
	const struct ik_event events[] = {
		{ .kind = IK_EVENT_ERROR,
			.code = IK_CODE_CONFIG,
			.text = sentence,
			.text_length = strlen(sentence) },
		{ .kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_ERROR },
	};
	struct ik_buf out, errors;
	size_t i;

	if (!options->json)
		return;
	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_buf_init(&errors, IK_LIMIT_ENVELOPE);
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		ik_exec_print(&printer, &events[i], &out, &errors);
	(void)fwrite(out.data, 1, out.length, stdout);
	ik_buf_done(&out);
	ik_buf_done(&errors);
}

int ik_exec(const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_buf prompt;
	struct ik_error error;
	struct exec exec;
	int status = 1;

	memset(&exec, 0, sizeof(exec));
	exec.printer.json = options->json;
	exec.printer.output_only = options->output_schema;
	exec.resuming = options->resume;
	exec.holding = options->json && !options->resume;
	exec.prompt = &prompt;
	ik_buf_init(&prompt, 2 * IK_LIMIT_USER_TEXT);
	ik_buf_init(&exec.session, IK_LIMIT_ENVELOPE);
	ik_buf_init(&exec.held, IK_LIMIT_ENVELOPE);
	if (read_prompt(options, &prompt, &exec.written, &error) != IK_OK) {
		ik_complain(error.text);
		status = 2;
	} else if (ik_cli_open(&exec.cli, options, setup)) {
		exec.cli.interrupted = on_signal;
		exec.out = ik_output_new(exec.cli.loop, STDOUT_FILENO, stop_when_written, &exec);
		exec.errors = ik_output_new(exec.cli.loop, STDERR_FILENO, stop_when_written, &exec);
		current_core = &exec.core;
		ik_alloc_set_hook(keep_before_the_end);
		run(&exec);
		status = end(&exec);
	}
	ik_buf_done(&exec.session);
	ik_buf_done(&exec.held);
	ik_buf_done(&prompt);
	return status;
}
