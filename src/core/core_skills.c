#include "core/core.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* A directory whose tools are offered. */
struct ik_skill_directory {
	char *path;
	enum ik_tool_source origin;
	struct ik_source *source; /* NULL: it has no tools */
	bool wanted;
};

/* ---- the directories of loaded skills ---- */

/* Want a directory, and find out whether it has tools. */
static void want(struct ik_core *core, const char *path, enum ik_tool_source origin)
{
	struct ik_skill_directory *directory = core->skill_directories;

	for (size_t i = 0; i < core->skill_directory_count; i++, directory++)
		if (ik_text_equal(directory->path, path)) {
			directory->wanted = true;
			return;
		}
	core->skill_directories = ik_alloc_more(core->skill_directories, core->skill_directory_count,
		sizeof(*directory));
	directory = &core->skill_directories[core->skill_directory_count++];
	*directory = (struct ik_skill_directory){
		.path = ik_strdup(path), .origin = origin, .wanted = true
	};
}

/* Want the directories of a skill. */
static void want_skill(struct ik_core *core, const struct ik_tool *skill)
{
	char *directory = ik_path_directory(skill->path), *scripts = ik_path_join(directory, "scripts");

	want(core, directory, skill->source);
	want(core, scripts, skill->source);
	free(directory);
	free(scripts);
}

/* Add the sources of directories that are new, and remove those that nobody wants. */
static void update_sources(struct ik_core *core)
{
	bool changed = false;
	size_t kept = 0;

	for (size_t i = 0; i < core->skill_directory_count; i++) {
		struct ik_skill_directory *directory = &core->skill_directories[i];

		if (!directory->wanted) {
			if (directory->source)
				ik_discovery_remove_source(core->discovery, directory->source);
			changed = changed || directory->source;
			free(directory->path);
			continue;
		}
		if (!directory->source && ik_source_directory_has_tools(directory->path)) {
			directory->source = ik_core_skill_source(core, directory->path, directory->origin);
			ik_discovery_add_lowest(core->discovery, directory->source);
			changed = true;
		}
		core->skill_directories[kept++] = *directory;
	}
	core->skill_directory_count = kept;
	if (changed && core->tools_wanted)
		ik_discovery_scan(core->discovery, IK_CACHE_ALL);
}

/* ---- what sessions have loaded ---- */

/* Say that a session has loaded a skill. */
static void tell(struct ik_session *session, const struct ik_tool *skill)
{
	char *sentence = ik_format(_("Skill %s loaded"), skill->name + 1);

	ik_session_add_notice(session, sentence);
	free(sentence);
}

/* Handle what a session has loaded. */
static void update_session(struct ik_core *core, struct ik_core_session *entry)
{
	struct ik_skill_loads *loads = &entry->loads;

	for (size_t i = 0; i < loads->count; i++) {
		struct ik_skill_load *load = &loads->items[i];
		const struct ik_tool *skill = load->call_id
			? NULL
			: ik_skill_at(ik_discovery_registry(core->discovery), load->path);

		if (!skill)
			continue;
		want_skill(core, skill);
		for (size_t before = 0; before < i && !load->told; before++)
			load->told = !loads->items[before].call_id &&
				ik_text_equal(loads->items[before].path, load->path);
		if (!load->told && !ik_session_is_following(entry->session))
			tell(entry->session, skill);
		load->told = true;
	}
}

bool ik_core_has_loaded(const struct ik_core *core, const char *path)
{
	for (size_t i = 0; i < core->session_count; i++) {
		const struct ik_skill_loads *loads = &core->sessions[i]->loads;

		for (size_t k = 0; core->sessions[i]->session == core->session && k < loads->count; k++)
			if (!loads->items[k].call_id && ik_text_equal(loads->items[k].path, path))
				return true;
	}
	return false;
}

/* Deferred. */
static void update(void *arg)
{
	struct ik_core *core = arg;

	for (size_t i = 0; i < core->skill_directory_count; i++)
		core->skill_directories[i].wanted = false;
	for (size_t i = 0; i < core->session_count; i++)
		update_session(core, core->sessions[i]);
	update_sources(core);
}

void ik_core_update_skills(struct ik_core *core)
{
	ik_loop_cancel_deferred(core->loop, update, core);
	ik_loop_defer(core->loop, update, core);
}

void ik_core_forget_skills(struct ik_core *core)
{
	ik_loop_cancel_deferred(core->loop, update, core);
	for (size_t i = 0; i < core->skill_directory_count; i++)
		free(core->skill_directories[i].path);
	free(core->skill_directories);
}

/* ---- events ---- */

static void see(struct ik_core_session *entry, const struct ik_message *message)
{
	struct ik_skill_loads *loads = &entry->loads;

	if (!ik_skill_loads_see(loads, &entry->core->setup->places, message))
		return;
	for (size_t i = 0; i < loads->count; i++)
		loads->items[i].told = loads->items[i].told ||
			(!loads->items[i].call_id && message->time_ms < entry->began_ms);
	ik_core_update_skills(entry->core);
}

void ik_core_session_event(void *arg, const struct ik_event *event)
{
	struct ik_core_session *entry = arg;

	if (event->kind == IK_EVENT_MESSAGE)
		see(entry, event->message);
	for (size_t i = 0; event->kind == IK_EVENT_OLDER && i < event->count; i++)
		see(entry, event->older[i]);
	entry->core->events->event(entry->arg, event);
}
