#include "tui/pane/pane_picker.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

#define ASIDE_PART 3 /* the aside gets at most one third of a row */

struct ik_picker {
	struct ik_pane pane; /* its items are the picks that match the filter */
	struct ik_pick_list told;
	size_t *shown; /* indexes of the matching picks */
	int number_columns, aside_columns;
	const struct ik_pick *read; /* pick whose text is shown; NULL: none */
};

void ik_pick_add(struct ik_pick_list *list, struct ik_pick pick)
{
	list->picks = ik_alloc_more(list->picks, list->count, sizeof(*list->picks));
	list->picks[list->count++] = pick;
}

/* Free the list. */
static void clear(struct ik_picker *picker)
{
	for (size_t i = 0; i < picker->told.count; i++) {
		struct ik_pick *pick = &picker->told.picks[i];

		free(pick->id);
		free(pick->title);
		free(pick->aside);
		free(pick->text);
		free(pick->line);
	}
	free(picker->told.picks);
	picker->told = (struct ik_pick_list){ 0 };
	picker->read = NULL;
}

/* Free the picker. */
static void release(struct ik_pane *pane)
{
	struct ik_picker *picker = (struct ik_picker *)pane;

	clear(picker);
	free(picker->shown);
	ik_pane_done(pane);
	free(picker);
}

/* Return the selected pick, or NULL. */
static const struct ik_pick *selected(const struct ik_picker *picker)
{
	const struct ik_pane *pane = &picker->pane;

	return pane->selected < pane->count ? &picker->told.picks[picker->shown[pane->selected]] : NULL;
}

/* Does a pick contain all words, or does its number begin with them? */
static bool fits(const struct ik_pick *item, const char *words)
{
	char *number = ik_format("%d", item->number);
	const char *const texts[] = { item->title, item->text, item->aside };
	bool all = strncmp(number, words, strlen(words)) == 0 || ik_pane_words_fit(words, texts, 3);

	free(number);
	return all;
}

/* Apply the filter. Select the pick with the number in the filter, or else keep the one with
 * that id. */
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

		if (!fits(item, words))
			continue;
		if (item->number == number || (!named && id && ik_text_equal(item->id, id)))
			pane->selected = pane->count;
		named = named || item->number == number;
		picker->shown[pane->count++] = i;
	}
}

/* Replace the list, and take ownership of the new one. */
static void take_list(struct ik_picker *picker, const struct ik_pick_list *list)
{
	clear(picker);
	picker->told = *list;
	picker->shown = ik_alloc_array(picker->shown, list->count, sizeof(*picker->shown));
	picker->number_columns = 1;
	picker->aside_columns = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct ik_pick *pick = &list->picks[i];
		int columns = (int)ik_utf8_width(pick->aside, strlen(pick->aside));

		if (columns > picker->aside_columns)
			picker->aside_columns = columns;
		for (int rest = pick->number, digits = 1; rest > 0; rest /= 10, digits++)
			if (digits > picker->number_columns)
				picker->number_columns = digits;
	}
}

void ik_picker_open(struct ik_picker *picker, const struct ik_pick_list *list)
{
	ik_pane_set_words(&picker->pane, "");
	ik_pane_write(&picker->pane);
	take_list(picker, list);
	filter(picker, NULL);
}

void ik_picker_again(struct ik_picker *picker, const struct ik_pick_list *list)
{
	const struct ik_pick *item = selected(picker);
	char *id = item ? ik_strdup(item->id) : NULL;

	take_list(picker, list);
	filter(picker, id);
	free(id);
}

/* Accept the selected pick. */
static enum ik_pane_result take(struct ik_picker *picker, struct ik_invocation *ret_invocation)
{
	const struct ik_pick *item = selected(picker);

	if (!item)
		return IK_PANE_TAKEN;
	*ret_invocation = ik_pane_invoke(&picker->pane, IK_ACTION_SEND, item->line);
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
	if (action == IK_ACTION_SEND)
		return take(picker, ret_invocation);
	enum ik_pane_result result = ik_pane_key(pane, key, action);

	if (result == IK_PANE_FILTERED)
		filter(picker, item ? item->id : NULL);
	return result == IK_PANE_OTHER ? IK_PANE_PASSED : result;
}

/* Draw an item: number, title, aside. */
static void draw_item(struct ik_pane *pane, size_t index, struct ik_cells *cells,
	struct ik_rectangle row, enum ik_style style)
{
	const struct ik_picker *picker = (const struct ik_picker *)pane;
	const struct ik_pick *item = &picker->told.picks[picker->shown[index]];
	enum ik_style dim = style == IK_STYLE_NORMAL ? IK_STYLE_DIM : style;
	int most = row.columns / ASIDE_PART;
	int aside = picker->aside_columns < most ? picker->aside_columns : most;
	char *number = ik_format("%*d", picker->number_columns, item->number);

	ik_cells_label(cells, row, row.row, row.column, dim, number);
	free(number);
	struct ik_rectangle left = ik_pane_right(cells, row, aside, dim, item->aside);

	left.columns--;
	ik_cells_label(cells, left, row.row, row.column + picker->number_columns + 2, style,
		item->title);
}

/* Show the text of the selected pick. */
static void show_text(struct ik_picker *picker)
{
	struct ik_pane *pane = &picker->pane;
	const struct ik_pick *item = selected(picker);

	if (item == picker->read)
		return;
	picker->read = item;
	pane->text_moved = false;
	struct ik_scroll_place place = ik_pane_text_begin(pane);

	if (item)
		ik_pane_say(pane, IK_BLOCK_TEXT, item->text);
	ik_pane_text_end(pane, place, false);
}

/* Draw the picker. */
static void draw(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area, bool focus,
	const struct ik_status_bar *bar)
{
	struct ik_picker *picker = (struct ik_picker *)pane;
	const struct ik_key_hint keys[] = {
		{ IK_ACTION_SEND, IK_ACTION_NONE, picker->told.take, 1 },
		{ IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 2 },
		{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 3 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("leave"), 1 },
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

	(void)bar;
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
	struct ik_picker *picker = ik_alloc(sizeof(*picker));

	ik_pane_init(&picker->pane, &ops, keymap);
	return picker;
}
