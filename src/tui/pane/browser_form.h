/*
 * browser_form: a form, made from a tool's schema, to enter the arguments of a
 * call.
 *
 * Each property has a field. Texts are entered as they are, paths with completion, choices (enum,
 * true and false) are cycled through, and anything else (numbers, objects,
 * lists) is JSON.  Empty fields are left out; "" is the empty text.  The
 * arguments are checked against the schema before the call, and errors appear
 * at their field.
 *
 * Owns copies of everything it is given.  May include: util, json,
 * tool/registry.h, tui/term, tui/edit, tui/pane.
 */
#ifndef IK_TUI_PANE_BROWSER_FORM_H
#define IK_TUI_PANE_BROWSER_FORM_H

#include "tool/registry.h"
#include "tui/edit/completion.h"
#include "tui/pane/pane.h"

struct ik_form;

/* Return a new form; the completer, for paths, may be NULL. */
struct ik_form *ik_form_new(const struct ik_tool *tool, ik_completer *completer,
	void *completer_arg);
struct ik_form *ik_form_free(struct ik_form *form);

const char *ik_form_tool(const struct ik_form *form);
bool ik_form_has_fields(const struct ik_form *form);
/* Is the form up to date for this version of the tool? */
bool ik_form_is_of(const struct ik_form *form, const struct ik_tool *tool);

/* Select the first field; keep earlier input. */
void ik_form_open(struct ik_form *form);

/* Handle a key. IK_PANE_CLOSED: close the form; IK_PANE_CALLED: the arguments are valid. */
enum ik_pane_result ik_form_key(struct ik_form *form, const struct ik_key *key,
	enum ik_action action);

/* Append the arguments as a JSON object in one line. If a field's value is invalid, the error
 * says why and the field is selected. */
enum ik_status ik_form_put(struct ik_form *form, struct ik_buf *out, struct ik_error *error);

/* Draw the fields around the selected one. */
void ik_form_draw(struct ik_form *form, struct ik_cells *cells, struct ik_rectangle area);

#endif
