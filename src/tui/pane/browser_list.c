#include "tui/pane/browser_list.h"

#include <stdlib.h>
#include <string.h>

#include "tui/pane/pane.h"
#include "util/alloc.h"
#include "util/text.h"

#define MOST_GONE 1000 /* that are remembered: a directory that is unmounted is no list to read */

void ik_browser_list_init(struct ik_browser_list *list, struct ik_calls *calls)
{
	*list = (struct ik_browser_list){ .registry = ik_registry_new(), .calls = calls };
}

/* Free the tool that a row owns, if it does. */
static void row_done(struct ik_browser_row *row)
{
	if (row->gone)
		ik_tool_clear(row->gone);
	free(row->gone);
}

/* Free rows. */
static void free_rows(struct ik_browser_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		row_done(&rows[i]);
	free(rows);
}

void ik_browser_list_done(struct ik_browser_list *list)
{
	free_rows(list->rows, list->count);
	free(list->shown);
	ik_registry_unref(list->registry);
}

struct ik_browser_row *ik_browser_list_at(const struct ik_browser_list *list, size_t place)
{
	return place < list->shown_count ? &list->rows[list->shown[place]] : NULL;
}

/* Most used first, else as the rows are. */
static int compare_use(const void *left, const void *right, void *arg)
{
	const struct ik_browser_list *list = arg;
	size_t one = *(const size_t *)left, other = *(const size_t *)right;
	size_t uses = list->rows[one].uses.count, other_uses = list->rows[other].uses.count;

	if (uses != other_uses)
		return uses > other_uses ? -1 : 1;
	return one < other ? -1 : one > other;
}

/* Show what the words leave; returns where a tool stands then. */
static size_t show(struct ik_browser_list *list, const char *words, const struct ik_tool *selected)
{
	size_t named = SIZE_MAX;

	list->shown = ik_alloc_array(list->shown, list->count + 1, sizeof(*list->shown));
	list->shown_count = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct ik_tool *tool = list->rows[i].tool;
		const char *const texts[] = { tool->name, tool->description };

		if (ik_pane_words_fit(words, texts, 2))
			list->shown[list->shown_count++] = i;
	}
	if (list->order == IK_ORDER_USE)
		qsort_r(list->shown, list->shown_count, sizeof(*list->shown), compare_use, list);
	for (size_t i = 0; selected && i < list->shown_count; i++) {
		const struct ik_tool *tool = ik_browser_list_at(list, i)->tool;

		if (ik_text_equal(tool->path, selected->path))
			return i;
		if (named == SIZE_MAX && ik_text_equal(tool->name, selected->name))
			named = i;
	}
	return named == SIZE_MAX ? 0 : named;
}

/* The tool at a place, or NULL. */
static const struct ik_tool *tool_at(const struct ik_browser_list *list, size_t place)
{
	const struct ik_browser_row *row = ik_browser_list_at(list, place);

	return row ? row->tool : NULL;
}

size_t ik_browser_list_show(struct ik_browser_list *list, const char *words, size_t selected)
{
	return show(list, words, tool_at(list, selected));
}

static int compare_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct ik_browser_row *)row)->tool->name);
}

/* Count a call for the first tool of its name, which is the one that runs. */
static void count_use(struct ik_browser_list *list, const struct ik_shown_call *call)
{
	size_t tools = ik_registry_count(list->registry);
	struct ik_browser_row *row = tools > 0
		? bsearch(call->name, list->rows, tools, sizeof(*list->rows), compare_name)
		: NULL;

	if (!row)
		return;
	while (row > list->rows && compare_name(call->name, row - 1) == 0)
		row--;
	row->uses.count++;
	row->uses.failed += call->stage == IK_STAGE_FAILED;
	if (call->duration_ms >= 0) {
		row->uses.timed++;
		row->uses.total_ms += call->duration_ms;
	}
}

/* Count all uses. */
static void count_uses(struct ik_browser_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		list->rows[i].uses = (struct ik_browser_uses){ 0 };
	for (size_t i = 0; i < ik_calls_count(list->calls); i++)
		count_use(list, ik_calls_at(list->calls, i));
	list->counted = ik_calls_version(list->calls);
}

bool ik_browser_list_count(struct ik_browser_list *list)
{
	bool changed = ik_calls_version(list->calls) != list->counted;

	if (changed)
		count_uses(list);
	return changed;
}

/* The order of two rows' executables. */
static int compare_paths(const void *left, const void *right)
{
	const struct ik_browser_row *const *one = left, *const *other = right;

	return strcmp((*one)->tool->path, (*other)->tool->path);
}

/* Are two texts the same, or both not there? */
static bool same(const char *one, const char *other)
{
	return one && other ? ik_text_equal(one, other) : one == other;
}

/* Is a tool another one than it was, for who reads or calls it? */
static bool differs(const struct ik_tool *one, const struct ik_tool *other)
{
	return one->state != other->state || !same(one->name, other->name) ||
		!same(one->schema, other->schema) || !same(one->description, other->description) ||
		!same(one->reason, other->reason);
}

/* Add a row for a tool that is not there any more, with what a row shows of it. */
static void add_gone(struct ik_browser_list *list, const struct ik_tool *tool)
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
	list->rows = ik_alloc_array(list->rows, list->count + 1, sizeof(*list->rows));
	list->rows[list->count++] = (struct ik_browser_row){
		.tool = gone, .gone = gone, .change = IK_CHANGE_GONE
	};
}

/* Return how a row's mark stands after a scan that found its executable in the row before. */
static enum ik_tool_change change_of(const struct ik_browser_row *row,
	const struct ik_browser_row *before)
{
	if (before->change == IK_CHANGE_GONE)
		return IK_CHANGE_NEW;
	return before->change == IK_CHANGE_NONE && differs(before->tool, row->tool) ? IK_CHANGE_OTHER
																				: before->change;
}

/* Mark what differs from the old rows, and add what is gone. */
static void compare(struct ik_browser_list *list, struct ik_browser_row *old, size_t old_count)
{
	struct ik_browser_row **by_path = ik_alloc_array(NULL, old_count + 1, sizeof(*by_path));
	bool *found = ik_alloc(old_count + 1);
	size_t gone = 0;

	for (size_t i = 0; i < old_count; i++)
		by_path[i] = &old[i];
	qsort(by_path, old_count, sizeof(*by_path), compare_paths);
	for (size_t i = 0; i < list->count; i++) {
		struct ik_browser_row *row = &list->rows[i];
		struct ik_browser_row **before = bsearch(&row, by_path, old_count, sizeof(*by_path),
			compare_paths);

		row->change = before ? change_of(row, *before) : IK_CHANGE_NEW;
		if (before)
			found[before - by_path] = true;
	}
	for (size_t i = 0; i < old_count && gone < MOST_GONE; i++) {
		if (found[i])
			continue;
		add_gone(list, by_path[i]->tool);
		gone++;
	}
	free(found);
	free(by_path);
}

size_t ik_browser_list_set_registry(struct ik_browser_list *list, struct ik_registry *registry,
	const char *words, size_t selected)
{
	struct ik_registry *old_registry = list->registry;
	struct ik_browser_row *old = list->rows;
	const struct ik_tool *tool = tool_at(list, selected);
	size_t old_count = list->count;

	ik_registry_ref(registry);
	list->registry = registry;
	list->count = ik_registry_count(registry);
	list->rows = ik_alloc_array(NULL, list->count + 1, sizeof(*list->rows));
	for (size_t i = 0; i < list->count; i++)
		list->rows[i] = (struct ik_browser_row){ .tool = ik_registry_at(registry, i) };
	if (ik_registry_state(old_registry) != IK_SCAN_NOT_STARTED)
		compare(list, old, old_count);
	count_uses(list);
	selected = show(list, words, tool);
	free_rows(old, old_count);
	ik_registry_unref(old_registry);
	return selected;
}

size_t ik_browser_list_seen(struct ik_browser_list *list, const struct ik_browser_row *seen,
	const char *words, size_t selected)
{
	const struct ik_tool *tool = tool_at(list, selected);
	struct ik_browser_row *row = &list->rows[seen - list->rows];

	row->change = IK_CHANGE_NONE;
	if (!row->gone)
		return selected;
	struct ik_browser_row gone = *row;

	list->count--;
	memmove(row, row + 1, (size_t)(list->rows + list->count - row) * sizeof(*row));
	selected = show(list, words, tool);
	row_done(&gone);
	return selected;
}
