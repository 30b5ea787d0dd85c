#include "mcp/stdio.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "core/print.h"
#include "rpc/jsonrpc.h"
#include "util/limits.h"
#include "util/text.h"

/* The longest message: images come as base64. */
#define LINE_LIMIT IK_MIB(64)

struct stdio {
	struct ik_mcp_channel channel;
	struct ik_cli *cli;
	struct ik_mcp_session *session;
	struct ik_rpc_lines lines;
	struct ik_watch *input;
	struct ik_output *output;
	bool ended; /* the input */
};

static void on_send(struct ik_mcp_channel *channel, const char *text, size_t length)
{
	struct stdio *stdio = (struct stdio *)channel;

	ik_output_write(stdio->output, text, length);
	ik_output_write(stdio->output, "\n", 1);
}

/* End when everything that was answered is written, or nobody reads it. */
static void on_drained(void *arg)
{
	struct stdio *stdio = arg;

	if (ik_output_error(stdio->output) != 0 || (stdio->ended && ik_output_is_empty(stdio->output)))
		ik_loop_stop(stdio->cli->loop);
}

static void on_line(void *arg, const char *text, size_t length)
{
	struct stdio *stdio = arg;

	ik_mcp_session_take(stdio->session, &stdio->channel, text, length);
}

/* Read what is there. */
static void read_input(struct stdio *stdio)
{
	char bytes[IK_KIB(64)];
	ssize_t length = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (length > 0) {
		ik_rpc_lines_add(&stdio->lines, LINE_LIMIT, bytes, (size_t)length, on_line, stdio);
	} else if (length == 0 || (errno != EINTR && errno != EAGAIN)) {
		/* The client is gone: nobody wants what still runs. */
		stdio->ended = true;
		stdio->session = ik_mcp_session_close(stdio->session);
		stdio->input = ik_watch_close(stdio->input);
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
	struct stdio *stdio = arg;

	read_input(stdio);
	if (!stdio->ended)
		ik_loop_defer(stdio->cli->loop, read_file, stdio);
}

int ik_mcp_stdio_serve(struct ik_cli *cli, struct ik_mcp_server *server)
{
	struct stdio stdio = {
		.channel = { .send = on_send },
		.cli = cli,
		.session = ik_mcp_session_new(server),
	};
	int number;

	ik_mcp_session_listen(stdio.session, &stdio.channel);
	stdio.output = ik_output_new(cli->loop, STDOUT_FILENO, on_drained, &stdio);
	stdio.input = ik_watch_new(cli->loop, STDIN_FILENO, on_readable, &stdio);
	if (ik_watch_set(stdio.input, IK_READABLE, NULL) != IK_OK)
		ik_loop_defer(cli->loop, read_file, &stdio);
	(void)!ik_cli_wait(cli);
	ik_loop_cancel_deferred(cli->loop, read_file, &stdio);
	number = ik_output_error(stdio.output);
	stdio.session = ik_mcp_session_close(stdio.session);
	stdio.input = ik_watch_close(stdio.input);
	stdio.output = ik_output_close(stdio.output);
	ik_rpc_lines_done(&stdio.lines);
	if (number != 0 && number != EPIPE)
		ik_complainf(_("cannot write: %s"), strerror(number));
	return number != 0;
}
