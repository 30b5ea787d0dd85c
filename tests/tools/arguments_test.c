/* Every parameter of every tool: missing, mistyped, unknown, twice, with a NUL. */
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/tools/support.h"

/* What a parameter accepts, and a harmless value. */
enum kind { NAME, TEXT, COUNT, FLAG };
struct parameter {
	const char *name;
	enum kind kind;
	bool required;
	const char *value;
};

struct tool {
	const char *name;
	struct parameter parameters[4];
};

static const struct tool tools[] = {
	{ "bash", { { "command", NAME, true, "\"touch ran\"" } } },
	{ "file-read", { { "file_path", NAME, true, "\"a\"" }, { "offset", COUNT, false, "1" },
		{ "limit", COUNT, false, "1" } } },
	{ "file-write", { { "file_path", NAME, true, "\"ran\"" }, { "content", TEXT, true, "\"x\"" } } },
	{ "file-edit", { { "file_path", NAME, true, "\"a\"" }, { "old_string", TEXT, true, "\"text\"" },
		{ "new_string", TEXT, true, "\"x\"" }, { "replace_all", FLAG, false, "true" } } },
	{ "glob", { { "pattern", NAME, true, "\"*\"" }, { "path", NAME, false, "\".\"" } } },
	{ "grep", { { "pattern", NAME, true, "\"x\"" }, { "glob", NAME, false, "\"*\"" },
		{ "path", NAME, false, "\".\"" } } },
};
#define TOOL_COUNT (sizeof(tools) / sizeof(tools[0]))

static const char *const wanted[] = { "a string", "a string", "an integer of at least 1",
	"true or false" };

static size_t count_of(const struct tool *tool)
{
	size_t count = 0;

	while (count < 4 && tool->parameters[count].name != NULL)
		count++;
	return count;
}

/* Make the input with every parameter, the one with that index having another value (NULL:
 * missing), and extra members after them. */
static void make_input(struct ik_buf *input, const struct tool *tool, size_t index,
	const char *value, const char *more)
{
	ik_buf_clear(input);
	for (size_t i = 0; i < count_of(tool); i++) {
		const char *given = i == index ? value : tool->parameters[i].value;

		if (given != NULL)
			ik_buf_printf(input, "%s\"%s\":%s", input->length > 0 ? "," : "",
				tool->parameters[i].name, given);
	}
	ik_buf_insert(input, 0, "{", 1);
	ik_buf_puts(input, more);
	ik_buf_puts(input, "}");
}

/* Expect a refusal, and that nothing was done. */
static struct reply refused(const struct tool *tool, const struct ik_buf *input)
{
	struct reply reply = call_run(&(struct call){ .tool = tool->name, .input = input->data });

	cr_assert_eq(reply.status, 0);
	cr_assert_not_null(reply.json.text, "%s: %s", input->data, reply.out.data);
	cr_assert_neq(access("ran", F_OK), 0, "%s was obeyed", input->data);
	expect_text("a", "text");
	return reply;
}

static void make_example(void)
{
	scratch_enter();
	make_text("a", "text");
}

TestSuite(arguments, .init = make_example, .fini = scratch_leave, .timeout = 120);

Test(arguments, missing)
{
	struct ik_buf input;

	ik_buf_init(&input, 10000);
	for (size_t i = 0; i < TOOL_COUNT; i++)
		for (size_t j = 0; j < count_of(&tools[i]); j++) {
			if (!tools[i].parameters[j].required)
				continue;
			make_input(&input, &tools[i], j, NULL, "");
			expect_error(refused(&tools[i], &input), "INVALID_ARG",
				"%s is missing, it must be a string", tools[i].parameters[j].name);
		}
	ik_buf_done(&input);
}

Test(arguments, of_the_wrong_type)
{
	static const struct {
		const char *value, *shown;
		unsigned fits; /* bits: kinds that accept it */
	} values[] = {
		{ "null", "null", 0 }, { "true", "true", 1 << FLAG }, { "3", "3", 1 << COUNT },
		{ "\"3\"", "\"3\"", 1 << NAME | 1 << TEXT }, { "1.5", "1.5", 0 }, { "0", "0", 0 },
		{ "-1", "-1", 0 }, { "1e30", "1e30", 0 }, { "[]", "an array", 0 },
		{ "{\"a\":1}", "an object", 0 },
	};
	struct ik_buf input;

	ik_buf_init(&input, 10000);
	for (size_t i = 0; i < TOOL_COUNT; i++)
		for (size_t j = 0; j < count_of(&tools[i]); j++)
			for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
				const struct parameter *parameter = &tools[i].parameters[j];

				if ((values[k].fits >> parameter->kind & 1) != 0)
					continue;
				make_input(&input, &tools[i], j, values[k].value, "");
				expect_error(refused(&tools[i], &input), "INVALID_ARG",
					"%s must be %s, but is %s", parameter->name, wanted[parameter->kind],
					values[k].shown);
			}
	ik_buf_done(&input);
}

Test(arguments, unknown_or_twice)
{
	struct ik_buf input, more;

	ik_buf_init(&input, 10000);
	ik_buf_init(&more, 10000);
	for (size_t i = 0; i < TOOL_COUNT; i++) {
		make_input(&input, &tools[i], 4, NULL, ",\"Timeout\":1");
		expect_error(refused(&tools[i], &input), "INVALID_ARG", "unknown parameter: Timeout");
		make_input(&input, &tools[i], 4, NULL, ",\"\":1");
		expect_error(refused(&tools[i], &input), "INVALID_ARG", "unknown parameter: ");
		for (size_t j = 0; j < count_of(&tools[i]); j++) {
			const struct parameter *parameter = &tools[i].parameters[j];

			ik_buf_clear(&more);
			ik_buf_printf(&more, ",\"%s\":%s", parameter->name, parameter->value);
			make_input(&input, &tools[i], 4, NULL, more.data);
			expect_error(refused(&tools[i], &input), "INVALID_ARG",
				"%s is given more than once", parameter->name);
		}
	}
	ik_buf_done(&input);
	ik_buf_done(&more);
}

Test(arguments, with_a_nul)
{
	struct ik_buf input;

	ik_buf_init(&input, 10000);
	for (size_t i = 0; i < TOOL_COUNT; i++)
		for (size_t j = 0; j < count_of(&tools[i]); j++) {
			if (tools[i].parameters[j].kind != NAME)
				continue;
			make_input(&input, &tools[i], j, "\"a\\u0000b\"", "");
			expect_error(refused(&tools[i], &input), "INVALID_ARG",
				"%s must not contain a NUL character", tools[i].parameters[j].name);
		}
	ik_buf_done(&input);
}

Test(arguments, no_arguments_on_the_command_line)
{
	for (size_t i = 0; i < TOOL_COUNT; i++) {
		struct reply reply = call_run(&(struct call){ .tool = tools[i].name, .option = "a" });

		cr_assert_eq(reply.status, 2);
		cr_assert_eq(reply.out.length, 0);
		cr_assert_not_null(strstr(reply.err.data, "unexpected argument 'a'"));
		reply_free(&reply);
	}
}
