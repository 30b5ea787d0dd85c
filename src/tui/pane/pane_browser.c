#include "tui/pane/pane_browser.h"

#include <stdlib.h>
#include <string.h>

#include "tui/pane/browser_parts.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define MEASURED_A_FRAME 200 /* tools whose size is found out in one drawing: under a millisecond */

/* Free it. */
static void release(struct ik_pane *pane)
{
	struct ik_browser *browser = (struct ik_browser *)pane;

	for (size_t i = 0; i < browser->memory_count; i++) {
		free(browser->memories[i].tool);
		free(browser->memories[i].arguments);
	}
	free(browser->memories);
	ik_form_free(browser->call);
	ik_list_pane_done(&browser->list);
	ik_browser_list_done(&browser->tools);
	free(browser);
}

void ik_browser_set_forms(struct ik_browser *browser, const struct ik_tool_forms *forms, void *arg)
{
	browser->forms = forms;
	browser->forms_arg = arg;
}

void ik_browser_measure(struct ik_browser *browser)
{
	browser->measured = 0;
	browser->bytes = 0;
	browser->shown = NULL;
}

size_t ik_browser_tokens(size_t bytes)
{
	return (bytes + 3) / 4;
}

bool ik_browser_measure_some(struct ik_browser *browser)
{
	struct ik_browser_list *list = &browser->tools;
	const char *name;
	struct ik_buf out;

	if (!browser->forms)
		return false;
	ik_buf_init(&out, IK_LIMIT_SCHEMA * 8);
	for (size_t i = 0; i < MEASURED_A_FRAME && browser->measured < list->count; i++) {
		struct ik_browser_row *row = &list->rows[browser->measured++];

		ik_buf_clear(&out);
		row->bytes = 0;
		if (row->tool->parameters &&
			browser->forms->put(browser->forms_arg, row->tool, 0, &out, &name))
			row->bytes = out.length;
		if (row->tool->state == IK_TOOL_OK)
			browser->bytes += row->bytes;
	}
	ik_buf_done(&out);
	return browser->measured < list->count;
}

/* Columns of the longest name. */
static int measure_names(const struct ik_browser_list *list)
{
	struct ik_buf out;
	size_t longest = 0;

	ik_buf_init(&out, IK_KIB(16));
	for (size_t i = 0; i < list->count; i++) {
		const char *name = list->rows[i].tool->name;
		size_t width;

		ik_buf_clear(&out);
		ik_sanitize_line(&out, name, strnlen(name, IK_NAME_BYTES));
		width = ik_utf8_width(out.data, out.length);
		longest = width > longest ? width : longest;
	}
	ik_buf_done(&out);
	return (int)longest;
}

struct ik_browser_row *ik_browser_selected(const struct ik_browser *browser)
{
	if (browser->list.pane.selected >= browser->tools.shown_count)
		return NULL;
	return ik_browser_list_at(&browser->tools, browser->list.pane.selected);
}

/* A copy of what finds a row again when the list is another one. */
struct bookmark {
	char *path, *name;
};

static struct bookmark bookmark(const struct ik_browser *browser)
{
	const struct ik_browser_row *row = ik_browser_selected(browser);

	return row ? (struct bookmark){ ik_strdup(row->tool->path), ik_strdup(row->tool->name) }
			   : (struct bookmark){ NULL, NULL };
}

/* Go back to it, and take over how much is shown. */
static void go_back(struct ik_browser *browser, struct bookmark mark)
{
	browser->list.pane.count = browser->tools.shown_count;
	browser->list.pane.selected = mark.path
		? ik_browser_list_find(&browser->tools, mark.path, mark.name)
		: 0;
	browser->looked_at = NULL;
	free(mark.path);
	free(mark.name);
}

void ik_browser_set_registry(struct ik_browser *browser, struct ik_registry *registry)
{
	struct bookmark mark = bookmark(browser);

	ik_browser_list_set_registry(&browser->tools, registry);
	browser->name_columns = measure_names(&browser->tools);
	ik_browser_measure(browser);
	go_back(browser, mark);
}

/* The person goes on from what was looked at: its mark of a change goes. */
static void leave_row(struct ik_browser *browser)
{
	const struct ik_browser_row *row = browser->looked_at;

	if (!row || row == ik_browser_selected(browser) || row->change == IK_CHANGE_NONE)
		return;
	struct bookmark mark = bookmark(browser);
	bool gone = row->change == IK_CHANGE_GONE;
	ik_browser_list_seen(&browser->tools, row);
	if (gone && browser->measured > browser->tools.count)
		browser->measured = browser->tools.count;
	browser->shown = NULL;
	go_back(browser, mark);
}

/* A filter that was left in the middle filters on, and is not written. */
static void open_pane(struct ik_pane *pane)
{
	ik_list_pane_keep((struct ik_list_pane *)pane);
}

/* An action that selects or scrolls. */
static bool act(struct ik_pane *pane, enum ik_action action)
{
	bool taken = ik_pane_act(pane, action);

	leave_row((struct ik_browser *)pane);
	return taken;
}

/* While a filter or a form is written, characters are text. */
static unsigned context(const struct ik_pane *pane)
{
	const struct ik_browser *browser = (const struct ik_browser *)pane;

	return browser->list.filter || browser->call ? IK_IN_PROMPT : IK_IN_BROWSER;
}

/* List what the filter leaves. */
static void take_filter(struct ik_browser *browser)
{
	struct bookmark mark = bookmark(browser);

	ik_browser_list_set_filter(&browser->tools, browser->list.words.data);
	go_back(browser, mark);
}

/* What was written last for a tool, in its place in the list of memories. */
static struct ik_browser_memory *memory_of(struct ik_browser *browser, const char *tool)
{
	for (size_t i = 0; i < browser->memory_count; i++)
		if (ik_text_equal(browser->memories[i].tool, tool))
			return &browser->memories[i];
	return NULL;
}

/* Open the form of the selected tool. */
static void open_form(struct ik_browser *browser)
{
	const struct ik_browser_row *row = ik_browser_selected(browser);

	if (!row || row->tool->state != IK_TOOL_OK)
		return;
	const struct ik_browser_memory *memory = memory_of(browser, row->tool->name);
	browser->call = ik_form_new(row->tool, memory ? memory->arguments : NULL,
		browser->list.pane.utf8);
}

/* Remember what was written, as far as it can be said in JSON, and close the form. */
static void close_form(struct ik_browser *browser)
{
	struct ik_error error;
	struct ik_buf out;
	const char *tool = ik_form_tool(browser->call);

	ik_buf_init(&out, IK_LIMIT_ARGUMENTS);
	if (ik_form_put(browser->call, &out, &error) == IK_OK) {
		struct ik_browser_memory *memory = memory_of(browser, tool);

		if (!memory) {
			browser->memories = ik_alloc_array(browser->memories, browser->memory_count + 1,
				sizeof(*browser->memories));
			memory = &browser->memories[browser->memory_count++];
			*memory = (struct ik_browser_memory){ .tool = ik_strdup(tool) };
		}
		free(memory->arguments);
		memory->arguments = ik_strndup(out.data, out.length);
	}
	ik_buf_done(&out);
	browser->call = ik_form_free(browser->call);
}

/* Make the call that the form says. */
static enum ik_pane_result send_form(struct ik_browser *browser, struct ik_reaction *ret_reaction)
{
	struct ik_buf *text = &browser->list.reaction;
	struct ik_error error;

	ik_buf_clear(text);
	ik_buf_printf(text, "/run %s ", ik_form_tool(browser->call));
	bool good = ik_form_put(browser->call, text, &error) == IK_OK;
	close_form(browser);
	if (!good)
		return IK_PANE_TAKEN;
	*ret_reaction = (struct ik_reaction){
		.kind = IK_REACT_SUBMIT, .text = text->data, .length = text->length
	};
	return IK_PANE_CALLED;
}

/* A key while a form is written. */
static enum ik_pane_result form_key(struct ik_browser *browser, const struct ik_key *key,
	enum ik_action action, struct ik_reaction *ret_reaction)
{
	switch (ik_form_key(browser->call, key, action)) {
	case IK_FORM_PASSED:
		return IK_PANE_PASSED;
	case IK_FORM_TAKEN:
		break;
	case IK_FORM_LEFT:
		close_form(browser);
		break;
	case IK_FORM_SENT:
		return send_form(browser, ret_reaction);
	}
	return IK_PANE_TAKEN;
}

/* The next form of the schema, or the one before. */
static void turn_form(struct ik_browser *browser, bool back)
{
	const struct ik_browser_row *row = ik_browser_selected(browser);
	size_t forms = 2;
	const char *name;
	struct ik_buf out;

	if (!row)
		return;
	ik_buf_init(&out, IK_LIMIT_SCHEMA * 8);
	while (browser->forms && row->tool->parameters &&
		browser->forms->put(browser->forms_arg, row->tool, forms - 2, &out, &name)) {
		ik_buf_clear(&out);
		forms++;
	}
	ik_buf_done(&out);
	size_t now = browser->form < forms ? browser->form : 0;
	browser->form = (now + (back ? forms - 1 : 1)) % forms;
	browser->shown = NULL;
}

/* Switch the selected tool on or off. */
static struct ik_reaction switch_tool(struct ik_browser *browser)
{
	const struct ik_browser_row *row = ik_browser_selected(browser);

	if (!row || (row->tool->state != IK_TOOL_OK && row->tool->state != IK_TOOL_DISABLED))
		return (struct ik_reaction){ .kind = IK_REACT_NONE };
	return ik_list_pane_react(&browser->list, IK_REACT_SWITCH_TOOL, row->tool->name);
}

/* A key. */
static enum ik_pane_result key(struct ik_pane *pane, const struct ik_key *key,
	enum ik_action action, struct ik_reaction *ret_reaction)
{
	struct ik_browser *browser = (struct ik_browser *)pane;
	struct ik_browser_list *tools = &browser->tools;

	if (browser->call)
		return form_key(browser, key, action, ret_reaction);
	switch (ik_list_pane_key(&browser->list, key, action)) {
	case IK_LIST_FILTERED:
		take_filter(browser);
		return IK_PANE_TAKEN;
	case IK_LIST_TAKEN:
		leave_row(browser);
		return IK_PANE_TAKEN;
	case IK_LIST_PASSED:
		return IK_PANE_PASSED;
	case IK_LIST_OTHER:
		break;
	}
	switch (action) {
	case IK_ACTION_SORT: {
		struct bookmark mark = bookmark(browser);

		ik_browser_list_set_order(tools,
			tools->order == IK_ORDER_NAME ? IK_ORDER_USE : IK_ORDER_NAME);
		go_back(browser, mark);
		return IK_PANE_TAKEN;
	}
	case IK_ACTION_LEFT:
	case IK_ACTION_RIGHT:
		turn_form(browser, action == IK_ACTION_LEFT);
		return IK_PANE_TAKEN;
	case IK_ACTION_RUN:
		open_form(browser);
		return IK_PANE_TAKEN;
	case IK_ACTION_SWITCH:
		*ret_reaction = switch_tool(browser);
		return IK_PANE_TAKEN;
	default:
		return IK_PANE_PASSED;
	}
}

void ik_browser_sync_text(struct ik_browser *browser)
{
	const struct ik_browser_row *row = ik_browser_selected(browser);
	unsigned version = ik_calls_version(browser->calls);

	if (row->tool == browser->shown && version == browser->calls_version)
		return;
	struct ik_browser_uses uses = ik_browser_count_uses(browser, row->tool->name);
	browser->calls_version = version;
	bool same = uses.count == browser->shown_uses.count &&
		uses.failed == browser->shown_uses.failed && uses.timed == browser->shown_uses.timed;
	if (row->tool != browser->shown || !same)
		ik_browser_rebuild(browser, row, &uses);
}

/* clang-format off */
static const struct ik_pane_ops ops = {
	.toggle = IK_ACTION_BROWSER, .open = open_pane, .context = context, .key = key, .act = act,
	.click = ik_list_pane_click, .scroll = ik_pane_scroll, .draw = ik_browser_draw,
	.release = release,
};
/* clang-format on */

struct ik_browser *ik_browser_new(struct ik_calls *calls, const struct ik_keymap *keymap, bool utf8)
{
	struct ik_browser *browser = ik_alloc(sizeof(*browser));

	ik_list_pane_init(&browser->list, &ops, keymap, utf8);
	browser->calls = calls;
	ik_browser_list_init(&browser->tools, calls);
	return browser;
}

struct ik_pane *ik_browser_pane(struct ik_browser *browser)
{
	return &browser->list.pane;
}
