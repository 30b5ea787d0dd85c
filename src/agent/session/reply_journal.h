/*
 * reply_journal: what has arrived of a reply, journaled while the rest is on its way.
 *
 * Written at most twice a second, so that a stream costs no more.  Borrows the record and the turn.
 * May include: util, loop, store, agent/turn/turn.h, agent/session/record.h.
 */
#ifndef IK_AGENT_SESSION_REPLY_JOURNAL_H
#define IK_AGENT_SESSION_REPLY_JOURNAL_H

#include "agent/session/record.h"
#include "agent/turn/turn.h"

struct ik_reply_journal;

struct ik_reply_journal *ik_reply_journal_new(struct ik_session_record *record,
	const struct ik_turn *turn);
/* Takes NULL, returns NULL. */
struct ik_reply_journal *ik_reply_journal_close(struct ik_reply_journal *journal);

/* The turn has made a step: there may be more of the reply, or it may be over. */
void ik_reply_journal_update(struct ik_reply_journal *journal);
/* Journal what there is of it now. */
void ik_reply_journal_write(struct ik_reply_journal *journal);

#endif
