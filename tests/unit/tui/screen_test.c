#include "tui/screen/screen.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "picture.h"
#include "util/utf8.h"

static struct ik_cells cells;
static struct ik_screen *screen;

static void put_commands(void *arg, enum ik_group group, struct ik_buf *out)
{
	(void)arg;
	if (group == IK_GROUP_SCREEN)
		ik_buf_puts(out, "/help\twhat there is\n/quit\tend this program, at once, for good\n");
}

static void begin(void)
{
	struct ik_screen_options options = {.provider = "openai", .model = "gpt",
		.commands = put_commands};
	screen = ik_screen_new(&options);
}

static void end(void)
{
	ik_screen_free(screen);
	ik_cells_done(&cells);
}

TestSuite(screen, .init = begin, .fini = end);

static const struct ik_cells *draw(int rows, int columns)
{
	ik_cells_resize(&cells, rows, columns);
	ik_screen_resize(screen, rows, columns);
	ik_screen_draw(screen, &cells);
	cr_assert_not(ik_screen_dirty(screen));
	return &cells;
}

static struct ik_invocation press(enum ik_key_code code, unsigned modifiers, uint32_t codepoint)
{
	struct ik_key key = {.code = code, .modifiers = modifiers, .codepoint = codepoint};
	return ik_screen_key(screen, &key);
}

static void type(const char *text)
{
	for (size_t at = 0, length = strlen(text); at < length;) {
		uint32_t codepoint;
		at += (size_t)ik_utf8_decode(text + at, length - at, &codepoint);
		press(IK_KEY_CHARACTER, 0, codepoint);
	}
}

static struct ik_invocation control(char letter)
{
	return press(IK_KEY_CHARACTER, IK_CONTROL, (uint32_t)letter);
}

static void tell(struct ik_event event)
{
	if (event.text && event.text_length == 0)
		event.text_length = strlen(event.text);
	ik_screen_apply(screen, &event);
}

static void tell_text(enum ik_event_kind kind, const char *text)
{
	tell((struct ik_event){.kind = kind, .text = text});
}

static void tell_kind(enum ik_event_kind kind)
{
	tell((struct ik_event){.kind = kind});
}

static void tell_message(struct ik_message *message)
{
	tell((struct ik_event){.kind = IK_EVENT_MESSAGE, .message = message});
	ik_message_unref(message);
}

static void say(enum ik_kind kind, const char *text)
{
	tell_message(ik_message_new(kind, text, strlen(text), NULL, 0));
}

static struct ik_message *call_message(const char *id, const char *arguments)
{
	return ik_message_tool_call(id, "glob", arguments, strlen(arguments), "glob");
}

static struct ik_message *result_message(const char *id, const char *envelope)
{
	return ik_message_tool_result(id, "glob", envelope, strlen(envelope), true, 12, NULL);
}

Test(screen, an_empty_conversation_welcomes_you)
{
	char directory[] = "~/src";
	struct ik_welcome welcome = {.directory = directory, .empty = true};
	struct ik_screen_options options = {.provider = "openai", .model = "gpt", .welcome = &welcome,
		.visual = true};
	ik_screen_free(screen);
	screen = ik_screen_new(&options);
	ik_screen_set_scan(screen, IK_SCAN_IN_PROGRESS, 3, 12);
	cr_assert(picture_has(draw(24, 80), "~/src\n"), "%s", picture_of(&cells));
	cr_assert(picture_has(&cells, "◐ 3/12 tools\n"));
	cr_assert(picture_has(&cells, "\n> Ask, or / @ !\n"));
	cr_assert_eq(cells.cursor_row, 22);
	cr_assert_eq(cells.cursor_column, 2);
	type("x");
	cr_assert(picture_has(draw(24, 80), "\n> x\n"), "%s", picture_of(&cells));
	/* Notices are above it; with a message it goes. */
	tell_text(IK_EVENT_NOTICE, "Something is odd.");
	cr_assert(picture_has(draw(24, 80), "Something is odd."));
	cr_assert(picture_has(&cells, "~/src\n"));
	cr_assert_lt(strstr(picture_of(&cells), "odd."), strstr(picture_of(&cells), "~/src"));
	say(IK_KIND_USER, "hello");
	cr_assert_not(picture_has(draw(24, 80), "~/src"));
	ik_screen_clear(screen);
	cr_assert(picture_has(draw(24, 80), "~/src\n"));
}

Test(screen, a_turn_with_a_tool_call)
{
	draw(20, 60);
	ik_screen_clear(screen);
	say(IK_KIND_USER, "list *.c");
	tell_kind(IK_EVENT_TURN_STARTED);
	cr_assert_eq(ik_screen_tick(screen, 1000), 250);
	tell_kind(IK_EVENT_ROUND_STARTED);
	tell((struct ik_event){.kind = IK_EVENT_CALL_PROGRESS, .id = "c1", .name = "glob",
		.text = "{\"pattern\":"});
	tell_message(call_message("c1", "{\"pattern\":\"*.c\"}"));
	tell((struct ik_event){.kind = IK_EVENT_TOOL_STARTED, .id = "c1", .name = "glob",
		.text = "{\"pattern\":\"*.c\"}"});
	cr_assert_eq(ik_screen_tick(screen, 1500), 250);
	cr_assert(picture_has(draw(20, 60), "◐ glob pattern=*.c · 0s"));
	cr_assert(picture_has(&cells, "\n◐ glob pattern=*.c\n"));
	cr_assert_eq(ik_screen_tick(screen, 3600), 150);
	cr_assert(ik_screen_dirty(screen));
	cr_assert(picture_has(draw(20, 60), "◐ glob pattern=*.c · 2s"));
	static const char envelope[] = "{\"tool_success\":true,\"result\":{\"output\":\"a.c\\nb.c\",\"count\":2}}";
	tell_message(result_message("c1", envelope));
	tell((struct ik_event){.kind = IK_EVENT_TOOL_DONE, .id = "c1", .name = "glob", .text = envelope,
		.duration_ms = 12});
	tell_kind(IK_EVENT_ROUND_STARTED);
	tell_text(IK_EVENT_TEXT, "There are");
	tell_text(IK_EVENT_TEXT, " two files.\n");
	ik_screen_tick(screen, 4000);
	(void)ik_screen_tick(screen, 5250);
	cr_assert(picture_has(draw(20, 60), "◓ Writing · 1s"), "%s", picture_of(&cells));
	say(IK_KIND_ASSISTANT, "There are two files.\n");
	tell((struct ik_event){.kind = IK_EVENT_USAGE, .usage = {.input_tokens = 1200, .output_tokens = 34, .cost = -1}});
	tell((struct ik_event){.kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_END});
	cr_assert_eq(ik_screen_tick(screen, 5300), -1);
	PICTURE_IS(draw(12, 60),
		"> list *.c\n"
		"\n"
		"● glob pattern=*.c · 12 ms\n"
		"  a.c\n"
		"  b.c\n"
		"  count: 2\n"
		"\n"
		"  There are two files.\n"
		"\n"
		"────────────────────────────────────────────────────────────\n"
		">\n"
		" openai/gpt · ◌ tools    F1 help  F3 inspector  F4 sessions\n");
}

Test(screen, interleaved_thoughts_and_texts_find_their_messages)
{
	ik_screen_clear(screen);
	tell_kind(IK_EVENT_TURN_STARTED);
	tell_kind(IK_EVENT_ROUND_STARTED);
	tell_text(IK_EVENT_TEXT, "\n\n");
	tell_text(IK_EVENT_THINKING, "hm");
	tell_text(IK_EVENT_TEXT, "One");
	tell_text(IK_EVENT_THINKING, "and");
	tell_text(IK_EVENT_TEXT, "Tw");
	tell((struct ik_event){.kind = IK_EVENT_CALL_PROGRESS, .id = "c1", .name = "glob"});
	tell_text(IK_EVENT_TEXT, "Three");
	draw(20, 40);
	say(IK_KIND_ASSISTANT, "\n\n");
	say(IK_KIND_THINKING, "hm");
	say(IK_KIND_ASSISTANT, "One");
	say(IK_KIND_THINKING, "and");
	say(IK_KIND_ASSISTANT, "Two");
	tell_message(call_message("c1", "{}"));
	say(IK_KIND_ASSISTANT, "Three");
	cr_assert(picture_has(draw(26, 40),
		"~ Thought · 1 line\n\n  One\n\n~ Thought · 1 line\n\n  Two\n\n◌ glob\n\n  Three\n\n"), "%s", picture_of(&cells));
}

Test(screen, a_search_says_that_older_messages_are_still_to_come)
{
	struct ik_message *last = ik_message_new(IK_KIND_USER, "pear", 4, NULL, 0);
	struct ik_message *first = ik_message_new(IK_KIND_USER, "apple", 5, NULL, 0);
	last->sequence = 2;
	first->sequence = 1;
	tell_message(last);
	control('s');
	type("apple");
	while (ik_screen_tick(screen, 0) == 0)
		;
	cr_assert(picture_has(draw(24, 100), " Search: apple  not found yet  older messages are being read "),
		"%s", picture_of(&cells));
	tell((struct ik_event){.kind = IK_EVENT_OLDER, .older = &first, .count = 1});
	ik_message_unref(first);
	press(IK_KEY_UP, 0, 0);
	while (ik_screen_tick(screen, 0) == 0)
		;
	cr_assert(picture_has(draw(24, 100), " Search: apple  1 of 1 "), "%s", picture_of(&cells));
	cr_assert_not(picture_has(&cells, "older messages"));
}

Test(screen, a_restored_session_looks_as_it_was)
{
	say(IK_KIND_USER, "list *.c");
	tell_message(result_message("c0", "{\"tool_success\":true,\"result\":\"old\"}"));
	tell_message(call_message("c1", "{\"pattern\":\"*.c\"}"));
	tell_message(result_message("c1", "{\"tool_success\":true,\"result\":\"a.c\"}"));
	say(IK_KIND_ASSISTANT, "One.");
	tell_text(IK_EVENT_NOTICE, "[Session restored: 7 messages]");
	struct ik_message *older[2] = {
		ik_message_new(IK_KIND_USER, "earlier", 7, NULL, 0),
		call_message("c0", "{\"pattern\":\"x\"}"),
	};
	tell((struct ik_event){.kind = IK_EVENT_OLDER, .older = older, .count = 2});
	ik_message_unref(older[0]);
	ik_message_unref(older[1]);
	PICTURE_IS(draw(20, 50),
		"> earlier\n"
		"\n"
		"> list *.c\n"
		"\n"
		"● glob pattern=x · 12 ms · 1 line\n"
		"● glob pattern=*.c · 12 ms · 1 line\n"
		"\n"
		"  One.\n"
		"\n"
		"· [Session restored: 7 messages]\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"──────────────────────────────────────────────────\n"
		">\n"
		" gpt · ◌ tools              F1 help  F3 inspector\n");
	press(IK_KEY_F3, 0, 0);
	cr_assert(picture_has(draw(20, 50), "Tool inspector  2/2"));
}

Test(screen, enter_sends_what_was_typed)
{
	cr_assert_eq(press(IK_KEY_ENTER, 0, 0).action, IK_ACTION_NONE);
	type("  ");
	cr_assert_eq(press(IK_KEY_ENTER, 0, 0).action, IK_ACTION_NONE);
	type("héllo");
	struct ik_invocation reaction = press(IK_KEY_ENTER, 0, 0);
	cr_assert_eq(reaction.action, IK_ACTION_SEND);
	cr_assert_str_eq(reaction.text, "  héllo");
	cr_assert_eq(reaction.length, strlen("  héllo"));
	size_t length;
	ik_screen_draft(screen, &length);
	cr_assert_eq(length, 0);
	ik_screen_set_draft(screen, "draft", 5);
	cr_assert(picture_has(draw(12, 40), "\n> draft\n"));
}

Test(screen, ctrl_c_cancels_then_clears_then_ends)
{
	tell_kind(IK_EVENT_TURN_STARTED);
	type("half");
	cr_assert_eq(control('c').action, IK_ACTION_CANCEL);
	tell((struct ik_event){.kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_CANCELLED});
	cr_assert_eq(ik_screen_tick(screen, 10000), -1);
	cr_assert_eq(control('c').action, IK_ACTION_NONE);
	size_t length;
	ik_screen_draft(screen, &length);
	cr_assert_eq(length, 0);
	cr_assert_eq(control('c').action, IK_ACTION_NONE);
	cr_assert(picture_has(draw(12, 60), "Press Ctrl-C again to quit"));
	cr_assert_eq(ik_screen_tick(screen, 10000), 2000);
	cr_assert_eq(ik_screen_tick(screen, 10500), 1500);
	cr_assert_eq(ik_screen_tick(screen, 12000), -1);
	cr_assert(ik_screen_dirty(screen));
	cr_assert_not(picture_has(draw(12, 60), "Press Ctrl-C again to quit"));
	cr_assert_eq(control('c').action, IK_ACTION_NONE);
	cr_assert_eq(control('c').action, IK_ACTION_QUIT);
	press(IK_KEY_UP, 0, 0);
	cr_assert(picture_has(draw(12, 60), "\n> half\n"));
}

Test(screen, ctrl_d_ends_on_an_empty_line_only)
{
	type("x");
	cr_assert_eq(control('d').action, IK_ACTION_NONE);
	press(IK_KEY_BACKSPACE, 0, 0);
	cr_assert_eq(control('d').action, IK_ACTION_QUIT);
}

Test(screen, escape_closes_help_then_the_pane_then_cancels)
{
	press(IK_KEY_F2, 0, 0);
	tell_kind(IK_EVENT_TURN_STARTED);
	press(IK_KEY_F1, 0, 0);
	cr_assert(picture_has(draw(24, 80), " Help "));
	cr_assert_eq(cells.cursor_row, -1);
	cr_assert_eq(press(IK_KEY_ESCAPE, 0, 0).action, IK_ACTION_NONE);
	cr_assert(picture_has(draw(24, 80), "Tool browser"));
	cr_assert_eq(press(IK_KEY_ESCAPE, 0, 0).action, IK_ACTION_NONE);
	cr_assert_not(picture_has(draw(24, 80), "Tool browser"));
	cr_assert_eq(press(IK_KEY_ESCAPE, 0, 0).action, IK_ACTION_CANCEL);
}

Test(screen, help_has_the_keys_and_the_commands)
{
	press(IK_KEY_F1, 0, 0);
	cr_assert(picture_has(draw(120, 90), "\nThe keys to know first\n  Enter                 Send\n"));
	cr_assert(picture_has(&cells, "\n  F5, Alt-5, r          Rescan the tools\n"), "%s", picture_of(&cells));
	press(IK_KEY_END, 0, 0);
	cr_assert(picture_has(draw(40, 50), "\n  /quit                 end this program, at once,\n"
		"                        for good\n"), "%s", picture_of(&cells));
	press(IK_KEY_HOME, 0, 0);
	cr_assert(picture_has(draw(24, 50), "\nThe keys to know first\n"));
}

/* Below each other, what is in two columns reads the same. */
Test(screen, help_has_two_columns_where_there_is_room)
{
	press(IK_KEY_F1, 0, 0);
	cr_assert(picture_has(draw(30, 100), "\nThe keys to know first                           │ Write\n"
		"  Enter             Send                         │   Enter             Send\n"), "%s", picture_of(&cells));
	cr_assert_eq(ik_cells_at(&cells, 2, 2)->style, IK_STYLE_CODE);
	cr_assert_eq(ik_cells_at(&cells, 2, 53)->style, IK_STYLE_CODE);
	cr_assert_eq(ik_cells_at(&cells, 1, 51)->style, IK_STYLE_BOLD);
	cr_assert_eq(ik_cells_at(&cells, 2, 20)->style, IK_STYLE_NORMAL);
	cr_assert(picture_has(draw(30, 99), "\n  Enter                 Send\n"), "%s", picture_of(&cells));
	cr_assert(picture_has(draw(30, 160), "  Enter             Send "), "%s", picture_of(&cells));
}

/* "?" is text, unless there is none yet. */
Test(screen, a_question_mark_opens_the_help)
{
	type("a?");
	cr_assert_not(picture_has(draw(24, 80), " Help "));
	cr_assert(picture_has(&cells, "> a?"));
	press(IK_KEY_BACKSPACE, 0, 0);
	press(IK_KEY_BACKSPACE, 0, 0);
	type("?");
	cr_assert(picture_has(draw(24, 80), " Help "));
	type("q");
	cr_assert_not(picture_has(draw(24, 80), " Help "));
	cr_assert_not(picture_has(&cells, "?"));
}

Test(screen, keys_may_come_before_the_first_picture)
{
	press(IK_KEY_PAGE_UP, 0, 0);
	press(IK_KEY_F1, 0, 0);
	press(IK_KEY_PAGE_DOWN, 0, 0);
	cr_assert(picture_has(draw(24, 80), " Help "));
	press(IK_KEY_ESCAPE, 0, 0);
	cr_assert_not(picture_has(draw(24, 80), " Help "));
}

Test(screen, a_pane_stands_beside_the_scrollback_where_there_is_room)
{
	tell_message(call_message("c1", "{\"pattern\":\"*.c\"}"));
	tell_message(result_message("c1", "{\"tool_success\":true,\"result\":1}"));
	press(IK_KEY_F3, 0, 0);
	PICTURE_IS(draw(16, 100),
		"● glob pattern=*.c · 12 ms · 1 line                        │─ Tool inspector  1/1 ──────────────────\n"
		"                                                           │ ● glob pattern=*.c                12 ms\n"
		"                                                           │────────────────────────────────────────\n"
		"                                                           │ glob\n"
		"                                                           │ ok  exit 0  12 ms  c1\n"
		"                                                           │\n"
		"                                                           │ Arguments\n"
		"                                                           │ {\n"
		"                                                           │   \"pattern\": \"*.c\"\n"
		"                                                           │ }\n"
		"                                                           │\n"
		"                                                           │ Envelope: what the model got\n"
		"                                                           │ Tab text  o pager  PgUp/PgDn  Esc close\n"
		"────────────────────────────────────────────────────────────────────────────────────────────────────\n"
		">\n"
		" openai/gpt · ◌ tools                                  F1 help  F3 inspector  F4 sessions  F2 tools\n");
	cr_assert_eq(cells.cursor_row, -1);
	type("x");
	cr_assert(picture_has(draw(16, 100), "Esc: back to the prompt"));
	press(IK_KEY_F6, 0, 0);
	type("x");
	draw(16, 100);
	cr_assert_eq(cells.cursor_row, 14);
	cr_assert(picture_has(&cells, "F6 next pane  F3 close"));
	press(IK_KEY_F6, 0, 0);
	cr_assert(picture_has(draw(16, 100), "─ Enter open  y copy"));
	cr_assert(picture_has(draw(16, 100), "F6 next pane  F3 close"));
	press(IK_KEY_F6, 0, 0);
	cr_assert_not(picture_has(draw(16, 100), "F6 next pane  F3 close"));
}

Test(screen, r_refreshes_in_the_browser_and_is_typed_elsewhere)
{
	cr_assert_eq(press(IK_KEY_CHARACTER, 0, 'r').action, IK_ACTION_NONE);
	press(IK_KEY_BACKSPACE, 0, 0);
	press(IK_KEY_F2, 0, 0);
	cr_assert_eq(press(IK_KEY_CHARACTER, 0, 'r').action, IK_ACTION_REFRESH);
	type("q");
	type("for");
	cr_assert(picture_has(draw(12, 60), "\n> for\n"));
	cr_assert_eq(press(IK_KEY_F5, 0, 0).action, IK_ACTION_REFRESH);
}

Test(screen, scrolled_away_it_stays_and_says_what_is_new)
{
	char text[4000] = "";
	for (int i = 1; i <= 50; i++)
		(void)snprintf(text + strlen(text), 20, "line %d\n", i);
	tell_kind(IK_EVENT_TURN_STARTED);
	tell_text(IK_EVENT_TEXT, text);
	draw(12, 50);
	press(IK_KEY_PAGE_UP, 0, 0);
	cr_assert(picture_has(draw(12, 50), "line 43\n◐ "), "%s", picture_of(&cells));
	cr_assert(picture_has(&cells, "─ ↓ (End) ─"), "%s", picture_of(&cells));
	tell_text(IK_EVENT_TEXT, "line 51\nline 52\nline 53\n");
	cr_assert(picture_has(draw(12, 50), "line 43\n◐ "));
	cr_assert(picture_has(&cells, "─ 3 new lines ↓ (End) ─"), "%s", picture_of(&cells));
	press(IK_KEY_END, 0, 0);
	cr_assert(picture_has(draw(12, 50), "line 53\n"));
	cr_assert_not(picture_has(&cells, "(End)"));
	press(IK_KEY_HOME, IK_CONTROL, 0);
	cr_assert(picture_has(draw(12, 50), "line 1\n"));
	type("x");
	press(IK_KEY_ENTER, 0, 0);
	cr_assert(picture_has(draw(12, 50), "line 53\n"));
}

Test(screen, waits_are_counted_and_shown)
{
	tell_kind(IK_EVENT_TURN_STARTED);
	tell_text(IK_EVENT_WAITING, "Loading tools…");
	ik_screen_tick(screen, 0);
	cr_assert(picture_has(draw(12, 80), "◐ Loading tools… · 0s  "), "%s", picture_of(&cells));
	cr_assert(picture_has(&cells, "  Esc to stop\n"));
	tell_kind(IK_EVENT_ROUND_STARTED);
	tell((struct ik_event){.kind = IK_EVENT_RETRY, .delay_ms = 3500, .attempt = 2,
		.attempts = 5, .text = "429: slow down"});
	cr_assert_eq(ik_screen_tick(screen, 1000), 250);
	cr_assert(picture_has(draw(12, 80), "▲ Attempt 2 of 5 in 4s"));
	cr_assert(picture_has(&cells, " Esc to give up"));
	cr_assert(picture_has(&cells, "\n  429: slow down\n"));
	(void)ik_screen_tick(screen, 1500);
	cr_assert(picture_has(draw(12, 80), "Attempt 2 of 5 in 3s"));
	tell_kind(IK_EVENT_ROUND_STARTED);
	tell((struct ik_event){.kind = IK_EVENT_QUEUED, .count = 3, .text = "one\ntwo\nthree"});
	cr_assert(picture_has(draw(12, 80), "  2 more before that"));
	cr_assert(picture_has(&cells, " queued: three"));
	cr_assert(picture_has(draw(20, 80), " queued: one"));
	tell((struct ik_event){.kind = IK_EVENT_QUEUED});
	tell((struct ik_event){.kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_END});
	cr_assert_not(picture_has(draw(12, 80), "queued"));
}

Test(screen, a_failed_turn_can_be_tried_again)
{
	struct ik_event done = {.kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_ERROR};
	tell_kind(IK_EVENT_TURN_STARTED);
	tell(done);
	cr_assert_eq(ik_screen_tick(screen, 1000), -1, "nothing moves");
	cr_assert(picture_has(draw(20, 80), "▲ The turn failed  "), "%s", picture_of(&cells));
	cr_assert(picture_has(&cells, "  Enter to try again\n"));
	type("x");
	cr_assert(picture_has(draw(20, 80), "▲ The turn failed\n"), "%s", picture_of(&cells));
	press(IK_KEY_BACKSPACE, 0, 0);
	cr_assert_eq(press(IK_KEY_ENTER, 0, 0).action, IK_ACTION_GO_ON);
	/* With messages that are held, Enter sends these. */
	tell((struct ik_event){.kind = IK_EVENT_QUEUED, .count = 1, .held = true, .text = "next"});
	cr_assert(picture_has(draw(20, 80), "▲ 1 message is held  "));
	cr_assert(picture_has(&cells, "  Enter to send  Up to take back\n"));
	cr_assert_eq(press(IK_KEY_ENTER, 0, 0).action, IK_ACTION_GO_ON);
	tell((struct ik_event){.kind = IK_EVENT_QUEUED});
	/* Not in a session that another one writes, nor once it was tried. */
	tell((struct ik_event){.kind = IK_EVENT_LOCK, .lock = IK_LOCK_CHANGE_OTHERS});
	cr_assert_not(picture_has(draw(20, 80), "The turn failed"));
	cr_assert_eq(press(IK_KEY_ENTER, 0, 0).action, IK_ACTION_NONE);
	tell(done);
	tell_kind(IK_EVENT_TURN_STARTED);
	cr_assert_eq(press(IK_KEY_ENTER, 0, 0).action, IK_ACTION_NONE);
}

Test(screen, up_takes_back_one_message_after_another)
{
	tell((struct ik_event){.kind = IK_EVENT_QUEUED, .count = 2, .text = "one\ntwo"});
	cr_assert_eq(press(IK_KEY_UP, 0, 0).action, IK_ACTION_EDIT_QUEUED);
	ik_screen_set_draft(screen, "two", 3);
	tell((struct ik_event){.kind = IK_EVENT_QUEUED, .count = 1, .text = "one"});
	cr_assert_eq(press(IK_KEY_UP, 0, 0).action, IK_ACTION_EDIT_QUEUED);
	press(IK_KEY_LEFT, 0, 0);
	cr_assert_neq(press(IK_KEY_UP, 0, 0).action, IK_ACTION_EDIT_QUEUED, "there is a draft");
}

Test(screen, a_call_of_the_persons_own_can_be_seen_and_cancelled)
{
	struct ik_event own = {.kind = IK_EVENT_TOOL_STARTED, .id = "run_1", .name = "slow", .text = "{}"};
	tell_text(IK_EVENT_WAITING, "Loading the session…");
	ik_screen_tick(screen, 5000);
	cr_assert(picture_has(draw(12, 80), "Loading the session… · 0s"));
	cr_assert_eq(press(IK_KEY_ESCAPE, 0, 0).action, IK_ACTION_CANCEL);
	tell(own);
	ik_screen_tick(screen, 6000);
	cr_assert_eq(ik_screen_tick(screen, 7200), 50, "the mark turns four times a second");
	cr_assert(picture_has(draw(12, 80), "◐ slow · 1s"));
	cr_assert_eq(press(IK_KEY_ESCAPE, 0, 0).action, IK_ACTION_CANCEL);
	cr_assert_eq(control('c').action, IK_ACTION_CANCEL);
	/* A turn that comes and goes beside it leaves it alone. */
	tell_kind(IK_EVENT_TURN_STARTED);
	tell((struct ik_event){.kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_END});
	cr_assert(picture_has(draw(12, 80), "◐ slow · 1s"));
	own.kind = IK_EVENT_TOOL_DONE;
	own.text = "{\"tool_success\":true,\"result\":1}";
	tell(own);
	cr_assert_not(picture_has(draw(12, 80), "◐"));
	cr_assert_eq(ik_screen_tick(screen, 9000), -1, "nothing is due any more");
	cr_assert_eq(press(IK_KEY_ESCAPE, 0, 0).action, IK_ACTION_NONE);
}

Test(screen, errors_and_interruptions_are_said_in_words)
{
	say(IK_KIND_USER, "hello");
	tell_kind(IK_EVENT_TURN_STARTED);
	tell((struct ik_event){.kind = IK_EVENT_ERROR, .code = IK_CODE_AUTH, .text = "No key: set X."});
	tell((struct ik_event){.kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_ERROR});
	cr_assert(picture_has(draw(20, 60), "\n! No key: set X. (AUTH)\n"));
	tell_kind(IK_EVENT_TURN_STARTED);
	tell_text(IK_EVENT_THINKING, "Let me see");
	tell_text(IK_EVENT_TEXT, "It is");
	tell((struct ik_event){.kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_CANCELLED});
	cr_assert(picture_has(draw(20, 60), "\n~ Thought · 1 line\n\n  It is\n  [interrupted]\n"));
	say(IK_KIND_USER, "again");
	tell_kind(IK_EVENT_TURN_STARTED);
	tell((struct ik_event){.kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_CANCELLED});
	cr_assert(picture_has(draw(20, 60), "\n> again\n\n· Interrupted.\n"));
}

Test(screen, commands_show_their_output)
{
	static const char data[] = "{\"output\":\"Available tools:\\n  glob  Finds\\n\"}";
	tell_message(ik_message_new(IK_KIND_COMMAND, "/tool", 5, data, strlen(data)));
	cr_assert(picture_has(draw(22, 60), "> /tool\n  Available tools:\n    glob  Finds\n"));
}

Test(screen, a_clear_in_mid_reply_is_safe)
{
	tell_kind(IK_EVENT_TURN_STARTED);
	tell_text(IK_EVENT_TEXT, "one ");
	tell((struct ik_event){.kind = IK_EVENT_TOOL_STARTED, .id = "c", .name = "t", .text = "{}"});
	draw(20, 60);
	ik_screen_clear(screen);
	tell_text(IK_EVENT_TEXT, "two");
	tell((struct ik_event){.kind = IK_EVENT_TOOL_OUTPUT, .id = "c", .text = "x"});
	tell((struct ik_event){.kind = IK_EVENT_TURN_DONE, .stop = IK_TURN_STOP_END});
	cr_assert(picture_has(draw(20, 60), "  two\n"));
	cr_assert_not(picture_has(&cells, "one"));
}

Test(screen, too_small_says_so_and_nothing_breaks)
{
	cr_assert(picture_has(draw(5, 20), "too small: 20x5;"), "%s", picture_of(&cells));
	cr_assert(picture_has(draw(10, 40), "F1 help"));
	tell_message(call_message("c1", "{\"pattern\":\"日本語\"}"));
	type("some text that wraps in the editor");
	for (int pane = 0; pane < 4; pane++) {
		press(pane == 3 ? IK_KEY_F1 : pane == 2 ? IK_KEY_F2 : IK_KEY_F3, 0, 0);
		for (int rows = 1; rows < 30; rows += 2)
			for (int columns = 1; columns < 130; columns += 3)
				draw(rows, columns);
	}
}

Test(screen, only_visible_changes_ask_for_a_draw)
{
	draw(20, 60);
	press(IK_KEY_F12, 0, 0);
	press(IK_KEY_FOCUS_IN, 0, 0);
	cr_assert_not(ik_screen_dirty(screen));
	cr_assert_eq(ik_screen_tick(screen, 99999), -1);
	cr_assert_not(ik_screen_dirty(screen));
	ik_screen_bar(screen)->background = 0;
	cr_assert_not(ik_screen_dirty(screen));
	ik_screen_bar(screen)->background = 1;
	cr_assert(ik_screen_dirty(screen));
	draw(20, 60);
	cr_assert_not(ik_screen_dirty(screen));
	type("x");
	cr_assert(ik_screen_dirty(screen));
}

Test(screen, a_wheel_turns_what_it_is_over)
{
	char text[4000] = "";
	for (int i = 1; i <= 50; i++)
		(void)snprintf(text + strlen(text), 20, "line %d\n", i);
	tell_text(IK_EVENT_TEXT, text);
	draw(12, 50);
	struct ik_key key = {.code = IK_KEY_MOUSE, .button = IK_MOUSE_WHEEL_UP, .row = 2, .column = 2};
	ik_screen_key(screen, &key);
	cr_assert(picture_has(draw(12, 50), "line 47\n───"));
}

Test(screen, a_paste_that_was_cut_is_refused_in_words)
{
	struct ik_key key = {.code = IK_KEY_PASTE, .text = "the beginning", .text_length = 13,
		.text_cut = true};
	size_t length;

	ik_screen_key(screen, &key);
	cr_assert(picture_has(draw(24, 80), "too large for a message"));
	(void)ik_screen_draft(screen, &length);
	cr_assert_eq(length, 0);
	key.text_cut = false;
	ik_screen_key(screen, &key);
	cr_assert(picture_has(draw(24, 80), "> the beginning"));
}
