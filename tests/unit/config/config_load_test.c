#include "config/config.h"
#include "util/path.h"
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "../../support/scratch.h"

static char directory[] = SCRATCH_TEMPLATE;

static void make_directory(void)
{
	cr_assert_eq(chdir(scratch_make(directory)), 0);
}

static void remove_directory(void)
{
	cr_assert_eq(chdir("/"), 0);
	scratch_remove(directory);
}

TestSuite(config_load, .init = make_directory, .fini = remove_directory);

/* Lay a text over a configuration. */
static enum ik_status load(struct ik_config *config, const char *text, enum ik_origin origin,
	struct ik_error *error)
{
	cr_assert_eq(ik_file_write("config.json", text, strlen(text), 0600, error), IK_OK);
	error->text[0] = '\0';
	return ik_config_load(config, "config.json", origin, error);
}

static struct ik_config *loaded(const char *text)
{
	struct ik_config *config = ik_config_new();
	struct ik_error error;

	cr_assert_eq(load(config, text, IK_ORIGIN_USER, &error), IK_OK, "%s", error.text);
	return config;
}

Test(config_load, every_key)
{
	struct ik_config *config = loaded("\xef\xbb\xbf// the whole of it\n{\n"
		"\"provider\": \"mine\", \"model\": \"m\", \"system_prompt\": \"p.md\", /* block */\n"
		"\"providers\": {\"mine\": {\"type\": \"openai-chat\", \"base_url\": \"http://x/v1\", \"api_key_env\": \"K\",\n"
		"  \"model\": \"pm\", \"headers\": {\"A\": \"b: c\", \"D\": \"e\"}, \"strict_tools\": false,\n"
		"  \"max_output_tokens\": 5, \"thinking\": \"low\", \"context_window\": 1000,\n"
		"  \"price\": {\"input\": 1.5, \"output\": 3, \"cached\": 0}}, \"other\": {}},\n"
		"\"tools\": {\"enabled\": false, \"system_dir\": \"/s\", \"user_dir\": \"/u\", \"project_dir\": \"p\",\n"
		"  \"scan_timeout_ms\": 2000, \"timeout_s\": 60, \"timeouts\": {\"bash\": 600, \"x\": 1e1},\n"
		"  \"max_output_size\": 2048, \"concurrency\": 8, \"schema_cache\": false, \"watch\": false,\n"
		"  \"disabled\": [\"a\", \"b\"], \"env\": [\"E\"], \"memory_limit_mb\": 512},\n"
		"\"custom_tools\": {\"enabled\": false, \"global_dir\": \"~/g\", \"local_dir\": \"l\", \"timeout\": \"1m30.5s\",\n"
		"  \"max_output_size\": 4096, \"env_whitelist\": []},\n"
		"\"max_tool_turns\": 7, \"database\": \"d.db\", \"retry\": {\"max\": 0, \"base_ms\": 1, \"cap_ms\": 2},\n"
		"\"http\": {\"connect_timeout_s\": 3, \"idle_timeout_s\": 4, \"proxy\": \"http://p\", \"ca_file\": \"c\"},\n"
		"\"ui\": {\"theme\": \"light\", \"mouse\": false, \"show_thinking\": false, \"inspector\": \"open\",\n"
		"  \"markdown\": false, \"language\": \"de\", \"keys\": {\"help\": \"F12\"}},\n"
		"\"policy\": [{\"tool\": \"*\", \"do\": \"ask\"}], \"log\": {\"level\": \"debug\"}}\n");
	const struct ik_provider_config *provider = ik_config_provider(config, "mine");

	cr_assert_eq(config->warnings.count, 0, "%s", config->warnings.count ? config->warnings.items[0] : "");
	cr_assert_str_eq(config->provider, "mine");
	cr_assert_str_eq(config->model, "m");
	cr_assert_str_eq(config->system_prompt, "p.md");
	cr_assert_not_null(provider);
	cr_assert_str_eq(provider->type, "openai-chat");
	cr_assert_str_eq(provider->base_url, "http://x/v1");
	cr_assert_str_eq(provider->api_key_env, "K");
	cr_assert_str_eq(provider->model, "pm");
	cr_assert_eq(provider->headers.count, 2);
	cr_assert_str_eq(provider->headers.items[0], "A: b: c");
	cr_assert_str_eq(provider->headers.items[1], "D: e");
	cr_assert_null(provider->headers.items[2]);
	cr_assert(provider->strict_tools_set && !provider->strict_tools);
	cr_assert_eq(provider->max_output_tokens, 5);
	cr_assert_str_eq(provider->thinking, "low");
	cr_assert_eq(provider->context_window, 1000);
	cr_assert_eq(provider->price_input, 1.5);
	cr_assert_eq(provider->price_output, 3);
	cr_assert_eq(provider->price_cached, 0);
	provider = ik_config_provider(config, "other");
	cr_assert_not_null(provider);
	cr_assert_null(provider->type);
	cr_assert(!provider->strict_tools_set);
	cr_assert_eq(provider->price_input, -1);
	cr_assert(!config->tools_enabled);
	cr_assert_str_eq(config->tools_system_dir, "/s");
	cr_assert_str_eq(config->tools_user_dir, "/u");
	cr_assert_str_eq(config->tools_project_dir, "p");
	cr_assert_eq(config->tools_scan_timeout_ms, 2000);
	cr_assert_eq(config->tools_timeout_s, 60);
	cr_assert_eq(config->tools_timeout_count, 2);
	cr_assert_str_eq(config->tools_timeouts[1].name, "x");
	cr_assert_eq(config->tools_timeouts[1].seconds, 10);
	cr_assert_eq(config->tools_max_output_size, 2048);
	cr_assert_eq(config->tools_concurrency, 8);
	cr_assert(!config->tools_schema_cache && !config->tools_watch);
	cr_assert_eq(config->tools_disabled.count, 2);
	cr_assert_str_eq(config->tools_env.items[0], "E");
	cr_assert_eq(config->tools_memory_limit_mb, 512);
	cr_assert(!config->custom_enabled);
	cr_assert_str_eq(config->custom_global_dir, "~/g");
	cr_assert_str_eq(config->custom_local_dir, "l");
	cr_assert_eq(config->custom_timeout_ms, 90500);
	cr_assert_eq(config->custom_max_output_size, 4096);
	cr_assert_eq(config->custom_env_whitelist.count, 0);
	cr_assert_null(config->custom_env_whitelist.items);
	cr_assert_eq(config->max_tool_turns, 7);
	cr_assert_str_eq(config->database, "d.db");
	cr_assert_eq(config->retry_max, 0);
	cr_assert_eq(config->retry_base_ms, 1);
	cr_assert_eq(config->retry_cap_ms, 2);
	cr_assert_eq(config->http_connect_timeout_s, 3);
	cr_assert_eq(config->http_idle_timeout_s, 4);
	cr_assert_str_eq(config->http_proxy, "http://p");
	cr_assert_str_eq(config->http_ca_file, "c");
	cr_assert_str_eq(config->ui_theme, "light");
	cr_assert(!config->ui_mouse && !config->ui_show_thinking && !config->ui_markdown);
	cr_assert_str_eq(config->ui_inspector, "open");
	cr_assert_str_eq(config->ui_language, "de");
	cr_assert_str_eq(config->ui_keys, "{\"help\": \"F12\"}");
	cr_assert_str_eq(config->policy, "[{\"tool\": \"*\", \"do\": \"ask\"}]");
	cr_assert_str_eq(config->log_level, "debug");
	cr_assert_eq(ik_config_origin(config, "log.level"), IK_ORIGIN_USER);
	cr_assert_eq(ik_config_origin(config, "providers.mine.price.input"), IK_ORIGIN_USER);
	cr_assert_eq(ik_config_origin(config, "providers.other.type"), IK_ORIGIN_DEFAULT);
	ik_config_free(config);
}

static void expect_error(const char *text, const char *sentence)
{
	struct ik_config *config = ik_config_new();
	struct ik_error error;

	cr_assert_eq(load(config, text, IK_ORIGIN_USER, &error), IK_INVALID, "%s", text);
	cr_assert_str_eq(error.text, sentence);
	cr_assert_eq(config->warnings.count, 0);
	ik_config_free(config);
}

Test(config_load, errors_name_file_line_key_value_and_what_is_allowed)
{
	expect_error("{\n\n// seven lines\n\n\n\n\"max_tool_turns\": \"many\"}",
		"config.json:7: \"max_tool_turns\" is \"many\", but must be a whole number from 1 to 10000");
	expect_error("{\"max_tool_turns\": 0}",
		"config.json:1: \"max_tool_turns\" is 0, but must be a whole number from 1 to 10000");
	expect_error("{\"max_tool_turns\": 1.5}",
		"config.json:1: \"max_tool_turns\" is 1.5, but must be a whole number from 1 to 10000");
	expect_error("{\"max_tool_turns\": null}",
		"config.json:1: \"max_tool_turns\" is null, but must be a whole number from 1 to 10000");
	expect_error("{\"tools\": {\"watch\": \"yes\"}}",
		"config.json:1: \"tools.watch\" is \"yes\", but must be true or false");
	expect_error("{\"model\": \"\"}", "config.json:1: \"model\" is \"\", but must be a string that is not empty");
	expect_error("{\"model\": \"a\\u0000b\"}",
		"config.json:1: \"model\" is \"a\\u0000b\", but must be a string that is not empty");
	expect_error("{\"model\": 4}", "config.json:1: \"model\" is 4, but must be a string that is not empty");
	expect_error("{\"log\": {\"level\": \"all\"}}",
		"config.json:1: \"log.level\" is \"all\", but must be \"off\", \"error\", \"info\" or \"debug\"");
	expect_error("{\"tools\": {\"disabled\": [\"a\",\n 5]}}",
		"config.json:1: \"tools.disabled\" is [\"a\", 5], but must be a list of strings that are not empty");
	expect_error("{\"tools\": {\"disabled\": \"a\"}}",
		"config.json:1: \"tools.disabled\" is \"a\", but must be a list of strings that are not empty");
	expect_error("{\"tools\": {\"timeouts\": {\"bash\": 3601}}}",
		"config.json:1: \"tools.timeouts\" is {\"bash\": 3601}, but must be an object of whole numbers from 1 to 3600, "
		"{\"NAME\": SECONDS}");
	expect_error("{\"custom_tools\": {\"timeout\": 30}}",
		"config.json:1: \"custom_tools.timeout\" is 30, but must be a time like \"30s\" or \"1m30s\", from 1ms to 1h");
	expect_error("{\"custom_tools\": {\"timeout\": \"30\"}}",
		"config.json:1: \"custom_tools.timeout\" is \"30\", but must be a time like \"30s\" or \"1m30s\", from 1ms to 1h");
	expect_error("{\"tools\": []}", "config.json:1: \"tools\" is [], but must be an object");
	expect_error("{\"providers\": []}", "config.json:1: \"providers\" is [], but must be an object");
	expect_error("{\"providers\": {\"x\": 5}}", "config.json:1: \"providers.x\" is 5, but must be an object");
	expect_error("{\"providers\": {\n\"x\": {\"type\": \"openia\"}}}",
		"config.json:2: \"providers.x.type\" is \"openia\", but must be \"openai-chat\", \"openai-responses\", "
		"\"anthropic\", \"google\" or \"practice\"");
	expect_error("{\"providers\": {\"x\": {\"price\": {\"input\": -1}}}}",
		"config.json:1: \"providers.x.price.input\" is -1, but must be a number, 0 or more");
	expect_error("{\"providers\": {\"x\": {\"price\": 5}}}",
		"config.json:1: \"providers.x.price\" is 5, but must be an object");
	expect_error("{\"providers\": {\"x\": {\"headers\": {\"A\": \"b\\r\\nC: d\"}}}}",
		"config.json:1: \"providers.x.headers\" is {\"A\": \"b\\r\\nC: d\"}, but must be an object of strings, "
		"{\"Name\": \"value\"}");
	expect_error("{\"policy\": {}}", "config.json:1: \"policy\" is {}, but must be a list of rules, "
		"[{\"tool\": \"bash\", \"do\": \"ask\"}]");
	expect_error("{\"ui\": {\"keys\": []}}", "config.json:1: \"ui.keys\" is [], but must be an object of actions, {\"help\": \"F1, Alt-1\"}");
	expect_error("{\"policy\": [\n{\"tool\": \"*\", \"do\": \"ask\"},\n7]}",
		"config.json:3: \"policy\", rule 2: it must be an object with \"tool\" and \"do\"");
	expect_error("{\"policy\": [{\"do\": \"ask\"}]}",
		"config.json:1: \"policy\", rule 1: \"tool\" is missing: the name of the tool, or \"*\"");
	expect_error("{\"policy\": [{\"tool\": \"*\"}]}",
		"config.json:1: \"policy\", rule 1: \"do\" is missing: \"allow\", \"ask\" or \"deny\"");
	expect_error("{\"policy\": [{\"tool\": \"*\", \n\"do\": \"alow\"}]}",
		"config.json:2: \"policy\", rule 1: \"do\" must be \"allow\", \"ask\" or \"deny\"");
	expect_error("{\"policy\": [{\"tool\": \"*\", \"do\": \"ask\", \"arg\": {}}]}",
		"config.json:1: \"policy\", rule 1: \"arg\" is unknown; a rule has \"tool\", \"args\" and \"do\"");
	expect_error("{\"policy\": [{\"tool\": \"*\", \"args\": [], \"do\": \"ask\"}]}",
		"config.json:1: \"policy\", rule 1: \"args\" must be an object, {NAME: GLOB}");
	expect_error("{\"policy\": [{\"tool\": \"*\", \"args\": {\"a\": 1}, \"do\": \"ask\"}]}",
		"config.json:1: \"policy\", rule 1: \"a\" must be a string that is not empty: "
		"what the argument looks like");
	expect_error("{\"policy\": [{\"tool\": \"*\", \"tool\": \"b\", \"do\": \"ask\"}]}",
		"config.json:1: \"policy\", rule 1: \"tool\" must be there only once");
	expect_error("[]", "config.json: must be a JSON object, but is: array");
	expect_error("{\n\"a\": }", "config.json: line 2, column 6: found '}', expected a value");
}

static void expect_warning(const char *text, enum ik_origin origin, const char *sentence)
{
	struct ik_config *config = ik_config_new();
	struct ik_error error;

	cr_assert_eq(load(config, text, origin, &error), IK_OK, "%s", error.text);
	cr_assert_eq(config->warnings.count, 1);
	cr_assert_str_eq(config->warnings.items[0], sentence);
	ik_config_free(config);
}

Test(config_load, unknown_keys_are_warned_of)
{
	expect_warning("{\n\"modle\": 5}", IK_ORIGIN_USER,
		"config.json:2: \"modle\" is unknown; did you mean \"model\"?");
	expect_warning("{\"tool\": {}}", IK_ORIGIN_USER, "config.json:1: \"tool\" is unknown; did you mean \"tools\"?");
	expect_warning("{\"provider s\": {}}", IK_ORIGIN_USER,
		"config.json:1: \"provider s\" is unknown; did you mean \"providers\"?");
	expect_warning("{\"tools\": {\"wach\": {}}}", IK_ORIGIN_USER,
		"config.json:1: \"tools.wach\" is unknown; did you mean \"tools.watch\"?");
	expect_warning("{\"providers\": {\"x\": {\"base-url\": \"y\"}}}", IK_ORIGIN_USER,
		"config.json:1: \"providers.x.base-url\" is unknown; did you mean \"providers.x.base_url\"?");
	expect_warning("{\"temperature\": 1}", IK_ORIGIN_USER, "config.json:1: \"temperature\" is unknown");
	expect_warning("{\"model\": \"a\", \"model\": 5}", IK_ORIGIN_USER,
		"config.json:1: \"model\" is there more than once; the first one counts");
}

Test(config_load, a_project_may_not_say_everything)
{
	expect_warning("{\"providers\": {\"x\": {\"base_url\": \"http://evil\"}}}", IK_ORIGIN_PROJECT,
		"config.json:1: \"providers\" is left out: a project's file may not set it");
	expect_warning("{\"database\": \"x\"}", IK_ORIGIN_PROJECT,
		"config.json:1: \"database\" is left out: a project's file may not set it");
	expect_warning("{\"custom_tools\": {\"local_dir\": 5}}", IK_ORIGIN_PROJECT,
		"config.json:1: \"custom_tools.local_dir\" is left out: a project's file may not set it");
}

Test(config_load, what_is_left_out_has_no_effect)
{
	struct ik_config *config = ik_config_new();
	struct ik_error error;

	cr_assert_eq(load(config, "{\"database\": \"x\", \"model\": \"m\", \"providers\": {\"x\": {}}, \"policy\": []}",
		IK_ORIGIN_PROJECT, &error), IK_OK);
	cr_assert_null(config->database);
	cr_assert_null(config->policy);
	cr_assert_eq(config->provider_count, 0);
	cr_assert_str_eq(config->model, "m");
	cr_assert_eq(config->warnings.count, 3);
	cr_assert_null(config->warnings.items[3]);
	ik_config_free(config);
}

Test(config_load, later_files_win_key_by_key)
{
	struct ik_config *config = loaded("{\"model\": \"a\", \"max_tool_turns\": 3, \"tools\": {\"timeouts\": {\"x\": 1, \"y\": 2},"
		"\"disabled\": [\"p\", \"q\"]}, \"providers\": {\"x\": {\"model\": \"m\", \"base_url\": \"u\"}}}");
	struct ik_error error;

	cr_assert_eq(load(config, "{\"model\": \"b\", \"tools\": {\"timeouts\": {\"y\": 3, \"z\": 4}, \"disabled\": [\"r\"]},"
		"\"providers\": {\"y\": {}, \"x\": {\"model\": \"n\"}}}", IK_ORIGIN_OPTION, &error), IK_OK);
	cr_assert_str_eq(config->model, "b");
	cr_assert_eq(config->max_tool_turns, 3);
	cr_assert_eq(config->tools_timeout_count, 3);
	cr_assert_eq(config->tools_timeouts[1].seconds, 3);
	cr_assert_eq(config->tools_disabled.count, 1);
	cr_assert_str_eq(config->tools_disabled.items[0], "r");
	cr_assert_eq(config->provider_count, 2);
	cr_assert_str_eq(ik_config_provider(config, "x")->model, "n");
	cr_assert_str_eq(ik_config_provider(config, "x")->base_url, "u");
	cr_assert_eq(ik_config_origin(config, "model"), IK_ORIGIN_OPTION);
	cr_assert_eq(ik_config_origin(config, "max_tool_turns"), IK_ORIGIN_USER);
	cr_assert_eq(ik_config_origin(config, "providers.x.base_url"), IK_ORIGIN_USER);
	cr_assert_eq(ik_config_origin(config, "providers.x.model"), IK_ORIGIN_OPTION);
	ik_config_free(config);
}

Test(config_load, missing_and_empty_files_are_fine)
{
	struct ik_config *config = ik_config_new();
	struct ik_error error;

	cr_assert_eq(ik_config_load(config, "none.json", IK_ORIGIN_USER, &error), IK_OK);
	cr_assert_eq(ik_config_load(config, "none/none.json", IK_ORIGIN_USER, &error), IK_OK);
	cr_assert_eq(load(config, "", IK_ORIGIN_USER, &error), IK_OK);
	cr_assert_eq(load(config, " \n// nothing\n", IK_ORIGIN_USER, &error), IK_OK);
	cr_assert_eq(load(config, "{}", IK_ORIGIN_USER, &error), IK_OK);
	ik_config_free(config);
}

Test(config_load, what_cannot_be_read_is_an_error)
{
	struct ik_config *config = ik_config_new();
	struct ik_error error;
	char *large = calloc(1, 1100000);

	cr_assert_eq(mkdir("folder.json", 0700), 0);
	cr_assert_neq(ik_config_load(config, "folder.json", IK_ORIGIN_USER, &error), IK_OK);
	cr_assert_str_eq(error.text, "cannot read folder.json: it is a directory");
	memset(large, ' ', 1099999);
	cr_assert_eq(load(config, large, IK_ORIGIN_USER, &error), IK_TOO_LARGE);
	cr_assert_not_null(strstr(error.text, "config.json"));
	if (geteuid() != 0) { /* root may read everything */
		cr_assert_eq(ik_file_write("secret.json", "{}", 2, 0000, &error), IK_OK);
		cr_assert_eq(ik_config_load(config, "secret.json", IK_ORIGIN_USER, &error), IK_DENIED);
		cr_assert_not_null(strstr(error.text, "secret.json"));
	}
	free(large);
	ik_config_free(config);
}
