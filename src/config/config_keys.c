#include "config/config_keys.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/redact.h"
#include "util/text.h"

#define FIELD(member) offsetof(struct ik_config, member)
#define PROVIDER_FIELD(member) offsetof(struct ik_provider_config, member)

static const char *const wire_formats[] = { "openai-chat", "openai-responses", "anthropic",
	"google", "practice", NULL };
/* clang-format off */
static const char *const thinking_levels[] = { "off", "minimal", "low", "medium", "high",
	"xhigh", "max", NULL };
static const char *const cache_ttls[] = { "off", "5m", "1h", NULL };
static const char *const inspector_states[] = { "open", "closed", NULL };
static const char *const picture_ways[] = { "auto", "cells", "off", NULL };
static const char *const editing_styles[] = { "emacs", "vi", NULL };
static const char *const modes[] = { "auto", "ask", "read-only", NULL };
static const char *const tool_offers[] = { "schemas", "names", NULL };
static const char *const sandbox_modes[] = { "off", "project", "read-only", NULL };
static const char *const log_levels[] = { "off", "error", "info", "debug", NULL };

/* A project file may not set anything that names an executable, a server or a secret. */
static const struct ik_config_key keys[] = {
	{ .name = "provider", .type = IK_KEY_TEXT, .offset = FIELD(provider), .project = true,
		.variable = "IKIGAI_PROVIDER",
		.meaning = N_("provider of the model: openai, anthropic, google, practice, or one of providers") },
	{ .name = "model", .type = IK_KEY_TEXT, .offset = FIELD(model), .project = true,
		.variable = "IKIGAI_MODEL", .meaning = N_("name of the model, as the provider calls it") },
	{ .name = "system_prompt", .type = IK_KEY_TEXT, .offset = FIELD(system_prompt), .project = true,
		.meaning = N_("file with the system prompt") },
	{ .name = "tools.enabled", .type = IK_KEY_BOOL, .offset = FIELD(tools_enabled),
		.standard = "true", .project = true, .meaning = N_("whether the model gets tools at all") },
	{ .name = "tools.system_dir", .type = IK_KEY_TEXT, .offset = FIELD(tools_system_dir),
		.meaning = N_("directory of the tools that come with the program") },
	{ .name = "tools.user_dir", .type = IK_KEY_TEXT, .offset = FIELD(tools_user_dir),
		.meaning = N_("directory of your own tools") },
	{ .name = "tools.project_dir", .type = IK_KEY_TEXT, .offset = FIELD(tools_project_dir),
		.meaning = N_("directory of a project's tools, within the project") },
	{ .name = "tools.scan_timeout_ms", .type = IK_KEY_INTEGER, .offset = FIELD(tools_scan_timeout_ms),
		.standard = "1000", .least = 10, .most = 60000, .project = true,
		.meaning = N_("milliseconds in which a tool must print its schema") },
	{ .name = "tools.timeout_s", .type = IK_KEY_INTEGER, .offset = FIELD(tools_timeout_s),
		.standard = "30", .least = 1, .most = 3600, .project = true,
		.meaning = N_("seconds after which a running tool is ended") },
	{ .name = "tools.timeouts", .type = IK_KEY_TIMEOUTS, .offset = FIELD(tools_timeouts),
		.least = 1, .most = 3600, .project = true,
		.meaning = N_("the same for single tools: {\"NAME\": SECONDS}") },
	{ .name = "tools.max_output_size", .type = IK_KEY_INTEGER, .offset = FIELD(tools_max_output_size),
		.standard = "65536", .least = 1024, .most = 67108864, .project = true,
		.meaning = N_("bytes of a tool's output that the model gets at most") },
	{ .name = "tools.concurrency", .type = IK_KEY_INTEGER, .offset = FIELD(tools_concurrency),
		.standard = "4", .least = 1, .most = 64, .project = true,
		.meaning = N_("tools that run at the same time at most") },
	{ .name = "tools.schema_cache", .type = IK_KEY_BOOL, .offset = FIELD(tools_schema_cache),
		.standard = "true", .project = true,
		.meaning = N_("whether schemas of unchanged tools are remembered") },
	{ .name = "tools.watch", .type = IK_KEY_BOOL, .offset = FIELD(tools_watch),
		.standard = "true", .project = true,
		.meaning = N_("whether changes in the directories of tools are noticed at once") },
	{ .name = "tools.undo", .type = IK_KEY_BOOL, .offset = FIELD(tools_undo),
		.standard = "true",
		.meaning = N_("whether files are kept before tools write them, for /undo") },
	{ .name = "tools.offer", .type = IK_KEY_CHOICE, .offset = FIELD(tools_offer),
		.standard = "\"schemas\"", .choices = tool_offers,
		.meaning = N_("what the model is told of tools: all, or their names as commands of bash") },
	{ .name = "tools.disabled", .type = IK_KEY_LIST, .offset = FIELD(tools_disabled), .project = true,
		.meaning = N_("names of tools that are not offered to the model") },
	{ .name = "tools.env", .type = IK_KEY_LIST, .offset = FIELD(tools_env),
		.meaning = N_("further variables that tools get from the environment") },
	{ .name = "tools.memory_limit_mb", .type = IK_KEY_INTEGER, .offset = FIELD(tools_memory_limit_mb),
		.standard = "0", .least = 0, .most = 16777216, .project = true,
		.meaning = N_("megabytes of address space that each process of a tool may take; 0: no limit") },
	{ .name = "skills.enabled", .type = IK_KEY_BOOL, .offset = FIELD(skills_enabled),
		.standard = "true", .project = true,
		.meaning = N_("whether skills are offered to the model, and to you as commands") },
	{ .name = "custom_tools.enabled", .type = IK_KEY_BOOL, .offset = FIELD(custom_enabled),
		.standard = "true", .project = true, .meaning = N_("whether Kodelet's custom tools are used") },
	{ .name = "custom_tools.global_dir", .type = IK_KEY_TEXT, .offset = FIELD(custom_global_dir),
		.standard = "\"~/.kodelet/tools\"", .meaning = N_("directory of your custom tools") },
	{ .name = "custom_tools.local_dir", .type = IK_KEY_TEXT, .offset = FIELD(custom_local_dir),
		.standard = "\"./kodelet-tools\"", .meaning = N_("directory of a project's custom tools") },
	{ .name = "custom_tools.timeout", .type = IK_KEY_DURATION, .offset = FIELD(custom_timeout_ms),
		.standard = "\"30s\"", .least = 1, .most = 3600000, .project = true,
		.meaning = N_("time after which a running custom tool is ended") },
	{ .name = "custom_tools.max_output_size", .type = IK_KEY_INTEGER,
		.offset = FIELD(custom_max_output_size), .standard = "1048576", .least = 1024,
		.most = 67108864, .project = true,
		.meaning = N_("bytes of a custom tool's output that are taken at most") },
	{ .name = "custom_tools.env_whitelist", .type = IK_KEY_LIST, .offset = FIELD(custom_env_whitelist),
		.standard = "[\"PATH\",\"HOME\",\"USER\"]",
		.meaning = N_("the only variables that custom tools get from the environment") },
	{ .name = "hooks.claude", .type = IK_KEY_BOOL, .offset = FIELD(hooks_claude),
		.standard = "false",
		.meaning = N_("whether hooks in Claude Code's settings.json are run, too") },
	{ .name = "max_tool_turns", .type = IK_KEY_INTEGER, .offset = FIELD(max_tool_turns),
		.standard = "50", .least = 1, .most = 10000, .project = true,
		.variable = "IKIGAI_MAX_TOOL_TURNS",
		.meaning = N_("rounds of tool calls in one turn at most") },
	{ .name = "compact_at", .type = IK_KEY_INTEGER, .offset = FIELD(compact_at), .standard = "80",
		.least = 0, .most = 100, .project = true,
		.meaning = N_("percent of the context window at which the conversation is compacted; 0: never") },
	{ .name = "database", .type = IK_KEY_TEXT, .offset = FIELD(database),
		.variable = "IKIGAI_DATABASE",
		.meaning = N_("where conversations are kept: a file for SQLite, or postgresql://...") },
	{ .name = "database_timeout_s", .type = IK_KEY_INTEGER, .offset = FIELD(database_timeout_s),
		.standard = "20", .least = 1, .most = 3600,
		.meaning = N_("seconds that a PostgreSQL server may take over a statement") },
	{ .name = "keep.sessions_days", .type = IK_KEY_INTEGER, .offset = FIELD(keep_sessions_days),
		.standard = "0", .least = 0, .most = 36500,
		.meaning = N_("days after which a chat deletes sessions that were not used; 0: never") },
	{ .name = "keep.undo_days", .type = IK_KEY_INTEGER, .offset = FIELD(keep_undo_days),
		.standard = "30", .least = 1, .most = 36500,
		.meaning = N_("days that what /undo needs of a session that is not used is kept") },
	{ .name = "keep.outputs_mb", .type = IK_KEY_INTEGER, .offset = FIELD(keep_outputs_mb),
		.standard = "256", .least = 1, .most = 1048576,
		.meaning = N_("megabytes of the full texts of results that were cut, at most") },
	{ .name = "keep.history_mb", .type = IK_KEY_INTEGER, .offset = FIELD(keep_history_mb),
		.standard = "8", .least = 1, .most = 1024,
		.meaning = N_("megabytes of the history of sent messages, at most") },
	{ .name = "retry.max", .type = IK_KEY_INTEGER, .offset = FIELD(retry_max), .standard = "4",
		.least = 0, .most = 100, .project = true,
		.meaning = N_("how often a failed request is tried again") },
	{ .name = "retry.base_ms", .type = IK_KEY_INTEGER, .offset = FIELD(retry_base_ms),
		.standard = "500", .least = 1, .most = 60000, .project = true,
		.meaning = N_("milliseconds before the first new attempt; each next one waits twice as long") },
	{ .name = "retry.cap_ms", .type = IK_KEY_INTEGER, .offset = FIELD(retry_cap_ms),
		.standard = "20000", .least = 1, .most = 3600000, .project = true,
		.meaning = N_("milliseconds between two attempts at most") },
	{ .name = "http.connect_timeout_s", .type = IK_KEY_INTEGER, .offset = FIELD(http_connect_timeout_s),
		.standard = "15", .least = 1, .most = 600, .project = true,
		.meaning = N_("seconds in which a connection must be made") },
	{ .name = "http.idle_timeout_s", .type = IK_KEY_INTEGER, .offset = FIELD(http_idle_timeout_s),
		.standard = "300", .least = 1, .most = 86400, .project = true,
		.meaning = N_("seconds without a byte after which a reply is given up") },
	{ .name = "http.proxy", .type = IK_KEY_TEXT, .offset = FIELD(http_proxy),
		.meaning = N_("proxy for all requests") },
	{ .name = "http.ca_file", .type = IK_KEY_TEXT, .offset = FIELD(http_ca_file),
		.meaning = N_("file of certificates to trust in place of the system's") },
	{ .name = "ui.theme", .type = IK_KEY_TEXT, .offset = FIELD(ui_theme), .standard = "\"auto\"",
		.project = true, .meaning = N_("colours of the screen") },
	{ .name = "ui.mouse", .type = IK_KEY_BOOL, .offset = FIELD(ui_mouse), .standard = "true",
		.project = true, .meaning = N_("whether wheel and clicks are for the program") },
	{ .name = "ui.show_thinking", .type = IK_KEY_BOOL, .offset = FIELD(ui_show_thinking),
		.standard = "true", .project = true,
		.meaning = N_("whether to show what a model thinks: its last rows while it thinks, then a row "
			"that opens") },
	{ .name = "ui.tool_output", .type = IK_KEY_INTEGER, .offset = FIELD(ui_tool_output),
		.standard = "6", .least = 0, .most = 1000, .project = true,
		.meaning = N_("lines of a command's output that are shown before the call is opened") },
	{ .name = "ui.prose_width", .type = IK_KEY_INTEGER, .offset = FIELD(ui_prose_width),
		.standard = "100", .least = 0, .most = 10000, .project = true,
		.meaning = N_("columns that text takes at most, unless it is code or a table; 0: no limit") },
	{ .name = "ui.inspector", .type = IK_KEY_CHOICE, .offset = FIELD(ui_inspector),
		.standard = "\"closed\"", .choices = inspector_states, .project = true,
		.meaning = N_("whether the tool inspector is open at the start") },
	{ .name = "ui.editing", .type = IK_KEY_CHOICE, .offset = FIELD(ui_editing),
		.standard = "\"emacs\"", .choices = editing_styles,
		.meaning = N_("whose keys the prompt has") },
	{ .name = "ui.markdown", .type = IK_KEY_BOOL, .offset = FIELD(ui_markdown), .standard = "true",
		.project = true, .meaning = N_("whether replies are shown as Markdown") },
	{ .name = "ui.screen_reader", .type = IK_KEY_BOOL, .offset = FIELD(ui_screen_reader),
		.standard = "false",
		.meaning = N_("whether the chat is plain lines, for screen readers and braille displays") },
	{ .name = "ui.notify", .type = IK_KEY_TEXT, .offset = FIELD(ui_notify), .standard = "\"auto\"",
		.meaning = N_("how you are notified while another window has focus: auto, off, or a program") },
	{ .name = "ui.status_command", .type = IK_KEY_TEXT, .offset = FIELD(ui_status_command),
		.meaning = N_("shell command that prints a line for the status bar") },
	{ .name = "ui.paste_image", .type = IK_KEY_TEXT, .offset = FIELD(ui_paste_image),
		.meaning = N_("shell command that prints the picture on the clipboard") },
	{ .name = "ui.pictures", .type = IK_KEY_CHOICE, .offset = FIELD(ui_pictures),
		.standard = "\"auto\"", .choices = picture_ways, .project = true,
		.meaning = N_("how pictures are drawn: as the terminal can, in half blocks, or not") },
	{ .name = "ui.title", .type = IK_KEY_BOOL, .offset = FIELD(ui_title), .standard = "true",
		.project = true, .meaning = N_("whether the terminal's title is the session's") },
	{ .name = "ui.progress", .type = IK_KEY_BOOL, .offset = FIELD(ui_progress),
		.standard = "true", .project = true,
		.meaning = N_("whether the terminal shows that something is at work") },
	{ .name = "ui.marks", .type = IK_KEY_BOOL, .offset = FIELD(ui_marks), .standard = "true",
		.project = true,
		.meaning = N_("whether the terminal can jump between your messages (plain lines only)") },
	{ .name = "ui.language", .type = IK_KEY_TEXT, .offset = FIELD(ui_language), .project = true,
		.meaning = N_("language of the screen, where it is not the locale's") },
	{ .name = "ui.keys", .type = IK_KEY_BINDINGS, .offset = FIELD(ui_keys),
		.meaning = N_("keys for actions: {\"ACTION\": \"KEY, KEY\"}") },
	{ .name = "mode", .type = IK_KEY_CHOICE, .offset = FIELD(mode), .standard = "\"auto\"",
		.choices = modes, .meaning = N_("which tool calls are made when a chat starts") },
	{ .name = "policy", .type = IK_KEY_RULES, .offset = FIELD(policy),
		.meaning = N_("which tool calls are allowed, asked about or denied") },
	{ .name = "sandbox.mode", .type = IK_KEY_CHOICE, .offset = FIELD(sandbox_mode),
		.standard = "\"off\"", .choices = sandbox_modes, .variable = "IKIGAI_SANDBOX",
		.meaning = N_("where tools may write, by the kernel's word") },
	{ .name = "sandbox.write", .type = IK_KEY_LIST, .offset = FIELD(sandbox_write),
		.meaning = N_("further places where they may write in the mode project") },
	{ .name = "sandbox.hide", .type = IK_KEY_LIST, .offset = FIELD(sandbox_hide),
		.meaning = N_("places that no tool may read or write, in any mode") },
	{ .name = "sandbox.network", .type = IK_KEY_BOOL, .offset = FIELD(sandbox_network),
		.standard = "true", .meaning = N_("whether tools may use the network, and other sockets") },
	{ .name = "sandbox.rules", .type = IK_KEY_BOOL, .offset = FIELD(sandbox_rules),
		.standard = "true",
		.meaning = N_("whether the kernel, too, holds rules of policy that deny a place") },
	{ .name = "sandbox.except", .type = IK_KEY_LIST, .offset = FIELD(sandbox_except),
		.meaning = N_("names of tools that run outside of the sandbox") },
	{ .name = "log.level", .type = IK_KEY_CHOICE, .offset = FIELD(log_level), .standard = "\"error\"",
		.choices = log_levels, .project = true, .variable = "IKIGAI_LOG_LEVEL",
		.meaning = N_("what is written to the log") },
};
/* clang-format on */

/* clang-format off */
static const struct ik_config_key provider_keys[] = {
	{ .name = "type", .type = IK_KEY_CHOICE, .offset = PROVIDER_FIELD(type), .choices = wire_formats,
		.meaning = N_("how the server is spoken to") },
	{ .name = "base_url", .type = IK_KEY_TEXT, .offset = PROVIDER_FIELD(base_url),
		.meaning = N_("where the server is") },
	{ .name = "api_key_env", .type = IK_KEY_TEXT, .offset = PROVIDER_FIELD(api_key_env),
		.meaning = N_("variable of the environment that holds the key") },
	{ .name = "model", .type = IK_KEY_TEXT, .offset = PROVIDER_FIELD(model),
		.meaning = N_("model that is used unless another is named") },
	{ .name = "fallback", .type = IK_KEY_TEXT, .offset = PROVIDER_FIELD(fallback),
		.meaning = N_("what answers when this provider is too busy or broken: PROVIDER or PROVIDER/MODEL") },
	{ .name = "headers", .type = IK_KEY_HEADERS, .offset = PROVIDER_FIELD(headers),
		.meaning = N_("further headers of each request") },
	{ .name = "body", .type = IK_KEY_MEMBERS, .offset = PROVIDER_FIELD(body),
		.meaning = N_("further members of each request") },
	{ .name = "strict_tools", .type = IK_KEY_BOOL, .offset = PROVIDER_FIELD(strict_tools),
		.set_offset = PROVIDER_FIELD(strict_tools_set),
		.meaning = N_("whether the server is asked to hold the model to the schemas") },
	{ .name = "web_search", .type = IK_KEY_BOOL, .offset = PROVIDER_FIELD(web_search),
		.meaning = N_("whether the provider may search the web") },
	{ .name = "max_output_tokens", .type = IK_KEY_INTEGER, .offset = PROVIDER_FIELD(max_output_tokens),
		.least = 1, .most = 10000000, .meaning = N_("tokens of one reply at most") },
	{ .name = "thinking", .type = IK_KEY_CHOICE, .offset = PROVIDER_FIELD(thinking),
		.choices = thinking_levels, .meaning = N_("how much the model thinks before it answers") },
	{ .name = "cache_ttl", .type = IK_KEY_CHOICE, .offset = PROVIDER_FIELD(cache_ttl),
		.choices = cache_ttls,
		.meaning = N_("how long the provider keeps the conversation in its cache") },
	{ .name = "context_window", .type = IK_KEY_INTEGER, .offset = PROVIDER_FIELD(context_window),
		.least = 1, .most = 1000000000, .meaning = N_("tokens that the model can take in") },
	{ .name = "price.input", .type = IK_KEY_PRICE, .offset = PROVIDER_FIELD(price_input),
		.meaning = N_("price of a million tokens that go in") },
	{ .name = "price.output", .type = IK_KEY_PRICE, .offset = PROVIDER_FIELD(price_output),
		.meaning = N_("price of a million tokens that come out") },
	{ .name = "price.cached", .type = IK_KEY_PRICE, .offset = PROVIDER_FIELD(price_cached),
		.meaning = N_("price of a million tokens that the server still knew") },
	{ .name = "price.written", .type = IK_KEY_PRICE, .offset = PROVIDER_FIELD(price_written),
		.meaning = N_("price of a million tokens that the server keeps in its cache") },
};
/* clang-format on */

#define TABLE(array) \
	{ \
		array, sizeof(array) / sizeof(array[0]) \
	}
const struct ik_key_table ik_config_keys = TABLE(keys);
const struct ik_key_table ik_provider_keys = TABLE(provider_keys);

const struct ik_provider_variable ik_provider_variables[] = {
	{ "OPENAI_BASE_URL", "providers.openai.base_url" },
	{ "ANTHROPIC_BASE_URL", "providers.anthropic.base_url" },
	{ "GOOGLE_BASE_URL", "providers.google.base_url" },
	{ NULL, NULL },
};

const struct ik_config_key *ik_config_key_find(const struct ik_key_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++) {
		if (ik_text_equal(table->keys[i].name, name))
			return &table->keys[i];
	}
	return NULL;
}

const struct ik_config_key *ik_config_key_named(const char *name, char **ret_provider)
{
	static const char prefix[] = "providers.";

	*ret_provider = NULL;
	if (!ik_text_starts(name, prefix))
		return ik_config_key_find(&ik_config_keys, name);
	name += sizeof(prefix) - 1;
	for (size_t i = 0; i < ik_provider_keys.count; i++) {
		const struct ik_config_key *key = &ik_provider_keys.keys[i];
		size_t tail = strlen(key->name) + 1, length = strlen(name);

		if (length > tail && name[length - tail] == '.' && ik_text_ends(name, key->name)) {
			*ret_provider = ik_strndup(name, length - tail);
			return key;
		}
	}
	return NULL;
}

bool ik_config_key_is_group(const struct ik_key_table *table, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < table->count; i++) {
		if (ik_text_starts(table->keys[i].name, name) && table->keys[i].name[length] == '.')
			return true;
	}
	return false;
}

/* Append the choices of a key, quoted. */
static void put_choices(const struct ik_config_key *key, struct ik_buf *out)
{
	for (const char *const *choice = key->choices; *choice; choice++)
		ik_buf_printf(out, "%s\"%s\"",
			choice == key->choices ? ""
				: choice[1]        ? ", "
								   : _(" or "),
			*choice);
}

/* Append milliseconds as a duration in whole units. */
static void put_duration(int64_t milliseconds, struct ik_buf *out)
{
	if (milliseconds % 3600000 == 0)
		ik_buf_printf(out, "%lldh", (long long)milliseconds / 3600000);
	else if (milliseconds % 1000 == 0)
		ik_buf_printf(out, "%llds", (long long)milliseconds / 1000);
	else
		ik_buf_printf(out, "%lldms", (long long)milliseconds);
}

void ik_config_key_wanted(const struct ik_config_key *key, struct ik_buf *out)
{
	static const char *const words[] = {
		[IK_KEY_BOOL] = N_("true or false"),
		[IK_KEY_PRICE] = N_("a number, 0 or more"),
		[IK_KEY_TEXT] = N_("a string that is not empty"),
		[IK_KEY_LIST] = N_("a list of strings that are not empty"),
		[IK_KEY_HEADERS] = N_("an object of strings, {\"Name\": \"value\"}"),
		[IK_KEY_RULES] = N_("a list of rules, [{\"tool\": \"bash\", \"do\": \"ask\"}]"),
		[IK_KEY_MEMBERS] = N_("an object, {\"NAME\": VALUE}"),
		[IK_KEY_BINDINGS] = N_("an object of actions, {\"help\": \"F1, Alt-1\"}"),
	};

	switch (key->type) {
	case IK_KEY_INTEGER:
		ik_buf_printf(out, _("a whole number from %lld to %lld"), (long long)key->least,
			(long long)key->most);
		break;
	case IK_KEY_DURATION:
		ik_buf_puts(out, _("a time like \"30s\" or \"1m30s\", from "));
		put_duration(key->least, out);
		ik_buf_puts(out, _(" to "));
		put_duration(key->most, out);
		break;
	case IK_KEY_CHOICE:
		put_choices(key, out);
		break;
	case IK_KEY_TIMEOUTS:
		ik_buf_printf(out, _("an object of whole numbers from %lld to %lld, {\"NAME\": SECONDS}"),
			(long long)key->least, (long long)key->most);
		break;
	default:
		ik_buf_puts(out, _(words[key->type]));
	}
}

/* ---- values ---- */

/* Printed in place of a secret. */
static const char hidden[] = "***";

/* Translate a word for true or false in a variable or option to JSON; return other text
 * unchanged. */
static const char *to_bool(const char *text)
{
	static const char *const words[][2] = {
		{ "1", "true" },
		{ "yes", "true" },
		{ "on", "true" },
		{ "0", "false" },
		{ "no", "false" },
		{ "off", "false" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(text, words[i][0]) == 0)
			return words[i][1];
	}
	return text;
}

void ik_config_value_read(const struct ik_config_key *key, const char *text, struct ik_buf *out)
{
	struct ik_json_span value;

	if (key->type == IK_KEY_BOOL)
		text = to_bool(text);
	if (key->type == IK_KEY_TEXT || key->type == IK_KEY_CHOICE || key->type == IK_KEY_DURATION ||
		ik_json_check(text, strlen(text), &value, NULL) != IK_OK)
		ik_json_put_text(out, text);
	else
		ik_json_put_raw(out, value);
}

static bool is_text(struct ik_json_span value)
{
	char *text = ik_json_text_new(value);

	free(text);
	return text;
}

static bool is_choice(const struct ik_config_key *key, struct ik_json_span value)
{
	for (const char *const *choice = key->choices; *choice; choice++) {
		if (ik_json_string_is(value, *choice))
			return true;
	}
	return false;
}

/* Durations. */

/* Parse an unsigned duration like Go's time.ParseDuration. Return milliseconds, or -1 if it is
 * invalid. */
static double read_duration(const char *at)
{
	static const struct {
		const char *name;
		double nanoseconds;
	} units[] = {
		/* longer ones first: "ms" is not "m" followed by an "s" */
		{ "ns", 1 },
		{ "us", 1e3 },
		{ "\xc2\xb5s", 1e3 },
		{ "\xce\xbcs", 1e3 },
		{ "ms", 1e6 },
		{ "s", 1e9 },
		{ "m", 60e9 },
		{ "h", 3600e9 },
	};
	double total = 0;

	if (!*at)
		return -1;
	while (*at) {
		size_t digits = strspn(at, "0123456789."), unit = 0;
		char *end;
		double number = strtod(at, &end);

		if (digits == 0 || end != at + digits)
			return -1;
		while (unit < sizeof(units) / sizeof(units[0]) && !ik_text_starts(end, units[unit].name))
			unit++;
		if (unit == sizeof(units) / sizeof(units[0]))
			return -1;
		at = end + strlen(units[unit].name);
		total += number * units[unit].nanoseconds;
	}
	return total / 1e6;
}

/* Read a duration and check its range. */
static bool to_duration(const struct ik_config_key *key, struct ik_json_span value,
	int64_t *ret_milliseconds)
{
	char *text = ik_json_text_new(value);
	double milliseconds = text ? read_duration(text) : -1;

	free(text);
	if (milliseconds < (double)key->least || milliseconds > (double)key->most)
		return false;
	*ret_milliseconds = (int64_t)(milliseconds + 0.5);
	return true;
}

/* Numbers. */

static bool to_integer(const struct ik_config_key *key, struct ik_json_span value,
	int64_t *ret_number)
{
	return ik_json_integer(value, ret_number) && *ret_number >= key->least &&
		*ret_number <= key->most;
}

/* Lists and objects. */

/* Does every element (member) of a container satisfy fits? */
static bool all_fit(const struct ik_config_key *key, struct ik_json_span container,
	bool (*fits)(const struct ik_config_key *key, struct ik_json_span name,
		struct ik_json_span value))
{
	for (struct ik_json_walk walk = ik_json_walk(container); ik_json_next(&walk);) {
		if (!fits(key, walk.key, walk.value))
			return false;
	}
	return true;
}

static bool is_item(const struct ik_config_key *key, struct ik_json_span name,
	struct ik_json_span value)
{
	return is_text(value);
}

static bool is_timeout(const struct ik_config_key *key, struct ik_json_span name,
	struct ik_json_span value)
{
	int64_t seconds;

	return is_text(name) && to_integer(key, value, &seconds);
}

/* Can a string be (part of) a header line without ending the line? */
static bool is_header_text(struct ik_json_span value, bool may_have_colon)
{
	char *text = ik_json_text_new(value);
	bool fits = text && !strpbrk(text, "\r\n") && (may_have_colon || !strchr(text, ':'));

	free(text);
	return fits;
}

static bool is_header(const struct ik_config_key *key, struct ik_json_span name,
	struct ik_json_span value)
{
	char *line;
	bool fits;

	if (name.length)
		return is_header_text(name, false) && is_header_text(value, true);
	line = ik_json_text_new(value);
	fits = is_header_text(value, true) && strchr(line, ':') > line;
	free(line);
	return fits;
}

bool ik_config_value_fits(const struct ik_config_key *key, struct ik_json_span value)
{
	enum ik_json_type type = ik_json_span_type(value);
	int64_t number;
	double price;

	switch (key->type) {
	case IK_KEY_BOOL:
		return type == IK_JSON_BOOL;
	case IK_KEY_INTEGER:
		return to_integer(key, value, &number);
	case IK_KEY_DURATION:
		return to_duration(key, value, &number);
	case IK_KEY_PRICE:
		return ik_json_double(value, &price) && price >= 0;
	case IK_KEY_TEXT:
		return is_text(value);
	case IK_KEY_CHOICE:
		return is_choice(key, value);
	case IK_KEY_LIST:
		return type == IK_JSON_ARRAY && all_fit(key, value, is_item);
	case IK_KEY_HEADERS:
		return (type == IK_JSON_ARRAY || type == IK_JSON_OBJECT) && all_fit(key, value, is_header);
	case IK_KEY_TIMEOUTS:
		return type == IK_JSON_OBJECT && all_fit(key, value, is_timeout);
	case IK_KEY_RULES:
		return type == IK_JSON_ARRAY;
	case IK_KEY_MEMBERS:
	case IK_KEY_BINDINGS:
		return type == IK_JSON_OBJECT;
	}
	return false;
}

/* Make a list from the strings of an array, or as "Name: value" from an object. */
static void store_list(struct ik_json_span value, struct ik_string_list *list)
{
	size_t size = ik_json_count(value);

	if (size == 0)
		return;
	list->items = ik_alloc((size + 1) * sizeof(*list->items));
	for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next(&walk);) {
		char *text = ik_json_text_new(walk.value);

		if (walk.key.length) {
			char *header = ik_json_text_new(walk.key), *line = ik_format("%s: %s", header, text);

			free(header);
			free(text);
			text = line;
		}
		list->items[list->count++] = text;
	}
}

/* Merge an object of timeouts into the current ones. */
static void store_timeouts(struct ik_json_span value, struct ik_config *config)
{
	for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next(&walk);) {
		struct ik_tool_timeout *timeout = NULL;
		char *tool = ik_json_text_new(walk.key);

		for (size_t i = 0; i < config->tools_timeout_count; i++) {
			if (ik_text_equal(config->tools_timeouts[i].name, tool))
				timeout = &config->tools_timeouts[i];
		}
		if (!timeout) {
			config->tools_timeouts = ik_alloc_array(config->tools_timeouts,
				config->tools_timeout_count + 1, sizeof(*timeout));
			timeout = &config->tools_timeouts[config->tools_timeout_count++];
			timeout->name = ik_strdup(tool);
		}
		ik_json_integer(walk.value, &timeout->seconds);
		free(tool);
	}
}

void ik_config_value_store(const struct ik_config_key *key, struct ik_json_span value, void *base)
{
	void *field = (char *)base + key->offset;

	if (key->set_offset)
		*(bool *)((char *)base + key->set_offset) = true;
	switch (key->type) {
	case IK_KEY_BOOL:
		ik_json_bool(value, field);
		break;
	case IK_KEY_INTEGER:
		ik_json_integer(value, field);
		break;
	case IK_KEY_DURATION:
		to_duration(key, value, field);
		break;
	case IK_KEY_PRICE:
		ik_json_double(value, field);
		break;
	case IK_KEY_TEXT:
	case IK_KEY_CHOICE:
		ik_config_value_free(key, base);
		*(char **)field = ik_json_text_new(value);
		break;
	case IK_KEY_LIST:
	case IK_KEY_HEADERS:
		ik_config_value_free(key, base);
		store_list(value, field);
		break;
	case IK_KEY_TIMEOUTS:
		store_timeouts(value, base);
		break;
	case IK_KEY_RULES:
	case IK_KEY_MEMBERS:
	case IK_KEY_BINDINGS:
		ik_config_value_free(key, base);
		*(char **)field = ik_strndup(value.text, value.length);
		break;
	}
}

static void free_list(struct ik_string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct ik_string_list){ NULL, 0 };
}

static void free_timeouts(struct ik_config *config)
{
	for (size_t i = 0; i < config->tools_timeout_count; i++)
		free(config->tools_timeouts[i].name);
	free(config->tools_timeouts);
	config->tools_timeouts = NULL;
	config->tools_timeout_count = 0;
}

void ik_config_value_free(const struct ik_config_key *key, void *base)
{
	void *field = (char *)base + key->offset;

	switch (key->type) {
	case IK_KEY_TEXT:
	case IK_KEY_CHOICE:
	case IK_KEY_RULES:
	case IK_KEY_MEMBERS:
	case IK_KEY_BINDINGS:
		free(*(char **)field);
		*(char **)field = NULL;
		break;
	case IK_KEY_LIST:
	case IK_KEY_HEADERS:
		free_list(field);
		break;
	case IK_KEY_TIMEOUTS:
		free_timeouts(base);
		break;
	default:
		break;
	}
}

/* Append a list; of headers, only the names. */
static void print_list(const struct ik_string_list *list, bool are_headers, struct ik_buf *out)
{
	ik_json_open(out, '[');
	for (size_t i = 0; i < list->count; i++) {
		size_t length = are_headers ? strcspn(list->items[i], ":") : strlen(list->items[i]);

		ik_json_quote_open(out);
		ik_json_escape(out, list->items[i], length);
		if (are_headers)
			ik_buf_printf(out, ": %s", hidden);
		ik_json_quote_close(out);
	}
	ik_json_close(out, ']');
}

static void print_timeouts(const struct ik_config *config, struct ik_buf *out)
{
	ik_json_open(out, '{');
	for (size_t i = 0; i < config->tools_timeout_count; i++) {
		ik_json_printf(out, "'%s':%lld", config->tools_timeouts[i].name,
			(long long)config->tools_timeouts[i].seconds);
	}
	ik_json_close(out, '}');
}

void ik_config_value_print(const struct ik_config_key *key, const void *base, struct ik_buf *out)
{
	const void *field = (const char *)base + key->offset;
	char *shown;

	switch (key->type) {
	case IK_KEY_BOOL:
		ik_json_printf(out, "%s", ik_json_word(*(const bool *)field));
		break;
	case IK_KEY_INTEGER:
		ik_json_put_integer(out, *(const int64_t *)field);
		break;
	case IK_KEY_DURATION:
		ik_json_quote_open(out);
		put_duration(*(const int64_t *)field, out);
		ik_json_quote_close(out);
		break;
	case IK_KEY_PRICE:
		ik_json_printf(out, "%g", *(const double *)field);
		break;
	case IK_KEY_TEXT:
	case IK_KEY_CHOICE:
		shown = ik_redact(*(char *const *)field);
		if (*(char *const *)field)
			ik_json_put_text(out, shown);
		else
			ik_json_put_null(out);
		free(shown);
		break;
	case IK_KEY_LIST:
	case IK_KEY_HEADERS:
		print_list(field, key->type == IK_KEY_HEADERS, out);
		break;
	case IK_KEY_TIMEOUTS:
		print_timeouts(base, out);
		break;
	case IK_KEY_RULES:
	case IK_KEY_MEMBERS:
	case IK_KEY_BINDINGS:
		ik_json_printf(out, "%s", *(char *const *)field);
		break;
	}
}
