/* A tool in full: the text half of the browser. */
#include "tui/pane/browser_parts.h"

#include <stdlib.h>
#include <string.h>

#include "tui/pane/parameter_text.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* What to do about a failure, by its code. */
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

struct ik_browser_uses ik_browser_count_uses(const struct ik_browser *browser, const char *name)
{
	struct ik_browser_uses uses = { 0 };

	for (size_t i = 0; i < ik_calls_count(browser->calls); i++) {
		const struct ik_shown_call *call = ik_calls_at(browser->calls, i);

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
		ik_block_finish(ik_pane_text(&browser->list.pane, kind, text, strlen(text)));
}

/* Add how the tool served. */
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
	add_text(browser, IK_BLOCK_HINT, out.data);
	ik_buf_done(&out);
}

/* Is a name among the required ones of a canonical schema? */
static bool is_required(struct ik_json_span schema, struct ik_json_span key)
{
	struct ik_json_span name;
	struct ik_json_span required = ik_json_member(schema, "required");
	struct ik_json_walk walk = { 0 };

	while (ik_json_next(required, &walk, NULL, &name))
		if (name.length == key.length && memcmp(name.text, key.text, key.length) == 0)
			return true;
	return false;
}

/* Add one line for each parameter: name, type, is it required, what is it. */
static void add_parameters(struct ik_browser *browser, const struct ik_tool *tool)
{
	struct ik_json_span schema;

	if (!tool->parameters ||
		ik_json_check(tool->parameters, tool->parameters_length, &schema, NULL) != IK_OK)
		return;
	struct ik_json_span key, value;
	struct ik_json_span properties = ik_json_member(schema, "properties");
	struct ik_parameter_root root = { .schema = schema };
	struct ik_json_walk walk = { 0 };
	struct ik_buf out;
	ik_buf_init(&out, IK_LIMIT_SCHEMA);
	while (ik_json_next(properties, &walk, &key, &value)) {
		struct ik_json_span initial = ik_parameter_member(&root, value, "default");
		struct ik_json_span description = ik_parameter_member(&root, value, "description");

		ik_json_string(key, &out);
		ik_buf_puts(&out, " (");
		ik_parameter_put_type(&out, &root, value, true);
		ik_buf_puts(&out, is_required(schema, key) ? _(", required)") : ")");
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
	ik_pane_heading(&browser->list.pane, _("Parameters"));
	add_text(browser, IK_BLOCK_TEXT, out.length > 0 ? out.data : _("none"));
	ik_buf_done(&out);
}

/* Add how a tool that is switched off is switched on. */
static void add_switch(struct ik_browser *browser)
{
	struct ik_buf key;

	ik_buf_init(&key, IK_KIB(1));
	if (ik_keymap_put_key(browser->list.pane.keymap, IK_IN_BROWSER, IK_ACTION_SWITCH, &key)) {
		char *sentence = ik_format(_("%s switches it on."), key.data);

		add_text(browser, IK_BLOCK_HINT, sentence);
		free(sentence);
	}
	ik_buf_done(&key);
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
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
		if (ik_text_equal(tool->code, advices[i].code))
			add_text(browser, IK_BLOCK_HINT, _(advices[i].advice));
	if (tool->state == IK_TOOL_SHADOWED)
		add_text(browser, IK_BLOCK_HINT, _("Rename one of the two to have both."));
	if (tool->state == IK_TOOL_UNTRUSTED)
		add_text(browser, IK_BLOCK_HINT,
			_("Refresh the tools to be asked again whether to trust "
			  "it."));
	if (tool->state == IK_TOOL_DISABLED)
		add_switch(browser);
}

/* Add the schema in the form that was chosen, under a heading that says which it is. */
static void add_schema(struct ik_browser *browser, const struct ik_tool *tool)
{
	struct ik_pane *pane = &browser->list.pane;
	const char *name = NULL, *text = tool->schema;
	struct ik_buf out;
	size_t length = tool->schema_length;
	char *heading = NULL;

	ik_buf_init(&out, IK_LIMIT_SCHEMA * 8);
	if (browser->form == 1 && tool->parameters) {
		heading = ik_strdup(_("Parameters as one JSON Schema"));
		text = tool->parameters;
		length = tool->parameters_length;
	} else if (browser->form > 1 && tool->parameters && browser->forms &&
		browser->forms->put(browser->forms_arg, tool, browser->form - 2, &out, &name)) {
		heading = ik_format(_("As %s gets it  ~%zu tokens"), name, ik_browser_tokens(out.length));
		text = out.data;
		length = out.length;
	}
	if (text) {
		ik_pane_heading(pane, heading ? heading : _("Schema as the tool wrote it"));
		ik_pane_json(pane, text, length);
	}
	free(heading);
	ik_buf_done(&out);
}

void ik_browser_rebuild(struct ik_browser *browser, const struct ik_browser_row *row,
	const struct ik_browser_uses *uses)
{
	struct ik_pane *pane = &browser->list.pane;
	const struct ik_tool *tool = row->tool;
	const struct ik_registry *registry = browser->tools.registry;
	struct ik_scroll_place place = ik_pane_text_begin(pane);

	ik_pane_heading(pane, tool->name);
	add_text(browser, IK_BLOCK_TEXT, tool->description);
	if (row->change == IK_CHANGE_GONE)
		add_text(browser, IK_BLOCK_NOTICE, tool->reason);
	else
		add_reason(browser, tool);
	add_text(browser, IK_BLOCK_HINT, tool->path);
	add_uses(browser, uses);
	add_parameters(browser, tool);
	add_schema(browser, tool);
	for (size_t i = 0; i < ik_registry_problem_count(registry); i++) {
		if (i == 0)
			ik_pane_heading(pane, _("Directories that could not be read"));
		add_text(browser, IK_BLOCK_TEXT, ik_registry_problem(registry, i));
	}
	ik_pane_text_end(pane, place, false);
	browser->shown = tool;
	browser->shown_uses = *uses;
}
