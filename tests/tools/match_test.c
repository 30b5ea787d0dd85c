/*
 * Compare glob's answers with glob(3) and, for **, with the simplest possible search, over random
 * trees and patterns, in the C locale and in a UTF-8 one.
 *
 * A failure prints its seed; IK_SEED=N in the environment repeats it.
 */
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/support/plain_glob.h"
#include "tests/tools/support.h"
#include "json/write.h"
#include "tools/common/match.h"

static const char *const locales[] = { "C", "C.UTF-8" };

static const char *const name_pieces[] = { "a", "b", "c", "B", "x", "0", "é", "ü", "Ω", ".", "-",
	"[", "]", "*", "?", "\\", "!", "^", "~", " ", "\n", "\xff", "\xc3", "{", "," };

static const char *const pattern_pieces[] = { "a", "b", "c", "B", "x", "é", "ü", ".", "*", "*", "?",
	"[ab]", "[!a]", "[^b]", "[a-c]", "[A-Z]", "[c-a]", "[a-]", "[]a]", "[!]]", "[[]", "[]", "[a",
	"[!", "[", "]", "[é-ü]", "[.a]", "[*?]", "[\\]]", "[a\\-c]", "[a/b]", "[[:alpha:]]",
	"[![:alpha:]]", "[[:upper:][:digit:]]", "[[:punct:]]", "[[:nonsense:]]", "[[=a=]]", "[[.-.]]",
	"[[.a.]-c]", "/", "/", "//", "*/", "?*/", "\\a", "\\*", "\\?", "\\[", "\\\\", "\\", "\\.",
	"~", "{a,b}", "**", "!", "-", "\n", " " };

#define ANY(list) ((list)[(size_t)rand() % (sizeof(list) / sizeof((list)[0]))])

static unsigned seed;

static void add_name(struct ik_buf *out)
{
	for (int pieces = rand() % 3 + 1; pieces > 0; pieces--)
		ik_buf_puts(out, ANY(name_pieces));
}

/* Fill the current directory. */
static void make_tree(int depth, bool links)
{
	struct ik_buf name;

	ik_buf_init(&name, 1000);
	for (int entries = rand() % 8 + 2; entries > 0; entries--) {
		ik_buf_clear(&name);
		add_name(&name);
		int kind = rand() % (links ? 8 : 6);
		if (kind < 2 && depth > 0 && mkdir(name.data, 0777) == 0) {
			cr_assert_eq(chdir(name.data), 0);
			make_tree(depth - 1, links);
			cr_assert_eq(chdir(".."), 0);
		} else if (kind < 6) {
			int fd = open(name.data, O_WRONLY | O_CREAT, 0666);
			if (fd >= 0)
				close(fd);
		} else {
			/* To a directory above, to nowhere, or to itself: loops for anything that follows
			 * links. */
			(void)!symlink(kind == 6 ? ".." : rand() % 2 ? "nowhere" : name.data, name.data);
		}
	}
	ik_buf_done(&name);
}

static void begin(void)
{
	const char *wanted = getenv("IK_SEED");

	scratch_enter();
	seed = wanted != NULL ? (unsigned)strtoul(wanted, NULL, 10) :
		(unsigned)time(NULL) * 1000 + (unsigned)getpid() % 1000;
	srand(seed);
	/* So deep that no pattern leaves this test's own directories. */
	for (int i = 0; i < 8; i++) {
		cr_assert_eq(mkdir("tree", 0777), 0);
		cr_assert_eq(chdir("tree"), 0);
	}
}

TestSuite(match, .init = begin, .fini = scratch_leave, .timeout = 240);

/* Make a pattern; deep: with at least one "**". */
static void make_pattern(struct ik_buf *pattern, bool deep)
{
	do {
		ik_buf_clear(pattern);
		for (int pieces = rand() % 6 + 1; pieces > 0; pieces--)
			ik_buf_puts(pattern, deep && rand() % 4 == 0 ? "/**/" : ANY(pattern_pieces));
		if (deep && rand() % 2 == 0)
			ik_buf_insert(pattern, 0, "**/", 3);
		ik_buf_erase(pattern, 0, strspn(pattern->data, "/\\"));
	} while (plain_is_deep(pattern->data) != deep || plain_is_overread(pattern->data) ||
		(deep && plain_is_hopeless_glob(pattern->data)));
}

/* List what glob(3) finds, each path with a NUL; return the number of paths. */
static size_t by_library(const char *pattern, struct ik_buf *out)
{
	glob_t found = { 0 };
	size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;

	for (size_t i = 0; i < count; i++)
		ik_buf_append(out, found.gl_pathv[i], strlen(found.gl_pathv[i]) + 1);
	globfree(&found);
	return count;
}

static bool take_path(void *arg, const char *path, unsigned char type)
{
	(void)type;
	ik_buf_append(arg, path, strlen(path) + 1);
	return true;
}

static void expect_same(const struct ik_buf *found, const struct ik_buf *wanted,
	const char *pattern, const char *locale)
{
	for (size_t i = 0; i < found->length; i++)
		found->data[i] += found->data[i] == '\0' ? '|' : 0;
	for (size_t i = 0; i < wanted->length; i++)
		wanted->data[i] += wanted->data[i] == '\0' ? '|' : 0;
	cr_assert_str_eq(found->data, wanted->data, "IK_SEED=%u, locale %s, pattern '%s':\n%s\nnot\n%s",
		seed, locale, pattern, found->data, wanted->data);
}

Test(match, is_globs_own_answer_without_deep_components)
{
	struct ik_buf pattern, found, wanted;

	ik_buf_init(&pattern, 1000);
	ik_buf_init(&found, SIZE_MAX / 2);
	ik_buf_init(&wanted, SIZE_MAX / 2);
	make_tree(3, true);
	for (int i = 0; i < 6000; i++) {
		const char *locale = locales[i % 2];

		cr_assert_not_null(setlocale(LC_CTYPE, locale));
		make_pattern(&pattern, false);
		ik_buf_clear(&found);
		ik_buf_clear(&wanted);
		by_library(pattern.data, &wanted);
		cr_assert_eq(ik_match(NULL, pattern.data, IK_MATCH_PATTERN, take_path, &found), IK_MATCH_DONE);
		expect_same(&found, &wanted, pattern.data, locale);
	}
	ik_buf_done(&pattern);
	ik_buf_done(&found);
	ik_buf_done(&wanted);
}

Test(match, is_the_plain_answer_with_deep_components)
{
	struct ik_buf pattern, found, wanted;

	ik_buf_init(&pattern, 1000);
	ik_buf_init(&found, SIZE_MAX / 2);
	ik_buf_init(&wanted, SIZE_MAX / 2);
	make_tree(4, false);
	struct plain_tree *tree = plain_tree_new();
	for (int i = 0; i < 3000; i++) {
		const char *locale = locales[i % 2];

		cr_assert_not_null(setlocale(LC_CTYPE, locale));
		make_pattern(&pattern, true);
		ik_buf_clear(&found);
		ik_buf_clear(&wanted);
		plain_glob(tree, pattern.data, &wanted);
		cr_assert_eq(ik_match("", pattern.data, IK_MATCH_PATTERN, take_path, &found), IK_MATCH_DONE);
		expect_same(&found, &wanted, pattern.data, locale);
	}
	plain_tree_free(tree);
	ik_buf_done(&pattern);
	ik_buf_done(&found);
	ik_buf_done(&wanted);
}

/* Make the tool's expected answer for the paths, each with a NUL. */
static void make_answer(struct ik_buf *answer, const struct ik_buf *paths, size_t count)
{
	const char *at = paths->data;

	ik_json_open(answer, '{');
	ik_json_key(answer, "output");
	ik_json_quote_open(answer);
	for (size_t i = 0; i < count; i++, at += strlen(at) + 1) {
		ik_json_escape(answer, "\n", i > 0);
		ik_json_escape(answer, at, strlen(at));
	}
	ik_json_quote_close(answer);
	ik_json_key(answer, "count");
	ik_json_put_integer(answer, (int64_t)count);
	ik_json_close(answer, '}');
}

Test(match, the_tool_answers_byte_for_byte)
{
	static const char *const settings[] = { "LC_ALL=C", "LC_ALL=C.UTF-8" };
	struct ik_buf pattern, input, found, wanted;

	ik_buf_init(&pattern, 1000);
	ik_buf_init(&input, 10000);
	ik_buf_init(&found, SIZE_MAX / 2);
	ik_buf_init(&wanted, SIZE_MAX / 2);
	make_tree(3, true);
	for (int i = 0; i < 100; i++) {
		cr_assert_not_null(setlocale(LC_CTYPE, locales[i % 2]));
		make_pattern(&pattern, false);
		ik_buf_clear(&found);
		ik_buf_clear(&wanted);
		ik_buf_clear(&input);
		/* In a directory whose name is a pattern, too, or in the current one. */
		bool above = i % 3 == 0;
		ik_json_open(&input, '{');
		ik_json_key(&input, "pattern");
		ik_json_put_string(&input, pattern.data, pattern.length);
		if (above) {
			ik_json_key(&input, "path");
			ik_json_put_text(&input, "../tree");
			ik_buf_insert(&pattern, 0, "../tree/", 8);
		}
		ik_json_close(&input, '}');
		make_answer(&wanted, &found, by_library(pattern.data, &found));
		struct reply reply = call_run(&(struct call){ .tool = "glob", .input = input.data,
			.setting = settings[i % 2] });
		cr_assert_str_eq(reply.out.data, wanted.data, "IK_SEED=%u, %s, input %s:\n%s\nnot\n%s",
			seed, settings[i % 2], input.data, reply.out.data, wanted.data);
		reply_free(&reply);
	}
	ik_buf_done(&pattern);
	ik_buf_done(&input);
	ik_buf_done(&found);
	ik_buf_done(&wanted);
}
