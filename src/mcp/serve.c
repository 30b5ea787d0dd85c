#include "mcp/serve.h"

#include "mcp/http.h"
#include "mcp/server.h"
#include "mcp/stdio.h"

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
						   : ik_mcp_stdio_serve(&cli, server);
	server = ik_mcp_server_close(server);
	return ik_cli_close(&cli, status);
}
