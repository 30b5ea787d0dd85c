/* What grep and glob find beside what ripgrep and git say, on random input; where there is no
 * such program the test is skipped. */
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

/* Run a program and append what it prints; its exit status, or -1 if there is none such. */
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

/* Skip, by name, where a program is not there. */
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

/* Append a random expression that means the same to both, or so they say. */
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

/* The numbers of the lines that the tool finds in the file f, one a line. False: it refused. */
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

/* Leave nothing but the numbers of "12:text" lines. */
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

/* How much is tried; more by hand: IK_FUZZ_ROUNDS=10000. */
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
