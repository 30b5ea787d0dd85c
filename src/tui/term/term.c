#include "tui/term/term.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tui/term/colour.h"
#include "tui/term/term_cell.h"
#include "tui/term/term_changes.h"
#include "tui/term/term_family.h"
#include "tui/term/term_info.h"
#include "tui/term/term_paint.h"
#include "tui/term/term_shape.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define SYNCHRONISE "\033[?2026h"
#define SYNCHRONISED "\033[?2026l"
#define PASTE_BRACKETS "\033[?2004h"
#define NO_PASTE_BRACKETS "\033[?2004l"

/* What a C library's curses can address, and more than any screen has. */
#define SIZE_MAXIMUM 2000
/* A memory file that a large frame has grown gives its pages back. */
#define KEPT_BYTES 65536
#define TAKEN_FIRST 4096 /* more than most frames are */

/* A frame that changes no more than this is painted: a key, a word of a reply. */
#define FEW_RUNS 4
#define FEW_CELLS 256

/* Room for the cells of a row: a replaced wide cluster becomes two. */
#define ROW_CELLS(columns) ((size_t)(columns)*2)

/* ncurses draws colours of 24 bits as numbers of the palette, which are written
 * out when they leave: it has such colours itself only for types ("-direct") that
 * nobody's TERM is set to. */
#define SLOT_FIRST 16
#define SLOTS (2 * IK_STYLE_COUNT)

struct ik_term {
	SCREEN *screen;     /* NULL: not needed yet, whole frames are painted without it */
	TERMINAL *terminal; /* what terminfo says, until there is a screen */
	char *type;         /* by which ncurses is to know it */
	struct ik_paint paint;
	FILE *out, *in; /* a memory file; nothing */
	off_t taken;    /* of it */
	bool utf8;
	bool synchronised, answers, default_colours;
	bool paints; /* few changes are painted without ncurses, too */
	enum ik_colour_depth colours;
	int32_t slots[SLOTS]; /* TRUE: the colours behind ncurses' numbers, from SLOT_FIRST on */
	int slot_count;
	const struct ik_theme *theme;
	int rows, columns;
	bool margin_off; /* lines can be kept from wrapping while the corner is drawn */

	struct ik_buf numbered; /* TRUE: a frame as ncurses wrote it */

	struct ik_cells shown; /* what the terminal has */
	bool everything;       /* it may have anything: repaint */
	bool behind;           /* ncurses does not know yet of the rows that were painted, */
	bool *painted;         /* which are these */
	int cursor_row, cursor_column;

	struct ik_term_look looks[IK_STYLE_COUNT];
	cchar_t *row;

	char *enter, *leave, *show_cursor, *hide_cursor, *normal;
};

/* Note what enters and leaves the full screen. */
static void read_strings(struct ik_term *term)
{
	struct ik_buf buf;

	ik_buf_init(&buf, 4096);
	ik_term_put_capability(&buf, "smcup");
	ik_term_put_capability(&buf, "smkx");
	ik_term_put_capability(&buf, "sgr0");
	if (ik_term_is_ansi())
		ik_buf_puts(&buf, PASTE_BRACKETS);
	term->enter = ik_buf_take(&buf, NULL);

	if (term->synchronised)
		ik_buf_puts(&buf, SYNCHRONISED);
	ik_term_put_capability(&buf, "sgr0");
	if (ik_term_is_ansi())
		ik_buf_puts(&buf, NO_PASTE_BRACKETS);
	ik_term_put_capability(&buf, "rmkx");
	ik_term_put_capability(&buf, "cnorm");
	/* Where there is no second screen, or it is switched off (as in GNU screen, unless
	 * told), the shell goes on in an empty one, and not in the middle of ours. */
	ik_term_put_capability(&buf, "home");
	ik_term_put_capability(&buf, "ed");
	ik_term_put_capability(&buf, ik_term_capability("rmcup") ? "rmcup" : "clear");
	term->leave = ik_buf_take(&buf, NULL);
	term->show_cursor = ik_term_new_capability("cnorm");
	term->hide_cursor = ik_term_new_capability("civis");
	term->normal = ik_term_new_capability("sgr0");
}

/* Take what ncurses has written since the last time; out may be NULL. It goes on where it
 * was in the file, for fewer system calls a frame, until that is large. */
static void drain(struct ik_term *term, struct ik_buf *out)
{
	int fd = fileno(term->out);
	struct ik_buf *into = term->colours == IK_COLOURS_TRUE ? &term->numbered : out;
	ssize_t count = 0;

	fflush(term->out);
	if (!out)
		term->taken = lseek(fd, 0, SEEK_CUR);
	for (size_t room = TAKEN_FIRST; out; room *= 2) {
		char *place = ik_buf_reserve(into, room);

		count = place ? pread(fd, place, room, term->taken) : -1;
		if (count <= 0)
			break;
		ik_buf_commit(into, (size_t)count);
		term->taken += count;
		if ((size_t)count < room)
			break;
	}
	if (out && into != out) {
		ik_colour_put_direct(out, into->data, into->length, term->slots, SLOT_FIRST,
			term->slot_count);
		ik_buf_clear(into);
	}
	if (count >= 0 && term->taken < KEPT_BYTES)
		return;
	term->everything |= count < 0 || ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0;
	term->taken = 0;
}

/* Bring a size into what can be drawn. */
static int bound_size(int size)
{
	return size < 1 ? 1 : size > SIZE_MAXIMUM ? SIZE_MAXIMUM : size;
}

/* Prepare the new screen: nothing of ncurses' own may reach the terminal. */
static void set_up(struct ik_term *term)
{
	bool colours = term->colours != IK_COLOURS_NONE && has_colors() && start_color() != ERR;

	if (!colours)
		term->colours = IK_COLOURS_NONE;
	term->default_colours = colours && use_default_colors() != ERR;
	/* The input is /dev/null, always readable: updates would stop for it. */
	typeahead(-1);
	nonl();
	idlok(stdscr, FALSE);
	idcok(stdscr, FALSE);
	scrollok(stdscr, FALSE);
	/* What it begins with, and its first clearing, is in ik_term_enter(). */
	wnoutrefresh(stdscr);
	doupdate();
	drain(term, NULL);
}

/* Begin ncurses; false when it cannot do with the terminal, or has nowhere to write. */
static bool open_screen(struct ik_term *term)
{
	int fd = memfd_create("ikigai-frame", MFD_CLOEXEC);

	term->out = fd < 0 ? NULL : fdopen(fd, "w+");
	term->in = fopen("/dev/null", "re");
	if (term->out && term->in)
		term->screen = ik_term_info_screen(term->type, term->out, term->in, term->rows,
			term->columns);
	if (term->screen) {
		term->terminal = ik_term_info_free(term->terminal);
		set_up(term);
		return true;
	}
	set_curterm(term->terminal);
	if (term->in)
		fclose(term->in);
	if (term->out)
		fclose(term->out);
	else if (fd >= 0)
		close(fd);
	term->in = term->out = NULL;
	return false;
}

/* Note what the current terminal, of this type, can do. */
static void learn_terminal(struct ik_term *term, const char *type)
{
	int colours = tigetnum("colors");

	if (colours <= 0 || tigetnum("pairs") <= 0 || !ik_term_capability("setaf"))
		term->colours = IK_COLOURS_NONE;
	else if (term->colours > IK_COLOURS_8 && colours != IK_PALETTE)
		term->colours = colours == 16 ? IK_COLOURS_16 : IK_COLOURS_8;
	term->synchronised = term->answers = ik_term_is_ansi() && ik_term_stand_in(type);
	term->paints = term->answers && ik_term_can_paint();
	term->margin_off = ik_term_capability("rmam") && ik_term_capability("smam");
	read_strings(term);
	term->paint = (struct ik_paint){ .colours = term->colours,
		.utf8 = term->utf8,
		.attributes = ik_term_attributes(),
		.normal = term->normal };
}

struct ik_term *ik_term_new(const struct ik_term_options *options, struct ik_error *error)
{
	const char *type = options->type ? options->type : "";

	if (!*type || strcmp(type, "dumb") == 0 || strcmp(type, "unknown") == 0) {
		ik_error_set(error, IK_UNAVAILABLE,
			_("the terminal type (TERM) is \"%s\", which cannot "
			  "show a full screen; set TERM to what your terminal is, such as xterm-256color, "
			  "or use ikigai exec"),
			type);
		return NULL;
	}
	struct ik_term *term = ik_alloc(sizeof(*term));
	term->utf8 = options->utf8 && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	term->colours = options->colours;
	term->theme = options->theme;
	ik_cells_init(&term->shown);
	ik_buf_init(&term->numbered, IK_MIB(64));
	ik_term_resize(term, options->rows, options->columns);
	const char *stand_in = ik_term_stand_in(type);
	const char *known = ik_text_ends(type, "-direct") && stand_in ? stand_in : type;
	term->terminal = ik_term_info_read(known);
	if (!term->terminal && stand_in)
		term->terminal = ik_term_info_read(known = stand_in);
	term->type = ik_strdup(known);
	if (term->terminal)
		learn_terminal(term, type);
	if (!term->terminal || (!term->paints && !open_screen(term))) {
		ik_error_set(error, IK_UNAVAILABLE,
			_("the terminal type (TERM) \"%s\" is not known on "
			  "this system, or too simple; install its description (package ncurses-term), or "
			  "set TERM to what is like it, such as xterm-256color, or use ikigai exec"),
			type);
		return ik_term_free(term);
	}
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
	ik_term_info_free(term->terminal);
	if (term->out)
		fclose(term->out);
	if (term->in)
		fclose(term->in);
	for (int style = 0; style < IK_STYLE_COUNT; style++)
		ik_term_look_forget(&term->looks[style]);
	ik_cells_done(&term->shown);
	ik_buf_done(&term->numbered);
	free(term->row);
	free(term->painted);
	free(term->enter);
	free(term->leave);
	free(term->show_cursor);
	free(term->hide_cursor);
	free(term->normal);
	free(term->type);
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
		if (term->screen) {
			set_term(term->screen);
			resize_term(rows, columns);
			werase(stdscr);
			drain(term, NULL);
		}
		ik_cells_resize(&term->shown, rows, columns);
		term->row = ik_alloc_array(term->row, ROW_CELLS(columns), sizeof(*term->row));
		term->painted = ik_alloc_array(term->painted, (size_t)rows, sizeof(*term->painted));
		memset(term->painted, 0, (size_t)rows * sizeof(*term->painted));
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
	static const struct {
		uint8_t ours;
		attr_t theirs;
	} attributes[] = {
		{ IK_ATTRIBUTE_BOLD, A_BOLD },
		{ IK_ATTRIBUTE_DIM, A_DIM },
		{ IK_ATTRIBUTE_REVERSE, A_REVERSE },
		{ IK_ATTRIBUTE_UNDERLINE, A_UNDERLINE },
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

	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
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

/* What cells are drawn on. */
static struct ik_shape_grid grid_of(const struct ik_term *term, const struct ik_cells *cells)
{
	return (struct ik_shape_grid){
		.cells = cells, .rows = term->rows, .columns = term->columns, .margin_off = term->margin_off
	};
}

/* Give a part of a row, which begins and ends between clusters, to ncurses. */
static void put_row(struct ik_term *term, const struct ik_cells *cells, int row, int first, int end)
{
	struct ik_shape_grid grid = grid_of(term, cells);
	int count = 0;

	for (int column = first; column < end; column++) {
		struct ik_cell cell;
		int times = ik_shape_place(&grid, row, column, &cell);

		for (int i = 0; i < times; i++)
			count += put_cell(term, &cell, term->row + count);
	}
	mvwadd_wchnstr(stdscr, row, first, term->row, count);
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
	size_t row = (size_t)term->columns * sizeof(*term->shown.cells);

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

/* Give the rows that changed to ncurses and remember them; true when there were any. */
static bool put_changes(struct ik_term *term, const struct ik_cells *cells)
{
	int rows = cells->rows < term->rows ? cells->rows : term->rows;
	int columns = cells->columns < term->columns ? cells->columns : term->columns;
	bool any = false;
	struct ik_move move = { .changed_end = rows };

	if (!term->everything)
		move = ik_changes_move(cells, &term->shown);
	if (move.rows > 0)
		move_rows(term, move.first, move.last, move.rows);
	for (int row = move.changed_first; row < rows && row < move.changed_end; row++) {
		int first = 0, end = columns;

		if (move.rows > 0 && row >= move.first && row <= move.last - move.rows)
			continue; /* it came from below */
		if (!term->everything && !ik_changes_in_row(cells, &term->shown, row, &first, &end))
			continue;
		put_row(term, cells, row, first, end);
		memcpy(row_of(&term->shown, row) + first, row_of(cells, row) + first,
			(size_t)(end - first) * sizeof(*cells->cells));
		any = true;
	}
	return any;
}

/* Draw a whole frame without ncurses and remember it. */
static void paint_frame(struct ik_term *term, const struct ik_cells *cells, int cursor_row,
	int cursor_column, struct ik_buf *out)
{
	struct ik_shape_grid grid = grid_of(term, cells);
	int rows = cells->rows < term->rows ? cells->rows : term->rows;
	int columns = cells->columns < term->columns ? cells->columns : term->columns;

	term->everything = false;
	term->paint.theme = term->theme;
	ik_paint_frame(&term->paint, &grid, cursor_row < 0 ? 0 : cursor_row,
		cursor_row < 0 ? 0 : cursor_column, out);
	for (int row = 0; row < rows; row++)
		memcpy(row_of(&term->shown, row), row_of(cells, row),
			(size_t)columns * sizeof(*cells->cells));
}

/* Let ncurses know what was painted without it, all or only some rows, and where the cursor
 * was left: what it draws for that is for nobody. */
static void catch_up(struct ik_term *term, bool all)
{
	for (int row = 0; row < term->rows; row++) {
		if (all || term->painted[row])
			put_row(term, &term->shown, row, 0, term->columns);
		term->painted[row] = false;
	}
	term->behind = false;
	leaveok(stdscr, FALSE);
	wmove(stdscr, term->cursor_row < 0 ? 0 : term->cursor_row,
		term->cursor_row < 0 ? 0 : term->cursor_column);
	wnoutrefresh(stdscr);
	doupdate();
	drain(term, NULL);
}

/* Begin ncurses behind a frame that was painted. */
static bool take_over(struct ik_term *term)
{
	if (!open_screen(term))
		return false;
	catch_up(term, true);
	return true;
}

/* Does this frame do without ncurses? Where that cannot begin, all are painted as a whole. */
static bool is_painted(struct ik_term *term)
{
	return !term->screen && (term->everything || !take_over(term));
}

/* Draw a few changes without ncurses and remember them. */
static void paint_changes(struct ik_term *term, const struct ik_cells *cells,
	const struct ik_changed_run *runs, int count, struct ik_paint_cursor to, struct ik_buf *out)
{
	struct ik_shape_grid grid = grid_of(term, cells);
	struct ik_paint_cursor from = { .row = term->cursor_row, .column = term->cursor_column };

	if (to.row < 0)
		to = (struct ik_paint_cursor){ 0, 0 };
	term->paint.theme = term->theme;
	ik_paint_runs(&term->paint, &grid, runs, count, from, to, out);
	for (const struct ik_changed_run *run = runs; run < runs + count; run++) {
		memcpy(row_of(&term->shown, run->row) + run->first, row_of(cells, run->row) + run->first,
			(size_t)(run->end - run->first) * sizeof(*cells->cells));
		term->painted[run->row] = true;
	}
	term->behind = true;
}

/* Give ncurses what changed; true when there was anything. */
static bool prepare_screen(struct ik_term *term, const struct ik_cells *cells)
{
	set_term(term->screen);
	if (term->behind && !term->everything)
		catch_up(term, false);
	term->behind = false; /* where everything is drawn, it is told everything */
	return put_changes(term, cells);
}

/* Have ncurses draw what was given to it. */
static void draw_screen(struct ik_term *term, int cursor_row, int cursor_column, struct ik_buf *out)
{
	if (term->everything)
		clearok(curscr, TRUE);
	term->everything = false;
	leaveok(stdscr, cursor_row < 0);
	if (cursor_row >= 0)
		wmove(stdscr, cursor_row, cursor_column);
	wnoutrefresh(stdscr);
	doupdate();
	drain(term, out);
}

/* The runs that are to be painted; -1: this frame is not one of a few changes. */
static int few_changes(const struct ik_term *term, const struct ik_cells *cells,
	struct ik_changed_run *ret_runs)
{
	if (!term->paints || term->everything)
		return -1;
	return ik_changes_few(cells, &term->shown, ret_runs, FEW_RUNS, FEW_CELLS);
}

/* Is it no more than what a key changes beside the cursor? Nobody sees half of that. */
static bool is_beside_cursor(const struct ik_term *term, const struct ik_changed_run *runs,
	int count, int cursor_row)
{
	return cursor_row >= 0 && term->cursor_row >= 0 &&
		(count == 0 || (count == 1 && runs->row == term->cursor_row && runs->row == cursor_row));
}

void ik_term_frame(struct ik_term *term, const struct ik_cells *cells, int cursor_row,
	int cursor_column, struct ik_buf *out)
{
	bool visible = cursor_row >= 0, changed = true;
	size_t start = out->length;
	struct ik_changed_run runs[FEW_RUNS];

	if (visible) {
		cursor_row = cursor_row < term->rows ? cursor_row : term->rows - 1;
		cursor_column = cursor_column < 0   ? 0
			: cursor_column < term->columns ? cursor_column
											: term->columns - 1;
	} else {
		cursor_row = cursor_column = -1;
	}
	int few = few_changes(term, cells, runs);
	bool painted = few < 0 && is_painted(term), everything = term->everything || painted;

	if (few < 0 && !painted)
		changed = prepare_screen(term, cells);
	if ((few == 0 || !changed) && !everything && cursor_row == term->cursor_row &&
		cursor_column == term->cursor_column)
		return;
	bool synchronised = term->synchronised && !is_beside_cursor(term, runs, few, cursor_row);

	if (synchronised)
		ik_buf_puts(out, SYNCHRONISE);
	size_t body = out->length;

	if (few >= 0)
		paint_changes(term, cells, runs, few, (struct ik_paint_cursor){ cursor_row, cursor_column },
			out);
	else if (painted)
		paint_frame(term, cells, cursor_row, cursor_column, out);
	else
		draw_screen(term, cursor_row, cursor_column, out);
	if (everything || visible != (term->cursor_row >= 0))
		ik_buf_puts(out, visible ? term->show_cursor : term->hide_cursor);
	term->cursor_row = cursor_row;
	term->cursor_column = cursor_column;
	if (out->length == body)
		ik_buf_truncate(out, start);
	else if (synchronised)
		ik_buf_puts(out, SYNCHRONISED);
	if (ik_buf_status(out) != IK_OK)
		term->everything = true; /* a part is lost: the next one repairs it */
}

void ik_term_settle(struct ik_term *term)
{
	if (!term->screen && term->behind && !term->everything)
		(void)take_over(term);
}
