#include "core/prompt_text.h"

#include <criterion/criterion.h>
#include <string.h>

/* Put arguments into a text; commands appear between < and >. */
static void check_text(const char *text, const char *typed, const char *expected)
{
	struct ik_prompt_arguments arguments = { .typed = typed };
	size_t position = 0;
	struct ik_prompt_part part;
	struct ik_buf out;

	ik_buf_init(&out, 4096);
	ik_shell_words_split(&arguments.words, typed);
	while (ik_prompt_next(text, strlen(text), &position, &part))
		if (part.command)
			ik_buf_printf(&out, "<%.*s>", (int)part.length, part.text);
		else
			ik_prompt_put(&out, &part, &arguments);
	cr_expect_str_eq(out.data, expected, "%s: %s", text, out.data);
	ik_shell_words_done(&arguments.words);
	ik_buf_done(&out);
}

Test(prompt_text, arguments)
{
	static const char typed[] = "one 'two three' four";

	check_text("", typed, "");
	check_text("no arguments", typed, "no arguments");
	check_text("$1, $2, $3, $4.", typed, "one, two three, four, .");
	check_text("$10 $ARGUMENTS", typed, " one 'two three' four");
	check_text("$@", typed, "one two three four");
	check_text("${@:2} ${@:2:1} ${@:1:2} ${@:4} ${@:0}", typed,
		"two three four two three one two three  one two three four");
	check_text("\\$1 $0 $ $$ $x ${1} ${@:} ${@:1:} ${@:1", typed,
		"$1 $0 $ $$ $x ${1} ${@:} ${@:1:} ${@:1");
	check_text("$", typed, "$");
	check_text("\\", typed, "\\");
	check_text("$1 $@", "", " ");
	/* What comes in isn't read again. */
	check_text("$1 $2", "'$2' '!`x`'", "$2 !`x`");
}

Test(prompt_text, commands)
{
	check_text("!`ls`", "", "<ls>");
	check_text("In !`git diff \"$1\"`:\n!`ls`!`no`\n", "x", "In <git diff \"$1\">:\n<ls>!`no`\n");
	check_text("`!`x!`y` !`` !`open", "", "`!`x!`y` !`` !`open");
	check_text("!`a\nb`", "", "!`a\nb`");
}
