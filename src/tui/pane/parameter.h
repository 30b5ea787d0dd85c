/*
 * parameter: what a property of a tool's parameters is, from its JSON Schema: where its
 * references lead, whether it is a choice or a text.
 *
 * May include: util, json.
 */
#ifndef IK_TUI_PANE_PARAMETER_H
#define IK_TUI_PANE_PARAMETER_H

#include <stdbool.h>

#include "json/scan.h"

/* A whole schema, in which references begin. */
struct ik_parameter_root {
	struct ik_json_span schema;
	size_t read; /* begins as 0: bytes gone through for references, of which there is a limit */
};

/* A property, or what its reference leads to, or the only part of its allOf. What leads
 * nowhere, or round in a circle, stays what it is. */
struct ik_json_span ik_parameter_resolve(struct ik_parameter_root *root,
	struct ik_json_span property);

/* A member of a property, or of what it leads to; no value: neither has it. */
struct ik_json_span ik_parameter_member(struct ik_parameter_root *root,
	struct ik_json_span property, const char *name);

/* The only values that may stand in it, JSON texts in new memory, each and the list; NULL, and
 * *ret_count 0, where others may. */
char **ik_parameter_choices(struct ik_parameter_root *root, struct ik_json_span property,
	size_t *ret_count);

/* Is it a text? *ret_null: may null stand there, too? */
bool ik_parameter_is_text(struct ik_parameter_root *root, struct ik_json_span property,
	bool *ret_null);

#endif
