#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "json/schema.h"
#include "provider/openai.h"
#include "util/limits.h"

TestSuite(openai_strict);

static struct ik_json_span span_of(const char *text)
{
	struct ik_json_span span = { NULL, 0 };

	cr_assert_eq(ik_json_check(text, strlen(text), &span, NULL), IK_OK, "%s", text);
	return span;
}

/* The strict form, "" where there is none; new memory. */
static char *strict_of(const char *schema)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(4));
	bool fits = ik_openai_put_strict_schema(&out, span_of(schema));
	cr_assert_eq(fits, out.length > 0, "%s", schema);
	char *strict = fits ? ik_buf_take(&out, NULL) : calloc(1, 1);
	ik_buf_done(&out);
	return strict;
}

static void assert_strict(const char *schema, const char *wanted)
{
	char *strict = strict_of(schema);

	cr_assert_str_eq(strict, wanted, "of %s", schema);
	free(strict);
}

#define OBJECT(properties, rest) \
	"{\"type\":\"object\",\"properties\":{" properties "}" rest "}"
#define CLOSED(names) ",\"required\":[" names "],\"additionalProperties\":false"

Test(openai_strict, requires_every_property_and_lets_optional_ones_be_null)
{
	assert_strict(OBJECT("\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"integer\",\"minimum\":1}",
			",\"required\":[\"a\"]"),
		OBJECT("\"a\":{\"type\":\"string\"},\"b\":{\"type\":[\"integer\",\"null\"],\"minimum\":1}",
			CLOSED("\"a\",\"b\"")));
	/* One that may be null already is left alone. */
	assert_strict(OBJECT("\"a\":{\"type\":[\"string\",\"null\"]},\"b\":{\"type\":\"null\"}", ""),
		OBJECT("\"a\":{\"type\":[\"string\",\"null\"]},\"b\":{\"type\":\"null\"}",
			CLOSED("\"a\",\"b\"")));
	/* No parameters at all. */
	assert_strict("{\"type\":\"object\"}",
		"{\"type\":\"object\",\"properties\":{},\"required\":[],\"additionalProperties\":false}");
}

Test(openai_strict, wraps_what_a_list_of_types_cannot_make_nullable)
{
	assert_strict(OBJECT("\"a\":{\"description\":\"D\",\"enum\":[\"x\",\"y\"]}", ""),
		OBJECT("\"a\":{\"description\":\"D\",\"anyOf\":[{\"enum\":[\"x\",\"y\"],"
			"\"type\":\"string\"},{\"type\":\"null\"}]}", CLOSED("\"a\"")));
	assert_strict(OBJECT("\"a\":{\"const\":7}", ""),
		OBJECT("\"a\":{\"anyOf\":[{\"const\":7,\"type\":\"number\"},{\"type\":\"null\"}]}",
			CLOSED("\"a\"")));
}

Test(openai_strict, goes_into_objects_and_arrays)
{
	assert_strict(OBJECT("\"a\":{\"type\":\"array\",\"items\":" OBJECT("\"b\":{\"type\":\"string\"}", "")
			"}", ",\"required\":[\"a\"]"),
		OBJECT("\"a\":{\"type\":\"array\",\"items\":" OBJECT("\"b\":{\"type\":[\"string\",\"null\"]}",
			CLOSED("\"b\"")) "}", CLOSED("\"a\"")));
}

Test(openai_strict, leaves_out_what_only_explains)
{
	assert_strict(OBJECT("\"a\":{\"type\":\"string\",\"default\":\"x\",\"examples\":[\"y\"],"
			"\"format\":\"uuid\",\"x-order\":1},\"b\":{\"type\":\"string\",\"format\":\"path\"}",
			",\"required\":[\"a\",\"b\"],\"$schema\":\"s\",\"title\":\"T\""),
		OBJECT("\"a\":{\"type\":\"string\",\"format\":\"uuid\"},\"b\":{\"type\":\"string\"}",
			",\"required\":[\"a\",\"b\"],\"title\":\"T\",\"additionalProperties\":false"));
}

Test(openai_strict, gives_up_where_meaning_would_be_lost)
{
	static const char *const properties[] = {
		"{\"type\":\"object\"}",                                     /* any member at all */
		"{\"type\":\"object\",\"properties\":{},\"additionalProperties\":true}",
		"{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}",
		"{\"type\":\"object\",\"patternProperties\":{}}",
		"{\"type\":\"array\"}",
		"{\"type\":\"array\",\"items\":true}",
		"{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"uniqueItems\":true}",
		"{\"type\":\"string\",\"minLength\":1}",
		"{\"description\":\"anything\"}",
		"{\"type\":[]}",
		"true",
		"{\"allOf\":[{\"type\":\"string\"}]}",
		"{\"oneOf\":[{\"type\":\"string\"}]}",
		"{\"not\":{\"type\":\"string\"}}",
		"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}",
		"{\"enum\":[\"a\",1]}",
		"{\"enum\":[{}]}",
		"{\"$ref\":\"#\"}",
		"{\"type\":\"object\",\"properties\":{},\"$defs\":{}}",
	};

	for (size_t index = 0; index < sizeof properties / sizeof *properties; index++) {
		char schema[512];
		snprintf(schema, sizeof schema, OBJECT("\"a\":%s", ""), properties[index]);
		assert_strict(schema, "");
	}
	assert_strict("{\"anyOf\":[{\"type\":\"object\",\"properties\":{}}]}", "");
	assert_strict("{\"type\":\"object\",\"anyOf\":[{\"required\":[\"a\"]}],\"properties\":{}}", "");
	/* Definitions that lead in a circle. */
	assert_strict(OBJECT("\"a\":{\"$ref\":\"#/$defs/x\"}",
			",\"$defs\":{\"x\":{\"anyOf\":[{\"$ref\":\"#/$defs/x\"}]}}"), "");
}

Test(openai_strict, knows_the_limits)
{
	struct ik_buf schema;
	char *strict;

	for (int count = 100; count <= 101; count++) {
		ik_buf_init(&schema, IK_MIB(1));
		ik_buf_puts(&schema, "{\"type\":\"object\",\"properties\":{");
		for (int index = 0; index < count; index++)
			ik_buf_printf(&schema, "%s\"p%d\":{\"type\":\"string\"}", index ? "," : "", index);
		ik_buf_puts(&schema, "}}");
		strict = strict_of(schema.data);
		cr_assert_eq(*strict != '\0', count == 100);
		free(strict);
		ik_buf_done(&schema);
	}
	for (int depth = 5; depth <= 6; depth++) {
		ik_buf_init(&schema, IK_MIB(1));
		for (int index = 0; index < depth; index++)
			ik_buf_puts(&schema, "{\"type\":\"object\",\"properties\":{\"p\":");
		ik_buf_puts(&schema, "{\"type\":\"string\"}");
		for (int index = 0; index < depth; index++)
			ik_buf_puts(&schema, "}}");
		strict = strict_of(schema.data);
		cr_assert_eq(*strict != '\0', depth == 5);
		free(strict);
		ik_buf_done(&schema);
	}
}

static void assert_cleaned(const char *schema, const char *arguments, const char *wanted)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	bool changed = ik_openai_put_without_nulls(&out, span_of(schema), span_of(arguments));
	cr_assert_eq(changed, strcmp(arguments, wanted) != 0, "%s", arguments);
	cr_assert_str_eq(changed ? out.data : arguments, wanted);
	ik_buf_done(&out);
}

Test(openai_strict, takes_the_nulls_out_that_stand_for_nothing)
{
	static const char schema[] = OBJECT("\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"integer\"},"
		"\"n\":{\"type\":[\"string\",\"null\"]}", ",\"required\":[\"a\"]");

	assert_cleaned(schema, "{\"a\":\"x\",\"b\":null,\"n\":null}", "{\"a\":\"x\",\"n\":null}");
	assert_cleaned(schema, "{\"a\":\"x\",\"b\":9007199254740993}", "{\"a\":\"x\",\"b\":9007199254740993}");
	/* What is not the mode's doing stays, to be refused by name. */
	assert_cleaned(schema, "{\"a\":null,\"other\":null}", "{\"a\":null,\"other\":null}");
	/* The word alone means nothing; numbers are kept as they were written. */
	assert_cleaned(schema, "{\"a\":\"null\"}", "{\"a\":\"null\"}");
	assert_cleaned(OBJECT("\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"string\"}", ""),
		"{\"a\":1e400,\"b\":null}", "{\"a\":1e400}");
}

Test(openai_strict, takes_nulls_out_at_every_depth)
{
	static const char schema[] = OBJECT("\"list\":{\"type\":\"array\",\"items\":"
		OBJECT("\"k\":{\"const\":\"one\"},\"v\":{\"type\":\"string\"}",
			",\"required\":[\"k\"]") "}", "");

	assert_cleaned(schema, "{\"list\":[{\"k\":\"one\",\"v\":null},{\"k\":\"one\",\"v\":\"x\"}]}",
		"{\"list\":[{\"k\":\"one\"},{\"k\":\"one\",\"v\":\"x\"}]}");
}

Test(openai_strict, leaves_arguments_alone_where_the_schema_went_out_as_it_is)
{
	assert_cleaned(OBJECT("\"a\":{\"type\":\"string\",\"minLength\":1}", ""), "{\"a\":null}",
		"{\"a\":null}");
}

Test(openai_strict, accepts_what_it_cleans)
{
	static const char schema[] = OBJECT("\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"array\",\"items\":"
		OBJECT("\"c\":{\"enum\":[\"x\"]}", "") "}", "");
	static const char arguments[] = "{\"a\":null,\"b\":[{\"c\":null},{\"c\":\"x\"}]}";
	char *strict = strict_of(schema);
	struct ik_json_span form = span_of(strict), given = span_of(schema);
	struct ik_buf out;

	/* What the strict form allows is, cleaned, what the schema allows. */
	cr_assert_eq(ik_schema_validate(form, form, span_of(arguments), NULL), IK_OK);
	cr_assert_neq(ik_schema_validate(given, given, span_of(arguments), NULL), IK_OK);
	ik_buf_init(&out, IK_MIB(1));
	cr_assert(ik_openai_put_without_nulls(&out, given, span_of(arguments)));
	cr_assert_eq(ik_schema_validate(given, given, span_of(out.data), NULL), IK_OK);
	ik_buf_done(&out);
	free(strict);
}
