#include "mcp/serve.h"

#include "cli/stdio.h"
#include "mcp/http.h"
#include "mcp/server.h"

/* One client, who started us: a message per line on standard input and output. */
struct client {
	struct ik_mcp_channel channel;
	struct ik_mcp_session *session;
	struct ik_stdio *stdio;
};

static void on_send(struct ik_mcp_channel *channel, const char *text, size_t length)
{
	const struct client *client = (const struct client *)channel;

	ik_stdio_write(client->stdio, text, length);
}

static void on_line(void *arg, const char *text, size_t length)
{
	struct client *client = arg;

	ik_mcp_session_take(client->session, &client->channel, text, length);
}

static void on_ended(void *arg)
{
	struct client *client = arg;

	client->session = ik_mcp_session_close(client->session);
}

/* Serve until standard input ends or standard output fails. Return the exit status. */
static int serve_starter(struct ik_cli *cli, struct ik_mcp_server *server)
{
	static const struct ik_stdio_events events = { on_line, on_ended };
	struct client client = {
		.channel = { .send = on_send },
		.session = ik_mcp_session_new(server),
	};

	ik_mcp_session_listen(client.session, &client.channel);
	client.stdio = ik_stdio_new(cli->loop, &events, &client);
	(void)!ik_cli_wait(cli);
	client.session = ik_mcp_session_close(client.session);
	return !ik_stdio_close(client.stdio);
}

int ik_mcp_serve(const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_mcp_server *server;
	struct ik_cli cli;
	int status;

	ik_cli_warn(setup);
	if (!ik_cli_open(&cli, options, setup))
		return 1;
	server = ik_mcp_server_new(&cli);
	status = options->http ? ik_mcp_http_serve(&cli, server, options->http)
						   : serve_starter(&cli, server);
	server = ik_mcp_server_close(server);
	return ik_cli_close(&cli, status);
}
