#include "tui/text/code_colour.h"

#include <string.h>

#include <criterion/criterion.h>

/* A letter for each byte: keyword, literal, comment, added, removed, head of a hunk. */
static const char *picture(const char *language, const char *line)
{
	static char out[200];
	const struct ik_code_language *found = ik_code_language(language, strlen(language));
	size_t length = strlen(line), size;
	enum ik_style style;

	cr_assert_not_null(found, "%s", language);
	for (size_t at = 0; at < length; at += size) {
		size = ik_code_run(found, line, length, at, &style);
		cr_assert(size > 0 && size <= length - at, "%s at %zu", line, at);
		memset(out + at, style == IK_STYLE_KEYWORD ? 'k' : style == IK_STYLE_CODE ? 'l'
			: style == IK_STYLE_DIM ? 'c' : style == IK_STYLE_GOOD ? 'a'
			: style == IK_STYLE_BAD ? 'r' : '.', size);
	}
	out[length] = '\0';
	return out;
}

/* What blanks look like is nobody's business. */
static void looks(const char *language, const char *line, const char *wanted)
{
	const char *got = picture(language, line);

	cr_assert_eq(strlen(wanted), strlen(line), "%s", line);
	for (size_t i = 0; line[i] != '\0'; i++)
		cr_assert(line[i] == ' ' || got[i] == wanted[i], "%s\n%s, not\n%s", line, got, wanted);
}

Test(code_colour, languages_by_their_names)
{
	cr_assert_eq(ik_code_language("Python", 6), ik_code_language("py", 2));
	cr_assert_eq(ik_code_language("c++", 3), ik_code_language("h", 1));
	cr_assert_null(ik_code_language("", 0));
	cr_assert_null(ik_code_language("pyth", 4));
	cr_assert_null(ik_code_language("c h", 3));
	cr_assert_null(ik_code_language("text", 4));
	cr_assert_null(ik_code_language("a-language-with-a-very-long-name", 32));
}

Test(code_colour, comments)
{
	looks("c", "x = 1; // one", "....l..cccccc");
	looks("c", "a /* b */ if", "..ccccccc.kk");
	looks("c", " * of more lines", ".ccccccccccccccc");
	looks("c", " */ int x;", ".cc.kkk...");
	looks("c", "a * b", ".....");
	looks("c", "*p = 1;", ".....l.");
	looks("js", "// https://a.b", "cccccccccccccc");
	looks("css", "url(https://a.b)", "................");
	looks("sh", "echo $# # how many", "........cccccccccc");
	looks("python", "x # y", "..ccc");
	looks("sql", "SELECT 1 -- one", "kkkkkk.l.cccccc");
	looks("lua", "local x -- y", "kkkkk...cccc");
}

Test(code_colour, strings_and_numbers)
{
	looks("c", "s = \"a \\\" // b\";", "....lllllllllll.");
	looks("c", "'\\'' + 0x1F", "llll...llll");
	looks("c", "don't \"open", "...........");
	looks("rust", "fn f<'a>(x: &'a str) 'x'", "kk...................lll");
	looks("py", "\"\"\"One line", "lllllllllll");
	looks("py", "x = '''a'b''' + y", "....lllllllll....");
	looks("json", "{\"a\": [true, 1.5e3, null]}", ".lll...kkkk..lllll..kkkk..");
	looks("js", "x \\\"y\\\" if", "........kk");
}

Test(code_colour, words)
{
	looks("c", "#include <if.h>", "kkkkkkkk..kk...");
	looks("c", "  # define x", "..kkkkkkkk..");
	looks("go", "iffy if_ func()", ".........kkkk..");
	looks("ruby", "if \xC3\xA9if", "kk.....");
}

Test(code_colour, a_diff)
{
	looks("diff", "+if", "aaa");
	looks("patch", "-1", "rr");
	looks("diff", "@@ -1", "ccccc");
	looks("diff", " if", "...");
}
