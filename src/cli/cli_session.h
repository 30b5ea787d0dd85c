/*
 * cli_session: `ikigai session list|show|export|import|search|delete`.
 *
 * Opens the store and runs one verb; each verb is a file of its own (session_*.c).  Long sessions
 * are read and printed page by page, so memory stays within some hundred events.
 *
 * May include: all.
 */
#ifndef IK_CLI_CLI_SESSION_H
#define IK_CLI_CLI_SESSION_H

#include "core/options.h"
#include "core/setup.h"

/* Run the verb. Return the exit status: 0, 1 for a failure, 2 for wrong usage, 128 + N for
 * signal N. */
int ik_cli_session(const struct ik_options *options, struct ik_setup *setup);

#endif
