#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/print.h"
#include "json/edit.h"
#include "json/write.h"
#include "tool/mcp/client.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/redact.h"
#include "util/sanitize.h"
#include "util/text.h"

/* A server has so long to name its tools, as it has in the chat, and so long to end. */
enum { ANSWER_MS = 60000, END_MS = 5000 };
/* Columns of a list, and what is shown of the end of what a server wrote. */
enum { NAME_COLUMNS = 16, STATE_COLUMNS = 14, LOG_SHOWN = 2000 };

/* The command in progress. */
struct mcp_command {
	struct ik_cli cli;
	struct ik_mcp_servers servers;
	struct ik_buf out;
	/* A test: */
	struct ik_mcp_client *client;
	const struct ik_mcp_entry *entry;
	struct ik_buf log; /* what the server wrote to its standard error */
	int64_t begun_ms;
	bool answered, over;
	int status;
};

/* ---- list ---- */

/* Append where a server is, its command line or its address, without secrets. */
static void put_place(const struct ik_mcp_entry *entry, struct ik_buf *out)
{
	const char *place = entry->url ? entry->url : entry->command;
	struct ik_buf whole;
	char *shown;

	ik_buf_init(&whole, IK_LIMIT_CONFIG);
	ik_buf_puts(&whole, place ? place : "");
	for (char *const *argument = entry->args; !entry->url && argument && *argument; argument++)
		ik_buf_printf(&whole, " %s", *argument);
	shown = ik_redact(whole.data);
	ik_buf_puts(out, shown);
	free(shown);
	ik_buf_done(&whole);
}

/* Append a line about a server: name, state, place and the file that names it. */
static void put_line(struct mcp_command *command, const struct ik_mcp_entry *entry, long tools)
{
	const char *home = command->cli.setup->places.user_home;
	char *file = ik_path_shorten(entry->file, home), *state;
	struct ik_buf line, place;

	if (entry->problem || !entry->enabled)
		state = ik_strdup(entry->problem ? _("broken") : _("disabled"));
	else if (tools < 0)
		state = ik_strdup(_("not used yet"));
	else
		state = ik_format(ngettext("%ld tool", "%ld tools", (unsigned long)tools), tools);
	ik_buf_init(&line, IK_LIMIT_CONFIG);
	ik_buf_init(&place, IK_LIMIT_CONFIG);
	ik_utf8_put_cell(&line, entry->name, NAME_COLUMNS);
	ik_buf_puts(&line, "  ");
	ik_utf8_put_cell(&line, state, STATE_COLUMNS);
	put_place(entry, &place);
	ik_buf_printf(&line, "  %s (%s)", entry->problem ? entry->problem : place.data, file);
	ik_secrets_hide(&line);
	ik_sanitize_line(&command->out, line.data, line.length);
	ik_buf_putc(&command->out, '\n');
	ik_buf_done(&place);
	ik_buf_done(&line);
	free(state);
	free(file);
}

static void put_json(struct mcp_command *command, const struct ik_mcp_entry *entry, long tools)
{
	struct ik_buf *out = &command->out, place;

	ik_buf_init(&place, IK_LIMIT_CONFIG);
	put_place(entry, &place);
	ik_secrets_hide(&place);
	ik_json_printf(out, "{'name':'%s','file':'%s','%s':'%s','enabled':%s", entry->name, entry->file,
		entry->url ? "url" : "command", place.data, ik_json_word(entry->enabled));
	if (entry->problem)
		ik_json_printf(out, "'problem':'%s'", entry->problem);
	if (tools >= 0)
		ik_json_printf(out, "'tools':%lld", (long long)tools);
	ik_json_close(out, '}');
	ik_buf_putc(out, '\n');
	ik_buf_done(&place);
}

/* List all servers with what the cache knows of them: none is started. */
static void list(struct mcp_command *command)
{
	struct ik_cli *cli = &command->cli;
	struct ik_mcp_options start = ik_core_server_options(cli->setup, cli->environment);
	char *path = ik_places_file(&cli->setup->places, "cache/schemas");
	struct ik_schema_cache *cache = ik_schema_cache_new(path);

	ik_schema_cache_begin(cache, IK_CACHE_ALL);
	for (size_t i = 0; i < command->servers.count; i++) {
		const struct ik_mcp_entry *entry = &command->servers.items[i];
		long tools = entry->problem ? -1 : ik_mcp_known_tools(entry, &start, cache);

		if (cli->options->json)
			put_json(command, entry, tools);
		else
			put_line(command, entry, tools);
	}
	if (command->servers.count == 0 && !cli->options->json)
		ik_buf_printf(&command->out, "%s\n",
			_("There are no MCP servers; ikigai mcp add NAME -- COMMAND names one."));
	(void)ik_schema_cache_free(cache);
	free(path);
}

/* ---- add, remove ---- */

/* Append the members "NAME": "VALUE" of options NAME=VALUE or "NAME: VALUE". */
static enum ik_status put_pairs(const char *member, const char *const *pairs, struct ik_buf *out,
	struct ik_error *error)
{
	if (!*pairs)
		return IK_OK;
	ik_json_printf(out, "'%s':{", member);
	for (; *pairs; pairs++) {
		size_t length = strcspn(*pairs, "=:");
		const char *value = *pairs + length;

		if (length == 0 || !*value)
			return ik_error_set(error, IK_INVALID, _("\"%s\" must have the form NAME=VALUE"),
				*pairs);
		value += *value == ':' ? 1 + strspn(value + 1, " ") : 1;
		ik_json_printf(out, "'%.*s':'%s'", (int)length, *pairs, value);
	}
	ik_json_close(out, '}');
	return IK_OK;
}

/* Is what follows the name an address? It is none of a program, so --url may be left out. */
static bool is_address(const struct ik_options *options)
{
	return options->second && !options->operands[2] &&
		(ik_text_starts(options->second, "http://") || ik_text_starts(options->second, "https://"));
}

/* Append what the file is to say of the server. */
static enum ik_status put_server(const struct ik_options *options, struct ik_buf *out,
	struct ik_error *error)
{
	const char *url = options->url || !is_address(options) ? options->url : options->second;
	enum ik_status status;

	if (!options->url == !options->second)
		return ik_error_set(error, IK_INVALID,
			_("name a command after --, or an address with --url, such as: ikigai mcp add %s -- "
			  "npx -y PACKAGE"),
			options->first);
	if (url)
		ik_json_printf(out, "{'type':'http','url':'%s'", url);
	else
		ik_json_printf(out, "{'command':'%s'", options->second);
	if (options->second && options->operands[2]) {
		ik_json_printf(out, "'args':[");
		for (char *const *argument = options->operands + 2; *argument; argument++)
			ik_json_put_text(out, *argument);
		ik_json_close(out, ']');
	}
	status = put_pairs("headers", options->headers, out, error);
	if (status == IK_OK)
		status = put_pairs("env", options->variables, out, error);
	ik_json_close(out, '}');
	return status == IK_OK ? ik_buf_check(out, options->first, error) : status;
}

/* Change the text of the file: put the server in place, or (value NULL) remove it. */
static enum ik_status edit(const char *path, const char *name, const char *value,
	struct ik_buf *text, struct ik_buf *out, struct ik_error *error)
{
	static const char empty[] = "{\n  \"mcpServers\": {\n  }\n}\n";
	const char *const names[] = { "mcpServers", name };
	struct ik_json_edit change = { .out = out };
	struct ik_json_gap gap;
	enum ik_status status;
	struct ik_buf plain;

	if (text->length == 0)
		ik_buf_puts(text, empty);
	ik_buf_init(&plain, IK_LIMIT_CONFIG);
	ik_buf_append(&plain, text->data, text->length);
	ik_json_blank_comments(plain.data, plain.length);
	change.text = text->data;
	change.plain = plain.data;
	status = ik_json_check(plain.data, plain.length, &change.root, error);
	gap = ik_json_gap_find(change.root, names, 2);
	if (status != IK_OK || strlen(text->data) != text->length ||
		ik_json_span_type(gap.object) != IK_JSON_OBJECT)
		status = ik_error_set(error, IK_INVALID,
			_("%s can't be read; mend it first: ikigai doctor"), path);
	else if (value && gap.value.text)
		status = ik_error_set(error, IK_INVALID,
			_("there is a server \"%s\" in %s already; remove it first: ikigai mcp remove %s"),
			name, path, name);
	else if (value)
		ik_json_edit_put(&change, &gap, value);
	else if (gap.value.text)
		ik_json_edit_remove(&change, &gap);
	else
		status = ik_error_set(error, IK_NOT_FOUND, _("there is no server \"%s\" in %s"), name,
			path);
	ik_buf_done(&plain);
	return status == IK_OK ? ik_buf_check(out, path, error) : status;
}

/* Write the file, and trust a project's again that was trusted: the user has changed it. */
static enum ik_status write_file(struct mcp_command *command, const char *path, bool project,
	const struct ik_buf *text, struct ik_error *error)
{
	const struct ik_project *owner = &command->cli.setup->project;
	struct ik_identity identity;
	struct ik_error why;
	struct stat status_of;
	bool there = stat(path, &status_of) == 0;
	bool trusted = project && (!there || ik_project_trusts(owner, path, &identity, &why));
	mode_t mode = there ? status_of.st_mode & 07777 : project ? 0644 : 0600;
	enum ik_status status = ik_file_write(path, text->data, text->length, mode, error);

	if (status == IK_OK && trusted)
		status = ik_project_trust_file(owner, path, error);
	else if (status == IK_OK && project)
		ik_complainf(_("%s is not trusted; look at it, then: ikigai tool trust"), path);
	return status;
}

/* Add a server to a file, or remove it. */
static void change(struct mcp_command *command)
{
	const struct ik_options *options = command->cli.options;
	bool adds = options->verb == IK_VERB_MCP_ADD;
	char *path = ik_project_servers_file(&command->cli.setup->places, options->project);
	struct ik_buf text, changed, value;
	struct ik_error error;
	enum ik_status status = IK_OK;

	ik_buf_init(&text, IK_LIMIT_CONFIG);
	ik_buf_init(&changed, IK_LIMIT_CONFIG);
	ik_buf_init(&value, IK_LIMIT_CONFIG);
	if (!path)
		status = ik_error_set(&error, IK_FAILED, _("there is no home directory to keep it in"));
	if (status == IK_OK && adds)
		status = put_server(options, &value, &error);
	if (status == IK_OK)
		status = ik_file_read(path, &text, &error);
	if (status == IK_OK || status == IK_NOT_FOUND)
		status = edit(path, options->first, adds ? value.data : NULL, &text, &changed, &error);
	if (status == IK_OK)
		status = write_file(command, path, options->project, &changed, &error);
	if (status == IK_OK && adds)
		ik_buf_printf(&command->out, _("Added to %s. To try it: ikigai mcp test %s\n"), path,
			options->first);
	else if (status == IK_OK)
		ik_buf_printf(&command->out, _("Removed from %s.\n"), path);
	else
		ik_complain(error.text);
	command->status = status == IK_OK ? 0 : 1;
	ik_buf_done(&text);
	ik_buf_done(&changed);
	ik_buf_done(&value);
	free(path);
}

/* ---- test ---- */

/* Append the first line of a tool's description. */
static void put_description(struct ik_json_span tool, struct ik_buf *out)
{
	char *text = ik_json_text_new(ik_json_member(tool, "description"));

	if (text)
		ik_sanitize_line(out, text, strcspn(text, "\r\n"));
	free(text);
}

/* Append the server's tools, with a mark at those that say that they only read. */
static size_t put_tools(struct ik_json_span tools, struct ik_buf *out)
{
	size_t count = 0;

	for (struct ik_json_walk walk = ik_json_walk(tools); ik_json_next(&walk);) {
		bool reads = ik_json_is_true(ik_json_at(walk.value, "annotations.readOnlyHint"));
		char *name = ik_json_text_new(ik_json_member(walk.value, "name"));
		struct ik_buf clean;

		ik_buf_init(&clean, IK_LIMIT_CONFIG);
		ik_sanitize_line(&clean, name ? name : "?", strlen(name ? name : "?"));
		ik_buf_puts(out, "  ");
		ik_utf8_put_cell(out, clean.data, NAME_COLUMNS + STATE_COLUMNS);
		ik_buf_printf(out, "  %s  ", reads ? _("reads") : "     ");
		put_description(walk.value, out);
		ik_buf_putc(out, '\n');
		ik_buf_done(&clean);
		free(name);
		count++;
	}
	return count;
}

static void on_tools(void *arg, struct ik_json_span result, struct ik_json_span failure)
{
	struct mcp_command *command = arg;
	const struct ik_mcp_about *about = ik_mcp_client_about(command->client);
	char *words = ik_json_string_new(ik_json_member(failure, "message"), NULL);
	int64_t took_ms = ik_clock_ms() - command->begun_ms;
	struct ik_buf tools, head;
	size_t count;

	ik_buf_init(&tools, IK_LIMIT_ENVELOPE);
	ik_buf_init(&head, IK_KIB(64));
	command->answered = true;
	if (result.text) {
		count = put_tools(ik_json_member(result, "tools"), &tools);
		ik_buf_printf(&head,
			ngettext("%s: %s %s, MCP %s over %s, %zu tool, after %lld ms",
				"%s: %s %s, MCP %s over %s, %zu tools, after %lld ms", count),
			command->entry->name, about->name ? about->name : "?",
			about->server_version ? about->server_version : "", about->version,
			command->entry->url ? "HTTP" : "stdio", count, (long long)took_ms);
		ik_sanitize_line(&command->out, head.data, head.length);
		ik_buf_printf(&command->out, "\n%s", tools.data);
		command->status = 0;
	} else {
		ik_complainf(_("%s lists no tools: %s"), command->entry->name, words ? words : "?");
	}
	free(words);
	ik_buf_done(&tools);
	ik_buf_done(&head);
	ik_cli_go_on(&command->cli);
}

static void on_ready(void *arg)
{
	(void)arg;
}

static void on_log(void *arg, const char *bytes, size_t length)
{
	struct mcp_command *command = arg;
	size_t shown = length < LOG_SHOWN ? length : LOG_SHOWN;

	ik_buf_append(&command->log, bytes + length - shown, shown);
	if (command->log.length > LOG_SHOWN)
		ik_buf_consume(&command->log, command->log.length - LOG_SHOWN);
}

static void on_over(void *arg, const char *sentence, const struct ik_child_result *result)
{
	struct mcp_command *command = arg;

	(void)result;
	command->over = true;
	if (!command->answered)
		ik_complainf("%s: %s", command->entry->name, sentence);
	command->answered = true;
	ik_cli_go_on(&command->cli);
}

/* Wait for the server, at most for so long. Return false if the command must end. */
static bool wait_for_server(struct mcp_command *command, const bool *done, int64_t milliseconds)
{
	struct ik_timer *limit = ik_timer_new(command->cli.loop, ik_cli_go_on, &command->cli);
	bool goes_on = true;

	ik_timer_start(limit, milliseconds);
	while (goes_on && !*done && ik_timer_running(limit))
		goes_on = ik_cli_wait(&command->cli);
	(void)ik_timer_close(limit);
	return goes_on;
}

/* Ask the server for its tools, and have it end in good order. */
static void converse(struct mcp_command *command)
{
	static const struct ik_mcp_request_events events = { .answer = on_tools };

	(void)ik_mcp_client_list(command->client, &events, command);
	if (!wait_for_server(command, &command->answered, ANSWER_MS))
		return;
	if (!command->answered)
		ik_complainf(_("%s has not answered in %d s"), command->entry->name, ANSWER_MS / 1000);
	if (command->status != 0 && command->log.length > 0)
		ik_complainf(_("it wrote:\n%s"), command->log.data);
	if (command->over)
		return;
	command->answered = true;
	ik_mcp_client_end(command->client);
	(void)wait_for_server(command, &command->over, END_MS);
}

static void test(struct mcp_command *command)
{
	static const struct ik_mcp_client_events events = { on_ready, on_ready, on_log, on_ready,
		on_over };
	struct ik_cli *cli = &command->cli;
	const char *name = cli->options->first;
	const struct ik_mcp_entry *entry = ik_mcp_servers_find(&command->servers, name);
	struct ik_mcp_options start = ik_core_server_options(cli->setup, cli->environment);
	struct ik_error error;

	command->status = 1;
	if (!entry) {
		ik_complainf(_("there is no server \"%s\"; ikigai mcp list shows them"), name);
	} else if (entry->problem) {
		ik_complainf("%s: %s", name, entry->problem);
	} else {
		command->entry = entry;
		command->begun_ms = ik_clock_ms();
		command->client = ik_mcp_client_new(cli->loop, entry, &start, false, &events, command,
			&error);
		if (command->client)
			converse(command);
		else
			ik_complainf("%s: %s", name, error.text);
		command->client = ik_mcp_client_close(command->client);
	}
}

int ik_cli_mcp(const struct ik_options *options, struct ik_setup *setup)
{
	struct mcp_command command = { .status = 0 };

	ik_cli_warn(setup);
	if (!ik_cli_open(&command.cli, options, setup))
		return 1;
	ik_buf_init(&command.out, IK_LIMIT_ENVELOPE);
	ik_buf_init(&command.log, 3 * LOG_SHOWN);
	ik_project_read_servers(&setup->project, &setup->places, setup->config, &command.servers);
	if (options->verb == IK_VERB_MCP_LIST)
		list(&command);
	else if (options->verb == IK_VERB_MCP_TEST)
		test(&command);
	else
		change(&command);
	ik_cli_warn_of_trust(setup, NULL);
	ik_cli_print_buf(&command.cli, &command.out);
	ik_buf_done(&command.out);
	ik_buf_done(&command.log);
	command.status = ik_cli_close(&command.cli, command.status);
	ik_mcp_servers_done(&command.servers);
	return command.status;
}
