/*
 * shells: the user's own commands ("!COMMAND") at work.
 *
 * Each runs in /bin/sh in the session's directory, with the environment of tools, without a time
 * limit or a terminal.  It is told like an own call of the name IK_OWN_COMMAND, and stored as a
 * command whose line begins with "!".
 *
 * Owns the children.  May include: util, json, conversation, loop, tool/envelope.h,
 * agent/session/record.h.
 */
#ifndef IK_AGENT_SESSION_SHELLS_H
#define IK_AGENT_SESSION_SHELLS_H

#include "agent/session/record.h"

struct ik_shells;

/* environment is borrowed; NULL: this process's. */
struct ik_shells *ik_shells_new(struct ik_session_record *record, const char *const *environment);
/* All end as cancelled, and are stored. */
struct ik_shells *ik_shells_close(struct ik_shells *shells);

void ik_shells_start(struct ik_shells *shells, const char *id, const char *command);
bool ik_shells_is_empty(const struct ik_shells *shells);
void ik_shells_cancel(struct ik_shells *shells);

#endif
