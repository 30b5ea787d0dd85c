#include "tui/edit/completion.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/edit/history.h"
#include "tui/term/key_name.h"
#include "tui/screen/prompt.h"
#include "tui/screen/screen.h"
#include "util/buf.h"

static const struct ik_proposal names[] = {
	{.text = "README"}, {.text = "main.c"}, {.text = "Makefile"}, {.text = "a b.txt"},
	{.text = "日本.txt"}, {.text = "日曜.txt"}, {.text = "src/"}, {.text = "remain"},
};

static struct ik_completions of(const char *typed, enum ik_quoting quoting)
{
	return (struct ik_completions){ .typed = typed, .head = "", .quoting = quoting,
		.candidates = names, .count = sizeof names / sizeof *names };
}

/* The texts that fit, with blanks between. */
static const char *fitting(const char *typed)
{
	static char out[1000];
	struct ik_completions completions = of(typed, IK_QUOTING_NONE);
	uint32_t *indexes;
	size_t count = ik_completion_match(&completions, &indexes);
	out[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		strcat(out, names[indexes[i]].text);
		strcat(out, i + 1 < count ? ", " : "");
	}
	free(indexes);
	return out;
}

Test(completion, what_begins_so_comes_first)
{
	cr_assert_str_eq(fitting("ma"), "main.c, Makefile, remain");
	cr_assert_str_eq(fitting("Ma"), "Makefile, main.c, remain");
	cr_assert_str_eq(fitting("txt"), "a b.txt, 日本.txt, 日曜.txt");
	cr_assert_str_eq(fitting("日"), "日本.txt, 日曜.txt");
	cr_assert_str_eq(fitting("nothing"), "");
}

Test(completion, names_in_no_order_are_sorted)
{
	const struct ik_proposal files[] = { {.text = "ab3"}, {.text = "xab"}, {.text = "ab1"},
		{.text = "other"}, {.text = "aab"}, {.text = "ab2"} };
	const uint32_t expected[] = { 2, 5, 0, 4, 1 };
	struct ik_completions completions = { .typed = "ab", .head = "", .candidates = files,
		.count = 6, .unsorted = true };
	uint32_t *indexes;
	cr_assert_eq(ik_completion_match(&completions, &indexes), 5);
	cr_assert_arr_eq(indexes, expected, sizeof expected);
	free(indexes);
}

Test(completion, a_command_is_found_by_a_part_of_its_name)
{
	const struct ik_proposal commands[] = { {.text = "/mode", .description = "m"}, {.text = "/model", .description = "m"}, {.text = "/system", .description = "s"} };
	struct ik_completions completions = { .typed = "/m", .head = "", .candidates = commands,
		.count = 3 };
	uint32_t *indexes;
	size_t prefixed;
	cr_assert_eq(ik_completion_match(&completions, &indexes), 3);
	/* what has it only within does not hold the others back */
	cr_assert_eq(ik_completion_common(&completions, indexes, 3, &prefixed), strlen("/mode"));
	cr_assert_eq(prefixed, 2);
	free(indexes);
}

Test(completion, what_is_common_ends_with_a_character)
{
	struct ik_completions completions = of("日", IK_QUOTING_NONE);
	uint32_t *indexes;
	size_t prefixed, count = ik_completion_match(&completions, &indexes);
	/* the second characters differ in their last bytes only */
	cr_assert_eq(ik_completion_common(&completions, indexes, count, &prefixed), strlen("日"));
	free(indexes);
}

/* What is put in for a candidate, '|' where the cursor goes. */
static const char *put(const struct ik_completions *completions, size_t index, size_t length)
{
	static char out[400];
	struct ik_buf buf;
	ik_buf_init(&buf, 400);
	size_t caret = ik_completion_put(completions, index, length, &buf);
	cr_assert_eq(ik_buf_status(&buf), IK_OK);
	snprintf(out, sizeof out, "%.*s|%s", (int)caret, buf.data, buf.data + caret);
	ik_buf_done(&buf);
	return out;
}

Test(completion, words_are_quoted_as_their_reader_wants)
{
	struct ik_completions plain = of("", IK_QUOTING_NONE), mention = of("", IK_QUOTING_MENTION);
	struct ik_completions shell = of("", IK_QUOTING_SHELL);
	cr_assert_str_eq(put(&plain, 1, SIZE_MAX), "main.c |");
	cr_assert_str_eq(put(&plain, 1, 2), "ma|");
	cr_assert_str_eq(put(&plain, 6, SIZE_MAX), "src/|"); /* a directory goes on */
	mention.head = "src/";
	cr_assert_str_eq(put(&mention, 1, SIZE_MAX), "@src/main.c |");
	cr_assert_str_eq(put(&mention, 3, SIZE_MAX), "@\"src/a b.txt\" |");
	cr_assert_str_eq(put(&mention, 3, 3), "@\"src/a b|");
	mention.head = "a\"b/";
	cr_assert_str_eq(put(&mention, 1, SIZE_MAX), "@a\"b/main.c |");
	shell.head = "~/it's/";
	cr_assert_str_eq(put(&shell, 3, SIZE_MAX), "~/it\\'s/a\\ b.txt |");
}

Test(completion, the_cursor_goes_into_a_template)
{
	const struct ik_proposal template = {.text = "{\"path\": \"\", \"limit\": 0}"};
	struct ik_completions completions = { .typed = "", .head = "", .candidates = &template,
		.count = 1, .caret_in_quotes = true };
	cr_assert_str_eq(put(&completions, 0, SIZE_MAX), "{\"path\": \"|\", \"limit\": 0}");
}

static struct ik_completions told; /* what the word at the cursor may become */
static struct ik_keymap *keymap;
static struct ik_prompt *prompt;
static struct ik_cells cells;

static bool tell(void *arg, const char *text, size_t length, struct ik_completions *ret)
{
	(void)arg;
	(void)text;
	(void)length;
	bool asked = ret->asked;
	*ret = told;
	ret->asked = asked;
	return true;
}

static void begin_prompt(bool visual)
{
	keymap = ik_keymap_new(NULL);
	prompt = ik_prompt_new(keymap, NULL, 0, visual);
	prompt->completer = tell;
	prompt->completer_arg = NULL;
	ik_cells_init(&cells);
}

static void end_prompt(void)
{
	ik_cells_done(&cells);
	ik_prompt_free(prompt);
	ik_keymap_free(keymap);
}

/* Write a text, for which these are the candidates. */
static void tell_of(const char *text, const struct ik_completions *completions)
{
	told = *completions;
	ik_prompt_set(prompt, text, strlen(text));
	ik_prompt_update(prompt);
}

/* The number of rows that are drawn, and the text of the selected one; "": none is. */
static int drawn(const char **ret_selected)
{
	static char text[61];
	int rows = 0;
	ik_cells_resize(&cells, 20, 60);
	ik_cells_set_cursor(&cells, 0, 5);
	ik_prompt_draw_candidates(prompt, &cells, (struct ik_rectangle){ 0, 0, 20, 60 });
	text[0] = '\0';
	for (int row = 0; row < 20; row++) {
		bool any = false;
		for (int column = 0; column < 60; column++) {
			const struct ik_cell *cell = ik_cells_at(&cells, row, column);
			any |= cell->style != IK_STYLE_NORMAL;
			if (cell->style == IK_STYLE_SELECTION && cell->text[0] > ' ')
				strncat(text, cell->text, cell->length);
		}
		rows += any;
	}
	*ret_selected = text;
	return rows;
}

static const char *selected(void)
{
	const char *text;
	(void)drawn(&text);
	return text;
}

Test(popup, selection_goes_round)
{
	struct ik_completions completions = of("", IK_QUOTING_NONE);
	const char *text;
	begin_prompt(false);
	cr_assert_eq(drawn(&text), 0);
	tell_of("x", &completions);
	cr_assert_eq(drawn(&text), 9);
	cr_assert_str_eq(text, "");
	cr_assert(!ik_prompt_candidate_key(prompt, IK_ACTION_UP), "the way to the history is open");
	cr_assert(ik_prompt_candidate_key(prompt, IK_ACTION_DOWN));
	cr_assert_str_eq(selected(), "README");
	cr_assert(ik_prompt_candidate_key(prompt, IK_ACTION_UP));
	cr_assert_str_eq(selected(), "remain");
	cr_assert(ik_prompt_candidate_key(prompt, IK_ACTION_DOWN));
	cr_assert_str_eq(selected(), "README");
	completions.typed = "nothing";
	tell_of("x", &completions);
	cr_assert_eq(drawn(&text), 0);
	completions.note = "asking...";
	tell_of("x", &completions);
	cr_assert_eq(drawn(&text), 1, "more will come");
	end_prompt();
}

Test(popup, is_drawn_in_any_area)
{
	struct ik_completions completions = of("", IK_QUOTING_NONE);
	begin_prompt(false);
	tell_of("x", &completions);
	for (int rows = 1; rows < 14; rows++)
		for (int columns = 1; columns < 50; columns += 3) {
			ik_cells_resize(&cells, rows, columns);
			ik_cells_set_cursor(&cells, 0, columns);
			ik_prompt_draw_candidates(prompt, &cells,
				(struct ik_rectangle){ 0, 0, rows, columns });
			ik_prompt_candidate_key(prompt, IK_ACTION_DOWN);
		}
	end_prompt();
}

Test(popup, fills_an_area_that_has_grown)
{
	struct ik_completions completions = of("", IK_QUOTING_NONE);
	const char *text;
	begin_prompt(false);
	tell_of("x", &completions);
	cr_assert(ik_prompt_candidate_key(prompt, IK_ACTION_COMPLETE_PREVIOUS));
	ik_cells_resize(&cells, 4, 40);
	ik_cells_set_cursor(&cells, 0, 1);
	ik_prompt_draw_candidates(prompt, &cells, (struct ik_rectangle){ 0, 0, 4, 40 });
	ik_cells_resize(&cells, 20, 40);
	cr_assert_eq(drawn(&text), 9);
	cr_assert_str_eq(selected(), "remain");
	end_prompt();
}

Test(popup, a_click_accepts_what_it_is_on)
{
	struct ik_completions completions = of("", IK_QUOTING_NONE);
	size_t length;
	begin_prompt(false);
	tell_of("x", &completions);
	cr_assert(!ik_prompt_click(prompt, 11, 5), "it was not drawn yet");
	(void)selected();
	cr_assert(!ik_prompt_click(prompt, 11, 2));
	cr_assert(!ik_prompt_click(prompt, 10, 5));
	cr_assert(!ik_prompt_click(prompt, 19, 5), "that row says the keys");
	cr_assert(ik_prompt_click(prompt, 13, 5));
	cr_assert_str_eq(ik_editor_text(prompt->editor, &length), "Makefile ");
	end_prompt();
}

static struct ik_history *history_of(const char *const *texts)
{
	struct ik_history *history = ik_history_new(NULL, 0);
	for (; *texts; texts++)
		ik_history_add(history, *texts, strlen(*texts));
	return history;
}

/* What is found now; "-": nothing, "!" before it: there is no other. */
static const char *found(const struct ik_history_search *search)
{
	static char out[200];
	size_t length;
	if (!search->found)
		return search->failed ? "!" : "-";
	const char *text = ik_history_at(search->history, search->index, &length);
	snprintf(out, sizeof out, "%s%.*s[%.*s]%s", search->failed ? "!" : "",
		(int)search->position, text, (int)search->length, text + search->position,
		text + search->position + search->length);
	return out;
}

Test(history_search, finds_older_ones_while_it_is_typed)
{
	const char *const texts[] = { "make check", "git log", "make\nall", "git log", "Make it so", NULL };
	struct ik_history *history = history_of(texts);
	struct ik_history_search search;
	ik_history_search_init(&search, history);
	cr_assert_str_eq(found(&search), "-");
	ik_history_search_type(&search, "ma", 2);
	cr_assert_str_eq(found(&search), "[Ma]ke it so");
	ik_history_search_move(&search, 1);
	cr_assert_str_eq(found(&search), "[ma]ke\nall");
	ik_history_search_type(&search, "ke c", 4);
	cr_assert_str_eq(found(&search), "[make c]heck");
	ik_history_search_move(&search, 1);
	cr_assert_str_eq(found(&search), "![make c]heck");
	ik_history_search_erase(&search);
	cr_assert_str_eq(found(&search), "[Make ]it so");
	ik_history_search_move(&search, -1);
	cr_assert_str_eq(found(&search), "![Make ]it so");
	for (int i = 0; i < 6; i++)
		ik_history_search_erase(&search);
	cr_assert_str_eq(found(&search), "-");
	ik_history_search_type(&search, "M", 1); /* a capital letter means itself */
	cr_assert_str_eq(found(&search), "[M]ake it so");
	ik_history_search_type(&search, "x", 1);
	cr_assert_str_eq(found(&search), "![M]ake it so");
	ik_history_search_done(&search);
	ik_history_free(history);
}

Test(history_search, passes_over_the_same_text)
{
	const char *const texts[] = { "log one", "git log", "other", "git log", NULL };
	struct ik_history *history = history_of(texts);
	struct ik_history_search search;
	ik_history_search_init(&search, history);
	ik_history_search_type(&search, "log", 3);
	cr_assert_str_eq(found(&search), "git [log]");
	ik_history_search_move(&search, 1);
	cr_assert_str_eq(found(&search), "[log] one");
	ik_history_search_done(&search);
	ik_history_free(history);
}

static const char *offered; /* what the text up to the cursor is to begin with */

static bool offer(void *arg, const char *text, size_t length, struct ik_completions *ret)
{
	static const struct ik_proposal commands[] = { {.text = "/mode"}, {.text = "/model"} };
	static char typed[100];
	(void)arg;
	if (strncmp(text, offered, strlen(offered)) != 0)
		return false;
	snprintf(typed, sizeof typed, "%.*s", (int)length, text);
	*ret = (struct ik_completions){ .typed = typed, .head = "", .candidates = commands,
		.count = 2 };
	return true;
}

static struct ik_invocation press(struct ik_screen *screen, const char *name)
{
	struct ik_key key;
	cr_assert(ik_key_parse(name, strlen(name), &key));
	return ik_screen_key(screen, &key);
}

static void expect_draft(struct ik_screen *screen, const char *expected)
{
	size_t length;
	cr_assert_str_eq(ik_screen_draft(screen, &length), expected);
}

Test(popup, is_gone_with_the_word_that_it_was_for)
{
	struct ik_screen_options options = { .provider = "p", .model = "m" };
	struct ik_screen *screen = ik_screen_new(&options);
	offered = "/";
	ik_screen_on_complete(screen, offer, NULL);
	press(screen, "/");
	press(screen, "m");
	ik_screen_set_draft(screen, "", 0);
	press(screen, "Down");
	cr_assert_eq(press(screen, "Enter").action, IK_ACTION_NONE);
	expect_draft(screen, "");
	/* Nothing is selected: Enter sends what was typed. */
	press(screen, "/");
	press(screen, "m");
	cr_assert_eq(press(screen, "Enter").action, IK_ACTION_SEND);
	/* What was refused stays so until there is another word. */
	press(screen, "/");
	press(screen, "Esc");
	press(screen, "m");
	press(screen, "Down");
	expect_draft(screen, "/m");
	press(screen, "Tab");
	expect_draft(screen, "/mode");
	press(screen, "Tab");
	press(screen, "Tab");
	cr_assert_eq(press(screen, "Enter").action, IK_ACTION_NONE);
	expect_draft(screen, "/model ");
	ik_screen_free(screen);
}

Test(popup, preselects_the_first_unless_what_was_typed_will_do)
{
	static const struct ik_proposal candidates[] = {
		{.text = "/mode"}, {.text = "/model"}, {.text = "/mouse"}, {.text = "src/"},
	};
	struct ik_completions completions = {
		.typed = "/mo", .head = "", .candidates = candidates, .count = 4,
	};

	begin_prompt(false);
	tell_of("/mo", &completions);
	cr_assert_str_eq(selected(), "");
	end_prompt();
	begin_prompt(true);
	tell_of("/mo", &completions);
	cr_assert_str_eq(selected(), "/mode");
	completions.typed = "/mode";
	tell_of("/mode", &completions);
	cr_assert_str_eq(selected(), "", "it is a command");
	completions.typed = "src";
	tell_of("src", &completions);
	cr_assert_str_eq(selected(), "", "it is a directory");
	completions.typed = "";
	tell_of("x", &completions);
	cr_assert_str_eq(selected(), "/mode");
	completions.optional = true;
	tell_of("x", &completions);
	cr_assert_str_eq(selected(), "", "nothing was typed, and nothing need be");
	completions.typed = "/mo";
	completions.free = true;
	tell_of("/mo", &completions);
	cr_assert_str_eq(selected(), "", "it may mean something else");
	end_prompt();
}

Test(popup, stays_at_the_one_that_the_user_went_to)
{
	static const struct ik_proposal few[] = {{.text = "b1"}, {.text = "b3"}};
	static const struct ik_proposal more[] = {{.text = "b1"}, {.text = "b2"}, {.text = "b3"}};
	struct ik_completions completions = {.typed = "b", .head = "", .candidates = few, .count = 2};

	begin_prompt(true);
	tell_of("b", &completions);
	ik_prompt_candidate_key(prompt, IK_ACTION_DOWN);
	cr_assert_str_eq(selected(), "b3");
	told.candidates = more;
	told.count = 3;
	ik_prompt_update(prompt);
	cr_assert_str_eq(selected(), "b3");
	told.typed = "b2";
	ik_prompt_update(prompt);
	cr_assert_str_eq(selected(), "");
	end_prompt();
}
