#include "tui/term/term.h"

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

#include "tui/term/ascii.h"
#include "tui/term/drawing.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* Synchronised update: the terminal shows a frame only when it is complete. */
#define FRAME_BEGIN "\033[?2026h"
#define FRAME_END "\033[?2026l"
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define MOUSE_ON "\033[?1000h\033[?1002h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1002l\033[?1000l"
#define KEYBOARD_ON "\033[>1u"
#define KEYBOARD_OFF "\033[<u"
#define OTHER_KEYS_ON "\033[>4;1m"
#define OTHER_KEYS_OFF "\033[>4m"

#define FOCUS_ON "\033[?1004h"
#define FOCUS_OFF "\033[?1004l"
#define TITLE_PUSH "\033[22;2t"
#define TITLE_POP "\033[23;2t"
#define PROGRESS_OFF "\033]9;4;0\033\\"

/* All that were sent in the full screen, by their numbers. */
#define PICTURES_OFF "\033_Ga=d,d=R,x=1,y=16777215,q=2;\033\\"

#define OWN_END "\033[39;49m"

#define SENT_MOST 64 /* more drawings than are shown at a time */

#define CELL_MOST 2 /* ncurses cells for one of our cells, at most */

/* How ncurses draws a style. */
struct ik_term_look {
	attr_t attributes;
	short pair; /* of colours */
};

struct ik_term {
	SCREEN *screen;
	FILE *file;          /* the memory file that ncurses writes into */
	struct ik_buf bytes; /* what was read from the file */
	const char *drawn_as;
	bool utf8, answers, own_colours;
	enum ik_colour_depth colours;
	const struct ik_theme *theme;
	struct ik_term_look looks[IK_STYLE_COUNT];

	struct ik_cells shown;    /* the last frame, in the terminal's size */
	uint8_t *turns;           /* for each cell: changes with what stands for it */
	bool *spoilt;             /* for each row: cells of sixels were written */
	uint32_t sent[SENT_MOST]; /* ids of drawings that the terminal has; the last shown is last */
	size_t sent_count;
	bool everything; /* the terminal may show anything: repaint */
	cchar_t *row;    /* buffer for the row passed to ncurses */
};

/* ---- what terminfo and the type's name tell about a terminal ---- */

#define PALETTE 256 /* size of the largest palette */

/* Return a substitute for a terminal type that is not installed, by the name up to its first
 * dash, or NULL for unknown families. The known ones ignore private modes and queries that they
 * don't support. */
static const char *stand_in_for(const char *type)
{
	static const struct {
		const char *name;
		const char *stand_in;
	} families[] = { { "screen", "screen" }, { "tmux", "screen-256color" },
		{ "xterm", "xterm-256color" }, { "alacritty", "xterm-256color" },
		{ "kitty", "xterm-256color" }, { "foot", "xterm-256color" },
		{ "wezterm", "xterm-256color" }, { "ghostty", "xterm-256color" },
		{ "contour", "xterm-256color" }, { "konsole", "xterm-256color" },
		{ "mintty", "xterm-256color" }, { "vte", "xterm-256color" }, { "gnome", "xterm-256color" },
		{ "iterm", "xterm-256color" }, { "iterm2", "xterm-256color" } };
	size_t length = strcspn(type, "-+.");

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (strlen(families[i].name) == length && memcmp(families[i].name, type, length) == 0)
			return families[i].stand_in;
	return NULL;
}

/* Return a capability of the open terminal, or NULL. */
static const char *capability(const char *name)
{
	const char *value = tigetstr(name);

	return value == (const char *)-1 ? NULL : value;
}

/* Append a capability without padding. */
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

/* Does the terminal understand ECMA-48 control sequences at all? */
static bool is_ansi(void)
{
	const char *move = capability("cup");

	return move && ik_text_starts(move, "\033[");
}

/* Do terminfo or the type's name promise 24-bit colours? */
static bool is_direct(const char *type)
{
	return tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || capability("RGB") ||
		tigetflag("Tc") > 0 || (stand_in_for(type) && ik_text_ends(type, "-direct"));
}

/* Return the terminal's colours. stands_in: its type is drawn as another one. direct: the
 * environment promises 24-bit colours. */
static enum ik_colour_depth read_colours(const char *type, bool stands_in, bool direct)
{
	const char *set = capability("setaf");
	int colours = set && tigetnum("pairs") > 0 ? tigetnum("colors") : 0;

	/* Only the name of a type that is not installed is known. In an 88-colour palette, only the
	 * first 16 colours are as in one of 256. */
	if (stands_in && (ik_text_ends(type, "-16color") || ik_text_ends(type, "-88color")))
		colours = 16;
	/* Larger numbers of a direct type are colours, not a palette. */
	if (colours > PALETTE)
		colours = 8;
	if (colours == PALETTE) {
		direct = direct || is_direct(type);
		return direct && strstr(set, "38;5;") ? IK_COLOURS_TRUE : IK_COLOURS_256;
	}
	return colours >= 16 ? IK_COLOURS_16 : colours >= 8 ? IK_COLOURS_8 : IK_COLOURS_NONE;
}

/* ---- how a cell looks in ncurses ---- */

/* What stands for a cell with colours of its own: two characters for each place, in turns, so that
 * ncurses sees that it changes. In UTF-8 they begin with a byte that no other character has. */
#define STAND_IN_FIRST 0x100000
#define STAND_INS 0xFFFE
#define STAND_IN_BYTE '\xF4'

#define REPLACEMENT L'\xFFFD'
#define FLAG_LETTER_BYTES 4 /* bytes of U+1F1E6 to U+1F1FF */

/* Two placeholders for each style, for foreground and background, from the first number that
 * ncurses writes as "38;5;N" on. */
#define PLACEHOLDER_FIRST 16
#define PLACEHOLDERS (2 * IK_STYLE_COUNT)
_Static_assert(PLACEHOLDER_FIRST + PLACEHOLDERS <= 256, "the palette has room");

/* Return ncurses' number for a theme's colour. in_block: the text has a background. */
static int number_of(enum ik_colour_depth colours, int32_t rgb, bool in_block, int placeholder)
{
	int of16 = ik_colour_of_16(rgb, in_block);
	const int numbers[] = { [IK_COLOURS_NONE] = IK_COLOUR_OWN,
		[IK_COLOURS_8] = of16 < 0 ? of16 : of16 & 7,
		[IK_COLOURS_16] = of16,
		[IK_COLOURS_256] = ik_colour_nearest(rgb),
		[IK_COLOURS_TRUE] = rgb < 0 ? IK_COLOUR_OWN : placeholder };

	return numbers[colours];
}

/* Return ncurses' attributes for a set of IK_ATTRIBUTE_. */
static attr_t attributes_of(unsigned ours)
{
	return (ours & IK_ATTRIBUTE_BOLD ? A_BOLD : A_NORMAL) |
		(ours & IK_ATTRIBUTE_DIM ? A_DIM : A_NORMAL) |
		(ours & IK_ATTRIBUTE_REVERSE ? A_REVERSE : A_NORMAL) |
		(ours & IK_ATTRIBUTE_UNDERLINE ? A_UNDERLINE : A_NORMAL) |
		(ours & IK_ATTRIBUTE_ITALIC ? A_ITALIC : A_NORMAL);
}

/* Set the look of each style and ncurses' colour pairs. own: ncurses can draw the terminal's
 * default colours. */
static void make_looks(const struct ik_theme *theme, enum ik_colour_depth colours, bool own,
	struct ik_term_look ret_looks[IK_STYLE_COUNT])
{
	for (int style = 0; style < IK_STYLE_COUNT; style++) {
		const struct ik_look *look = &theme->looks[style];
		bool in_block = look->background >= 0;
		int placeholder = PLACEHOLDER_FIRST + 2 * style;
		int front = number_of(colours, look->foreground, in_block, placeholder);
		int back = number_of(colours, look->background, in_block, placeholder + 1);
		short pair = 0;

		if (front >= 0 || back >= 0) {
			if (!own) {
				front = front < 0 ? COLOR_WHITE : front;
				back = back < 0 ? COLOR_BLACK : back;
			}
			pair = (short)(style + 1);
			if (init_pair(pair, (short)front, (short)back) == ERR)
				pair = 0;
		}
		ret_looks[style] = (struct ik_term_look){ attributes_of(look->attributes), pair };
	}
}

/* Read the characters of a cluster; return false if the C library disagrees about its width. */
static bool read_cluster(const struct ik_cell *cell, wchar_t ret_text[CCHARW_MAX + 1])
{
	int count = 0;

	for (size_t at = 0; at < cell->length && count < CCHARW_MAX;) {
		uint32_t codepoint;
		int bytes = ik_utf8_decode(cell->text + at, cell->length - at, &codepoint);

		if (bytes <= 0 || codepoint >= STAND_IN_FIRST)
			return false;
		int width = wcwidth((wchar_t)codepoint);

		if (count == 0 && width != cell->width)
			return false;
		if (count > 0 && width != 0)
			break;
		ret_text[count++] = (wchar_t)codepoint;
		at += (size_t)bytes;
	}
	ret_text[count] = L'\0';
	return count > 0;
}

/* Return the letter of a regional indicator (half of a flag), or 0 for anything else. */
static wchar_t flag_letter(const char *text)
{
	uint32_t codepoint;
	int bytes = ik_utf8_decode(text, FLAG_LETTER_BYTES, &codepoint);

	return bytes > 0 && codepoint >= 0x1F1E6 && codepoint <= 0x1F1FF
		? (wchar_t)(L'A' + (codepoint - 0x1F1E6))
		: 0;
}

/* Set replacements for a cluster of uncertain width, one character for each column. */
static void replace_cluster(const struct ik_cell *cell, bool utf8, wchar_t ret_text[2])
{
	if (cell->width == 2 && cell->length == 2 * FLAG_LETTER_BYTES) {
		ret_text[0] = flag_letter(cell->text);
		ret_text[1] = flag_letter(cell->text + FLAG_LETTER_BYTES);
		if (ret_text[0] && ret_text[1])
			return;
	}
	ret_text[0] = utf8 ? REPLACEMENT : (wchar_t)ik_ascii_for(cell->text, cell->length);
	ret_text[1] = L' ';
}

/*
 * Convert a cell for ncurses; return the number of ncurses cells, 0 for the
 * second half of a wide cluster. corner: the cell touches the last two columns
 * of the last row. ncurses fills these by inserting characters or with line
 * wrap off, which spoils wide and combined clusters, so a wide one becomes
 * blanks and a combined one its base.
 */
static int make_cell(const struct ik_cell *cell, const struct ik_term_look *look, bool utf8,
	bool corner, cchar_t ret_cells[CELL_MOST])
{
	bool ascii = cell->length == 1 && cell->text[0] >= 0x20 && cell->text[0] < 0x7F;
	wchar_t text[CCHARW_MAX + 1] = { (wchar_t)cell->text[0] };

	if (cell->width == 0)
		return 0;
	if (!(corner && cell->width == 2) && (ascii || (utf8 && read_cluster(cell, text)))) {
		if (corner)
			text[1] = L'\0';
		setcchar(ret_cells, text, look->attributes, look->pair, NULL);
		return 1;
	}
	if (corner && cell->width == 2)
		text[0] = text[1] = L' ';
	else
		replace_cluster(cell, utf8, text);
	for (int i = 0; i < cell->width; i++)
		setcchar(ret_cells + i, (wchar_t[]){ text[i], L'\0' }, look->attributes, look->pair, NULL);
	return cell->width;
}

/* Parse a placeholder, "38;5;N" or "48;5;N"; return its end, or NULL if there is none. */
static const char *read_placeholder(const struct ik_theme *theme, const char *text,
	int32_t *ret_rgb)
{
	static const char middle[] = "8;5;";
	char *end;

	if ((*text != '3' && *text != '4') || strncmp(text + 1, middle, strlen(middle)) != 0)
		return NULL;
	long index = strtol(text + 1 + strlen(middle), &end, 10) - PLACEHOLDER_FIRST;

	if (index < 0 || index >= PLACEHOLDERS)
		return NULL;
	const struct ik_look *look = &theme->looks[index / 2];

	*ret_rgb = index % 2 == 0 ? look->foreground : look->background;
	return end;
}

/* Append ncurses' bytes with each placeholder ("38;5;N", "48;5;N") replaced by its colour in the
 * theme ("38;2;R;G;B"). */
static void put_direct(const struct ik_theme *theme, const char *bytes, struct ik_buf *out)
{
	static const char introducer[] = "\033[";
	const char *start, *end;
	int32_t rgb;

	/* ncurses writes each colour as a separate control sequence. */
	while ((start = strstr(bytes, introducer))) {
		start += strlen(introducer);
		ik_buf_append(out, bytes, (size_t)(start - bytes));
		bytes = start;
		if (!(end = read_placeholder(theme, start, &rgb)))
			continue;
		ik_buf_printf(out, "%c8;2;%d;%d;%d", *start, (int)(rgb >> 16 & 0xFF),
			(int)(rgb >> 8 & 0xFF), (int)(rgb & 0xFF));
		bytes = end;
	}
	ik_buf_puts(out, bytes);
}

/* Append bytes of ncurses' with the theme's colours in them. */
static void put_plain(const struct ik_term *term, const char *bytes, struct ik_buf *out)
{
	if (term->colours == IK_COLOURS_TRUE)
		put_direct(term->theme, bytes, out);
	else
		ik_buf_puts(out, bytes);
}

/* Append one of a cell's own colours. A colour alone is a number, which must be exact. */
static void put_own_colour(const struct ik_term *term, const struct ik_cell *cell, int layer,
	const uint8_t rgb[3], struct ik_buf *out)
{
	if (term->colours == IK_COLOURS_TRUE || !(cell->own & IK_CELL_BACK))
		ik_buf_printf(out, "\033[%d8;2;%d;%d;%dm", layer, rgb[0], rgb[1], rgb[2]);
	else
		ik_buf_printf(out, "\033[%d8;5;%dm", layer,
			ik_colour_nearest(rgb[0] << 16 | rgb[1] << 8 | rgb[2]));
}

/* Append a cell with colours of its own, after last, which may be NULL. */
static void put_own(const struct ik_term *term, const struct ik_cell *cell,
	const struct ik_cell *last, struct ik_buf *out)
{
	if (!last || memcmp(last->front, cell->front, 3) != 0)
		put_own_colour(term, cell, 3, cell->front, out);
	if (cell->own & IK_CELL_BACK && (!last || memcmp(last->back, cell->back, 3) != 0))
		put_own_colour(term, cell, 4, cell->back, out);
	ik_buf_append(out, cell->text, cell->length);
}

/* Append ncurses' bytes with what they stand for. ncurses takes cells with colours of their own for
 * text without any, so the colours end with them. */
static void put_bytes(struct ik_term *term, char *bytes, struct ik_buf *out)
{
	size_t count = (size_t)term->shown.rows * (size_t)term->shown.columns;
	const struct ik_cell *last = NULL;
	char *found;

	while ((found = strchr(bytes, STAND_IN_BYTE))) {
		uint32_t codepoint = STAND_IN_FIRST;
		int length = ik_utf8_decode(found, strnlen(found, 4), &codepoint);
		size_t place = (codepoint - STAND_IN_FIRST) / 2;

		if (last && found > bytes) {
			ik_buf_puts(out, OWN_END);
			last = NULL;
		}
		*found = '\0';
		put_plain(term, bytes, out);
		const struct ik_cell *cell = place < count ? &term->shown.cells[place] : NULL;

		if (cell && cell->own && cell->own != IK_CELL_SIXEL) {
			put_own(term, cell, last && last->own == cell->own ? last : NULL, out);
			last = cell;
		} else if (cell) { /* a part of sixels, or it was there before and is written over next */
			ik_buf_putc(out, ' ');
			term->spoilt[place / (size_t)term->shown.columns] = true;
		}
		bytes = found + (length > 0 ? length : 1);
	}
	if (last)
		ik_buf_puts(out, OWN_END);
	put_plain(term, bytes, out);
}

/* Is a line of a drawing whole on the screen from this cell on? */
static bool is_whole(const struct ik_cell *cell, const struct ik_drawing *drawing, int columns)
{
	uint32_t id = (uint32_t)cell->front[0] << 16 | (uint32_t)cell->front[1] << 8 | cell->front[2];

	if (drawing->id != id || drawing->columns > columns)
		return false;
	for (int i = 0; i < drawing->columns; i++)
		if (cell[i].own != IK_CELL_SIXEL || memcmp(cell[i].front, cell->front, 3) != 0 ||
			cell[i].back[0] != cell->back[0] || cell[i].back[1] != i)
			return false;
	return true;
}

/* Append the lines of sixels that begin in a row. */
static void put_sixels(const struct ik_term *term, const struct ik_cells *cells, int row,
	struct ik_buf *out)
{
	for (int column = 0; column < cells->columns; column++) {
		const struct ik_cell *cell = ik_cells_at(cells, row, column);

		for (size_t i = 0; cell->own == IK_CELL_SIXEL && i < cells->drawing_count; i++) {
			size_t length;

			if (!is_whole(cell, cells->drawings[i], cells->columns - column))
				continue;
			const char *sixels = ik_drawing_line(cells->drawings[i], cell->back[0], &length);

			ik_buf_printf(out, "\0337\033[%d;%dH", row + 1, column + 1);
			ik_buf_append(out, sixels, length);
			ik_buf_puts(out, "\0338");
			break;
		}
	}
}

/* Draw the sixels in rows whose cells were written. */
static void repair_sixels(struct ik_term *term, const struct ik_cells *cells, struct ik_buf *out)
{
	for (int row = 0; row < term->shown.rows; row++) {
		if (term->spoilt[row])
			put_sixels(term, cells, row, out);
		term->spoilt[row] = false;
	}
}

/* Append a drawing unless the terminal has it. If that has many, it forgets the one that was not
 * shown for longest. */
static void send_drawing(struct ik_term *term, const struct ik_drawing *drawing, struct ik_buf *out)
{
	size_t at = 0;

	while (at < term->sent_count && term->sent[at] != drawing->id)
		at++;
	if (at == term->sent_count) {
		ik_drawing_send(drawing, out);
		if (at < SENT_MOST)
			term->sent_count++;
		else
			ik_drawing_forget(term->sent[at = 0], out);
	}
	memmove(term->sent + at, term->sent + at + 1,
		(term->sent_count - at - 1) * sizeof(*term->sent));
	term->sent[term->sent_count - 1] = drawing->id;
}

/* ---- the screen ---- */

/* Open an ncurses screen that writes into file. Return NULL if terminfo does not know the type
 * or the type cannot move its cursor. */
static SCREEN *open_screen(const char *type, FILE *file)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	struct sigaction kept[sizeof(signals) / sizeof(*signals)];

	/* newterm() installs its own handlers, but signals belong to the loop. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], NULL, &kept[i]);
	SCREEN *screen = newterm(type, file, file);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &kept[i], NULL);
	if (!screen || capability("cup"))
		return screen;
	delscreen(screen);
	return NULL;
}

/* Read what ncurses has written since the last call into term->bytes. */
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

/* Discard what ncurses has written, since ik_term_modes_enter() enters the full screen. */
static void discard_bytes(struct ik_term *term)
{
	read_bytes(term);
	ik_buf_clear(&term->bytes);
}

/* Limit ncurses to finding the difference between two frames. */
static void set_up_screen(struct ik_term *term)
{
	term->own_colours = term->colours != IK_COLOURS_NONE && start_color() != ERR &&
		use_default_colors() != ERR;
	/* Otherwise ncurses stops a frame when input is available, which is always so for a file. */
	typeahead(-1);
	nonl();
	wnoutrefresh(stdscr);
	doupdate();
	discard_bytes(term);
}

/* Open the screen for a type, or for its substitute if it is not installed. */
static bool open_terminal(struct ik_term *term, const char *type)
{
	const char *stand_in = stand_in_for(type);

	term->file = fdopen(memfd_create("ikigai-frame", MFD_CLOEXEC), "w+");
	if (!term->file)
		return false;
	/* For "-direct" types, ncurses takes numbers for colours. Ours are of the palette. */
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
	term->utf8 = ik_text_equal(nl_langinfo(CODESET), "UTF-8");
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
	term->answers = is_ansi() && stand_in_for(type);
	term->colours = read_colours(type, term->drawn_as, options->direct);
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
	free(term->turns);
	free(term->spoilt);
	free(term);
	return NULL;
}

void ik_term_resize(struct ik_term *term, int rows, int columns)
{
	resize_term(rows, columns);
	discard_bytes(term);
	ik_cells_resize(&term->shown, rows, columns);
	term->row = ik_alloc_array(term->row, CELL_MOST * (size_t)columns, sizeof(*term->row));
	term->turns = ik_alloc_array(term->turns, (size_t)rows * (size_t)columns, 1);
	memset(term->turns, 0, (size_t)rows * (size_t)columns);
	term->spoilt = ik_alloc_array(term->spoilt, (size_t)rows, sizeof(*term->spoilt));
	memset(term->spoilt, 0, (size_t)rows * sizeof(*term->spoilt));
	term->everything = true;
}

void ik_term_invalidate(struct ik_term *term)
{
	term->everything = true;
	term->sent_count = 0; /* it may be another terminal */
}

void ik_term_set_theme(struct ik_term *term, const struct ik_theme *theme)
{
	if (theme == term->theme)
		return;
	term->theme = theme;
	make_looks(term->colours == IK_COLOURS_NONE ? ik_theme_find(NULL, "mono") : theme,
		term->colours, term->own_colours, term->looks);
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

/* Convert a cell with colours of its own for ncurses. A screen with more cells than there are
 * characters for them shows blanks at its end. */
static int make_own_cell(const struct ik_term *term, size_t place, cchar_t *ret_cell)
{
	size_t number = 2 * place + term->turns[place];
	const wchar_t text[] = { number < STAND_INS ? (wchar_t)(STAND_IN_FIRST + number) : L' ',
		L'\0' };

	setcchar(ret_cell, text, A_NORMAL, 0, NULL);
	return 1;
}

static void put_row(struct ik_term *term, const struct ik_cell *cells, int row)
{
	int rows = term->shown.rows, columns = term->shown.columns, count = 0;

	for (int column = 0; column < columns; column++) {
		const struct ik_cell *cell = &cells[column];
		bool corner = row == rows - 1 && column + cell->width > columns - 2;

		count += cell->own && term->utf8
			? make_own_cell(term, (size_t)(row * columns + column), term->row + count)
			: make_cell(cell, &term->looks[cell->style], term->utf8, corner, term->row + count);
	}
	mvwadd_wchnstr(stdscr, row, 0, term->row, count);
}

/* Pass the rows that differ from the last frame to ncurses, and remember them. */
static void put_rows(struct ik_term *term, const struct ik_cells *cells)
{
	size_t columns = (size_t)term->shown.columns;

	for (int row = 0; row < term->shown.rows; row++) {
		const struct ik_cell *wanted = cells->cells + (size_t)row * columns;
		struct ik_cell *shown = term->shown.cells + (size_t)row * columns;

		if (!term->everything && memcmp(shown, wanted, columns * sizeof(*shown)) == 0)
			continue;
		for (size_t i = 0; i < columns; i++)
			term->turns[(size_t)row * columns + i] ^= memcmp(&shown[i], &wanted[i],
														  sizeof(*shown)) != 0;
		memcpy(shown, wanted, columns * sizeof(*shown));
		put_row(term, wanted, row);
	}
}

/* Have ncurses write the changes, with the cursor at (row, column), or hidden if row < 0. */
static void write_changes(struct ik_term *term, int row, int column)
{
	bool visible = row >= 0;
	int last_row = term->shown.rows - 1, last_column = term->shown.columns - 1;

	if (term->everything) {
		clearok(curscr, TRUE);
		curs_set(!visible); /* otherwise ncurses believes that the state is already set */
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

void ik_term_frame(struct ik_term *term, const struct ik_cells *cells, struct ik_buf *out)
{
	put_rows(term, cells);
	for (size_t i = 0; i < cells->drawing_count; i++)
		if (cells->drawings[i]->way == IK_DRAWING_KITTY)
			send_drawing(term, cells->drawings[i], out);
	write_changes(term, cells->cursor_row, cells->cursor_column);
	read_bytes(term);
	if (term->bytes.length > 0) {
		if (term->answers)
			ik_buf_puts(out, FRAME_BEGIN);
		put_bytes(term, term->bytes.data, out);
		repair_sixels(term, cells, out);
		if (term->answers)
			ik_buf_puts(out, FRAME_END);
	}
	if (ik_buf_status(&term->bytes) != IK_OK || ik_buf_status(out) != IK_OK)
		term->everything = true; /* a part was lost, and the next frame repairs that */
	ik_buf_clear(&term->bytes);
}

/* ---- entering and leaving the full screen ---- */

static void put_mode(struct ik_buf *out, bool on, const char *sequence)
{
	if (on)
		ik_buf_puts(out, sequence);
}

/* Append the sequences that switch from one set of modes to another. */
static void put_modes(const struct ik_term *term, struct ik_term_modes from,
	struct ik_term_modes to, struct ik_buf *out)
{
	static const char *const shapes[] = { "\033[0 q", "\033[2 q", "\033[6 q" }; /* DECSCUSR */

	put_mode(out, term->answers && from.cursor != to.cursor, shapes[to.cursor]);
	put_mode(out, term->answers && from.mouse != to.mouse, to.mouse ? MOUSE_ON : MOUSE_OFF);
	put_mode(out, term->answers && from.keyboard != to.keyboard,
		to.keyboard ? KEYBOARD_ON : KEYBOARD_OFF);
	put_mode(out, term->answers && from.focus != to.focus, to.focus ? FOCUS_ON : FOCUS_OFF);
	put_mode(out, term->answers && from.title != to.title, to.title ? TITLE_PUSH : TITLE_POP);
	put_mode(out, term->answers && from.progress && !to.progress, PROGRESS_OFF);
	put_mode(out, term->answers && from.pictures && !to.pictures, PICTURES_OFF);
}

char *ik_term_modes_enter(const struct ik_term *term, struct ik_term_modes modes)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	put_capability(&out, "smcup");
	put_capability(&out, "smkx");
	put_capability(&out, "sgr0");
	put_mode(&out, is_ansi(), PASTE_ON);
	put_mode(&out, term->answers, OTHER_KEYS_ON);
	put_modes(term, (struct ik_term_modes){ 0 }, modes, &out);
	return ik_buf_take(&out, NULL);
}

char *ik_term_modes_leave(const struct ik_term *term, struct ik_term_modes modes)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	put_modes(term, modes, (struct ik_term_modes){ 0 }, &out);
	put_mode(&out, term->answers, OTHER_KEYS_OFF FRAME_END);
	put_capability(&out, "sgr0");
	put_mode(&out, is_ansi(), PASTE_OFF);
	put_capability(&out, "rmkx");
	put_capability(&out, "cnorm");
	/* Without an alternate screen, or if it is off (GNU screen's default), the shell continues
	 * on a blank screen, not in the middle of ours. */
	put_capability(&out, "home");
	put_capability(&out, "ed");
	put_capability(&out, capability("rmcup") ? "rmcup" : "clear");
	return ik_buf_take(&out, NULL);
}

char *ik_term_modes_change(const struct ik_term *term, struct ik_term_modes from,
	struct ik_term_modes to)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	put_modes(term, from, to, &out);
	return ik_buf_take(&out, NULL);
}
