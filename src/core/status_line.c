#include "core/status_line.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "json/write.h"
#include "loop/child.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

enum { TIMEOUT_MS = 5000, KILL_AFTER_MS = 500, GRACE_MS = 100 };
/* Limits on what it prints, and on the part of it that is shown. */
#define OUTPUT IK_KIB(64)
#define SHOWN 1000

struct ik_status_line {
	struct ik_loop *loop;
	struct ik_child *child; /* NULL: it could not be started, or has ended */
	struct ik_buf input, output[2];
	struct ik_error error; /* why it could not be started */
	ik_status_line_done *done;
	void *arg;
};

void ik_status_facts_put(const struct ik_status_facts *facts, struct ik_buf *out)
{
	const struct ik_usage *usage = &facts->usage;

	ik_json_printf(out,
		"{'hook_event_name':'Status','session_id':'%s','session_name':'%s','transcript_path':'',"
		"'cwd':'%s','workspace':{'current_dir':'%s','project_dir':'%s'},"
		"'model':{'id':'%s','display_name':'%s'},'version':'%s','cost':{'total_cost_usd':%g},"
		"'context_window':{'used_percentage':%d,'total_input_tokens':%lld,"
		"'total_output_tokens':%lld},'provider':'%s','mode':'%s','branch':'%s','columns':%d}",
		facts->session, facts->title, facts->directory, facts->directory, facts->directory,
		facts->model, facts->model, PACKAGE_VERSION, usage->cost > 0 ? usage->cost : 0.0,
		facts->context > 0 ? facts->context : 0, (long long)usage->input_tokens,
		(long long)usage->output_tokens, facts->provider, facts->mode, facts->branch,
		facts->columns);
	ik_buf_putc(out, '\n');
}

/* Return the end of an escape sequence: colours and the like, or a string such as a link's. */
static const char *skip_escape(const char *at, const char *end)
{
	const char *next = at + 1;

	if (next < end && *next == ']') {
		while (next < end && *next != '\a' && !(*next == '\033' && next[1] == '\\'))
			next += next == at + 1 || *next != '\033' ? 1 : 2;
		return next < end ? next + (*next == '\a' ? 1 : 2) : end;
	}
	if (next >= end || *next != '[')
		return next;
	next++;
	while (next < end && (unsigned char)*next >= ' ' && (unsigned char)*next < '@')
		next++;
	return next < end ? next + 1 : end;
}

/* Append the first line of a text, without escape sequences and harmless. */
static void put_line(struct ik_buf *out, const struct ik_buf *text)
{
	size_t length = strcspn(text->data, "\r\n");
	const char *at = text->data, *end = at + (length < SHOWN ? length : SHOWN);
	struct ik_buf plain;

	ik_buf_init(&plain, OUTPUT);
	while (at < end) {
		if (*at == '\033')
			at = skip_escape(at, end);
		else
			ik_buf_putc(&plain, *at++);
	}
	ik_sanitize_line(out, plain.data, plain.length);
	ik_buf_done(&plain);
}

/* Report a failure, with the first line that the command wrote about it. */
static void fail(struct ik_status_line *line, const char *what)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	ik_buf_puts(&out, what);
	if (line->output[IK_STDERR].length > 0)
		ik_buf_puts(&out, ": ");
	put_line(&out, &line->output[IK_STDERR]);
	line->done(line->arg, NULL, out.data);
	ik_buf_done(&out);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_status_line *line = arg;

	ik_buf_append(&line->output[stream], bytes, length);
	if (ik_buf_status(&line->output[stream]) != IK_OK)
		ik_child_cancel(line->child);
}

static void on_end(void *arg, const struct ik_child_result *result)
{
	struct ik_status_line *line = arg;
	struct ik_buf out;
	char *code;

	line->child = ik_child_close(line->child);
	if (result->cancelled) {
		fail(line, _("it printed too much"));
	} else if (result->timed_out) {
		fail(line, _("it took longer than 5 seconds"));
	} else if (!result->exited || result->exit_code != 0) {
		code = ik_format(_("it ended with exit code %d"),
			result->exited ? result->exit_code : 128 + result->signal_number);
		fail(line, code);
		free(code);
	} else {
		ik_buf_init(&out, IK_MIB(1));
		put_line(&out, &line->output[IK_STDOUT]);
		line->done(line->arg, out.data, NULL);
		ik_buf_done(&out);
	}
}

/* Report that it could not be started. */
static void on_failed(void *arg)
{
	struct ik_status_line *line = arg;

	fail(line, line->error.text);
}

struct ik_status_line *ik_status_line_start(struct ik_loop *loop, const char *command,
	const char *directory, const char *const *environment, const struct ik_buf *input,
	ik_status_line_done *done, void *arg)
{
	static const struct ik_child_events events = { on_output, on_end };
	struct ik_status_line *line = ik_alloc(sizeof(*line));
	const char *const argv[] = { "sh", "-c", command, NULL };

	line->loop = loop;
	line->done = done;
	line->arg = arg;
	ik_buf_init(&line->input, IK_MIB(1));
	ik_buf_init(&line->output[IK_STDOUT], OUTPUT);
	ik_buf_init(&line->output[IK_STDERR], OUTPUT);
	ik_buf_append(&line->input, input->data, input->length);
	const struct ik_child_spec spec = {
		.path = "/bin/sh",
		.argv = argv,
		.environment = environment,
		.directory = directory,
		.input = line->input.data,
		.input_length = line->input.length,
		.timeout_ms = TIMEOUT_MS,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
	};

	if (ik_child_start(loop, &spec, &events, line, &line->child, &line->error) != IK_OK)
		ik_loop_defer(loop, on_failed, line);
	return line;
}

/* Release the memory (deferred). */
static void release(void *arg)
{
	struct ik_status_line *line = arg;

	ik_buf_done(&line->input);
	ik_buf_done(&line->output[IK_STDOUT]);
	ik_buf_done(&line->output[IK_STDERR]);
	free(line);
}

struct ik_status_line *ik_status_line_close(struct ik_status_line *line)
{
	if (!line)
		return NULL;
	line->child = ik_child_close(line->child);
	ik_loop_cancel_deferred(line->loop, on_failed, line);
	ik_loop_defer(line->loop, release, line);
	return NULL;
}
