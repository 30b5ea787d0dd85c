/*
 * envelope_cut: long texts and JSON made short for a model.
 *
 * What is left out is said where it was, in the words
 *     [… 123456 bytes left out …]
 * or, where a file has the whole text (tool/output_files.h),
 *     [… 123456 bytes left out: file_read has them in PATH, byte_offset 49152 …]
 * (English always: the reader is a model; bytes of UTF-8, decoded; byte_offset is that of the
 * first one in the file).
 *
 * Everything here takes time and memory in proportion to the limit (and to
 * the number of long strings), not to the text.
 *
 * Pure.  May include: util, json.
 */
#ifndef IK_TOOL_ENVELOPE_CUT_H
#define IK_TOOL_ENVELOPE_CUT_H

#include "json/checker.h"
#include "json/scan.h"

/* Which part of a text that is too long is kept. */
enum ik_cut {
	IK_CUT_MIDDLE, /* three quarters of what is kept are its beginning, the rest its end */
	IK_CUT_START   /* its end is kept */
};

/*
 * Append bytes as one JSON string (with its quotes) of at most limit bytes as
 * it is written, cut if need be; invalid UTF-8 becomes U+FFFD. A limit that
 * is too small for the mark leaves the mark alone. path: of the file that has the whole
 * text; NULL: none has. Returns whether it was cut.
 */
bool ik_cut_text(struct ik_buf *out, const char *bytes, size_t length, size_t limit,
	enum ik_cut part, const char *path);

/* Bytes that ik_cut_text() would write for it uncut; counting stops above stop. */
size_t ik_cut_written_length(const char *bytes, size_t length, size_t stop);

/* Strings up to this length, as written, are never cut. */
enum { IK_CUT_SHORTEST = 256 };

/*
 * The length to which the longer strings of a value of value_length bytes are cut so that at
 * most limit bytes are written; 0: they are not long enough, the value's own text is to become
 * one cut string. strings are those of more than IK_CUT_SHORTEST bytes, in their order, as
 * json/checker.h tells of them; a path in a mark has at most path_length bytes, as it is written.
 */
size_t ik_cut_length(size_t value_length, const struct ik_json_seen *strings, size_t count,
	size_t limit, size_t path_length);

/*
 * Append value, a part of text, with its strings cut to that length; without one, its own text
 * as one cut string of at most limit bytes. paths: of the files that have the texts which are
 * cut, in their order (each may be NULL).
 */
void ik_cut_json(struct ik_buf *out, const char *text, struct ik_json_span value,
	const struct ik_json_seen *strings, size_t count, size_t length, size_t limit,
	const char *const *paths);

#endif
