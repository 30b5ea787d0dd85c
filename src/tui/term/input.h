/*
 * input: bytes from a terminal to keys, our own parser.
 *
 * Pure.  UTF-8 split anywhere, CSI and SS3 sequences of the common terminals
 * (xterm, rxvt, linux console, tmux, screen, kitty's protocol), Alt as an ESC
 * before a key, SGR mouse reports, bracketed paste, focus reports.  What is
 * unknown is swallowed whole, never typed as text.
 *
 * May include: util.
 */
#ifndef IK_TUI_TERM_INPUT_H
#define IK_TUI_TERM_INPUT_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ik_key_code {
	IK_KEY_NONE,
	IK_KEY_CHARACTER, /* codepoint; with CONTROL: the letter in lower case */
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
	IK_KEY_PASTE, /* text: all that was pasted (raw) */
	IK_KEY_MOUSE, /* row, column, button */
	IK_KEY_FOCUS_IN,
	IK_KEY_FOCUS_OUT,
	IK_KEY_REPORT /* text: what a terminal was asked, from behind its first ESC on:
	                     "]11;rgb:0000/0000/0000" (less its end), "[?62;4c" */
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
	const char *text; /* paste, report: valid during the call */
	size_t text_length;
	bool text_cut;   /* paste: more came than IK_LIMIT_USER_TEXT */
	int row, column; /* mouse, from 0 */
	enum ik_mouse_button button;
};

struct ik_terminal_input;
typedef void ik_key_sink(void *arg, const struct ik_key *key);

struct ik_terminal_input *ik_input_new(void);
struct ik_terminal_input *ik_input_free(struct ik_terminal_input *input);

/*
 * Bytes as they were read. What a terminal without bracketed paste sends for a
 * paste is told from typing by its pace and its form, so give each read in one
 * piece. Plain text (printable, tabs, line ends) of which two characters or more
 * come in one read, and all that follows with no pause of IK_INPUT_BURST_MS, is
 * a run, which nobody types. A line end within a run of IK_INPUT_BURST_BYTES,
 * counted to what stands behind it, makes a paste of the rest. A line end at the
 * end of so long a run waits for that pause: when nothing follows it was the Enter
 * key, as of text that was typed ahead, or that a script sends line by line. So a
 * short line and Enter is sent at once, a long one a pause later, and of several
 * lines at once nothing is sent.  A read that fills a terminal's whole queue may be
 * the first part of a long line: it is a paste without a line end.
 *
 * A bracketed paste ends with an end mark after which nothing comes for IK_INPUT_ESCAPE_MS:
 * what is pasted may hold such a mark, and what follows it must not be typed.
 */
void ik_input_feed(struct ik_terminal_input *input, const char *bytes, size_t length,
	ik_key_sink *sink, void *arg);
#define IK_INPUT_BURST_BYTES 16
#define IK_INPUT_BURST_MS 5
#define IK_INPUT_BURST_QUEUE 1023

/*
 * Answers are under way: until told otherwise what may be the beginning of one
 * waits for the rest as long as a slow line takes, so that none is taken for keys.
 */
void ik_input_expect(struct ik_terminal_input *input, bool answers);

/*
 * Is something waiting for more? Then call ik_input_timeout() if nothing comes
 * within ik_input_wait_ms(): a lone ESC is the Escape key then, a paste whose
 * end never came is handed over, the beginning of a sequence is dropped.
 * The wait is -1 when there is nothing to wait for; behind a run it is not, though
 * nothing is pending.
 */
bool ik_input_pending(const struct ik_terminal_input *input);
int ik_input_wait_ms(const struct ik_terminal_input *input);
void ik_input_timeout(struct ik_terminal_input *input, ik_key_sink *sink, void *arg);
#define IK_INPUT_ESCAPE_MS 50         /* what may be a key of its own, or a burst */
#define IK_INPUT_STALL_MS 1000        /* what has surely begun: a paste, a report */
#define IK_INPUT_ANSWER_ESCAPE_MS 400 /* the same two while answers are expected */
#define IK_INPUT_ANSWER_MS 5000

#endif
