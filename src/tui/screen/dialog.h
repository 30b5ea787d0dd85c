/*
 * dialog: questions to the user, one at a time, between the conversation and
 * the editor.
 *
 * A question has a title, a scrollable text of any size, and choices, each of
 * which may ask for a text (a reason).  Runs of empty lines in the text are
 * folded.  Until the end of the text has been seen, choosing anything but the
 * Esc choice scrolls on instead.  Questions queue in order of arrival, and the
 * first is shown, with how many there are.  An open dialog has focus.  A
 * postponed one takes a single row, and the editor has focus; a new question
 * goes before it.
 *
 * The user cannot answer by accident.  A question that appears by itself
 * ignores letters, Enter and clicks until it has been on the screen for half a
 * second without typing, and hides its choices until then.  A letter typed
 * earlier goes to the editor and postpones the question; right after an answer
 * it is dropped.  A question that the user opened with a key is ready once
 * drawn, unless it is guarded.
 *
 * Owns copies of everything it is given, and sanitises what it shows.
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

/* A piece of the text; each begins on a new line. */
struct ik_question_part {
	enum ik_question_part_kind kind;
	const char *text;
	size_t length;
};

struct ik_choice {
	char key; /* lower-case letter or digit that answers at once */
	const char *label;
	int value; /* value of the answer */
	/* "Reason: ", the prompt for a text that goes with the answer; NULL for no text. */
	const char *prompt;
	const char *text; /* that it begins with; NULL: none */
	bool careful;     /* the key only selects it, and Enter answers, so that no slip does */
};

struct ik_question {
	const char *title;
	const struct ik_question_part *parts;
	size_t part_count;
	const struct ik_choice *choices;
	size_t choice_count; /* at least 1 */
	size_t escape;       /* index of the safe choice, for Esc */
	size_t preferred;    /* 1 + index of the choice that Enter selects at first; 0: the safe one */
	/* Goes before queued questions and is ready at once: it belongs to the last answer. */
	bool first;
	/* A key asked for it: it opens in front of all others, even over a draft, and is ready at
	 * once. */
	bool wanted;
	/* Overrides both: never ready at once, because the key may have been a letter of a typed
	 * word, or the question is not the one the key asked for. */
	bool guarded;
};

struct ik_dialog;

/* Borrows keymap. */
struct ik_dialog *ik_dialog_new(const struct ik_keymap *keymap);
struct ik_dialog *ik_dialog_free(struct ik_dialog *dialog);

/* Add a question. Return its ID, which starts at 1 and is never reused. */
int ik_dialog_ask(struct ik_dialog *dialog, const struct ik_question *question);

/* Withdraw a question. Does nothing if it has been answered. */
void ik_dialog_withdraw(struct ik_dialog *dialog, int id);

/* Return the number of unanswered questions. */
size_t ik_dialog_count(const struct ik_dialog *dialog);

/* Does the question in front have focus? False without a question. */
bool ik_dialog_is_open(const struct ik_dialog *dialog);
/* Open or postpone. Opening is due to a key, so the question is ready once drawn. */
void ik_dialog_set_open(struct ik_dialog *dialog, bool open);

/* Set the monotonic time. visible: the dialog is drawn. Return the number of milliseconds until
 * the next call is due, or -1 for none. *ret_changed is set to true if a redraw is needed. */
int64_t ik_dialog_tick(struct ik_dialog *dialog, int64_t now_ms, bool visible, bool *ret_changed);

/*
 * Handle a key and the action it is bound to for the open question; return
 * false if it means nothing here. A letter that belongs to no choice begins a
 * message and postpones the question. If the key answers, *ret_answer is set to
 * IK_ACTION_ANSWER, and the next question is shown.
 */
bool ik_dialog_key(struct ik_dialog *dialog, const struct ik_key *key, enum ik_action action,
	struct ik_invocation *ret_answer);

/* Handle a click on a cell of the area the dialog was drawn in; *ret_answer is as above. */
void ik_dialog_click(struct ik_dialog *dialog, struct ik_rectangle area, int row, int column,
	struct ik_invocation *ret_answer);

/* Answer with the Esc choice. The dialog must be open. */
void ik_dialog_escape(struct ik_dialog *dialog, struct ik_invocation *ret_answer);

/* Scroll the text. */
void ik_dialog_scroll(struct ik_dialog *dialog, int rows);

/* Return the number of rows wanted for this width: at most `most`, or 0 without a question. */
int ik_dialog_rows(struct ik_dialog *dialog, int columns, int most);

/* Return the fewest rows that show any of an open question's text, or 0 if it is not open. */
int ik_dialog_least_rows(const struct ik_dialog *dialog, int columns);

/* Draw. Sets the cursor only while a text is written. */
void ik_dialog_draw(struct ik_dialog *dialog, struct ik_cells *cells, struct ik_rectangle area);

#endif
