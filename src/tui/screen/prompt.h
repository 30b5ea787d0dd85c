/*
 * prompt: the place where a message is written: the editor, the completion of
 * the word at its cursor, and the search in the history of what was sent, which
 * is shown in the editor's place.
 *
 * The candidates are a few rows over the line above the editor, of which one may be selected, and
 * a last one that says where one is and which keys there are.
 *
 * Others set what is marked so, and read the rest.  Owns the editor and the history.
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

/*
 * Say what the word at the end of text (the editor's, up to the cursor) may become;
 * false: nothing. What it points to is valid until it is called again.
 */
typedef bool ik_completer(void *arg, const char *text, size_t length,
	struct ik_completions *ret_completions);

/* The candidates for the word at the cursor, over the line above the editor. */
struct ik_popup {
	bool open;
	bool asked; /* the user asked for them */
	struct ik_completions shown;
	char *typed;
	uint32_t *matches; /* those that fit, as indexes */
	size_t count;
	size_t selected;          /* index of matches, or SIZE_MAX */
	char *chosen;             /* the text of the one that the user went to; NULL: went to none */
	size_t top;               /* the first that is seen */
	struct ik_rectangle area; /* of those that are seen */
};

struct ik_prompt {
	struct ik_history *history;
	struct ik_editor *editor; /* with the message */
	ik_completer *completer;  /* to be set; NULL: nothing is completed */
	void *completer_arg;
	const struct ik_keymap *keymap;
	struct ik_popup popup;
	bool preselect;    /* select the first of candidates that come by themselves */
	bool recalled;     /* to be set: the text is from the history, suggest nothing */
	bool refused_word; /* the popup was closed over the word that begins at refused_start */
	size_t refused_start;
	struct ik_history_search search; /* in the history, */
	struct ik_editor *found;         /* and what shows the place; NULL: it is not being searched */
};

/* keymap is borrowed; history_path may be NULL; preselect: select the first of the candidates
 * that come by themselves. */
struct ik_prompt *ik_prompt_new(const struct ik_keymap *keymap, const char *history_path,
	size_t history_bytes, bool preselect);
struct ik_prompt *ik_prompt_free(struct ik_prompt *prompt);

/* The editor on the screen: while the history is searched, that which shows what was found. */
struct ik_editor *ik_prompt_front(const struct ik_prompt *prompt);

/* Replace the message, and close the candidates. */
void ik_prompt_set(struct ik_prompt *prompt, const char *text, size_t length);

/* Find candidates for a text or cursor that has changed. */
void ik_prompt_update(struct ik_prompt *prompt);

/* Handle an action for the candidates, or one that asks for them; false: it is for others. */
bool ik_prompt_candidate_key(struct ik_prompt *prompt, enum ik_action action);

/* Accept the candidate in a cell; false: there is none. */
bool ik_prompt_click(struct ik_prompt *prompt, int row, int column);

/* Draw the candidates at the bottom of area; the editor, with the cursor, was drawn. */
void ik_prompt_draw_candidates(struct ik_prompt *prompt, struct ik_cells *cells,
	struct ik_rectangle area);

/* Handle a key while the history is searched, or one that begins it; false: it is for others. */
bool ik_prompt_history_key(struct ik_prompt *prompt, enum ik_action action,
	const struct ik_key *key);

/* Append what is searched for, for the line over the editor; false: nothing is. */
bool ik_prompt_label(const struct ik_prompt *prompt, struct ik_buf *out);

#endif
