/*
 * keymap_private: what keymap.c and keymap_read.c share.
 *
 * May include: util, json, tui/edit/keymap.h.
 */
#ifndef IK_TUI_EDIT_KEYMAP_PRIVATE_H
#define IK_TUI_EDIT_KEYMAP_PRIVATE_H

#include "tui/edit/keymap.h"

/* One key, or one sequence, of a row. */
struct ik_stroke {
	struct ik_key first, second; /* second: IK_KEY_NONE where one key is all */
	size_t row;
};

struct ik_keymap {
	struct ik_binding *rows;
	char **own;  /* the keys of a row that was bound anew; NULL: as delivered */
	char **rest; /* what a delivered row keeps beside those; NULL: all */
	size_t row_count;
	struct ik_stroke *strokes; /* of all rows, in their order */
	size_t count, capacity;
	bool pending;
	struct ik_key prefix; /* pending: the key that came */
	struct ik_buf shown;  /* the same as text */
};

/* Note the keys of all rows, which have changed. */
void ik_keymap_compile(struct ik_keymap *keymap);

/* Take the next stroke from a list, "Ctrl-A, Ctrl-X Ctrl-E"; false: it cannot be read.
 * *ret_text is what it was in any case. */
bool ik_stroke_next(const char **keys, size_t *length, struct ik_stroke *ret_stroke,
	const char **ret_text, size_t *ret_length);

/* Append it as it is shown. */
void ik_stroke_put(struct ik_buf *out, const struct ik_stroke *stroke);

#endif
