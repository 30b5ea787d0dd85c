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
		char *url = ik_wire_url(ik_wire_format_find(rows[index].type), &endpoint, NULL);

		cr_assert_str_eq(url, rows[index].wanted);
		free(url);
	}
}

/* ---- rules ---- */

static const struct ik_model_rules no_rules = { NULL, NULL };

static int64_t window_of(const char *own, const char *model)
{
	const struct ik_model_rules rules = { .own = own };

	return ik_model_facts(&rules, model, "openai-chat").context_window;
}

Test(models, are_known_by_built_in_rules)
{
	struct ik_model_facts sonnet = ik_model_facts(&no_rules, "claude-sonnet-4-5-20250929", "anthropic");

	cr_assert_eq(window_of(NULL, "gpt-5-mini"), 400000);
	cr_assert_eq(window_of(NULL, "gpt-5.6-terra"), 1050000);
	cr_assert_eq(window_of(NULL, "gpt-5-chat-latest"), 128000);
	cr_assert_eq(window_of(NULL, "claude-sonnet-4-5"), 200000);
	cr_assert_eq(window_of(NULL, "claude-sonnet-5-5"), 1000000);
	cr_assert_eq(window_of(NULL, "anthropic/claude-opus-4-6"), 1000000);
	cr_assert_eq(window_of(NULL, "us.anthropic.claude-sonnet-4-5-v1:0"), 200000);
	cr_assert_eq(window_of(NULL, "gemini-2.5-flash"), 1048576);
	cr_assert_eq(window_of(NULL, "my-own"), 0);
	cr_assert_str_eq(sonnet.retires, "2026-11-30");
	cr_assert_eq(ik_model_facts(&no_rules, "anthropic/claude-opus-5", "anthropic").max_output, 64000);
}

Test(models, have_rules_of_the_user_which_come_first)
{
	static const char rules[] = "[{\"name\":\"gpt-5-mini\",\"context_window\":1000},"
		"{\"match\":\"my-*\",\"context_window\":2000,\"price\":{\"input\":1,\"output\":2.5},"
		"\"thinking\":{\"effort\":[\"none\",\"max\"]}},"
		"{\"match\":\"my-own\",\"context_window\":3000,\"max_output\":500}]";
	struct ik_model_facts facts = ik_model_facts(&(struct ik_model_rules){ .own = rules }, "vendor/my-own", "openai-chat");

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
		char *name = ik_model_default(&no_rules, providers[index]);
		struct ik_model_facts facts;

		cr_assert_not_null(name, "%s", providers[index]);
		facts = ik_model_facts(&no_rules, name, "openai-chat");
		cr_assert_str_eq(facts.retires, "", "%s", name);
		free(name);
	}
	cr_assert_null(ik_model_default(&no_rules, "home"));
	struct ik_model_rules rules = { .own = "[{\"name\":\"qwen\",\"default\":\"home\"}]" };
	char *name = ik_model_default(&rules, "home");
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
		"max_output, thinking, input, signatures, price, retires, created");
	assert_check("[{\"name\":\"x\",\n\n\"context_window\":-5}]",
		"models.json:3: \"context_window\" has to be a whole number above 0");
	assert_check("[{\"name\":\"x\",\"thinking\":[]}]",
		"models.json:1: \"thinking\" has to be an object with lists of levels: \"effort\", "
		"\"adaptive\", \"budget\", \"level\" or \"tokens\"");
	assert_check("[{\"name\":\"x\",\"retires\":\"soon\"}]",
		"models.json:1: \"retires\" has to be a day such as \"2026-11-30\"");
	assert_check("[{\"name\":\"x\",\"price\":{\"input\":1}}]",
		"models.json:1: \"price\" has to be an object with the numbers \"input\", \"output\", "
		"\"cached\" and \"written\"");
}

/* ---- rules made from lists ---- */

static void assert_rules(const char *body, const char *wanted)
{
	struct ik_error error = { .text = "" };
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	ik_models_put_rules(body, strlen(body), &out);
	cr_assert_str_eq(out.data, wanted);
	cr_assert_eq(ik_model_rules_check("list", out.data, out.length, &error), IK_OK, "%s", error.text);
	ik_buf_done(&out);
}

/* The answers as the providers document them, shortened. */
Test(models, are_learned_from_the_lists_of_providers)
{
	assert_rules("{\"data\":[{\"type\":\"model\",\"id\":\"claude-sonnet-5-5\",\"created_at\":"
		"\"2026-09-01T00:00:00Z\",\"max_input_tokens\":1000000,\"max_tokens\":128000,"
		"\"retires_at\":\"2027-01-22T00:00:00Z\",\"capabilities\":{\"effort\":{\"supported\":true,"
		"\"low\":{\"supported\":true},\"medium\":{\"supported\":false},\"high\":{\"supported\":true},"
		"\"xhigh\":null,\"max\":{\"supported\":true}},\"thinking\":{\"supported\":true,\"types\":{"
		"\"adaptive\":{\"supported\":true},\"between_tools\":{\"supported\":true},"
		"\"disabled\":{\"supported\":false},\"enabled\":{\"supported\":false}}}}},"
		"{\"id\":\"claude-old\",\"retires_at\":null,\"capabilities\":{\"thinking\":{\"supported\":true,"
		"\"types\":{\"enabled\":{\"supported\":true}}}}}]}",
		"[{\"name\":\"claude-sonnet-5-5\",\"context_window\":1000000,\"max_output\":128000,"
		"\"created\":1788220800,\"retires\":\"2027-01-22\",\"thinking\":{\"adaptive\":"
		"[\"between_tools\",\"low\",\"high\",\"max\"]}},{\"name\":\"claude-old\",\"thinking\":"
		"{\"budget\":[\"off\",\"low\",\"medium\",\"high\"]}}]");
	assert_rules("{\"data\":[{\"id\":\"gpt-6.1-terra\",\"object\":\"model\",\"created\":1790000000,"
		"\"owned_by\":\"openai\",\"shutdown_date\":\"2027-05-01\"}]}",
		"[{\"name\":\"gpt-6.1-terra\",\"created\":1790000000,\"retires\":\"2027-05-01\"}]");
	assert_rules("{\"models\":[{\"name\":\"models/gemini-4-argon\",\"inputTokenLimit\":2097152,"
		"\"outputTokenLimit\":65536,\"thinking\":true},{\"name\":\"models/gemma-4\","
		"\"thinking\":false}]}",
		"[{\"name\":\"gemini-4-argon\",\"context_window\":2097152,\"max_output\":65536},"
		"{\"name\":\"gemma-4\",\"thinking\":{}}]");
	assert_rules("{\"data\":[{\"id\":\"qwen/qwen3\",\"created\":5,\"context_length\":40960,"
		"\"top_provider\":{\"max_completion_tokens\":null},\"pricing\":{\"prompt\":\"0.0000002\","
		"\"completion\":\"0.000001\",\"input_cache_read\":\"0.00000005\","
		"\"input_cache_write\":\"0.00000025\"},"
		"\"supported_parameters\":[\"tools\"]}]}",
		"[{\"name\":\"qwen/qwen3\",\"context_window\":40960,\"created\":5,\"thinking\":{},"
		"\"price\":{\"input\":0.2,\"output\":1,\"cached\":0.05,\"written\":0.25}}]");
	/* vLLM, llama.cpp */
	assert_rules("{\"data\":[{\"id\":\"m\",\"max_model_len\":32768},"
		"{\"id\":\"n\",\"meta\":{\"n_ctx_train\":8192}}]}",
		"[{\"name\":\"m\",\"context_window\":32768},{\"name\":\"n\",\"context_window\":8192}]");
}

Test(models, in_lists_say_what_they_accept)
{
	/* OpenRouter, Anthropic, Mistral, llama.cpp, LM Studio */
	assert_rules("{\"data\":[{\"id\":\"a/b\",\"architecture\":{\"input_modalities\":[\"text\","
		"\"image\",\"file\"]}}]}", "[{\"name\":\"a/b\",\"input\":[\"text\",\"image\",\"file\"]}]");
	assert_rules("{\"data\":[{\"id\":\"c\",\"capabilities\":{\"image_input\":{\"supported\":true},"
		"\"pdf_input\":{\"supported\":true}}},{\"id\":\"d\",\"capabilities\":{\"image_input\":"
		"{\"supported\":false}}}]}", "[{\"name\":\"c\",\"input\":[\"text\",\"image\",\"pdf\"]},"
		"{\"name\":\"d\",\"input\":[\"text\"]}]");
	assert_rules("{\"data\":[{\"id\":\"m\",\"capabilities\":{\"vision\":true}},{\"id\":\"n\","
		"\"capabilities\":{\"vision\":false}}]}", "[{\"name\":\"m\",\"input\":[\"text\",\"image\"]},"
		"{\"name\":\"n\",\"input\":[\"text\"]}]");
	assert_rules("{\"models\":[{\"name\":\"q\",\"capabilities\":[\"completion\",\"multimodal\"]}],"
		"\"data\":[{\"id\":\"q\"}]}", "[{\"name\":\"q\",\"input\":[\"text\",\"image\"]}]");
	assert_rules("{\"models\":[{\"name\":\"q\",\"capabilities\":[\"completion\"]}],"
		"\"data\":[{\"id\":\"q\"}]}", "[{\"name\":\"q\",\"input\":[\"text\"]}]");
	assert_rules("{\"data\":[{\"id\":\"v\",\"type\":\"vlm\"}]}",
		"[{\"name\":\"v\",\"input\":[\"text\",\"image\"]}]");
}

Test(models, accept_what_their_rules_say)
{
	static const struct {
		const char *model, *type;
		unsigned inputs;
	} cases[] = {
		{ "claude-opus-5-5", "anthropic", IK_ACCEPTS_IMAGES | IK_ACCEPTS_PDF },
		{ "claude-3-haiku-20240307", "anthropic", IK_ACCEPTS_IMAGES },
		{ "claude-2.1", "anthropic", 0 },
		{ "gpt-6.1-terra", "openai-responses", IK_ACCEPTS_IMAGES | IK_ACCEPTS_PDF },
		{ "openai/gpt-oss-120b", "openai-chat", 0 },
		{ "o3-mini", "openai-responses", 0 },
		{ "gemini-3.8-flash", "google", IK_ACCEPTS_IMAGES | IK_ACCEPTS_PDF },
		{ "Qwen2.5-VL-7B-Instruct", "openai-chat", IK_ACCEPTS_IMAGES },
		{ "unheard-of", "openai-chat", 0 },
		{ "practice", "practice", IK_ACCEPTS_IMAGES | IK_ACCEPTS_PDF },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ik_model_facts facts = ik_model_facts(&no_rules, cases[i].model, cases[i].type);

		cr_expect_eq(facts.inputs, cases[i].inputs, "%s", cases[i].model);
		cr_expect_eq(ik_model_accepts(&facts, "application/pdf"),
			(cases[i].inputs & IK_ACCEPTS_PDF) != 0);
	}
}

static void assert_default(const char *list, const char *provider, const char *wanted)
{
	struct ik_model_rules rules = { .list = list };
	char *name = ik_model_default(&rules, provider);

	cr_assert_str_eq(name, wanted);
	free(name);
}

/* The newest of the middle of a provider's range. */
Test(models, have_the_newest_of_a_list_as_default)
{
	assert_default("[{\"name\":\"claude-sonnet-6\",\"created\":20},{\"name\":\"claude-opus-6\","
		"\"created\":40},{\"name\":\"claude-sonnet-6-5\",\"created\":30}]", "anthropic",
		"claude-sonnet-6-5");
	assert_default("[{\"name\":\"gemini-3.9-flash\"},{\"name\":\"gemini-3.10-flash\"},"
		"{\"name\":\"gemini-3.11-flash-lite\"},{\"name\":\"gemini-4-pro\"}]", "google",
		"gemini-3.10-flash");
	assert_default("[{\"name\":\"gpt-7-sol\",\"created\":9}]", "openai", "gpt-5.6-terra");
	assert_default("[{\"name\":\"claude-sonnet-6\",\"context_window\":5}]", "anthropic",
		"claude-sonnet-6");
}

static void assert_near(const char *model, const char *wanted)
{
	struct ik_buf near;

	ik_buf_init(&near, SIZE_MAX);
	ik_model_put_near("[{\"name\":\"claude-haiku-4-5\"},{\"name\":\"claude-sonnet-5\"},"
		"{\"name\":\"gpt-6\"},{\"name\":\"gpt-6-mini\"}]", model, &near);
	cr_expect_str_eq(near.data, wanted, "%s: %s", model, near.data);
	ik_buf_done(&near);
}

Test(models, offer_those_near_to_one_that_the_provider_lacks)
{
	assert_near("claude-sonet-5", "claude-sonnet-5");
	assert_near("claude-3-5-haiku-20241022", "claude-haiku-4-5");
	assert_near("gpt-5-mini", "gpt-6-mini");
	assert_near("gpt-5", "gpt-6, gpt-6-mini");
	assert_near("gpt-6", "");
	assert_near("qwen3", "");
	assert_near("4.1", "");
}
