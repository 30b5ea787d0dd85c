/*
 * quantity: times and sizes for people, in a few columns.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TEXT_QUANTITY_H
#define IK_TUI_TEXT_QUANTITY_H

#include <stdint.h>

#include "util/buf.h"

/* Append "3s", "1m 05s", "2h 07m". */
void ik_elapsed_put(struct ik_buf *out, int64_t seconds);

/* Append "0 ms", "840 ms", "12.3 s", then as above. */
void ik_duration_put(struct ik_buf *out, int64_t milliseconds);

/* Append "now", "5 min", "3 h", "12 d", "2 y" for an age in milliseconds. */
void ik_age_text(struct ik_buf *out, int64_t age_ms);

/* Append "812", "1,200,000". */
void ik_count_put(struct ik_buf *out, int64_t count);

/* Append a number of tokens: "812", "12.3k", "4.5M". */
void ik_tokens_put(struct ik_buf *out, int64_t count);

/* Append "12 bytes", "3 KB", "1.5 MB". */
void ik_size_text(struct ik_buf *out, size_t bytes);

#endif
