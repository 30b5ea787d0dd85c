#include "tui/screen/dialog.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "picture.h"
#include "tui/screen/screen.h"
#include "util/buf.h"
#include "util/limits.h"

static struct ik_cells cells;
static struct ik_screen *screen;
static int64_t now_ms;

static void begin(void)
{
	struct ik_screen_options options = {.provider = "openai", .model = "gpt"};
	screen = ik_screen_new(&options);
}

static void end(void)
{
	ik_screen_free(screen);
	ik_cells_done(&cells);
}

TestSuite(dialog, .init = begin, .fini = end);

/* Draw as it is so many milliseconds later; when it wants to be told the time again. */
static int64_t draw_after(int64_t ms, int rows, int columns)
{
	now_ms += ms;
	ik_cells_resize(&cells, rows, columns);
	ik_screen_resize(screen, rows, columns);
	int64_t next = ik_screen_tick(screen, now_ms);
	ik_screen_draw(screen, &cells);
	return next;
}

/* The same, until a question takes keys. */
static const struct ik_cells *draw(int rows, int columns)
{
	draw_after(0, rows, columns);
	draw_after(500, rows, columns);
	return &cells;
}

static struct ik_invocation press(enum ik_key_code code)
{
	return ik_screen_key(screen, &(struct ik_key){.code = code});
}

static struct ik_invocation control(char letter)
{
	return ik_screen_key(screen, &(struct ik_key){
		.code = IK_KEY_CHARACTER, .modifiers = IK_CONTROL, .codepoint = (uint32_t)letter});
}

static struct ik_invocation type(const char *text)
{
	struct ik_invocation reaction = {.action = IK_ACTION_NONE};
	for (; *text; text++)
		reaction = ik_screen_key(screen, &(struct ik_key){
			.code = IK_KEY_CHARACTER, .codepoint = (unsigned char)*text});
	return reaction;
}

static const struct ik_choice choices[] = {
	{.key = 'y', .label = "Once", .value = 1},
	{.key = 's', .label = "This session", .value = 2},
	{.key = 'a', .label = "Always", .value = 3},
	{.key = 'n', .label = "No", .value = 4, .prompt = "Reason: "},
};

static const char diff[] =
	"@@ line 10 @@\n"
	" int main(void)\n"
	"-	return 1;\n"
	"+	return 0;\n"
	" }\n";

static int ask_with(const char *title, const char *text, bool first)
{
	struct ik_question_part parts[] = {
		{IK_QUESTION_TEXT, text, strlen(text)},
		{IK_QUESTION_DIFF, diff, strlen(diff)},
	};
	struct ik_question question = {.title = title, .parts = parts, .part_count = 2,
		.choices = choices, .choice_count = 4, .escape = 3, .first = first};
	return ik_screen_ask(screen, &question);
}

static int ask(const char *title)
{
	return ask_with(title, "path: src/main.c", false);
}

static void is_answer(struct ik_invocation reaction, int question, int value, const char *text)
{
	cr_assert_eq(reaction.action, IK_ACTION_ANSWER);
	cr_assert_eq(reaction.number, question);
	cr_assert_eq(reaction.value, value);
	cr_assert_str_eq(reaction.text, text);
	cr_assert_eq(reaction.length, strlen(text));
}

static const char *draft(void)
{
	size_t length;
	return ik_screen_draft(screen, &length);
}

Test(dialog, a_question_stands_over_the_editor)
{
	ask("May the model call file_edit?");
	PICTURE_IS(draw(24, 80),
		"\n\n\n\n\n\n\n\n\n\n\n\n"
		"─ May the model call file_edit? ────────────────────────────────────────────────\n"
		"path: src/main.c\n"
		"@@ line 10 @@\n"
		" int main(void)\n"
		"-       return 1;\n"
		"+       return 0;\n"
		" }\n"
		"[y] Once  [s] This session  [a] Always  [n] No\n"
		"Left/Right choose  Enter answer  F6 put aside  Esc = [n] No\n"
		"────────────────────────────────────────────────────────────────────────────────\n"
		">\n"
		" openai/gpt · ◌ tools              F1 help  F3 inspector  F4 sessions  F2 tools\n");
	cr_assert_eq(cells.cursor_row, -1);
	cr_assert_eq(picture_style(&cells, "[n] No"), IK_STYLE_SELECTION);
	cr_assert_eq(picture_style(&cells, "[a]"), IK_STYLE_BOLD);
	cr_assert_eq(picture_style(&cells, "+ "), IK_STYLE_GOOD);
	cr_assert_eq(picture_style(&cells, "-  "), IK_STYLE_BAD);
	cr_assert_eq(picture_style(&cells, "@@ line"), IK_STYLE_DIM);
	cr_assert_eq(ik_screen_tick(screen, now_ms + 5000), -1, "nothing wakes up while it waits");
}

/* What is pushed out of sight is said to be there, and not agreed to before it was seen. */
Test(dialog, the_end_of_the_text_is_seen_before_it_is_agreed_to)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_MIB(1));
	for (int i = 1; i <= 30; i++)
		ik_buf_printf(&text, "harmless %d\n", i);
	ik_buf_puts(&text, "evil");
	int id = ask_with("Long?", text.data, false);
	draw(24, 80);
	cr_assert(picture_has(&cells, " ↓ 24 more lines (PgDn) "));
	cr_assert_eq(type("y").action, IK_ACTION_NONE);
	draw(24, 80);
	cr_assert(picture_has(&cells, " ↓ 13 more lines (PgDn) "), "it scrolls on instead");
	press(IK_KEY_TAB);
	cr_assert_eq(press(IK_KEY_ENTER).action, IK_ACTION_NONE);
	draw(24, 80);
	cr_assert_eq(type("a").action, IK_ACTION_NONE);
	draw(24, 80);
	cr_assert(picture_has(&cells, "evil"));
	cr_assert(picture_has(&cells, " }"));
	cr_assert_not(picture_has(&cells, "more line"));
	is_answer(type("y"), id, 1, "");
	id = ask_with("Long?", text.data, false);
	draw(24, 80);
	is_answer(press(IK_KEY_ESCAPE), id, 4, "");
	ik_buf_done(&text);
}

Test(dialog, runs_of_empty_lines_are_folded)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_MIB(1));
	ik_buf_puts(&text, "one\n\n\ntwo");
	for (int i = 0; i < 298; i++)
		ik_buf_puts(&text, i % 3 == 0 ? "\n\xE3\x80\x80" : i % 3 == 1 ? "\n \t" : "\n");
	ik_buf_puts(&text, "\nevil");
	static const char added[] = "@@ -1 +1,6 @@\n-old\n+new\n+\n+  \n+\n+\n+evil too\n";
	struct ik_question_part parts[] = {
		{IK_QUESTION_TEXT, text.data, text.length},
		{IK_QUESTION_DIFF, added, strlen(added)},
	};
	struct ik_question question = {.title = "Blank?", .parts = parts, .part_count = 2,
		.choices = choices, .choice_count = 4, .escape = 3};
	int id = ik_screen_ask(screen, &question);
	draw(24, 80);
	cr_assert(picture_has(&cells, "\none\n\n\ntwo\n[298 empty lines]\nevil\n@@ -1 +1,6 @@\n"
		"-old\n+new\n+[4 empty lines]\n+evil too\n"));
	is_answer(type("y"), id, 1, "");
	ik_buf_done(&text);
}

Test(dialog, the_smallest_screen_has_room)
{
	ask("May the model call file_edit?");
	PICTURE_IS(draw(10, 40),
		"─ May the model call file_edit? ── ↓ 3 ─\n"
		"path: src/main.c\n"
		"@@ line 10 @@\n"
		" int main(void)\n"
		"[y] Once  [s] This session  [a] Always\n"
		"[n] No\n"
		"Enter answer  PgUp/PgDn  F6 put aside\n"
		"────────────────────────────────────────\n"
		">\n"
		" gpt · ◌ tools    F1 help  F3 inspector\n");
	press(IK_KEY_PAGE_DOWN);
	press(IK_KEY_END);
	draw(10, 40);
	cr_assert(picture_has(&cells, "+       return 0;"));
	cr_assert_not(picture_has(&cells, "path:"));
	press(IK_KEY_RIGHT);
	is_answer(press(IK_KEY_ENTER), 1, 1, "");
	draw(9, 40);
	cr_assert(picture_has(&cells, "too small"));
}

Test(dialog, its_text_has_a_row_before_queued_messages_have)
{
	ask("May the model call file_edit?");
	ik_screen_set_draft(screen, "one\ntwo\nthree", strlen("one\ntwo\nthree"));
	ik_screen_apply(screen, &(struct ik_event){.kind = IK_EVENT_QUEUED, .count = 2,
		.text = "next\nlast", .text_length = strlen("next\nlast")});
	cr_assert(picture_has(draw(10, 40), "path: src/main.c"));
	cr_assert(picture_has(&cells, "[n] No"));
	cr_assert(picture_has(&cells, "three"));
	cr_assert_not(picture_has(&cells, "queued: last"));
	cr_assert(picture_has(draw(24, 40), "queued: last"));
}

Test(dialog, every_size_is_drawn_without_a_question_lost)
{
	ask("May the model call file_edit?");
	for (int rows = 1; rows < 30; rows++)
		for (int columns = 1; columns < 120; columns += 7) {
			draw(rows, columns);
			if (rows >= 10 && columns >= 40)
				cr_assert(picture_has(&cells, "[y] Once"), "%dx%d", columns, rows);
		}
}

Test(dialog, letters_answer_and_so_do_arrows_with_enter)
{
	int one = ask("One?");
	draw(24, 80);
	is_answer(type("S"), one, 2, "");
	int other = ask("Another?");
	draw(24, 80);
	press(IK_KEY_RIGHT);
	press(IK_KEY_TAB);
	press(IK_KEY_RIGHT);
	press(IK_KEY_RIGHT);
	press(IK_KEY_LEFT);
	is_answer(press(IK_KEY_ENTER), other, 3, "");
	cr_assert_str_eq(draft(), "", "an answer is no text");
	draw(24, 80);
	cr_assert_not(picture_has(&cells, "Waiting for your answer"));
}

/* Nothing that is typed is lost, and the end of a message allows nothing. */
Test(dialog, a_letter_that_answers_nothing_begins_a_message)
{
	int id = ask("May it?");

	draw(24, 80);
	cr_assert_eq(type("look").action, IK_ACTION_NONE);
	cr_assert_str_eq(draft(), "look");
	draw(24, 80);
	cr_assert_not(picture_has(&cells, "[y] Once"), "it is put aside");
	cr_assert_eq(press(IK_KEY_ENTER).action, IK_ACTION_SEND);
	draw(24, 80);
	press(IK_KEY_F6);
	draw(24, 80);
	is_answer(type("y"), id, 1, "");
}

Test(dialog, a_reason_may_be_written)
{
	int id = ask("May it?");
	draw(24, 80);
	cr_assert_eq(type("n").action, IK_ACTION_NONE);
	type("not ");
	ik_screen_key(screen, &(struct ik_key){.code = IK_KEY_PASTE, .text = "now", .text_length = 3});
	draw(24, 80);
	cr_assert(picture_has(&cells, "Reason: not now"));
	cr_assert(picture_has(&cells, "Esc back"));
	cr_assert_eq(cells.cursor_column, 15);
	press(IK_KEY_ESCAPE);
	draw(24, 80);
	cr_assert(picture_has(&cells, "[n] No"));
	type("n");
	type("because");
	is_answer(press(IK_KEY_ENTER), id, 4, "because");
	cr_assert_str_eq(draft(), "");
}

Test(dialog, escape_is_an_answer_and_interrupt_is_the_turns)
{
	int id = ask("May it?");
	draw(24, 80);
	is_answer(press(IK_KEY_ESCAPE), id, 4, "");
	id = ask("May it?");
	draw(24, 80);
	is_answer(control('c'), id, 4, "");
	ik_screen_apply(screen, &(struct ik_event){.kind = IK_EVENT_TURN_STARTED});
	id = ask("May it?");
	draw(24, 80);
	cr_assert(picture_has(&cells, "◌ Waiting for your answer"));
	cr_assert(picture_has(&cells, "Ctrl-C to stop"));
	cr_assert_eq(control('c').action, IK_ACTION_CANCEL);
	ik_screen_withdraw(screen, id);
	ik_screen_withdraw(screen, id);
	draw(24, 80);
	cr_assert_not(picture_has(&cells, "May it?"));
	cr_assert(picture_has(&cells, " Waiting for gpt · "));
	cr_assert(picture_has(&cells, "Esc to stop"));
}

Test(dialog, who_is_writing_is_not_disturbed)
{
	type("dear mo");
	int id = ask("May it?");
	draw(24, 80);
	cr_assert(picture_has(&cells, "─ May it? ──"));
	cr_assert(picture_has(&cells, "F6 answer"));
	cr_assert_not(picture_has(&cells, "[y] Once"));
	type("del, yes");
	cr_assert_str_eq(draft(), "dear model, yes");
	press(IK_KEY_F6);
	draw(24, 80);
	cr_assert(picture_has(&cells, "[y] Once"));
	cr_assert_eq(cells.cursor_row, -1);
	press(IK_KEY_F6);
	draw(24, 80);
	cr_assert_not(picture_has(&cells, "[y] Once"));
	cr_assert_neq(cells.cursor_row, -1);
	press(IK_KEY_F6);
	draw(24, 80);
	is_answer(type("y"), id, 1, "");
	cr_assert_str_eq(draft(), "dear model, yes");
}

/* Letters that are looked for allow nothing. */
Test(dialog, who_looks_for_something_is_not_disturbed)
{
	for (int i = 0; i < 2; i++) {
		draw(24, 80);
		control(i == 0 ? 's' : 'r');
		type("ma");
		int id = ask("May it?");
		draw(24, 80);
		cr_assert(picture_has(&cells, "F6 answer"));
		cr_assert_not(picture_has(&cells, "[y] Once"));
		cr_assert_eq(type("y").action, IK_ACTION_NONE);
		draw(24, 80);
		cr_assert(i == 1 || picture_has(&cells, "Search: may"));
		press(IK_KEY_F6);
		draw(24, 80);
		cr_assert(picture_has(&cells, "[y] Once"));
		is_answer(type("y"), id, 1, "");
		cr_assert_str_eq(draft(), "");
	}
}

Test(dialog, enter_with_nothing_to_send_opens_what_was_put_aside)
{
	ask("May it?");
	draw(24, 80);
	press(IK_KEY_F6);
	cr_assert_eq(press(IK_KEY_ENTER).action, IK_ACTION_NONE);
	draw(24, 80);
	cr_assert(picture_has(&cells, "[y] Once"));
}

Test(dialog, what_was_typed_before_it_was_seen_answers_nothing)
{
	ask("May it?");
	cr_assert_eq(type("yes").action, IK_ACTION_NONE);
	cr_assert_str_eq(draft(), "yes", "it was for the editor");
	draw(24, 80);
	cr_assert(picture_has(&cells, "F6 answer"));
	press(IK_KEY_F6);
	draw(24, 80);
	int other = ask("And this?");
	cr_assert_eq(type("y").action, IK_ACTION_ANSWER);
	cr_assert_eq(type("y").action, IK_ACTION_NONE, "the key was held too long");
	cr_assert_str_eq(draft(), "yes");
	draw(24, 80);
	is_answer(type("y"), other, 1, "");
}

Test(dialog, a_question_that_came_by_itself_takes_no_answer_at_first)
{
	int id = ask("May it?");
	cr_assert_eq(draw_after(0, 24, 80), 500, "it wants to be drawn when it is ready");
	cr_assert(picture_has(&cells, "─ May it? ──"));
	cr_assert(picture_has(&cells, "…"));
	cr_assert_not(picture_has(&cells, "[y] Once"));
	cr_assert_not(picture_has(&cells, "Enter answer"));
	draw_after(499, 24, 80);
	cr_assert_eq(press(IK_KEY_ENTER).action, IK_ACTION_NONE);
	cr_assert_eq(draw_after(1, 24, 80), 499, "Enter makes it last longer");
	draw_after(498, 24, 80);
	cr_assert_not(picture_has(&cells, "[y] Once"));
	cr_assert_eq(press(IK_KEY_ENTER).action, IK_ACTION_NONE);
	draw_after(0, 24, 80);
	cr_assert_eq(draw_after(500, 24, 80), -1);
	cr_assert(picture_has(&cells, "[y] Once"));
	cr_assert_not(picture_has(&cells, "…"));
	is_answer(type("y"), id, 1, "");
	cr_assert_str_eq(draft(), "");
}

/* Late by the clock alone: what was not drawn as ready is not. */
Test(dialog, a_key_that_was_read_late_answers_nothing)
{
	ask("May it?");
	draw_after(0, 24, 80);
	now_ms += 700;
	cr_assert_eq(press(IK_KEY_ENTER).action, IK_ACTION_NONE);
	cr_assert_eq(type("y").action, IK_ACTION_NONE);
	cr_assert_str_eq(draft(), "y");
}

Test(dialog, what_is_typed_too_early_goes_to_the_editor)
{
	int id = ask("May it?");
	draw_after(0, 24, 80);
	draw_after(150, 24, 80);
	cr_assert_eq(type("y").action, IK_ACTION_NONE);
	draw_after(600, 24, 80);
	cr_assert_eq(type("es p").action, IK_ACTION_NONE);
	cr_assert_str_eq(draft(), "yes p");
	draw(24, 80);
	cr_assert(picture_has(&cells, "F6 answer"));
	press(IK_KEY_F6);
	draw_after(0, 24, 80);
	cr_assert(picture_has(&cells, "[y] Once"), "the user opened it: it is ready at once");
	is_answer(type("y"), id, 1, "");
	cr_assert_str_eq(draft(), "yes p");
	id = ask("And this?");
	control('u');
	press(IK_KEY_F6);
	draw_after(0, 24, 80);
	cr_assert_eq(type("y").action, IK_ACTION_ANSWER);
	id = ask("Pasted?");
	draw_after(0, 24, 80);
	ik_screen_key(screen, &(struct ik_key){.code = IK_KEY_PASTE, .text = "y\n", .text_length = 2});
	draw(24, 80);
	cr_assert(picture_has(&cells, "F6 answer"));
	press(IK_KEY_F6);
	draw_after(0, 24, 80);
	is_answer(press(IK_KEY_ESCAPE), id, 4, "");
}

/* Held down, the key that answered one question answers none after it, and is no text either. */
Test(dialog, the_next_question_is_seen_before_it_is_answered)
{
	int one = ask("One?"), two = ask("Two?");
	draw(24, 80);
	is_answer(type("y"), one, 1, "");
	draw_after(0, 24, 80);
	for (int i = 0; i < 40; i++) {
		cr_assert_eq(type("y").action, IK_ACTION_NONE);
		draw_after(30, 24, 80);
	}
	cr_assert_str_eq(draft(), "");
	cr_assert(picture_has(&cells, "─ Two? ──"));
	draw_after(500, 24, 80);
	is_answer(type("y"), two, 1, "");
}

Test(dialog, a_guarded_question_is_first_but_not_ready_at_once)
{
	int one = ask("One?"), two = ask("Two?");
	draw(24, 80);
	is_answer(type("y"), one, 1, "");
	struct ik_question question = {.title = "One has changed?", .choices = choices,
		.choice_count = 4, .escape = 3, .first = true, .guarded = true};
	int changed = ik_screen_ask(screen, &question);
	draw_after(0, 24, 80);
	cr_assert(picture_has(&cells, "One has changed?"));
	cr_assert_not(picture_has(&cells, "[y] Once"));
	cr_assert_eq(type("y").action, IK_ACTION_NONE);
	cr_assert_eq(press(IK_KEY_ENTER).action, IK_ACTION_NONE);
	cr_assert_str_eq(draft(), "");
	draw_after(0, 24, 80);
	draw_after(500, 24, 80);
	is_answer(type("y"), changed, 1, "");
	draw(24, 80);
	is_answer(type("y"), two, 1, "");
}

Test(dialog, a_question_that_was_wanted_is_ready_when_it_is_drawn)
{
	struct ik_question question = {.title = "Delete?", .choices = choices, .choice_count = 4,
		.escape = 3, .wanted = true};
	int id = ik_screen_ask(screen, &question);
	cr_assert_eq(draw_after(0, 24, 80), 500);
	cr_assert(picture_has(&cells, "[y] Once"));
	is_answer(type("y"), id, 1, "");
}

Test(dialog, time_behind_the_help_does_not_count)
{
	ask("May it?");
	draw_after(0, 24, 80);
	press(IK_KEY_F1);
	cr_assert_eq(draw_after(100, 24, 80), -1);
	press(IK_KEY_F1);
	draw_after(900, 24, 80);
	cr_assert_eq(press(IK_KEY_ENTER).action, IK_ACTION_NONE);
	cr_assert_not(picture_has(&cells, "[y] Once"));
}

Test(dialog, scrolling_is_no_typing_and_escape_is_safe_at_any_time)
{
	int id = ask("May it?");
	draw_after(0, 24, 80);
	draw_after(300, 24, 80);
	press(IK_KEY_PAGE_DOWN);
	draw_after(200, 24, 80);
	cr_assert(picture_has(&cells, "[y] Once"));
	is_answer(press(IK_KEY_ESCAPE), id, 4, "");
	id = ask("May it?");
	draw_after(0, 24, 80);
	is_answer(press(IK_KEY_ESCAPE), id, 4, "");
}

Test(dialog, questions_wait_in_their_order)
{
	int one = ask("One?");
	int two = ask("Two?");
	int three = ask("Three?");
	draw(24, 80);
	cr_assert(picture_has(&cells, "One?"));
	cr_assert(picture_has(&cells, "1 of 3"));
	is_answer(type("y"), one, 1, "");
	int follow = ask_with("Of the first?", "x", true);
	draw(24, 80);
	cr_assert(picture_has(&cells, "Of the first?"));
	is_answer(type("y"), follow, 1, "");
	ik_screen_withdraw(screen, two);
	draw(24, 80);
	cr_assert(picture_has(&cells, "Three?"));
	is_answer(type("a"), three, 3, "");
}

/* None is hidden behind another, and one that was put aside lets a new one before it. */
Test(dialog, one_put_aside_shows_that_others_wait)
{
	int one = ask("One?");
	draw(24, 80);
	press(IK_KEY_F6);
	draw(24, 80);
	cr_assert(picture_has(&cells, "One? "));
	cr_assert_not(picture_has(&cells, "1 of"));
	int two = ask("Two?");
	draw(24, 80);
	cr_assert(picture_has(&cells, "Two? "));
	cr_assert(picture_has(&cells, "1 of 2"));
	cr_assert(picture_has(&cells, "[y] Once"), "nothing else has the keys");
	press(IK_KEY_F6);
	type("busy");
	ask("Three?");
	draw(24, 80);
	cr_assert(picture_has(&cells, "Three? "));
	cr_assert(picture_has(&cells, "1 of 3 · F6 answer"));
	cr_assert_not(picture_has(&cells, "[y] Once"), "it doesn't take what is typed");
	press(IK_KEY_F6);
	draw(24, 80);
	press(IK_KEY_ESCAPE);
	draw(24, 80);
	is_answer(type("y"), two, 1, "");
	draw(24, 80);
	is_answer(type("y"), one, 1, "");
}

/* What no slip may do: the letter only selects it. */
Test(dialog, a_careful_choice_takes_enter)
{
	static const struct ik_choice careful[] = {
		{.key = 't', .label = "Trust", .value = 1, .careful = true},
		{.key = 'n', .label = "Not now", .value = 2},
	};
	int id = ik_screen_ask(screen, &(struct ik_question){.title = "Trust it?", .choices = careful,
		.choice_count = 2, .escape = 1});
	draw(24, 80);
	cr_assert_eq(type("t").action, IK_ACTION_NONE);
	cr_assert_str_eq(draft(), "");
	draw(24, 80);
	is_answer(press(IK_KEY_ENTER), id, 1, "");
	id = ik_screen_ask(screen, &(struct ik_question){.title = "Trust it?", .choices = careful,
		.choice_count = 2, .escape = 1});
	draw(24, 80);
	is_answer(type("n"), id, 2, "");
}

Test(dialog, panes_take_the_keys_and_the_help_covers_it)
{
	int id = ask("May it?");
	draw(24, 120);
	press(IK_KEY_F2);
	draw(24, 120);
	cr_assert(picture_has(&cells, "Tool browser"));
	cr_assert(picture_has(&cells, "F6 answer"));
	press(IK_KEY_F6);
	draw(24, 120);
	press(IK_KEY_F1);
	draw(24, 120);
	cr_assert_not(picture_has(&cells, "[y] Once"));
	press(IK_KEY_ESCAPE);
	draw(24, 120);
	cr_assert(picture_has(&cells, "[y] Once"));
	is_answer(type("y"), id, 1, "");
}

Test(dialog, what_comes_from_outside_is_harmless)
{
	ask_with("May \x1b[31mred?\n", "one\x1b]0;x\x07\ntwo\xff", false);
	draw(24, 80);
	cr_assert(picture_has(&cells, "May ␛[31mred?"));
	cr_assert(picture_has(&cells, "one␛]0;x␇"));
	cr_assert(picture_has(&cells, "two\xEF\xBF\xBD"));
}

Test(dialog, a_long_text_is_scrolled_at_any_width)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_MIB(8));
	ik_screen_apply(screen,
		&(struct ik_event){.kind = IK_EVENT_NOTICE, .text = "earlier", .text_length = 7});
	for (int i = 1; i <= 50000; i++)
		ik_buf_printf(&text, "line %d with some words that need more than forty columns\n", i);
	int id = ask_with("Long?", text.data, false);
	ik_buf_done(&text);
	draw(60, 200);
	cr_assert(picture_has(&cells, "line 1 "));
	cr_assert(picture_has(&cells, "· earlier"), "the conversation is still to be seen");
	cr_assert(picture_has(&cells, " ↓ 1000+ more lines (PgDn) "), "nobody takes this for all");
	press(IK_KEY_END);
	draw(60, 200);
	cr_assert_not(picture_has(&cells, " (PgDn) "));
	cr_assert(picture_has(&cells, "line 50000 "));
	cr_assert(picture_has(&cells, "+       return 0;"));
	draw(10, 40);
	cr_assert(picture_has(&cells, "+       return 0;"));
	press(IK_KEY_UP);
	press(IK_KEY_HOME);
	draw(10, 40);
	cr_assert(picture_has(&cells, "line 1 "));
	is_answer(type("y"), id, 1, "");
}
