/*
 * cli_tool: `ikigai tool list|show|run` and `ikigai config`.
 *
 * May include: all.
 */
#ifndef IK_APP_CLI_TOOL_H
#define IK_APP_CLI_TOOL_H

#include "app/options.h"
#include "app/setup.h"

/* Each does its work and returns the exit status. */
int ik_cli_tool(const struct ik_options *options, struct ik_setup *setup);
int ik_cli_config(const struct ik_options *options, struct ik_setup *setup);

#endif
