#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
		"\"description\":\"Regular expression pattern (POSIX extended)\"},\"glob\":{\"type\":\"string\","
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
	expect_json(ask("grep", "{'pattern':'nothing','path':'src'}"), "{'output':'','count':0}");
	expect_json(ask("grep", "{'pattern':'note','path':'missing'}"), "{'output':'','count':0}");
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
	expect_json(ask("grep", "{'pattern':'(o)\\\\1'}"), "{'output':'a:1: foo\\na:2: foooo','count':2}");
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
