/*
 * store_fixture: a store in a directory of its own, and what it has told.
 */
#ifndef IK_TESTS_STORE_FIXTURE_H
#define IK_TESTS_STORE_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/store.h"
#include "util/uuid.h"

struct fixture {
	char directory[64];
	char path[128]; /* of the database */
	struct ik_loop *loop;
	struct ik_store *store;

	/* What the store has told. */
	size_t waiting;
	char reason[600];
	char notice[600];
	int notices;

	/* fixture_run() returns when all is stored, not when something waits. */
	bool stop_when_stored;
};

extern struct fixture fixture;

void fixture_set_up(void);
void fixture_tear_down(void);

/* Open the store at fixture.path. */
void fixture_open(void);
/* Close it: nothing may be lost, and there may be nothing to say of it. */
void fixture_close(void);
/* Turn until the store tells something. */
void fixture_run(void);

void fixture_append(const char *session, enum ik_kind kind, const char *content);
/* A new session with count messages "1", "2", ... */
void fixture_session(char id[IK_UUID_TEXT], const char *where, int count);
/* The contents of a page, with blanks between, must be these. */
void fixture_expect_page(const char *session, int64_t before, size_t count, const char *wanted);
/* One number from the database, by another connection. */
int64_t fixture_query(const char *text);
/* How many files of the directory have word in their names. */
int fixture_count_files(const char *word);

#endif
