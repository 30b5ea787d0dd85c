/*
 * cli_tool_new: `ikigai tool new`: a working tool to begin with.
 *
 * May include: all.
 */
#ifndef IK_CLI_CLI_TOOL_NEW_H
#define IK_CLI_CLI_TOOL_NEW_H

#include "core/options.h"
#include "core/setup.h"

/* Write it, say what to do next, and return the exit status. */
int ik_cli_tool_new(const struct ik_options *options, const struct ik_setup *setup);

#endif
