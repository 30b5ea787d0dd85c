/*
 * pane_browser: every executable that the last scan looked at, those that
 * failed included, and one of them in full.
 *
 * Holds a reference to the registry; borrows the list of calls (for uses,
 * failures and times).  May include: util, json, tool/registry.h, tui.
 */
#ifndef IK_TUI_PANE_BROWSER_H
#define IK_TUI_PANE_BROWSER_H

#include "tool/registry.h"
#include "tui/calls.h"
#include "tui/pane.h"
#include "tui/status_bar.h"

struct ik_browser;

struct ik_browser *ik_browser_new(struct ik_calls *calls, const struct ik_keymap *keymap,
	bool utf8);
struct ik_browser *ik_browser_free(struct ik_browser *browser);

/* A reference is taken; what is selected stays so if it is still there. */
void ik_browser_set_registry(struct ik_browser *browser, struct ik_registry *registry);

bool ik_browser_act(struct ik_browser *browser, enum ik_action action);
void ik_browser_scroll(struct ik_browser *browser, int rows);

/* scan: how the scan stands, as the status bar has it. */
void ik_browser_draw(struct ik_browser *browser, struct ik_cells *cells,
	struct ik_rectangle area, bool focus, const struct ik_status_bar *scan);

#endif
