/*
 * term_modes: what a terminal is switched to beyond the full screen: reports of
 * the mouse, and keys that say exactly what was pressed.
 *
 * The mouse: xterm's modes 1000 (buttons and wheel) and 1006 (in numbers without
 * an end). The keyboard: kitty's protocol, its first flag, where the terminal
 * says that it has it; xterm's modifyOtherKeys 1 (Shift-Enter and its like).
 *
 * Pure.  May include: util, tui/term/term.h.
 */
#ifndef IK_TUI_TERM_TERM_MODES_H
#define IK_TUI_TERM_TERM_MODES_H

#include "tui/term/term.h"

struct ik_term_modes {
	bool mouse;
	bool keyboard; /* kitty's protocol */
};

/* ik_term_enter() and ik_term_leave() with these modes, as new strings. Terminals that
 * may not know them (ik_term_answers()) get none. */
char *ik_term_modes_enter(const struct ik_term *term, struct ik_term_modes modes);
char *ik_term_modes_leave(const struct ik_term *term, struct ik_term_modes modes);

/* What to write to switch from one to the other; "" where nothing changes. */
char *ik_term_modes_change(const struct ik_term *term, struct ik_term_modes from,
	struct ik_term_modes to);

/* The question whether there is kitty's protocol, to be asked before one that every
 * terminal answers, and whether a report (IK_KEY_REPORT) says so. */
#define IK_KEYBOARD_QUERY "\033[?u"
bool ik_keyboard_is_offered(const char *report, size_t length);

#endif
