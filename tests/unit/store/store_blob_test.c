#include "store_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "util/limits.h"

/* Large texts beside the events. */
TestSuite(store_blob, .init = fixture_set_up, .fini = fixture_tear_down);

/* A text in which no two parts are alike. */
static struct ik_bytes *make_text(size_t length)
{
	struct ik_bytes *bytes;
	struct ik_buf text;
	size_t i;

	ik_buf_init(&text, length);
	for (i = 0; i < length; i++)
		ik_buf_putc(&text, (char)(i % 251 + i / IK_LIMIT_PART));
	bytes = ik_bytes_take(&text);
	return bytes;
}

/* All parts that are there, from the first on. */
static size_t read_all(const char *id, struct ik_buf *out)
{
	const struct fixture_answer *answer = &fixture_answer;
	size_t part = 0;

	do {
		fixture_wait(ik_store_read_part(fixture.store, id, part++, FIXTURE_READ));
		ik_buf_append(out, answer->bytes.data, answer->bytes.length);
	} while (answer->status == IK_OK);
	cr_assert_eq(answer->status, IK_NOT_FOUND);
	return part - 1;
}

static void expect_text(const char *id, const struct ik_bytes *text)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(64));
	read_all(id, &out);
	cr_assert_eq(out.length, text->length);
	cr_assert_eq(memcmp(out.data, text->data, text->length), 0);
	ik_buf_done(&out);
}

Test(store_blob, is_read_back_while_it_waits_and_when_it_is_stored)
{
	struct ik_bytes *text = make_text(3 * IK_LIMIT_PART + 17);
	char id[IK_UUID_TEXT], session[IK_UUID_TEXT];

	fixture_session(session, "/x", 1);
	ik_uuid_new(id);
	ik_store_put_blob(fixture.store, session, id, text);
	expect_text(id, text);
	fixture_close(); /* writes what is left */
	fixture_open();
	expect_text(id, text);
	cr_assert_eq(fixture_query("SELECT count(*) FROM blobs"), 4);
	/* Once more is no harm. */
	ik_store_put_blob(fixture.store, session, id, text);
	fixture_close();
	cr_assert_eq(fixture_query("SELECT count(*) FROM blobs"), 4);
	fixture_open();
	expect_text(id, text);
	ik_bytes_unref(text);
}

Test(store_blob, of_exactly_one_part_has_no_second)
{
	struct ik_bytes *text = make_text(IK_LIMIT_PART);
	char id[IK_UUID_TEXT], session[IK_UUID_TEXT];

	fixture_session(session, "/x", 1);
	ik_uuid_new(id);
	ik_store_put_blob(fixture.store, session, id, text);
	expect_text(id, text);
	fixture_close();
	fixture_open();
	expect_text(id, text);
	cr_assert_eq(fixture_query("SELECT count(*) FROM blobs"), 1);
	ik_bytes_unref(text);
}

Test(store_blob, is_kept_a_part_at_a_time_where_nobody_has_all_of_it)
{
	struct ik_bytes *text = make_text(2 * IK_LIMIT_PART + 5);
	char id[IK_UUID_TEXT], session[IK_UUID_TEXT];
	struct ik_error error;
	size_t part, i;

	fixture_session(session, "/x", 1);
	ik_uuid_new(id);
	for (i = 0; i < 2; i++) { /* a second time is no harm */
		for (part = 0; part < 3; part++)
			cr_assert_eq(ik_store_put_part(fixture.store, session, id, part,
				text->data + part * IK_LIMIT_PART, part < 2 ? IK_LIMIT_PART : 5, &error), IK_OK);
		cr_assert_eq(fixture_query("SELECT count(*) FROM blobs"), 3);
	}
	expect_text(id, text);
	ik_bytes_unref(text);
}

/* Store the text in a process of its own, until that is killed. */
static void write_until_killed(const char *session, const char *id, struct ik_bytes *text, int told)
{
	struct ik_message *message = ik_message_new(IK_KIND_USER, "call", 4, NULL, 0);

	fixture_open();
	ik_store_begin(fixture.store, session, "/x");
	ik_store_append(fixture.store, session, message);
	ik_store_put_blob(fixture.store, session, id, text);
	fixture_turn(told);
	(void)kill(getpid(), SIGKILL);
	_exit(1);
}

Test(store_blob, keeps_its_first_parts_over_kill_9)
{
	struct ik_bytes *text = make_text(8 * IK_LIMIT_PART);
	char id[IK_UUID_TEXT], session[IK_UUID_TEXT];
	int status;

	fixture_close();
	for (int told = 1; told < 8; told++) {
		struct ik_buf out;
		pid_t pid;
		size_t parts;

		ik_uuid_new(id);
		ik_uuid_new(session);
		pid = fork();
		if (pid == 0)
			write_until_killed(session, id, text, told);
		cr_assert_eq(waitpid(pid, &status, 0), pid);
		cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		fixture_open();
		fixture_expect_page(session, 0, 9, "call");
		ik_buf_init(&out, IK_MIB(64));
		parts = read_all(id, &out);
		cr_assert_lt(parts, 8, "there was no time for all of it");
		cr_assert_geq(parts + 1, (size_t)told, "a part in each turn");
		cr_assert_eq(out.length, parts * IK_LIMIT_PART, "only whole parts");
		cr_assert_eq(memcmp(out.data, text->data, out.length), 0);
		ik_buf_done(&out);
		/* Whoever has it still can complete it. */
		ik_store_put_blob(fixture.store, session, id, text);
		fixture_close();
		fixture_open();
		expect_text(id, text);
		fixture_close();
	}
	fixture_open();
	if (!fixture.server)
		cr_assert_eq(fixture_query("SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
	ik_bytes_unref(text);
}
