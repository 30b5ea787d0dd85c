/*
 * pane_browser: every executable that the last scan found, including those
 * that failed, and one of them in full: what providers receive and what that
 * costs, how it was used, a form that calls it.
 *
 * Holds a reference to the registry; borrows the list of calls (for uses,
 * failures and times).  May include: util, json, tool/registry.h, tui.
 */
#ifndef IK_TUI_PANE_PANE_BROWSER_H
#define IK_TUI_PANE_PANE_BROWSER_H

#include "tool/registry.h"
#include "tui/edit/completion.h"
#include "tui/pane/pane.h"
#include "tui/scrollback/calls.h"

/* Append the JSON text of a tool as providers receive it, which the tui does not know: for the
 * current provider (form 0) or for the provider kind numbered form. *ret_name is the form's name,
 * borrowed until the next call. Return false if there is no such form. */
typedef bool ik_tool_form(void *arg, const struct ik_tool *tool, size_t form, struct ik_buf *out,
	const char **ret_name);

struct ik_browser;

/* Return a new browser. keymap and calls are borrowed; if put_form is NULL, providers' forms are
 * unavailable. */
struct ik_browser *ik_browser_new(struct ik_calls *calls, const struct ik_keymap *keymap,
	ik_tool_form *put_form, void *form_arg);

/* Set the word completer, for paths in forms. */
void ik_browser_on_complete(struct ik_browser *browser, ik_completer *completer, void *arg);

/* Measure sizes again: the provider has changed. */
void ik_browser_measure(struct ik_browser *browser);

/* Take a reference to the registry, and keep the selection if it still exists. */
void ik_browser_set_registry(struct ik_browser *browser, struct ik_registry *registry);

#endif
