/*
 * session_delete: `ikigai session delete`: one session, or all that nobody has used for long.
 *
 * May include: util, core, store, commands/session_taken.h, commands/session_walk.h.
 */
#ifndef IK_CLI_SESSION_DELETE_H
#define IK_CLI_SESSION_DELETE_H

#include "cli/session_verb.h"

enum ik_status ik_cli_session_delete(struct ik_session_verb *cli) IK_MUST_USE;

#endif
