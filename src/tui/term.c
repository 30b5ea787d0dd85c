#include "tui/term.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_NOMACROS
#include <curses.h>
#include <term.h>
/* <term.h> names its capabilities with macros; these would hit our members. */
#undef columns
#undef lines

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"
#include "tui/colour.h"
#include "tui/term_cell.h"
#include "tui/term_family.h"

#define SYNCHRONISE "\033[?2026h"
#define SYNCHRONISED "\033[?2026l"
#define PASTE_BRACKETS "\033[?2004h"
#define NO_PASTE_BRACKETS "\033[?2004l"

/* What a C library's curses can address, and more than any screen has. */
#define SIZE_MAXIMUM 2000
/* A memory file that a large frame has grown gives its pages back. */
#define KEPT_BYTES 65536

#define MOVED_LEAST 4 /* rows that are worth moving */
#define PALETTE 256 /* colours that have numbers, where all are known */

/* Room for the cells of a row: a replaced wide cluster becomes two. */
#define ROW_CELLS(columns) ((size_t)(columns) * 2)

/* ncurses draws colours of 24 bits as numbers of the palette, which are written
 * out when they leave: it has such colours itself only for types ("-direct") that
 * nobody's TERM is set to. */
#define SLOT_FIRST 16
#define SLOTS (2 * IK_STYLE_COUNT)

struct ik_term {
	SCREEN *screen;
	FILE *out, *in; /* a memory file; nothing */
	bool utf8;
	bool synchronised, answers, default_colours;
	enum ik_colour_depth colours;
	int32_t slots[SLOTS]; /* TRUE: the colours behind ncurses' numbers, from SLOT_FIRST on */
	int slot_count;
	const struct ik_theme *theme;
	int rows, columns;
	bool margin_off; /* lines can be kept from wrapping while the corner is drawn */

	struct ik_buf numbered; /* TRUE: a frame as ncurses wrote it */

	struct ik_cells shown; /* what the terminal has */
	bool everything;       /* it may have anything: repaint */
	int cursor_row, cursor_column;

	struct ik_term_look looks[IK_STYLE_COUNT];
	cchar_t *row;

	char *enter, *leave, *show_cursor, *hide_cursor;
};

/* A capability of the current terminal, NULL where it has none. */
static const char *capability(const char *name)
{
	const char *value = tigetstr(name);
	return value == (const char *)-1 ? NULL : value;
}

/* Append a capability without its padding, "$<5>"; terminals of now need none. */
static void put_capability(struct ik_buf *out, const char *name)
{
	const char *at = capability(name), *padding, *end;
	if (!at)
		return;
	while ((padding = strstr(at, "$<")) && (end = strchr(padding, '>'))) {
		ik_buf_append(out, at, (size_t)(padding - at));
		at = end + 1;
	}
	ik_buf_puts(out, at);
}

/* Does the terminal take ECMA-48 sequences at all? */
static bool is_ansi(void)
{
	const char *move = capability("cup");
	return move && ik_text_starts(move, "\033[");
}

/* A capability as a string of its own. */
static char *new_capability(const char *name)
{
	struct ik_buf buf;
	ik_buf_init(&buf, 4096);
	put_capability(&buf, name);
	return ik_buf_take(&buf, NULL);
}

/* Note what enters and leaves the full screen. */
static void read_strings(struct ik_term *term)
{
	struct ik_buf buf;
	ik_buf_init(&buf, 4096);
	put_capability(&buf, "smcup");
	put_capability(&buf, "smkx");
	put_capability(&buf, "sgr0");
	if (is_ansi())
		ik_buf_puts(&buf, PASTE_BRACKETS);
	term->enter = ik_buf_take(&buf, NULL);

	if (term->synchronised)
		ik_buf_puts(&buf, SYNCHRONISED);
	put_capability(&buf, "sgr0");
	if (is_ansi())
		ik_buf_puts(&buf, NO_PASTE_BRACKETS);
	put_capability(&buf, "rmkx");
	put_capability(&buf, "cnorm");
	/* No second screen: the shell goes on below an empty one. */
	put_capability(&buf, capability("rmcup") ? "rmcup" : "clear");
	term->leave = ik_buf_take(&buf, NULL);
	term->show_cursor = new_capability("cnorm");
	term->hide_cursor = new_capability("civis");
}

/* Take what ncurses has written since the last time; out may be NULL. */
static void drain(struct ik_term *term, struct ik_buf *out)
{
	int fd = fileno(term->out);
	fflush(term->out);
	off_t length = lseek(fd, 0, SEEK_CUR);
	struct ik_buf *into = term->colours == IK_COLOURS_TRUE ? &term->numbered : out;
	if (out && length > 0) {
		char *place = ik_buf_reserve(into, (size_t)length);
		ssize_t count = place ? pread(fd, place, (size_t)length, 0) : 0;
		if (count > 0)
			ik_buf_commit(into, (size_t)count);
		if (into != out) {
			ik_colour_put_direct(out, into->data, into->length, term->slots, SLOT_FIRST,
				term->slot_count);
			ik_buf_clear(into);
		}
	}
	if (length > KEPT_BYTES && ftruncate(fd, 0) != 0)
		length = 0; /* the pages stay; nothing reads them */
	if (lseek(fd, 0, SEEK_SET) != 0)
		term->everything = true;
}

/* Set a variable of the environment to a number, or give it back its old value. */
static char *swap_variable(const char *name, int number)
{
	const char *value = getenv(name);
	char *old = value ? ik_strdup(value) : NULL, digits[16];
	snprintf(digits, sizeof digits, "%d", number);
	setenv(name, digits, 1);
	return old;
}

static void restore_variable(const char *name, char *old)
{
	if (old)
		setenv(name, old, 1);
	else
		unsetenv(name);
	free(old);
}

/*
 * newterm(), but without the signal handlers that it installs, as the loop has
 * its own, and of the size that we say: it looks for one in the environment,
 * and fails where there is none and the description (linux) names none.
 */
static SCREEN *new_screen(const char *type, FILE *out, FILE *in, int rows, int columns)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	struct sigaction kept[sizeof signals / sizeof *signals];
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], NULL, &kept[i]);
	char *old_lines = swap_variable("LINES", rows), *old_columns = swap_variable("COLUMNS", columns);
	SCREEN *screen = newterm(type, out, in);
	restore_variable("LINES", old_lines);
	restore_variable("COLUMNS", old_columns);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &kept[i], NULL);
	return screen;
}

/* Bring a size into what can be drawn. */
static int bound_size(int size)
{
	return size < 1 ? 1 : size > SIZE_MAXIMUM ? SIZE_MAXIMUM : size;
}

/* Prepare the new screen: nothing of ncurses' own may reach the terminal. */
static void set_up(struct ik_term *term, const char *type)
{
	bool colours = term->colours != IK_COLOURS_NONE && has_colors() && start_color() != ERR;
	if (!colours)
		term->colours = IK_COLOURS_NONE;
	else if (COLORS != PALETTE)
		term->colours = term->colours > IK_COLOURS_8 && COLORS == 16 ? IK_COLOURS_16 : IK_COLOURS_8;
	term->default_colours = colours && use_default_colors() != ERR;
	term->synchronised = term->answers = is_ansi() && ik_term_stand_in(type);
	term->margin_off = capability("rmam") && capability("smam");
	/* The input is /dev/null, always readable: updates would stop for it. */
	typeahead(-1);
	nonl();
	idlok(stdscr, FALSE);
	idcok(stdscr, FALSE);
	scrollok(stdscr, FALSE);
	read_strings(term);
	/* What it begins with, and its first clearing, is in ik_term_enter(). */
	wnoutrefresh(stdscr);
	doupdate();
	drain(term, NULL);
}

struct ik_term *ik_term_new(const struct ik_term_options *options, struct ik_error *error)
{
	const char *type = options->type ? options->type : "";
	if (!*type || strcmp(type, "dumb") == 0 || strcmp(type, "unknown") == 0) {
		ik_error_set(error, IK_UNAVAILABLE, _("the terminal type (TERM) is \"%s\", which cannot "
			"show a full screen; set TERM to what your terminal is, such as xterm-256color, "
			"or use ikigai exec"), type);
		return NULL;
	}
	struct ik_term *term = ik_alloc(sizeof *term);
	term->utf8 = options->utf8 && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	term->colours = options->colours;
	term->theme = options->theme;
	ik_cells_init(&term->shown);
	ik_buf_init(&term->numbered, IK_MIB(64));
	int fd = memfd_create("ikigai-frame", MFD_CLOEXEC);
	term->out = fd < 0 ? NULL : fdopen(fd, "w+");
	term->in = fopen("/dev/null", "re");
	if (!term->out || !term->in) {
		ik_error_set_errno(error, errno, _("cannot make a memory file for the screen"));
		if (!term->out && fd >= 0)
			close(fd);
		return ik_term_free(term);
	}
	int rows = bound_size(options->rows), columns = bound_size(options->columns);
	const char *stand_in = ik_term_stand_in(type);
	bool direct = ik_text_ends(type, "-direct") && stand_in;
	term->screen = new_screen(direct ? stand_in : type, term->out, term->in, rows, columns);
	if (!term->screen && stand_in)
		term->screen = new_screen(stand_in, term->out, term->in, rows, columns);
	if (!term->screen || !capability("cup")) {
		ik_error_set(error, IK_UNAVAILABLE, _("the terminal type (TERM) \"%s\" is not known on "
			"this system, or too simple; install its description (package ncurses-term), or "
			"set TERM to what is like it, such as xterm-256color, or use ikigai exec"), type);
		return ik_term_free(term);
	}
	set_up(term, type);
	ik_term_resize(term, rows, columns);
	return term;
}

struct ik_term *ik_term_free(struct ik_term *term)
{
	if (!term)
		return NULL;
	if (term->screen) {
		set_term(term->screen);
		delscreen(term->screen);
	}
	if (term->out)
		fclose(term->out);
	if (term->in)
		fclose(term->in);
	for (int style = 0; style < IK_STYLE_COUNT; style++)
		ik_term_look_forget(&term->looks[style]);
	ik_cells_done(&term->shown);
	ik_buf_done(&term->numbered);
	free(term->row);
	free(term->enter);
	free(term->leave);
	free(term->show_cursor);
	free(term->hide_cursor);
	free(term);
	return NULL;
}

const char *ik_term_enter(const struct ik_term *term)
{
	return term->enter;
}

const char *ik_term_leave(const struct ik_term *term)
{
	return term->leave;
}

void ik_term_resize(struct ik_term *term, int rows, int columns)
{
	rows = bound_size(rows);
	columns = bound_size(columns);
	if (rows != term->rows || columns != term->columns) {
		term->rows = rows;
		term->columns = columns;
		set_term(term->screen);
		resize_term(rows, columns);
		werase(stdscr);
		drain(term, NULL);
		ik_cells_resize(&term->shown, rows, columns);
		term->row = ik_alloc_array(term->row, ROW_CELLS(columns), sizeof *term->row);
	}
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
	term->slot_count = 0;
	for (int style = 0; style < IK_STYLE_COUNT; style++)
		ik_term_look_forget(&term->looks[style]);
	term->everything = true;
}

bool ik_term_answers(const struct ik_term *term)
{
	return term->answers;
}

/* The number under which ncurses draws a colour. */
static int number_of(struct ik_term *term, int32_t rgb, int8_t of16, int8_t of8)
{
	if (term->colours < IK_COLOURS_256)
		return term->colours == IK_COLOURS_16 ? of16 : of8;
	if (term->colours == IK_COLOURS_256 || rgb < 0)
		return ik_colour_nearest(rgb);
	for (int slot = 0; slot < term->slot_count; slot++)
		if (term->slots[slot] == rgb)
			return SLOT_FIRST + slot;
	term->slots[term->slot_count] = rgb;
	return SLOT_FIRST + term->slot_count++;
}

/* Find out how a style looks here, when it is first drawn. */
static void learn_look(struct ik_term *term, int style)
{
	static const struct { uint8_t ours; attr_t theirs; } attributes[] = {
		{ IK_ATTRIBUTE_BOLD, A_BOLD }, { IK_ATTRIBUTE_DIM, A_DIM },
		{ IK_ATTRIBUTE_REVERSE, A_REVERSE }, { IK_ATTRIBUTE_UNDERLINE, A_UNDERLINE },
		{ IK_ATTRIBUTE_ITALIC, A_ITALIC },
	};
	const struct ik_look *look = &term->theme->looks[style];
	int foreground = number_of(term, look->foreground, look->foreground16, look->foreground8);
	int background = number_of(term, look->background, look->background16, look->background8);
	uint8_t wanted = look->attributes;
	short pair = 0;
	if (term->colours == IK_COLOURS_NONE) {
		wanted = look->mono_attributes;
	} else if (foreground >= 0 || background >= 0) {
		if (!term->default_colours) {
			foreground = foreground < 0 ? COLOR_WHITE : foreground;
			background = background < 0 ? COLOR_BLACK : background;
		}
		pair = (short)(style + 1);
		if (pair >= COLOR_PAIRS || init_pair(pair, (short)foreground, (short)background) == ERR)
			pair = 0;
	}
	attr_t theirs = 0;
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
		if (wanted & attributes[i].ours)
			theirs |= attributes[i].theirs;
	ik_term_look_set(&term->looks[style], theirs, pair);
}

/* Make what ncurses draws for a cell; returns how many of its cells that is. */
static int put_cell(struct ik_term *term, const struct ik_cell *cell, cchar_t *out)
{
	int style = cell->style < IK_STYLE_COUNT ? cell->style : IK_STYLE_NORMAL;
	struct ik_term_look *look = &term->looks[style];
	if (!look->known)
		learn_look(term, style);
	return ik_term_cell_make(look, cell, term->utf8, out);
}

/*
 * ncurses fills the last cell of the screen without the line wrap that would
 * scroll it: by turning wrapping off, or by inserting the characters before it.
 * Either spoils what is wide or combined there, so that is drawn more simply.
 */
static bool is_spoilt_wide(const struct ik_term *term, const struct ik_cell *cell, int column)
{
	int behind = term->columns - column - cell->width;
	return cell->width == 2 && (behind == 0 || (behind == 1 && !term->margin_off));
}

/* Give a row to ncurses. */
static void put_row(struct ik_term *term, const struct ik_cells *cells, int row)
{
	int count = 0, columns = cells->columns < term->columns ? cells->columns : term->columns;
	bool bottom = row == term->rows - 1;
	for (int column = 0; column < columns; column++) {
		struct ik_cell cell = *ik_cells_at(cells, row, column);
		if (cell.width == 0 || column + cell.width > columns)
			continue;
		if (bottom && is_spoilt_wide(term, &cell, column)) {
			cell = (struct ik_cell){ .text = " ", .length = 1, .width = 1, .style = cell.style };
			count += put_cell(term, &cell, term->row + count);
		} else if (bottom && column >= term->columns - 2) {
			uint32_t base;
			int bytes = ik_utf8_decode(cell.text, cell.length, &base);
			cell.length = bytes > 0 ? (uint8_t)bytes : cell.length;
		}
		count += put_cell(term, &cell, term->row + count);
	}
	mvwadd_wchnstr(stdscr, row, 0, term->row, count);
}

/* The row of a grid. */
static struct ik_cell *row_of(const struct ik_cells *cells, int row)
{
	return cells->cells + (size_t)row * (size_t)cells->columns;
}

/*
 * Let ncurses move the rows that a text which grows has moved up, so that only what is new
 * is made for it: rows [first, last] are what was shown shift rows below.
 */
static void move_rows(struct ik_term *term, int first, int last, int shift)
{
	size_t row = (size_t)term->columns * sizeof *term->shown.cells;
	wsetscrreg(stdscr, first, last);
	scrollok(stdscr, TRUE);
	wscrl(stdscr, shift);
	scrollok(stdscr, FALSE);
	wsetscrreg(stdscr, 0, term->rows - 1);
	memmove(row_of(&term->shown, first), row_of(&term->shown, first + shift),
		(size_t)(last - first + 1 - shift) * row);
	/* Of no frame: what comes there is new. */
	memset(row_of(&term->shown, last + 1 - shift), 0xFF, (size_t)shift * row);
}

/* How many rows from first on are what was shown so many rows below. */
static int rows_moved(const struct ik_term *term, const struct ik_cells *cells, int first, int shift)
{
	size_t bytes = (size_t)term->columns * sizeof *cells->cells;
	int row = first;
	/* The last row of all has rules of its own. */
	while (row + shift < term->rows - 1
	       && memcmp(row_of(cells, row), row_of(&term->shown, row + shift), bytes) == 0)
		row++;
	return row - first;
}

/* Has the text moved up in the rows from the first that changed on? Then take them along. */
static void follow_text(struct ik_term *term, const struct ik_cells *cells)
{
	if (term->everything || cells->rows != term->rows || cells->columns != term->columns)
		return;
	int first = rows_moved(term, cells, 0, 0), most = MOVED_LEAST, best = 0;
	for (int shift = 1; first + shift + most < term->rows; shift++) {
		int moved = rows_moved(term, cells, first, shift);
		if (moved > most) {
			most = moved;
			best = shift;
		}
	}
	if (best > 0)
		move_rows(term, first, first + most + best - 1, best);
}

/* Give the rows that changed to ncurses and remember them; true when there were any. */
static bool put_changes(struct ik_term *term, const struct ik_cells *cells)
{
	int rows = cells->rows < term->rows ? cells->rows : term->rows;
	int columns = cells->columns < term->columns ? cells->columns : term->columns;
	size_t bytes = (size_t)columns * sizeof *cells->cells;
	bool any = false;
	follow_text(term, cells);
	for (int row = 0; row < rows; row++) {
		const struct ik_cell *wanted = row_of(cells, row);
		struct ik_cell *shown = row_of(&term->shown, row);
		if (!term->everything && memcmp(wanted, shown, bytes) == 0)
			continue;
		put_row(term, cells, row);
		memcpy(shown, wanted, bytes);
		any = true;
	}
	return any;
}

void ik_term_frame(struct ik_term *term, const struct ik_cells *cells,
	int cursor_row, int cursor_column, struct ik_buf *out)
{
	bool visible = cursor_row >= 0, everything = term->everything;
	size_t start = out->length;
	set_term(term->screen);
	if (visible) {
		cursor_row = cursor_row < term->rows ? cursor_row : term->rows - 1;
		cursor_column = cursor_column < 0 ? 0
			: cursor_column < term->columns ? cursor_column : term->columns - 1;
	} else {
		cursor_row = cursor_column = -1;
	}
	bool changed = put_changes(term, cells);
	if (!changed && !everything && cursor_row == term->cursor_row
	    && cursor_column == term->cursor_column)
		return;
	if (everything)
		clearok(curscr, TRUE);
	leaveok(stdscr, !visible);
	if (visible)
		wmove(stdscr, cursor_row, cursor_column);
	if (term->synchronised)
		ik_buf_puts(out, SYNCHRONISE);
	size_t body = out->length;
	term->everything = false;
	wnoutrefresh(stdscr);
	doupdate();
	drain(term, out);
	if (everything || visible != (term->cursor_row >= 0))
		ik_buf_puts(out, visible ? term->show_cursor : term->hide_cursor);
	term->cursor_row = cursor_row;
	term->cursor_column = cursor_column;
	if (out->length == body)
		ik_buf_truncate(out, start);
	else if (term->synchronised)
		ik_buf_puts(out, SYNCHRONISED);
	if (ik_buf_status(out) != IK_OK)
		term->everything = true; /* a part is lost: the next one repairs it */
}

/* Set what terminfo says of a type; false when it does not know it. */
static bool look_up(const char *type, int *ret_colours, bool *ret_direct)
{
	int result;
	if (!type || setupterm(type, STDOUT_FILENO, &result) != OK)
		return false;
	*ret_colours = tigetnum("colors");
	*ret_direct = tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || capability("RGB")
		|| tigetflag("Tc") > 0;
	return true;
}

enum ik_colour_depth ik_term_colours(const char *type, const char *colorterm)
{
	TERMINAL *kept = set_curterm(NULL);
	const char *stand_in = type && *type ? ik_term_stand_in(type) : NULL;
	int colours = -1;
	bool direct = false;
	if (type && *type && !look_up(type, &colours, &direct))
		(void)look_up(stand_in, &colours, &direct);
	TERMINAL *mine = set_curterm(kept);
	if (mine)
		del_curterm(mine);
	direct |= (colorterm && (ik_text_equal(colorterm, "truecolor") || ik_text_equal(colorterm, "24bit")))
		|| (stand_in && ik_text_ends(type, "-direct"));
	/* Without a palette numbers above 7 are none of it. */
	if (colours > PALETTE && !stand_in)
		return IK_COLOURS_8;
	if (colours >= PALETTE)
		return direct ? IK_COLOURS_TRUE : IK_COLOURS_256;
	return colours >= 16 ? IK_COLOURS_16 : colours >= 8 ? IK_COLOURS_8 : IK_COLOURS_NONE;
}
