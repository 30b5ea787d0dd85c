#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "provider/google/google.h"
#include "util/limits.h"

#define TYPE "google"
#define USER(text) "{\"role\":\"user\",\"parts\":[{\"text\":\"" text "\"}]}"

static const struct ik_endpoint endpoint = { .provider = "google",
	.base_url = "https://generativelanguage.googleapis.com", .api_key = "secret" };

TestSuite(google_request, .init = asking_begin, .fini = asking_end);

static void assert_contents(const char *model, const char *wanted)
{
	struct ik_request request = { .model = model, .endpoint = &endpoint,
		.conversation = conversation };

	assert_member(TYPE, &request, "contents", wanted);
}

Test(google_request, goes_to_its_address)
{
	assert_address(TYPE, &endpoint, "gemini-x", "https://generativelanguage.googleapis.com/v1beta/"
		"models/gemini-x:streamGenerateContent?alt=sse",
		"Content-Type: application/json\nAccept: text/event-stream\nx-goog-api-key: secret\n");
	assert_address(TYPE, &endpoint, "tunedModels/y", "https://generativelanguage.googleapis.com/"
		"v1beta/tunedModels/y:streamGenerateContent?alt=sse",
		"Content-Type: application/json\nAccept: text/event-stream\nx-goog-api-key: secret\n");
}

Test(google_request, has_all_its_members)
{
	static const char schema[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
		"\"required\":[\"a\"],\"additionalProperties\":false}";
	static const char empty[] = "{\"type\":\"object\",\"properties\":{}}";
	struct ik_tool_definition tools[] = {
		{ "one", "First", { schema, sizeof schema - 1 } },
		{ "two", "Second", { empty, sizeof empty - 1 } },
	};
	struct ik_request request = { .model = "m", .endpoint = &endpoint,
		.system_prompt = "Be kind.", .conversation = conversation, .tools = tools,
		.tool_count = 2, .forbid_calls = true, .max_output_tokens = 99 };
	say(IK_KIND_SYSTEM, "Be brief.");
	say(IK_KIND_USER, "Hi");

	char *body = body_of(TYPE, &request);
	cr_assert_str_eq(body, "{\"tools\":[{\"functionDeclarations\":["
		"{\"name\":\"one\",\"description\":\"First\",\"parameters\":{\"type\":\"object\","
		"\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]}},"
		"{\"name\":\"two\",\"description\":\"Second\"}]}],"
		"\"systemInstruction\":{\"parts\":[{\"text\":\"Be kind.\"}]},"
		"\"contents\":[" USER("Hi") "],"
		"\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"NONE\"}},"
		"\"generationConfig\":{\"maxOutputTokens\":99}}");
	free(body);
}

Test(google_request, leaves_out_what_is_empty)
{
	struct ik_request request = { .model = "m", .conversation = conversation,
		.forbid_calls = true };
	char *body = body_of(TYPE, &request);

	cr_assert_str_eq(body, "{\"contents\":[]}");
	free(body);
}

Test(google_request, pairs_results_with_calls_by_their_order)
{
	say(IK_KIND_USER, "a");
	say(IK_KIND_ASSISTANT, "b");
	call("1", "one", "{\"x\":1}");
	call("2", "two", "");
	result("2", "{\"n\":2}");
	result("1", "{\"n\":1}");
	say(IK_KIND_USER, "c");
	assert_contents("gemini-2.5-flash", "[" USER("a") ",{\"role\":\"model\",\"parts\":[{\"text\":\"b\"},"
		"{\"functionCall\":{\"name\":\"one\",\"args\":{\"x\":1}}},"
		"{\"functionCall\":{\"name\":\"two\",\"args\":{}}}]},"
		"{\"role\":\"user\",\"parts\":["
		"{\"functionResponse\":{\"name\":\"one\",\"response\":{\"output\":\"{\\\"n\\\":1}\"}}},"
		"{\"functionResponse\":{\"name\":\"two\",\"response\":{\"output\":\"{\\\"n\\\":2}\"}}},"
		"{\"text\":\"c\"}]}]");
}

Test(google_request, sends_signatures_and_ids_back)
{
	say(IK_KIND_USER, "a");
	say(IK_KIND_THINKING, "not sent");
	give_opaque(ik_message_new(IK_KIND_ASSISTANT, "b", 1, NULL, 0), "google", TYPE,
		"{\"thoughtSignature\":\"t\"}");
	give_opaque(ik_message_tool_call("1", "one", "{}", 2), "google", TYPE,
		"{\"thoughtSignature\":\"s\",\"id\":\"x9\"}");
	call("2", "two", "{}");
	result("1", "{}");
	result("2", "{}");
	assert_contents("gemini-3-pro", "[" USER("a") ",{\"role\":\"model\",\"parts\":["
		"{\"text\":\"b\",\"thoughtSignature\":\"t\"},"
		"{\"functionCall\":{\"id\":\"x9\",\"name\":\"one\",\"args\":{}},\"thoughtSignature\":\"s\"},"
		"{\"functionCall\":{\"name\":\"two\",\"args\":{}}}]},"
		"{\"role\":\"user\",\"parts\":["
		"{\"functionResponse\":{\"id\":\"x9\",\"name\":\"one\",\"response\":{\"output\":\"{}\"}}},"
		"{\"functionResponse\":{\"name\":\"two\",\"response\":{\"output\":\"{}\"}}}]}]");
}

Test(google_request, says_of_foreign_calls_that_they_are_not_signed)
{
	struct ik_request request = { .model = "gemini-3-flash", .endpoint = &endpoint,
		.conversation = conversation };
	say(IK_KIND_USER, "a");
	give_opaque(ik_message_tool_call("1", "one", "{}", 2), "google", "anthropic",
		"{\"thoughtSignature\":\"s\"}");
	call("2", "two", "{}");
	result("1", "{}");
	assert_member(TYPE, &request, "contents.1.parts.0.thoughtSignature",
		"\"skip_thought_signature_validator\"");
	assert_member(TYPE, &request, "contents.1.parts.1.thoughtSignature", "");
	/* No result came for the second; there must be one. */
	assert_member(TYPE, &request, "contents.2.parts.1.functionResponse.name", "\"two\"");
	request.model = "models/gemini-2.5-pro";
	assert_member(TYPE, &request, "contents.1.parts.0.thoughtSignature", "");
}

Test(google_request, joins_what_the_model_said_and_begins_with_the_user)
{
	say(IK_KIND_ASSISTANT, "b");
	say(IK_KIND_ASSISTANT, "c");
	assert_contents("m", "[" USER("(The beginning of the conversation is missing.)")
		",{\"role\":\"model\",\"parts\":[{\"text\":\"b\"},{\"text\":\"c\"}]}]");
}

/* ---- schemas ---- */

static void assert_schema(const char *schema, const char *wanted)
{
	struct ik_json_span span;
	struct ik_buf out;
	ik_buf_init(&out, IK_MIB(16));

	cr_assert_eq(ik_json_check(schema, strlen(schema), &span, NULL), IK_OK, "%s", schema);
	ik_google_put_schema(&out, span);
	cr_assert_str_eq(out.data, wanted, "%s became\n%s\nwanted\n%s", schema, out.data, wanted);
	ik_buf_done(&out);
}

Test(google_request, rewrites_what_gemini_refuses)
{
	static const struct {
		const char *schema, *wanted;
	} cases[] = {
		{ "{\"type\":\"integer\",\"exclusiveMinimum\":0,\"exclusiveMaximum\":10,\"multipleOf\":2}",
		  "{\"type\":\"integer\",\"minimum\":1,\"maximum\":9}" },
		{ "{\"type\":\"number\",\"exclusiveMinimum\":0.5,\"maximum\":2}",
		  "{\"type\":\"number\",\"minimum\":0.5,\"maximum\":2}" },
		{ "{\"type\":\"number\",\"minimum\":1,\"exclusiveMinimum\":true}",
		  "{\"type\":\"number\",\"minimum\":1}" },
		{ "{\"const\":\"a\",\"description\":\"d\"}",
		  "{\"type\":\"string\",\"description\":\"d\",\"enum\":[\"a\"]}" },
		{ "{\"const\":7}", "{\"type\":\"number\"}" },
		{ "{\"type\":\"string\",\"enum\":[\"a\",\"\",null,\"b\"]}",
		  "{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}" },
		{ "{\"type\":\"integer\",\"enum\":[1,2]}", "{\"type\":\"integer\"}" },
		{ "{\"type\":[\"string\",\"null\"],\"format\":\"uri\"}",
		  "{\"type\":\"string\",\"nullable\":true}" },
		{ "{\"type\":\"string\",\"format\":\"date-time\",\"minLength\":1,\"pattern\":\"^a\"}",
		  "{\"type\":\"string\",\"format\":\"date-time\",\"minLength\":1,\"pattern\":\"^a\"}" },
		{ "{\"type\":[\"string\",\"array\"],\"description\":\"d\"}",
		  "{\"anyOf\":[{\"type\":\"array\",\"description\":\"d\",\"items\":{\"type\":\"string\"}},"
		  "{\"type\":\"string\",\"description\":\"d\"}]}" },
		{ "{\"type\":\"array\"}", "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}" },
		{ "{\"type\":\"array\",\"minItems\":1,\"uniqueItems\":true,\"items\":{\"type\":\"object\","
		  "\"additionalProperties\":false,\"properties\":{\"x\":{\"type\":\"integer\",\"$comment\":\"c\"}}}}",
		  "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":"
		  "{\"x\":{\"type\":\"integer\"}}},\"minItems\":1}" },
		{ "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}",
		  "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}" },
		{ "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}],\"default\":null}",
		  "{\"type\":\"integer\",\"nullable\":true}" },
		{ "{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}],\"description\":\"d\"}",
		  "{\"anyOf\":[{\"type\":\"integer\",\"description\":\"d\"},"
		  "{\"type\":\"string\",\"description\":\"d\"}]}" },
		{ "{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\",\"z\"]},"
		  "{\"properties\":{\"b\":true,\"a\":{\"type\":\"integer\"}},\"required\":[\"b\"]}]}",
		  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"string\"}},"
		  "\"required\":[\"a\",\"b\"]}" },
		{ "{\"$schema\":\"x\",\"$defs\":{\"p\":{\"type\":\"string\",\"description\":\"d\"}},"
		  "\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/p\"},"
		  "\"b\":{\"$ref\":\"#/$defs/none\"},\"c\":{\"$ref\":\"other.json\"}}}",
		  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"description\":\"d\"},"
		  "\"b\":{\"type\":\"string\"},\"c\":{\"type\":\"string\"}}}" },
		{ "{\"$defs\":{\"Map<a/b>\":{\"type\":\"object\"}},"
		  "\"$ref\":\"#/$defs/Map%3Ca~1b%3E\"}", "{\"type\":\"object\"}" },
		{ "{\"type\":\"null\"}", "{\"type\":\"string\",\"nullable\":true}" },
		{ "{\"type\":7,\"properties\":[],\"required\":\"a\",\"anyOf\":3}",
		  "{\"type\":\"object\"}" },
		{ "true", "{\"type\":\"string\"}" },
	};
	for (size_t index = 0; index < sizeof cases / sizeof *cases; index++)
		assert_schema(cases[index].schema, cases[index].wanted);
}

Test(google_request, schemas_that_lead_in_circles_end)
{
	static const char schema[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"},"
		"\"b\":{\"$ref\":\"#/\"},\"c\":{\"$ref\":\"#/properties/c\"},\"d\":{\"$ref\":\"#/properties\"},"
		"\"e\":{\"allOf\":[{\"$ref\":\"#/properties/e\"},{\"$ref\":\"#/properties/f\"}]},"
		"\"f\":{\"type\":\"object\",\"properties\":{\"g\":{\"$ref\":\"#/properties/f\"},"
		"\"h\":{\"$ref\":\"#/properties/f\"},\"i\":{\"$ref\":\"#/properties/f\"}}}}}";
	struct ik_json_span span;
	struct ik_buf out;
	ik_buf_init(&out, IK_MIB(1));

	cr_assert_eq(ik_json_check(schema, sizeof schema - 1, &span, NULL), IK_OK);
	ik_google_put_schema(&out, span);
	cr_assert_eq(ik_buf_status(&out), IK_OK);
	cr_assert_eq(ik_json_check(out.data, out.length, NULL, NULL), IK_OK);
	/* What is said beside a circle is heard. */
	cr_assert(strstr(out.data, "\"e\":{\"type\":\"object\",\"properties\":{\"g\":{"), "%s", out.data);
	cr_assert(out.length < 40000, "%zu", out.length);
	ik_buf_done(&out);
}

Test(google_request, a_chain_that_refers_to_itself_is_written_deep)
{
	static const char schema[] = "{\"$defs\":{\"n\":{\"type\":\"object\",\"properties\":"
		"{\"next\":{\"$ref\":\"#/$defs/n\"},\"x\":{\"type\":\"number\"}},\"required\":[\"x\"]}},"
		"\"$ref\":\"#/$defs/n\"}";
	struct ik_buf wanted;
	ik_buf_init(&wanted, IK_MIB(1));

	for (int level = 0; level < 7; level++)
		ik_buf_puts(&wanted, "{\"type\":\"object\",\"properties\":{\"next\":");
	/* The last one says only what it is. */
	ik_buf_puts(&wanted, "{\"type\":\"object\"}");
	for (int level = 0; level < 7; level++)
		ik_buf_puts(&wanted, ",\"x\":{\"type\":\"number\"}},\"required\":[\"x\"]}");
	assert_schema(schema, wanted.data);
	ik_buf_done(&wanted);
}

/* A filter as many services have it: alone it would fill all there is room for. */
Test(google_request, what_branches_into_itself_leaves_room_for_what_follows)
{
	static const char schema[] = "{\"$defs\":{\"f\":{\"type\":\"object\",\"properties\":{"
		"\"and\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/f\"}},"
		"\"or\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/f\"}},"
		"\"not\":{\"$ref\":\"#/$defs/f\"},\"field\":{\"type\":\"string\"},"
		"\"any\":{\"anyOf\":[{\"$ref\":\"#/$defs/f\"},{\"type\":\"number\"}]}}}},"
		"\"type\":\"object\",\"properties\":{\"filter\":{\"$ref\":\"#/$defs/f\"},"
		"\"limit\":{\"type\":\"integer\",\"maximum\":9}}}";
	struct ik_json_span span;
	struct ik_buf out;
	ik_buf_init(&out, IK_MIB(1));

	cr_assert_eq(ik_json_check(schema, sizeof schema - 1, &span, NULL), IK_OK);
	ik_google_put_schema(&out, span);
	cr_assert_eq(ik_json_check(out.data, out.length, &span, NULL), IK_OK, "%s", out.data);
	cr_assert(out.length < 20000, "%zu", out.length);
	cr_assert(strstr(out.data, ",\"limit\":{\"type\":\"integer\",\"maximum\":9}}}"), "%s", out.data);
	/* A filter within a filter is written, too. */
	cr_assert(strstr(out.data, "\"not\":{\"type\":\"object\",\"properties\":{\"and\""), "%s", out.data);
	ik_buf_done(&out);
}

/* What fits only without any repeat. */
Test(google_request, what_branches_very_much_is_written_once)
{
	struct ik_json_span span;
	struct ik_buf schema, out;
	ik_buf_init(&schema, IK_MIB(1));
	ik_buf_init(&out, IK_MIB(1));

	ik_buf_puts(&schema, "{\"type\":\"object\",\"properties\":{");
	for (int property = 0; property < 400; property++)
		ik_buf_printf(&schema, "\"p%d\":{\"$ref\":\"#\"},", property);
	ik_buf_puts(&schema, "\"last\":{\"type\":\"boolean\"}}}");
	cr_assert_eq(ik_json_check(schema.data, schema.length, &span, NULL), IK_OK);
	ik_google_put_schema(&out, span);
	cr_assert_eq(ik_json_check(out.data, out.length, &span, NULL), IK_OK);
	cr_assert(strstr(out.data, "\"p399\":{\"type\":\"object\"},\"last\":{\"type\":\"boolean\"}}}"));
	cr_assert(out.length < 20000, "%zu", out.length);
	ik_buf_done(&schema);
	ik_buf_done(&out);
}
