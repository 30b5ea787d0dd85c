/*
 * key_name: the names of keys, such as "Ctrl-A", "Alt-Enter", "PgUp" and "é".
 *
 * Pure.  May include: util, tui/term/input.h.
 */
#ifndef IK_TUI_TERM_KEY_NAME_H
#define IK_TUI_TERM_KEY_NAME_H

#include "tui/term/input.h"

/* Read a key: the modifiers Ctrl-, Alt- and Shift- in any order, then a name or a character.
 * Case matters only for a character without modifiers. *ret_key is as ik_key_plain() makes it. */
bool ik_key_parse(const char *text, size_t length, struct ik_key *ret_key);

/* Append the name of a key. */
void ik_key_put(struct ik_buf *out, const struct ik_key *key);

/* Return the normal form of a key, in which keys with the same meaning are equal: only code,
 * modifiers and codepoint, with lower-case letters if there are modifiers. */
struct ik_key ik_key_plain(const struct ik_key *key);
bool ik_key_equal(const struct ik_key *a, const struct ik_key *b);

/* Append the text that a key types: a character or a complete paste. Return false for other
 * keys. */
bool ik_key_put_text(struct ik_buf *out, const struct ik_key *key);

/* Does the key type text, that is, a character without modifiers, such as "x" or "N"? */
bool ik_key_is_text(const struct ik_key *key);

#endif
