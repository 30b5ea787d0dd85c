#include "tui/pane/pane_help.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

enum { PART_COUNT = 6 };

struct ik_help {
	struct ik_pane pane;
	size_t parts[PART_COUNT]; /* their heading blocks */
	char *commands;           /* NULL once the text is made, on first use */
};

#define KEYS_COLUMNS 24 /* wider keys have their description on the next line */

/* The sections of the key table: the first action of each, and the context of the pane that
 * opens the help there (0: none). The editor's section has none: its help opens at the top. */
static const struct {
	enum ik_action first;
	const char *heading;
	unsigned context;
} parts[PART_COUNT] = {
	{ IK_ACTION_HELP, N_("Keys everywhere"), 0 },
	{ IK_ACTION_PAGE_UP, N_("Keys of the conversation"), IK_IN_SCROLLBACK },
	{ IK_ACTION_UNFOLD, N_("Keys of the tool inspector"), IK_IN_INSPECTOR },
	{ IK_ACTION_FILTER, N_("Keys of the tool browser"), IK_IN_BROWSER },
	{ IK_ACTION_RESUME, N_("Keys of the sessions"), IK_IN_SESSIONS },
	{ IK_ACTION_SEND, N_("Keys of the editor"), 0 },
};

/* Append a line with keys and their description. */
static void put_keys(const char *keys, const char *description, struct ik_buf *out)
{
	int width = (int)ik_utf8_width(keys, strlen(keys));

	if (width == 0)
		return;
	ik_buf_puts(out, keys);
	if (width + 2 > KEYS_COLUMNS) {
		ik_buf_putc(out, '\n');
		width = 0;
	}
	ik_buf_printf(out, "%*s%s\n", KEYS_COLUMNS - width, "", description);
}

/* Append the line of a row, with the keys that are plain characters, the others, or both. */
static void put_row(const struct ik_keymap *keymap, size_t row, bool letters, bool others,
	const char *description, struct ik_buf *out)
{
	struct ik_buf keys;

	ik_buf_init(&keys, IK_KIB(4));
	ik_keymap_put_keys(keymap, row, letters, others, &keys);
	put_keys(keys.data, description, out);
	ik_buf_done(&keys);
}

/* Append a row whose keys differ only in a digit, as a range. Return false if it has no such
 * keys. */
static bool put_digits(const struct ik_keymap *keymap, const struct ik_binding *binding,
	struct ik_buf *out)
{
	char *first = ik_keymap_digit_key(keymap, binding->action, 1);
	char *last = ik_keymap_digit_key(keymap, binding->action, 9);
	size_t stem = first ? strlen(first) - 1 : 0;
	bool found = last && strlen(last) == stem + 1 && memcmp(first, last, stem) == 0;

	if (found) {
		/* Translators: from the first key to the last. */
		char *both = ik_format(_("%s to %s"), first, last);

		put_keys(both, _(binding->description), out);
		free(both);
	}
	free(first);
	free(last);
	return found;
}

/* Append the plain-character keys that rows of the text sections have in a pane. */
static void put_letters(const struct ik_keymap *keymap, unsigned context, struct ik_buf *out)
{
	const struct ik_binding *binding;
	size_t part = 0;

	for (size_t row = 0; (binding = ik_keymap_at(row)); row++) {
		while (part + 1 < PART_COUNT && binding->action == parts[part + 1].first)
			part++;
		if (parts[part].context != 0 || !(binding->contexts & context))
			continue;
		put_row(keymap, row, true, false,
			binding->action == IK_ACTION_UP         ? _("Up")
				: binding->action == IK_ACTION_DOWN ? _("Down")
													: _(binding->description),
			out);
	}
}

/* Add the key table, section by section. */
static void add_keys(struct ik_help *help)
{
	struct ik_pane *pane = &help->pane;
	const struct ik_binding *binding = ik_keymap_at(0);
	size_t row = 0;

	for (size_t part = 0; part < PART_COUNT; part++) {
		struct ik_buf out;

		ik_buf_init(&out, IK_KIB(64));
		for (; binding && (part + 1 == PART_COUNT || binding->action != parts[part + 1].first);
			 binding = ik_keymap_at(++row))
			if (binding->action != IK_ACTION_AGENT || !put_digits(pane->keymap, binding, &out))
				/* Plain characters are keys only in panes. */
				put_row(pane->keymap, row, parts[part].context != 0, true, _(binding->description),
					&out);
		if (parts[part].context != 0)
			put_letters(pane->keymap, parts[part].context, &out);
		help->parts[part] = ik_scrollback_count(pane->text);
		ik_pane_say(pane, IK_BLOCK_HEADING, _(parts[part].heading));
		struct ik_block *block = ik_pane_text(pane, IK_BLOCK_TEXT, out.data, out.length);
		block->hang = KEYS_COLUMNS;
		ik_block_finish(block);
		ik_buf_done(&out);
	}
}

/* Return the column where a table's descriptions begin, taken from its first line. */
static int table_hang(const char *table)
{
	const char *gap = strstr(table, "  ");
	size_t line = strcspn(table, "\n");

	if (!gap || (size_t)(gap - table) >= line)
		return 0;
	size_t names = (size_t)(gap - table);

	return (int)(ik_utf8_width(table, names) + strspn(gap, " "));
}

/* Add the table of commands. */
static void add_commands(struct ik_pane *pane, const char *commands)
{
	ik_pane_say(pane, IK_BLOCK_HEADING, _("Commands"));
	struct ik_block *block = ik_pane_text(pane, IK_BLOCK_TEXT, commands, strlen(commands));
	block->hang = table_hang(commands);
	ik_block_finish(block);
}

/* Add what the panes are for, with their current keys. */
static void add_panes(struct ik_pane *pane)
{
	/* Translators: what stands in braces is replaced with a key: leave it as it is. */
	char *text = ik_keymap_sentence(pane->keymap,
		_("{browser} and {inspector} open a pane and give "
		  "it the keys: {up} and {down} select, {scroll-page-up} and {scroll-page-down} scroll its "
		  "text. {next-pane} goes from the editor to the conversation, to the side pane, and back "
		  "to the editor, and so does anything you type that means nothing there. {line-start} and "
		  "{line-end} scroll the conversation while the editor is empty. A key that is a character "
		  "alone means something outside the editor only.\n"
		  "{cancel} closes this page or the pane that has the keys, else cancels a running turn, "
		  "else "
		  "closes the pane. "
		  "{interrupt} cancels a running turn, else clears the line; twice on an empty line it "
		  "ends "
		  "the program.\n"
		  "The wheel turns what it is over, and a click gives the keys to what it is on; "
		  "what is dragged over, or clicked twice, is copied. The terminal's own selection works "
		  "with Shift held down, or when {mouse} leaves it the mouse."));
	ik_pane_say(pane, IK_BLOCK_HEADING, _("Panes"));
	ik_pane_say(pane, IK_BLOCK_TEXT, text);
	free(text);
}

/* Make the text on first use, so as not to delay the first frame. */
static void make_text(struct ik_help *help)
{
	if (!help->commands)
		return;
	struct ik_scroll_place place = ik_pane_text_begin(&help->pane);
	add_keys(help);
	add_panes(&help->pane);
	if (help->commands[0])
		add_commands(&help->pane, help->commands);
	ik_pane_text_end(&help->pane, place, false);
	free(help->commands);
	help->commands = NULL;
}

void ik_help_open(struct ik_help *help, unsigned context)
{
	make_text(help);
	help->pane.text_moved = true;
	ik_scrollback_go(help->pane.text, (struct ik_scroll_place){ .at_end = false });
	for (size_t part = 0; part < PART_COUNT; part++)
		if (parts[part].context & context)
			ik_scrollback_go(help->pane.text,
				(struct ik_scroll_place){ .block = (int64_t)help->parts[part] });
}

/* Free the help. */
static void release(struct ik_pane *pane)
{
	struct ik_help *help = (struct ik_help *)pane;

	ik_pane_done(pane);
	free(help->commands);
	free(help);
}

static const struct ik_pane_ops ops = {
	.context = IK_IN_HELP, .act = ik_pane_scroll_text, .scroll = ik_pane_scroll, .release = release
};

struct ik_help *ik_help_new(const char *commands, const struct ik_keymap *keymap)
{
	struct ik_help *help = ik_alloc(sizeof(*help));

	ik_pane_init(&help->pane, &ops, keymap);
	help->commands = ik_strdup(commands ? commands : "");
	return help;
}

void ik_help_draw(struct ik_help *help, const struct ik_key_hint *keys, bool writing,
	struct ik_cells *cells, struct ik_rectangle area)
{
	const struct ik_pane_view view = {
		.title = _(" Help "), .focus = true, .keys = keys, .writing_keys = keys
	};

	help->pane.writing = writing;
	ik_scrollback_select(help->pane.text, false); /* the text has no selectable blocks */
	ik_pane_draw(&help->pane, &view, cells, area);
}
