/*
 * store_fixture: a store in a directory of its own, and what it has told.
 */
#ifndef IK_TESTS_STORE_FIXTURE_H
#define IK_TESTS_STORE_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "store/store.h"
#include "util/uuid.h"

struct fixture {
	char directory[64];
	char path[400]; /* of the database, or its address */
	bool server;    /* it is PostgreSQL, at $IK_TEST_POSTGRES with this test's name for %s */
	char database[64];
	char journals[96];
	char spare[96]; /* the same on another disk; "": none */
	char admin[400]; /* $IK_TEST_POSTGRES_ADMIN: makes databases */
	struct ik_loop *loop;
	struct ik_store *store;

	/* What the store has told. */
	size_t waiting;
	char reason[600];
	char notice[600];
	int notices;
	bool answered; /* a read */
	char forked[IK_UUID_TEXT]; /* the new id of a session; "": none */

	/* fixture_run() returns when all is stored, not when something waits. */
	bool stop_when_stored;
};

extern struct fixture fixture;

void fixture_set_up(void);
void fixture_tear_down(void);

/* Open the store at fixture.path. */
void fixture_open(void);
/* Another one, which tells nothing. */
struct ik_store *fixture_open_another(void);
/* Close it: nothing may be lost, and there may be nothing to say of it. */
void fixture_close(void);
/*
 * Call fn(arg) in a process of its own, with the store opened anew; it is killed (SIGKILL) as
 * soon as that returns. The store is to be closed here. Returns when it is dead.
 */
void fixture_die(void (*fn)(void *arg), void *arg);
/* The same, but it lives on when fn(arg) has returned, and idles: kill it. Ends with the test. */
pid_t fixture_live(void (*fn)(void *arg), void *arg);
/* Kill it (SIGKILL), and be back when it is dead. */
void fixture_kill(pid_t pid);
/* Turn until the store tells something. */
void fixture_run(void);

/* Turn until all that was appended is stored. */
void fixture_settle(void);
/* Run statements at the database, by another connection. */
void fixture_execute(const char *text);

void fixture_append(const char *session, enum ik_kind kind, const char *content);
/* A new session with count messages "1", "2", ... */
void fixture_session(char id[IK_UUID_TEXT], const char *where, int count);
/* The contents of a page, with blanks between, must be these. */
void fixture_expect_page(const char *session, int64_t before, size_t count, const char *wanted);
/*
 * What a read gave, copied; the loop turns until it has come.
 */
struct fixture_answer {
	enum ik_status status;
	struct ik_error error;
	struct ik_session_info sessions[64];
	struct ik_message **messages;
	size_t count;
	char row[200];
	bool more;
	struct ik_buf bytes;
};
/* A reader (ik_store_reader) for fixture_wait(). */
void fixture_take(void *answer, const struct ik_store_answer *from);
/* The answer of a read that was begun with these two. Valid until the next read. */
const struct fixture_answer *fixture_wait(struct ik_store_read *read);
extern struct fixture_answer fixture_answer;
#define FIXTURE_READ fixture_take, &fixture_answer
/* Release what the last read gave. */
void fixture_answer_done(void);
/* Turn the loop so many times. The first turn runs what was deferred alone: who waits for a
 * descriptor or a timer needs two. */
void fixture_turn(int times);

/* One number from the database, by another connection. */
int64_t fixture_query(const char *text);
/* The same as it is, whatever waits to be stored. */
int64_t fixture_look(const char *text);
/* Turn until the database gives this number or more: large texts go after all that is read, too. */
void fixture_query_until(const char *text, int64_t least);
/* How many journals there are. */
size_t fixture_count_journals(void);

#endif
