/*
 * call_parts: the large texts of a call, a part at a time, as the inspector
 * turns their pages.
 *
 * Page 0 is the call itself with the first part of each text; the further parts
 * follow, a page for each, stderr first.  What is not in memory any more (a
 * restored session, an old call) is read from the store.
 *
 * May include: util, conversation, tui/scrollback/calls.h.
 */
#ifndef IK_TUI_SCROLLBACK_CALL_PARTS_H
#define IK_TUI_SCROLLBACK_CALL_PARTS_H

#include "tui/scrollback/calls.h"

/* As the two are numbered in struct ik_shown_call. */
enum ik_call_text {
	IK_CALL_OUTPUT, /* stdout, where the envelope was cut */
	IK_CALL_ERRORS, /* stderr */
	IK_CALL_TEXTS
};

/* The number of bytes of a text; 0 if there is none. */
size_t ik_call_text_length(const struct ik_shown_call *call, enum ik_call_text which);

/* Append part number part of a text, which begins and ends with a whole character. read may
 * be NULL. */
enum ik_status ik_call_part(const struct ik_shown_call *call, enum ik_call_text which, size_t part,
	ik_blob_reader *read, void *arg, struct ik_buf *out, struct ik_error *error) IK_MUST_USE;

/* How many pages; which part is on one: false for page 0, and for one that is not there. */
size_t ik_call_pages(const struct ik_shown_call *call);
bool ik_call_page(const struct ik_shown_call *call, size_t page, enum ik_call_text *ret_which,
	size_t *ret_part);

#endif
