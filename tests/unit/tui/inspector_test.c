#include "tui/pane_inspector.h"

#include <criterion/criterion.h>
#include <string.h>

#include "picture.h"

static struct ik_cells cells;
static struct ik_calls *calls;
static struct ik_inspector *inspector;

static void begin(void)
{
	calls = ik_calls_new();
	inspector = ik_inspector_new(calls, true);
}

static void end(void)
{
	ik_inspector_free(inspector);
	ik_calls_free(calls);
	ik_cells_done(&cells);
}

TestSuite(inspector, .init = begin, .fini = end);

static const struct ik_cells *draw(int rows, int columns, bool focus, int64_t now_ms)
{
	ik_cells_resize(&cells, rows, columns);
	ik_inspector_draw(inspector, &cells, (struct ik_rectangle){0, 0, rows, columns}, focus, now_ms);
	return &cells;
}

static struct ik_call *add_call(const char *id, const char *name, const char *arguments)
{
	struct ik_call *call = ik_calls_get(calls, id, name);
	ik_calls_set_arguments(calls, call, arguments, strlen(arguments));
	return call;
}

static void finish(struct ik_call *call, const char *envelope, int64_t duration_ms)
{
	ik_calls_set_envelope(calls, call, envelope, strlen(envelope), duration_ms);
}

Test(inspector, says_what_will_be_here)
{
	PICTURE_IS(draw(11, 44, true, 0),
		"─ Tool inspector ───────────────────────────\n"
		"\n"
		"\n"
		"             No tool calls yet.\n"
		"\n"
		"    When the model uses a tool, the call\n"
		"    stands here with its arguments, its\n"
		"    output as it comes, and its result.\n"
		"\n"
		"\n"
		"Up/Down  PgUp/PgDn  Esc close\n");
}

Test(inspector, shows_the_newest_call_in_full)
{
	finish(add_call("c1", "glob", "{\"pattern\":\"*.c\"}"),
		"{\"tool_success\":true,\"result\":{\"count\":1}}", 12);
	finish(add_call("c2", "bash", "{\"command\":\"exit 3\"}"),
		"{\"tool_success\":false,\"error\":\"no\",\"error_code\":\"TOOL_CRASHED\",\"exit_code\":3}", 1500);
	PICTURE_IS(draw(22, 50, false, 0),
		"─ Tool inspector  2/2 ────────────────────────────\n"
		"● glob(pattern=\"*.c\")                        12 ms\n"
		"✗ bash(command=\"exit 3\")                     1.5 s\n"
		"──────────────────────────────────────────────────\n"
		"bash\n"
		"failed  exit 3  1.5 s  c2\n"
		"\n"
		"Arguments\n"
		"{\n"
		"  \"command\": \"exit 3\"\n"
		"}\n"
		"\n"
		"Envelope: what the model got\n"
		"{\n"
		"  \"tool_success\": false,\n"
		"  \"error\": \"no\",\n"
		"  \"error_code\": \"TOOL_CRASHED\",\n"
		"  \"exit_code\": 3\n"
		"}\n"
		"\n"
		"\n"
		"F6 use the keys here  F3 close\n");
	cr_assert_eq(picture_style(&cells, "bash(command"), IK_STYLE_SELECTION);
	ik_inspector_act(inspector, IK_ACTION_UP);
	cr_assert(picture_has(draw(22, 50, true, 0), "\nok  exit 0  12 ms  c1\n"));
}

Test(inspector, follows_new_calls_unless_another_was_selected)
{
	add_call("c1", "one", "{}");
	draw(20, 50, true, 0);
	add_call("c2", "two", "{}");
	cr_assert(picture_has(draw(20, 50, true, 0), "inspector  2/2"));
	ik_inspector_act(inspector, IK_ACTION_UP);
	add_call("c3", "three", "{}");
	ik_calls_get_at(calls, 0, "c0", "older");
	cr_assert(picture_has(draw(20, 50, true, 0), "inspector  2/4"));
	cr_assert(picture_has(&cells, "being written  c1"));
	ik_inspector_act(inspector, IK_ACTION_DOWN);
	ik_inspector_act(inspector, IK_ACTION_DOWN);
	ik_inspector_act(inspector, IK_ACTION_DOWN);
	add_call("c4", "four", "{}");
	cr_assert(picture_has(draw(20, 50, true, 0), "inspector  5/5"));
}

Test(inspector, live_output_comes_piece_by_piece_and_is_followed)
{
	struct ik_call *call = add_call("c1", "bash", "{}");
	ik_calls_set_stage(calls, call, IK_STAGE_RUNNING);
	ik_calls_tick(calls, 1000);
	cr_assert(picture_has(draw(12, 40, true, 4200), "◐ bash()"));
	cr_assert(picture_has(&cells, "3s\n"));
	for (int i = 0; i < 30; i++) {
		ik_calls_add_output(calls, call, true, "work\xE6", 5);
		ik_calls_add_output(calls, call, true, "\x97\xA5\n", 3);
		draw(12, 40, true, 4200);
	}
	ik_calls_add_output(calls, call, true, "last", 4);
	PICTURE_IS(draw(8, 40, true, 5000),
		"─ Tool inspector  1/1 ──────────────────\n"
		"◐ bash()                              4s\n"
		"────────────────────────────────────────\n"
		"work日\n"
		"work日\n"
		"work日\n"
		"last\n"
		"Up/Down  PgUp/PgDn  Esc close\n");
	finish(call, "{\"tool_success\":true,\"result\":1}", 5000);
	cr_assert(picture_has(draw(12, 40, true, 6000), "\nok  exit 0  5.0 s  c1\n"));
	cr_assert(picture_has(&cells, "\nArguments\n"));
}

Test(inspector, text_that_was_scrolled_stays_while_the_call_goes_on)
{
	struct ik_call *call = add_call("c1", "bash", "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6}");
	ik_calls_set_stage(calls, call, IK_STAGE_RUNNING);
	draw(8, 40, true, 0);
	ik_inspector_act(inspector, IK_ACTION_TOP);
	ik_inspector_act(inspector, IK_ACTION_PAGE_DOWN);
	cr_assert(picture_has(draw(8, 40, true, 0), "\nArguments\n{\n"));
	ik_calls_add_output(calls, call, false, "out\n", 4);
	cr_assert(picture_has(draw(8, 40, true, 0), "\nArguments\n{\n"));
	finish(call, "{\"tool_success\":true,\"result\":1}", 5);
	cr_assert(picture_has(draw(8, 40, true, 0), "\nArguments\n{\n"));
}

Test(inspector, draws_into_every_size)
{
	finish(add_call("c1", "glob", "{\"pattern\":\"日本語*.c\"}"), "{\"tool_success\":true,\"result\":1}", 1);
	for (int rows = 0; rows < 12; rows++)
		for (int columns = 0; columns < 50; columns++)
			draw(rows, columns, true, 0);
}
