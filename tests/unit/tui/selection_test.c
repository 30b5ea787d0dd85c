/* Selecting, redoing, and the prefix that the history is walked by. */
#include "tui/edit/editor.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tui/edit/history.h"

/* The text, '|' at the cursor, '[' and ']' round what is selected. */
static const char *state(const struct ik_editor *editor)
{
	static char out[2][1000];
	static unsigned turn;
	size_t length, start = 0, end = 0, used = 0, cursor = ik_editor_cursor(editor);
	const char *text = ik_editor_text(editor, &length);
	bool selected = ik_editor_selection(editor, &start, &end);
	char *to = out[++turn % 2];
	for (size_t i = 0; i <= length; i++) {
		if (selected && i == start)
			to[used++] = '[';
		if (i == cursor)
			to[used++] = '|';
		if (selected && i == end)
			to[used++] = ']';
		to[used++] = text[i];
	}
	return to;
}

#define IS(editor, expected) cr_assert_str_eq(state(editor), expected, "%s", state(editor))

static struct ik_editor *editor_of(const char *text)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	ik_editor_set(editor, text, strlen(text));
	return editor;
}

static void act(struct ik_editor *editor, enum ik_action action)
{
	cr_assert(ik_editor_act(editor, action));
}

Test(selection, grows_by_motions_and_is_replaced_by_typing)
{
	struct ik_editor *editor = editor_of("one two 日本 end");
	act(editor, IK_ACTION_SELECT_WORD_LEFT);
	IS(editor, "one two 日本 [|end]");
	act(editor, IK_ACTION_SELECT_LEFT);
	act(editor, IK_ACTION_SELECT_LEFT);
	IS(editor, "one two 日[|本 end]");
	act(editor, IK_ACTION_SELECT_RIGHT);
	IS(editor, "one two 日本[| end]");
	ik_editor_insert(editor, "x", 1);
	IS(editor, "one two 日本x|");
	act(editor, IK_ACTION_UNDO);
	IS(editor, "one two 日本| end");
	act(editor, IK_ACTION_SELECT_LINE_END);
	IS(editor, "one two 日本[ end|]");
	act(editor, IK_ACTION_SELECT_LINE_START);
	IS(editor, "[|one two 日本] end");
	act(editor, IK_ACTION_DELETE_LEFT);
	IS(editor, "| end");
	ik_editor_free(editor);
}

Test(selection, arrows_leave_it_at_its_ends)
{
	struct ik_editor *editor = editor_of("abc");
	act(editor, IK_ACTION_SELECT_ALL);
	IS(editor, "[abc|]");
	act(editor, IK_ACTION_LEFT);
	IS(editor, "|abc");
	act(editor, IK_ACTION_SELECT_RIGHT);
	act(editor, IK_ACTION_SELECT_RIGHT);
	act(editor, IK_ACTION_RIGHT);
	IS(editor, "ab|c");
	act(editor, IK_ACTION_SELECT_LEFT);
	act(editor, IK_ACTION_SELECT_RIGHT);
	IS(editor, "ab|c"); /* nothing is left of it */
	act(editor, IK_ACTION_DELETE_LEFT);
	IS(editor, "a|c");
	ik_editor_free(editor);
}

Test(selection, goes_over_rows)
{
	struct ik_editor *editor = editor_of("one\ntwo\nthree");
	act(editor, IK_ACTION_SELECT_UP);
	IS(editor, "one\ntwo[|\nthree]");
	act(editor, IK_ACTION_SELECT_UP);
	act(editor, IK_ACTION_SELECT_UP);
	IS(editor, "[|one\ntwo\nthree]");
	act(editor, IK_ACTION_SELECT_DOWN);
	IS(editor, "one\n[|two\nthree]");
	act(editor, IK_ACTION_DOWN);
	IS(editor, "one\ntwo\n|three");
	ik_editor_free(editor);
}

Test(selection, is_cut_copied_and_put_in_again)
{
	struct ik_editor *editor = editor_of("one two");
	act(editor, IK_ACTION_SELECT_WORD_LEFT);
	act(editor, IK_ACTION_COPY_SELECTION);
	IS(editor, "one |two");
	act(editor, IK_ACTION_YANK);
	IS(editor, "one two|two");
	act(editor, IK_ACTION_SELECT_ALL);
	act(editor, IK_ACTION_DELETE_WORD_LEFT);
	IS(editor, "|");
	act(editor, IK_ACTION_YANK);
	IS(editor, "one twotwo|");
	act(editor, IK_ACTION_SELECT_ALL);
	act(editor, IK_ACTION_YANK); /* in its place */
	IS(editor, "one twotwo|");
	cr_assert(ik_editor_paste(editor, "!", 1));
	IS(editor, "one twotwo!|");
	ik_editor_free(editor);
}

Test(selection, holds_a_collapsed_paste_whole)
{
	char large[3000];
	size_t length;
	struct ik_editor *editor = editor_of("a");
	memset(large, 'x', sizeof large);
	cr_assert(ik_editor_paste(editor, large, sizeof large));
	act(editor, IK_ACTION_SELECT_LEFT);
	act(editor, IK_ACTION_DELETE_RIGHT);
	IS(editor, "a|");
	act(editor, IK_ACTION_UNDO);
	ik_editor_text(editor, &length);
	cr_assert_eq(length, 1 + sizeof large);
	cr_assert_eq(ik_editor_height(editor, 80), 1, "it is collapsed again");
	ik_editor_free(editor);
}

Test(selection, ends_with_the_text_that_it_is_of)
{
	struct ik_editor *editor = editor_of("one two");
	act(editor, IK_ACTION_SELECT_WORD_LEFT);
	ik_editor_clear(editor, true);
	IS(editor, "|");
	ik_editor_insert(editor, "x", 1);
	IS(editor, "x|");
	ik_editor_set(editor, "日本", strlen("日本"));
	ik_editor_select(editor, 100, 4);
	IS(editor, "日[|本]");
	ik_editor_free(editor);
}

Test(redo, does_again_what_was_undone)
{
	struct ik_editor *editor = editor_of("");
	ik_editor_insert(editor, "one", 3);
	act(editor, IK_ACTION_SELECT_ALL);
	cr_assert(ik_editor_paste(editor, "two words", 9));
	act(editor, IK_ACTION_DELETE_WORD_LEFT);
	IS(editor, "two |");
	act(editor, IK_ACTION_UNDO);
	act(editor, IK_ACTION_UNDO);
	IS(editor, "one|");
	act(editor, IK_ACTION_UNDO);
	act(editor, IK_ACTION_UNDO);
	IS(editor, "|");
	for (int i = 0; i < 4; i++)
		act(editor, IK_ACTION_REDO);
	IS(editor, "two |");
	act(editor, IK_ACTION_UNDO);
	ik_editor_insert(editor, "!", 1);
	IS(editor, "two words!|");
	act(editor, IK_ACTION_REDO); /* what was undone is another text's */
	IS(editor, "two words!|");
	act(editor, IK_ACTION_UNDO);
	act(editor, IK_ACTION_UNDO);
	IS(editor, "one|");
	ik_editor_free(editor);
}

Test(history, is_walked_by_what_stands_before_the_cursor)
{
	struct ik_history *history = ik_history_new(NULL, 0);
	struct ik_editor *editor = ik_editor_new(history);
	ik_history_add(history, "git log", 7);
	ik_history_add(history, "make", 4);
	ik_history_add(history, "git diff", 8);
	ik_editor_set(editor, "git x", 5);
	act(editor, IK_ACTION_LEFT);
	act(editor, IK_ACTION_HISTORY_OLDER);
	IS(editor, "git diff|");
	act(editor, IK_ACTION_HISTORY_OLDER);
	IS(editor, "git log|");
	act(editor, IK_ACTION_HISTORY_OLDER);
	IS(editor, "git log|");
	act(editor, IK_ACTION_HISTORY_NEWER);
	act(editor, IK_ACTION_HISTORY_NEWER);
	IS(editor, "git |x"); /* as it was */
	act(editor, IK_ACTION_HISTORY_OLDER);
	act(editor, IK_ACTION_UNDO);
	IS(editor, "git |x");
	ik_editor_free(editor);
	ik_history_free(history);
}
