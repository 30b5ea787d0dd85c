/*
 * transcript: a conversation in the order that every provider demands.
 *
 * All wire formats want the same: what the assistant said and called in one
 * round together, the result of each call right behind it, in the order of the
 * calls, whatever order they were stored in.  This walks a conversation that
 * way, so that a serializer only spells.
 *
 * Where the conversation was summarised, the walk begins with the newest summary, in
 * a user's message, and goes on behind it.
 *
 * What was walked stays the same when messages are appended (but for the
 * passage at the very end), so that requests have stable prefixes; and a walk can
 * go on where an earlier one ended.
 *
 * Borrows the conversation; owns its lists.  May include: util, conversation.
 */
#ifndef IK_PROVIDER_WIRE_TRANSCRIPT_H
#define IK_PROVIDER_WIRE_TRANSCRIPT_H

#include "conversation/pairing.h"

enum ik_passage_kind {
	IK_PASSAGE_USER,      /* one message */
	IK_PASSAGE_ASSISTANT, /* thinking, at most one text, calls, as stored; never without
	                         text and calls */
	IK_PASSAGE_RESULTS    /* for each call of the passage before, in order, its result, or
	                         NULL: none came, make one up */
};

struct ik_passage {
	enum ik_passage_kind kind;
	const struct ik_message *const *messages;
	size_t count;
	const struct ik_message *const *calls; /* RESULTS: whose results, count as well */
};

struct ik_transcript {
	const struct ik_conversation *conversation;
	struct ik_pairing pairing;
	struct ik_message *summary; /* NULL: none */
	bool summary_due;
	size_t at;
	bool results_due;
	const struct ik_message **messages; /* of the present passage */
	size_t message_count, message_capacity;
	const struct ik_message **calls; /* of the last assistant passage */
	size_t *call_indexes;
	size_t call_count, call_capacity;
};

void ik_transcript_init(struct ik_transcript *transcript,
	const struct ik_conversation *conversation);
void ik_transcript_done(struct ik_transcript *transcript);

/* The next passage, valid until the next call; false at the end. */
bool ik_transcript_next(struct ik_transcript *transcript, struct ik_passage *ret_passage);

#endif
