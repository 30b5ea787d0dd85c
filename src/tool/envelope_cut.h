/*
 * envelope_cut: shorten long texts and JSON for a model.
 *
 * What is left out is replaced by
 *     [… 123456 bytes left out …]
 * or, if a file has the whole text (tool/output_files.h),
 *     [… 123456 bytes left out: file_read has them in PATH, byte_offset 49152 …]
 * always in English, since a model reads it.  Counts are bytes of decoded UTF-8; byte_offset is the
 * position of the first of them in the file.
 *
 * Time and memory depend on the limit (and on the number of long strings), not on the length of the
 * text.
 *
 * May include: util, json, tool/output_files.h.
 */
#ifndef IK_TOOL_ENVELOPE_CUT_H
#define IK_TOOL_ENVELOPE_CUT_H

#include "json/scan.h"
#include "tool/output_files.h"

/* Which part of a long text is kept. */
enum ik_cut {
	IK_CUT_MIDDLE, /* three quarters from its beginning, one quarter from its end */
	IK_CUT_START   /* its end */
};

/*
 * Append bytes as one JSON string (with quotes) of at most limit bytes, cut if necessary; invalid
 * UTF-8 becomes U+FFFD. If the limit is too small for the mark, only the mark is written. What is
 * cut is kept in files (NULL: nowhere). Return whether the text was cut.
 */
bool ik_cut_text(struct ik_buf *out, const char *bytes, size_t length, size_t limit,
	enum ik_cut part, struct ik_output_files *files);

/* Return the bytes that ik_cut_text() would write without a cut; stop counting above stop. */
size_t ik_cut_written_length(const char *bytes, size_t length, size_t stop);

/* Strings up to this length in JSON are never cut. */
enum { IK_CUT_SHORTEST = 256 };

/*
 * Return the length to which the long strings of a value of value_length bytes must be cut so that
 * at most limit bytes are written; 0: that is not enough, so the value's text must become one cut
 * string. strings are those of more than IK_CUT_SHORTEST bytes, in order; a path in a mark has at
 * most path_length bytes.
 */
size_t ik_cut_length(size_t value_length, const struct ik_json_span *strings, size_t count,
	size_t limit, size_t path_length);

#endif
