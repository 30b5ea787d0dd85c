#include "store_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

#include "util/alloc.h"

struct fixture fixture;

static void on_state(void *arg, size_t waiting, const char *message)
{
	fixture.waiting = waiting;
	snprintf(fixture.reason, sizeof(fixture.reason), "%s", message);
	if (fixture.stop_when_stored ? waiting == 0 : waiting > 0)
		ik_loop_stop(fixture.loop);
}

static void on_notice(void *arg, const char *sentence)
{
	fixture.notices++;
	snprintf(fixture.notice, sizeof(fixture.notice), "%s", sentence);
	ik_loop_stop(fixture.loop);
}

void fixture_open(void)
{
	struct ik_error error;

	fixture.store = ik_store_open(fixture.loop, fixture.path, &error);
	cr_assert_not_null(fixture.store, "%s", error.text);
	ik_store_on_state(fixture.store, on_state, NULL);
	ik_store_on_notice(fixture.store, on_notice, NULL);
}

void fixture_close(void)
{
	size_t lost;
	struct ik_error notice;

	fixture.store = ik_store_close(fixture.store, &lost, &notice);
	cr_assert_eq(lost, 0);
	cr_assert_eq(notice.status, IK_OK, "%s", notice.text);
}

void fixture_run(void)
{
	struct ik_error error;

	cr_assert_eq(ik_loop_run(fixture.loop, &error), IK_OK, "%s", error.text);
}

void fixture_set_up(void)
{
	struct ik_error error;

	strcpy(fixture.directory, "/tmp/ik-store-XXXXXX");
	cr_assert_not_null(mkdtemp(fixture.directory));
	snprintf(fixture.path, sizeof(fixture.path), "%s/ikigai.db", fixture.directory);
	setenv("TMPDIR", fixture.directory, 1);
	fixture.loop = ik_loop_new(&error);
	cr_assert_not_null(fixture.loop);
	fixture_open();
}

void fixture_tear_down(void)
{
	char *command;

	fixture_answer_done();
	if (fixture.store)
		fixture_close();
	ik_loop_free(fixture.loop);
	command = ik_format("rm -rf %s", fixture.directory);
	cr_assert_eq(system(command), 0);
	free(command);
}

void fixture_append(const char *session, enum ik_kind kind, const char *content)
{
	struct ik_message *message = ik_message_new(kind, content, strlen(content), NULL, 0);

	ik_store_append(fixture.store, session, message);
	ik_message_unref(message);
}

void fixture_session(char id[IK_UUID_TEXT], const char *where, int count)
{
	int i;

	ik_uuid_new(id);
	ik_store_begin(fixture.store, id, where);
	for (i = 1; i <= count; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%d", i);
		fixture_append(id, IK_KIND_USER, text);
	}
}

/* ---- reading ---- */

struct fixture_answer fixture_answer;

void fixture_answer_done(void)
{
	size_t i;

	for (i = 0; i < sizeof(fixture_answer.sessions) / sizeof(fixture_answer.sessions[0]); i++) {
		free(fixture_answer.sessions[i].title);
		free(fixture_answer.sessions[i].directory);
	}
	for (i = 0; fixture_answer.messages && i < fixture_answer.count; i++)
		ik_message_unref(fixture_answer.messages[i]);
	free(fixture_answer.messages);
	ik_buf_done(&fixture_answer.bytes);
	fixture_answer = (struct fixture_answer){ .count = 0 };
}

void fixture_take(void *arg, const struct ik_store_answer *from)
{
	struct fixture_answer *answer = arg;
	size_t i;

	fixture_answer_done();
	answer->status = from->status;
	answer->error = from->error;
	answer->count = from->count;
	for (i = 0; from->sessions && i < from->count; i++) {
		cr_assert_lt(i, sizeof(answer->sessions) / sizeof(answer->sessions[0]));
		answer->sessions[i] = from->sessions[i];
		answer->sessions[i].title = ik_strdup(from->sessions[i].title);
		answer->sessions[i].directory = ik_strdup(from->sessions[i].directory);
	}
	if (from->messages)
		answer->messages = ik_alloc_array(NULL, from->count + 1, sizeof(struct ik_message *));
	for (i = 0; from->messages && i < from->count; i++)
		answer->messages[i] = ik_message_ref(from->messages[i]);
	ik_buf_init(&answer->bytes, 1 << 20);
	ik_buf_append(&answer->bytes, from->bytes, from->length);
	fixture.answered = true;
	ik_loop_stop(fixture.loop);
}

const struct fixture_answer *fixture_wait(struct ik_store_read *read)
{
	cr_assert_not_null(read);
	fixture.answered = false;
	while (!fixture.answered)
		fixture_run();
	return &fixture_answer;
}

/* Deferred. */
static void count_turn(void *arg)
{
	int *left = arg;

	if (--*left > 0)
		ik_loop_defer(fixture.loop, count_turn, left);
	else
		ik_loop_stop(fixture.loop);
}

void fixture_turn(int times)
{
	int left = times;

	ik_loop_defer(fixture.loop, count_turn, &left);
	while (left > 0)
		fixture_run();
}

/* The contents of a page with blanks between, in new memory. */
static char *page(const char *session, int64_t before, size_t count)
{
	const struct fixture_answer *answer = fixture_wait(ik_store_page(fixture.store, session,
		before, count, FIXTURE_READ));
	struct ik_buf text;
	int64_t last = 0;
	size_t i;

	ik_buf_init(&text, 1 << 20);
	cr_assert_eq(answer->status, IK_OK, "%s", answer->error.text);
	for (i = 0; i < answer->count; i++) {
		ik_buf_printf(&text, "%s%s", i ? " " : "", answer->messages[i]->content);
		cr_assert_gt(answer->messages[i]->sequence, last);
		last = answer->messages[i]->sequence;
	}
	return ik_buf_take(&text, NULL);
}

void fixture_expect_page(const char *session, int64_t before, size_t count, const char *wanted)
{
	char *text = page(session, before, count);

	cr_assert_str_eq(text, wanted);
	free(text);
}

int64_t fixture_query(const char *text)
{
	sqlite3_stmt *statement;
	int64_t number;
	sqlite3 *db;

	cr_assert_eq(sqlite3_open(fixture.path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_prepare_v2(db, text, -1, &statement, NULL), SQLITE_OK, "%s",
		sqlite3_errmsg(db));
	cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
	number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return number;
}

int fixture_count_files(const char *word)
{
	DIR *handle = opendir(fixture.directory);
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(handle)) != NULL)
		count += strstr(entry->d_name, word) != NULL;
	closedir(handle);
	return count;
}
