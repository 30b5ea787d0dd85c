/*
 * markdown: renders replies as Markdown (CommonMark with tables, task lists,
 * strike-through and bare addresses).
 *
 * For the look of a construct, see its callback in markdown.c.  Differences
 * from CommonMark: line ends within a paragraph are kept; HTML is text, except
 * for <br>; a link definition is shown, and links that name it become links
 * once it arrives, even in earlier sections; in a very long table, each section
 * has its own column widths.  No text is lost: addresses follow their links,
 * long lines of code continue after a mark, and unknown entities stay as they
 * are.
 *
 * If the parser (md4c) gives up, the section is laid out like
 * ik_renderer_plain.
 *
 * May include: util, tui/text.
 */
#ifndef IK_TUI_TEXT_MARKDOWN_H
#define IK_TUI_TEXT_MARKDOWN_H

#include "tui/text/wrap.h"

extern const struct ik_renderer ik_renderer_markdown;

#endif
