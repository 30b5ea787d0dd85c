#include "core/options.h"

#include <stdlib.h>

#include <criterion/criterion.h>

TestSuite(resume_text);

static void check(const struct ik_options *options, const char *expected)
{
	char *command = ik_resume_command(options, "ID");

	cr_expect_str_eq(command, expected);
	free(command);
}

Test(resume_text, names_the_options_that_were_given)
{
	check(&(struct ik_options){ .program = "ikigai", .database = "my file",
		.base_url = "http://127.0.0.1/v1", .system_prompt = "a:b@c", .no_tools = true },
		"ikigai --database 'my file' --base-url http://127.0.0.1/v1 -s a:b@c --no-tools --resume=ID");
}

/* It stays on the screen, and in the terminal's history. */
Test(resume_text, shows_no_password)
{
	check(&(struct ik_options){ .program = "ikigai", .database = "postgresql://ada:secret@host/x",
		.base_url = "https://ada:secret@host/v1" }, "ikigai --resume=ID");
	check(&(struct ik_options){ .program = "ikigai", .database = "host=a password=secret" },
		"ikigai --resume=ID");
}
