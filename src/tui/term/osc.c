#include "tui/term/osc.h"

#include <stdlib.h>
#include <string.h>

#include "tui/term/ascii.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

#define TEXT_MOST 200 /* bytes of a title or a notice */
#define END "\033\\"  /* of a sequence */

/* Terminals by a variable: the start of its value, or the least number in it. What the terminal
 * itself says (TERM) comes before what may be left over from one around it. */
static const struct {
	const char *variable, *value;
	long least;
	enum ik_notice_way notice;
	bool progress, marks;
} terminals[] = {
	{ "TERM", "xterm-kitty", 0, IK_NOTICE_99, true, true },
	{ "TERM", "xterm-ghostty", 0, IK_NOTICE_777, true, true },
	{ "TERM", "ghostty", 0, IK_NOTICE_777, true, true },
	{ "TERM", "wezterm", 0, IK_NOTICE_777, true, true },
	{ "TERM", "foot", 0, IK_NOTICE_777, false, true },
	{ "TERM_PROGRAM", "ghostty", 0, IK_NOTICE_777, true, true },
	{ "TERM_PROGRAM", "WezTerm", 0, IK_NOTICE_777, true, true },
	{ "TERM_PROGRAM", "iTerm", 0, IK_NOTICE_9, true, true },
	{ "TERM_PROGRAM", "vscode", 0, IK_NOTICE_BELL, true, true },
	{ "LC_TERMINAL", "iTerm2", 0, IK_NOTICE_9, true, true },
	{ "WT_SESSION", "", 0, IK_NOTICE_BELL, true, true },
	{ "VTE_VERSION", NULL, 8000, IK_NOTICE_BELL, true, true },
	{ "VTE_VERSION", NULL, 7600, IK_NOTICE_BELL, false, true },
	{ "KONSOLE_VERSION", "", 0, IK_NOTICE_BELL, false, true },
	{ "KITTY_WINDOW_ID", "", 0, IK_NOTICE_99, true, true },
};

static bool begins(char *(*lookup)(const char *), const char *name, const char *start)
{
	const char *value = lookup(name);

	return value && *value && ik_text_starts(value, start);
}

static bool is_row(char *(*lookup)(const char *), size_t row)
{
	const char *name = terminals[row].variable, *value = lookup(name);

	if (terminals[row].value)
		return begins(lookup, name, terminals[row].value);
	return value && strtol(value, NULL, 10) >= terminals[row].least;
}

struct ik_osc ik_osc_find(char *(*lookup)(const char *name))
{
	struct ik_osc osc = { .notice = IK_NOTICE_BELL };
	size_t i = 0, count = sizeof(terminals) / sizeof(*terminals);

	osc.tmux = begins(lookup, "TMUX", "") || begins(lookup, "TERM", "tmux");
	/* GNU screen passes on the bell only, and cannot restore a title. */
	if (!osc.tmux && (begins(lookup, "STY", "") || begins(lookup, "TERM", "screen")))
		return osc;
	osc.title = true;
	while (i < count && !is_row(lookup, i))
		i++;
	if (i < count) {
		osc.notice = terminals[i].notice;
		osc.progress = terminals[i].progress;
		osc.marks = terminals[i].marks;
	}
	osc.marks |= osc.tmux;
	return osc;
}

/* Append a text from anywhere: one line without controls or semicolons, of limited length. */
static void put_text(struct ik_buf *out, const char *text, bool utf8)
{
	struct ik_buf clean;

	ik_buf_init(&clean, IK_KIB(64));
	ik_sanitize_line(&clean, text, strnlen(text, 4 * TEXT_MOST));
	size_t length = ik_utf8_cut(clean.data, clean.length, TEXT_MOST);

	for (size_t at = 0; at < length;) {
		struct ik_cluster cluster = ik_cluster_next(clean.data + at, length - at);

		if (clean.data[at] == ';')
			ik_buf_putc(out, ',');
		else if (utf8)
			ik_buf_append(out, clean.data + at, cluster.length);
		else
			ik_buf_putc(out, ik_ascii_for(clean.data + at, cluster.length));
		at += cluster.length;
	}
	ik_buf_done(&clean);
}

void ik_osc_put_progress(struct ik_buf *out, enum ik_osc_progress progress)
{
	ik_buf_printf(out, "\033]9;4;%d" END, (int)progress);
}

void ik_osc_put_title(struct ik_buf *out, const char *text, bool utf8)
{
	ik_buf_puts(out, "\033]2;");
	put_text(out, text, utf8);
	ik_buf_puts(out, END);
}

static void put_notice(struct ik_buf *out, enum ik_notice_way way, const char *title,
	const char *body, bool utf8)
{
	bool parts = way == IK_NOTICE_99;

	if (way == IK_NOTICE_BELL)
		return;
	ik_buf_puts(out,
		parts                      ? "\033]99;i=1:d=0;"
			: way == IK_NOTICE_777 ? "\033]777;notify;"
								   : "\033]9;");
	put_text(out, title, utf8);
	ik_buf_puts(out, parts ? END "\033]99;i=1:d=1:p=body;" : way == IK_NOTICE_777 ? ";" : ": ");
	put_text(out, body, utf8);
	ik_buf_puts(out, END);
}

void ik_osc_put_notice(struct ik_buf *out, const struct ik_osc *osc, const char *title,
	const char *body, bool utf8)
{
	struct ik_buf notice;

	/* tmux marks its window for the bell. */
	if (osc->notice == IK_NOTICE_BELL || osc->tmux)
		ik_buf_putc(out, '\a');
	ik_buf_init(&notice, IK_KIB(4));
	put_notice(&notice, osc->notice, title, body, utf8);
	if (osc->tmux && notice.length > 0) {
		ik_buf_puts(out, "\033Ptmux;");
		for (size_t i = 0; i < notice.length; i++) {
			if (notice.data[i] == '\033')
				ik_buf_putc(out, '\033');
			ik_buf_putc(out, notice.data[i]);
		}
		ik_buf_puts(out, END);
	} else {
		ik_buf_append(out, notice.data, notice.length);
	}
	ik_buf_done(&notice);
}
