/*
 * size_text: a number of bytes for people.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_SIZE_TEXT_H
#define IK_TUI_SIZE_TEXT_H

#include "util/buf.h"

/* Append "12 bytes", "3 KB", "1.5 MB". */
void ik_size_text(struct ik_buf *out, size_t bytes);

#endif
