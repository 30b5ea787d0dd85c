#include "tools/common/missing_path.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/suggestions.h"

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* Limits on the work for a hint: entries visited, misspelled directories of a path, depth. */
#define NAMES_MAX 20000
#define CORRECTIONS_MAX 4
#define DEPTH_MAX 12
/* Shorter names occur everywhere. */
#define NAME_MIN 3

static bool exists(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

static bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Return the length of path up to the first name that is not a directory: "a/b/" of "a/b/c". */
static size_t known_prefix(const char *path)
{
	size_t known = strspn(path, "/");

	for (;;) {
		size_t end = known + strcspn(path + known, "/");
		size_t next = end + strspn(path + end, "/");

		if (path[end] == '\0')
			return known;
		char *directory = ik_strndup(path, end);
		bool there = is_directory(directory);
		free(directory);
		if (!there)
			return known;
		known = next;
	}
}

/* Collect names in directory that are similar to wanted. */
static void near_names(const char *directory, const char *wanted, bool directories,
	struct ik_suggestions *best)
{
	DIR *stream = opendir(directory);
	size_t wanted_length = strlen(wanted);
	/* Directories of a path are less often completely different. */
	size_t allowed = wanted_length / 3 + (directories ? 0 : 1);
	struct dirent *entry;

	for (int seen = 0; stream && seen < NAMES_MAX; seen++) {
		entry = readdir(stream);
		if (!entry)
			break;
		size_t length = strlen(entry->d_name);
		bool leads_on = entry->d_type == DT_DIR || entry->d_type == DT_LNK ||
			entry->d_type == DT_UNKNOWN;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
			length > wanted_length + allowed || length + allowed < wanted_length ||
			(directories && !leads_on))
			continue;
		size_t distance = strcasecmp(wanted, entry->d_name) == 0
			? 0
			: ik_text_distance(wanted, entry->d_name);
		if (distance <= allowed && distance < wanted_length)
			ik_suggestions_add(best, distance, 0, entry->d_name, length);
	}
	if (stream)
		closedir(stream);
}

/* Collect existing paths that differ from path in the spelling of names. */
static void correct(const char *path, int corrections, struct ik_suggestions *best)
{
	size_t known = known_prefix(path);
	const char *rest = path + known + strcspn(path + known, "/");
	char *directory = known > 0 ? ik_strndup(path, known) : ik_strdup(".");
	char *wanted = ik_strndup(path + known, (size_t)(rest - path) - known);
	struct ik_suggestions names = { 0 };

	near_names(directory, wanted, rest[0] != '\0', &names);
	for (size_t i = 0; i < names.count; i++) {
		char *other = ik_format("%.*s%s%s", (int)known, path, names.items[i].text, rest);

		if (exists(other))
			ik_suggestions_add(best, names.items[i].distance, 0, other, strlen(other));
		else if (rest[0] != '\0' && corrections < CORRECTIONS_MAX && best->count == 0)
			correct(other, corrections + 1, best);
		free(other);
	}
	ik_suggestions_clear(&names);
	free(wanted);
	free(directory);
}

/* Collect paths with exactly that name below the directory at path ("" or ending in a slash). */
static void find_below(struct ik_buf *path, const char *name, size_t depth, int *left,
	struct ik_suggestions *best)
{
	DIR *stream = opendir(path->length > 0 ? path->data : ".");
	size_t length = path->length;
	struct dirent *entry;

	while (stream && *left > 0 && (entry = readdir(stream))) {
		(*left)--;
		if (entry->d_name[0] == '.')
			continue;
		ik_buf_puts(path, entry->d_name);
		if (strcmp(entry->d_name, name) == 0 && exists(path->data))
			ik_suggestions_add(best, depth, 0, path->data, path->length);
		if (entry->d_type == DT_DIR && depth < DEPTH_MAX) {
			ik_buf_putc(path, '/');
			find_below(path, name, depth + 1, left, best);
		}
		ik_buf_truncate(path, length);
	}
	if (stream)
		closedir(stream);
}

/* Collect files with the name of path elsewhere below the current directory. */
static void find_elsewhere(const char *path, struct ik_suggestions *best)
{
	int left = NAMES_MAX;
	struct ik_buf below;

	if (strlen(ik_path_base(path)) < NAME_MIN)
		return;
	ik_buf_init(&below, PATH_MAX);
	find_below(&below, ik_path_base(path), 0, &left, best);
	ik_buf_done(&below);
}

static void tell_reason(const char *path, struct ik_buf *hint)
{
	size_t known = known_prefix(path);
	size_t end = known + strcspn(path + known, "/");
	char *way = ik_strndup(path, end);
	char link[PATH_MAX];
	ssize_t length = readlink(way, link, sizeof(link) - 1);

	if (length >= 0 && !exists(way))
		ik_buf_printf(hint, "%s is a symbolic link to %.*s, which does not exist.", way,
			(int)length, link);
	else if (path[end] != '\0' && exists(way))
		ik_buf_printf(hint, "%s is not a directory.", way);
	else if (path[end] != '\0')
		ik_buf_printf(hint, "There is no directory %s.", way);
	free(way);
}

/* Append the question whether one of these was meant. */
static void ask(const struct ik_suggestions *best, struct ik_buf *hint)
{
	for (size_t i = 0; i < best->count; i++) {
		if (i == 0)
			ik_buf_puts(hint, hint->length > 0 ? " Did you mean " : "Did you mean ");
		else
			ik_buf_puts(hint, " or ");
		ik_buf_puts(hint, best->items[i].text);
	}
	if (best->count > 0)
		ik_buf_putc(hint, '?');
}

void ik_missing_path(const char *path, struct ik_buf *hint)
{
	struct ik_suggestions best = { 0 };
	const char *home = getenv("HOME");
	const char *relative = path + strspn(path, "/");

	if (path[0] == '\0') {
		ik_buf_puts(hint, "The path is empty.");
		return;
	}
	tell_reason(path, hint);
	if (relative > path && relative[0] != '\0' && exists(relative))
		ik_suggestions_add(&best, 0, 0, relative, strlen(relative));
	else
		correct(path, 0, &best);
	if (best.count == 0 && path[0] == '~' && (path[1] == '\0' || path[1] == '/') && home) {
		char *meant = ik_format("%s%s", home, path + 1);

		ik_buf_clear(hint);
		ik_buf_puts(hint, "~ is not expanded here.");
		ik_suggestions_add(&best, 0, 0, meant, strlen(meant));
		free(meant);
	}
	if (best.count == 0)
		find_elsewhere(path, &best);
	if (best.count == 0 && strpbrk(path, "*?["))
		ik_buf_puts(hint, "Wildcards are not expanded here: glob finds what they stand for.");
	ask(&best, hint);
	ik_suggestions_clear(&best);
}

void ik_missing_directory(const char *path, struct ik_buf *hint)
{
	size_t length = (size_t)(ik_path_base(path) - path);
	struct ik_suggestions best = { 0 };

	if (path[0] == '\0' || path[0] == '~') {
		ik_missing_path(path, hint);
		return;
	}
	while (length > 1 && path[length - 1] == '/')
		length--;
	char *directory = ik_strndup(path, length);
	tell_reason(path, hint);
	if (!exists(directory))
		correct(directory, 0, &best);
	for (size_t i = 0; i < best.count; i++) {
		char *file = ik_path_join(best.items[i].text, ik_path_base(path));

		free(best.items[i].text);
		best.items[i].text = file;
	}
	ask(&best, hint);
	if (hint->length > 0 && !exists(directory))
		ik_buf_puts(hint, " A directory is made with mkdir -p, not by this tool.");
	ik_suggestions_clear(&best);
	free(directory);
}
