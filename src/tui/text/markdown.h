/*
 * markdown: replies laid out as Markdown (CommonMark with tables, task lists,
 * strike-through and bare addresses).
 *
 * What a construct looks like is in markdown.c, beside its callback.  Differences from
 * CommonMark: line ends within a paragraph are kept; HTML is text, except for <br>; a link
 * definition is shown, and the links that name it become links once it has come, in sections
 * before it too; of a very long table each section has columns of its own widths.  Nothing of the
 * text is lost: the addresses of links follow them, long lines of code continue after a mark, an
 * unknown entity stays as it is.
 *
 * What the parser (md4c) gives up on is laid out as ik_renderer_plain does it.
 *
 * May include: util, tui/text.
 */
#ifndef IK_TUI_TEXT_MARKDOWN_H
#define IK_TUI_TEXT_MARKDOWN_H

#include "tui/text/wrap.h"

extern const struct ik_renderer ik_renderer_markdown;

#endif
