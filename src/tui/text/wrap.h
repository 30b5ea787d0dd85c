/*
 * wrap: text broken into rows of a width, and the rows of a stretch of text as
 * lines of styled runs.
 *
 * Rows end at blanks where they can, between wide characters, else inside a
 * word.
 *
 * A line names its text by offsets; so the same lines serve text that moved in
 * memory.  What a renderer adds of its own (bars, bullets, decoded entities)
 * is kept beside the lines.  Text is valid UTF-8, sanitised: of the controls it has only line
 * feed and tab.
 *
 * Pure.  May include: util, tui/term/cells.h.
 */
#ifndef IK_TUI_TEXT_WRAP_H
#define IK_TUI_TEXT_WRAP_H

#include "tui/term/cells.h"
#include "util/buf.h"

#define IK_TAB_COLUMNS 8
#define IK_CODE_TAB_COLUMNS 4 /* in code of Markdown: as its parser takes tabs */

/* A hang that each line says by itself: rows that continue "  NAME  words" are under the
 * words, those of "  words" under these; of lines no longer than this many bytes. */
#define IK_HANG_TABLE (-1)
#define IK_TABLE_LINE 1024u

/* One row of a text: its first shown bytes are drawn, its first taken bytes
 * are done with (a line feed, the blanks at which it was broken). */
struct ik_row {
	size_t shown;
	size_t taken;
};

/* The first row of text at that width; taken is at least 1 unless length is 0.
 * A cluster wider than columns is accepted all the same. */
struct ik_row ik_wrap_row(const char *text, size_t length, int columns);

/* A piece of a line: bytes of the text, or of what the renderer added, in one
 * style, from a column on. */
struct ik_text_run {
	uint32_t offset;
	uint32_t length;
	uint16_t column;
	uint8_t style;
	bool added;
};

/* A line: where in the text it begins (the anchor that a resize keeps), the
 * first of its runs (they end where those of the next line begin), and whether it is the
 * rest of the line before, which had no room. */
struct ik_line {
	uint32_t source;
	uint32_t run : 31;
	uint32_t continues : 1;
};

struct ik_lines {
	struct ik_line *lines;
	struct ik_text_run *runs;
	uint32_t count, run_count;
	char *added;
	uint32_t added_length, added_capacity;
};

void ik_lines_done(struct ik_lines *lines);
void ik_lines_clear(struct ik_lines *lines);

/* Begin a line; it is the rest of the one before; add a run to the line begun last. */
void ik_lines_add(struct ik_lines *lines, size_t source);
void ik_lines_continue(struct ik_lines *lines);
void ik_lines_add_run(struct ik_lines *lines, size_t offset, size_t length, int column,
	enum ik_style style);

/* The same of text that is the renderer's own; copied. */
void ik_lines_add_own(struct ik_lines *lines, const char *text, size_t length, int column,
	enum ik_style style);

/* The runs of a line. */
const struct ik_text_run *ik_lines_runs(const struct ik_lines *lines, uint32_t line,
	uint32_t *ret_count);

/* The last line that begins at or before source (0 when none does). */
uint32_t ik_lines_find(const struct ik_lines *lines, size_t source);

/* Draw a line of text into one row of area (columns count from its left edge). */
void ik_lines_draw(const struct ik_lines *lines, uint32_t line, const char *text,
	struct ik_cells *cells, struct ik_rectangle area, int row);

/* What a renderer is told: the text with the stretch [start, end) of it to lay
 * out, the width, by how much rows that continue a line are indented, and the
 * styles of its three parts: [0, head), [head, tail) and from tail on. */
struct ik_renderer;
struct ik_render {
	const char *text;
	size_t start, end;
	size_t opener; /* where the block begins that it continues; start: it begins with one */
	const struct ik_buf *learnt; /* from all of the text */
	bool growing;                /* more text may come after the end */
	int columns;
	int prose; /* of them, what text may take that is no code, table or diff */
	int hang;
	size_t head, tail;
	int head_rows;                   /* of something folded: that its head may take; 0: one */
	const struct ik_renderer *below; /* of something folded: of what is below its head */
	enum ik_style head_style, style, tail_style;
};

/*
 * How a text becomes lines.  A long text is cut into sections, which are laid
 * out one by one and only when they are looked at.
 */
struct ik_renderer {
	/* Return how many bytes from start on are a section of their own whatever follows; 0: all
	 * of text, and it may still grow. *opener: where the block begins that the section continues
	 * (start: none), then the same of the next one. */
	size_t (*split)(const char *text, size_t start, size_t length, size_t *opener);
	/* Lay out a section: at least one line. lines is empty. */
	void (*render)(const struct ik_render *request, struct ik_lines *lines);
	/* NULL, or: learn from the text, or what there is of it so far, what all its sections have to
	 * know, and return whether those with '[' look different now. */
	bool (*learn)(struct ik_buf *learnt, const char *text, size_t length);
};

#define IK_SECTION_MAX 16384u /* unless it is one line, */
#define IK_LINE_MAX 131072u   /* which is cut when it is as long as this */

/* Cut a long text after a line, or a very long line after a character. */
size_t ik_plain_split(const char *text, size_t start, size_t length, size_t *opener)
	__attribute__((nonnull));

/* Text as it is, wrapped. */
extern const struct ik_renderer ik_renderer_plain;

/* The same with each line in the style that its first character says, or the first after its
 * number: "+" was added, "-" removed, "@" is about the lines that follow. */
extern const struct ik_renderer ik_renderer_diff;

/* The same of tables: in an indented line, what is before a gap of two blanks is a name; a line above
 * an indented one is a heading; of the characters of a bar, those that have no room are left out.
 * IK_DIVIDER separates tables that are side by side. */
extern const struct ik_renderer ik_renderer_table;
#define IK_DIVIDER "│"

/* Append such a table, of lines "NAME\tWORDS". After a name that is wider than its column, the
 * words go on the next line. */
void ik_table_put(struct ik_buf *out, const char *rows, size_t columns);

/* Append a table of lines "NAME\tNUMBER\tNUMBER...\tBAR", with the numbers at the right of their
 * columns; a line without a tab is a heading. */
void ik_figures_put(struct ik_buf *out, const char *rows);

/* Append a bar, this part of so many columns, in eighths; a little of it is never nothing. */
void ik_bar_put(struct ik_buf *out, double part, int columns);
/* Does a text of at least 3 bytes begin with a character of a bar? */
bool ik_is_bar(const char *text);

/* What a line of a diff looks like that begins so. */
enum ik_style ik_diff_style(char first);

#endif
