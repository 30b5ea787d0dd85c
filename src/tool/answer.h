/*
 * answer: turn what a tool prints on stdout into the envelope of a success.
 *
 * The bytes are checked as they arrive, so that little is left to do when the tool has ended,
 * however much it printed: its long strings are known by then, and only what the model gets of them
 * is read again.  Anything that takes longer (repairing invalid characters, writing a large result)
 * is done in slices, with turns of the loop between them.
 *
 * Owns what it records, neither the text nor files.  May include: util, json, tool.
 */
#ifndef IK_TOOL_ANSWER_H
#define IK_TOOL_ANSWER_H

#include "json/checker.h"
#include "tool/output_files.h"
#include "util/buf.h"

/* A slice takes at most a few milliseconds. */
#define IK_ANSWER_SLICE IK_KIB(128)

struct ik_answer {
	struct ik_json_checker checker;
	struct ik_buf strings;  /* of struct ik_json_seen: strings that may have to be cut */
	struct ik_buf repaired; /* the repaired text, if it had to be repaired */
	size_t limit;           /* of the result, in bytes */
	const char *text;       /* valid from begin on */
	size_t length;
	size_t at;    /* position in the text being repaired, or in the value being written */
	bool writing; /* the start of the envelope is written */
	struct ik_output_files *files; /* for texts that are cut; NULL: no files */
	size_t cut_length;             /* length that strings are cut to; 0: the value becomes one
	                                  cut string */
	struct ik_buf paths;           /* const char *, of the texts that are cut */
	size_t keeping;                /* the string that is examined, or written to a file */
	size_t kept;                   /* bytes of that string written so far */
};

/* files is borrowed and may be NULL. */
void ik_answer_init(struct ik_answer *answer, size_t limit, struct ik_output_files *files);
void ik_answer_done(struct ik_answer *answer);

/* Process the next bytes. */
void ik_answer_feed(struct ik_answer *answer, const char *bytes, size_t length);

/* End the input; text is all of it in one piece, borrowed until done. False: it is not one JSON
 * value, even after repair (invalid UTF-8 and lone surrogates become U+FFFD); then nothing may be
 * written. */
bool ik_answer_begin(struct ik_answer *answer, const char *text, size_t length);

/*
 * Append about slice bytes of the envelope of a success, with the value unchanged. Above the limit
 * its long strings are cut at a character boundary, with a mark that says how many bytes were left
 * out, and "truncated":true is set after result; without a long string the JSON text of the result
 * becomes one cut string (tool/envelope_cut.h). The uncut texts are written to files first, which
 * the marks name. Return whether that was the end; then check the buffer's status.
 */
bool ik_answer_write(struct ik_answer *answer, struct ik_buf *out, size_t slice);

#endif
