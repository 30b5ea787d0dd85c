#include "tui/theme.h"

#include "util/text.h"

#define BOLD IK_ATTRIBUTE_BOLD
#define DIM IK_ATTRIBUTE_DIM
#define REVERSE IK_ATTRIBUTE_REVERSE
#define UNDERLINE IK_ATTRIBUTE_UNDERLINE
#define ITALIC IK_ATTRIBUTE_ITALIC

/*
 * Columns: foreground, background (256 colours), the same of 8 colours,
 * attributes, attributes where there is no colour.
 *
 * With 8 colours DIM stands beside the terminal's own foreground: "bright
 * black" is invisible in more than one palette.  Dim text keeps a contrast of
 * at least 4.5 to 1 on the background that the theme is for.
 */
static const struct ik_theme themes[] = {
	{ "dark", {
		[IK_STYLE_NORMAL]         = { -1, -1, -1, -1, 0, 0 },
		[IK_STYLE_DIM]            = { 245, -1, -1, -1, 0, DIM },
		[IK_STYLE_BOLD]           = { -1, -1, -1, -1, BOLD, BOLD },
		[IK_STYLE_USER]           = { 117, -1, 6, -1, BOLD, BOLD },
		[IK_STYLE_ASSISTANT]      = { -1, -1, -1, -1, 0, 0 },
		[IK_STYLE_THINKING]       = { 246, -1, -1, -1, ITALIC, DIM },
		[IK_STYLE_TOOL]           = { 180, -1, 3, -1, 0, BOLD },
		[IK_STYLE_TOOL_OUTPUT]    = { 250, -1, -1, -1, 0, 0 },
		[IK_STYLE_ERROR]          = { 210, -1, 1, -1, BOLD, BOLD | UNDERLINE },
		[IK_STYLE_NOTICE]         = { 151, -1, 2, -1, 0, DIM },
		[IK_STYLE_STATUS]         = { 252, 237, 7, 4, 0, REVERSE },
		[IK_STYLE_STATUS_STRONG]  = { 231, 237, 7, 4, BOLD, REVERSE | BOLD },
		[IK_STYLE_STATUS_WARNING] = { 222, 237, 3, 4, BOLD, REVERSE | BOLD | UNDERLINE },
		[IK_STYLE_FRAME]          = { 241, -1, -1, -1, 0, DIM },
		[IK_STYLE_FRAME_FOCUS]    = { 117, -1, 6, -1, 0, BOLD },
		[IK_STYLE_SELECTION]      = { 231, 24, 7, 4, 0, REVERSE },
		[IK_STYLE_PROMPT]         = { 117, -1, 6, -1, BOLD, BOLD },
		[IK_STYLE_CODE]           = { 186, -1, 3, -1, 0, 0 },
		[IK_STYLE_INLINE_CODE]    = { 186, -1, 3, -1, 0, BOLD },
		[IK_STYLE_HEADING]        = { 153, -1, 6, -1, BOLD, BOLD | UNDERLINE },
		[IK_STYLE_EMPHASIS]       = { -1, -1, -1, -1, ITALIC, UNDERLINE },
		[IK_STYLE_LINK]           = { 111, -1, 6, -1, UNDERLINE, UNDERLINE },
		[IK_STYLE_MATCH]          = { 16, 222, 0, 3, 0, REVERSE },
		[IK_STYLE_ADDED]          = { 114, -1, 2, -1, 0, BOLD },
		[IK_STYLE_REMOVED]        = { 210, -1, 1, -1, 0, DIM },
	} },
	{ "light", {
		[IK_STYLE_NORMAL]         = { -1, -1, -1, -1, 0, 0 },
		[IK_STYLE_DIM]            = { 241, -1, -1, -1, 0, DIM },
		[IK_STYLE_BOLD]           = { -1, -1, -1, -1, BOLD, BOLD },
		[IK_STYLE_USER]           = { 25, -1, 4, -1, BOLD, BOLD },
		[IK_STYLE_ASSISTANT]      = { -1, -1, -1, -1, 0, 0 },
		[IK_STYLE_THINKING]       = { 241, -1, -1, -1, ITALIC, DIM },
		[IK_STYLE_TOOL]           = { 94, -1, 5, -1, 0, BOLD },
		[IK_STYLE_TOOL_OUTPUT]    = { 238, -1, -1, -1, 0, 0 },
		[IK_STYLE_ERROR]          = { 124, -1, 1, -1, BOLD, BOLD | UNDERLINE },
		[IK_STYLE_NOTICE]         = { 22, -1, 2, -1, 0, DIM },
		[IK_STYLE_STATUS]         = { 236, 252, 0, 7, 0, REVERSE },
		[IK_STYLE_STATUS_STRONG]  = { 16, 252, 0, 7, BOLD, REVERSE | BOLD },
		[IK_STYLE_STATUS_WARNING] = { 124, 252, 1, 7, BOLD, REVERSE | BOLD | UNDERLINE },
		[IK_STYLE_FRAME]          = { 246, -1, -1, -1, 0, DIM },
		[IK_STYLE_FRAME_FOCUS]    = { 25, -1, 4, -1, 0, BOLD },
		[IK_STYLE_SELECTION]      = { 16, 153, 0, 6, 0, REVERSE },
		[IK_STYLE_PROMPT]         = { 25, -1, 4, -1, BOLD, BOLD },
		[IK_STYLE_CODE]           = { 90, -1, 5, -1, 0, 0 },
		[IK_STYLE_INLINE_CODE]    = { 90, -1, 5, -1, 0, BOLD },
		[IK_STYLE_HEADING]        = { 18, -1, 4, -1, BOLD, BOLD | UNDERLINE },
		[IK_STYLE_EMPHASIS]       = { -1, -1, -1, -1, ITALIC, UNDERLINE },
		[IK_STYLE_LINK]           = { 25, -1, 4, -1, UNDERLINE, UNDERLINE },
		[IK_STYLE_MATCH]          = { 16, 221, 0, 3, 0, REVERSE },
		[IK_STYLE_ADDED]          = { 22, -1, 2, -1, 0, BOLD },
		[IK_STYLE_REMOVED]        = { 124, -1, 1, -1, 0, DIM },
	} },
	{ "contrast", {
		[IK_STYLE_NORMAL]         = { 231, 16, 7, 0, 0, 0 },
		[IK_STYLE_DIM]            = { 252, 16, 7, 0, 0, 0 },
		[IK_STYLE_BOLD]           = { 231, 16, 7, 0, BOLD, BOLD },
		[IK_STYLE_USER]           = { 51, 16, 6, 0, BOLD, BOLD },
		[IK_STYLE_ASSISTANT]      = { 231, 16, 7, 0, 0, 0 },
		[IK_STYLE_THINKING]       = { 252, 16, 7, 0, ITALIC, 0 },
		[IK_STYLE_TOOL]           = { 226, 16, 3, 0, BOLD, BOLD },
		[IK_STYLE_TOOL_OUTPUT]    = { 231, 16, 7, 0, 0, 0 },
		[IK_STYLE_ERROR]          = { 16, 217, 0, 1, BOLD, REVERSE | BOLD },
		[IK_STYLE_NOTICE]         = { 120, 16, 2, 0, 0, 0 },
		[IK_STYLE_STATUS]         = { 16, 231, 0, 7, 0, REVERSE },
		[IK_STYLE_STATUS_STRONG]  = { 16, 231, 0, 7, BOLD, REVERSE | BOLD },
		[IK_STYLE_STATUS_WARNING] = { 231, 88, 7, 1, BOLD, REVERSE | BOLD | UNDERLINE },
		[IK_STYLE_FRAME]          = { 250, 16, 7, 0, 0, 0 },
		[IK_STYLE_FRAME_FOCUS]    = { 226, 16, 3, 0, BOLD, BOLD },
		[IK_STYLE_SELECTION]      = { 16, 226, 0, 3, BOLD, REVERSE | BOLD },
		[IK_STYLE_PROMPT]         = { 51, 16, 6, 0, BOLD, BOLD },
		[IK_STYLE_CODE]           = { 230, 16, 3, 0, 0, 0 },
		[IK_STYLE_INLINE_CODE]    = { 230, 16, 3, 0, 0, BOLD },
		[IK_STYLE_HEADING]        = { 231, 16, 7, 0, BOLD | UNDERLINE, BOLD | UNDERLINE },
		[IK_STYLE_EMPHASIS]       = { 231, 16, 7, 0, UNDERLINE, UNDERLINE },
		[IK_STYLE_LINK]           = { 123, 16, 6, 0, UNDERLINE, UNDERLINE },
		[IK_STYLE_MATCH]          = { 16, 51, 0, 6, BOLD, REVERSE | BOLD },
		[IK_STYLE_ADDED]          = { 120, 16, 2, 0, 0, BOLD },
		[IK_STYLE_REMOVED]        = { 217, 16, 1, 0, 0, 0 },
	} },
	{ "mono", {
		[IK_STYLE_NORMAL]         = { -1, -1, -1, -1, 0, 0 },
		[IK_STYLE_DIM]            = { -1, -1, -1, -1, DIM, DIM },
		[IK_STYLE_BOLD]           = { -1, -1, -1, -1, BOLD, BOLD },
		[IK_STYLE_USER]           = { -1, -1, -1, -1, BOLD, BOLD },
		[IK_STYLE_ASSISTANT]      = { -1, -1, -1, -1, 0, 0 },
		[IK_STYLE_THINKING]       = { -1, -1, -1, -1, DIM, DIM },
		[IK_STYLE_TOOL]           = { -1, -1, -1, -1, BOLD, BOLD },
		[IK_STYLE_TOOL_OUTPUT]    = { -1, -1, -1, -1, 0, 0 },
		[IK_STYLE_ERROR]          = { -1, -1, -1, -1, BOLD | UNDERLINE, BOLD | UNDERLINE },
		[IK_STYLE_NOTICE]         = { -1, -1, -1, -1, DIM, DIM },
		[IK_STYLE_STATUS]         = { -1, -1, -1, -1, REVERSE, REVERSE },
		[IK_STYLE_STATUS_STRONG]  = { -1, -1, -1, -1, REVERSE | BOLD, REVERSE | BOLD },
		[IK_STYLE_STATUS_WARNING] = { -1, -1, -1, -1, REVERSE | BOLD | UNDERLINE,
			REVERSE | BOLD | UNDERLINE },
		[IK_STYLE_FRAME]          = { -1, -1, -1, -1, DIM, DIM },
		[IK_STYLE_FRAME_FOCUS]    = { -1, -1, -1, -1, BOLD, BOLD },
		[IK_STYLE_SELECTION]      = { -1, -1, -1, -1, REVERSE, REVERSE },
		[IK_STYLE_PROMPT]         = { -1, -1, -1, -1, BOLD, BOLD },
		[IK_STYLE_CODE]           = { -1, -1, -1, -1, 0, 0 },
		[IK_STYLE_INLINE_CODE]    = { -1, -1, -1, -1, BOLD, BOLD },
		[IK_STYLE_HEADING]        = { -1, -1, -1, -1, BOLD | UNDERLINE, BOLD | UNDERLINE },
		[IK_STYLE_EMPHASIS]       = { -1, -1, -1, -1, UNDERLINE, UNDERLINE },
		[IK_STYLE_LINK]           = { -1, -1, -1, -1, UNDERLINE, UNDERLINE },
		[IK_STYLE_MATCH]          = { -1, -1, -1, -1, REVERSE, REVERSE },
		[IK_STYLE_ADDED]          = { -1, -1, -1, -1, BOLD, BOLD },
		[IK_STYLE_REMOVED]        = { -1, -1, -1, -1, DIM, DIM },
	} },
};

#define THEME_COUNT (sizeof themes / sizeof *themes)

const struct ik_theme *ik_theme_at(size_t index)
{
	return index < THEME_COUNT ? &themes[index] : NULL;
}

const struct ik_theme *ik_theme_find(const char *name)
{
	for (size_t i = 0; i < THEME_COUNT; i++)
		if (ik_text_equal(themes[i].name, name))
			return &themes[i];
	return NULL;
}
