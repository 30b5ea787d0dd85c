/*
 * session_export: `ikigai session show` and `ikigai session export`.
 *
 * May include: util, core, store, commands/session_walk.h.
 */
#ifndef IK_CLI_SESSION_EXPORT_H
#define IK_CLI_SESSION_EXPORT_H

#include "cli/session_verb.h"

enum ik_status ik_cli_session_show(struct ik_session_verb *cli) IK_MUST_USE;
enum ik_status ik_cli_session_export(struct ik_session_verb *cli) IK_MUST_USE;

#endif
