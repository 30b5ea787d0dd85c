#include "tui/screen/find.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define PATTERN_BYTES 1000

struct ik_find *ik_find_new(struct ik_scrollback *text, bool downwards,
	const struct ik_keymap *keymap)
{
	struct ik_find *find = ik_alloc(sizeof(*find));

	find->keymap = keymap;
	find->text = text;
	find->downwards = downwards;
	find->search = ik_search_new(text, downwards);
	ik_buf_init(&find->pattern, PATTERN_BYTES);
	return find;
}

struct ik_find *ik_find_free(struct ik_find *find)
{
	if (!find)
		return NULL;
	ik_search_free(find->search);
	ik_buf_done(&find->pattern);
	free(find);
	return NULL;
}

void ik_find_open(struct ik_find *find)
{
	find->writing = true;
	ik_buf_clear(&find->pattern);
	ik_search_set(find->search, "", 0);
	ik_search_begin(find->search);
}

void ik_find_end(struct ik_find *find)
{
	ik_search_set(find->search, "", 0);
	find->writing = false;
}

void ik_find_keep(struct ik_find *find)
{
	find->writing = false;
	if (find->pattern.length == 0)
		ik_find_end(find);
	else if (!find->downwards)
		ik_search_select(find->search); /* so that Enter opens and y copies the match */
}

void ik_find_in(struct ik_find *find, size_t index, const char *words)
{
	find->writing = false;
	ik_buf_clear(&find->pattern);
	ik_sanitize_line(&find->pattern, words, strlen(words));
	ik_scrollback_select_at(find->text, index, true);
	ik_scrollback_show_selected(find->text);
	ik_search_set_in(find->search, find->pattern.data, find->pattern.length, index);
}

bool ik_find_shows(const struct ik_find *find)
{
	return !find->writing && ik_search_state(find->search).on;
}

void ik_find_step(struct ik_find *find, int direction)
{
	if (ik_search_state(find->search).on)
		ik_search_step(find->search, direction);
}

bool ik_find_work(struct ik_find *find, bool *ret_changed)
{
	if (!ik_search_working(find->search))
		return false;
	ik_search_work(find->search);
	*ret_changed = true;
	return ik_search_working(find->search);
}

static void write_pattern(struct ik_find *find, const char *text, size_t length)
{
	struct ik_buf *pattern = &find->pattern;
	size_t before = pattern->length;

	ik_sanitize_line(pattern, text, length);
	if (ik_buf_status(pattern) != IK_OK) {
		pattern->status = IK_OK;
		ik_buf_truncate(pattern, before);
	}
	ik_search_set(find->search, pattern->data, pattern->length);
}

static void erase_pattern(struct ik_find *find, bool all)
{
	struct ik_buf *pattern = &find->pattern;

	if (pattern->length == 0)
		return;
	ik_buf_truncate(pattern, all ? 0 : ik_cluster_previous(pattern->data, pattern->length));
	ik_search_set(find->search, pattern->data, pattern->length);
}

/* Handle a key without an action: a typed character, or the first line of a paste. */
static void type(struct ik_find *find, const struct ik_key *key)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_USER_TEXT);
	if (ik_key_put_text(&text, key))
		write_pattern(find, text.data, strcspn(text.data, "\r\n"));
	ik_buf_done(&text);
}

bool ik_find_key(struct ik_find *find, const struct ik_key *key, enum ik_action action)
{
	switch (action) {
	case IK_ACTION_NONE:
		type(find, key);
		return true;
	case IK_ACTION_SEND:
		ik_find_keep(find);
		return true;
	case IK_ACTION_CANCEL:
	case IK_ACTION_INTERRUPT:
		ik_search_back(find->search);
		ik_find_end(find);
		return true;
	case IK_ACTION_SEARCH: /* again: the next match, in the search's direction */
		ik_find_step(find, find->downwards ? 1 : -1);
		return true;
	case IK_ACTION_UP:
	case IK_ACTION_DOWN:
		ik_find_step(find, action == IK_ACTION_UP ? -1 : 1);
		return true;
	case IK_ACTION_END_OF_INPUT: /* of the prompt's */
		return true;
	case IK_ACTION_DELETE_LEFT:
	case IK_ACTION_KILL_TO_START:
	case IK_ACTION_DELETE_WORD_LEFT:
		erase_pattern(find, action != IK_ACTION_DELETE_LEFT);
		return true;
	case IK_ACTION_PAGE_UP:
	case IK_ACTION_PAGE_DOWN:
	case IK_ACTION_TOP:
	case IK_ACTION_BOTTOM:
	case IK_ACTION_HELP: /* opens something over it, or closes it */
	case IK_ACTION_MODE:
	case IK_ACTION_RAW:
	case IK_ACTION_REDRAW:
	case IK_ACTION_SUSPEND:
		return false;
	default:
		if (action > IK_ACTION_RAW)
			return true;    /* editing keys do nothing here */
		ik_find_keep(find); /* the key opens something else */
		return false;
	}
}

static void put_state(const struct ik_find *find, bool older, struct ik_buf *out)
{
	struct ik_search_state state = ik_search_state(find->search);

	if (!state.on)
		return;
	if (state.counted && state.total == 0 && !state.seeking) {
		ik_buf_puts(out, older ? _("not found yet") : _("not found"));
	} else if (!state.counted) {
		ik_buf_printf(out, _("searching, %d %%"), state.percent);
	} else if (state.number > 0) {
		/* Translators: of all places where something was found, which is shown. */
		ik_buf_printf(out, _("%zu of %zu"), state.number, state.total);
	} else {
		ik_buf_printf(out, ngettext("%zu place", "%zu places", state.total), state.total);
	}
	if (state.counted && state.partly > 0) {
		char *key = ik_keymap_key_name(find->keymap, IK_IN_EDITOR, IK_ACTION_INSPECTOR);

		ik_buf_puts(out, "  ");
		/* Translators: %s is the key that opens the inspector. */
		ik_buf_printf(out,
			ngettext("%zu output is searched in part: %s has all of it",
				"%zu outputs are searched in part: %s has all of them", state.partly),
			state.partly, key);
		free(key);
	}
	if (state.wrapped)
		ik_buf_printf(out, "  %s", _("went past the end"));
	if (older)
		ik_buf_printf(out, "  %s", _("older messages are being read"));
}

int ik_find_draw(const struct ik_find *find, bool older, struct ik_cells *cells,
	struct ik_rectangle area)
{
	struct ik_buf out;
	int column = area.column + 1, end = area.column + area.columns;

	ik_buf_init(&out, IK_KIB(8));
	if (find->writing)
		ik_buf_printf(&out, _(" Search: %s"), find->pattern.data);
	else
		ik_buf_printf(&out, " /%s", find->pattern.data);
	/* If the pattern is longer than half the line, show its end. */
	size_t skip = 0;

	while ((int)ik_utf8_width(out.data + skip, out.length - skip) > area.columns / 2)
		skip += ik_cluster_next(out.data + skip, out.length - skip).length;
	struct ik_rectangle row = { area.row, area.column, 1, area.columns };
	column = ik_cells_text(cells, row, area.row, column, IK_STYLE_USER, out.data + skip,
		out.length - skip);
	if (find->writing)
		ik_cells_set_cursor(cells, area.row, column);
	column = ik_cells_text(cells, row, area.row, column, IK_STYLE_USER, "  ", 2);
	ik_buf_clear(&out);
	put_state(find, older, &out);
	if (out.length > 0 && column < end) {
		ik_buf_puts(&out, "  ");
		column = ik_cells_label(cells, row, area.row, column, IK_STYLE_ACCENT, out.data);
	}
	ik_buf_done(&out);
	return column;
}

const struct ik_key_hint ik_find_hints[] = {
	{ IK_ACTION_SEND, IK_ACTION_NONE, N_("keep"), 1 },
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("other places"), 3 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("back"), 2 },
	{ 0 },
};
