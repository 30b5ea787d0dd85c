/* Undo and redo: the text's changes, each with what it replaced. */
#include "tui/edit/editor_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"

#define STEPS_MAX 1000

/* Release a step. */
static void drop_step(struct steps *steps, size_t index)
{
	struct editor_step *step = &steps->at[index];

	steps->bytes -= step->removed.length;
	ik_buf_done(&step->removed);
	ik_folds_done(&step->folds);
	steps->count--;
	memmove(step, step + 1, (steps->count - index) * sizeof(*step));
}

/* Release all steps. */
static void forget(struct steps *steps)
{
	while (steps->count > 0)
		drop_step(steps, steps->count - 1);
	free(steps->at);
	*steps = (struct steps){ 0 };
}

void ik_editor_undo_forget(struct ik_editor *editor)
{
	forget(&editor->done);
	forget(&editor->undone);
}

/* The oldest steps make room for the new ones. */
static void bound_steps(struct steps *steps)
{
	size_t dropped = 0, bytes = steps->bytes;

	while (dropped + 1 < steps->count &&
		(bytes > IK_LIMIT_USER_TEXT || steps->count - dropped > STEPS_MAX))
		bytes -= steps->at[dropped++].removed.length;
	/* Many at a time: moving them all for each would be slow. */
	if (dropped > 0 && bytes <= IK_LIMIT_USER_TEXT)
		dropped += (steps->count - dropped) / 4;
	while (dropped-- > 0 && steps->count > 1)
		drop_step(steps, 0);
}

/* May what is typed at position join the last step? A word begins a new one. */
static bool joins_typing(const struct ik_editor *editor, const struct editor_step *last,
	size_t position, const char *bytes)
{
	const char *before = editor->text.data + position;

	return last->removed.length == 0 && last->position + last->inserted == position &&
		!(last->inserted > 0 && (before[-1] == ' ' || before[-1] == '\n') && *bytes != ' ');
}

/* Try to make a change part of the last step. */
static bool join_step(struct ik_editor *editor, size_t position, size_t length, const char *bytes,
	size_t count, enum editor_chain chain)
{
	if (chain == CHAIN_NONE || chain != editor->chain || editor->done.count == 0)
		return false;
	struct editor_step *last = &editor->done.at[editor->done.count - 1];
	const char *removed = editor->text.data + position;

	if (last->chain != chain)
		return false;
	if (chain == CHAIN_BROWSE && last->position == position && last->inserted == length) {
		last->inserted = count;
		return true;
	}
	if (chain == CHAIN_TYPE && length == 0 && joins_typing(editor, last, position, bytes)) {
		last->inserted += count;
		return true;
	}
	/* Folds would have to be moved within the step: they get a step of their own. */
	if (count > 0 || last->inserted > 0 || editor->folds.count > 0 || last->folds.count > 0)
		return false;
	if (chain == CHAIN_DELETE_LEFT && position + length == last->position) {
		ik_buf_insert(&last->removed, 0, removed, length);
		last->position = position;
	} else if (chain == CHAIN_DELETE_RIGHT && position == last->position) {
		ik_buf_append(&last->removed, removed, length);
	} else {
		return false;
	}
	editor->done.bytes += length;
	return true;
}

/* Remember a change that is about to be made; NULL where there is no memory for it. */
static struct editor_step *push_step(struct ik_editor *editor, struct steps *steps, size_t position,
	size_t length, size_t count, enum editor_chain chain)
{
	if (steps->count == steps->capacity) {
		steps->capacity = steps->capacity ? steps->capacity * 2 : 16;
		steps->at = ik_alloc_array(steps->at, steps->capacity, sizeof(*steps->at));
	}
	struct editor_step *step = &steps->at[steps->count++];
	*step = (struct editor_step){
		.chain = chain, .position = position, .inserted = count, .cursor = editor->cursor
	};
	ik_buf_init(&step->removed, IK_LIMIT_USER_TEXT);
	ik_buf_append(&step->removed, editor->text.data + position, length);
	steps->bytes += step->removed.length;
	if (ik_buf_status(&step->removed) != IK_OK) {
		forget(steps); /* better no undo than a wrong one */
		return NULL;
	}
	bound_steps(steps);
	return &steps->at[steps->count - 1];
}

struct editor_step *ik_undo_note(struct ik_editor *editor, size_t position, size_t length,
	const char *bytes, size_t count, enum editor_chain chain)
{
	forget(&editor->undone);
	if (join_step(editor, position, length, bytes, count, chain))
		return NULL;
	return push_step(editor, &editor->done, position, length, count, chain);
}

void ik_editor_undo_step(struct ik_editor *editor, bool again)
{
	struct steps *from = again ? &editor->undone : &editor->done;
	struct steps *to = again ? &editor->done : &editor->undone;
	struct folds taken = { 0 };

	if (from->count == 0)
		return;
	struct editor_step *step = &from->at[from->count - 1];

	if (!ik_text_make_room(editor, step->inserted, step->removed.length))
		return;
	struct editor_step *inverse = push_step(editor, to, step->position, step->inserted,
		step->removed.length, CHAIN_NONE);
	ik_text_change(editor, step->position, step->inserted, step->removed.data, step->removed.length,
		&taken);
	if (inverse)
		inverse->folds = taken;
	else
		ik_folds_done(&taken);
	for (size_t i = 0; i < step->folds.count; i++)
		ik_folds_add(&editor->folds, step->folds.at[i]);
	ik_rows_changed(editor->rows, step->position);
	editor->cursor = step->cursor;
	editor->chain = CHAIN_NONE;
	drop_step(from, from->count - 1);
}
