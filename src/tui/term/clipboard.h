/*
 * clipboard: a text as the bytes that make a terminal put it on the clipboard (OSC 52).
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TERM_CLIPBOARD_H
#define IK_TUI_TERM_CLIPBOARD_H

#include "util/buf.h"

/* Limit of the text: xterm and others read sequences of up to 100,000 bytes, in base 64. */
#define IK_CLIPBOARD_BYTES 74994

/* Can a terminal of that type have a clipboard at all? */
bool ik_clipboard_there(const char *type);

/* Append the sequence for a text, cut at IK_CLIPBOARD_BYTES. GNU screen, known by its type
 * outside tmux, hands it on in short pieces only. tmux handles it as its set-clipboard says. */
void ik_clipboard_put(struct ik_buf *out, const char *text, size_t length, const char *type,
	bool tmux);

#endif
