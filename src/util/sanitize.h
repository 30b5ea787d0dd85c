/*
 * sanitize: make text from outside harmless for a terminal.
 *
 * The one gate for text from tools, models, files and databases. The result has no byte below 0x20
 * except line feed and tab, no DEL, no C1 control (raw or as U+0080..U+009F), no bidi override or
 * isolate, no other invisible format character that rearranges or hides text, and no invalid UTF-8.
 * Everything stays visible: ESC as U+241B, other controls as their control picture (U+2400 + code,
 * DEL U+2421), C1, format characters and unassigned characters (of unknown width) as <U+XXXX>,
 * invalid bytes and noncharacters as U+FFFD, a lone CR as U+240D and CR LF as LF. Joiners and
 * variation selectors are kept after a visible character, where scripts and emoji need them;
 * elsewhere, and in runs that could hide text, they are shown as <U+XXXX>.
 *
 * Pure. May include: util.
 */
#ifndef IK_UTIL_SANITIZE_H
#define IK_UTIL_SANITIZE_H

#include <stdbool.h>

#include "util/buf.h"

/* Append bytes in harmless form. */
void ik_sanitize(struct ik_buf *out, const char *bytes, size_t length);

/* Append bytes in harmless form on one line: line feeds and tabs become blanks. */
void ik_sanitize_line(struct ik_buf *out, const char *bytes, size_t length);

/* Would ik_sanitize_line() leave these bytes unchanged? */
bool ik_sanitize_is_clean(const char *bytes, size_t length);

/*
 * Sanitise a stream: a character or CR LF that may continue in the next piece is held back in
 * *state (zeroed at first) and emitted with that piece; ik_sanitize_end() emits the rest.
 */
struct ik_sanitize_state {
	char held[4];
	int held_length;
	enum ik_sanitize_before {
		IK_BEFORE_NOTHING, /* start, blank, control, joiner */
		IK_BEFORE_VISIBLE,
		IK_BEFORE_SELECTOR
	} before; /* the preceding character, on which joiners and variation selectors depend */
};
void ik_sanitize_piece(struct ik_sanitize_state *state, struct ik_buf *out, const char *bytes,
	size_t length);
void ik_sanitize_end(struct ik_sanitize_state *state, struct ik_buf *out);

#endif
