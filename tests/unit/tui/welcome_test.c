#include "tui/pane/welcome.h"

#include <criterion/criterion.h>
#include <string.h>

#include "config.h"
#include "picture.h"
#include "util/cluster.h"

static struct ik_cells cells;
static struct ik_keymap *keymap;
static char directory[] = "~/src/parser", branch[] = "main", readme[] = "README.md",
			source[] = "parse.c";

static void begin(void)
{
	keymap = ik_keymap_new(NULL);
}

static void end(void)
{
	ik_keymap_free(keymap);
	ik_cells_done(&cells);
}

TestSuite(welcome, .init = begin, .fini = end);

static const struct ik_welcome project = {.directory = directory, .branch = branch,
	.readme = readme, .source = source, .builds = true, .instructions = true};
static const struct ik_status_bar bar = {.provider = "openai", .model = "gpt", .mode = "auto",
	.scan = IK_SCAN_COMPLETE, .tools = 6};

static const struct ik_cells *draw(const struct ik_welcome *welcome,
	const struct ik_status_bar *status, int rows, int columns)
{
	ik_cells_resize(&cells, rows, columns);
	ik_welcome_draw(welcome, status, keymap, &cells, (struct ik_rectangle){0, 0, rows, columns});
	return &cells;
}

Test(welcome, says_where_who_what_and_how)
{
	PICTURE_IS(draw(&project, &bar, 11, 80),
		"       ikigai " PACKAGE_VERSION "\n"
		"\n"
		"       Directory   ~/src/parser · main\n"
		"       Model       gpt · openai · mode auto\n"
		"       Found       ● 6 tools · AGENTS.md\n"
		"\n"
		"       Try         What does this project do, and how is it built?\n"
		"                   Explain @parse.c to me\n"
		"                   Review what has changed since the last commit\n"
		"\n"
		"       / commands  @ files  ! shell  Alt-Enter new line  F1 help\n");
	cr_assert_eq(picture_style(&cells, "ikigai"), IK_STYLE_BOLD);
	cr_assert_eq(picture_style(&cells, "F1"), IK_STYLE_BOLD);
	cr_assert_eq(picture_style(&cells, "help"), IK_STYLE_DIM);
}

Test(welcome, shows_the_most_important_rows_first)
{
	PICTURE_IS(draw(&project, &bar, 7, 40),
		"  ~/src/parser · main\n"
		"  gpt · openai · mode auto\n"
		"  ● 6 tools · AGENTS.md\n"
		"  What does this project do, and how i…\n"
		"  Explain @parse.c to me\n"
		"  Review what has changed since the la…\n"
		"  / commands  @ files  ! shell  F1 help\n");
	PICTURE_IS(draw(&project, &bar, 2, 40),
		"  gpt · openai · mode auto\n"
		"  / commands  @ files  ! shell  F1 help\n");
	for (int rows = 0; rows < 30; rows++)
		for (int columns = 1; columns < 90; columns++)
			(void)picture_of(draw(&project, &bar, rows, columns));
}

Test(welcome, suits_what_is_there)
{
	struct ik_welcome welcome = {.directory = directory};
	cr_assert(picture_has(draw(&welcome, &bar, 24, 80), "What is in this directory?"));
	cr_assert_not(picture_has(&cells, "project"));
	cr_assert_not(picture_has(&cells, "commit"));
	welcome.empty = true;
	cr_assert(picture_has(draw(&welcome, &bar, 24, 80), "Set up a C project"));
	welcome.empty = false;
	welcome.builds = true;
	cr_assert(picture_has(draw(&welcome, &bar, 24, 80), "Build it, run the tests"));
}

/* The practice model gets phrases that it knows, and says what it is and how to replace it. */
Test(welcome, practice)
{
	struct ik_welcome welcome = project;
	struct ik_status_bar practice = bar;
	practice.provider = practice.model = "practice";
	welcome.keys[0] = (struct ik_welcome_key){"SOME_KEY", "example.org/keys"};
	PICTURE_IS(draw(&welcome, &practice, 15, 80),
		"       ikigai " PACKAGE_VERSION "\n"
		"\n"
		"       Directory   ~/src/parser · main\n"
		"       Model       practice model · fixed rules, no AI · mode auto\n"
		"       Found       ● 6 tools · AGENTS.md\n"
		"\n"
		"       Try         list *.c\n"
		"                   read README.md\n"
		"                   run git status\n"
		"\n"
		"       / commands  @ files  ! shell  Alt-Enter new line  F1 help\n"
		"\n"
		"       For a real model, start ikigai with a key or your own server:\n"
		"       SOME_KEY            example.org/keys\n"
		"       ikigai --base-url http://localhost:11434/v1 -m MODEL\n");
	cr_assert_not(picture_has(draw(&welcome, &practice, 9, 80), "real model"), "all or nothing");
	welcome = (struct ik_welcome){.directory = directory, .empty = true};
	cr_assert(picture_has(draw(&welcome, &practice, 24, 80), "write hello to hello.txt"));
	cr_assert_not(picture_has(&cells, "read "));
}
