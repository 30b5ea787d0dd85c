/*
 * json_view: JSON for people: printed like ik_json_pretty(), but with texts of
 * several lines as these lines, and, where it is folded, only the beginning of
 * what is long.
 *
 * Pure.  May include: util, json.
 */
#ifndef IK_TUI_TEXT_JSON_VIEW_H
#define IK_TUI_TEXT_JSON_VIEW_H

#include "json/scan.h"

#define IK_FOLDED_LINES 12 /* of a text */
#define IK_FOLDED_ITEMS 20 /* of a list or an object */

/* Append value; what is left out is said in its place. Not sanitised. */
void ik_json_view(struct ik_buf *out, struct ik_json_span value, bool folded);

#endif
