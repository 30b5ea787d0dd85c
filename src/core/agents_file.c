#include "core/agents_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#define NAME "AGENTS.md"

/* People write instructions; a larger file is a mistake. */
#define LARGEST IK_KIB(256)

/* Cut path to its parent directory; false at the root of the file system. */
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

char **ik_agents_files_find(const struct ik_places *places)
{
	char *root = find_root(places), *directory = ik_strdup(places->directory);
	char **paths = ik_alloc(sizeof(*paths));
	size_t count = 0;

	do {
		if (!has(directory, NAME))
			continue;
		paths = ik_alloc_array(paths, ++count + 1, sizeof(*paths));
		memmove(paths + 1, paths, count * sizeof(*paths));
		paths[0] = ik_path_join(directory, NAME);
	} while (!ik_text_equal(directory, root) && go_up(directory));
	free(root);
	free(directory);
	return paths;
}

/* Append a file if it is trusted as it is. */
static void read_one(struct ik_project *project, const char *root, const char *path,
	struct ik_config *config, struct ik_buf *out)
{
	struct ik_identity identity;
	struct ik_error error;
	struct ik_buf text;

	ik_buf_init(&text, LARGEST);
	if (!ik_path_within(root, path)) {
		ik_config_warn(config, _("%s leads out of the project and was left out"), path);
	} else if (ik_identity_read(path, &identity, &error) != IK_OK ||
		ik_file_read(path, &text, &error) != IK_OK) {
		ik_config_warn(config, "%s", error.text);
	} else if (ik_project_judges(project, path, &identity, &text, config)) {
		ik_buf_printf(out, "%sInstructions of the project, from %s:\n\n",
			out->length > 0 ? "\n\n" : "", path);
		ik_utf8_repair(out, text.data, text.length);
	}
	ik_buf_done(&text);
}

char *ik_agents_files_read(struct ik_project *project, const struct ik_places *places,
	struct ik_config *config)
{
	char **paths = ik_agents_files_find(places), *root = find_root(places);
	struct ik_error error;
	struct ik_buf out;
	size_t i;

	ik_project_forget_agents(project);
	if (paths[0])
		(void)!ik_trust_read(project->trust, &error); /* reported with all other problems */
	ik_buf_init(&out, IK_MIB(4));
	for (i = 0; paths[i]; i++) {
		read_one(project, root, paths[i], config, &out);
		free(paths[i]);
	}
	free(paths);
	free(root);
	if (out.length > 0 && ik_buf_status(&out) == IK_OK)
		return ik_buf_take(&out, NULL);
	ik_buf_done(&out);
	return NULL;
}
