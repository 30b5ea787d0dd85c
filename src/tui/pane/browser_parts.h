/*
 * browser_parts: the browser's own state, shared by the files that are it:
 * pane_browser.c (state and keys), browser_draw.c (how it looks) and
 * browser_text.c (one tool in full).
 */
#ifndef IK_TUI_PANE_BROWSER_PARTS_H
#define IK_TUI_PANE_BROWSER_PARTS_H

#include "tui/pane/browser_form.h"
#include "tui/pane/browser_list.h"
#include "tui/pane/list_pane.h"
#include "tui/pane/pane_browser.h"
#include "tui/pane/status_bar.h"

#define IK_NAME_BYTES 200 /* of a name, and of a description, that a row may need */

/* How a tool served in this session. */
struct ik_browser_uses {
	size_t count, failed, timed;
	int64_t total_ms;
};

/* The arguments that were last written for a tool. */
struct ik_browser_memory {
	char *tool, *arguments;
};

struct ik_browser {
	struct ik_list_pane list;
	struct ik_calls *calls;
	struct ik_browser_list tools;
	int name_columns;            /* of its longest name */
	const struct ik_tool *shown; /* whose text is in the pane; of this registry */
	struct ik_browser_uses shown_uses;
	unsigned calls_version;                 /* that shown_uses were counted at */
	const struct ik_browser_row *looked_at; /* drawn while the browser had the keys */

	const struct ik_tool_forms *forms; /* NULL: there are none */
	void *forms_arg;
	size_t form;     /* of the schema: 0 as written, 1 canonical, then as providers get it */
	size_t measured; /* rows whose size is known, from the first on */
	size_t bytes;    /* of what the provider is told of all tools, as far as measured */

	struct ik_form *call; /* of the call that is being written, or NULL */
	struct ik_browser_memory *memories;
	size_t memory_count;
};

/* A provider's tokens for so many bytes of JSON, about. */
size_t ik_browser_tokens(size_t bytes);

/* The selected row, or NULL. */
struct ik_browser_row *ik_browser_selected(const struct ik_browser *browser);

/* Measure some more of the tools; true: there are others. */
bool ik_browser_measure_some(struct ik_browser *browser);

/* Bring the text of the selected tool up to date. */
void ik_browser_sync_text(struct ik_browser *browser);

/* Count the calls of a tool. */
struct ik_browser_uses ik_browser_count_uses(const struct ik_browser *browser, const char *name);

/* Show a row's tool from scratch. */
void ik_browser_rebuild(struct ik_browser *browser, const struct ik_browser_row *row,
	const struct ik_browser_uses *uses);

bool ik_browser_draw(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area,
	bool focus, const struct ik_status_bar *scan, int *ret_cursor_row, int *ret_cursor_column);

#endif
