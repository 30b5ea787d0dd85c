/*
 * pane_inspector: every tool call of the session, and one of them in full.
 *
 * The newest call is selected until the person selects another.  A large text
 * (what a tool printed in full) is shown a part at a time: the first
 * with the rest of the call, each further one by itself once the person scrolls
 * beyond the end.  The cursor is in the list of calls, or in the text of the
 * selected one, where JSON folds and unfolds by node.
 * Borrows the list of calls.  May include: util, json, tui.
 */
#ifndef IK_TUI_PANE_PANE_INSPECTOR_H
#define IK_TUI_PANE_PANE_INSPECTOR_H

#include "tui/scrollback/call_parts.h"
#include "tui/pane/pane.h"

struct ik_inspector;

struct ik_inspector *ik_inspector_new(struct ik_calls *calls, const struct ik_keymap *keymap,
	bool utf8);
struct ik_inspector *ik_inspector_free(struct ik_inspector *inspector);

/* Who reads the stored outputs of calls, a part when it is looked at; NULL: nobody. */
void ik_inspector_on_read(struct ik_inspector *inspector, ik_blob_reader *read, void *arg);
/* A part that was on its way is there: it is asked for again. */
void ik_inspector_part_arrived(struct ik_inspector *inspector);

/* The calls are going: it is another session. */
void ik_inspector_forget(struct ik_inspector *inspector);

/* Select the newest call, and those that come after it. */
void ik_inspector_follow(struct ik_inspector *inspector);

/* A key's action while it has the keys; false: it means nothing here. */
bool ik_inspector_key(struct ik_inspector *inspector, enum ik_action action,
	struct ik_pane_wish *ret_wish);

/* An action while it has the focus; false when it means nothing to it. */
bool ik_inspector_act(struct ik_inspector *inspector, enum ik_action action);
/* A click on a row of the screen: selects the call that stands there. */
void ik_inspector_click(struct ik_inspector *inspector, int row);
/* The wheel, whoever has the focus. */
void ik_inspector_scroll(struct ik_inspector *inspector, int rows);

/* Work on the text of the call that is shown, a few milliseconds; true: there is more to
 * do. *ret_changed: it is to be drawn again. */
bool ik_inspector_work(struct ik_inspector *inspector, bool *ret_changed);

/* now_ms: of the last tick, for calls that run. */
void ik_inspector_draw(struct ik_inspector *inspector, struct ik_cells *cells,
	struct ik_rectangle area, bool focus, int64_t now_ms);

/* The text that it shows of what is selected in it; borrowed. */
struct ik_scrollback *ik_inspector_text(struct ik_inspector *inspector);

#endif
