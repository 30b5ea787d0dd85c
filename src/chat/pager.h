/*
 * pager: reading a text in the person's own pager.
 *
 * The text goes into a file of its own that nobody else can read, and $PAGER (less -R)
 * has the terminal until it ends; a turn goes on meanwhile, unseen.
 *
 * May include: all.
 */
#ifndef IK_CHAT_PAGER_H
#define IK_CHAT_PAGER_H

#include "chat/chat_private.h"

/* Open it; why it cannot be is said on the screen. No effect while another program has the
 * terminal. */
void ik_pager_open(struct ik_chat *chat, const char *text, size_t length);
/* Has it the terminal now? */
/* End it. No effect when none is open. */
void ik_pager_close(struct ik_chat *chat);

#endif
