#include "tool/busy.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ik_busy_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* Read the beginning of a file of /proc; an empty text when it is not there. */
static void read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, text, size - 1) : 0;

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
}

int ik_busy_runnable(void)
{
	char text[128];
	const char *at;

	/* "0.20 0.18 0.12 3/80 11206": the number before the slash (proc_loadavg(5)). */
	read_text("/proc/loadavg", text, sizeof text);
	at = strchr(text, '/');
	while (at != NULL && at > text && at[-1] != ' ')
		at--;
	return at != NULL ? (int)strtol(at, NULL, 10) - 1 : 0;
}

int64_t ik_busy_stalled_us(void)
{
	static const char key[] = " total=";
	char text[128];
	const char *at;

	/* "some avg10=0.22 avg60=0.17 avg300=1.11 total=58761459"
	 * (Documentation/accounting/psi.rst of the kernel). */
	read_text("/proc/pressure/cpu", text, sizeof text);
	at = strstr(text, key);
	return at != NULL ? (int64_t)strtoll(at + sizeof key - 1, NULL, 10) : -1;
}
