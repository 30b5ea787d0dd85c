/*
 * exec: one turn without a terminal.
 *
 * May include: all.
 */
#ifndef IK_APP_EXEC_H
#define IK_APP_EXEC_H

#include "app/options.h"
#include "app/setup.h"

/* Run it; returns the exit status. */
int ik_exec(const struct ik_options *options, struct ik_setup *setup);

#endif
