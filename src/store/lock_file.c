/*
 * Locks of an embedded database: a file for each session in PATH-locks, locked by the one who
 * writes and named after the session.  Who asks for it puts a second one beside it, SESSION.ask,
 * and holds a lock on that while it asks; the holder refuses by removing it.  What is there and
 * not locked is of a process that died.  Changes are told by the kernel (inotify); who reads along
 * looks now and then, too: for what is written, and on a file system of the network, where those of
 * other machines are not told.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop/directory_watch.h"
#include "store/lock_base.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

#define LOOK_MS 1000 /* while somebody else may write */
/* So often, with pauses, a lock is looked at whose holder seems dead. */
#define LEFT_LOOKS 100
#define LEFT_MS 20

struct lock_file_kept {
	char *directory, *path, *ask_path;
	int fd, ask_fd;                   /* -1: not ours; we do not ask */
	bool opened;                      /* it was tried once */
	bool paused;                      /* it was ours, and is to be so again */
	struct ik_directory_watch *watch; /* of the two files */
	int left_looks;                   /* at a lock that its holder seems to have left to a child */
};

/* ---- one file ---- */

/* A lock of all of a file that goes with its descriptor. */
static bool try_lock(int fd)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &all) == 0;
}

/* Is it still what has this name? */
static bool is_at(int fd, const char *path)
{
	struct stat ours, theirs;

	return fstat(fd, &ours) == 0 && lstat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
		ours.st_dev == theirs.st_dev;
}

/* Take the file at path; -1 with errno: not to be had (EAGAIN: somebody has it). */
static int take_file(const char *path)
{
	for (int tries = 0; tries < 100; tries++) {
		int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
		int number;

		if (fd < 0)
			return -1;
		if (!try_lock(fd)) {
			number = errno == EACCES ? EAGAIN : errno;
			(void)close(fd);
			errno = number;
			return -1;
		}
		if (is_at(fd, path)) {
			ik_holder_write(fd);
			return fd;
		}
		(void)close(fd); /* whoever had it has removed it meanwhile */
	}
	errno = EAGAIN;
	return -1;
}

/* ---- the lock ---- */

/* Take it, if it is nobody's. The state afterwards. */
static enum ik_lock_state take(struct ik_lock *lock, struct ik_holder *ret_holder)
{
	struct lock_file_kept *kept = lock->kept;
	struct ik_error error;

	if (kept->fd >= 0 && is_at(kept->fd, kept->path))
		return IK_LOCK_OURS;
	/* Somebody cleared it away: another may have taken it meanwhile. */
	if (kept->fd >= 0) {
		(void)close(kept->fd);
		kept->fd = -1;
		lock->wanted = true;
	}
	/* Whoever fails with an open file wakes all who watch it. */
	ik_holder_of_file(kept->path, ret_holder);
	if (ret_holder->pid != 0)
		return IK_LOCK_OTHERS;
	if (!lock->wanted)
		return IK_LOCK_FREE;
	if (ik_path_make(kept->directory, 0700, &error) != IK_OK)
		return IK_LOCK_NONE;
	kept->fd = take_file(kept->path);
	if (kept->fd >= 0)
		return IK_LOCK_OURS;
	if (errno != EAGAIN) {
		ik_log(IK_LOG_INFO, "store: no lock in %s: %s", kept->directory, strerror(errno));
		return IK_LOCK_NONE;
	}
	ik_holder_of_file(kept->path, ret_holder);
	return IK_LOCK_OTHERS;
}

/* Ask no more. */
static void stop_asking(struct lock_file_kept *kept)
{
	if (kept->ask_fd < 0)
		return;
	if (is_at(kept->ask_fd, kept->ask_path))
		(void)unlink(kept->ask_path);
	(void)close(kept->ask_fd);
	kept->ask_fd = -1;
}

/* Ask the holder, unless somebody else asks just now: then it is our turn when that one ends. */
static void ask(struct ik_lock *lock)
{
	struct lock_file_kept *kept = lock->kept;
	struct ik_holder other;
	char *path;

	if (kept->ask_fd >= 0 && !is_at(kept->ask_fd, kept->ask_path)) {
		stop_asking(kept);
		lock->wanted = false;
		ik_lock_tell_refused(lock);
	}
	ik_holder_of_file(kept->ask_path, &other);
	if (kept->ask_fd >= 0 || !lock->wanted || other.pid != 0)
		return;
	/* Locked and written before it has its name. */
	path = ik_format("%s.%lld", kept->ask_path, (long long)getpid());
	kept->ask_fd = take_file(path);
	if (kept->ask_fd >= 0 && rename(path, kept->ask_path) != 0) {
		(void)unlink(path);
		(void)close(kept->ask_fd);
		kept->ask_fd = -1;
	}
	free(path);
}

/* Ours: does anybody ask? */
static void look_for_asker(struct ik_lock *lock)
{
	struct lock_file_kept *kept = lock->kept;
	struct ik_holder asker;

	ik_holder_of_file(kept->ask_path, &asker);
	if (lock->refusing) {
		(void)unlink(kept->ask_path);
		asker = (struct ik_holder){ .pid = 0 };
	}
	lock->refusing = false;
	if (asker.pid >= 0)
		ik_lock_set_asker(lock, &asker);
}

static void on_problem(void *arg, const char *sentence)
{
	(void)arg;
	ik_log(IK_LOG_INFO, "store: %s", sentence);
}

/* Who was killed while it started a child has left the lock to that, up to the child's execve:
 * is this one let go of in a moment? */
static bool is_being_left(struct lock_file_kept *kept, const struct ik_holder *holder)
{
	return kept->left_looks < LEFT_LOOKS && ik_holder_seems_dead(holder);
}

/* See how things are, and do what is wanted. */
static void look(struct ik_lock *lock)
{
	struct lock_file_kept *kept = lock->kept;
	bool paused = kept->paused, first = paused || !kept->opened;
	struct ik_holder holder = { .pid = 0 };
	enum ik_lock_state state;

	kept->paused = false;
	kept->opened = true;
	lock->wanted = lock->wanted || first;
	state = take(lock, &holder);
	if (first && state == IK_LOCK_OTHERS && is_being_left(kept, &holder)) {
		kept->left_looks++;
		kept->opened = false;
		kept->paused = paused;
		ik_timer_start(lock->timer, LEFT_MS);
		return;
	}
	if (paused)
		ik_lock_tell_news(lock); /* of others in between */
	/* One that somebody else has is not asked for until a person wants it. */
	if (first)
		lock->wanted = false;
	if (state == IK_LOCK_OURS || state == IK_LOCK_NONE) {
		stop_asking(kept);
		ik_timer_stop(lock->timer);
	} else {
		ik_timer_start(lock->timer, LOOK_MS);
	}
	if (state == IK_LOCK_OTHERS && lock->wanted && !lock->quietly)
		ask(lock);
	else
		stop_asking(kept);
	ik_lock_set(lock, state, &holder);
	if (state == IK_LOCK_OURS)
		look_for_asker(lock);
	else
		ik_lock_tell_news(lock); /* it may have been written just before it was let go */
}

static void on_changed(void *arg)
{
	look(arg);
}

static void open_lock(struct ik_lock *lock)
{
	static const struct ik_directory_watch_events events = {
		.changed = on_changed,
		.problem = on_problem,
	};
	struct lock_file_kept *kept = lock->kept = ik_alloc(sizeof(*kept));
	struct ik_watched places[2];
	char *name;

	kept->fd = kept->ask_fd = -1;
	kept->directory = ik_holder_directory(lock->store->path);
	kept->path = ik_path_join(kept->directory, lock->session);
	kept->ask_path = ik_format("%s.ask", kept->path);
	name = ik_format("%s.ask", lock->session);
	places[0] = (struct ik_watched){ .directory = kept->directory, .name = lock->session };
	places[1] = (struct ik_watched){ .directory = kept->directory, .name = name };
	kept->watch = ik_directory_watch_new(lock->store->loop, &events, lock);
	ik_directory_watch_set(kept->watch, places, 2);
	free(name);
	look(lock);
}

/* Its file goes with the lock, and so does that of an asker who died. */
static void let_go(struct lock_file_kept *kept)
{
	struct ik_holder asker;

	ik_holder_of_file(kept->ask_path, &asker);
	if (asker.pid == 0)
		(void)unlink(kept->ask_path);
	(void)unlink(kept->path);
	(void)close(kept->fd);
	kept->fd = -1;
}

static void release(struct ik_lock *lock)
{
	struct lock_file_kept *kept = lock->kept;
	struct ik_holder asker, nobody = { .pid = 0 };

	if (kept->fd < 0)
		return;
	ik_holder_of_file(kept->ask_path, &asker);
	let_go(kept);
	/* Whoever asked for it takes it in a moment. */
	if (asker.pid != 0)
		ik_lock_set(lock, IK_LOCK_UNKNOWN, &nobody);
	else
		look(lock);
}

static void pause_lock(struct ik_lock *lock)
{
	struct lock_file_kept *kept = lock->kept;

	if (kept->fd < 0)
		return;
	let_go(kept);
	kept->paused = true;
}

static void close_lock(struct ik_lock *lock)
{
	struct lock_file_kept *kept = lock->kept;

	kept->watch = ik_directory_watch_close(kept->watch);
	stop_asking(kept);
	if (kept->fd >= 0)
		let_go(kept);
	free(kept->directory);
	free(kept->path);
	free(kept->ask_path);
	free(kept);
}

/* clang-format off */
const struct ik_lock_ops ik_lock_file_ops = {
	.open = open_lock, .look = look, .update = look, .release = release, .pause = pause_lock,
	.close = close_lock,
};
/* clang-format on */
