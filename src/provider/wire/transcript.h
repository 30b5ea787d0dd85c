/*
 * transcript: a conversation in the order that every provider requires.
 *
 * All wire formats require the same order: everything that the assistant said and called in a
 * round, followed by the results in the order of the calls, even if they were stored in another
 * order. This iterates over a conversation in that order, so that a serializer only has to write.
 *
 * If the conversation was summarised, the iteration starts with the newest summary as a user
 * message, and what the user asked last before the messages that the summary does not replace, and
 * continues with these.
 *
 * An exchange that the provider refused is left out, since every request with it would be refused. If
 * tools have run in it, only the reply after them is.
 *
 * Appending messages does not change earlier passages (except for the last one, or what was refused of
 * the last turn), so requests have stable prefixes.
 *
 * Borrows the conversation; owns its lists. May include: util, conversation.
 */
#ifndef IK_PROVIDER_WIRE_TRANSCRIPT_H
#define IK_PROVIDER_WIRE_TRANSCRIPT_H

#include "conversation/pairing.h"

/* A user message, or what the assistant did in a round, as stored: thinking, at most one text, and
 * calls; always with text, calls or a search of the web, which may be another provider's. */
struct ik_passage {
	const struct ik_message **messages;
	const struct ik_message **results; /* for each call, its result; NULL: none, make one up */
	size_t count;
};

struct ik_transcript {
	const struct ik_conversation *conversation;
	size_t *pairs;                  /* as ik_pairing_new() returns them */
	bool *refused;                  /* for each message, that it isn't sent */
	struct ik_message *summary;     /* NULL: none */
	const struct ik_message *asked; /* what the user asked, until that passage; or NULL */
	bool begun;
	size_t at;
	struct ik_passage passage; /* the current passage */
};

void ik_transcript_init(struct ik_transcript *transcript,
	const struct ik_conversation *conversation);
void ik_transcript_done(struct ik_transcript *transcript);

/* Return the next passage, valid until the next call; NULL at the end. */
const struct ik_passage *ik_transcript_next(struct ik_transcript *transcript);

#endif
