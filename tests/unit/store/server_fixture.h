/*
 * server_fixture: troubles of a PostgreSQL that tests/store/postgres has started: it is stopped,
 * has a standby that takes its place, or loses the connection at the worst moment.
 */
#ifndef IK_TESTS_SERVER_FIXTURE_H
#define IK_TESTS_SERVER_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>

/* fixture_set_up(), with the server running: a test that failed may have left it stopped. */
void server_set_up(void);

/* Without one there is nothing to be tested. */
bool server_is_there(void);

/* stop, immediate (as after a crash), start (there is no standby then), standby (a second one,
 * below its sockets, that follows the first and can only be read), promote (it), freeze (stop
 * all its processes, as a machine that hangs), thaw (them), grow (the disk of
 * $IK_TEST_POSTGRES_DISK, which is small) */
void server_control(const char *word);

/* Where the standby, or the relay, is reached: the address of the test's database. New memory. */
char *server_address_of(const char *host, const char *port);

/* Turn until all that waits is stored. */
void server_settle(void);
/* Turn until so many events wait for a reason that has these words. */
void server_run_until_waiting(size_t count, const char *words);

/* Append user messages "4" to "6" to a session. */
void server_append_numbers(const char *session, int from, int to);
/* The events of a session are "1" to "count", once and in their order. */
void server_expect_numbers(const char *session, int count);

/*
 * Stand between the program and the server from here on: a process that passes everything on,
 * but of the first cuts transactions that store events the server's answer, once it is there:
 * the connection is closed, after the first half of the answer where half is asked for. Another one
 * stands in its place. Ends with the test. fixture.path leads through it.
 */
void server_relay(int cuts, bool half);

#endif
