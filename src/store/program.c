#include "store/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "journal/event_line.h"
#include "json/write.h"
#include "loop/children.h"
#include "loop/spawn.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/text.h"

/* Input of one turn of the loop: to be parsed in about a millisecond. */
#define READ_SIZE 65536

struct ik_store_program {
	struct ik_loop *loop;
	char *path, *database, *journals, *spare;
	const struct ik_store_program_events *events;
	void *arg;
	int fd; /* -1: there is none */
	struct ik_watch *watch;
	struct ik_process *process; /* of fd */
	struct ik_buf in, out;
	size_t looked; /* bytes of in without a line feed */
	bool writing;  /* what is in out waits for the socket */
};

struct ik_store_program *ik_store_program_new(struct ik_loop *loop,
	const struct ik_store_program_options *options, const struct ik_store_program_events *events,
	void *arg)
{
	struct ik_store_program *program = ik_alloc(sizeof(*program));

	program->loop = loop;
	program->path = ik_strdup(options->path);
	program->database = ik_strdup(options->database);
	program->journals = ik_strdup(options->journals);
	program->spare = options->spare ? ik_strdup(options->spare) : NULL;
	program->events = events;
	program->arg = arg;
	program->fd = -1;
	ik_buf_init(&program->in, IK_LIMIT_ENVELOPE);
	ik_buf_init(&program->out, IK_LIMIT_ENVELOPE);
	return program;
}

bool ik_store_program_is_running(const struct ik_store_program *program)
{
	return program->fd >= 0;
}

/* ---- its end ---- */

/* The process has ended; what it wrote before is still to be read. */
static void on_process_ended(void *arg)
{
	struct ik_store_program *program = arg;
	int status;

	(void)ik_process_reap(program->process, &status);
	program->process = ik_process_close(program->process);
}

/* Let go of the socket: the program ends when it sees that. */
static void let_go(struct ik_store_program *program)
{
	if (program->fd < 0)
		return;
	program->watch = ik_watch_close(program->watch);
	(void)close(program->fd);
	program->fd = -1;
	program->process = ik_process_let_go(program->process);
	program->writing = false;
	program->looked = 0;
	ik_buf_clear(&program->in);
	ik_buf_clear(&program->out);
}

static void end(struct ik_store_program *program)
{
	let_go(program);
	program->events->ended(program->arg);
}

/* ---- to it ---- */

/* Write what the socket takes now. */
static void write_some(struct ik_store_program *program)
{
	struct ik_error error;

	while (program->out.length > 0) {
		ssize_t length = send(program->fd, program->out.data, program->out.length, MSG_NOSIGNAL);

		if (length > 0)
			ik_buf_consume(&program->out, (size_t)length);
		else if (errno != EINTR)
			break; /* one that has ended is seen by its end of file */
	}
	if (program->writing != (program->out.length > 0)) {
		program->writing = !program->writing;
		(void)!ik_watch_set(program->watch, IK_READABLE | (program->writing ? IK_WRITABLE : 0),
			&error);
	}
}

/* ---- from it ---- */

/* Hand over the lines that are whole. */
static void take_lines(struct ik_store_program *program)
{
	char *end;

	while (program->fd >= 0 &&
		(end = memchr(program->in.data + program->looked, '\n',
			 program->in.length - program->looked))) {
		size_t length = (size_t)(end - program->in.data);
		struct ik_json_span object;

		if (ik_json_check_around(program->in.data, length, IK_EVENT_LINE_LEVELS, &object, NULL) ==
				IK_OK &&
			ik_json_span_type(object) == IK_JSON_OBJECT)
			program->events->line(program->arg, object);
		else
			ik_log(IK_LOG_ERROR, "store: %s wrote what is not JSON", program->path);
		if (program->fd >= 0)
			ik_buf_consume(&program->in, length + 1);
		program->looked = 0;
	}
	program->looked = program->in.length;
	if (program->in.length == 0 && program->in.capacity > IK_MIB(1))
		ik_buf_done(&program->in);
}

static void read_some(struct ik_store_program *program)
{
	char *room = ik_buf_reserve(&program->in, READ_SIZE);
	ssize_t length = room ? recv(program->fd, room, READ_SIZE, 0) : 0;

	if (length > 0) {
		ik_buf_commit(&program->in, (size_t)length);
		take_lines(program);
	} else if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
		end(program);
	}
}

static void on_socket(void *arg, int what)
{
	struct ik_store_program *program = arg;

	if (what & IK_WRITABLE)
		write_some(program);
	if (what & IK_READABLE)
		read_some(program);
}

/* ---- its start ---- */

static int spawn(const struct ik_store_program *program, int theirs, pid_t *ret_pid)
{
	/* For its language, its libraries and how it reaches a server. */
	static const char *const wanted[] = { "HOME=", "USER=", "LOGNAME=", "PATH=", "LANG=",
		"LANGUAGE=", "LC_", "TZ=", "TMPDIR=", "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "LSAN_OPTIONS=",
		"UBSAN_OPTIONS=", "PG", "KRB5", "SSL_CERT_", "XDG_RUNTIME_DIR=", "OPENSSL_CONF=" };
	const char *const argv[] = { program->path, "-", program->journals, program->spare, NULL };
	const char **environment = ik_spawn_environment(wanted, sizeof(wanted) / sizeof(wanted[0]));
	int nothing = ik_spawn_above_streams(open("/dev/null", O_WRONLY | O_CLOEXEC)), number;
	struct ik_spawn spawn = {
		.path = program->path,
		.argv = argv,
		.environment = environment,
		.streams = { theirs, theirs, nothing },
		.memory_limit = RLIM_INFINITY,
		.descriptor_limit = RLIM_INFINITY,
		.outlives = true,
	};
	enum ik_spawn_step step;

	number = nothing < 0 ? errno : ik_spawn(&spawn, ret_pid, &step);
	if (nothing >= 0)
		(void)close(nothing);
	free(environment);
	return number;
}

/* Where its database is: the first line. */
static void put_database(struct ik_store_program *program)
{
	ik_json_printf(&program->out, "{'database':'%s'}", program->database);
	ik_buf_putc(&program->out, '\n');
}

static enum ik_status start(struct ik_store_program *program, struct ik_error *error)
{
	int ends[2], number;
	pid_t pid = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return ik_error_set_errno(error, errno, _("%s cannot be started"), program->path);
	ends[1] = ik_spawn_above_streams(ends[1]);
	number = ends[1] < 0 ? errno : spawn(program, ends[1], &pid);
	if (ends[1] >= 0)
		(void)close(ends[1]);
	if (number != 0) {
		(void)close(ends[0]);
		return ik_error_set_errno(error, number, _("%s cannot be started"), program->path);
	}
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	program->fd = ends[0];
	program->process = ik_process_new(program->loop, pid, on_process_ended, program);
	program->watch = ik_watch_new(program->loop, program->fd, on_socket, program);
	(void)!ik_watch_set(program->watch, IK_READABLE, error);
	put_database(program);
	return IK_OK;
}

enum ik_status ik_store_program_send(struct ik_store_program *program, const char *line,
	size_t length, struct ik_error *error)
{
	if (program->fd < 0 && start(program, error) != IK_OK)
		return error->status;
	ik_buf_append(&program->out, line, length);
	write_some(program);
	return IK_OK;
}

void ik_store_program_kill(struct ik_store_program *program)
{
	if (program->fd < 0)
		return;
	if (program->process)
		ik_process_signal(program->process, SIGKILL);
	end(program);
}

bool ik_store_program_wait(struct ik_store_program *program, int milliseconds)
{
	struct pollfd ready = { .fd = program->fd, .events = POLLIN };

	if (program->fd < 0)
		return false;
	if (program->writing)
		ready.events |= POLLOUT;
	if (poll(&ready, 1, milliseconds) <= 0)
		return false;
	on_socket(program,
		(ready.revents & POLLOUT ? IK_WRITABLE : 0) | (ready.revents & ~POLLOUT ? IK_READABLE : 0));
	return true;
}

void ik_store_program_finish(struct ik_store_program *program)
{
	if (program->fd >= 0)
		(void)shutdown(program->fd, SHUT_WR);
}

/* Deferred: one of its own functions may be running. */
static void program_free(void *arg)
{
	struct ik_store_program *program = arg;

	ik_buf_done(&program->in);
	ik_buf_done(&program->out);
	free(program->path);
	free(program->database);
	free(program->journals);
	free(program->spare);
	free(program);
}

struct ik_store_program *ik_store_program_close(struct ik_store_program *program)
{
	if (!program)
		return NULL;
	let_go(program);
	ik_loop_defer(program->loop, program_free, program);
	return NULL;
}
