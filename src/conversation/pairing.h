/*
 * pairing: which tool result answers which call.
 *
 * A walk scans no more of the conversation than it is asked about, so resuming one costs only
 * what is new.
 *
 * Borrows the conversation; owns its lists.  May include: util, conversation.
 */
#ifndef IK_CONVERSATION_PAIRING_H
#define IK_CONVERSATION_PAIRING_H

#include "conversation/conversation.h"

/* The index of a result or a call that does not exist. If several calls share an id, the first
 * call gets the first result. */
#define IK_UNPAIRED SIZE_MAX

struct ik_pairing {
	const struct ik_conversation *conversation;
	size_t first;   /* messages before it are ignored */
	size_t scanned; /* index after the last scanned message */
	size_t *pairs;  /* for messages from first to scanned */

	size_t *waiting; /* calls without a result so far, oldest first: a handful at a time */
	size_t waiting_count;
};

void ik_pairing_init(struct ik_pairing *pairing, const struct ik_conversation *conversation,
	size_t first);
void ik_pairing_done(struct ik_pairing *pairing);

/* Return the index of the result of the call at index (not before first), or of the call that
 * the result there answers; IK_UNPAIRED if there is none. */
size_t ik_pairing_of(struct ik_pairing *pairing, size_t index);

/* Append the envelope of a call whose result was never received: a request without one would be
 * refused. */
void ik_pairing_lost_envelope(struct ik_buf *out);

/*
 * Append a result to each call that has none, because providers refuse such a conversation. Its
 * envelope says that the program ended first. ret_added gets the new messages, which the caller
 * stores and unrefs. Return their number. They are at the end, not after their calls:
 * serializers find results by call id, not by position.
 */
size_t ik_pairing_complete(struct ik_conversation *conversation, struct ik_message ***ret_added);

#endif
