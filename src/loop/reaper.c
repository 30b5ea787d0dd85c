#include "loop/reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Processes per round; the next round finds the others. */
#define AT_ONCE 1024
#define ROUNDS 1000
#define PAUSE_NS (1000 * 1000)

static struct {
	volatile sig_atomic_t armed;
	const pid_t *strangers;
	size_t stranger_count;
} reaper;

void ik_reaper_arm(const pid_t *strangers, size_t count)
{
	reaper.armed = 0;
	reaper.strangers = strangers;
	reaper.stranger_count = count;
	reaper.armed = 1;
}

void ik_reaper_disarm(void)
{
	reaper.armed = 0;
	reaper.strangers = NULL;
	reaper.stranger_count = 0;
}

/* Did this process have the child before the program started? */
static bool is_stranger(pid_t pid)
{
	for (size_t i = 0; i < reaper.stranger_count; i++)
		if (reaper.strangers[i] == pid)
			return true;
	return false;
}

/* "/proc/self/task/PID/children": orphans are adopted by the main thread, which is also the one
 * that spawns. */
static void put_path(char path[64])
{
	static const char head[] = "/proc/self/task/", tail[] = "/children";
	char digits[16];
	pid_t pid = getpid();
	size_t length = 0, at = 0;

	for (; head[at] != '\0'; at++)
		path[at] = head[at];
	for (; pid > 0; pid /= 10)
		digits[length++] = (char)('0' + pid % 10);
	while (length > 0)
		path[at++] = digits[--length];
	for (size_t i = 0; i < sizeof(tail); i++)
		path[at++] = tail[i];
}

ssize_t ik_reaper_list(pid_t *pids, size_t size)
{
	char path[64], bytes[4096];
	size_t count = 0;
	ssize_t length;
	pid_t pid = 0;
	int fd;

	put_path(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	/* Numbers, each followed by a blank. */
	while (count < size &&
		((length = read(fd, bytes, sizeof(bytes))) > 0 || (length < 0 && errno == EINTR)))
		for (ssize_t i = 0; i < length && count < size; i++) {
			if (bytes[i] >= '0' && bytes[i] <= '9') {
				pid = pid * 10 + (bytes[i] - '0');
				continue;
			}
			if (pid > 0 && !is_stranger(pid))
				pids[count++] = pid;
			pid = 0;
		}
	close(fd);
	return (ssize_t)count;
}

void ik_reaper_kill(pid_t pid)
{
	pid_t group = getpgid(pid);

	if (group > 1 && getsid(pid) != getsid(0))
		kill(-group, SIGKILL);
	kill(pid, SIGKILL);
}

void ik_reaper_end(void)
{
	const struct timespec pause = { 0, PAUSE_NS };
	pid_t pids[AT_ONCE];
	ssize_t count;

	if (!reaper.armed)
		return;
	/* Children of killed processes become ours: each round finds the next generation. */
	for (int round = 0; round < ROUNDS; round++) {
		count = ik_reaper_list(pids, AT_ONCE);
		if (count <= 0)
			return;
		for (ssize_t i = 0; i < count; i++)
			ik_reaper_kill(pids[i]);
		for (ssize_t i = 0; i < count; i++)
			waitpid(pids[i], NULL, WNOHANG);
		nanosleep(&pause, NULL);
	}
}
