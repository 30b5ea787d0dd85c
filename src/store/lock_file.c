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

/* So often, with pauses, a lock is looked at whose holder seems dead. */
#define LEFT_LOOKS 100
#define LEFT_MS 20

struct lock_file_kept {
	char *directory, *path, *ask_path;
	int fd, ask_fd;                   /* -1: not ours; we do not ask */
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

/* Take it, if it is wanted and nobody's. The state afterwards. */
static enum ik_lock_state take(struct lock_file_kept *kept, bool wanted,
	struct ik_holder *ret_holder)
{
	struct ik_error error;

	if (kept->fd >= 0 && is_at(kept->fd, kept->path))
		return IK_LOCK_OURS;
	/* Somebody cleared it away: another may have taken it meanwhile. */
	if (kept->fd >= 0) {
		(void)close(kept->fd);
		kept->fd = -1;
		wanted = true;
	}
	/* Whoever fails with an open file wakes all who watch it. */
	ik_holder_of_file(kept->path, ret_holder);
	if (ret_holder->pid != 0)
		return IK_LOCK_OTHERS;
	if (!wanted)
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

/* Ask the holder, unless somebody else asks just now: then it is our turn when that one ends. False:
 * the holder has refused. */
static bool ask(struct lock_file_kept *kept)
{
	struct ik_holder other;
	char *path;

	if (kept->ask_fd >= 0 && !is_at(kept->ask_fd, kept->ask_path)) {
		stop_asking(kept);
		return false;
	}
	ik_holder_of_file(kept->ask_path, &other);
	if (kept->ask_fd >= 0 || other.pid != 0)
		return true;
	/* Locked and written before it has its name. */
	path = ik_format("%s.%lld", kept->ask_path, (long long)getpid());
	kept->ask_fd = take_file(path);
	if (kept->ask_fd >= 0 && rename(path, kept->ask_path) != 0) {
		(void)unlink(path);
		(void)close(kept->ask_fd);
		kept->ask_fd = -1;
	}
	free(path);
	return true;
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

/* Its file goes with the lock, and so does that of an asker who died. */
static void let_go(struct lock_file_kept *kept)
{
	struct ik_holder asker;

	if (kept->fd < 0)
		return;
	ik_holder_of_file(kept->ask_path, &asker);
	if (asker.pid == 0)
		(void)unlink(kept->ask_path);
	(void)unlink(kept->path);
	(void)close(kept->fd);
	kept->fd = -1;
}

static void take_step(struct ik_lock *lock, enum ik_lock_step step)
{
	struct lock_file_kept *kept = lock->kept;
	struct ik_lock_found found = { .state = IK_LOCK_UNKNOWN };

	if (step == IK_LOCK_STEP_REFUSE)
		(void)unlink(kept->ask_path);
	if (step == IK_LOCK_STEP_RELEASE)
		let_go(kept);
	found.state = take(kept, step == IK_LOCK_STEP_TAKE || step == IK_LOCK_STEP_ASK, &found.holder);
	if (lock->first && found.state == IK_LOCK_OTHERS && is_being_left(kept, &found.holder)) {
		kept->left_looks++;
		lock->opened = lock->busy = false;
		ik_timer_start(lock->timer, LEFT_MS);
		return;
	}
	if (step == IK_LOCK_STEP_ASK && found.state == IK_LOCK_OTHERS)
		found.refused = !ask(kept);
	else
		stop_asking(kept);
	ik_holder_of_file(kept->ask_path, &found.asker);
	if (found.asker.pid < 0 && found.state == IK_LOCK_OURS)
		found.asker = lock->asker; /* it is just being written */
	found.news = true;
	lock->found(lock, &found);
}

static void on_changed(void *arg)
{
	struct ik_lock *lock = arg;

	lock->look(lock);
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
}

static void pause_lock(struct ik_lock *lock)
{
	let_go(lock->kept);
}

static void close_lock(struct ik_lock *lock)
{
	struct lock_file_kept *kept = lock->kept;

	kept->watch = ik_directory_watch_close(kept->watch);
	stop_asking(kept);
	let_go(kept);
	free(kept->directory);
	free(kept->path);
	free(kept->ask_path);
	free(kept);
}

const struct ik_lock_kind ik_lock_file = {
	.open = open_lock,
	.step = take_step,
	.pause = pause_lock,
	.close = close_lock,
};
