/*
 * key_name: keys as people write them: "Ctrl-A", "Alt-Enter", "PgUp", "é".
 *
 * Pure.  May include: util, tui/term/input.h.
 */
#ifndef IK_TUI_TERM_KEY_NAME_H
#define IK_TUI_TERM_KEY_NAME_H

#include "tui/term/input.h"

/*
 * Read one key: the modifiers Ctrl-, Alt- and Shift- in any order, then a name
 * or a character. Upper and lower case are one, but for a character without
 * modifiers. *ret_key is as ik_key_plain() makes it.
 */
bool ik_key_parse(const char *text, size_t length, struct ik_key *ret_key);

/* Append a key as it is written. */
void ik_key_put(struct ik_buf *out, const struct ik_key *key);

/* A key in the form in which two that mean the same are equal: a letter with a
 * modifier in lower case, and nothing but code, modifiers and codepoint. */
struct ik_key ik_key_plain(const struct ik_key *key);
bool ik_key_equal(const struct ik_key *a, const struct ik_key *b);

/* Is it a character alone, which one types: "x", "/", "N"? */
bool ik_key_is_text(const struct ik_key *key);

#endif
