#include "loop/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop/children.h"
#include "loop/killer.h"
#include "loop/spawn.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* One read of output; also the capacity of a pipe. */
#define PIECE IK_KIB(64)
/* Limit on reads or writes in one go, so that one child does not hold up the others. */
#define PIECES_AT_ONCE 16

/* Our end of one of the three pipes. */
struct child_stream {
	struct ik_child *child;
	enum ik_stream which; /* for the two that are read */
	int fd;               /* -1: ended */
	struct ik_watch *watch;
};

/* How far the end of a child has come. */
enum phase {
	LIVING,
	ENDING, /* SIGTERM was sent */
	KILLED  /* SIGKILL was sent */
};

struct ik_child {
	struct ik_loop *loop;
	struct ik_child_events events;
	void *arg;
	struct ik_process *leader;
	struct child_stream in;
	struct child_stream out[2]; /* by enum ik_stream */
	const char *input;          /* the rest of it */
	size_t input_left;
	struct ik_buf backlog; /* input that came later: its end is what is left */
	bool more;             /* it may get more */
	bool parts;            /* it was told to end by the end of its input */
	bool outlives;
	/* LIVING: the time-out; ENDING: SIGKILL; after the leader has ended: grace. */
	struct ik_timer *timer;
	int64_t started;
	int64_t (*overdue)(void *arg);
	int64_t kill_after;
	int64_t grace;
	enum phase phase;
	bool leader_ended;
	bool finished; /* done is deferred or has run */
	bool closed;
	struct ik_child_result result;
};

/* Close our end of a stream. */
static void end_stream(struct child_stream *stream)
{
	stream->watch = ik_watch_close(stream->watch);
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
}

/* Close all of our ends. */
static void end_streams(struct ik_child *child)
{
	end_stream(&child->in);
	end_stream(&child->out[IK_STDOUT]);
	end_stream(&child->out[IK_STDERR]);
}

/* Deferred: the only place that calls done. */
static void report(void *arg)
{
	struct ik_child *child = arg;

	child->events.done(child->arg, &child->result);
}

/* The leader has ended, and the output has ended or was waited for long enough. */
static void finish(struct ik_child *child, bool left_running)
{
	int status = 0;

	child->finished = true;
	ik_timer_stop(child->timer);
	end_streams(child);
	/* No process may remain of a child that was ended. This is the last chance: once the leader
	 * is reaped, the group's number is no longer ours. */
	if (child->phase == ENDING)
		ik_process_signal(child->leader, SIGKILL);
	ik_process_reap(child->leader, &status);
	child->result.exited = WIFEXITED(status);
	if (WIFEXITED(status))
		child->result.exit_code = WEXITSTATUS(status);
	else
		child->result.signal_number = WTERMSIG(status);
	child->result.left_running = left_running;
	ik_loop_defer(child->loop, report, child);
}

/* Finish if nothing more can come. */
static void finish_if_done(struct ik_child *child)
{
	if (!child->finished && !child->closed && child->leader_ended && child->out[IK_STDOUT].fd < 0 &&
		child->out[IK_STDERR].fd < 0)
		finish(child, false);
}

/* Read one piece and pass it on. Return true if there may be more now. */
static bool read_piece(struct child_stream *stream)
{
	struct ik_child *child = stream->child;
	char bytes[PIECE];
	ssize_t length;

	do
		length = read(stream->fd, bytes, sizeof(bytes));
	while (length < 0 && errno == EINTR);
	if (length < 0 && errno == EAGAIN)
		return false;
	if (length <= 0) {
		end_stream(stream);
		return false;
	}
	if (child->events.output)
		child->events.output(child->arg, stream->which, bytes, (size_t)length);
	return stream->fd >= 0; /* false if output closed the child */
}

/* Output can be read. */
static void output_readable(void *arg, int what)
{
	struct child_stream *stream = arg;

	read_piece(stream);
	finish_if_done(stream->child);
}

/* Read what is available. */
static void read_waiting(struct ik_child *child)
{
	for (int i = 0; i < 2; i++) {
		int pieces = PIECES_AT_ONCE;

		while (child->out[i].fd >= 0 && pieces-- > 0 && read_piece(&child->out[i]))
			;
	}
}

/* Write as much input as the pipe accepts. */
static void write_input(struct ik_child *child)
{
	for (int pieces = PIECES_AT_ONCE; pieces > 0 && child->input_left > 0; pieces--) {
		ssize_t length = write(child->in.fd, child->input, child->input_left);

		if (length >= 0) {
			child->input += length;
			child->input_left -= (size_t)length;
		} else if (errno == EAGAIN) {
			return;
		} else if (errno != EINTR) {
			child->input_left = 0; /* EPIPE: it does not read (all of) its input */
			child->more = false;
		}
	}
	if (child->input_left == 0 && !child->more)
		end_stream(&child->in);
}

/* Write what waits, and watch for room for the rest. */
static void write_backlog(struct ik_child *child)
{
	write_input(child);
	if (child->in.fd >= 0)
		(void)!ik_watch_set(child->in.watch, child->input_left > 0 ? IK_WRITABLE : 0, NULL);
}

bool ik_child_write(struct ik_child *child, const char *bytes, size_t length)
{
	struct ik_buf *backlog = &child->backlog;
	size_t waiting = child->input_left;

	if (!child->more || child->in.fd < 0 || length > backlog->ceiling / 2 - waiting)
		return false;
	/* Move the rest only when less of it waits than was written. */
	if (backlog->length >= 2 * waiting)
		ik_buf_consume(backlog, backlog->length - waiting);
	ik_buf_append(backlog, bytes, length);
	if (ik_buf_status(backlog) != IK_OK)
		return false;
	child->input_left += length;
	child->input = backlog->data + backlog->length - child->input_left;
	if (waiting == 0)
		write_backlog(child);
	return child->more;
}

void ik_child_end(struct ik_child *child, int64_t wait_ms)
{
	child->more = false;
	child->parts = true;
	if (child->input_left == 0)
		end_stream(&child->in);
	if (child->phase == LIVING && !child->leader_ended && !child->finished && !child->closed)
		ik_timer_start(child->timer, wait_ms);
}

/* The child has room for more input. */
static void input_writable(void *arg, int what)
{
	struct child_stream *stream = arg;

	write_backlog(stream->child);
}

/* Send SIGKILL. */
static void kill_group(struct ik_child *child)
{
	child->phase = KILLED;
	ik_process_signal(child->leader, SIGKILL);
	/* Wait once more after the leader's end: whatever holds the output open now has left the
	 * group. */
	if (child->leader_ended)
		ik_timer_start(child->timer, child->grace);
	else
		ik_timer_stop(child->timer);
}

/* Send SIGTERM now, and SIGKILL later. */
static void begin_ending(struct ik_child *child)
{
	if (child->kill_after <= 0) {
		kill_group(child);
		return;
	}
	child->phase = ENDING;
	ik_process_signal(child->leader, SIGTERM);
	if (!child->leader_ended)
		ik_timer_start(child->timer, child->kill_after);
}

/* The leader has ended; give its streams a little longer. */
static void leader_ended(void *arg)
{
	struct ik_child *child = arg;

	if (child->leader_ended || child->finished)
		return;
	child->leader_ended = true;
	child->result.duration_ms = ik_clock_ms() - child->started;
	end_stream(&child->in);
	ik_timer_start(child->timer, child->grace);
	read_waiting(child);
	finish_if_done(child);
}

/* The time-out has expired: end the child, unless it gets more time. */
static void time_out(struct ik_child *child)
{
	int64_t more = child->overdue ? child->overdue(child->arg) : 0;

	if (more > 0) {
		ik_timer_start(child->timer, more);
		return;
	}
	child->result.timed_out = true;
	begin_ending(child);
}

/* The timer has expired. */
static void timer_fired(void *arg)
{
	struct ik_child *child = arg;
	const bool had_ended = child->leader_ended;
	const enum phase phase = child->phase;

	/* With many children or a busy machine, things may have happened in time without our noticing:
	 * handle those first. */
	read_waiting(child);
	if (!child->closed && !had_ended && ik_process_ended(child->leader))
		leader_ended(child);
	finish_if_done(child);
	if (child->closed || child->finished || had_ended != child->leader_ended ||
		phase != child->phase)
		return; /* it is in another state now, whose timer is running */
	if (child->phase == ENDING) {
		kill_group(child);
	} else if (child->leader_ended) {
		finish(child, true);
	} else {
		time_out(child);
	}
}

/* The two ends of a stream. */
struct ends {
	int ours;
	int theirs; /* above 2: dup2(2) moves it to 0, 1, 2 */
};

/* Close both ends. */
static void close_ends(struct ends *ends)
{
	if (ends->ours >= 0)
		close(ends->ours);
	if (ends->theirs >= 0)
		close(ends->theirs);
	ends->ours = ends->theirs = -1;
}

/* Make a pipe (our end non-blocking) or, unless piped, open /dev/null. Return false with errno. */
static bool open_ends(struct ends *ends, bool piped, bool ours_reads)
{
	int pair[2];

	ends->ours = -1;
	if (!piped) {
		ends->theirs = ik_spawn_above_streams(open("/dev/null", O_RDWR | O_CLOEXEC));
		return ends->theirs >= 0;
	}
	ends->theirs = -1;
	if (pipe2(pair, O_CLOEXEC) != 0)
		return false;
	ends->ours = ours_reads ? pair[0] : pair[1];
	ends->theirs = ik_spawn_above_streams(ours_reads ? pair[1] : pair[0]);
	return ends->theirs >= 0 && fcntl(ends->ours, F_SETFL, O_NONBLOCK) == 0;
}

/* Put into words why nothing was started. */
static enum ik_status explain(const struct ik_child_spec *spec, enum ik_spawn_step step, int number,
	struct ik_error *error)
{
	struct stat info;

	if (step == IK_SPAWN_DIRECTORY)
		return ik_error_set_errno(error, number, _("cannot start %s in the directory %s"),
			spec->path, spec->directory);
	if (step == IK_SPAWN_CONFINE)
		return ik_error_set_errno(error, number, _("cannot start %s: the kernel makes no sandbox"),
			spec->path);
	if (step == IK_SPAWN_IDENTITY)
		return ik_error_set(error, IK_DENIED, _("%s was changed since it was trusted"), spec->path);
	if (step == IK_SPAWN_EXEC && number == ENOEXEC)
		return ik_error_set(error, IK_INVALID,
			_("cannot start %s: not a program for this system "
			  "(a script's first two characters must be #!)"),
			spec->path);
	if (step == IK_SPAWN_EXEC && number == EACCES && stat(spec->path, &info) == 0 &&
		S_ISDIR(info.st_mode))
		return ik_error_set(error, IK_DENIED, _("cannot start %s: it is a directory"), spec->path);
	if (step == IK_SPAWN_EXEC && number == ENOENT && stat(spec->path, &info) == 0)
		return ik_error_set(error, IK_NOT_FOUND,
			_("cannot start %s: the interpreter that it names does not exist"), spec->path);
	return ik_error_set_errno(error, number, _("cannot start %s"), spec->path);
}

/* Spawn with pipes. On IK_OK, ends (ours stay open) and pid are set. */
static enum ik_status spawn_with_pipes(struct ik_loop *loop, const struct ik_child_spec *spec,
	struct ends ends[3], pid_t *ret_pid, struct ik_error *error)
{
	struct ik_spawn spawn = {
		.path = spec->path,
		.identity = spec->identity,
		.argv = spec->argv,
		.environment = spec->environment,
		.directory = spec->directory,
		.confinement = spec->confinement,
		.door = spec->door,
		.memory_limit = spec->memory_limit > 0 ? (rlim_t)spec->memory_limit : RLIM_INFINITY,
		.outlives = spec->outlives,
		.mark = spec->outlives ? NULL : ik_killer_mark(loop),
		.descriptor_limit = ik_children_descriptor_limit(loop),
	};
	enum ik_spawn_step step = IK_SPAWN_FORK;
	int number = 0;

	if (!open_ends(&ends[0], spec->input || spec->input_room > 0, false) ||
		!open_ends(&ends[1], true, true) || !open_ends(&ends[2], !spec->discard_stderr, true))
		number = errno;
	for (int i = 0; i < 3; i++)
		spawn.streams[i] = ends[i].theirs;
	if (number == 0)
		number = ik_spawn(&spawn, ret_pid, &step);
	if (number != 0)
		return explain(spec, step, number, error);
	return IK_OK;
}

/* Set up our end of a pipe. */
static void watch_stream(struct ik_child *child, struct child_stream *stream, int fd, int what,
	void (*fn)(void *arg, int what))
{
	stream->child = child;
	stream->fd = fd;
	if (fd < 0)
		return;
	stream->watch = ik_watch_new(child->loop, fd, fn, stream);
	if (ik_watch_set(stream->watch, what, NULL) != IK_OK)
		end_stream(stream); /* out of kernel memory: treat it as ended */
}

enum ik_status ik_child_start(struct ik_loop *loop, const struct ik_child_spec *spec,
	const struct ik_child_events *events, void *arg, struct ik_child **ret_child,
	struct ik_error *error)
{
	struct ends ends[3] = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
	const int64_t started = ik_clock_ms();
	struct ik_child *child;
	enum ik_status status;
	pid_t pid;

	status = spawn_with_pipes(loop, spec, ends, &pid, error);
	if (status != IK_OK) {
		for (int i = 0; i < 3; i++)
			close_ends(&ends[i]);
		return status;
	}
	for (int i = 0; i < 3; i++)
		close(ends[i].theirs);

	child = ik_alloc(sizeof(*child));
	child->loop = loop;
	child->events = *events;
	child->arg = arg;
	child->started = started;
	child->overdue = spec->overdue;
	child->kill_after = spec->kill_after_ms;
	child->outlives = spec->outlives;
	child->grace = spec->grace_ms;
	child->input = spec->input;
	child->input_left = spec->input ? spec->input_length : 0;
	child->leader = ik_process_new(loop, pid, leader_ended, child);
	child->timer = ik_timer_new(loop, timer_fired, child);
	if (spec->timeout_ms > 0)
		ik_timer_start(child->timer, started + spec->timeout_ms - ik_clock_ms());
	child->out[IK_STDERR].which = IK_STDERR;
	watch_stream(child, &child->out[IK_STDOUT], ends[1].ours, IK_READABLE, output_readable);
	watch_stream(child, &child->out[IK_STDERR], ends[2].ours, IK_READABLE, output_readable);
	child->in.child = child;
	child->in.fd = ends[0].ours;
	child->more = spec->input_room > 0;
	ik_buf_init(&child->backlog, 2 * spec->input_room);
	if (child->in.fd >= 0)
		write_input(child); /* most input fits into the pipe immediately */
	if (child->in.fd >= 0)
		watch_stream(child, &child->in, child->in.fd, child->more ? 0 : IK_WRITABLE,
			input_writable);
	*ret_child = child;
	return IK_OK;
}

void ik_child_cancel(struct ik_child *child)
{
	if (child->finished || child->closed || child->phase != LIVING)
		return;
	child->result.cancelled = true;
	begin_ending(child);
}

int ik_child_pid(const struct ik_child *child)
{
	return (int)ik_process_pid(child->leader);
}

bool ik_child_wait(struct ik_child *child, int64_t until_ms)
{
	int64_t left = until_ms - ik_clock_ms();
	struct pollfd ready[] = {
		{ .fd = child->out[IK_STDOUT].fd, .events = POLLIN },
		{ .fd = child->out[IK_STDERR].fd, .events = POLLIN },
		{ .fd = child->input_left > 0 ? child->in.fd : -1, .events = POLLOUT },
	};
	int count;

	if (left <= 0 || (ready[IK_STDOUT].fd < 0 && ready[IK_STDERR].fd < 0))
		return false;
	count = poll(ready, 3, (int)left);
	if (count < 0 && errno == EINTR) /* such as by a second SIGHUP */
		return true;
	if (count <= 0)
		return false;
	if (ready[2].revents)
		write_backlog(child);
	for (int i = 0; i < 2; i++)
		if (ready[i].revents && child->out[i].fd >= 0)
			(void)read_piece(&child->out[i]);
	return true;
}

/* Leave the leader alone, or end it. */
static void part_with_leader(struct ik_child *child)
{
	if (child->phase == LIVING && child->outlives)
		child->leader = ik_process_let_go(child->leader);
	else if (child->phase == LIVING && child->parts)
		child->leader = ik_process_part(child->leader);
	else
		child->leader = ik_process_close(child->leader);
}

struct ik_child *ik_child_close(struct ik_child *child)
{
	if (!child || child->closed)
		return NULL;
	child->closed = true;
	ik_loop_cancel_deferred(child->loop, report, child);
	child->timer = ik_timer_close(child->timer);
	end_streams(child);
	ik_buf_done(&child->backlog);
	part_with_leader(child);
	ik_loop_defer(child->loop, free, child);
	return NULL;
}
