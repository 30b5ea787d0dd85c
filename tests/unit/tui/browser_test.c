#include "tui/pane/pane_browser.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "tui/pane/status_bar.h"
#include "util/alloc.h"

static struct ik_cells cells;
static struct ik_calls *calls;
static struct ik_keymap *keymap;
static struct ik_browser *browser;
static struct ik_pane *pane;
static struct ik_status_bar scan;

static void begin(void)
{
	calls = ik_calls_new();
	keymap = ik_keymap_new(NULL);
	browser = ik_browser_new(calls, keymap, NULL, NULL);
	pane = (struct ik_pane *)browser;
	scan = (struct ik_status_bar){.scan = IK_SCAN_COMPLETE};
}

static void end(void)
{
	pane->ops->release(pane);
	ik_calls_free(calls);
	ik_keymap_free(keymap);
	ik_cells_done(&cells);
}

TestSuite(browser, .init = begin, .fini = end);

static const struct ik_cells *draw(int rows, int columns)
{
	ik_cells_resize(&cells, rows, columns);
	pane->ops->draw(pane, &cells, (struct ik_rectangle){0, 0, rows, columns}, true, &scan);
	return &cells;
}

static void add_ok(struct ik_registry *registry, const char *name, enum ik_tool_source source)
{
	static const char schema[] = "{\"name\":\"x\",\"parameters\":{\"a\":{\"type\":\"string\"}}}";
	static const char parameters[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
		"\"description\":\"What to say\"},\"n\":{\"type\":\"integer\"}},\"required\":[\"a\"]}";
	struct ik_tool tool = {
		.name = ik_strdup(name),
		.path = ik_format("/lib/%s", name),
		.description = ik_format("Does %s", name),
		.schema = ik_strdup(schema), .schema_length = strlen(schema),
		.parameters = ik_strdup(parameters), .parameters_length = strlen(parameters),
		.source = source,
		.state = IK_TOOL_OK,
	};
	ik_registry_add(registry, &tool);
}

static void add_failed(struct ik_registry *registry, const char *name)
{
	struct ik_tool tool = {
		.name = ik_strdup(name),
		.path = ik_format("/home/me/tools/%s", name),
		.source = IK_SOURCE_USER,
		.state = IK_TOOL_FAILED,
		.code = "SCHEMA_EXIT",
		.reason = ik_strdup("it ended with exit code 1"),
	};
	ik_registry_add(registry, &tool);
}

/* Give the browser a registry of two good tools and a bad one. */
static void set_three(void)
{
	struct ik_registry *registry = ik_registry_new();
	add_ok(registry, "echo", IK_SOURCE_SYSTEM);
	add_failed(registry, "broken");
	add_ok(registry, "glob", IK_SOURCE_SYSTEM);
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	ik_browser_set_registry(browser, registry);
	ik_registry_unref(registry);
	scan.tools = 2;
	scan.tools_failed = 1;
}

Test(browser, says_what_to_do_when_there_is_nothing)
{
	cr_assert(picture_has(draw(14, 60), "No tools found."));
	cr_assert(picture_has(&cells, "~/.ikigai/tools"));
	scan.scan = IK_SCAN_IN_PROGRESS;
	scan.scan_done = 3;
	scan.scan_total = 12;
	PICTURE_IS(draw(5, 40),
		"─ Tool browser  ◐ 3/12 tools ───────────\n"
		"\n"
		"        Looking for tools  3/12\n"
		"\n"
		"r refresh  F6 next pane  Esc close\n");
}

/* Write a filter, and keep it. */
static void filter_by(const char *words)
{
	struct ik_key paste = {.code = IK_KEY_PASTE, .text = words, .text_length = strlen(words)};
	struct ik_key other = {.code = IK_KEY_F12};
	struct ik_invocation reaction;
	cr_assert_eq(pane->ops->key(pane, &other, IK_ACTION_FILTER, &reaction), IK_PANE_TAKEN);
	cr_assert_eq(pane->ops->key(pane, &paste, IK_ACTION_NONE, &reaction), IK_PANE_FILTERED);
	cr_assert_eq(pane->ops->key(pane, &other, IK_ACTION_SEND, &reaction), IK_PANE_TAKEN);
}

Test(browser, says_how_other_tools_are_seen_where_a_filter_hides_all)
{
	set_three();
	filter_by("zebra");
	PICTURE_IS(draw(7, 60),
		"─ Tool browser  ▲ 2 tools, 1 failed ────────────────────────\n"
		"/ zebra                                               0 of 3\n"
		"      No tool has \"zebra\" in its name or description.\n"
		"\n"
		"                    Esc shows all tools.\n"
		"\n"
		"/ filter  r refresh  F6 next pane  Esc all tools\n");
}

Test(browser, shows_a_failure_with_its_reason_and_what_to_do)
{
	set_three();
	PICTURE_IS(draw(16, 70),
		"─ Tool browser  ▲ 2 tools, 1 failed ──────────────────────────────────\n"
		"✗ broken               user     it ended with exit code 1\n"
		"● echo                 system   Does echo\n"
		"● glob                 system   Does glob\n"
		"──────────────────────────────────────────────────────────────────────\n"
		"broken\n"
		"! failed SCHEMA_EXIT: it ended with exit code 1\n"
		"Run it in a shell with --schema, or description if it is a custom tool\n"
		"of Kodelet's: it must print one JSON object and exit with 0. If it is\n"
		"no tool, move it out of this directory.\n"
		"/home/me/tools/broken\n"
		"not used in this session\n"
		"\n"
		"\n"
		"\n"
		"Up/Down select  Enter details  / filter  x run  r refresh  Esc close\n");
}

Test(browser, shows_a_tool_with_uses_parameters_and_schema)
{
	set_three();
	static const char ok[] = "{\"tool_success\":true,\"result\":1}";
	static const char bad[] = "{\"tool_success\":false,\"error\":\"x\"}";
	ik_calls_set_envelope(calls, ik_calls_get(calls, "1", "echo"), ok, strlen(ok), 10);
	ik_calls_set_envelope(calls, ik_calls_get(calls, "2", "echo"), bad, strlen(bad), 20);
	ik_calls_get(calls, "3", "glob");
	pane->ops->act(pane, IK_ACTION_DOWN);
	PICTURE_IS(draw(26, 60),
		"─ Tool browser  ▲ 2 tools, 1 failed ────────────────────────\n"
		"✗ broken            user     it ended with exit code 1\n"
		"● echo              system   Does echo\n"
		"● glob              system   Does glob\n"
		"────────────────────────────────────────────────────────────\n"
		"echo\n"
		"Does echo\n"
		"/lib/echo\n"
		"2 uses, 1 failed, mean time 15 ms\n"
		"\n"
		"Parameters\n"
		"a (string, required)  What to say\n"
		"n (integer)\n"
		"\n"
		"Schema as the tool wrote it\n"
		"{\n"
		"  \"name\": \"x\",\n"
		"  \"parameters\": {\n"
		"    \"a\": {\n"
		"      \"type\": \"string\"\n"
		"    }\n"
		"  }\n"
		"}\n"
		"\n"
		"\n"
		"Up/Down select  / filter  x run  r refresh  Esc close\n");
}

Test(browser, a_refresh_keeps_the_selected_tool)
{
	set_three();
	pane->ops->act(pane, IK_ACTION_DOWN);
	draw(26, 60);
	struct ik_registry *registry = ik_registry_new();
	add_ok(registry, "aaa", IK_SOURCE_USER);
	add_ok(registry, "bbb", IK_SOURCE_USER);
	add_ok(registry, "echo", IK_SOURCE_SYSTEM);
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	ik_browser_set_registry(browser, registry);
	ik_registry_unref(registry);
	draw(26, 60);
	cr_assert_eq(picture_style(&cells, "echo "), IK_STYLE_SELECTION);
	cr_assert(picture_has(&cells, "\n/lib/echo\n"));
}

Test(browser, the_selected_tool_stays_selected_when_another_one_is_used_more)
{
	struct ik_key other = {.code = IK_KEY_F12};
	struct ik_invocation reaction;
	set_three();
	pane->ops->key(pane, &other, IK_ACTION_SORT, &reaction);
	pane->ops->act(pane, IK_ACTION_DOWN);
	draw(26, 60);
	cr_assert_eq(picture_style(&cells, "echo "), IK_STYLE_SELECTION);
	ik_calls_get(calls, "1", "glob");
	draw(26, 60);
	cr_assert_eq(picture_style(&cells, "echo "), IK_STYLE_SELECTION);
	cr_assert(picture_has(&cells, "\n/lib/echo\n"));
}

Test(browser, a_long_name_pushes_nothing)
{
	struct ik_registry *registry = ik_registry_new();
	add_ok(registry, "a_tool_whose_name_says_all_that_it_ever_does_and_more", IK_SOURCE_SYSTEM);
	add_ok(registry, "glob", IK_SOURCE_SYSTEM);
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	ik_browser_set_registry(browser, registry);
	ik_registry_unref(registry);
	scan.tools = 2;
	cr_assert(picture_has(draw(16, 60),
		"● a_tool_whose_name_says_all_that…  system   Does a_tool_wh…\n"
		"● glob                              system   Does glob\n"), "%s", picture_of(&cells));
}

/* Add a good tool with that description. */
static void add_described(struct ik_registry *registry, const char *name, const char *description)
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
	ik_browser_set_registry(browser, registry);
	ik_registry_unref(registry);
}

static void set_files(void)
{
	struct ik_registry *registry = ik_registry_new();
	add_described(registry, "bash", "Runs a command");
	add_described(registry, "file_read", "Reads a file");
	add_described(registry, "glob", "Finds a file by its name");
	set(registry);
}

static void set_others(void)
{
	struct ik_registry *registry = ik_registry_new();
	add_described(registry, "bash", "Runs a command, but otherwise");
	add_described(registry, "glob", "Finds a file by its name");
	add_described(registry, "grep", "Searches");
	set(registry);
}

/* The names of the list as it is drawn, each after the mark of its change. */
static const char *listed(void)
{
	static const char *const ends[] = {"changed", "new", "gone"};
	static const char marks[] = "~+-";
	static char text[400];
	size_t length = 0;
	draw(40, 100);
	for (int row = pane->list_row; row < pane->list_row + pane->list_rows; row++) {
		char whole[101] = "";
		for (int column = 2; column < 100; column++)
			whole[column - 2] = ik_cells_at(&cells, row, column)->text[0];
		text[length] = ' ';
		for (size_t i = 0; i < 3; i++)
			if (strcmp(whole + 98 - strlen(ends[i]), ends[i]) == 0)
				text[length] = marks[i];
		size_t name = strcspn(whole, " ");
		memcpy(text + ++length, whole, name);
		length += name;
	}
	text[length] = '\0';
	return text;
}

static void press(enum ik_action action)
{
	struct ik_key other = {.code = IK_KEY_F12};
	struct ik_invocation reaction;
	pane->ops->key(pane, &other, action, &reaction);
}

/* Filter by other words, or by none. */
static void show(const char *words)
{
	press(IK_ACTION_CANCEL);
	if (*words)
		filter_by(words);
}

Test(browser, leaves_what_has_all_words_in_name_or_description)
{
	set_files();
	cr_assert_str_eq(listed(), " bash file_read glob");
	show("F");
	cr_assert_str_eq(listed(), " file_read glob");
	show("FILE name");
	cr_assert_str_eq(listed(), " glob");
	show("FILE na");
	cr_assert_str_eq(listed(), " glob");
	show("zzz");
	cr_assert_str_eq(listed(), "");
	show("");
	cr_assert_str_eq(listed(), " bash file_read glob");
}

Test(browser, sorts_by_use_and_by_name_again)
{
	set_files();
	ik_calls_get(calls, "1", "glob");
	ik_calls_get(calls, "2", "file_read");
	ik_calls_get(calls, "3", "glob");
	ik_calls_get(calls, "4", "not_there");
	press(IK_ACTION_SORT);
	cr_assert_str_eq(listed(), " glob file_read bash");
	cr_assert(picture_has(&cells, " 2 uses"));
	ik_calls_get(calls, "5", "bash");
	cr_assert_str_eq(listed(), " glob bash file_read");
	press(IK_ACTION_SORT);
	cr_assert_str_eq(listed(), " bash file_read glob");
}

Test(browser, marks_what_a_scan_changed_until_it_was_seen)
{
	set_files();
	cr_assert_str_eq(listed(), " bash file_read glob", "the first scan marks nothing");
	set_others();
	cr_assert_str_eq(listed(), "~bash glob+grep-file_read");
	/* The same once more: the marks stay, but what is gone is not gone again. */
	set_others();
	cr_assert_str_eq(listed(), "~bash glob+grep-file_read");
	pane->ops->act(pane, IK_ACTION_LINE_END);
	cr_assert_str_eq(listed(), " bash glob+grep-file_read");
	pane->ops->act(pane, IK_ACTION_LINE_START);
	cr_assert_str_eq(listed(), " bash glob+grep");
	set_files();
	cr_assert_str_eq(listed(), "~bash+file_read glob-grep");
}

Test(browser, finds_the_selected_tool_again)
{
	set_files();
	pane->ops->act(pane, IK_ACTION_LINE_END);
	show("file");
	cr_assert_eq(pane->selected, 1);
	show("");
	cr_assert_eq(pane->selected, 2);
	show("bash");
	cr_assert_eq(pane->selected, 0);
	show("nothing");
	cr_assert_eq(pane->selected, 0);
	cr_assert_eq(pane->count, 0);
}

Test(browser, ten_thousand_tools_are_filtered_one_letter_after_the_other)
{
	struct ik_registry *registry = ik_registry_new();
	for (int i = 0; i < 10000; i++) {
		char *name = ik_format("tool_%d", i);
		add_described(registry, name, "One of very many tools");
		free(name);
	}
	set(registry);
	show("9");
	cr_assert_eq(pane->count, 3439);
	show("99");
	show("9999");
	cr_assert_str_eq(listed(), " tool_9999");
}

Test(browser, draws_into_every_size)
{
	set_three();
	for (int rows = 0; rows < 12; rows++)
		for (int columns = 0; columns < 50; columns++)
			draw(rows, columns);
}
