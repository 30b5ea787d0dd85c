/*
 * browser_form: a form made from a tool's schema, in which a user writes the
 * arguments of a call.
 *
 * A field for each property: texts are written as they are, a choice (enum,
 * true and false) is gone through, anything else (numbers, objects, lists) is
 * JSON.  What is left empty is left out; "" is the empty text.  The arguments
 * are checked against the schema before they leave, and what is wrong is said
 * at its field.
 *
 * Owns copies of all it is given.  May include: util, json, tool/registry.h,
 * tui/term, tui/edit, tui/pane.
 */
#ifndef IK_TUI_PANE_BROWSER_FORM_H
#define IK_TUI_PANE_BROWSER_FORM_H

#include "tool/registry.h"
#include "tui/edit/keymap.h"
#include "tui/term/cells.h"

struct ik_form;

/* arguments (JSON text, or NULL): what the fields are filled with. */
struct ik_form *ik_form_new(const struct ik_tool *tool, const char *arguments, bool utf8);
struct ik_form *ik_form_free(struct ik_form *form);

const char *ik_form_tool(const struct ik_form *form);

enum ik_form_result {
	IK_FORM_PASSED, /* the key means nothing here */
	IK_FORM_TAKEN,
	IK_FORM_LEFT, /* it is to be closed */
	IK_FORM_SENT  /* the arguments are good: ik_form_put() */
};
enum ik_form_result ik_form_key(struct ik_form *form, const struct ik_key *key,
	enum ik_action action);

/* Append the arguments as they stand: one line of JSON, an object. Where that is none yet,
 * the error names it and the field has the cursor. */
enum ik_status ik_form_put(struct ik_form *form, struct ik_buf *out, struct ik_error *error);

/* Draw the fields around the one that has the cursor. */
void ik_form_draw(struct ik_form *form, struct ik_cells *cells, struct ik_rectangle area,
	int *ret_cursor_row, int *ret_cursor_column);

#endif
