#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tool/command_line.h"
#include "util/limits.h"

TestSuite(command_line);

#define PARAMETERS \
	"{\"type\":\"object\",\"properties\":{" \
	"\"pattern\":{\"type\":\"string\",\"description\":\"What to find\"}," \
	"\"max_count\":{\"type\":\"integer\",\"default\":10}," \
	"\"deep\":{\"type\":\"boolean\"}," \
	"\"mode\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}," \
	"\"where\":{\"type\":\"object\"}," \
	"\"any\":{}," \
	"\"ratio\":{\"type\":[\"number\",\"null\"]}," \
	"\"sizes\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}," \
	"\"paths\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}," \
	"\"required\":[\"pattern\",\"paths\"]}"

static struct ik_json_span span(const char *text)
{
	struct ik_json_span value = { NULL, 0 };

	if (text)
		cr_assert_eq(ik_json_check(text, strlen(text), &value, NULL), IK_OK, "%s", text);
	return value;
}

/* Read the words of a tool with those parameters. */
static void expect_of(const char *parameters, const char *words, const char *input,
	enum ik_command_line result, const char *wanted)
{
	const struct ik_tool tool = {
		.name = (char *)"find_it",
		.description = (char *)"Find it.\nMore of it.",
		.parameters = (char *)parameters,
		.parameters_length = strlen(parameters),
	};
	const struct ik_json_span in = { input, input ? strlen(input) : 0 };
	struct ik_buf out;
	enum ik_command_line got;

	ik_buf_init(&out, IK_KIB(64));
	got = ik_command_line_read(&tool, span(words), in, &out);
	cr_assert_eq(got, result, "%s: %d, %s", words, got, out.data);
	if (result == IK_COMMAND_HELP)
		cr_assert_not_null(strstr(out.data, wanted), "%s", out.data);
	else
		cr_assert_str_eq(out.data ? out.data : "", wanted);
	ik_buf_done(&out);
}

static void expect(const char *words, enum ik_command_line result, const char *wanted)
{
	expect_of(PARAMETERS, words, NULL, result, wanted);
}

Test(command_line, makes_json_of_options)
{
	expect("[\"--pattern\",\"*.c\",\"--paths\",\"x\",\"--paths=y\"]", IK_COMMAND_CALL,
		"{\"pattern\":\"*.c\",\"paths\":[\"x\",\"y\"]}");
	expect("[\"--max-count\",\"-5\",\"--max_count=7\"]", IK_COMMAND_WRONG,
		"--max_count is given twice");
	expect("[\"--max-count\",\"-5\",\"--deep\",\"--mode\",\"a\"]", IK_COMMAND_CALL,
		"{\"max_count\":-5,\"deep\":true,\"mode\":\"a\"}");
	expect("[\"--no-deep\"]", IK_COMMAND_CALL, "{\"deep\":false}");
	expect("[\"--deep=false\"]", IK_COMMAND_CALL, "{\"deep\":false}");
	expect("[\"--where\",\"{ \\\"a\\\" : 1 }\",\"--any\",\"[1]\"]", IK_COMMAND_CALL,
		"{\"where\":{\"a\":1},\"any\":[1]}");
	expect("[\"--any\",\"text\",\"--ratio\",\"0.5\"]", IK_COMMAND_CALL,
		"{\"any\":\"text\",\"ratio\":0.5}");
	expect("[\"--sizes\",\"1\",\"--sizes\",\"[2, 3]\"]", IK_COMMAND_CALL, "{\"sizes\":[1,2,3]}");
	expect("[\"--sizes\",\"[]\"]", IK_COMMAND_CALL, "{\"sizes\":[]}");
	expect("[\"--pattern\",\"5\"]", IK_COMMAND_CALL, "{\"pattern\":\"5\"}");
	expect("[\"--pattern=\"]", IK_COMMAND_CALL, "{\"pattern\":\"\"}");
}

Test(command_line, leaves_a_wrong_type_to_the_schema)
{
	expect("[\"--max-count\",\"many\",\"--deep=perhaps\",\"--where\",\"[1]\"]", IK_COMMAND_CALL,
		"{\"max_count\":\"many\",\"deep\":\"perhaps\",\"where\":\"[1]\"}");
}

Test(command_line, gives_words_to_what_is_required)
{
	expect("[\"*.c\",\"x\",\"--deep\",\"y\"]", IK_COMMAND_CALL,
		"{\"pattern\":\"*.c\",\"deep\":true,\"paths\":[\"x\",\"y\"]}");
	expect("[\"--pattern\",\"*.c\",\"x\"]", IK_COMMAND_CALL,
		"{\"pattern\":\"*.c\",\"paths\":[\"x\"]}");
	expect("[\"--\",\"--deep\",\"-x\"]", IK_COMMAND_CALL,
		"{\"pattern\":\"--deep\",\"paths\":[\"-x\"]}");
	expect("[\"-\"]", IK_COMMAND_CALL, "{\"pattern\":\"-\"}");
	expect("[\"--paths\",\"x\",\"a\",\"b\"]", IK_COMMAND_WRONG, "unexpected argument \"b\"");
	expect_of("{\"type\":\"object\",\"properties\":{\"a\":{}}}", "[\"b\"]", NULL, IK_COMMAND_WRONG,
		"unexpected argument \"b\"");
}

Test(command_line, says_what_is_wrong)
{
	expect("[\"--nope\"]", IK_COMMAND_WRONG, "unknown option --nope");
	expect("[\"--nope=1\"]", IK_COMMAND_WRONG, "unknown option --nope");
	expect("[\"--no-pattern\"]", IK_COMMAND_WRONG, "unknown option --no-pattern");
	expect("[\"-p\"]", IK_COMMAND_WRONG, "unknown option -p");
	expect("[\"--pattern\"]", IK_COMMAND_WRONG, "--pattern needs a value");
}

Test(command_line, takes_all_arguments_as_json)
{
	expect("[\"--json\",\"{\\\"a\\\":1}\"]", IK_COMMAND_CALL, "{\"a\":1}");
	expect("[\"--json={}\"]", IK_COMMAND_CALL, "{}");
	expect("[\"--json\",\"-\"]", IK_COMMAND_INPUT, "");
	expect_of(PARAMETERS, "[\"--json\",\"-\"]", "{\"b\":2}", IK_COMMAND_CALL, "{\"b\":2}");
	/* Without any words only where something is required: others might take what is not theirs. */
	expect("[]", IK_COMMAND_INPUT, "");
	expect_of(PARAMETERS, "[]", "", IK_COMMAND_CALL, "");
	expect_of("{\"type\":\"object\",\"properties\":{\"a\":{}}}", "[]", NULL, IK_COMMAND_CALL, "{}");
	/* A tool may have an argument of that name. */
	expect_of("{\"type\":\"object\",\"properties\":{\"json\":{\"type\":\"string\"}}}",
		"[\"--json\",\"-\"]", NULL, IK_COMMAND_CALL, "{\"json\":\"-\"}");
}

Test(command_line, helps)
{
	expect("[\"--help\"]", IK_COMMAND_HELP, "Find it.\nMore of it.\n\nUsage: find_it");
	expect("[\"--help\"]", IK_COMMAND_HELP, "PATTERN PATHS...\n");
	expect("[\"--help\"]", IK_COMMAND_HELP, "--pattern TEXT (required)\n        What to find\n");
	expect("[\"--help\"]", IK_COMMAND_HELP, "--max-count INTEGER\n        Default 10\n");
	expect("[\"--help\"]", IK_COMMAND_HELP, "--deep\n");
	expect("[\"--help\"]", IK_COMMAND_HELP, "--mode TEXT\n        One of [\"a\",\"b\"]\n");
	expect("[\"--help\"]", IK_COMMAND_HELP, "--where JSON\n");
	expect("[\"--help\"]", IK_COMMAND_HELP, "--paths TEXT (required, may be repeated)\n");
	expect("[\"--schema\"]", IK_COMMAND_HELP, "\"max_count\": {");
}

/* What a command prints for an envelope; value is the whole result, or NULL. */
static void expect_result(const char *envelope, const char *value, int status, const char *out,
	const char *errors)
{
	struct ik_buf printed, complained;

	ik_buf_init(&printed, IK_KIB(64));
	ik_buf_init(&complained, IK_KIB(64));
	cr_assert_eq(
		ik_command_line_result("it", span(envelope), span(value), &printed, &complained), status,
		"%s", envelope);
	cr_assert_str_eq(printed.data ? printed.data : "", out);
	cr_assert_str_eq(complained.data ? complained.data : "", errors);
	ik_buf_done(&printed);
	ik_buf_done(&complained);
}

#define GOOD(result) "{\"tool_success\":true,\"result\":" result "}"

Test(command_line, prints_results)
{
	expect_result(GOOD("\"a\\nb\""), NULL, 0, "a\nb\n", "");
	expect_result(GOOD("\"\""), NULL, 0, "", "");
	expect_result(GOOD("{\"output\":\"x\\n\",\"count\":3}"), NULL, 0, "x\n", "");
	expect_result(GOOD("{\"output\":\"x\",\"exit_code\":3}"), NULL, 3, "x\n", "");
	expect_result(GOOD("{\"output\":\"x\",\"exit_code\":999}"), NULL, 0, "x\n", "");
	expect_result(GOOD("{\"a\":\"x\",\"b\":\"y\"}"), NULL, 0, "{\"a\":\"x\",\"b\":\"y\"}\n", "");
	expect_result(GOOD("{\"a\":\"x\",\"b\":[1]}"), NULL, 0, "{\"a\":\"x\",\"b\":[1]}\n", "");
	expect_result(GOOD("[1, 2]"), NULL, 0, "[1,2]\n", "");
	expect_result(GOOD("5"), NULL, 0, "5\n", "");
	expect_result(GOOD("{\"output\":\"cut\"},\"truncated\":true"), "{\"output\":\"whole\"}", 0,
		"whole\n", "");
}

Test(command_line, prints_failures)
{
	expect_result(GOOD("{\"error\":\"No such file\",\"error_code\":\"X\"}"), NULL, 1, "",
		"it: No such file\n");
	expect_result("{\"tool_success\":false,\"error\":\"Died\",\"error_code\":\"TOOL_CRASHED\","
				  "\"exit_code\":7,\"stdout\":\"out\",\"stderr\":\"err\"}",
		NULL, 7, "out\n", "err\nit: Died\n");
	expect_result("{\"tool_success\":false,\"error\":\"Bad\",\"error_code\":\"INVALID_PARAMS\","
				  "\"exit_code\":null,\"stdout\":\"\",\"stderr\":\"\"}",
		NULL, 2, "", "it: Bad\n");
	expect_result("{\"tool_success\":false,\"error\":\"Late\",\"error_code\":\"TOOL_TIMEOUT\","
				  "\"exit_code\":null,\"stdout\":\"\",\"stderr\":\"\"}",
		NULL, 1, "", "it: Late\n");
}
