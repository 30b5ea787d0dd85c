#include "json/schema.h"
#include "util/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static struct ik_json_span parse(const char *text)
{
	struct ik_error error = { .text = "" };
	struct ik_json_span json;

	cr_assert_eq(ik_json_check(text, strlen(text), &json, &error), IK_OK, "%s: %s", text, error.text);
	return json;
}

/* Expect a value to be valid (sentence NULL), or to be refused with that sentence. */
static void expect(const char *schema_text, const char *value_text, const char *sentence)
{
	struct ik_json_span schema = parse(schema_text), value = parse(value_text);
	struct ik_error error = { .text = "" };
	enum ik_status status = ik_schema_validate(schema, schema, value, &error);

	cr_assert_eq(status, sentence ? IK_INVALID : IK_OK, "%s, %s: %s", schema_text, value_text, error.text);
	if (sentence)
		cr_assert_str_eq(error.text, sentence);
	cr_assert_eq(ik_schema_validate(schema, schema, value, NULL), status);
}

Test(validate, sentences_name_place_value_and_what_is_wanted)
{
	const char *edits = "{\"type\":\"object\",\"properties\":{\"edits\":{\"type\":\"array\",\"items\":"
		"{\"type\":\"object\",\"properties\":{\"line\":{\"type\":\"integer\",\"minimum\":1}},\"required\":[\"line\"],"
		"\"additionalProperties\":false}}},\"required\":[\"edits\"]}";

	expect(edits, "{\"edits\":[{\"line\":1}]}", NULL);
	expect(edits, "{\"edits\":[{\"line\":1},{\"line\":\"x\"}]}",
		"/edits/1/line: is \"x\", but must be a whole number");
	expect(edits, "{\"edits\":[{\"line\":0}]}", "/edits/0/line: is 0, but must be at least 1");
	expect(edits, "{\"edits\":[{}]}", "/edits/0: the member \"line\" is missing");
	expect(edits, "{}", "the member \"edits\" is missing");
	expect(edits, "[]", "is an array, but must be an object");
	expect(edits, "{\"edits\":[{\"line\":1,\"lnie\":2}]}",
		"/edits/0: the member \"lnie\" is unknown; did you mean \"line\"?");
	expect(edits, "{\"edits\":[{\"line\":1,\"other\":2}]}", "/edits/0: the member \"other\" is unknown");
	expect("{\"type\":[\"string\",\"null\"]}", "5", "is 5, but must be a string or null");
	expect("{\"enum\":[\"a\",1,[]]}", "\"b\"", "must be one of: \"a\", 1, an array");
	expect("{\"pattern\":\"^a+$\"}", "\"b\"", "is \"b\", but must be a string that matches the pattern \"^a+$\"");
	expect("{\"const\":3}", "4", "is 4, but must be 3");
	expect("false", "1", "nothing is allowed here");
}

Test(validate, alternatives_tell_the_nearest)
{
	const char *schema = "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"object\",\"properties\":"
		"{\"a\":{\"type\":\"integer\"}}}]}";

	expect(schema, "\"x\"", NULL);
	expect(schema, "{\"a\":1}", NULL);
	expect(schema, "{\"a\":\"x\"}", "/a: is \"x\", but must be a whole number");
	expect(schema, "5", "fits none of 2 alternatives; the first: is 5, but must be a string");
	expect("{\"oneOf\":[{\"minimum\":1},{\"minimum\":2}]}", "1", NULL);
	expect("{\"oneOf\":[{\"minimum\":1},{\"minimum\":2}]}", "3",
		"fits more than one of 2 alternatives; exactly one must fit");
}

Test(validate, numbers_are_exact)
{
	expect("{\"maximum\":9007199254740992}", "9007199254740993",
		"is 9007199254740993, but must be at most 9007199254740992");
	expect("{\"const\":9007199254740993}", "9007199254740992", "is 9007199254740992, but must be 9007199254740993");
	expect("{\"multipleOf\":0.01}", "19.99", NULL);
	expect("{\"multipleOf\":0.01}", "19.999", "is 19.999, but must be a multiple of 0.01");
	expect("{\"type\":\"integer\"}", "1e3", NULL);
	expect("{\"type\":\"integer\"}", "1.0", NULL);
	expect("{\"type\":\"integer\"}", "1e400", NULL);
	expect("{\"type\":\"integer\"}", "1e-1", "is 1e-1, but must be a whole number");
	expect("{\"maximum\":1e400}", "1e401", "is 1e401, but must be at most 1e400");
	expect("{\"minimum\":1,\"exclusiveMinimum\":true}", "1", "is 1, but must be more than 1");
}

Test(validate, strings_are_counted_in_characters)
{
	expect("{\"maxLength\":2}", "\"\xf0\x9f\x98\x80\xc3\xa9\"", NULL);
	expect("{\"minLength\":2}", "\"\xf0\x9f\x98\x80\"",
		"is \"\xf0\x9f\x98\x80\", but must be at least 2 characters long");
	expect("{\"maxLength\":3,\"minLength\":3}", "\"a\\u0000b\"", NULL);
	expect("{\"maxLength\":-9223372036854775808}", "\"\"",
		"is \"\", but must be at most -9223372036854775808 characters long");
}

Test(validate, patterns)
{
	expect("{\"pattern\":\"b\"}", "\"abc\"", NULL);
	expect("{\"pattern\":\"^\\\\w+$\"}", "\"abc\\n\"",
		"is \"abc\\n\", but must be a string that matches the pattern \"^\\\\w+$\"");
	expect("{\"pattern\":\"^\\\\s[\\\\s]$\"}", "\"\\u00a0\\ufeff\"", NULL);
	expect("{\"pattern\":\"^\\\\S$\"}", "\"\\u00a0\"",
		"is \"\xc2\xa0\", but must be a string that matches the pattern \"^\\\\S$\"");
	expect("{\"pattern\":\"^\\\\u00e9.$\"}", "\"\xc3\xa9\xf0\x9f\x98\x80\"", NULL);
	expect("{\"pattern\":\"^a\\\\0b$\"}", "\"a\\u0000b\"", NULL);
	expect("{\"pattern\":\"(unclosed\"}", "\"x\"", NULL);
	expect("{\"pattern\":\"^[^]$\"}", "\"x\"", NULL);
	/* Exponential: the limit is reached, nobody is refused. */
	expect("{\"pattern\":\"^(a|a|aa)+$\"}", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"", NULL);
	expect("{\"patternProperties\":{\"^x\":{\"type\":\"null\"}},\"additionalProperties\":false}", "{\"x1\":null}", NULL);
	expect("{\"patternProperties\":{\"(unclosed\":{}},\"additionalProperties\":false}", "{\"x1\":null}", NULL);
}

Test(validate, keywords_of_2020_12)
{
	const char *tuple = "{\"prefixItems\":[{\"type\":\"string\"}],\"items\":{\"type\":\"null\"}}";

	expect(tuple, "[\"a\",null,null]", NULL);
	expect(tuple, "[1]", "/0: is 1, but must be a string");
	expect(tuple, "[\"a\",1]", "/1: is 1, but must be null");
	expect("{\"prefixItems\":[true],\"items\":false}", "[1,2]", "/1: nothing is allowed here");
	expect("{\"contains\":{\"const\":1},\"minContains\":2}", "[1,2,1]", NULL);
	expect("{\"contains\":{\"const\":1},\"maxContains\":1}", "[1,2,1]",
		"2 elements are as `contains` wants them, which are too many");
	expect("{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}", "the member \"b\" is missing");
	expect("{\"$ref\":\"#/$defs/x\",\"minimum\":5,\"$defs\":{\"x\":{\"type\":\"integer\"}}}", "1",
		"is 1, but must be at least 5");
	expect("{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"$ref\":\"#/$defs/x\",\"minimum\":5,"
		"\"$defs\":{\"x\":{\"type\":\"integer\"}}}", "1", NULL);
	expect("{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":1},\"else\":{\"minimum\":1}}", "0",
		"is 0, but must be at least 1");
}

Test(validate, references_that_lead_nowhere_are_accepted)
{
	expect("{\"$ref\":\"#/$defs/none\"}", "1", NULL);
	expect("{\"$ref\":\"http://example.invalid/x\"}", "1", NULL);
	expect("{\"$ref\":\"#/\"}", "1", NULL);
	expect("{\"$ref\":5}", "1", NULL);
}

Test(validate, endless_schemas_end)
{
	expect("{\"$ref\":\"#\"}", "1", NULL);
	expect("{\"not\":{\"$ref\":\"#\"}}", "1", NULL);
	expect("{\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}", "1", NULL);
	expect("{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}],\"type\":\"string\"}", "1", NULL);
	expect("{\"items\":{\"$ref\":\"#\"},\"maxItems\":1}", "[[[[1,2]]]]", "/0/0/0: is an array, but must be a list of at most 1");
}

Test(validate, references_are_relative_to_the_schema_with_an_id)
{
	const char *inner = "{\"properties\":{\"a\":{\"$id\":\"inner\",\"$ref\":\"#/$defs/x\","
		"\"$defs\":{\"x\":{\"type\":\"string\"}}},\"b\":{\"$ref\":\"#/$defs/x\"}},"
		"\"$defs\":{\"x\":{\"type\":\"null\"}}}";

	expect(inner, "{\"a\":\"text\",\"b\":null}", NULL);
	expect(inner, "{\"a\":null}", "/a: is null, but must be a string");
	expect(inner, "{\"b\":\"text\"}", "/b: is \"text\", but must be null");
	/* A fragment is only an anchor, and what is beside $ref does not count in old drafts. */
	expect("{\"items\":{\"$id\":\"#here\",\"allOf\":[{\"$ref\":\"#/$defs/x\"}]},"
		"\"$defs\":{\"x\":{\"type\":\"null\"}}}", "[1]", "/0: is 1, but must be null");
	expect("{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"items\":{\"$id\":\"y\","
		"\"$ref\":\"#/$defs/x\"},\"$defs\":{\"x\":{\"type\":\"null\"}}}", "[1]",
		"/0: is 1, but must be null");
	expect("{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"items\":{\"id\":\"y\","
		"\"allOf\":[{\"$ref\":\"#/x\"}],\"x\":{\"type\":\"null\"}}}", "[1]",
		"/0: is 1, but must be null");
}

/* A hundred thousand strings: compiled each time, the pattern alone would take longer. */
Test(validate, a_pattern_is_compiled_once, .timeout = 10)
{
	struct ik_buf list;

	ik_buf_init(&list, IK_MIB(4));
	ik_buf_putc(&list, '[');
	for (int i = 0; i < 100000; i++)
		ik_buf_printf(&list, "%s\"word-%d\"", i > 0 ? "," : "", i);
	ik_buf_putc(&list, ']');
	expect("{\"items\":{\"pattern\":\"^(?:a{1,50}|b{1,50}|c{1,50}|word)-[0-9]{1,50}$\"}}", list.data,
		NULL);
	ik_buf_done(&list);
}

Test(validate, long_values_are_cut_in_sentences)
{
	char value[5000] = "\"", *at = value + 1;
	struct ik_json_span schema = parse("{\"type\":\"null\"}");
	struct ik_error error;

	for (int i = 0; i < 1000; i++)
		at += sprintf(at, "\xe2\x82\xac");
	sprintf(at, "\"");
	cr_assert_eq(ik_schema_validate(schema, schema, parse(value), &error), IK_INVALID);
	cr_assert_lt(strlen(error.text), 200);
	cr_assert_not_null(strstr(error.text, "\xe2\x82\xac\"\xe2\x80\xa6, but must be null"), "%s", error.text);
	/* Two bytes a character do not fit in evenly. */
	memcpy(value, "\"x\xc3\xa9", 4);
	for (at = value + 4; at < value + 200; at += 2)
		memcpy(at, "\xc3\xa9", 2);
	strcpy(at, "\"");
	cr_assert_eq(ik_schema_validate(schema, schema, parse(value), &error), IK_INVALID);
	cr_assert_not_null(strstr(error.text, "\xc3\xa9\"\xe2\x80\xa6, but"), "%s", error.text);
}

Test(validate, work_is_bounded)
{
	struct ik_json_span schema = parse("{\"uniqueItems\":true}");
	struct ik_buf list;

	ik_buf_init(&list, IK_MIB(4));
	ik_buf_putc(&list, '[');
	for (int i = 0; i < 100000; i++)
		ik_buf_printf(&list, "%s%d", i > 0 ? "," : "", i);
	ik_buf_putc(&list, ']');
	cr_assert_eq(ik_schema_validate(schema, schema, parse(list.data), NULL), IK_OK);
	ik_buf_done(&list);
}

/* What is not judged is accepted, also where fitting would count against the value. */
Test(validate, what_is_not_judged_never_refuses)
{
#define UNKNOWN "{\"unevaluatedProperties\":false}"
	const char *schemas[] = {
		"{\"not\":" UNKNOWN "}",
		"{\"oneOf\":[" UNKNOWN ",{\"type\":\"object\"}]}",
		"{\"oneOf\":[{\"$ref\":\"https://example.org/x\"},{\"type\":\"string\"}]}",
		"{\"if\":" UNKNOWN ",\"then\":false}",
		"{\"if\":" UNKNOWN ",\"then\":false,\"else\":true}",
		"{\"not\":{\"not\":{\"not\":" UNKNOWN "}}}",
		"{\"not\":{\"$ref\":\"#/nowhere\"}}",
		"{\"not\":{\"properties\":{\"a\":{\"pattern\":\"(\"}}}}",
	};
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++)
		expect(schemas[i], "{\"a\":\"x\"}", NULL);
	expect("{\"contains\":{\"$dynamicRef\":\"#a\"},\"maxContains\":1}", "[1,2]", NULL);
	/* What can be judged beside it still is. */
	expect("{\"type\":\"array\",\"unevaluatedItems\":false}", "1", "is 1, but must be an array");
	expect("{\"if\":{\"$ref\":\"https://example.org/x\"},\"then\":false,\"else\":false}", "1",
		"nothing is allowed here");
	expect("{\"oneOf\":[{\"unevaluatedItems\":false},{\"type\":\"integer\"},{\"minimum\":0}]}", "1",
		"fits more than one of 3 alternatives; exactly one must fit");
}
