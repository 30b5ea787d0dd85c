/* Compare grep and glob with ripgrep and git on random input; skipped if these are not installed. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "json/write.h"
#include "tests/tools/support.h"

TestSuite(peers, .init = scratch_enter, .fini = scratch_leave, .timeout = 300);

/* Run a program and append its output; return its exit status, or -1 if it does not exist. */
static int run_peer(const char *const *argv, struct ik_buf *out)
{
	posix_spawn_file_actions_t actions;
	int fd = memfd_create("out", MFD_CLOEXEC);
	int status = 0;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fd, 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	int number = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (number == 0)
		cr_assert_eq(waitpid(pid, &status, 0), pid);
	off_t length = lseek(fd, 0, SEEK_END);
	char *to = ik_buf_reserve(out, (size_t)length + 1);
	cr_assert_eq(pread(fd, to, (size_t)length, 0), (ssize_t)length);
	ik_buf_commit(out, (size_t)length);
	close(fd);
	return number != 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127 ? -1 : WEXITSTATUS(status);
}

#define RUN(out, ...) run_peer((const char *const[]){ __VA_ARGS__, NULL }, out)

/* Skip, by name, if a program is not installed. */
static void need(const char *program)
{
	struct ik_buf out;

	ik_buf_init(&out, SIZE_MAX / 2);
	if (RUN(&out, program, "--version") != 0)
		cr_skip("there is no %s", program);
	ik_buf_done(&out);
}

static unsigned random_state = 1;

/* The same numbers on every machine. */
static unsigned random_below(unsigned limit)
{
	random_state = random_state * 1103515245 + 12345;
	return (random_state >> 8) % limit;
}

#define PICK(list) ((list)[random_below(sizeof(list) / sizeof((list)[0]))])

/* Append a random expression that should mean the same to both. */
static void random_pattern(struct ik_buf *out, int depth)
{
	static const char *const atoms[] = { "a", "b", "foo", "_", ".", "[ab]", "[^a]", "[a-f]", "\\d",
		"\\D", "\\s", "\\S", "\\w", "\\W", "[\\d_]", "[^\\d]", "[\\w.-]", "[^\\s\\]]", "[\\S1]", "[^\\S\\t]",
		"[^\\D1]", "\\t", "\\.", "\\x41", "\\u{e9}", "é", "[é]", "[^é]", "[[:digit:]x]",
		"k", "s", "S", "[j-t]", "σ", "ß", "\\[", "[^\\]]" };
	static const char *const edges[] = { "\\b", "\\B", "^", "$" };
	static const char *const flags[] = { "(?i)", "(?-i)", "(?s)" };
	static const char *const groups[] = { "(", "(?:", "(?i:", "(?-i:", "(?P<n>" };
	static const char *const repeats[] = { "*", "+", "?", "{2}", "{0,1}", "{1,3}", "{2,}", "*?", "+?",
		"\?\?", "{2}?", "{1,3}?" };

	for (unsigned i = random_below(4) + 1; i > 0; i--) {
		unsigned kind = random_below(16);

		if (kind < 3 && depth > 0) {
			ik_buf_puts(out, PICK(groups));
			random_pattern(out, depth - 1);
			if (kind == 0)
				ik_buf_putc(out, '|');
			if (kind == 0)
				random_pattern(out, depth - 1);
			ik_buf_putc(out, ')');
		} else if (kind == 3) {
			ik_buf_puts(out, PICK(flags));
			continue;
		} else if (kind == 4 && depth == 2) {
			/* Not in groups: the C library loses those that are repeated. */
			ik_buf_puts(out, PICK(edges));
			continue;
		} else {
			ik_buf_puts(out, PICK(atoms));
		}
		if (random_below(3) == 0)
			ik_buf_puts(out, PICK(repeats));
	}
}

/* Append random lines of characters. */
static void random_lines(struct ik_buf *out, int count)
{
	static const char *const pieces[] = { "a", "b", "ab", "foo", "FOO", " ", "_", "-", ".", "x", "1",
		"12", "\t", "é", "É", "\xc2\xa0", "٣", "K", "\u212a", "S", "\u017f", "σ", "ς", "ß", "ẞ", "[", "]",
		"A", "j", "T", "\\" };

	for (int i = 0; i < count; i++) {
		for (unsigned j = random_below(5); j > 0; j--)
			ik_buf_puts(out, PICK(pieces));
		ik_buf_putc(out, '\n');
	}
}

/* List the numbers of the lines that the tool finds in the file f, one per line. False: it refused. */
static bool grep_lines(const char *pattern, struct ik_buf *out)
{
	struct reply reply = ask_bytes("grep", "{'path':'f','pattern':'%s'}", pattern, strlen(pattern));
	char *text = ik_json_string_new(ik_json_member(reply.json, "output"), NULL);
	bool found = text != NULL;

	for (const char *at = text; found && *at != '\0'; at += *at != '\0') {
		ik_buf_printf(out, "%ld\n", strtol(at + 2, NULL, 10));
		at += strcspn(at, "\n");
	}
	free(text);
	reply_free(&reply);
	return found;
}

/* Reduce "12:text" lines to their numbers. */
static void keep_numbers(struct ik_buf *text)
{
	char *to = text->data;

	for (const char *at = text->data, *next; *at != '\0'; at = next) {
		size_t digits = strspn(at, "0123456789");

		next = at + strcspn(at, "\n");
		next += *next != '\0';
		memmove(to, at, digits);
		to += digits;
		*to++ = '\n';
	}
	ik_buf_truncate(text, (size_t)(to - text->data));
}

/* Number of rounds; for more, set IK_FUZZ_ROUNDS=10000. */
static int rounds(void)
{
	const char *wanted = getenv("IK_FUZZ_ROUNDS");

	return wanted != NULL ? (int)strtol(wanted, NULL, 10) : 150;
}

Test(peers, patterns_mean_what_ripgrep_means)
{
	struct ik_buf pattern, text, wanted, found;
	int compared = 0;

	need("rg");
	ik_buf_init(&pattern, SIZE_MAX / 2);
	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_init(&wanted, SIZE_MAX / 2);
	ik_buf_init(&found, SIZE_MAX / 2);
	random_lines(&text, 400);
	make_file("f", text.data, text.length);
	for (int i = 0; i < rounds(); i++) {
		ik_buf_clear(&pattern);
		ik_buf_clear(&wanted);
		ik_buf_clear(&found);
		random_pattern(&pattern, 2);
		int status = RUN(&wanted, "rg", "--no-config", "-n", "-a", "-e", pattern.data, "f");
		bool taken = grep_lines(pattern.data, &found);
		if (status > 1 || !taken)
			continue;
		keep_numbers(&wanted);
		cr_expect_str_eq(found.data, wanted.data, "/%s/", pattern.data);
		compared++;
	}
	cr_assert_gt(compared, rounds() / 2);
	ik_buf_done(&pattern);
	ik_buf_done(&text);
	ik_buf_done(&wanted);
	ik_buf_done(&found);
}

/* Rules of ignore files, alone and combined. Two stars between a part of a name and a slash are not
 * among them: git removes what is before the first wildcard, and then sees a "**" by itself. */
static const char *const rules[] = { "a", "b/", "/a", "a/b", "b/c/", "*.o", "!*.o", "!a", "!b/", "a/**",
	"**/b", "a/**/c", "**", "**/", "/**", "/*/c", "*/", "*", "!*", "[ab]", "[!a]", "[^b]", "[a-c]",
	"[]a]", "[a", "a[", "?", "a?", "??", "\\#x", "\\!y", "#x", "!y", "a\\ ", "a ",
	"a b", "\\a", "\\", "", " ", "/", "//", "a//", "**a", "a**", "*b*", "a*b", "x.o",
	"!/a/x.o", "!a/b", "/b/*", "!/b/a", "c/**/x.o", "**/a/**", "[!-a]", "[a-]", "a\r",
	"\xc3\xa9", "[\xc3\xa9]", "*\\", "/a*", "!/a*/" };
/* Rules that mean something else to ripgrep. */
static const char *const git_rules[] = { "[[:alpha:]]", "[[:digit:]-]", "[[:nonsense:]]", "[\\]a]", "***/b" };
static const char *const names[] = { "a", "b", "c", "d", "x.o", "y.o", "a b", "a ", "#x", "!y", "ab", "axb",
	"-", "1", "\xc3\xa9", ".h", "]", "[", "\\" };

/* Write an ignore file of random rules. */
static void make_rules(const char *directory, const char *name, bool for_git)
{
	struct ik_buf text;
	char path[400];

	ik_buf_init(&text, SIZE_MAX / 2);
	for (unsigned i = 1 + random_below(4); i > 0; i--)
		ik_buf_printf(&text, "%s%s", for_git && random_below(12) == 0 ? PICK(git_rules) : PICK(rules),
			random_below(8) == 0 && i == 1 ? "" : "\n");
	snprintf(path, sizeof(path), "%s%s", directory, name);
	make_file(path, text.data, text.length);
	ik_buf_done(&text);
}

/* Fill a directory (with its slash) with files of one line and with directories. */
static void make_random_tree(const char *directory, int depth, bool other_rules)
{
	char path[300];

	if (random_below(depth == 0 ? 2 : 4) == 0)
		make_rules(directory, ".gitignore", !other_rules);
	if (other_rules && random_below(8) == 0)
		make_rules(directory, ".ignore", false);
	for (unsigned i = 2 + random_below(6); i > 0; i--) {
		snprintf(path, sizeof(path) - 1, "%s%s", directory, PICK(names));
		if (access(path, F_OK) == 0)
			continue;
		if (depth < 3 && random_below(2) == 0) {
			size_t length = strlen(path);

			cr_assert_eq(mkdir(path, 0777), 0);
			path[length] = '/';
			path[length + 1] = '\0';
			make_random_tree(path, depth + 1, other_rules);
		} else {
			make_text(path, "x\n");
		}
	}
}

static int compare_texts(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Sort the texts that a byte ends, and join them with line feeds. */
static void sort_texts(struct ik_buf *texts, char end)
{
	char *list[5000];
	size_t count = 0;
	struct ik_buf sorted;

	ik_buf_init(&sorted, SIZE_MAX / 2);
	for (char *at = texts->data, *stop; (stop = memchr(at, end, (size_t)(texts->data + texts->length - at)))
		!= NULL; at = stop + 1) {
		*stop = '\0';
		/* In the form in which the tool prints names. */
		list[count++] = strncmp(at, "./", 2) == 0 ? at + 2 : at;
	}
	qsort(list, count, sizeof(list[0]), compare_texts);
	for (size_t i = 0; i < count; i++)
		ik_buf_printf(&sorted, "%s\n", list[i]);
	ik_buf_done(texts);
	*texts = sorted;
}

/* List the files that a recursive glob finds below a directory, sorted. */
static void found_files(const char *directory, bool all, struct ik_buf *out)
{
	struct reply reply = ask("glob", "{'pattern':'*','recursive':true,'ignored':%s,'path':'%s'}",
		all ? "true" : "false", directory);
	char *text = ik_json_string_new(ik_json_member(reply.json, "output"), NULL);
	struct stat status;

	cr_assert_not_null(text, "%s", reply.out.data);
	for (char *at = text, *line; (line = strsep(&at, "\n")) != NULL;)
		if (*line != '\0' && lstat(line, &status) == 0 && S_ISREG(status.st_mode))
			ik_buf_append(out, line, strlen(line) + 1);
	sort_texts(out, '\0');
	free(text);
	reply_free(&reply);
}

/* Make a new tree for each round and enter it; the user has rules, too. */
static void enter_tree(int round, bool other_rules)
{
	char name[40];

	snprintf(name, sizeof(name), "tree%d", round);
	cr_assert_eq(mkdir(name, 0777), 0);
	cr_assert_eq(chdir(name), 0);
	make_random_tree("", 0, other_rules);
}

/* Git asks for the user's configuration, as the tools do. */
static void make_home(void)
{
	char here[400], home[500];

	cr_assert_not_null(getcwd(here, sizeof(here)));
	snprintf(home, sizeof(home), "%s/home", here);
	cr_assert_eq(mkdir("home", 0777), 0);
	cr_assert_eq(setenv("HOME", home, 1), 0);
	cr_assert_eq(unsetenv("XDG_CONFIG_HOME"), 0);
	make_text("home/.gitconfig", "[safe]\n\tdirectory = *\n[core]\n\texcludesFile = ~/mine\n");
	make_text("home/mine", "y.o\n!x.o\n");
}

/* Expect that two lists of files are the same. */
static void expect_same(const char *what, const struct ik_buf *found, const struct ik_buf *wanted)
{
	struct ik_buf lines;

	if (strcmp(found->data, wanted->data) == 0)
		return;
	ik_buf_init(&lines, SIZE_MAX / 2);
	(void)RUN(&lines, "grep", "-r", "", "--include=.gitignore", "--include=.ignore", "--include=exclude", ".");
	cr_assert_fail("%s\nfound:\n%s\nwanted:\n%s\nrules:\n%s", what, found->data, wanted->data, lines.data);
}

Test(peers, git_ignores_the_same_files)
{
	struct ik_buf wanted, found;

	need("git");
	make_home();
	ik_buf_init(&wanted, SIZE_MAX / 2);
	ik_buf_init(&found, SIZE_MAX / 2);
	for (int i = 0; i < rounds(); i++) {
		enter_tree(i, false);
		cr_assert_eq(RUN(&wanted, "git", "init", "-q", "."), 0);
		make_rules(".git/info/", "exclude", true);
		ik_buf_clear(&wanted);
		ik_buf_clear(&found);
		cr_assert_eq(RUN(&wanted, "git", "ls-files", "-z", "--others", "--exclude-standard"), 0);
		sort_texts(&wanted, '\0');
		found_files("", false, &found);
		expect_same("all", &found, &wanted);
		/* Below a directory that nothing excludes, its parents' rules apply, too. */
		for (char *at = wanted.data, *line; (line = strsep(&at, "\n")) != NULL;) {
			char *slash = strrchr(line, '/');
			struct ik_buf below;
			char path[400];

			if (slash == NULL)
				continue;
			ik_buf_init(&below, SIZE_MAX / 2);
			*slash = '\0';
			snprintf(path, sizeof(path), "%s/", line);
			ik_buf_clear(&found);
			cr_assert_eq(RUN(&below, "git", "ls-files", "-z", "--others", "--exclude-standard", "--",
				path), 0);
			sort_texts(&below, '\0');
			if (strpbrk(line, "\\[") == NULL) {
				found_files(line, false, &found);
				expect_same(line, &found, &below);
			}
			ik_buf_done(&below);
			break;
		}
		cr_assert_eq(chdir(".."), 0);
	}
	ik_buf_done(&wanted);
	ik_buf_done(&found);
}

Test(peers, ripgrep_ignores_the_same_files)
{
	struct ik_buf wanted, found;

	need("rg");
	make_home();
	ik_buf_init(&wanted, SIZE_MAX / 2);
	ik_buf_init(&found, SIZE_MAX / 2);
	for (int i = 0; i < rounds(); i++) {
		enter_tree(i, true);
		cr_assert_eq(mkdir(".git", 0777), 0);
		ik_buf_clear(&wanted);
		ik_buf_clear(&found);
		(void)RUN(&wanted, "rg", "--no-config", "--files", "--hidden", "--no-messages", "-0", "-g", "!.git");
		sort_texts(&wanted, '\0');
		found_files("", false, &found);
		expect_same("all", &found, &wanted);
		ik_buf_clear(&wanted);
		ik_buf_clear(&found);
		(void)RUN(&wanted, "rg", "--no-config", "--files", "--hidden", "--no-ignore", "-0");
		sort_texts(&wanted, '\0');
		found_files("", true, &found);
		expect_same("ignored ones too", &found, &wanted);
		cr_assert_eq(chdir(".."), 0);
	}
	ik_buf_done(&wanted);
	ik_buf_done(&found);
}
