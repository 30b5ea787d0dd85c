/*
 * title: what a session is called by itself.
 *
 * Pure.  May include: util, conversation.
 */
#ifndef IK_CONVERSATION_TITLE_H
#define IK_CONVERSATION_TITLE_H

#include "conversation/conversation.h"

/*
 * What an event makes of its session's title; new memory, "": nothing. A command "/title TEXT"
 * names the session (*ret_named): it stands in place of any other, and so does the prompt that
 * an agent's session was begun with. A message gives its first words to one that has no title.
 */
char *ik_session_title_of(const struct ik_message *message, bool *ret_named);

/* The title of a session: the first words of its first message, on one line; new memory. */
char *ik_session_title(const char *text, size_t length);

/* What a conversation is called now ("": nothing yet); new memory. */
char *ik_conversation_title(const struct ik_conversation *conversation);

#endif
