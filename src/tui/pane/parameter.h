/*
 * parameter: describes a property of a tool's parameters from its JSON Schema: where its
 * references lead, whether it is a choice or a text, and its type in a few words:
 *
 *   string     "red" | "green"     string | null     integer[]     integer 1..10
 *
 * or, for a form, without these terms:
 *
 *   text       text or null        list of whole numbers     whole number from 1 to 10
 *
 * May include: util, json.
 */
#ifndef IK_TUI_PANE_PARAMETER_H
#define IK_TUI_PANE_PARAMETER_H

#include <stdbool.h>

#include "json/scan.h"
#include "util/buf.h"

/* The whole schema, the base of references. */
struct ik_parameter_root {
	struct ik_json_span schema;
	size_t read; /* bytes searched for references, which are limited; 0 at first */
};

/* Return a property, or what its reference or its allOf with a single part leads to. If that
 * leads nowhere or in a circle, return the property itself. */
struct ik_json_span ik_parameter_resolve(struct ik_parameter_root *root,
	struct ik_json_span property);

/* Return a member of a property or of what it refers to; no value if neither has it. */
struct ik_json_span ik_parameter_member(struct ik_parameter_root *root,
	struct ik_json_span property, const char *name);

/* Is a property required? key: its name as written in the schema. */
bool ik_parameter_is_required(struct ik_json_span schema, struct ik_json_span key);

/* The values a parameter accepts. */
struct ik_parameter_values {
	char *type;     /* in words */
	char **choices; /* the only values accepted, as JSON texts; NULL: not limited to choices */
	size_t choice_count;
	bool is_text;     /* accepts only texts, and null if may_be_null */
	bool is_json;     /* accepts lists or objects, which are written as JSON */
	bool may_be_null; /* accepts null */
};
/* Read the values a property accepts. form: type is for a form, which shows the choices itself;
 * otherwise it has the terms of JSON, with the values of an enum. */
void ik_parameter_read(struct ik_parameter_values *ret_parameter, struct ik_parameter_root *root,
	struct ik_json_span property, bool form);
void ik_parameter_done(struct ik_parameter_values *parameter);

/* Append the values a property accepts in the terms of JSON. */
void ik_parameter_put_type(struct ik_buf *out, struct ik_parameter_root *root,
	struct ik_json_span property);

#endif
