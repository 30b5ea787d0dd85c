#include <criterion/criterion.h>
#include <string.h>

#include "tui/pane/parameter.h"
#include "util/limits.h"

/* The schema in which the references of a test begin. */
static struct ik_json_span whole(struct ik_json_span schema)
{
	static const char text[] = "{\"$defs\":{\"a/b <1>\":{\"enum\":[\"red\",\"green\"]},"
		"\"point\":{\"type\":\"object\"},\"circle\":{\"$ref\":\"#/$defs/circle\"},"
		"\"more\":{\"anyOf\":[{\"$ref\":\"#/$defs/more\"},{\"$ref\":\"#/$defs/more\"}]},"
		"\"list\":[{\"type\":\"integer\"}],\"other\":{\"allOf\":[{\"$ref\":\"#/$defs/point\"}]}}}";
	struct ik_json_span span = schema;
	cr_assert_eq(ik_json_check(text, strlen(text), &span, NULL), IK_OK);
	return span;
}

/* What the words for a schema are. */
static void says(const char *schema, bool form, const char *expected)
{
	struct ik_json_span span;
	struct ik_parameter_values parameter;
	cr_assert_eq(ik_json_check(schema, strlen(schema), &span, NULL), IK_OK, "%s", schema);
	struct ik_parameter_root root = {.schema = whole(span)};
	ik_parameter_read(&parameter, &root, span, form);
	cr_assert_str_eq(parameter.type, expected, "%s", schema);
	ik_parameter_done(&parameter);
}

Test(parameter_text, names_types_values_and_bounds)
{
	says("{\"type\":\"string\"}", false, "string");
	says("{\"type\":[\"string\",\"null\"]}", false, "string | null");
	says("{\"type\":\"string\",\"enum\":[\"red\",\"green\"]}", false, "\"red\" | \"green\"");
	says("{\"type\":\"string\",\"enum\":[\"red\",\"green\"]}", true, "text");
	says("{\"type\":\"integer\",\"enum\":[1,2]}", true, "whole number");
	says("{\"enum\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}", true, "number");
	says("{\"type\":[\"integer\",\"null\"],\"minimum\":1}", false, "integer >= 1 | null");
	says("{\"enum\":[1,null,true]}", false, "1 | null | true");
	says("{\"enum\":[1,null,2]}", true, "number or null");
	says("{\"const\":\"only\"}", true, "text");
	says("{\"const\":\"only\"}", false, "\"only\"");
	says("{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}", false, "integer[]");
	says("{\"type\":\"array\"}", false, "array");
	says("{\"type\":\"integer\",\"minimum\":1,\"maximum\":10}", false, "integer 1..10");
	says("{\"type\":\"number\",\"exclusiveMinimum\":0}", false, "number > 0");
	says("{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"integer\",\"minimum\":2}]}", false,
		"string | integer >= 2");
	says("{\"anyOf\":[{\"type\":\"null\"},{\"enum\":[\"a\"]}]}", false, "null | \"a\"");
	says("{\"anyOf\":[{\"type\":\"string\",\"format\":\"uri\"},{\"type\":\"string\"},{\"type\":\"null\"}]}",
		false, "string | null");
}

/* In words that a form shows to people. */
Test(parameter_text, speaks_plainly_in_a_form)
{
	says("{\"type\":[\"string\",\"null\"]}", true, "text or null");
	says("{\"type\":[\"integer\",\"null\"],\"minimum\":1}", true, "whole number, at least 1 or null");
	says("{\"type\":\"integer\",\"minimum\":1,\"maximum\":10}", true, "whole number from 1 to 10");
	says("{\"type\":\"number\",\"exclusiveMinimum\":0}", true, "number, more than 0");
	says("{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}", true, "list of whole numbers");
	says("{\"type\":\"array\"}", true, "list");
	says("{\"type\":\"boolean\"}", true, "true or false");
}

Test(parameter_text, says_any_where_there_are_no_few_words)
{
	says("{}", false, "any type");
	says("true", false, "any type");
	says("{\"$ref\":\"#/$defs/x\"}", false, "any type");
	says("{\"anyOf\":[{\"type\":\"null\"},{}]}", false, "any type");
	says("{\"type\":[]}", false, "any type");
	says("{\"type\":7,\"enum\":5}", false, "any type");
	says("{\"enum\":[1,2,3,4,5,6,7,8,9,10,11,12,13]}", false,
		"1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | ...");
}

Test(parameter_text, follows_references)
{
	says("{\"$ref\":\"#/$defs/a~1b%20%3C1%3E\"}", false, "\"red\" | \"green\"");
	says("{\"$ref\":\"#/$defs/a~1b%20%3C1%3E\"}", true, "text");
	says("{\"anyOf\":[{\"$ref\":\"#/$defs/point\"},{\"type\":\"null\"}]}", false, "object | null");
	says("{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/other\"}}", false, "object[]");
	says("{\"allOf\":[{\"$ref\":\"#/$defs/list/0\"}],\"description\":\"d\"}", false, "integer");
	says("{\"$ref\":\"#/$defs/list/1\"}", false, "any type");
	says("{\"$ref\":\"elsewhere.json#/$defs/point\"}", false, "any type");
	says("{\"$ref\":7}", false, "any type");
}

Test(parameter_text, ends_where_references_lead_in_circles)
{
	says("{\"$ref\":\"#/$defs/circle\"}", false, "any type");
	says("{\"$ref\":\"#/$defs/more\"}", false, "any type");
}
