#include "core/command.h"

void ik_command_answer_in(struct ik_session *session, const char *line, struct ik_buf *output)
{
	if (output->length > 0 && output->data[output->length - 1] == '\n')
		ik_buf_truncate(output, output->length - 1);
	ik_session_add_command(session, line, output->data);
	ik_buf_done(output);
}

void ik_command_answer(struct ik_core *core, const char *line, struct ik_buf *output)
{
	ik_command_answer_in(core->session, line, output);
}
