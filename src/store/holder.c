/*
 * Is the process that holds a session dead?  That can be told where it is one of this machine:
 * of the same boot and the same namespace of process numbers, as two containers are not, though
 * they have one kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/lock_private.h"
#include "util/text.h"

/* The state of a process, and when it began, in ticks since the boot (proc_pid_stat(5), fields 3
 * and 22); false: it cannot be read. */
static bool look_at(int64_t pid, char *ret_state, int64_t *ret_started)
{
	char path[64], line[1024];
	long long started = 0;
	const char *end;
	bool found;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	/* The name in parentheses may hold anything, also parentheses. */
	found = fgets(line, sizeof(line), file) && (end = strrchr(line, ')')) != NULL &&
		sscanf(end + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d"
			" %*d %lld", ret_state, &started) == 2;
	(void)fclose(file);
	*ret_started = started;
	return found;
}

void ik_holder_locate(struct ik_holder *holder)
{
	char boot[40] = "", space[32];
	ssize_t length = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	char state;

	holder->place[0] = '\0';
	if (file && fgets(boot, sizeof(boot), file))
		boot[strcspn(boot, "\n")] = '\0';
	if (file)
		(void)fclose(file);
	if (!boot[0] || length <= 0 || !look_at(getpid(), &state, &holder->started))
		return;
	space[length] = '\0';
	(void)snprintf(holder->place, sizeof(holder->place), "%s %s", boot, space);
}

bool ik_holder_is_dead(const struct ik_holder *holder)
{
	struct ik_holder self;
	int64_t started;
	char state;

	if (holder->pid <= 0 || !holder->place[0])
		return false;
	ik_holder_self(&self);
	ik_holder_locate(&self);
	/* Machines that were copied while they ran have one boot. */
	if (!ik_text_equal(self.place, holder->place) || !ik_text_equal(self.host, holder->host))
		return false;
	if (kill((pid_t)holder->pid, 0) != 0 && errno == ESRCH)
		return true;
	return look_at(holder->pid, &state, &started) &&
		(state == 'Z' || state == 'X' || started != holder->started);
}
