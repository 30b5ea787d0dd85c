#include "tui/pane/list_pane.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/needle.h"
#include "util/text.h"

#define FILTER_COLUMNS 16 /* that a filter needs beside the count */
#define FILTER_ROWS 5     /* a lower pane has no row for it */

void ik_list_pane_init(struct ik_list_pane *list, const struct ik_pane_ops *ops,
	const struct ik_keymap *keymap, bool utf8)
{
	ik_pane_init(&list->pane, ops, keymap, utf8);
	list->filter = NULL;
	list->in_text = false;
	ik_buf_init(&list->words, IK_LIMIT_USER_TEXT);
	ik_buf_init(&list->argument, IK_LIMIT_ARGUMENTS);
}

void ik_list_pane_done(struct ik_list_pane *list)
{
	list->filter = ik_editor_free(list->filter);
	ik_buf_done(&list->words);
	ik_buf_done(&list->argument);
	ik_pane_done(&list->pane);
}

/* Take other words; FILTERED if they are others. */
static enum ik_list_key take_words(struct ik_list_pane *list, const char *words)
{
	if (ik_text_equal(words, list->words.data))
		return IK_LIST_TAKEN;
	ik_buf_clear(&list->words);
	ik_buf_puts(&list->words, words);
	return IK_LIST_FILTERED;
}

void ik_list_pane_set_words(struct ik_list_pane *list, const char *words)
{
	list->filter = ik_editor_free(list->filter);
	(void)take_words(list, words);
}

void ik_list_pane_keep(struct ik_list_pane *list)
{
	list->filter = ik_editor_free(list->filter);
}

void ik_list_pane_write(struct ik_list_pane *list)
{
	list->in_text = false;
	list->filter = ik_editor_free(list->filter);
	list->filter = ik_editor_new(NULL);
	ik_editor_set(list->filter, list->words.data, list->words.length);
}

/* A key while the filter is written. */
static enum ik_list_key filter_key(struct ik_list_pane *list, const struct ik_key *key,
	enum ik_action action)
{
	size_t ignored;

	switch (action) {
	case IK_ACTION_CANCEL:
		list->filter = ik_editor_free(list->filter);
		return take_words(list, "");
	case IK_ACTION_SEND:
		ik_list_pane_keep(list);
		return IK_LIST_TAKEN;
	case IK_ACTION_NEW_LINE:
		return IK_LIST_TAKEN;
	case IK_ACTION_NONE:
		(void)ik_editor_type(list->filter, key);
		break;
	default:
		if (action != IK_ACTION_LINE_START && action != IK_ACTION_LINE_END &&
			ik_pane_act(&list->pane, action))
			return IK_LIST_TAKEN;
		if (!ik_editor_act(list->filter, action))
			return IK_LIST_PASSED;
		break;
	}
	return take_words(list, ik_editor_text(list->filter, &ignored));
}

/* A key while the text of the selected item has them. */
static bool text_key(struct ik_list_pane *list, enum ik_action action)
{
	switch (action) {
	case IK_ACTION_UP:
	case IK_ACTION_DOWN:
		ik_pane_scroll(&list->pane, action == IK_ACTION_UP ? -1 : 1);
		return true;
	case IK_ACTION_LINE_START:
	case IK_ACTION_LINE_END:
		return ik_pane_act(&list->pane,
			action == IK_ACTION_LINE_START ? IK_ACTION_TOP : IK_ACTION_BOTTOM);
	case IK_ACTION_CANCEL:
		list->in_text = false;
		return true;
	default:
		return false;
	}
}

enum ik_list_key ik_list_pane_key(struct ik_list_pane *list, const struct ik_key *key,
	enum ik_action action)
{
	if (list->filter)
		return filter_key(list, key, action);
	if (action == IK_ACTION_DETAILS) {
		list->in_text = !list->in_text && list->pane.count > 0;
		return IK_LIST_TAKEN;
	}
	if (list->in_text && text_key(list, action))
		return IK_LIST_TAKEN;
	if (action == IK_ACTION_FILTER) {
		ik_list_pane_write(list);
		return IK_LIST_TAKEN;
	}
	if (action == IK_ACTION_CANCEL && list->words.length > 0)
		return take_words(list, "");
	return IK_LIST_OTHER;
}

bool ik_list_words_fit(const char *words, const char *const *texts, size_t count)
{
	bool all = true;

	for (const char *at = words + strspn(words, " "); all && *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " "), matched;
		char *word = ik_strndup(at, length);
		struct ik_needle needle;

		for (size_t i = 0; i < length; i++) /* a capital would be found only as such */
			word[i] = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] | 0x20) : word[i];
		ik_needle_init(&needle, word, length);
		all = false;
		for (size_t i = 0; i < count && !all; i++)
			all = texts[i] &&
				ik_needle_find(&needle, texts[i], strlen(texts[i]), 0, &matched) != SIZE_MAX;
		ik_needle_done(&needle);
		free(word);
		at += length;
	}
	return all;
}

void ik_list_pane_click(struct ik_pane *pane, int row)
{
	if (ik_pane_click(pane, row))
		((struct ik_list_pane *)pane)->in_text = false;
}

struct ik_invocation ik_list_pane_invoke(struct ik_list_pane *list, enum ik_action action,
	const char *text)
{
	ik_buf_clear(&list->argument);
	ik_buf_puts(&list->argument, text);
	return (struct ik_invocation){
		.action = action, .text = list->argument.data, .length = list->argument.length
	};
}

/* Does a key do something in a list that shows nothing? */
static bool works_without_items(enum ik_action action)
{
	static const enum ik_action actions[] = { IK_ACTION_FILTER, IK_ACTION_SEARCH_SESSIONS,
		IK_ACTION_WHERE, IK_ACTION_REFRESH, IK_ACTION_NEXT_PANE, IK_ACTION_CANCEL };

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
		if (actions[i] == action)
			return true;
	return false;
}

/* The keys of the list: those that do something now, with what really ends it, for Esc takes
 * the words away first. */
static void list_hints(struct ik_list_pane *list, const struct ik_list_hints *hints,
	struct ik_pane_view *view)
{
	bool filtered = list->words.length > 0;
	size_t count = 0;

	for (const struct ik_key_hint *hint = hints->focus; hint->action && count + 1 < IK_LIST_HINTS;
		 hint++) {
		if (list->pane.count == 0 &&
			(!works_without_items(hint->action) || (hint->action == IK_ACTION_FILTER && !filtered)))
			continue;
		list->hints[count] = *hint;
		if (filtered && hints->all && hint->action == IK_ACTION_CANCEL)
			list->hints[count].label = hints->all;
		count++;
	}
	view->hints = list->hints;
	list->hints[count] = (struct ik_key_hint){ 0 };
}

void ik_list_pane_hints(struct ik_list_pane *list, const struct ik_list_hints *hints, bool focus,
	struct ik_pane_view *view)
{
	view->focus = focus;
	if (!focus) {
		view->context = IK_IN_EDITOR;
		view->hints = hints->away;
	} else if (list->filter) {
		view->context = IK_IN_PROMPT;
		view->hints = hints->filter;
	} else if (list->in_text) {
		view->context = hints->context;
		view->hints = hints->text;
	} else {
		view->context = hints->context;
		list_hints(list, hints, view);
	}
}

/* The row of the filter, where there is one; returns how many rows it took. */
static int draw_filter(const struct ik_list_pane *list, const char *count, struct ik_cells *cells,
	struct ik_rectangle area, int *ret_row, int *ret_column)
{
	struct ik_rectangle row = { area.row + 1, area.column, 1, area.columns };

	if ((!list->filter && list->words.length == 0) || area.rows < FILTER_ROWS)
		return 0;
	int columns = count ? (int)ik_utf8_width(count, strlen(count)) : 0;

	if (count && columns + FILTER_COLUMNS < row.columns) {
		row = ik_pane_right(cells, row, columns, IK_STYLE_DIM, count);
		row.columns--;
	}
	if (list->filter) {
		ik_editor_draw(list->filter, cells, row, "/ ", ret_row, ret_column);
		return 1;
	}
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(64));
	ik_buf_printf(&out, "/ %s", list->words.data);
	ik_cells_label(cells, row, row.row, row.column, IK_STYLE_MATCH, out.data);
	ik_buf_done(&out);
	return 1;
}

void ik_list_pane_draw(struct ik_list_pane *list, struct ik_pane_view *view, const char *count,
	struct ik_cells *cells, struct ik_rectangle area, int *ret_cursor_row, int *ret_cursor_column)
{
	list->in_text = list->in_text && list->pane.count > 0;
	view->text_focus = list->in_text;
	view->reserved = draw_filter(list, count, cells, area, ret_cursor_row, ret_cursor_column);
	ik_pane_draw(&list->pane, view, cells, area);
}
