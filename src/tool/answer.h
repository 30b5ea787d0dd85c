/*
 * answer: turn what a tool prints on stdout into the envelope of a success.
 *
 * The bytes are checked as they arrive, so that little is left to do when the tool has ended,
 * however much it printed: its long strings are known by then, and only what the model gets of them
 * is read again.  Repairing invalid characters takes longer, so it is done in slices, with turns of
 * the loop between them.
 *
 * Owns what it records, not the text.  May include: util, json, tool.
 */
#ifndef IK_TOOL_ANSWER_H
#define IK_TOOL_ANSWER_H

#include "json/checker.h"
#include "json/scan.h"
#include "tool/output_files.h"

struct ik_answer {
	struct ik_json_checker checker;
	struct ik_buf strings;  /* of struct ik_json_seen: strings that may have to be cut */
	struct ik_buf repaired; /* the repaired text, if it had to be repaired */
	size_t limit;           /* of the result, in bytes */
	const char *text;       /* valid from the end of the input on */
	size_t length;
	size_t at;         /* position in the text being repaired */
	size_t cut_length; /* length that strings are cut to; 0: the value becomes one cut string */
};

void ik_answer_init(struct ik_answer *answer, size_t limit);
void ik_answer_done(struct ik_answer *answer);

/* Process the next bytes. */
void ik_answer_feed(struct ik_answer *answer, const char *bytes, size_t length);

/* End the input; text is all of it in one piece, borrowed until done. False: it is not one JSON
 * value, even after repair (invalid UTF-8 and lone surrogates become U+FFFD); then nothing of the
 * rest may be called. */
bool ik_answer_end(struct ik_answer *answer, const char *text, size_t length);

/* Repair about slice bytes. Return whether that was the end. */
bool ik_answer_repair(struct ik_answer *answer, size_t slice);

/* Return the repaired value; no value if there is no memory for it. */
struct ik_json_span ik_answer_value(const struct ik_answer *answer);

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
