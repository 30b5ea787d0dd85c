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
#include "tui/pane/pane.h"

struct ik_form;

struct ik_form *ik_form_new(const struct ik_tool *tool);
struct ik_form *ik_form_free(struct ik_form *form);

const char *ik_form_tool(const struct ik_form *form);
/* Is it the form of a tool, as that is now? */
bool ik_form_is_of(const struct ik_form *form, const struct ik_tool *tool);

/* Begin at its first field, with what was written there before. */
void ik_form_open(struct ik_form *form);

/* A key. IK_PANE_CLOSED: it is to be closed; IK_PANE_CALLED: the arguments are good. */
enum ik_pane_result ik_form_key(struct ik_form *form, const struct ik_key *key,
	enum ik_action action);

/* Append the arguments as they stand: one line of JSON, an object. Where that is none yet,
 * the error names it and the field has the cursor. */
enum ik_status ik_form_put(struct ik_form *form, struct ik_buf *out, struct ik_error *error);

/* Draw the fields around the one that has the cursor. */
void ik_form_draw(struct ik_form *form, struct ik_cells *cells, struct ik_rectangle area);

#endif
