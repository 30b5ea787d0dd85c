/*
 * Locks of a server: a row for each session that was ever open, with a lease by the server's
 * clock.  All that is done goes through the queue of reads, behind the events that wait; what
 * others do is heard of by LISTEN, or, behind a pooler that shares connections, looked for.  Who
 * dies says nothing: the kernel does, on the same machine; the end of the lease, on another.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "journal/event_line.h"
#include "store/lock_private.h"
#include "util/alloc.h"
#include "util/text.h"

#define RENEW_MS 20000 /* a third of the lease */
#define POLL_MS 5000   /* where nothing is heard of */
#define AFTER_MS 50    /* behind the end of another's lease */

/* What is done to the lock, and how things are then. */
enum lock_step {
	STEP_FOLLOW, /* only look */
	STEP_TAKE,   /* or renew */
	STEP_ASK,    /* where it cannot be taken */
	STEP_WITHDRAW,
	STEP_REFUSE,
	STEP_RELEASE,
	STEP_CLOSE /* the same, and hear no more of it */
};
static const char *const step_names[] = { "follow", "take", "ask", "withdraw", "refuse", "release",
	"close" };

/* The answer. */
struct lock_row {
	enum ik_lock_state state;
	char held[IK_UUID_TEXT];        /* the holder's lock */
	struct ik_holder holder, asker; /* pid 0: nobody */
	int64_t left_ms;                /* of the holder's lease */
	bool refused;
	bool heard; /* the server tells what happens to it */
};

struct lock_row_kept {
	char id[IK_UUID_TEXT];
	struct ik_store_read *read; /* a step on its way; NULL: none */
	struct ik_timer *timer;
	int life; /* of the holder's process, a pidfd; -1: it cannot be watched */
	struct ik_watch *life_watch;
	char living[IK_UUID_TEXT]; /* whose lock that is */
	int64_t left_ms;           /* of another's lease; -1: nobody else has it */
	bool opened;               /* it was tried once */
	bool trying;               /* the step on its way takes it, if it is to be had */
	char dead[IK_UUID_TEXT];   /* the lock of a holder that is dead; "": none */
	bool again;                /* something happened meanwhile */
	bool released;
	bool asking; /* the row says so */
};

/* Begin a step: what is to be done, and how things are then. */
static struct ik_store_read *start(struct ik_lock *lock, enum lock_step step,
	ik_store_reader *reader)
{
	struct lock_row_kept *kept = lock->kept;
	struct ik_store_read *read = ik_request_new(lock->store->requests, "lease", reader, lock);
	struct ik_holder self;

	ik_holder_self(&self);
	ik_holder_locate(&self);
	ik_request_text(read, "session", lock->session);
	ik_request_text(read, "step", step_names[step]);
	ik_request_text(read, "lock", kept->id);
	ik_request_text(read, "process", lock->store->process);
	ik_request_text(read, "host", self.host);
	ik_request_text(read, "user", self.user);
	ik_request_number(read, "pid", self.pid);
	ik_request_text(read, "place", self.place);
	ik_request_number(read, "started", self.started);
	ik_request_text(read, "dead", kept->dead[0] ? kept->dead : NULL);
	kept->dead[0] = '\0';
	return ik_request_send(read, step == STEP_CLOSE ? IK_REQUEST_CHANGES : 0);
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
	(void)ik_json_integer(ik_json_member(line, "left_ms"), &row.left_ms);
	(void)ik_json_bool(ik_json_member(line, "refused"), &row.refused);
	(void)ik_json_bool(ik_json_member(line, "heard"), &row.heard);
	return row;
}

static void step(void *arg);

/* The holder's process has ended. */
static void on_holder_ended(void *arg, int what)
{
	struct ik_lock *lock = arg;
	struct lock_row_kept *kept = lock->kept;

	kept->life_watch = ik_watch_close(kept->life_watch);
	step(lock);
}

static void forget_holder(struct lock_row_kept *kept)
{
	kept->life_watch = ik_watch_close(kept->life_watch);
	if (kept->life >= 0)
		(void)close(kept->life);
	kept->life = -1;
}

/* Be told of the end of the process that the row names, as long as that is another one of this
 * machine. */
static void watch_holder(struct ik_lock *lock, const struct lock_row *row)
{
	struct lock_row_kept *kept = lock->kept;
	bool others = row->state == IK_LOCK_OTHERS;

	kept->left_ms = others ? row->left_ms : -1;
	if (kept->life >= 0 && others && ik_text_equal(kept->living, row->held))
		return;
	forget_holder(kept);
	if (!others || !ik_holder_is_near(&row->holder))
		return;
	memcpy(kept->living, row->held, sizeof(kept->living));
#ifdef SYS_pidfd_open
	kept->life = (int)syscall(SYS_pidfd_open, (pid_t)row->holder.pid, 0); /* close-on-exec */
#endif
	if (kept->life < 0)
		return;
	kept->life_watch = ik_watch_new(lock->store->loop, kept->life, on_holder_ended, lock);
	if (ik_watch_set(kept->life_watch, IK_READABLE, NULL) != IK_OK)
		forget_holder(kept);
}

/* What the row says now. */
static void take(struct ik_lock *lock, const struct lock_row *row)
{
	struct lock_row_kept *kept = lock->kept;

	watch_holder(lock, row); /* before the look whether it is alive */
	/* It is nobody's, and what was to be done is done once more. */
	if (row->state == IK_LOCK_OTHERS && ik_holder_is_dead(&row->holder)) {
		memcpy(kept->dead, row->held, sizeof(kept->dead));
		kept->again = true;
		kept->opened = !kept->trying;
		return;
	}
	if (row->refused) {
		lock->wanted = kept->asking = false;
		ik_lock_tell_refused(lock);
	}
	/* Let go for somebody who takes it in a moment, and tells so. */
	if (lock->state != IK_LOCK_UNKNOWN || row->state != IK_LOCK_FREE || row->asker.pid == 0)
		ik_lock_set(lock, row->state, &row->holder);
	if (row->state == IK_LOCK_OURS)
		ik_lock_set_asker(lock, &row->asker);
	else
		ik_lock_tell_news(lock);
}

/* Look again after so long, or when another's lease is over. */
static void start_timer(struct lock_row_kept *kept, int64_t delay_ms)
{
	if (kept->left_ms >= 0 && kept->left_ms + AFTER_MS < delay_ms)
		delay_ms = kept->left_ms + AFTER_MS;
	ik_timer_start(kept->timer, delay_ms);
}

static void on_step(void *arg, const struct ik_store_answer *answer)
{
	struct ik_lock *lock = arg;
	struct lock_row_kept *kept = lock->kept;
	struct lock_row row = { .heard = false };

	kept->read = NULL;
	if (answer->status == IK_OK)
		row = read_row(answer->last);
	else
		kept->left_ms = -1; /* nothing is known of it */
	/* What was so before it was let go is not so any more. */
	if (answer->status == IK_OK && !kept->released)
		take(lock, &row);
	else if (lock->state == IK_LOCK_UNKNOWN)
		ik_lock_set(lock, IK_LOCK_NONE, NULL);
	if (kept->again)
		step(lock);
	else
		start_timer(kept, row.heard ? RENEW_MS : POLL_MS);
}

/* See how things are, and do what is wanted. */
static void step(void *arg)
{
	struct ik_lock *lock = arg;
	struct lock_row_kept *kept = lock->kept;
	enum lock_step what = STEP_FOLLOW;

	kept->again = kept->read;
	if (kept->again)
		return;
	if (kept->released)
		what = STEP_RELEASE;
	else if (lock->refusing)
		what = STEP_REFUSE;
	else if (lock->state == IK_LOCK_OURS || lock->state == IK_LOCK_NONE || !kept->opened)
		what = STEP_TAKE;
	else if (lock->wanted)
		what = lock->quietly ? STEP_TAKE : STEP_ASK;
	else if (kept->asking)
		what = STEP_WITHDRAW;
	kept->asking = what == STEP_ASK;
	kept->opened = true;
	kept->trying = what == STEP_TAKE;
	kept->released = lock->refusing = false;
	kept->read = start(lock, what, on_step);
}

static void open_lock(struct ik_lock *lock)
{
	struct lock_row_kept *kept = lock->kept = ik_alloc(sizeof(*kept));

	ik_uuid_new(kept->id);
	kept->timer = ik_timer_new(lock->store->loop, step, lock);
	kept->left_ms = -1;
	kept->life = -1;
	step(lock);
}

static void update(struct ik_lock *lock)
{
	step(lock);
}

static void release(struct ik_lock *lock)
{
	struct lock_row_kept *kept = lock->kept;
	struct ik_holder nobody = { .pid = 0 };

	kept->released = true;
	/* From here on it is not ours, whatever comes of it. */
	ik_lock_set(lock, IK_LOCK_UNKNOWN, &nobody);
	step(lock);
}

/* A lease ends by itself. */
static void pause_lock(struct ik_lock *lock)
{
}

static void close_lock(struct ik_lock *lock)
{
	struct lock_row_kept *kept = lock->kept;

	kept->read = ik_store_read_close(kept->read);
	kept->timer = ik_timer_close(kept->timer);
	forget_holder(kept);
	if (kept->opened)
		(void)start(lock, STEP_CLOSE, NULL);
	free(kept);
}

void ik_lock_rows_lost(struct ik_store *store)
{
	struct ik_lock *lock;

	for (lock = store->locks; lock; lock = lock->next) {
		/* A step on its way sees to that. If it cannot be done it must not bring itself back. */
		if (lock->ops == &ik_lock_row_ops && !((const struct lock_row_kept *)lock->kept)->read)
			step(lock);
	}
}

void ik_lock_rows_heard(struct ik_store *store, const char *session)
{
	struct ik_lock *lock;

	for (lock = store->locks; lock; lock = lock->next) {
		if (lock->ops == &ik_lock_row_ops && ik_text_equal(lock->session, session))
			step(lock);
	}
}

/* clang-format off */
const struct ik_lock_ops ik_lock_row_ops = {
	.open = open_lock, .update = update, .release = release, .pause = pause_lock,
	.close = close_lock,
};
/* clang-format on */
