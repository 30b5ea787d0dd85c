#include "tui/pane/pane_picker.h"

#include <stdlib.h>
#include <string.h>

#include "tui/text/markdown.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/text.h"

#define ASIDE_PART 3 /* the aside gets at most one third of a row */

struct ik_picker {
	struct ik_pane pane; /* its items are the picks that match the filter */
	struct ik_pick_list told;
	size_t *shown;                                   /* indexes of the matching picks */
	int number_columns, mark_columns, aside_columns; /* each 0 if no pick has such a thing */
	const struct ik_pick *read;                      /* pick whose text is shown; NULL: none */
};

void ik_pick_add(struct ik_pick_list *list, struct ik_pick pick)
{
	list->picks = ik_alloc_more(list->picks, list->count, sizeof(*list->picks));
	list->picks[list->count++] = pick;
}

void ik_pick_list_clear(struct ik_pick_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct ik_pick *pick = &list->picks[i];

		free(pick->id);
		free(pick->title);
		free(pick->aside);
		free(pick->text);
		free(pick->line);
	}
	free(list->picks);
	*list = (struct ik_pick_list){ 0 };
}

static void release(struct ik_pane *pane)
{
	struct ik_picker *picker = (struct ik_picker *)pane;

	ik_pick_list_clear(&picker->told);
	free(picker->shown);
}

static const struct ik_pick *selected(const struct ik_picker *picker)
{
	const struct ik_pane *pane = &picker->pane;

	return pane->selected < pane->count ? &picker->told.picks[picker->shown[pane->selected]] : NULL;
}

/* Has a pick all words, or a number that begins so? Of names to keep, the texts only explain. */
static bool fits(const struct ik_picker *picker, const struct ik_pick *item, const char *words)
{
	char *number = ik_format("%d", item->number);
	const char *const texts[] = { item->title, item->aside, item->text };
	bool all = (item->number > 0 && strncmp(number, words, strlen(words)) == 0) ||
		ik_pane_words_fit(words, texts, picker->told.keeps ? 2 : 3);

	free(number);
	return all;
}

/* Apply the filter. Select the pick with the number in it, or else keep the one with that id. */
static void filter(struct ik_picker *picker, const char *id)
{
	struct ik_pane *pane = &picker->pane;
	const char *words = pane->words.data;
	size_t digits = strspn(words, "0123456789");
	long number = digits > 0 && words[digits] == '\0' ? strtol(words, NULL, 10) : 0;
	bool named = false;

	pane->count = pane->selected = 0;
	for (size_t i = 0; i < picker->told.count; i++) {
		const struct ik_pick *item = &picker->told.picks[i];

		if (!fits(picker, item, words))
			continue;
		if ((number > 0 && item->number == number) || (!named && id && ik_text_equal(item->id, id)))
			pane->selected = pane->count;
		named = named || (number > 0 && item->number == number);
		picker->shown[pane->count++] = i;
	}
}

/* Replace the list, and take ownership of the new one. */
static void take_list(struct ik_picker *picker, const struct ik_pick_list *list)
{
	ik_pick_list_clear(&picker->told);
	picker->read = NULL;
	picker->told = *list;
	picker->shown = ik_alloc_array(picker->shown, list->count, sizeof(*picker->shown));
	picker->number_columns = picker->mark_columns = picker->aside_columns = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct ik_pick *pick = &list->picks[i];
		int columns = (int)ik_utf8_width(pick->aside, strlen(pick->aside));

		if (columns > picker->aside_columns)
			picker->aside_columns = columns;
		picker->mark_columns = pick->current ? 2 : picker->mark_columns;
		for (int rest = pick->number, digits = 1; rest > 0; rest /= 10, digits++)
			if (digits + 2 > picker->number_columns)
				picker->number_columns = digits + 2;
	}
}

const char *ik_picker_selected(const struct ik_picker *picker)
{
	const struct ik_pick *item = selected(picker);

	return item ? item->id : NULL;
}

void ik_picker_open(struct ik_picker *picker, const struct ik_pick_list *list)
{
	ik_pane_set_words(&picker->pane, "");
	ik_pane_write(&picker->pane);
	take_list(picker, list);
	filter(picker, NULL);
	for (size_t i = 0; i < list->count; i++)
		picker->pane.selected = list->picks[i].current ? i : picker->pane.selected;
}

void ik_picker_again(struct ik_picker *picker, const struct ik_pick_list *list)
{
	const struct ik_pick *item = selected(picker);
	char *id = item ? ik_strdup(item->id) : NULL;

	for (size_t i = 0; !id && i < list->count; i++)
		id = list->picks[i].current ? ik_strdup(list->picks[i].id) : NULL;
	take_list(picker, list);
	filter(picker, id);
	free(id);
}

/* Accept the selected pick; keep: for good. */
static enum ik_pane_result take(struct ik_picker *picker, bool keep,
	struct ik_invocation *ret_invocation)
{
	const struct ik_pick *item = selected(picker);

	if (!item)
		return IK_PANE_TAKEN;
	char *line = ik_format("%s%s", item->line, keep ? " --keep" : "");

	*ret_invocation = ik_pane_invoke(&picker->pane, IK_ACTION_SEND, line);
	free(line);
	return IK_PANE_CLOSED;
}

/* Handle a key: typed text edits the filter. */
static enum ik_pane_result key(struct ik_pane *pane, const struct ik_key *key,
	enum ik_action action, struct ik_invocation *ret_invocation)
{
	struct ik_picker *picker = (struct ik_picker *)pane;
	const struct ik_pick *item = selected(picker);

	if (action == IK_ACTION_CANCEL)
		return IK_PANE_CLOSED;
	if (action == IK_ACTION_SEND || (action == IK_ACTION_COMPLETE && picker->told.keeps))
		return take(picker, action == IK_ACTION_COMPLETE, ret_invocation);
	enum ik_pane_result result = ik_pane_key(pane, key, action);

	if (result == IK_PANE_FILTERED)
		filter(picker, item ? item->id : NULL);
	return result == IK_PANE_OTHER ? IK_PANE_PASSED : result;
}

/* Draw an item: number, mark, title, aside. */
static void draw_item(struct ik_pane *pane, size_t index, struct ik_cells *cells,
	struct ik_rectangle row, enum ik_style style)
{
	const struct ik_picker *picker = (const struct ik_picker *)pane;
	const struct ik_pick *item = &picker->told.picks[picker->shown[index]];
	enum ik_style dim = style == IK_STYLE_NORMAL ? IK_STYLE_DIM : style;
	int most = row.columns / ASIDE_PART;
	int aside = picker->aside_columns < most ? picker->aside_columns : most;
	struct ik_rectangle left = ik_pane_right(cells, row, aside, dim, item->aside);
	int column = row.column + picker->number_columns;

	if (item->number > 0) {
		char *number = ik_format("%*d", picker->number_columns - 2, item->number);

		ik_cells_label(cells, row, row.row, row.column, dim, number);
		free(number);
	}
	if (item->current)
		ik_cells_label(cells, row, row.row, column, style, "●");
	left.columns -= aside > 0;
	ik_cells_label(cells, left, row.row, column + picker->mark_columns, style, item->title);
}

static void show_text(struct ik_picker *picker)
{
	struct ik_pane *pane = &picker->pane;
	const struct ik_pick *item = selected(picker);

	if (item == picker->read)
		return;
	picker->read = item;
	pane->text_moved = false;
	struct ik_scroll_place place = ik_pane_text_begin(pane);

	if (item && item->text[0] != '\0') {
		struct ik_block *block = ik_pane_text(pane, IK_BLOCK_TEXT, item->text, strlen(item->text));

		if (picker->told.markdown)
			ik_block_set_renderer(block, &ik_renderer_markdown);
		ik_block_finish(block);
	}
	ik_pane_text_end(pane, place, false);
}

static void draw(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area, bool focus,
	const struct ik_status_bar *bar)
{
	struct ik_picker *picker = (struct ik_picker *)pane;
	const struct ik_key_hint keys[] = {
		{ IK_ACTION_SEND, IK_ACTION_NONE, picker->told.take, 1 },
		{ IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 3 },
		{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 4 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("leave"), 1 },
		{ picker->told.keeps ? IK_ACTION_COMPLETE : IK_ACTION_NONE, IK_ACTION_NONE,
			N_("use always"), 2 },
		{ 0 },
	};
	size_t left = pane->count, all = picker->told.count;
	char *count = left == all ? NULL : ik_format(_("%zu of %zu"), left, all);
	const struct ik_pane_view view = {
		.title = picker->told.title,
		.focus = focus,
		.keys = keys,
		.writing_keys = keys,
		.words_count = count,
		.list_first = true,
		.empty = left > 0 ? NULL
			: all > 0     ? _("None of them has these words.")
						  : picker->told.empty,
	};

	show_text(picker);
	ik_pane_draw(pane, &view, cells, area);
	free(count);
}

static const struct ik_pane_ops ops = {
	.context = IK_IN_PROMPT,
	.key = key,
	.act = ik_pane_act,
	.click = ik_pane_click,
	.scroll = ik_pane_scroll,
	.draw = draw,
	.item = draw_item,
	.release = release,
};

struct ik_picker *ik_picker_new(const struct ik_keymap *keymap)
{
	return ik_pane_new(sizeof(struct ik_picker), &ops, keymap);
}
