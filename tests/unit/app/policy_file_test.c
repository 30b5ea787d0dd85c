#include "core/policy_file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/scratch.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

static char root[sizeof(SCRATCH_TEMPLATE)], *path;

static void setup(void)
{
	memcpy(root, SCRATCH_TEMPLATE, sizeof(root));
	scratch_make(root);
	path = ik_path_join(root, "policy.json");
}

static void teardown(void)
{
	scratch_remove(root);
	free(path);
}

TestSuite(policy_file, .init = setup, .fini = teardown);

static void put_file(const char *text, size_t length)
{
	struct ik_error error;

	cr_assert_eq(ik_file_write(path, text, length, 0600, &error), IK_OK);
}

/* A rule that allows all calls of a tool. */
static struct ik_rule rule_for(const char *tool)
{
	return (struct ik_rule){ .tool = (char *)tool, .action = IK_RULE_ALLOW };
}

Test(policy_file, keeps_what_another_program_kept)
{
	static const char text[] = "[{\"tool\":\"one\",\"do\":\"allow\"}]";
	struct ik_rules rules = { NULL, 0 };
	struct ik_rule rule = rule_for("two");
	struct ik_error error;

	put_file(text, strlen(text));
	cr_assert_eq(ik_policy_file_keep(path, &rule, &rules, &error), IK_OK);
	cr_assert_eq(rules.count, 2);
	cr_assert_eq(ik_policy_file_read(path, &rules, &error), IK_OK);
	cr_assert_eq(rules.count, 2);
	cr_assert_str_eq(rules.items[0].tool, "one");
	cr_assert_str_eq(rules.items[1].tool, "two");
	ik_rules_done(&rules);
}

/* The file is too large or belongs to another user, but it may have every rule that the user kept. */
Test(policy_file, does_not_write_over_what_cannot_be_read)
{
	struct ik_rules rules = { NULL, 0 };
	struct ik_rule rule = rule_for("two");
	size_t length = IK_LIMIT_CONFIG + 1;
	char *text = ik_alloc(length);
	struct ik_error error;
	struct ik_buf found;

	memset(text, ' ', length);
	put_file(text, length);
	cr_assert_eq(ik_policy_file_keep(path, &rule, &rules, &error), IK_TOO_LARGE);
	cr_assert_not_null(strstr(error.text, path));
	cr_assert_eq(rules.count, 0);
	ik_buf_init(&found, length);
	cr_assert_eq(ik_file_read(path, &found, &error), IK_OK);
	cr_assert_eq(found.length, length);
	ik_buf_done(&found);
	free(text);
}
