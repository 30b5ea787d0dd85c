#include "agent/output.h"

#include <ctype.h>
#include <string.h>

#include "json/schema.h"
#include "json/write.h"

void ik_output_put_instruction(const char *schema, struct ik_buf *out)
{
	/* The model reads this, so it is not translated. */
	ik_buf_printf(out,
		"\n\nCall tools as you need them. Your last reply, which calls none, must be one JSON "
		"value "
		"that satisfies the following JSON Schema, and nothing else: no words before or after it, "
		"and no fence around it.\n%s",
		schema);
}

/* Return text without white space at its ends. */
static struct ik_json_span trim(struct ik_json_span text)
{
	while (text.length > 0 && isspace((unsigned char)text.text[0])) {
		text.text++;
		text.length--;
	}
	while (text.length > 0 && isspace((unsigned char)text.text[text.length - 1]))
		text.length--;
	return text;
}

/* Return what a fence surrounds, or text if there is none. */
static struct ik_json_span unfence(struct ik_json_span text)
{
	static const char fence[] = "```";
	const size_t mark = sizeof(fence) - 1;
	const char *line = text.length > 0 ? memchr(text.text, '\n', text.length) : NULL;
	size_t begin = line ? (size_t)(line - text.text) : 0;

	if (begin < mark || text.length - begin <= mark || memcmp(text.text, fence, mark) != 0 ||
		memcmp(text.text + text.length - mark, fence, mark) != 0)
		return text;
	return trim((struct ik_json_span){ line, text.length - begin - mark });
}

enum ik_status ik_output_read(struct ik_json_span schema, const struct ik_model *model,
	const char *text, size_t length, struct ik_buf *out, struct ik_error *error)
{
	struct ik_json_span reply = unfence(trim((struct ik_json_span){ text, length })), value;
	const struct ik_tool_definition definition = { .parameters = schema };
	enum ik_status status = ik_json_check(reply.text, reply.length, &value, error);
	size_t begin = out->length;

	if (status != IK_OK)
		return status;
	if (!model->format->put_arguments ||
		!model->format->put_arguments(out, &model->endpoint, &definition, value))
		ik_json_put_raw(out, value);
	status = ik_json_check(out->data + begin, out->length - begin, &value, error);
	return status == IK_OK ? ik_schema_validate(schema, schema, value, error) : status;
}
