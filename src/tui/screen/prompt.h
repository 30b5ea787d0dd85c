/*
 * prompt: the place where a message is written: the editor, completion of the
 * word at its cursor, and the history search, which is shown in the editor's
 * place.
 *
 * The completion popup is above the line over the editor.  One candidate may be
 * selected; the last row has the position and the keys.
 *
 * Other modules set the members marked so, and only read the rest.  Owns the
 * editor and the history.
 * May include: util, tui/term, tui/edit.
 */
#ifndef IK_TUI_SCREEN_PROMPT_H
#define IK_TUI_SCREEN_PROMPT_H

#include "tui/edit/completion.h"
#include "tui/edit/editor.h"
#include "tui/edit/history.h"
#include "tui/edit/keymap.h"
#include "tui/term/cells.h"
#include "tui/term/input.h"

/* The completion popup, above the line over the editor. */
struct ik_popup {
	bool open;
	bool asked;                  /* the user asked for them */
	struct ik_completions shown; /* with a copy of what was typed */
	uint32_t *matches;           /* indexes of the candidates that match */
	size_t count;
	size_t selected;          /* index of matches, or SIZE_MAX */
	char *chosen;             /* the text of the candidate that the user chose, or NULL */
	size_t top;               /* the first visible one */
	struct ik_rectangle area; /* where the visible ones are */
};

struct ik_prompt {
	struct ik_history *history;
	struct ik_editor *editor; /* with the message */
	ik_completer *completer;  /* to be set; NULL disables completion */
	void *completer_arg;
	const struct ik_keymap *keymap;
	struct ik_popup popup;
	bool visual;       /* as in struct ik_screen_options */
	bool recalled;     /* to be set: the text is from the history, so suggest nothing */
	bool refused_word; /* the popup was closed for the word at refused_start */
	size_t refused_start;
	struct ik_history_search search; /* search in the history, */
	struct ik_editor *found; /* and the editor that shows its match; NULL if no search is open */
};

/* keymap is borrowed; history_path may be NULL. visual: as in struct ik_screen_options. */
struct ik_prompt *ik_prompt_new(const struct ik_keymap *keymap, const char *history_path,
	size_t history_bytes, bool visual);
struct ik_prompt *ik_prompt_free(struct ik_prompt *prompt);

/* Return the visible editor: during a history search, the one that shows the match. */
struct ik_editor *ik_prompt_front(const struct ik_prompt *prompt);

/* Replace the message, and close the popup. */
void ik_prompt_set(struct ik_prompt *prompt, const char *text, size_t length);

/* Update the popup after the text or the cursor has changed. */
void ik_prompt_update(struct ik_prompt *prompt);

/* Handle an action for the popup, or one that opens it; return false if it is not for the popup. */
bool ik_prompt_candidate_key(struct ik_prompt *prompt, enum ik_action action);

/* Accept the candidate in a cell; return false if there is none. */
bool ik_prompt_click(struct ik_prompt *prompt, int row, int column);

/* Draw the popup at the bottom of area. The editor, with the cursor, must be drawn already. */
void ik_prompt_draw_candidates(struct ik_prompt *prompt, struct ik_cells *cells,
	struct ik_rectangle area);

/* Handle a key during the history search, or one that starts it; return false for other keys. */
bool ik_prompt_history_key(struct ik_prompt *prompt, enum ik_action action,
	const struct ik_key *key);

/* Append the query of the history search, for the line over the editor; return false without
 * one. */
bool ik_prompt_label(const struct ik_prompt *prompt, struct ik_buf *out);

#endif
