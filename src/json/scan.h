/*
 * scan: JSON text, checked strictly and read in place, without copying or loss.
 *
 * ik_json_check() accepts exactly RFC 8259 in valid UTF-8 (no lone surrogate escapes), nested at
 * most IK_LIMIT_JSON_DEPTH deep. All other functions work on spans of text that has passed it, and
 * keep numbers as written, duplicate members, member order and \u0000.
 *
 * Pure. May include: util.
 */
#ifndef IK_JSON_SCAN_H
#define IK_JSON_SCAN_H

#include "util/buf.h"
#include "util/uuid.h"

#include <stdbool.h>
#include <stdint.h>

enum ik_json_type {
	IK_JSON_NONE, /* no value, such as a missing member */
	IK_JSON_NULL,
	IK_JSON_BOOL,
	IK_JSON_NUMBER,
	IK_JSON_STRING,
	IK_JSON_ARRAY,
	IK_JSON_OBJECT
};

/* Return "null", "boolean", "number", "string", "array", "object" or "nothing" (not translated:
 * they are JSON's own terms). */
const char *ik_json_type_name(enum ik_json_type type);

/* A value inside a checked text; not owned. {NULL, 0} means no value. */
struct ik_json_span {
	const char *text;
	size_t length;
};

/* Make a span from a string literal. */
#define IK_JSON_SPAN(literal) ((struct ik_json_span){ literal, sizeof(literal) - 1 })

/*
 * Check that text is one JSON value with only white space around it, and set *ret_value (may be
 * NULL) to it. The error names line and column (both from 1, column in bytes) and what was
 * expected.
 */
enum ik_status ik_json_check(const char *text, size_t length, struct ik_json_span *ret_value,
	struct ik_error *error) IK_MUST_USE;
/* Check text that surrounds checked text, and may therefore be nested that many levels deeper. */
enum ik_status ik_json_check_around(const char *text, size_t length, int levels,
	struct ik_json_span *ret_value, struct ik_error *error) IK_MUST_USE;

/*
 * Append text as valid UTF-8 with lone surrogate escapes replaced by \ufffd, so that text whose
 * only faults are such characters becomes JSON. Does not check it. Needs the whole text.
 */
void ik_json_repair(struct ik_buf *out, const char *text, size_t length);
/* Check text, and if that fails, its repair, which replaces the contents of the buffer. Return false
 * if it is no JSON then either. */
bool ik_json_check_repaired(const char *text, size_t length, struct ik_buf *repaired,
	struct ik_json_span *ret_value);

/* Overwrite // and block comments outside strings, and an editor's byte order mark, with blanks (line
 * feeds stay), so that lines and columns do not change. */
void ik_json_blank_comments(char *text, size_t length);

/* Return the line (from 1) of position in text. */
int ik_json_line(const char *text, const char *position);

enum ik_json_type ik_json_span_type(struct ik_json_span value);

/* Return the value of the FIRST member with that name; no value if there is none or object is not
 * an object. Names with escapes are decoded for the comparison. */
struct ik_json_span ik_json_member(struct ik_json_span object, const char *name);

/* Return the member whose name is equal to the raw name of another member. */
struct ik_json_span ik_json_member_named(struct ik_json_span object, struct ik_json_span name);

/* Return the value at a path of member names and array indexes: "choices.0.delta". */
struct ik_json_span ik_json_at(struct ik_json_span value, const char *path);

/*
 * Iterates over the elements of an array or the members of an object, in place:
 *     for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next(&walk);)
 * Other values have none.
 */
struct ik_json_walk {
	struct ik_json_span container;
	const char *at;          /* private: what comes next */
	struct ik_json_span key; /* the raw name with its quotes; no value in arrays */
	struct ik_json_span value;
};
struct ik_json_walk ik_json_walk(struct ik_json_span container);
/* The same for arrays alone: an object has none, either. */
struct ik_json_walk ik_json_elements(struct ik_json_span array);
bool ik_json_next(struct ik_json_walk *walk);

/* Iterate in the same way over all strings in any value, at any depth, except the names of members. */
bool ik_json_next_string(struct ik_json_walk *walk);

/* Return the number of elements or members, or 0 if it is not a container. */
size_t ik_json_count(struct ik_json_span container);

/* Return the only member of an object; any other value itself. */
struct ik_json_span ik_json_only(struct ik_json_span value);

/* Does a raw string (a key or a value, with quotes) decode to these bytes? */
bool ik_json_string_is(struct ik_json_span string, const char *text);

/* Append the decoded bytes of a string (U+0000 as a NUL byte). Return false and append nothing if
 * value is not a string. Check the buffer's status. */
bool ik_json_string(struct ik_json_span value, struct ik_buf *out);

/* Append at most `most` bytes of a decoded string (a few more if an escape ends there), starting at
 * *at, which is 0 at first and is advanced. Return false at the end, or if value is not a string. A
 * character may be split between two slices. */
bool ik_json_string_slice(struct ik_json_span value, size_t *at, size_t most, struct ik_buf *out);

/*
 * Return the decoded string in new memory; NULL if value is not a string, or if it is longer than
 * half a megabyte and memory has run out. (For a shorter one, running out of memory ends the
 * program, as in util/buf.h, so that callers can't mistake it for a value of another type.)
 * ret_length may be NULL.
 */
char *ik_json_string_new(struct ik_json_span value, size_t *ret_length);

/* Return the decoded string in new memory if it is not empty and contains no U+0000, so that a C
 * string holds all of it; NULL for any other value. */
char *ik_json_text_new(struct ik_json_span value);

/* Copy a string that is a UUID. Return false, with an empty ret_id, for any other value. */
bool ik_json_uuid(struct ik_json_span value, char ret_id[IK_UUID_TEXT]);

/* Read a number, exactly if it is an integer in the range of int64_t. Return false for another
 * type. */
bool ik_json_number(struct ik_json_span value, long double *ret_number);
/* Read an integer (also written 1.0 or 1e3). Return false if it is out of range or another type. */
bool ik_json_integer(struct ik_json_span value, int64_t *ret_number);
/* Return false also for a number beyond the range of a double (1e400). */
bool ik_json_double(struct ik_json_span value, double *ret_number);
bool ik_json_bool(struct ik_json_span value, bool *ret_bool);
bool ik_json_is_true(struct ik_json_span value); /* false for another type */

/* Are two values equal as in JSON Schema? 1 equals 1.0, and the order of members does not matter.
 * Of members with the same name, only the first counts. */
bool ik_json_equal(struct ik_json_span one, struct ik_json_span other);

/* Is a value equal to one of the elements of an array? */
bool ik_json_holds(struct ik_json_span array, struct ik_json_span value);

#endif
