#include "chat/call_question.h"
#include "guard/policy_match.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../support/scratch.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

static char root[sizeof(SCRATCH_TEMPLATE)], *here, *away;
static struct ik_buf shown;

static void setup(void)
{
	memcpy(root, SCRATCH_TEMPLATE, sizeof(root));
	scratch_make(root);
	away = ik_format("%s/away", root);
	here = ik_format("%s/here", root);
	cr_assert_eq(mkdir(away, 0700), 0);
	cr_assert_eq(mkdir(here, 0700), 0);
	ik_buf_init(&shown, IK_MIB(8));
}

static void teardown(void)
{
	ik_buf_done(&shown);
	free(here);
	free(away);
	scratch_remove(root);
}

TestSuite(call_question, .init = setup, .fini = teardown);

#define WRITES \
	"{\"kind\":\"edit\",\"line\":\"Write " \
	"{file_path}\",\"path\":\"file_path\",\"new_text\":\"content\"}"
#define EDITS \
	"{\"kind\":\"edit\",\"line\":\"Edit " \
	"{file_path}\",\"path\":\"file_path\",\"old_text\":\"old_string\",\"new_text\":\"new_" \
	"string\"}"
#define RUNS "{\"kind\":\"execute\",\"line\":\"$ {command}\",\"command\":\"command\"}"

/* The text of a question about a tool of that display: each part a line, with a letter for its kind. */
static const char *question(const char *display, const char *arguments)
{
	struct ik_question about = { .title = NULL };
	const struct ik_json_span span = { display, display ? strlen(display) : 0 };

	ik_buf_clear(&shown);
	ik_question_add_call(&about, here, span, arguments, strlen(arguments));
	for (size_t i = 0; i < about.part_count; i++) {
		ik_buf_printf(&shown, "%c ", "THIWD"[about.parts[i].kind]);
		ik_buf_append(&shown, about.parts[i].text, about.parts[i].length);
		if (shown.data[shown.length - 1] != '\n')
			ik_buf_putc(&shown, '\n');
	}
	ik_question_done(&about);
	return shown.data;
}

static void link_to(const char *target, const char *name)
{
	char *path = ik_path_join(here, name);

	(void)unlink(path);
	cr_assert_eq(symlink(target, path), 0);
	free(path);
}

static void is_warning(const char *display, const char *arguments, const char *format,
	const char *path)
{
	char *line = ik_format("%s", format), *place = strstr(line, "@");
	char *wanted = place ? ik_format("%.*s%s%s", (int)(place - line), line, path, place + 1)
						 : ik_strdup(line);

	cr_assert_not_null(strstr(question(display, arguments), wanted), "wanted: %s\ngot: %s", wanted,
		shown.data);
	free(wanted);
	free(line);
}

Test(call_question, says_where_a_path_leads)
{
	char *file = ik_path_join(away, "rc"), *inner = ik_path_join(here, "real");

	is_warning(WRITES, "{\"file_path\":\"notes\",\"content\":\"x\"}", "T Write notes\nI ", "");
	cr_assert_null(strstr(shown.data, "W "));
	link_to(file, "notes");
	is_warning(WRITES, "{\"file_path\":\"notes\",\"content\":\"x\"}",
		"T Write notes\nW notes -> @ (outside this directory)\n", file);
	is_warning(EDITS, "{\"file_path\":\"./notes\",\"old_string\":\"a\",\"new_string\":\"b\"}",
		"W ./notes -> @ (outside this directory)\n", file);
	is_warning(NULL, "{\"path\":\"notes\"}",
		"T path: notes\nW notes -> @ (outside this directory)\n", file);
	is_warning(WRITES, "{\"file_path\":\"../away/rc\",\"content\":\"x\"}",
		"W ../away/rc (outside this directory)\n", "");
	link_to(away, "sub");
	is_warning(WRITES, "{\"file_path\":\"sub/rc\",\"content\":\"x\"}",
		"W sub/rc -> @ (outside this directory)\n", file);
	link_to("real", "alias");
	is_warning(WRITES, "{\"file_path\":\"alias\",\"content\":\"x\"}", "W alias -> @\n", inner);
	link_to("circle", "circle");
	is_warning(WRITES, "{\"file_path\":\"circle\",\"content\":\"x\"}",
		"W circle (it cannot be told where this leads)\n", "");
	free(inner);
	free(file);
}

Test(call_question, knows_that_a_path_leads_elsewhere_by_now)
{
	static const char call[] = "{\"file_path\":\"notes\",\"content\":\"x\"}";
	char *before = ik_policy_targets(here, call, strlen(call)), *after;

	link_to(away, "notes");
	after = ik_policy_targets(here, call, strlen(call));
	cr_assert_str_neq(before, after);
	free(after);
	link_to("notes", "other");
	after = ik_policy_targets(here, "[]", 2);
	cr_assert_str_eq(after, "");
	free(after);
	free(before);
}

/* Cut at the NUL, both would be "command". */
Test(call_question, shows_all_of_a_name)
{
	cr_assert_str_eq(question(NULL, "{\"command\\u0000x\":\"ls\",\"command\":\"rm\"}"),
		"T command\xE2\x90\x80x: ls\nT command: rm\n");
	cr_assert_str_eq(question(NULL, "{\"command\\nls\":\"a\\nb\",\"\\u001b[2J\":1}"),
		"H command ls\nT a\nb\nT \xE2\x90\x9B[2J: 1\n");
}

/* In the words of the conversation; but they hide nothing that the tool is given. */
Test(call_question, shows_a_call_as_its_tool_says_and_all_else)
{
	cr_assert_str_eq(question(RUNS, "{\"command\":\"make\\nmake check\"}"),
		"T $ make\nmake check\n");
	cr_assert_str_eq(question(RUNS, "{\"command\":\"make\",\"timeout\":5,\"dry\":false}"),
		"T $ make\nT timeout: 5\nT dry: false\n");
	cr_assert_str_eq(question(RUNS, "{\"command\":\"ls\",\"command\":\"rm -r .\"}"),
		"T $ ls\nT command: rm -r .\n");
	cr_assert_str_eq(question("{\"line\":\"List files\"}", "{\"command\":\"rm -r .\"}"),
		"T List files\nT command: rm -r .\n");
	cr_assert_str_eq(question("{\"line\":\"Find {what}[ in {path} of {host}]\"}",
						 "{\"what\":\"a\\nb\",\"path\":\"x\"}"),
		"T Find a b\nT path: x\n");
	cr_assert_str_eq(question("{\"line\":\"Find {what}[ in {path}]\"}",
						 "{\"what\":\"a\",\"path\":\"x\"}"),
		"T Find a in x\n");
	cr_assert_str_eq(question("{\"line\":\"Look\"}", "{}"), "T Look\n");
	cr_assert_str_eq(question(NULL, "{}"), "I It has no arguments.\n");
}

/* The changes as the conversation has them. */
Test(call_question, shows_changes_with_the_numbers_of_lines)
{
	char *path = ik_path_join(here, "a.c");
	FILE *file = fopen(path, "w");

	fputs("one\ntwo\nthree\n", file);
	fclose(file);
	free(path);
	cr_assert_str_eq(question(EDITS,
						 "{\"file_path\":\"a.c\",\"old_string\":\"two\",\"new_string\":\"2\","
						 "\"replace_all\":true}"),
		"T Edit a.c\nT replace_all: true\nD 1   one\n2 - two\n2 + 2\n3   three\n");
	cr_assert_str_eq(question(EDITS,
						 "{\"file_path\":\"a.c\",\"old_string\":\"four\",\"new_string\":\"4\"}"),
		"T Edit a.c\nI The text to be replaced is not in the file: the edit would fail.\nD - "
		"four\n+ 4\n");
}

/* None of these is ever ready, or has an end. */
Test(call_question, never_waits_for_a_file)
{
	static const char *const names[] = {
		"/proc/kmsg",
		"/dev/zero",
		"/dev/tty",
		"pipe",
	};
	char *pipe = ik_path_join(here, "pipe");

	cr_assert_eq(mkfifo(pipe, 0600), 0);
	free(pipe);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *call = ik_format("{\"file_path\":\"%s\",\"content\":\"x\"}", names[i]);

		cr_assert_not_null(strstr(question(WRITES, call), "1 + x"), "%s", names[i]);
		free(call);
	}
}
