/*
 * input: parses the bytes of a terminal into keys.
 *
 * Handles UTF-8 that is split anywhere, CSI and SS3 sequences of the common terminals (xterm,
 * rxvt, linux console, tmux, screen, kitty's protocol), Alt as an ESC before a key, SGR mouse
 * reports, bracketed paste and focus reports.  Unknown sequences are dropped whole, never typed as
 * text.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TERM_INPUT_H
#define IK_TUI_TERM_INPUT_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ik_key_code {
	IK_KEY_NONE,
	IK_KEY_CHARACTER, /* codepoint; with IK_CONTROL the letter in lower case */
	IK_KEY_ENTER,
	IK_KEY_TAB,
	IK_KEY_BACKSPACE,
	IK_KEY_ESCAPE,
	IK_KEY_UP,
	IK_KEY_DOWN,
	IK_KEY_LEFT,
	IK_KEY_RIGHT,
	IK_KEY_HOME,
	IK_KEY_END,
	IK_KEY_PAGE_UP,
	IK_KEY_PAGE_DOWN,
	IK_KEY_INSERT,
	IK_KEY_DELETE,
	IK_KEY_F1,
	IK_KEY_F2,
	IK_KEY_F3,
	IK_KEY_F4,
	IK_KEY_F5,
	IK_KEY_F6,
	IK_KEY_F7,
	IK_KEY_F8,
	IK_KEY_F9,
	IK_KEY_F10,
	IK_KEY_F11,
	IK_KEY_F12,
	IK_KEY_PASTE, /* text: everything that was pasted, unchanged */
	IK_KEY_MOUSE, /* row, column, button */
	IK_KEY_FOCUS_IN,
	IK_KEY_FOCUS_OUT,
	IK_KEY_REPORT /* text: the answer to a query (tui/term/query.h), after its first ESC and
	                     without its end: "]11;rgb:0000/0000/0000", "[?62;4c" */
};

enum { IK_SHIFT = 1, IK_ALT = 2, IK_CONTROL = 4 };

enum ik_mouse_button {
	IK_MOUSE_LEFT,
	IK_MOUSE_MIDDLE,
	IK_MOUSE_RIGHT,
	IK_MOUSE_RELEASE,
	IK_MOUSE_MOVE,
	IK_MOUSE_WHEEL_UP,
	IK_MOUSE_WHEEL_DOWN
};

struct ik_key {
	enum ik_key_code code;
	unsigned modifiers;
	uint32_t codepoint;
	const char *text; /* paste, report; valid during the call */
	size_t text_length;
	bool text_cut;   /* paste: it was longer than IK_LIMIT_USER_TEXT */
	int row, column; /* mouse, from 0 */
	enum ik_mouse_button button;
};

struct ik_terminal_input;
typedef void ik_key_sink(void *arg, const struct ik_key *key);

struct ik_terminal_input *ik_input_new(void);
struct ik_terminal_input *ik_input_free(struct ik_terminal_input *input);

/*
 * Parse bytes as they were read, each read in one call.
 *
 * Without bracketed paste, a paste is recognised by its speed and form. Two or more characters of
 * plain text (printable, tabs, line ends) in one read, and everything that follows without a
 * pause of IK_INPUT_BURST_MS, are a run, too fast for typing. A run of at least
 * IK_INPUT_BURST_BYTES with a line end inside is a paste. A line end at the end of such a run
 * waits for the pause: if nothing follows, it is the Enter key, of text that was typed ahead or
 * that a script sends line by line. So a short line with Enter is submitted at once, a long one
 * after a pause, and several lines at once are not submitted. A read that fills the terminal's
 * whole queue may be the first part of a long line, and is a paste even without a line end.
 *
 * A bracketed paste ends with an end mark after which nothing comes for IK_INPUT_ESCAPE_MS,
 * because the pasted text may contain such a mark and what follows it must not be typed.
 */
void ik_input_feed(struct ik_terminal_input *input, const char *bytes, size_t length,
	ik_key_sink *sink, void *arg);
#define IK_INPUT_BURST_BYTES 16
#define IK_INPUT_BURST_MS 5
#define IK_INPUT_BURST_QUEUE 1023

/* Set whether answers to queries are expected. If so, a possible start of an answer waits for
 * the rest long enough for a slow line, so that no answer is mistaken for keys. */
void ik_input_expect(struct ik_terminal_input *input, bool answers);

/* Is the input incomplete? Call ik_input_timeout() if nothing comes within ik_input_wait_ms() (-1:
 * there is nothing to wait for): a lone ESC becomes the Escape key, a paste without its end is
 * emitted, and the start of a sequence is dropped. After a run there is a wait although nothing is
 * pending. */
bool ik_input_pending(const struct ik_terminal_input *input);
int ik_input_wait_ms(const struct ik_terminal_input *input);
void ik_input_timeout(struct ik_terminal_input *input, ik_key_sink *sink, void *arg);
#define IK_INPUT_ESCAPE_MS 50         /* for a lone ESC, or the end of a burst */
#define IK_INPUT_STALL_MS 1000        /* for the rest of a paste or a report */
#define IK_INPUT_ANSWER_ESCAPE_MS 400 /* both, while answers are expected */
#define IK_INPUT_ANSWER_MS 5000

#endif
