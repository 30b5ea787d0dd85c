/*
 * entity: HTML's character references, as Markdown takes them over.
 *
 * The numeric ones, and of the named ones those that are met in prose; another
 * name stays as it was written.  Pure.  May include: util.
 */
#ifndef IK_TUI_TEXT_ENTITY_H
#define IK_TUI_TEXT_ENTITY_H

#include "util/buf.h"

/* Append the character that "&...;" means, made harmless; the text itself when unknown. */
void ik_entity_decode(struct ik_buf *out, const char *text, size_t length);

#endif
