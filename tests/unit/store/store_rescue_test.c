#include "store_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "store/rescue.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

/* What is left to be kept when memory is gone. */
TestSuite(store_rescue, .init = fixture_set_up, .fini = fixture_tear_down);

/* Characters of all lengths and what JSON escapes, so many times. */
static char *long_text(size_t times)
{
	static const char piece[] = "a\"\\\n\xc3\xa9\xe6\x97\xa5\xf0\x9f\x99\x82\x01" "b";
	size_t length = sizeof(piece) - 1, i;
	char *text = ik_alloc(times * length + 1);

	for (i = 0; i < times; i++)
		memcpy(text + i * length, piece, length);
	return text;
}

/* In a process of its own, which ends there. */
static void in_a_process_that_ends(void (*fn)(const char *id), const char *id)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		fn(id);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
}

static void say_and_rescue(const char *id)
{
	char *text = long_text(100000);
	struct ik_message *message = ik_message_new(IK_KIND_ASSISTANT, text, strlen(text),
		"{\"interrupted\":true}", 20);
	struct ik_error notice;

	fixture_open();
	ik_store_begin(fixture.store, id, "/x");
	fixture_append(id, IK_KIND_USER, "1");
	ik_store_rescue_event(fixture.store, id, "/x", message);
	ik_store_rescue_event(fixture.store, id, "/x", message); /* it is known already */
	if (!ik_store_rescue(fixture.store, &notice) || !strstr(notice.text, "1 event ") ||
	    !strstr(notice.text, fixture.directory))
		_exit(1);
}

Test(store_rescue, a_reply_that_had_only_begun_is_there_in_the_next_process)
{
	char id[IK_UUID_TEXT], *text = long_text(100000);
	const struct fixture_answer *answer;

	ik_uuid_new(id);
	fixture_close();
	in_a_process_that_ends(say_and_rescue, id);
	cr_assert_eq(fixture_count_files(".rescue-"), 1);
	fixture_open();
	answer = fixture_wait(ik_store_page(fixture.store, id, 0, 9, FIXTURE_READ));
	cr_assert_eq(answer->count, 2);
	cr_assert_eq(answer->messages[1]->content_length, strlen(text));
	cr_assert_str_eq(answer->messages[1]->content, text);
	cr_assert_str_eq(answer->messages[1]->data, "{\"interrupted\":true}");
	cr_assert_eq(fixture_count_files(".rescue-"), 0);
	fixture_answer_done();
	free(text);
}

static void rescue_what_was_stored(const char *id)
{
	struct ik_message *message = ik_message_new(IK_KIND_USER, "1", 1, NULL, 0);
	struct ik_error notice;

	fixture_open();
	ik_store_begin(fixture.store, id, "/x");
	ik_store_append(fixture.store, id, message);
	ik_store_rescue_event(fixture.store, id, "/x", message);
	if (!ik_store_rescue(fixture.store, &notice) || notice.status != IK_OK)
		_exit(1);
}

Test(store_rescue, what_is_stored_needs_no_file)
{
	char id[IK_UUID_TEXT];

	ik_uuid_new(id);
	fixture_close();
	in_a_process_that_ends(rescue_what_was_stored, id);
	cr_assert_eq(fixture_count_files(".rescue-"), 0);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1");
}

static void rescue_first_words(const char *id)
{
	struct ik_error notice;

	fixture_open();
	ik_store_rescue_event(fixture.store, id, "/x", ik_message_new(IK_KIND_USER, "hi", 2, NULL, 0));
	if (!ik_store_rescue(fixture.store, &notice))
		_exit(1);
}

Test(store_rescue, a_session_may_begin_with_it)
{
	char id[IK_UUID_TEXT];

	ik_uuid_new(id);
	fixture_close();
	in_a_process_that_ends(rescue_first_words, id);
	fixture_open();
	fixture_expect_page(id, 0, 9, "hi");
}

/* Beside the database and in TMPDIR the names begin otherwise. */
Test(store_rescue, what_was_rescued_first_is_taken_in_first_wherever_it_is)
{
	char beside[] = "/x/a.db.rescue-01900000-0000-7000-8000-000000000002.jsonl";
	char first[] = "/tmp/ikigai-0123456789abcdef.rescue-01900000-0000-7000-8000-000000000001.jsonl";
	char last[] = "/tmp/ikigai-0123456789abcdef.rescue-01900000-0000-7000-8000-000000000003.jsonl";
	char *paths[] = { beside, last, first };

	ik_rescue_sort(paths, 3);
	cr_expect_eq(paths[0], first);
	cr_expect_eq(paths[1], beside);
	cr_expect_eq(paths[2], last);
}

/* What is at an address of a server, read as a path below the working directory, may be a
 * repository's. */
Test(store_rescue, nothing_is_looked_for_beside_a_server)
{
	static const char *const addresses[] = { "postgresql://user@host/chat", "host=a dbname=b" };
	size_t i;

	cr_assert_eq(chdir(fixture.directory), 0);
	for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		struct ik_rescue rescue = { .database = addresses[i] };
		char *directory = ik_path_directory(addresses[i]);
		char *forged = ik_format("%s.rescue-01900000-0000-7000-8000-000000000009.jsonl", addresses[i]);
		struct ik_error error = { .status = IK_OK };

		cr_assert_eq(ik_path_make(directory, 0700, NULL), IK_OK);
		cr_assert_eq(ik_file_write(forged, "{}\n", 3, 0600, NULL), IK_OK);
		cr_expect_null(ik_rescue_find(&rescue), "%s", addresses[i]);
		cr_expect_null(ik_rescue_new_path(&rescue, IK_RESCUE_BESIDE, &error), "%s", addresses[i]);
		cr_expect_neq(error.text[0], '\0');
		free(forged);
		free(directory);
	}
}

Test(store_rescue, what_the_spool_does_not_take_is_not_kept)
{
	char id[IK_UUID_TEXT];

	fixture_close();
	snprintf(fixture.path, sizeof(fixture.path), "postgresql://127.0.0.1:1/x");
	/* A file where the directory should be: nothing goes into it. */
	cr_assert_eq(ik_file_write(fixture.spool, "", 0, 0600, NULL), IK_OK);
	fixture_open();
	fixture_session(id, "/x", 1);
	cr_expect_not(ik_store_is_kept(fixture.store));
	fixture.store = ik_store_close(fixture.store, NULL, NULL);
	cr_assert_eq(unlink(fixture.spool), 0);
	fixture_open();
	fixture_append(id, IK_KIND_USER, "2");
	cr_expect(ik_store_is_kept(fixture.store));
	fixture.store = ik_store_close(fixture.store, NULL, NULL);
}
