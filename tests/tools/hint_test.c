/*
 * Invalid calls as models make them: each answer says what to do next.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "support.h"

TestSuite(hint, .init = scratch_enter, .fini = scratch_leave);

/* A call with ' for ", and the member "hint" of its answer; NULL: none. */
struct bad_call {
	const char *tool;
	const char *input;
	const char *hint;
};

static void expect_hints(const struct bad_call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct reply reply = ask(calls[i].tool, "%s", calls[i].input);
		char *hint = ik_json_string_new(ik_json_member(reply.json, "hint"), NULL);

		if (calls[i].hint == NULL)
			cr_expect_null(hint, "%s %s: %s", calls[i].tool, calls[i].input, hint);
		else
			cr_expect(hint != NULL && strcmp(hint, calls[i].hint) == 0, "%s %s: %s",
				calls[i].tool, calls[i].input, reply.out.data);
		free(hint);
		reply_free(&reply);
	}
}

#define EXPECT_HINTS(calls) expect_hints(calls, sizeof(calls) / sizeof((calls)[0]))

static void make_tree(void)
{
	cr_assert_eq(mkdir("src", 0755), 0);
	cr_assert_eq(mkdir("src/deep", 0755), 0);
	make_text("src/main.c", "int main(void)\n{\n\treturn 0;\n}\n");
	make_text("src/deep/inside.txt", "x\n");
	make_text("notes.txt", "alpha\nbeta\nalpha\n");
	make_text("crlf.txt", "one\r\ntwo\r\n");
	make_text("empty", "");
	cr_assert_eq(symlink("gone", "dangling"), 0);
	cr_assert_eq(setenv("HOME", "/home/somebody", 1), 0);
}

Test(hint, input)
{
#define READS "The parameters are file_path, offset (optional), limit (optional), " \
	"byte_offset (optional), byte_limit (optional)."
#define EXAMPLE " For example: {\"file_path\": \"README\", \"offset\": 10, \"limit\": 20}"
	static const struct bad_call calls[] = {
		{ "file-read", "", READS EXAMPLE },
		{ "file-read", "[]", READS EXAMPLE },
		{ "file-read", "null", READS EXAMPLE },
		{ "file-read", "{'file_path':'a',}", READS EXAMPLE },
		{ "file-read", "{'path':'a'}", "Did you mean file_path? " READS },
		{ "file-read", "{'file':'a'}", "Did you mean file_path? " READS },
		{ "file-read", "{'filepath':'a'}", "Did you mean file_path? " READS },
		{ "file-read", "{'start_line':1}", READS },
		{ "file-read", "{'file_path':'a','offset':null}", "Leave it out instead." },
		{ "file-read", "{'file_path':null}", NULL },
		{ "bash", "{'cmd':'ls'}", "Did you mean command? The only parameter is command." },
		{ "bash", "{'command':'ls','timeout':5}", "The only parameter is command." },
		{ "file-edit", "{'old_str':'a'}", "Did you mean old_string? "
			"The parameters are file_path, old_string, new_string, replace_all (optional)." },
		{ "file-edit", "{'string':'a'}",
			"The parameters are file_path, old_string, new_string, replace_all (optional)." },
	};

	EXPECT_HINTS(calls);
}

Test(hint, missing_files)
{
	static const struct bad_call calls[] = {
		{ "file-read", "{'file_path':'note.txt'}", "Did you mean notes.txt?" },
		{ "file-read", "{'file_path':'NOTES.TXT'}", "Did you mean notes.txt?" },
		{ "file-read", "{'file_path':'notes.txt:2'}", "Did you mean notes.txt?" },
		{ "file-read", "{'file_path':'scr/main.c'}",
			"There is no directory scr. Did you mean src/main.c?" },
		{ "file-read", "{'file_path':'scr/mian.c'}",
			"There is no directory scr. Did you mean src/main.c?" },
		{ "file-read", "{'file_path':'scr/depe/inside.txt'}",
			"There is no directory scr. Did you mean src/deep/inside.txt?" },
		{ "file-read", "{'file_path':'/src/main.c'}",
			"There is no directory /src. Did you mean src/main.c?" },
		{ "file-read", "{'file_path':'inside.txt'}", "Did you mean src/deep/inside.txt?" },
		{ "file-read", "{'file_path':'lib/inside.txt'}",
			"There is no directory lib. Did you mean src/deep/inside.txt?" },
		{ "file-read", "{'file_path':'nothing-like-it.c'}", NULL },
		{ "file-read", "{'file_path':''}", "The path is empty." },
		{ "file-read", "{'file_path':'~/notes.txt'}",
			"~ is not expanded here. Did you mean /home/somebody/notes.txt?" },
		{ "file-read", "{'file_path':'src/*.h'}",
			"Wildcards are not expanded here: glob finds what they stand for." },
		{ "file-read", "{'file_path':'dangling'}",
			"dangling is a symbolic link to gone, which does not exist." },
		{ "file-read", "{'file_path':'notes.txt/x'}", "notes.txt is not a directory." },
		{ "file-read", "{'file_path':'src'}", "It is a directory: glob lists what is in it." },
		{ "file-edit", "{'file_path':'src/man.c','old_string':'a','new_string':'b'}",
			"Did you mean src/main.c?" },
		{ "file-write", "{'file_path':'scr/new.c','content':''}", "There is no directory scr. "
			"Did you mean src/new.c? A directory is made with mkdir -p, not by this tool." },
		{ "file-write", "{'file_path':'elsewhere/new.c','content':''}", "There is no directory "
			"elsewhere. A directory is made with mkdir -p, not by this tool." },
		{ "file-write", "{'file_path':'notes.txt/new','content':''}",
			"notes.txt is not a directory." },
		{ "file-write", "{'file_path':'~/new','content':''}",
			"~ is not expanded here. Did you mean /home/somebody/new?" },
	};

	make_tree();
	EXPECT_HINTS(calls);
}

/* Answers without a match have only the two documented members. */
Test(hint, nothing_matched)
{
	static const char *const calls[][2] = {
		{ "glob", "{'pattern':'*.c','path':'scr'}" },
		{ "glob", "{'pattern':'*','path':'notes.txt'}" },
		{ "glob", "{'pattern':'scr/*.c'}" },
		{ "glob", "{'pattern':'~/*'}" },
		{ "glob", "{'pattern':'src/*.{c,h}'}" },
		{ "grep", "{'pattern':'main','path':'scr'}" },
		{ "grep", "{'pattern':'alpha','path':'note.txt'}" },
		{ "grep", "{'pattern':'main'}" },
		{ "grep", "{'pattern':'main','glob':'*.{c,h}'}" },
		{ "grep", "{'pattern':'[0-9]\\\\d'}" },
	};

	make_tree();
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		expect_json(ask(calls[i][0], "%s", calls[i][1]), "{'output':'','count':0}");
}

Test(hint, patterns)
{
#define FOR_ITSELF " that stands for itself."
	static const struct bad_call calls[] = {
		{ "grep", "{'pattern':'(a)\\\\1'}", "Write out what is repeated, as alternatives: (aa|bb)." },
		{ "grep", "{'pattern':'a\\\\nb'}", "Search for what is in one of the lines; context shows the "
			"lines around it." },
		{ "grep", "{'pattern':'\\\\p{L}'}", "Write [[:alpha:]], [[:upper:]], [[:lower:]], [[:digit:]] "
			"or [[:punct:]]." },
		{ "grep", "{'pattern':'\\\\q'}", "Classes are \\d, \\s and \\w, \\b is the edge of a word; a "
			"letter that stands for itself has no backslash." },
		{ "grep", "{'pattern':'(?>a)'}", "There are (?:...), (?i), (?i:...) and (?P<name>...)." },
		{ "grep", "{'pattern':'*.c'}", "There is nothing before the * that it could repeat: write "
			".* for any text; which files are searched is said by glob." },
		{ "grep", "{'pattern':'main('}", "Write \\( for a parenthesis" FOR_ITSELF },
		{ "grep", "{'pattern':'struct line {'}", "Write \\{ for a brace" FOR_ITSELF },
		{ "grep", "{'pattern':'x{y}'}", "Write \\{ for a brace" FOR_ITSELF },
		{ "grep", "{'pattern':'argv[0'}", "Write \\[ for a bracket" FOR_ITSELF },
		{ "grep", "{'pattern':'[z-a]'}", NULL },
	};

	make_tree();
	EXPECT_HINTS(calls);
}

#define EDIT(path, old, new) \
	"{'file_path':'" path "','old_string':'" old "','new_string':'" new "'}"

Test(hint, edits)
{
	static const struct bad_call calls[] = {
		{ "file-edit", EDIT("notes.txt", "alpha", "x"),
			"It begins in lines 1, 3. Add text around it to make it unique." },
		{ "file-edit", EDIT("src/main.c", "n", "x"),
			"It begins in lines 1, 3. Add text around it to make it unique." },
		{ "file-edit", EDIT("src/main.c", "i", "x"),
			"It begins in line 1. Add text around it to make it unique." },
		{ "file-edit", EDIT("notes.txt", "Alpha", "x"),
			"The nearest lines are:\n1: alpha\n3: alpha" },
		{ "file-edit", EDIT("notes.txt", "something else", "x"), NULL },
		{ "file-edit", EDIT("notes.txt", "something else", "beta"),
			"new_string is in the file already, at line 2." },
		{ "file-edit", EDIT("empty", "a", "x"), "The file is empty." },
		{ "file-edit", EDIT("src/main.c", "    return 0;", "x"), "The text at line 3 differs only "
			"in white space: it has \"\\t\" where old_string has \"    \".\n3: \treturn 0;" },
		{ "file-edit", EDIT("src/main.c", "int main(void) {", "x"), "The text at line 1 differs "
			"only in white space: it has \"\\n\" where old_string has \" \".\n"
			"1: int main(void)\n2: {" },
		{ "file-edit", EDIT("src/main.c", "return\\t0;", "x"), "The text at line 3 differs only in "
			"white space: it has \" \" where old_string has \"\\t\".\n3: \treturn 0;" },
		{ "file-edit", EDIT("src/main.c", "return 0 ;", "x"), "The text at line 3 differs only in "
			"white space: it has \"\" where old_string has \" \".\n3: \treturn 0;" },
		{ "file-edit", EDIT("src/main.c", "}\\n\\n", "x"), "The text at line 4 differs only in "
			"white space: it has \"\\n\" where old_string has \"\\n\\n\".\n4: }" },
		{ "file-edit", EDIT("crlf.txt", "one\\ntwo", "x"), "The text at line 1 differs only in "
			"white space: its lines end in \\r\\n.\n1: one\r\n2: two\r" },
		{ "file-edit", EDIT("notes.txt", "1: alpha\\n2: beta", "x"),
			"old_string has line numbers, the file (at line 1) has not: leave them out." },
		{ "file-edit", EDIT("src/main.c", "   2\\t{\\n   3\\t\\treturn 0;\\n", "x"),
			"old_string has line numbers, the file (at line 2) has not: leave them out." },
		{ "file-edit", EDIT("src/main.c", "{\\\\n\\\\treturn 0;", "x"), "The text at line 2 is meant, "
			"but old_string is escaped once too often: it has a backslash and a letter for each "
			"line feed, tab or quote." },
		{ "file-edit", EDIT("notes.txt", "alpha\\nbeta\\ngamma", "x"),
			"The text matches from line 1 on, but line 3 is different:\n3: alpha" },
		{ "file-edit", EDIT("notes.txt", "", "x"), "To insert, take text at the place as "
			"old_string and repeat it in new_string; file_write writes a whole file." },
	};

	make_tree();
	EXPECT_HINTS(calls);
	expect_text("notes.txt", "alpha\nbeta\nalpha\n");
}
