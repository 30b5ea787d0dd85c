#include "agent/session/reply_journal.h"

#include <stdlib.h>

#include "util/alloc.h"

/* What a crash can cost of a reply that was on the screen. */
#define WRITE_MS 500

struct ik_reply_journal {
	struct ik_session_record *record;
	const struct ik_turn *turn;
	bool kept;              /* something was journaled of the reply */
	struct ik_timer *timer; /* until more of it is */
};

static void keep(void *arg, struct ik_message *message)
{
	const struct ik_session_record *record = arg;

	ik_store_keep_reply(record->store, record->id, message);
}

void ik_reply_journal_write(struct ik_reply_journal *journal)
{
	if (!ik_turn_has_partial_reply(journal->turn) || journal->record->read_only)
		return;
	journal->kept = true;
	ik_turn_partial_reply(journal->turn, keep, journal->record);
}

static void due(void *arg)
{
	ik_reply_journal_write(arg);
}

struct ik_reply_journal *ik_reply_journal_new(struct ik_session_record *record,
	const struct ik_turn *turn)
{
	struct ik_reply_journal *journal = ik_alloc(sizeof(*journal));

	journal->record = record;
	journal->turn = turn;
	journal->timer = ik_timer_new(record->loop, due, journal);
	return journal;
}

struct ik_reply_journal *ik_reply_journal_close(struct ik_reply_journal *journal)
{
	if (!journal)
		return NULL;
	ik_timer_close(journal->timer);
	free(journal);
	return NULL;
}

void ik_reply_journal_update(struct ik_reply_journal *journal)
{
	const struct ik_session_record *record = journal->record;

	if (ik_turn_has_partial_reply(journal->turn)) {
		if (record->stored && !ik_timer_running(journal->timer))
			ik_timer_start(journal->timer, WRITE_MS);
	} else if (journal->kept) {
		/* What became an event is one; the rest was given up. */
		ik_store_drop_replies(record->store, record->id);
		journal->kept = false;
	}
}
