#include "tui/pane/browser_list.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define MOST_GONE 1000 /* that are remembered: a directory that is unmounted is no list to read */

void ik_browser_list_init(struct ik_browser_list *list, struct ik_calls *calls)
{
	*list = (struct ik_browser_list){ .registry = ik_registry_new(), .calls = calls };
	ik_buf_init(&list->filter, IK_LIMIT_USER_TEXT);
}

void ik_browser_list_done(struct ik_browser_list *list)
{
	for (size_t i = 0; i < list->gone_count; i++)
		ik_tool_clear(&list->gone[i]);
	free(list->gone);
	free(list->rows);
	free(list->shown);
	ik_buf_done(&list->filter);
	ik_registry_unref(list->registry);
}

struct ik_browser_row *ik_browser_list_at(const struct ik_browser_list *list, size_t place)
{
	return &list->rows[list->shown[place]];
}

/* Does a word stand in a text, in whatever case? */
static bool has_word(const char *text, const char *word)
{
	return text && strcasestr(text, word);
}

/* Do all words of the filter stand in name or description? */
static bool fits(const struct ik_tool *tool, const char *filter)
{
	char word[128];

	for (const char *at = filter + strspn(filter, " "); *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		size_t kept = length < sizeof(word) ? length : sizeof(word) - 1;

		memcpy(word, at, kept);
		word[kept] = '\0';
		if (!has_word(tool->name, word) && !has_word(tool->description, word))
			return false;
		at += length;
	}
	return true;
}

/* Most used first, else by name. */
static int compare_use(const void *left, const void *right, void *arg)
{
	const struct ik_browser_list *list = arg;
	size_t one = *(const size_t *)left, other = *(const size_t *)right;
	size_t uses = list->rows[one].uses, other_uses = list->rows[other].uses;

	if (uses != other_uses)
		return uses > other_uses ? -1 : 1;
	return one < other ? -1 : one > other;
}

/* As the rows stand. */
static int compare_index(const void *left, const void *right)
{
	size_t one = *(const size_t *)left, other = *(const size_t *)right;

	return one < other ? -1 : one > other;
}

static void sort(struct ik_browser_list *list)
{
	if (list->shown_count == 0)
		return;
	if (list->order == IK_ORDER_USE)
		qsort_r(list->shown, list->shown_count, sizeof(*list->shown), compare_use, list);
	else
		qsort(list->shown, list->shown_count, sizeof(*list->shown), compare_index);
}

/* Show what the filter leaves of all rows. */
static void show(struct ik_browser_list *list)
{
	list->shown = ik_alloc_array(list->shown, list->count + 1, sizeof(*list->shown));
	list->shown_count = 0;
	for (size_t i = 0; i < list->count; i++)
		if (fits(list->rows[i].tool, list->filter.data))
			list->shown[list->shown_count++] = i;
	sort(list);
}

void ik_browser_list_set_filter(struct ik_browser_list *list, const char *words)
{
	/* More characters leave less: look only at what is left. */
	bool narrower = list->shown && ik_text_starts(words, list->filter.data);
	ik_buf_clear(&list->filter);
	ik_buf_puts(&list->filter, words);
	if (!narrower) {
		show(list);
		return;
	}
	size_t kept = 0;

	for (size_t i = 0; i < list->shown_count; i++)
		if (fits(list->rows[list->shown[i]].tool, words))
			list->shown[kept++] = list->shown[i];
	list->shown_count = kept;
}

void ik_browser_list_set_order(struct ik_browser_list *list, enum ik_browser_order order)
{
	list->order = order;
	(void)ik_browser_list_sync(list);
	sort(list);
}

/* The first row of that name, by halving; the registry's rows are sorted by name. */
static size_t first_of_name(const struct ik_browser_list *list, const char *name)
{
	size_t low = 0, high = ik_registry_count(list->registry);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(list->rows[middle].tool->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool ik_browser_list_sync(struct ik_browser_list *list)
{
	size_t calls = ik_calls_count(list->calls);
	size_t tools = ik_registry_count(list->registry);

	if (calls == list->counted_calls)
		return false;
	for (size_t i = 0; i < list->count; i++)
		list->rows[i].uses = 0;
	for (size_t i = 0; i < calls; i++) {
		const char *name = ik_calls_at(list->calls, i)->name;
		size_t row = first_of_name(list, name);

		if (row < tools && strcmp(list->rows[row].tool->name, name) == 0)
			list->rows[row].uses++;
	}
	list->counted_calls = calls;
	if (list->order == IK_ORDER_USE)
		sort(list);
	return list->order == IK_ORDER_USE;
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

/* Remember a tool that is not there any more: what a row shows of it. */
static void keep_gone(struct ik_tool **gone, size_t *count, const struct ik_tool *tool)
{
	if (*count >= MOST_GONE)
		return;
	*gone = ik_alloc_array(*gone, *count + 1, sizeof(**gone));
	(*gone)[(*count)++] = (struct ik_tool){
		.name = ik_strdup(tool->name),
		.path = ik_strdup(tool->path),
		.description = tool->description ? ik_strdup(tool->description) : NULL,
		.source = tool->source,
		.protocol = tool->protocol,
		.state = IK_TOOL_FAILED,
		.reason = ik_strdup(_("gone since the scan before")),
	};
}

/* Mark what differs between the old rows and the new ones; what is gone goes to *gone. */
static void compare(struct ik_browser_row *old, size_t old_count, struct ik_browser_row *rows,
	size_t count, struct ik_tool **gone, size_t *gone_count)
{
	struct ik_browser_row **before = by_path(old, old_count), **after = by_path(rows, count);

	for (size_t i = 0, j = 0; i < old_count || j < count;) {
		int order = i == old_count ? 1 : j == count ? -1 : compare_paths(&before[i], &after[j]);

		if (order < 0) {
			keep_gone(gone, gone_count, before[i++]->tool);
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
	free(before);
	free(after);
}

void ik_browser_list_set_registry(struct ik_browser_list *list, struct ik_registry *registry)
{
	size_t count = ik_registry_count(registry);
	struct ik_browser_row *rows = ik_alloc_array(NULL, count + 1, sizeof(*rows));
	struct ik_tool *gone = NULL;
	size_t gone_count = 0;

	for (size_t i = 0; i < count; i++)
		rows[i] = (struct ik_browser_row){
			.tool = ik_registry_at(registry, i),
			.bytes = SIZE_MAX,
		};
	if (ik_registry_state(list->registry) != IK_SCAN_NOT_STARTED)
		compare(list->rows, list->count, rows, count, &gone, &gone_count);
	rows = ik_alloc_array(rows, count + gone_count + 1, sizeof(*rows));
	for (size_t i = 0; i < gone_count; i++)
		rows[count + i] = (struct ik_browser_row){
			.tool = &gone[i],
			.change = IK_CHANGE_GONE,
			.bytes = 0,
		};
	free(list->rows);
	for (size_t i = 0; i < list->gone_count; i++)
		ik_tool_clear(&list->gone[i]);
	free(list->gone);
	ik_registry_ref(registry);
	ik_registry_unref(list->registry);
	list->registry = registry;
	list->rows = rows;
	list->count = count + gone_count;
	list->gone = gone;
	list->gone_count = gone_count;
	list->counted_calls = 0;
	(void)ik_browser_list_sync(list);
	show(list);
}

void ik_browser_list_seen(struct ik_browser_list *list, const struct ik_browser_row *row)
{
	size_t index = (size_t)(row - list->rows);

	if (row->change != IK_CHANGE_GONE) {
		list->rows[index].change = IK_CHANGE_NONE;
		return;
	}
	size_t gone = (size_t)(row->tool - list->gone);
	ik_tool_clear(&list->gone[gone]);
	memmove(&list->gone[gone], &list->gone[gone + 1],
		(list->gone_count - gone - 1) * sizeof(*list->gone));
	list->gone_count--;
	list->count--;
	/* The rows behind are of what moved in memory. */
	for (size_t i = index; i < list->count; i++) {
		list->rows[i] = list->rows[i + 1];
		list->rows[i].tool = &list->gone[i - (list->count - list->gone_count)];
	}
	show(list);
}
