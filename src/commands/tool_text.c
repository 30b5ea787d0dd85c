#include "commands/tool_text.h"

#include <string.h>

#include "json/write.h"
#include "tui/pane/parameter.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

/* Limit on the column of names: a longer name doesn't push the descriptions of all others away. */
#define NAME_COLUMNS_MOST 32

/* Return the columns that names need. */
static size_t name_columns(const struct ik_registry *registry, bool all)
{
	size_t widest = 0, i;

	for (i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);
		size_t width = ik_utf8_width(tool->name, strlen(tool->name));

		if ((all || tool->state == IK_TOOL_OK) && width > widest)
			widest = width;
	}
	return widest < NAME_COLUMNS_MOST ? widest : NAME_COLUMNS_MOST;
}

/* Append "state: CODE: reason" of a tool that is not offered. */
static void put_problem(struct ik_buf *out, const struct ik_tool *tool)
{
	ik_buf_printf(out, "      %s%s%s%s%s\n", ik_tool_state_name(tool->state), tool->code ? " " : "",
		tool->code ? tool->code : "", tool->reason ? ": " : "", tool->reason ? tool->reason : "");
	ik_buf_printf(out, "      %s\n", tool->path);
}

void ik_tool_text_list(const struct ik_registry *registry, bool all, struct ik_buf *out)
{
	size_t columns = name_columns(registry, all), i;

	if (ik_registry_ok_count(registry) == 0 && (!all || ik_registry_count(registry) == 0)) {
		ik_buf_printf(out, "%s\n", _("No tools available."));
	} else {
		ik_buf_printf(out, "%s\n", _("Available tools:"));
		for (i = 0; i < ik_registry_count(registry); i++) {
			const struct ik_tool *tool = ik_registry_at(registry, i);

			if (!all && tool->state != IK_TOOL_OK)
				continue;
			ik_buf_puts(out, "  ");
			ik_utf8_put_cell(out, tool->name, columns);
			ik_buf_printf(out, "  %s\n", tool->description ? tool->description : "");
			if (tool->state != IK_TOOL_OK)
				put_problem(out, tool);
		}
	}
	for (i = 0; all && i < ik_registry_problem_count(registry); i++)
		ik_buf_printf(out, "%s\n", ik_registry_problem(registry, i));
}

/* Limit on nested objects, because a recursive schema has no end. */
#define DEEPEST 6
#define MOST_BYTES IK_KIB(256)

/* A schema whose members are described, and how. */
struct members {
	struct ik_parameter_root *root;
	struct ik_json_span schema;
	bool with_required;
	int depth;
};

/* Return the object schema of a property, or of the elements of its list; no value if neither has
 * members. */
static struct ik_json_span inner_of(struct ik_parameter_root *root, struct ik_json_span property)
{
	struct ik_json_span schema = ik_parameter_resolve(root, property);

	if (ik_json_string_is(ik_json_member(schema, "type"), "array"))
		schema = ik_parameter_resolve(root, ik_json_member(schema, "items"));
	return ik_json_count(ik_json_member(schema, "properties")) > 0
		? schema
		: (struct ik_json_span){ NULL, 0 };
}

/* Append "  path (string, required)" for each member, and below it the description and its own
 * members. */
static void put_members(struct ik_buf *out, struct members members)
{
	struct ik_json_span properties = ik_json_member(members.schema, "properties");
	int indent = 2 * ++members.depth;

	for (struct ik_json_walk walk = ik_json_walk(properties);
		 out->length < MOST_BYTES && ik_json_next(&walk);) {
		struct ik_json_span description = ik_parameter_member(members.root, walk.value,
			"description");
		struct ik_json_span initial = ik_parameter_member(members.root, walk.value, "default");
		struct members inner = members;

		ik_buf_printf(out, "%*s", indent, "");
		(void)ik_json_string(walk.key, out);
		ik_buf_puts(out, " (");
		ik_parameter_put_type(out, members.root, walk.value);
		if (members.with_required)
			ik_buf_printf(out, ", %s",
				ik_parameter_is_required(members.schema, walk.key) ? _("required") : _("optional"));
		if (initial.text) {
			ik_buf_printf(out, ", %s ", _("default"));
			ik_buf_append(out, initial.text, initial.length);
		}
		ik_buf_puts(out, ")\n");
		if (ik_json_span_type(description) == IK_JSON_STRING) {
			ik_buf_printf(out, "%*s", indent + 2, "");
			(void)ik_json_string(description, out);
			ik_buf_puts(out, "\n");
		}
		inner.schema = inner_of(members.root, walk.value);
		if (members.depth < DEEPEST && inner.schema.text)
			put_members(out, inner);
	}
}

/* Append what a tool says it returns: its properties, or only a type. */
static void put_returns(struct ik_buf *out, struct ik_json_span returns)
{
	struct ik_parameter_root root = { .schema = returns };

	ik_buf_printf(out, "%s\n", _("Returns:"));
	if (ik_json_span_type(ik_json_member(returns, "properties")) == IK_JSON_OBJECT) {
		put_members(out, (struct members){ .root = &root, .schema = returns });
		return;
	}
	ik_buf_puts(out, "  ");
	ik_parameter_put_type(out, &root, returns);
	ik_buf_puts(out, "\n");
}

/* Return a text of the registry, already checked, as a span. */
static struct ik_json_span span_of(const char *text)
{
	struct ik_json_span span = { NULL, 0 };

	if (text && ik_json_check(text, strlen(text), &span, NULL) != IK_OK)
		span.text = NULL;
	return span;
}

void ik_tool_text_show(const struct ik_registry *registry, const char *name, const char *hint,
	struct ik_buf *out)
{
	const struct ik_tool *tool = ik_registry_find(registry, name);
	struct ik_parameter_root root = { .read = 0 };
	struct ik_json_span parameters;

	if (!tool) {
		ik_buf_printf(out, _("Tool '%s' not found. Run %s to see available tools."), name, hint);
		ik_buf_puts(out, "\n");
		return;
	}
	parameters = span_of(tool->parameters);
	ik_buf_printf(out, "%s - %s\n", tool->name, tool->description);
	ik_buf_printf(out, "%s\n", _("Parameters:"));
	if (ik_json_count(ik_json_member(parameters, "properties")) == 0)
		ik_buf_printf(out, "  %s\n", _("(none)"));
	root.schema = parameters;
	put_members(out,
		(struct members){ .root = &root, .schema = parameters, .with_required = true });
	if (tool->returns)
		put_returns(out, span_of(tool->returns));
}

void ik_tool_text_refreshed(const struct ik_registry *registry, struct ik_buf *out)
{
	size_t count = ik_registry_ok_count(registry), i;

	ik_buf_printf(out,
		ngettext("Tools refreshed. %zu tool available.", "Tools refreshed. %zu tools available.",
			count),
		count);
	ik_buf_puts(out, "\n");
	for (i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state == IK_TOOL_FAILED)
			ik_buf_printf(out, "  %s: %s: %s\n", tool->name, tool->code, tool->reason);
	}
	for (i = 0; i < ik_registry_problem_count(registry); i++)
		ik_buf_printf(out, "  %s\n", ik_registry_problem(registry, i));
}

/* Limit on the names that are listed; of more, the number is given. */
#define NAMES_TOLD 4

/* Names in the same list. */
struct tool_text_names {
	struct ik_buf text;
	size_t count;
};

static void add_name(struct tool_text_names *names, const char *name)
{
	if (names->count++ < NAMES_TOLD)
		ik_buf_printf(&names->text, "%s%s", names->text.length > 0 ? ", " : "", name);
}

/* Return "a, b, c, d and 12 more", valid as long as names. */
static const char *all_names(struct tool_text_names *names)
{
	if (names->count > NAMES_TOLD)
		/* Translators: behind a list of names. */
		ik_buf_printf(&names->text,
			ngettext(" and %zu more", " and %zu more", names->count - NAMES_TOLD),
			names->count - NAMES_TOLD);
	return names->text.data;
}

/* Return the entry with that path, or NULL. */
static const struct ik_tool *of_path(const struct ik_registry *registry, const char *path)
{
	size_t i;

	for (i = 0; i < ik_registry_count(registry); i++)
		if (ik_text_equal(ik_registry_at(registry, i)->path, path))
			return ik_registry_at(registry, i);
	return NULL;
}

/* Are both offered in the same way? */
static bool is_same(const struct ik_tool *one, const struct ik_tool *other)
{
	if ((!one->schema) != (!other->schema) || !ik_text_equal(one->path, other->path))
		return false;
	return !one->schema || ik_text_equal(one->schema, other->schema);
}

enum change { CHANGE_NEW, CHANGE_OTHER, CHANGE_GONE, CHANGE_FAILED, CHANGE_COUNT };

/* Sort the tools by what has changed. Return the last that failed, or NULL. */
static const struct ik_tool *sort_changes(const struct ik_registry *before,
	const struct ik_registry *after, struct tool_text_names changes[CHANGE_COUNT])
{
	const struct ik_tool *failed = NULL;
	size_t i;

	for (i = 0; i < ik_registry_count(after); i++) {
		const struct ik_tool *tool = ik_registry_at(after, i), *old;

		if (tool->state == IK_TOOL_OK) {
			old = ik_registry_find(before, tool->name);
			if (!old)
				add_name(&changes[CHANGE_NEW], tool->name);
			else if (!is_same(old, tool))
				add_name(&changes[CHANGE_OTHER], tool->name);
		} else if (tool->state == IK_TOOL_FAILED) {
			old = of_path(before, tool->path);
			if (old && old->state == IK_TOOL_FAILED && ik_text_equal(old->reason, tool->reason))
				continue;
			add_name(&changes[CHANGE_FAILED], tool->name);
			failed = tool;
		}
	}
	for (i = 0; i < ik_registry_count(before); i++) {
		const struct ik_tool *tool = ik_registry_at(before, i), *now;

		if (tool->state != IK_TOOL_OK || ik_registry_find(after, tool->name))
			continue;
		now = of_path(after, tool->path);
		if (!now || now->state != IK_TOOL_FAILED)
			add_name(&changes[CHANGE_GONE], tool->name);
	}
	return failed;
}

/* Start a sentence after any that out already contains. */
static struct ik_buf *next_sentence(struct ik_buf *out)
{
	if (out->length > 0)
		ik_buf_putc(out, ' ');
	return out;
}

bool ik_tool_text_changes(const struct ik_registry *before, const struct ik_registry *after,
	struct ik_buf *out)
{
	struct tool_text_names changes[CHANGE_COUNT];
	const struct ik_tool *failed;
	struct tool_text_names *group;
	size_t i;

	for (i = 0; i < CHANGE_COUNT; i++) {
		ik_buf_init(&changes[i].text, 4096);
		changes[i].count = 0;
	}
	failed = sort_changes(before, after, changes);
	group = &changes[CHANGE_NEW];
	if (group->count > 0)
		ik_buf_printf(next_sentence(out), ngettext("New tool: %s.", "New tools: %s.", group->count),
			all_names(group));
	group = &changes[CHANGE_OTHER];
	if (group->count > 0)
		ik_buf_printf(next_sentence(out),
			ngettext("Changed tool: %s.", "Changed tools: %s.", group->count), all_names(group));
	group = &changes[CHANGE_GONE];
	if (group->count > 0)
		ik_buf_printf(next_sentence(out),
			ngettext("Tool no longer there: %s.", "Tools no longer there: %s.", group->count),
			all_names(group));
	group = &changes[CHANGE_FAILED];
	if (group->count > 1) {
		ik_buf_printf(next_sentence(out), _("Failed tools: %s (/tool --all says why)."),
			all_names(group));
	} else if (group->count == 1) {
		ik_buf_printf(next_sentence(out), _("Failed tool: %s: %s."), failed->name, failed->reason);
	}
	for (i = 0; i < CHANGE_COUNT; i++)
		ik_buf_done(&changes[i].text);
	return out->length > 0;
}

void ik_tool_json_list(const struct ik_registry *registry, bool all, struct ik_buf *out)
{
	ik_json_open(out, '[');
	for (size_t i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (!all && tool->state != IK_TOOL_OK)
			continue;
		ik_json_printf(out, "{'name':'%s','source':'%s','protocol':'%s','path':'%s'", tool->name,
			ik_tool_source_name(tool->source), tool->kind, tool->path);
		ik_json_printf(out, "'description':'%s','state':'%s','code':'%s','reason':'%s'}",
			tool->description, ik_tool_state_name(tool->state), tool->code, tool->reason);
	}
	ik_json_close(out, ']');
}

void ik_tool_json_show(const struct ik_tool *tool, struct ik_buf *out)
{
	ik_json_printf(out, "{'name':'%s','description':'%s','parameters':%s,'returns':%s", tool->name,
		tool->description, tool->parameters, tool->returns);
	ik_json_printf(out, "'path':'%s','source':'%s','protocol':'%s'}", tool->path,
		ik_tool_source_name(tool->source), tool->kind);
}
