/*
 * tool_forms: who knows how providers are told of tools; the tui does not.
 *
 * May include: util, tool/registry.h.
 */
#ifndef IK_TUI_PANE_TOOL_FORMS_H
#define IK_TUI_PANE_TOOL_FORMS_H

#include "tool/registry.h"

struct ik_tool_forms {
	/* Append the JSON text that the provider of now (form 0), or the kind of provider
	 * number form, gets of a tool; *ret_name is how it is called (borrowed until the
	 * next call). False: there is no such form. */
	bool (*put)(void *arg, const struct ik_tool *tool, size_t form, struct ik_buf *out,
		const char **ret_name);
};

#endif
