#include "tui/edit/editor_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"

#define FOLD_LINES 10
#define FOLD_BYTES 2000

void ik_folds_copy(struct folds *to, const struct folds *from)
{
	to->count = to->capacity = from->count;
	to->at = ik_alloc_array(to->at, from->count ? from->count : 1, sizeof(*to->at));
	if (from->count)
		memcpy(to->at, from->at, from->count * sizeof(*to->at));
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
		folds->at = ik_alloc_array(folds->at, folds->capacity, sizeof(*folds->at));
	}
	memmove(folds->at + index + 1, folds->at + index, (folds->count - index) * sizeof(*folds->at));
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

void ik_folds_add(struct folds *folds, struct fold fold)
{
	insert_fold(folds, fold_index(folds, fold.position), fold);
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

	ik_rows_changed(editor->rows, fold->position);
	memmove(fold, fold + 1, (folds->count - index - 1) * sizeof(*fold));
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

void ik_text_change(struct ik_editor *editor, size_t position, size_t length, const char *bytes,
	size_t count, struct folds *taken)
{
	ik_rows_changed(editor->rows, position);
	take_folds(&editor->folds, position, length, taken);
	shift_folds(&editor->folds, position, length, count);
	ik_buf_erase(&editor->text, position, length);
	ik_buf_insert(&editor->text, position, bytes, count);
	editor->selecting = false;
	if (editor->top > position)
		editor->top = position; /* what lay there may lie within a cluster now */
}

bool ik_text_make_room(struct ik_editor *editor, size_t length, size_t count)
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

bool ik_text_replace(struct ik_editor *editor, size_t position, size_t length, const char *bytes,
	size_t count, enum editor_chain chain)
{
	struct folds taken = { 0 };

	if (!ik_text_make_room(editor, length, count))
		return false;
	struct editor_step *step = ik_undo_note(editor, position, length, bytes, count, chain);
	ik_text_change(editor, position, length, bytes, count, &taken);
	if (step)
		step->folds = taken;
	else
		ik_folds_done(&taken);
	editor->cursor = position + count;
	editor->chain = chain;
	return true;
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

	ik_folds_add(&editor->folds, fold);
	ik_rows_changed(editor->rows, position);
}

size_t ik_fold_behind(const struct ik_editor *editor, size_t position)
{
	size_t index = fold_index(&editor->folds, position + 1);

	return index < editor->folds.count ? editor->folds.at[index].position : editor->text.length;
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
