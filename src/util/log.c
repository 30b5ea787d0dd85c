#include "util/log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/redact.h"
#include "util/sanitize.h"

static struct {
	char *path;
	int fd; /* -1: not opened yet */
	enum ik_log_level level;
} the_log = { NULL, -1, IK_LOG_OFF };

static const char *const level_names[] = { "off", "error", "info", "debug" };

/* Open the log, or return -1. Only opens regular files: a FIFO would block, and a link could lead
 * anywhere. */
static int open_file(const char *path)
{
	int fd = open(path,
		O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK, 0600);
	struct stat status;

	if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void ik_log_open(const char *path, enum ik_log_level level)
{
	ik_log_close();
	the_log.path = ik_strdup(path);
	the_log.level = level;
}

void ik_log_close(void)
{
	if (the_log.fd >= 0)
		close(the_log.fd);
	free(the_log.path);
	the_log.path = NULL;
	the_log.fd = -1;
	the_log.level = IK_LOG_OFF;
}

void ik_log(enum ik_log_level level, const char *format, ...)
{
	struct ik_buf message, line;
	char when[IK_CLOCK_TEXT];

	va_list arguments;

	if (level == IK_LOG_OFF || level > the_log.level)
		return;
	if (the_log.fd < 0)
		the_log.fd = open_file(the_log.path);
	if (the_log.fd < 0) {
		the_log.level = IK_LOG_OFF; /* there is no way to report it; don't retry for every line */
		return;
	}
	ik_buf_init(&message, IK_KIB(64));
	ik_buf_init(&line, IK_KIB(256));
	va_start(arguments, format);
	ik_buf_vprintf(&message, format, arguments);
	va_end(arguments);
	if (ik_buf_status(&message) != IK_OK)
		ik_buf_puts((ik_buf_clear(&message), &message), "(a message too long to write)");
	ik_clock_text(ik_clock_wall_ms(), when);
	ik_buf_printf(&line, "%s %d %s ", when, (int)getpid(), level_names[level]);
	ik_secrets_hide(&message);
	ik_sanitize_line(&line, message.data, message.length);
	ik_buf_putc(&line, '\n');
	/* One write per line, so that lines of several processes do not mix. */
	if (ik_write_all(the_log.fd, line.data, line.length) != 0)
		the_log.level = IK_LOG_OFF;
	ik_buf_done(&message);
	ik_buf_done(&line);
}
