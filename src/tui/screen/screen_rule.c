/* The line over the editor: what waits, what is looked for and the keys of the scrollback at
 * the left, what is new at the right. */
#include "tui/screen/screen_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

/* At the right of the line over the editor: how much is new. Returns the columns left. */
static int draw_news(struct ik_screen *screen, struct ik_cells *cells, struct ik_rectangle area)
{
	struct ik_buf out;
	bool more;
	size_t new_rows = ik_scrollback_new_rows(screen->scrollback, &more);

	ik_buf_init(&out, IK_KIB(1));
	ik_buf_putc(&out, ' ');
	if (new_rows > 0)
		/* Translators: with a plus there are more than that. */
		ik_buf_printf(&out,
			more ? ngettext("%zu+ new line ", "%zu+ new lines ", new_rows)
				 : ngettext("%zu new line ", "%zu new lines ", new_rows),
			new_rows);
	/* End belongs to a draft while there is one. */
	bool draft = ik_screen_context(screen) == IK_IN_EDITOR &&
		!ik_editor_is_empty(ik_prompt_editor(screen->prompt));
	char *key = ik_keymap_key_name(screen->keymap, IK_IN_EDITOR,
		draft ? IK_ACTION_BOTTOM : IK_ACTION_LINE_END);
	/* Translators: an arrow, and the key that goes there: "↓ (End)" */
	ik_buf_printf(&out, _("%s (%s) "), screen->utf8 ? "↓" : "v", key);
	free(key);
	int columns = (int)ik_utf8_width(out.data, out.length);
	int column = area.columns - columns - 1;
	ik_cells_label(cells, area, area.row, column > 0 ? column : 0,
		new_rows > 0 ? IK_STYLE_NOTICE : IK_STYLE_DIM, out.data);
	ik_buf_done(&out);
	return area.columns - columns - 2;
}

/* Say what to do with messages that are held. */
static void put_held(const struct ik_screen *screen, struct ik_buf *out)
{
	char *send = ik_keymap_key_name(screen->keymap, IK_IN_EDITOR, IK_ACTION_SEND);
	char *back = ik_keymap_key_name(screen->keymap, IK_IN_EDITOR, IK_ACTION_UP);

	/* Translators: two keys: "Enter", "Up" */
	ik_buf_printf(out, _(" %s sends what is held, %s takes the newest back "), send, back);
	free(back);
	free(send);
}

int ik_screen_draw_rule(struct ik_screen *screen, struct ik_cells *cells,
	const struct ik_layout *layout)
{
	struct ik_buf out;
	struct ik_rectangle area = layout->rule;
	bool focus = ik_screen_context(screen) == IK_IN_SCROLLBACK;
	bool writing = ik_find_is_writing(ik_screen_find(screen));
	int cursor = -1;

	ik_buf_init(&out, IK_KIB(16));
	ik_pane_rule(cells, area, focus ? IK_STYLE_FRAME_FOCUS : IK_STYLE_FRAME, screen->utf8);
	if (layout->scrollback.rows > 0 && !screen->help_open &&
		!ik_scrollback_at_end(screen->scrollback))
		area.columns = draw_news(screen, cells, area);
	int column = area.column + 1;
	bool searching = ik_prompt_label(screen->prompt, &out);

	if (!searching && !writing && screen->flash)
		ik_buf_printf(&out, " %s ", screen->flash);
	else if (!searching && (writing || ik_find_shows(ik_screen_find(screen))))
		column = ik_find_draw(ik_screen_find(screen), screen->older && !screen->help_open, cells,
			area, &cursor);
	else if (!searching && ik_turn_status_retry_reason(screen->turn))
		ik_buf_printf(&out, " %s ", ik_turn_status_retry_reason(screen->turn));
	else if (!searching && ik_queue_is_held(screen->queue) &&
		ik_screen_context(screen) == IK_IN_EDITOR &&
		ik_editor_is_empty(ik_prompt_editor(screen->prompt)))
		put_held(screen, &out);
	if (out.length > 0)
		column = ik_cells_label(cells, area, area.row, column, IK_STYLE_NOTICE, out.data);
	if (focus || searching || (writing && !screen->help_open)) {
		ik_buf_clear(&out);
		ik_buf_putc(&out, ' ');
		ik_screen_put_hints(screen, area.columns - column - 3, &out);
		ik_buf_putc(&out, ' ');
		if (out.length > 2)
			ik_cells_label(cells, area, area.row, column, IK_STYLE_FRAME_FOCUS, out.data);
	}
	ik_buf_done(&out);
	return cursor;
}
