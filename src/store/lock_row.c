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

#define RENEW_MS 30000 /* a third of the lease */

struct lock_row_kept {
	char id[IK_UUID_TEXT];
	char dead[IK_UUID_TEXT];    /* the lock of a holder that is dead; "": none */
	struct ik_store_read *read; /* a step on its way; NULL: none */
	enum ik_lock_step step;     /* that */
	int64_t newest;             /* event that was told of */
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
static struct ik_lock_found read_row(struct ik_json_span line)
{
	struct ik_json_span state = ik_json_member(line, "state");
	struct ik_lock_found found = { .state = IK_LOCK_FREE };

	if (ik_json_string_is(state, "ours"))
		found.state = IK_LOCK_OURS;
	else if (ik_json_string_is(state, "others"))
		found.state = IK_LOCK_OTHERS;
	ik_holder_read(ik_json_member(line, "holder"), &found.holder);
	ik_holder_read(ik_json_member(line, "asker"), &found.asker);
	(void)ik_json_bool(ik_json_member(line, "refused"), &found.refused);
	return found;
}

static void take_step(struct ik_lock *lock, enum ik_lock_step step);

static void on_step(void *arg, const struct ik_store_answer *answer)
{
	struct ik_lock *lock = arg;
	struct lock_row_kept *kept = lock->kept;
	struct ik_lock_found found;
	int64_t newest = 0;

	kept->read = NULL;
	if (answer->status != IK_OK) {
		lock->found(lock, NULL);
		return;
	}
	found = read_row(answer->last);
	/* It is nobody's, and what was to be done is done once more, behind what the dead one has left:
	 * beside another holder that would become a fork. */
	if (found.state == IK_LOCK_OTHERS && ik_holder_is_dead(&found.holder) && !lock->released) {
		ik_store_take_left(lock->store);
		(void)ik_event_line_id(answer->last, "lock", kept->dead);
		take_step(lock, kept->step);
		return;
	}
	(void)ik_json_integer(ik_json_member(answer->last, "newest"), &newest);
	found.news = newest != kept->newest;
	kept->newest = newest;
	lock->found(lock, &found);
}

static void take_step(struct ik_lock *lock, enum ik_lock_step step)
{
	static const char *const names[] = {
		[IK_LOCK_STEP_FOLLOW] = "follow",
		[IK_LOCK_STEP_TAKE] = "take",
		[IK_LOCK_STEP_ASK] = "ask",
		[IK_LOCK_STEP_WITHDRAW] = "withdraw",
		[IK_LOCK_STEP_REFUSE] = "refuse",
		[IK_LOCK_STEP_RELEASE] = "release",
	};
	struct lock_row_kept *kept = lock->kept;

	kept->step = step;
	kept->read = start(lock, names[step], 0, on_step);
}

static void open_lock(struct ik_lock *lock)
{
	struct lock_row_kept *kept = lock->kept = ik_alloc(sizeof(*kept));

	ik_uuid_new(kept->id);
	kept->newest = -1;
}

static void close_lock(struct ik_lock *lock)
{
	struct lock_row_kept *kept = lock->kept;

	kept->read = ik_store_read_close(kept->read);
	(void)start(lock, "close", IK_REQUEST_CHANGES, NULL);
	free(kept);
}

/* A lease ends by itself: nothing needs to be done before the process is stopped. */
const struct ik_lock_kind ik_lock_row = {
	.open = open_lock,
	.step = take_step,
	.close = close_lock,
	.renew_ms = RENEW_MS,
};
