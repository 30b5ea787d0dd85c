#include "tui/term/term.h"

#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tui/term/term_info.h"
#include "tui/term/term_look.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Synchronised update: the terminal shows a frame only when it is complete. */
#define FRAME_BEGIN "\033[?2026h"
#define FRAME_END "\033[?2026l"

struct ik_term {
	SCREEN *screen;
	FILE *file;          /* the memory file that ncurses writes into */
	struct ik_buf bytes; /* what was read from it */
	const char *drawn_as;
	bool utf8, answers, own_colours;
	enum ik_colour_depth colours;
	const struct ik_theme *theme;
	struct ik_term_look looks[IK_STYLE_COUNT];

	struct ik_cells shown; /* the last frame, of the terminal's size */
	bool everything;       /* the terminal may show anything: repaint */
	cchar_t *row;          /* room for the row that is given to ncurses */
};

/* Open an ncurses screen that writes into file; NULL where terminfo does not know the type or
 * the type cannot move its cursor. */
static SCREEN *open_screen(const char *type, FILE *file)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	struct sigaction kept[sizeof(signals) / sizeof(*signals)];

	/* newterm() installs handlers of its own, but signals belong to the loop. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], NULL, &kept[i]);
	SCREEN *screen = newterm(type, file, file);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &kept[i], NULL);
	if (!screen || ik_term_capability("cup"))
		return screen;
	delscreen(screen);
	return NULL;
}

/* Read what ncurses has written since the last time into term->bytes. */
static void read_bytes(struct ik_term *term)
{
	int fd = fileno(term->file);
	off_t length = lseek(fd, 0, SEEK_CUR);
	char *place = length > 0 ? ik_buf_reserve(&term->bytes, (size_t)length) : NULL;
	ssize_t count = place ? pread(fd, place, (size_t)length, 0) : 0;

	if (count > 0)
		ik_buf_commit(&term->bytes, (size_t)count);
	if (count < length || ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		term->everything = true; /* bytes were lost, and the next frame repairs that */
}

/* Drop what ncurses has written: ik_term_modes_enter() is what starts the full screen. */
static void discard_bytes(struct ik_term *term)
{
	read_bytes(term);
	ik_buf_clear(&term->bytes);
}

/* Keep ncurses from doing more than finding the difference of two frames. */
static void set_up_screen(struct ik_term *term)
{
	term->own_colours = term->colours != IK_COLOURS_NONE && start_color() != ERR &&
		use_default_colors() != ERR;
	/* Without this ncurses stops a frame when there is input, which a file always has. */
	typeahead(-1);
	nonl();
	wnoutrefresh(stdscr);
	doupdate();
	discard_bytes(term);
}

/* Open the screen for a type, or for the one that stands in for it where its entry is not
 * installed. */
static bool open_terminal(struct ik_term *term, const char *type)
{
	const char *stand_in = ik_term_stand_in(type);

	term->file = fdopen(memfd_create("ikigai-frame", MFD_CLOEXEC), "w+");
	if (!term->file)
		return false;
	/* ncurses takes the numbers of "-direct" types for colours. Ours are of the palette. */
	if (stand_in && ik_text_ends(type, "-direct"))
		type = stand_in;
	term->screen = open_screen(type, term->file);
	if (!term->screen && stand_in) {
		term->screen = open_screen(stand_in, term->file);
		term->drawn_as = stand_in;
	}
	return term->screen;
}

struct ik_term *ik_term_new(const struct ik_term_options *options, struct ik_error *error)
{
	const char *type = options->type ? options->type : "";

	if (!*type || ik_text_equal(type, "dumb") || ik_text_equal(type, "unknown")) {
		ik_error_set(error, IK_UNAVAILABLE,
			_("the terminal type (TERM) is \"%s\", which cannot "
			  "show a full screen; set TERM to what your terminal is, such as xterm-256color, "
			  "or use ikigai exec"),
			type);
		return NULL;
	}
	struct ik_term *term = ik_alloc(sizeof(*term));
	term->utf8 = options->utf8 && ik_text_equal(nl_langinfo(CODESET), "UTF-8");
	ik_buf_init(&term->bytes, IK_MIB(64));
	ik_cells_init(&term->shown);
	if (!open_terminal(term, type)) {
		ik_error_set(error, IK_UNAVAILABLE,
			_("the terminal type (TERM) \"%s\" is not known on "
			  "this system, or too simple; install its description (package ncurses-term), or "
			  "set TERM to what is like it, such as xterm-256color, or use ikigai exec"),
			type);
		return ik_term_free(term);
	}
	term->answers = ik_term_is_ansi() && ik_term_stand_in(type);
	term->colours = ik_term_read_colours(type, term->drawn_as, options->direct);
	if (term->colours > options->colours)
		term->colours = options->colours;
	set_up_screen(term);
	ik_term_set_theme(term, options->theme);
	ik_term_resize(term, options->rows, options->columns);
	return term;
}

struct ik_term *ik_term_free(struct ik_term *term)
{
	if (!term)
		return NULL;
	if (term->screen)
		delscreen(term->screen);
	if (term->file)
		fclose(term->file);
	ik_buf_done(&term->bytes);
	ik_cells_done(&term->shown);
	free(term->row);
	free(term);
	return NULL;
}

void ik_term_resize(struct ik_term *term, int rows, int columns)
{
	resize_term(rows, columns);
	discard_bytes(term);
	ik_cells_resize(&term->shown, rows, columns);
	term->row = ik_alloc_array(term->row, IK_TERM_CELL_MOST * (size_t)columns, sizeof(*term->row));
	term->everything = true;
}

void ik_term_invalidate(struct ik_term *term)
{
	term->everything = true;
}

void ik_term_set_theme(struct ik_term *term, const struct ik_theme *theme)
{
	if (theme == term->theme)
		return;
	term->theme = theme;
	ik_term_looks_make(theme, term->colours, term->own_colours, term->looks);
	term->everything = true;
}

bool ik_term_answers(const struct ik_term *term)
{
	return term->answers;
}

enum ik_colour_depth ik_term_colours(const struct ik_term *term)
{
	return term->colours;
}

const char *ik_term_drawn_as(const struct ik_term *term)
{
	return term->drawn_as;
}

/* Give a row to ncurses. */
static void put_row(struct ik_term *term, const struct ik_cell *cells, int row)
{
	int rows = term->shown.rows, columns = term->shown.columns, count = 0;

	for (int column = 0; column < columns; column++) {
		const struct ik_cell *cell = &cells[column];
		bool corner = row == rows - 1 && column + cell->width > columns - 2;

		count += ik_term_cell_make(cell, &term->looks[cell->style], term->utf8, corner,
			term->row + count);
	}
	mvwadd_wchnstr(stdscr, row, 0, term->row, count);
}

/* Give the rows that differ from the last frame to ncurses, and remember them. */
static void put_rows(struct ik_term *term, const struct ik_cells *cells)
{
	size_t columns = (size_t)term->shown.columns;

	for (int row = 0; row < term->shown.rows; row++) {
		const struct ik_cell *wanted = cells->cells + (size_t)row * columns;
		struct ik_cell *shown = term->shown.cells + (size_t)row * columns;

		if (!term->everything && memcmp(shown, wanted, columns * sizeof(*shown)) == 0)
			continue;
		memcpy(shown, wanted, columns * sizeof(*shown));
		put_row(term, wanted, row);
	}
}

/* Have ncurses write what changed, with the cursor at (row, column), or hidden where row < 0. */
static void write_changes(struct ik_term *term, int row, int column)
{
	bool visible = row >= 0;
	int last_row = term->shown.rows - 1, last_column = term->shown.columns - 1;

	if (term->everything) {
		clearok(curscr, TRUE);
		curs_set(!visible); /* else ncurses takes what is wanted for what the terminal has */
	}
	term->everything = false;
	if (visible)
		wmove(stdscr, row < last_row ? row : last_row, column < last_column ? column : last_column);
	else
		wmove(stdscr, 0, 0);
	wnoutrefresh(stdscr);
	doupdate();
	curs_set(visible);
}

void ik_term_frame(struct ik_term *term, const struct ik_cells *cells, int cursor_row,
	int cursor_column, struct ik_buf *out)
{
	put_rows(term, cells);
	write_changes(term, cursor_row, cursor_column);
	read_bytes(term);
	if (term->bytes.length > 0) {
		if (term->answers)
			ik_buf_puts(out, FRAME_BEGIN);
		if (term->colours == IK_COLOURS_TRUE)
			ik_term_put_direct(term->theme, term->bytes.data, out);
		else
			ik_buf_append(out, term->bytes.data, term->bytes.length);
		if (term->answers)
			ik_buf_puts(out, FRAME_END);
	}
	if (ik_buf_status(&term->bytes) != IK_OK || ik_buf_status(out) != IK_OK)
		term->everything = true; /* a part was lost, and the next frame repairs that */
	ik_buf_clear(&term->bytes);
}
