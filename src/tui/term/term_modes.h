/*
 * term_modes: what enters and leaves the full screen, and what the terminal is switched to
 * there.
 *
 * The mouse: xterm's modes 1000 (buttons and wheel), 1002 (motion while a button is down) and 1006
 * (coordinates without a limit).  The keyboard: the first flag of kitty's protocol, where the
 * terminal says that it has it, and xterm's modifyOtherKeys 1, for Shift-Enter and the like.
 *
 * May include: util, tui/term.
 */
#ifndef IK_TUI_TERM_TERM_MODES_H
#define IK_TUI_TERM_TERM_MODES_H

#include "tui/term/term.h"

struct ik_term_modes {
	bool mouse;
	bool keyboard; /* kitty's protocol */
};

/* Return what to write to enter the full screen with these modes, and to leave it, as new
 * strings. Terminals that may not know the modes (ik_term_answers()) are not switched. */
char *ik_term_modes_enter(const struct ik_term *term, struct ik_term_modes modes);
char *ik_term_modes_leave(const struct ik_term *term, struct ik_term_modes modes);

/* Return what to write to switch from one to the other, as a new string. */
char *ik_term_modes_change(const struct ik_term *term, struct ik_term_modes from,
	struct ik_term_modes to);

#endif
