/*
 * title: the title that a session gets by itself.
 *
 * Pure. May include: util, conversation.
 */
#ifndef IK_CONVERSATION_TITLE_H
#define IK_CONVERSATION_TITLE_H

#include "conversation/conversation.h"

/*
 * Return the title that an event gives its session, in new memory; "": none. A command "/title
 * TEXT" names the session (*ret_named), as does the prompt of a fork: that replaces any other
 * title. A message gives its first words to a session without one.
 */
char *ik_session_title_of(const struct ik_message *message, bool *ret_named);

/* Return the title of a session from its first message: the first words, on one line, in new
 * memory. */
char *ik_session_title(const char *text, size_t length);

/* Return the current title of a conversation ("": none yet), in new memory. */
char *ik_conversation_title(const struct ik_conversation *conversation);

#endif
