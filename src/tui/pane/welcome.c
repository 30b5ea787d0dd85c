#include "tui/pane/welcome.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

#define MEASURE 66 /* columns of the widest row that has no text from outside */
#define MARGIN 2   /* of the conversation's text */
#define NARROW 60  /* labels have no room */
#define EXAMPLES 3
#define MOST_ROWS 24

/* What a row is for; rows of the largest value are the first to go if there is no room. */
enum need {
	NEED_KEYS,
	NEED_MODEL,
	NEED_EXAMPLE,
	NEED_PLACE,
	NEED_FOUND,
	NEED_EXAMPLES,
	NEED_ADVICE,
	NEED_TITLE,
	NEED_AIR,
	NEED_COUNT
};

struct welcome_row {
	enum need need;
	const char *label;
	enum ik_style style; /* of its text; of keys and the title, of the first words */
	char *text;          /* owned */
};

struct welcome_page {
	struct welcome_row rows[MOST_ROWS];
	size_t count;
};

/* Add a row and take over its text. */
static void add(struct welcome_page *page, enum need need, const char *label, enum ik_style style,
	char *text)
{
	page->rows[page->count++] = (struct welcome_row){ need, label, style, text };
}

/* ---- what to try ---- */

/* Return the practice model's phrase at index, in new memory. It knows English ones only. */
static char *practice_example(const struct ik_welcome *welcome, size_t index)
{
	const char *dot = welcome->source ? strrchr(welcome->source, '.') : NULL;
	const char *file = welcome->readme ? welcome->readme : welcome->source;

	if (index == 0)
		return welcome->empty ? ik_strdup("write hello to hello.txt")
							  : ik_format("list *%s", dot ? dot : "");
	if (index == 1)
		return file ? ik_format("read %s", file) : ik_strdup("run date");
	return ik_strdup(welcome->branch ? "run git status" : "help");
}

/* Return the message for a real model at index, in new memory. */
static char *model_example(const struct ik_welcome *welcome, size_t index)
{
	const struct {
		bool fits;
		const char *text; /* NULL: about the source file */
	} messages[] = {
		{ welcome->empty, N_("Write a small game for the terminal, and try it out") },
		{ welcome->empty, N_("Set up a C project with a Makefile and one test") },
		{ welcome->readme || welcome->builds || welcome->source,
			N_("What does this project do, and how is it built?") },
		{ welcome->source, NULL },
		{ welcome->branch, N_("Review what has changed since the last commit") },
		{ welcome->builds, N_("Build it, run the tests, and fix what fails") },
		{ !welcome->empty, N_("What is in this directory?") },
		{ !welcome->empty, N_("Which files here are the largest?") },
		{ true, N_("What can you do here?") },
	};
	size_t at = 0;

	while (!messages[at].fits || index-- > 0)
		at++;
	if (messages[at].text)
		return ik_strdup(_(messages[at].text));
	/* Translators: %s is a file of the project; the @ attaches it and must stay before it. */
	return ik_format(_("Explain @%s to me"), welcome->source);
}

/* ---- the rows ---- */

/* Return the text of the row of the model; of what was found. */
static char *model_text(const struct ik_status_bar *bar, bool practice)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_buf_puts(&out, practice ? _("practice model · fixed rules, no AI") : bar->model);
	if (!practice)
		ik_buf_printf(&out, " · %s", bar->provider);
	if (bar->mode)
		ik_buf_printf(&out, _(" · mode %s"), bar->mode);
	return ik_buf_take(&out, NULL);
}

static char *found_text(const struct ik_welcome *welcome, const struct ik_status_bar *bar)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_scan_put(&out, bar);
	if (welcome->instructions)
		ik_buf_puts(&out, " · AGENTS.md");
	return ik_buf_take(&out, NULL);
}

/* Return the row of keys, as far as it fits. */
static char *keys_text(const struct ik_keymap *keymap, int columns)
{
	static const struct ik_key_hint hints[] = {
		{ IK_ACTION_NEW_LINE, IK_ACTION_NONE, N_("new line"), 2 },
		{ IK_ACTION_HELP, IK_ACTION_NONE, N_("help"), 1 },
		{ 0 },
	};
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_buf_puts(&out, _("/ commands  @ files  ! shell"));
	ik_buf_puts(&out, "  ");
	ik_keymap_put_hints(keymap, IK_IN_EDITOR, hints,
		columns - (int)ik_utf8_width(out.data, out.length), &out);
	return ik_buf_take(&out, NULL);
}

static void add_advice(struct welcome_page *page, const struct ik_welcome *welcome)
{
	add(page, NEED_AIR, NULL, IK_STYLE_DIM, ik_strdup(""));
	add(page, NEED_ADVICE, NULL, IK_STYLE_DIM,
		ik_strdup(_("For a real model, start ikigai with a key or your own server:")));
	for (const struct ik_welcome_key *key = welcome->keys; key->variable; key++)
		add(page, NEED_ADVICE, NULL, IK_STYLE_NORMAL,
			ik_format("%-19s %s", key->variable, key->page));
	add(page, NEED_ADVICE, NULL, IK_STYLE_NORMAL,
		ik_strdup("ikigai --base-url http://localhost:11434/v1 -m MODEL"));
}

static void write_page(struct welcome_page *page, const struct ik_welcome *welcome,
	const struct ik_status_bar *bar, const struct ik_keymap *keymap, int columns)
{
	bool practice = ik_text_equal(bar->provider, "practice");

	add(page, NEED_TITLE, NULL, IK_STYLE_BOLD, ik_strdup("ikigai " PACKAGE_VERSION));
	add(page, NEED_AIR, NULL, IK_STYLE_DIM, ik_strdup(""));
	add(page, NEED_PLACE, _("Directory"), IK_STYLE_NORMAL,
		welcome->branch ? ik_format("%s · %s", welcome->directory, welcome->branch)
						: ik_strdup(welcome->directory));
	add(page, NEED_MODEL, _("Model"), IK_STYLE_NORMAL, model_text(bar, practice));
	/* Translators: a label for the tools and files that were found */
	add(page, NEED_FOUND, _("Found"), IK_STYLE_NORMAL, found_text(welcome, bar));
	add(page, NEED_AIR, NULL, IK_STYLE_DIM, ik_strdup(""));
	for (size_t i = 0; i < EXAMPLES; i++)
		/* Translators: a label for messages that the user may want to try */
		add(page, i == 0 ? NEED_EXAMPLE : NEED_EXAMPLES, i == 0 ? _("Try") : "", IK_STYLE_USER,
			practice ? practice_example(welcome, i) : model_example(welcome, i));
	add(page, NEED_AIR, NULL, IK_STYLE_DIM, ik_strdup(""));
	add(page, NEED_KEYS, NULL, IK_STYLE_BOLD, keys_text(keymap, columns));
	if (practice)
		add_advice(page, welcome);
}

/* Take rows out until the page fits, those least needed first and the last of them first. Of the
 * advice there is all or nothing. */
static void make_fit(struct welcome_page *page, size_t rows)
{
	for (int need = NEED_COUNT; need-- > 0;) {
		bool whole = need == NEED_ADVICE && page->count > rows;

		for (size_t i = page->count; i-- > 0 && (whole || page->count > rows);) {
			if ((int)page->rows[i].need != need)
				continue;
			free(page->rows[i].text);
			memmove(page->rows + i, page->rows + i + 1, (--page->count - i) * sizeof(*page->rows));
		}
	}
}

/* Return the columns of the widest label and the gap after it; 0: there is no room for labels. */
static int label_columns(const struct welcome_page *page, int columns)
{
	int most = 0;

	if (columns < NARROW)
		return 0;
	for (size_t i = 0; i < page->count; i++) {
		const char *label = page->rows[i].label;
		int width = label ? (int)ik_utf8_width(label, strlen(label)) : 0;

		most = width > most ? width : most;
	}
	return most + 3;
}

void ik_welcome_draw(const struct ik_welcome *welcome, const struct ik_status_bar *bar,
	const struct ik_keymap *keymap, struct ik_cells *cells, struct ik_rectangle area)
{
	struct welcome_page page = { .count = 0 };
	int spare = (area.columns - MEASURE) / 2, margin = spare > MARGIN ? spare : MARGIN;

	if (area.rows <= 0)
		return;
	write_page(&page, welcome, bar, keymap, area.columns - MARGIN - 1);
	make_fit(&page, (size_t)area.rows);
	/* A third of the room above it looks like the middle. */
	int row = area.row + (area.rows - (int)page.count) / 3,
		labels = label_columns(&page, area.columns);

	area.columns--;
	for (size_t i = 0; i < page.count; i++, row++) {
		const struct welcome_row *line = &page.rows[i];
		int column = area.column + margin;

		if (line->label && labels > 0)
			ik_cells_label(cells, area, row, column, IK_STYLE_DIM, line->label);
		if (line->need == NEED_KEYS || line->need == NEED_TITLE)
			ik_cells_hints(cells, area, row, column, line->style, IK_STYLE_DIM, line->text);
		else
			ik_cells_label(cells, area, row, column + (line->label ? labels : 0), line->style,
				line->text);
		free(line->text);
	}
}
