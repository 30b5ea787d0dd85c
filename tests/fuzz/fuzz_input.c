/*
 * fuzz_input: whatever comes as input, a tool gets what its parameters promise,
 * or an answer in valid JSON says why not.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#include "util/buf.h"

#include "json/scan.h"
#include "json/write.h"

#include "tools/common/input.h"

enum { NAME, TEXT, COUNT, FLAG, PARAMETERS };

static const struct ik_parameter parameters[PARAMETERS] = {
	[NAME] = { "n", IK_PARAMETER_NAME, true, "a name" },
	[TEXT] = { "text", IK_PARAMETER_STRING, false, "any text" },
	[COUNT] = { "count", IK_PARAMETER_COUNT, false, "a number" },
	[FLAG] = { "flag", IK_PARAMETER_BOOLEAN, false, "yes or no" },
};

static const struct ik_program program = {
	.name = "tried",
	.binary = "tried",
	.description = "A tool that is only tried",
	.example = "{\"n\": \"x\"}",
	.parameter_count = PARAMETERS,
	.parameters = parameters,
};

static void demand(bool truth)
{
	if (!truth)
		abort();
}

/* Are two strings of bytes the same? */
static bool same(const struct ik_argument *one, const struct ik_argument *other)
{
	return one->length == other->length &&
		(one->length == 0 || memcmp(one->text, other->text, one->length) == 0);
}

/* Assert what the parameters promise. */
static void check_arguments(const struct ik_argument *arguments)
{
	demand(arguments[NAME].given && arguments[NAME].text != NULL);
	demand(strlen(arguments[NAME].text) == arguments[NAME].length);
	demand(arguments[TEXT].given == (arguments[TEXT].text != NULL));
	demand(!arguments[TEXT].given || arguments[TEXT].text[arguments[TEXT].length] == '\0');
	demand(arguments[COUNT].given ? arguments[COUNT].number >= 1 : arguments[COUNT].number == 0);
	demand(arguments[FLAG].given || !arguments[FLAG].truth);
}

/* Assert that the arguments, written as JSON, are read as what they are. */
static void check_again(const struct ik_argument *arguments, struct ik_tool_answer *answer)
{
	struct ik_argument again[PARAMETERS] = { { 0 } };
	struct ik_buf text;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_json_open(&text, '{');
	for (size_t i = 0; i <= TEXT; i++)
		if (arguments[i].given) {
			ik_json_key(&text, parameters[i].name);
			ik_json_put_string(&text, arguments[i].text, arguments[i].length);
		}
	if (arguments[COUNT].given) {
		ik_json_key(&text, "count");
		ik_json_put_integer(&text, arguments[COUNT].number);
	}
	ik_json_close(&text, '}');
	demand(ik_input_parse(&program, &text, again, answer));
	demand(same(&again[NAME], &arguments[NAME]) && same(&again[TEXT], &arguments[TEXT]));
	demand(again[COUNT].number == arguments[COUNT].number);
	ik_input_free(&program, again);
	ik_buf_done(&text);
}

/* Assert that the answer is one JSON object with an error and its code. */
static void check_answer(struct ik_tool_answer *answer)
{
	struct ik_json_span object;

	ik_json_close(&answer->text, '}');
	demand(ik_json_check(answer->text.data, answer->text.length, &object, NULL) == IK_OK);
	demand(ik_json_string_is(ik_json_member(object, "error_code"), "INVALID_ARG"));
	demand(ik_json_span_type(ik_json_member(object, "error")) == IK_JSON_STRING);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ik_argument arguments[PARAMETERS] = { { 0 } };
	struct ik_tool_answer answer;
	struct ik_buf input;

	ik_buf_init(&input, SIZE_MAX / 2);
	ik_buf_append(&input, (const char *)data, size);
	ik_answer_init(&answer, STDOUT_FILENO);
	if (ik_input_parse(&program, &input, arguments, &answer)) {
		check_arguments(arguments);
		check_again(arguments, &answer);
	} else {
		check_answer(&answer);
	}
	ik_input_free(&program, arguments);
	ik_buf_done(&answer.text);
	ik_buf_done(&answer.held);
	ik_buf_done(&input);
	return 0;
}
