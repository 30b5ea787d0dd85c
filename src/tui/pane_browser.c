#include "tui/pane_browser.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define NAME_COLUMNS 24 /* of mark and name, where names are short and a third of the row is more */
#define NAME_BYTES 200

/* How a tool served in this session. */
struct uses {
	size_t count, failed, timed;
	int64_t total_ms;
};

struct ik_browser {
	struct ik_pane pane;
	struct ik_calls *calls;
	struct ik_registry *registry;
	int name_columns;            /* of its longest name */
	const struct ik_tool *shown; /* whose text is in the pane; of this registry */
	struct uses shown_uses;
	unsigned calls_version;      /* that shown_uses were counted at */
};

/* What to do about a failure, by its code. */
static const struct {
	const char *code;
	const char *advice;
} advices[] = {
	{"SCHEMA_TIMEOUT", N_("Make it say what it is at once, before any slow work; or raise "
		"tools.scan_timeout_ms.")},
	{"SCHEMA_EXIT", N_("Run it in a shell with --schema, or description if it is a custom tool of "
		"Kodelet's: it must print one JSON object and exit with 0. "
		"If it is no tool, move it out of this directory.")},
	{"SCHEMA_TOO_LARGE", N_("A schema may have 256 KiB. Is it printing something else?")},
	{"INVALID_JSON", N_("Asked what it is, it must print one JSON object and nothing else.")},
	{"INVALID_SCHEMA", N_("Mend the member named above.")},
	{"INVALID_NAME", N_("A name has letters, digits, _ and -, begins with a letter or _, "
		"and is at most 64 long.")},
	{"SPAWN_FAILED", N_("Is its first line (#!) right, and its interpreter installed?")},
	{"UNSAFE_PERMISSIONS", N_("Nobody else may write to it or to its directory: chmod go-w.")},
};

struct ik_browser *ik_browser_new(struct ik_calls *calls, const struct ik_keymap *keymap,
	bool utf8)
{
	struct ik_browser *browser = ik_alloc(sizeof *browser);
	ik_pane_init(&browser->pane, keymap, utf8);
	browser->calls = calls;
	browser->registry = ik_registry_new();
	return browser;
}

struct ik_browser *ik_browser_free(struct ik_browser *browser)
{
	if (!browser)
		return NULL;
	ik_pane_done(&browser->pane);
	ik_registry_unref(browser->registry);
	free(browser);
	return NULL;
}

/* The entry for that executable, else for that name, else the first. */
static size_t find_entry(const struct ik_registry *registry, const char *path, const char *name)
{
	size_t found = 0;
	for (size_t i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);
		if (ik_text_equal(tool->path, path))
			return i;
		if (found == 0 && ik_text_equal(tool->name, name))
			found = i;
	}
	return found;
}

/* Columns of the longest name. */
static int measure_names(const struct ik_registry *registry)
{
	struct ik_buf out;
	size_t longest = 0;

	ik_buf_init(&out, IK_KIB(16));
	for (size_t i = 0; i < ik_registry_count(registry); i++) {
		const char *name = ik_registry_at(registry, i)->name;
		size_t width;

		ik_buf_clear(&out);
		ik_sanitize_line(&out, name, strnlen(name, NAME_BYTES));
		width = ik_utf8_width(out.data, out.length);
		longest = width > longest ? width : longest;
	}
	ik_buf_done(&out);
	return (int)longest;
}

void ik_browser_set_registry(struct ik_browser *browser, struct ik_registry *registry)
{
	struct ik_pane *pane = &browser->pane;
	size_t selected = 0;
	if (pane->selected < ik_registry_count(browser->registry)) {
		const struct ik_tool *tool = ik_registry_at(browser->registry, pane->selected);
		selected = find_entry(registry, tool->path, tool->name);
	}
	ik_registry_ref(registry);
	ik_registry_unref(browser->registry);
	browser->registry = registry;
	browser->name_columns = measure_names(registry);
	browser->shown = NULL;
	pane->count = ik_registry_count(registry);
	pane->selected = selected;
}

bool ik_browser_act(struct ik_browser *browser, enum ik_action action)
{
	return ik_pane_act(&browser->pane, action);
}

void ik_browser_scroll(struct ik_browser *browser, int rows)
{
	ik_scrollback_scroll(browser->pane.text, rows);
	browser->pane.text_moved = true;
}

static const char *state_mark(enum ik_tool_state state, bool utf8)
{
	switch (state) {
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

/* Count the calls of a tool. */
static struct uses count_uses(const struct ik_browser *browser, const char *name)
{
	struct uses uses = {0};
	for (size_t i = 0; i < ik_calls_count(browser->calls); i++) {
		const struct ik_call *call = ik_calls_at(browser->calls, i);
		if (strcmp(call->name, name) != 0)
			continue;
		uses.count++;
		uses.failed += call->stage == IK_STAGE_FAILED;
		if (call->duration_ms >= 0) {
			uses.timed++;
			uses.total_ms += call->duration_ms;
		}
	}
	return uses;
}

/* Add a paragraph. */
static void add_text(struct ik_browser *browser, enum ik_block_kind kind, const char *text)
{
	if (text && text[0])
		ik_block_finish(ik_pane_text(&browser->pane, kind, text, strlen(text)));
}

/* Add how the tool served. */
static void add_uses(struct ik_browser *browser, const struct uses *uses)
{
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(4));
	if (uses->count == 0) {
		ik_buf_puts(&out, _("not used in this session"));
	} else {
		ik_buf_printf(&out, ngettext("%zu use", "%zu uses", uses->count), uses->count);
		ik_buf_printf(&out, ngettext(", %zu failed", ", %zu failed", uses->failed), uses->failed);
		if (uses->timed > 0) {
			ik_buf_puts(&out, _(", mean time "));
			ik_duration_put(&out, uses->total_ms / (int64_t)uses->timed);
		}
	}
	add_text(browser, IK_BLOCK_HINT, out.data);
	ik_buf_done(&out);
}

/* Is a name among the required ones of a canonical schema? */
static bool is_required(struct ik_json_span schema, struct ik_json_span key)
{
	struct ik_json_span name;
	struct ik_json_span required = ik_json_member(schema, "required");
	struct ik_json_walk walk = {0};
	while (ik_json_next(required, &walk, NULL, &name))
		if (name.length == key.length && memcmp(name.text, key.text, key.length) == 0)
			return true;
	return false;
}

/* Add one line for each parameter: name, type, is it required, what is it. */
static void add_parameters(struct ik_browser *browser, const struct ik_tool *tool)
{
	struct ik_json_span schema;
	if (!tool->parameters
		|| ik_json_check(tool->parameters, tool->parameters_length, &schema, NULL) != IK_OK)
		return;
	struct ik_json_span key, value;
	struct ik_json_span properties = ik_json_member(schema, "properties");
	struct ik_json_walk walk = {0};
	struct ik_buf out;
	ik_buf_init(&out, IK_LIMIT_SCHEMA);
	while (ik_json_next(properties, &walk, &key, &value)) {
		struct ik_json_span type = ik_json_member(value, "type");
		struct ik_json_span description = ik_json_member(value, "description");
		ik_json_string(key, &out);
		ik_buf_puts(&out, " (");
		if (!ik_json_string(type, &out))
			ik_buf_puts(&out, type.text ? _("several types") : _("any type"));
		ik_buf_puts(&out, is_required(schema, key) ? _(", required)") : ")");
		if (ik_json_span_type(description) == IK_JSON_STRING) {
			ik_buf_puts(&out, "  ");
			ik_json_string(description, &out);
		}
		ik_buf_putc(&out, '\n');
	}
	ik_pane_heading(&browser->pane, _("Parameters"));
	add_text(browser, IK_BLOCK_TEXT, out.length > 0 ? out.data : _("none"));
	ik_buf_done(&out);
}

/* Add why a tool is not offered, and what to do. */
static void add_reason(struct ik_browser *browser, const struct ik_tool *tool)
{
	if (tool->state == IK_TOOL_OK)
		return;
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(16));
	ik_buf_puts(&out, ik_tool_state_name(tool->state));
	if (tool->code)
		ik_buf_printf(&out, " %s", tool->code);
	if (tool->reason)
		ik_buf_printf(&out, ": %s", tool->reason);
	bool failed = tool->state == IK_TOOL_FAILED || tool->state == IK_TOOL_UNTRUSTED;
	add_text(browser, failed ? IK_BLOCK_ERROR : IK_BLOCK_NOTICE, out.data);
	ik_buf_done(&out);
	for (size_t i = 0; i < sizeof advices / sizeof advices[0]; i++)
		if (ik_text_equal(tool->code, advices[i].code))
			add_text(browser, IK_BLOCK_HINT, _(advices[i].advice));
	if (tool->state == IK_TOOL_SHADOWED)
		add_text(browser, IK_BLOCK_HINT, _("Rename one of the two to have both."));
	if (tool->state == IK_TOOL_DISABLED)
		add_text(browser, IK_BLOCK_HINT, _("Take its name out of tools.disabled to have it."));
}

/* Show a tool from scratch. */
static void rebuild(struct ik_browser *browser, const struct ik_tool *tool,
	const struct uses *uses)
{
	struct ik_pane *pane = &browser->pane;
	struct ik_scroll_place place = ik_pane_text_begin(pane);
	ik_pane_heading(pane, tool->name);
	add_text(browser, IK_BLOCK_TEXT, tool->description);
	add_reason(browser, tool);
	add_text(browser, IK_BLOCK_HINT, tool->path);
	add_uses(browser, uses);
	add_parameters(browser, tool);
	if (tool->schema) {
		ik_pane_heading(pane, _("Schema as the tool wrote it"));
		ik_pane_json(pane, tool->schema, tool->schema_length);
	}
	for (size_t i = 0; i < ik_registry_problem_count(browser->registry); i++) {
		if (i == 0)
			ik_pane_heading(pane, _("Directories that could not be read"));
		add_text(browser, IK_BLOCK_TEXT, ik_registry_problem(browser->registry, i));
	}
	ik_pane_text_end(pane, place, false);
	browser->shown = tool;
	browser->shown_uses = *uses;
}

/* Bring the text up to date. */
static void sync_text(struct ik_browser *browser)
{
	const struct ik_tool *tool = ik_registry_at(browser->registry, browser->pane.selected);
	unsigned version = ik_calls_version(browser->calls);
	if (tool == browser->shown && version == browser->calls_version)
		return;
	struct uses uses = count_uses(browser, tool->name);
	browser->calls_version = version;
	bool same = uses.count == browser->shown_uses.count && uses.failed == browser->shown_uses.failed
		&& uses.timed == browser->shown_uses.timed;
	if (tool != browser->shown || !same)
		rebuild(browser, tool, &uses);
}

/* Draw an entry of the list: mark, name, source, description. */
static void draw_item(void *arg, size_t index, struct ik_cells *cells, struct ik_rectangle row,
	enum ik_style style)
{
	struct ik_browser *browser = arg;
	const struct ik_tool *tool = ik_registry_at(browser->registry, index);
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(16));
	const char *mark = state_mark(tool->state, browser->pane.utf8);
	enum ik_style mark_style = style;
	if (tool->state != IK_TOOL_OK && style == IK_STYLE_NORMAL)
		mark_style = tool->state == IK_TOOL_FAILED ? IK_STYLE_ERROR : IK_STYLE_DIM;
	ik_cells_text(cells, row, row.row, row.column, mark_style, mark, strlen(mark));
	ik_sanitize_line(&out, tool->name, strnlen(tool->name, NAME_BYTES));
	int column = ik_cells_label(cells, row, row.row, row.column + 2, style, out.data) + 2;
	int names = row.columns / 3 < NAME_COLUMNS ? row.columns / 3 : NAME_COLUMNS;
	/* The longest name with its mark and blanks, but not more than three fifths of the
	 * row: longer ones push what follows. */
	int wanted = browser->name_columns + 4;
	if (wanted > row.columns * 3 / 5)
		wanted = row.columns * 3 / 5;
	if (names < wanted)
		names = wanted;
	if (column < row.column + names)
		column = row.column + names;
	const char *source = ik_tool_source_name(tool->source);
	enum ik_style dim = style == IK_STYLE_NORMAL ? IK_STYLE_DIM : style;
	ik_cells_text(cells, row, row.row, column, dim, source, strlen(source));
	const char *text = tool->state == IK_TOOL_OK ? tool->description : tool->reason;
	if (text) {
		ik_buf_clear(&out);
		ik_sanitize_line(&out, text, strnlen(text, NAME_BYTES));
		ik_cells_label(cells, row, row.row, column + 9, style, out.data);
	}
	ik_buf_done(&out);
}

/* Its keys while it has the focus, and while it has not. */
static const struct ik_key_hint focus_hints[] = {
	{IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 2},
	{IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 3},
	{IK_ACTION_REFRESH, IK_ACTION_NONE, N_("refresh"), 1},
	{IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 4},
	{IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1},
};
static const struct ik_key_hint hints[] = {
	{IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 1},
	{IK_ACTION_REFRESH, IK_ACTION_NONE, N_("refresh"), 2},
	{IK_ACTION_BROWSER, IK_ACTION_NONE, N_("close"), 1},
};

/* What stands there instead of tools. */
static void put_empty(const struct ik_browser *browser, const struct ik_status_bar *scan,
	struct ik_buf *out)
{
	if (scan->scan == IK_SCAN_NOT_STARTED || scan->scan == IK_SCAN_IN_PROGRESS) {
		ik_buf_puts(out, _("Looking for tools"));
		if (scan->scan_total > 0)
			ik_buf_printf(out, "  %zu/%zu", scan->scan_done, scan->scan_total);
		return;
	}
	ik_buf_puts(out, _("No tools found.\n\nPut an executable into ~/.ikigai/tools that answers "
		"--schema, and press F5.\nThe manual, ikigai(1), has an example."));
	for (size_t i = 0; i < ik_registry_problem_count(browser->registry); i++) {
		const char *problem = ik_registry_problem(browser->registry, i);
		ik_buf_puts(out, "\n\n");
		ik_sanitize(out, problem, strlen(problem));
	}
}

void ik_browser_draw(struct ik_browser *browser, struct ik_cells *cells,
	struct ik_rectangle area, bool focus, const struct ik_status_bar *scan)
{
	struct ik_buf title, empty;
	ik_buf_init(&title, IK_KIB(4));
	ik_buf_init(&empty, IK_KIB(64));
	ik_buf_printf(&title, " %s  ", _("Tool browser"));
	ik_scan_put(&title, scan);
	ik_buf_putc(&title, ' ');
	struct ik_pane_view view = {
		.title = title.data,
		.context = focus ? IK_IN_BROWSER : IK_IN_EDITOR,
		.hints = focus ? focus_hints : hints,
		.hint_count = focus ? sizeof focus_hints / sizeof *focus_hints
			: sizeof hints / sizeof *hints,
		.focus = focus,
		.item = draw_item,
		.arg = browser,
	};
	if (browser->pane.count == 0) {
		put_empty(browser, scan, &empty);
		view.empty = empty.data;
	} else {
		sync_text(browser);
	}
	ik_pane_draw(&browser->pane, &view, cells, area);
	ik_buf_done(&title);
	ik_buf_done(&empty);
}
