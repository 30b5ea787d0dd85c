#include "cli/stdio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "core/print.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/line_splitter.h"
#include "util/text.h"

/* The longest message: images come as base64. */
#define LINE_LIMIT IK_MIB(64)

struct ik_stdio {
	struct ik_loop *loop;
	const struct ik_stdio_events *events;
	void *arg;
	struct ik_line_splitter lines;
	struct ik_watch *input;
	struct ik_output *output;
	bool ended; /* the input */
};

void ik_stdio_write(struct ik_stdio *stdio, const char *text, size_t length)
{
	ik_output_write(stdio->output, text, length);
	ik_output_write(stdio->output, "\n", 1);
}

/* End when everything that was answered is written, or nobody reads it. */
static void on_drained(void *arg)
{
	struct ik_stdio *stdio = arg;

	if (ik_output_error(stdio->output) != 0 || (stdio->ended && ik_output_is_empty(stdio->output)))
		ik_loop_stop(stdio->loop);
}

static void on_line(void *arg, const char *text, size_t length)
{
	struct ik_stdio *stdio = arg;

	stdio->events->line(stdio->arg, text, length);
}

/* Read what is there. */
static void read_input(struct ik_stdio *stdio)
{
	char bytes[IK_KIB(64)];
	ssize_t length = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (length > 0) {
		ik_line_splitter_add(&stdio->lines, LINE_LIMIT, bytes, (size_t)length, on_line, stdio);
	} else if (length == 0 || (errno != EINTR && errno != EAGAIN)) {
		stdio->ended = true;
		stdio->input = ik_watch_close(stdio->input);
		stdio->events->ended(stdio->arg);
		on_drained(stdio);
	}
}

static void on_readable(void *arg, int what)
{
	(void)what;
	read_input(arg);
}

/* Read a file, for which the loop can't wait, a piece a turn. */
static void read_file(void *arg)
{
	struct ik_stdio *stdio = arg;

	read_input(stdio);
	if (!stdio->ended)
		ik_loop_defer(stdio->loop, read_file, stdio);
}

struct ik_stdio *ik_stdio_new(struct ik_loop *loop, const struct ik_stdio_events *events, void *arg)
{
	struct ik_stdio *stdio = ik_alloc(sizeof(*stdio));

	stdio->loop = loop;
	stdio->events = events;
	stdio->arg = arg;
	stdio->output = ik_output_new(loop, STDOUT_FILENO, on_drained, stdio);
	stdio->input = ik_watch_new(loop, STDIN_FILENO, on_readable, stdio);
	if (ik_watch_set(stdio->input, IK_READABLE, NULL) != IK_OK)
		ik_loop_defer(loop, read_file, stdio);
	return stdio;
}

bool ik_stdio_close(struct ik_stdio *stdio)
{
	int number = ik_output_error(stdio->output);

	ik_loop_cancel_deferred(stdio->loop, read_file, stdio);
	stdio->input = ik_watch_close(stdio->input);
	stdio->output = ik_output_close(stdio->output);
	ik_line_splitter_done(&stdio->lines);
	free(stdio);
	if (number != 0 && number != EPIPE)
		ik_complainf(_("cannot write: %s"), strerror(number));
	return number == 0;
}
