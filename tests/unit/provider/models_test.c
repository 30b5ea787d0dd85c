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

/* ---- rules ---- */

static int64_t window_of(const char *rules, const char *model)
{
	return ik_model_facts(rules, model, "openai-chat").context_window;
}

Test(models, are_known_by_built_in_rules)
{
	cr_assert_eq(window_of(NULL, "gpt-5-mini"), 400000);
	cr_assert_eq(window_of(NULL, "gpt-5.6-terra"), 1050000);
	cr_assert_eq(window_of(NULL, "gpt-5-chat-latest"), 128000);
	cr_assert_eq(window_of(NULL, "claude-sonnet-4-5"), 200000);
	cr_assert_eq(window_of(NULL, "claude-sonnet-5-5"), 1000000);
	cr_assert_eq(window_of(NULL, "anthropic/claude-opus-4-6"), 1000000);
	cr_assert_eq(window_of(NULL, "us.anthropic.claude-sonnet-4-5-v1:0"), 200000);
	cr_assert_eq(window_of(NULL, "gemini-2.5-flash"), 1048576);
	cr_assert_eq(window_of(NULL, "my-own"), 0);
	cr_assert_str_eq(ik_model_facts(NULL, "claude-sonnet-4-5-20250929", "anthropic").retires,
		"2026-11-30");
	cr_assert_eq(ik_model_facts(NULL, "anthropic/claude-opus-5", "anthropic").max_output, 64000);
}

Test(models, have_rules_of_the_user_which_come_first)
{
	static const char rules[] = "[{\"name\":\"gpt-5-mini\",\"context_window\":1000},"
		"{\"match\":\"my-*\",\"context_window\":2000,\"price\":{\"input\":1,\"output\":2.5},"
		"\"thinking\":{\"effort\":[\"none\",\"max\"]}},"
		"{\"match\":\"my-own\",\"context_window\":3000,\"max_output\":500}]";
	struct ik_model_facts facts = ik_model_facts(rules, "vendor/my-own", "openai-chat");

	cr_assert_eq(window_of(rules, "gpt-5-mini"), 1000);
	cr_assert_eq(window_of(rules, "gpt-5"), 400000);
	cr_assert_eq(facts.context_window, 2000);
	cr_assert_eq(facts.max_output, 500);
	cr_assert_eq(facts.form, IK_THINKING_EFFORT);
	cr_assert_eq(facts.levels, 1u << IK_THINKING_OFF | 1u << IK_THINKING_MAX);
	cr_assert_float_eq(facts.price.output, 2.5, 0);
	cr_assert_float_eq(facts.price.cached, -1, 0);
}

Test(models, have_a_default_at_each_built_in_provider)
{
	static const char *const providers[] = { "openai", "anthropic", "google", "practice" };

	for (size_t index = 0; index < sizeof providers / sizeof *providers; index++) {
		char *name = ik_model_default(NULL, providers[index]);

		cr_assert_not_null(name, "%s", providers[index]);
		cr_assert_str_eq(ik_model_facts(NULL, name, "openai-chat").retires, "", "%s", name);
		free(name);
	}
	cr_assert_null(ik_model_default(NULL, "home"));
	char *name = ik_model_default("[{\"name\":\"qwen\",\"default\":\"home\"}]", "home");
	cr_assert_str_eq(name, "qwen");
	free(name);
}

static void assert_check(const char *text, const char *wanted)
{
	struct ik_error error = { .text = "" };
	char *own = strdup(text);

	cr_assert_eq(ik_model_rules_check("models.json", own, strlen(own), &error) == IK_OK, !wanted[0]);
	cr_assert_str_eq(wanted[0] ? error.text : "", wanted);
	free(own);
}

Test(models, have_rules_that_are_checked)
{
	extern const char ik_built_in_model_rules[];
	char *built_in = strdup(ik_built_in_model_rules);
	char *at = strstr(built_in, "{\"about\"");

	/* All but the explanation at the beginning. */
	memset(at, ' ', (size_t)(strstr(at, "]},") + 3 - at));
	assert_check(built_in, "");
	free(built_in);
	assert_check("// none yet\n[]", "");
	assert_check("{}", "models.json: must be a JSON array of rules");
	assert_check("[,]", "models.json: line 1, column 2: found ',', expected a value");
	assert_check("[\n{\"context_window\":5}]",
		"models.json:2: a rule has to be an object with \"name\" or \"match\"");
	assert_check("[{\"name\":\"x\",\n\"window\":5}]",
		"models.json:2: \"window\" is unknown; there are: name, match, default, context_window, "
		"max_output, thinking, signatures, price, retires");
	assert_check("[{\"name\":\"x\",\n\n\"context_window\":-5}]",
		"models.json:3: \"context_window\" has to be a whole number above 0");
	assert_check("[{\"name\":\"x\",\"thinking\":[]}]",
		"models.json:1: \"thinking\" has to be an object with lists of levels: \"effort\", "
		"\"adaptive\", \"budget\", \"level\" or \"tokens\"");
	assert_check("[{\"name\":\"x\",\"retires\":\"soon\"}]",
		"models.json:1: \"retires\" has to be a day such as \"2026-11-30\"");
	assert_check("[{\"name\":\"x\",\"price\":{\"input\":1}}]",
		"models.json:1: \"price\" has to be an object with the numbers \"input\", \"output\" and "
		"\"cached\"");
}
