/* Commands: what the person typed that no model is sent. */
#include "conversation/message.h"

#include <string.h>

#include "conversation/message_private.h"
#include "json/write.h"

struct ik_message *ik_message_command(const char *line, size_t line_length, const char *output,
	size_t output_length)
{
	struct ik_message *message;
	struct ik_buf data;

	ik_buf_init(&data, IK_MESSAGE_DATA_LIMIT(IK_LIMIT_ENVELOPE));
	ik_json_open(&data, '{');
	ik_json_key(&data, "output");
	ik_json_put_string(&data, output, output_length);
	ik_json_close(&data, '}');
	if (ik_buf_status(&data) == IK_OK)
		message = ik_message_new(IK_KIND_COMMAND, line, line_length, data.data, data.length);
	else /* it cannot be held: that it was given is kept */
		message = ik_message_new(IK_KIND_COMMAND, line, line_length, NULL, 0);
	ik_buf_done(&data);
	return message;
}

/* A command with its output and a further member of text; NULL: it is too large. */
static struct ik_message *command_with(const char *line, const char *output, size_t output_length,
	const char *name, const char *text, size_t length)
{
	struct ik_message *message = NULL;
	struct ik_buf data;

	ik_buf_init(&data, IK_MESSAGE_DATA_LIMIT(IK_LIMIT_ENVELOPE));
	ik_json_open(&data, '{');
	ik_json_key(&data, "output");
	ik_json_put_string(&data, output, output_length);
	ik_json_key(&data, name);
	ik_json_put_string(&data, text, length);
	ik_json_close(&data, '}');
	if (ik_buf_status(&data) == IK_OK)
		message = ik_message_new(IK_KIND_COMMAND, line, strlen(line), data.data, data.length);
	ik_buf_done(&data);
	return message;
}

struct ik_message *ik_message_summary(const char *line, const char *output, size_t output_length,
	const char *summary, size_t summary_length)
{
	return command_with(line, output, output_length, "summary", summary, summary_length);
}

struct ik_message *ik_message_command_told(const char *line, const char *output, const char *told)
{
	struct ik_message *message = command_with(line, output, strlen(output), "told", told,
		strlen(told));

	return message ? message : ik_message_command(line, strlen(line), output, strlen(output));
}

struct ik_message *ik_message_own(const char *line, const struct ik_own *own, const char *output,
	size_t output_length)
{
	struct ik_message *message;
	struct ik_buf data;

	ik_buf_init(&data, IK_MESSAGE_DATA_LIMIT(IK_LIMIT_ENVELOPE));
	ik_json_open(&data, '{');
	ik_json_key(&data, "call"); /* before the output, where it is found at once */
	ik_json_open(&data, '{');
	ik_json_key(&data, "name");
	ik_json_put_text(&data, own->name);
	ik_json_key(&data, "arguments");
	ik_json_put_string(&data, own->arguments, own->arguments_length);
	ik_json_key(&data, "duration_ms");
	ik_json_put_integer(&data, own->duration_ms);
	ik_json_close(&data, '}');
	ik_message_put_blobs(&data, own->kept);
	ik_json_key(&data, "output");
	ik_json_put_string(&data, output, output_length);
	ik_json_close(&data, '}');
	message = ik_buf_status(&data) == IK_OK
		? ik_message_new(IK_KIND_COMMAND, line, strlen(line), data.data, data.length)
		: ik_message_command(line, strlen(line), output, output_length);
	ik_buf_done(&data);
	return message;
}

enum ik_own_call ik_message_own_call(const struct ik_message *message)
{
	struct ik_json_span name;

	if (message->kind != IK_KIND_COMMAND)
		return IK_OWN_NONE;
	name = ik_json_at(ik_message_data(message), "call.name");
	if (ik_json_span_type(name) != IK_JSON_STRING)
		return IK_OWN_NONE;
	return ik_json_string_is(name, IK_OWN_COMMAND) ? IK_OWN_SHELL : IK_OWN_TOOL;
}
