/*
 * serve: `ikigai mcp serve`, the tools for other programs.
 *
 * May include: all but tui and chat.
 */
#ifndef IK_MCP_SERVE_H
#define IK_MCP_SERVE_H

#include "cli/cli.h"

/* Return the exit status. */
int ik_mcp_serve(const struct ik_options *options, struct ik_setup *setup);

#endif
