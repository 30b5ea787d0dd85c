#include "tools/common/input.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#include "json/scan.h"

/* Limit on a wrong value in a message. */
#define SHOWN_MAX 60

enum ik_status ik_input_read(int fd, struct ik_buf *input, struct ik_error *error)
{
	ik_buf_init(input, IK_LIMIT_TOOL_INPUT);
	int number = ik_read_all(fd, input, 0);

	return number != 0 ? ik_error_set_errno(error, number, "stdin cannot be read")
					   : ik_buf_check(input, "the input", error);
}

/* Append a sentence with the parameters: "... file_path, offset (optional)". */
static void list_parameters(const struct ik_program *program, struct ik_buf *out)
{
	ik_buf_puts(out,
		program->parameter_count == 1 ? "The only parameter is " : "The parameters are ");
	for (size_t i = 0; i < program->parameter_count; i++) {
		if (i > 0)
			ik_buf_puts(out, ", ");
		ik_buf_puts(out, program->parameters[i].name);
		if (!program->parameters[i].required)
			ik_buf_puts(out, " (optional)");
	}
	ik_buf_putc(out, '.');
}

/* Append a value as given, shortened. */
static void show_value(struct ik_json_span value, struct ik_buf *out)
{
	enum ik_json_type type = ik_json_span_type(value);

	if (type == IK_JSON_OBJECT || type == IK_JSON_ARRAY) {
		ik_buf_printf(out, "an %s", ik_json_type_name(type));
		return;
	}
	ik_buf_append(out, value.text, ik_utf8_cut(value.text, value.length, SHOWN_MAX));
	if (value.length > SHOWN_MAX)
		ik_buf_puts(out, "…");
}

/* Answer that a parameter has a value of the wrong type. */
static void refuse_value(const struct ik_parameter *parameter, struct ik_json_span value,
	struct ik_tool_answer *answer)
{
	struct ik_buf shown;

	ik_buf_init(&shown, IK_KIB(4));
	show_value(value, &shown);
	ik_answer_error(answer, "INVALID_ARG",
		!parameter->required && ik_json_span_type(value) == IK_JSON_NULL ? "Leave it out instead."
																		 : NULL,
		"%s must be %s, but is %s", parameter->name, ik_parameter_kinds[parameter->type].words,
		shown.data);
	ik_buf_done(&shown);
}

/* Do the letters of part occur in whole in this order, as those of "cmd" do in "command"? */
static bool abbreviates(const char *part, const char *whole)
{
	for (; *part != '\0'; part++, whole++) {
		whole = strchr(whole, *part);
		if (!whole)
			return false;
	}
	return true;
}

/* Return the parameter that name probably means; NULL unless exactly one fits. */
static const char *nearest_parameter(const char *name, const char *const *names, size_t count)
{
	const char *nearest = ik_text_nearest(name, names, count);
	size_t found = 0;

	if (nearest || strlen(name) < 3)
		return nearest;
	for (size_t i = 0; i < count; i++)
		if (abbreviates(name, names[i])) {
			nearest = names[i];
			found++;
		}
	return found == 1 ? nearest : NULL;
}

/* Answer that no parameter has that name. */
static void refuse_name(const struct ik_program *program, struct ik_json_span key,
	struct ik_tool_answer *answer)
{
	const char *names[IK_PARAMETERS_MAX];
	struct ik_buf known;
	char *name = ik_json_string_new(key, NULL);

	for (size_t i = 0; i < program->parameter_count; i++)
		names[i] = program->parameters[i].name;
	ik_buf_init(&known, IK_KIB(4));
	const char *nearest = nearest_parameter(name, names, program->parameter_count);

	if (nearest)
		ik_buf_printf(&known, "Did you mean %s? ", nearest);
	list_parameters(program, &known);
	ik_answer_error(answer, "INVALID_ARG", known.data, "unknown parameter: %.*s",
		(int)ik_utf8_cut(name, strlen(name), SHOWN_MAX), name);
	ik_buf_done(&known);
	free(name);
}

/* Read one value; false if it is not what the parameter must be. */
static bool argument_set(const struct ik_parameter *parameter, struct ik_json_span value,
	struct ik_argument *argument)
{
	argument->given = true;
	switch (parameter->type) {
	case IK_PARAMETER_STRING:
	case IK_PARAMETER_NAME:
		if (ik_json_span_type(value) != IK_JSON_STRING)
			return false;
		argument->text = ik_json_string_new(value, &argument->length);
		if (!argument->text)
			ik_alloc_fail();
		return true;
	case IK_PARAMETER_COUNT:
		return ik_json_integer(value, &argument->number) && argument->number >= 1;
	case IK_PARAMETER_NUMBER:
		return ik_json_integer(value, &argument->number) && argument->number >= 0;
	case IK_PARAMETER_BOOLEAN:
		return ik_json_bool(value, &argument->truth);
	}
	return false;
}

/* Return the index of a member's parameter, or the count if there is none. */
static size_t find_parameter(const struct ik_program *program, struct ik_json_span key)
{
	size_t i = 0;

	while (i < program->parameter_count && !ik_json_string_is(key, program->parameters[i].name))
		i++;
	return i;
}

static bool take_members(const struct ik_program *program, struct ik_json_span object,
	struct ik_argument *arguments, struct ik_tool_answer *answer)
{
	for (struct ik_json_walk walk = ik_json_walk(object); ik_json_next(&walk);) {
		size_t i = find_parameter(program, walk.key);
		const struct ik_parameter *parameter = &program->parameters[i];

		if (i == program->parameter_count) {
			refuse_name(program, walk.key, answer);
			return false;
		}
		if (arguments[i].given) {
			/* Parsers differ in which of two equal members they use. */
			ik_answer_error(answer, "INVALID_ARG", NULL, "%s is given more than once",
				parameter->name);
			return false;
		}
		if (!argument_set(parameter, walk.value, &arguments[i])) {
			refuse_value(parameter, walk.value, answer);
			return false;
		}
		if (parameter->type == IK_PARAMETER_NAME &&
			strlen(arguments[i].text) != arguments[i].length) {
			ik_answer_error(answer, "INVALID_ARG", NULL, "%s must not contain a NUL character",
				parameter->name);
			return false;
		}
	}
	return true;
}

bool ik_input_parse(const struct ik_program *program, const struct ik_buf *input,
	struct ik_argument *arguments, struct ik_tool_answer *answer)
{
	struct ik_json_span object;
	struct ik_error error;
	struct ik_buf known;
	bool is_object = false;

	ik_buf_init(&known, IK_KIB(4));
	list_parameters(program, &known);
	ik_buf_printf(&known, " For example: %s", program->example);
	if (strspn(input->data, " \t\r\n") == input->length)
		ik_answer_error(answer, "INVALID_ARG", known.data,
			"the input must be a JSON object, but is empty");
	else if (ik_json_check(input->data, input->length, &object, &error) != IK_OK)
		ik_answer_error(answer, "INVALID_ARG", known.data,
			"the input must be a JSON object, but is no valid JSON: %s", error.text);
	else if (ik_json_span_type(object) != IK_JSON_OBJECT)
		ik_answer_error(answer, "INVALID_ARG", known.data,
			"the input must be a JSON object, but is of type %s",
			ik_json_type_name(ik_json_span_type(object)));
	else
		is_object = true;
	ik_buf_done(&known);
	if (!is_object || !take_members(program, object, arguments, answer))
		return false;
	for (size_t i = 0; i < program->parameter_count; i++)
		if (program->parameters[i].required && !arguments[i].given) {
			ik_answer_error(answer, "INVALID_ARG", NULL, "%s is missing, it must be %s",
				program->parameters[i].name, ik_parameter_kinds[program->parameters[i].type].words);
			return false;
		}
	return true;
}

void ik_input_free(const struct ik_program *program, struct ik_argument *arguments)
{
	for (size_t i = 0; i < program->parameter_count; i++)
		free(arguments[i].text);
}
