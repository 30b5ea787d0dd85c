/* Looking for something in the conversation or in the help: the line in which it is written, and
 * what the keys mean there and afterwards. */
#include "tui/screen/screen_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

#define PATTERN_BYTES 1000

const struct ik_find *ik_screen_find(const struct ik_screen *screen)
{
	return screen->help_open ? &screen->help_find : &screen->find;
}

/* The same, to be changed. */
static struct ik_find *front(struct ik_screen *screen)
{
	return screen->help_open ? &screen->help_find : &screen->find;
}

/* Look for what is written now. */
static void pattern_changed(struct ik_screen *screen)
{
	struct ik_find *find = front(screen);

	ik_search_set(find->search, find->pattern.data, find->pattern.length);
	screen->dirty = true;
}

/* Have what a search needs. */
static void need_search(struct ik_screen *screen, struct ik_find *find)
{
	if (find->search)
		return;
	ik_buf_init(&find->pattern, PATTERN_BYTES);
	if (find == &screen->find) {
		find->search = ik_search_new(screen->scrollback);
		return;
	}
	find->search = ik_search_new(ik_help_pane(screen->help)->text);
	ik_search_downwards(find->search);
}

void ik_screen_search_in(struct ik_screen *screen, size_t index, const char *words, size_t length)
{
	struct ik_find *find = &screen->find;

	need_search(screen, find);
	find->writing = false;
	ik_buf_clear(&find->pattern);
	ik_sanitize_line(&find->pattern, words, length);
	ik_scrollback_select_at(screen->scrollback, index, true);
	ik_scrollback_show_selected(screen->scrollback);
	ik_search_set_in(find->search, find->pattern.data, find->pattern.length, index);
	screen->dirty = true;
}

void ik_screen_search_open(struct ik_screen *screen)
{
	struct ik_find *find = front(screen);

	need_search(screen, find);
	if (screen->columns < IK_WIDE_COLUMNS && !screen->help_open)
		screen->side = NULL; /* what is searched is to be seen */
	find->back = screen->focus;
	find->writing = true;
	ik_buf_clear(&find->pattern);
	ik_search_set(find->search, "", 0);
	ik_search_begin(find->search);
	screen->dirty = true;
}

void ik_screen_search_end(struct ik_screen *screen, struct ik_find *find)
{
	if (find->search)
		ik_search_set(find->search, "", 0);
	find->writing = false;
	screen->dirty = true;
}

bool ik_screen_search_shows(const struct ik_screen *screen)
{
	const struct ik_find *find = ik_screen_find(screen);

	return find->search && !find->writing && ik_search_state(find->search).on;
}

void ik_screen_search_step(struct ik_screen *screen, int direction)
{
	struct ik_search *search = front(screen)->search;

	if (search && ik_search_state(search).on)
		ik_search_step(search, direction);
	screen->dirty = true;
}

void ik_screen_search_keep(struct ik_screen *screen, struct ik_find *find)
{
	find->writing = false;
	if (find->pattern.length == 0) {
		ik_screen_search_end(screen, find);
	} else if (find == &screen->find) {
		ik_search_select(find->search); /* what was found is what Enter opens and y copies */
		screen->focus = IK_FOCUS_SCROLLBACK;
	}
}

/* Esc: back to where one was. */
static void leave(struct ik_screen *screen)
{
	struct ik_find *find = front(screen);

	ik_search_back(find->search);
	screen->focus = find->back;
	ik_screen_search_end(screen, find);
}

/* Put text behind what is written. */
static void write_pattern(struct ik_screen *screen, const char *text, size_t length)
{
	struct ik_buf *pattern = &front(screen)->pattern;
	size_t before = pattern->length;

	ik_sanitize_line(pattern, text, length);
	if (ik_buf_status(pattern) != IK_OK) {
		pattern->status = IK_OK;
		ik_buf_truncate(pattern, before);
	}
	pattern_changed(screen);
}

/* Take a cluster, or all, off the end. */
static void erase_pattern(struct ik_screen *screen, bool all)
{
	struct ik_buf *pattern = &front(screen)->pattern;

	if (pattern->length == 0)
		return;
	ik_buf_truncate(pattern, all ? 0 : ik_cluster_previous(pattern->data, pattern->length));
	pattern_changed(screen);
}

bool ik_screen_search_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action action)
{
	char bytes[4];

	if (!front(screen)->writing)
		return false;
	screen->dirty = true;
	switch (action) {
	case IK_ACTION_NONE:
		if (key->code == IK_KEY_PASTE && !key->text_cut)
			write_pattern(screen, key->text, strcspn(key->text, "\r\n"));
		else if (key->code == IK_KEY_CHARACTER && !(key->modifiers & (IK_ALT | IK_CONTROL)))
			write_pattern(screen, bytes, (size_t)ik_utf8_encode(key->codepoint, bytes));
		return true;
	case IK_ACTION_SEND:
		ik_screen_search_keep(screen, front(screen));
		return true;
	case IK_ACTION_CANCEL:
	case IK_ACTION_INTERRUPT:
		leave(screen);
		return true;
	case IK_ACTION_SEARCH: /* once more: further, where one reads from the start */
		ik_screen_search_step(screen, screen->help_open ? 1 : -1);
		return true;
	case IK_ACTION_UP:
		ik_screen_search_step(screen, -1);
		return true;
	case IK_ACTION_DOWN:
		ik_screen_search_step(screen, 1);
		return true;
	case IK_ACTION_DELETE_LEFT:
		erase_pattern(screen, false);
		return true;
	case IK_ACTION_KILL_TO_START:
	case IK_ACTION_DELETE_WORD_LEFT:
		erase_pattern(screen, true);
		return true;
	case IK_ACTION_PAGE_UP:
	case IK_ACTION_PAGE_DOWN:
	case IK_ACTION_TOP:
	case IK_ACTION_BOTTOM:
	case IK_ACTION_HELP: /* stands in front of it for a while, or closes */
	case IK_ACTION_MODE:
	case IK_ACTION_RAW:
	case IK_ACTION_REDRAW:
	case IK_ACTION_SUSPEND:
		return false;
	default:
		/* What opens something else ends the search; what edits a text does nothing. */
		if (action > IK_ACTION_RAW)
			return true;
		ik_screen_search_keep(screen, front(screen));
		return false;
	}
}

/* Work on at one of the two. */
static bool work(struct ik_screen *screen, struct ik_search *search)
{
	if (!search || !ik_search_working(search))
		return false;
	ik_search_work(search);
	screen->dirty = true;
	return ik_search_working(search);
}

bool ik_screen_search_tick(struct ik_screen *screen)
{
	bool more = work(screen, screen->find.search);

	return work(screen, screen->help_find.search) || more;
}

/* How it stands, in words. */
static void put_state(const struct ik_screen *screen, struct ik_buf *out)
{
	bool older = screen->older && !screen->help_open;
	struct ik_search_state state = ik_search_state(ik_screen_find(screen)->search);

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
		char *key = ik_keymap_key_name(screen->keymap, IK_IN_EDITOR, IK_ACTION_INSPECTOR);

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

int ik_screen_search_draw(struct ik_screen *screen, struct ik_cells *cells,
	struct ik_rectangle area, int *ret_cursor)
{
	const struct ik_find *find = ik_screen_find(screen);
	struct ik_buf out;
	int column = area.column + 1, end = area.column + area.columns;

	ik_buf_init(&out, IK_KIB(8));
	if (find->writing)
		ik_buf_printf(&out, _(" Search: %s"), find->pattern.data);
	else
		ik_buf_printf(&out, " /%s", find->pattern.data);
	/* Of what is longer than half of the line its end is shown. */
	size_t skip = 0;

	while ((int)ik_utf8_width(out.data + skip, out.length - skip) > area.columns / 2)
		skip += ik_cluster_next(out.data + skip, out.length - skip).length;
	struct ik_rectangle row = { area.row, area.column, 1, area.columns };
	column = ik_cells_text(cells, row, area.row, column, IK_STYLE_PROMPT, out.data + skip,
		out.length - skip);
	*ret_cursor = column;
	column = ik_cells_text(cells, row, area.row, column, IK_STYLE_PROMPT, "  ", 2);
	ik_buf_clear(&out);
	put_state(screen, &out);
	if (out.length > 0 && column < end) {
		ik_buf_puts(&out, "  ");
		column = ik_cells_label(cells, row, area.row, column, IK_STYLE_NOTICE, out.data);
	}
	ik_buf_done(&out);
	return column;
}

const struct ik_key_hint *ik_screen_search_hints(size_t *ret_count)
{
	static const struct ik_key_hint hints[] = {
		{ IK_ACTION_SEND, IK_ACTION_NONE, N_("keep"), 1 },
		{ IK_ACTION_UP, IK_ACTION_DOWN, N_("other places"), 3 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("back"), 2 },
	};

	*ret_count = sizeof(hints) / sizeof(*hints);
	return hints;
}
