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
		"{\"name\":\"grep\",\"description\":\"Search for pattern in files using regular expressio"
		"ns\",\"parameters\":{\"type\":\"object\",\"properties\":{\"pattern\":{\"type\":\"string"
		"\",\"description\":\"Regular expression pattern (POSIX extended, with \\\\d \\\\s \\\\w "
		"\\\\b (?:...) (?i), lookaround and lazy quantifiers; no back-references; matched line "
		"by line)\"},\"glob\":{\"type\":\"string\",\"description\":\"Glob pattern to filter files"
		" (e.g., '*.c')\"},\"path\":{\"type\":\"string\",\"description\":\"Directory to search in"
		" (default: current directory)\"},\"recursive\":{\"type\":\"boolean\",\"description\":\"S"
		"earch all directories below too, and dot files, but not .git and what .gitignore and .ig"
		"nore exclude; a binary file that matches is only named: the way to search a project (def"
		"ault: false, only the files directly in path)\"},\"ignored\":{\"type\":\"boolean\",\"des"
		"cription\":\"With recursive: exclude nothing, e.g. to search dependencies or build outpu"
		"t (default: false)\"},\"ignore_case\":{\"type\":\"boolean\",\"description\":\"Match uppe"
		"r and lower case alike (default: false)\"},\"context\":{\"type\":\"integer\",\"descripti"
		"on\":\"Lines to show before and after each match, as path-number- text; often saves read"
		"ing the file (at most 1000, default: 0)\"},\"limit\":{\"type\":\"integer\",\"description"
		"\":\"Most matching lines to return; the output says if more match. Use it when a pattern"
		" may be common (default: all)\"}},\"required\":[\"pattern\"]},\"annotations\":{\"readOnl"
		"y\":true},\"display\":{\"kind\":\"search\",\"line\":\"Search \\\"{pattern}\\\"[ in {pat"
		"h}][ in {glob}]\",\"result\":\"{count|match|matches}\",\"path\":\"path\"}}\n");
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

/* What POSIX lacks, with ripgrep's meaning. The lines are numbered 0 to 9. */
Test(grep, expressions_of_other_dialects)
{
	static const struct {
		const char *pattern;
		const char *lines; /* digits of the lines that are found */
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
		{ "foo(?= bar)", "0" }, { "x(?!1|-)", "23" }, { "(?<=b)a", "0" }, { "(?<!\\\\s)x", "13" },
		{ "a(?!\\\\s)", "04678" }, { "[[:<:]]b", "06" }, { "[[:>:]] b", "0" }, { "[\\\\w-b]-", "3" },
		{ "a**b", "06" }, { "(b|a){1}{2}", "0" }, { "x{,1}1", "135" }, { "a)", "" },
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

/* Many files, some with matches that have such long ends; wanted gets the output, escaped. */
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

/* Return the process that helps the tool; 0 if there is none, or none any more. */
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
	cr_assert_gt(killed, 0, "no helper was made");
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

Test(grep, recursive)
{
	make_sources();
	cr_assert_eq(mkdir(".git", 0777), 0);
	make_text(".git/config", "note\n");
	make_text(".gitignore", "*.h\n");
	expect_json(ask("grep", "{'pattern':'note','recursive':true}"),
		"{'output':'src/.hidden.c:1: // note: five\\nsrc/main.c:2: // note: one\\n"
		"src/sub/deep.c:1: // note: four\\nsrc/util.c:1: // note: two\\ntop.c:1: // note: six','count':5}");
	expect_json(ask("grep", "{'pattern':'note','recursive':true,'glob':'*u*.[ch]','path':'src'}"),
		"{'output':'src/util.c:1: // note: two','count':1}");
	expect_json(ask("grep", "{'pattern':'note','recursive':true,'ignored':true,'glob':'*[hg]'}"),
		"{'output':'.git/config:1: note\\nsrc/util.h:1: // note: three','count':2}");
	expect_json(ask("grep", "{'pattern':'note','recursive':true,'path':'src/util.h'}"),
		"{'output':'src/util.h:1: // note: three','count':1}");
}

Test(grep, binary_files)
{
	struct ik_buf text;

	make_file("a", "needle\n\0needle\n", 15);
	make_text("b", "needle\n");
	make_file("c", "\0nothing\n", 9);
	ik_buf_init(&text, SIZE_MAX / 2);
	while (text.length < 300000)
		ik_buf_puts(&text, "line\n");
	text.data[100] = '\0';
	ik_buf_puts(&text, "needle\n");
	make_file("d", text.data, text.length);
	/* As ever, and once for each file when a whole tree is searched. */
	expect_json(ask("grep", "{'pattern':'needle'}"), "{'output':'a:1: needle\\na:2: \\u0000needle\\n"
		"b:1: needle\\nd:60001: needle','count':4}");
	expect_json(ask("grep", "{'pattern':'needle','recursive':true}"), "{'output':'a: binary file matches\\n"
		"b:1: needle\\nd: binary file matches','count':3}");
	expect_json(ask("grep", "{'pattern':'needle','recursive':true,'limit':2}"),
		"{'output':'a: binary file matches\\nb:1: needle\\n(more lines match than the limit of 2)','count':2}");
	/* A large one. */
	while (text.length < 40000000)
		ik_buf_append(&text, "needle\nneedle\nneedle\nneedle\n", 28);
	make_file("d", text.data, text.length);
	expect_json(ask("grep", "{'pattern':'needle','recursive':true,'glob':'d'}"),
		"{'output':'d: binary file matches','count':1}");
	ik_buf_done(&text);
}

Test(grep, ignore_case)
{
	make_text("a", "Foo\nfOO\nbar\nÄ\n\u212a\n[B]\n");
	expect_json(ask("grep", "{'pattern':'foo','ignore_case':true}"),
		"{'output':'a:1: Foo\\na:2: fOO','count':2}");
	expect_json(ask("grep", "{'pattern':'[k-oä]$','ignore_case':true}"),
		"{'output':'a:1: Foo\\na:2: fOO\\na:4: Ä\\na:5: \u212a','count':4}");
	expect_json(ask("grep", "{'pattern':'(?-i)F','ignore_case':true}"), "{'output':'a:1: Foo','count':1}");
	expect_json(ask("grep", "{'pattern':'[^B]\\\\]|\\\\[[[:lower:]]','ignore_case':true}"),
		"{'output':'a:6: [B]','count':1}");
	expect_json(ask("grep", "{'pattern':'FOO','ignore_case':false}"), "{'output':'','count':0}");
}

/* Append a line as in the answer. */
static void append_line(struct ik_buf *out, const char *name, int number, bool matches)
{
	ik_buf_printf(out, "%s%s%c%d%c line %d%s", out->length > 0 ? "\\n" : "", name,
		matches ? ':' : '-', number, matches ? ':' : '-', number, matches ? " needle" : "");
}

/* Append what must be found in a file, whose lines with the numbers in the list match; the list is
 * sorted and ends with 0. */
static void append_wanted(struct ik_buf *out, const char *name, const int *matching, int lines,
	int context, int most)
{
	int last = 0, match = 0;
	bool first = true;

	for (; matching[match] != 0 && match < most; match++) {
		int from = matching[match] - context, to = matching[match] + context;

		from = from <= last ? last + 1 : from;
		to = to > lines ? lines : to;
		if (matching[match + 1] != 0 && to >= matching[match + 1])
			to = matching[match + 1] - 1;
		if (context > 0 && (first || from > last + 1) && out->length > 0)
			ik_buf_puts(out, "\\n--");
		for (int line = from; line <= to; line++)
			append_line(out, name, line, line == matching[match]);
		last = to;
		first = false;
	}
}

Test(grep, context)
{
	/* Some together, some apart, some at the end of a block of 256 KiB. */
	static const int matching[] = { 1, 2, 5, 9, 10, 100, 17000, 17001, 17500, 17750, 18000, 30000, 59999, 60000,
		0 };
	static const int contexts[] = { 1, 2, 3, 400, 1000 };
	struct ik_buf text, wanted;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_init(&wanted, SIZE_MAX / 2);
	for (int line = 1, match = 0; line <= 60000; line++) {
		bool matches = line == matching[match];

		ik_buf_printf(&text, "line %d%s%s", line, matches ? " needle" : "", line < 60000 ? "\n" : "");
		match += matches;
	}
	make_file("a", text.data, text.length);
	make_file("b", text.data, text.length);
	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		for (int limit = 13; limit <= 30; limit += 5) {
			int count = limit < 28 ? limit : 28;

			ik_buf_clear(&wanted);
			append_wanted(&wanted, "a", matching, 60000, contexts[i], limit);
			append_wanted(&wanted, "b", matching, 60000, contexts[i], limit > 14 ? limit - 14 : 0);
			if (limit < 28)
				ik_buf_printf(&wanted, "\\n(more lines match than the limit of %d)", limit);
			struct reply reply = ask("grep", "{'pattern':'n[e]edle','context':%d,'limit':%d}",
				contexts[i], limit);
			ik_buf_insert(&wanted, 0, "{\"output\":\"", strlen("{\"output\":\""));
			ik_buf_printf(&wanted, "\",\"count\":%d}", count);
			/* Too large to show. */
			cr_expect(strcmp(reply.out.data, wanted.data) == 0, "context %d, limit %d", contexts[i], limit);
			reply_free(&reply);
		}
	ik_buf_done(&text);
	ik_buf_done(&wanted);
}

Test(grep, context_has_a_limit)
{
	make_text("a", "x\n");
	expect_json(ask("grep", "{'pattern':'x','context':1000}"), "{'output':'a:1: x','count':1}");
	expect_error(ask("grep", "{'pattern':'x','context':1001}"), "INVALID_ARG",
		"context must be at most 1000, but is 1001");
}

/* Return the next line end "\ " in the text of an answer, or its end. By hand, since a
   sanitizer's strstr() measures all of the text each time. */
static const char *line_end(const char *text)
{
	while (*text != '\0' && (text[0] != '\\' || text[1] != 'n'))
		text++;
	return text;
}

/* So many that the helper works, too: the limit falls between files, at the end of one and within
 * one. */
Test(grep, limit)
{
	struct ik_buf wanted;

	make_many(&wanted, 3000, 30, 1);
	for (int limit = 29; limit < 30003; limit = limit * 2 + 1) {
		const char *end = wanted.data;

		for (int i = 0; i < limit && *end != '\0'; i++)
			end = line_end(end + 1);
		expect_json(ask("grep", "{'pattern':'needle','path':'many','limit':%d}", limit),
			limit < 30000 ? "{'output':'%.*s\\n(more lines match than the limit of %d)','count':%d}" :
			"{'output':'%.*s','count':30000}", (int)(end - wanted.data), wanted.data, limit, limit);
	}
	expect_json(ask("grep", "{'pattern':'needle','path':'many','limit':30000}"),
		"{'output':'%s','count':30000}", wanted.data);
	ik_buf_done(&wanted);
}
