/*
 * browser_list: which tools the browser lists: the filter, the order, what a scan
 * has changed.
 *
 * A row is a tool of the registry, or one that is gone since the scan before.
 * A mark of a change stays, over further scans too, until ik_browser_list_seen().
 *
 * Holds a reference to the registry; borrows the list of calls.
 * May include: util, tool/registry.h, tui/scrollback/calls.h, tui/pane/pane.h.
 */
#ifndef IK_TUI_PANE_BROWSER_LIST_H
#define IK_TUI_PANE_BROWSER_LIST_H

#include "tool/registry.h"
#include "tui/scrollback/calls.h"

enum ik_tool_change { IK_CHANGE_NONE, IK_CHANGE_NEW, IK_CHANGE_OTHER, IK_CHANGE_GONE };
enum ik_browser_order { IK_ORDER_NAME, IK_ORDER_USE };

/* How a tool served in this session. */
struct ik_browser_uses {
	size_t count, failed, timed; /* calls of that name */
	int64_t total_ms;
};

struct ik_browser_row {
	const struct ik_tool *tool;
	struct ik_tool *gone; /* the same, a copy that is owned; NULL: the registry has it */
	enum ik_tool_change change;
	struct ik_browser_uses uses;
	size_t bytes; /* that a provider is told of it */
};

struct ik_browser_list {
	struct ik_registry *registry;
	struct ik_calls *calls;
	struct ik_browser_row *rows; /* those of the registry by name, then what is gone */
	size_t count;
	size_t *shown; /* indexes of the rows that the filter leaves, in order */
	size_t shown_count;
	enum ik_browser_order order;
	unsigned counted; /* version of the calls when uses were counted */
};

void ik_browser_list_init(struct ik_browser_list *list, struct ik_calls *calls);
void ik_browser_list_done(struct ik_browser_list *list);

/*
 * What follows changes the list. selected: the place in it that is selected now; each returns
 * the place of the same tool then: of that executable, else that name; 0 when it is not shown.
 */

/* Show what the words leave, in order: each must be in name or description, in any case. */
size_t ik_browser_list_show(struct ik_browser_list *list, const char *words, size_t selected);
/* The tools as they are now; the first finished scan marks nothing. */
size_t ik_browser_list_set_registry(struct ik_browser_list *list, struct ik_registry *registry,
	const char *words, size_t selected);
/* The user has seen the change of a row: its mark goes, and a tool that is gone with it. */
size_t ik_browser_list_seen(struct ik_browser_list *list, const struct ik_browser_row *row,
	const char *words, size_t selected);

/* Count uses again if calls have changed since; true: it did. */
bool ik_browser_list_count(struct ik_browser_list *list);

/* The row at a place of the list; NULL: there is none. */
struct ik_browser_row *ik_browser_list_at(const struct ik_browser_list *list, size_t place);

#endif
