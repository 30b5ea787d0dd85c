#include "tui/edit/editor.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/utf8.h"

#include "tui/edit/editor_private.h"
#include "tui/edit/history.h"

/* A text that is set, not pasted, is folded only where drawing it would be slow. */
#define SET_FOLD_BYTES IK_KIB(64)

struct ik_editor *ik_editor_new(struct ik_history *history)
{
	struct ik_editor *editor = ik_alloc(sizeof(*editor));

	ik_buf_init(&editor->text, IK_LIMIT_USER_TEXT);
	editor->rows = ik_alloc(sizeof(*editor->rows));
	ik_buf_init(&editor->draft, IK_LIMIT_USER_TEXT);
	for (size_t i = 0; i < KILL_RING; i++)
		ik_buf_init(&editor->kills[i], IK_LIMIT_USER_TEXT);
	editor->history = history;
	return editor;
}

struct ik_editor *ik_editor_free(struct ik_editor *editor)
{
	if (!editor)
		return NULL;
	ik_editor_undo_forget(editor);
	for (size_t i = 0; i < KILL_RING; i++)
		ik_buf_done(&editor->kills[i]);
	ik_buf_done(&editor->draft);
	ik_folds_done(&editor->draft_folds);
	editor->rows = ik_rows_free(editor->rows);
	ik_buf_done(&editor->text);
	ik_folds_done(&editor->folds);
	free(editor);
	return NULL;
}

/* The text of now is the draft; what was kept for coming back is not needed. */
static void end_browsing(struct ik_editor *editor)
{
	editor->browsing = false;
	ik_buf_done(&editor->draft);
	ik_folds_done(&editor->draft_folds);
}

/* Bring line ends to LF, append. */
static void append_lines(struct ik_buf *out, const char *text, size_t length)
{
	const char *end = text + length, *stop;

	for (; (stop = memchr(text, '\r', (size_t)(end - text))); text = stop) {
		ik_buf_append(out, text, (size_t)(stop - text));
		ik_buf_putc(out, '\n');
		stop += stop + 1 < end && stop[1] == '\n' ? 2 : 1;
	}
	ik_buf_append(out, text, (size_t)(end - text));
}

/* Replace a part by text from outside, repaired, folded when it is large. */
static bool put_in(struct ik_editor *editor, size_t position, size_t length, const char *text,
	size_t count, enum editor_chain chain, bool pasted)
{
	struct ik_buf lines, repaired;
	bool done = false, large;

	ik_buf_init(&lines, IK_LIMIT_USER_TEXT);
	ik_buf_init(&repaired, IK_LIMIT_USER_TEXT);
	if (memchr(text, '\r', count)) {
		append_lines(&lines, text, count);
		text = lines.data;
		count = lines.length;
	}
	if (ik_utf8_valid_prefix(text, count) < count) {
		ik_utf8_repair(&repaired, text, count);
		text = repaired.data;
		count = repaired.length;
	}
	if (ik_buf_status(&lines) == IK_OK && ik_buf_status(&repaired) == IK_OK) {
		large = pasted ? ik_text_is_large(text, count) : count > SET_FOLD_BYTES;
		done = ik_text_replace(editor, position, length, text, count, chain);
		if (done && large)
			ik_text_fold(editor, position, count);
	}
	ik_buf_done(&lines);
	ik_buf_done(&repaired);
	return done;
}

/* Text from outside in place of what is selected, or at the cursor. */
static bool put_at_cursor(struct ik_editor *editor, const char *text, size_t length,
	enum editor_chain chain, bool pasted)
{
	size_t start = editor->cursor, end = start;

	end_browsing(editor);
	ik_editor_selection(editor, &start, &end);
	return length == 0 || put_in(editor, start, end - start, text, length, chain, pasted);
}

bool ik_editor_insert(struct ik_editor *editor, const char *text, size_t length)
{
	return put_at_cursor(editor, text, length, CHAIN_TYPE, false);
}

bool ik_editor_paste(struct ik_editor *editor, const char *text, size_t length)
{
	return put_at_cursor(editor, text, length, CHAIN_NONE, true);
}

bool ik_editor_replace(struct ik_editor *editor, size_t start, size_t end, const char *text,
	size_t length)
{
	end_browsing(editor);
	return put_in(editor, start, end - start, text, length, CHAIN_NONE, false);
}

void ik_editor_set(struct ik_editor *editor, const char *text, size_t length)
{
	end_browsing(editor);
	put_in(editor, 0, editor->text.length, text, length, CHAIN_NONE, false);
}

void ik_editor_clear(struct ik_editor *editor, bool keep)
{
	end_browsing(editor);
	if (keep) {
		if (editor->history)
			ik_history_add(editor->history, editor->text.data, editor->text.length);
		ik_editor_undo_forget(editor);
		ik_buf_done(&editor->text);
		ik_folds_done(&editor->folds);
		ik_rows_changed(editor->rows, 0);
		editor->cursor = editor->top = 0;
		editor->selecting = false;
	} else if (editor->text.length > 0) {
		ik_text_replace(editor, 0, editor->text.length, "", 0, CHAIN_NONE);
	}
	editor->chain = CHAIN_NONE;
}

const char *ik_editor_text(const struct ik_editor *editor, size_t *ret_length)
{
	*ret_length = editor->text.length;
	return editor->text.data;
}

bool ik_editor_is_empty(const struct ik_editor *editor)
{
	return editor->text.length == 0;
}

size_t ik_editor_cursor(const struct ik_editor *editor)
{
	return editor->cursor;
}

/* Is the cluster at position part of a word? A fold is a word of its own. */
static bool is_word(const struct ik_editor *editor, size_t position)
{
	uint32_t codepoint = 0;

	ik_utf8_decode(editor->text.data + position, editor->text.length - position, &codepoint);
	if (codepoint < 0x80)
		return (codepoint >= '0' && codepoint <= '9') || codepoint == '_' ||
			(codepoint >= 'A' && codepoint <= 'Z') || (codepoint >= 'a' && codepoint <= 'z');
	/* blanks and punctuation beyond ASCII: Latin-1's, general, CJK */
	return !(codepoint < 0xC0 || (codepoint >= 0x2000 && codepoint < 0x2070) ||
		(codepoint >= 0x3000 && codepoint < 0x3004) ||
		(codepoint >= 0x3008 && codepoint < 0x3012) || (codepoint >= 0xFF00 && codepoint < 0xFF10));
}

/* Where the word behind position ends. */
static size_t word_right(const struct ik_editor *editor, size_t position)
{
	bool within = false;

	while (position < editor->text.length) {
		bool fold = ik_fold_at(editor, position), word = fold || is_word(editor, position);

		if (within && (fold || !word))
			break;
		position = ik_text_next(editor, position);
		within = word;
		if (fold)
			break;
	}
	return position;
}

/* Where the word before position begins. */
static size_t word_left(const struct ik_editor *editor, size_t position)
{
	bool within = false;

	while (position > 0) {
		size_t before = ik_text_previous(editor, position);
		bool fold = ik_fold_at(editor, before), word = fold || is_word(editor, before);

		if (within && (fold || !word))
			break;
		position = before;
		within = word;
		if (fold)
			break;
	}
	return position;
}

/* All that was cut is bounded together: the oldest makes room. */
static void bound_kills(struct ik_editor *editor)
{
	size_t bytes = 0;

	for (size_t i = 0; i < editor->kill_count; i++) {
		bytes += editor->kills[i].length;
		if (i == 0 || bytes <= IK_LIMIT_USER_TEXT)
			continue;
		while (editor->kill_count > i)
			ik_buf_done(&editor->kills[--editor->kill_count]);
	}
}

/* Parts cut one after the other are put back together. */
void ik_editor_kill(struct ik_editor *editor, size_t start, size_t end, bool copy)
{
	bool again = editor->chain == CHAIN_KILL && editor->kill_count > 0;
	bool left = end == editor->cursor;

	if (start == end)
		return;
	if (!again) {
		struct ik_buf oldest = editor->kills[KILL_RING - 1];

		memmove(editor->kills + 1, editor->kills, (KILL_RING - 1) * sizeof(*editor->kills));
		ik_buf_clear(&oldest);
		editor->kills[0] = oldest;
		if (editor->kill_count < KILL_RING)
			editor->kill_count++;
	}
	ik_buf_insert(&editor->kills[0], left ? 0 : editor->kills[0].length, editor->text.data + start,
		end - start);
	if (ik_buf_status(&editor->kills[0]) != IK_OK)
		return; /* no room to keep it: nothing is cut */
	bound_kills(editor);
	if (!copy)
		ik_text_replace(editor, start, end - start, "", 0, CHAIN_KILL);
}

/* Put in what was cut, in place of what was put in just before when it goes on. */
static void yank(struct ik_editor *editor, bool older)
{
	size_t position = editor->cursor, length = 0, index = 0;

	if (editor->kill_count == 0)
		return;
	if (older) {
		if (editor->chain != CHAIN_YANK)
			return;
		index = (editor->yanked + 1) % editor->kill_count;
		position = editor->yank_position;
		length = editor->cursor - position;
	}
	const struct ik_buf *kill = &editor->kills[index];

	if (!put_in(editor, position, length, kill->data, kill->length, CHAIN_YANK, true))
		return;
	editor->yanked = index;
	editor->yank_position = position;
}

/* Show what stands at an index of the history. The cursor goes to the end of its
 * first line on the way up, of its last on the way down: the next step goes on. */
static void show_entry(struct ik_editor *editor, size_t index, bool up)
{
	size_t length;
	const char *text = ik_history_at(editor->history, index, &length);

	put_in(editor, 0, editor->text.length, text, length, CHAIN_BROWSE, false);
	editor->browse_index = index;
	editor->cursor = up ? ik_text_line_end(editor, 0) : editor->text.length;
}

/* Back to what was there before. */
static void show_draft(struct ik_editor *editor)
{
	ik_text_replace(editor, 0, editor->text.length, editor->draft.data, editor->draft.length,
		CHAIN_BROWSE);
	ik_folds_copy(&editor->folds, &editor->draft_folds);
	ik_rows_changed(editor->rows, 0);
	editor->cursor = editor->draft_cursor;
	end_browsing(editor);
}

/* Does the entry begin with what stood before the cursor, and differ from what is shown? */
static bool matches(const struct ik_editor *editor, size_t index)
{
	size_t length, wanted = editor->draft_cursor;
	const char *text = ik_history_at(editor->history, index, &length);

	return length >= wanted && memcmp(text, editor->draft.data, wanted) == 0 &&
		!(length == editor->text.length && memcmp(text, editor->text.data, length) == 0);
}

/* To an older entry of the history. */
static void browse_older(struct ik_editor *editor)
{
	size_t count = editor->history ? ik_history_count(editor->history) : 0;

	if (!editor->browsing) {
		end_browsing(editor);
		editor->chain = CHAIN_NONE; /* undo leads back to the draft */
		ik_buf_append(&editor->draft, editor->text.data, editor->text.length);
		if (ik_buf_status(&editor->draft) != IK_OK)
			return; /* no memory to keep it: it stays where it is */
		ik_folds_copy(&editor->draft_folds, &editor->folds);
		editor->draft_cursor = editor->cursor;
	}
	for (size_t i = editor->browsing ? editor->browse_index + 1 : 0; i < count; i++)
		if (matches(editor, i)) {
			editor->browsing = true;
			show_entry(editor, i, true);
			return;
		}
}

/* To a newer entry, at last to the draft. */
static void browse_newer(struct ik_editor *editor)
{
	if (!editor->browsing)
		return;
	for (size_t i = editor->browse_index; i-- > 0;)
		if (matches(editor, i)) {
			show_entry(editor, i, false);
			return;
		}
	show_draft(editor);
}

/* Up or down in the text, or beyond it in the history. */
static void vertical(struct ik_editor *editor, int direction, enum editor_chain chain)
{
	if (ik_editor_vertical(editor, direction, chain == CHAIN_VERTICAL)) {
		editor->chain = CHAIN_VERTICAL;
		return;
	}
	editor->chain = chain == CHAIN_BROWSE ? CHAIN_BROWSE : CHAIN_NONE;
	if (direction < 0)
		browse_older(editor);
	else
		browse_newer(editor);
}

/* Delete from start to end, of which one is the cursor. */
static void delete_part(struct ik_editor *editor, size_t start, size_t end, enum editor_chain chain)
{
	if (start < end)
		ik_text_replace(editor, start, end - start, "", 0, chain);
}

/* Open the fold beside the cursor. */
static bool open_fold(struct ik_editor *editor)
{
	struct fold *fold = ik_fold_before(editor, editor->cursor);

	if (!fold)
		fold = ik_fold_at(editor, editor->cursor);
	if (fold)
		ik_fold_open(editor, fold);
	return fold;
}

bool ik_editor_move(struct ik_editor *editor, enum ik_action action)
{
	enum editor_chain chain = editor->chain;
	size_t cursor = editor->cursor;

	switch (action) {
	case IK_ACTION_LEFT:
		cursor = ik_text_previous(editor, cursor);
		break;
	case IK_ACTION_RIGHT:
		cursor = ik_text_next(editor, cursor);
		break;
	case IK_ACTION_WORD_LEFT:
		cursor = word_left(editor, cursor);
		break;
	case IK_ACTION_WORD_RIGHT:
		cursor = word_right(editor, cursor);
		break;
	case IK_ACTION_LINE_START:
		cursor = ik_text_line_start(editor, cursor);
		break;
	case IK_ACTION_LINE_END:
		cursor = ik_text_line_end(editor, cursor);
		break;
	case IK_ACTION_UP:
	case IK_ACTION_DOWN:
		vertical(editor, action == IK_ACTION_UP ? -1 : 1, chain);
		return true;
	case IK_ACTION_HISTORY_OLDER:
		browse_older(editor);
		return true;
	case IK_ACTION_HISTORY_NEWER:
		browse_newer(editor);
		return true;
	default:
		return false;
	}
	editor->cursor = cursor;
	editor->chain = CHAIN_NONE;
	return true;
}

bool ik_editor_act(struct ik_editor *editor, enum ik_action action)
{
	size_t cursor, line_end, length = editor->text.length;

	if (ik_selection_act(editor, action)) {
		if (editor->text.length != length)
			end_browsing(editor);
		return true;
	}
	if (ik_editor_move(editor, action)) {
		editor->selecting = false;
		return true;
	}
	cursor = editor->cursor;
	switch (action) {
	case IK_ACTION_NEW_LINE:
		ik_editor_insert(editor, "\n", 1);
		return true;
	case IK_ACTION_DELETE_LEFT:
		delete_part(editor, ik_text_previous(editor, cursor), cursor, CHAIN_DELETE_LEFT);
		break;
	case IK_ACTION_END_OF_INPUT:
		if (ik_editor_is_empty(editor))
			return false;
		/* fall through */
	case IK_ACTION_DELETE_RIGHT:
		delete_part(editor, cursor, ik_text_next(editor, cursor), CHAIN_DELETE_RIGHT);
		break;
	case IK_ACTION_DELETE_WORD_LEFT:
		ik_editor_kill(editor, word_left(editor, cursor), cursor, false);
		break;
	case IK_ACTION_DELETE_WORD_RIGHT:
		ik_editor_kill(editor, cursor, word_right(editor, cursor), false);
		break;
	case IK_ACTION_KILL_TO_END:
		line_end = ik_text_line_end(editor, cursor);
		/* at the end already: the line end itself */
		ik_editor_kill(editor, cursor, line_end > cursor ? line_end : ik_text_next(editor, cursor),
			false);
		break;
	case IK_ACTION_KILL_TO_START:
		ik_editor_kill(editor, ik_text_line_start(editor, cursor), cursor, false);
		break;
	case IK_ACTION_YANK:
	case IK_ACTION_YANK_OLDER:
		yank(editor, action == IK_ACTION_YANK_OLDER);
		break;
	case IK_ACTION_UNDO:
	case IK_ACTION_REDO:
		ik_editor_undo_step(editor, action == IK_ACTION_REDO);
		break;
	case IK_ACTION_COMPLETE:
		return open_fold(editor);
	default:
		return false;
	}
	end_browsing(editor);
	return true;
}
