#include "agent/session/reply_journal.h"

#include <stdlib.h>

#include "store/begun.h"
#include "util/alloc.h"

/* What a crash can cost of a reply that was on the screen. */
#define WRITE_MS 500

struct ik_reply_journal {
	struct ik_session_record *record;
	const struct ik_turn *turn;
	struct ik_begun *begun; /* NULL: nothing was journaled yet */
	struct ik_timer *timer; /* until it is written or cleared; NULL: none yet */
};

static void write_message(void *arg, struct ik_message *message)
{
	const struct ik_reply_journal *journal = arg;

	ik_begun_keep(journal->begun, journal->record->id, message);
}

static void due(void *arg)
{
	struct ik_reply_journal *journal = arg;

	if (ik_turn_has_partial_reply(journal->turn) && !journal->record->read_only)
		ik_turn_partial_reply(journal->turn, write_message, journal);
	else
		ik_begun_clear(journal->begun);
}

struct ik_reply_journal *ik_reply_journal_new(struct ik_session_record *record,
	const struct ik_turn *turn)
{
	struct ik_reply_journal *journal = ik_alloc(sizeof(*journal));

	journal->record = record;
	journal->turn = turn;
	return journal;
}

struct ik_reply_journal *ik_reply_journal_close(struct ik_reply_journal *journal)
{
	if (!journal)
		return NULL;
	ik_begun_free(journal->begun);
	ik_timer_close(journal->timer);
	free(journal);
	return NULL;
}

void ik_reply_journal_update(struct ik_reply_journal *journal)
{
	const struct ik_session_record *record = journal->record;
	bool coming = ik_turn_has_partial_reply(journal->turn);

	if (!journal->begun && coming && record->stored && !record->read_only)
		journal->begun = ik_begun_new(record->store);
	if (!journal->begun || (!coming && ik_begun_is_empty(journal->begun)))
		return;
	if (!coming && ik_begun_is_stored(journal->begun)) {
		ik_begun_clear(journal->begun);
		return;
	}
	if (!journal->timer)
		journal->timer = ik_timer_new(record->loop, due, journal);
	if (!ik_timer_running(journal->timer))
		ik_timer_start(journal->timer, WRITE_MS);
}

void ik_reply_journal_move(struct ik_reply_journal *journal)
{
	if (!journal->begun || ik_begun_is_empty(journal->begun) ||
		!ik_turn_has_partial_reply(journal->turn))
		return;
	ik_begun_clear(journal->begun);
	ik_turn_partial_reply(journal->turn, write_message, journal);
}

void ik_reply_journal_clear(const struct ik_reply_journal *journal)
{
	if (journal->begun)
		ik_begun_clear(journal->begun);
}
