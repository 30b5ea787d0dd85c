/*
 * input_sequences: what the complete key sequences of terminals mean.
 *
 * Sources: xterm's ctlseqs, rxvt's and the linux console's terminfo entries,
 * kitty's keyboard protocol.  Pure.  May include: util, tui/term/input.h.
 */
#ifndef IK_TUI_TERM_INPUT_SEQUENCES_H
#define IK_TUI_TERM_INPUT_SEQUENCES_H

#include "tui/term/input.h"

/*
 * The key of a CSI sequence: body is all behind "ESC [", its final byte the
 * last. False for what is no key (reports, releases, unknown ones).
 */
bool ik_input_csi(const char *body, size_t length, struct ik_key *ret_key);

/* The same for what stands behind "ESC O". */
bool ik_input_ss3(const char *body, size_t length, struct ik_key *ret_key);

/* A typed character, with Ctrl and Shift brought into one form: controls become
 * Enter, Tab, Backspace, Escape or IK_CONTROL with a letter. False for C1 and for what is no character. */
bool ik_input_character(uint32_t codepoint, unsigned modifiers, struct ik_key *ret_key);

#endif
