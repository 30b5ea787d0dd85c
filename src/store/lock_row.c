/*
 * Locks of a server: a row for each session that is open, with a lease by the server's clock.  What
 * others do is looked for: often where somebody else writes or something was done here a moment ago,
 * else as seldom as the lease allows, so that a chat at rest holds no connection.  Who dies says
 * nothing: on the same machine that is seen, on another the lease ends.
 */
#include <stdlib.h>
#include <string.h>

#include "journal/event_line.h"
#include "store/lock_base.h"
#include "util/alloc.h"
#include "util/text.h"

#define LOOK_MS 1000
#define RENEW_MS 30000 /* a third of the lease */

/* The answer. */
struct lock_row {
	enum ik_lock_state state;
	char held[IK_UUID_TEXT];        /* the holder's lock */
	struct ik_holder holder, asker; /* pid 0: nobody */
	int64_t newest;                 /* number of the session's newest event */
	bool refused;
};

struct lock_row_kept {
	char id[IK_UUID_TEXT];
	char dead[IK_UUID_TEXT];    /* the lock of a holder that is dead; "": none */
	struct ik_store_read *read; /* a step on its way; NULL: none */
	int64_t delay_ms;           /* before the next look */
	int64_t newest;             /* event that was told of */
	bool opened;                /* it was tried once */
	bool trying;                /* the step on its way takes it, if it is to be had */
	bool again;                 /* something happened meanwhile */
	bool released;
	bool asking; /* the row says so */
};

/* Begin a step: what is to be done, and how things are then. */
static struct ik_store_read *start(struct ik_lock *lock, const char *step, int flags,
	ik_store_reader *reader)
{
	struct lock_row_kept *kept = lock->kept;
	struct ik_holder self;
	struct ik_store_read *read;

	ik_holder_self(&self);
	ik_holder_locate(&self);
	read = ik_request(lock->store->requests, flags, reader, lock,
		"'do':'lease','session':'%s','step':'%s','lock':'%s','process':'%s','host':'%s',"
		"'user':'%s','pid':%lld,'place':'%s','started':%lld,'dead':'%s'",
		lock->session, step, kept->id, lock->store->place.process, self.host, self.user,
		(long long)self.pid, self.place, (long long)self.started,
		kept->dead[0] ? kept->dead : NULL);
	kept->dead[0] = '\0';
	return read;
}

/* Read the last line of the answer. */
static struct lock_row read_row(struct ik_json_span line)
{
	struct ik_json_span state = ik_json_member(line, "state");
	struct lock_row row = { .state = IK_LOCK_FREE };

	if (ik_json_string_is(state, "ours"))
		row.state = IK_LOCK_OURS;
	else if (ik_json_string_is(state, "others"))
		row.state = IK_LOCK_OTHERS;
	(void)ik_event_line_id(line, "lock", row.held);
	ik_holder_read(ik_json_member(line, "holder"), &row.holder);
	ik_holder_read(ik_json_member(line, "asker"), &row.asker);
	(void)ik_json_integer(ik_json_member(line, "newest"), &row.newest);
	(void)ik_json_bool(ik_json_member(line, "refused"), &row.refused);
	return row;
}

/* What the row says now. */
static void take(struct ik_lock *lock, const struct lock_row *row)
{
	struct lock_row_kept *kept = lock->kept;

	/* It is nobody's, and what was to be done is done once more, behind what the dead one has left:
	 * beside another holder that would become a fork. */
	if (row->state == IK_LOCK_OTHERS && ik_holder_is_dead(&row->holder)) {
		ik_store_take_left(lock->store);
		memcpy(kept->dead, row->held, sizeof(kept->dead));
		kept->again = true;
		kept->opened = !kept->trying;
		return;
	}
	if (row->refused) {
		lock->wanted = kept->asking = false;
		ik_lock_tell_refused(lock);
	}
	if (row->state != IK_LOCK_OURS && (row->newest != kept->newest || lock->state != row->state))
		ik_lock_tell_news(lock);
	kept->newest = row->newest;
	/* Let go for somebody who takes it in a moment. */
	if (lock->state != IK_LOCK_UNKNOWN || row->state != IK_LOCK_FREE || row->asker.pid == 0)
		ik_lock_set(lock, row->state, &row->holder);
	if (row->state == IK_LOCK_OURS)
		ik_lock_set_asker(lock, &row->asker);
}

static void look(struct ik_lock *lock);

static void on_step(void *arg, const struct ik_store_answer *answer)
{
	struct ik_lock *lock = arg;
	struct lock_row_kept *kept = lock->kept;
	struct lock_row row = { .state = IK_LOCK_NONE };

	kept->read = NULL;
	if (answer->status == IK_OK)
		row = read_row(answer->last);
	/* What was so before it was let go is not so any more. */
	if (answer->status == IK_OK && !kept->released)
		take(lock, &row);
	else if (lock->state == IK_LOCK_UNKNOWN && !kept->released)
		ik_lock_set(lock, IK_LOCK_NONE, NULL);
	if (kept->again) {
		look(lock);
		return;
	}
	kept->delay_ms *= 2;
	if (kept->delay_ms > RENEW_MS)
		kept->delay_ms = RENEW_MS;
	if (kept->delay_ms == 0 || (lock->state != IK_LOCK_OURS && lock->state != IK_LOCK_NONE))
		kept->delay_ms = LOOK_MS;
	ik_timer_start(lock->timer, kept->delay_ms);
}

/* See how things are, and do what is wanted. */
static void look(struct ik_lock *lock)
{
	struct lock_row_kept *kept = lock->kept;
	const char *step = "follow";

	kept->again = kept->read;
	if (kept->again)
		return;
	if (kept->released)
		step = "release";
	else if (lock->refusing)
		step = "refuse";
	else if (lock->state == IK_LOCK_OURS || lock->state == IK_LOCK_NONE || !kept->opened)
		step = "take";
	else if (lock->wanted)
		step = lock->quietly ? "take" : "ask";
	else if (kept->asking)
		step = "withdraw";
	kept->asking = ik_text_equal(step, "ask");
	kept->trying = ik_text_equal(step, "take");
	kept->opened = true;
	kept->released = lock->refusing = false;
	kept->read = start(lock, step, 0, on_step);
}

static void open_lock(struct ik_lock *lock)
{
	struct lock_row_kept *kept = lock->kept = ik_alloc(sizeof(*kept));

	ik_uuid_new(kept->id);
	kept->newest = -1;
	look(lock);
}

/* Something was done here: an answer to it may come soon. */
static void update(struct ik_lock *lock)
{
	((struct lock_row_kept *)lock->kept)->delay_ms = 0;
	look(lock);
}

static void stored(struct ik_lock *lock)
{
	struct lock_row_kept *kept = lock->kept;

	if (kept->delay_ms <= LOOK_MS || kept->read)
		return;
	kept->delay_ms = 0;
	ik_timer_start(lock->timer, LOOK_MS);
}

static void release(struct ik_lock *lock)
{
	struct ik_holder nobody = { .pid = 0 };

	((struct lock_row_kept *)lock->kept)->released = true;
	/* From here on it is not ours, whatever comes of it. */
	ik_lock_set(lock, IK_LOCK_UNKNOWN, &nobody);
	update(lock);
}

/* A lease ends by itself. */
static void pause_lock(struct ik_lock *lock)
{
}

static void close_lock(struct ik_lock *lock)
{
	struct lock_row_kept *kept = lock->kept;

	kept->read = ik_store_read_close(kept->read);
	if (kept->opened)
		(void)start(lock, "close", IK_REQUEST_CHANGES, NULL);
	free(kept);
}

const struct ik_lock_ops ik_lock_row_ops = {
	.open = open_lock,
	.look = look,
	.update = update,
	.stored = stored,
	.release = release,
	.pause = pause_lock,
	.close = close_lock,
};
