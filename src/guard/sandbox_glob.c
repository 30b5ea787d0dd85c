#include "guard/sandbox_glob.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guard/glob.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/text.h"

/* A breadth-first walk through a tree. */
struct sandbox_glob_walk {
	const char *glob;
	struct ik_sandbox_found *found;
	char **waiting; /* directories; those before `next` are done */
	size_t count, next;
	size_t names;
	int64_t deadline_ms;
};

static void add_path(char ***paths, size_t *count, char *path)
{
	*paths = ik_alloc_array(*paths, *count + 1, sizeof(**paths));
	(*paths)[(*count)++] = path;
}

/* Are the limits not reached yet? */
static bool may_go_on(const struct sandbox_glob_walk *walk)
{
	return walk->names < IK_SANDBOX_GLOB_NAMES && walk->found->count < IK_SANDBOX_GLOB_FILES &&
		(walk->names % 64 != 0 || ik_clock_ms() < walk->deadline_ms);
}

static bool is_directory(const char *path, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Does the glob match the path and, if it is a directory, everything in it? */
static bool matches(const struct sandbox_glob_walk *walk, const char *path, bool directory)
{
	size_t length = strlen(walk->glob);
	bool whole = length > 1 && walk->glob[length - 1] == '*' && walk->glob[length - 2] != '\\';

	return (!directory || whole) && ik_glob_match(walk->glob, path, strlen(path), NULL);
}

/* Search a directory. False: a limit was reached. */
static bool look_into(struct sandbox_glob_walk *walk, const char *directory)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	bool all = true;

	if (!stream)
		return true; /* a directory that this user cannot list is hidden already */
	while (all && (entry = readdir(stream))) {
		char *path;
		bool deeper;

		if (ik_text_equal(entry->d_name, ".") || ik_text_equal(entry->d_name, ".."))
			continue;
		walk->names++;
		path = ik_path_join(directory, entry->d_name);
		deeper = is_directory(path, entry);
		if (entry->d_type != DT_LNK && matches(walk, path, deeper))
			add_path(&walk->found->paths, &walk->found->count, path);
		else if (deeper)
			add_path(&walk->waiting, &walk->count, path);
		else
			free(path);
		all = may_go_on(walk);
	}
	closedir(stream);
	return all;
}

bool ik_sandbox_glob(const char *base, const char *glob, struct ik_sandbox_found *ret_found)
{
	struct sandbox_glob_walk walk = {
		.glob = glob,
		.found = ret_found,
		.deadline_ms = ik_clock_ms() + IK_SANDBOX_GLOB_MS,
	};
	bool all = true;

	*ret_found = (struct ik_sandbox_found){ .count = 0 };
	add_path(&walk.waiting, &walk.count, ik_strdup(base));
	while (all && walk.next < walk.count)
		all = look_into(&walk, walk.waiting[walk.next++]);
	for (size_t i = 0; i < walk.count; i++)
		free(walk.waiting[i]);
	free(walk.waiting);
	return all;
}

void ik_sandbox_found_done(struct ik_sandbox_found *found)
{
	for (size_t i = 0; i < found->count; i++)
		free(found->paths[i]);
	free(found->paths);
	*found = (struct ik_sandbox_found){ .count = 0 };
}
