#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "json/scan.h"
#include "json/write.h"
#include "tool/mcp/servers.h"
#include "tool/mcp/source.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* Relative to the project's directory. */
static const char PROJECT_TOOLS[] = ".ikigai/tools";
enum { DIRECTORIES = 11 };

struct ik_run_options ik_core_run_options(struct ik_loop *loop, const struct ik_setup *setup,
	char **environment)
{
	const struct ik_config *config = setup->config;

	return (struct ik_run_options){
		.loop = loop,
		.timeout_ms = config->tools_timeout_s * 1000,
		.timeouts = config->tools_timeouts,
		.timeout_count = config->tools_timeout_count,
		.output_limit = (size_t)config->tools_max_output_size,
		.memory_limit = config->tools_memory_limit_mb * 1024 * 1024,
		.environment = (const char *const *)environment,
		.kodelet = {
			.timeout_ms = config->custom_timeout_ms,
			.output_limit = (size_t)config->custom_max_output_size,
			.environment = (const char *const *)setup->kodelet_environment,
		},
		.directory = setup->places.directory,
		.sandbox = setup->sandbox,
		.picture = setup->places.picture,
		.asks = setup->asks,
	};
}

/* Tool directories, lowest precedence first. */
struct directories {
	struct ik_source_directory_options options; /* the same for all directories */
	struct ik_discovery *discovery;
	struct ik_loop *loop;
	const struct ik_places *places;
	bool project_only; /* add only the project's; the others only claim their names */
	char *canonical[DIRECTORIES];
	size_t count;
};

/* Add a directory of tools, or of skills, and free path (NULL: does nothing). A directory that was
 * already added, even by another name, keeps its first role: the user's own directory is not the
 * project's just because the project contains it. */
static void add_directory(struct directories *directories, char *path, enum ik_tool_source origin,
	enum ik_tool_protocol first, bool skills)
{
	char *expanded, *whole, *canonical;
	const char *name;
	size_t i;

	if (!path)
		return;
	/* Without a home directory, "~" has no meaning. */
	if (path[0] == '~' && !directories->places->user_home) {
		free(path);
		return;
	}
	expanded = ik_path_expand(path, directories->places->user_home);
	for (name = expanded; ik_text_starts(name, "./"); name += 2)
		continue; /* show "./kodelet-tools" without "./" */
	whole = ik_path_join(directories->places->directory, name);
	canonical = ik_path_canonical(whole);
	for (i = 0; i < directories->count; i++)
		if (ik_text_equal(directories->canonical[i], canonical))
			break;
	if (i == directories->count) {
		directories->canonical[directories->count++] = ik_strdup(canonical);
		directories->options.path = whole;
		directories->options.origin = origin;
		directories->options.first = first;
		if (!directories->project_only || origin == IK_SOURCE_PROJECT)
			ik_discovery_add_source(directories->discovery,
				skills ? ik_source_skills_new(directories->loop, whole, origin,
							 directories->options.trust, directories->options.sandbox)
					   : ik_source_directory_new(directories->loop, &directories->options));
	}
	free(canonical);
	free(whole);
	free(expanded);
	free(path);
}

/* Return the configured name, else the built-in one, whose ownership passes here. */
static char *choose(const char *configured, char *built_in)
{
	if (!configured)
		return built_in;
	free(built_in);
	return ik_strdup(configured);
}

/* Return the canonical path of a directory, which may begin with ~ or be relative to the project's;
 * the caller frees it. */
static char *canonical_directory(const struct ik_places *places, const char *name)
{
	char *whole = ik_places_whole_path(places, name, strlen(name));
	char *canonical = ik_path_canonical(whole);

	free(whole);
	return canonical;
}

bool ik_core_is_project_tool(const struct ik_setup *setup, const char *path)
{
	const struct ik_config *config = setup->config;
	const char *const names[] = {
		config->custom_local_dir,
		config->tools_project_dir ? config->tools_project_dir : PROJECT_TOOLS,
	};
	char *parent = ik_strndup(path, (size_t)(ik_path_base(path) - path));
	char *place = ik_path_canonical(parent), *target = ik_path_canonical(path);
	bool found = false;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *directory = canonical_directory(&setup->places, names[i]);
		size_t length = strlen(directory);

		found = found || ik_text_equal(place, directory) ||
			(strncmp(target, directory, length) == 0 && target[length] == '/');
		free(directory);
	}
	free(parent);
	free(place);
	free(target);
	return found;
}

/* ---- tools switched on or off ---- */

void ik_tool_switches_done(struct ik_tool_switches *switches)
{
	for (size_t i = 0; i < switches->count; i++)
		free(switches->items[i].name);
	free(switches->items);
	*switches = (struct ik_tool_switches){ .items = NULL };
}

static void switches_set(struct ik_tool_switches *switches, const char *name, bool on)
{
	for (size_t i = 0; i < switches->count; i++)
		if (ik_text_equal(switches->items[i].name, name)) {
			switches->items[i].on = on;
			return;
		}
	switches->items = ik_alloc_array(switches->items, switches->count + 1,
		sizeof(*switches->items));
	switches->items[switches->count++] = (struct ik_tool_switch){ ik_strdup(name), on };
}

/* Add the switches in a text. */
static enum ik_status take(const char *path, struct ik_buf *text, struct ik_tool_switches *switches,
	struct ik_error *error)
{
	struct ik_json_span object;
	struct ik_error reason;

	ik_json_blank_comments(text->data, text->length);
	if (ik_json_check(text->data, text->length, &object, &reason) != IK_OK)
		return ik_error_set(error, IK_INVALID, "%s: %s", path, reason.text);
	if (ik_json_span_type(object) != IK_JSON_OBJECT)
		return ik_error_set(error, IK_INVALID,
			_("%s must be an object of tools: {\"NAME\": false}"), path);
	for (struct ik_json_walk walk = ik_json_walk(object); ik_json_next(&walk);) {
		bool on;
		char *name = ik_json_text_new(walk.key);

		if (!name || !ik_json_bool(walk.value, &on)) {
			free(name);
			return ik_error_set(error, IK_INVALID,
				_("%s:%d: a tool's name and true or false were expected"), path,
				ik_json_line(text->data, walk.key.text));
		}
		switches_set(switches, name, on);
		free(name);
	}
	return IK_OK;
}

/* Add the switches in a file (NULL or missing: none). The error names file and line. */
static enum ik_status switches_read(const char *path, struct ik_tool_switches *switches,
	struct ik_error *error)
{
	enum ik_status status = IK_NOT_FOUND;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_CONFIG);
	if (path)
		status = ik_file_read(path, &text, error);
	if (status == IK_OK)
		status = take(path, &text, switches, error);
	else if (status == IK_NOT_FOUND)
		status = IK_OK;
	ik_buf_done(&text);
	return status;
}

/* Write a switch to the file. The file is read again first, so that what another ikigai wrote is
 * preserved. */
static enum ik_status switch_keep(const char *path, const char *name, bool on,
	struct ik_error *error)
{
	struct ik_tool_switches switches = { .items = NULL };
	enum ik_status status;
	struct ik_buf out;
	size_t i;

	if (!path)
		return ik_error_set(error, IK_FAILED,
			_("there is no directory of your own to keep this in"));
	ik_buf_init(&out, IK_LIMIT_CONFIG);
	status = switches_read(path, &switches, error);
	if (status == IK_OK) {
		switches_set(&switches, name, on);
		ik_json_open(&out, '{');
		for (i = 0; i < switches.count; i++)
			ik_json_printf(&out, "'%s':%s", switches.items[i].name,
				ik_json_word(switches.items[i].on));
		ik_json_close(&out, '}');
		ik_buf_putc(&out, '\n');
		status = ik_buf_check(&out, path, error);
	}
	if (status == IK_OK)
		status = ik_file_write(path, out.data, out.length, 0600, error);
	ik_tool_switches_done(&switches);
	ik_buf_done(&out);
	return status;
}

/* Switch off the tools that the configuration and tools.json disable, except those that were
 * switched on later. The session's switches (or NULL) override both. */
static void apply_switches(struct ik_discovery *discovery, const struct ik_setup *setup,
	const struct ik_tool_switches *session)
{
	const struct ik_string_list *disabled = &setup->config->tools_disabled;
	struct ik_tool_switches switches = { .items = NULL };
	char *path = ik_places_file(&setup->places, "tools.json");
	struct ik_error error;
	size_t i;

	for (i = 0; i < disabled->count; i++)
		switches_set(&switches, disabled->items[i], false);
	if (switches_read(path, &switches, &error) != IK_OK) {
		ik_log(IK_LOG_ERROR, "%s", error.text);
		ik_config_warn(setup->config,
			_("%s. The tools that it switches are as config.json has them: "
			  "mend that file, or remove it."),
			error.text);
	}
	for (i = 0; session && i < session->count; i++)
		switches_set(&switches, session->items[i].name, session->items[i].on);
	ik_discovery_enable_all(discovery);
	for (i = 0; i < switches.count; i++)
		if (!switches.items[i].on)
			ik_discovery_disable(discovery, switches.items[i].name);
	ik_tool_switches_done(&switches);
	free(path);
}

enum ik_status ik_core_switch_tool(struct ik_core *core, const char *name, bool on, bool for_good,
	struct ik_error *error)
{
	char *path = ik_places_file(&core->setup->places, "tools.json");
	enum ik_status status = for_good ? switch_keep(path, name, on, error) : IK_OK;

	free(path);
	if (status != IK_OK)
		return status;
	switches_set(&core->switches, name, on);
	core->catalogue_due = core->catalogue_due || name[0] == '/';
	apply_switches(core->discovery, core->setup, &core->switches);
	ik_discovery_scan(core->discovery, IK_CACHE_ALL);
	return IK_OK;
}

/* Add all directories: the user's, then the project's, which need trust. */
static struct ik_discovery *find_directories(struct directories *directories,
	const struct ik_setup *setup)
{
	static const char *const own_skills[] = { "~/.claude/skills", NULL, "~/.agents/skills" };
	static const char *const project_skills[] = { ".claude/skills", ".ikigai/skills",
		".agents/skills" };
	const struct ik_config *config = setup->config;
	const struct ik_places *places = &setup->places;
	size_t i;

	add_directory(directories, choose(config->tools_system_dir, ik_strdup(places->system_tools)),
		IK_SOURCE_SYSTEM, IK_PROTOCOL_NATIVE, false);
	if (config->custom_enabled)
		add_directory(directories, ik_strdup(config->custom_global_dir), IK_SOURCE_KODELET,
			IK_PROTOCOL_KODELET, false);
	add_directory(directories, choose(config->tools_user_dir, ik_places_file(places, "tools")),
		IK_SOURCE_USER, IK_PROTOCOL_NATIVE, false);
	for (i = 0; config->skills_enabled && i < 3; i++)
		add_directory(directories,
			own_skills[i] ? ik_strdup(own_skills[i]) : ik_places_file(places, "skills"),
			IK_SOURCE_USER, IK_PROTOCOL_NATIVE, true);
	directories->options.trust = setup->project.trust;
	if (config->custom_enabled)
		add_directory(directories, ik_strdup(config->custom_local_dir), IK_SOURCE_PROJECT,
			IK_PROTOCOL_KODELET, false);
	add_directory(directories, choose(config->tools_project_dir, ik_strdup(PROJECT_TOOLS)),
		IK_SOURCE_PROJECT, IK_PROTOCOL_NATIVE, false);
	for (i = 0; config->skills_enabled && i < 3; i++)
		add_directory(directories, ik_strdup(project_skills[i]), IK_SOURCE_PROJECT,
			IK_PROTOCOL_NATIVE, true);
	apply_switches(directories->discovery, setup, NULL);
	for (i = 0; i < directories->count; i++)
		free(directories->canonical[i]);
	return directories->discovery;
}

/* Cache the tools' schemas, if so configured. */
static void add_cache(struct directories *directories, const struct ik_setup *setup)
{
	char *path;

	if (!setup->config->tools_schema_cache)
		return;
	path = ik_places_file(&setup->places, "cache/schemas");
	ik_discovery_use_cache(directories->discovery, ik_schema_cache_new(path));
	directories->options.cache = ik_discovery_cache(directories->discovery);
	free(path);
}

/* Return the options that all directories have in common. */
static struct ik_source_directory_options directory_options(const struct ik_setup *setup,
	char **environment)
{
	return (struct ik_source_directory_options){
		.native_only = !setup->config->custom_enabled,
		.timeout_ms = setup->config->tools_scan_timeout_ms,
		.environments = {
			[IK_PROTOCOL_NATIVE] = (const char *const *)environment,
			[IK_PROTOCOL_KODELET] = (const char *const *)setup->kodelet_environment,
		},
		.working_directory = setup->places.directory,
		.sandbox = setup->sandbox,
	};
}

struct ik_source *ik_core_skill_source(const struct ik_core *core, const char *path,
	enum ik_tool_source origin)
{
	struct ik_source_directory_options options = directory_options(core->setup, core->environment);

	options.path = path;
	options.origin = origin;
	options.trust = origin == IK_SOURCE_PROJECT ? core->setup->project.trust : NULL;
	options.native_only = options.mentions_schema = true;
	options.cache = ik_discovery_cache(core->discovery);
	return ik_source_directory_new(core->loop, &options);
}

static struct ik_mcp_entry *read_servers(void *arg, size_t *ret_count)
{
	struct ik_setup *setup = arg;
	struct ik_mcp_servers servers = { .items = NULL };
	/* Who gave them is the user's own program. */
	const struct ik_mcp_file given = { .path = _("the editor"),
		.directory = setup->places.directory };
	struct ik_mcp_entry *entries;
	struct ik_buf text;

	if (!getenv(IK_MCP_INSIDE))
		ik_project_read_servers(&setup->project, &setup->places, setup->config, &servers);
	if (setup->servers) {
		ik_buf_init(&text, IK_LIMIT_CONFIG);
		ik_buf_puts(&text, setup->servers);
		ik_mcp_servers_read(&servers, &given, &text);
		ik_buf_done(&text);
	}
	entries = servers.items;
	*ret_count = servers.count;
	servers.items = NULL;
	servers.count = 0;
	ik_mcp_servers_done(&servers);
	return entries;
}

/* Name the files that name servers: those in the home, of which one says what is trusted, and the
 * project's. */
static void server_places(void *arg, ik_source_place *place, void *place_arg)
{
	static const char *const own[] = { "mcp.json", "trust.json" };
	const struct ik_setup *setup = arg;

	for (size_t i = 0; setup->places.home && i < sizeof(own) / sizeof(own[0]); i++)
		place(place_arg, setup->places.home, own[i]);
	place(place_arg, setup->places.directory, ".mcp.json");
}

struct ik_mcp_options ik_core_server_options(const struct ik_setup *setup, char **environment)
{
	return (struct ik_mcp_options){
		.environment = (const char *const *)environment,
		.directory = setup->places.directory,
		.sandbox = setup->sandbox,
		.memory_limit = setup->config->tools_memory_limit_mb * 1024 * 1024,
		.asks = setup->asks,
		.http = ik_setup_http(setup),
	};
}

/* Add the MCP servers. */
static void add_servers(const struct directories *directories, struct ik_setup *setup,
	char **environment)
{
	const struct ik_mcp_source_options options = {
		.start = ik_core_server_options(setup, environment),
		.timeout_ms = setup->config->tools_scan_timeout_ms,
		.cache = directories->options.cache,
		.reader = { .read = read_servers, .places = server_places, .arg = setup },
	};

	ik_discovery_add_source(directories->discovery, ik_mcp_source_new(directories->loop, &options));
}

struct ik_discovery *ik_core_discovery(struct ik_loop *loop, struct ik_setup *setup,
	char **environment, const struct ik_discovery_events *events, void *arg)
{
	struct directories directories = {
		.options = directory_options(setup, environment),
		.discovery = ik_discovery_new(loop, events, arg),
		.loop = loop,
		.places = &setup->places,
	};

	add_cache(&directories, setup);
	(void)find_directories(&directories, setup);
	add_servers(&directories, setup, environment);
	return directories.discovery;
}

struct ik_discovery *ik_core_project_discovery(struct ik_loop *loop, const struct ik_setup *setup,
	const struct ik_discovery_events *events, void *arg)
{
	struct directories directories = {
		.options = {
			.timeout_ms = setup->config->tools_scan_timeout_ms, .sandbox = setup->sandbox,
		},
		.project_only = true,
		.discovery = ik_discovery_new(loop, events, arg),
		.loop = loop,
		.places = &setup->places,
	};

	return find_directories(&directories, setup);
}

void ik_command_answer(struct ik_session *session, const char *line, struct ik_buf *output)
{
	if (output->length > 0 && output->data[output->length - 1] == '\n')
		ik_buf_truncate(output, output->length - 1);
	ik_session_add_command(session, line, output->data);
	ik_buf_done(output);
}
