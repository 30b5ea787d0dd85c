/*
 * cli_tool_new: `ikigai tool new`: write a working tool to start from.
 *
 * May include: all.
 */
#ifndef IK_CLI_CLI_TOOL_NEW_H
#define IK_CLI_CLI_TOOL_NEW_H

#include "core/options.h"
#include "core/setup.h"

/* Write the tool, say what to do next, and return the exit status. */
int ik_cli_tool_new(const struct ik_options *options, const struct ik_setup *setup);

#endif
