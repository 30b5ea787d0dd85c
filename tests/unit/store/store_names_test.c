/* Names that are not text: a path is bytes, and not every database takes all text. */
#include "store_fixture.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "util/alloc.h"
#include "util/text.h"

Test(store, keeps_a_session_of_a_directory_whose_name_is_no_text)
{
	static const char directory[] = "/home/caf\xe9\xff";
	char id[IK_UUID_TEXT];

	fixture_session(id, directory, 0);
	fixture_append(id, IK_KIND_USER, "résumé");
	fixture_append(id, IK_KIND_USER, "2");
	fixture_settle();
	cr_expect_eq(fixture.notices, 0, "%s", fixture.notice);
	fixture_expect_page(id, 0, 9, "résumé 2");
	fixture_wait(ik_store_list(fixture.store,
		&(struct ik_session_choice){ .directory = directory }, 0, "", 1, FIXTURE_READ));
	cr_assert_eq(fixture_answer.status, IK_OK, "%s", fixture_answer.error.text);
	cr_expect_str_eq(fixture_answer.sessions[0].id, id);
}

/* A database of another encoding than UTF-8 cannot hold all characters: nothing is lost there. */
Test(store, keeps_what_the_encoding_of_the_database_cannot_hold)
{
	const char *pattern = getenv("IK_TEST_POSTGRES");
	const char *mark = pattern ? strstr(pattern, "%s") : NULL;
	char id[IK_UUID_TEXT], *text;
	size_t length;

	if (!fixture.server)
		cr_skip_test("a file is bytes");
	fixture_close();
	text = ik_format("CREATE DATABASE %s_latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C'"
		" LC_CTYPE 'C'", fixture.database);
	fixture_execute(text);
	free(text);
	length = strlen(fixture.database);
	strcpy(fixture.database + length, "_latin");
	text = ik_format("%.*s%s%s", (int)(mark - pattern), pattern, fixture.database, mark + 2);
	cr_assert_lt(strlen(text), sizeof(fixture.path));
	strcpy(fixture.path, text);
	free(text);
	setenv("PGCLIENTENCODING", "LATIN1", 1);
	fixture_open();
	fixture_session(id, "/home/é", 0);
	fixture_append(id, IK_KIND_USER, "日本");
	fixture_append(id, IK_KIND_USER, "é");
	fixture_settle();
	cr_expect_eq(fixture.notices, 0, "%s", fixture.notice);
	fixture_expect_page(id, 0, 9, "日本 é");
	cr_expect_eq(fixture_query("SELECT length(exact_content) FROM events WHERE sequence = 2"), 2);
	fixture_close();
	fixture.database[length] = '\0';
	text = ik_format("DROP DATABASE %s_latin WITH (FORCE)", fixture.database);
	fixture_execute(text);
	free(text);
}
