#include "app/tool_view.h"

#include "app/model_choice.h"
#include "util/text.h"

enum ik_status ik_tool_view(const struct ik_config *config, const char *provider,
	const struct ik_tool *tool, struct ik_buf *out, struct ik_error *error)
{
	struct ik_model_choice server = {.provider = NULL};
	struct ik_model_spec spec;
	enum ik_status status = ik_model_server(config, provider, &server, error);
	const struct ik_tool_definition definition = {
		.name = tool->name,
		.description = tool->description,
		.parameters = {tool->parameters, tool->parameters_length},
	};

	if (status == IK_OK) {
		spec = ik_model_choice_spec(&server);
		server.format->put_tool(out, &spec.endpoint, &definition);
		status = ik_buf_check(out, _("the schema"), error);
	}
	ik_model_choice_done(&server);
	return status;
}
