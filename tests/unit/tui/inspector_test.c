#include "tui/pane/pane_inspector.h"

#include <criterion/criterion.h>
#include <string.h>

#include "picture.h"
#include "tui/pane/status_bar.h"
#include "util/limits.h"
#include "util/utf8.h"

static struct ik_cells cells;
static struct ik_calls *calls;
static struct ik_keymap *keymap;
static struct ik_inspector *inspector;
static struct ik_pane *pane;

static void begin(void)
{
	calls = ik_calls_new();
	keymap = ik_keymap_new(NULL);
	inspector = ik_inspector_new(calls, keymap, NULL);
	pane = (struct ik_pane *)inspector;
}

static void end(void)
{
	pane->ops->release(pane);
	ik_calls_free(calls);
	ik_keymap_free(keymap);
	ik_cells_done(&cells);
}

TestSuite(inspector, .init = begin, .fini = end);

static const struct ik_cells *draw(int rows, int columns, bool focus, int64_t now_ms)
{
	ik_cells_resize(&cells, rows, columns);
	struct ik_status_bar bar = {.now_ms = now_ms};
	pane->ops->draw(pane, &cells, (struct ik_rectangle){0, 0, rows, columns}, focus, &bar);
	return &cells;
}

/* A key's action as the screen gives it. */
static struct ik_invocation press(enum ik_action action)
{
	struct ik_invocation reaction = {.action = IK_ACTION_NONE};
	if (pane->ops->key(pane, NULL, action, &reaction) == IK_PANE_PASSED)
		pane->ops->act(pane, action);
	return reaction;
}

/* What y puts on the clipboard. */
static const char *copied(void)
{
	struct ik_invocation reaction = press(IK_ACTION_COPY);
	cr_assert_eq(reaction.action, IK_ACTION_COPY);
	return reaction.text;
}

static struct ik_shown_call *add_call(const char *id, const char *name, const char *arguments)
{
	struct ik_shown_call *call = ik_calls_get(calls, id, name);
	ik_calls_set_arguments(calls, call, arguments, strlen(arguments));
	return call;
}

static void finish(struct ik_shown_call *call, const char *envelope, int64_t duration_ms)
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
		"    appears here with its arguments, its\n"
		"    output as it comes, and its result.\n"
		"\n"
		"\n"
		"F6 next pane  Esc close\n");
}

Test(inspector, copies_the_output_else_the_result_else_the_arguments)
{
	struct ik_shown_call *call = add_call("c1", "bash", "{\"command\":\"x\"}");
	cr_assert_str_eq(copied(), "{\"command\":\"x\"}");
	finish(call, "{\"tool_success\":true,\"result\":{\"output\":\"a\\nb\"}}", 1);
	cr_assert_str_eq(copied(), "a\nb");
	finish(add_call("c2", "t", "{}"), "{\"tool_success\":true,\"result\":[1]}", 1);
	cr_assert_str_eq(copied(), "[\n  1\n]");
}

Test(inspector, shows_the_newest_call_in_full)
{
	finish(add_call("c1", "glob", "{\"pattern\":\"*.c\"}"),
		"{\"tool_success\":true,\"result\":{\"count\":1}}", 12);
	finish(add_call("c2", "bash", "{\"command\":\"exit 3\"}"),
		"{\"tool_success\":false,\"error\":\"no\",\"error_code\":\"TOOL_CRASHED\",\"exit_code\":3}", 1500);
	PICTURE_IS(draw(22, 50, false, 0),
		"─ Tool inspector  2/2 ────────────────────────────\n"
		"● glob pattern=*.c                           12 ms\n"
		"✗ bash command=\"exit 3\"                      1.5 s\n"
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
		"F6 next pane  F3 close\n");
	cr_assert_eq(picture_style(&cells, "bash command"), IK_STYLE_SELECTION);
	pane->ops->act(pane, IK_ACTION_UP);
	cr_assert(picture_has(draw(22, 50, true, 0), "\nok  exit 0  12 ms  c1\n"));
}

Test(inspector, follows_new_calls_unless_another_was_selected)
{
	add_call("c1", "one", "{}");
	draw(20, 50, true, 0);
	add_call("c2", "two", "{}");
	cr_assert(picture_has(draw(20, 50, true, 0), "inspector  2/2"));
	pane->ops->act(pane, IK_ACTION_UP);
	add_call("c3", "three", "{}");
	ik_calls_get_at(calls, 0, "c0", "older");
	cr_assert(picture_has(draw(20, 50, true, 0), "inspector  2/4"));
	cr_assert(picture_has(&cells, "being written  c1"));
	pane->ops->act(pane, IK_ACTION_DOWN);
	pane->ops->act(pane, IK_ACTION_DOWN);
	pane->ops->act(pane, IK_ACTION_DOWN);
	add_call("c4", "four", "{}");
	cr_assert(picture_has(draw(20, 50, true, 0), "inspector  5/5"));
}

Test(inspector, live_output_comes_piece_by_piece_and_is_followed)
{
	struct ik_shown_call *call = add_call("c1", "bash", "{}");
	ik_calls_set_stage(calls, call, IK_STAGE_RUNNING);
	ik_calls_tick(calls, 1000);
	cr_assert(picture_has(draw(12, 40, true, 4200), "◐ bash"));
	cr_assert(picture_has(&cells, "3s\n"));
	for (int i = 0; i < 30; i++) {
		ik_calls_add_output(calls, call, true, "work\xE6", 5);
		ik_calls_add_output(calls, call, true, "\x97\xA5\n", 3);
		draw(12, 40, true, 4200);
	}
	ik_calls_add_output(calls, call, true, "last", 4);
	PICTURE_IS(draw(8, 40, true, 5000),
		"─ Tool inspector  1/1 ──────────────────\n"
		"◐ bash                                4s\n"
		"────────────────────────────────────────\n"
		"work日\n"
		"work日\n"
		"work日\n"
		"last\n"
		"Tab text  o pager  PgUp/PgDn  Esc close\n");
	finish(call, "{\"tool_success\":true,\"result\":1}", 5000);
	cr_assert(picture_has(draw(12, 40, true, 6000), "\nok  exit 0  5.0 s  c1\n"));
	cr_assert(picture_has(&cells, "\nArguments\n"));
}

Test(inspector, text_that_was_scrolled_stays_while_the_call_goes_on)
{
	struct ik_shown_call *call = add_call("c1", "bash", "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6}");
	ik_calls_set_stage(calls, call, IK_STAGE_RUNNING);
	draw(8, 40, true, 0);
	pane->ops->act(pane, IK_ACTION_TOP);
	pane->ops->act(pane, IK_ACTION_PAGE_DOWN);
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

/* What the store has of a call, or its trouble. */
struct stored {
	size_t length; /* parts that are there, in bytes */
	int reads;
	const char *trouble;
	bool late; /* it is on its way */
};

static enum ik_status read_stored(void *arg, const char *id, size_t part, struct ik_buf *out,
	struct ik_error *error)
{
	struct stored *stored = arg;
	size_t at = part * IK_LIMIT_PART;
	cr_assert_eq(strlen(id), IK_UUID_TEXT - 1);
	stored->reads++;
	if (stored->late)
		return ik_error_set(error, IK_UNAVAILABLE, "%s", "");
	if (stored->trouble)
		return ik_error_set(error, IK_IO, "%s", stored->trouble);
	if (at >= stored->length)
		return IK_NOT_FOUND;
	/* Lines of 8 bytes that say where they are. */
	for (; at < (part + 1) * IK_LIMIT_PART && at < stored->length; at += 8)
		ik_buf_printf(out, "%07zu\n", at);
	return IK_OK;
}

/* A restored call of which so many bytes of stdout and stderr were kept. */
static struct ik_shown_call *add_restored(size_t output, size_t errors)
{
	struct ik_shown_call *call = add_call("c1", "bash", "{}");
	static const char envelope[] = "{\"tool_success\":true,\"result\":\"cut\",\"truncated\":true}";
	struct ik_message *message = ik_message_tool_result("c1", "bash", envelope,
		sizeof envelope - 1, true, 5, (const size_t[2]){output, errors});
	ik_calls_set_result(calls, call, message);
	ik_message_unref(message);
	return call;
}

/* Does the pane show a row with text? */
static bool shows(int rows, const char *text)
{
	return picture_has(draw(rows, 60, true, 0), text);
}

Test(inspector, turns_the_pages_of_a_stored_output)
{
	size_t length = 2 * IK_LIMIT_PART + 80;
	struct stored stored = {.length = length};
	ik_inspector_on_read(inspector, read_stored, &stored);
	add_restored(length, 0);
	cr_assert(shows(30, "Full output (cut for the model): 524368 bytes"));
	cr_assert(shows(30, "Bytes 1 to 262144 of 524368"));
	cr_assert(shows(30, "0000000"));
	cr_assert_eq(stored.reads, 1, "only what is shown is read");
	pane->ops->act(pane, IK_ACTION_BOTTOM);
	cr_assert(shows(30, "0524360"), "the very end");
	pane->ops->act(pane, IK_ACTION_TOP);
	cr_assert(shows(30, "Arguments"));
	/* Beyond the end of one page is the next one. */
	int pages = 0;
	while (!shows(30, "0262144") && pages++ < 3000)
		pane->ops->act(pane, IK_ACTION_PAGE_DOWN);
	cr_assert(shows(30, "Bytes 262145 to 524288 of 524368"));
	cr_assert(!shows(30, "Arguments"));
	/* And before its start the end of the one before. */
	pane->ops->act(pane, IK_ACTION_PAGE_UP);
	cr_assert(shows(30, "0262136"));
	cr_assert(shows(30, "Bytes 1 to 262144"));
	pane->ops->scroll(pane, 3);
	cr_assert(shows(30, "Bytes 262145 to"), "by the wheel too");
}

Test(inspector, says_what_of_an_output_is_not_there)
{
	struct stored stored = {.length = IK_LIMIT_PART};
	ik_inspector_on_read(inspector, read_stored, &stored);
	struct ik_shown_call *call = add_restored(3 * IK_LIMIT_PART, 0);
	cr_assert(shows(30, "0000000"));
	pane->ops->act(pane, IK_ACTION_BOTTOM);
	cr_assert(shows(30, "This part was not stored: ikigai ended before."));
	stored.trouble = "The disk is gone.";
	ik_calls_set_arguments(calls, call, "{\"a\":1}", 7);
	cr_assert(shows(30, "The disk is gone."));
}

Test(inspector, shows_a_part_that_comes_later)
{
	struct stored stored = {.length = 80, .late = true};
	ik_inspector_on_read(inspector, read_stored, &stored);
	add_restored(80, 0);
	cr_assert(shows(30, "Reading"));
	cr_assert(!shows(30, "0000008"));
	cr_assert_eq(stored.reads, 1, "it is not asked for with every frame");
	stored.late = false;
	ik_inspector_part_arrived(inspector);
	cr_assert(shows(30, "0000008"));
	cr_assert(!shows(30, "Reading"));
}

Test(inspector, shows_stored_messages_too)
{
	struct stored stored = {.length = 800};
	ik_inspector_on_read(inspector, read_stored, &stored);
	add_restored(0, 800);
	cr_assert(shows(60, "Messages (stderr)"));
	cr_assert(shows(60, "0000008"));
	cr_assert(!shows(60, "Full output"));
}

Test(inspector, does_not_split_characters_between_pages)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_MIB(2));
	while (text.length < IK_LIMIT_PART + 100)
		ik_buf_puts(&text, text.length % 64 == 63 ? "\n" : "€");
	struct ik_bytes *bytes = ik_bytes_take(&text);
	struct ik_shown_call *call = add_call("c1", "bash", "{}");
	ik_calls_set_whole(calls, call, (struct ik_bytes *[2]){bytes, NULL});
	finish(call, "{\"tool_success\":true,\"result\":1,\"truncated\":true}", 1);
	draw(30, 60, true, 0);
	struct ik_error error;
	for (size_t part = 0; part < 2; part++) {
		ik_buf_clear(&text);
		cr_assert_eq(ik_call_part(call, IK_CALL_OUTPUT, part, NULL, NULL, &text, &error), IK_OK);
		cr_assert_eq(ik_utf8_valid_prefix(text.data, text.length), text.length);
	}
	pane->ops->act(pane, IK_ACTION_BOTTOM);
	cr_assert(!shows(30, "\xef\xbf\xbd"));
	ik_buf_done(&text);
	ik_bytes_unref(bytes);
}

Test(inspector, a_cursor_in_the_text_folds_and_copies_what_it_is_on)
{
	finish(add_call("c1", "t", "{\"list\": [1, 2],\"text\":\"a\\nb\"}"),
		"{\"tool_success\":true,\"result\":1}", 1);
	cr_assert(shows(40, "  \"list\": ["));
	press(IK_ACTION_TEXT);
	cr_assert_str_eq(copied(), "1", "on the first line: the call's result");
	press(IK_ACTION_DOWN);
	draw(40, 60, true, 0);
	cr_assert_eq(picture_style(&cells, "exit 0"), IK_STYLE_SELECTION);
	press(IK_ACTION_DOWN);
	cr_assert_str_eq(copied(), "{\"list\": [1, 2],\"text\":\"a\\nb\"}", "the heading of a part");
	press(IK_ACTION_DOWN);
	press(IK_ACTION_DOWN);
	cr_assert_str_eq(copied(), "[1, 2]");
	press(IK_ACTION_UNFOLD);
	cr_assert(shows(40, "  \"list\": […] 2\n"));
	draw(40, 60, true, 0);
	cr_assert_eq(picture_style(&cells, "\"list\""), IK_STYLE_SELECTION);
	press(IK_ACTION_DOWN);
	cr_assert_str_eq(copied(), "a\nb", "a text as it is meant");
	press(IK_ACTION_OUTWARD);
	cr_assert(shows(40, "  \"text\": text, 2 lines, 6 bytes\n"));
	press(IK_ACTION_OUTWARD);
	press(IK_ACTION_OUTWARD);
	cr_assert(shows(40, "{…} 2 members\n"));
	press(IK_ACTION_INWARD);
	cr_assert(shows(40, "  \"list\": […] 2\n"), "what is within stays as it was");
	/* It is kept for the call. */
	press(IK_ACTION_TEXT);
	finish(add_call("c2", "u", "{}"), "{\"tool_success\":true,\"result\":1}", 1);
	cr_assert(!shows(40, "\"list\""));
	press(IK_ACTION_UP);
	cr_assert(shows(40, "  \"list\": […] 2\n"));
}

Test(inspector, folds_and_unfolds_all_of_a_call)
{
	finish(add_call("c1", "t", "{\"a\":{\"b\":{\"c\":1}}}"),
		"{\"tool_success\":true,\"result\":{\"d\":2}}", 1);
	cr_assert(shows(40, "\"c\": 1"));
	press(IK_ACTION_FOLD_ALL);
	cr_assert(shows(40, "  \"a\": {…} 1 member\n"));
	cr_assert(shows(40, "  \"result\": {…} 1 member\n"));
	press(IK_ACTION_UNFOLD_ALL);
	cr_assert(shows(40, "\"c\": 1"));
	cr_assert(shows(40, "\"d\": 2"));
}

Test(inspector, the_cursor_stays_while_output_comes_unless_it_is_at_the_end)
{
	struct ik_shown_call *call = add_call("c1", "bash", "{}");
	ik_calls_set_stage(calls, call, IK_STAGE_RUNNING);
	for (int i = 0; i < 30; i++)
		ik_calls_add_output(calls, call, false, "early\n", 6);
	draw(14, 40, true, 0);
	press(IK_ACTION_TEXT);
	ik_calls_add_output(calls, call, false, "later\n", 6);
	cr_assert(picture_has(draw(14, 40, true, 0), "later"));
	for (int i = 0; i < 60; i++)
		press(IK_ACTION_UP);
	cr_assert(picture_has(draw(14, 40, true, 0), "running"));
	ik_calls_add_output(calls, call, false, "last\n", 5);
	cr_assert(picture_has(draw(14, 40, true, 0), "running"));
	finish(call, "{\"tool_success\":true,\"result\":1}", 1);
	cr_assert(picture_has(draw(14, 40, true, 0), "exit 0"));
}

Test(inspector, a_large_envelope_shows_its_beginning_at_once)
{
	struct ik_buf envelope;
	ik_buf_init(&envelope, IK_MIB(8));
	ik_buf_puts(&envelope, "{\"tool_success\":true,\"result\":[0");
	for (int i = 1; i < 400000; i++)
		ik_buf_printf(&envelope, ",%d", i);
	ik_buf_puts(&envelope, "]}");
	finish(add_call("c1", "t", "{}"), envelope.data, 1);
	cr_assert(shows(30, "Envelope: what the model got"));
	cr_assert(shows(30, "Bytes 1 to 1048576 of "));
	cr_assert(shows(30, "  \"result\": […] 1"));
	press(IK_ACTION_TEXT);
	while (strcmp(copied(), "true") != 0)
		press(IK_ACTION_DOWN);
	press(IK_ACTION_DOWN);
	press(IK_ACTION_INWARD);
	cr_assert(shows(30, "    1,\n"));
	/* All of it is for the pager. */
	struct ik_invocation reaction = press(IK_ACTION_PAGER);
	cr_assert_not_null(memmem(reaction.text, reaction.length, "399999", 6));
	ik_buf_done(&envelope);
}
