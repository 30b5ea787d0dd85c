/*
 * osc: what a terminal is told besides its cells: its title, that something is at work, that the
 * user is wanted, and where a question and its answer begin.
 *
 * The environment decides which terminal it is, and so what it gets: one that is not known to
 * understand a sequence never gets it.  Inside tmux the sequences of a notice are wrapped, so that
 * they reach the terminal around it.
 *
 * Sources: xterm's ctlseqs (OSC 2, CSI 22 t), ConEmu (OSC 9;4), iTerm2 (OSC 9), rxvt-unicode
 * (OSC 777), kitty (OSC 99), FinalTerm (OSC 133), tmux(1).
 *
 * Pure.  May include: util, tui/term/ascii.h.
 */
#ifndef IK_TUI_TERM_OSC_H
#define IK_TUI_TERM_OSC_H

#include "util/buf.h"

/* How a terminal notifies: the bell, which all have, or a text. */
enum ik_notice_way { IK_NOTICE_BELL, IK_NOTICE_9, IK_NOTICE_777, IK_NOTICE_99 };

struct ik_osc {
	bool title; /* it has one, and a stack to restore it from */
	bool progress;
	bool marks; /* jumps between questions */
	enum ik_notice_way notice;
	bool tmux; /* between us and the terminal */
};

/* Decide by the environment: lookup() returns the value of a variable, or NULL. */
struct ik_osc ik_osc_find(char *(*lookup)(const char *name));

/* Values of ConEmu's OSC 9;4. */
enum ik_osc_progress { IK_OSC_OFF = 0, IK_OSC_BUSY = 3, IK_OSC_PAUSED = 4 };
void ik_osc_put_progress(struct ik_buf *out, enum ik_osc_progress progress);

/* Append what sets the title; the text may come from anywhere. Without UTF-8 it becomes ASCII. */
void ik_osc_put_title(struct ik_buf *out, const char *text, bool utf8);

/* Append what notifies the user; likewise. */
void ik_osc_put_notice(struct ik_buf *out, const struct ik_osc *osc, const char *title,
	const char *body, bool utf8);

/* Where the user's text begins, and where it ends and the answer begins. */
#define IK_OSC_QUESTION "\033]133;A\033\\"
#define IK_OSC_ANSWER "\033]133;C\033\\"

#endif
