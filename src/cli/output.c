#include "cli/output.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/sanitize.h"

struct ik_output {
	struct ik_loop *loop;
	struct ik_watch *watch; /* NULL: a regular file */
	struct ik_buf waiting;
	size_t start; /* bytes of waiting that are already written */
	struct ik_sanitize_state sanitize;
	int fd;
	int error; /* errno of a failed write, after which bytes are dropped */
	bool terminal;
	void (*drained)(void *);
	void *arg;
};

bool ik_output_is_empty(const struct ik_output *output)
{
	return output->start == output->waiting.length;
}

int ik_output_error(const struct ik_output *output)
{
	return output->error;
}

/* Notify the owner once everything is written. */
static void tell_when_empty(struct ik_output *output)
{
	if (!ik_output_is_empty(output))
		return;
	ik_buf_clear(&output->waiting);
	output->start = 0;
	if (output->watch)
		(void)ik_watch_set(output->watch, 0, NULL);
	ik_loop_defer(output->loop, output->drained, output->arg);
}

/* Record a failure; nothing more is written. */
static void fail(struct ik_output *output, int number)
{
	output->error = number;
	output->start = output->waiting.length;
	tell_when_empty(output);
}

static void on_writable(void *arg, int what)
{
	struct ik_output *output = arg;
	size_t left = output->waiting.length - output->start;
	ssize_t written;

	written = write(output->fd, output->waiting.data + output->start,
		left < PIPE_BUF ? left : PIPE_BUF);
	if (written >= 0) {
		output->start += (size_t)written;
		tell_when_empty(output);
	} else if (errno != EINTR && errno != EAGAIN) {
		fail(output, errno);
	}
}

/* Can fd block until it is ready (epoll refuses files and /dev/null)? */
static bool can_wait(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 &&
		(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || isatty(fd) == 1);
}

struct ik_output *ik_output_new(struct ik_loop *loop, int fd, void (*drained)(void *), void *arg)
{
	struct ik_output *output = ik_alloc(sizeof(*output));

	output->loop = loop;
	output->fd = fd;
	output->drained = drained;
	output->arg = arg;
	output->terminal = isatty(fd) == 1;
	ik_buf_init(&output->waiting, IK_LIMIT_REQUEST);
	if (can_wait(fd))
		output->watch = ik_watch_new(loop, fd, on_writable, output);
	return output;
}

struct ik_output *ik_output_close(struct ik_output *output)
{
	if (!output)
		return NULL;
	ik_loop_cancel_deferred(output->loop, output->drained, output->arg);
	output->watch = ik_watch_close(output->watch);
	ik_buf_done(&output->waiting);
	free(output);
	return NULL;
}

void ik_output_write(struct ik_output *output, const char *bytes, size_t length)
{
	if (output->error != 0 || length == 0)
		return;
	if (output->terminal)
		ik_sanitize_piece(&output->sanitize, &output->waiting, bytes, length);
	else
		ik_buf_append(&output->waiting, bytes, length);
	if (ik_buf_status(&output->waiting) != IK_OK)
		fail(output, ENOMEM);
	else if (output->watch && ik_watch_set(output->watch, IK_WRITABLE, NULL) != IK_OK)
		fail(output, EIO);
	while (!output->watch && !ik_output_is_empty(output))
		on_writable(output, IK_WRITABLE);
}
