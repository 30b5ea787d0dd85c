/*
 * title: the automatic title of a session.
 *
 * Pure. May include: util, conversation.
 */
#ifndef IK_CONVERSATION_TITLE_H
#define IK_CONVERSATION_TITLE_H

#include "conversation/conversation.h"

/*
 * Return the title that an event gives its session, in new memory; "" if it gives none. A command
 * "/title TEXT" names the session (*ret_named), as does the prompt of a fork: that replaces any
 * other title. A message gives its first words to a session without a title.
 */
char *ik_session_title_of(const struct ik_message *message, bool *ret_named);

/* Return the title of a message of the user's: the first words that were typed. */
char *ik_message_title(const struct ik_message *message);

/* Return the title that the text of a session's first message gives: its first words, on one line,
 * in new memory. */
char *ik_session_title(const char *text, size_t length);

/* Return the current title of a conversation, in new memory; "" if it has none yet. */
char *ik_conversation_title(const struct ik_conversation *conversation);

#endif
