/*
 * dialog: questions to the user, one after the other, between the
 * conversation and the editor.
 *
 * A question has a title, a text of any size that can be scrolled, and
 * choices, of which one may take a text along (a reason).  Runs of empty lines
 * in the text are folded, and no choice but that of Esc is taken before the end of
 * the text was seen: until then it scrolls on.  Questions wait in
 * the order in which they came; the first is shown.  It has focus while it
 * is open.  Put aside it is one row, and the keys are the editor's again.
 *
 * Nobody answers a question by a slip: one that appears by itself takes neither
 * letters nor Enter nor clicks before it has been on the screen for half a second in
 * which nothing was typed.  Its choices are not shown until it does.  A letter
 * typed earlier goes to the editor and puts the question aside, but is
 * dropped where it follows an answer.  A question that a key of the user's
 * opened is ready once it was drawn, unless it is guarded.
 *
 * Owns copies of all it is given.  What it shows is sanitised here.
 * May include: util, tui/term, tui/edit, tui/pane.
 */
#ifndef IK_TUI_SCREEN_DIALOG_H
#define IK_TUI_SCREEN_DIALOG_H

#include "tui/edit/keymap.h"
#include "tui/term/cells.h"

#include <stdbool.h>
#include <stddef.h>

enum ik_question_part_kind {
	IK_QUESTION_TEXT,
	IK_QUESTION_HEADING,
	IK_QUESTION_HINT,
	IK_QUESTION_WARNING,
	IK_QUESTION_DIFF /* lines that begin with "+", "-", "@" or " " */
};

/* A piece of the text; each begins a new line. */
struct ik_question_part {
	enum ik_question_part_kind kind;
	const char *text;
	size_t length;
};

struct ik_choice {
	char key; /* a lower-case letter or digit that answers at once; 0: none, for
	                       what nobody is to answer by a slip: select it, then Enter */
	const char *label;
	int value;          /* of the answer */
	const char *prompt; /* "Reason: ": what may be written before the answer is
	                       given; NULL: nothing */
};

struct ik_question {
	const char *title;
	const struct ik_question_part *parts;
	size_t part_count;
	const struct ik_choice *choices;
	size_t choice_count; /* at least 1 */
	size_t escape;       /* index of the safe one, which Esc means, and Enter at first */
	bool first;          /* before those that wait, and ready at once: it belongs to the last
	                        answer */
	bool wanted;         /* a key of the user's asked for it: it opens in front of all, over a
	                        draft too, and is ready at once */
	bool guarded; /* neither of the two is ready at once: the key may have been a letter, which
	                        others follow as they are typed, or the question is one that it did
	                        not ask for */
};

struct ik_dialog;

/* keymap is borrowed. */
struct ik_dialog *ik_dialog_new(const struct ik_keymap *keymap);
struct ik_dialog *ik_dialog_free(struct ik_dialog *dialog);

/* Ask. Returns the question's id, from 1 on, never given twice. */
int ik_dialog_ask(struct ik_dialog *dialog, const struct ik_question *question);

/* It needs no answer any more; nothing happens when it has one. */
void ik_dialog_withdraw(struct ik_dialog *dialog, int id);

/* Questions without an answer. */
size_t ik_dialog_count(const struct ik_dialog *dialog);

/* Has the question in front the keys? Always false without one. */
bool ik_dialog_is_open(const struct ik_dialog *dialog);
/* open: a key of the user's does that, so the question is ready when it is drawn. */
void ik_dialog_set_open(struct ik_dialog *dialog, bool open);

/* The time (monotonic). visible: the dialog is part of what is drawn. Returns in how many
 * milliseconds it wants to be told again, -1: never; *ret_changed is set when it is to be drawn. */
int64_t ik_dialog_tick(struct ik_dialog *dialog, int64_t now_ms, bool visible, bool *ret_changed);

/*
 * A key (and the action it is bound to) for the question that is open; false: it means nothing
 * here (a letter that no choice has begins a message, and puts the question aside). When it
 * answers, *ret_answer is set to the IK_ACTION_ANSWER, and the next question is shown.
 */
bool ik_dialog_key(struct ik_dialog *dialog, const struct ik_key *key, enum ik_action action,
	struct ik_invocation *ret_answer);

/* A click on a cell of the area in which it was drawn, likewise. */
void ik_dialog_click(struct ik_dialog *dialog, struct ik_rectangle area, int row, int column,
	struct ik_invocation *ret_answer);

/* Answer with the choice that Esc means; the dialog must be open. */
void ik_dialog_escape(struct ik_dialog *dialog, struct ik_invocation *ret_answer);

/* Scroll the text. */
void ik_dialog_scroll(struct ik_dialog *dialog, int rows);

/* Rows that it wants in that many columns: at most most, 0 without a question. */
int ik_dialog_rows(struct ik_dialog *dialog, int columns, int most);

/* Rows without which nothing of an open question's text is seen; 0: it is not open. */
int ik_dialog_least_rows(const struct ik_dialog *dialog, int columns);

/* Draw; the cursor is set where a text is being written, else left alone. */
void ik_dialog_draw(struct ik_dialog *dialog, struct ik_cells *cells, struct ik_rectangle area);

#endif
