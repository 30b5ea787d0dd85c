/*
 * pairing: which tool result answers which call.
 *
 * May include: util, conversation.
 */
#ifndef IK_CONVERSATION_PAIRING_H
#define IK_CONVERSATION_PAIRING_H

#include "conversation/conversation.h"

/* The index of a missing result or call. If several calls share an id, the first call gets the
 * first result. */
#define IK_UNPAIRED SIZE_MAX

/* Return, in new memory, one index per message: of a call's result, or of the call that a result
 * answers; IK_UNPAIRED if there is none. Messages before first are ignored. */
size_t *ik_pairing_new(const struct ik_conversation *conversation, size_t first);

/* Append the envelope of a call whose result was never received: providers refuse a request without
 * one. */
void ik_pairing_lost_envelope(struct ik_buf *out);

/* Append a result to each call that has none, because providers refuse such a conversation. Its envelope
 * says that the program ended first. Return their number. They are at the end, not after their calls:
 * serializers find results by call id, not by position. */
size_t ik_pairing_complete(struct ik_conversation *conversation);

#endif
