#include "agent/session/session_lock.h"

#include <stdlib.h>

#include "store/lock.h"
#include "util/alloc.h"
#include "util/limits.h"

#define READ_AGAIN_MS 1000 /* after a failure */
#define READ_EVENTS 200    /* in one turn of the loop */

struct ik_session_lock {
	struct ik_session_record *record;
	struct ik_turn *turn;
	const struct ik_session_lock_events *events;
	void *arg;
	struct ik_lock *lock; /* NULL: nothing is stored yet */
	enum ik_when_locked when_locked;
	/* The session is restored when it is known whose it is. */
	bool awaited;
	void (*decided)(void *arg, const struct ik_error *error);
	void *decided_arg;
	bool taking_over;            /* what the other process wrote is read, then it is ours */
	bool more;                   /* there is more to be read */
	int64_t newest;              /* sequence of the last event that is known, while following */
	struct ik_store_read *read;  /* NULL: none is out */
	struct ik_timer *read_again; /* after a failure; NULL: none yet */
};

static void emit(struct ik_session_lock *lock, enum ik_lock_change change,
	const struct ik_holder *holder)
{
	struct ik_event event = { .kind = IK_EVENT_LOCK, .lock = change };
	struct ik_buf who;

	ik_buf_init(&who, IK_KIB(4));
	if (holder)
		ik_holder_put(&who, holder);
	event.text = who.data;
	event.text_length = who.length;
	ik_session_record_emit(lock->record, &event);
	ik_buf_done(&who);
}

/* ---- following ---- */

/* All that the other process wrote is known: the session is ours. */
static void finish_taking_over(struct ik_session_lock *lock)
{
	struct ik_session_record *record = lock->record;

	lock->taking_over = record->read_only = false;
	ik_store_continue(record->store, record->id, record->directory, lock->newest);
	lock->events->won(lock->arg);
	emit(lock, IK_LOCK_CHANGE_OURS, NULL);
}

/* What was written here meanwhile is known. */
static void read_again(void *arg)
{
	struct ik_session_lock *lock = arg;

	if (lock->record->read_only)
		ik_session_lock_read(lock);
}

/* What the other process wrote cannot be read at present; nobody may tell of it once more. */
static void read_again_later(struct ik_session_lock *lock)
{
	if (!lock->read_again)
		lock->read_again = ik_timer_new(lock->record->loop, read_again, lock);
	ik_timer_start(lock->read_again, READ_AGAIN_MS);
}

/* Add an event of the other process. */
static void add_event(struct ik_session_lock *lock, struct ik_message *message)
{
	const struct ik_event event = { .kind = IK_EVENT_MESSAGE, .message = message };

	lock->newest = message->sequence;
	ik_turn_know_call(lock->turn, message->call_id);
	ik_conversation_append(lock->record->conversation, message);
	ik_session_record_emit(lock->record, &event);
}

static void on_read(void *arg, const struct ik_store_answer *answer)
{
	struct ik_session_lock *lock = arg;
	struct ik_session_record *record = lock->record;

	lock->read = NULL;
	for (size_t i = 0; i < answer->count && !record->closing; i++)
		add_event(lock, answer->messages[i]);
	if (record->closing)
		return;
	if (answer->count > 0)
		lock->events->read(lock->arg);
	if (answer->count > 0 && !record->read_only)
		ik_store_continue(record->store, record->id, record->directory, lock->newest);
	if (answer->count > 0 || lock->more)
		ik_session_lock_read(lock);
	else if (lock->taking_over && answer->status == IK_OK)
		finish_taking_over(lock);
	else if (answer->status != IK_OK && record->read_only)
		read_again_later(lock);
}

void ik_session_lock_read(struct ik_session_lock *lock)
{
	lock->more = lock->read;
	if (!lock->more)
		lock->read = ik_store_after(lock->record->store, lock->record->id, lock->newest,
			READ_EVENTS, on_read, lock);
}

/* Return the number of the last event of the conversation that is stored. */
static int64_t last_sequence(const struct ik_session_lock *lock)
{
	const struct ik_conversation *conversation = lock->record->conversation;
	size_t i = ik_conversation_count(conversation);

	while (i > 0) {
		int64_t sequence = ik_conversation_at(conversation, --i)->sequence;

		if (sequence > 0)
			return sequence;
	}
	return 0;
}

static void stop_writing(struct ik_session_lock *lock)
{
	if (lock->record->read_only)
		return;
	lock->record->read_only = true;
	lock->events->lost(lock->arg);
}

/* ---- what the lock of the store tells ---- */

/* The session cannot be restored, since it is open elsewhere. */
static void refuse_to_restore(struct ik_session_lock *lock)
{
	struct ik_error error = { .status = IK_OK };
	struct ik_buf sentence;

	ik_buf_init(&sentence, IK_KIB(4));
	ik_holder_put_sentence(&sentence, ik_lock_holder(lock->lock));
	ik_error_set(&error, IK_UNAVAILABLE, "%s", sentence.data);
	ik_buf_done(&sentence);
	lock->lock = ik_lock_close(lock->lock);
	lock->decided(lock->decided_arg, &error);
}

/* The session is to be restored: now it is known whose it is. */
static void decide(struct ik_session_lock *lock, enum ik_lock_state state)
{
	bool theirs = state == IK_LOCK_OTHERS || state == IK_LOCK_FREE;

	if (theirs && lock->when_locked == IK_LOCKED_WAIT) {
		if (!ik_lock_is_asking(lock->lock))
			emit(lock, IK_LOCK_CHANGE_OTHERS, ik_lock_holder(lock->lock));
		if (lock->lock) /* unless the sink has closed the session */
			ik_lock_await(lock->lock);
		return;
	}
	lock->awaited = false;
	if (theirs && lock->when_locked == IK_LOCKED_REFUSE) {
		refuse_to_restore(lock);
		return;
	}
	lock->record->read_only = theirs;
	if (theirs)
		emit(lock, IK_LOCK_CHANGE_OTHERS, ik_lock_holder(lock->lock));
	lock->decided(lock->decided_arg, NULL);
}

static void on_changed(void *arg, enum ik_lock_state state, const struct ik_holder *holder)
{
	struct ik_session_lock *lock = arg;
	struct ik_session_record *record = lock->record;

	if (lock->awaited) {
		decide(lock, state);
		return;
	}
	if (state == IK_LOCK_OURS || state == IK_LOCK_NONE) {
		lock->taking_over = record->read_only;
		if (lock->taking_over && !record->undecided)
			ik_session_lock_read(lock);
		return;
	}
	if (state == IK_LOCK_UNKNOWN)
		return;
	/* A turn that runs is stored as a fork if another process writes: nobody waits for it. */
	if (!record->read_only && lock->events->is_busy(lock->arg))
		return;
	if (!record->undecided)
		lock->newest = last_sequence(lock);
	lock->taking_over = false;
	stop_writing(lock);
	emit(lock, state == IK_LOCK_FREE ? IK_LOCK_CHANGE_FREE : IK_LOCK_CHANGE_OTHERS, holder);
	if (!record->closing && !record->undecided)
		ik_session_lock_read(lock);
}

static void on_asked(void *arg, const struct ik_holder *asker)
{
	emit(arg, asker ? IK_LOCK_CHANGE_ASKED : IK_LOCK_CHANGE_UNASKED, asker);
}

static void on_refused(void *arg)
{
	struct ik_session_lock *lock = arg;

	emit(lock, IK_LOCK_CHANGE_REFUSED, ik_lock_holder(lock->lock));
}

static void on_news(void *arg)
{
	struct ik_session_lock *lock = arg;
	bool following = lock->record->read_only;

	if (lock->record->undecided || lock->awaited)
		return;
	/* What others wrote while this process was stopped comes here, too. */
	if (!following && lock->events->is_busy(lock->arg))
		return;
	if (!following)
		lock->newest = last_sequence(lock);
	ik_session_lock_read(lock);
}

/* Release the lock, silently. */
static void drop(struct ik_session_lock *lock)
{
	lock->read = ik_store_read_close(lock->read);
	lock->read_again = ik_timer_close(lock->read_again);
	lock->lock = ik_lock_close(lock->lock);
}

/* ---- from outside ---- */

struct ik_session_lock *ik_session_lock_new(struct ik_session_record *record, struct ik_turn *turn,
	const struct ik_session_lock_events *events, void *arg)
{
	struct ik_session_lock *lock = ik_alloc(sizeof(*lock));

	lock->record = record;
	lock->turn = turn;
	lock->events = events;
	lock->arg = arg;
	return lock;
}

/* Deferred: its memory. */
static void lock_free(void *arg)
{
	free(arg);
}

struct ik_session_lock *ik_session_lock_close(struct ik_session_lock *lock)
{
	drop(lock);
	ik_loop_defer(lock->record->loop, lock_free, lock);
	return NULL;
}

void ik_session_lock_when_locked(struct ik_session_lock *lock, enum ik_when_locked when)
{
	lock->when_locked = when;
}

void ik_session_lock_take(struct ik_session_lock *lock)
{
	static const struct ik_lock_events events = {
		.changed = on_changed,
		.asked = on_asked,
		.refused = on_refused,
		.news = on_news,
	};

	lock->record->read_only = lock->taking_over = false;
	drop(lock);
	lock->lock = ik_lock_new(lock->record->store, lock->record->id, &events, lock);
}

void ik_session_lock_await(struct ik_session_lock *lock,
	void (*decided)(void *arg, const struct ik_error *error), void *arg)
{
	lock->awaited = true;
	lock->decided = decided;
	lock->decided_arg = arg;
	ik_session_lock_take(lock);
}

bool ik_session_lock_is_taken(const struct ik_session_lock *lock)
{
	return lock->lock;
}

void ik_session_lock_continue(struct ik_session_lock *lock, int64_t newest)
{
	struct ik_session_record *record = lock->record;

	lock->newest = newest;
	if (!record->read_only)
		ik_store_continue(record->store, record->id, record->directory, newest);
}

void ik_session_lock_ask(struct ik_session_lock *lock)
{
	if (lock->record->read_only && lock->lock)
		ik_lock_ask(lock->lock);
}

void ik_session_lock_withdraw(struct ik_session_lock *lock)
{
	if (lock->lock)
		ik_lock_withdraw(lock->lock);
}

bool ik_session_lock_is_asking(const struct ik_session_lock *lock)
{
	return lock->lock && ik_lock_is_asking(lock->lock);
}

void ik_session_lock_refuse(struct ik_session_lock *lock)
{
	if (lock->lock)
		ik_lock_refuse(lock->lock);
}

void ik_session_lock_release(struct ik_session_lock *lock)
{
	if (!lock->lock || lock->record->read_only)
		return;
	stop_writing(lock);
	ik_lock_let_go(lock->lock);
}

void ik_session_lock_pause(struct ik_session_lock *lock)
{
	if (lock->lock && !lock->record->read_only && !lock->events->is_busy(lock->arg))
		ik_lock_pause(lock->lock);
}

void ik_session_lock_resume(struct ik_session_lock *lock)
{
	if (lock->lock && !lock->record->read_only)
		ik_lock_continue(lock->lock);
}
