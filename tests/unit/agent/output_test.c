#include "agent/output.h"

#include <string.h>

#include <criterion/criterion.h>

#include "provider/formats.h"
#include "util/limits.h"

/* What exec --output-schema accepts as a reply, and what it makes of it. */
TestSuite(output);

#define SCHEMA \
	"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"string\"}}," \
	"\"required\":[\"a\"]}"

/* The JSON of a reply, or the error, in ret. */
static bool read_reply(const char *reply, bool strict, struct ik_buf *ret)
{
	const struct ik_model model = {
		.format = &ik_openai_chat_format,
		.endpoint.strict_tools = strict,
	};
	struct ik_error error = { .status = IK_OK };
	bool good = ik_output_read(IK_JSON_SPAN(SCHEMA), &model, reply, strlen(reply), ret, &error) ==
		IK_OK;

	if (!good) {
		ik_buf_clear(ret);
		ik_buf_puts(ret, error.text);
	}
	return good;
}

static void expect(bool good, const char *reply, bool strict, const char *wanted)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	cr_assert_eq(read_reply(reply, strict, &out), good, "%s: %s", reply, out.data);
	cr_assert(good ? strcmp(out.data, wanted) == 0 : strstr(out.data, wanted) != NULL,
		"%s: %s, not %s", reply, out.data, wanted);
	ik_buf_done(&out);
}

Test(output, json_on_one_line)
{
	expect(true, "{\"a\": 1}", false, "{\"a\":1}");
	expect(true, " \n{\n\t\"b\": \"x  y\",\n\"a\": 1.0, \"c\": null}\r\n", false,
		"{\"b\":\"x  y\",\"a\":1.0,\"c\":null}");
}

Test(output, fences_are_removed)
{
	expect(true, "```json\n{\"a\": 1}\n```", false, "{\"a\":1}");
	expect(true, "```\n{\"a\": 1}```\n", false, "{\"a\":1}");
	expect(false, "```json\n{\"a\": 1}", false, "line 1");
	expect(false, "```", false, "line 1");
	expect(false, "```\n```", false, "line 1");
	expect(false, "``\n``", false, "line 1");
	expect(false, "Here it is:\n```json\n{\"a\": 1}\n```", false, "line 1");
}

Test(output, what_does_not_satisfy_the_schema)
{
	expect(false, "", false, "line 1");
	expect(false, "{\"b\": \"x\"}", false, "a");
	expect(false, "{\"a\": \"1\"}", false, "/a: is \"1\"");
	expect(false, "{\"a\": 1} {\"a\": 1}", false, "line 1");
}

Test(output, nulls_of_strict_mode)
{
	expect(true, "{\"a\": 1, \"b\": null}", true, "{\"a\":1}");
	expect(false, "{\"a\": 1, \"b\": null}", false, "/b: is null");
}

Test(output, the_instruction_has_the_schema)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_output_put_instruction(SCHEMA, &out);
	cr_assert(strstr(out.data, SCHEMA));
	ik_buf_done(&out);
}
