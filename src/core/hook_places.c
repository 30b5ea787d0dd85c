#include "core/hook_places.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* Add a place, unless the project's is also the user's own. Frees the paths, which may be NULL. */
static void add(struct ik_hooks *hooks, char *path, char *own, struct ik_trust *trust,
	void (*add_place)(struct ik_hooks *hooks, const char *path, struct ik_trust *trust))
{
	char *canonical = path ? ik_path_canonical(path) : NULL;
	char *canonical_own = own ? ik_path_canonical(own) : NULL;

	if (path && !(own && ik_text_equal(canonical, canonical_own)))
		add_place(hooks, path, trust);
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

static void add_project(struct ik_hooks *hooks, const struct ik_places *places, bool claude,
	struct ik_trust *trust)
{
	static const char *const files[] = { ".claude/settings.json", ".claude/settings.local.json" };

	add(hooks, in_project(places, ".ikigai/hooks"), ik_places_file(places, "hooks"), trust,
		ik_hooks_add_directory);
	add(hooks, in_project(places, ".ikigai/hooks.json"), ik_places_file(places, "hooks.json"),
		trust, ik_hooks_add_file);
	for (size_t i = 0; claude && i < 2; i++)
		add(hooks, in_project(places, files[i]), in_home(places, files[i]), trust,
			ik_hooks_add_file);
}

struct ik_hooks *ik_hooks_read(const struct ik_places *places, const struct ik_config *config,
	struct ik_project *project)
{
	struct ik_untrusted_list *skipped = &project->skipped[IK_PROJECT_HOOKS];
	struct ik_hooks *hooks = ik_hooks_new();

	add(hooks, ik_places_file(places, "hooks"), NULL, NULL, ik_hooks_add_directory);
	add(hooks, ik_places_file(places, "hooks.json"), NULL, NULL, ik_hooks_add_file);
	if (config->hooks_claude)
		add(hooks, in_home(places, ".claude/settings.json"), NULL, NULL, ik_hooks_add_file);
	add_project(hooks, places, config->hooks_claude, project->trust);
	ik_untrusted_clear(skipped);
	for (size_t i = 0; i < hooks->count; i++)
		if (hooks->items[i].state != IK_TRUST_TRUSTED && hooks->items[i].identity.inode != 0)
			ik_untrusted_add(skipped, hooks->items[i].path, &hooks->items[i].identity,
				hooks->items[i].state == IK_TRUST_CHANGED);
	return hooks;
}
