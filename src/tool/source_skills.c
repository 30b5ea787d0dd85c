#include "tool/source.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/permissions.h"
#include "guard/sandbox.h"
#include "guard/trust_check.h"
#include "loop/directory_watch.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/front_matter.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#define SKILL_FILE "SKILL.md"

/* Bounds of the search, so that a link to "/" does no harm; and the time of one turn. */
enum { DEEPEST = 4, DIRECTORIES_MOST = 2000, SLICE_US = 3000 };
/* Limits on a name and a description, in bytes: agentskills.io has 64 and 1,024 characters, but longer
 * descriptions are about. */
enum { NAME_MOST = 64, DESCRIPTION_MOST = 2048 };
/* People write it, and a model reads it as a whole. */
#define LARGEST IK_KIB(256)

/* A directory of the search; of a skill if it has a SKILL.md. */
struct skill_place {
	char *path;
	char *file; /* the path of its SKILL.md; NULL: it has none */
	int depth;
};

struct skills {
	struct ik_source source;
	struct ik_loop *loop;
	struct ik_trust *trust; /* NULL: no trust is needed */
	const struct ik_sandbox *sandbox;
	struct skill_place *places; /* the first is the root */
	size_t count;
	/* The running scan. */
	const struct ik_source_events *events; /* NULL: none */
	void *arg;
	size_t looked;                /* places that were looked into */
	size_t next;                  /* place whose skill is read next */
	bool listed;                  /* all places are known */
	struct ik_trust_check *check; /* of all skills, in order; NULL without trust */
	size_t checked;               /* skills that were announced */
};

static void clear_places(struct skills *skills)
{
	for (size_t i = 0; i < skills->count; i++) {
		free(skills->places[i].path);
		free(skills->places[i].file);
	}
	free(skills->places);
	skills->places = NULL;
	skills->count = 0;
}

static void add_place(struct skills *skills, char *path, int depth)
{
	skills->places = ik_alloc_more(skills->places, skills->count, sizeof(*skills->places));
	skills->places[skills->count++] = (struct skill_place){ .path = path, .depth = depth };
}

/* ---- looking for skills ---- */

static bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Look into a directory: it is a skill's, or directories in it may be. */
static void look_into(struct skills *skills, size_t index)
{
	const char *path = skills->places[index].path;
	int depth = skills->places[index].depth;
	char *file = ik_path_join(path, SKILL_FILE);
	struct dirent *entry;
	struct stat status;
	DIR *stream;

	if (depth > 0 && is_file(file)) {
		skills->places[index].file = file;
		return;
	}
	free(file);
	stream = depth < DEEPEST ? opendir(path) : NULL;
	while (stream && skills->count < DIRECTORIES_MOST && (entry = readdir(stream))) {
		const char *name = entry->d_name;

		if (ik_source_name_counts(name) && !ik_text_equal(name, "node_modules") &&
			(entry->d_type == DT_DIR ||
				((entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) &&
					fstatat(dirfd(stream), name, &status, 0) == 0 && S_ISDIR(status.st_mode))))
			add_place(skills, ik_path_join(skills->places[index].path, name), depth + 1);
	}
	if (stream)
		closedir(stream);
}

/* ---- reading one ---- */

/* Is it a name as others can type it after a "/"? */
static bool is_name(const char *name)
{
	size_t length = strlen(name);

	return length > 0 && length <= NAME_MOST && isalnum((unsigned char)name[0]) &&
		strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == length;
}

/* Make a tool of a skill's front matter. What is odd about it, but does no harm, is its reason. */
static void take_fields(const struct skill_place *place, const struct ik_front_matter *matter,
	struct ik_tool *tool)
{
	const char *given = ik_front_matter_value(matter, "name"), *folder = ik_path_base(place->path);
	const char *description = ik_front_matter_value(matter, "description");
	const char *hint = ik_front_matter_value(matter, "argument-hint");
	const char *name = given && is_name(given) ? given : folder;

	if (!description || !is_name(name)) {
		ik_tool_reject(tool, IK_TOOL_FAILED, "INVALID_SKILL",
			ik_strdup(description
					? _("neither its name nor its directory's is one: letters, digits "
						"and \"-\", at most 64")
					: _("has no description in its front matter")));
		return;
	}
	free(tool->name);
	tool->name = ik_format("/%s", name);
	tool->description = ik_strndup(description,
		ik_utf8_cut(description, strlen(description), DESCRIPTION_MOST));
	for (char *at = tool->description; (at = strchr(at, '\n'));)
		*at = ' ';
	tool->hint = hint ? ik_strdup(hint) : NULL;
	tool->user_only = ik_front_matter_is(matter, "disable-model-invocation", false);
	tool->model_only = !ik_front_matter_is(matter, "user-invocable", true);
	tool->state = IK_TOOL_SKILL;
	if (!given || !ik_text_equal(given, folder))
		tool->reason = ik_format(_("its name \"%s\" should be that of its directory, \"%s\""),
			given ? given : "", folder);
	else if (strlen(description) > strlen(tool->description))
		tool->reason = ik_format(_("its description is longer than %d bytes, and is cut"),
			DESCRIPTION_MOST);
}

/* Read a skill that may be used. */
static void read_skill(const struct skills *skills, const struct skill_place *place,
	struct ik_tool *tool)
{
	struct ik_front_matter matter = { .count = 0 };
	char *canonical = ik_path_canonical(place->file);
	struct ik_error error;
	struct ik_buf text;

	ik_buf_init(&text, LARGEST);
	if (ik_sandbox_hides(skills->sandbox, "file_read", canonical))
		ik_tool_reject(tool, IK_TOOL_FAILED, "INVALID_SKILL",
			ik_strdup(_("is hidden from tools by the sandbox")));
	else if (ik_permissions_check(place->file, &error) != IK_OK)
		ik_tool_reject(tool, IK_TOOL_FAILED, "UNSAFE_PERMISSIONS", ik_strdup(error.text));
	else if (ik_file_read(place->file, &text, &error) != IK_OK ||
		ik_front_matter_read(&matter, place->file, text.data, text.length, &error) != IK_OK)
		ik_tool_reject(tool, IK_TOOL_FAILED, "INVALID_SKILL", ik_strdup(error.text));
	else
		take_fields(place, &matter, tool);
	ik_front_matter_done(&matter);
	free(canonical);
	if (tool->state == IK_TOOL_SKILL)
		tool->schema = ik_buf_take(&text, &tool->schema_length);
	ik_buf_done(&text);
}

/* Announce a file that the user does not trust. */
static void reject(struct skills *skills, struct ik_tool *tool, const char *problem)
{
	const char *reason = problem ? problem
		: tool->changed
		? _("was changed since you trusted it; look at it, then: ikigai tool trust")
		: _("came with the project and is not used before you trust it; look at it, then: ikigai "
			"tool trust");

	ik_tool_reject(tool, IK_TOOL_UNTRUSTED, "NOT_TRUSTED", ik_strdup(reason));
	skills->events->tool(skills->arg, tool);
}

/* Announce the programs in a directory of a skill that is not trusted, so that they are asked about
 * together. */
static void reject_programs(struct skills *skills, const char *directory)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	struct stat status;

	while (stream && (entry = readdir(stream))) {
		struct ik_tool tool = { .source = skills->source.origin, .pinned = true };

		if (!ik_source_name_counts(entry->d_name) ||
			fstatat(dirfd(stream), entry->d_name, &status, 0) != 0 || !S_ISREG(status.st_mode) ||
			(status.st_mode & S_IXUSR) == 0)
			continue;
		tool.name = ik_strdup(entry->d_name);
		tool.path = ik_path_join(directory, entry->d_name);
		tool.identity = ik_identity_of(&status);
		reject(skills, &tool, NULL);
	}
	if (stream)
		closedir(stream);
}

/* Announce the skill of a place. */
static void announce(struct skills *skills, const struct skill_place *place)
{
	const struct ik_checked_file *known = skills->check
		? ik_trust_check_at(skills->check, skills->checked)
		: NULL;
	struct ik_tool tool = {
		.name = ik_format("/%s", ik_path_base(place->path)),
		.path = ik_strdup(place->file),
		.source = skills->source.origin,
		.pinned = known,
	};
	char *scripts;

	skills->checked++;
	if (known)
		tool.identity = known->identity;
	if (!known || known->state == IK_TRUST_TRUSTED)
		read_skill(skills, place, &tool);
	/* What was read is what was checked. */
	if (!known ||
		(known->state == IK_TRUST_TRUSTED && ik_identity_holds(place->file, &known->identity))) {
		skills->events->tool(skills->arg, &tool);
		return;
	}
	tool.changed = known->state != IK_TRUST_NEW;
	scripts = ik_path_join(place->path, "scripts");
	reject(skills, &tool, known->problem);
	reject_programs(skills, place->path);
	reject_programs(skills, scripts);
	free(scripts);
}

/* ---- the scan ---- */

static void work(void *arg);

static void go_on(void *arg)
{
	struct skills *skills = arg;

	ik_loop_cancel_deferred(skills->loop, work, skills);
	ik_loop_defer(skills->loop, work, skills);
}

static void clear_scan(struct skills *skills)
{
	ik_loop_cancel_deferred(skills->loop, work, skills);
	skills->check = ik_trust_check_close(skills->check);
	skills->events = NULL;
}

/* All places are known: report how many skills there are, and check them where trust is needed. */
static void list(struct skills *skills)
{
	const char **paths = ik_alloc_array(NULL, skills->count + 1, sizeof(*paths));
	size_t count = 0;

	for (size_t i = 0; i < skills->count; i++)
		if (skills->places[i].file)
			paths[count++] = skills->places[i].file;
	skills->listed = true;
	if (skills->trust && count > 0)
		skills->check = ik_trust_check_start(skills->loop, skills->trust, paths, NULL, count, go_on,
			skills);
	else
		go_on(skills);
	free(paths);
	skills->events->found(skills->arg, count);
}

/* Look into places, then read skills, as many as this turn allows; after the last, report the
 * end. */
static void work(void *arg)
{
	struct skills *skills = arg;
	const struct ik_source_events *events = skills->events;
	int64_t begin = ik_clock_us();

	while (!skills->listed || skills->next < skills->count) {
		if (ik_clock_us() - begin > SLICE_US) {
			go_on(skills);
			return;
		}
		if (skills->looked < skills->count) {
			look_into(skills, skills->looked++);
		} else if (!skills->listed) {
			list(skills);
			return;
		} else {
			const struct skill_place *place = &skills->places[skills->next++];

			if (place->file)
				announce(skills, place);
			if (!skills->events)
				return;
		}
	}
	clear_scan(skills);
	events->done(skills->arg, access(skills->places[0].path, R_OK) == 0, NULL);
}

static void skills_scan(struct ik_source *source, const struct ik_source_events *events, void *arg)
{
	struct skills *skills = (struct skills *)source;
	char *root = ik_strdup(skills->places[0].path);

	clear_places(skills);
	add_place(skills, root, 0);
	skills->events = events;
	skills->arg = arg;
	skills->looked = skills->next = skills->checked = 0;
	skills->listed = false;
	go_on(skills);
}

static void skills_close(struct ik_source *source)
{
	clear_scan((struct skills *)source);
}

static void skills_free(struct ik_source *source)
{
	clear_places((struct skills *)source);
	free(source);
}

static void skills_places(struct ik_source *source, ik_source_place *place, void *arg)
{
	const struct skills *skills = (const struct skills *)source;

	for (size_t i = 0; i < skills->count; i++) {
		if (!skills->places[i].file)
			place(arg, skills->places[i].path, IK_WATCHED_DIRECTORIES);
		place(arg, skills->places[i].path, SKILL_FILE);
	}
	ik_source_trust_place(skills->trust, place, arg);
}

struct ik_source *ik_source_skills_new(struct ik_loop *loop, const char *path,
	enum ik_tool_source origin, struct ik_trust *trust, const struct ik_sandbox *sandbox)
{
	static const struct ik_source_ops ops = {
		.scan = skills_scan,
		.close = skills_close,
		.free = skills_free,
		.places = skills_places,
	};
	struct skills *skills = ik_alloc(sizeof(*skills));

	ik_source_init(&skills->source, &ops, origin);
	skills->loop = loop;
	skills->trust = trust;
	skills->sandbox = sandbox;
	add_place(skills, ik_strdup(path), 0);
	return &skills->source;
}
