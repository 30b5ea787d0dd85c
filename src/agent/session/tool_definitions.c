#include "agent/session/tool_definitions.h"

#include "tool/run.h"
#include "util/alloc.h"

static struct ik_tool_definition definition_of(const struct ik_tool *tool)
{
	return (struct ik_tool_definition){
		.name = tool->name,
		.description = tool->description,
		.parameters = { tool->parameters, tool->parameters_length },
	};
}

struct ik_tool_definition *ik_tool_definitions(const struct ik_registry *registry,
	size_t *ret_count)
{
	size_t all = ik_registry_count(registry), count = 0, i;
	struct ik_tool_definition *tools = ik_alloc((all + 1) * sizeof(*tools));

	for (i = 0; i < all; i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state == IK_TOOL_OK)
			tools[count++] = definition_of(tool);
	}
	*ret_count = count;
	return tools;
}

void ik_tool_put_arguments(struct ik_buf *out, const struct ik_registry *registry,
	const struct ik_model *model, const char *name, struct ik_json_span arguments)
{
	const struct ik_tool *tool = ik_registry_find(registry, name);
	struct ik_json_span text = ik_run_arguments(arguments.text, arguments.length), value;
	struct ik_tool_definition definition;

	if (tool && model && model->spec.format->put_arguments &&
		ik_json_check(text.text, text.length, &value, NULL) == IK_OK) {
		definition = definition_of(tool);
		if (model->spec.format->put_arguments(out, &model->spec.endpoint, &definition, value))
			return;
	}
	ik_buf_append(out, text.text, text.length);
}
