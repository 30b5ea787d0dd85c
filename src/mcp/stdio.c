#include "mcp/stdio.h"

#include "cli/stdio.h"

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

int ik_mcp_stdio_serve(struct ik_cli *cli, struct ik_mcp_server *server)
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
