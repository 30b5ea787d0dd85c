/*
 * The lock of a session is a file named after it (holder.h), whatever the database is.  The holder
 * has the file's first lock; a process that asks for it takes the second lock and writes its name
 * into the file; the holder refuses by erasing that name.  The kernel reports changes (inotify).  A
 * process that follows also looks now and then: for new events, and for changes by other machines
 * on a network file system, which inotify doesn't report.
 *
 * On a server there is a row, too (the request "lease"), for places that don't share the directory
 * of these files: other machines, other homes.  It has a lease, and names the holder's place.  Who
 * has the file takes a row of its own place at once, because its process is dead or has released
 * it; of a row of another place it waits for the end of the lease, or asks in the row.  It is
 * polled: often while another process holds it or after something was done here, else as seldom as
 * the lease allows, so that an idle chat needs no connection.
 */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
/* Limit on attempts to open a file that others remove and create meanwhile. */
#define TRIES 100

/* Every step ends by reading the current state. */
enum lock_step {
	LOCK_FOLLOW, /* only look, and withdraw the request */
	LOCK_TAKE,   /* take it if it is free, or keep it */
	LOCK_ASK,    /* the same, or ask its holder */
	LOCK_REFUSE,
	LOCK_RELEASE /* and withdraw the request */
};

/* The result of a step. */
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

	char *path;                       /* of the file; NULL if there is no database */
	int fd;                           /* of the lock we hold or ask with; -1 if neither */
	bool asks;                        /* fd has the second lock */
	struct ik_directory_watch *watch; /* of the file */
	int left_looks;                   /* looks at a lock that a dead holder left to a child */

	/* On a server: */
	struct ik_store_read *read; /* the running step; NULL if none */
	int64_t newest;             /* newest event reported */
	struct ik_holder elsewhere; /* holder in another place; pid 0 if none */

	bool wanted;   /* take it once it is free */
	bool quietly;  /* don't ask its holder */
	bool leaving;  /* release it once everything is stored */
	bool released; /* release it now */
	bool refusing; /* refuse the process that asks */

	bool opened;             /* the first attempt to take it was made */
	bool paused;             /* take it again when the process continues */
	bool busy;               /* a step is running */
	bool again;              /* something happened meanwhile */
	enum lock_step step;     /* the last one */
	struct lock_found found; /* its result */

	enum ik_lock_state state;
	struct ik_holder holder; /* if the state is IK_LOCK_OTHERS */
	struct ik_holder asker;  /* if the state is IK_LOCK_OURS; pid 0 if none */
};

/* ---- a file ---- */

/* Does this path still name the open file? */
static bool is_at(int fd, const char *path)
{
	struct stat ours, theirs;

	return fstat(fd, &ours) == 0 && lstat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
		ours.st_dev == theirs.st_dev;
}

/* Take one of the file's locks; false with errno on failure (EAGAIN: another process has it). */
static bool have_file(struct ik_lock *lock, enum ik_holder_role role)
{
	for (int tries = 0; tries < TRIES; tries++) {
		if (lock->fd < 0)
			lock->fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
				0600);
		if (lock->fd < 0)
			return false;
		if (is_at(lock->fd, lock->path))
			return ik_holder_lock(lock->fd, role);
		/* Its last holder has removed the file meanwhile. */
		(void)close(lock->fd);
		lock->fd = -1;
	}
	errno = EAGAIN;
	return false;
}

/* Close the file, which releases both locks. */
static void close_file(struct ik_lock *lock)
{
	if (lock->fd >= 0)
		(void)close(lock->fd);
	lock->fd = -1;
	lock->asks = false;
}

/* Remove the file and release the lock; keep the file if another process is asking for it. */
static void release_file(struct ik_lock *lock)
{
	struct ik_holder asker;

	if (lock->fd < 0)
		return;
	ik_holder_of_file(lock->path, IK_HOLDER_ASKS, &asker);
	if (!lock->asks && asker.pid == 0 && is_at(lock->fd, lock->path))
		(void)unlink(lock->path);
	close_file(lock);
}

/* Take the lock, which is free. Return the new state. */
static enum ik_lock_state take_free_file(struct ik_lock *lock, struct ik_holder *ret_holder)
{
	char *directory = ik_path_directory(lock->path);
	struct ik_error error;
	bool made = ik_path_make(directory, 0700, &error) == IK_OK,
		 had = made && have_file(lock, IK_HOLDER_WRITES);
	int number = errno;

	free(directory);
	if (had && lock->asks)
		ik_holder_unlock(lock->fd, IK_HOLDER_ASKS);
	lock->asks = lock->asks && !had;
	if (had)
		return IK_LOCK_OURS;
	if (!lock->asks)
		close_file(lock);
	if (!made || number != EAGAIN) {
		ik_log(IK_LOG_INFO, "store: no lock %s: %s", lock->path,
			made ? strerror(number) : error.text);
		return IK_LOCK_NONE;
	}
	ik_holder_of_file(lock->path, IK_HOLDER_WRITES, ret_holder);
	return IK_LOCK_OTHERS;
}

/* Take the lock if it is wanted and free. Return the new state. */
static enum ik_lock_state take_file(struct ik_lock *lock, bool wanted, struct ik_holder *ret_holder)
{
	if (lock->fd >= 0 && !lock->asks) {
		if (is_at(lock->fd, lock->path))
			return IK_LOCK_OURS;
		/* The file was deleted: another process may have taken the lock meanwhile. */
		close_file(lock);
		wanted = true;
	}
	/* Don't try to lock yet: closing a file opened for writing wakes every watcher. */
	ik_holder_of_file(lock->path, IK_HOLDER_WRITES, ret_holder);
	if (ret_holder->pid != 0)
		return IK_LOCK_OTHERS;
	return wanted ? take_free_file(lock, ret_holder) : IK_LOCK_FREE;
}

/* Ask the holder, unless another process is asking: then ask when that one ends. Return false if
 * the holder has refused. */
static bool ask_file(struct ik_lock *lock)
{
	struct ik_holder asker;

	if (lock->asks && !is_at(lock->fd, lock->path))
		close_file(lock);
	ik_holder_of_file(lock->path, IK_HOLDER_ASKS, &asker);
	if (lock->asks && asker.pid < 0) {
		close_file(lock);
		return false;
	}
	if (asker.pid == 0) {
		lock->asks = have_file(lock, IK_HOLDER_ASKS);
		if (!lock->asks)
			close_file(lock);
	}
	return true;
}

/* A process killed while it starts a child leaves the lock to the child, until its execve. Will
 * this lock be released in a moment? */
static bool is_being_left(struct ik_lock *lock, const struct ik_holder *holder)
{
	return holder->pid > 0 && kill((pid_t)holder->pid, 0) != 0 && errno == ESRCH &&
		lock->left_looks++ < LEFT_LOOKS;
}

/* Take the step with the file. */
static void step_file(struct ik_lock *lock)
{
	bool asks = lock->step == LOCK_ASK;
	struct lock_found *found = &lock->found;

	*found = (struct lock_found){ .news = true };
	if (lock->step == LOCK_REFUSE && lock->fd >= 0)
		ik_holder_erase(lock->fd, IK_HOLDER_ASKS);
	if (lock->step == LOCK_RELEASE || lock->step == LOCK_FOLLOW || (lock->asks && !asks))
		release_file(lock);
	found->state = take_file(lock, asks || lock->step == LOCK_TAKE, &found->holder);
	if (found->state == IK_LOCK_OTHERS && is_being_left(lock, &found->holder))
		found->state = IK_LOCK_UNKNOWN;
	else if (found->state == IK_LOCK_OTHERS && asks)
		found->refused = !ask_file(lock);
	ik_holder_of_file(lock->path, IK_HOLDER_ASKS, &found->asker);
	if (found->asker.pid < 0) /* being written, or refused */
		found->asker.pid = 0;
}

/* ---- a row ---- */

/* Send what to do with the row, which is read afterwards. Who can't have a file has no place: its
 * row is taken when its lease is over. */
static struct ik_store_read *ask_row(struct ik_lock *lock, enum lock_step step, int flags,
	ik_store_reader *reader)
{
	static const char *const names[] = {
		[LOCK_FOLLOW] = "follow",
		[LOCK_TAKE] = "take",
		[LOCK_ASK] = "ask",
		[LOCK_REFUSE] = "refuse",
		[LOCK_RELEASE] = "release",
	};
	const struct ik_store *store = lock->store;
	char *place = ik_holder_place(store->lock_directory);
	struct ik_holder self;
	struct ik_store_read *read;

	ik_holder_self(&self);
	read = ik_request(store->requests, flags, reader, lock,
		"'do':'lease','session':'%s','step':'%s','process':'%s','host':'%s','user':'%s',"
		"'pid':%lld,'place':'%s'",
		lock->session, names[step], store->place.process, self.host, self.user, (long long)self.pid,
		lock->found.state != IK_LOCK_NONE && place[0] ? place : NULL);
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
	if (found->state == IK_LOCK_NONE && ik_json_string_is(ik_json_member(line, "state"), "ours"))
		found->state = IK_LOCK_OURS;
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
	/* Who waits for another place keeps the file: its place has one process that waits there. */
	if (lock->found.state == IK_LOCK_OTHERS && !lock->wanted)
		release_file(lock);
	take_found(lock);
}

/* Take the step with the row; only who has the file takes it, or asks for it. */
static void step_row(struct ik_lock *lock)
{
	bool takes = lock->step == LOCK_TAKE || lock->step == LOCK_ASK;

	if (takes && lock->found.state == IK_LOCK_OTHERS) {
		lock->read = ask_row(lock, LOCK_FOLLOW, 0, on_row);
		return;
	}
	/* Store what a dead holder left in its journals first: after ours it would become a fork. */
	if (takes && lock->state != IK_LOCK_OURS)
		(void)ik_request(lock->store->requests, IK_REQUEST_CHANGES, NULL, NULL,
			"'do':'take','writer':'%s'", lock->store->place.process);
	lock->read = ask_row(lock, lock->step, 0, on_row);
}

/* ---- steps ---- */

/* What to report after a step. */
struct lock_report {
	bool refused, changed, asked, news;
};

/* A callback may close the lock. */
static void tell(struct ik_lock *lock, struct lock_report report)
{
	if (report.refused && lock->events && lock->events->refused)
		lock->events->refused(lock->arg);
	if (report.changed && lock->events)
		lock->events->changed(lock->arg, lock->state, &lock->holder);
	if (report.asked && lock->events && lock->events->asked)
		lock->events->asked(lock->arg, lock->asker.pid != 0 ? &lock->asker : NULL);
	if (report.news && lock->events && lock->events->news)
		lock->events->news(lock->arg);
}

static bool same_holder(const struct ik_holder *one, const struct ik_holder *other)
{
	return one->pid == other->pid && one->since_ms == other->since_ms &&
		ik_text_equal(one->host, other->host);
}

/* Use the result of a step. A holder counts only if it is another process, an asker only if the
 * lock is ours. */
static struct lock_report use(struct ik_lock *lock)
{
	struct lock_found *found = &lock->found;
	struct lock_report report = { .refused = found->refused };

	if (found->refused)
		lock->wanted = false;
	/* Events may have been written just before the release, or while this process was stopped. */
	report.news = lock->paused ||
		(found->state != IK_LOCK_OURS && (found->news || lock->state != found->state));
	lock->paused = false;
	/* Skip a lock that was released for a process that will take it in a moment. */
	if (lock->state == IK_LOCK_UNKNOWN && found->state == IK_LOCK_FREE && found->asker.pid != 0)
		return report;
	if (found->state != IK_LOCK_OTHERS)
		found->holder = (struct ik_holder){ .pid = 0 };
	if (found->state != IK_LOCK_OURS)
		found->asker = (struct ik_holder){ .pid = 0 };
	report.changed = lock->state != found->state || !same_holder(&lock->holder, &found->holder);
	report.asked = !same_holder(&lock->asker, &found->asker);
	lock->state = found->state;
	lock->holder = found->holder;
	lock->asker = found->asker;
	return report;
}

/* Schedule the next look: at our own row at growing intervals, at our own file only when it
 * changes. */
static void look_later(struct ik_lock *lock)
{
	if (lock->again) {
		ik_timer_start(lock->timer, 0);
		return;
	}
	if (lock->state != IK_LOCK_OURS && lock->state != IK_LOCK_NONE)
		lock->delay_ms = LOOK_MS;
	else if (!lock->store->server)
		lock->delay_ms = 0;
	else
		lock->delay_ms = lock->delay_ms == 0 ? LOOK_MS : 2 * lock->delay_ms;
	if (lock->delay_ms > RENEW_MS)
		lock->delay_ms = RENEW_MS;
	if (lock->delay_ms > 0)
		ik_timer_start(lock->timer, lock->delay_ms);
	else
		ik_timer_stop(lock->timer);
}

/* End a step. */
static void take_found(struct ik_lock *lock)
{
	struct lock_report report = { .changed = false };

	lock->busy = false;
	if (lock->found.state == IK_LOCK_UNKNOWN) {
		lock->opened = lock->state != IK_LOCK_UNKNOWN;
		ik_timer_start(lock->timer, LEFT_MS);
		return;
	}
	/* A result from before the release is out of date. */
	if (!lock->released)
		report = use(lock);
	look_later(lock);
	tell(lock, report);
}

static enum lock_step next_step(const struct ik_lock *lock)
{
	if (lock->released)
		return LOCK_RELEASE;
	if (lock->refusing)
		return LOCK_REFUSE;
	if (lock->state == IK_LOCK_OURS || lock->state == IK_LOCK_NONE || !lock->opened)
		return LOCK_TAKE;
	if (lock->wanted)
		return lock->quietly ? LOCK_TAKE : LOCK_ASK;
	return LOCK_FOLLOW;
}

/* Take the next step. Called by the timer or by inotify. */
static void look(void *arg)
{
	struct ik_lock *lock = arg;

	lock->again = lock->busy;
	if (lock->busy)
		return;
	lock->step = next_step(lock);
	lock->opened = lock->busy = true;
	lock->released = lock->refusing = false;
	if (lock->path)
		step_file(lock);
	else
		lock->found = (struct lock_found){ .state = IK_LOCK_NONE };
	if (lock->store->server && lock->found.state != IK_LOCK_UNKNOWN)
		step_row(lock);
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

/* Is everything appended stored? */
static bool is_stored(const struct ik_store *store)
{
	return store->appended == store->stored;
}

/* Release the lock and free it. */
static void finish(struct ik_lock *lock)
{
	struct ik_lock **link = &lock->store->locks;

	while (*link != lock)
		link = &(*link)->next;
	*link = lock->next;
	lock->watch = ik_directory_watch_close(lock->watch);
	release_file(lock);
	lock->read = ik_store_read_close(lock->read);
	if (lock->store->server)
		(void)ask_row(lock, LOCK_RELEASE, IK_REQUEST_CHANGES, NULL);
	lock->timer = ik_timer_close(lock->timer);
	free(lock->path);
	ik_loop_defer(lock->store->loop, free, lock); /* tell() may be running */
}

static void release(struct ik_lock *lock)
{
	lock->leaving = lock->wanted = false;
	if (lock->state != IK_LOCK_OURS && lock->state != IK_LOCK_UNKNOWN)
		return;
	/* From now on it isn't ours, even if the release fails. */
	lock->state = IK_LOCK_UNKNOWN;
	lock->released = true;
	update(lock);
}

void ik_locks_settle(void *arg)
{
	struct ik_store *store = arg;
	struct ik_lock *lock = is_stored(store) ? store->locks : NULL;

	while (lock) {
		struct ik_lock *next = lock->next;

		if (!lock->events) {
			finish(lock);
		} else if (lock->leaving) {
			release(lock);
		} else if (lock->delay_ms > LOOK_MS && !lock->busy) {
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
	ik_loop_cancel_deferred(store->loop, ik_locks_settle, store);
}

/* ---- public functions ---- */

enum ik_lock_state ik_lock_state(const struct ik_lock *lock)
{
	return lock->state;
}

const struct ik_holder *ik_lock_holder(const struct ik_lock *lock)
{
	return &lock->holder;
}

void ik_lock_ask(struct ik_lock *lock)
{
	lock->wanted = true;
	lock->quietly = lock->leaving = false;
	update(lock);
}

void ik_lock_await(struct ik_lock *lock)
{
	lock->wanted = lock->quietly = true;
	update(lock);
}

void ik_lock_withdraw(struct ik_lock *lock)
{
	lock->wanted = false;
	update(lock);
}

bool ik_lock_is_asking(const struct ik_lock *lock)
{
	return lock->wanted && lock->state != IK_LOCK_OURS && lock->state != IK_LOCK_NONE;
}

void ik_lock_refuse(struct ik_lock *lock)
{
	if (lock->state != IK_LOCK_OURS || lock->asker.pid == 0)
		return;
	lock->refusing = true;
	update(lock);
}

/* Return a new lock, whose file is watched for changes. */
static struct ik_lock *new_lock(struct ik_store *store, const char *session)
{
	static const struct ik_directory_watch_events events = {
		.changed = look,
		.problem = on_problem,
	};
	struct ik_lock *lock = ik_alloc(sizeof(*lock));

	lock->store = store;
	memcpy(lock->session, session, strnlen(session, sizeof(lock->session) - 1));
	lock->timer = ik_timer_new(store->loop, look, lock);
	lock->fd = -1;
	lock->newest = -1;
	lock->next = store->locks;
	store->locks = lock;
	if (store->path) {
		lock->path = ik_path_join(store->lock_directory, session);
		lock->watch = ik_directory_watch_new(store->loop, &events, lock);
		ik_directory_watch_set(lock->watch,
			&(struct ik_watched){ .directory = store->lock_directory, .name = lock->session }, 1);
	}
	return lock;
}

struct ik_lock *ik_lock_new(struct ik_store *store, const char *session,
	const struct ik_lock_events *events, void *arg)
{
	static const struct lock_found unknown = { .state = IK_LOCK_UNKNOWN };
	struct ik_lock *lock = store->locks;

	/* One that was closed may still be ours, because events wait to be stored. */
	while (lock && (lock->events || !ik_text_equal(lock->session, session)))
		lock = lock->next;
	if (!lock)
		lock = new_lock(store, session);
	lock->events = events;
	lock->arg = arg;
	lock->state = unknown.state;
	lock->asker = unknown.asker;
	lock->wanted = lock->leaving = lock->refusing = lock->opened = false;
	update(lock);
	return lock;
}

void ik_lock_pause(struct ik_lock *lock)
{
	if (lock->state != IK_LOCK_OURS || !is_stored(lock->store))
		return;
	release_file(lock);
	lock->paused = true;
}

void ik_lock_continue(struct ik_lock *lock)
{
	update(lock);
}

void ik_lock_let_go(struct ik_lock *lock)
{
	lock->leaving = true;
	if (is_stored(lock->store))
		ik_loop_defer(lock->store->loop, ik_locks_settle, lock->store);
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
