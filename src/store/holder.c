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
#include <unistd.h>

#include "store/lock_private.h"
#include "util/proc_stat.h"
#include "util/text.h"

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

bool ik_holder_is_near(const struct ik_holder *holder)
{
	struct ik_holder self;

	if (holder->pid <= 0 || !holder->place[0])
		return false;
	ik_holder_self(&self);
	ik_holder_locate(&self);
	/* Machines that were copied while they ran have one boot. */
	return ik_text_equal(self.place, holder->place) && ik_holder_is_here(holder);
}

bool ik_holder_is_here(const struct ik_holder *holder)
{
	struct ik_holder self;

	ik_holder_self(&self);
	return ik_text_equal(self.host, holder->host);
}

bool ik_holder_seems_dead(const struct ik_holder *holder)
{
	struct ik_proc_stat stat;

	if (holder->pid <= 0 || !ik_holder_is_here(holder))
		return false;
	if (kill((pid_t)holder->pid, 0) != 0)
		return errno == ESRCH;
	return ik_proc_stat_of(holder->pid, &stat) && stat.state == 'Z';
}

bool ik_holder_is_dead(const struct ik_holder *holder)
{
	struct ik_proc_stat stat;

	if (!ik_holder_is_near(holder))
		return false;
	if (kill((pid_t)holder->pid, 0) != 0 && errno == ESRCH)
		return true;
	return ik_proc_stat_of(holder->pid, &stat) &&
		(stat.state == 'Z' || (int64_t)stat.start != holder->started);
}
