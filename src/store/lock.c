/*
 * The lock of a session is a file named after it (holder.h).  A process that asks the holder for it
 * takes a second file, SESSION.ask; the holder refuses by removing that.  The kernel reports changes
 * (inotify).  A process that follows also looks now and then: for new events, and for changes by
 * other machines on a network file system, which inotify doesn't report.
 *
 * On a server there is a row, too (the request "lease"), for places that don't share the directory
 * of these files.  It has a lease, and names the holder's place.  Who has the file takes a row of
 * its own place at once; of a row of another place it waits for the end of the lease, or asks in the
 * row.  It is polled: often while another process holds it or after something was done here, else
 * as seldom as the lease allows, so that an idle chat needs no connection.
 */
#include "store/lock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loop/directory_watch.h"
#include "store/store_private.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* Interval of looks while another process may write, or after something was done here. */
#define LOOK_MS 1000
/* The lease is renewed after a third of its length. */
#define RENEW_MS 30000
/* Limit on looks at a file whose holder seems dead, and the pause between them. */
#define LEFT_LOOKS 50
#define LEFT_MS 20

/* What a step has found, after it did what is wished. */
struct lock_found {
	enum ik_lock_state state;
	struct ik_holder holder, asker; /* pid 0 if there is none */
	bool refused;                   /* the holder refused us */
	bool news;                      /* there may be new events */
};

struct ik_lock {
	struct ik_lock *next;
	struct ik_store *store;
	char session[IK_UUID_TEXT];
	struct ik_timer *timer;              /* the next look */
	int64_t delay_ms;                    /* until the next look */
	const struct ik_lock_events *events; /* NULL: closed */
	void *arg;

	struct ik_lock_file file, ask;    /* their paths are NULL if there is no database */
	struct ik_directory_watch *watch; /* of the files */
	int left_looks;                   /* looks at a file that a dead holder left to a child */

	/* On a server: */
	struct ik_store_read *read; /* the running step; NULL if none */
	int64_t newest;             /* newest event reported */
	struct ik_holder elsewhere; /* holder in another place; pid 0 if none */

	enum ik_lock_wish wish;
	bool again;  /* something happened during the step */
	bool paused; /* take it again when the process continues */
	struct lock_found found;

	enum ik_lock_state state;
	struct ik_holder holder; /* if the state is IK_LOCK_OTHERS */
	struct ik_holder asker;  /* if the state is IK_LOCK_OURS; pid 0 if none */
};

/* ---- files ---- */

/* Take the file if it is wanted and free. Return the new state. */
static enum ik_lock_state take_file(struct ik_lock *lock, bool wanted)
{
	struct ik_holder *holder = &lock->found.holder;
	struct ik_error error;
	int number;

	if (ik_lock_file_is_ours(&lock->file))
		return IK_LOCK_OURS;
	/* If it was deleted, another process may have it meanwhile. */
	wanted = wanted || lock->file.fd >= 0;
	ik_lock_file_release(&lock->file);
	/* Don't try to lock yet: closing a file opened for writing wakes every watcher. */
	ik_lock_file_holder(lock->file.path, holder);
	if (holder->pid != 0)
		return IK_LOCK_OTHERS;
	if (!wanted)
		return IK_LOCK_FREE;
	(void)!ik_path_make(lock->store->place.locks, 0700, &error);
	number = ik_lock_file_take(&lock->file);
	if (number == EAGAIN) {
		ik_lock_file_holder(lock->file.path, holder);
		return IK_LOCK_OTHERS;
	}
	if (number != 0)
		ik_log(IK_LOG_INFO, "store: no lock %s: %s", lock->file.path, strerror(number));
	return IK_LOCK_OURS;
}

/* Ask the holder, unless another process is asking: then ask when that one ends. Return false if
 * the holder has refused. */
static bool ask_file(struct ik_lock *lock)
{
	bool asked = lock->ask.fd >= 0, refused = asked && !ik_lock_file_is_ours(&lock->ask);
	struct ik_holder asker;

	if (refused)
		ik_lock_file_release(&lock->ask);
	ik_lock_file_holder(lock->ask.path, &asker);
	if (!asked && asker.pid == 0)
		(void)ik_lock_file_take(&lock->ask);
	return !refused;
}

/* A process killed while it starts a child leaves the lock to the child, until its execve. Will
 * this lock be released in a moment? */
static bool is_being_left(struct ik_lock *lock, const struct ik_holder *holder)
{
	return holder->pid > 0 && kill((pid_t)holder->pid, 0) != 0 && errno == ESRCH &&
		lock->left_looks++ < LEFT_LOOKS;
}

/* Do what is wished with the files. */
static void step_file(struct ik_lock *lock, enum ik_lock_wish wish)
{
	struct lock_found *found = &lock->found;

	found->news = true;
	if (wish == IK_WISH_FOLLOW)
		ik_lock_file_release(&lock->file);
	found->state = take_file(lock, wish != IK_WISH_FOLLOW);
	if (found->state == IK_LOCK_OTHERS && is_being_left(lock, &found->holder))
		found->state = IK_LOCK_UNKNOWN;
	else if (found->state == IK_LOCK_OTHERS && wish == IK_WISH_ASK)
		found->refused = !ask_file(lock);
	if (found->state != IK_LOCK_OTHERS || wish != IK_WISH_ASK)
		ik_lock_file_release(&lock->ask);
	ik_lock_file_holder(lock->ask.path, &found->asker);
	if (found->asker.pid < 0) /* being written */
		found->asker.pid = 0;
}

/* ---- a row ---- */

/* Send what to do with the row, which is read afterwards. Who can't have a file has no place:
 * others take its row when its lease is over. */
static struct ik_store_read *ask_row(struct ik_lock *lock, const char *step,
	ik_store_reader *reader)
{
	const struct ik_store *store = lock->store;
	bool unlocked = lock->found.state == IK_LOCK_OURS && lock->file.fd < 0;
	char *place = ik_holder_place(store->place.locks);
	struct ik_holder self;
	struct ik_store_read *read;

	ik_holder_self(&self);
	read = ik_request(store->requests, reader ? 0 : IK_REQUEST_CHANGES, reader, lock,
		"'do':'lease','session':'%s','step':'%s','process':'%s','host':'%s','user':'%s',"
		"'pid':%lld,'place':'%s'",
		lock->session, step, store->place.writer, self.host, self.user, (long long)self.pid,
		place[0] && !unlocked ? place : NULL);
	free(place);
	return read;
}

static void take_found(struct ik_lock *lock);

static void read_row(struct ik_lock *lock, struct ik_json_span line)
{
	struct lock_found *found = &lock->found;
	int64_t newest = 0;
	bool refused = false;

	ik_holder_read(ik_json_member(line, "holder"), &lock->elsewhere);
	if (found->asker.pid == 0)
		ik_holder_read(ik_json_member(line, "asker"), &found->asker);
	if (ik_json_bool(ik_json_member(line, "refused"), &refused) && refused)
		found->refused = true;
	(void)ik_json_integer(ik_json_member(line, "newest"), &newest);
	found->news = newest != lock->newest;
	lock->newest = newest;
}

static void on_row(void *arg, const struct ik_store_answer *answer)
{
	struct ik_lock *lock = arg;

	lock->read = NULL;
	/* While the server is away, a holder elsewhere may still have its lease. */
	if (answer->status == IK_OK)
		read_row(lock, answer->last);
	if (lock->elsewhere.pid != 0) {
		lock->found.state = IK_LOCK_OTHERS;
		lock->found.holder = lock->elsewhere;
	}
	/* Who waits for another place keeps the file: one process of this place waits there. */
	if (lock->found.state == IK_LOCK_OTHERS && !ik_lock_is_asking(lock))
		ik_lock_file_release(&lock->file);
	take_found(lock);
}

/* Do what is wished with the row; only who has the file takes it, or asks for it. */
static void step_row(struct ik_lock *lock, enum ik_lock_wish wish)
{
	bool takes = wish != IK_WISH_FOLLOW && lock->found.state != IK_LOCK_OTHERS;

	/* Store what a dead holder left in its journals first: after ours it would become a fork. */
	if (takes && lock->state != IK_LOCK_OURS)
		(void)ik_request(lock->store->requests, IK_REQUEST_CHANGES, NULL, NULL,
			"'do':'take','writer':'%s'", lock->store->place.writer);
	lock->read = ask_row(lock, !takes ? "release" : wish == IK_WISH_ASK ? "ask" : "take", on_row);
}

/* ---- steps ---- */

static bool same_holder(const struct ik_holder *one, const struct ik_holder *other)
{
	return one->pid == other->pid && one->since_ms == other->since_ms &&
		ik_text_equal(one->host, other->host);
}

/* Schedule the next look: at our own row at growing intervals, at our own file only when it
 * changes. */
static void look_later(struct ik_lock *lock)
{
	int64_t longest = lock->state != IK_LOCK_OURS ? LOOK_MS : lock->store->server ? RENEW_MS : 0;

	lock->delay_ms = lock->delay_ms == 0 ? LOOK_MS : 2 * lock->delay_ms;
	if (lock->delay_ms > longest)
		lock->delay_ms = longest;
	if (lock->again || lock->delay_ms > 0)
		ik_timer_start(lock->timer, lock->again ? 0 : lock->delay_ms);
	else
		ik_timer_stop(lock->timer);
}

/* Use the result of a step, and report it; a callback may close the lock. A holder counts only if it
 * is another process, an asker only if the lock is ours. */
static void use(struct ik_lock *lock)
{
	static const struct ik_holder nobody = { .pid = 0 };
	const struct lock_found found = lock->found;
	const struct ik_holder *holder = found.state == IK_LOCK_OTHERS ? &found.holder : &nobody;
	const struct ik_holder *asker = found.state == IK_LOCK_OURS ? &found.asker : &nobody;
	bool changed = lock->state != found.state || !same_holder(&lock->holder, holder);
	bool asked = !same_holder(&lock->asker, asker);
	/* Events may have been written just before the release, or while this process was stopped. */
	bool news = lock->paused ||
		(found.state != IK_LOCK_OURS && (found.news || lock->state != found.state));

	lock->paused = false;
	if (found.state == IK_LOCK_OURS && ik_lock_is_asking(lock))
		lock->wish = IK_WISH_OPEN;
	else if (found.state != IK_LOCK_OURS && (found.refused || lock->wish == IK_WISH_OPEN))
		lock->wish = IK_WISH_FOLLOW;
	lock->state = found.state;
	lock->holder = *holder;
	lock->asker = *asker;
	look_later(lock);
	if (found.refused && lock->events && lock->events->refused)
		lock->events->refused(lock->arg, &lock->holder);
	if (changed && lock->events)
		lock->events->changed(lock->arg, found.state, &lock->holder);
	if (asked && lock->events && lock->events->asked)
		lock->events->asked(lock->arg, asker->pid != 0 ? asker : NULL);
	if (news && lock->events && lock->events->news)
		lock->events->news(lock->arg);
}

/* End a step. */
static void take_found(struct ik_lock *lock)
{
	const struct lock_found *found = &lock->found;
	/* The process that asks for it will take it in a moment. */
	bool passing = found->state == IK_LOCK_FREE && found->asker.pid != 0;

	if (found->state == IK_LOCK_UNKNOWN)
		ik_timer_start(lock->timer, LEFT_MS);
	else if (passing)
		look_later(lock);
	else
		use(lock);
}

/* Is everything appended stored? */
static bool is_stored(const struct ik_store *store)
{
	return store->appended == store->stored;
}

/* Take the next step. Called by the timer or by inotify. */
static void look(void *arg)
{
	struct ik_lock *lock = arg;
	enum ik_lock_wish wish = lock->wish;

	lock->again = lock->read;
	if (lock->read)
		return;
	if (lock->state == IK_LOCK_OURS) {
		if (wish == IK_WISH_FOLLOW && is_stored(lock->store))
			lock->state = IK_LOCK_UNKNOWN; /* not ours any more, even if the release fails */
		else
			wish = IK_WISH_OPEN;
	}
	lock->found = (struct lock_found){ .state = IK_LOCK_OURS };
	if (lock->file.path)
		step_file(lock, wish);
	if (lock->store->server && lock->found.state != IK_LOCK_UNKNOWN)
		step_row(lock, wish);
	else
		take_found(lock);
}

/* Look at once, and soon again: something was done here, and an answer may follow. */
static void update(struct ik_lock *lock)
{
	lock->delay_ms = 0;
	ik_timer_start(lock->timer, 0);
}

static void on_problem(void *arg, const char *sentence)
{
	(void)arg;
	ik_log(IK_LOG_INFO, "store: %s", sentence);
}

/* ---- releasing ---- */

/* Release the lock and free it. */
static void finish(struct ik_lock *lock)
{
	struct ik_lock **link = &lock->store->locks;

	while (*link != lock)
		link = &(*link)->next;
	*link = lock->next;
	lock->watch = ik_directory_watch_close(lock->watch);
	ik_lock_file_release(&lock->file);
	ik_lock_file_release(&lock->ask);
	lock->read = ik_store_read_close(lock->read);
	if (lock->store->server)
		(void)ask_row(lock, "release", NULL);
	lock->timer = ik_timer_close(lock->timer);
	free(lock->file.path);
	free(lock->ask.path);
	ik_loop_defer(lock->store->loop, free, lock); /* use() may be running */
}

void ik_locks_settle(struct ik_store *store)
{
	struct ik_lock *lock = is_stored(store) ? store->locks : NULL;

	while (lock) {
		struct ik_lock *next = lock->next;

		if (!lock->events) {
			finish(lock);
		} else if (lock->state == IK_LOCK_OURS && lock->wish == IK_WISH_FOLLOW) {
			update(lock);
		} else if (lock->delay_ms > LOOK_MS && !lock->read) {
			/* Other processes may react to what was stored. */
			lock->delay_ms = 0;
			ik_timer_start(lock->timer, LOOK_MS);
		}
		lock = next;
	}
}

void ik_locks_end(struct ik_store *store)
{
	while (store->locks)
		finish(store->locks);
}

/* ---- public functions ---- */

void ik_lock_wish(struct ik_lock *lock, enum ik_lock_wish wish)
{
	/* What a running step finds was for another wish. */
	if (wish != lock->wish)
		lock->read = ik_store_read_close(lock->read);
	/* Wanted back before it was released: report that it is ours, and who asks for it, again. */
	if (lock->wish == IK_WISH_FOLLOW && wish != IK_WISH_FOLLOW && lock->state == IK_LOCK_OURS) {
		lock->state = IK_LOCK_UNKNOWN;
		lock->asker.pid = 0;
	}
	lock->wish = wish;
	update(lock);
}

bool ik_lock_is_asking(const struct ik_lock *lock)
{
	return lock->wish == IK_WISH_AWAIT || lock->wish == IK_WISH_ASK;
}

void ik_lock_refuse(struct ik_lock *lock)
{
	if (lock->state != IK_LOCK_OURS || lock->asker.pid == 0)
		return;
	(void)unlink(lock->ask.path);
	if (lock->store->server)
		(void)ask_row(lock, "refuse", NULL);
	update(lock);
}

/* Name the files, and watch them for changes. */
static void watch_files(struct ik_lock *lock)
{
	static const struct ik_directory_watch_events events = {
		.changed = look,
		.problem = on_problem,
	};
	const char *directory = lock->store->place.locks;
	struct ik_watched places[2] = { { directory, lock->session }, { directory, NULL } };
	char *ask = ik_format("%s.ask", lock->session);

	places[1].name = ask;
	lock->file.path = ik_path_join(directory, lock->session);
	lock->ask.path = ik_path_join(directory, ask);
	lock->watch = ik_directory_watch_new(lock->store->loop, &events, lock);
	ik_directory_watch_set(lock->watch, places, 2);
	free(ask);
}

/* Return a new lock, whose files are watched for changes. */
static struct ik_lock *new_lock(struct ik_store *store, const char *session)
{
	struct ik_lock *lock = ik_alloc(sizeof(*lock));

	lock->store = store;
	memcpy(lock->session, session, strnlen(session, sizeof(lock->session) - 1));
	lock->timer = ik_timer_new(store->loop, look, lock);
	lock->file.fd = lock->ask.fd = -1;
	lock->newest = -1;
	lock->next = store->locks;
	store->locks = lock;
	if (store->path)
		watch_files(lock);
	return lock;
}

struct ik_lock *ik_lock_new(struct ik_store *store, const char *session,
	const struct ik_lock_events *events, void *arg)
{
	struct ik_lock *lock = store->locks;

	/* One that was closed may still be ours, because events wait to be stored. */
	while (lock && (lock->events || !ik_text_equal(lock->session, session)))
		lock = lock->next;
	if (!lock)
		lock = new_lock(store, session);
	lock->events = events;
	lock->arg = arg;
	lock->state = IK_LOCK_UNKNOWN;
	lock->asker.pid = 0;
	ik_lock_wish(lock, IK_WISH_OPEN);
	return lock;
}

void ik_lock_pause(struct ik_lock *lock)
{
	if (lock->state != IK_LOCK_OURS || !is_stored(lock->store))
		return;
	ik_lock_file_release(&lock->file);
	lock->paused = true;
}

struct ik_lock *ik_lock_close(struct ik_lock *lock)
{
	if (!lock)
		return NULL;
	lock->events = NULL;
	/* Store the session's events before another process may write. */
	if (is_stored(lock->store))
		finish(lock);
	return NULL;
}
