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
#include "tui/pane/pane.h"
#include "tui/scrollback/calls.h"

/* Who knows how providers are told of tools; the tui does not. */
struct ik_tool_forms {
	/* Append the JSON text that the provider of now (form 0), or the kind of provider
	 * number form, gets of a tool; *ret_name is how it is called (borrowed until the
	 * next call). False: there is no such form. */
	bool (*put)(void *arg, const struct ik_tool *tool, size_t form, struct ik_buf *out,
		const char **ret_name);
};

struct ik_browser;

/* keymap, calls and forms are borrowed; forms may be NULL: nobody knows how providers are told. */
struct ik_browser *ik_browser_new(struct ik_calls *calls, const struct ik_keymap *keymap,
	const struct ik_tool_forms *forms, void *forms_arg);

/* The provider of now is another one: sizes are measured anew. */
void ik_browser_measure(struct ik_browser *browser);

/* A reference is taken; what is selected stays so if it is still there. */
void ik_browser_set_registry(struct ik_browser *browser, struct ik_registry *registry);

#endif
