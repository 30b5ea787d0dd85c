#include "tui/editor_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"

#define FOLD_LINES 10
#define FOLD_BYTES 2000
#define STEPS_MAX 1000

void ik_folds_copy(struct folds *to, const struct folds *from)
{
	to->count = to->capacity = from->count;
	to->at = ik_alloc_array(to->at, from->count ? from->count : 1, sizeof *to->at);
	if (from->count)
		memcpy(to->at, from->at, from->count * sizeof *to->at);
}

void ik_folds_done(struct folds *folds)
{
	free(folds->at);
	*folds = (struct folds){ 0 };
}

/* Put a fold in at an index. */
static void insert_fold(struct folds *folds, size_t index, struct fold fold)
{
	if (folds->count == folds->capacity) {
		folds->capacity = folds->capacity ? folds->capacity * 2 : 4;
		folds->at = ik_alloc_array(folds->at, folds->capacity, sizeof *folds->at);
	}
	memmove(folds->at + index + 1, folds->at + index,
		(folds->count - index) * sizeof *folds->at);
	folds->at[index] = fold;
	folds->count++;
}

/* Index of the first fold that begins at or behind position. */
static size_t fold_index(const struct folds *folds, size_t position)
{
	size_t low = 0, high = folds->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (folds->at[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct fold *ik_fold_at(const struct ik_editor *editor, size_t position)
{
	size_t index = fold_index(&editor->folds, position);

	if (index >= editor->folds.count || editor->folds.at[index].position != position)
		return NULL;
	return &editor->folds.at[index];
}

struct fold *ik_fold_before(const struct ik_editor *editor, size_t position)
{
	size_t index = fold_index(&editor->folds, position);
	if (index == 0)
		return NULL;
	struct fold *fold = &editor->folds.at[index - 1];
	return fold->position + fold->length == position ? fold : NULL;
}

void ik_fold_open(struct ik_editor *editor, struct fold *fold)
{
	struct folds *folds = &editor->folds;
	size_t index = (size_t)(fold - folds->at);
	memmove(fold, fold + 1, (folds->count - index - 1) * sizeof *fold);
	folds->count--;
	editor->chain = CHAIN_NONE;
}

/* Take the folds that touch a part of the text out of it, into taken. */
static void take_folds(struct folds *folds, size_t position, size_t length, struct folds *taken)
{
	size_t kept = 0;
	for (size_t i = 0; i < folds->count; i++) {
		struct fold *fold = &folds->at[i];
		if (fold->position < position + length && fold->position + fold->length > position)
			insert_fold(taken, taken->count, *fold);
		else
			folds->at[kept++] = *fold;
	}
	folds->count = kept;
}

/* Move the folds from position on. */
static void shift_folds(struct folds *folds, size_t position, size_t removed, size_t inserted)
{
	for (size_t i = fold_index(folds, position); i < folds->count; i++)
		folds->at[i].position = folds->at[i].position - removed + inserted;
}

/* Release a step. */
static void drop_step(struct ik_editor *editor, size_t index)
{
	struct step *step = &editor->steps[index];
	editor->step_bytes -= step->removed.length;
	ik_buf_done(&step->removed);
	ik_folds_done(&step->folds);
	editor->step_count--;
	memmove(step, step + 1, (editor->step_count - index) * sizeof *step);
}

void ik_text_forget_steps(struct ik_editor *editor)
{
	while (editor->step_count > 0)
		drop_step(editor, editor->step_count - 1);
}

/* The oldest steps make room for the new ones. */
static void bound_steps(struct ik_editor *editor)
{
	size_t dropped = 0, bytes = editor->step_bytes;
	while (dropped + 1 < editor->step_count
	       && (bytes > IK_LIMIT_USER_TEXT || editor->step_count - dropped > STEPS_MAX))
		bytes -= editor->steps[dropped++].removed.length;
	/* Many at a time: moving them all for each would be slow. */
	if (dropped > 0 && bytes <= IK_LIMIT_USER_TEXT)
		dropped += (editor->step_count - dropped) / 4;
	while (dropped-- > 0 && editor->step_count > 1)
		drop_step(editor, 0);
}

/* May what is typed at position join the last step? A word begins a new one. */
static bool joins_typing(const struct ik_editor *editor, const struct step *last,
	size_t position, const char *bytes)
{
	const char *before = editor->text.data + position;
	return last->removed.length == 0 && last->position + last->inserted == position
		&& !(last->inserted > 0 && (before[-1] == ' ' || before[-1] == '\n') && *bytes != ' ');
}

/* Try to make a change part of the last step. */
static bool join_step(struct ik_editor *editor, size_t position, size_t length,
	const char *bytes, size_t count, enum chain chain)
{
	if (chain == CHAIN_NONE || chain != editor->chain || editor->step_count == 0)
		return false;
	struct step *last = &editor->steps[editor->step_count - 1];
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
	editor->step_bytes += length;
	return true;
}

/* Remember a change that is about to be made. */
static void push_step(struct ik_editor *editor, size_t position, size_t length, size_t count,
	enum chain chain)
{
	if (editor->step_count == editor->step_capacity) {
		editor->step_capacity = editor->step_capacity ? editor->step_capacity * 2 : 16;
		editor->steps = ik_alloc_array(editor->steps, editor->step_capacity,
			sizeof *editor->steps);
	}
	struct step *step = &editor->steps[editor->step_count++];
	*step = (struct step){ .chain = chain, .position = position, .inserted = count,
		.cursor = editor->cursor };
	ik_buf_init(&step->removed, IK_LIMIT_USER_TEXT);
	ik_buf_append(&step->removed, editor->text.data + position, length);
	editor->step_bytes += step->removed.length;
	if (ik_buf_status(&step->removed) != IK_OK)
		ik_text_forget_steps(editor); /* no memory: better no undo than a wrong one */
	else
		bound_steps(editor);
}

/* Change the bytes; there is room for them. */
static void change(struct ik_editor *editor, size_t position, size_t length,
	const char *bytes, size_t count, struct folds *taken)
{
	take_folds(&editor->folds, position, length, taken);
	shift_folds(&editor->folds, position, length, count);
	ik_buf_erase(&editor->text, position, length);
	ik_buf_insert(&editor->text, position, bytes, count);
	if (editor->top > position)
		editor->top = position; /* what lay there may lie within a cluster now */
}

/* Make sure that count bytes can take the place of length ones. */
static bool make_room(struct ik_editor *editor, size_t length, size_t count)
{
	struct ik_buf *text = &editor->text;
	if (count > text->ceiling - (text->length - length))
		return false;
	if (count > length && !ik_buf_reserve(text, count - length)) {
		text->status = IK_OK; /* the text is as it was */
		return false;
	}
	return true;
}

bool ik_text_replace(struct ik_editor *editor, size_t position, size_t length,
	const char *bytes, size_t count, enum chain chain)
{
	struct folds taken = { 0 };
	if (!make_room(editor, length, count))
		return false;
	bool joined = join_step(editor, position, length, bytes, count, chain);
	if (!joined)
		push_step(editor, position, length, count, chain);
	change(editor, position, length, bytes, count, &taken);
	if (!joined && editor->step_count > 0)
		editor->steps[editor->step_count - 1].folds = taken;
	else
		ik_folds_done(&taken);
	editor->cursor = position + count;
	editor->chain = chain;
	return true;
}

void ik_text_undo(struct ik_editor *editor)
{
	struct folds taken = { 0 };
	if (editor->step_count == 0)
		return;
	struct step *step = &editor->steps[editor->step_count - 1];
	if (!make_room(editor, step->inserted, step->removed.length))
		return;
	change(editor, step->position, step->inserted, step->removed.data, step->removed.length,
		&taken);
	ik_folds_done(&taken);
	for (size_t i = 0; i < step->folds.count; i++)
		insert_fold(&editor->folds,
			fold_index(&editor->folds, step->folds.at[i].position), step->folds.at[i]);
	editor->cursor = step->cursor;
	editor->chain = CHAIN_NONE;
	drop_step(editor, editor->step_count - 1);
}

/* Count the lines of a text, up to a limit; the last may lack its end. */
static size_t count_lines(const char *text, size_t length, size_t limit)
{
	size_t lines = 0;
	const char *end = text + length;
	while (text < end && lines < limit) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		lines++;
		text = line_end ? line_end + 1 : end;
	}
	return lines;
}

bool ik_text_is_large(const char *text, size_t length)
{
	return length > FOLD_BYTES || count_lines(text, length, FOLD_LINES + 1) > FOLD_LINES;
}

void ik_text_fold(struct ik_editor *editor, size_t position, size_t length)
{
	struct fold fold = { position, length,
		count_lines(editor->text.data + position, length, SIZE_MAX) };
	insert_fold(&editor->folds, fold_index(&editor->folds, position), fold);
}

size_t ik_text_next(const struct ik_editor *editor, size_t position)
{
	size_t end = editor->text.length;
	size_t index = fold_index(&editor->folds, position);
	if (position >= end)
		return end;
	if (index < editor->folds.count) {
		const struct fold *fold = &editor->folds.at[index];
		if (fold->position == position)
			return position + fold->length;
		end = fold->position;
	}
	return position + ik_cluster_next(editor->text.data + position, end - position).length;
}

size_t ik_text_previous(const struct ik_editor *editor, size_t position)
{
	size_t floor = 0;
	size_t index = fold_index(&editor->folds, position);
	if (position == 0)
		return 0;
	if (index > 0) {
		const struct fold *fold = &editor->folds.at[index - 1];
		floor = fold->position + fold->length;
		if (floor == position)
			return fold->position;
	}
	return floor + ik_cluster_previous(editor->text.data + floor, position - floor);
}

size_t ik_text_line_start(const struct ik_editor *editor, size_t position)
{
	const char *text = editor->text.data;
	for (size_t index = fold_index(&editor->folds, position);; index--) {
		const struct fold *fold = index > 0 ? &editor->folds.at[index - 1] : NULL;
		size_t floor = fold ? fold->position + fold->length : 0;
		const char *line_end = memrchr(text + floor, '\n', position - floor);
		if (line_end)
			return (size_t)(line_end - text) + 1;
		if (!fold)
			return 0;
		position = fold->position;
	}
}

size_t ik_text_line_end(const struct ik_editor *editor, size_t position)
{
	const char *text = editor->text.data;
	for (size_t index = fold_index(&editor->folds, position);; index++) {
		const struct fold *fold = index < editor->folds.count ? &editor->folds.at[index] : NULL;
		size_t end = fold ? fold->position : editor->text.length;
		const char *line_end = memchr(text + position, '\n', end - position);
		if (line_end)
			return (size_t)(line_end - text);
		if (!fold)
			return end;
		position = fold->position + fold->length;
	}
}
