/*
 * pairing: which result answers which call, found while a conversation is walked.
 *
 * Looks at no more of the conversation than is asked for, so that whoever goes
 * on where an earlier walk ended pays for what is new.
 *
 * Borrows the conversation; owns its lists.  May include: util, conversation.
 */
#ifndef IK_CONVERSATION_PAIRING_H
#define IK_CONVERSATION_PAIRING_H

#include "conversation/conversation.h"

struct ik_pairing {
	const struct ik_conversation *conversation;
	size_t first;   /* what is before it is not looked at */
	size_t scanned; /* index behind the last that was looked at */
	size_t *pairs;  /* of first and all behind it, to scanned */
	size_t capacity;
	size_t *waiting; /* calls without a result so far, oldest first: a handful at a time */
	size_t waiting_count, waiting_capacity;
};

void ik_pairing_init(struct ik_pairing *pairing, const struct ik_conversation *conversation,
	size_t first);
void ik_pairing_done(struct ik_pairing *pairing);

/* The index of the result of the call at index (not before first), or of the call of the
 * result there; IK_UNPAIRED where there is none. */
size_t ik_pairing_of(struct ik_pairing *pairing, size_t index);

#endif
