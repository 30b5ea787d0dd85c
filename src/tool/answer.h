/*
 * answer: what a tool prints on stdout, on its way to the envelope of a success.
 *
 * The bytes are judged as they come, so that little is left to do when the
 * tool has ended, however much it printed: long strings are known by then, and
 * only what the model gets of them is looked at again.  What takes longer (the
 * repair of characters, a result that is large and not cut) is done in slices
 * between which the loop can turn.
 *
 * Owns what it notes, neither the text nor files.  May include: util, json, tool.
 */
#ifndef IK_TOOL_ANSWER_H
#define IK_TOOL_ANSWER_H

#include "json/checker.h"
#include "tool/output_files.h"
#include "util/buf.h"

/* A slice that takes a few milliseconds at most. */
#define IK_ANSWER_SLICE IK_KIB(128)

struct ik_answer {
	struct ik_json_checker checker;
	struct ik_buf strings;  /* of struct ik_json_seen: those that may have to be cut */
	struct ik_buf repaired; /* the text, where it has to be repaired */
	size_t limit;           /* of the result, in bytes */
	const char *text;       /* from begin on */
	size_t length;
	size_t at;    /* of the text that is repaired, or of the value that is written */
	bool writing; /* the envelope has its beginning */
	struct ik_output_files *files; /* for the texts that are cut; NULL: they have none */
	size_t cut_length;             /* of strings; 0: all of the value becomes one */
	struct ik_buf paths;           /* const char *, of the texts that are cut */
	size_t keeping;                /* the string that is written to a file, or looked at for that */
	size_t kept;                   /* of that one */
};

/* files is borrowed; it may be NULL. */
void ik_answer_init(struct ik_answer *answer, size_t limit, struct ik_output_files *files);
void ik_answer_done(struct ik_answer *answer);

/* The next bytes. */
void ik_answer_feed(struct ik_answer *answer, const char *bytes, size_t length);

/* The text is over; text is all of it in one piece, borrowed until done. False: it is not
 * one JSON value, even when its characters are repaired (invalid UTF-8 and lone surrogates
 * become U+FFFD); then nothing is to be written. */
bool ik_answer_begin(struct ik_answer *answer, const char *text, size_t length);

/*
 * Append about slice bytes of the envelope of a success, in which the value stands as it came.
 * Above the limit its long strings are cut at a character boundary with a mark that says how
 * many bytes were left out, and "truncated":true is set beside result; without a long string
 * the result becomes one cut string of its JSON (tool/envelope_cut.h). The whole texts go to
 * files before that, which the marks name. Returns whether that was the last of it; then
 * check the buffer's status.
 */
bool ik_answer_write(struct ik_answer *answer, struct ik_buf *out, size_t slice);

#endif
