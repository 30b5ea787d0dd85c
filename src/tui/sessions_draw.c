/* How the sessions' pane looks: list, filter, title, keys. */
#include "tui/sessions_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tui/age_text.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define TITLE_BYTES 400      /* of a stored text, that a row may need */
#define AGE_COLUMNS 8
#define FACT_COLUMNS 44      /* a narrower row has an age alone at its end */
#define DIRECTORY_COLUMNS 18

/* Append a text at the right of a row; returns the row without it. */
static struct ik_rectangle put_right(struct ik_cells *cells, struct ik_rectangle row, int columns,
	enum ik_style style, const char *text)
{
	int width = (int)ik_utf8_width(text, strlen(text));
	int left = width < columns ? columns - width : 0;
	ik_cells_label(cells, row, row.row, row.column + row.columns - columns + left, style, text);
	row.columns -= columns;
	return row;
}

/* The last name of a path. */
static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* Draw an entry of the list: mark, title, directory, messages, age. */
static void draw_item(void *arg, size_t index, struct ik_cells *cells, struct ik_rectangle row,
	enum ik_style style)
{
	const struct ik_sessions *sessions = arg;
	const struct ik_session_row *entry = &sessions->rows[index];
	enum ik_style dim = style == IK_STYLE_NORMAL ? IK_STYLE_DIM : style;
	struct ik_rectangle left = row;
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(16));
	ik_age_text(&out, sessions->now_ms - entry->updated_ms);
	left = put_right(cells, left, AGE_COLUMNS, dim, out.data);
	if (row.columns >= FACT_COLUMNS) {
		ik_buf_clear(&out);
		ik_buf_printf(&out, "%" PRId64, entry->messages);
		left = put_right(cells, left, 7, dim, out.data);
		ik_buf_clear(&out);
		ik_sanitize_line(&out, last_name(entry->directory),
			strnlen(last_name(entry->directory), TITLE_BYTES));
		int columns = row.columns / 4 < DIRECTORY_COLUMNS ? row.columns / 4 : DIRECTORY_COLUMNS;
		struct ik_rectangle place = {row.row, left.column + left.columns - columns, 1, columns};
		if (!sessions->here) {
			ik_cells_label(cells, place, row.row, place.column, dim, out.data);
			left.columns -= columns + 1;
		}
	}
	if (ik_text_equal(entry->id, sessions->running))
		ik_cells_label(cells, left, row.row, row.column, style, sessions->list.pane.utf8 ? "●" : "*");
	ik_buf_clear(&out);
	if (entry->holder) {
		ik_cells_label(cells, left, row.row, row.column, style, sessions->list.pane.utf8 ? "◆" : "+");
		ik_buf_puts(&out, "[");
		ik_sanitize_line(&out, entry->holder, strnlen(entry->holder, TITLE_BYTES));
		ik_buf_puts(&out, "] ");
	}
	ik_sanitize_line(&out, entry->title, strnlen(entry->title, TITLE_BYTES));
	ik_cells_label(cells, left, row.row, row.column + 2, out.length > 0 ? style : dim,
		out.length > 0 ? out.data : _("without a title"));
	ik_buf_done(&out);
}

/* Its keys while it has the focus, while a filter is written, while others have it. */
static const struct ik_key_hint focus_hints[] = {
	{IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 3},
	{IK_ACTION_RESUME, IK_ACTION_NONE, N_("resume"), 1},
	{IK_ACTION_FILTER, IK_ACTION_NONE, N_("filter"), 2},
	{IK_ACTION_WHERE, IK_ACTION_NONE, N_("here/all"), 4},
	{IK_ACTION_DELETE, IK_ACTION_NONE, N_("delete"), 4},
	{IK_ACTION_COPY, IK_ACTION_NONE, N_("copy its id"), 6},
	{IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 7},
	{IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 8},
	{IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1},
};
static const struct ik_key_hint filter_hints[] = {
	{IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 2},
	{IK_ACTION_SEND, IK_ACTION_NONE, N_("keep the filter"), 1},
	{IK_ACTION_CANCEL, IK_ACTION_NONE, N_("all sessions"), 1},
};
static const struct ik_key_hint hints[] = {
	{IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 1},
	{IK_ACTION_SESSIONS, IK_ACTION_NONE, N_("close"), 1},
};

static const struct ik_list_hints list_hints = {
	.context = IK_IN_SESSIONS,
	.focus = focus_hints, .focus_count = sizeof focus_hints / sizeof *focus_hints,
	.filter = filter_hints, .filter_count = sizeof filter_hints / sizeof *filter_hints,
	.away = hints, .away_count = sizeof hints / sizeof *hints,
};

/* What stands there instead of a list. */
static char *empty_text(const struct ik_sessions *sessions)
{
	if (sessions->reading)
		return ik_strdup(_("Reading the sessions…"));
	if (sessions->problem)
		return ik_strdup(sessions->problem);
	bool filtered = sessions->list.words.length > 0;
	char *key = ik_keymap_key_name(sessions->list.pane.keymap,
		sessions->list.filter ? IK_IN_PROMPT : IK_IN_SESSIONS,
		filtered ? IK_ACTION_CANCEL : IK_ACTION_WHERE);
	char *text = filtered ? ik_format(_("No session has \"%s\" in its title, its directory "
			"or its id.\n%s shows all."), sessions->list.words.data, key)
		: sessions->here ? ik_format(_("No session of this directory.\n%s shows those of all."), key)
		: ik_strdup(_("No sessions yet: what you say from now on is kept, and is found here."));
	free(key);
	return text;
}

void ik_sessions_draw(struct ik_sessions *sessions, struct ik_cells *cells,
	struct ik_rectangle area, bool focus, int *ret_cursor_row, int *ret_cursor_column)
{
	struct ik_pane *pane = &sessions->list.pane;
	ik_sessions_want(sessions);
	const char *more = sessions->all ? "" : "+";
	char *title = sessions->here ? ik_format(_(" Sessions of this directory (%zu%s) "), pane->count, more)
		: ik_format(_(" Sessions (%zu%s) "), pane->count, more);
	char *empty = pane->count == 0 ? empty_text(sessions) : NULL;
	struct ik_pane_view view = {
		.title = title, .item = draw_item, .arg = sessions, .empty = empty,
	};
	ik_list_pane_hints(&sessions->list, &list_hints, focus, &view);
	ik_list_pane_draw(&sessions->list, &view, NULL, cells, area, ret_cursor_row,
		ret_cursor_column);
	free(title);
	free(empty);
}
