#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/tools/support.h"

TestSuite(grep, .init = scratch_enter, .fini = scratch_leave, .timeout = 60);

Test(grep, describes_itself)
{
	struct reply reply = call_run(&(struct call){ .tool = "grep", .option = "--schema" });

	cr_assert_str_eq(reply.out.data,
		"{\"name\":\"grep\",\"description\":\"Search for pattern in files using regular expressions\","
		"\"parameters\":{\"type\":\"object\",\"properties\":{\"pattern\":{\"type\":\"string\","
		"\"description\":\"Regular expression pattern (POSIX extended, with \\\\d \\\\s \\\\w \\\\b "
		"(?:...) (?i) and lazy quantifiers; no lookaround or back-references; matched line by line)\"},\"glob\":{\"type\":\"string\","
		"\"description\":\"Glob pattern to filter files (e.g., '*.c')\"},\"path\":{\"type\":\"string\","
		"\"description\":\"Directory to search in (default: current directory)\"}},"
		"\"required\":[\"pattern\"]},\"annotations\":{\"readOnly\":true}}\n");
	reply_free(&reply);
}

/* A small tree. */
static void make_sources(void)
{
	cr_assert_eq(mkdir("src", 0777), 0);
	cr_assert_eq(mkdir("src/sub", 0777), 0);
	make_text("src/main.c", "int x;\n// note: one\n");
	make_text("src/util.c", "// note: two");
	make_text("src/util.h", "// note: three\n");
	make_text("src/sub/deep.c", "// note: four\n");
	make_text("src/.hidden.c", "// note: five\n");
	make_text("top.c", "// note: six\n");
	cr_assert_eq(symlink("main.c", "src/link.c"), 0);
	cr_assert_eq(mkfifo("src/fifo.c", 0666), 0);
}

Test(grep, files_of_a_directory)
{
	make_sources();
	expect_json(ask("grep", "{'pattern':'note','glob':'*.c','path':'src'}"),
		"{'output':'src/main.c:2: // note: one\\nsrc/util.c:1: // note: two','count':2}");
	expect_json(ask("grep", "{'pattern':'note','path':'src'}"),
		"{'output':'src/main.c:2: // note: one\\nsrc/util.c:1: // note: two\\n"
		"src/util.h:1: // note: three','count':3}");
	expect_json(ask("grep", "{'pattern':'note','path':'src','glob':''}"),
		"{'output':'src/main.c:2: // note: one\\nsrc/util.c:1: // note: two\\n"
		"src/util.h:1: // note: three','count':3}");
	expect_json(ask("grep", "{'pattern':'note'}"), "{'output':'top.c:1: // note: six','count':1}");
	expect_json(ask("grep", "{'pattern':'note','path':''}"),
		"{'output':'top.c:1: // note: six','count':1}");
	expect_json(ask("grep", "{'pattern':'note','path':'.'}"),
		"{'output':'./top.c:1: // note: six','count':1}");
	expect_json(ask("grep", "{'pattern':'nothing','path':'src','glob':'*'}"),
		"{'output':'','count':0}");
	expect_json(ask("grep", "{'pattern':'note','path':'missing'}"),
		"{'output':'','count':0}");
	expect_json(ask("grep", "{'pattern':'note','path':'src','glob':'*.x'}"),
		"{'output':'','count':0}");
}

Test(grep, files_of_any_depth)
{
	make_sources();
	expect_json(ask("grep", "{'pattern':'note','glob':'**/*.c'}"),
		"{'output':'src/main.c:2: // note: one\\nsrc/sub/deep.c:1: // note: four\\n"
		"src/util.c:1: // note: two\\ntop.c:1: // note: six','count':4}");
}

Test(grep, one_file)
{
	make_sources();
	expect_json(ask("grep", "{'pattern':'note','path':'src/main.c'}"),
		"{'output':'src/main.c:2: // note: one','count':1}");
	expect_json(ask("grep", "{'pattern':'note','path':'src/link.c'}"),
		"{'output':'src/link.c:2: // note: one','count':1}");
	expect_json(ask("grep", "{'pattern':'note','path':'src/fifo.c'}"), "{'output':'','count':0}");
}

Test(grep, posix_extended_expressions)
{
	make_text("a", "foo\nfoooo\nfo\nbar\na.b\n(x)\nTab\there\n");
	expect_json(ask("grep", "{'pattern':'^fo+$'}"), "{'output':'a:1: foo\\na:2: foooo\\na:3: fo','count':3}");
	expect_json(ask("grep", "{'pattern':'(foo|bar)'}"),
		"{'output':'a:1: foo\\na:2: foooo\\na:4: bar','count':3}");
	expect_json(ask("grep", "{'pattern':'fo{4}'}"), "{'output':'a:2: foooo','count':1}");
	expect_json(ask("grep", "{'pattern':'a\\\\.b'}"), "{'output':'a:5: a.b','count':1}");
	expect_json(ask("grep", "{'pattern':'\\\\(x\\\\)'}"), "{'output':'a:6: (x)','count':1}");
	expect_json(ask("grep", "{'pattern':'^[[:upper:]]'}"), "{'output':'a:7: Tab\\there','count':1}");
	expect_json(ask("grep", "{'pattern':'[^a-z]x?'}"),
		"{'output':'a:5: a.b\\na:6: (x)\\na:7: Tab\\there','count':3}");
}

/* What POSIX lacks, with the meaning that it has for ripgrep. The lines are numbered 0 to 9. */
Test(grep, expressions_of_other_dialects)
{
	static const struct {
		const char *pattern;
		const char *lines; /* digits: those that are found */
	} cases[] = {
		{ "\\\\d", "1359" }, { "^\\\\d+$", "59" }, { "[\\\\d_]", "13459" }, { "^[^\\\\d]*$", "024678" },
		{ "^\\\\D+$", "024678" }, { "[^\\\\D2]", "1359" }, { "d", "7" }, { "^[\\\\D1]+$", "0124678" },
		{ "\\\\s", "0267" }, { "[\\\\s]b", "0" }, { "^\\\\S+$", "134589" }, { "[^\\\\S ]", "2" },
		{ "\\\\t", "2" }, { "[\\\\t]", "2" }, { "\\\\x41", "4" }, { "\\\\x{c4}", "8" }, { "\\\\u00c4", "8" },
		{ "\\\\bbar\\\\b", "0" }, { "\\\\Bar\\\\b", "0" }, { "^\\\\w+$", "14589" }, { "^[^\\\\W_]+$", "1589" },
		{ "^[^\\\\W\\\\d_]a$", "8" }, { "[\\\\w.]+@", "6" }, { "[\\\\w\\\\-]+-x", "3" }, { "\\\\Afoo", "0" }, { "bar\\\\z", "0" },
		{ "(?:foo|x-)", "03" }, { "(?<n>foo)", "0" }, { "(?P<n>foo)", "0" }, { "(?i)FOO", "0" },
		{ "(?i:FOO) bar", "0" }, { "(?i)F(?-i)oo", "0" }, { "(?i:F)OO", "" }, { "(?i)\u00e4", "8" },
		{ "(?i)[x-z]-X", "3" }, { "(?i)[^F]OO", "" }, { "(?i)sa_A", "4" }, { "(?s).(?i)A_", "4" },
		{ "fo*?", "06" }, { "fo+? ", "0" }, { "o{2}? ", "0" }, { "^x?\?-", "" }, { "^1?\?2", "35" },
		{ "\\\\[[^\\\\]]+\\\\]", "7" }, { "[\\\\]]", "7" }, { "[a\\\\]$", "4678" },
	};
	struct ik_buf wanted;

	make_text("f", "foo bar\nx1\n\tx.y\n12-x-x\nSA_a\n12\nfa@b \\\n[end] a\nÄa\n٣\n");
	ik_buf_init(&wanted, SIZE_MAX / 2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct reply reply = ask("grep", "{'pattern':'%s'}", cases[i].pattern);
		char *output = ik_json_string_new(ik_json_member(reply.json, "output"), NULL);

		cr_assert_not_null(output, "%s: %s", cases[i].pattern, reply.out.data);
		ik_buf_clear(&wanted);
		/* The line numbers, less one. */
		for (const char *at = output; *at != '\0'; at += *at != '\0') {
			ik_buf_putc(&wanted, (char)('0' + strtol(at + 2, NULL, 10) - 1));
			at += strcspn(at, "\n");
		}
		cr_expect_str_eq(wanted.data, cases[i].lines, "%s: %s", cases[i].pattern, reply.out.data);
		free(output);
		reply_free(&reply);
	}
	ik_buf_done(&wanted);
}

Test(grep, lines_and_their_ends)
{
	make_text("a", "\n\nlast");
	expect_json(ask("grep", "{'pattern':''}"), "{'output':'a:1: \\na:2: \\na:3: last','count':3}");
	expect_json(ask("grep", "{'pattern':'^$'}"), "{'output':'a:1: \\na:2: ','count':2}");
	make_text("a", "");
	expect_json(ask("grep", "{'pattern':''}"), "{'output':'','count':0}");
	make_text("a", "dos\r\nunix\n");
	expect_json(ask("grep", "{'pattern':'s.$'}"), "{'output':'a:1: dos\\r','count':1}");
	expect_json(ask("grep", "{'pattern':'x\\ny'}"), "{'output':'','count':0}");
}

Test(grep, any_bytes)
{
	make_file("a", "\xff needle \xc3\nbin\0needle\0x\n\xe2\x82\xac\n", 28);
	expect_json(ask("grep", "{'pattern':'needle'}"),
		"{'output':'a:1: \uFFFD needle \uFFFD\\na:2: bin\\u0000needle\\u0000x','count':2}");
	expect_json(ask("grep", "{'pattern':'^.$'}"), "{'output':'a:3: €','count':1}");
	struct reply reply = call_run(&(struct call){ .tool = "grep", .setting = "LC_ALL=C",
		.input = "{\"pattern\":\"^...$\"}" });
	expect_json(reply, "{'output':'a:3: €','count':1}");
}

Test(grep, odd_names)
{
	make_text("new\nline:\xff", "x\n");
	expect_json(ask("grep", "{'pattern':'x'}"), "{'output':'new\\nline:\uFFFD:1: x','count':1}");
}

Test(grep, long_lines)
{
	struct ik_buf text;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_puts(&text, "short\n");
	for (int i = 0; i < 1000000; i++)
		ik_buf_putc(&text, 'x');
	make_file("a", text.data, text.length);
	expect_json(ask("grep", "{'pattern':'x$'}"), "{'output':'a:2: %s','count':1}", text.data + 6);
	ik_buf_done(&text);
}

Test(grep, lines_across_blocks)
{
	struct ik_buf text, wanted;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_init(&wanted, SIZE_MAX / 2);
	for (int i = 1; i <= 60000; i++) {
		ik_buf_printf(&text, "line %d\n", i);
		if (i % 1000 == 7)
			ik_buf_printf(&wanted, "%sa:%d: line %d", wanted.length > 0 ? "\\n" : "", i, i);
	}
	make_file("a", text.data, text.length);
	expect_json(ask("grep", "{'pattern':'^line [0-9]*007$'}"), "{'output':'%s','count':%d}",
		wanted.data + strlen("a:7: line 7\\n"), 59);
	ik_buf_done(&text);
	ik_buf_done(&wanted);
}

Test(grep, wrong_expressions)
{
	expect_error(ask("grep", "{'pattern':'('}"), "INVALID_PATTERN",
		"Invalid pattern: Unmatched ( or \\(");
	expect_error(ask("grep", "{'pattern':'[a'}"), "INVALID_PATTERN",
		"Invalid pattern: Unmatched [, [^, [:, [., or [=");
	expect_error(ask("grep", "{'pattern':'a{2,1}'}"), "INVALID_PATTERN",
		"Invalid pattern: Invalid content of \\{\\}");
	expect_error(ask("grep", "{'pattern':'[[:nothing:]]'}"), "INVALID_PATTERN",
		"Invalid pattern: Invalid character class name");
	expect_error(ask("grep", "{'pattern':'a\\u0000b'}"), "INVALID_ARG",
		"pattern must not contain a NUL character");
}

Test(grep, files_that_cannot_be_read)
{
	SKIP_UNLESS_ROOT();
	make_text("a", "x\n");
	make_text("secret", "x\n");
	cr_assert_eq(chmod("secret", 0600), 0);
	expect_json(ask_as_nobody("grep", "{'pattern':'x'}"), "{'output':'a:1: x','count':1}");
}

Test(grep, files_that_shrink)
{
	struct ik_buf text;
	int fd;

	ik_buf_init(&text, SIZE_MAX / 2);
	while (text.length < 4000000)
		ik_buf_puts(&text, "some text in a line\n");
	for (int i = 0; i < 20; i++) {
		make_file("a", text.data, text.length);
		struct running running = call_start(&(struct call){ .tool = "grep",
			.input = "{\"pattern\":\"te[x]t in\"}" });
		fd = open("a", O_WRONLY | O_TRUNC);
		close(fd);
		struct reply reply = call_finish(running);
		cr_assert_eq(reply.status, 0);
		cr_assert_not_null(reply.json.text);
		reply_free(&reply);
	}
	ik_buf_done(&text);
}

/* Many files, some with matches whose ends are so long; what is to be found, escaped. */
static void make_many(struct ik_buf *wanted, int files, int lines, int length)
{
	struct ik_buf text;
	char name[40];

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_init(wanted, SIZE_MAX / 2);
	cr_assert_eq(mkdir("many", 0777), 0);
	for (int i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "many/%05d.txt", i);
		ik_buf_clear(&text);
		ik_buf_puts(&text, "nothing\n");
		for (int j = 0; i % 3 == 0 && j < lines; j++) {
			ik_buf_printf(&text, "needle %d in %0*d\n", j, length, i);
			ik_buf_printf(wanted, "%s%s:%d: needle %d in %0*d",
				wanted->length > 0 ? "\\n" : "", name, j + 2, j, length, i);
		}
		make_file(name, text.data, text.length);
	}
	ik_buf_done(&text);
}

Test(grep, many_files_in_order)
{
	struct ik_buf wanted;

	make_many(&wanted, 3000, 3, 1);
	expect_json(ask("grep", "{'pattern':'needle','path':'many'}"), "{'output':'%s','count':3000}",
		wanted.data);
	expect_json(ask("grep", "{'pattern':'needle','glob':'**/*'}"), "{'output':'%s','count':3000}",
		wanted.data);
	ik_buf_done(&wanted);
}

Test(grep, more_output_than_is_kept_waiting)
{
	struct ik_buf wanted;

	make_many(&wanted, 600, 1200, 330);
	expect_json(ask("grep", "{'pattern':'needle','path':'many'}"), "{'output':'%s','count':240000}",
		wanted.data);
	ik_buf_done(&wanted);
}

/* The process that helps the tool, 0 when there is none (any more). */
static pid_t helper_of(pid_t tool)
{
	char path[80], text[40] = "";
	FILE *children;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", tool, tool);
	children = fopen(path, "r");
	if (children == NULL)
		return 0;
	if (fgets(text, sizeof(text), children) == NULL)
		text[0] = '\0';
	fclose(children);
	return (pid_t)strtol(text, NULL, 10);
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	cr_assert_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
	return info.si_pid == pid;
}

Test(grep, goes_on_alone_when_its_helper_is_killed)
{
	struct ik_buf wanted;
	int killed = 0;

	make_many(&wanted, 3000, 30, 1);
	for (int i = 0; i < 10; i++) {
		struct running running = call_start(&(struct call){ .tool = "grep",
			.setting = "ASAN_OPTIONS=detect_leaks=0",
			.input = "{\"pattern\":\"need[l]e\",\"path\":\"many\"}" });
		pid_t helper = 0;
		while (helper == 0 && !has_ended(running.pid))
			helper = helper_of(running.pid);
		if (helper > 1)
			killed += kill(helper, SIGKILL) == 0;
		expect_json(call_finish(running), "{'output':'%s','count':30000}", wanted.data);
	}
	if (killed == 0)
		cr_skip("no helper was made: there is only one processor");
	ik_buf_done(&wanted);
}

Test(grep, leaves_no_helper_when_nobody_reads)
{
	struct ik_buf wanted;
	int ends[2];

	make_many(&wanted, 600, 2000, 1);
	ik_buf_done(&wanted);
	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	struct reply reply = call_run(&(struct call){ .tool = "grep", .output = ends[1],
		.input = "{\"pattern\":\"needle\",\"path\":\"many\"}" });
	cr_assert_eq(reply.status, 1);
	reply_free(&reply);
	close(ends[1]);
}
