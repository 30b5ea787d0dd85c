/*
 * session_search: `ikigai session search`: the events of all sessions that contain the words.
 *
 * May include: util, json, core, store, commands/session_walk.h.
 */
#ifndef IK_CLI_SESSION_SEARCH_H
#define IK_CLI_SESSION_SEARCH_H

#include "cli/session_verb.h"

enum ik_status ik_cli_session_search(struct ik_session_verb *cli) IK_MUST_USE;

#endif
