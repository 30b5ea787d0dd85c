#include "tui/pane/browser_list.h"

#include <stdlib.h>
#include <string.h>

#include "tui/pane/list_pane.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define MOST_GONE 1000 /* that are remembered: a directory that is unmounted is no list to read */

void ik_browser_list_init(struct ik_browser_list *list, struct ik_calls *calls)
{
	*list = (struct ik_browser_list){ .registry = ik_registry_new(), .calls = calls };
	ik_buf_init(&list->filter, IK_LIMIT_USER_TEXT);
}

/* Free rows, and the tools that they own. */
static void free_rows(struct ik_browser_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].gone)
			ik_tool_clear(rows[i].gone);
		free(rows[i].gone);
	}
	free(rows);
}

void ik_browser_list_done(struct ik_browser_list *list)
{
	free_rows(list->rows, list->count);
	free(list->shown);
	ik_buf_done(&list->filter);
	ik_registry_unref(list->registry);
}

struct ik_browser_row *ik_browser_list_at(const struct ik_browser_list *list, size_t place)
{
	return &list->rows[list->shown[place]];
}

/* Does the filter leave a tool? */
static bool fits(const struct ik_tool *tool, const char *filter)
{
	const char *const texts[] = { tool->name, tool->description };

	return ik_list_words_fit(filter, texts, 2);
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

/* Show what the filter leaves of all rows, in order. */
static void show(struct ik_browser_list *list)
{
	list->shown = ik_alloc_array(list->shown, list->count + 1, sizeof(*list->shown));
	list->shown_count = 0;
	for (size_t i = 0; i < list->count; i++)
		if (fits(list->rows[i].tool, list->filter.data))
			list->shown[list->shown_count++] = i;
	if (list->order == IK_ORDER_USE)
		qsort_r(list->shown, list->shown_count, sizeof(*list->shown), compare_use, list);
}

void ik_browser_list_set_filter(struct ik_browser_list *list, const char *words)
{
	ik_buf_clear(&list->filter);
	ik_buf_puts(&list->filter, words);
	show(list);
}

void ik_browser_list_set_order(struct ik_browser_list *list, enum ik_browser_order order)
{
	list->order = order;
	ik_browser_list_sync(list);
	show(list);
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

void ik_browser_list_sync(struct ik_browser_list *list)
{
	if (ik_calls_version(list->calls) == list->counted)
		return;
	count_uses(list);
	if (list->order == IK_ORDER_USE)
		show(list);
}

size_t ik_browser_list_find(const struct ik_browser_list *list, const char *path, const char *name)
{
	size_t found = 0;
	bool named = false;

	for (size_t i = 0; i < list->shown_count; i++) {
		const struct ik_tool *tool = ik_browser_list_at(list, i)->tool;

		if (ik_text_equal(tool->path, path))
			return i;
		if (!named && ik_text_equal(tool->name, name)) {
			found = i;
			named = true;
		}
	}
	return found;
}

static int compare_paths(const void *left, const void *right)
{
	const struct ik_browser_row *const *one = left, *const *other = right;

	return strcmp((*one)->tool->path, (*other)->tool->path);
}

/* Rows by path, in new memory. */
static struct ik_browser_row **by_path(struct ik_browser_row *rows, size_t count)
{
	struct ik_browser_row **order = ik_alloc_array(NULL, count + 1, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = &rows[i];
	if (count > 0)
		qsort(order, count, sizeof(*order), compare_paths);
	return order;
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

/* Mark what differs from the old rows, and add what is gone. */
static void compare(struct ik_browser_list *list, struct ik_browser_row *old, size_t old_count)
{
	size_t count = list->count, gone = 0;
	struct ik_browser_row **before = by_path(old, old_count), **after = by_path(list->rows, count);
	const struct ik_tool **missing = ik_alloc_array(NULL, old_count + 1, sizeof(*missing));

	for (size_t i = 0, j = 0; i < old_count || j < count;) {
		int order = i == old_count ? 1 : j == count ? -1 : compare_paths(&before[i], &after[j]);

		if (order < 0) {
			missing[gone++] = before[i++]->tool;
		} else if (order > 0) {
			after[j++]->change = IK_CHANGE_NEW;
		} else {
			enum ik_tool_change was = before[i]->change;
			bool other = differs(before[i]->tool, after[j]->tool);

			if (was == IK_CHANGE_GONE)
				was = IK_CHANGE_NEW;
			after[j]->change = other && was == IK_CHANGE_NONE ? IK_CHANGE_OTHER : was;
			i++;
			j++;
		}
	}
	for (size_t i = 0; i < gone && i < MOST_GONE; i++)
		add_gone(list, missing[i]);
	free(missing);
	free(before);
	free(after);
}

void ik_browser_list_set_registry(struct ik_browser_list *list, struct ik_registry *registry)
{
	struct ik_browser_row *old = list->rows;
	size_t old_count = list->count;
	bool scanned = ik_registry_state(list->registry) != IK_SCAN_NOT_STARTED;

	list->count = ik_registry_count(registry);
	list->rows = ik_alloc_array(NULL, list->count + 1, sizeof(*list->rows));
	for (size_t i = 0; i < list->count; i++)
		list->rows[i] = (struct ik_browser_row){ .tool = ik_registry_at(registry, i) };
	if (scanned)
		compare(list, old, old_count);
	free_rows(old, old_count);
	ik_registry_ref(registry);
	ik_registry_unref(list->registry);
	list->registry = registry;
	count_uses(list);
	show(list);
}

void ik_browser_list_seen(struct ik_browser_list *list, const struct ik_browser_row *seen)
{
	struct ik_browser_row *row = &list->rows[seen - list->rows];

	row->change = IK_CHANGE_NONE;
	if (!row->gone)
		return;
	ik_tool_clear(row->gone);
	free(row->gone);
	list->count--;
	memmove(row, row + 1, (size_t)(list->rows + list->count - row) * sizeof(*row));
	show(list);
}
