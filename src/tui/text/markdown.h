/*
 * markdown: replies laid out as Markdown (CommonMark with tables, task lists,
 * strike-through and bare addresses).
 *
 * What a construct looks like stands in markdown.c beside its callback.  What
 * differs from CommonMark: line ends within a paragraph are kept; HTML is text, but
 * for <br>; a link definition is shown where it stands.  The links that name it become links
 * when it has come: sections before it that may hold some are laid out anew then.
 * Nothing of the text is lost: the addresses of links stand behind them, long
 * lines of code go on behind a mark, an unknown entity stays as it is.
 *
 * The parser (md4c) is loaded with the first reply; where it is missing, or
 * gives up, text is laid out as ik_renderer_plain does it.
 *
 * May include: util, tui/text.
 */
#ifndef IK_TUI_TEXT_MARKDOWN_H
#define IK_TUI_TEXT_MARKDOWN_H

#include "tui/text/wrap.h"

extern const struct ik_renderer ik_renderer_markdown;

#endif
