/*
 * actions: the table of what the chat does when it is asked by a command or a key.
 *
 * May include: all.
 */
#ifndef IK_CHAT_ACTIONS_H
#define IK_CHAT_ACTIONS_H

#include "commands/action.h"

/* Return the table; a row that runs nothing ends it. */
const struct ik_action_row *ik_chat_actions(void);

#endif
