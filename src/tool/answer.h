/*
 * answer: turn what a tool prints on stdout into the envelope of a success.
 *
 * Owns what it made, not the text.  May include: util, json, tool.
 */
#ifndef IK_TOOL_ANSWER_H
#define IK_TOOL_ANSWER_H

#include "json/scan.h"
#include "tool/output_files.h"

struct ik_answer {
	struct ik_json_span value; /* in the text, or in repaired */
	struct ik_buf repaired;    /* the repaired text, if it had to be repaired */
	struct ik_buf strings;     /* of struct ik_json_span: strings that may have to be cut */
	size_t limit;              /* of the result, in bytes */
	size_t cut_length; /* length that strings are cut to; 0: the value becomes one cut string */
};

void ik_answer_init(struct ik_answer *answer, size_t limit);
void ik_answer_done(struct ik_answer *answer);

/* Use a text, borrowed until done; invalid UTF-8 and lone surrogates become U+FFFD. False: it is not
 * one JSON value even so, or there is no memory for it; then nothing of the rest may be called. */
bool ik_answer_read(struct ik_answer *answer, const char *text, size_t length);

/* Above the limit, find out which texts have to be cut, and add them to files (may be NULL). Return
 * whether any has. */
bool ik_answer_cut(struct ik_answer *answer, struct ik_output_files *files);

/*
 * Append the envelope of a success, with the value unchanged. Above the limit its long strings are
 * cut at a character boundary, with a mark that says how many bytes were left out and which of the
 * files has them, and "truncated":true is set after result; without a long string the JSON text of
 * the result becomes one cut string (tool/envelope_cut.h). paths: as ik_output_files_paths() returns
 * them. Check the buffer's status.
 */
void ik_answer_put(const struct ik_answer *answer, const char *const *paths, struct ik_buf *out);

#endif
