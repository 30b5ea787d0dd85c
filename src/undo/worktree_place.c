#include "undo/worktree_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sha256.h"
#include "util/text.h"

/* Digits of the hash in a shadow's name. */
#define NAME_LENGTH 32
/* In seconds. */
#define DAY (24 * 3600)

/* Contains nothing that could start a program or change bytes, and overrides what the user's
 * configuration says about that, or about when a file counts as changed. */
/* clang-format off */
static const char configuration[] =
	"[core]\n"
	"\trepositoryformatversion = 0\n"
	"\tfilemode = true\n"
	"\tsymlinks = true\n"
	"\tignoreCase = false\n"
	"\ttrustctime = true\n"
	"\tcheckStat = default\n"
	"\tignoreStat = false\n"
	"\tsparseCheckout = false\n"
	"\tuntrackedCache = false\n"
	"\tautocrlf = false\n"
	"\tsafecrlf = false\n"
	"\tfsmonitor = false\n"
	"\tsplitIndex = false\n"
	"\tcompression = 1\n"
	"\thooksPath = /dev/null\n"
	"\tattributesFile = /dev/null\n"
	"[gc]\n"
	"\tauto = 0\n";
/* clang-format on */
/* Overrides every .gitattributes. "-working-tree-encoding" would be an error. */
static const char attributes[] = "* -text !eol !crlf !ident !filter !working-tree-encoding\n";

/* clang-format off */
static const char *const words[] = {
	[IK_WORKTREE_FINE] = "", [IK_WORKTREE_NO_GIT] = "no git", [IK_WORKTREE_NO_TREE] = "no tree",
	[IK_WORKTREE_SLOW] = "slow", [IK_WORKTREE_PREPARING] = "preparing",
	[IK_WORKTREE_MANY] = "many", [IK_WORKTREE_FAILED] = "failed",
};
/* clang-format on */

const char *ik_worktree_problem_word(enum ik_worktree_problem problem)
{
	return words[problem];
}

enum ik_worktree_problem ik_worktree_problem_of(const char *word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ik_text_equal(words[i], word))
			return (enum ik_worktree_problem)i;
	return IK_WORKTREE_FAILED;
}

/* Find an executable in a search path, whose relative directories do not count; NULL: none. */
static char *find_program(const char *search_path, const char *name)
{
	while (search_path && *search_path != '\0') {
		size_t length = strcspn(search_path, ":");
		char *path = ik_format("%.*s/%s", (int)length, search_path, name);
		struct stat status;

		if (path[0] == '/' && length > 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
			access(path, X_OK) == 0)
			return path;
		free(path);
		search_path += length;
		search_path += *search_path == ':';
	}
	return NULL;
}

/* Return what follows a word in the first line of a small file, as a path relative to directory;
 * NULL: no such line. */
static char *read_link(const char *directory, const char *file, const char *word)
{
	char *path = ik_path_join(directory, file), *found = NULL;
	size_t length = strlen(word);
	struct ik_error error;
	struct ik_buf text;

	ik_buf_init(&text, IK_KIB(8));
	if (ik_file_read(path, &text, &error) == IK_OK && text.length > length &&
		strncmp(text.data, word, length) == 0) {
		text.data[strcspn(text.data, "\n")] = '\0';
		if (text.data[length] != '\0')
			found = ik_path_join(directory, text.data + length);
	}
	ik_buf_done(&text);
	free(path);
	return found;
}

/* Return the repository with the objects of a work tree; NULL: directory is not a work tree. */
static char *repository_of(const char *directory)
{
	char *path = ik_path_join(directory, ".git"), *other, *head;
	struct stat status;
	bool there = lstat(path, &status) == 0;

	if (there && S_ISREG(status.st_mode)) {
		free(path);
		path = read_link(directory, ".git", "gitdir: ");
	}
	if (!there || !path) {
		free(path);
		return NULL;
	}
	head = ik_path_join(path, "HEAD");
	there = access(head, F_OK) == 0;
	free(head);
	if (there && (other = read_link(path, "commondir", ""))) {
		free(path);
		path = other;
	}
	if (!there) {
		free(path);
		path = NULL;
	}
	return path;
}

/* Go up to the next directory that is a work tree, in place; return its repository, or NULL. */
static char *find_root(char *directory)
{
	char *repository;

	while (!(repository = repository_of(directory))) {
		char *slash = strrchr(directory, '/');

		if (!slash || slash == directory)
			return NULL;
		*slash = '\0';
	}
	return repository;
}

/* Leave a path out of the snapshots whatever .gitignore says about it; false: it contains the whole
 * work tree. */
static bool take_spared(struct ik_worktree_place *place, const char *spared)
{
	char *path = ik_path_canonical(spared);
	size_t length = strlen(place->root);
	bool possible = true;

	if (strncmp(path, place->root, length) == 0 && (path[length] == '/' || path[length] == '\0')) {
		possible = path[length] == '/';
		place->spared = ik_alloc_array(place->spared, place->spared_count + 1,
			sizeof(*place->spared));
		place->spared[place->spared_count++] = ik_format(":(exclude,top,literal)%s",
			path + length + possible);
	}
	free(path);
	return possible;
}

static bool put_file(const char *shadow, const char *name, const char *text)
{
	char *path = ik_path_join(shadow, name);
	struct ik_error error;
	bool written = ik_file_write_unsynced(path, text, strlen(text), 0600, &error) == IK_OK;

	free(path);
	return written;
}

/* Borrow the objects of the user's repository. If it has been replaced, remove the index, which may
 * name objects that are gone. */
static bool put_alternates(const char *shadow, const char *repository)
{
	char *objects = ik_path_join(repository, "objects"), *index = ik_path_join(shadow, "index");
	char *path = ik_path_join(shadow, "objects/info/alternates"), *text;
	struct stat status = { .st_ino = 0 };
	struct ik_error error;
	struct ik_buf old;
	bool written;

	(void)stat(objects, &status);
	text = ik_format("# %ju:%ju\n%s\n", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino,
		objects);
	ik_buf_init(&old, IK_KIB(16));
	if (ik_file_read(path, &old, &error) == IK_OK && !ik_text_equal(old.data, text))
		(void)unlink(index);
	written = put_file(shadow, "objects/info/alternates", text);
	ik_buf_done(&old);
	free(objects);
	free(index);
	free(path);
	free(text);
	return written;
}

/* Copy the ignored patterns of the user's repository. */
static bool put_excludes(const char *shadow, const char *repository)
{
	char *path = ik_path_join(repository, "info/exclude");
	struct ik_error error;
	struct ik_buf text;
	bool done;

	ik_buf_init(&text, IK_MIB(1));
	if (ik_file_read(path, &text, &error) != IK_OK)
		ik_buf_clear(&text);
	ik_buf_putc(&text, '\n');
	done = ik_buf_status(&text) == IK_OK && put_file(shadow, "info/exclude", text.data);
	ik_buf_done(&text);
	free(path);
	return done;
}

/* Create the shadow, or what is missing in it. */
static bool make_shadow(const struct ik_worktree_place *place, const char *repository)
{
	static const char *const directories[] = { "objects/info", "objects/pack", "refs", "info" };
	struct ik_error error;
	bool made = !strchr(repository, '\n') && repository[0] == '/';

	for (size_t i = 0; made && i < sizeof(directories) / sizeof(directories[0]); i++) {
		char *directory = ik_path_join(place->shadow, directories[i]);

		made = ik_path_make(directory, 0700, &error) == IK_OK;
		free(directory);
	}
	made = made && put_file(place->shadow, "config", configuration) &&
		put_file(place->shadow, "info/attributes", attributes) &&
		put_alternates(place->shadow, repository) &&
		put_file(place->shadow, "description", place->root) &&
		put_excludes(place->shadow, repository) &&
		put_file(place->shadow, "HEAD", "ref: refs/heads/none\n");
	return made;
}

/* Return when a file of a shadow was last written; 0: it does not exist. */
static time_t time_of(const char *shadow, const char *name)
{
	char *path = ik_path_join(shadow, name);
	struct stat status;
	time_t written = stat(path, &status) == 0 ? status.st_mtime : 0;

	free(path);
	return written;
}

/* Remove the indexes of sessions that were killed, and what git left beside them. */
static void sweep_indexes(const char *shadow, time_t until)
{
	DIR *stream = opendir(shadow);
	const struct dirent *entry;
	struct stat status, shared = { .st_ino = 0 };

	/* Links to the index that sessions start with take no space and may be in use. */
	if (stream)
		(void)fstatat(dirfd(stream), "index", &shared, AT_SYMLINK_NOFOLLOW);
	while (stream && (entry = readdir(stream)))
		if (ik_text_starts(entry->d_name, "index-") &&
			fstatat(dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
			status.st_ino != shared.st_ino && status.st_mtime < until)
			(void)unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream)
		(void)closedir(stream);
}

bool ik_worktree_place_sweep(const struct ik_worktree_place *place, const char *shadows,
	int64_t days, char **ret_old)
{
	time_t now = time(NULL);
	DIR *stream;
	const struct dirent *entry;

	if (time_of(place->shadow, "swept") > now - DAY || !put_file(place->shadow, "swept", ""))
		return false;
	*ret_old = NULL;
	sweep_indexes(place->shadow, now - (time_t)days * DAY);
	stream = opendir(shadows);
	while (stream && !*ret_old && (entry = readdir(stream))) {
		char *other = ik_path_join(shadows, entry->d_name);
		/* It is written whenever a session starts to use the shadow. */
		time_t used = time_of(other, "description");

		if (strlen(entry->d_name) == NAME_LENGTH && used != 0 && used < now - (time_t)days * DAY)
			*ret_old = other;
		else
			free(other);
	}
	if (stream)
		(void)closedir(stream);
	return true;
}

enum ik_worktree_problem ik_worktree_place_find(struct ik_worktree_place *place,
	const struct ik_worktree_options *options)
{
	enum ik_worktree_problem problem = IK_WORKTREE_FAILED;
	char hash[IK_SHA256_TEXT], *repository, *seen;

	*place = (struct ik_worktree_place){ .git = find_program(options->search_path, "git") };
	place->root = ik_path_canonical(options->directory);
	repository = find_root(place->root);
	seen = repository ? ik_path_canonical(repository) : NULL;
	if (!repository) {
		problem = IK_WORKTREE_NO_TREE;
	} else if (!place->git) {
		problem = IK_WORKTREE_NO_GIT;
	} else {
		ik_sha256_of(place->root, strlen(place->root), hash);
		place->shadow = ik_format("%s/%.*s", options->shadows, NAME_LENGTH, hash);
		if (make_shadow(place, seen))
			problem = IK_WORKTREE_FINE;
	}
	for (size_t i = 0; options->spared[i] && problem == IK_WORKTREE_FINE; i++)
		if (!take_spared(place, options->spared[i]))
			problem = IK_WORKTREE_NO_TREE;
	free(seen);
	free(repository);
	return problem;
}

/* Fill an environment; home is where git looks for the user's configuration. */
static size_t put_environment(const struct ik_worktree_place *place, const char *search_path,
	const char *index, const char *home, char *out[IK_WORKTREE_VARIABLES])
{
	size_t count = 0;

	out[count++] = ik_format("PATH=%s", search_path);
	out[count++] = ik_format("HOME=%s", home);
	out[count++] = ik_format("GIT_DIR=%s", place->shadow);
	out[count++] = ik_format("GIT_WORK_TREE=%s", place->root);
	out[count++] = ik_format("GIT_INDEX_FILE=%s", index);
	out[count++] = ik_strdup("GIT_CONFIG_NOSYSTEM=1");
	out[count++] = ik_strdup("GIT_ATTR_NOSYSTEM=1");
	out[count++] = ik_strdup("GIT_NO_REPLACE_OBJECTS=1");
	out[count++] = ik_strdup("GIT_NO_LAZY_FETCH=1");
	out[count++] = ik_strdup("GIT_TERMINAL_PROMPT=0");
	out[count++] = ik_strdup("LC_ALL=C");
	return count;
}

void ik_worktree_place_environments(const struct ik_worktree_place *place,
	const struct ik_worktree_options *options, const char *index, char *own[IK_WORKTREE_VARIABLES],
	char *users[IK_WORKTREE_VARIABLES])
{
	const char *configured = getenv("XDG_CONFIG_HOME");
	size_t count = put_environment(place, options->search_path, index, place->shadow, own);

	own[count++] = ik_format("XDG_CONFIG_HOME=%s", place->shadow);
	own[count++] = ik_strdup("GIT_CONFIG_GLOBAL=/dev/null");
	count = put_environment(place, options->search_path, index,
		options->home ? options->home : place->shadow, users);
	if (configured && configured[0] != '\0')
		users[count++] = ik_format("XDG_CONFIG_HOME=%s", configured);
}

void ik_worktree_place_done(struct ik_worktree_place *place)
{
	free(place->git);
	free(place->root);
	free(place->shadow);
	while (place->spared_count > 0)
		free(place->spared[--place->spared_count]);
	free(place->spared);
}
