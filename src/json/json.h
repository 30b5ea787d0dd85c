/*
 * json: a JSON tree to look around in and to change, kept by cJSON.
 *
 * For schemas and other small things that are rebuilt; what only passes
 * through stays text (json/scan.h).  Trees made here are as exact as the
 * text: numbers that cJSON would change are kept as written, NULs survive
 * (inside the tree as the bytes C0 80, which no valid text holds), duplicate
 * members are kept, nesting is bounded on the way in.
 *
 * struct ik_json is cJSON's node under our name; only json.c includes its
 * header.  A tree has one owner; a node that was added belongs to its parent.
 * May include: util, json/scan.h, json/write.h.
 */
#ifndef IK_JSON_JSON_H
#define IK_JSON_JSON_H

#include "json/scan.h"

#include <stddef.h>

struct ik_json;

/* The tree of one checked JSON text; NULL with *error otherwise. */
struct ik_json *ik_json_parse(const char *text, size_t length, struct ik_error *error);

/* Returns NULL. Takes NULL. Never a node that has a parent. */
struct ik_json *ik_json_free(struct ik_json *json);

/* With all its children, without the name it has in its parent. */
struct ik_json *ik_json_copy(const struct ik_json *json);

/* Append the compact text. A tree built by hand that is nested deeper than
 * IK_LIMIT_JSON_DEPTH fails the buffer with IK_TOO_LARGE. */
void ik_json_print(const struct ik_json *json, struct ik_buf *out);

enum ik_json_type ik_json_type(const struct ik_json *json); /* NULL: IK_JSON_NONE */

/* First member of that name (exact case), or NULL; NULL object is allowed. */
struct ik_json *ik_json_get(const struct ik_json *object, const char *name);

/* First child of an array or object, then its siblings; NULL at the end. */
struct ik_json *ik_json_first(const struct ik_json *container);
struct ik_json *ik_json_sibling(const struct ik_json *child);
const char *ik_json_name(const struct ik_json *child); /* its member name */
size_t ik_json_size(const struct ik_json *container);

/* Value of a string node (NULs as C0 80), NULL for another type. */
const char *ik_json_text(const struct ik_json *json);
/* Append the exact bytes of a string node. */
void ik_json_bytes(const struct ik_json *json, struct ik_buf *out);
bool ik_json_is_true(const struct ik_json *json);
/* Read a number exactly (json/number.h). Return false for another type. */
struct ik_decimal;
bool ik_json_decimal(const struct ik_json *json, struct ik_decimal *ret_decimal);
/* Exactly an integer within int64, in whatever spelling. */
bool ik_json_whole(const struct ik_json *json, int64_t *ret_number);

/* New nodes. Invalid UTF-8 becomes U+FFFD. */
struct ik_json *ik_json_new_object(void);
struct ik_json *ik_json_new_array(void);
struct ik_json *ik_json_new_text(const char *text);
struct ik_json *ik_json_new_bytes(const char *bytes, size_t length);
struct ik_json *ik_json_new_bool(bool value);

/* Give child to a container (at its end; set replaces the first of that name). */
void ik_json_add(struct ik_json *object, const char *name, struct ik_json *child);
void ik_json_set(struct ik_json *object, const char *name, struct ik_json *child);
void ik_json_append(struct ik_json *array, struct ik_json *child);
/* Take a child out; the caller owns it. */
struct ik_json *ik_json_detach(struct ik_json *container, struct ik_json *child);
void ik_json_remove(struct ik_json *object, const char *name);

/* Equal as JSON Schema means it: 1 equals 1.0, member order is nothing (of
 * members with one name each object's first one counts). */
bool ik_json_equal(const struct ik_json *one, const struct ik_json *other);

#endif
