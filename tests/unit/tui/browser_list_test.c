#include "tui/pane/browser_list.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

static struct ik_calls *calls;
static struct ik_browser_list list;

static void begin(void)
{
	calls = ik_calls_new();
	ik_browser_list_init(&list, calls);
}

static void end(void)
{
	ik_browser_list_done(&list);
	ik_calls_free(calls);
}

TestSuite(browser_list, .init = begin, .fini = end);

static void add(struct ik_registry *registry, const char *name, const char *description)
{
	struct ik_tool tool = {
		.name = ik_strdup(name), .path = ik_format("/lib/%s", name),
		.description = ik_strdup(description), .state = IK_TOOL_OK,
	};
	ik_registry_add(registry, &tool);
}

/* Finish a registry and hand it over. */
static void set(struct ik_registry *registry)
{
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	ik_browser_list_set_registry(&list, registry, "", 0);
	ik_registry_unref(registry);
}

static void set_three(void)
{
	struct ik_registry *registry = ik_registry_new();
	add(registry, "bash", "Runs a command");
	add(registry, "file_read", "Reads a file");
	add(registry, "glob", "Finds a file by its name");
	set(registry);
}

/* Filter by words. */
static void show(const char *words)
{
	ik_browser_list_show(&list, words, 0);
}

static void set_order(enum ik_browser_order order)
{
	ik_browser_list_count(&list);
	list.order = order;
	show("");
}

/* The names that are shown, with marks of changes. */
static const char *shown(void)
{
	static const char marks[] = {' ', '+', '~', '-'};
	static char text[400];
	text[0] = '\0';
	for (size_t i = 0; i < list.shown_count; i++) {
		const struct ik_browser_row *row = ik_browser_list_at(&list, i);
		size_t length = strlen(text);
		(void)snprintf(text + length, sizeof text - length, "%c%s", marks[row->change],
			row->tool->name);
	}
	return text;
}

Test(browser_list, leaves_what_has_all_words_in_name_or_description)
{
	set_three();
	cr_assert_str_eq(shown(), " bash file_read glob");
	show("F");
	cr_assert_str_eq(shown(), " file_read glob");
	show("FILE");
	cr_assert_str_eq(shown(), " file_read glob");
	show("FILE name");
	cr_assert_str_eq(shown(), " glob");
	show("FILE na");
	cr_assert_str_eq(shown(), " glob");
	show("zzz");
	cr_assert_str_eq(shown(), "");
	show("");
	cr_assert_str_eq(shown(), " bash file_read glob");
}

Test(browser_list, sorts_by_use_and_by_name_again)
{
	set_three();
	ik_calls_get(calls, "1", "glob");
	ik_calls_get(calls, "2", "file_read");
	ik_calls_get(calls, "3", "glob");
	ik_calls_get(calls, "4", "not_there");
	set_order(IK_ORDER_USE);
	cr_assert_str_eq(shown(), " glob file_read bash");
	cr_assert_eq(ik_browser_list_at(&list, 0)->uses.count, 2);
	ik_calls_get(calls, "5", "bash");
	set_order(IK_ORDER_USE);
	cr_assert_str_eq(shown(), " glob bash file_read");
	set_order(IK_ORDER_NAME);
	cr_assert_str_eq(shown(), " bash file_read glob");
}

Test(browser_list, marks_what_a_scan_changed_until_it_was_seen)
{
	set_three();
	cr_assert_str_eq(shown(), " bash file_read glob", "the first scan marks nothing");
	struct ik_registry *registry = ik_registry_new();
	add(registry, "bash", "Runs a command, but otherwise");
	add(registry, "glob", "Finds a file by its name");
	add(registry, "grep", "Searches");
	set(registry);
	cr_assert_str_eq(shown(), "~bash glob+grep-file_read");
	/* The same once more: the marks stay, but what is gone is not gone again. */
	registry = ik_registry_new();
	add(registry, "bash", "Runs a command, but otherwise");
	add(registry, "glob", "Finds a file by its name");
	add(registry, "grep", "Searches");
	set(registry);
	cr_assert_str_eq(shown(), "~bash glob+grep-file_read");
	ik_browser_list_seen(&list, ik_browser_list_at(&list, 0), "", 0);
	ik_browser_list_seen(&list, ik_browser_list_at(&list, 3), "", 3);
	cr_assert_str_eq(shown(), " bash glob+grep");
	set_three();
	cr_assert_str_eq(shown(), "~bash+file_read glob-grep");
}

/* The name of the tool that is selected after a scan that leaves these two. */
static const char *after(const char *selected, const char *one, const char *other)
{
	struct ik_registry *registry = ik_registry_new();
	size_t place = 0;
	set_three();
	while (strcmp(ik_browser_list_at(&list, place)->tool->name, selected) != 0)
		place++;
	add(registry, one, "One");
	add(registry, other, "Other");
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	place = ik_browser_list_set_registry(&list, registry, "", place);
	ik_registry_unref(registry);
	return ik_browser_list_at(&list, place)->tool->name;
}

Test(browser_list, finds_the_selected_tool_again)
{
	cr_assert_str_eq(after("glob", "aaa", "glob"), "glob");
	set_three();
	cr_assert_eq(ik_browser_list_show(&list, "file", 2), 1);
	cr_assert_eq(ik_browser_list_show(&list, "", 1), 2);
	cr_assert_eq(ik_browser_list_show(&list, "bash", 2), 0);
	cr_assert_eq(ik_browser_list_show(&list, "nothing", 0), 0);
	cr_assert_null(ik_browser_list_at(&list, 0));
}

Test(browser_list, ten_thousand_tools_are_filtered_one_letter_after_the_other)
{
	struct ik_registry *registry = ik_registry_new();
	for (int i = 0; i < 10000; i++) {
		char *name = ik_format("tool_%d", i);
		add(registry, name, "One of very many tools");
		free(name);
	}
	set(registry);
	show("9");
	cr_assert_eq(list.shown_count, 3439);
	show("99");
	show("999");
	show("9999");
	cr_assert_str_eq(shown(), " tool_9999");
}
