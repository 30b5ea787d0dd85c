/*
 * call_question: a tool call as the user is asked about it.
 *
 * Its arguments in full, a text of several lines as it is; of a call that edits
 * or writes a file what would become of the file, as far as that can be told
 * quickly; of each path where it leads, if that is not what it says.
 *
 * May include: util, json, guard/policy_match.h, tui/screen/dialog.h.
 */
#ifndef IK_CHAT_CALL_QUESTION_H
#define IK_CHAT_CALL_QUESTION_H

#include "tui/screen/dialog.h"
#include "util/buf.h"

/* The text of a question under construction: parts whose texts are owned here. */
struct ik_question_text {
	struct ik_question_part *parts;
	size_t count;
};

/*
 * Add the call's arguments, or for file_edit and file_write the file and the
 * differences. Relative names are below directory. Reads a regular file of at
 * most IK_LIMIT_COMPARED bytes, else nothing, and never waits for one.
 */
void ik_question_add_call(struct ik_question_text *text, const char *directory, const char *tool,
	const char *arguments, size_t length);

/* Return where the call's paths lead now; the caller frees it. If this text changes, the call isn't
 * what was shown any more. */
char *ik_call_targets(const char *directory, const char *arguments, size_t length);

/* Add a piece; copied. */
void ik_question_add(struct ik_question_text *text, enum ik_question_part_kind kind,
	const char *bytes, size_t length);

void ik_question_add_sentence(struct ik_question_text *text, enum ik_question_part_kind kind,
	const char *sentence);

void ik_question_text_done(struct ik_question_text *text);

#endif
