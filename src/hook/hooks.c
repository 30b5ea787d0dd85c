#include "hook/hooks.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/pattern.h"
#include "json/write.h"
#include "tool/source.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sanitize.h"
#include "util/text.h"

/* Limit on the time that a file may give a hook. */
#define LONGEST_S 3600.0

static const char *const event_names[IK_HOOK_EVENTS] = {
	[IK_HOOK_PRE_TOOL_USE] = "PreToolUse",
	[IK_HOOK_POST_TOOL_USE] = "PostToolUse",
	[IK_HOOK_USER_PROMPT] = "UserPromptSubmit",
	[IK_HOOK_STOP] = "Stop",
	[IK_HOOK_SESSION_START] = "SessionStart",
	[IK_HOOK_SESSION_END] = "SessionEnd",
	[IK_HOOK_NOTIFICATION] = "Notification",
	[IK_HOOK_PRE_COMPACT] = "PreCompact",
};

/* Claude Code's names of ikigai's tools; their arguments have the same names. */
static const struct {
	const char *name, *alias;
} aliases[] = {
	{ "bash", "Bash" },
	{ "file_read", "Read" },
	{ "file_write", "Write" },
	{ "file_edit", "Edit" },
	{ "glob", "Glob" },
	{ "grep", "Grep" },
};

const char *ik_hook_event_name(enum ik_hook_event event)
{
	return event < IK_HOOK_EVENTS ? event_names[event] : "";
}

/* ---- the list ---- */

struct ik_hooks *ik_hooks_new(void)
{
	return ik_alloc(sizeof(struct ik_hooks));
}

struct ik_hooks *ik_hooks_free(struct ik_hooks *hooks)
{
	if (!hooks)
		return NULL;
	for (size_t i = 0; i < hooks->count; i++) {
		free(hooks->items[i].path);
		free(hooks->items[i].command);
		free(hooks->items[i].matcher);
	}
	free(hooks->items);
	ik_string_list_done(&hooks->problems);
	free(hooks);
	return NULL;
}

static struct ik_hook *add(struct ik_hooks *hooks, enum ik_hook_event event, const char *path)
{
	hooks->items = ik_alloc_more(hooks->items, hooks->count, sizeof(*hooks->items));
	hooks->items[hooks->count] = (struct ik_hook){
		.event = event,
		.path = ik_strdup(path),
		.timeout_ms = IK_HOOK_TIMEOUT_MS,
	};
	return &hooks->items[hooks->count++];
}

/* Add a problem; sentence is taken over. */
static void complain(struct ik_hooks *hooks, char *sentence)
{
	struct ik_buf line;

	/* A project chooses the names of its files. */
	ik_buf_init(&line, IK_KIB(64));
	ik_sanitize_line(&line, sentence, strlen(sentence));
	free(sentence);
	ik_string_list_add(&hooks->problems, ik_buf_take(&line, NULL));
}

/* ---- executables ---- */

/* Select what may be a hook by its name, for scandir(). */
static int counts(const struct dirent *entry)
{
	return ik_source_name_counts(entry->d_name);
}

static int by_name(const struct dirent **one, const struct dirent **other)
{
	return strcmp((*one)->d_name, (*other)->d_name);
}

/* Add a file, if this user may run it. That one cannot be run is no hook's purpose, so it is said. */
static void add_executable(struct ik_hooks *hooks, enum ik_hook_event event, const char *path,
	struct ik_trust *trust)
{
	struct ik_hook *hook;
	struct ik_error error;
	struct stat status;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return;
	if (access(path, X_OK) != 0) {
		complain(hooks, ik_format(_("%s is not executable, so it is no hook: chmod +x"), path));
		return;
	}
	hook = add(hooks, event, path);
	hook->pinned = trust;
	if (trust)
		hook->state = ik_trust_examine(trust, path, &hook->identity, &error);
}

/* Would somebody expect hooks in a directory of this name, although it is no event's? */
static bool is_stray(const char *name)
{
	for (int event = 0; event < IK_HOOK_EVENTS; event++) {
		const char *rest = ik_text_starts(name, event_names[event])
			? name + strlen(event_names[event])
			: "?";

		if (!rest[0] || ik_text_equal(rest, ".d"))
			return !rest[0];
	}
	return ik_text_ends(name, ".d");
}

/* Name what is beside the events' directories and looks like one: its hooks would be missed. Return
 * false if there is no such directory. */
static bool name_strays(struct ik_hooks *hooks, const char *path)
{
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, counts, by_name);

	for (int i = 0; i < count; i++) {
		if (is_stray(entries[i]->d_name))
			complain(hooks,
				ik_format(_("%s/%s is no event's directory; see ikigai-hooks(7)"), path,
					entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	return count >= 0 || errno != ENOENT;
}

void ik_hooks_add_directory(struct ik_hooks *hooks, const char *path, struct ik_trust *trust)
{
	if (!name_strays(hooks, path))
		return;
	for (int event = 0; event < IK_HOOK_EVENTS; event++) {
		char *directory = ik_format("%s/%s.d", path, event_names[event]);
		struct dirent **entries = NULL;
		int count = scandir(directory, &entries, counts, by_name);
		struct ik_error error;

		if (count < 0 && errno != ENOENT && errno != ENOTDIR) {
			(void)ik_error_set_errno(&error, errno, _("cannot read %s"), directory);
			complain(hooks, ik_strdup(error.text));
		}
		for (int i = 0; i < count; i++) {
			char *file = ik_path_join(directory, entries[i]->d_name);

			add_executable(hooks, (enum ik_hook_event)event, file, trust);
			free(file);
			free(entries[i]);
		}
		free(entries);
		free(directory);
	}
}

/* ---- files ---- */

/* A file that is being read. */
struct source {
	struct ik_hooks *hooks;
	const char *path;
	bool pinned;
	struct ik_identity identity;
};

/* Return a matcher in new memory; NULL for one that matches everything. */
static char *matcher_of(struct ik_json_span value)
{
	char *text = ik_json_text_new(value);

	if (text && ik_text_equal(text, "*")) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Add the commands that an element of an event's list has for its matcher. */
static void take_commands(const struct source *source, enum ik_hook_event event,
	struct ik_json_span element)
{
	struct ik_json_span list = ik_json_member(element, "hooks");

	for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);) {
		char *command = ik_json_text_new(ik_json_member(walk.value, "command"));
		double seconds;
		struct ik_hook *hook;

		if (!command || !ik_json_string_is(ik_json_member(walk.value, "type"), "command")) {
			free(command);
			continue;
		}
		hook = add(source->hooks, event, source->path);
		hook->command = command;
		hook->matcher = matcher_of(ik_json_member(element, "matcher"));
		hook->pinned = source->pinned;
		hook->identity = source->identity;
		if (ik_json_double(ik_json_member(walk.value, "timeout"), &seconds) && seconds > 0)
			hook->timeout_ms = (int64_t)((seconds < LONGEST_S ? seconds : LONGEST_S) * 1000) + 1;
	}
}

static void take_text(const struct source *source, struct ik_json_span value)
{
	for (int event = 0; event < IK_HOOK_EVENTS; event++) {
		struct ik_json_span list = ik_json_member(ik_json_member(value, "hooks"),
			event_names[event]);

		for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);) {
			if (!ik_json_member(walk.value, "hooks").text)
				complain(source->hooks,
					ik_format(_("%s: an entry of %s has no list \"hooks\"; see ikigai-hooks(7)"),
						source->path, event_names[event]));
			take_commands(source, (enum ik_hook_event)event, walk.value);
		}
	}
}

/* Is a project's file trusted as it is? If not, it is listed, but not read. */
static bool may_read(struct source *source, struct ik_trust *trust)
{
	struct ik_error error;
	enum ik_trust_state state;
	struct ik_hook *hook;

	if (!trust)
		return true;
	source->pinned = true;
	state = ik_trust_examine(trust, source->path, &source->identity, &error);
	if (state == IK_TRUST_TRUSTED)
		return true;
	hook = add(source->hooks, IK_HOOK_EVENTS, source->path);
	hook->state = state;
	hook->pinned = true;
	hook->identity = source->identity;
	return false;
}

void ik_hooks_add_file(struct ik_hooks *hooks, const char *path, struct ik_trust *trust)
{
	struct source source = { .hooks = hooks, .path = path };
	struct ik_json_span value;
	struct ik_error error;
	struct ik_buf text;

	if (access(path, F_OK) != 0 || !may_read(&source, trust))
		return;
	ik_buf_init(&text, IK_LIMIT_CONFIG);
	if (ik_file_read(path, &text, &error) != IK_OK) {
		complain(hooks, ik_strdup(error.text));
	} else {
		ik_json_blank_comments(text.data, text.length);
		if (ik_json_check(text.data, text.length, &value, &error) != IK_OK)
			complain(hooks, ik_format("%s: %s", path, error.text));
		else if (!source.pinned || ik_identity_holds(path, &source.identity))
			take_text(&source, value);
	}
	ik_buf_done(&text);
}

/* ---- matching ---- */

/* Return the other name of a tool in *memory (new), or NULL. */
static const char *alias_of(const char *name, char **memory)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (ik_text_equal(name, aliases[i].name))
			return aliases[i].alias;
	if (strstr(name, "__"))
		*memory = ik_format("mcp__%s", name);
	return *memory;
}

/* Does the regular expression match text? One that is only names with | between them has to match
 * all of it, as for Claude Code. */
static bool matches(const char *expression, const char *text)
{
	static const char in_names[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_|";
	struct ik_patterns patterns = { NULL, 0 };
	enum ik_pattern_answer answer;
	struct ik_buf pattern, subject;
	bool names = strspn(expression, in_names) == strlen(expression);
	char *whole = ik_format(names ? "^(?:%s)$" : "%s", expression);

	ik_buf_init(&pattern, IK_LIMIT_CONFIG * 7);
	ik_buf_init(&subject, IK_LIMIT_CONFIG);
	ik_json_put_text(&pattern, whole);
	ik_json_put_text(&subject, text);
	answer = ik_pattern_find(&patterns, (struct ik_json_span){ pattern.data, pattern.length },
		(struct ik_json_span){ subject.data, subject.length });
	ik_patterns_done(&patterns);
	ik_buf_done(&pattern);
	ik_buf_done(&subject);
	free(whole);
	/* A matcher that can't be used is one that matches: a hook that forbids something must not be
	 * lost by a slip. */
	return answer != IK_PATTERN_DIFFERS;
}

const char *ik_hook_match(const struct ik_hook *hook, const char *subject, char **memory)
{
	bool of_tool = hook->event == IK_HOOK_PRE_TOOL_USE || hook->event == IK_HOOK_POST_TOOL_USE;
	const char *alias;

	*memory = NULL;
	alias = of_tool ? alias_of(subject, memory) : NULL;
	if (!hook->matcher)
		return hook->command && alias ? alias : subject;
	if (matches(hook->matcher, subject))
		return subject;
	return alias && matches(hook->matcher, alias) ? alias : NULL;
}
