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

/* Does a schema use any of it? Then it must only never refuse what is valid. */
static bool uses_unsupported(struct ik_json_span schema)
{
	for (struct ik_json_walk walk = ik_json_walk(schema); ik_json_next(&walk);) {
		for (size_t i = 0; i < sizeof(unsupported) / sizeof(unsupported[0]); i++) {
			if (ik_json_string_is(walk.key, unsupported[i]))
				return true;
		}
		if (ik_json_string_is(walk.key, "$ref") && ik_json_span_type(walk.value) == IK_JSON_STRING &&
			!ik_json_string_is(walk.value, "#") && strncmp(walk.value.text, "\"#/", 3) != 0)
			return true;
		if (uses_unsupported(walk.value))
			return true;
	}
	return false;
}

struct tally {
	size_t run, exact, wrong;
};

/* Run the tests of one group, one schema. The files say by their folder which draft they are of. */
static void run_group(const char *file, struct ik_json_span group, struct tally *tally)
{
	struct ik_json_span name = ik_json_member(group, "description");
	struct ik_json_span tests = ik_json_member(group, "tests");
	struct ik_json_span schema = ik_json_member(group, "schema");
	bool exact = !uses_unsupported(schema);
	struct ik_buf copy;

	ik_buf_init(&copy, IK_MIB(16));
	if (ik_json_span_type(schema) == IK_JSON_OBJECT && !ik_json_member(schema, "$schema").text) {
		ik_buf_printf(&copy, "{\"$schema\":\"http://json-schema.org/draft-0%d/schema#\"%s%.*s",
			strstr(file, "draft4/") ? 4 : 7, ik_json_count(schema) > 0 ? "," : "",
			(int)schema.length - 1, schema.text + 1);
		schema = (struct ik_json_span){ copy.data, copy.length };
	}
	/* What a meta-schema switches off would have to be fetched. */
	if (ik_text_equal(ik_path_base(file), "vocabulary.json"))
		tests.length = 0;
	for (struct ik_json_walk walk = ik_json_walk(tests); ik_json_next(&walk);) {
		struct ik_error error = { .text = "" };
		bool wanted = ik_json_is_true(ik_json_member(walk.value, "valid"));
		bool valid = ik_schema_validate(schema, schema, ik_json_member(walk.value, "data"), &error) == IK_OK;

		tally->run++;
		tally->exact += exact;
		if (!exact && valid)
			continue;
		if (valid != wanted || (!valid && error.text[0] == '\0')) {
			struct ik_json_span test_name = ik_json_member(walk.value, "description");

			tally->wrong++;
			fprintf(stderr, "%s: %.*s: %.*s: wanted %s (%s)\n", file, (int)name.length, name.text,
				(int)test_name.length, test_name.text, wanted ? "valid" : "invalid", error.text);
		}
	}
	ik_buf_done(&copy);
}

static void run_file(const char *path, struct tally *tally)
{
	struct ik_error error = { .text = "" };
	struct ik_json_span groups;
	struct ik_buf text;

	ik_buf_init(&text, IK_MIB(16));
	cr_assert_eq(ik_file_read(path, &text, &error), IK_OK, "%s", error.text);
	cr_assert_eq(ik_json_check(text.data, text.length, &groups, &error), IK_OK, "%s: %s", path,
		error.text);
	for (struct ik_json_walk walk = ik_json_walk(groups); ik_json_next(&walk);)
		run_group(path, walk.value, tally);
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
