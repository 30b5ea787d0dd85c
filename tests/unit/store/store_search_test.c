#include "store_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "conversation/search_query.h"
#include "conversation/search_text.h"
#include "util/alloc.h"
#include "util/text.h"

TestSuite(store_search, .init = fixture_set_up, .fini = fixture_tear_down);

/* The answer of a search, until all is indexed. */
static const struct fixture_answer *search_in(const char *directory, const char *words)
{
	return fixture_wait(ik_store_search(fixture.store, &(struct ik_session_choice){ .words = words, .directory = directory }, NULL, 50, FIXTURE_READ));
}

/* How many places have the words. */
static size_t count_of(const char *words)
{
	const struct fixture_answer *answer = search_in(NULL, words);

	cr_assert_eq(answer->status, IK_OK, "%s: %s", words, answer->error.text);
	return answer->count;
}

/* A session in /x with these messages, up to NULL. */
static void add_session(char id[IK_UUID_TEXT], const char *const *messages)
{
	ik_uuid_new(id);
	ik_store_begin(fixture.store, id, "/x");
	for (; *messages; messages++)
		fixture_append(id, IK_KIND_USER, *messages);
}

Test(store_search, finds_words_whatever_their_script)
{
	static const char *const messages[] = { "Mend the Boat", "ein Résumé über Straßen",
		"これは日本語の文章です", "ภาษาไทยง่ายมาก", "한국어 문장입니다", "well done 😀👍🏽", "the-old_boat.c", NULL };
	static const struct {
		const char *words;
		size_t count;
	} cases[] = {
		{ "boat", 2 }, { "BOAT mend", 1 }, { "boat nothing", 0 }, { "boat mend the", 1 },
		{ "\"the boat\"", 1 }, { "\"boat the\"", 0 }, { "old_boat", 1 }, { "boa*", 2 }, { "oat", 0 },
		{ "\"the bo\"*", 1 }, { "resume", 1 }, { "UBER strasse*", 1 }, { "日本語", 1 }, { "本", 1 },
		{ "です", 1 }, { "す", 1 }, { "日本文", 0 }, { "ไทย", 1 }, { "ง่าย", 1 }, { "ไทมาก", 0 },
		{ "한국", 1 }, { "문장", 1 }, { "😀", 1 }, { "👍", 1 }, { "done 😀👍", 1 }, { "😀😀", 0 },
	};
	char id[IK_UUID_TEXT];

	add_session(id, messages);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect_eq(count_of(cases[i].words), cases[i].count, "%s", cases[i].words);
}

Test(store_search, says_where_it_stands_newest_first_page_by_page)
{
	static const char *const messages[] = { "boat one", "nothing", "boat two", "boat three", NULL };
	const struct fixture_answer *answer;
	char id[IK_UUID_TEXT], row[200];

	add_session(id, messages);
	answer = search_in(NULL, "boat");
	cr_assert_eq(answer->count, 3);
	cr_expect_eq(answer->messages[0]->sequence, 4);
	cr_expect_str_eq(answer->messages[1]->content, "boat two");
	cr_expect_eq(answer->messages[2]->sequence, 1);
	cr_expect_str_eq(answer->sessions[2].id, id);
	cr_expect_str_eq(answer->sessions[2].title, "boat one");
	cr_expect_eq(search_in("/y", "boat")->count, 0);
	cr_expect_eq(search_in("/x", "boat")->count, 3);

	answer = fixture_wait(ik_store_search(fixture.store, &(struct ik_session_choice){ .words = "boat", .directory = NULL }, NULL, 2, FIXTURE_READ));
	cr_assert_eq(answer->count, 2);
	cr_assert(answer->more);
	(void)strcpy(row, answer->row);
	answer = fixture_wait(ik_store_search(fixture.store, &(struct ik_session_choice){ .words = "boat", .directory = NULL }, row, 2, FIXTURE_READ));
	cr_assert_eq(answer->count, 1);
	cr_expect_eq(answer->messages[0]->sequence, 1);
	cr_expect(!answer->more);
}

Test(store_search, a_kind_of_a_newer_program_is_passed_over_with_its_session)
{
	static const char *const messages[] = { "boat", NULL };
	const struct fixture_answer *answer;
	char older[IK_UUID_TEXT], newer[IK_UUID_TEXT], *statement;

	add_session(older, messages);
	add_session(newer, messages);
	cr_assert_eq(count_of("boat"), 2);
	statement = ik_format("UPDATE events SET kind = 'dream' WHERE session = '%s'", newer);
	fixture_execute(statement);
	free(statement);
	answer = search_in(NULL, "boat");
	cr_assert_eq(answer->count, 1);
	cr_expect_str_eq(answer->sessions[0].id, older);
}

/* How many places have the words when pages of so many are asked for, until there are no more; each
 * has to be older than the one before. */
static size_t count_by_pages(const char *words, size_t count)
{
	const struct fixture_answer *answer;
	int64_t last = INT64_MAX;
	char row[200] = "";
	size_t found = 0;

	do {
		answer = fixture_wait(ik_store_search(fixture.store, &(struct ik_session_choice){ .words = words, .directory = NULL }, row[0] ? row : NULL,
			count, FIXTURE_READ));
		cr_assert_eq(answer->status, IK_OK, "%s", answer->error.text);
		for (size_t i = 0; i < answer->count; i++) {
			cr_assert_lt(answer->messages[i]->sequence, last, "%s", words);
			last = answer->messages[i]->sequence;
		}
		found += answer->count;
		(void)strcpy(row, answer->row);
	} while (answer->more);
	return found;
}

/* More than a server looks through at once: what is rare, what is common, what never is together. */
Test(store_search, finds_the_rare_and_the_common_among_many)
{
	static const struct {
		const char *words;
		size_t count;
	} cases[] = {
		{ "rare", 1 }, { "left rare", 1 }, { "right rare", 0 }, { "left right", 0 }, { "seldom", 26 },
		{ "\"brown fox\"", 3 }, { "\"fox brown fox\"", 0 }, { "left", 1300 }, { "nothing", 0 },
	};
	char id[IK_UUID_TEXT], text[100];

	ik_uuid_new(id);
	ik_store_begin(fixture.store, id, "/x");
	for (int i = 1; i <= 2600; i++) {
		(void)snprintf(text, sizeof(text), "%s %s%s%s", i % 2 ? "left" : "right",
			i % 1000 == 5 ? "brown fox" : "fox brown", i == 3 ? " rare" : "", i % 100 ? "" : " seldom");
		fixture_append(id, IK_KIND_USER, text);
	}
	fixture_settle();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect_eq(count_by_pages(cases[i].words, 50), cases[i].count, "%s", cases[i].words);
		if (cases[i].count < 50)
			cr_expect_eq(count_by_pages(cases[i].words, 7), cases[i].count, "%s", cases[i].words);
	}
}

Test(store_search, finds_what_tools_were_asked_and_said)
{
	static const char envelope[] = "{\"success\":true,\"result\":{\"output\":\"first\\nSecond line\"}}";
	char id[IK_UUID_TEXT];
	struct ik_message *message;

	ik_uuid_new(id);
	ik_store_begin(fixture.store, id, "/x");
	message = ik_message_tool_call("c", "grep", "{\"pattern\":\"needle\"}", 20, "grep");
	ik_store_append(fixture.store, id, message);
	ik_message_unref(message);
	message = ik_message_tool_result("c", "grep", envelope, sizeof(envelope) - 1, true, 1, NULL);
	ik_store_append(fixture.store, id, message);
	ik_message_unref(message);
	cr_expect_eq(count_of("grep needle"), 1);
	cr_expect_eq(count_of("\"second line\""), 1);
	cr_expect_eq(count_of("output"), 0, "a member's name");
	cr_expect_eq(count_of("success"), 0);
}

/* Only the beginning of a result counts, however long it is, and whatever it is made of. */
Test(store_search, finds_the_beginning_of_what_is_longer_than_is_looked_at)
{
	const size_t length = 10 * IK_SEARCH_BYTES;
	char id[IK_UUID_TEXT];
	struct ik_message *message;
	struct ik_buf envelope;

	ik_buf_init(&envelope, 2 * length);
	ik_buf_puts(&envelope, "{\"tool_success\":true,\"result\":\"needle");
	while (envelope.length < length)
		ik_buf_puts(&envelope, " \\u00e4hay\\n");
	ik_buf_puts(&envelope, " thread\"}");
	ik_uuid_new(id);
	ik_store_begin(fixture.store, id, "/x");
	message = ik_message_tool_result("c", "grep", envelope.data, envelope.length, true, 1, NULL);
	ik_store_append(fixture.store, id, message);
	ik_message_unref(message);
	ik_buf_done(&envelope);
	cr_expect_eq(count_of("needle"), 1);
	cr_expect_eq(count_of("\xc3\xa4hay"), 1);
	cr_expect_eq(count_of("thread"), 0, "far behind the beginning");
}

/* Delete it. */
static void delete(const char *id)
{
	cr_assert_eq(fixture_wait(ik_store_delete(fixture.store, id, FIXTURE_READ))->status, IK_OK);
}

Test(store_search, what_is_deleted_is_not_found)
{
	static const char *const old[] = { "the boat", "the old boat", NULL };
	static const char *const new[] = { "a new boat", "sails", NULL };
	char ids[3][IK_UUID_TEXT];

	add_session(ids[0], old);
	add_session(ids[1], new);
	cr_assert_eq(count_of("boat"), 3);
	delete(ids[1]);
	cr_expect_eq(count_of("boat"), 2);
	cr_expect_eq(count_of("sails"), 0);
	/* Its rows are used again. */
	add_session(ids[2], new);
	cr_expect_eq(count_of("boat"), 3);
	cr_expect_eq(count_of("sails"), 1);
	delete(ids[2]);
	delete(ids[0]);
	cr_expect_eq(count_of("boat"), 0);
	if (!fixture.server) {
		fixture_execute("INSERT INTO search(search) VALUES('integrity-check')");
		cr_expect_eq(fixture_query("SELECT indexed FROM search_state"), 0);
	} else {
		cr_expect_eq(fixture_query("SELECT count(*) FROM search"), 0);
	}
}

Test(store_search, what_forks_share_is_found_once)
{
	static const char *const messages[] = { "the boat", "the mast", NULL };
	char id[IK_UUID_TEXT], fork[IK_UUID_TEXT];
	const struct fixture_answer *answer;

	add_session(id, messages);
	fixture_settle();
	ik_uuid_new(fork);
	ik_store_begin_fork(fixture.store, fork, "/x", id, 1);
	fixture_append(fork, IK_KIND_USER, "the sails");
	answer = search_in(NULL, "boat");
	cr_assert_eq(answer->count, 1);
	cr_expect_str_eq(answer->sessions[0].id, id);
	answer = search_in(NULL, "sails");
	cr_assert_eq(answer->count, 1);
	cr_expect_str_eq(answer->sessions[0].id, fork);
	/* What is left of a session that has forks is theirs. */
	delete(id);
	answer = search_in(NULL, "boat");
	cr_assert_eq(answer->count, 1);
	cr_expect_str_eq(answer->sessions[0].id, fork);
	cr_expect_eq(count_of("mast"), 0, "no session shows it any more");
}

Test(store_search, no_query_is_an_error_of_the_database)
{
	static const char *const queries[] = { "a' OR '1'='1", "\"", "a\"b", "a:b", "col:a", "NOT a", "a AND",
		"a NEAR b", "{a b}:c", "^a", "a + b", "-a", "a & !b", "a <-> b", "a:*", "'a'", "\\a\\", "a%_b",
		"$1", "?1", "a\xff" "b", "\xf0\x9f\x98", "a;--", NULL };
	static const char *const messages[] = { "a b c", NULL };
	char id[IK_UUID_TEXT];
	struct ik_buf large;

	add_session(id, messages);
	for (const char *const *query = queries; *query; query++) {
		struct ik_search_query read;
		struct ik_error error;

		if (ik_search_query_read(&read, *query, strlen(*query), &error) == IK_OK)
			(void)count_of(*query);
	}
	ik_buf_init(&large, 2000000);
	while (large.length < 1000000)
		ik_buf_puts(&large, "a'\" 日本語 b* ");
	(void)count_of(large.data);
	ik_buf_done(&large);
}

Test(store_search, hostile_texts_are_indexed)
{
	static const char text[] = "x\0y\xff\xfe 'quote' \\back 'a':1 \"b\" \xed\xa0\x80 boat";
	struct ik_message *message = ik_message_new(IK_KIND_USER, text, sizeof(text) - 1, NULL, 0);
	size_t length = 3000000;
	char *large = ik_alloc(length);
	char id[IK_UUID_TEXT];

	ik_uuid_new(id);
	ik_store_begin(fixture.store, id, "/x");
	ik_store_append(fixture.store, id, message);
	ik_message_unref(message);
	for (size_t i = 0; i < length; i++)
		large[i] = "ab c"[i % 4];
	memcpy(large, "first ", 6);
	message = ik_message_new(IK_KIND_USER, large, length, NULL, 0);
	free(large);
	ik_store_append(fixture.store, id, message);
	ik_message_unref(message);
	cr_expect_eq(count_of("boat back quote"), 1);
	cr_expect_eq(count_of("x y"), 1);
	cr_expect_eq(count_of("first"), 1);
	cr_expect_eq(count_of("cab"), 1);
}

Test(store_search, events_of_an_older_program_are_indexed_part_by_part)
{
	const struct fixture_answer *answer;
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 3000);
	fixture_settle();
	cr_assert_eq(count_of("1500"), 1);
	fixture_close();
	if (fixture.server)
		fixture_execute("UPDATE sessions SET searched = 0; DELETE FROM search");
	else
		fixture_execute("INSERT INTO search(search) VALUES('delete-all');"
			"UPDATE search_state SET indexed = 0");
	fixture_open();
	answer = search_in(NULL, "7");
	cr_expect_eq(answer->count, 1);
	cr_expect_eq(count_of("3000"), 1);
}

/* Have the index made anew of events that are far apart. */
static void spread(void)
{
	fixture_close();
	if (!fixture.server)
		fixture_execute("INSERT INTO search(search) VALUES('delete-all');"
			" UPDATE events SET rowid = -sequence * 10000; UPDATE events SET rowid = -rowid;"
			" UPDATE search_state SET indexed = 0");
	fixture_open();
}

Test(store_search, several_words_are_found_in_any_part_of_the_index)
{
	static const char *const messages[] = { "left wing", "right wing", "a brown fox", "fox brown",
		"left and right", "wing left", "a brown bear", "the brown fox went right", "right left",
		"brown foxes", NULL };
	static const struct {
		const char *words;
		size_t count;
	} cases[] = {
		{ "left right", 2 }, { "\"left right\"", 0 }, { "\"right left\"", 1 }, { "\"brown fox\"", 2 },
		{ "\"brown fox\" right", 1 }, { "\"brown fox\" \"went right\"", 1 }, { "\"fox brown\" left", 0 },
		{ "left wing", 2 }, { "\"brown fox\"*", 3 }, { "wing nothing", 0 }, { "br* fo*", 4 },
	};
	char id[IK_UUID_TEXT];

	add_session(id, messages);
	fixture_settle();
	spread();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect_eq(count_of(cases[i].words), cases[i].count, "%s", cases[i].words);
	delete(id);
	cr_expect_eq(count_of("brown"), 0);
	if (!fixture.server)
		fixture_execute("INSERT INTO search(search) VALUES('integrity-check')");
	else
		cr_expect_eq(fixture_query("SELECT count(*) FROM search"), 0);
}

Test(store_search, what_begins_like_very_many_words_is_found)
{
	const struct fixture_answer *answer;
	struct ik_buf text;
	char id[IK_UUID_TEXT];

	ik_uuid_new(id);
	ik_store_begin(fixture.store, id, "/x");
	for (int i = 0; i < 60; i++) {
		ik_buf_init(&text, 100000);
		for (int word = 0; word < 100; word++)
			ik_buf_printf(&text, "anchor%d ", 100 * i + word);
		ik_buf_puts(&text, i % 7 == 0 ? "old boat" : "boat");
		fixture_append(id, IK_KIND_USER, text.data);
		ik_buf_done(&text);
	}
	answer = search_in(NULL, "anch*");
	cr_assert_eq(answer->count, 50);
	cr_expect(answer->more);
	cr_expect_eq(answer->messages[0]->sequence, 60);
	cr_expect_eq(count_of("anch* old"), 9);
	cr_expect_eq(count_of("\"old anch\"*"), 0);
	cr_expect_eq(count_of("anchor17*"), 3, "17, 170 to 179, and 1700 to 1799");
	cr_expect_eq(search_in("/y", "anch*")->count, 0);
}

static void stop(void *loop)
{
	ik_loop_stop(loop);
}

Test(store_search, the_index_follows_by_itself)
{
	static const char *const messages[] = { "the boat", NULL };
	struct ik_timer *timer = ik_timer_new(fixture.loop, stop, fixture.loop);
	char id[IK_UUID_TEXT];

	add_session(id, messages);
	fixture_settle();
	while (fixture_look(fixture.server ? "SELECT count(*) FROM search"
	       : "SELECT indexed FROM search_state") == 0) {
		ik_timer_start(timer, 50);
		fixture_run();
	}
	ik_timer_close(timer);
}
