#include "tui/pane/pane.h"

#include <stdlib.h>
#include <string.h>

#include "tui/text/needle.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define FILTER_COLUMNS 16 /* columns of a filter next to the count */
#define FILTER_ROWS 3     /* rows between title and keys that a filter requires */
#define MOST_HINTS 16     /* of a list */
#define TEXT_ROWS 6 /* that a list leaves to the selected item's text, with the line between */

void ik_pane_init(struct ik_pane *pane, const struct ik_pane_ops *ops,
	const struct ik_keymap *keymap)
{
	*pane = (struct ik_pane){ .ops = ops, .keymap = keymap, .text = ik_scrollback_new() };
	ik_buf_init(&pane->words, IK_LIMIT_USER_TEXT);
	ik_buf_init(&pane->argument, IK_LIMIT_ENVELOPE);
}

void *ik_pane_new(size_t size, const struct ik_pane_ops *ops, const struct ik_keymap *keymap)
{
	struct ik_pane *pane = ik_alloc(size);

	ik_pane_init(pane, ops, keymap);
	return pane;
}

void ik_pane_free(struct ik_pane *pane)
{
	if (pane->ops->release)
		pane->ops->release(pane);
	ik_pane_done(pane);
	free(pane);
}

void ik_pane_done(struct ik_pane *pane)
{
	ik_pane_keep(pane);
	ik_buf_done(&pane->words);
	ik_buf_done(&pane->argument);
	pane->text = ik_scrollback_free(pane->text);
}

unsigned ik_pane_context(const struct ik_pane *pane)
{
	return pane->filter || pane->writing ? IK_IN_PROMPT : pane->ops->context;
}

/* ---- selecting and scrolling ---- */

static void select_item(struct ik_pane *pane, size_t index)
{
	if (pane->selected == index)
		return;
	pane->selected = index;
	pane->text_moved = false;
}

bool ik_pane_scroll_by(struct ik_scrollback *text, enum ik_action action)
{
	switch (action) {
	case IK_ACTION_UP:
	case IK_ACTION_DOWN:
		ik_scrollback_scroll(text, action == IK_ACTION_UP ? -1 : 1);
		return true;
	case IK_ACTION_PAGE_UP:
	case IK_ACTION_PAGE_DOWN:
		ik_scrollback_page(text, action == IK_ACTION_PAGE_UP ? -1 : 1);
		return true;
	case IK_ACTION_HALF_UP:
	case IK_ACTION_HALF_DOWN:
		ik_scrollback_half(text, action == IK_ACTION_HALF_UP ? -1 : 1);
		return true;
	case IK_ACTION_TOP:
	case IK_ACTION_LINE_START:
		ik_scrollback_top(text);
		return true;
	case IK_ACTION_BOTTOM:
	case IK_ACTION_LINE_END:
		ik_scrollback_bottom(text);
		return true;
	default:
		return false;
	}
}

bool ik_pane_scroll_text(struct ik_pane *pane, enum ik_action action)
{
	bool scrolls = ik_pane_scroll_by(pane->text, action);

	pane->text_moved |= scrolls;
	return scrolls;
}

bool ik_pane_act(struct ik_pane *pane, enum ik_action action)
{
	size_t last = pane->count > 0 ? pane->count - 1 : 0;

	switch (action) {
	case IK_ACTION_UP:
		select_item(pane, pane->selected > 0 ? pane->selected - 1 : 0);
		return true;
	case IK_ACTION_DOWN:
		select_item(pane, pane->selected < last ? pane->selected + 1 : pane->selected);
		return true;
	case IK_ACTION_LINE_START:
		select_item(pane, 0);
		return true;
	case IK_ACTION_LINE_END:
		select_item(pane, last);
		return true;
	default:
		return ik_pane_scroll_text(pane, action);
	}
}

bool ik_pane_click(struct ik_pane *pane, int row)
{
	if (row < pane->list_row || row >= pane->list_row + pane->list_rows)
		return false;
	size_t index = pane->list_top + (size_t)(row - pane->list_row);

	if (index >= pane->count)
		return false;
	select_item(pane, index);
	pane->in_text = false;
	return true;
}

void ik_pane_scroll(struct ik_pane *pane, int rows)
{
	ik_scrollback_scroll(pane->text, rows);
	pane->text_moved = true;
}

struct ik_invocation ik_pane_invoke(struct ik_pane *pane, enum ik_action action, const char *text)
{
	ik_buf_clear(&pane->argument);
	ik_buf_puts(&pane->argument, text);
	return (struct ik_invocation){
		.action = action, .text = pane->argument.data, .length = pane->argument.length
	};
}

/* ---- the filter ---- */

/* Set the filter's words. Return IK_PANE_FILTERED if they have changed. */
static enum ik_pane_result take_words(struct ik_pane *pane, const char *words)
{
	if (ik_text_equal(words, pane->words.data))
		return IK_PANE_TAKEN;
	ik_buf_clear(&pane->words);
	ik_buf_puts(&pane->words, words);
	return IK_PANE_FILTERED;
}

void ik_pane_set_words(struct ik_pane *pane, const char *words)
{
	ik_pane_keep(pane);
	(void)take_words(pane, words);
}

void ik_pane_keep(struct ik_pane *pane)
{
	pane->filter = ik_editor_free(pane->filter);
	pane->vi = ik_vi_free(pane->vi);
}

void ik_pane_write(struct ik_pane *pane)
{
	pane->in_text = false;
	ik_pane_keep(pane);
	pane->filter = ik_editor_new(NULL);
	pane->vi = pane->vi_keys ? ik_vi_new() : NULL;
	ik_editor_set(pane->filter, pane->words.data, pane->words.length);
}

void ik_pane_vi_key(struct ik_pane *pane, const struct ik_key **key, enum ik_action *action)
{
	static const struct ik_key nothing = { .code = IK_KEY_NONE };
	enum ik_action wanted;

	if (!pane->vi)
		return;
	bool taken = ik_vi_key(pane->vi, pane->filter, *key, &wanted) ||
		wanted == IK_ACTION_HISTORY_SEARCH; /* a filter has no history */

	if (taken)
		*key = &nothing;
	if (taken || wanted != IK_ACTION_NONE)
		*action = taken ? IK_ACTION_NONE : wanted;
}

/* Handle a key while the filter is being edited. */
static enum ik_pane_result filter_key(struct ik_pane *pane, const struct ik_key *key,
	enum ik_action action)
{
	size_t ignored;

	switch (action) {
	case IK_ACTION_CANCEL:
		ik_pane_keep(pane);
		return take_words(pane, "");
	case IK_ACTION_SEND:
		ik_pane_keep(pane);
		return IK_PANE_TAKEN;
	case IK_ACTION_NEW_LINE:
		return IK_PANE_TAKEN;
	case IK_ACTION_NONE:
		if (pane->words.length == 0 && key->code == IK_KEY_CHARACTER && key->codepoint == '/')
			return IK_PANE_TAKEN; /* it begins a filter, and this one is begun */
		(void)ik_editor_type(pane->filter, key);
		break;
	default:
		if (action != IK_ACTION_LINE_START && action != IK_ACTION_LINE_END &&
			ik_pane_act(pane, action))
			return IK_PANE_TAKEN;
		if (!ik_editor_act(pane->filter, action))
			return IK_PANE_PASSED;
		break;
	}
	return take_words(pane, ik_editor_text(pane->filter, &ignored));
}

enum ik_pane_result ik_pane_key(struct ik_pane *pane, const struct ik_key *key,
	enum ik_action action)
{
	if (pane->filter)
		return filter_key(pane, key, action);
	if (action == IK_ACTION_DETAILS) {
		pane->in_text = !pane->in_text && pane->count > 0;
		return IK_PANE_TAKEN;
	}
	if (pane->in_text && ik_pane_scroll_text(pane, action))
		return IK_PANE_TAKEN;
	if (pane->in_text && action == IK_ACTION_CANCEL) {
		pane->in_text = false;
		return IK_PANE_TAKEN;
	}
	if (action == IK_ACTION_FILTER) {
		ik_pane_write(pane);
		return IK_PANE_TAKEN;
	}
	if (action == IK_ACTION_CANCEL && pane->words.length > 0)
		return take_words(pane, "");
	return IK_PANE_OTHER;
}

bool ik_pane_words_fit(const char *words, const char *const *texts, size_t count)
{
	bool all = true;

	for (const char *at = words + strspn(words, " "); all && *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " "), matched;
		char *word = ik_strndup(at, length);
		struct ik_needle needle;

		for (size_t i = 0; i < length; i++) /* an upper-case letter would match only itself */
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

/* ---- the text of the selected item ---- */

struct ik_scroll_place ik_pane_text_begin(struct ik_pane *pane)
{
	struct ik_scroll_place place = { 0 };

	if (pane->text_moved)
		place = ik_scrollback_place(pane->text);
	ik_scrollback_clear(pane->text);
	return place;
}

struct ik_block *ik_pane_text(struct ik_pane *pane, enum ik_block_kind kind, const char *text,
	size_t length)
{
	struct ik_block *block = ik_block_new(kind);

	ik_block_append(block, text, length);
	ik_scrollback_add(pane->text, block);
	return block;
}

void ik_pane_say(struct ik_pane *pane, enum ik_block_kind kind, const char *sentence)
{
	if (sentence && sentence[0])
		ik_block_finish(ik_pane_text(pane, kind, sentence, strlen(sentence)));
}

void ik_pane_text_end(struct ik_pane *pane, struct ik_scroll_place place, bool follow)
{
	pane->text_follows = follow;
	ik_scrollback_go(pane->text, place);
}

/* ---- drawing ---- */

char *ik_pane_line(const char *text, size_t length)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_USER_TEXT);
	ik_sanitize_line(&out, text, length);
	return ik_buf_take(&out, NULL);
}

struct ik_rectangle ik_pane_right(struct ik_cells *cells, struct ik_rectangle row, int columns,
	enum ik_style style, const char *text)
{
	int width = (int)ik_utf8_width(text, strlen(text));
	int left = width < columns ? columns - width : 0;

	ik_cells_label(cells, row, row.row, row.column + row.columns - columns + left, style, text);
	row.columns -= columns;
	return row;
}

int ik_pane_rows(const char *text, size_t length, int columns)
{
	int rows = 0;

	for (size_t at = 0; at < length; rows++)
		at += ik_wrap_row(text + at, length - at, columns).taken;
	return rows;
}

void ik_pane_sentence(struct ik_cells *cells, struct ik_rectangle area, const char *text)
{
	size_t length = strlen(text);
	int columns = area.columns > 4 ? area.columns - 4 : area.columns;

	if (columns < 1 || area.rows < 1)
		return;
	int rows = ik_pane_rows(text, length, columns);
	int row = area.row + (rows < area.rows ? (area.rows - rows) / 2 : 0);

	for (size_t at = 0; at < length && row < area.row + area.rows; row++) {
		struct ik_row line = ik_wrap_row(text + at, length - at, columns);
		int width = (int)ik_utf8_width(text + at, line.shown);
		int column = area.column + (width < area.columns ? (area.columns - width) / 2 : 0);

		ik_cells_text(cells, area, row, column, IK_STYLE_DIM, text + at, line.shown);
		at += line.taken;
	}
}

/* Return the rows the list gets: one while the text has focus; otherwise as many as it needs, at
 * most two fifths, or with list_first all but TEXT_ROWS, or all of a low area. */
static int list_rows(const struct ik_pane *pane, const struct ik_pane_view *view, int rows)
{
	int most = !view->list_first ? rows * 2 / 5 : rows > 2 * TEXT_ROWS ? rows - TEXT_ROWS : rows;

	if (pane->in_text && !view->list_stays)
		return 1;
	most = most > 1 ? most : 1;
	return pane->count < (size_t)most ? (int)pane->count : most;
}

static void draw_list(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area)
{
	size_t rows = (size_t)area.rows;

	pane->list_row = area.row;
	pane->list_rows = area.rows;
	if (pane->selected < pane->list_top)
		pane->list_top = pane->selected;
	if (pane->selected >= pane->list_top + rows)
		pane->list_top = pane->selected - rows + 1;
	if (pane->list_top + rows > pane->count)
		pane->list_top = pane->count > rows ? pane->count - rows : 0;
	for (size_t i = 0; i < rows && pane->list_top + i < pane->count; i++) {
		size_t index = pane->list_top + i;
		struct ik_rectangle row = { area.row + (int)i, area.column, 1, area.columns };
		enum ik_style style = index == pane->selected ? IK_STYLE_SELECTION : IK_STYLE_NORMAL;

		ik_cells_fill(cells, row, style);
		pane->ops->item(pane, index, cells, row, style);
	}
}

/* Draw the filter. Return false if there is none. */
static bool draw_filter(struct ik_pane *pane, const char *count, struct ik_cells *cells,
	struct ik_rectangle row)
{
	if (!pane->filter && pane->words.length == 0)
		return false;
	int columns = count ? (int)ik_utf8_width(count, strlen(count)) : 0;

	if (count && columns + FILTER_COLUMNS < row.columns) {
		row = ik_pane_right(cells, row, columns, IK_STYLE_DIM, count);
		row.columns--;
	}
	if (pane->filter) {
		bool commands = pane->vi && ik_vi_mode(pane->vi) != IK_VI_INSERT;
		char *label = ik_format("%s%s/ ", commands ? ik_vi_mode_name(pane->vi) : "",
			commands ? " " : "");

		ik_editor_draw(pane->filter, cells, row, label);
		free(label);
		return true;
	}
	char *words = ik_format("/ %s", pane->words.data);

	ik_cells_label(cells, row, row.row, row.column, IK_STYLE_MATCH, words);
	free(words);
	return true;
}

/* Does an action work in an empty list? */
static bool works_without_items(enum ik_action action)
{
	static const enum ik_action actions[] = { IK_ACTION_FILTER, IK_ACTION_SEARCH_SESSIONS,
		IK_ACTION_WHERE, IK_ACTION_REFRESH, IK_ACTION_NEXT_PANE, IK_ACTION_CANCEL };

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
		if (actions[i] == action)
			return true;
	return false;
}

void ik_pane_hints(struct ik_cells *cells, struct ik_rectangle row, const struct ik_keymap *keymap,
	unsigned context, const struct ik_key_hint *hints)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_keymap_put_hints(keymap, context, hints, row.columns, &out);
	ik_cells_hints(cells, row, row.row, row.column, IK_STYLE_BOLD, IK_STYLE_DIM, out.data);
	ik_buf_done(&out);
}

/* Does an action of the list's keys currently do anything? */
static bool works(const struct ik_pane *pane, enum ik_action action)
{
	if (!pane->ops->item)
		return true;
	if (pane->filter || pane->count > 0)
		return action != IK_ACTION_UP || pane->count > 1;
	return works_without_items(action) && (action != IK_ACTION_FILTER || pane->words.length > 0);
}

/* Choose the keys that currently work, of the list or of its filter. If the list is filtered, label
 * IK_ACTION_CANCEL as clearing the filter, which it does first. */
static void list_hints(const struct ik_pane *pane, const struct ik_pane_view *view,
	const struct ik_key_hint *hints, struct ik_key_hint *kept)
{
	bool filtered = !pane->filter && pane->words.length > 0;
	size_t count = 0;

	for (const struct ik_key_hint *hint = hints; hint->action && count + 1 < MOST_HINTS; hint++) {
		if (!works(pane, hint->action))
			continue;
		kept[count] = *hint;
		if (filtered && view->all && hint->action == IK_ACTION_CANCEL)
			kept[count].label = view->all;
		count++;
	}
}

static void draw_keys(const struct ik_pane *pane, const struct ik_pane_view *view,
	struct ik_cells *cells, struct ik_rectangle row)
{
	const struct ik_key_hint away[] = {
		{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 1 },
		{ pane->ops->toggle, IK_ACTION_NONE, N_("close"), 1 },
		{ 0 },
	};
	const struct ik_key_hint filter[] = {
		{ IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 2 },
		{ IK_ACTION_SEND, IK_ACTION_NONE, N_("keep the filter"), 1 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, view->all, 1 },
		{ 0 },
	};
	unsigned context = view->focus ? ik_pane_context(pane) : IK_IN_EDITOR;
	struct ik_key_hint listed[MOST_HINTS] = { 0 };
	const struct ik_key_hint *hints = listed;

	if (!view->focus)
		hints = view->away_keys ? view->away_keys : away;
	else if (pane->filter)
		list_hints(pane, view, view->writing_keys ? view->writing_keys : filter, listed);
	else if (pane->writing)
		hints = view->writing_keys;
	else if (pane->in_text)
		hints = view->text_keys;
	else
		list_hints(pane, view, view->keys, listed);
	ik_pane_hints(cells, row, pane->keymap, context, hints);
}

struct ik_rectangle ik_pane_draw_frame(struct ik_pane *pane, const struct ik_pane_view *view,
	struct ik_cells *cells, struct ik_rectangle area)
{
	int air = area.column > 0; /* a blank column after the divider */
	struct ik_rectangle body = { area.row + 1, area.column + air, area.rows - 2,
		area.columns - air };
	enum ik_style frame = view->focus ? IK_STYLE_ACCENT : IK_STYLE_FRAME;

	ik_scrollback_hide(pane->text);
	if (area.rows < 1 || area.columns < 1)
		return body;
	struct ik_rectangle title = { area.row, area.column, 1, area.columns };
	struct ik_rectangle keys = { area.row + area.rows - 1, body.column, 1, body.columns };
	ik_cells_fill_with(cells, title, frame, "─");
	ik_cells_label(cells, title, title.row, title.column + 1, view->focus ? IK_STYLE_USER : frame,
		view->title);
	if (area.rows > 1)
		draw_keys(pane, view, cells, keys);
	return body;
}

void ik_pane_draw(struct ik_pane *pane, const struct ik_pane_view *view, struct ik_cells *cells,
	struct ik_rectangle area)
{
	pane->in_text = pane->in_text && pane->count > 0;
	struct ik_rectangle body = ik_pane_draw_frame(pane, view, cells, area);
	struct ik_rectangle row = { body.row, body.column, 1, body.columns };

	pane->list_rows = 0;
	if (body.rows >= FILTER_ROWS && draw_filter(pane, view->words_count, cells, row)) {
		body.row++;
		body.rows--;
	}
	if (body.rows < 1 || body.columns < 1)
		return;
	if (view->empty) {
		ik_pane_sentence(cells, body, view->empty);
		return;
	}
	if (pane->ops->item) {
		struct ik_rectangle list = body;

		list.rows = list_rows(pane, view, body.rows);
		draw_list(pane, cells, list);
		if (list.rows == body.rows)
			return; /* the list takes up all rows */
		row = (struct ik_rectangle){ list.row + list.rows, area.column, 1, area.columns };
		bool focus = view->focus && pane->in_text && !view->list_stays;
		ik_cells_fill_with(cells, row, focus ? IK_STYLE_ACCENT : IK_STYLE_FRAME, "─");
		body.row += list.rows + 1;
		body.rows -= list.rows + 1;
	}
	ik_scrollback_resize(pane->text, body.rows, body.columns);
	if (!pane->text_moved)
		ik_scrollback_go(pane->text, (struct ik_scroll_place){ .at_end = pane->text_follows });
	ik_scrollback_draw(pane->text, cells, body);
}
