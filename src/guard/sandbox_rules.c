#include "guard/sandbox_rules.h"

#include <stdlib.h>
#include <string.h>

#include "config/rules.h"
#include "guard/glob.h"
#include "guard/policy_match.h"
#include "json/scan.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

void ik_sandbox_limits_add(struct ik_sandbox_limits *limits, const char *named, const char *path,
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

bool ik_sandbox_limits_have(const struct ik_sandbox_limits *limits, const char *path,
	const struct ik_sandbox_limit *like)
{
	for (size_t i = 0; i < limits->count; i++)
		if (limits->items[i].left == like->left && ik_text_equal(limits->items[i].path, path))
			return true;
	return false;
}

void ik_sandbox_limits_done(struct ik_sandbox_limits *limits)
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

static void add_gap(struct ik_sandbox_limits *limits, size_t rule, enum ik_sandbox_reason reason,
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
static bool take_pattern(struct ik_sandbox_limits *limits, const struct ik_rules *rules,
	size_t index, const char *tool, const struct ik_policy_place *place)
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
		limits->patterns[limits->pattern_count++] = (struct ik_sandbox_pattern){
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
static void read_rule(struct ik_sandbox_limits *limits, const struct ik_rules *rules, size_t index,
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
		ik_sandbox_limits_add(limits, argument->glob, path, left_by(rule, tool), index + 1);
	free(path);
}

void ik_sandbox_limits_read(struct ik_sandbox_limits *limits, const char *text,
	const char *directory, const char *home)
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
