#include "tui/term/term_modes.h"

#include "tui/term/term_info.h"
#include "util/limits.h"

#define FRAME_END "\033[?2026l" /* of a frame that was cut short */
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define MOUSE_ON "\033[?1000h\033[?1002h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1002l\033[?1000l"
#define KEYBOARD_ON "\033[>1u"
#define KEYBOARD_OFF "\033[<u"
#define OTHER_KEYS_ON "\033[>4;1m"
#define OTHER_KEYS_OFF "\033[>4m"

/* Append a sequence where it applies. */
static void put_mode(struct ik_buf *out, bool on, const char *sequence)
{
	if (on)
		ik_buf_puts(out, sequence);
}

char *ik_term_modes_enter(const struct ik_term *term, struct ik_term_modes modes)
{
	bool known = ik_term_answers(term);
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_term_put_capability(&out, "smcup");
	ik_term_put_capability(&out, "smkx");
	ik_term_put_capability(&out, "sgr0");
	put_mode(&out, ik_term_is_ansi(), PASTE_ON);
	put_mode(&out, known, OTHER_KEYS_ON);
	put_mode(&out, known && modes.mouse, MOUSE_ON);
	put_mode(&out, known && modes.keyboard, KEYBOARD_ON);
	return ik_buf_take(&out, NULL);
}

char *ik_term_modes_leave(const struct ik_term *term, struct ik_term_modes modes)
{
	bool known = ik_term_answers(term);
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	put_mode(&out, known && modes.keyboard, KEYBOARD_OFF);
	put_mode(&out, known && modes.mouse, MOUSE_OFF);
	put_mode(&out, known, OTHER_KEYS_OFF FRAME_END);
	ik_term_put_capability(&out, "sgr0");
	put_mode(&out, ik_term_is_ansi(), PASTE_OFF);
	ik_term_put_capability(&out, "rmkx");
	ik_term_put_capability(&out, "cnorm");
	/* Where there is no alternate screen, or it is off (GNU screen's default), the shell
	 * continues on a blank screen, not in the middle of ours. */
	ik_term_put_capability(&out, "home");
	ik_term_put_capability(&out, "ed");
	ik_term_put_capability(&out, ik_term_capability("rmcup") ? "rmcup" : "clear");
	return ik_buf_take(&out, NULL);
}

char *ik_term_modes_change(const struct ik_term *term, struct ik_term_modes from,
	struct ik_term_modes to)
{
	bool known = ik_term_answers(term);
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	put_mode(&out, known && from.mouse != to.mouse, to.mouse ? MOUSE_ON : MOUSE_OFF);
	put_mode(&out, known && from.keyboard != to.keyboard, to.keyboard ? KEYBOARD_ON : KEYBOARD_OFF);
	return ik_buf_take(&out, NULL);
}
