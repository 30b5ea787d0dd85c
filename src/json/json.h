/*
 * json: a JSON tree to read and change, kept by cJSON.
 *
 * For schemas and other small things that are rebuilt; data that only passes through stays text
 * (json/scan.h). Trees are as exact as their text: numbers that cJSON would change are kept as
 * written, NULs survive (as the bytes C0 80 inside the tree, which valid text never contains),
 * duplicate members are kept, nesting is limited when parsing.
 *
 * struct ik_json is cJSON's node under our name; only json.c includes its header. A tree has one
 * owner; a node that was added belongs to its parent. May include: util, json/scan.h, json/write.h.
 */
#ifndef IK_JSON_JSON_H
#define IK_JSON_JSON_H

#include "json/scan.h"

#include <stddef.h>

struct ik_json;

/* Parse one JSON text; NULL with *error if it is invalid. */
struct ik_json *ik_json_parse(const char *text, size_t length, struct ik_error *error);

/* Returns NULL. Takes NULL. Not for a node that has a parent. */
struct ik_json *ik_json_free(struct ik_json *json);

/* Copy a node with all its children, without its name. */
struct ik_json *ik_json_copy(const struct ik_json *json);

/* Append the compact text. */
void ik_json_print(const struct ik_json *json, struct ik_buf *out);

enum ik_json_type ik_json_type(const struct ik_json *json); /* NULL: IK_JSON_NONE */

/* Return the first member of that name (case matters), or NULL; object may be NULL. */
struct ik_json *ik_json_get(const struct ik_json *object, const char *name);

/* Return the first child of an array or object, then its siblings; NULL at the end. */
struct ik_json *ik_json_first(const struct ik_json *container);
struct ik_json *ik_json_sibling(const struct ik_json *child);
const char *ik_json_name(const struct ik_json *child); /* its member name */
size_t ik_json_size(const struct ik_json *container);

/* Return the value of a string node (NULs as C0 80), NULL for other types. */
const char *ik_json_text(const struct ik_json *json);
/* Append the exact bytes of a string node. */
void ik_json_bytes(const struct ik_json *json, struct ik_buf *out);
bool ik_json_is_true(const struct ik_json *json);
/* Read a number as ik_json_number() and ik_json_integer() do. Return false for another type. */
bool ik_json_real(const struct ik_json *json, long double *ret_number);
bool ik_json_whole(const struct ik_json *json, int64_t *ret_number);

/* New nodes. Invalid UTF-8 becomes U+FFFD. */
struct ik_json *ik_json_new_object(void);
struct ik_json *ik_json_new_array(void);
struct ik_json *ik_json_new_text(const char *text);
struct ik_json *ik_json_new_bytes(const char *bytes, size_t length);
struct ik_json *ik_json_new_integer(int64_t number);
struct ik_json *ik_json_new_bool(bool value);

/* Add a child, which then belongs to the container (at its end; set replaces the first of that
 * name). */
void ik_json_add(struct ik_json *object, const char *name, struct ik_json *child);
void ik_json_set(struct ik_json *object, const char *name, struct ik_json *child);
void ik_json_append(struct ik_json *array, struct ik_json *child);
/* Remove a child; the caller owns it. */
struct ik_json *ik_json_detach(struct ik_json *container, struct ik_json *child);
void ik_json_remove(struct ik_json *object, const char *name);

/* Are they equal as in JSON Schema? 1 equals 1.0, the order of members does not matter (of members
 * with the same name the first one counts). */
bool ik_json_equal(const struct ik_json *one, const struct ik_json *other);

#endif
