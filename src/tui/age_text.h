/*
 * age_text: how long ago something was, in a few columns.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_AGE_TEXT_H
#define IK_TUI_AGE_TEXT_H

#include "util/buf.h"

#include <stdint.h>

/* Append "now", "5 min", "3 h", "12 d", "2 y" for so many milliseconds. */
void ik_age_text(struct ik_buf *out, int64_t age_ms);

#endif
