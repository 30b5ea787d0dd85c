/*
 * loopback_server: an HTTP server that answers what a file tells it to.
 *
 *   loopback_server [-c] [-d] [-p PORT] [-r RECORD] SCENARIO
 *
 * Listens on 127.0.0.1, on PORT or one of the system's choice, and prints the
 * port as one line on stdout.  scenario.h describes the language of SCENARIO.
 *
 *   -c  read orders from stdin: "go NAME" releases all answers that wait for NAME, now or
 *       later; "quit" or the end of stdin ends the server
 *   -d  end with the parent process
 *   -r  append to RECORD (-: stdout, after the port), one JSON object a line, for each request:
 *         {"request":1,"connection":1,"method","path","headers":{name in lower
 *          case: value},"body":text,"answer":index in the scenario from 1 or 0,
 *          "refused":what was said to a request that broke a rule}
 *       and at the end of its answer:
 *         {"request":1,"end":"sent" | "closed" | "reset" | "client","bytes":N}
 *       ("client": the client closed first; bytes of the answer that the
 *       system accepted)
 *
 * A request that breaks a rule of the service whose path it names gets status 400 with
 * the rule, whatever SCENARIO says (tests/support/request_rules.h), as does one with thinking of
 * another account or conversation (tests/support/request_seal.h).
 *
 * Requests for /_go/NAME and /_quit are orders too, and are not recorded.
 * A signal ends it.  Records are not buffered, so none is lost.
 */
#include "record.h"
#include "scenario.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/request_rules.h"
#include "tests/support/request_seal.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"

/* Limit on output that waits for the client. */
#define OUTPUT_BYTES IK_KIB(64)
#define CONNECTIONS_MAX 64

struct connection {
	int fd; /* below 0: free */
	int number;
	struct ik_buf input;
	struct ik_buf output;
	size_t written;              /* of output */
	size_t total;                /* bytes of this answer that were written */
	int request;                 /* number of the one being answered */
	const struct answer *answer; /* NULL: reading a request */
	size_t step;
	size_t piece; /* of a STEP_STREAM */
	bool head_sent;
	bool is_over; /* all steps are done: write out, then the next request */
	bool must_close;
	size_t split;
	int64_t pace;
	int64_t due;    /* microseconds; 0: now */
	bool continued; /* "100 Continue" was sent */
	char seal[SEAL_SIZE]; /* of this answer's thinking */
};

struct server {
	struct scenario scenario;
	struct connection connections[CONNECTIONS_MAX];
	int listener;
	int record; /* below 0: none */
	bool takes_orders;
	struct ik_buf orders;
	struct ik_buf released; /* names, each followed by a NUL */
	int requests;
	int connection_count;
	bool quits;
	bool changed; /* a name was released: check all connections again */
};

static void connection_close(struct connection *connection)
{
	close(connection->fd);
	connection->fd = -1;
	ik_buf_done(&connection->input);
	ik_buf_done(&connection->output);
}

/* Record how an answer ended. */
static void note_end(struct server *server, const struct connection *connection, const char *how)
{
	if (connection->request)
		record_end(server->record, connection->request, how, connection->total);
}

static bool is_released(const struct server *server, const char *name)
{
	size_t length = strlen(name) + 1;

	for (size_t at = 0; at < server->released.length;
		 at += strlen(server->released.data + at) + 1) {
		if (strcmp(server->released.data + at, name) == 0)
			return length > 1;
	}
	return false;
}

static void release(struct server *server, const char *name)
{
	if (!is_released(server, name))
		ik_buf_append(&server->released, name, strlen(name) + 1);
	server->changed = true;
}

/* Put body bytes into the output, framed, and sealed. */
static void put_body(struct connection *connection, const char *bytes, size_t length)
{
	bool chunked = connection->answer->framing == FRAMING_CHUNKED;
	size_t begin;
	char *unsealed;

	if (!length)
		return;
	if (chunked)
		ik_buf_printf(&connection->output, "%zx\r\n", length);
	begin = connection->output.length;
	ik_buf_append(&connection->output, bytes, length);
	while ((unsealed = memmem(connection->output.data + begin, length, UNSEALED, SEAL_SIZE - 1)) &&
		strcmp(connection->seal, UNSEALED) != 0)
		memcpy(unsealed, connection->seal, SEAL_SIZE - 1);
	if (chunked)
		ik_buf_puts(&connection->output, "\r\n");
}

static void put_head(struct connection *connection)
{
	const struct answer *answer = connection->answer;
	struct ik_buf *out = &connection->output;

	if (connection->head_sent)
		return;
	connection->head_sent = true;
	if (answer->framing == FRAMING_RAW)
		return;
	ik_buf_printf(out, "HTTP/1.1 %d Status %d\r\n", answer->status, answer->status);
	ik_buf_append(out, answer->headers.data, answer->headers.length);
	if (!answer->has_type)
		ik_buf_printf(out, "Content-Type: %s\r\n",
			answer->status == 200 ? "text/event-stream" : "application/json");
	if (answer->framing == FRAMING_CHUNKED)
		ik_buf_puts(out, "Transfer-Encoding: chunked\r\n");
	else if (answer->framing == FRAMING_LENGTH)
		ik_buf_printf(out, "Content-Length: %zu\r\n", answer_length(answer));
	else
		ik_buf_puts(out, "Connection: close\r\n");
	ik_buf_puts(out, "\r\n");
}

/* Do one step; false: it has to wait. */
static bool take_step(struct server *server, struct connection *connection, int64_t now)
{
	const struct answer *answer = connection->answer;
	const struct step *step = &answer->steps[connection->step];
	struct ik_buf piece;

	switch (step->kind) {
	case STEP_HEAD:
		put_head(connection);
		break;
	case STEP_SEND:
		put_head(connection);
		put_body(connection, step->text.data, step->text.length);
		break;
	case STEP_STREAM:
		put_head(connection);
		ik_buf_init(&piece, IK_LIMIT_REPLY);
		if (step_piece(step, connection->piece, &piece)) {
			put_body(connection, piece.data, piece.length);
			connection->piece++;
			if (step->number)
				connection->due = (connection->piece > 1 ? connection->due : now) + step->number;
			ik_buf_done(&piece);
			return true;
		}
		ik_buf_done(&piece);
		connection->piece = 0;
		break;
	case STEP_SLEEP:
		connection->due = now + step->number;
		break;
	case STEP_WAIT:
		if (!is_released(server, step->text.data))
			return false;
		break;
	case STEP_HANG:
		return false;
	case STEP_CLOSE:
	case STEP_RESET:
		connection->is_over = true;
		connection->must_close = true;
		return true;
	case STEP_SPLIT:
		connection->split = step->size;
		break;
	case STEP_PACE:
		connection->pace = step->number;
		break;
	}
	connection->step++;
	return true;
}

/* All steps are done. */
static void end_answer(struct connection *connection)
{
	put_head(connection);
	if (connection->answer->framing == FRAMING_CHUNKED)
		ik_buf_puts(&connection->output, "0\r\n\r\n");
	connection->must_close = connection->answer->framing >= FRAMING_CLOSE;
	connection->is_over = true;
}

/* Write some of the output; false: the connection is closed. */
static bool write_some(struct server *server, struct connection *connection, int64_t now)
{
	size_t length = connection->output.length - connection->written;

	if (connection->split && length > connection->split)
		length = connection->split;
	ssize_t count = send(connection->fd, connection->output.data + connection->written, length,
		MSG_NOSIGNAL | MSG_DONTWAIT);
	if (count < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return true;
		note_end(server, connection, "client");
		connection_close(connection);
		return false;
	}
	connection->written += (size_t)count;
	connection->total += (size_t)count;
	if (connection->written == connection->output.length) {
		ik_buf_clear(&connection->output);
		connection->written = 0;
	}
	if (connection->pace)
		connection->due = now + connection->pace;
	return true;
}

/* Everything is written: close, or prepare for the next request. */
static void finish_answer(struct server *server, struct connection *connection)
{
	const struct answer *answer = connection->answer;
	bool cut = connection->step < answer->step_count;
	bool reset = cut && answer->steps[connection->step].kind == STEP_RESET;

	note_end(server, connection, reset ? "reset" : cut ? "closed" : "sent");
	if (connection->must_close) {
		struct linger hard = { .l_onoff = 1, .l_linger = 0 };
		if (reset)
			setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
		else
			shutdown(connection->fd, SHUT_WR);
		connection_close(connection);
		return;
	}
	connection->answer = NULL;
	connection->request = 0;
}

/* Continue an answer as far as possible. Return whether output waits. */
static bool advance(struct server *server, struct connection *connection)
{
	int64_t now = ik_clock_us();

	if (connection->due > now)
		return false;
	while (!connection->is_over && connection->due <= now &&
		connection->output.length < OUTPUT_BYTES) {
		if (connection->step == connection->answer->step_count)
			end_answer(connection);
		else if (!take_step(server, connection, now))
			break;
		/* Paced output is sent piece by piece. */
		if (connection->due > now || (connection->pace && connection->output.length > 0))
			break;
	}
	if (connection->output.length)
		return write_some(server, connection, now);
	if (connection->is_over)
		finish_answer(server, connection);
	return false;
}

/* Send a complete answer from outside the scenario. */
static void answer_plainly(struct connection *connection, int status, const char *text)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	ik_buf_printf(&out,
		"HTTP/1.1 %d Status %d\r\nContent-Type: text/plain\r\n"
		"Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
		status, status, strlen(text), text);
	if (ik_write_all(connection->fd, out.data, out.length) == 0)
		shutdown(connection->fd, SHUT_WR);
	ik_buf_done(&out);
	connection_close(connection);
}

/* Obey an order in the path. False: there is none. */
static bool obey(struct server *server, struct connection *connection, const char *head)
{
	const char *path = strchr(head, ' ');
	size_t length = path ? strcspn(path + 1, " \r") : 0;

	if (path && length > 5 && strncmp(path + 1, "/_go/", 5) == 0) {
		char *name = ik_strndup(path + 6, length - 5);
		release(server, name);
		free(name);
	} else if (path && length == 6 && strncmp(path + 1, "/_quit", 6) == 0) {
		server->quits = true;
	} else {
		return false;
	}
	answer_plainly(connection, 200, "done\n");
	return true;
}

/* Return what a service says to a request that it does not accept, whatever the scenario says, in
 * new memory; NULL: it is valid. */
static char *refusal_of(const char *path, const char *body, size_t body_length)
{
	char *refusal = request_refusal_at(path, body, body_length);
	const char *broken = refusal ? NULL : request_broken_seal(path, body, body_length);

	return broken ? ik_format("{\"error\":{\"message\":\"%s\"}}", broken) : refusal;
}

/* Handle a complete request: head without its empty line, and body. */
static void begin_answer(struct server *server, struct connection *connection, const char *head,
	size_t head_length, const char *body, size_t body_length)
{
	const char *path = strchr(head, ' ') ? strchr(head, ' ') + 1 : "";
	struct answer *answer;
	char *refusal;

	if (obey(server, connection, head))
		return;
	refusal = refusal_of(path, body, body_length);
	answer = refusal ? NULL : scenario_take(&server->scenario, connection->input.data,
		head_length + 4 + body_length);
	connection->request = ++server->requests;
	record_request(server->record, connection->request, connection->number, head, body, body_length,
		answer ? (int)(answer - server->scenario.answers) + 1 : 0, refusal);
	if (!answer) {
		answer_plainly(connection, refusal ? 400 : 500,
			refusal ? refusal : "the scenario has no answer for this request\n");
		free(refusal);
		return;
	}
	request_seal(path, body, body_length, connection->seal);
	connection->answer = answer;
	connection->step = connection->piece = connection->split = connection->total = 0;
	connection->pace = connection->due = 0;
	connection->head_sent = connection->is_over = connection->must_close = false;
	connection->continued = false;
}

/* Check whether the input has a complete request. */
static void try_request(struct server *server, struct connection *connection)
{
	char *end = memmem(connection->input.data, connection->input.length, "\r\n\r\n", 4);
	if (!end)
		return;
	size_t head_length = (size_t)(end - connection->input.data);
	char *head = ik_strndup(connection->input.data, head_length);
	char *length_text = request_header(head, "Content-Length");
	char *expect = request_header(head, "Expect");
	size_t body_length = length_text ? (size_t)strtoull(length_text, NULL, 10) : 0;
	bool wants_more = connection->input.length < head_length + 4 + body_length;

	if (wants_more && expect && !connection->continued) {
		static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
		connection->continued = true;
		if (ik_write_all(connection->fd, go_on, sizeof go_on - 1) != 0)
			connection_close(connection);
	} else if (!wants_more) {
		begin_answer(server, connection, head, head_length, end + 4, body_length);
		if (connection->fd >= 0)
			ik_buf_consume(&connection->input, head_length + 4 + body_length);
	}
	free(head);
	free(length_text);
	free(expect);
}

static void read_some(struct server *server, struct connection *connection)
{
	char bytes[65536];
	ssize_t count = recv(connection->fd, bytes, sizeof bytes, MSG_DONTWAIT);

	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (count <= 0) {
		note_end(server, connection, "client");
		connection_close(connection);
		return;
	}
	ik_buf_append(&connection->input, bytes, (size_t)count);
	if (!connection->answer)
		try_request(server, connection);
}

static void accept_one(struct server *server)
{
	int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
	int one = 1;

	if (fd < 0)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	for (int at = 0; at < CONNECTIONS_MAX; at++) {
		struct connection *connection = &server->connections[at];
		if (connection->fd >= 0)
			continue;
		memset(connection, 0, sizeof *connection);
		connection->fd = fd;
		connection->number = ++server->connection_count;
		ik_buf_init(&connection->input, IK_LIMIT_REQUEST);
		ik_buf_init(&connection->output, IK_LIMIT_REPLY * 2);
		return;
	}
	close(fd);
}

/* Lines on stdin. */
static void read_orders(struct server *server)
{
	char bytes[4096], *end;
	ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);

	if (count <= 0) {
		server->quits = true;
		return;
	}
	ik_buf_append(&server->orders, bytes, (size_t)count);
	while ((end = memchr(server->orders.data, '\n', server->orders.length))) {
		*end = '\0';
		if (strncmp(server->orders.data, "go ", 3) == 0)
			release(server, server->orders.data + 3);
		else if (strcmp(server->orders.data, "quit") == 0)
			server->quits = true;
		ik_buf_consume(&server->orders, (size_t)(end - server->orders.data) + 1);
	}
}

/* Fill the set of descriptors. Return how long to wait, in microseconds, or -1. */
static int64_t prepare(struct server *server, struct pollfd *set)
{
	int64_t now, wait = -1;

	server->changed = false;
	set[0] = (struct pollfd){ .fd = server->listener, .events = POLLIN };
	set[1] = (struct pollfd){ .fd = server->takes_orders ? STDIN_FILENO : -1, .events = POLLIN };
	for (int at = 0; at < CONNECTIONS_MAX; at++) {
		struct connection *connection = &server->connections[at];
		bool output = false;
		/* An answer may end at once, and the next request may be here already. */
		while (connection->fd >= 0) {
			if (!connection->answer)
				try_request(server, connection);
			if (connection->fd < 0 || !connection->answer)
				break;
			output = advance(server, connection);
			if (connection->fd < 0 || connection->answer)
				break;
		}
		set[at + 2] = (struct pollfd){ .fd = connection->fd, .events = POLLIN };
		if (connection->fd < 0 || !connection->answer)
			continue;
		now = ik_clock_us();
		if (connection->due > now) {
			if (wait < 0 || connection->due - now < wait)
				wait = connection->due - now;
		} else if (output || connection->output.length || connection->is_over) {
			set[at + 2].events |= POLLOUT;
		}
	}
	return server->changed ? 0 : wait;
}

static void run(struct server *server)
{
	struct pollfd set[CONNECTIONS_MAX + 2];

	while (!server->quits) {
		int64_t wait = prepare(server, set);
		struct timespec time = { .tv_sec = wait / 1000000, .tv_nsec = wait % 1000000 * 1000 };
		if (server->quits)
			break;
		if (ppoll(set, CONNECTIONS_MAX + 2, wait < 0 ? NULL : &time, NULL) < 0)
			continue;
		if (set[0].revents)
			accept_one(server);
		if (set[1].revents)
			read_orders(server);
		for (int at = 0; at < CONNECTIONS_MAX; at++) {
			struct connection *connection = &server->connections[at];
			if (connection->fd >= 0 && connection->fd == set[at + 2].fd &&
				set[at + 2].revents & (POLLIN | POLLHUP | POLLERR))
				read_some(server, connection);
		}
	}
}

/* Return a listening socket on the loopback, or exit with a message. */
static int start_listening(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr = { .s_addr = htonl(INADDR_LOOPBACK) } };
	socklen_t length = sizeof address;
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
		bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 64) != 0 ||
		getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
		perror("loopback_server: listen");
		exit(1);
	}
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

int main(int argc, char **argv)
{
	struct server server = { .record = -1 };
	struct ik_error error;
	int port = 0, option;

	for (int at = 0; at < CONNECTIONS_MAX; at++)
		server.connections[at].fd = -1;
	while ((option = getopt(argc, argv, "cdp:r:")) != -1) {
		switch (option) {
		case 'c':
			server.takes_orders = true;
			break;
		case 'd':
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			break;
		case 'p':
			port = (int)strtol(optarg, NULL, 10);
			break;
		case 'r':
			server.record = strcmp(optarg, "-") == 0
				? dup(STDOUT_FILENO)
				: open(optarg, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
			if (server.record < 0) {
				perror(optarg);
				return 1;
			}
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: loopback_server [-c] [-d] [-p PORT] [-r RECORD] SCENARIO\n");
		return 2;
	}
	if (scenario_read(argv[optind], &server.scenario, &error) != IK_OK) {
		fprintf(stderr, "loopback_server: %s\n", error.text);
		return 2;
	}
	ik_buf_init(&server.orders, IK_KIB(64));
	ik_buf_init(&server.released, IK_KIB(64));
	server.listener = start_listening(port);
	run(&server);
	for (int at = 0; at < CONNECTIONS_MAX; at++) {
		if (server.connections[at].fd >= 0)
			connection_close(&server.connections[at]);
	}
	ik_buf_done(&server.orders);
	ik_buf_done(&server.released);
	scenario_done(&server.scenario);
	close(server.listener);
	if (server.record >= 0)
		close(server.record);
	return 0;
}
