/*
 * If the database is a file, the lock is a file in PATH-locks named after the session (holder.h).
 * The holder has the file's first lock; a process that asks for it takes the second lock and writes
 * its name into the file; the holder refuses by erasing that name.  The kernel reports changes
 * (inotify).  A process that follows also looks now and then: for new events, and for changes by
 * other machines on a network file system, which inotify doesn't report.
 *
 * On a server the lock is a row (the request "lease"), which is polled: often while another process
 * holds it or after something was done here, else as seldom as the lease allows, so that an idle
 * chat needs no connection.  A dead holder reports nothing: its death is detected on the same
 * machine; from another machine, its lease expires.
 */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal/event_line.h"
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
/* Limit on looks at a file whose holder is dead, and the pause between them. */
#define LEFT_LOOKS 100
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

	/* For a file: */
	char *path;                       /* NULL if the lock is a row, or there is no database */
	int fd;                           /* of the lock we hold or ask with; -1 if neither */
	bool asks;                        /* fd has the second lock */
	struct ik_directory_watch *watch; /* of the file */
	int left_looks;                   /* looks at a lock that a dead holder left to a child */

	/* For a row: */
	char id[IK_UUID_TEXT];
	char dead[IK_UUID_TEXT];    /* lock ID of a dead holder; "" if none */
	struct ik_store_read *read; /* the running step; NULL if none */
	int64_t newest;             /* newest event reported */

	bool wanted;   /* take it once it is free */
	bool quietly;  /* don't ask its holder */
	bool leaving;  /* release it once everything is stored */
	bool released; /* release it now */
	bool refusing; /* refuse the process that asks */

	bool opened;         /* the first attempt to take it was made */
	bool paused;         /* take it again when the process continues */
	enum lock_step step; /* the last one */
	bool busy;           /* a step is running */
	bool again;          /* something happened meanwhile */

	enum ik_lock_state state;
	struct ik_holder holder; /* if the state is IK_LOCK_OTHERS */
	struct ik_holder asker;  /* if the state is IK_LOCK_OURS; pid 0 if none */

	bool changed, asked, refused, news; /* to be reported */
	bool telling;
};

/* ---- reporting ---- */

/* Report what has changed (deferred). A callback may close the lock. */
static void tell(void *arg)
{
	struct ik_lock *lock = arg;
	const struct ik_lock_events *events = lock->events;

	lock->telling = false;
	if (lock->events && lock->refused) {
		lock->refused = false;
		if (events->refused)
			events->refused(lock->arg);
	}
	if (lock->events && lock->changed) {
		lock->changed = false;
		events->changed(lock->arg, lock->state, &lock->holder);
	}
	if (lock->events && lock->asked) {
		lock->asked = false;
		if (events->asked)
			events->asked(lock->arg, lock->asker.pid != 0 ? &lock->asker : NULL);
	}
	if (lock->events && lock->news) {
		lock->news = false;
		if (events->news)
			events->news(lock->arg);
	}
}

/* Set *what, and report it later. */
static void note(struct ik_lock *lock, bool *what)
{
	*what = true;
	if (lock->telling || !lock->events)
		return;
	lock->telling = true;
	ik_loop_defer(lock->store->loop, tell, lock);
}

static bool same_holder(const struct ik_holder *one, const struct ik_holder *other)
{
	return one->pid == other->pid && one->since_ms == other->since_ms &&
		ik_text_equal(one->host, other->host);
}

/* Set the state; ignore a holder unless it is another process, and an asker unless the lock is
 * ours. */
static void set_state(struct ik_lock *lock, const struct lock_found *found)
{
	static const struct ik_holder no_holder = { .pid = 0 };
	const struct ik_holder *holder = found->state == IK_LOCK_OTHERS ? &found->holder : &no_holder;
	const struct ik_holder *asker = found->state == IK_LOCK_OURS ? &found->asker : &no_holder;

	if (!same_holder(&lock->asker, asker)) {
		lock->asker = *asker;
		note(lock, &lock->asked);
	}
	if (lock->state != found->state || !same_holder(&lock->holder, holder)) {
		lock->state = found->state;
		lock->holder = *holder;
		note(lock, &lock->changed);
	}
}

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

	ik_holder_of_file(lock->path, IK_HOLDER_ASKS, &asker);
	if (lock->fd >= 0 && !lock->asks && asker.pid == 0 && is_at(lock->fd, lock->path))
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
	return ik_holder_is_dead(holder) && lock->left_looks++ < LEFT_LOOKS;
}

static void take_found(struct ik_lock *lock, const struct lock_found *found);

static void step_file(struct ik_lock *lock)
{
	bool asks = lock->step == LOCK_ASK;
	struct lock_found found = { .news = true };

	if (lock->step == LOCK_REFUSE)
		ik_holder_erase(lock->fd, IK_HOLDER_ASKS);
	if (lock->step == LOCK_RELEASE || (lock->asks && !asks))
		release_file(lock);
	found.state = take_file(lock, asks || lock->step == LOCK_TAKE, &found.holder);
	if (found.state == IK_LOCK_OTHERS && is_being_left(lock, &found.holder))
		found.state = IK_LOCK_UNKNOWN;
	else if (found.state == IK_LOCK_OTHERS && asks)
		found.refused = !ask_file(lock);
	ik_holder_of_file(lock->path, IK_HOLDER_ASKS, &found.asker);
	if (found.asker.pid < 0) /* being written, or refused */
		found.asker.pid = 0;
	take_found(lock, &found);
}

/* ---- a row ---- */

/* Start a step: send what to do, and read the state afterwards. */
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
	struct ik_holder self;
	struct ik_store_read *read;

	ik_holder_self(&self);
	read = ik_request(lock->store->requests, flags, reader, lock,
		"'do':'lease','session':'%s','step':'%s','lock':'%s','process':'%s','host':'%s',"
		"'user':'%s','pid':%lld,'place':'%s','started':%lld,'dead':'%s'",
		lock->session, names[step], lock->id, lock->store->place.process, self.host, self.user,
		(long long)self.pid, self.place, (long long)self.started,
		lock->dead[0] ? lock->dead : NULL);
	lock->dead[0] = '\0';
	return read;
}

/* Read the last line of the answer. */
static struct lock_found read_row(struct ik_json_span line)
{
	struct ik_json_span state = ik_json_member(line, "state");
	struct lock_found found = { .state = IK_LOCK_FREE };

	if (ik_json_string_is(state, "ours"))
		found.state = IK_LOCK_OURS;
	else if (ik_json_string_is(state, "others"))
		found.state = IK_LOCK_OTHERS;
	ik_holder_read(ik_json_member(line, "holder"), &found.holder);
	ik_holder_read(ik_json_member(line, "asker"), &found.asker);
	(void)ik_json_bool(ik_json_member(line, "refused"), &found.refused);
	return found;
}

static void on_row(void *arg, const struct ik_store_answer *answer)
{
	struct ik_lock *lock = arg;
	struct lock_found found;
	int64_t newest = 0;

	lock->read = NULL;
	if (answer->status != IK_OK) {
		take_found(lock, NULL);
		return;
	}
	found = read_row(answer->last);
	/* Its holder is dead: store what it left in its journals, then repeat the step. Events stored
	 * after ours would become a fork. */
	if (found.state == IK_LOCK_OTHERS && ik_holder_is_dead(&found.holder) && !lock->released) {
		(void)ik_request(lock->store->requests, IK_REQUEST_CHANGES, NULL, NULL,
			"'do':'take','writer':'%s'", lock->store->place.process);
		(void)ik_event_line_id(answer->last, "lock", lock->dead);
		lock->read = ask_row(lock, lock->step, 0, on_row);
		return;
	}
	(void)ik_json_integer(ik_json_member(answer->last, "newest"), &newest);
	found.news = newest != lock->newest;
	lock->newest = newest;
	take_found(lock, &found);
}

/* ---- steps ---- */

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

/* Run the next step, and read the state. */
static void look(struct ik_lock *lock)
{
	lock->again = lock->busy;
	if (lock->busy)
		return;
	lock->step = next_step(lock);
	lock->opened = lock->busy = true;
	lock->released = lock->refusing = false;
	if (lock->path)
		step_file(lock);
	else if (lock->store->server)
		lock->read = ask_row(lock, lock->step, 0, on_row);
	else
		take_found(lock, NULL);
}

/* Look now, and soon again: something was done here, and an answer may follow. */
static void update(struct ik_lock *lock)
{
	lock->delay_ms = 0;
	look(lock);
}

static void use(struct ik_lock *lock, const struct lock_found *found)
{
	if (found->refused) {
		lock->wanted = false;
		note(lock, &lock->refused);
	}
	/* Events may have been written just before the release, or while this process was stopped. */
	if (lock->paused ||
		(found->state != IK_LOCK_OURS && (found->news || lock->state != found->state)))
		note(lock, &lock->news);
	lock->paused = false;
	/* Skip a lock that was released for a process that will take it in a moment. */
	if (lock->state != IK_LOCK_UNKNOWN || found->state != IK_LOCK_FREE || found->asker.pid == 0)
		set_state(lock, found);
}

/* Schedule the next look: at our own row at growing intervals, at our own file only when it
 * changes. */
static void look_later(struct ik_lock *lock)
{
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

/* Process the result of a step; NULL if the step failed. */
static void take_found(struct ik_lock *lock, const struct lock_found *found)
{
	static const struct lock_found nothing = { .state = IK_LOCK_NONE };

	lock->busy = false;
	if (found && found->state == IK_LOCK_UNKNOWN) {
		lock->opened = lock->state != IK_LOCK_UNKNOWN;
		ik_timer_start(lock->timer, LEFT_MS);
		return;
	}
	/* A result from before the release is out of date. */
	if (!lock->released && (found || lock->state == IK_LOCK_UNKNOWN))
		use(lock, found ? found : &nothing);
	if (lock->again)
		look(lock);
	else
		look_later(lock);
}

/* Called by the timer or by inotify. */
static void on_look(void *arg)
{
	look(arg);
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
	if (lock->path) {
		lock->watch = ik_directory_watch_close(lock->watch);
		release_file(lock);
		free(lock->path);
	} else if (lock->store->server) {
		lock->read = ik_store_read_close(lock->read);
		(void)ask_row(lock, LOCK_RELEASE, IK_REQUEST_CHANGES, NULL);
	}
	lock->timer = ik_timer_close(lock->timer);
	ik_loop_cancel_deferred(lock->store->loop, tell, lock);
	ik_loop_defer(lock->store->loop, free, lock); /* tell() may be running */
}

static void release(struct ik_lock *lock)
{
	static const struct lock_found unknown = { .state = IK_LOCK_UNKNOWN };

	lock->leaving = lock->wanted = false;
	if (lock->state != IK_LOCK_OURS && lock->state != IK_LOCK_UNKNOWN)
		return;
	/* From now on it isn't ours, even if the release fails. */
	set_state(lock, &unknown);
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

/* Return a closed lock of this session that is still ours because events wait to be stored; or
 * NULL. */
static struct ik_lock *find_closing(struct ik_store *store, const char *session)
{
	struct ik_lock *lock = store->locks;

	while (lock &&
		(lock->events || lock->state != IK_LOCK_OURS || !ik_text_equal(lock->session, session)))
		lock = lock->next;
	return lock;
}

/* Watch the lock file for changes. */
static void watch_file(struct ik_lock *lock)
{
	static const struct ik_directory_watch_events events = {
		.changed = on_look,
		.problem = on_problem,
	};
	struct ik_watched place = { .name = lock->session };
	char *directory;

	lock->path = ik_holder_path(lock->store->path, lock->session);
	place.directory = directory = ik_path_directory(lock->path);
	lock->watch = ik_directory_watch_new(lock->store->loop, &events, lock);
	ik_directory_watch_set(lock->watch, &place, 1);
	free(directory);
}

struct ik_lock *ik_lock_new(struct ik_store *store, const char *session,
	const struct ik_lock_events *events, void *arg)
{
	struct ik_lock *lock = find_closing(store, session);

	if (lock) {
		lock->events = events;
		lock->arg = arg;
		lock->wanted = lock->quietly = lock->leaving = lock->refusing = false;
		lock->refused = lock->news = false;
		lock->asked = lock->asker.pid != 0;
		note(lock, &lock->changed);
		update(lock);
		return lock;
	}
	lock = ik_alloc(sizeof(*lock));
	lock->store = store;
	memcpy(lock->session, session, strnlen(session, sizeof(lock->session) - 1));
	lock->events = events;
	lock->arg = arg;
	lock->next = store->locks;
	store->locks = lock;
	lock->timer = ik_timer_new(store->loop, on_look, lock);
	lock->fd = -1;
	ik_uuid_new(lock->id);
	lock->newest = -1;
	if (store->path && !store->server)
		watch_file(lock);
	look(lock);
	return lock;
}

void ik_lock_pause(struct ik_lock *lock)
{
	if (lock->state != IK_LOCK_OURS || !is_stored(lock->store) || !lock->path)
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
