/*
 * cli_tool: `ikigai tool list|show|run` and `ikigai config`.
 *
 * May include: all.
 */
#ifndef IK_CLI_CLI_TOOL_H
#define IK_CLI_CLI_TOOL_H

#include "core/options.h"
#include "core/setup.h"

/* Run the command, and return the exit status. */
int ik_cli_tool(const struct ik_options *options, struct ik_setup *setup);
int ik_cli_config(const struct ik_options *options, struct ik_setup *setup);

#endif
