/*
 * Is the process that holds a session dead?  That can be told where it is one of this machine:
 * of the same boot and the same namespace of process numbers, as two containers are not, though
 * they have one kernel; and of the same namespace of time, by whose clock it is said when a process
 * began.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/holder.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/proc_stat.h"
#include "util/text.h"

/* ---- who ---- */

void ik_holder_self(struct ik_holder *ret_self)
{
	const char *user = getenv("USER");

	*ret_self = (struct ik_holder){ .pid = getpid(), .since_ms = ik_clock_wall_ms() };
	if (gethostname(ret_self->host, sizeof(ret_self->host) - 1) != 0)
		ret_self->host[0] = '\0';
	if (user)
		(void)snprintf(ret_self->user, sizeof(ret_self->user), "%s", user);
	else
		(void)snprintf(ret_self->user, sizeof(ret_self->user), "%lu", (unsigned long)geteuid());
}

/* Is its machine called as this one is? */
static bool is_here(const struct ik_holder *holder)
{
	struct ik_holder self;

	ik_holder_self(&self);
	return ik_text_equal(self.host, holder->host);
}

bool ik_holder_is_self(const struct ik_holder *holder)
{
	return holder->pid == getpid() && is_here(holder);
}

static void copy_text(struct ik_json_span object, const char *name, char *out, size_t size)
{
	char *text = ik_json_text_new(ik_json_member(object, name));
	size_t length = text ? strnlen(text, size - 1) : 0;

	memcpy(out, text ? text : "", length);
	out[length] = '\0';
	free(text);
}

void ik_holder_read(struct ik_json_span object, struct ik_holder *ret_holder)
{
	*ret_holder = (struct ik_holder){ .pid = 0 };
	copy_text(object, "host", ret_holder->host, sizeof(ret_holder->host));
	copy_text(object, "user", ret_holder->user, sizeof(ret_holder->user));
	copy_text(object, "place", ret_holder->place, sizeof(ret_holder->place));
	(void)ik_json_integer(ik_json_member(object, "pid"), &ret_holder->pid);
	(void)ik_json_integer(ik_json_member(object, "since_ms"), &ret_holder->since_ms);
	(void)ik_json_integer(ik_json_member(object, "started"), &ret_holder->started);
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

void ik_holder_put_sentence(struct ik_buf *out, const struct ik_holder *holder)
{
	struct ik_buf who;

	ik_buf_init(&who, IK_KIB(4));
	ik_holder_put(&who, holder);
	ik_buf_printf(out, _("The session is open in another ikigai (%s)."), who.data);
	ik_buf_done(&who);
}

/* ---- files ---- */

char *ik_holder_directory(const char *database)
{
	char *path = ik_path_canonical(database), *directory = ik_format("%s-locks", path);

	free(path);
	return directory;
}

/* Does anybody have it? */
static bool is_locked(int fd)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &all) == 0 && all.l_type != F_UNLCK;
}

void ik_holder_write(int fd)
{
	struct ik_holder self;
	char *line;

	ik_holder_self(&self);
	line = ik_format("%lld %lld %s %s\n", (long long)self.pid, (long long)self.since_ms,
		self.host[0] ? self.host : "-", self.user[0] ? self.user : "-");
	if (ftruncate(fd, 0) != 0 || pwrite(fd, line, strlen(line), 0) < 0)
		ik_log(IK_LOG_INFO, "store: a lock cannot be written: %s", strerror(errno));
	free(line);
}

void ik_holder_of_file(const char *path, struct ik_holder *ret_holder)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	long long pid = -1, since = 0;
	char line[256] = "";

	*ret_holder = (struct ik_holder){ .pid = 0 };
	if (fd < 0)
		return;
	if (is_locked(fd)) {
		if (pread(fd, line, sizeof(line) - 1, 0) > 0)
			(void)sscanf(line, "%lld %lld %64s %32s", &pid, &since, ret_holder->host,
				ret_holder->user);
		ret_holder->pid = pid; /* -1: it is just being written */
		ret_holder->since_ms = since;
	}
	(void)close(fd);
}

/* ---- alive? ---- */

/* Where a link of /proc leads to, "" where there is none. */
static void read_link(const char *path, char out[32])
{
	ssize_t length = readlink(path, out, 31);

	out[length > 0 ? length : 0] = '\0';
}

/* Are the numbers in /proc those of this process's namespace? */
static bool proc_is_ours(void)
{
	char number[32];

	read_link("/proc/self", number);
	return strtoll(number, NULL, 10) == getpid();
}

void ik_holder_locate(struct ik_holder *holder)
{
	char boot[40] = "", numbers[32], times[32];
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	struct ik_proc_stat stat;

	holder->place[0] = '\0';
	if (file && fgets(boot, sizeof(boot), file))
		boot[strcspn(boot, "\n")] = '\0';
	if (file)
		(void)fclose(file);
	read_link("/proc/self/ns/pid", numbers);
	read_link("/proc/self/ns/time", times); /* since Linux 5.6 */
	if (!boot[0] || !numbers[0] || !proc_is_ours() || !ik_proc_stat_of(getpid(), &stat))
		return;
	holder->started = (int64_t)stat.start;
	(void)snprintf(holder->place, sizeof(holder->place), "%s %s %s", boot, numbers, times);
}

/* Does its number mean a process of this machine? */
static bool is_near(const struct ik_holder *holder)
{
	struct ik_holder self;

	if (holder->pid <= 0 || !holder->place[0])
		return false;
	ik_holder_self(&self);
	ik_holder_locate(&self);
	/* Machines that were copied while they ran have one boot. */
	return ik_text_equal(self.place, holder->place) && is_here(holder);
}

bool ik_holder_seems_dead(const struct ik_holder *holder)
{
	struct ik_proc_stat stat;

	if (holder->pid <= 0 || !is_here(holder))
		return false;
	if (kill((pid_t)holder->pid, 0) != 0)
		return errno == ESRCH;
	return ik_proc_stat_of(holder->pid, &stat) && stat.state == 'Z';
}

bool ik_holder_is_dead(const struct ik_holder *holder)
{
	struct ik_proc_stat stat;

	if (!is_near(holder))
		return false;
	if (kill((pid_t)holder->pid, 0) != 0 && errno == ESRCH)
		return true;
	return ik_proc_stat_of(holder->pid, &stat) &&
		(stat.state == 'Z' || (int64_t)stat.start != holder->started);
}
