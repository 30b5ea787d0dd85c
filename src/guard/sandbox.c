#include "guard/sandbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/rules.h"
#include "guard/glob.h"
#include "guard/policy_match.h"
#include "json/scan.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Devices, and shared memory: writable in every mode, since programs expect them. */
/* clang-format off */
static const char *const devices[] = {
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
	"/dev/shm",
};
/* clang-format on */
#define DEVICE_COUNT (sizeof(devices) / sizeof(devices[0]))

/* How long the limits found for a schema question are used for other questions: many are asked at
 * once, and searching the project for each would block the loop. A call searches again. */
#define QUESTIONS_MS 1000

/* Limits for one pattern: names visited, time spent, files found. */
enum { GLOB_NAMES = 10000, GLOB_MS = 20, GLOB_FILES = 128 };

/* Limit on places that are remembered when they are covered; further ones are covered by name only.
 */
enum { COVERED_MOST = 128 };

/* The settings and the policy's rules. */
struct sandbox_limits {
	struct ik_sandbox_limit *items;
	size_t count;
	struct sandbox_pattern {
		char *named, *base, *glob; /* the files below base, a canonical path, that match */
		enum ik_confine_left left;
	} * patterns;
	size_t pattern_count;
	struct ik_sandbox_gap *gaps;
	size_t gap_count;
};

/* A place that was covered, open, so that the kernel knows its present name: a call may rename a
 * directory that contains it. */
struct sandbox_covered {
	int fd;
	dev_t device; /* identifies the file */
	ino_t number;
	enum ik_confine_left left;
};

/* A list of limits that owns its paths. */
struct sandbox_listing {
	struct ik_confine_limit *items;
	size_t count;
};

struct ik_sandbox {
	enum ik_sandbox_mode mode;
	bool network;
	const struct ik_string_list *except;
	char *directory, *home;
	char **writable; /* the session's directory, the temporary directory, then sandbox.write */
	size_t writable_count;
	struct sandbox_limits limits;
	struct sandbox_listing guards; /* ikigai's own places */
	struct sandbox_covered *covered;
	size_t covered_count;
	struct sandbox_listing listing;
	bool listed;
	int64_t listed_ms;
};

static const char *const mode_names[IK_SANDBOX_MODE_COUNT] = { "off", "project", "read-only" };

const char *ik_sandbox_mode_name(enum ik_sandbox_mode mode)
{
	return mode_names[mode];
}

bool ik_sandbox_mode_find(const char *name, enum ik_sandbox_mode *ret_mode)
{
	for (int mode = 0; mode < IK_SANDBOX_MODE_COUNT; mode++) {
		if (ik_text_equal(name, mode_names[mode])) {
			*ret_mode = (enum ik_sandbox_mode)mode;
			return true;
		}
	}
	return false;
}

/* ---- limits, and the rules that they come from ---- */

/* Add a limit; both strings are copied. */
static void limits_add(struct sandbox_limits *limits, const char *named, const char *path,
	enum ik_confine_left left, size_t rule)
{
	limits->items = ik_alloc_array(limits->items, limits->count + 1, sizeof(*limits->items));
	limits->items[limits->count++] = (struct ik_sandbox_limit){
		.named = ik_strdup(named),
		.path = ik_strdup(path),
		.left = left,
		.rule = rule,
	};
}

/* Does path have a limit like that one? */
static bool limits_have(const struct sandbox_limits *limits, const char *path,
	const struct ik_sandbox_limit *like)
{
	for (size_t i = 0; i < limits->count; i++)
		if (limits->items[i].left == like->left && ik_text_equal(limits->items[i].path, path))
			return true;
	return false;
}

static void limits_done(struct sandbox_limits *limits)
{
	for (size_t i = 0; i < limits->count; i++) {
		free((char *)(uintptr_t)limits->items[i].named);
		free((char *)(uintptr_t)limits->items[i].path);
	}
	for (size_t i = 0; i < limits->pattern_count; i++) {
		free(limits->patterns[i].named);
		free(limits->patterns[i].base);
		free(limits->patterns[i].glob);
	}
	free(limits->items);
	free(limits->patterns);
	free(limits->gaps);
}

static void add_gap(struct sandbox_limits *limits, size_t rule, enum ik_sandbox_reason reason,
	size_t other)
{
	limits->gaps = ik_alloc_array(limits->gaps, limits->gap_count + 1, sizeof(*limits->gaps));
	limits->gaps[limits->gap_count++] = (struct ik_sandbox_gap){
		.rule = rule,
		.other = other,
		.reason = reason,
	};
}

/* Does the rule apply to tools of that name? */
static bool is_about(const struct ik_rule *rule, const char *tool)
{
	return ik_glob_match(rule->tool, tool, strlen(tool), NULL);
}

/* Return the first argument of a rule that is a path; NULL: none is. */
static const struct ik_rule_argument *path_argument(const struct ik_rule *rule)
{
	for (size_t i = 0; i < rule->argument_count; i++) {
		const struct ik_rule_argument *argument = &rule->arguments[i];
		const char *dot = strrchr(argument->name, '.');

		if (ik_policy_is_path(dot ? dot + 1 : argument->name))
			return argument;
	}
	return NULL;
}

/*
 * Return the beginning of a glob before its first wildcard, unescaped and made absolute (new
 * memory); *ret_rest is what follows. NULL: it begins with a wildcard.
 */
static char *literal_of(const struct ik_policy_place *place, const char *glob,
	const char **ret_rest)
{
	char *literal = ik_strdup(glob), *absolute;
	size_t length = 0;

	while (*glob != '\0' && !strchr("*?[", *glob)) {
		if (*glob == '\\' && glob[1] != '\0')
			glob++;
		literal[length++] = *glob++;
	}
	literal[length] = '\0';
	*ret_rest = glob;
	absolute = length > 0 ? ik_policy_absolute(place, literal) : NULL;
	/* Cut off half a name before the wildcard: "~/.s*". */
	if (absolute && *glob != '\0' && literal[length - 1] != '/' &&
		strrchr(absolute, '/') > absolute)
		*strrchr(absolute, '/') = '\0';
	free(literal);
	return absolute;
}

/* Return the place that a glob names, with everything in it (new memory); NULL: it does not name
 * one. */
static char *place_of(const struct ik_policy_place *place, const char *glob)
{
	size_t length = strlen(glob), stars;
	const char *rest;
	char *literal = literal_of(place, glob, &rest), *canonical;

	if (!literal)
		return NULL;
	stars = strspn(rest, "*");
	if (rest[stars] != '\0' || (stars > 0 && glob[length - stars - 1] != '/') ||
		literal[1] == '\0') {
		free(literal);
		return NULL;
	}
	canonical = ik_path_canonical(literal);
	free(literal);
	return canonical;
}

/* Return the number of an earlier rule for the same tool that may decide about a part of the place;
 * 0: none. */
static size_t earlier_rule(const struct ik_rules *rules, size_t index, const char *tool,
	const struct ik_policy_place *place, const char *path)
{
	for (size_t i = 0; i < index; i++) {
		const struct ik_rule *rule = &rules->items[i];
		const struct ik_rule_argument *argument = path_argument(rule);
		const char *rest;
		char *literal, *canonical;
		bool apart;

		if (rule->action == IK_RULE_DENY || !is_about(rule, tool))
			continue;
		literal = argument ? literal_of(place, argument->glob, &rest) : NULL;
		canonical = literal ? ik_path_canonical(literal) : NULL;
		apart = canonical && !ik_path_below(canonical, path) && !ik_path_below(path, canonical);
		free(literal);
		free(canonical);
		if (!apart)
			return i + 1;
	}
	return 0;
}

/* Return the rights that are left when a rule denies a tool a place. */
static enum ik_confine_left left_by(const struct ik_rule *rule, const char *tool)
{
	if (!ik_text_equal(tool, "file_read"))
		return IK_CONFINE_READING;
	/* A cover hides the names as well. */
	return is_about(rule, "glob") || ik_mount_mask_method() != IK_MOUNT_MASK_NONE
		? IK_CONFINE_NOTHING
		: IK_CONFINE_NAMES;
}

/*
 * Add the pattern of a rule if it is about the session's directory and files can be covered there;
 * else return false.
 */
static bool take_pattern(struct sandbox_limits *limits, const struct ik_rules *rules, size_t index,
	const char *tool, const struct ik_policy_place *place)
{
	const struct ik_rule *rule = &rules->items[index];
	const char *named = path_argument(rule)->glob, *rest;
	char *literal = literal_of(place, named, &rest);
	char *base = literal ? ik_path_canonical(literal) : ik_strdup(place->directory);
	bool taken = ik_path_below(base, place->directory) && rule->argument_count == 1 &&
		earlier_rule(rules, index, tool, place, base) == 0 &&
		ik_mount_mask_method() != IK_MOUNT_MASK_NONE;
	struct ik_buf glob;

	if (taken) {
		ik_buf_init(&glob, IK_LIMIT_ARGUMENTS);
		while (literal && rest > named && rest[-1] != '/')
			rest--;
		if (literal) {
			ik_glob_escape(&glob, base, strlen(base));
			ik_buf_puts(&glob, "/");
		}
		ik_buf_puts(&glob, rest);
		limits->patterns = ik_alloc_array(limits->patterns, limits->pattern_count + 1,
			sizeof(*limits->patterns));
		limits->patterns[limits->pattern_count++] = (struct sandbox_pattern){
			.named = ik_strdup(named),
			.base = ik_strdup(base),
			.glob = ik_buf_take(&glob, NULL),
			.left = left_by(rule, tool),
		};
	}
	free(literal);
	free(base);
	return taken;
}

/* Add the limits of one denying rule. */
static void read_rule(struct sandbox_limits *limits, const struct ik_rules *rules, size_t index,
	const struct ik_policy_place *place)
{
	static const char *const tools[] = { "file_read", "file_write", "file_edit" };
	const struct ik_rule *rule = &rules->items[index];
	const struct ik_rule_argument *argument = path_argument(rule);
	const char *tool = NULL;
	size_t other;
	char *path;

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]) && !tool; i++)
		if (is_about(rule, tools[i]))
			tool = tools[i];
	if (!argument || !tool)
		return; /* a tool's name or a command is not a place */
	path = place_of(place, argument->glob);
	other = path ? earlier_rule(rules, index, tool, place, path) : 0;
	if (!path)
		add_gap(limits, index + 1,
			take_pattern(limits, rules, index, tool, place) ? IK_SANDBOX_FOUND : IK_SANDBOX_PATTERN,
			0);
	else if (rule->argument_count > 1)
		add_gap(limits, index + 1, IK_SANDBOX_CONDITION, 0);
	else if (other > 0)
		add_gap(limits, index + 1, IK_SANDBOX_EARLIER, other);
	else if (ik_path_below(place->directory, path) ||
		(ik_path_below(path, place->directory) && ik_mount_mask_method() == IK_MOUNT_MASK_NONE))
		add_gap(limits, index + 1, IK_SANDBOX_INSIDE, 0);
	else
		limits_add(limits, argument->glob, path, left_by(rule, tool), index + 1);
	free(path);
}

/* Add the limits of rules (JSON text, or NULL), or their gaps; directory is canonical. */
static void limits_read(struct sandbox_limits *limits, const char *text, const char *directory,
	const char *home)
{
	const struct ik_policy_place place = { .directory = directory, .home = home };
	struct ik_rules rules = { .items = NULL };
	struct ik_json_span list;
	struct ik_error error;
	const char *at;

	if (!text || ik_json_check(text, strlen(text), &list, NULL) != IK_OK ||
		ik_rules_read(&rules, list, &at, &error) != IK_OK)
		return; /* the policy denies every call then */
	for (size_t i = 0; i < rules.count; i++)
		if (rules.items[i].action == IK_RULE_DENY)
			read_rule(limits, &rules, i, &place);
	ik_rules_done(&rules);
}

/* ---- the sandbox ---- */

/* Return where a name of the configuration leads (new memory). */
static char *resolve(const struct ik_sandbox *sandbox, const char *name)
{
	char *expanded = ik_path_expand(name, sandbox->home);
	char *whole = ik_path_join(sandbox->directory, expanded), *canonical = ik_path_canonical(whole);

	free(expanded);
	free(whole);
	return canonical;
}

/* Add a place where tools may write (taken over). */
static void add_writable(struct ik_sandbox *sandbox, char *path)
{
	sandbox->writable = ik_alloc_array(sandbox->writable, sandbox->writable_count + 1,
		sizeof(*sandbox->writable));
	sandbox->writable[sandbox->writable_count++] = path;
}

struct ik_sandbox *ik_sandbox_new(const struct ik_config *config, const char *directory,
	const char *home)
{
	struct ik_sandbox *sandbox = ik_alloc(sizeof(*sandbox));

	(void)ik_sandbox_mode_find(config->sandbox_mode, &sandbox->mode);
	sandbox->network = config->sandbox_network;
	sandbox->except = &config->sandbox_except;
	sandbox->home = home ? ik_strdup(home) : NULL;
	sandbox->directory = ik_path_canonical(directory);
	add_writable(sandbox, ik_strdup(sandbox->directory));
	add_writable(sandbox, ik_path_canonical(ik_path_temporary()));
	for (size_t i = 0; i < config->sandbox_write.count; i++)
		add_writable(sandbox, resolve(sandbox, config->sandbox_write.items[i]));
	for (size_t i = 0; i < config->sandbox_hide.count; i++) {
		char *path = resolve(sandbox, config->sandbox_hide.items[i]);

		limits_add(&sandbox->limits, config->sandbox_hide.items[i], path, IK_CONFINE_NOTHING, 0);
		free(path);
	}
	if (config->sandbox_rules)
		limits_read(&sandbox->limits, config->policy, sandbox->directory, home);
	return sandbox;
}

static void listing_done(struct sandbox_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		free((char *)(uintptr_t)listing->items[i].path);
	free(listing->items);
	*listing = (struct sandbox_listing){ .count = 0 };
}

struct ik_sandbox *ik_sandbox_free(struct ik_sandbox *sandbox)
{
	if (!sandbox)
		return NULL;
	listing_done(&sandbox->listing);
	listing_done(&sandbox->guards);
	for (size_t i = 0; i < sandbox->writable_count; i++)
		free(sandbox->writable[i]);
	free(sandbox->writable);
	limits_done(&sandbox->limits);
	for (size_t i = 0; i < sandbox->covered_count; i++)
		close(sandbox->covered[i].fd);
	free(sandbox->covered);
	free(sandbox->directory);
	free(sandbox->home);
	free(sandbox);
	return NULL;
}

void ik_sandbox_guard(struct ik_sandbox *sandbox, const char *path, enum ik_confine_left left)
{
	struct sandbox_listing *guards = &sandbox->guards;

	guards->items = ik_alloc_array(guards->items, guards->count + 1, sizeof(*guards->items));
	guards->items[guards->count++] = (struct ik_confine_limit){
		.path = ik_path_canonical(path),
		.left = left,
	};
}

enum ik_sandbox_mode ik_sandbox_mode(const struct ik_sandbox *sandbox)
{
	return sandbox->mode;
}

void ik_sandbox_set_mode(struct ik_sandbox *sandbox, enum ik_sandbox_mode mode)
{
	sandbox->mode = mode;
	sandbox->listed = false;
}

const struct ik_sandbox_limit *ik_sandbox_limit_at(const struct ik_sandbox *sandbox, size_t index)
{
	return index < sandbox->limits.count ? &sandbox->limits.items[index] : NULL;
}

const struct ik_sandbox_gap *ik_sandbox_gap_at(const struct ik_sandbox *sandbox, size_t index)
{
	return index < sandbox->limits.gap_count ? &sandbox->limits.gaps[index] : NULL;
}

const char *ik_sandbox_writable(const struct ik_sandbox *sandbox, size_t index)
{
	size_t first = sandbox->mode == IK_SANDBOX_PROJECT ? 0 : 1;
	size_t end = sandbox->mode == IK_SANDBOX_PROJECT ? sandbox->writable_count : 2;

	if (sandbox->mode == IK_SANDBOX_OFF)
		return index == 0 ? "/" : NULL;
	return first + index < end ? sandbox->writable[first + index] : NULL;
}

bool ik_sandbox_may_write(const struct ik_sandbox *sandbox, const char *path)
{
	static const char *const shared[] = { "/tmp", "/dev/shm" };
	char *place = ik_path_canonical(path);
	bool may = false;

	for (size_t i = 0; i < 2; i++) {
		char *directory = ik_path_canonical(shared[i]);

		may = may || ik_path_below(place, directory);
		free(directory);
	}
	for (size_t i = 0; i < sandbox->writable_count; i++)
		may = may || ik_path_below(place, sandbox->writable[i]);
	free(place);
	return may;
}

/* Is there a limit; and is there one that does not come from a rule? */
static bool has_limits(const struct ik_sandbox *sandbox, bool of_rules)
{
	for (size_t i = 0; i < sandbox->limits.count; i++)
		if (of_rules || sandbox->limits.items[i].rule == 0)
			return true;
	return of_rules && sandbox->limits.pattern_count > 0;
}

enum ik_sandbox_state ik_sandbox_state(const struct ik_sandbox *sandbox)
{
	bool on = sandbox->mode != IK_SANDBOX_OFF;

	if (!on && sandbox->network && !has_limits(sandbox, true))
		return IK_SANDBOX_NOT_WANTED;
	if (ik_confine_abi() == 0)
		return on || !sandbox->network || has_limits(sandbox, false) ? IK_SANDBOX_BROKEN
																	 : IK_SANDBOX_NOT_WANTED;
	return on ? IK_SANDBOX_ON : IK_SANDBOX_IN_PART;
}

/* Has the user exempted this tool? */
static bool is_excepted(const struct ik_sandbox *sandbox, const char *tool)
{
	for (size_t i = 0; i < sandbox->except->count; i++)
		if (ik_text_equal(sandbox->except->items[i], tool))
			return true;
	return false;
}

/* Is path in that place, and are its files unreadable? */
static bool is_hidden_by(const char *place, enum ik_confine_left left, const char *path)
{
	return left != IK_CONFINE_READING && ik_path_below(path, place);
}

/* Is path in one of the places of a list whose files are unreadable? */
static bool is_hidden_in(const struct sandbox_listing *listing, const char *path)
{
	for (size_t i = 0; i < listing->count; i++)
		if (is_hidden_by(listing->items[i].path, listing->items[i].left, path))
			return true;
	return false;
}

bool ik_sandbox_hides(const struct ik_sandbox *sandbox, const char *tool, const char *path)
{
	const struct sandbox_limits *limits;

	if (!sandbox || (tool && is_excepted(sandbox, tool)) ||
		ik_sandbox_state(sandbox) == IK_SANDBOX_NOT_WANTED)
		return false;
	limits = &sandbox->limits;
	for (size_t i = 0; i < limits->count; i++)
		if (is_hidden_by(limits->items[i].path, limits->items[i].left, path))
			return true;
	for (size_t i = 0; i < limits->pattern_count; i++)
		if (is_hidden_by(limits->patterns[i].base, limits->patterns[i].left, path) &&
			ik_glob_match(limits->patterns[i].glob, path, strlen(path), NULL))
			return true;
	return is_hidden_in(&sandbox->guards, path) || is_hidden_in(&sandbox->listing, path);
}

/* Add the present targets of links in the configuration's names. */
static void follow_limits(struct ik_sandbox *sandbox)
{
	for (size_t i = sandbox->limits.count; i-- > 0;) {
		const struct ik_sandbox_limit *limit = &sandbox->limits.items[i];
		char *now = limit->rule == 0 ? resolve(sandbox, limit->named)
									 : ik_path_canonical(limit->path);

		if (!ik_text_equal(now, limit->path) && !limits_have(&sandbox->limits, now, limit))
			limits_add(&sandbox->limits, limit->named, now, limit->left, limit->rule);
		free(now);
	}
}

/* Fill the places of a plan; return their number. */
static size_t put_places(const struct ik_sandbox *sandbox, enum ik_sandbox_purpose purpose,
	struct ik_confine_place *places)
{
	bool asked = purpose == IK_SANDBOX_QUESTION;
	size_t count = 0;
	const char *path;

	places[count++] = (struct ik_confine_place){ "/", sandbox->mode == IK_SANDBOX_OFF };
	if (sandbox->mode == IK_SANDBOX_OFF)
		return count;
	for (size_t i = 0; (path = ik_sandbox_writable(sandbox, i)); i++)
		if (!asked || path != sandbox->writable[0])
			places[count++] = (struct ik_confine_place){ path, true };
	for (size_t i = 0; i < DEVICE_COUNT; i++)
		places[count++] = (struct ik_confine_place){ devices[i], true };
	return count;
}

/* ---- places that were covered ---- */

/* Is that file known with these rights? */
static bool is_covered(const struct ik_sandbox *sandbox, const struct stat *status,
	enum ik_confine_left left)
{
	for (size_t i = 0; i < sandbox->covered_count; i++)
		if (sandbox->covered[i].left == left && sandbox->covered[i].device == status->st_dev &&
			sandbox->covered[i].number == status->st_ino)
			return true;
	return false;
}

/* Remember the file at path, unless it is known. */
static void note_covered(struct ik_sandbox *sandbox, const char *path, enum ik_confine_left left)
{
	struct stat status;
	int fd = sandbox->covered_count < COVERED_MOST ? open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC)
												   : -1;

	if (fd < 0)
		return;
	if (fstat(fd, &status) != 0 || is_covered(sandbox, &status, left)) {
		close(fd);
		return;
	}
	sandbox->covered = ik_alloc_array(sandbox->covered, sandbox->covered_count + 1,
		sizeof(*sandbox->covered));
	sandbox->covered[sandbox->covered_count++] = (struct sandbox_covered){
		.fd = fd,
		.device = status.st_dev,
		.number = status.st_ino,
		.left = left,
	};
}

/* Return the present path of a covered place (new memory); NULL: it was removed or cannot be seen.
 */
static char *present_path(const struct sandbox_covered *covered)
{
	char name[64], path[PATH_MAX];
	struct stat status;
	ssize_t length;

	if (fstat(covered->fd, &status) != 0 || status.st_nlink == 0)
		return NULL;
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", covered->fd);
	length = readlink(name, path, sizeof(path));
	return length > 0 && length < (ssize_t)sizeof(path) && path[0] == '/'
		? ik_strndup(path, (size_t)length)
		: NULL;
}

/* ---- what exists now ---- */

/* Add a limit for path (taken over) if it exists; hold: follow it when it is moved. */
static void add_limit(struct ik_sandbox *sandbox, char *path, enum ik_confine_left left, bool hold)
{
	struct sandbox_listing *listing = &sandbox->listing;
	/* If the session's directory were covered, the tool would have no directory. */
	bool cover = !ik_path_below(sandbox->directory, path);
	struct stat status;

	if (lstat(path, &status) != 0) {
		free(path);
		return;
	}
	if (hold && cover && ik_mount_mask_method() != IK_MOUNT_MASK_NONE)
		note_covered(sandbox, path, left);
	listing->items = ik_alloc_array(listing->items, listing->count + 1, sizeof(*listing->items));
	listing->items[listing->count++] = (struct ik_confine_limit){
		.path = path,
		.left = left,
		.cover = cover,
	};
}

/* A breadth-first walk through a tree, for a pattern. */
struct sandbox_walk {
	struct ik_sandbox *sandbox;
	const struct sandbox_pattern *pattern;
	char **waiting; /* directories; those before `next` are done */
	size_t count, next;
	size_t names, found;
	int64_t deadline_ms;
};

/* Let a directory (taken over) be searched later. */
static void add_waiting(struct sandbox_walk *walk, char *path)
{
	walk->waiting = ik_alloc_array(walk->waiting, walk->count + 1, sizeof(*walk->waiting));
	walk->waiting[walk->count++] = path;
}

/* Are the limits not reached yet? */
static bool may_go_on(const struct sandbox_walk *walk)
{
	return walk->names < GLOB_NAMES && walk->found < GLOB_FILES &&
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
static bool matches(const char *glob, const char *path, bool directory)
{
	size_t length = strlen(glob);
	bool whole = length > 1 && glob[length - 1] == '*' && glob[length - 2] != '\\';

	return (!directory || whole) && ik_glob_match(glob, path, strlen(path), NULL);
}

/* Search a directory. False: a limit was reached. */
static bool look_into(struct sandbox_walk *walk, const char *directory)
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
		if (entry->d_type != DT_LNK && matches(walk->pattern->glob, path, deeper)) {
			add_limit(walk->sandbox, path, walk->pattern->left, true);
			walk->found++;
		} else if (deeper) {
			add_waiting(walk, path);
		} else {
			free(path);
		}
		all = may_go_on(walk);
	}
	closedir(stream);
	return all;
}

/*
 * Add limits for what a pattern matches now, nearest first: files, and directories if it matches
 * everything in them. Other directories are searched; links are not followed. As in policy, *
 * matches a slash, too. A search that reaches a limit of its own covers what it found; /sandbox
 * reports that.
 */
static void add_matching(struct ik_sandbox *sandbox, const struct sandbox_pattern *pattern)
{
	struct sandbox_walk walk = {
		.sandbox = sandbox,
		.pattern = pattern,
		.deadline_ms = ik_clock_ms() + GLOB_MS,
	};

	add_waiting(&walk, ik_strdup(pattern->base));
	while (walk.next < walk.count && look_into(&walk, walk.waiting[walk.next]))
		walk.next++;
	for (size_t i = 0; i < walk.count; i++)
		free(walk.waiting[i]);
	free(walk.waiting);
}

/* Does the mode allow writing to the place, to some of it, or around it? */
static bool is_writable_around(const struct ik_sandbox *sandbox, const char *path)
{
	const char *writable;

	if (sandbox->mode == IK_SANDBOX_OFF)
		return false; /* off does not limit the user's own rights */
	for (size_t i = 0; (writable = ik_sandbox_writable(sandbox, i)); i++)
		if (ik_path_below(path, writable) || ik_path_below(writable, path))
			return true;
	return false;
}

/* List all limits that exist now: of names, of patterns, and of places covered before. */
static void list_limits(struct ik_sandbox *sandbox)
{
	const struct sandbox_listing *listing = &sandbox->listing;
	const size_t held = sandbox->covered_count;
	char *path;

	for (size_t i = 0; i < sandbox->limits.count; i++)
		add_limit(sandbox, ik_strdup(sandbox->limits.items[i].path), sandbox->limits.items[i].left,
			true);
	/* A readable guard applies only in some modes, and must not be followed in the others. */
	for (size_t i = 0; i < sandbox->guards.count; i++)
		if (sandbox->guards.items[i].left != IK_CONFINE_READING ||
			is_writable_around(sandbox, sandbox->guards.items[i].path))
			add_limit(sandbox, ik_strdup(sandbox->guards.items[i].path),
				sandbox->guards.items[i].left, sandbox->guards.items[i].left != IK_CONFINE_READING);
	for (size_t i = 0; i < sandbox->limits.pattern_count; i++)
		add_matching(sandbox, &sandbox->limits.patterns[i]);
	for (size_t i = 0; i < held; i++) {
		bool listed = false;

		path = present_path(&sandbox->covered[i]);
		for (size_t j = 0; path && j < listing->count && !listed; j++)
			listed = listing->items[j].left == sandbox->covered[i].left &&
				ik_text_equal(listing->items[j].path, path);
		if (path && !listed)
			add_limit(sandbox, path, sandbox->covered[i].left, true);
		else
			free(path);
	}
}

/* List the limits again, unless a question listed them a moment ago. */
static void refresh_listing(struct ik_sandbox *sandbox, enum ik_sandbox_purpose purpose)
{
	int64_t now_ms = ik_clock_ms();

	if (purpose == IK_SANDBOX_QUESTION && sandbox->listed &&
		now_ms - sandbox->listed_ms < QUESTIONS_MS)
		return;
	listing_done(&sandbox->listing);
	follow_limits(sandbox);
	list_limits(sandbox);
	sandbox->listed = true;
	sandbox->listed_ms = now_ms;
}

/* Can a call signal only processes that it started? */
static bool is_apart(const struct ik_sandbox *sandbox)
{
	return sandbox->mode != IK_SANDBOX_OFF || !sandbox->network;
}

bool ik_sandbox_confines(const struct ik_sandbox *sandbox, const char *tool)
{
	return sandbox && !is_excepted(sandbox, tool) &&
		ik_sandbox_state(sandbox) != IK_SANDBOX_NOT_WANTED;
}

/* Make the confinement for a process; close it with ik_confine_close(). */
static enum ik_status make_confinement(struct ik_sandbox *sandbox, enum ik_sandbox_purpose purpose,
	struct ik_confinement *ret_confinement, struct ik_error *error)
{
	struct ik_confine_plan plan = { .place_count = 0 };
	struct ik_confine_place *places;
	struct ik_error reason;
	enum ik_status status;

	refresh_listing(sandbox, purpose);
	places = ik_alloc_array(NULL, sandbox->writable_count + DEVICE_COUNT + 1, sizeof(*places));
	plan.places = places;
	plan.place_count = put_places(sandbox, purpose, places);
	plan.limits = sandbox->listing.items;
	plan.limit_count = sandbox->listing.count;
	plan.no_network = !sandbox->network;
	plan.own_terminals = sandbox->mode != IK_SANDBOX_OFF;
	plan.apart = is_apart(sandbox);
	status = ik_confine_open(&plan, ret_confinement, &reason);
	free(places);
	if (status == IK_OK)
		return IK_OK;
	if (sandbox->mode == IK_SANDBOX_OFF)
		return ik_error_set(error, IK_DENIED,
			_("what sandbox.hide and sandbox.network say cannot be held: %s. Take both out of the "
			  "configuration to do without."),
			reason.text);
	return ik_error_set(error, IK_DENIED,
		_("the sandbox \"%s\" cannot be made: %s. /sandbox off, or --sandbox off, does without."),
		mode_names[sandbox->mode], reason.text);
}

enum ik_status ik_sandbox_start(struct ik_sandbox *sandbox, const char *tool,
	enum ik_sandbox_purpose purpose, struct ik_loop *loop, const struct ik_child_spec *spec,
	const struct ik_child_events *events, void *arg, struct ik_child **ret_child,
	struct ik_error *error)
{
	struct ik_child_spec own = *spec;
	struct ik_confinement confinement;
	enum ik_status status;

	own.confinement = ik_sandbox_confines(sandbox, tool) ? &confinement : NULL;
	if (own.confinement && make_confinement(sandbox, purpose, &confinement, error) != IK_OK)
		return error->status;
	status = ik_child_start(loop, &own, events, arg, ret_child, error);
	if (own.confinement)
		ik_confine_close(&confinement);
	if (status == IK_DENIED) /* by the kernel, not by us */
		status = error->status = IK_UNAVAILABLE;
	return status;
}

const char *ik_sandbox_variable(const struct ik_sandbox *sandbox, const char *tool)
{
	static const char *const variables[IK_SANDBOX_MODE_COUNT] = {
		"IKIGAI_SANDBOX=off",
		"IKIGAI_SANDBOX=project",
		"IKIGAI_SANDBOX=read-only",
	};

	return ik_sandbox_confines(sandbox, tool) ? variables[sandbox->mode] : "IKIGAI_SANDBOX";
}

/* Append one of several paths. */
static void put_path(struct ik_buf *out, size_t index, const char *path)
{
	ik_buf_printf(out, "%s%s", index == 0 ? "" : ", ", path);
}

/* Append a place to those with the same rights left; the clause comes before the first. */
static void put_bound(struct ik_buf *out, const char **between, size_t *shown, int left,
	const char *path)
{
	static const char *const clauses[] = {
		[IK_CONFINE_NOTHING] = "nothing can be read or written at",
		[IK_CONFINE_NAMES] = "no file can be read or written at",
		[IK_CONFINE_READING] = "nothing can be written at",
	};

	if (*shown == 0)
		ik_buf_printf(out, "%s%s ", *between, clauses[left]);
	put_path(out, (*shown)++, path);
	*between = "; ";
}

/* Append the restrictions as clauses of one sentence. */
static void put_bounds(const struct ik_sandbox *sandbox, struct ik_buf *out)
{
	const char *path, *between = "";
	bool any = false;

	if (sandbox->mode != IK_SANDBOX_OFF) {
		ik_buf_puts(out, "files can be written only in ");
		for (size_t i = 0; (path = ik_sandbox_writable(sandbox, i)); i++)
			put_path(out, i, path);
		between = "; ";
	}
	for (int left = IK_CONFINE_NOTHING; left <= IK_CONFINE_READING; left++) {
		size_t shown = 0;

		for (size_t i = 0; i < sandbox->limits.count; i++)
			if ((int)sandbox->limits.items[i].left == left)
				put_bound(out, &between, &shown, left, sandbox->limits.items[i].path);
		for (size_t i = 0; i < sandbox->guards.count && left == IK_CONFINE_READING; i++) {
			path = sandbox->guards.items[i].path;
			if ((int)sandbox->guards.items[i].left == left && is_writable_around(sandbox, path))
				put_bound(out, &between, &shown, left, path);
		}
		for (size_t i = 0; i < sandbox->limits.pattern_count; i++)
			if ((int)sandbox->limits.patterns[i].left == left)
				put_bound(out, &between, &shown, left, sandbox->limits.patterns[i].named);
		any = any || shown > 0;
	}
	if (any && ik_mount_mask_method() == IK_MOUNT_MASK_NONE)
		ik_buf_printf(out,
			"%snothing can be made or removed directly in the directories above these places",
			between);
	if (!sandbox->network)
		ik_buf_printf(out, "%sthere is no network and no other socket", between);
	if (is_apart(sandbox) && ik_confine_abi() >= IK_CONFINE_APART_ABI)
		ik_buf_printf(out, "%sa call can signal only processes that it has started itself",
			sandbox->network ? between : "; ");
}

void ik_sandbox_put_words(const struct ik_sandbox *sandbox, struct ik_buf *out)
{
	enum ik_sandbox_state state = ik_sandbox_state(sandbox);

	if (state != IK_SANDBOX_ON && state != IK_SANDBOX_IN_PART)
		return;
	ik_buf_puts(out, " Tools, and all that they start, run in a sandbox that the kernel holds: ");
	put_bounds(sandbox, out);
	ik_buf_puts(out,
		". What fails with \"Permission denied\", \"Operation not permitted\" or \"Read-only file "
		"system\" for that reason cannot be done in another way: say so, and let the person "
		"decide.");
}

void ik_sandbox_put_hint(const struct ik_sandbox *sandbox, struct ik_buf *out)
{
	ik_buf_printf(out, "This call ran in a sandbox (%s): ",
		sandbox->mode == IK_SANDBOX_OFF ? "hidden places" : mode_names[sandbox->mode]);
	put_bounds(sandbox, out);
	ik_buf_puts(out,
		". If it was refused for that reason, no other tool can do it; the person can, or changes "
		"it with /sandbox.");
}
