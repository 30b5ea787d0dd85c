#include "json/schema.h"

#include <string.h>

#include <criterion/criterion.h>

#include "util/limits.h"

static struct ik_json_span parse(const char *text)
{
	struct ik_error error = { .text = "" };
	struct ik_json_span json;

	cr_assert_eq(ik_json_check(text, strlen(text), &json, &error), IK_OK, "%s: %s", text, error.text);
	return json;
}

static void expect_canonical(const char *parameters, const char *wanted)
{
	struct ik_json_span json = { NULL, 0 };
	struct ik_error error = { .text = "" };
	struct ik_buf out;

	if (parameters != NULL)
		json = parse(parameters);
	ik_buf_init(&out, 10000);
	cr_assert_eq(ik_schema_canonical(json, &out, &error), IK_OK, "%s: %s", parameters, error.text);
	cr_assert_str_eq(out.data, wanted);
	ik_buf_done(&out);
}

static void expect_refused(const char *parameters, const char *sentence)
{
	struct ik_error error = { .text = "" };
	struct ik_buf out;

	ik_buf_init(&out, 10000);
	cr_assert_eq(ik_schema_canonical(parse(parameters), &out, &error), IK_INVALID, "%s", parameters);
	cr_assert_str_eq(error.text, sentence);
	cr_assert_eq(error.status, IK_INVALID);
	ik_buf_done(&out);
}

Test(schema, nothing_is_an_object_without_properties)
{
	const char *empty = "{\"type\":\"object\",\"properties\":{}}";

	expect_canonical(NULL, empty);
	expect_canonical("null", empty);
	expect_canonical("{}", empty);
	expect_canonical("{\"type\":\"object\"}", empty);
}

Test(schema, a_flat_map)
{
	expect_canonical("{\"path\":{\"type\":\"string\",\"description\":\"d\",\"required\":true},"
		"\"limit\":{\"type\":\"integer\",\"required\":false},\"type\":{\"type\":\"string\",\"required\":true}}",
		"{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\",\"description\":\"d\"},"
		"\"limit\":{\"type\":\"integer\"},\"type\":{\"type\":\"string\"}},\"required\":[\"path\",\"type\"]}");
	expect_canonical("{\"z\":{},\"a\":{\"type\":[\"string\",\"null\"],\"enum\":[\"x\",null]}}",
		"{\"type\":\"object\",\"properties\":{\"z\":{},\"a\":{\"type\":[\"string\",\"null\"],\"enum\":[\"x\",null]}}}");
	expect_canonical("{\"o\":{\"type\":\"object\",\"properties\":{\"in\":{\"type\":\"string\",\"required\":true}},"
		"\"required\":true}}",
		"{\"type\":\"object\",\"properties\":{\"o\":{\"type\":\"object\",\"properties\":{\"in\":{\"type\":\"string\"}},"
		"\"required\":[\"in\"]}},\"required\":[\"o\"]}");
	expect_canonical("{\"a\":{\"type\":\"string\",\"required\":true},\"a\":{\"type\":\"null\"}}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]}");
}

Test(schema, a_json_schema)
{
	expect_canonical("{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"number\",\"minimum\":1e400},\"a\":true},"
		"\"required\":[\"b\"],\"additionalProperties\":false,\"x\":1}",
		"{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"number\",\"minimum\":1e400},\"a\":true},"
		"\"required\":[\"b\"],\"additionalProperties\":false,\"x\":1}");
	expect_canonical("{\"type\":\"object\",\"required\":[],\"properties\":{\"a\":{\"type\":\"string\"}}}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}");
	expect_canonical("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
		"\"properties\":{\"n\":{\"required\":true}}}}}}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
		"\"properties\":{\"n\":{}},\"required\":[\"n\"]}}}}");
	expect_canonical("{\"type\":\"object\",\"properties\":{\"b\":{\"required\":true},\"a\":{\"required\":true},"
		"\"b\":{\"type\":\"null\"},\"c\":{}},\"required\":[\"a\",\"c\"],\"type\":\"string\"}",
		"{\"type\":\"object\",\"properties\":{\"b\":{},\"a\":{},\"c\":{}},\"required\":[\"a\",\"c\",\"b\"]}");
}

/* So many members that their number squared would be seconds. */
Test(schema, a_great_many_members)
{
	enum { MEMBERS = 30000 };
	struct ik_error error = { .text = "" };
	struct ik_buf text, schema, again;

	ik_buf_init(&text, IK_MIB(16));
	ik_buf_init(&schema, IK_MIB(16));
	ik_buf_init(&again, IK_MIB(16));
	for (int i = 0; i < MEMBERS; i++)
		ik_buf_printf(&text, "%c\"%x\":{\"required\":true}", i == 0 ? '{' : ',', i);
	ik_buf_putc(&text, '}');
	cr_assert_eq(ik_schema_canonical(parse(text.data), &schema, &error), IK_OK, "%s", error.text);
	cr_assert_eq(ik_json_count(ik_json_member(parse(schema.data), "required")), MEMBERS);
	cr_assert_eq(ik_schema_canonical(parse(schema.data), &again, &error), IK_OK, "%s", error.text);
	cr_assert_str_eq(again.data, schema.data);
	ik_buf_done(&text);
	ik_buf_done(&schema);
	ik_buf_done(&again);
}

Test(schema, what_is_wrong_is_named)
{
	expect_refused("[]", "is an array, but must be an object");
	expect_refused("\"x\"", "is \"x\", but must be an object");
	expect_refused("{\"path\":\"string\"}",
		"/path: is \"string\", but must be an object with type and description");
	expect_refused("{\"n\":{\"type\":\"int\"}}",
		"/n/type: \"int\" is no type that JSON Schema knows; did you mean \"integer\"?");
	expect_refused("{\"n\":{\"type\":\"strnig\"}}",
		"/n/type: \"strnig\" is no type that JSON Schema knows; did you mean \"string\"?");
	expect_refused("{\"n\":{\"type\":7}}", "/n/type: is 7, but must be a string or a list of strings");
	expect_refused("{\"n\":{\"required\":\"yes\"}}", "/n/required: is \"yes\", but must be a list of names");
	expect_refused("{\"type\":\"object\",\"properties\":[]}", "/properties: is an array, but must be an object");
	expect_refused("{\"type\":\"object\",\"properties\":{\"a/b\":5}}",
		"/properties/a~1b: is 5, but must be a schema (an object)");
	expect_refused("{\"type\":\"object\",\"required\":[\"a\",5]}", "/required/1: is 5, but must be a string");
	expect_refused("{\"type\":\"object\",\"required\":true}", "/required: is true, but must be a list of names");
	expect_refused("{\"a\":{\"type\":\"array\",\"items\":\"string\"}}",
		"/a/items: is \"string\", but must be a schema");
	expect_refused("{\"a\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"nul\"}]}}",
		"/a/anyOf/1/type: \"nul\" is no type that JSON Schema knows; did you mean \"null\"?");
	expect_refused("{\"a\":{\"enum\":\"x\"}}", "/a/enum: is \"x\", but must be a list of values");
}

/* Schemas in files: of any type, and the key of a mistake is known. */
Test(schema, reads_any_schema)
{
	static const char array[] = "{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}";
	static const char wrong[] = "{\"anyOf\": [{\"properties\": {\"x\": {\"type\": \"strin\"}}}]}";
	struct ik_error error;
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	cr_assert_eq(ik_schema_read(parse(array), &out, &error), IK_OK);
	cr_assert_str_eq(out.data, "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}");
	cr_assert_eq(ik_schema_read(parse(wrong), &out, &error), IK_INVALID);
	cr_assert(strncmp(error.text, "/anyOf/0/properties/x/type: ", 28) == 0, "%s", error.text);
	cr_assert_eq(error.at, strstr(wrong, "\"type\""));
	cr_assert_eq(ik_schema_read(parse("[]"), &out, &error), IK_INVALID);
	cr_assert_null(error.at);
	ik_buf_done(&out);
}
