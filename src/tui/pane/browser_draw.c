/* How the browser looks: list, filter, title, keys. */
#include "tui/pane/browser_parts.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define NAME_COLUMNS 24 /* of mark and name, where names are short and a third of the row is more */
#define FACT_COLUMNS 44 /* a narrower row has no room for facts at its end */

/* The mark of a tool's state. */
static const char *state_mark(const struct ik_browser_row *row, bool utf8)
{
	if (row->change == IK_CHANGE_GONE)
		return utf8 ? "∅" : "0";
	switch (row->tool->state) {
	case IK_TOOL_OK:
		return utf8 ? "●" : "*";
	case IK_TOOL_FAILED:
		return utf8 ? "✗" : "x";
	case IK_TOOL_SHADOWED:
		return utf8 ? "◌" : "-";
	case IK_TOOL_DISABLED:
		return utf8 ? "○" : "o";
	case IK_TOOL_UNTRUSTED:
		return utf8 ? "▲" : "!";
	}
	return "?";
}

/* The facts at the end of a row: what has just changed, how much it was used, what it costs. */
static void put_facts(const struct ik_browser *browser, const struct ik_browser_row *row,
	struct ik_buf *out)
{
	static const char *const changes[] = {
		[IK_CHANGE_NONE] = NULL,
		[IK_CHANGE_NEW] = N_("new"),
		[IK_CHANGE_OTHER] = N_("changed"),
		[IK_CHANGE_GONE] = N_("gone"),
	};

	if (changes[row->change])
		ik_buf_printf(out, " %s", _(changes[row->change]));
	if (browser->tools.order == IK_ORDER_USE && row->uses > 0)
		ik_buf_printf(out, ngettext(" %zu use", " %zu uses", row->uses), row->uses);
	if (row->bytes != SIZE_MAX && row->bytes > 0)
		ik_buf_printf(out, " ~%zu", ik_browser_tokens(row->bytes));
}

/* The column that descriptions begin at: behind the longest name with its mark, but not more
 * than three fifths of the row; longer names are cut. */
static int name_columns(const struct ik_browser *browser, struct ik_rectangle row)
{
	int names = row.columns / 3 < NAME_COLUMNS ? row.columns / 3 : NAME_COLUMNS;
	int wanted = browser->name_columns + 4;

	if (wanted > row.columns * 3 / 5)
		wanted = row.columns * 3 / 5;
	return names < wanted ? wanted : names;
}

/* Draw an entry of the list: mark, name, source, description, facts. */
static void draw_item(void *arg, size_t index, struct ik_cells *cells, struct ik_rectangle row,
	enum ik_style style)
{
	struct ik_browser *browser = arg;
	const struct ik_browser_row *entry = ik_browser_list_at(&browser->tools, index);
	const struct ik_tool *tool = entry->tool;
	bool plain = style == IK_STYLE_NORMAL;
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(16));
	put_facts(browser, entry, &out);
	int facts = (int)ik_utf8_width(out.data, out.length);
	struct ik_rectangle left = row;

	if (facts > 0 && (row.columns >= FACT_COLUMNS || entry->change != IK_CHANGE_NONE)) {
		enum ik_style look = entry->change != IK_CHANGE_NONE ? IK_STYLE_NOTICE : IK_STYLE_DIM;

		ik_cells_text(cells, row, row.row, row.column + row.columns - facts, plain ? look : style,
			out.data, out.length);
		left.columns -= facts;
	}
	const char *mark = state_mark(entry, browser->list.pane.utf8);
	enum ik_style mark_style = style;

	if (tool->state != IK_TOOL_OK && plain)
		mark_style = tool->state == IK_TOOL_FAILED && entry->change != IK_CHANGE_GONE
			? IK_STYLE_ERROR
			: IK_STYLE_DIM;
	ik_cells_text(cells, left, row.row, row.column, mark_style, mark, strlen(mark));
	ik_buf_clear(&out);
	ik_sanitize_line(&out, tool->name, strnlen(tool->name, IK_NAME_BYTES));
	int column = row.column + name_columns(browser, row);
	struct ik_rectangle name = left;

	if (name.columns > column - 2 - row.column)
		name.columns = column - 2 - row.column;
	ik_cells_label(cells, name, row.row, row.column + 2, style, out.data);
	const char *source = ik_tool_source_name(tool->source);
	ik_cells_text(cells, left, row.row, column, plain ? IK_STYLE_DIM : style, source,
		strlen(source));
	const char *text = tool->state == IK_TOOL_OK ? tool->description : tool->reason;

	if (text) {
		ik_buf_clear(&out);
		ik_sanitize_line(&out, text, strnlen(text, IK_NAME_BYTES));
		ik_cells_label(cells, left, row.row, column + 9, style, out.data);
	}
	ik_buf_done(&out);
}

/* Its keys while it has the focus, while something is written, while others have it. */
static const struct ik_key_hint focus_hints[] = {
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 2 },
	{ IK_ACTION_DETAILS, IK_ACTION_NONE, N_("details"), 3 },
	{ IK_ACTION_FILTER, IK_ACTION_NONE, N_("filter"), 3 },
	{ IK_ACTION_RUN, IK_ACTION_NONE, N_("run"), 3 },
	{ IK_ACTION_SWITCH, IK_ACTION_NONE, N_("on/off"), 4 },
	{ IK_ACTION_REFRESH, IK_ACTION_NONE, N_("refresh"), 1 },
	{ IK_ACTION_SORT, IK_ACTION_NONE, N_("sort"), 5 },
	{ IK_ACTION_LEFT, IK_ACTION_RIGHT, N_("schema"), 6 },
	{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 7 },
	{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 8 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1 },
};
static const struct ik_key_hint text_hints[] = {
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("scroll"), 2 },
	{ IK_ACTION_DETAILS, IK_ACTION_NONE, N_("list"), 1 },
	{ IK_ACTION_RUN, IK_ACTION_NONE, N_("run"), 2 },
	{ IK_ACTION_SWITCH, IK_ACTION_NONE, N_("on/off"), 4 },
	{ IK_ACTION_LEFT, IK_ACTION_RIGHT, N_("schema"), 3 },
	{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("page"), 5 },
	{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 6 },
};
static const struct ik_key_hint filter_hints[] = {
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 2 },
	{ IK_ACTION_SEND, IK_ACTION_NONE, N_("keep the filter"), 1 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("all tools"), 1 },
};
static const struct ik_key_hint form_hints[] = {
	{ IK_ACTION_SEND, IK_ACTION_NONE, N_("run"), 1 },
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("field"), 2 },
	{ IK_ACTION_LEFT, IK_ACTION_RIGHT, N_("choose"), 3 },
	{ IK_ACTION_NEW_LINE, IK_ACTION_NONE, N_("new line"), 4 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("back"), 1 },
};
static const struct ik_key_hint hints[] = {
	{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 1 },
	{ IK_ACTION_REFRESH, IK_ACTION_NONE, N_("refresh"), 2 },
	{ IK_ACTION_BROWSER, IK_ACTION_NONE, N_("close"), 1 },
};

/* clang-format off */
static const struct ik_list_hints list_hints = {
	.context = IK_IN_BROWSER,
	.focus = focus_hints, .focus_count = sizeof(focus_hints) / sizeof(*focus_hints),
	.text = text_hints, .text_count = sizeof(text_hints) / sizeof(*text_hints),
	.filter = filter_hints, .filter_count = sizeof(filter_hints) / sizeof(*filter_hints),
	.away = hints, .away_count = sizeof(hints) / sizeof(*hints),
	.all = N_("all tools"),
};
/* clang-format on */

/* What stands there instead of tools. */
static void put_empty(const struct ik_browser *browser, const struct ik_status_bar *scan,
	struct ik_buf *out)
{
	struct ik_registry *registry = browser->tools.registry;

	if (browser->tools.count > 0) {
		char *way = ik_keymap_sentence(browser->list.pane.keymap, _("{cancel} shows all tools."));

		ik_buf_printf(out, _("No tool has \"%s\" in its name or description."),
			browser->tools.filter.data);
		ik_buf_printf(out, "\n\n%s", way);
		free(way);
		return;
	}
	if (scan->scan == IK_SCAN_NOT_STARTED || scan->scan == IK_SCAN_IN_PROGRESS) {
		ik_buf_puts(out, _("Looking for tools"));
		if (scan->scan_total > 0)
			ik_buf_printf(out, "  %zu/%zu", scan->scan_done, scan->scan_total);
		return;
	}
	char *way = ik_keymap_sentence(browser->list.pane.keymap,
		_("No tools found.\n\nPut an executable "
		  "into ~/.ikigai/tools that answers --schema, and press {refresh}.\nThe manual, "
		  "ikigai(1), has an example."));
	ik_buf_puts(out, way);
	free(way);
	for (size_t i = 0; i < ik_registry_problem_count(registry); i++) {
		const char *problem = ik_registry_problem(registry, i);

		ik_buf_puts(out, "\n\n");
		ik_sanitize(out, problem, strlen(problem));
	}
}

/* Name, state of the scan, what all tools cost, the order where it is not the usual one. */
static void put_title(const struct ik_browser *browser, const struct ik_status_bar *scan,
	bool measuring, struct ik_buf *out)
{
	if (browser->call) {
		ik_buf_putc(out, ' ');
		ik_buf_printf(out, _("Run %s"), ik_form_tool(browser->call));
		ik_buf_putc(out, ' ');
		return;
	}
	ik_buf_printf(out, " %s  ", _("Tool browser"));
	ik_scan_put(out, scan);
	if (browser->bytes > 0 && !measuring)
		ik_buf_printf(out, _("  ~%zu tokens"), ik_browser_tokens(browser->bytes));
	if (browser->tools.order == IK_ORDER_USE)
		ik_buf_puts(out, _("  by use"));
	ik_buf_putc(out, ' ');
}

bool ik_browser_draw(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area,
	bool focus, const struct ik_status_bar *scan, int *ret_cursor_row, int *ret_cursor_column)
{
	struct ik_browser *browser = (struct ik_browser *)pane;
	struct ik_buf title, empty;
	bool measuring = ik_browser_measure_some(browser);

	(void)ik_browser_list_sync(&browser->tools);
	ik_buf_init(&title, IK_KIB(4));
	ik_buf_init(&empty, IK_KIB(64));
	put_title(browser, scan, measuring, &title);
	struct ik_pane_view view = { .title = title.data, .item = draw_item, .arg = browser };
	ik_list_pane_hints(&browser->list, &list_hints, focus, &view);
	if (browser->call) {
		struct ik_rectangle body = { area.row + 1, area.column, area.rows - 2, area.columns };

		if (focus) {
			view.context = IK_IN_PROMPT;
			view.hints = form_hints;
			view.hint_count = sizeof(form_hints) / sizeof(*form_hints);
		}
		ik_pane_draw_frame(&browser->list.pane, &view, cells, area);
		ik_form_draw(browser->call, cells, body, ret_cursor_row, ret_cursor_column);
	} else {
		if (browser->list.pane.count == 0) {
			put_empty(browser, scan, &empty);
			view.empty = empty.data;
		} else {
			ik_browser_sync_text(browser);
			if (focus)
				browser->looked_at = ik_browser_selected(browser);
		}
		char *count = ik_format(_("%zu of %zu"), browser->tools.shown_count, browser->tools.count);
		ik_list_pane_draw(&browser->list, &view, count, cells, area, ret_cursor_row,
			ret_cursor_column);
		free(count);
	}
	ik_buf_done(&title);
	ik_buf_done(&empty);
	return measuring;
}
