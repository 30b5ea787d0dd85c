/*
 * scan: JSON text checked strictly and read in place, nothing copied or lost.
 *
 * ik_json_check() accepts exactly RFC 8259 in valid UTF-8 (no lone surrogate
 * escapes unless repaired before), nested at most IK_LIMIT_JSON_DEPTH deep.
 * Every other function here works on spans of text that has passed it, keeps
 * numbers as they were written, duplicate members, member order and \u0000.
 *
 * Pure, allocates nothing but into the caller's buffers.
 * May include: util.
 */
#ifndef IK_JSON_SCAN_H
#define IK_JSON_SCAN_H

#include "util/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum ik_json_type {
	IK_JSON_NONE, /* no value: a member that is missing */
	IK_JSON_NULL,
	IK_JSON_BOOL,
	IK_JSON_NUMBER,
	IK_JSON_STRING,
	IK_JSON_ARRAY,
	IK_JSON_OBJECT
};

/* "null", "boolean", "number", "string", "array", "object", "nothing" (not translated:
 * these are JSON's own words). */
const char *ik_json_type_name(enum ik_json_type type);

/* One value inside a checked text; not owned. {NULL, 0} is no value. */
struct ik_json_span {
	const char *text;
	size_t length;
};

/*
 * Check that text is one JSON value with nothing but white space around it,
 * and set *ret_value (may be NULL) to it. The error names line and column
 * (both from 1, column in bytes) and what was expected.
 */
enum ik_status ik_json_check(const char *text, size_t length, struct ik_json_span *ret_value,
	struct ik_error *error) IK_MUST_USE;

/*
 * Append text as valid UTF-8 with lone surrogate escapes replaced by \ufffd,
 * so that what is JSON but for its characters becomes JSON. Not a check; a
 * whole text, not a piece of one.
 */
void ik_json_repair(struct ik_buf *out, const char *text, size_t length);

/* The same piece by piece: from a place where the last piece ended (at first 0) to about to.
 * Returns where this one ended: to, or a few bytes behind it. */
size_t ik_json_repair_from(struct ik_buf *out, const char *text, size_t length, size_t from,
	size_t to);

/* Overwrite // and block comments outside strings with blanks (line feeds stay),
 * so that lines and columns keep their numbers. */
void ik_json_blank_comments(char *text, size_t length);

/* Line (from 1) of position in text. */
int ik_json_line(const char *text, const char *position);

enum ik_json_type ik_json_span_type(struct ik_json_span value);

/* The value of the FIRST member with that name; no value if there is none or
 * if object is no object. Names with escapes are compared decoded. */
struct ik_json_span ik_json_member(struct ik_json_span object, const char *name);

/* The value at a path of members and array indexes: "choices.0.delta". */
struct ik_json_span ik_json_at(struct ik_json_span value, const char *path);

/* Walk an object or array: zero the walk, then call until false. key is the
 * raw string with its quotes (no value in arrays). */
struct ik_json_walk {
	const char *at;
};
bool ik_json_next(struct ik_json_span container, struct ik_json_walk *walk,
	struct ik_json_span *ret_key, struct ik_json_span *ret_value);

/* Number of elements or members; 0 for what is no container. */
size_t ik_json_count(struct ik_json_span container);

/* Does a raw string (a key or a value, with quotes) decode to these bytes? */
bool ik_json_string_is(struct ik_json_span string, const char *text);

/* Append the decoded bytes of a string (U+0000 as a NUL byte). False, and
 * nothing appended, when value is no string. Check the buffer's status. */
bool ik_json_string(struct ik_json_span value, struct ik_buf *out);

/* The same of at most `most` bytes of it (a few more, where an escape ends there), from *at on,
 * which begins as 0 and is moved on; false: it is at its end, or value is no string. A
 * character may be cut between two slices. */
bool ik_json_string_slice(struct ik_json_span value, size_t *at, size_t most, struct ik_buf *out);

/*
 * Return the decoded string in new memory; NULL if value is not a string, or is longer than
 * 64 KiB and there is no memory for it. (Want of memory for a shorter one ends the program, as in
 * util/alloc.h, so that no caller takes it for a value of another type.) ret_length may be NULL.
 */
char *ik_json_string_new(struct ik_json_span value, size_t *ret_length);

/* The same of a string that is not empty and holds no U+0000, so that a C string
 * says all of it; NULL for any other value. */
char *ik_json_text_new(struct ik_json_span value);

/* An integer (also written 1.0 or 1e3) within range; false otherwise. */
bool ik_json_integer(struct ik_json_span value, int64_t *ret_number);
/* False also where the number is beyond what a double can hold (1e400). */
bool ik_json_double(struct ik_json_span value, double *ret_number);
bool ik_json_bool(struct ik_json_span value, bool *ret_bool);

#endif
