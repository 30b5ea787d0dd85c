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
 * Read the key of a CSI sequence; body is everything after "ESC [", including the final byte.
 * False for what is not a key: reports, releases, unknown sequences.
 */
bool ik_input_csi(const char *body, size_t length, struct ik_key *ret_key);

/* The same for what comes after "ESC O". */
bool ik_input_ss3(const char *body, size_t length, struct ik_key *ret_key);

/* Make the key of a typed character, with Ctrl and Shift in one form: control characters become
 * Enter, Tab, Backspace, Escape or IK_CONTROL with a letter. False for C1 control characters and
 * invalid codepoints. */
bool ik_input_character(uint32_t codepoint, unsigned modifiers, struct ik_key *ret_key);

#endif
