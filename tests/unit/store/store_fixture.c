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

/* The contents of a page with blanks between, in new memory. */
static char *page(const char *session, int64_t before, size_t count)
{
	struct ik_message **messages;
	struct ik_error error;
	struct ik_buf text;
	int64_t last = 0;
	size_t found, i;

	ik_buf_init(&text, 1 << 20);
	cr_assert_eq(ik_store_page(fixture.store, session, before, count, &messages, &found, &error),
		IK_OK, "%s", error.text);
	for (i = 0; i < found; i++) {
		ik_buf_printf(&text, "%s%s", i ? " " : "", messages[i]->content);
		cr_assert_gt(messages[i]->sequence, last);
		last = messages[i]->sequence;
		ik_message_unref(messages[i]);
	}
	free(messages);
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
