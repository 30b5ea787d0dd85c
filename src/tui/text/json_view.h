/*
 * json_view: JSON for people: printed like ik_json_pretty(), but with the line
 * breaks of texts.
 *
 * Pure.  May include: util, json.
 */
#ifndef IK_TUI_TEXT_JSON_VIEW_H
#define IK_TUI_TEXT_JSON_VIEW_H

#include "json/scan.h"

/* Append value. Not sanitised. */
void ik_json_view(struct ik_buf *out, struct ik_json_span value);

#endif
