#include "tui/pane/pane_help.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

#define WIDE_COLUMNS 100  /* from here on there are two columns, */
#define DIVIDER_COLUMNS 3 /* with this between them */
/* Columns for a key or a command. */
#define NAME_COLUMNS 20
#define NAME_COLUMNS_OF_TWO 16

struct ik_help {
	struct ik_pane pane;
	ik_help_commands *commands;
	void *commands_arg;
	int columns;      /* that the text was made for; 0: not made yet */
	unsigned context; /* that the help was opened in; 0: shown already */
};

/* One of the columns of text: rows that are no wider than it is. */
struct help_column {
	struct ik_buf text;
	size_t rows;
};

/* ---- what there is to say ---- */

/* Append a row whose keys differ only in a digit, as a range, if it has such keys. */
static bool put_digits(const struct ik_keymap *keymap, const struct ik_binding *binding,
	struct ik_buf *out)
{
	char *first = ik_keymap_digit_key(keymap, binding->action, 1);
	char *last = ik_keymap_digit_key(keymap, binding->action, 9);
	size_t stem = first ? strlen(first) - 1 : 0;
	bool found = last && strlen(last) == stem + 1 && memcmp(first, last, stem) == 0;

	if (found) {
		/* Translators: from the first key to the last. */
		ik_buf_printf(out, _("%s to %s"), first, last);
		ik_buf_printf(out, "\t%s\n", _(binding->description));
	}
	free(first);
	free(last);
	return found;
}

/* Append the row of a binding: all its keys, or the best one in the editor. */
static void put_binding(const struct ik_keymap *keymap, size_t row, bool all, struct ik_buf *out)
{
	const struct ik_binding *binding = ik_keymap_at(row);
	size_t start = out->length;

	if (binding->action == IK_ACTION_AGENT && put_digits(keymap, binding, out))
		return;
	if (all)
		ik_keymap_put_keys(keymap, row, out);
	else
		(void)ik_keymap_put_key(keymap, IK_IN_EDITOR, binding->action, out);
	if (out->length > start)
		ik_buf_printf(out, "\t%s\n", _(binding->description));
}

/* Append a group, its keys and its commands; or, for IK_GROUP_COUNT, the keys to know first. */
static void put_group(const struct ik_help *help, enum ik_group group, size_t names,
	struct ik_buf *out)
{
	bool all = group < IK_GROUP_COUNT;
	const struct ik_binding *binding;
	struct ik_buf rows;

	ik_buf_init(&rows, IK_MIB(1));
	for (size_t row = 0; (binding = ik_keymap_at(row)); row++)
		if (all ? binding->group == group : binding->essential)
			put_binding(help->pane.keymap, row, all, &rows);
	if (all && help->commands)
		help->commands(help->commands_arg, group, &rows);
	if (rows.length > 0)
		ik_buf_printf(out, "%s\n", all ? ik_group_heading(group) : _("The keys to know first"));
	ik_table_put(out, rows.data, names);
	ik_buf_done(&rows);
}

static void put_panes(const struct ik_help *help, struct ik_buf *out)
{
	/* Translators: what stands in braces is replaced with a key: leave it as it is. */
	char *text = ik_keymap_sentence(help->pane.keymap,
		_("A pane has focus once it is open: {up} and {down} select, {scroll-page-up} and "
		  "{scroll-page-down} scroll its text. {next-pane} goes from the editor to the "
		  "conversation, to the pane, and back. Single letters are keys in panes only.\n"
		  "{line-start} and {line-end} scroll the conversation while the editor is empty.\n"
		  "{cancel} closes this page or the pane with focus, else cancels a running turn, else "
		  "closes the pane. {interrupt} cancels a running turn, else clears the line; twice on an "
		  "empty line it quits.\n"
		  "The wheel scrolls what is under the pointer, and a click moves the focus. What you drag "
		  "over or double-click is copied. The terminal's own selection works with Shift held "
		  "down, or after {mouse}."));

	ik_buf_printf(out, "%s\n", _("Panes"));
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");

		ik_buf_printf(out, "  %.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	free(text);
}

/* ---- one column or two ---- */

/* Append a text to a column, broken into rows of a width. */
static void flow(struct help_column *column, const struct ik_buf *text, int columns)
{
	struct ik_render request = { .text = text->data,
		.end = text->length,
		.columns = columns,
		.prose = columns,
		.hang = IK_HANG_TABLE,
		.tail = SIZE_MAX };
	struct ik_lines lines = { 0 };

	ik_renderer_plain.render(&request, &lines);
	for (uint32_t i = 0; i < lines.count; i++) {
		uint32_t count;
		const struct ik_text_run *runs = ik_lines_runs(&lines, i, &count);

		if (count > 0)
			ik_buf_printf(&column->text, "%*s%.*s", runs->column, "", (int)runs->length,
				text->data + runs->offset);
		ik_buf_putc(&column->text, '\n');
	}
	column->rows += lines.count;
	ik_lines_done(&lines);
}

static void put_beside(const struct help_column *left, const struct help_column *right,
	size_t columns, struct ik_buf *out)
{
	const char *ours = left->text.data, *theirs = right->text.data;

	while (*ours || *theirs) {
		size_t length = strcspn(ours, "\n"), other = strcspn(theirs, "\n");
		char *cell = ik_strndup(ours, length);

		ik_utf8_put_cell(out, cell, columns);
		ik_buf_printf(out, " " IK_DIVIDER " %.*s\n", (int)other, theirs);
		free(cell);
		ours += length + (ours[length] == '\n');
		theirs += other + (theirs[other] == '\n');
	}
}

/* Append everything, part by part. In two columns, each part goes to the shorter one. */
static void put_all(const struct ik_help *help, int columns, struct ik_buf *out)
{
	bool wide = columns >= WIDE_COLUMNS;
	int width = wide ? (columns - DIVIDER_COLUMNS) / 2 : INT_MAX;
	size_t names = wide ? NAME_COLUMNS_OF_TWO : NAME_COLUMNS;
	struct help_column halves[2] = { 0 };

	ik_buf_init(&halves[0].text, IK_MIB(1));
	ik_buf_init(&halves[1].text, IK_MIB(1));
	for (int part = 0; part < IK_GROUP_COUNT + 2; part++) {
		struct help_column *half = &halves[wide && halves[1].rows < halves[0].rows];
		struct ik_buf text;

		ik_buf_init(&text, IK_MIB(1));
		if (part <= IK_GROUP_COUNT)
			put_group(help, (enum ik_group)((part + IK_GROUP_COUNT) % (IK_GROUP_COUNT + 1)), names,
				&text);
		else
			put_panes(help, &text);
		if (half->rows > 0 && text.length > 0)
			ik_buf_insert(&text, 0, "\n", 1);
		flow(half, &text, width);
		ik_buf_done(&text);
	}
	if (wide)
		put_beside(&halves[0], &halves[1], (size_t)width, out);
	else
		ik_buf_append(out, halves[0].text.data, halves[0].text.length);
	ik_buf_done(&halves[0].text);
	ik_buf_done(&halves[1].text);
}

/* Make the text for a width, unless it is there already: in one column, any width will do. */
static bool make_text(struct ik_help *help, int columns)
{
	bool same = help->columns > 0 && help->columns < WIDE_COLUMNS && columns < WIDE_COLUMNS;
	struct ik_buf text;

	if (same || help->columns == columns)
		return false;
	ik_buf_init(&text, IK_MIB(1));
	put_all(help, columns, &text);
	struct ik_scroll_place place = ik_pane_text_begin(&help->pane);
	struct ik_block *block = ik_pane_text(&help->pane, IK_BLOCK_TEXT, text.data, text.length);

	block->hang = IK_HANG_TABLE;
	ik_block_set_renderer(block, &ik_renderer_table);
	ik_block_finish(block);
	ik_pane_text_end(&help->pane, place, false);
	ik_buf_done(&text);
	help->columns = columns;
	return true;
}

/* Return where a heading is in the text, or NULL. */
static const char *find_heading(const char *text, const char *heading)
{
	const char *found = strstr(text, heading);

	while (found && found > text && found[-1] != '\n' &&
		memcmp(found - strlen(IK_DIVIDER " "), IK_DIVIDER " ", strlen(IK_DIVIDER " ")) != 0)
		found = strstr(found + 1, heading);
	return found;
}

/* Scroll to the group of the keys of the pane that had focus. */
static void go_to_context(struct ik_help *help)
{
	static const struct {
		unsigned context;
		enum ik_group group;
	} groups[] = {
		{ IK_IN_SCROLLBACK, IK_GROUP_READ },
		{ IK_IN_BROWSER, IK_GROUP_TOOLS },
		{ IK_IN_INSPECTOR, IK_GROUP_CALLS },
		{ IK_IN_SESSIONS, IK_GROUP_SESSIONS },
	};
	struct ik_scroll_place place = { 0 };
	const struct ik_block *block = ik_scrollback_at(help->pane.text, 0);

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		const char *found = groups[i].context & help->context
			? find_heading(block->text, ik_group_heading(groups[i].group))
			: NULL;

		if (found)
			place.offset = (uint32_t)(found - block->text);
	}
	ik_scrollback_go(help->pane.text, place);
	help->context = 0;
}

void ik_help_open(struct ik_help *help, unsigned context)
{
	help->pane.text_moved = true;
	help->context = context;
	help->columns = 0; /* the commands may have changed */
	/* A search may begin before it is drawn, and go back to where it began. */
	ik_scrollback_go(help->pane.text, (struct ik_scroll_place){ 0 });
}

static const struct ik_pane_ops ops = {
	.context = IK_IN_HELP, .act = ik_pane_scroll_text, .scroll = ik_pane_scroll
};

struct ik_help *ik_help_new(ik_help_commands *commands, void *arg, const struct ik_keymap *keymap)
{
	struct ik_help *help = ik_pane_new(sizeof(*help), &ops, keymap);

	help->commands = commands;
	help->commands_arg = arg;
	return help;
}

bool ik_help_draw(struct ik_help *help, const struct ik_key_hint *keys, bool writing,
	struct ik_cells *cells, struct ik_rectangle area)
{
	const struct ik_pane_view view = {
		.title = _(" Help "), .focus = true, .keys = keys, .writing_keys = keys
	};
	bool made = make_text(help, area.columns);

	if (help->context)
		go_to_context(help);
	help->pane.writing = writing;
	ik_scrollback_select(help->pane.text, false); /* the text has no selectable blocks */
	ik_pane_draw(&help->pane, &view, cells, area);
	return made;
}
