/*
 * tool_view: a tool as it is sent to a provider.
 *
 * May include: util, json, config, tool/registry.h, provider, core/model_choice.h.
 */
#ifndef IK_COMMANDS_TOOL_VIEW_H
#define IK_COMMANDS_TOOL_VIEW_H

#include "config/config.h"
#include "core/model_choice.h"
#include "tool/registry.h"

/*
 * Append the object (compact JSON) that describes a tool in a request to that
 * provider, which is a built-in one or one of the configuration; for Google,
 * the element of functionDeclarations. The error names the providers there are.
 */
enum ik_status ik_tool_view(const struct ik_config *config, const char *provider,
	const struct ik_tool *tool, struct ik_buf *out, struct ik_error *error) IK_MUST_USE;

/*
 * The same for the provider of now (form 0) and for each wire format in turn, in the
 * form that holds the model most to the schema. *ret_name: the provider's name, the
 * format's type. False after the last.
 */
bool ik_tool_view_form(const struct ik_model_choice *now, const struct ik_tool *tool, size_t form,
	struct ik_buf *out, const char **ret_name);

#endif
