/*
 * exec: one turn without a terminal.
 *
 * May include: all.
 */
#ifndef IK_CLI_EXEC_H
#define IK_CLI_EXEC_H

#include "core/options.h"
#include "core/setup.h"

/* Run the turn, and return the exit status. */
int ik_exec(const struct ik_options *options, struct ik_setup *setup);

/* With --json, print the lines of a turn that can't begin because the configuration is wrong; the
 * sentence says how. */
void ik_exec_refuse(const struct ik_options *options, const char *sentence);

#endif
