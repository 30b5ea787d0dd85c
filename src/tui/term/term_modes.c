#include "tui/term/term_modes.h"

#include <string.h>

#include "util/alloc.h"

/* Clicks, and motion while a button is held, from a terminal that knows it (1002). */
#define MOUSE_ON "\033[?1000h\033[?1002h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1002l\033[?1000l"
#define KEYBOARD_ON "\033[>1u"
#define KEYBOARD_OFF "\033[<u"
#define OTHER_KEYS_ON "\033[>4;1m"
#define OTHER_KEYS_OFF "\033[>4m"

char *ik_term_modes_enter(const struct ik_term *term, struct ik_term_modes modes)
{
	bool known = ik_term_answers(term);

	return ik_format("%s%s%s%s", ik_term_enter(term), known ? OTHER_KEYS_ON : "",
		known && modes.mouse ? MOUSE_ON : "", known && modes.keyboard ? KEYBOARD_ON : "");
}

char *ik_term_modes_leave(const struct ik_term *term, struct ik_term_modes modes)
{
	bool known = ik_term_answers(term);

	return ik_format("%s%s%s%s", known && modes.keyboard ? KEYBOARD_OFF : "",
		known && modes.mouse ? MOUSE_OFF : "", known ? OTHER_KEYS_OFF : "", ik_term_leave(term));
}

char *ik_term_modes_change(const struct ik_term *term, struct ik_term_modes from,
	struct ik_term_modes to)
{
	const char *mouse = "", *keyboard = "";

	if (ik_term_answers(term) && from.mouse != to.mouse)
		mouse = to.mouse ? MOUSE_ON : MOUSE_OFF;
	if (ik_term_answers(term) && from.keyboard != to.keyboard)
		keyboard = to.keyboard ? KEYBOARD_ON : KEYBOARD_OFF;
	return ik_format("%s%s", mouse, keyboard);
}

bool ik_keyboard_is_offered(const char *report, size_t length)
{
	/* CSI ? flags u */
	return length > 2 && report[0] == '[' && report[1] == '?' && report[length - 1] == 'u';
}
