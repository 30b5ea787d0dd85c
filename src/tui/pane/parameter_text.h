/*
 * parameter_text: what may stand in a parameter, in a few words, from its JSON Schema.
 *
 *   string     "red" | "green"     string | null     integer[]     integer 1..10
 *
 * May include: util, json/scan.h, tui/pane/parameter.h.
 */
#ifndef IK_TUI_PANE_PARAMETER_TEXT_H
#define IK_TUI_PANE_PARAMETER_TEXT_H

#include <stdbool.h>

#include "tui/pane/parameter.h"
#include "util/buf.h"

/* Append the words for a property. values: with the values of an enum, not their type alone. */
void ik_parameter_put_type(struct ik_buf *out, struct ik_parameter_root *root,
	struct ik_json_span property, bool values);

#endif
