#include <criterion/criterion.h>
#include <string.h>

#include "tui/parameter_text.h"
#include "util/limits.h"

/* What the words for a schema are. */
static void says(const char *schema, bool values, const char *expected)
{
	struct ik_json_span span;
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(4));
	cr_assert_eq(ik_json_check(schema, strlen(schema), &span, NULL), IK_OK, "%s", schema);
	ik_parameter_put_type(&out, span, values);
	cr_assert_str_eq(out.data, expected, "%s", schema);
	ik_buf_done(&out);
}

Test(parameter_text, names_types_values_and_bounds)
{
	says("{\"type\":\"string\"}", true, "string");
	says("{\"type\":[\"string\",\"null\"]}", true, "string | null");
	says("{\"type\":\"string\",\"enum\":[\"red\",\"green\"]}", true, "\"red\" | \"green\"");
	says("{\"type\":\"string\",\"enum\":[\"red\",\"green\"]}", false, "string");
	says("{\"enum\":[1,null,true]}", true, "1 | null | true");
	says("{\"const\":\"only\"}", true, "\"only\"");
	says("{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}", true, "integer[]");
	says("{\"type\":\"array\"}", true, "array");
	says("{\"type\":\"integer\",\"minimum\":1,\"maximum\":10}", true, "integer 1..10");
	says("{\"type\":\"number\",\"exclusiveMinimum\":0}", true, "number > 0");
	says("{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"integer\",\"minimum\":2}]}", true,
		"string | integer >= 2");
	says("{\"anyOf\":[{\"type\":\"null\"},{\"enum\":[\"a\"]}]}", true, "null | \"a\"");
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
