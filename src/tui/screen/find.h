/*
 * find: the search in a text of the screen, and the line in which its pattern
 * is typed.
 *
 * Borrows the text.  May include: util, tui/term, tui/edit, tui/scrollback.
 */
#ifndef IK_TUI_SCREEN_FIND_H
#define IK_TUI_SCREEN_FIND_H

#include "tui/edit/keymap.h"
#include "tui/scrollback/scrollback_search.h"
#include "tui/term/cells.h"
#include "tui/term/input.h"

struct ik_find {
	const struct ik_keymap *keymap; /* borrowed */
	struct ik_scrollback *text;
	bool downwards;
	struct ik_search *search;
	struct ik_buf pattern;
	bool writing; /* the pattern is being typed */
};

/* Create a search that goes upwards from the end, as in a conversation, or downwards from the
 * start. */
struct ik_find *ik_find_new(struct ik_scrollback *text, bool downwards,
	const struct ik_keymap *keymap);
struct ik_find *ik_find_free(struct ik_find *find);

/* Start typing a pattern. */
void ik_find_open(struct ik_find *find);
/* End the search and clear its highlights. */
void ik_find_end(struct ik_find *find);
/* Close the line. If there is a pattern, keep the position and the highlights. */
void ik_find_keep(struct ik_find *find);
/* Search for words from the block with this index on, and show a match only if it is in that
 * block. */
void ik_find_in(struct ik_find *find, size_t index, const char *words);

/* Are matches highlighted while the line is closed? */
bool ik_find_shows(const struct ik_find *find);

/* Go to the next match (1) or the previous one (-1). */
void ik_find_step(struct ik_find *find, int direction);
/* Continue the search; return true if there is more to do. */
bool ik_find_work(struct ik_find *find, bool *ret_changed);

/* Handle a key while the pattern is typed; return false if it is not for the search. Enter keeps
 * the match, as does a key that opens something else. Esc ends the search and restores the scroll
 * position. */
bool ik_find_key(struct ik_find *find, const struct ik_key *key, enum ik_action action);

/* Draw the pattern and the progress of the search into a row, with the cursor while the pattern
 * is typed. older: older text is still being read. Return the column after it. */
int ik_find_draw(const struct ik_find *find, bool older, struct ik_cells *cells,
	struct ik_rectangle area);
/* Hints for the keys of this line. */
extern const struct ik_key_hint ik_find_hints[];

#endif
