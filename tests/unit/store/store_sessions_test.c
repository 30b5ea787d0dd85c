#include "store_fixture.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "conversation/attachment.h"
#include "conversation/title.h"
#include "util/alloc.h"

TestSuite(store_sessions, .init = fixture_set_up, .fini = fixture_tear_down);

/* A session whose only message is its title. */
static void add_session(char id[IK_UUID_TEXT], const char *directory, const char *title)
{
	ik_uuid_new(id);
	ik_store_begin(fixture.store, id, directory);
	fixture_append(id, IK_KIND_USER, title);
}

/* How many sessions fit. */
static size_t count_of(const char *directory, const char *words)
{
	const struct ik_session_choice choice = { .directory = directory, .words = words };

	return fixture_wait(ik_store_list(fixture.store, &choice, 0, "", 8, FIXTURE_READ))->count;
}

Test(store_sessions, are_chosen_by_directory_and_words)
{
	char ids[3][IK_UUID_TEXT];

	add_session(ids[0], "/work/one", "Mend the boat");
	add_session(ids[1], "/work/two", "mend 100% of the_sails");
	add_session(ids[2], "/home", "日本語の話");
	cr_expect_eq(count_of(NULL, NULL), 3);
	cr_expect_eq(count_of(NULL, ""), 3);
	cr_expect_eq(count_of("/work/one", NULL), 1);
	cr_expect_eq(count_of("/work", NULL), 0);
	cr_expect_eq(count_of(NULL, "MEND"), 2);
	cr_expect_eq(count_of(NULL, "mend  boat"), 1);
	cr_expect_eq(count_of(NULL, "mend two"), 1, "the directory counts, too");
	cr_expect_eq(count_of(NULL, "%"), 1);
	cr_expect_eq(count_of(NULL, "e_s"), 1);
	cr_expect_eq(count_of(NULL, "本語"), 1);
	cr_expect_eq(count_of("/home", "mend"), 0);
	cr_expect_eq(count_of(NULL, ids[2]), 1);
	cr_expect_eq(count_of(NULL, "\\"), 0);
}

/* As an import does. */
Test(store_sessions, is_as_old_as_what_it_is_made_of)
{
	char id[IK_UUID_TEXT], today[IK_UUID_TEXT];
	int i;

	add_session(today, "/x", "today");
	ik_uuid_new(id);
	ik_store_begin(fixture.store, id, "/x");
	for (i = 0; i < 3; i++) {
		struct ik_message *message = ik_message_new(IK_KIND_USER, "old", 3, NULL, 0);

		message->time_ms = 1000 + i;
		ik_store_append(fixture.store, id, message);
		ik_message_unref(message);
	}
	fixture_wait(ik_store_list(fixture.store, NULL, 0, "", 8, FIXTURE_READ));
	cr_assert_eq(fixture_answer.count, 2);
	cr_expect_str_eq(fixture_answer.sessions[0].id, today);
	cr_expect_str_eq(fixture_answer.sessions[1].id, id);
	cr_expect_eq(fixture_answer.sessions[1].created_ms, 1000);
	cr_expect_eq(fixture_answer.sessions[1].updated_ms, 1002);
}

Test(store_sessions, a_command_names_one)
{
	char id[IK_UUID_TEXT];
	struct ik_message *message = ik_message_command("/title  The  boat", "");

	add_session(id, "/x", "first words");
	ik_store_append(fixture.store, id, message);
	ik_message_unref(message);
	fixture_append(id, IK_KIND_USER, "more");
	fixture_append(id, IK_KIND_COMMAND, "/title");
	fixture_wait(ik_store_find(fixture.store, id, FIXTURE_READ));
	cr_assert_str_eq(fixture_answer.sessions[0].title, "The boat");
}

Test(store_sessions, the_title_is_of_what_was_typed)
{
	static const char data[] = "{\"typed\":8,\"attached\":[]}";
	struct ik_message *message = ik_message_new(IK_KIND_USER, "read @f\nthe whole file", 22, data,
		sizeof(data) - 1);
	bool named;
	char *title = ik_session_title_of(message, &named);

	cr_expect_str_eq(title, "read @f");
	cr_expect(!named);
	free(title);
	ik_message_unref(message);
}

/* Delete it. */
static enum ik_status delete(const char *id)
{
	return fixture_wait(ik_store_delete(fixture.store, id, FIXTURE_READ))->status;
}

Test(store_sessions, are_deleted_where_the_last_step_takes_as_many_as_it_can)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 4000); /* so many are not deleted at once, but in whole steps */
	cr_assert_eq(delete(id), IK_OK, "%s", fixture_answer.error.text);
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions"), 0);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 0);
}

/* Append a message with a picture, and one whose data, from a file, names no blob. */
static void append_picture(const char *session)
{
	static const char odd[] = "{\"attached\":[{\"blob\":\"------------------------------------\"},7],"
		"\"typed\":1}", odder[] = "{\"attached\":{\"blob\":[]}}";
	struct ik_message *messages[] = {
		ik_message_new(IK_KIND_USER, "odd", 3, odd, strlen(odd)),
		ik_message_new(IK_KIND_USER, "odder", 5, odder, strlen(odder)),
		ik_message_new(IK_KIND_USER, "look", 4, NULL, 0),
	};
	struct ik_attached_file file = { .media_type = "image/png" };
	struct ik_attachments attachments;
	struct ik_attachment found;
	struct ik_buf bytes;

	ik_buf_init(&bytes, 64);
	ik_buf_puts(&bytes, "PNG");
	file.bytes = ik_bytes_take(&bytes);
	ik_attachments_init(&attachments);
	ik_attachments_add_file(&attachments, "a.png", &file);
	messages[2] = ik_message_with_attachments(messages[2], &attachments);
	cr_assert(ik_message_attachment(messages[2], 0, &found));
	for (size_t i = 0; i < 3; i++) {
		ik_store_append(fixture.store, session, messages[i]);
		ik_message_unref(messages[i]);
	}
	ik_store_put_blob(fixture.store, session, found.blob, file.bytes);
	ik_attachments_done(&attachments);
	ik_bytes_unref(file.bytes);
}

Test(store_sessions, are_deleted_with_all_they_have)
{
	static const size_t kept[2] = { 4, 0 };
	struct ik_message *result = ik_message_tool_result("c", "t", "{}", 2, true, 1, kept);
	char id[IK_UUID_TEXT], other[IK_UUID_TEXT];
	struct ik_bytes *bytes;
	struct ik_blob blob;
	struct ik_buf text;

	fixture_session(id, "/x", 4500);
	fixture_session(other, "/x", 3);
	cr_assert(ik_message_blob(result, 0, &blob));
	ik_buf_init(&text, 64);
	ik_buf_puts(&text, "blob");
	bytes = ik_bytes_take(&text);
	ik_store_append(fixture.store, id, result);
	ik_store_put_blob(fixture.store, id, blob.id, bytes);
	ik_bytes_unref(bytes);
	ik_message_unref(result);
	append_picture(id);
	fixture_query_until("SELECT count(*) FROM blobs", 2);
	cr_assert_eq(fixture_query("SELECT count(*) FROM blobs"), 2);
	cr_assert_eq(delete("0"), IK_NOT_FOUND, "a beginning is not enough");
	cr_assert_str_eq(fixture_answer.error.text, "There is no session 0.");
	cr_assert_eq(delete(id), IK_OK);
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions"), 1);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 3);
	cr_assert_eq(fixture_query("SELECT count(*) FROM blobs"), 0);
	cr_assert_eq(delete(id), IK_NOT_FOUND);
	fixture_expect_page(other, 0, 9, "1 2 3");
}

Test(store_sessions, what_a_fork_has_of_one_that_is_deleted_stays)
{
	char id[IK_UUID_TEXT], fork[IK_UUID_TEXT];

	fixture_session(id, "/x", 3);
	fixture_expect_page(id, 0, 9, "1 2 3"); /* a server has them, too */
	ik_store_continue(fixture.store, id, "/x", 2);
	fixture_append(id, IK_KIND_USER, "other");
	fixture_turn(3);
	cr_assert_eq(count_of(NULL, NULL), 2);
	cr_assert_eq(delete(id), IK_OK);
	cr_assert_eq(count_of(NULL, NULL), 1);
	memcpy(fork, fixture_answer.sessions[0].id, sizeof(fork));
	cr_assert_str_neq(fork, id);
	fixture_expect_page(fork, 0, 9, "1 2 other");
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 3, "nothing else is kept");
	cr_assert_eq(delete(fork), IK_OK);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 0, "it was the last to need it");
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions"), 0);
}

Test(store_sessions, what_is_between_two_forks_goes_with_the_later_one)
{
	char id[IK_UUID_TEXT], early[IK_UUID_TEXT], late[IK_UUID_TEXT], last[IK_UUID_TEXT];

	fixture_session(id, "/x", 5);
	ik_uuid_new(early);
	ik_uuid_new(late);
	ik_uuid_new(last);
	ik_store_begin_fork(fixture.store, early, "/x", id, 1);
	fixture_append(early, IK_KIND_USER, "early");
	ik_store_begin_fork(fixture.store, late, "/x", id, 4);
	fixture_append(late, IK_KIND_USER, "late");
	ik_store_begin_fork(fixture.store, last, "/x", late, 2); /* before late begins itself */
	fixture_append(last, IK_KIND_USER, "last");
	fixture_turn(3);
	cr_assert_eq(delete(id), IK_OK);
	fixture_expect_page(late, 0, 9, "1 2 3 4 late");
	cr_assert_eq(fixture_wait(ik_store_find(fixture.store, id, FIXTURE_READ))->status, IK_NOT_FOUND);
	fixture_append(id, IK_KIND_USER, "back");
	cr_assert_eq(fixture_wait(ik_store_find(fixture.store, id, FIXTURE_READ))->status, IK_OK);
	cr_assert_eq(fixture_answer.sessions[0].event_count, 5, "it is there with what was kept");
	cr_assert_eq(delete(id), IK_OK);
	cr_assert_eq(delete(late), IK_OK);
	fixture_expect_page(early, 0, 9, "1 early");
	fixture_expect_page(last, 0, 9, "1 2 last");
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions WHERE event_count = 0"), 2);
	cr_assert_eq(delete(last), IK_OK);
	fixture_expect_page(early, 0, 9, "1 early");
	cr_assert_eq(delete(early), IK_OK);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 0);
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions"), 0);
}

Test(store_sessions, are_found_among_very_many)
{
	const struct ik_session_choice choice = { .words = "needle" }, here = { .directory = "/7" };
	const struct fixture_answer *answer;

	(void)fixture_wait(ik_store_list(fixture.store, NULL, 0, "", 1, FIXTURE_READ));
	if (fixture.server)
		fixture_execute("INSERT INTO sessions(id, directory, title, created_ms, updated_ms, event_count)"
			" SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(s), 12, '0'))::uuid, '/' || (s % 1000),"
			" CASE WHEN s % 15000 = 7 THEN 'needle ' ELSE 'hay ' END || s, s, s, 1"
			" FROM generate_series(1, 40000) s");
	else
		fixture_execute("WITH RECURSIVE n(s) AS (SELECT 1 UNION ALL SELECT s + 1 FROM n WHERE s < 40000)"
			" INSERT INTO sessions(id, directory, title, created_ms, updated_ms, event_count)"
			" SELECT printf('01900000-0000-7000-8000-%012x', s), '/' || (s % 1000),"
			" CASE WHEN s % 15000 = 7 THEN 'needle ' ELSE 'hay ' END || s, s, s, 1 FROM n");
	answer = fixture_wait(ik_store_list(fixture.store, &choice, 0, "", 10, FIXTURE_READ));
	cr_assert_eq(answer->count, 3);
	cr_expect_str_eq(answer->sessions[0].title, "needle 30007");
	cr_expect_str_eq(answer->sessions[2].title, "needle 7");
	answer = fixture_wait(ik_store_list(fixture.store, &choice, 30007,
		"01900000-0000-7000-8000-000000007537", 1, FIXTURE_READ));
	cr_assert_eq(answer->count, 1);
	cr_expect_str_eq(answer->sessions[0].title, "needle 15007");
	answer = fixture_wait(ik_store_list(fixture.store, &here, 0, "", 60, FIXTURE_READ));
	cr_expect_eq(answer->count, 40);
}
