/*
 * parameter: what a property of a tool's parameters is, from its JSON Schema: where its
 * references lead, whether it is a choice or a text, and the same in a few words:
 *
 *   string     "red" | "green"     string | null     integer[]     integer 1..10
 *
 * May include: util, json.
 */
#ifndef IK_TUI_PANE_PARAMETER_H
#define IK_TUI_PANE_PARAMETER_H

#include <stdbool.h>

#include "json/scan.h"
#include "util/buf.h"

/* A whole schema, in which references begin. */
struct ik_parameter_root {
	struct ik_json_span schema;
	size_t read; /* begins as 0: bytes gone through for references, of which there is a limit */
};

/* Return a property, or what its reference leads to, or the only part of its allOf. What leads
 * nowhere, or round in a circle, stays what it is. */
struct ik_json_span ik_parameter_resolve(struct ik_parameter_root *root,
	struct ik_json_span property);

/* Return a member of a property, or of what it leads to; no value: neither has it. */
struct ik_json_span ik_parameter_member(struct ik_parameter_root *root,
	struct ik_json_span property, const char *name);

/* Must a property be given? key: its name as it is written in the schema. */
bool ik_parameter_is_required(struct ik_json_span schema, struct ik_json_span key);

/* What may be in a parameter. */
struct ik_parameter_values {
	char *type;     /* in words */
	char **choices; /* the only values that may, JSON texts; NULL: others may, too */
	size_t choice_count;
	bool is_text;     /* a text, */
	bool may_be_null; /* or null */
};
/* values: the words say those of an enum, not their type alone. */
void ik_parameter_read(struct ik_parameter_values *ret_parameter, struct ik_parameter_root *root,
	struct ik_json_span property, bool values);
void ik_parameter_done(struct ik_parameter_values *parameter);

/* Append what may be in a property in words, with the values of an enum. */
void ik_parameter_put_type(struct ik_buf *out, struct ik_parameter_root *root,
	struct ik_json_span property);

#endif
