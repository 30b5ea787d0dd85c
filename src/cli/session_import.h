/*
 * session_import: `ikigai session import`: ikigai's own JSON Lines, back into the store: those of
 * an export, and those of events that could not be stored (store/rescue.h).
 *
 * May include: util, json, core, store, commands/session_taken.h, commands/session_walk.h,
 * cli/import_*.h.
 */
#ifndef IK_CLI_SESSION_IMPORT_H
#define IK_CLI_SESSION_IMPORT_H

#include "cli/session_verb.h"

enum ik_status ik_cli_session_import(struct ik_session_verb *cli) IK_MUST_USE;

#endif
