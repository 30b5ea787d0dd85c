/*
 * inspector_private: the state of the inspector, shared by the files that are it:
 * pane_inspector.c (the list of calls, its keys), inspector_text.c (the
 * selected call as text), inspector_cursor.c (the cursor in that text, folding).
 */
#ifndef IK_TUI_PANE_INSPECTOR_PRIVATE_H
#define IK_TUI_PANE_INSPECTOR_PRIVATE_H

#include "tui/pane/pane_inspector.h"
#include "tui/text/json_tree.h"

/* What of a call a line of the text belongs to. */
enum ik_call_part {
	IK_PART_CALL, /* name and facts */
	IK_PART_ARGUMENTS,
	IK_PART_CHANGES,
	IK_PART_ERRORS,
	IK_PART_OUTPUT,
	IK_PART_ENVELOPE,
	IK_PARTS
};

/* A line that the cursor can be on: a block of the text. */
struct ik_inspector_line {
	enum ik_call_part part;
	enum ik_tree_role role;
	struct ik_tree_node *node; /* NULL: a heading, or text that is no JSON */
};

/* How far a call's JSON is unfolded unless a node says otherwise. */
enum ik_fold_all { IK_FOLD_USUAL, IK_FOLD_NONE, IK_FOLD_EVERY };

/* A node that the person folded or unfolded, kept while the session runs. */
struct ik_fold {
	uint64_t path;
	enum ik_call_part part;
	enum ik_tree_state state;
};
struct ik_call_folds {
	const struct ik_shown_call *call;
	enum ik_fold_all all;
	struct ik_fold *folds;
	size_t count, capacity;
};

/* Whose tree it is, for what folds. */
struct ik_tree_owner {
	struct ik_inspector *inspector;
	enum ik_call_part part;
};

struct ik_inspector {
	struct ik_pane pane;
	struct ik_calls *calls;
	bool moved;                        /* the person selected a call */
	const struct ik_shown_call *call;  /* the selected one */
	const struct ik_shown_call *shown; /* whose text is in the pane */
	unsigned shown_version;
	enum ik_call_stage shown_stage;
	struct ik_block *output, *errors; /* of a call that runs; NULL: none yet */
	size_t output_length, errors_length;
	size_t left_out;         /* as it was when the text was made */
	size_t page, shown_page; /* 0: the call, with the first part of its large texts */
	bool page_end;           /* the page is to be shown from its end */
	bool arrived;            /* a part that it may show was on its way */
	bool again;              /* the text is to be made anew */
	ik_blob_reader *read;
	void *read_arg;
	int64_t now_ms;
	struct ik_buf reaction; /* the text of the last one */
	/* The text's lines, one for each block, and what they are of. */
	struct ik_inspector_line *lines;
	size_t line_count, line_capacity;
	struct ik_json_tree *trees[IK_PARTS];
	struct ik_tree_owner owners[IK_PARTS];
	const struct ik_shown_call *tree_call;
	unsigned tree_version;
	struct ik_buf decoded;      /* a large envelope, as far as it was read, */
	size_t decoded_at;          /* which is up to here; 0: not begun */
	enum ik_call_part building; /* whose lines are being made */
	/* The cursor in it. */
	bool in_text;
	size_t cursor;
	struct ik_call_folds *folds;
	size_t fold_count, fold_capacity;
};

/* What was folded of the selected call; make: also where there is nothing yet. */
struct ik_call_folds *ik_inspector_folds(struct ik_inspector *inspector, bool make);
void ik_inspector_folds_done(struct ik_inspector *inspector);

/* Bring the text of the selected call up to date. */
void ik_inspector_sync_text(struct ik_inspector *inspector);
void ik_inspector_text_done(struct ik_inspector *inspector);
/* Work on that text. */
bool ik_inspector_work(struct ik_pane *pane, bool *ret_changed);

/* A word for a call's stage. */
const char *ik_inspector_stage(enum ik_call_stage stage);

/* Find the cursor's line again in a new text: the one that it was on, or what is near. */
void ik_inspector_find_cursor(struct ik_inspector *inspector, struct ik_inspector_line before,
	uint64_t path);

/* Into the text (true), or back to the list. */
void ik_inspector_enter_text(struct ik_inspector *inspector, bool in_text);

/* An action while the cursor is in the text; false: it means what it means elsewhere. */
bool ik_inspector_text_act(struct ik_inspector *inspector, enum ik_action action);

/* The cursor was put on a line by a click: into the text, and what folds does. */
void ik_inspector_clicked(struct ik_inspector *inspector);

/* Is it one of the actions that fold and unfold? Do it. */
bool ik_inspector_folds_by(enum ik_action action);
void ik_inspector_fold(struct ik_inspector *inspector, enum ik_action action);

/* Append what is under the cursor. */
void ik_inspector_copy_line(struct ik_inspector *inspector, struct ik_buf *out);

/* Append what one wants of a call elsewhere. */
void ik_inspector_copy_call(const struct ik_shown_call *call, struct ik_buf *out);

#endif
