#include "commands/tool_view.h"

#include "core/model_choice.h"
#include "provider/formats.h"
#include "util/text.h"

/* What a provider is told. */
static struct ik_tool_definition define(const struct ik_tool *tool)
{
	return (struct ik_tool_definition){
		.name = tool->name,
		.description = tool->description,
		.parameters = { tool->parameters, tool->parameters_length },
	};
}

enum ik_status ik_tool_view(const struct ik_config *config, const char *provider,
	const struct ik_tool *tool, struct ik_buf *out, struct ik_error *error)
{
	struct ik_model_choice server = { .provider = NULL };
	struct ik_model_spec spec;
	enum ik_status status = ik_model_server(config, provider, &server, error);
	const struct ik_tool_definition definition = define(tool);

	if (status == IK_OK) {
		spec = ik_model_choice_spec(&server);
		server.format->put_tool(out, &spec.endpoint, &definition);
		status = ik_buf_check(out, _("the schema"), error);
	}
	ik_model_choice_done(&server);
	return status;
}

bool ik_tool_view_form(const struct ik_model_choice *now, const struct ik_tool *tool, size_t form,
	struct ik_buf *out, const char **ret_name)
{
	const struct ik_endpoint strict = { .strict_tools = true };
	const struct ik_wire_format *format = form > 0 ? ik_wire_format_at(form - 1) : now->format;
	const struct ik_tool_definition definition = define(tool);
	struct ik_model_spec spec;

	if (!format)
		return false;
	spec = ik_model_choice_spec(now);
	format->put_tool(out, form > 0 ? &strict : &spec.endpoint, &definition);
	*ret_name = form > 0 ? format->type : now->provider;
	return true;
}
