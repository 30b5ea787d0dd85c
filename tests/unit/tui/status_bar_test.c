#include "tui/pane/status_bar.h"

#include <criterion/criterion.h>
#include <string.h>

#include "picture.h"
#include "util/cluster.h"

static struct ik_cells cells;

static const struct ik_cells *draw(const struct ik_status_bar *bar, int columns)
{
	struct ik_status_bar with_keys = *bar;
	with_keys.keys = "F1 help  F3 calls  F4 sessions  F2 tools";
	ik_cells_resize(&cells, 1, columns);
	ik_status_bar_draw(&with_keys, &cells, (struct ik_rectangle){0, 0, 1, columns});
	return &cells;
}

static void done(void)
{
	ik_cells_done(&cells);
}

TestSuite(status_bar, .fini = done);

Test(status_bar, scan_states)
{
	struct ik_status_bar bar = {.provider = "practice", .context = -1,
		.usage = { .cost = -1 }};
	PICTURE_IS(draw(&bar, 60), " practice · ◌ tools          F1 help  F3 calls  F4 sessions\n");
	bar.scan = IK_SCAN_IN_PROGRESS;
	bar.scan_done = 3;
	bar.scan_total = 12;
	PICTURE_IS(draw(&bar, 60), " practice · ◐ 3/12 tools     F1 help  F3 calls  F4 sessions\n");
	cr_assert(picture_has(draw(&bar, 26), "◐ 3/12 tools"), "it is there until all are known");
	bar.scan = IK_SCAN_COMPLETE;
	bar.tools = 12;
	PICTURE_IS(draw(&bar, 60), " practice · ● 12 tools       F1 help  F3 calls  F4 sessions\n");
	cr_assert_not(picture_has(draw(&bar, 40), "● 12 tools"));
	bar.tools = 1;
	bar.tools_failed = 1;
	PICTURE_IS(draw(&bar, 60), " practice · ▲ 1 tool, 1 failed            F1 help  F3 calls\n");
	cr_assert_eq(picture_style(&cells, "▲"), IK_STYLE_WARNING);
	cr_assert_eq(picture_style(&cells, "F3"), IK_STYLE_BOLD);
	cr_assert_eq(picture_style(&cells, "calls"), IK_STYLE_DIM);
	cr_assert(picture_has(draw(&bar, 30), "▲ 1 tool, 1 failed"), "trouble outlives the keys");
}

Test(status_bar, what_matters_comes_first)
{
	struct ik_status_bar bar = {.scan = IK_SCAN_COMPLETE, .tools = 6, .mode = "auto",
		.provider = "openai", .model = "gpt-5-mini", .context = 3,
		.usage = { .input_tokens = 12345, .output_tokens = 678, .cost = 0.42 },
		.session = "How do boats sail against the wind?"};
	PICTURE_IS(draw(&bar, 153), " auto · openai/gpt-5-mini · context 3% · $0.42 · ● 6 tools · ↑12.3k ↓678"
		" · How do boats sail against the wind?  F1 help  F3 calls  F4 sessions  F2 tools\n");
	PICTURE_IS(draw(&bar, 80), " auto · openai/gpt-5-mini · context 3% · $0.42"
		"   F1 help  F3 calls  F4 sessions\n");
	PICTURE_IS(draw(&bar, 72), " auto · gpt-5-mini · context 3% · $0.42 "
		" F1 help  F3 calls  F4 sessions\n");
	PICTURE_IS(draw(&bar, 41), " auto · gpt-5-mini · context 3%  F1 help\n");
	bar.context = 80;
	draw(&bar, 80);
	cr_assert_eq(picture_style(&cells, "context"), IK_STYLE_WARNING);
	bar.context = -1;
	cr_assert_not(picture_has(draw(&bar, 80), "context"), "where the window isn't known");
}

Test(status_bar, store_and_background_only_when_there_is_something_to_say)
{
	struct ik_status_bar bar = {.scan = IK_SCAN_COMPLETE, .tools = 6, .context = -1,
		.provider = "p", .usage = { .cost = -1 }};
	bar.store_waiting = 17;
	bar.store_trouble = IK_STORE_AWAY;
	bar.background = 2;
	cr_assert(picture_has(draw(&bar, 120), " p · database unreachable · 17 unsaved · 2 in background · ● 6 tools"),
		"%s", picture_of(&cells));
	cr_assert_eq(picture_style(&cells, "database"), IK_STYLE_WARNING);
	bar.store_trouble = IK_STORE_IN_USE;
	cr_assert(picture_has(draw(&bar, 120), "database in use by another program · 17 unsaved"));
	bar.store_trouble = IK_STORE_REFUSES;
	cr_assert(picture_has(draw(&bar, 120), "database not writable · 17 unsaved"));
	bar.store_trouble = IK_STORE_FINE;
	cr_assert(picture_has(draw(&bar, 120), " p · 17 unsaved · "));
}

Test(status_bar, a_hint_outlives_all_else)
{
	struct ik_status_bar bar = {.scan = IK_SCAN_COMPLETE, .tools = 6, .mode = "auto",
		.provider = "openai", .model = "gpt-5-mini", .context = -1, .usage = { .cost = -1 }};
	bar.hint = "Press Ctrl-C again to quit";
	cr_assert(picture_has(draw(&bar, 40), "Press Ctrl-C again to quit"));
	cr_assert(picture_has(draw(&bar, 28), "Press Ctrl-C again to quit"), "%s", picture_of(&cells));
	cr_assert_not(picture_has(draw(&bar, 120), "F1"));
	for (int columns = 0; columns < 30; columns++)
		draw(&bar, columns);
}

Test(status_bar, the_session_goes_first)
{
	struct ik_status_bar bar = {.scan = IK_SCAN_COMPLETE, .tools = 6, .context = -1,
		.provider = "openai", .model = "gpt-5-mini", .usage = { .cost = -1 },
		.session = "How do boats sail against the wind?"};
	cr_assert(picture_has(draw(&bar, 90), " · How do boats …  F1 help"), "%s", picture_of(&cells));
	cr_assert_not(picture_has(draw(&bar, 80), "How"));
	bar.session = "\x1b[31mred\n\xf0\x9f\x90\x99\xf0\x9f\x90\x99\xf0\x9f\x90\x99\xf0\x9f\x90\x99"
		"\xf0\x9f\x90\x99\xf0\x9f\x90\x99\xf0\x9f\x90\x99\xf0\x9f\x90\x99\xf0\x9f\x90\x99";
	for (int columns = 0; columns < 120; columns++)
		cr_assert_not(strchr(picture_of(draw(&bar, columns)), '\x1b'));
}

/* At every width: nothing beyond the edge, what is shown is whole but for a model with an
 * ellipsis, and what is there at one width is there at all larger ones. */
Test(status_bar, every_width)
{
	static const char *const parts[] = { "ask", "context 20%", "$0.42", "F1 help", "F3 calls",
		"F4 sessions", "F2 tools", "● 12 tools", "↑12.3k ↓678" };
	struct ik_status_bar bar = {.scan = IK_SCAN_COMPLETE, .tools = 12,
		.provider = "openrouter", .model = "claude-sonnet-of-tomorrow-20260101",
		.usage = { .input_tokens = 12345, .output_tokens = 678, .cost = 0.42 },
		.context = 20, .mode = "ask", .mode_strong = true };
	bool seen[sizeof parts / sizeof *parts] = { false };
	size_t model_before = 0;
	for (int columns = 20; columns <= 250; columns++) {
		const char *row = picture_of(draw(&bar, columns));
		const char *model = strstr(row, "claude-");
		size_t length = model ? ik_utf8_width(model, strcspn(model, " ")) : 0;
		cr_assert(length >= model_before, "%d: %s", columns, row);
		model_before = length;
		if (length > 0 && length < strlen(bar.model))
			cr_assert(strstr(model, "…"), "%d: %s", columns, row);
		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
			bool there = picture_has(&cells, parts[i]);
			cr_assert(there || !seen[i], "%d columns lost \"%s\": %s", columns, parts[i], row);
			seen[i] |= there;
		}
		cr_assert(seen[0], "%d: %s", columns, row);
	}
	cr_assert(strstr(picture_of(&cells), "openrouter/"));
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		cr_assert(seen[i], "%s", parts[i]);
}

/* Where the marks of the agents have no room they are counted, and a click on that is for the
 * next one. */
Test(status_bar, counts_agents_that_have_no_room)
{
	struct ik_status_bar bar = {.scan = IK_SCAN_COMPLETE, .tools = 12,
		.provider = "practice", .context = -1, .usage = { .cost = -1 }, .agent_count = 9,
		.now_ms = 100000};
	struct ik_rectangle area = {0, 0, 1, 120};
	int number = -1;

	for (int i = 0; i < 9; i++)
		bar.agents[i] = (struct ik_agent_mark){.number = i + 1, .shown = i == 0,
			.state = i == 0 ? IK_AGENT_IDLE : IK_AGENT_WORKING, .started_ms = 1000};
	bar.agents[8].state = IK_AGENT_ASKING;
	cr_assert(picture_has(draw(&bar, 120), "[1] 2◐1m 39s 3◐1m 39s"), "%s", picture_of(&cells));
	cr_assert(ik_status_bar_agent_at(&bar, area, 6, &number));
	cr_assert_eq(number, 2);
	cr_assert_not(ik_status_bar_agent_at(&bar, area, 4, &number));
	cr_assert(picture_has(draw(&bar, 40), "[1/9] ◐7 ?1 · practice "), "%s", picture_of(&cells));
	area.columns = 40;
	cr_assert(ik_status_bar_agent_at(&bar, area, 2, &number));
	cr_assert_eq(number, 0);
	cr_assert_not(ik_status_bar_agent_at(&bar, area, 16, &number));
}

/* A bar with agents of all states. */
static struct ik_status_bar with_agents(void)
{
	return (struct ik_status_bar){.context = -1, .usage = { .cost = -1 }, .scan = IK_SCAN_COMPLETE,
		.agent_count = 5, .now_ms = 13400, .agents = {
		{.number = 1, .state = IK_AGENT_IDLE, .shown = true},
		{.number = 2, .state = IK_AGENT_WORKING, .started_ms = 1000},
		{.number = 3, .state = IK_AGENT_ASKING, .started_ms = 500},
		{.number = 5, .state = IK_AGENT_UNREAD},
		{.number = 12, .state = IK_AGENT_FAILED},
	}};
}

Test(status_bar, says_how_each_agent_stands)
{
	struct ik_status_bar bar = with_agents();
	cr_assert(picture_has(draw(&bar, 22), " [1/5] ◐1 ?1 !1 *1"), "%s", picture_of(&cells));
	cr_assert(picture_has(draw(&bar, 80), " [1] 2◐12s 3? 5* 12! "), "%s", picture_of(&cells));
}

/* The agent that is at a column of the bar; -1: none is. */
static int agent_at(const struct ik_status_bar *bar, int column)
{
	int number;
	return ik_status_bar_agent_at(bar, (struct ik_rectangle){0, 0, 1, 80}, column, &number)
		? number : -1;
}

Test(status_bar, finds_agents_by_their_columns)
{
	struct ik_status_bar bar = with_agents();
	cr_assert_eq(agent_at(&bar, 0), -1);
	cr_assert_eq(agent_at(&bar, 1), 1);
	cr_assert_eq(agent_at(&bar, 4), -1);
	cr_assert_eq(agent_at(&bar, 5), 2);
	cr_assert_eq(agent_at(&bar, 19), 12);
	cr_assert_eq(agent_at(&bar, 20), -1);
	cr_assert_eq(agent_at(&bar, 9), 2);
}

Test(status_bar, wants_the_time_only_while_another_agent_works)
{
	struct ik_status_bar bar = with_agents();
	cr_assert_eq(ik_status_bar_next(&bar, 13400), 600);
	bar.agent_count = 1;
	cr_assert_eq(ik_status_bar_next(&bar, 13400), -1);
}
