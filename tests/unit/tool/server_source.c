#include "server_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "server_process.h"
#include "tool/protocol.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"

struct server;

struct server_call {
	struct server *server; /* NULL: it is over */
	struct server_call *next;
	int id;
	struct ik_child_events events;
	void *arg;
	struct ik_timer *timer;
	int64_t begun_ms;
	bool cancelled;
};

struct server {
	struct ik_source source;
	struct ik_loop *loop;
	int fd; /* -1: closed */
	pid_t pid;
	struct ik_watch *watch;
	struct ik_buf input;
	const struct ik_source_events *events; /* NULL: closed, or not scanned yet */
	void *arg;
	bool scanning;
	int next_id;
	struct server_call *calls;
};

static void send_line(struct server *server, char *line)
{
	if (server->fd >= 0)
		(void)!ik_write_all(server->fd, line, strlen(line));
	free(line);
}

/* Remove a call from the list of running ones. */
static void forget(struct server_call *call)
{
	struct server_call **at = &call->server->calls;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	call->server = NULL;
	call->timer = ik_timer_close(call->timer);
}

static void end_call(struct server_call *call, struct ik_child_result result)
{
	result.duration_ms = ik_clock_ms() - call->begun_ms;
	forget(call);
	call->events.done(call->arg, &result);
}

static void call_cancelled(void *arg)
{
	end_call(arg, (struct ik_child_result){ .exited = true, .cancelled = true });
}

static void call_late(void *arg)
{
	struct server_call *call = arg;

	send_line(call->server, ik_format("CANCEL %d\n", call->id));
	end_call(call, (struct ik_child_result){ .exited = true, .timed_out = true });
}

static void server_call_cancel(struct ik_call *base)
{
	struct server_call *call = (struct server_call *)base;

	if (call->server == NULL || call->cancelled)
		return;
	call->cancelled = true;
	send_line(call->server, ik_format("CANCEL %d\n", call->id));
	ik_loop_defer(call->server->loop, call_cancelled, call);
}

static void server_call_close(struct ik_call *base)
{
	struct server_call *call = (struct server_call *)base;

	if (call->server != NULL) {
		ik_loop_cancel_deferred(call->server->loop, call_cancelled, call);
		forget(call);
	}
	free(call);
}

static struct ik_call *server_call(struct ik_source *source, const struct ik_call_spec *spec,
	const struct ik_child_events *events, void *arg, struct ik_error *error)
{
	struct server *server = (struct server *)source;
	struct server_call *call;

	if (server->fd < 0) {
		(void)ik_error_set(error, IK_UNAVAILABLE, "the server has ended");
		return NULL;
	}
	call = ik_alloc(sizeof *call);
	call->server = server;
	call->id = server->next_id++;
	call->events = *events;
	call->arg = arg;
	call->begun_ms = ik_clock_ms();
	call->timer = ik_timer_new(server->loop, call_late, call);
	ik_timer_start(call->timer, spec->timeout_ms);
	call->next = server->calls;
	server->calls = call;
	send_line(server, ik_format("CALL %d %s %.*s\n", call->id, spec->tool->name,
		(int)spec->length, spec->arguments));
	return (struct ik_call *)call;
}

/* Announce all tools of one message. */
static void take_tools(struct server *server, const char *text)
{
	struct ik_json_span all;

	cr_assert_eq(ik_json_check(text, strlen(text), &all, NULL), IK_OK);
	server->events->found(server->arg, ik_json_count(all));
	for (struct ik_json_walk walk = ik_json_walk(all); server->events != NULL && ik_json_next(&walk);) {
		struct ik_tool tool;

		cr_assert_eq(ik_protocol_read(IK_PROTOCOL_NATIVE, walk.value.text, walk.value.length, &tool), IK_OK);
		tool.path = ik_format("server/%s", tool.name);
		tool.source = server->source.origin;
		server->events->tool(server->arg, &tool);
	}
	server->scanning = false;
	if (server->events != NULL)
		server->events->done(server->arg, true, NULL);
}

static struct server_call *find_call(struct server *server, int id)
{
	struct server_call *call = server->calls;

	while (call != NULL && call->id != id)
		call = call->next;
	return call;
}

static void take_line(struct server *server, const char *line)
{
	struct server_call *call;
	int id, at = 0;

	if (strncmp(line, "TOOLS ", 6) == 0) {
		take_tools(server, line + 6);
	} else if (strcmp(line, "CHANGED") == 0) {
		server->events->changed(server->arg);
	} else if (sscanf(line, "OUTPUT %d %n", &id, &at) == 1) {
		call = find_call(server, id);
		if (call != NULL)
			call->events.output(call->arg, IK_STDERR, line + at, strlen(line + at));
	} else if (sscanf(line, "ANSWER %d %n", &id, &at) == 1) {
		call = find_call(server, id);
		if (call == NULL)
			return;
		call->events.output(call->arg, IK_STDOUT, line + at, strlen(line + at));
		call = find_call(server, id);
		if (call != NULL)
			end_call(call, (struct ik_child_result){ .exited = true });
	}
}

/* The process has ended, or must end; running calls fail. */
static void end_server(struct server *server)
{
	server->watch = ik_watch_close(server->watch);
	if (server->fd >= 0)
		close(server->fd);
	server->fd = -1;
	while (server->calls != NULL)
		end_call(server->calls, (struct ik_child_result){ .exited = true, .exit_code = 1 });
}

static void readable(void *arg, int what)
{
	struct server *server = arg;
	char piece[4096];
	ssize_t length = read(server->fd, piece, sizeof piece);
	size_t begin = 0;
	char *end;

	if (length <= 0) {
		end_server(server);
		if (server->scanning && server->events != NULL) {
			server->scanning = false;
			server->events->done(server->arg, false, "the server has ended");
		}
		return;
	}
	ik_buf_append(&server->input, piece, (size_t)length);
	/* The source may be closed from within a line. */
	while (server->fd >= 0
		&& (end = memchr(server->input.data + begin, '\n', server->input.length - begin)) != NULL) {
		*end = '\0';
		take_line(server, server->input.data + begin);
		begin = (size_t)(end - server->input.data) + 1;
	}
	ik_buf_consume(&server->input, begin);
}

static void server_done_without_process(void *arg)
{
	struct server *server = arg;

	server->scanning = false;
	server->events->done(server->arg, false, "the server has ended");
}

static void server_scan(struct ik_source *source, const struct ik_source_events *events, void *arg)
{
	struct server *server = (struct server *)source;

	server->events = events;
	server->arg = arg;
	server->scanning = true;
	if (server->fd < 0)
		ik_loop_defer(server->loop, server_done_without_process, server);
	else
		send_line(server, ik_strdup("LIST\n"));
}

static void server_close(struct ik_source *source)
{
	struct server *server = (struct server *)source;

	ik_loop_cancel_deferred(server->loop, server_done_without_process, server);
	server->events = NULL;
	end_server(server);
}

static void server_free(struct ik_source *source)
{
	struct server *server = (struct server *)source;

	ik_buf_done(&server->input);
	free(server);
}

struct ik_source *server_source_new(struct ik_loop *loop)
{
	static const struct ik_source_ops ops = {
		.scan = server_scan, .call = server_call, .cancel_call = server_call_cancel,
		.close_call = server_call_close, .close = server_close, .free = server_free,
	};
	struct server *server = ik_alloc(sizeof *server);
	struct ik_error error;
	int ends[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	server->pid = fork();
	cr_assert_geq(server->pid, 0);
	if (server->pid == 0) {
		close(ends[0]);
		server_process(ends[1]);
	}
	close(ends[1]);
	ik_source_init(&server->source, &ops, IK_SOURCE_USER);
	server->loop = loop;
	server->fd = ends[0];
	ik_buf_init(&server->input, IK_MIB(1));
	server->watch = ik_watch_new(loop, server->fd, readable, server);
	cr_assert_eq(ik_watch_set(server->watch, IK_READABLE, &error), IK_OK);
	return &server->source;
}

int server_source_pid(const struct ik_source *source)
{
	return (int)((const struct server *)source)->pid;
}
