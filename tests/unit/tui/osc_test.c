#include "tui/term/osc.h"

#include <criterion/criterion.h>
#include <string.h>

#include "util/limits.h"

static struct ik_buf out;
static const char *variables[5][2];

static char *lookup(const char *name)
{
	for (size_t i = 0; variables[i][0]; i++)
		if (strcmp(variables[i][0], name) == 0)
			return (char *)variables[i][1];
	return NULL;
}

static struct ik_osc find(const char *term, const char *name, const char *value)
{
	variables[0][0] = "TERM";
	variables[0][1] = term;
	variables[1][0] = name;
	variables[1][1] = value;
	return ik_osc_find(lookup);
}

static void begin(void)
{
	memset(variables, 0, sizeof(variables));
	ik_buf_init(&out, IK_KIB(64));
}

static void end(void)
{
	ik_buf_done(&out);
}

TestSuite(osc, .init = begin, .fini = end);

Test(osc, terminals_are_known_by_what_they_say)
{
	static const struct {
		const char *term, *name, *value;
		enum ik_notice_way notice;
		bool title, progress, marks, tmux;
	} rows[] = {
		{ "xterm-256color", NULL, NULL, IK_NOTICE_BELL, true, false, false, false },
		{ "xterm-kitty", NULL, NULL, IK_NOTICE_99, true, true, true, false },
		{ "xterm-ghostty", NULL, NULL, IK_NOTICE_777, true, true, true, false },
		{ "foot", NULL, NULL, IK_NOTICE_777, true, false, true, false },
		{ "xterm-256color", "TERM_PROGRAM", "WezTerm", IK_NOTICE_777, true, true, true, false },
		{ "xterm-256color", "TERM_PROGRAM", "iTerm.app", IK_NOTICE_9, true, true, true, false },
		{ "xterm-256color", "LC_TERMINAL", "iTerm2", IK_NOTICE_9, true, true, true, false },
		{ "xterm-256color", "WT_SESSION", "1-2", IK_NOTICE_BELL, true, true, true, false },
		{ "xterm-256color", "VTE_VERSION", "8001", IK_NOTICE_BELL, true, true, true, false },
		{ "xterm-256color", "VTE_VERSION", "7602", IK_NOTICE_BELL, true, false, true, false },
		{ "xterm-256color", "VTE_VERSION", "6800", IK_NOTICE_BELL, true, false, false, false },
		{ "xterm-256color", "KITTY_WINDOW_ID", "", IK_NOTICE_BELL, true, false, false, false },
		{ "tmux-256color", NULL, NULL, IK_NOTICE_BELL, true, false, true, true },
		{ "screen-256color", "TMUX", "/tmp/tmux-0/default,1,0", IK_NOTICE_BELL, true, false, true,
			true },
		{ "screen-256color", NULL, NULL, IK_NOTICE_BELL, false, false, false, false },
		{ "xterm-256color", "STY", "1.tty", IK_NOTICE_BELL, false, false, false, false },
		{ NULL, NULL, NULL, IK_NOTICE_BELL, true, false, false, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ik_osc osc = find(rows[i].term, rows[i].name, rows[i].value);

		cr_assert_eq(osc.notice, rows[i].notice, "row %zu", i);
		cr_assert_eq(osc.title, rows[i].title, "row %zu", i);
		cr_assert_eq(osc.progress, rows[i].progress, "row %zu", i);
		cr_assert_eq(osc.marks, rows[i].marks, "row %zu", i);
		cr_assert_eq(osc.tmux, rows[i].tmux, "row %zu", i);
	}
}

Test(osc, titles_are_harmless)
{
	ik_osc_put_title(&out, "a\033]0;b\a\nc\302\233d; \342\227\220", true);
	cr_assert_eq(memchr(out.data + 1, '\033', out.length - 3), NULL);
	cr_assert_eq(memchr(out.data, '\a', out.length), NULL);
	cr_assert_eq(strstr(out.data, "\302\233"), NULL);
	cr_assert(strncmp(out.data, "\033]2;a", 5) == 0);
	cr_assert(strstr(out.data, "d, \342\227\220\033\\"));
	ik_buf_clear(&out);
	ik_osc_put_title(&out, "\342\227\220 caf\303\251", false);
	for (size_t i = 0; i < out.length; i++)
		cr_assert((unsigned char)out.data[i] < 0x80);
	ik_buf_clear(&out);
	char longest[5000];
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ik_osc_put_title(&out, longest, true);
	cr_assert(out.length < 220);
}

Test(osc, notices_are_written_as_the_terminal_reads_them)
{
	struct ik_osc osc = { .notice = IK_NOTICE_BELL };
	static const struct {
		enum ik_notice_way notice;
		bool tmux;
		const char *bytes;
	} rows[] = {
		{ IK_NOTICE_BELL, false, "\a" },
		{ IK_NOTICE_BELL, true, "\a" },
		{ IK_NOTICE_9, false, "\033]9;T: B, c\033\\" },
		{ IK_NOTICE_777, false, "\033]777;notify;T;B, c\033\\" },
		{ IK_NOTICE_99, false, "\033]99;i=1:d=0;T\033\\\033]99;i=1:d=1:p=body;B, c\033\\" },
		{ IK_NOTICE_777, true,
			"\a\033Ptmux;\033\033]777;notify;T;B, c\033\033\\\033\\" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		osc.notice = rows[i].notice;
		osc.tmux = rows[i].tmux;
		ik_buf_clear(&out);
		ik_osc_put_notice(&out, &osc, "T", "B; c", true);
		cr_assert_str_eq(out.data, rows[i].bytes, "row %zu", i);
	}
}
