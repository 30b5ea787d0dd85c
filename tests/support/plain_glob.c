#include "tests/support/plain_glob.h"

#include <fnmatch.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* The tree that is being read: nftw() takes no argument for its function. */
static struct plain_tree *reading;

static int add_path(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)kind;
	if (place->level == 0 || reading->count == PLAIN_PATHS_MAX)
		return 0;
	reading->paths[reading->count].text = ik_strdup(path + 2);
	reading->paths[reading->count++].directory = S_ISDIR(status->st_mode);
	return 0;
}

struct plain_tree *plain_tree_new(void)
{
	reading = ik_alloc(sizeof(*reading));
	if (nftw(".", add_path, 16, FTW_PHYS) != 0)
		abort();
	return reading;
}

struct plain_tree *plain_tree_free(struct plain_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		free(tree->paths[i].text);
	free(tree);
	return NULL;
}

/* The components of a path or pattern. */
struct row {
	size_t count;
	char *names[PLAIN_PATHS_MAX];
};

static struct row *row_new(const char *text)
{
	struct row *row = ik_alloc(sizeof(*row));

	for (size_t length; row->count < PLAIN_PATHS_MAX - 1; text += length) {
		text += strspn(text, "/");
		length = strcspn(text, "/");
		if (length == 0)
			break;
		row->names[row->count++] = ik_strndup(text, length);
	}
	return row;
}

static void row_free(struct row *row)
{
	for (size_t i = 0; i < row->count; i++)
		free(row->names[i]);
	free(row);
}

static bool is_deep(const char *component)
{
	return strcmp(component, "**") == 0;
}

bool plain_is_deep(const char *pattern)
{
	struct row *row = row_new(pattern);
	bool deep = false;

	for (size_t i = 0; i < row->count; i++)
		deep = deep || is_deep(row->names[i]);
	row_free(row);
	return deep;
}

bool plain_is_hopeless_glob(const char *pattern)
{
	struct row *row = row_new(pattern);
	bool out = pattern[0] == '/' || strstr(pattern, "\\/") != NULL;

	for (size_t i = 0; i < row->count; i++)
		out = out || fnmatch(row->names[i], ".", FNM_PERIOD) == 0 ||
			fnmatch(row->names[i], "..", FNM_PERIOD) == 0;
	row_free(row);
	return out;
}

bool plain_is_overread(const char *pattern)
{
	struct row *row = row_new(pattern);
	bool overread = false;

	for (size_t i = 0; i < row->count; i++)
		overread = overread || (strchr(row->names[i], '[') != NULL &&
			row->names[i][strlen(row->names[i]) - 1] == '-');
	row_free(row);
	return overread;
}

/* Do the components of a path from at on match those of the pattern from i on? */
static bool rest_matches(const struct row *pattern, size_t i, const struct row *path, size_t at)
{
	if (i == pattern->count)
		return at == path->count;
	if (is_deep(pattern->names[i]))
		return rest_matches(pattern, i + 1, path, at) || (at + 1 < path->count &&
			path->names[at][0] != '.' && rest_matches(pattern, i, path, at + 1));
	return at < path->count && fnmatch(pattern->names[i], path->names[at], FNM_PERIOD) == 0 &&
		rest_matches(pattern, i + 1, path, at + 1);
}

static int compare_texts(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

void plain_glob(const struct plain_tree *tree, const char *pattern, struct ik_buf *out)
{
	struct row *row = row_new(pattern);
	bool slash = pattern[0] != '\0' && pattern[strlen(pattern) - 1] == '/';
	char *found[PLAIN_PATHS_MAX];
	size_t count = 0;

	/* "**" at the end is everything below. */
	if (row->count > 0 && is_deep(row->names[row->count - 1]))
		row->names[row->count++] = ik_strdup("*");
	for (size_t i = 0; i < tree->count; i++) {
		struct row *path = row_new(tree->paths[i].text);

		if (row->count > 0 && (!slash || tree->paths[i].directory) &&
			rest_matches(row, 0, path, 0))
			found[count++] = ik_format("%s%s", tree->paths[i].text, slash ? "/" : "");
		row_free(path);
	}
	qsort(found, count, sizeof(found[0]), compare_texts);
	for (size_t i = 0; i < count; i++) {
		ik_buf_append(out, found[i], strlen(found[i]) + 1);
		free(found[i]);
	}
	row_free(row);
}
