#include "core/project.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#define CONFIG_FILE ".ikigai/config.json"
#define SERVERS_FILE ".mcp.json"
#define SERVERS_OWN "mcp.json"

/* Limit on the names in one sentence; the others are counted. */
enum { NAMED = 5 };

void ik_project_open(struct ik_project *project, const struct ik_places *places, bool all)
{
	char *file = ik_places_file(places, "trust.json");

	memset(project, 0, sizeof(*project));
	project->trust = ik_trust_new(file, places->directory);
	if (all)
		ik_trust_all(project->trust);
	free(file);
}

void ik_untrusted_add(struct ik_untrusted_list *list, const char *path,
	const struct ik_identity *identity, bool changed)
{
	list->items = ik_alloc_array(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = (struct ik_untrusted){ ik_strdup(path), *identity, changed };
}

void ik_untrusted_clear(struct ik_untrusted_list *list)
{
	while (list->count > 0)
		free(list->items[--list->count].path);
	free(list->items);
	list->items = NULL;
}

void ik_project_done(struct ik_project *project)
{
	project->trust = ik_trust_free(project->trust);
	for (int part = 0; part < IK_PROJECT_PARTS; part++)
		ik_untrusted_clear(&project->skipped[part]);
	memset(project, 0, sizeof(*project));
}

/* Is the file with identity one also the file path? */
static bool same_file(const struct ik_identity *one, const char *path)
{
	struct ik_identity other;

	return path && ik_identity_read(path, &other, NULL) == IK_OK && one->device == other.device &&
		one->inode == other.inode;
}

/* Does the file path exist, other than as the user's own file of that name in the home? */
static bool is_projects(const struct ik_places *places, const char *path, const char *own,
	struct ik_identity *ret_identity)
{
	char *home = ik_places_file(places, own);
	bool found = ik_identity_read(path, ret_identity, NULL) == IK_OK &&
		!same_file(ret_identity, home);

	free(home);
	return found;
}

bool ik_project_judge(struct ik_project *project, enum ik_project_part part, const char *path,
	const struct ik_identity *identity, const struct ik_buf *text)
{
	struct ik_error error;
	enum ik_trust_state state = ik_trust_judge_as(project->trust, path, identity, text, &error);

	if (state != IK_TRUST_TRUSTED)
		ik_untrusted_add(&project->skipped[part], path, identity, state == IK_TRUST_CHANGED);
	return state == IK_TRUST_TRUSTED;
}

/* Read a file of the project if it is trusted in its current state, and return whether it is. An
 * untrusted file is added to those skipped; an unreadable file causes a warning. */
static bool read_file(struct ik_project *project, enum ik_project_part part, const char *path,
	struct ik_config *config, struct ik_buf *text)
{
	struct ik_identity identity;
	struct ik_error error;

	(void)!ik_trust_read(project->trust, &error); /* reported with all other problems */
	if (ik_identity_read(path, &identity, &error) != IK_OK ||
		ik_file_read(path, text, &error) != IK_OK) {
		ik_config_warn(config, "%s", error.text);
		return false;
	}
	return ik_project_judge(project, part, path, &identity, text);
}

enum ik_status ik_project_read_config(struct ik_project *project, const struct ik_places *places,
	const char *user_file, struct ik_config *config, struct ik_error *error)
{
	char *path = ik_path_join(places->directory, CONFIG_FILE);
	enum ik_status status = IK_OK;
	struct ik_identity identity;
	struct ik_buf text;

	ik_untrusted_clear(&project->skipped[IK_PROJECT_CONFIG]);
	ik_buf_init(&text, IK_LIMIT_CONFIG);
	if (is_projects(places, path, "config.json", &identity) && !same_file(&identity, user_file) &&
		read_file(project, IK_PROJECT_CONFIG, path, config, &text))
		status = ik_config_load_text(config, path, &text, IK_ORIGIN_PROJECT, error);
	ik_buf_done(&text);
	free(path);
	return status;
}

char *ik_project_servers_file(const struct ik_places *places, bool project)
{
	return project ? ik_path_join(places->directory, SERVERS_FILE)
				   : ik_places_file(places, SERVERS_OWN);
}

void ik_project_read_servers(struct ik_project *project, const struct ik_places *places,
	struct ik_config *config, struct ik_mcp_servers *servers)
{
	char *own = ik_project_servers_file(places, false);
	char *path = ik_project_servers_file(places, true);
	struct ik_mcp_file file = { own, false, places->directory, places->user_home };
	struct ik_identity identity;
	struct ik_error error = { .status = IK_NOT_FOUND };
	struct ik_buf text;

	ik_untrusted_clear(&project->skipped[IK_PROJECT_SERVERS]);
	ik_buf_init(&text, IK_LIMIT_CONFIG);
	if (own && ik_file_read(own, &text, &error) == IK_OK)
		ik_mcp_servers_read(servers, &file, &text);
	else if (error.status != IK_NOT_FOUND)
		ik_mcp_servers_refuse(servers, &file, error.text);
	ik_buf_clear(&text);
	file.path = path;
	file.project = true;
	if (is_projects(places, path, SERVERS_OWN, &identity) &&
		read_file(project, IK_PROJECT_SERVERS, path, config, &text))
		ik_mcp_servers_read(servers, &file, &text);
	ik_buf_done(&text);
	free(path);
	free(own);
}

/* ---- hooks ---- */

/* Add a place, unless the project's is also the user's own. Frees the paths, which may be NULL. */
static void add_place(struct ik_hooks *hooks, char *path, char *own, struct ik_trust *trust,
	void (*add)(struct ik_hooks *hooks, const char *path, struct ik_trust *trust))
{
	char *canonical = path ? ik_path_canonical(path) : NULL;
	char *canonical_own = own ? ik_path_canonical(own) : NULL;

	if (path && !(own && ik_text_equal(canonical, canonical_own)))
		add(hooks, path, trust);
	free(canonical);
	free(canonical_own);
	free(path);
	free(own);
}

static char *in_home(const struct ik_places *places, const char *name)
{
	return places->user_home ? ik_path_join(places->user_home, name) : NULL;
}

static char *in_project(const struct ik_places *places, const char *name)
{
	return ik_path_join(places->directory, name);
}

static void add_project_places(struct ik_hooks *hooks, const struct ik_places *places, bool claude,
	struct ik_trust *trust)
{
	static const char *const files[] = { ".claude/settings.json", ".claude/settings.local.json" };

	add_place(hooks, in_project(places, ".ikigai/hooks"), ik_places_file(places, "hooks"), trust,
		ik_hooks_add_directory);
	add_place(hooks, in_project(places, ".ikigai/hooks.json"), ik_places_file(places, "hooks.json"),
		trust, ik_hooks_add_file);
	for (size_t i = 0; claude && i < 2; i++)
		add_place(hooks, in_project(places, files[i]), in_home(places, files[i]), trust,
			ik_hooks_add_file);
}

struct ik_hooks *ik_hooks_read(const struct ik_places *places, const struct ik_config *config,
	struct ik_project *project)
{
	struct ik_untrusted_list *skipped = &project->skipped[IK_PROJECT_HOOKS];
	struct ik_hooks *hooks = ik_hooks_new();

	add_place(hooks, ik_places_file(places, "hooks"), NULL, NULL, ik_hooks_add_directory);
	add_place(hooks, ik_places_file(places, "hooks.json"), NULL, NULL, ik_hooks_add_file);
	if (config->hooks_claude)
		add_place(hooks, in_home(places, ".claude/settings.json"), NULL, NULL, ik_hooks_add_file);
	add_project_places(hooks, places, config->hooks_claude, project->trust);
	ik_untrusted_clear(skipped);
	for (size_t i = 0; i < hooks->count; i++)
		if (hooks->items[i].state != IK_TRUST_TRUSTED && hooks->items[i].identity.inode != 0)
			ik_untrusted_add(skipped, hooks->items[i].path, &hooks->items[i].identity,
				hooks->items[i].state == IK_TRUST_CHANGED);
	return hooks;
}

/* ---- AGENTS.md ---- */

#define NAME "AGENTS.md"

/* Limit on the size of a file: people write instructions, so a larger file is a mistake. */
#define LARGEST IK_KIB(256)

/* Cut path to its parent directory. Return false at the root of the file system. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || path[1] == '\0')
		return false;
	slash[slash == path] = '\0';
	return true;
}

/* Does the directory have an entry of that name? */
static bool has(const char *directory, const char *name)
{
	char *path = ik_path_join(directory, name);
	bool found = access(path, F_OK) == 0;

	free(path);
	return found;
}

/* Return the root of the project; the caller frees it. */
static char *find_root(const struct ik_places *places)
{
	char *root = ik_strdup(places->directory);

	while (!has(root, ".git")) {
		if (go_up(root))
			continue;
		free(root);
		return ik_strdup(places->directory);
	}
	return root;
}

char *ik_project_branch(const struct ik_places *places)
{
	static const char branch[] = "ref: refs/heads/", link[] = "gitdir: ";
	char *root = find_root(places), *path = ik_path_join(root, ".git/HEAD"), *found = NULL;
	struct ik_error error;
	struct ik_buf text;

	ik_buf_init(&text, IK_KIB(8));
	if (access(path, F_OK) != 0) { /* a linked work tree has a file .git */
		free(path);
		path = ik_path_join(root, ".git");
		if (ik_file_read(path, &text, &error) == IK_OK && ik_text_starts(text.data, link)) {
			char *head = ik_format("%.*s/HEAD", (int)strcspn(text.data, "\n") - (int)strlen(link),
				text.data + strlen(link));

			free(path);
			path = ik_path_join(root, head);
			free(head);
		}
		ik_buf_clear(&text);
	}
	if (ik_file_read(path, &text, &error) == IK_OK && ik_text_starts(text.data, branch))
		found = ik_strndup(text.data + strlen(branch), strcspn(text.data + strlen(branch), "\n"));
	ik_buf_done(&text);
	free(path);
	free(root);
	return found;
}

/* Append a file if it is trusted in its current state. */
static void read_one(struct ik_project *project, const char *root, const char *path,
	struct ik_config *config, struct ik_buf *out)
{
	struct ik_buf text;

	ik_buf_init(&text, LARGEST);
	if (!ik_path_within(root, path)) {
		ik_config_warn(config, _("%s leads out of the project and was left out"), path);
	} else if (read_file(project, IK_PROJECT_AGENTS, path, config, &text)) {
		ik_buf_printf(out, "%sInstructions of the project, from %s:\n\n",
			out->length > 0 ? "\n\n" : "", path);
		ik_utf8_repair(out, text.data, text.length);
	}
	ik_buf_done(&text);
}

/* Append the files from the root of the project down to a directory. */
static void read_down_to(struct ik_project *project, const char *root, const char *directory,
	struct ik_config *config, struct ik_buf *out)
{
	char *above = ik_path_directory(directory), *path = ik_path_join(directory, NAME);

	if (!ik_text_equal(directory, root))
		read_down_to(project, root, above, config, out);
	if (has(directory, NAME))
		read_one(project, root, path, config, out);
	free(above);
	free(path);
}

char *ik_agents_files_read(struct ik_project *project, const struct ik_places *places,
	struct ik_config *config)
{
	char *root = find_root(places);
	struct ik_buf out;

	ik_untrusted_clear(&project->skipped[IK_PROJECT_AGENTS]);
	ik_buf_init(&out, IK_MIB(4));
	read_down_to(project, root, places->directory, config, &out);
	free(root);
	if (out.length > 0 && ik_buf_status(&out) == IK_OK)
		return ik_buf_take(&out, NULL);
	ik_buf_done(&out);
	return NULL;
}

bool ik_project_trusts(const struct ik_project *project, const char *path,
	struct ik_identity *ret_identity, struct ik_error *error)
{
	enum ik_trust_state state;

	error->status = IK_OK;
	state = ik_trust_examine(project->trust, path, ret_identity, error);
	if (error->status != IK_OK)
		return false;
	if (state == IK_TRUST_TRUSTED)
		return true;
	(void)ik_error_set(error, IK_DENIED,
		state == IK_TRUST_CHANGED
			? _("it was changed since it was trusted; look at it, then: ikigai tool trust")
			: _("it came with this directory and is not trusted; look at it, then: ikigai tool "
				"trust"));
	return false;
}

void ik_project_untrusted(const struct ik_project *project, const struct ik_registry *registry,
	struct ik_untrusted_list *list)
{
	struct ik_identity identity;
	struct ik_error error;
	size_t i;

	ik_untrusted_clear(list);
	for (i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		/* A file that can't be examined must not be trusted by a keystroke. */
		if (tool->state == IK_TOOL_UNTRUSTED && tool->identity.inode != 0)
			ik_untrusted_add(list, tool->path, &tool->identity, tool->changed);
	}
	/* A file trusted meanwhile may be read only at the next start. */
	for (int part = 0; part < IK_PROJECT_PARTS; part++)
		for (i = 0; i < project->skipped[part].count; i++) {
			const struct ik_untrusted *file = &project->skipped[part].items[i];

			if (!ik_project_trusts(project, file->path, &identity, &error))
				ik_untrusted_add(list, file->path, &file->identity, file->changed);
		}
}

struct ik_trust_check *ik_project_grant(const struct ik_project *project, struct ik_loop *loop,
	const struct ik_untrusted_list *list, ik_trust_check_done *done, void *arg)
{
	const char **paths = ik_alloc_array(NULL, list->count + 1, sizeof(*paths));
	struct ik_identity *shown = ik_alloc_array(NULL, list->count + 1, sizeof(*shown));
	struct ik_trust_check *check;

	for (size_t i = 0; i < list->count; i++) {
		paths[i] = list->items[i].path;
		shown[i] = list->items[i].identity;
	}
	check = ik_trust_check_start(loop, project->trust, paths, shown, list->count, done, arg);
	free(paths);
	free(shown);
	return check;
}

enum ik_status ik_project_trust_file(const struct ik_project *project, const char *path,
	struct ik_error *error)
{
	char digest[IK_SHA256_TEXT];
	struct ik_trust_file file = { .path = path, .digest = digest };
	enum ik_status status = ik_sha256_of_file(path, digest, error);

	return status == IK_OK ? ik_trust_grant(project->trust, &file, 1, false, error) : status;
}

const char *ik_project_relative(const struct ik_project *project, const char *path)
{
	return ik_places_relative(ik_trust_directory(project->trust), path);
}

/* Append a name to the list; after the first few, only count them. */
static void put_name(struct ik_buf *names, size_t *count, const char *name)
{
	if (*count < NAMED)
		ik_buf_printf(names, "%s%s", *count > 0 ? ", " : "", name);
	else if (*count == NAMED)
		ik_buf_puts(names, ", ...");
	(*count)++;
}

char *ik_project_warning(const struct ik_project *project, const struct ik_registry *registry)
{
	struct ik_buf names;
	size_t count = 0, i;
	char *sentence = NULL;

	if (ik_trust_is_refused(project->trust))
		return NULL;
	ik_buf_init(&names, IK_KIB(64));
	for (i = 0; registry && i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state == IK_TOOL_UNTRUSTED)
			put_name(&names, &count, ik_project_relative(project, tool->path));
	}
	for (int part = 0; part < IK_PROJECT_PARTS; part++)
		for (i = 0; i < project->skipped[part].count; i++)
			put_name(&names, &count,
				ik_project_relative(project, project->skipped[part].items[i].path));
	if (count > 0)
		sentence = ik_format(ngettext("%zu file that came with this directory is not trusted and "
									  "was left out (%s); look at it, then: ikigai tool trust",
								 "%zu files that came with this directory are not trusted and were "
								 "left out (%s); look at them, then: ikigai tool trust",
								 count),
			count, names.data);
	ik_buf_done(&names);
	return sentence;
}
