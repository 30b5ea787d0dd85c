/*
 * external_editor: writing a message in an editor of the person's own.
 *
 * The draft goes into a file of its own that nobody else can read, and the editor ($VISUAL,
 * else $EDITOR, else vi) has the terminal until it ends; a turn goes on meanwhile, unseen.
 * Then the file's text is the draft, unless the editor says that it failed.
 *
 * May include: all.
 */
#ifndef IK_CHAT_EXTERNAL_EDITOR_H
#define IK_CHAT_EXTERNAL_EDITOR_H

#include "chat/chat_private.h"

/* Open it; why it cannot be is said on the screen. No effect while one is open. */
void ik_external_editor_open(struct ik_chat *chat);
/* Has another program the terminal now? */
/* End it; what it saved is the draft. No effect when none is open. */
void ik_external_editor_close(struct ik_chat *chat);

#endif
