/*
 * pane_browser: every executable that the last scan looked at, those that
 * failed included, and one of them in full: what providers are told of it and
 * what that costs, how it served, a form that calls it.
 *
 * Holds a reference to the registry; borrows the list of calls (for uses,
 * failures and times).  May include: util, json, tool/registry.h, tui.
 */
#ifndef IK_TUI_PANE_PANE_BROWSER_H
#define IK_TUI_PANE_PANE_BROWSER_H

#include "tool/registry.h"
#include "tui/scrollback/calls.h"
#include "tui/pane/pane.h"
#include "tui/pane/status_bar.h"
#include "tui/pane/tool_forms.h"

struct ik_browser;

struct ik_browser *ik_browser_new(struct ik_calls *calls, const struct ik_keymap *keymap,
	bool utf8);
struct ik_browser *ik_browser_free(struct ik_browser *browser);

/* Who knows how providers are told of tools. Borrowed; NULL: nobody. */
void ik_browser_set_forms(struct ik_browser *browser, const struct ik_tool_forms *forms,
	void *arg);
/* The provider of now is another one: sizes are measured anew. */
void ik_browser_measure(struct ik_browser *browser);

/* A reference is taken; what is selected stays so if it is still there. */
void ik_browser_set_registry(struct ik_browser *browser, struct ik_registry *registry);

/* It is shown again: a filter that was left in the middle filters on, and is not written. */
void ik_browser_open(struct ik_browser *browser);

/* A key (and what it is bound to) while the browser has them; false: it means nothing here. */
bool ik_browser_key(struct ik_browser *browser, const struct ik_key *key,
	enum ik_action action, struct ik_pane_wish *ret_wish);
/* Is a filter or a form being written? Then characters are text. */
bool ik_browser_writing(const struct ik_browser *browser);

bool ik_browser_act(struct ik_browser *browser, enum ik_action action);
/* A click on a row of the screen: selects the tool that stands there. */
void ik_browser_click(struct ik_browser *browser, int row);
void ik_browser_scroll(struct ik_browser *browser, int rows);

/* scan: how the scan stands, as the status bar has it. The cursor is set where something is
 * being written, else left alone. True: there is more to measure; draw again soon. */
bool ik_browser_draw(struct ik_browser *browser, struct ik_cells *cells,
	struct ik_rectangle area, bool focus, const struct ik_status_bar *scan,
	int *ret_cursor_row, int *ret_cursor_column);

/* The text that it shows of what is selected in it; borrowed. */
struct ik_scrollback *ik_browser_text(struct ik_browser *browser);

#endif
