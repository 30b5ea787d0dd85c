#include "tool/run.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static const char *value(char **environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment != NULL; environment++) {
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	}
	return NULL;
}

Test(environment, leaves_out_secrets_but_those_that_are_kept)
{
	const char *const secrets[] = { "IK_KEY", "IK_PASSWORD", "IK_ABSENT", NULL };
	const char *const keep[] = { "IK_PASSWORD", "IK_KEY=none", NULL };
	char **environment;

	setenv("IK_KEY", "sk-1", 1);
	setenv("IK_KEY_FILE", "/k", 1);
	setenv("IK", "short", 1);
	setenv("IK_PASSWORD", "p", 1);
	environment = ik_environment_for_tools(secrets, keep);
	cr_assert_null(value(environment, "IK_KEY"));
	cr_assert_str_eq(value(environment, "IK_KEY_FILE"), "/k");
	cr_assert_str_eq(value(environment, "IK"), "short");
	cr_assert_str_eq(value(environment, "IK_PASSWORD"), "p");
	cr_assert_str_eq(value(environment, "PATH"), getenv("PATH"));
	environment = ik_environment_free(environment);
	environment = ik_environment_for_tools(NULL, NULL);
	cr_assert_str_eq(value(environment, "IK_KEY"), "sk-1");
	environment = ik_environment_free(environment);
}

Test(environment, may_be_empty)
{
	char **environment;

	clearenv();
	environment = ik_environment_for_tools(NULL, NULL);
	cr_assert_null(environment[0]);
	environment = ik_environment_free(environment);
}

Test(environment, holds_nothing_but_what_is_named)
{
	const char *const names[] = { "IK_SECOND", "IK_ABSENT", "IK_FIRST", NULL };
	char **environment;

	setenv("IK_FIRST", "1", 1);
	setenv("IK_SECOND", "a=b", 1);
	setenv("IK_FIRST_OF_ALL", "no", 1);
	environment = ik_environment_of(names);
	cr_assert_str_eq(value(environment, "IK_FIRST"), "1");
	cr_assert_str_eq(value(environment, "IK_SECOND"), "a=b");
	cr_assert_null(environment[2]);
	environment = ik_environment_free(environment);
	environment = ik_environment_of(NULL);
	cr_assert_null(environment[0]);
	environment = ik_environment_free(environment);
}
