/* The public test suite of JSON Schema, where the package json-schema-test-suite is installed. */
#include "json/schema.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#define SUITE "/usr/share/json-schema-test-suite/tests"

/* Groups that ask for what is left out on purpose, with the reason. */
static const struct {
	const char *file, *group;
} left_out[] = {
	{ "refRemote.json", "" },  /* nothing is fetched */
	{ "definitions.json", "" }, /* the meta-schema would have to be */
	{ "ref.json", "remote ref, containing refs itself" },
	{ "ref.json", "Recursive references between schemas" }, /* by their $id, not local */
};

static bool is_left_out(const char *file, const char *group)
{
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
		if (ik_text_equal(left_out[i].file, file) && ik_text_starts(group, left_out[i].group))
			return true;
	}
	return false;
}

struct tally {
	size_t run, wrong;
};

/* Run the tests of one group, one schema. */
static void run_group(const char *file, const struct ik_json *group, struct tally *tally)
{
	const char *name = ik_json_text(ik_json_get(group, "description"));
	const struct ik_json *test = ik_json_first(ik_json_get(group, "tests"));
	const struct ik_json *schema = ik_json_get(group, "schema");
	/* The files say by their folder which draft they are of. */
	struct ik_json *copy = ik_json_copy(schema);

	if (ik_json_type(copy) == IK_JSON_OBJECT && !ik_json_get(copy, "$schema"))
		ik_json_add(copy, "$schema", ik_json_new_text("http://json-schema.org/draft-07/schema#"));
	for (; test && !is_left_out(ik_path_base(file), name); test = ik_json_sibling(test)) {
		struct ik_error error = { .text = "" };
		bool wanted = ik_json_is_true(ik_json_get(test, "valid"));
		bool valid = ik_schema_validate(copy, ik_json_get(test, "data"), &error) == IK_OK;

		tally->run++;
		if (valid != wanted || (!valid && error.text[0] == '\0')) {
			tally->wrong++;
			fprintf(stderr, "%s: %s: %s: wanted %s (%s)\n", file, name,
				ik_json_text(ik_json_get(test, "description")), wanted ? "valid" : "invalid", error.text);
		}
	}
	ik_json_free(copy);
}

static void run_file(const char *path, struct tally *tally)
{
	struct ik_error error = { .text = "" };
	const struct ik_json *group;
	struct ik_json *groups;
	struct ik_buf text;

	ik_buf_init(&text, IK_MIB(16));
	cr_assert_eq(ik_file_read(path, &text, &error), IK_OK, "%s", error.text);
	groups = ik_json_parse(text.data, text.length, &error);
	cr_assert_not_null(groups, "%s: %s", path, error.text);
	for (group = ik_json_first(groups); group; group = ik_json_sibling(group))
		run_group(path, group, tally);
	ik_json_free(groups);
	ik_buf_done(&text);
}

/* Run all files that match; at least so many tests must have been there. */
static void run_suite(const char *pattern, size_t least)
{
	struct tally tally = { 0, 0 };
	glob_t files;

	if (glob(pattern, 0, NULL, &files) != 0)
		cr_skip_test("the package json-schema-test-suite is not installed");
	for (size_t i = 0; i < files.gl_pathc; i++)
		run_file(files.gl_pathv[i], &tally);
	globfree(&files);
	cr_assert_eq(tally.wrong, 0, "%zu of %zu tests are wrong", tally.wrong, tally.run);
	cr_assert_geq(tally.run, least, "only %zu tests were run", tally.run);
}

Test(suite, draft_4)
{
	run_suite(SUITE "/draft4/*.json", 290);
}

Test(suite, draft_6)
{
	run_suite(SUITE "/draft6/*.json", 380);
}

Test(suite, draft_7)
{
	run_suite(SUITE "/draft7/*.json", 400);
}
