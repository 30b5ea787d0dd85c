#include "server_fixture.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "store_fixture.h"
#include "util/alloc.h"

bool server_is_there(void)
{
	if (!fixture.server)
		cr_log_info("no server");
	return fixture.server;
}

void server_control(const char *word)
{
	char *command = ik_format("%s %s", getenv("IK_TEST_POSTGRES_CONTROL"), word);

	cr_assert_eq(system(command), 0, "%s", command);
	free(command);
}

void server_set_up(void)
{
	if (getenv("IK_TEST_POSTGRES_CONTROL"))
		server_control("start");
	fixture_set_up();
}

char *server_address_of(const char *host, const char *port)
{
	return ik_format("host=%s port=%s user=ikigai dbname=%s", host, port, fixture.database);
}

void server_settle(void)
{
	fixture.stop_when_stored = true;
	do {
		fixture_run();
	} while (fixture.waiting > 0);
	fixture.stop_when_stored = false;
}

void server_run_until_waiting(size_t count, const char *words)
{
	do {
		fixture_run();
	} while (fixture.waiting != count || !fixture.reason[0]);
	cr_assert(strstr(fixture.reason, words), "%s", fixture.reason);
	cr_assert_eq(fixture_count_spool(true), 1);
}

void server_append_numbers(const char *session, int from, int to)
{
	char text[32];

	for (; from <= to; from++) {
		snprintf(text, sizeof(text), "%d", from);
		fixture_append(session, IK_KIND_USER, text);
	}
}

void server_expect_numbers(const char *session, int count)
{
	struct ik_buf wanted;
	int i;

	ik_buf_init(&wanted, 1 << 20);
	for (i = 1; i <= count; i++)
		ik_buf_printf(&wanted, "%s%d", i > 1 ? " " : "", i);
	fixture_expect_page(session, 0, 10000, wanted.data);
	ik_buf_done(&wanted);
}

/* ---- the relay ---- */

/* In the relay nothing is asserted: it would be told in the test's name. */
static int unix_socket(const char *path, bool listening)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (listening && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 8) == 0)
		return fd;
	if (!listening && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool pass(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		bytes += sent;
		length -= (size_t)sent;
	}
	return true;
}

struct relay {
	int cuts;
	bool half;
	struct ik_buf asked;    /* of the transaction that is being sent */
	struct ik_buf answered; /* that is held back */
};

/* What came from the program; false: the connection is over. */
static bool relay_question(struct relay *relay, int from, int to)
{
	char bytes[1 << 16];
	ssize_t got = read(from, bytes, sizeof(bytes));

	if (got <= 0)
		return false;
	ik_buf_append(&relay->asked, bytes, (size_t)got);
	return pass(to, bytes, (size_t)got);
}

/* The same of the server. A whole answer ends with what says that it is ready for the next. */
static bool relay_answer(struct relay *relay, int from, int to)
{
	static const char ready[] = { 'Z', 0, 0, 0, 5, 'I' };
	static const char stores[] = "INSERT INTO events";
	struct ik_buf *answered = &relay->answered;
	char bytes[1 << 16];
	ssize_t got = read(from, bytes, sizeof(bytes));
	bool end, cut, passed;

	if (got <= 0)
		return false;
	ik_buf_append(answered, bytes, (size_t)got);
	end = answered->length >= sizeof(ready) && memcmp(answered->data + answered->length -
		sizeof(ready), ready, sizeof(ready)) == 0;
	cut = relay->cuts > 0 && relay->asked.length > 0 &&
		memmem(relay->asked.data, relay->asked.length, stores, sizeof(stores) - 1);
	if (cut && !end)
		return true;
	if (cut) {
		relay->cuts--;
		if (relay->half)
			(void)pass(to, answered->data, answered->length / 2);
		return false;
	}
	passed = pass(to, answered->data, answered->length);
	ik_buf_clear(answered);
	if (end)
		ik_buf_clear(&relay->asked);
	return passed;
}

/* One connection after the other: the program has one. */
static void relay_all(struct relay *relay, int listener, const char *server)
{
	for (;;) {
		int program = accept(listener, NULL, NULL), fd = unix_socket(server, false);
		struct pollfd both[2] = { { .fd = program, .events = POLLIN }, { .fd = fd, .events = POLLIN } };
		bool open = program >= 0 && fd >= 0;

		ik_buf_clear(&relay->asked);
		ik_buf_clear(&relay->answered);
		while (open && poll(both, 2, -1) > 0) {
			if (both[0].revents)
				open = relay_question(relay, program, fd);
			if (open && both[1].revents)
				open = relay_answer(relay, fd, program);
		}
		if (program >= 0)
			close(program);
		if (fd >= 0)
			close(fd);
	}
}

void server_relay(int cuts, bool half)
{
	struct relay relay = { .cuts = cuts, .half = half };
	char *address, *here, *server;
	int listener;
	pid_t pid;

	here = ik_format("%s/.s.PGSQL.1", fixture.directory);
	server = ik_format("%s/.s.PGSQL.%s", getenv("IK_TEST_POSTGRES_SOCKETS"),
		getenv("IK_TEST_POSTGRES_PORT"));
	(void)unlink(here);
	listener = unix_socket(here, true);
	cr_assert_geq(listener, 0, "%s", here);
	pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		ik_buf_init(&relay.asked, 1 << 26);
		ik_buf_init(&relay.answered, 1 << 26);
		relay_all(&relay, listener, server);
	}
	cr_assert_gt(pid, 0);
	close(listener);
	address = server_address_of(fixture.directory, "1");
	snprintf(fixture.path, sizeof(fixture.path), "%s", address);
	free(address);
	free(server);
	free(here);
}
