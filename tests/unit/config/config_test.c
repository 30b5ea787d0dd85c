#include "config/config.h"
#include "config/config_keys.h"
#include "json/scan.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

Test(config, defaults)
{
	struct ik_config *config = ik_config_new();

	cr_assert_null(config->provider);
	cr_assert_null(config->database);
	cr_assert_null(config->policy);
	cr_assert(config->tools_enabled && config->tools_schema_cache && config->tools_watch);
	cr_assert_eq(config->tools_scan_timeout_ms, 1000);
	cr_assert_eq(config->tools_timeout_s, 30);
	cr_assert_eq(config->tools_max_output_size, 65536);
	cr_assert_eq(config->tools_concurrency, 4);
	cr_assert_eq(config->tools_memory_limit_mb, 0);
	cr_assert(config->custom_enabled);
	cr_assert_str_eq(config->custom_global_dir, "~/.kodelet/tools");
	cr_assert_str_eq(config->custom_local_dir, "./kodelet-tools");
	cr_assert_eq(config->custom_timeout_ms, 30000);
	cr_assert_eq(config->custom_max_output_size, 1048576);
	cr_assert_eq(config->custom_env_whitelist.count, 3);
	cr_assert_str_eq(config->custom_env_whitelist.items[2], "USER");
	cr_assert_eq(config->max_tool_turns, 50);
	cr_assert_eq(config->retry_max, 4);
	cr_assert_eq(config->retry_base_ms, 500);
	cr_assert_eq(config->retry_cap_ms, 20000);
	cr_assert_str_eq(config->ui_theme, "auto");
	cr_assert_eq(ik_config_origin(config, "max_tool_turns"), IK_ORIGIN_DEFAULT);
	cr_assert_null(ik_config_free(config));
	cr_assert_null(ik_config_free(NULL));
}

static void expect_set(const char *key, const char *value, const char *sentence)
{
	struct ik_config *config = ik_config_new();
	struct ik_error error = { .text = "" };
	enum ik_status status = ik_config_set(config, key, value, IK_ORIGIN_OPTION, "--it", &error);

	cr_assert_str_eq(error.text, sentence ? sentence : "");
	cr_assert_eq(status == IK_OK, sentence == NULL);
	cr_assert_eq(ik_config_origin(config, key), sentence ? IK_ORIGIN_DEFAULT : IK_ORIGIN_OPTION);
	ik_config_free(config);
}

Test(config, set_takes_plain_text)
{
	expect_set("model", "5", NULL);
	expect_set("model", "\"quoted\"", NULL);
	expect_set("max_tool_turns", "10000", NULL);
	expect_set("max_tool_turns", "10001", "--it is 10001, but must be a whole number from 1 to 10000");
	expect_set("max_tool_turns", "many", "--it is \"many\", but must be a whole number from 1 to 10000");
	expect_set("max_tool_turns", "", "--it is \"\", but must be a whole number from 1 to 10000");
	expect_set("tools.watch", "off", NULL);
	expect_set("tools.watch", "TRUE", "--it is \"TRUE\", but must be true or false");
	expect_set("tools.disabled", "[\"a\"]", NULL);
	expect_set("tools.disabled", "a", "--it is \"a\", but must be a list of strings that are not empty");
	expect_set("custom_tools.timeout", "2h", "--it is \"2h\", but must be a time like \"30s\" or \"1m30s\", from 1ms to 1h");
	expect_set("custom_tools.timeout", "1.5m", NULL);
	expect_set("providers.my.host.base_url", "http://x", NULL);
	expect_set("providers.x.price.input", "0.25", NULL);
	expect_set("model", "", "--it is \"\", but must be a string that is not empty");
	expect_set("nothing", "x", "--it: there is no key \"nothing\" in the configuration");
	expect_set("providers.base_url", "x", "--it: there is no key \"providers.base_url\" in the configuration");
	expect_set("tools", "{}", "--it: there is no key \"tools\" in the configuration");
}

Test(config, set_stores_exactly)
{
	struct ik_config *config = ik_config_new();
	struct ik_error error;

	cr_assert_eq(ik_config_set(config, "model", "\"quoted\"", IK_ORIGIN_OPTION, "-m", &error), IK_OK);
	cr_assert_str_eq(config->model, "\"quoted\"");
	cr_assert_eq(ik_config_set(config, "model", "5", IK_ORIGIN_OPTION, "-m", &error), IK_OK);
	cr_assert_str_eq(config->model, "5");
	cr_assert_eq(ik_config_set(config, "providers.my.host.base_url", "http://x", IK_ORIGIN_OPTION, "-b", &error), IK_OK);
	cr_assert_str_eq(ik_config_provider(config, "my.host")->base_url, "http://x");
	cr_assert_eq(ik_config_set(config, "tools.watch", "No", IK_ORIGIN_OPTION, "-w", &error), IK_OK);
	cr_assert(!config->tools_watch);
	ik_config_free(config);
}

Test(config, durations)
{
	static const struct {
		const char *text;
		int64_t milliseconds;
	} cases[] = {
		{ "30s", 30000 }, { "1m30s", 90000 }, { "1.5m", 90000 }, { "250ms", 250 }, { "1h", 3600000 }, { "0.5s", 500 },
		{ "1000us", 1 }, { "1000\xc2\xb5s", 1 }, { "1000000ns", 1 }, { ".5s", 500 }, { "5.s", 5000 },
	};
	static const char *const wrong[] = { "", "s", "5", "5 s", "-5s", "5x", "5s ", "1h1ms", ".s", "1e3s", "0s", "999us" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ik_config *config = ik_config_new();
		struct ik_error error = { .text = "" };

		cr_assert_eq(ik_config_set(config, "custom_tools.timeout", cases[i].text, IK_ORIGIN_USER, "x", &error), IK_OK,
			"%s", cases[i].text);
		cr_assert_eq(config->custom_timeout_ms, cases[i].milliseconds, "%s", cases[i].text);
		ik_config_free(config);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ik_config *config = ik_config_new();

		cr_assert_eq(ik_config_set(config, "custom_tools.timeout", wrong[i], IK_ORIGIN_USER, "x", NULL), IK_INVALID,
			"%s", wrong[i]);
		cr_assert_eq(config->custom_timeout_ms, 30000);
		ik_config_free(config);
	}
}

Test(config, environment)
{
	struct ik_config *config = ik_config_new();
	struct ik_error error = { .text = "" };

	clearenv();
	setenv("IKIGAI_MODEL", "from-the-environment", 1);
	setenv("IKIGAI_PROVIDER", "", 1);
	setenv("OPENAI_BASE_URL", "http://localhost/v1", 1);
	cr_assert_eq(ik_config_environment(config, &error), IK_OK, "%s", error.text);
	cr_assert_str_eq(config->model, "from-the-environment");
	cr_assert_eq(ik_config_origin(config, "model"), IK_ORIGIN_ENVIRONMENT);
	cr_assert_null(config->provider);
	cr_assert_str_eq(ik_config_provider(config, "openai")->base_url, "http://localhost/v1");
	setenv("IKIGAI_MAX_TOOL_TURNS", "x", 1);
	cr_assert_eq(ik_config_environment(config, &error), IK_INVALID);
	cr_assert_str_eq(error.text, "IKIGAI_MAX_TOOL_TURNS is \"x\", but must be a whole number from 1 to 10000");
	ik_config_free(config);
}

static void set(struct ik_config *config, const char *key, const char *value)
{
	struct ik_error error = { .text = "" };

	cr_assert_eq(ik_config_set(config, key, value, IK_ORIGIN_USER, key, &error), IK_OK, "%s", error.text);
}

Test(config, prints_every_key_and_no_secret)
{
	struct ik_config *config = ik_config_new();
	struct ik_json_span root, entry;
	struct ik_error error;
	struct ik_buf out;

	set(config, "database", "postgresql://me:hunter2@host/db?password=hunter2&x=1");
	set(config, "http.proxy", "http://me:hunter2@proxy:3128/");
	set(config, "providers.x.headers", "{\"Authorization\": \"Bearer hunter2\"}");
	set(config, "providers.x.base_url", "http://host:8080/v1");
	set(config, "policy", "[ {\"tool\": \"*\", \"do\": \"ask\"} ]");
	set(config, "tools.timeouts", "{\"bash\": 5}");
	ik_buf_init(&out, 100000);
	ik_config_print(config, true, &out);
	cr_assert_null(strstr(out.data, "hunter2"));
	cr_assert_eq(ik_json_check(out.data, out.length, &root, &error), IK_OK, "%s", error.text);
	cr_assert_eq(ik_json_count(root), ik_config_keys.count + 2);
	entry = ik_json_member(root, "database");
	cr_assert(ik_json_string_is(ik_json_member(entry, "value"), "postgresql://me:***@host/db?password=***&x=1"));
	cr_assert(ik_json_string_is(ik_json_member(entry, "origin"), "user"));
	entry = ik_json_member(ik_json_member(root, "providers.x.base_url"), "value");
	cr_assert(ik_json_string_is(entry, "http://host:8080/v1"));
	entry = ik_json_member(ik_json_member(root, "custom_tools.env_whitelist"), "value");
	cr_assert_eq(ik_json_count(entry), 3);
	cr_assert_eq(ik_json_span_type(ik_json_member(ik_json_member(root, "model"), "value")), IK_JSON_NULL);
	ik_buf_clear(&out);
	ik_config_print(config, false, &out);
	cr_assert_null(strstr(out.data, "hunter2"));
	cr_assert_not_null(strstr(out.data, "\nmax_tool_turns = 50 (default)\n"));
	cr_assert_not_null(strstr(out.data, "\nproviders.x.headers = [\"Authorization: ***\"] (user)\n"));
	cr_assert_not_null(strstr(out.data, "\ntools.timeouts = {\"bash\":5} (user)\n"));
	ik_buf_done(&out);
	ik_config_free(config);
}
