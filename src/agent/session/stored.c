#include "agent/session/stored.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/pairing.h"
#include "store/lock.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Messages shown first, and messages read later in one turn of the loop: a few milliseconds' worth.
 * Pages of large events are shorter. */
#define NEWEST_PAGE 200
#define OLDER_PAGE 500

#define READ_AGAIN_MS 1000 /* before reading the other process's events again after a failure */
#define READ_EVENTS 200    /* limit on these in one turn of the loop */

struct ik_stored {
	struct ik_session_record *record;
	struct ik_turn *turn;
	const struct ik_stored_events *events;
	void *arg;

	/* While the session is restored: */
	struct ik_store_read *page;    /* NULL: none is being read */
	struct ik_restoring restoring; /* without its id */
	int64_t count;                 /* number of messages in the session */
	int64_t oldest;                /* sequence of the oldest message loaded */

	struct ik_lock *lock;        /* NULL: nothing is stored yet */
	bool awaited;                /* restore the session once its lock's state is known */
	bool taking_over;            /* read the other process's events, then the session is ours */
	bool more;                   /* there are more of these events to read */
	int64_t newest;              /* while following: sequence of the last event known */
	int64_t doubtful;            /* up to this sequence, events of the first page may arrive
	                                again */
	struct ik_store_read *news;  /* reads the other process's events; or NULL */
	struct ik_timer *read_again; /* after a failure; NULL: never needed yet */
};

/* Emit a change of the lock with the other process involved, or NULL. */
static void emit_lock(struct ik_stored *stored, enum ik_lock_change change,
	const struct ik_holder *holder)
{
	struct ik_event event = { .kind = IK_EVENT_LOCK, .lock = change };
	struct ik_buf who;

	ik_buf_init(&who, IK_KIB(4));
	if (holder)
		ik_holder_put(&who, holder);
	event.text = who.data;
	event.text_length = who.length;
	ik_session_record_emit(stored->record, &event);
	ik_buf_done(&who);
}

static void emit_messages(struct ik_stored *stored, struct ik_message *const *messages,
	size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct ik_event event = { .kind = IK_EVENT_MESSAGE, .message = messages[i] };

		ik_session_record_emit(stored->record, &event);
	}
}

/* Add and emit a result for each call without one. */
static void repair(struct ik_stored *stored)
{
	struct ik_session_record *record = stored->record;
	size_t first = ik_conversation_count(record->conversation);
	size_t end = first + ik_pairing_complete(record->conversation);

	for (size_t i = first; i < end; i++)
		ik_store_append(record->store, record->id, ik_conversation_at(record->conversation, i));
	for (size_t i = first; i < end; i++) {
		struct ik_message *message = ik_conversation_at(record->conversation, i);

		emit_messages(stored, &message, 1);
	}
}

/* Let turns begin if all messages are loaded and the session is ours. */
static void begin_turns(struct ik_stored *stored)
{
	repair(stored);
	stored->events->read(stored->arg);
	stored->events->turns(stored->arg, true);
}

/* Store from now on, after the event with sequence newest. */
static void continue_storing(struct ik_stored *stored, int64_t newest)
{
	struct ik_session_record *record = stored->record;

	stored->newest = newest;
	if (!record->read_only)
		ik_store_continue(record->store, record->id, record->directory, newest);
}

/* ---- following ---- */

static void read_news(struct ik_stored *stored);

/* Start writing the session, now that all events of the other process are known. */
static void finish_taking_over(struct ik_stored *stored)
{
	struct ik_session_record *record = stored->record;

	stored->taking_over = record->read_only = false;
	continue_storing(stored, stored->newest);
	if (!record->closing && !record->loading)
		begin_turns(stored);
	emit_lock(stored, IK_LOCK_CHANGE_OURS, NULL);
}

/* Read again after a failed read of the other process's events. */
static void read_again(void *arg)
{
	struct ik_stored *stored = arg;

	if (stored->record->read_only)
		read_news(stored);
}

/* Schedule another read of the other process's events, since this one failed; no notification may
 * come for them again. */
static void read_again_later(struct ik_stored *stored)
{
	if (!stored->read_again)
		stored->read_again = ik_timer_new(stored->record->loop, read_again, stored);
	ik_timer_start(stored->read_again, READ_AGAIN_MS);
}

/* Was message already on the first page, which had it from a journal? */
static bool is_there(const struct ik_stored *stored, const struct ik_message *message)
{
	const struct ik_conversation *conversation = stored->record->conversation;
	size_t i = message->sequence <= stored->doubtful ? ik_conversation_count(conversation) : 0;

	while (i > 0 && !ik_text_equal(ik_conversation_at(conversation, i - 1)->id, message->id))
		i--;
	return i > 0;
}

/* Add an event of the other process. */
static void add_event(struct ik_stored *stored, struct ik_message *message)
{
	stored->newest = message->sequence;
	if (is_there(stored, message))
		return;
	ik_turn_know_call(stored->turn, message->call_id);
	ik_conversation_append(stored->record->conversation, message);
	emit_messages(stored, &message, 1);
}

static void on_news_read(void *arg, const struct ik_store_answer *answer)
{
	struct ik_stored *stored = arg;
	struct ik_session_record *record = stored->record;

	stored->news = NULL;
	for (size_t i = 0; i < answer->count && !record->closing; i++)
		add_event(stored, answer->messages[i]);
	if (record->closing)
		return;
	if (answer->count > 0 && !record->loading)
		stored->events->read(stored->arg);
	if (answer->count > 0)
		continue_storing(stored, stored->newest);
	if (answer->count > 0 || stored->more)
		read_news(stored);
	else if (stored->taking_over && answer->status == IK_OK)
		finish_taking_over(stored);
	else if (answer->status != IK_OK && record->read_only)
		read_again_later(stored);
}

/* Read the other process's events since the last read. */
static void read_news(struct ik_stored *stored)
{
	stored->more = stored->news;
	if (!stored->more)
		stored->news = ik_store_after(stored->record->store, stored->record->id, stored->newest,
			READ_EVENTS, on_news_read, stored);
}

/* Return the sequence of the last stored event of the conversation. */
static int64_t last_sequence(const struct ik_stored *stored)
{
	const struct ik_conversation *conversation = stored->record->conversation;
	size_t i = ik_conversation_count(conversation);

	while (i > 0) {
		int64_t sequence = ik_conversation_at(conversation, --i)->sequence;

		if (sequence > 0)
			return sequence;
	}
	return 0;
}

/* Follow the session from its last event on. */
static void stop_writing(struct ik_stored *stored)
{
	if (stored->record->read_only)
		return;
	stored->record->read_only = true;
	if (!stored->record->undecided)
		stored->newest = last_sequence(stored);
	stored->events->turns(stored->arg, false);
}

/* ---- restoring ---- */

/* Insert a page before all loaded messages. */
static void add_page(struct ik_stored *stored, struct ik_message **messages, size_t count)
{
	ik_conversation_prepend(stored->record->conversation, messages, count);
	for (size_t i = 0; i < count; i++)
		ik_turn_know_call(stored->turn, messages[i]->call_id);
	if (count > 0)
		stored->oldest = messages[0]->sequence;
}

static void emit_older(struct ik_stored *stored, struct ik_message **messages, size_t count)
{
	const struct ik_event event = {
		.kind = IK_EVENT_OLDER,
		.older = messages,
		.count = count,
	};

	ik_session_record_emit(stored->record, &event);
}

/* Use the stored system prompt, unless another one was requested. Old sessions have no stored
 * prompt. This is the only place where a stored prompt reaches the model. */
static void use_stored_prompt(struct ik_stored *stored)
{
	struct ik_session_record *record = stored->record;
	const struct ik_message *prompt = ik_conversation_prompt(record->conversation);

	record->prompt_unstored = stored->restoring.new_prompt &&
		!(prompt && strcmp(prompt->content, record->prompt) == 0);
	if (record->prompt_unstored) {
		ik_session_record_emit_text(record, IK_EVENT_NOTICE,
			_("This session now uses the system prompt given with -s."));
	} else if (prompt) {
		free(record->prompt);
		record->prompt = ik_strdup(prompt->content);
		stored->events->prompt(stored->arg);
	}
}

static void finish_loading(struct ik_stored *stored)
{
	stored->record->loading = false;
	use_stored_prompt(stored);
	if (stored->record->read_only)
		stored->events->read(stored->arg);
	else
		begin_turns(stored);
}

static ik_store_reader on_older;

/* Read the next older page (deferred). */
static void read_older(void *arg)
{
	struct ik_stored *stored = arg;

	stored->page = ik_store_page(stored->record->store, stored->record->id, stored->oldest,
		OLDER_PAGE, on_older, stored);
}

/* Defer this to the next turn of the loop, so that loaded messages are drawn first. */
static void read_older_next(struct ik_stored *stored)
{
	ik_loop_defer(stored->record->loop, read_older, stored);
}

static void emit_unreadable(struct ik_stored *stored, const struct ik_error *error)
{
	char *sentence = ik_format(_("Older messages of this session cannot be read: %s"), error->text);

	ik_session_record_emit_text(stored->record, IK_EVENT_NOTICE, sentence);
	free(sentence);
}

static void on_older(void *arg, const struct ik_store_answer *answer)
{
	struct ik_stored *stored = arg;

	stored->page = NULL;
	if (answer->status != IK_OK) {
		emit_unreadable(stored, &answer->error);
	} else if (answer->count > 0) {
		add_page(stored, answer->messages, answer->count);
		emit_older(stored, answer->messages, answer->count);
	}
	if (!stored->record->loading)
		return; /* the sink has closed the session */
	if (answer->status == IK_OK && answer->count > 0)
		read_older_next(stored);
	else
		finish_loading(stored);
}

static void emit_restored(struct ik_stored *stored)
{
	char *sentence = ik_format(ngettext("[Session restored: %lld message]",
								   "[Session restored: %lld messages]",
								   (unsigned long)stored->count),
		(long long)stored->count);

	ik_session_record_emit_text(stored->record, IK_EVENT_NOTICE, sentence);
	free(sentence);
}

/* Store what waited, since it is now known which session this is, or that it stays a new one. */
static void decide(struct ik_stored *stored, const struct ik_error *error)
{
	ik_session_record_decide(stored->record);
	if (stored->restoring.done)
		stored->restoring.done(stored->restoring.arg, error);
}

/* Continue with a copied fork (deferred). */
static void use_copy(void *arg)
{
	struct ik_stored *stored = arg;
	struct ik_session_record *record = stored->record;
	const struct ik_conversation *copy = stored->restoring.copy;
	size_t count = ik_conversation_count(copy);
	size_t older = count > NEWEST_PAGE ? count - NEWEST_PAGE : 0;
	struct ik_message **messages = ik_conversation_messages(copy);

	record->to_store = false;
	/* Stores the messages that were added meanwhile; the store already has all of the copy. */
	ik_session_record_start_storing(record);
	stored->events->identified(stored->arg);
	add_page(stored, messages, count);
	emit_messages(stored, messages + older, count - older);
	stored->count = (int64_t)count;
	emit_restored(stored);
	if (!record->loading)
		return; /* the sink has closed the session */
	decide(stored, NULL);
	if (older > 0)
		emit_older(stored, messages, older);
	if (record->loading)
		finish_loading(stored);
}

/* Keep this as a new session. */
static void give_up(struct ik_stored *stored, const struct ik_error *error)
{
	stored->record->loading = false;
	decide(stored, error);
	stored->events->turns(stored->arg, true);
}

/* Return to an id of our own, since the session that was found cannot be restored. */
static void give_up_found(struct ik_stored *stored, const struct ik_error *error)
{
	ik_uuid_new(stored->record->id);
	give_up(stored, error);
}

/* Process the newest page. */
static void on_newest(void *arg, const struct ik_store_answer *answer)
{
	struct ik_stored *stored = arg;
	struct ik_session_record *record = stored->record;
	int64_t newest = answer->count > 0 ? answer->messages[answer->count - 1]->sequence : 0;
	int64_t stored_newest = stored->count < newest ? stored->count : newest;

	stored->page = NULL;
	if (answer->status != IK_OK) {
		give_up_found(stored, &answer->error);
		return;
	}
	stored->events->identified(stored->arg);
	add_page(stored, answer->messages, answer->count);
	emit_messages(stored, answer->messages, answer->count);
	/* Include events that are only in journals so far. */
	if (newest > stored->count)
		stored->count = newest;
	/* Events from a dead process's journal become a fork if the lock's holder has stored other
	 * events with the same sequences. */
	stored->doubtful = newest;
	if (!record->closing)
		continue_storing(stored, record->read_only ? stored_newest : newest);
	emit_restored(stored);
	if (record->loading)
		decide(stored, NULL);
	if (record->loading && stored->oldest == 1)
		finish_loading(stored); /* that was the last page */
	else if (record->loading)
		read_older_next(stored);
	if (record->loading && record->read_only)
		read_news(stored);
}

/* Fail to restore the session, since it is open elsewhere. */
static void refuse_to_restore(struct ik_stored *stored, const struct ik_holder *holder)
{
	struct ik_error error;

	(void)ik_holder_refuse(holder, &error);
	stored->lock = ik_lock_close(stored->lock);
	give_up_found(stored, &error);
}

/* ---- what the store's lock reports ---- */

/* Restore the session, now that its lock's state is known. */
static void on_awaited(struct ik_stored *stored, enum ik_lock_state state,
	const struct ik_holder *holder)
{
	struct ik_session_record *record = stored->record;
	bool theirs = state == IK_LOCK_OTHERS || state == IK_LOCK_FREE;

	if (theirs && stored->restoring.when_locked == IK_LOCKED_WAIT) {
		if (!ik_lock_is_asking(stored->lock))
			emit_lock(stored, IK_LOCK_CHANGE_OTHERS, holder);
		if (stored->lock) /* unless the sink has closed the session */
			ik_lock_wish(stored->lock, IK_WISH_AWAIT);
		return;
	}
	stored->awaited = false;
	if (theirs && stored->restoring.when_locked == IK_LOCKED_REFUSE) {
		refuse_to_restore(stored, holder);
		return;
	}
	record->read_only = theirs;
	if (theirs)
		emit_lock(stored, IK_LOCK_CHANGE_OTHERS, holder);
	if (!record->closing)
		stored->page = ik_store_page(record->store, record->id, 0, NEWEST_PAGE, on_newest, stored);
}

static void on_changed(void *arg, enum ik_lock_state state, const struct ik_holder *holder)
{
	struct ik_stored *stored = arg;
	struct ik_session_record *record = stored->record;

	if (stored->awaited) {
		on_awaited(stored, state, holder);
		return;
	}
	if (state == IK_LOCK_OURS) {
		stored->taking_over = record->read_only;
		if (stored->taking_over && !record->undecided)
			read_news(stored);
		return;
	}
	/* A running turn is stored as a fork if another process writes; that process does not wait for
	 * it. */
	if (!record->read_only && stored->events->is_busy(stored->arg))
		return;
	stored->taking_over = false;
	stop_writing(stored);
	emit_lock(stored, state == IK_LOCK_FREE ? IK_LOCK_CHANGE_FREE : IK_LOCK_CHANGE_OTHERS, holder);
	if (!record->closing && !record->undecided)
		read_news(stored);
}

static void on_asked(void *arg, const struct ik_holder *asker)
{
	emit_lock(arg, asker ? IK_LOCK_CHANGE_ASKED : IK_LOCK_CHANGE_UNASKED, asker);
}

static void on_refused(void *arg, const struct ik_holder *holder)
{
	emit_lock(arg, IK_LOCK_CHANGE_REFUSED, holder);
}

static void on_news(void *arg)
{
	struct ik_stored *stored = arg;
	bool following = stored->record->read_only;

	if (stored->record->undecided || stored->awaited)
		return;
	/* This also brings what others wrote while this process was stopped. */
	if (!following && stored->events->is_busy(stored->arg))
		return;
	if (!following)
		stored->newest = last_sequence(stored);
	read_news(stored);
}

/* Release the lock, without events. */
static void drop(struct ik_stored *stored)
{
	stored->news = ik_store_read_close(stored->news);
	stored->read_again = ik_timer_close(stored->read_again);
	stored->lock = ik_lock_close(stored->lock);
}

/* Lock the session, which is now stored or has a new id. */
static void take(struct ik_stored *stored)
{
	static const struct ik_lock_events events = {
		.changed = on_changed,
		.asked = on_asked,
		.refused = on_refused,
		.news = on_news,
	};

	stored->record->read_only = stored->taking_over = false;
	drop(stored);
	stored->lock = ik_lock_new(stored->record->store, stored->record->id, &events, stored);
}

/* Process the first storing of the record. */
static void on_stored(void *arg)
{
	struct ik_stored *stored = arg;

	if (!stored->lock)
		take(stored);
}

/* Process the answer with the session to restore. */
static void on_found(void *arg, const struct ik_store_answer *answer)
{
	struct ik_stored *stored = arg;
	struct ik_error error = answer->error;

	stored->page = NULL;
	if (answer->status == IK_OK && answer->count == 0)
		(void)ik_error_set(&error, IK_NOT_FOUND, _("There is no stored session of %s."),
			stored->record->directory);
	if (error.status != IK_OK) {
		give_up(stored, &error);
		return;
	}
	ik_session_record_set_id(stored->record, answer->sessions[0].id);
	stored->count = answer->sessions[0].event_count;
	stored->awaited = true;
	take(stored);
}

/* ---- from outside ---- */

void ik_stored_restore(struct ik_stored *stored, const struct ik_restoring *restoring)
{
	struct ik_session_record *record = stored->record;
	const struct ik_session_choice here = { .directory = record->directory };
	const char *id = restoring->id;

	stored->restoring = *restoring;
	record->undecided = record->loading = true;
	if (restoring->copy) {
		ik_session_record_set_id(record, id);
		ik_loop_defer(record->loop, use_copy, stored);
		return;
	}
	stored->page = id ? ik_store_find(record->store, id, on_found, stored)
					  : ik_store_list(record->store, &here, 0, "", 1, on_found, stored);
}

struct ik_stored *ik_stored_new(struct ik_session_record *record, struct ik_turn *turn,
	const struct ik_stored_events *events, void *arg)
{
	struct ik_stored *stored = ik_alloc(sizeof(*stored));

	stored->record = record;
	stored->turn = turn;
	stored->events = events;
	stored->arg = arg;
	record->on_stored = on_stored;
	record->arg = stored;
	return stored;
}

void ik_stored_stop(struct ik_stored *stored)
{
	struct ik_session_record *record = stored->record;

	record->loading = false;
	ik_loop_cancel_deferred(record->loop, read_older, stored);
	ik_loop_cancel_deferred(record->loop, use_copy, stored);
	stored->page = ik_store_read_close(stored->page);
	if (record->undecided)
		ik_session_record_decide(record);
}

/* Free it (deferred). */
static void release(void *arg)
{
	struct ik_stored *stored = arg;

	ik_conversation_free(stored->restoring.copy);
	free(stored);
}

struct ik_stored *ik_stored_close(struct ik_stored *stored)
{
	stored->record->on_stored = NULL;
	drop(stored);
	ik_loop_defer(stored->record->loop, release, stored);
	return NULL;
}

void ik_stored_forked(struct ik_stored *stored)
{
	if (stored->lock)
		take(stored);
}

void ik_stored_ask(struct ik_stored *stored)
{
	if (stored->record->read_only && stored->lock && !stored->taking_over)
		ik_lock_wish(stored->lock, IK_WISH_ASK);
}

void ik_stored_withdraw(struct ik_stored *stored)
{
	if (ik_stored_is_asking(stored))
		ik_lock_wish(stored->lock, IK_WISH_FOLLOW);
}

bool ik_stored_is_asking(const struct ik_stored *stored)
{
	return stored->lock && ik_lock_is_asking(stored->lock);
}

void ik_stored_refuse(struct ik_stored *stored)
{
	if (stored->lock)
		ik_lock_refuse(stored->lock);
}

void ik_stored_release(struct ik_stored *stored)
{
	if (!stored->lock || stored->record->read_only)
		return;
	stop_writing(stored);
	ik_lock_wish(stored->lock, IK_WISH_FOLLOW);
}

void ik_stored_pause(struct ik_stored *stored)
{
	if (stored->lock && !stored->record->read_only && !stored->events->is_busy(stored->arg))
		ik_lock_pause(stored->lock);
}

void ik_stored_resume(struct ik_stored *stored)
{
	if (stored->lock && !stored->record->read_only)
		ik_lock_wish(stored->lock, IK_WISH_OPEN);
}
