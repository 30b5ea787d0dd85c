/* The public test suite of JSON Schema, as the package libtest-json-schema-acceptance-perl
 * brings it. */
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

#define SUITE "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests"

/* What is not judged but accepted: keywords, and references to anything but a place in the schema. */
static const char *const unsupported[] = {
	"unevaluatedItems", "unevaluatedProperties", "$dynamicRef", "$recursiveRef",
};

/* Does a schema inside of another have an $id? It is not read, so "#" would mean something else. */
static bool has_inner_id(const struct ik_json *schema, bool inner)
{
	const struct ik_json *child;

	if (inner && (ik_json_text(ik_json_get(schema, "$id")) || ik_json_text(ik_json_get(schema, "id"))))
		return true;
	for (child = ik_json_first(schema); child; child = ik_json_sibling(child)) {
		if (has_inner_id(child, true))
			return true;
	}
	return false;
}

/* Does a schema use any of it? Then it must only never refuse what is valid. */
static bool uses_unsupported(const struct ik_json *schema)
{
	const char *name = ik_json_name(schema);
	const struct ik_json *child;

	for (size_t i = 0; name && i < sizeof(unsupported) / sizeof(unsupported[0]); i++) {
		if (ik_text_equal(name, unsupported[i]))
			return true;
	}
	if (name && ik_text_equal(name, "$ref") && ik_json_text(schema) &&
		!ik_text_equal(ik_json_text(schema), "#") && !ik_text_starts(ik_json_text(schema), "#/"))
		return true;
	for (child = ik_json_first(schema); child; child = ik_json_sibling(child)) {
		if (uses_unsupported(child))
			return true;
	}
	return false;
}

struct tally {
	size_t run, exact, wrong;
};

/* Run the tests of one group, one schema. */
static void run_group(const char *file, const struct ik_json *group, struct tally *tally)
{
	const char *name = ik_json_text(ik_json_get(group, "description"));
	const struct ik_json *test = ik_json_first(ik_json_get(group, "tests"));
	const struct ik_json *schema = ik_json_get(group, "schema");
	/* The files say by their folder which draft they are of. */
	struct ik_json *copy = ik_json_copy(schema);
	bool exact = !uses_unsupported(schema);

	if (ik_json_type(copy) == IK_JSON_OBJECT && !ik_json_get(copy, "$schema"))
		ik_json_add(copy, "$schema", ik_json_new_text("http://json-schema.org/draft-07/schema#"));
	/* What a meta-schema switches off would have to be fetched. */
	if (ik_text_equal(ik_path_base(file), "vocabulary.json") || has_inner_id(schema, false))
		test = NULL;
	for (; test; test = ik_json_sibling(test)) {
		struct ik_error error = { .text = "" };
		bool wanted = ik_json_is_true(ik_json_get(test, "valid"));
		bool valid = ik_schema_validate(copy, ik_json_get(test, "data"), &error) == IK_OK;

		tally->run++;
		tally->exact += exact;
		if (!exact && valid)
			continue;
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
	struct tally tally = { 0, 0, 0 };
	glob_t files;

	if (glob(pattern, 0, NULL, &files) != 0)
		cr_skip_test("the package libtest-json-schema-acceptance-perl is not installed");
	for (size_t i = 0; i < files.gl_pathc; i++)
		run_file(files.gl_pathv[i], &tally);
	globfree(&files);
	cr_assert_eq(tally.wrong, 0, "%zu of %zu tests are wrong", tally.wrong, tally.run);
	cr_assert_geq(tally.exact, least, "only %zu of %zu tests were exact", tally.exact, tally.run);
}

Test(suite, draft_4)
{
	run_suite(SUITE "/draft4/*.json", 520);
}

Test(suite, draft_6)
{
	run_suite(SUITE "/draft6/*.json", 700);
}

Test(suite, draft_7)
{
	run_suite(SUITE "/draft7/*.json", 790);
}

Test(suite, draft_2019_09)
{
	run_suite(SUITE "/draft2019-09/*.json", 850);
}

Test(suite, draft_2020_12)
{
	run_suite(SUITE "/draft2020-12/*.json", 850);
}
