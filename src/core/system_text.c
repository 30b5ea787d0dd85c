#include "core/system_text.h"

#include <stdlib.h>

#include "util/limits.h"
#include "util/text.h"

void ik_system_text(const struct ik_session *session, const struct ik_model_spec *spec,
	struct ik_buf *out)
{
	size_t count = 0, i;
	struct ik_tool_definition *tools = ik_session_tools(session, &count);
	struct ik_buf definitions;

	ik_buf_init(&definitions, IK_LIMIT_REQUEST);
	for (i = 0; i < count; i++)
		spec->format->put_tool(&definitions, &spec->endpoint, &tools[i]);
	ik_buf_puts(out, ik_session_system_prompt(session));
	ik_buf_puts(out, "\n\n");
	ik_buf_printf(out,
		ngettext("%zu tool is described besides, in %zu bytes.",
			"%zu tools are described besides, in %zu bytes.", count),
		count, definitions.length);
	ik_buf_putc(out, '\n');
	ik_buf_done(&definitions);
	free(tools);
}
