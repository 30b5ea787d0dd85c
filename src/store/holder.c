#include "store/holder.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"
#include "util/uuid.h"

/* ---- identity ---- */

void ik_holder_self(struct ik_holder *ret_self)
{
	const char *user = getenv("USER");
	const struct passwd *entry;

	*ret_self = (struct ik_holder){ .pid = getpid(), .since_ms = ik_clock_wall_ms() };
	if (gethostname(ret_self->host, sizeof(ret_self->host) - 1) != 0)
		ret_self->host[0] = '\0';
	if (!user || user[0] == '\0') {
		entry = getpwuid(geteuid());
		user = entry ? entry->pw_name : NULL;
	}
	if (user)
		(void)snprintf(ret_self->user, sizeof(ret_self->user), "%s", user);
	else
		(void)snprintf(ret_self->user, sizeof(ret_self->user), "%lu", (unsigned long)geteuid());
}

bool ik_holder_is_self(const struct ik_holder *holder)
{
	struct ik_holder self;

	ik_holder_self(&self);
	return holder->pid == self.pid && ik_text_equal(self.host, holder->host);
}

/* A boot is one kernel, on which these numbers are the directory's, in any container. Virtual
 * machines cloned while running share a boot, so name the host, too. */
char *ik_holder_place(const char *directory)
{
	struct ik_holder self;
	struct ik_error error;
	struct ik_buf place;
	struct stat about;

	ik_holder_self(&self);
	ik_buf_init(&place, IK_KIB(4));
	if (stat(directory, &about) == 0 &&
		ik_file_read("/proc/sys/kernel/random/boot_id", &place, &error) == IK_OK) {
		ik_buf_truncate(&place, IK_UUID_TEXT - 1);
		ik_buf_printf(&place, " %llx:%llx %s", (unsigned long long)about.st_dev,
			(unsigned long long)about.st_ino, self.host);
	}
	return ik_buf_take(&place, NULL);
}

static void copy_text(struct ik_json_span object, const char *name, char *out, size_t size)
{
	char *text = ik_json_text_new(ik_json_member(object, name));

	(void)snprintf(out, size, "%s", text ? text : "");
	free(text);
}

void ik_holder_read(struct ik_json_span object, struct ik_holder *ret_holder)
{
	*ret_holder = (struct ik_holder){ .pid = 0 };
	copy_text(object, "host", ret_holder->host, sizeof(ret_holder->host));
	copy_text(object, "user", ret_holder->user, sizeof(ret_holder->user));
	(void)ik_json_integer(ik_json_member(object, "pid"), &ret_holder->pid);
	(void)ik_json_integer(ik_json_member(object, "since_ms"), &ret_holder->since_ms);
}

void ik_holder_put(struct ik_buf *out, const struct ik_holder *holder)
{
	time_t since = (time_t)(holder->since_ms / 1000);
	char time[16] = "";
	struct tm parts;

	if (holder->pid <= 0 || !localtime_r(&since, &parts) ||
		strftime(time, sizeof(time), "%H:%M", &parts) == 0)
		ik_buf_puts(out, _("another program"));
	else
		/* Translators: user and computer, number of a process, time of day. */
		ik_buf_printf(out, _("%s@%s, pid %lld, since %s"), holder->user, holder->host,
			(long long)holder->pid, time);
}

enum ik_status ik_holder_refuse(const struct ik_holder *holder, struct ik_error *error)
{
	struct ik_buf who;

	ik_buf_init(&who, IK_KIB(4));
	ik_holder_put(&who, holder);
	(void)ik_error_set(error, IK_UNAVAILABLE, _("The session is open in another ikigai (%s)."),
		who.data);
	ik_buf_done(&who);
	return IK_UNAVAILABLE;
}

/* ---- files ---- */

/* The lock covers these bytes of the file, which name its holder. In earlier versions more bytes
 * followed, with another lock. */
#define LOCK_BYTES 512
/* Limit on attempts to open a file that others remove and create meanwhile. */
#define TRIES 100

/* Lock the file or query its lock (of the open file description). */
static bool use_lock(int fd, int command, struct flock *lock)
{
	*lock = (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = LOCK_BYTES };
	return fcntl(fd, command, lock) == 0;
}

void ik_lock_file_holder(const char *path, struct ik_holder *ret_holder)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	long long pid = -1, since = 0;
	char line[LOCK_BYTES] = "";
	struct flock lock;

	*ret_holder = (struct ik_holder){ .pid = 0 };
	if (fd < 0)
		return;
	if (use_lock(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK) {
		if (pread(fd, line, sizeof(line) - 1, 0) > 0)
			(void)sscanf(line, "%lld %lld %64s %32s", &pid, &since, ret_holder->host,
				ret_holder->user);
		ret_holder->pid = pid; /* -1 while it is being written */
		ret_holder->since_ms = since;
	}
	(void)close(fd);
}

/* Write this process into the file, and wake the processes that watch it. */
static void write_holder(int fd)
{
	char line[LOCK_BYTES] = "";
	struct ik_holder self;

	ik_holder_self(&self);
	(void)snprintf(line, sizeof(line), "%lld %lld %s %s\n", (long long)self.pid,
		(long long)self.since_ms, self.host[0] ? self.host : "-", self.user[0] ? self.user : "-");
	if (pwrite(fd, line, sizeof(line), 0) < 0 || futimens(fd, NULL) != 0)
		ik_log(IK_LOG_INFO, "store: a lock cannot be written: %s", strerror(errno));
}

bool ik_lock_file_is_ours(const struct ik_lock_file *file)
{
	struct stat ours, theirs;

	return file->fd >= 0 && fstat(file->fd, &ours) == 0 && lstat(file->path, &theirs) == 0 &&
		ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

int ik_lock_file_take(struct ik_lock_file *file)
{
	struct flock lock;
	int number;

	for (int tries = 0; tries < TRIES; tries++) {
		file->fd = open(file->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
		if (file->fd < 0)
			return errno;
		number = use_lock(file->fd, F_OFD_SETLK, &lock) ? 0 : errno;
		if (number == 0 && ik_lock_file_is_ours(file)) {
			write_holder(file->fd);
			return 0;
		}
		(void)close(file->fd);
		file->fd = -1;
		if (number != 0)
			return number == EACCES ? EAGAIN : number;
		/* Its last holder has removed the file meanwhile. */
	}
	return EAGAIN;
}

void ik_lock_file_release(struct ik_lock_file *file)
{
	if (ik_lock_file_is_ours(file))
		(void)unlink(file->path);
	if (file->fd >= 0)
		(void)close(file->fd);
	file->fd = -1;
}
