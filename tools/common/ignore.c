#include "tools/common/ignore.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wctype.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Larger files are not lists of rules. */
#define FILE_MAX IK_MIB(8)
/* Limit on rules of a file: each is compared with each name. */
#define RULES_MAX 20000

struct rule {
	const char *text;    /* for rule_matches() */
	bool included;       /* "!": what matches is not excluded */
	bool directory_only; /* it ends in a slash */
	bool whole_path;     /* it has another slash: compare the path from the file's directory */
};

/* The rules of one file. */
struct rules {
	char *text;
	struct rule *list;
	size_t count;
};

/* A directory of the walk. */
struct level {
	size_t base; /* length of ignore->path up to it */
	struct rules gitignore, ignore, exclude;
	bool repository; /* it is the root of one */
};

struct ik_ignore {
	struct level *levels;
	size_t count;
	struct ik_buf path;   /* of the last entered directory, from the first level */
	size_t prefix_length; /* length of path where the walk begins */
	size_t skipped;       /* bytes of the walk's paths up to the start */
	struct rules user;    /* core.excludesFile */
	bool cut;             /* a file has more rules than RULES_MAX */
};

/* Read the element of a set at *at; a backslash quotes. */
static unsigned char take_member(const char **at)
{
	if (**at == '\\' && (*at)[1] != '\0')
		++*at;
	return (unsigned char)*(*at)++;
}

/* Is the byte in the class named at "[:"? Return -1 if the class is unknown. Move *at past it. */
static int in_class(const char **at, unsigned char byte)
{
	const char *start = *at + 2;
	size_t length = strcspn(start, ":");
	char name[8];

	if (length >= sizeof(name) || start[length + 1] != ']')
		return -1;
	memcpy(name, start, length);
	name[length] = '\0';
	wctype_t class = wctype(name);

	if (class == 0)
		return -1;
	*at = start + length + 2;
	return byte < 0x80 && iswctype(byte, class) != 0;
}

/* Is the byte in the set whose "[" is at *at? Move *at past it, or set it to NULL if the set has no
 * end. */
static bool in_set(const char **at, unsigned char byte)
{
	const char *member = *at + 1;
	bool negated = *member == '!' || *member == '^', found = false;

	*at = NULL;
	member += negated;
	for (bool first = true; first || *member != ']'; first = false) {
		if (*member == '\0')
			return false;
		if (member[0] == '[' && member[1] == ':' && strstr(member + 2, ":]")) {
			int inside = in_class(&member, byte);

			if (inside < 0)
				return false;
			found = found || inside > 0;
			continue;
		}
		unsigned char low = take_member(&member), high = low;
		if (member[0] == '-' && member[1] != ']' && member[1] != '\0') {
			member++;
			high = take_member(&member);
		}
		/* Git compares the first byte by itself, which matters in a range that runs backwards. */
		found = found || byte == low || (low <= byte && byte <= high);
	}
	*at = member + 1;
	return found != negated && byte != '/';
}

/* Match the byte with one element of a pattern, not a star; false if they differ. */
static bool take_one(const char **pattern, char byte)
{
	if (byte == '\0' || **pattern == '\0')
		return false;
	if (**pattern == '?') {
		++*pattern;
		return byte != '/';
	}
	if (**pattern == '[') {
		bool inside = in_set(pattern, (unsigned char)byte);

		return inside && *pattern;
	}
	if (**pattern == '\\')
		++*pattern;
	return *(*pattern)++ == byte;
}

/* Does a pattern of gitignore(5), without "!" and without slashes at its ends, match a path?
 * Compares bytes, whatever the locale. */
static bool rule_matches(const char *pattern, const char *path)
{
	const char *start = pattern;
	/* Where to retry: the pattern after "*" and how far that has matched, and the same for "**" and
	 * a slash. */
	const char *star = NULL, *star_end = NULL, *deep = NULL, *deep_end = NULL;

	for (;;) {
		if (*pattern == '*') {
			size_t stars = strspn(pattern, "*");
			bool alone = stars > 1 && (pattern == start || pattern[-1] == '/');

			if (alone && pattern[stars] == '\0')
				return true;
			if (alone && pattern[stars] == '/') {
				pattern += stars + 1;
				deep = pattern;
				deep_end = path;
				star = NULL;
			} else {
				pattern += stars;
				star = pattern;
				star_end = path;
			}
			continue;
		}
		if (*pattern == '\0' && *path == '\0')
			return true;
		const char *next = pattern;

		if (take_one(&next, *path)) {
			pattern = next;
			path++;
		} else if (star && *star_end != '\0' && *star_end != '/') {
			pattern = star;
			path = ++star_end;
		} else if (deep && (deep_end = strchr(deep_end, '/'))) {
			pattern = deep;
			path = ++deep_end;
			star = NULL;
		} else {
			return false;
		}
	}
}

/* Remove unquoted spaces from the end of a line. */
static void cut_spaces(char *line)
{
	char *end = line;

	for (char *at = line; *at != '\0'; at++) {
		if (*at == '\\' && at[1] != '\0')
			end = ++at + 1;
		else if (*at != ' ')
			end = at + 1;
	}
	*end = '\0';
}

/* Make a rule from a line, which it keeps using; false for a line without a rule. */
static bool rule_make(char *line, struct rule *rule)
{
	size_t length = strlen(line);

	*rule = (struct rule){ .text = NULL };
	if (length > 0 && line[length - 1] == '\r')
		line[length - 1] = '\0';
	if (line[0] == '#')
		return false;
	cut_spaces(line);
	if (line[0] == '!') {
		rule->included = true;
		line++;
	}
	length = strlen(line);
	if (length > 0 && line[length - 1] == '/') {
		rule->directory_only = true;
		line[--length] = '\0';
	}
	rule->whole_path = strchr(line, '/');
	if (line[0] == '/')
		line++;
	if (line[0] == '\0')
		return false;
	rule->text = line;
	return true;
}

/* Read a file. One that isn't regular, can't be read or is too large counts as empty. */
static void read_file(struct ik_buf *text, int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;

	ik_buf_init(text, FILE_MAX);
	if (fd < 0)
		return;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
		ik_read_all(fd, text, (size_t)status.st_size + 1) != 0 || ik_buf_status(text) != IK_OK)
		ik_buf_clear(text);
	close(fd);
}

/* Read the rules of a file, at most RULES_MAX. */
static void rules_read(struct ik_ignore *ignore, struct rules *rules, int directory,
	const char *name)
{
	struct ik_buf text;
	struct rule rule;

	read_file(&text, directory, name);
	rules->text = ik_buf_take(&text, NULL);
	char *at = rules->text;

	if (ik_text_starts(at, "\xef\xbb\xbf"))
		at += 3;
	for (char *line; (line = strsep(&at, "\n"));)
		if (rule_make(line, &rule)) {
			ignore->cut |= rules->count == RULES_MAX;
			if (rules->count == RULES_MAX)
				break;
			rules->list = ik_alloc_more(rules->list, rules->count, sizeof(rule));
			rules->list[rules->count++] = rule;
		}
}

static void rules_done(struct rules *rules)
{
	free(rules->text);
	free(rules->list);
	*rules = (struct rules){ .text = NULL };
}

/* Return the last rule that applies to a name or its path; NULL: none. */
static const struct rule *rules_find(const struct rules *rules, const char *path, const char *name,
	bool directory)
{
	for (size_t i = rules->count; i > 0; i--) {
		const struct rule *rule = &rules->list[i - 1];

		if ((directory || !rule->directory_only) &&
			rule_matches(rule->text, rule->whole_path ? path : name))
			return rule;
	}
	return NULL;
}

/* Read the first line of a file (new memory); "" if there is none. */
static char *first_line(int directory, const char *name)
{
	struct ik_buf text;

	read_file(&text, directory, name);
	ik_buf_truncate(&text, strcspn(text.data, "\r\n"));
	return ik_buf_take(&text, NULL);
}

/* Read the rules of .git/info/exclude; .git may be a file that names the directory. */
static void read_exclude(struct ik_ignore *ignore, struct rules *rules, int directory)
{
	static const char mark[] = "gitdir: ";
	char *link = first_line(directory, ".git");

	if (ik_text_starts(link, mark)) {
		/* The directory of a linked work tree, or of a submodule. */
		const char *tree = link + strlen(mark);
		char *pointer = ik_path_join(tree, "commondir");
		char *common = first_line(directory, pointer);
		char *git = ik_path_join(tree, common[0] != '\0' ? common : ".");
		char *exclude = ik_path_join(git, "info/exclude");

		rules_read(ignore, rules, directory, exclude);
		free(exclude);
		free(git);
		free(common);
		free(pointer);
	} else {
		rules_read(ignore, rules, directory, ".git/info/exclude");
	}
	free(link);
}

/* Return the value at a place in git's configuration, without quotes and comments (new memory). */
static char *value_at(const char *at)
{
	char *value = ik_alloc(strlen(at) + 1), *to = value, *end = value;
	bool quoted = false;

	at += strspn(at, " \t");
	for (; *at != '\0' && *at != '\r' && (quoted || (*at != '#' && *at != ';')); at++) {
		if (*at == '"') {
			quoted = !quoted;
			continue;
		}
		if (*at == '\\' && at[1] != '\0')
			at++;
		*to++ = *at;
		if (quoted || (*at != ' ' && *at != '\t'))
			end = to;
	}
	*end = '\0';
	return value;
}

/* Return the value of core.excludesFile in git's configuration (new memory); NULL: none. */
static char *excludes_file(const char *configuration)
{
	struct ik_buf text;
	char *found = NULL;
	bool in_core = false;

	read_file(&text, AT_FDCWD, configuration);
	char *at = text.length > 0 ? text.data : NULL;

	for (char *line; (line = strsep(&at, "\n"));) {
		line += strspn(line, " \t");
		if (*line == '[') {
			in_core = strncasecmp(line, "[core]", strlen("[core]")) == 0;
			line += strcspn(line, "]");
			line += strspn(line, "] \t");
		}
		if (!in_core || strncasecmp(line, "excludesfile", strlen("excludesfile")) != 0)
			continue;
		line += strlen("excludesfile");
		line += strspn(line, " \t");
		if (*line != '=')
			continue;
		free(found);
		found = value_at(line + 1);
	}
	ik_buf_done(&text);
	return found;
}

static void read_user(struct ik_ignore *ignore)
{
	const char *home = getenv("HOME"), *set = getenv("XDG_CONFIG_HOME");
	char *own, *configuration, *path, *expanded;

	if (!home || home[0] == '\0')
		return;
	own = set && set[0] != '\0' ? ik_format("%s/git/", set) : ik_format("%s/.config/git/", home);
	configuration = ik_format("%s/.gitconfig", home);
	path = excludes_file(configuration);
	free(configuration);
	if (!path) {
		configuration = ik_format("%sconfig", own);
		path = excludes_file(configuration);
		free(configuration);
	}
	if (!path)
		path = ik_format("%signore", own);
	expanded = ik_path_expand(path, home);
	rules_read(ignore, &ignore->user, AT_FDCWD, expanded);
	free(expanded);
	free(path);
	free(own);
}

static void add_level(struct ik_ignore *ignore, size_t base, int fd, unsigned files)
{
	ignore->levels = ik_alloc_more(ignore->levels, ignore->count, sizeof(ignore->levels[0]));
	struct level *level = &ignore->levels[ignore->count++];
	*level = (struct level){ .base = base, .repository = (files & IK_IGNORE_GIT) != 0 };
	if ((files & IK_IGNORE_GITIGNORE) != 0)
		rules_read(ignore, &level->gitignore, fd, ".gitignore");
	if ((files & IK_IGNORE_IGNORE) != 0)
		rules_read(ignore, &level->ignore, fd, ".ignore");
	if (level->repository)
		read_exclude(ignore, &level->exclude, fd);
}

void ik_ignore_leave(struct ik_ignore *ignore)
{
	struct level *level = &ignore->levels[--ignore->count];

	rules_done(&level->gitignore);
	rules_done(&level->ignore);
	rules_done(&level->exclude);
}

/* Return the length of the longest prefix of an absolute path that is the root of a repository; 0:
 * none. */
static size_t find_root(const char *path)
{
	size_t length = strlen(path);
	struct stat status;
	bool found = false;

	while (length > 0) {
		char *git = ik_format("%.*s/.git", (int)length, path);

		found = lstat(git, &status) == 0;
		free(git);
		if (found)
			break;
		while (length > 0 && path[--length] != '/')
			;
	}
	return length;
}

/* Add levels for the directories above the start, from the root of its repository. */
static void add_above(struct ik_ignore *ignore, const char *beginning)
{
	size_t root = find_root(beginning), length = strlen(beginning);

	if (root == 0 || root == length)
		return;
	for (size_t at = root; at < length; at += 1 + strcspn(beginning + at + 1, "/")) {
		char *directory = ik_strndup(beginning, at);
		int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

		add_level(ignore, at - root, fd,
			IK_IGNORE_GITIGNORE | IK_IGNORE_IGNORE | (at == root ? IK_IGNORE_GIT : 0));
		if (fd >= 0)
			close(fd);
		free(directory);
	}
	ik_buf_puts(&ignore->path, beginning + root + 1);
	ik_buf_putc(&ignore->path, '/');
}

struct ik_ignore *ik_ignore_new(const char *directory)
{
	struct ik_ignore *ignore = ik_alloc(sizeof(*ignore));
	char *beginning = realpath(directory[0] != '\0' ? directory : ".", NULL);

	ik_buf_init(&ignore->path, SIZE_MAX / 2);
	if (beginning)
		add_above(ignore, beginning);
	free(beginning);
	ignore->prefix_length = ignore->path.length;
	ignore->skipped = strlen(directory);
	read_user(ignore);
	return ignore;
}

struct ik_ignore *ik_ignore_free(struct ik_ignore *ignore)
{
	if (!ignore)
		return NULL;
	while (ignore->count > 0)
		ik_ignore_leave(ignore);
	free(ignore->levels);
	ik_buf_done(&ignore->path);
	rules_done(&ignore->user);
	free(ignore);
	return NULL;
}

unsigned ik_ignore_file(const char *name)
{
	return strcmp(name, ".git") == 0      ? IK_IGNORE_GIT
		: strcmp(name, ".gitignore") == 0 ? IK_IGNORE_GITIGNORE
		: strcmp(name, ".ignore") == 0    ? IK_IGNORE_IGNORE
										  : 0;
}

void ik_ignore_enter(struct ik_ignore *ignore, const char *path, int fd, unsigned files)
{
	ik_buf_truncate(&ignore->path, ignore->prefix_length);
	ik_buf_puts(&ignore->path, path + ignore->skipped);
	add_level(ignore, ignore->path.length, fd, files);
}

/* Return the rule that decides about a name at the end of ignore->path; NULL: none. */
static const struct rule *decide(const struct ik_ignore *ignore, const char *name, bool directory)
{
	const char *path = ignore->path.data;
	const struct rule *rule = NULL;

	for (size_t i = ignore->count; !rule && i > 0; i--) {
		const struct level *level = &ignore->levels[i - 1];

		rule = rules_find(&level->ignore, path + level->base, name, directory);
	}
	for (size_t i = ignore->count; !rule && i > 0; i--) {
		const struct level *level = &ignore->levels[i - 1];

		rule = rules_find(&level->gitignore, path + level->base, name, directory);
		if (!level->repository)
			continue;
		if (!rule)
			rule = rules_find(&level->exclude, path + level->base, name, directory);
		if (!rule)
			rule = rules_find(&ignore->user, path + level->base, name, directory);
		break;
	}
	return rule;
}

bool ik_ignore_is_cut(const struct ik_ignore *ignore)
{
	return ignore->cut;
}

bool ik_ignore_excludes(struct ik_ignore *ignore, const char *name, bool directory)
{
	size_t length = ignore->path.length;

	if (strcmp(name, ".git") == 0)
		return true;
	ik_buf_puts(&ignore->path, name);
	const struct rule *rule = decide(ignore, name, directory);
	ik_buf_truncate(&ignore->path, length);
	return rule && !rule->included;
}
