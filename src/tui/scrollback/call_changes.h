/*
 * call_changes: what a call of file_edit or file_write does to its file, as a diff.
 *
 * Made of the arguments alone, so that it also reads years later: of an edit the
 * old text against the new one, of a written file its lines as added ones.
 *
 * May include: util, json, tui/scrollback/calls.h.
 */
#ifndef IK_TUI_SCROLLBACK_CALL_CHANGES_H
#define IK_TUI_SCROLLBACK_CALL_CHANGES_H

#include "tui/scrollback/calls.h"

#define IK_CHANGES_LINES 2000 /* that are shown at most */

/* Append the file's name and the lines (renderer: ik_renderer_diff). False, and nothing
 * appended, for other calls and arguments that are not whole. */
bool ik_call_changes(const struct ik_shown_call *call, struct ik_buf *out);

#endif
