#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "provider/models.h"
#include "provider/formats.h"
#include "util/limits.h"

TestSuite(models);

/* The names, each ended by a blank; "!" and the sentence where there is no list. */
static void assert_models(const char *body, const char *wanted)
{
	struct ik_error error = { .text = "" };
	size_t count = 0;
	char **names = ik_models_read(body, strlen(body), &count, &error);
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_buf_puts(&out, "");
	if (!names)
		ik_buf_printf(&out, "!%s", error.text);
	for (size_t index = 0; index < count; index++) {
		ik_buf_printf(&out, "%s ", names[index]);
		free(names[index]);
	}
	free(names);
	cr_assert_str_eq(out.length ? out.data : "", wanted);
	ik_buf_done(&out);
}

Test(models, reads_the_answers_of_all_providers)
{
	assert_models("{\"object\":\"list\",\"data\":[{\"id\":\"b\"},{\"id\":\"a\"},{\"id\":\"b\"}]}", "a b ");
	assert_models("{\"data\":[{\"type\":\"model\",\"id\":\"claude-x\",\"display_name\":\"X\"}],"
		"\"has_more\":false}", "claude-x ");
	assert_models("{\"models\":[{\"name\":\"models/gemini\",\"supportedGenerationMethods\":"
		"[\"countTokens\",\"generateContent\"]},{\"name\":\"models/embedding\","
		"\"supportedGenerationMethods\":[\"embedContent\"]},{\"name\":\"tunedModels/mine\"}]}",
		"gemini tunedModels/mine ");
	assert_models("{\"data\":[]}", "");
	assert_models("{\"data\":[{\"id\":5},{},\"x\",{\"id\":\"\"}]}", "");
}

Test(models, refuses_what_is_no_list)
{
	assert_models("{\"data\":{}}", "!The server's answer is no list of models.");
	assert_models("[]", "!The server's answer is no list of models.");
	assert_models("<html>", "!line 1, column 1: found '<', expected a value");
}

Test(models, are_asked_for_at_their_address)
{
	static const struct { const char *type, *base, *wanted; } rows[] = {
		{ "openai-chat", "http://h/v1", "http://h/v1/models" },
		{ "openai-responses", "http://h/v1", "http://h/v1/models" },
		{ "anthropic", "http://h", "http://h/v1/models?limit=1000" },
		{ "google", "http://h", "http://h/v1beta/models?pageSize=1000" },
	};

	for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
		struct ik_endpoint endpoint = { .base_url = rows[index].base };
		char *url = ik_wire_models_url(ik_wire_format_find(rows[index].type), &endpoint);

		cr_assert_str_eq(url, rows[index].wanted);
		free(url);
	}
}
