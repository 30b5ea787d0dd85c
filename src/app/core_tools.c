#include "app/core.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* Within the project's directory. */
static const char PROJECT_TOOLS[] = ".ikigai/tools";
enum { DIRECTORIES = 5 };

struct ik_run_options ik_core_run_options(struct ik_loop *loop, const struct ik_setup *setup,
	char **environment)
{
	const struct ik_config *config = setup->config;
	struct ik_run_options run;

	memset(&run, 0, sizeof run);
	run.loop = loop;
	run.timeout_ms = config->tools_timeout_s * 1000;
	run.timeouts = config->tools_timeouts;
	run.timeout_count = config->tools_timeout_count;
	run.output_limit = (size_t)config->tools_max_output_size;
	run.memory_limit = config->tools_memory_limit_mb * 1024 * 1024;
	run.environment = (const char *const *)environment;
	run.kodelet.timeout_ms = config->custom_timeout_ms;
	run.kodelet.output_limit = (size_t)config->custom_max_output_size;
	run.kodelet.environment = (const char *const *)setup->kodelet_environment;
	run.directory = setup->places.directory;
	return run;
}

/* Directories that tools come from, lowest precedence first. */
struct directories {
	struct ik_source_directory_options options; /* what they have in common */
	struct ik_discovery *discovery;
	struct ik_loop *loop;
	const struct ik_places *places;
	char *canonical[DIRECTORIES];
	size_t count;
};

/*
 * Add one, whose path is taken over (NULL: there is none). One that was added already,
 * perhaps by another name, is passed over: it stays what it was first, so that a
 * person's own directory is not the project's because the project lies around it.
 */
static void add_directory(struct directories *directories, char *path,
	enum ik_tool_source origin, enum ik_tool_protocol first)
{
	char *expanded, *whole, *canonical;
	const char *name;
	size_t i;

	if (path == NULL)
		return;
	/* Without a home directory "~" is nowhere. */
	if (path[0] == '~' && directories->places->user_home == NULL) {
		free(path);
		return;
	}
	expanded = ik_path_expand(path, directories->places->user_home);
	for (name = expanded; ik_text_starts(name, "./"); name += 2)
		continue; /* "./kodelet-tools" is shown without it */
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
		ik_discovery_add_source(directories->discovery,
			ik_source_directory_new(directories->loop, &directories->options));
	}
	free(canonical);
	free(whole);
	free(expanded);
	free(path);
}

/* Its configured name, else the built-in one (taken over). */
static char *choose(const char *configured, char *built_in)
{
	if (configured == NULL)
		return built_in;
	free(built_in);
	return ik_strdup(configured);
}

struct ik_discovery *ik_core_discovery(struct ik_loop *loop, const struct ik_setup *setup,
	char **environment, const struct ik_discovery_events *events, void *arg)
{
	const struct ik_config *config = setup->config;
	const struct ik_places *places = &setup->places;
	struct directories directories = {
		.options = {
			.native_only = !config->custom_enabled,
			.timeout_ms = config->tools_scan_timeout_ms,
			.environments = {
				[IK_PROTOCOL_NATIVE] = (const char *const *)environment,
				[IK_PROTOCOL_KODELET] =
					(const char *const *)setup->kodelet_environment,
			},
			.working_directory = places->directory,
		},
		.discovery = ik_discovery_new(loop, events, arg),
		.loop = loop,
		.places = places,
	};
	size_t i;

	add_directory(&directories, choose(config->tools_system_dir, ik_strdup(places->system_tools)),
		IK_SOURCE_SYSTEM, IK_PROTOCOL_NATIVE);
	if (config->custom_enabled)
		add_directory(&directories, ik_strdup(config->custom_global_dir), IK_SOURCE_KODELET,
			IK_PROTOCOL_KODELET);
	add_directory(&directories, choose(config->tools_user_dir, ik_places_file(places, "tools")),
		IK_SOURCE_USER, IK_PROTOCOL_NATIVE);
	if (config->custom_enabled)
		add_directory(&directories, ik_strdup(config->custom_local_dir), IK_SOURCE_PROJECT,
			IK_PROTOCOL_KODELET);
	add_directory(&directories, choose(config->tools_project_dir, ik_strdup(PROJECT_TOOLS)),
		IK_SOURCE_PROJECT, IK_PROTOCOL_NATIVE);
	for (i = 0; i < config->tools_disabled.count; i++)
		ik_discovery_disable(directories.discovery, config->tools_disabled.items[i]);
	for (i = 0; i < directories.count; i++)
		free(directories.canonical[i]);
	return directories.discovery;
}
