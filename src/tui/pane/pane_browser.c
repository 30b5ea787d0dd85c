#include "tui/pane/pane_browser.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "tui/pane/browser_form.h"
#include "tui/pane/parameter.h"
#include "tui/pane/status_bar.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sanitize.h"
#include "util/text.h"

#define NAME_COLUMNS 24 /* of mark and name if names are short; at most a third of the row */
#define FACT_COLUMNS 44 /* narrower rows show no facts */
#define NAME_BYTES 200  /* limit of a name, and of a description, in a row */

#define HEADING SIZE_MAX

#define MOST_GONE 1000 /* deleted tools kept: an unmounted directory should not flood the list */

/* A change mark stays, even after further scans, until the user has seen it. */
enum ik_tool_change { IK_CHANGE_NONE, IK_CHANGE_NEW, IK_CHANGE_OTHER, IK_CHANGE_GONE };

/* How often a tool was used in this session, and its results. */
struct ik_browser_uses {
	size_t count, failed, timed; /* calls of that name */
	int64_t total_ms;
};

struct ik_browser_row {
	const struct ik_tool *tool;
	struct ik_tool *gone; /* owned copy of a deleted tool; NULL: the registry owns the tool */
	enum ik_tool_change change;
	struct ik_browser_uses uses;
	size_t bytes; /* size of the tool's definition for the provider */
};

struct ik_browser {
	struct ik_pane pane; /* its items are the rows that match the filter */
	struct ik_registry *registry;
	struct ik_calls *session_calls;
	ik_completer *completer; /* of paths in forms, or NULL */
	void *completer_arg;
	struct ik_browser_row *rows; /* the registry's tools by name, then the deleted ones */
	size_t row_count;
	struct ik_tool skills;         /* what the heading of the skills says, as if it were a tool, */
	struct ik_browser_row heading; /* and its row */
	size_t *shown;                 /* indexes of the items' rows, or HEADING, in list order */
	bool by_use;                   /* the most used tools come first */
	unsigned counted;              /* version of the calls when uses were last counted */
	int name_columns;              /* of its longest name */
	const struct ik_tool *read;    /* tool of the text shown; owned by this registry */
	struct ik_browser_uses read_uses;
	const struct ik_browser_row *looked_at; /* row last drawn with focus */

	ik_tool_form *put_form; /* NULL: there are none */
	void *form_arg;
	size_t form;   /* of the schema: 0 as written, 1 canonical, then each provider's form */
	bool measured; /* the sizes of all rows, */
	size_t bytes;  /* and their total, are known */

	struct ik_form *call;   /* the open form, or NULL */
	struct ik_form **calls; /* all forms opened so far, with their input */
	size_t call_count;
};

/* ---- the list ---- */

static void row_done(struct ik_browser_row *row)
{
	if (row->gone)
		ik_tool_clear(row->gone);
	free(row->gone);
}

static void free_rows(struct ik_browser_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		row_done(&rows[i]);
	free(rows);
}

/* Compare rows: most used first, otherwise in row order. */
static int compare_use(const void *left, const void *right, void *arg)
{
	const struct ik_browser *browser = arg;
	size_t one = *(const size_t *)left, other = *(const size_t *)right;
	size_t uses = browser->rows[one].uses.count, other_uses = browser->rows[other].uses.count;

	if (uses != other_uses)
		return uses > other_uses ? -1 : 1;
	return one < other ? -1 : one > other;
}

static struct ik_browser_row *row_at(const struct ik_browser *browser, size_t place)
{
	if (place >= browser->pane.count)
		return NULL;
	return browser->shown[place] == HEADING ? (struct ik_browser_row *)&browser->heading
											: &browser->rows[browser->shown[place]];
}

/* Return the selected row (selected_row()) or its tool (selected_tool()); NULL if there is none. */
static struct ik_browser_row *selected_row(const struct ik_browser *browser)
{
	return row_at(browser, browser->pane.selected);
}

static const struct ik_tool *selected_tool(const struct ik_browser *browser)
{
	const struct ik_browser_row *row = selected_row(browser);

	return row ? row->tool : NULL;
}

static bool is_skill(const struct ik_tool *tool)
{
	return tool->name[0] == '/';
}

/* List the rows, of skills or of tools, that match the filter. */
static void list_rows(struct ik_browser *browser, bool skills)
{
	struct ik_pane *pane = &browser->pane;
	size_t first = pane->count;

	for (size_t i = 0; i < browser->row_count; i++) {
		const struct ik_tool *tool = browser->rows[i].tool;
		const char *const texts[] = { tool->name, tool->description };

		if (is_skill(tool) != skills || !ik_pane_words_fit(pane->words.data, texts, 2))
			continue;
		if (skills && pane->count == first)
			browser->shown[pane->count++] = HEADING;
		browser->shown[pane->count++] = i;
	}
}

/* Rebuild the list from the rows that match the filter: tools, then skills. Keep the selection: the
 * same executable, or else a tool of the same name, if listed. */
static void list_tools(struct ik_browser *browser, const struct ik_tool *selected)
{
	struct ik_pane *pane = &browser->pane;

	browser->shown = ik_alloc_array(browser->shown, browser->row_count + 2,
		sizeof(*browser->shown));
	browser->looked_at = NULL;
	pane->count = pane->selected = 0;
	list_rows(browser, false);
	if (browser->by_use)
		qsort_r(browser->shown, pane->count, sizeof(*browser->shown), compare_use, browser);
	list_rows(browser, true);
	for (size_t i = pane->count; selected && i-- > 0;) {
		const struct ik_tool *tool = row_at(browser, i)->tool;

		if (ik_text_equal(tool->path, selected->path)) {
			pane->selected = i;
			return;
		}
		if (ik_text_equal(tool->name, selected->name))
			pane->selected = i;
	}
}

static int compare_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct ik_browser_row *)row)->tool->name);
}

/* Count a call for the first tool of its name, which is the one that ran. */
static void count_use(struct ik_browser *browser, const struct ik_shown_call *call)
{
	size_t tools = ik_registry_count(browser->registry);
	struct ik_browser_row *row = tools > 0
		? bsearch(call->name, browser->rows, tools, sizeof(*browser->rows), compare_name)
		: NULL;

	if (!row)
		return;
	while (row > browser->rows && compare_name(call->name, row - 1) == 0)
		row--;
	row->uses.count++;
	row->uses.failed += call->stage == IK_STAGE_FAILED;
	if (call->duration_ms >= 0) {
		row->uses.timed++;
		row->uses.total_ms += call->duration_ms;
	}
}

static void count_uses(struct ik_browser *browser)
{
	for (size_t i = 0; i < browser->row_count; i++)
		browser->rows[i].uses = (struct ik_browser_uses){ 0 };
	for (size_t i = 0; i < ik_calls_count(browser->session_calls); i++)
		count_use(browser, ik_calls_at(browser->session_calls, i));
	browser->counted = ik_calls_version(browser->session_calls);
}

static int compare_paths(const void *left, const void *right)
{
	const struct ik_browser_row *const *one = left, *const *other = right;

	return strcmp((*one)->tool->path, (*other)->tool->path);
}

/* Are two texts equal, or both NULL? */
static bool same(const char *one, const char *other)
{
	return one && other ? ik_text_equal(one, other) : one == other;
}

/* Add a row for a deleted tool, with a copy of what rows show. */
static void add_gone(struct ik_browser *browser, const struct ik_tool *tool)
{
	struct ik_tool *gone = ik_alloc(sizeof(*gone));

	*gone = (struct ik_tool){
		.name = ik_strdup(tool->name),
		.path = ik_strdup(tool->path),
		.description = tool->description ? ik_strdup(tool->description) : NULL,
		.source = tool->source,
		.protocol = tool->protocol,
		.state = IK_TOOL_FAILED,
		.reason = ik_strdup(_("gone since the scan before")),
	};
	browser->rows = ik_alloc_array(browser->rows, browser->row_count + 1, sizeof(*browser->rows));
	browser->rows[browser->row_count++] = (struct ik_browser_row){
		.tool = gone, .gone = gone, .change = IK_CHANGE_GONE
	};
}

/* Return a row's change mark after a scan; before is the executable's row in the last one. */
static enum ik_tool_change change_of(const struct ik_browser_row *row,
	const struct ik_browser_row *before)
{
	const struct ik_tool *one = before->tool, *other = row->tool;
	/* In what the user or the model sees. */
	bool differs = one->state != other->state || !same(one->name, other->name) ||
		!same(one->schema, other->schema) || !same(one->description, other->description) ||
		!same(one->reason, other->reason);

	if (before->change == IK_CHANGE_GONE)
		return IK_CHANGE_NEW;
	return before->change == IK_CHANGE_NONE && differs ? IK_CHANGE_OTHER : before->change;
}

/* Mark changes from the old rows, and add the deleted tools. */
static void compare(struct ik_browser *browser, struct ik_browser_row *old, size_t old_count)
{
	struct ik_browser_row **by_path = ik_alloc_array(NULL, old_count + 1, sizeof(*by_path));
	bool *found = ik_alloc(old_count + 1);
	size_t gone = 0;

	for (size_t i = 0; i < old_count; i++)
		by_path[i] = &old[i];
	qsort(by_path, old_count, sizeof(*by_path), compare_paths);
	for (size_t i = 0; i < browser->row_count; i++) {
		struct ik_browser_row *row = &browser->rows[i];
		struct ik_browser_row **before = bsearch(&row, by_path, old_count, sizeof(*by_path),
			compare_paths);

		row->change = before ? change_of(row, *before) : IK_CHANGE_NEW;
		if (before)
			found[before - by_path] = true;
	}
	for (size_t i = 0; i < old_count && gone < MOST_GONE; i++) {
		if (found[i])
			continue;
		add_gone(browser, by_path[i]->tool);
		gone++;
	}
	free(found);
	free(by_path);
}

/* ---- the text of the selected tool ---- */

/* Suggestions by the code of a failure. */
static const struct {
	const char *code;
	const char *advice;
} advices[] = {
	{ IK_CODE_SCHEMA_TIMEOUT,
		N_("Make it say what it is at once, before any slow work; or raise "
		   "tools.scan_timeout_ms.") },
	{ "SCHEMA_EXIT",
		N_("Run it in a shell with --schema, or description if it is a custom tool of "
		   "Kodelet's: it must print one JSON object and exit with 0. "
		   "If it is no tool, move it out of this directory.") },
	{ "SCHEMA_TOO_LARGE", N_("A schema may have 256 KiB. Is it printing something else?") },
	{ "INVALID_JSON", N_("Asked what it is, it must print one JSON object and nothing else.") },
	{ "INVALID_SCHEMA", N_("Mend the member named above.") },
	{ "INVALID_NAME",
		N_("A name has letters, digits, _ and -, begins with a letter or _, "
		   "and is at most 64 long.") },
	{ "SPAWN_FAILED", N_("Is its first line (#!) right, and its interpreter installed?") },
	{ "UNSAFE_PERMISSIONS", N_("Nobody else may write to it or to its directory: chmod go-w.") },
};

static void add_uses(struct ik_browser *browser, const struct ik_browser_uses *uses)
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
	ik_pane_say(&browser->pane, IK_BLOCK_HINT, out.data);
	ik_buf_done(&out);
}

/* Add one line for each parameter: name, type, whether it is required, description. */
static void add_parameters(struct ik_browser *browser, const struct ik_tool *tool)
{
	struct ik_json_span schema;

	if (!tool->parameters ||
		ik_json_check(tool->parameters, tool->parameters_length, &schema, NULL) != IK_OK)
		return;
	struct ik_json_span properties = ik_json_member(schema, "properties");
	struct ik_parameter_root root = { .schema = schema };
	struct ik_buf out;
	ik_buf_init(&out, IK_LIMIT_SCHEMA);
	for (struct ik_json_walk walk = ik_json_walk(properties); ik_json_next(&walk);) {
		struct ik_json_span initial = ik_parameter_member(&root, walk.value, "default");
		struct ik_json_span description = ik_parameter_member(&root, walk.value, "description");

		ik_json_string(walk.key, &out);
		ik_buf_puts(&out, " (");
		ik_parameter_put_type(&out, &root, walk.value);
		ik_buf_puts(&out, ik_parameter_is_required(schema, walk.key) ? _(", required)") : ")");
		if (initial.text) {
			char *text = ik_strndup(initial.text, initial.length);

			ik_buf_printf(&out, _("  default %s"), text);
			free(text);
		}
		if (ik_json_span_type(description) == IK_JSON_STRING) {
			ik_buf_puts(&out, "  ");
			ik_json_string(description, &out);
		}
		ik_buf_putc(&out, '\n');
	}
	ik_pane_say(&browser->pane, IK_BLOCK_HEADING, _("Parameters"));
	ik_pane_say(&browser->pane, IK_BLOCK_TEXT, out.length > 0 ? out.data : _("none"));
	ik_buf_done(&out);
}

static void add_reason(struct ik_browser *browser, const struct ik_tool *tool)
{
	if (ik_tool_is_offered(tool)) {
		ik_pane_say(&browser->pane, IK_BLOCK_NOTICE, tool->reason);
		return;
	}
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(16));
	ik_buf_puts(&out, ik_tool_state_name(tool->state));
	if (tool->code)
		ik_buf_printf(&out, " %s", tool->code);
	if (tool->reason)
		ik_buf_printf(&out, ": %s", tool->reason);
	bool failed = tool->state == IK_TOOL_FAILED || tool->state == IK_TOOL_UNTRUSTED;
	ik_pane_say(&browser->pane, failed ? IK_BLOCK_ERROR : IK_BLOCK_NOTICE, out.data);
	ik_buf_done(&out);
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
		if (ik_text_equal(tool->code, advices[i].code))
			ik_pane_say(&browser->pane, IK_BLOCK_HINT, _(advices[i].advice));
	if (tool->state == IK_TOOL_SHADOWED)
		ik_pane_say(&browser->pane, IK_BLOCK_HINT, _("Rename one of the two to have both."));
	if (tool->state == IK_TOOL_UNTRUSTED)
		ik_pane_say(&browser->pane, IK_BLOCK_HINT,
			_("Refresh the tools to be asked again whether to trust "
			  "it."));
	char *way = ik_keymap_sentence(browser->pane.keymap, _("{switch} switches it on."));

	if (tool->state == IK_TOOL_DISABLED)
		ik_pane_say(&browser->pane, IK_BLOCK_HINT, way);
	free(way);
}

/* Estimate a provider's tokens from bytes of JSON. */
static size_t tokens(size_t bytes)
{
	return (bytes + 3) / 4;
}

/* Add pretty-printed JSON; invalid JSON is added unchanged. */
static void add_json(struct ik_pane *pane, const char *text, size_t length)
{
	struct ik_json_span value;
	struct ik_buf pretty;

	ik_buf_init(&pretty, IK_LIMIT_ENVELOPE);
	if (ik_json_check(text, length, &value, NULL) == IK_OK)
		ik_json_pretty(&pretty, value);
	if (pretty.length > 0 && ik_buf_status(&pretty) == IK_OK) {
		text = pretty.data;
		length = pretty.length;
	}
	ik_block_finish(ik_pane_text(pane, IK_BLOCK_TEXT, text, length));
	ik_buf_done(&pretty);
}

/* Add the schema in the selected form, under a heading that names the form. */
static void add_schema(struct ik_browser *browser, const struct ik_tool *tool)
{
	struct ik_pane *pane = &browser->pane;
	const char *name = NULL, *text = tool->schema;
	struct ik_buf out;
	size_t length = tool->schema_length;
	char *heading = NULL;

	ik_buf_init(&out, IK_LIMIT_SCHEMA * 8);
	if (browser->form == 1 && tool->parameters) {
		heading = ik_strdup(_("Parameters as one JSON Schema"));
		text = tool->parameters;
		length = tool->parameters_length;
	} else if (browser->form > 1 && tool->parameters && browser->put_form &&
		browser->put_form(browser->form_arg, tool, browser->form - 2, &out, &name)) {
		heading = ik_format(_("As %s gets it  ~%zu tokens"), name, tokens(out.length));
		text = out.data;
		length = out.length;
	}
	if (text && is_skill(tool)) {
		ik_block_finish(ik_pane_text(pane, IK_BLOCK_TEXT, text, length));
	} else if (text) {
		ik_pane_say(pane, IK_BLOCK_HEADING, heading ? heading : _("Schema as the tool wrote it"));
		add_json(pane, text, length);
	}
	free(heading);
	ik_buf_done(&out);
}

static void add_callers(struct ik_browser *browser, const struct ik_tool *skill)
{
	char *usage = ik_format(_("%s%s%s loads it."), skill->name, skill->hint ? " " : "",
		skill->hint ? skill->hint : "");

	ik_pane_say(&browser->pane, IK_BLOCK_HINT, skill->model_only ? NULL : usage);
	if (skill->model_only)
		ik_pane_say(&browser->pane, IK_BLOCK_HINT, _("Only the model loads it."));
	else if (skill->user_only)
		ik_pane_say(&browser->pane, IK_BLOCK_HINT, _("The model does not know of it."));
	free(usage);
}

static void rebuild(struct ik_browser *browser, const struct ik_browser_row *row)
{
	struct ik_pane *pane = &browser->pane;
	const struct ik_tool *tool = row->tool;
	const struct ik_registry *registry = browser->registry;
	struct ik_scroll_place place = ik_pane_text_begin(pane);
	char *path = ik_path_shorten(tool->path, getenv("HOME"));

	ik_pane_say(pane, IK_BLOCK_HEADING, tool->name);
	ik_pane_say(&browser->pane, IK_BLOCK_TEXT, tool->description);
	if (row->change == IK_CHANGE_GONE)
		ik_pane_say(&browser->pane, IK_BLOCK_NOTICE, tool->reason);
	else
		add_reason(browser, tool);
	ik_pane_say(&browser->pane, IK_BLOCK_HINT, path);
	if (is_skill(tool))
		add_callers(browser, tool);
	else if (row != &browser->heading)
		add_uses(browser, &row->uses);
	add_parameters(browser, tool);
	add_schema(browser, tool);
	for (size_t i = 0; i < ik_registry_problem_count(registry); i++) {
		if (i == 0)
			ik_pane_say(pane, IK_BLOCK_HEADING, _("Directories that could not be read"));
		ik_pane_say(&browser->pane, IK_BLOCK_TEXT, ik_registry_problem(registry, i));
	}
	ik_pane_text_end(pane, place, false);
	free(path);
	browser->read = tool;
	browser->read_uses = row->uses;
}

static const char *state_mark(const struct ik_browser_row *row)
{
	if (row->change == IK_CHANGE_GONE)
		return "∅";
	switch (row->tool->state) {
	case IK_TOOL_OK:
	case IK_TOOL_SKILL:
		return "●";
	case IK_TOOL_FAILED:
		return "✗";
	case IK_TOOL_SHADOWED:
		return "◌";
	case IK_TOOL_DISABLED:
		return "○";
	case IK_TOOL_UNTRUSTED:
		return "▲";
	}
	return "?";
}

/* Append the facts at the end of a row: recent change, uses, cost. */
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
	if (browser->by_use && row->uses.count > 0)
		ik_buf_printf(out, ngettext(" %zu use", " %zu uses", row->uses.count), row->uses.count);
	if (row->bytes > 0)
		ik_buf_printf(out, " ~%zu", tokens(row->bytes));
}

/* Return the column where descriptions begin: after the longest name and its mark, at most three
 * fifths into the row. Longer names are cut. */
static int name_columns(const struct ik_browser *browser, struct ik_rectangle row)
{
	int names = row.columns / 3 < NAME_COLUMNS ? row.columns / 3 : NAME_COLUMNS;
	int wanted = browser->name_columns + 4;

	if (wanted > row.columns * 3 / 5)
		wanted = row.columns * 3 / 5;
	return names < wanted ? wanted : names;
}

/* Draw a list item: mark, name, source, description, facts. */
static void draw_item(struct ik_pane *pane, size_t index, struct ik_cells *cells,
	struct ik_rectangle row, enum ik_style style)
{
	const struct ik_browser *browser = (const struct ik_browser *)pane;
	const struct ik_browser_row *entry = row_at(browser, index);
	const struct ik_tool *tool = entry->tool;
	bool plain = style == IK_STYLE_NORMAL;
	int column = row.column + name_columns(browser, row);
	struct ik_buf out;

	if (entry == &browser->heading) { /* how many skills are offered, and what their lines cost */
		ik_cells_label(cells, row, row.row, row.column, plain ? IK_STYLE_BOLD : style, tool->name);
		ik_cells_label(cells, row, row.row, column, plain ? IK_STYLE_DIM : style, tool->reason);
		return;
	}
	ik_buf_init(&out, IK_KIB(16));
	put_facts(browser, entry, &out);
	int facts = (int)ik_utf8_width(out.data, out.length);
	struct ik_rectangle left = row;

	if (facts > 0 && (row.columns >= FACT_COLUMNS || entry->change != IK_CHANGE_NONE)) {
		enum ik_style look = entry->change != IK_CHANGE_NONE ? IK_STYLE_ACCENT : IK_STYLE_DIM;

		left = ik_pane_right(cells, row, facts, plain ? look : style, out.data);
	}
	enum ik_style mark_style = style;

	if (!ik_tool_is_offered(tool) && plain)
		mark_style = tool->state == IK_TOOL_FAILED && entry->change != IK_CHANGE_GONE
			? IK_STYLE_BAD
			: IK_STYLE_DIM;
	ik_cells_label(cells, left, row.row, row.column, mark_style, state_mark(entry));
	struct ik_rectangle name = left;

	if (name.columns > column - 2 - row.column)
		name.columns = column - 2 - row.column;
	ik_cells_label(cells, name, row.row, row.column + 2, style, tool->name);
	ik_cells_label(cells, left, row.row, column, plain ? IK_STYLE_DIM : style,
		ik_tool_source_name(tool->source));
	const char *text = ik_tool_is_offered(tool) ? tool->description : tool->reason;

	if (text)
		ik_cells_label(cells, left, row.row, column + 9, style, text);
	ik_buf_done(&out);
}

/* Keys with focus on the list, on a text field, and elsewhere. */
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
	{ 0 },
};
static const struct ik_key_hint text_hints[] = {
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("scroll"), 2 },
	{ IK_ACTION_DETAILS, IK_ACTION_NONE, N_("list"), 1 },
	{ IK_ACTION_RUN, IK_ACTION_NONE, N_("run"), 2 },
	{ IK_ACTION_SWITCH, IK_ACTION_NONE, N_("on/off"), 4 },
	{ IK_ACTION_LEFT, IK_ACTION_RIGHT, N_("schema"), 3 },
	{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("page"), 5 },
	{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 6 },
	{ 0 },
};
static const struct ik_key_hint form_hints[] = {
	{ IK_ACTION_SEND, IK_ACTION_NONE, N_("run"), 1 },
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("field"), 2 },
	{ IK_ACTION_LEFT, IK_ACTION_RIGHT, N_("choose"), 3 },
	{ IK_ACTION_NEW_LINE, IK_ACTION_NONE, N_("new line"), 4 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("back"), 1 },
	{ 0 },
};
static const struct ik_key_hint empty_form_hints[] = {
	{ IK_ACTION_SEND, IK_ACTION_NONE, N_("run"), 1 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("back"), 1 },
	{ 0 },
};
static const struct ik_key_hint away_hints[] = {
	{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 1 },
	{ IK_ACTION_REFRESH, IK_ACTION_NONE, N_("refresh"), 2 },
	{ IK_ACTION_BROWSER, IK_ACTION_NONE, N_("close"), 1 },
	{ 0 },
};

static void put_empty(const struct ik_browser *browser, const struct ik_status_bar *scan,
	struct ik_buf *out)
{
	struct ik_registry *registry = browser->registry;

	if (browser->row_count > 0) {
		char *way = ik_keymap_sentence(browser->pane.keymap, _("{cancel} shows all tools."));

		ik_buf_printf(out, _("No tool has \"%s\" in its name or description."),
			browser->pane.words.data);
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
	char *way = ik_keymap_sentence(browser->pane.keymap,
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

static void put_title(const struct ik_browser *browser, const struct ik_status_bar *scan,
	struct ik_buf *out)
{
	if (browser->call) {
		ik_buf_putc(out, ' ');
		ik_buf_printf(out, _("Run %s"), ik_form_tool(browser->call));
		ik_buf_putc(out, ' ');
		return;
	}
	ik_buf_printf(out, " %s  ", _("Tool browser"));
	ik_scan_put(out, scan);
	if (browser->bytes > 0)
		ik_buf_printf(out, _("  ~%zu tokens"), tokens(browser->bytes));
	if (browser->by_use)
		ik_buf_puts(out, _("  by use"));
	ik_buf_putc(out, ' ');
}

/* Measure the tools' definitions for the provider, unless known. */
static void measure(struct ik_browser *browser)
{
	const char *name;
	struct ik_buf out;
	size_t count = 0, bytes = 0;

	if (browser->measured || !browser->put_form)
		return;
	browser->measured = true;
	browser->bytes = 0;
	ik_buf_init(&out, IK_LIMIT_SCHEMA * 8);
	for (size_t i = 0; i < browser->row_count; i++) {
		struct ik_browser_row *row = &browser->rows[i];

		ik_buf_clear(&out);
		row->bytes = 0;
		if ((row->tool->parameters || row->tool->state == IK_TOOL_SKILL) &&
			browser->put_form(browser->form_arg, row->tool, 0, &out, &name))
			row->bytes = out.length;
		if (ik_tool_is_offered(row->tool))
			browser->bytes += row->bytes;
		if (row->tool->state == IK_TOOL_SKILL) {
			count++;
			bytes += row->bytes;
		}
	}
	free(browser->skills.reason);
	/* Translators: how many skills are offered, and what their lines in each request cost. */
	browser->skills.reason = ik_format(_("%zu  ~%zu tokens"), count, tokens(bytes));
	ik_buf_done(&out);
}

/* Once the user has moved on from a row, clear its change mark; that of a deleted tool goes. */
static void leave_row(struct ik_browser *browser)
{
	const struct ik_browser_row *seen = browser->looked_at;
	const struct ik_tool *selected = selected_tool(browser);

	if (!seen || seen == selected_row(browser) || seen->change == IK_CHANGE_NONE)
		return;
	struct ik_browser_row *row = &browser->rows[seen - browser->rows], gone = *row;

	row->change = IK_CHANGE_NONE;
	browser->looked_at = NULL;
	browser->read = NULL;
	if (!gone.gone)
		return;
	browser->row_count--;
	memmove(row, row + 1, (size_t)(browser->rows + browser->row_count - row) * sizeof(*row));
	list_tools(browser, selected);
	row_done(&gone);
}

static void draw_tools(struct ik_browser *browser, struct ik_pane_view *view,
	const struct ik_status_bar *scan, struct ik_cells *cells, struct ik_rectangle area)
{
	struct ik_buf empty;

	leave_row(browser);
	const struct ik_browser_row *row = selected_row(browser);

	ik_buf_init(&empty, IK_KIB(64));
	if (!row) {
		put_empty(browser, scan, &empty);
		view->empty = empty.data;
	} else if (row->tool != browser->read ||
		memcmp(&row->uses, &browser->read_uses, sizeof(row->uses))) {
		rebuild(browser, row);
	}
	if (view->focus && row)
		browser->looked_at = row;
	char *count = ik_format(_("%zu of %zu"), browser->pane.count, browser->row_count);

	view->words_count = count;
	ik_pane_draw(&browser->pane, view, cells, area);
	free(count);
	ik_buf_done(&empty);
}

static void draw(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area, bool focus,
	const struct ik_status_bar *scan)
{
	struct ik_browser *browser = (struct ik_browser *)pane;
	struct ik_buf title;

	measure(browser);
	if (ik_calls_version(browser->session_calls) != browser->counted) {
		count_uses(browser);
		if (browser->by_use)
			list_tools(browser, selected_tool(browser));
	}
	ik_buf_init(&title, IK_KIB(4));
	put_title(browser, scan, &title);
	struct ik_pane_view view = {
		.title = title.data,
		.focus = focus,
		.keys = focus_hints,
		.text_keys = text_hints,
		.writing_keys = !browser->call          ? NULL
			: ik_form_has_fields(browser->call) ? form_hints
												: empty_form_hints,
		.away_keys = away_hints,
		.all = N_("all tools"),
	};

	if (browser->call)
		ik_form_draw(browser->call, cells, ik_pane_draw_frame(pane, &view, cells, area));
	else
		draw_tools(browser, &view, scan, cells, area);
	ik_buf_done(&title);
}

static void release(struct ik_pane *pane)
{
	struct ik_browser *browser = (struct ik_browser *)pane;

	for (size_t i = 0; i < browser->call_count; i++)
		ik_form_free(browser->calls[i]);
	free(browser->calls);
	free_rows(browser->rows, browser->row_count);
	free(browser->shown);
	ik_registry_unref(browser->registry);
	free(browser->skills.reason);
}

void ik_browser_on_complete(struct ik_browser *browser, ik_completer *completer, void *arg)
{
	browser->completer = completer;
	browser->completer_arg = arg;
}

void ik_browser_measure(struct ik_browser *browser)
{
	browser->measured = false;
	browser->read = NULL;
}

static int measure_names(const struct ik_browser *browser)
{
	struct ik_buf out;
	size_t longest = 0;

	ik_buf_init(&out, IK_KIB(16));
	for (size_t i = 0; i < browser->row_count; i++) {
		const char *name = browser->rows[i].tool->name;
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
	struct ik_registry *old_registry = browser->registry;
	struct ik_browser_row *old = browser->rows;
	const struct ik_tool *selected = selected_tool(browser);
	size_t old_count = browser->row_count;

	ik_registry_ref(registry);
	browser->registry = registry;
	browser->row_count = ik_registry_count(registry);
	browser->rows = ik_alloc_array(NULL, browser->row_count + 1, sizeof(*browser->rows));
	for (size_t i = 0; i < browser->row_count; i++)
		browser->rows[i] = (struct ik_browser_row){ .tool = ik_registry_at(registry, i) };
	/* The first scan has nothing to compare with. */
	if (ik_registry_state(old_registry) != IK_SCAN_NOT_STARTED)
		compare(browser, old, old_count);
	count_uses(browser);
	list_tools(browser, selected);
	free_rows(old, old_count);
	ik_registry_unref(old_registry);
	browser->name_columns = measure_names(browser);
	ik_browser_measure(browser);
}

static void open_form(struct ik_browser *browser)
{
	const struct ik_browser_row *row = selected_row(browser);
	size_t i = 0;

	if (!row || row->tool->state != IK_TOOL_OK)
		return;
	while (i < browser->call_count && !ik_form_is_of(browser->calls[i], row->tool))
		i++;
	if (i == browser->call_count) {
		browser->calls = ik_alloc_more(browser->calls, i, sizeof(struct ik_form *));
		browser->calls[browser->call_count++] = ik_form_new(row->tool, browser->completer,
			browser->completer_arg);
	}
	browser->call = browser->calls[i];
	ik_form_open(browser->call);
	browser->pane.writing = true;
}

/* Handle a key in the open form; it may make the call. */
static enum ik_pane_result form_key(struct ik_browser *browser, const struct ik_key *key,
	enum ik_action action, struct ik_invocation *ret_invocation)
{
	struct ik_form *call = browser->call;
	struct ik_buf *text = &browser->pane.argument;
	enum ik_pane_result result = ik_form_key(call, key, action);
	struct ik_error error;

	if (result != IK_PANE_CLOSED && result != IK_PANE_CALLED)
		return result;
	browser->call = NULL;
	browser->pane.writing = false;
	ik_buf_clear(text);
	ik_buf_printf(text, "/run %s ", ik_form_tool(call));
	if (result == IK_PANE_CLOSED || ik_form_put(call, text, &error) != IK_OK)
		return IK_PANE_TAKEN;
	*ret_invocation = (struct ik_invocation){
		.action = IK_ACTION_SEND, .text = text->data, .length = text->length
	};
	return IK_PANE_CALLED;
}

static void turn_form(struct ik_browser *browser, bool back)
{
	const struct ik_browser_row *row = selected_row(browser);
	size_t forms = 2;
	const char *name;
	struct ik_buf out;

	if (!row)
		return;
	ik_buf_init(&out, IK_LIMIT_SCHEMA * 8);
	while (browser->put_form && row->tool->parameters &&
		browser->put_form(browser->form_arg, row->tool, forms - 2, &out, &name)) {
		ik_buf_clear(&out);
		forms++;
	}
	ik_buf_done(&out);
	size_t now = browser->form < forms ? browser->form : 0;
	browser->form = (now + (back ? forms - 1 : 1)) % forms;
	browser->read = NULL;
}

static enum ik_pane_result key(struct ik_pane *pane, const struct ik_key *key,
	enum ik_action action, struct ik_invocation *ret_invocation)
{
	struct ik_browser *browser = (struct ik_browser *)pane;
	const struct ik_browser_row *row;

	if (browser->call)
		return form_key(browser, key, action, ret_invocation);
	enum ik_pane_result result = ik_pane_key(pane, key, action);

	if (result == IK_PANE_FILTERED)
		list_tools(browser, selected_tool(browser));
	if (result != IK_PANE_OTHER)
		return result;
	switch (action) {
	case IK_ACTION_SORT:
		browser->by_use = !browser->by_use;
		count_uses(browser);
		list_tools(browser, selected_tool(browser));
		return IK_PANE_TAKEN;
	case IK_ACTION_LEFT:
	case IK_ACTION_RIGHT:
		turn_form(browser, action == IK_ACTION_LEFT);
		return IK_PANE_TAKEN;
	case IK_ACTION_RUN:
		open_form(browser);
		return IK_PANE_TAKEN;
	case IK_ACTION_SWITCH:
		row = selected_row(browser);
		if (row && row != &browser->heading &&
			(ik_tool_is_offered(row->tool) || row->tool->state == IK_TOOL_DISABLED))
			*ret_invocation = ik_pane_invoke(pane, action, row->tool->name);
		return IK_PANE_TAKEN;
	default:
		return IK_PANE_PASSED;
	}
}

static const struct ik_pane_ops ops = {
	.toggle = IK_ACTION_BROWSER,
	.context = IK_IN_BROWSER,
	.open = ik_pane_keep,
	.key = key,
	.act = ik_pane_act,
	.click = ik_pane_click,
	.scroll = ik_pane_scroll,
	.draw = draw,
	.item = draw_item,
	.release = release,
};

struct ik_browser *ik_browser_new(struct ik_calls *calls, const struct ik_keymap *keymap,
	ik_tool_form *put_form, void *form_arg)
{
	struct ik_browser *browser = ik_pane_new(sizeof(*browser), &ops, keymap);

	browser->registry = ik_registry_new();
	browser->skills = (struct ik_tool){
		.name = (char *)_("Skills"),
		.path = (char *)"",
		.description = (char *)_("Files with instructions for particular tasks. The model is given "
								 "their names and descriptions, and reads a file when a task calls "
								 "for it."),
		.state = IK_TOOL_SKILL,
	};
	browser->heading.tool = &browser->skills;
	browser->session_calls = calls;
	browser->put_form = put_form;
	browser->form_arg = form_arg;
	return browser;
}
