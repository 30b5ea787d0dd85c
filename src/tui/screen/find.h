/*
 * find: the search in a text of the screen, and the line in which its pattern is
 * written.
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
	bool writing; /* the pattern is being written */
};

/* Search upwards from the end, as in a conversation, or downwards from the start. */
struct ik_find *ik_find_new(struct ik_scrollback *text, bool downwards,
	const struct ik_keymap *keymap);
struct ik_find *ik_find_free(struct ik_find *find);

/* Begin to write a pattern. */
void ik_find_open(struct ik_find *find);
/* End the search: nothing is marked any more. */
void ik_find_end(struct ik_find *find);
/* Close the line, and keep the place and the marks, if there is a pattern. */
void ik_find_keep(struct ik_find *find);
/* Search for words from the block with that index on, and show only a place in it. */
void ik_find_in(struct ik_find *find, size_t index, const char *words);

/* Is something marked while the line is closed? */
bool ik_find_shows(const struct ik_find *find);

/* Go to the next place (1) or the one before (-1). */
void ik_find_step(struct ik_find *find, int direction);
/* Search on; true: there is more to do. */
bool ik_find_work(struct ik_find *find, bool *ret_changed);

/* Handle a key while the pattern is written; false: it is for others. Enter keeps what was found,
 * and so does a key that opens something else; Esc ends the search, and the text is where it was. */
bool ik_find_key(struct ik_find *find, const struct ik_key *key, enum ik_action action);

/* Draw the pattern, with the cursor while it is written, and how far the search is into a row;
 * older: more of the text is still being read. Returns the column after it. */
int ik_find_draw(const struct ik_find *find, bool older, struct ik_cells *cells,
	struct ik_rectangle area);
/* The keys of that line. */
extern const struct ik_key_hint ik_find_hints[];

#endif
