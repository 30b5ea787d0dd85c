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
static void says(const char *schema, bool values, const char *expected)
{
	struct ik_json_span span;
	struct ik_parameter_values parameter;
	cr_assert_eq(ik_json_check(schema, strlen(schema), &span, NULL), IK_OK, "%s", schema);
	struct ik_parameter_root root = {.schema = whole(span)};
	ik_parameter_read(&parameter, &root, span, values);
	cr_assert_str_eq(parameter.type, expected, "%s", schema);
	ik_parameter_done(&parameter);
}

Test(parameter_text, names_types_values_and_bounds)
{
	says("{\"type\":\"string\"}", true, "string");
	says("{\"type\":[\"string\",\"null\"]}", true, "string | null");
	says("{\"type\":\"string\",\"enum\":[\"red\",\"green\"]}", true, "\"red\" | \"green\"");
	says("{\"type\":\"string\",\"enum\":[\"red\",\"green\"]}", false, "string");
	says("{\"type\":\"integer\",\"enum\":[1,2]}", false, "integer");
	says("{\"enum\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}", false, "number");
	says("{\"type\":[\"integer\",\"null\"],\"minimum\":1}", true, "integer >= 1 | null");
	says("{\"enum\":[1,null,true]}", true, "1 | null | true");
	says("{\"enum\":[1,null,2]}", false, "number | null");
	says("{\"const\":\"only\"}", false, "string");
	says("{\"const\":\"only\"}", true, "\"only\"");
	says("{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}", true, "integer[]");
	says("{\"type\":\"array\"}", true, "array");
	says("{\"type\":\"integer\",\"minimum\":1,\"maximum\":10}", true, "integer 1..10");
	says("{\"type\":\"number\",\"exclusiveMinimum\":0}", true, "number > 0");
	says("{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"integer\",\"minimum\":2}]}", true,
		"string | integer >= 2");
	says("{\"anyOf\":[{\"type\":\"null\"},{\"enum\":[\"a\"]}]}", true, "null | \"a\"");
	says("{\"anyOf\":[{\"type\":\"string\",\"format\":\"uri\"},{\"type\":\"string\"},{\"type\":\"null\"}]}",
		true, "string | null");
}

Test(parameter_text, says_any_where_there_are_no_few_words)
{
	says("{}", true, "any type");
	says("true", true, "any type");
	says("{\"$ref\":\"#/$defs/x\"}", true, "any type");
	says("{\"anyOf\":[{\"type\":\"null\"},{}]}", true, "any type");
	says("{\"type\":[]}", true, "any type");
	says("{\"type\":7,\"enum\":5}", true, "any type");
	says("{\"enum\":[1,2,3,4,5,6,7,8,9,10,11,12,13]}", true,
		"1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | ...");
}

Test(parameter_text, follows_references)
{
	says("{\"$ref\":\"#/$defs/a~1b%20%3C1%3E\"}", true, "\"red\" | \"green\"");
	says("{\"$ref\":\"#/$defs/a~1b%20%3C1%3E\"}", false, "string");
	says("{\"anyOf\":[{\"$ref\":\"#/$defs/point\"},{\"type\":\"null\"}]}", true, "object | null");
	says("{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/other\"}}", true, "object[]");
	says("{\"allOf\":[{\"$ref\":\"#/$defs/list/0\"}],\"description\":\"d\"}", true, "integer");
	says("{\"$ref\":\"#/$defs/list/1\"}", true, "any type");
	says("{\"$ref\":\"elsewhere.json#/$defs/point\"}", true, "any type");
	says("{\"$ref\":7}", true, "any type");
}

Test(parameter_text, ends_where_references_lead_in_circles)
{
	says("{\"$ref\":\"#/$defs/circle\"}", true, "any type");
	says("{\"$ref\":\"#/$defs/more\"}", true, "any type");
}
