/*
 * permission: a call that waits for the user is a question that the editor asks.
 *
 * The answers mean what they mean in the chat: once, for calls like it in this session, for calls
 * like it from now on (policy.json), no.
 *
 * May include: all but tui and the other front ends.
 */
#ifndef IK_ACP_PERMISSION_H
#define IK_ACP_PERMISSION_H

#include "acp/call.h"

/* Ask; why, in words. The session is told the answer. */
void ik_permission_ask(struct ik_viewed_call *call, const char *why, bool circling);
/* The call no longer waits. */
void ik_permission_withdraw(struct ik_viewed_call *call);

#endif
