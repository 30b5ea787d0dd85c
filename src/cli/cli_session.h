/*
 * cli_session: `ikigai session list|show|export|import|search|delete`.
 *
 * What is long is read and printed page by page: a session of any size takes the memory of
 * some hundred of its events.
 *
 * May include: all.
 */
#ifndef IK_CLI_CLI_SESSION_H
#define IK_CLI_CLI_SESSION_H

#include "core/options.h"
#include "core/setup.h"

/* Do it; the exit status: 0, 1 where it failed, 2 for wrong usage. */
int ik_cli_session(const struct ik_options *options, struct ik_setup *setup);

#endif
