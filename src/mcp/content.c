#include "mcp/content.h"

#include <string.h>

#include "conversation/attachment.h"
#include "json/schema.h"
#include "json/write.h"
#include "tool/envelope.h"
#include "util/limits.h"

/* Append the canonical form of `returns` if it is a schema of objects. Return whether it is. A
 * client rejects the whole list for one schema that is invalid, so a doubtful one is left out. */
static bool put_output_schema(const struct ik_tool *tool, struct ik_buf *out)
{
	struct ik_json_span returns;
	bool usable;

	usable = tool->returns &&
		ik_json_check(tool->returns, strlen(tool->returns), &returns, NULL) == IK_OK &&
		ik_json_string_is(ik_json_member(returns, "type"), "object") &&
		ik_schema_canonical(returns, out, NULL) == IK_OK && ik_buf_status(out) == IK_OK;
	if (!usable)
		ik_buf_clear(out);
	return usable;
}

void ik_mcp_put_tool(const struct ik_tool *tool, struct ik_buf *out)
{
	bool reads = ik_tool_reads_only(tool);
	struct ik_buf schema;

	ik_json_printf(out, "{'name':'%s','description':'%s','inputSchema':%s", tool->name,
		tool->description, tool->parameters);
	ik_buf_init(&schema, IK_LIMIT_ENVELOPE);
	if (put_output_schema(tool, &schema))
		ik_json_printf(out, "'outputSchema':%s", schema.data);
	ik_buf_done(&schema);
	ik_json_printf(out, "'annotations':{'readOnlyHint':%s,'destructiveHint':%s}}",
		ik_json_word(reads), ik_json_word(!reads));
}

/* Append an item of text. */
static void put_text(struct ik_buf *out, const char *text, size_t length)
{
	ik_json_printf(out, "{'type':'text','text':");
	ik_json_put_string(out, text, length);
	ik_json_close(out, '}');
}

/* Append the pictures and documents of a result. */
static void put_files(struct ik_buf *out, const struct ik_message *result)
{
	struct ik_attachment file;

	for (size_t i = 0; ik_message_attachment(result, i, &file); i++)
		ik_attachment_put_block(&file, out);
}

/* Does a result fit the tool's outputSchema, if there is one? The error says why not. */
static bool fits_schema(const struct ik_tool *tool, struct ik_json_span result, bool *ret_declared,
	struct ik_error *error)
{
	struct ik_json_span schema;
	struct ik_buf text;
	bool fits = true;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	*ret_declared = tool && put_output_schema(tool, &text) &&
		ik_json_check(text.data, text.length, &schema, NULL) == IK_OK;
	if (*ret_declared)
		fits = ik_schema_validate(schema, schema, result, error) == IK_OK;
	ik_buf_done(&text);
	return fits;
}

void ik_mcp_put_result(const struct ik_tool *tool, struct ik_json_span envelope,
	const struct ik_message *files, struct ik_buf *out)
{
	struct ik_json_span result = ik_json_member(envelope, "result");
	struct ik_error misfit = { .text = "" };
	struct ik_buf hint;
	bool declared = false;
	bool failed = !ik_envelope_succeeded(envelope) ||
		ik_json_span_type(ik_json_member(result, "error")) == IK_JSON_STRING ||
		!fits_schema(tool, result, &declared, &misfit);

	ik_json_key(out, "content");
	ik_json_open(out, '[');
	ik_buf_init(&hint, IK_LIMIT_ENVELOPE);
	ik_envelope_put_text(envelope, &hint);
	put_text(out, hint.data, hint.length);
	ik_buf_clear(&hint);
	if (misfit.text[0] != '\0')
		ik_buf_printf(&hint, "This result does not fit what the tool says it returns: %s",
			misfit.text);
	else
		(void)ik_json_string(ik_json_member(envelope, "hint"), &hint);
	if (hint.length > 0)
		put_text(out, hint.data, hint.length);
	ik_buf_clear(&hint);
	if (ik_json_string(ik_json_member(envelope, "hook"), &hint))
		put_text(out, hint.data, hint.length);
	ik_buf_done(&hint);
	if (files)
		put_files(out, files);
	ik_json_close(out, ']');
	if (declared && !failed) {
		ik_json_key(out, "structuredContent");
		ik_json_put_raw(out, result);
	}
	ik_json_printf(out, "'isError':%s", ik_json_word(failed));
}
