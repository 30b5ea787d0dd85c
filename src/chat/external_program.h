/*
 * external_program: a program of the user's own that has the terminal until it ends: an editor for
 * the next message ($VISUAL, else $EDITOR, else vi), or a pager for a text ($PAGER, else less -R).
 *
 * The text goes into a file that nobody else can read.  A turn goes on meanwhile, unseen.  What the
 * editor saved becomes the draft, unless the editor says that it failed.
 *
 * May include: all.
 */
#ifndef IK_CHAT_EXTERNAL_PROGRAM_H
#define IK_CHAT_EXTERNAL_PROGRAM_H

#include "chat/chat_private.h"

/* Open one; an error is shown on the screen. No effect while one is open. */
void ik_external_editor_open(struct ik_chat *chat, const struct ik_invocation *invocation);
void ik_external_pager_open(struct ik_chat *chat, const struct ik_invocation *invocation);
/* End it, if one is open; what an editor saved is the draft. */
void ik_external_program_close(struct ik_chat *chat);

#endif
