/*
 * call_question: the text of the question about a tool call.
 *
 * It says what the call does as the conversation will (tool/display.h). What a
 * tool says of itself hides nothing: all arguments that its words don't show
 * are listed, with the line breaks of texts. For a call that edits or writes a
 * file it shows the changes, as far as they can be computed quickly; for each
 * path, where it leads if that differs.
 *
 * May include: util, json, guard/policy_match.h, tool/display.h,
 * tui/scrollback/calls.h, tui/screen/dialog.h.
 */
#ifndef IK_CHAT_CALL_QUESTION_H
#define IK_CHAT_CALL_QUESTION_H

#include "json/scan.h"
#include "tui/screen/dialog.h"
#include "util/buf.h"

/*
 * Add what the call of a tool does; display is the tool's, or no value. Relative names are below
 * directory. Reads only a regular file of at most IK_LIMIT_COMPARED bytes, so it never blocks.
 */
void ik_question_add_call(struct ik_question *question, const char *directory,
	struct ik_json_span display, const char *arguments, size_t length);

/* Add a piece of text to a question, which is copied. */
void ik_question_add(struct ik_question *question, enum ik_question_part_kind kind,
	const char *bytes, size_t length);

void ik_question_add_sentence(struct ik_question *question, enum ik_question_part_kind kind,
	const char *sentence);

/* Release the text. */
void ik_question_done(struct ik_question *question);

#endif
