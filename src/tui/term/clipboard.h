/*
 * clipboard: a text as the bytes that make a terminal put it on the clipboard
 * (OSC 52), to the letter as it is.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TERM_CLIPBOARD_H
#define IK_TUI_TERM_CLIPBOARD_H

#include "util/buf.h"

/* What terminals take at most: xterm and its kin read sequences of 100,000 bytes, of which
 * these are left for the text before it is written in base 64. */
#define IK_CLIPBOARD_BYTES 74994

/* Can a terminal of that type have a clipboard at all? */
bool ik_clipboard_there(const char *type);

/* Append the sequence for text (at most IK_CLIPBOARD_BYTES of it). GNU screen, which
 * is told by its type outside of tmux, hands on short pieces only. tmux takes it as it is (its
 * set-clipboard says what becomes of it). */
void ik_clipboard_put(struct ik_buf *out, const char *text, size_t length, const char *type,
	bool tmux);

#endif
