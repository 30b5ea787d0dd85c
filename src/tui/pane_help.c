#include "tui/pane_help.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

struct ik_help {
	struct ik_pane pane;
};

#define KEYS_COLUMNS 24 /* longer ones have their description beneath */

/* Add the table of keys. */
static void add_keys(struct ik_pane *pane)
{
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(64));
	const struct ik_binding *binding;
	for (size_t i = 0; (binding = ik_keymap_at(pane->keymap, i)); i++) {
		int width = (int)ik_utf8_width(binding->keys, strlen(binding->keys));
		if (width == 0)
			continue;
		ik_buf_puts(&out, binding->keys);
		if (width + 2 > KEYS_COLUMNS) {
			ik_buf_putc(&out, '\n');
			width = 0;
		}
		ik_buf_printf(&out, "%*s%s\n", KEYS_COLUMNS - width, "", _(binding->description));
	}
	ik_pane_heading(pane, _("Keys"));
	struct ik_block *block = ik_pane_text(pane, IK_BLOCK_TEXT, out.data, out.length);
	block->hang = KEYS_COLUMNS;
	ik_block_finish(block);
	ik_buf_done(&out);
}

/* The column at which the descriptions of a table begin, by its first line. */
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
	ik_pane_heading(pane, _("Commands"));
	struct ik_block *block = ik_pane_text(pane, IK_BLOCK_TEXT, commands, strlen(commands));
	block->hang = table_hang(commands);
	ik_block_finish(block);
}

/* Add what the panes are for, with the keys of now. */
static void add_panes(struct ik_pane *pane)
{
	static const enum ik_action actions[] = {
		IK_ACTION_BROWSER, IK_ACTION_INSPECTOR, IK_ACTION_NEXT_PANE, IK_ACTION_CANCEL,
		IK_ACTION_INTERRUPT, IK_ACTION_MOUSE
	};
	char *keys[sizeof actions / sizeof *actions];
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		keys[i] = ik_keymap_key_name(pane->keymap, IK_IN_EDITOR, actions[i]);
	char *text = ik_format(_("%s and %s open a pane and give it the keys: arrows select, PgUp and "
		"PgDn scroll its text. %s goes from the editor to the conversation, to the side pane, "
		"and back to the editor, and so does anything you type that means nothing there. Home "
		"and End scroll the conversation while the editor is empty.\n"
		"%s closes this page, else cancels a running turn, else closes the pane. %s cancels "
		"a running turn, else clears the line; twice on an empty line it ends the program.\n"
		"The wheel turns what it is over, and a click gives the keys to what it is on; "
		"what is dragged over, or clicked twice, is copied. The terminal's own selection "
		"works with Shift held down, or when %s leaves it the mouse."),
		keys[0], keys[1], keys[2], keys[3], keys[4], keys[5]);
	ik_pane_heading(pane, _("Panes"));
	ik_block_finish(ik_pane_text(pane, IK_BLOCK_TEXT, text, strlen(text)));
	free(text);
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		free(keys[i]);
}

struct ik_help *ik_help_new(const char *commands, const struct ik_keymap *keymap, bool utf8)
{
	struct ik_help *help = ik_alloc(sizeof *help);
	ik_pane_init(&help->pane, keymap, utf8);
	struct ik_scroll_place place = ik_pane_text_begin(&help->pane);
	add_keys(&help->pane);
	add_panes(&help->pane);
	if (commands && commands[0])
		add_commands(&help->pane, commands);
	ik_pane_text_end(&help->pane, place, false);
	return help;
}

struct ik_help *ik_help_free(struct ik_help *help)
{
	if (!help)
		return NULL;
	ik_pane_done(&help->pane);
	free(help);
	return NULL;
}

bool ik_help_act(struct ik_help *help, enum ik_action action)
{
	if (action == IK_ACTION_UP || action == IK_ACTION_DOWN) {
		ik_help_scroll(help, action == IK_ACTION_UP ? -1 : 1);
		return true;
	}
	return ik_pane_act(&help->pane, action);
}

void ik_help_scroll(struct ik_help *help, int rows)
{
	ik_scrollback_scroll(help->pane.text, rows);
	help->pane.text_moved = true;
}

void ik_help_draw(struct ik_help *help, struct ik_cells *cells, struct ik_rectangle area)
{
	static const struct ik_key_hint hints[] = {
		{IK_ACTION_UP, IK_ACTION_DOWN, N_("scroll"), 3},
		{IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("page"), 2},
		{IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1},
	};
	struct ik_pane_view view = {
		.title = _(" Help "),
		.context = IK_IN_HELP,
		.hints = hints,
		.hint_count = sizeof hints / sizeof *hints,
		.focus = true,
	};
	ik_pane_draw(&help->pane, &view, cells, area);
}

struct ik_scrollback *ik_help_text(struct ik_help *help)
{
	return help->pane.text;
}
