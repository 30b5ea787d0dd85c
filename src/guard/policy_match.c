#include "guard/policy_match.h"

#include <stdlib.h>
#include <string.h>

#include "guard/glob.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Characters between two commands of a shell, or that otherwise start another command. */
static const char separators[] = ";&|()`$\n\r";
const char ik_policy_barred[] = ";&|()`$\n\r<>";

/* A command with more words that may each be a program is trying to hide one. */
enum { MOST_WORDS = 64 };

/* How an argument is compared, and with what. */
struct pattern {
	const struct ik_policy_place *place;
	const char *glob;   /* as written in the rule */
	const char *barred; /* bytes that its wildcards do not match */
	char *path;         /* for a path: the absolute glob; else NULL */
	char *real_path;    /* the same with the links of its directory followed, or NULL */
	bool all;           /* all readings must match, since the rule allows */
	bool is_command;
};

/* ---- paths ---- */

bool ik_policy_is_path(const char *name)
{
	static const char *const names[] = { "path", "file", "directory", "dir", "cwd" };
	static const char *const ends[] = { "_path", "_file", "_dir", "Path" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ik_text_equal(name, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ik_text_ends(name, ends[i]))
			return true;
	return false;
}

bool ik_policy_is_command(const char *name)
{
	return ik_text_equal(name, "command") || ik_text_equal(name, "cmd");
}

/* Remove ".", ".." and empty parts from an absolute path, in place. */
static void take_out_dots(char *path)
{
	size_t length = 0;

	for (const char *at = path; *at != '\0';) {
		size_t part = strcspn(at + 1, "/");

		if (part == 2 && at[1] == '.' && at[2] == '.') {
			while (length > 0 && path[--length] != '/')
				;
		} else if (part > 0 && !(part == 1 && at[1] == '.')) {
			memmove(path + length, at, part + 1);
			length += part + 1;
		}
		at += part + 1;
	}
	if (length == 0)
		path[length++] = '/';
	path[length] = '\0';
}

/* Expand ~, or prepend the session's directory (new memory). */
static char *join(const struct ik_policy_place *place, const char *path)
{
	char *expanded = ik_path_expand(path, place->home);
	char *joined = ik_path_join(place->directory, expanded);

	free(expanded);
	return joined;
}

char *ik_policy_absolute(const struct ik_policy_place *place, const char *path)
{
	char *absolute = join(place, path);

	if (absolute[0] == '/')
		take_out_dots(absolute);
	return absolute;
}

/* Escape a text for a glob (new memory). */
static char *escape(const char *text)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_ARGUMENTS);
	ik_glob_escape(&out, text, strlen(text));
	return ik_buf_take(&out, NULL);
}

/* Return the glob of a path, absolute unless it begins with a wildcard. */
static char *absolute_glob(const struct ik_policy_place *place, const char *glob)
{
	char *directory, *home, *absolute;
	struct ik_policy_place escaped;

	if (strchr("*?[", glob[0]))
		return ik_strdup(glob);
	directory = escape(place->directory);
	home = place->home ? escape(place->home) : NULL;
	escaped = (struct ik_policy_place){ .directory = directory, .home = home };
	absolute = ik_policy_absolute(&escaped, glob);
	free(directory);
	free(home);
	return absolute;
}

/* Return the glob with the links of its directory followed, or NULL if it has no links. */
static char *resolved_glob(const struct ik_policy_place *place, const char *glob)
{
	size_t literal = strcspn(glob, "*?[\\");
	const char *slash = memrchr(glob, '/', literal);
	char *directory, *real, *escaped, *result = NULL;

	if (!place->resolve || !slash || slash == glob)
		return NULL;
	directory = ik_strndup(glob, (size_t)(slash - glob));
	real = place->resolve(directory);
	if (real && !ik_text_equal(real, directory)) {
		escaped = escape(real);
		result = ik_format("%s%s", escaped, slash);
		free(escaped);
	}
	free(real);
	free(directory);
	return result;
}

/* Does a path match? "DIR/" and a star match DIR and everything in it. */
static bool path_matches(const char *glob, const char *path)
{
	char *directory;
	bool matches = ik_glob_match(glob, path, strlen(path), NULL);

	if (matches || !ik_text_ends(glob, "/*"))
		return matches;
	directory = ik_strndup(glob, strlen(glob) - 2);
	matches = ik_glob_match(directory, path, strlen(path), NULL);
	free(directory);
	return matches;
}

/* ---- readings ---- */

/* Compare the readings of a path. */
static bool match_path(const struct pattern *pattern, const char *text)
{
	char *joined = join(pattern->place, text);
	char *absolute = ik_policy_absolute(pattern->place, text);
	char *real = pattern->place->resolve ? pattern->place->resolve(joined) : NULL;
	bool as_it_stands = ik_glob_match(pattern->glob, text, strlen(text), NULL);
	/* The rule may have been written with either name of a place in mind. */
	bool made_absolute = path_matches(pattern->path, absolute) ||
		(pattern->real_path && path_matches(pattern->real_path, absolute));
	bool followed = !real ? made_absolute
						  : path_matches(pattern->path, real) ||
			(pattern->real_path && path_matches(pattern->real_path, real));

	free(joined);
	free(absolute);
	free(real);
	return pattern->all ? made_absolute && followed : as_it_stands || made_absolute || followed;
}

/* ---- commands ---- */

/* Reserved words of the shell that are followed by a command. */
/* clang-format off */
static const char *const reserved[] = {
	"!", "do", "elif", "else", "if", "then", "until", "while", "{",
	NULL,
};
/* clang-format on */

/* Programs and shell words that start another program, given as an argument or within a text. */
/* clang-format off */
static const char *const starters[] = {
	".", "builtin", "case", "command", "coproc", "eval", "exec", "for", "function", "source", "time",
	"trap",
	"at", "batch", "chroot", "chrt", "doas", "entr", "env", "find", "flock", "gdb", "ionice", "make",
	"ltrace", "nice", "nohup", "nsenter", "parallel", "perf", "pkexec", "runuser", "script",
	"screen", "setpriv", "setsid", "ssh", "stdbuf", "strace", "su", "sudo", "systemd-run",
	"taskset", "timeout", "tmux", "unshare", "valgrind", "watch", "xargs",
	"ash", "awk", "bash", "busybox", "bun", "bunx", "csh", "dash", "deno", "ed", "emacs", "ex",
	"expect", "fish", "gawk", "ksh", "lua", "mawk", "node", "npx", "osascript", "perl", "php", "pwsh",
	"python", "python2", "python3", "ruby", "sed", "sh", "sqlite3", "tclsh", "uvx", "vi", "view",
	"vim", "zsh",
	NULL,
};
/* clang-format on */

/* Programs, and git commands, that start no others and write no files: a rule may allow them with
 * any arguments. */
/* clang-format off */
static const char *const harmless[] = {
	"basename", "cat", "cmp", "cut", "df", "diff", "dirname", "du", "echo", "grep", "head", "id", "ls",
	"md5sum", "nl", "pwd", "readlink", "realpath", "sha256sum", "stat", "tail", "tr", "uname", "wc",
	"which",
	NULL,
};
/* clang-format on */
static const char *const harmless_git[] = { "diff", "log", "show", "status", NULL };

/* Is the word in the list? */
static bool is_one_of(const char *word, size_t length, const char *const *list)
{
	while (*list && (strlen(*list) != length || memcmp(*list, word, length) != 0))
		list++;
	return *list;
}

/* Return the part of a word after its last slash. */
static const char *base_of(const char *word, size_t *length)
{
	const char *slash = memrchr(word, '/', *length);

	if (slash) {
		*length -= (size_t)(slash + 1 - word);
		word = slash + 1;
	}
	return word;
}

/* Does a word contain only letters, digits and signs without meaning to a shell? */
static bool is_plain(const char *word, size_t length)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";

	for (size_t i = 0; i < length; i++)
		if (!memchr(plain, word[i], sizeof(plain) - 1))
			return false;
	return length > 0;
}

void ik_policy_put_command_like(const char *command, struct ik_buf *glob)
{
	size_t word = strcspn(command, " \t"), more;

	if (command[word] != ' ' || strpbrk(command, ik_policy_barred))
		return;
	if (word == strlen("git") && memcmp(command, "git", word) == 0) {
		more = strcspn(command + word + 1, " \t");
		if (command[word + 1 + more] != ' ' || !is_one_of(command + word + 1, more, harmless_git))
			return;
		word += 1 + more;
	} else if (!is_one_of(command, word, harmless)) {
		return;
	}
	ik_glob_escape(glob, command, word);
	ik_buf_puts(glob, " *");
}

/* Return the length of the text up to one of these characters that is not quoted, or its end. */
static size_t unquoted_length(const char *text, size_t length, const char *stops)
{
	size_t at = 0;
	char quote = '\0';

	for (; at < length && (quote || !strchr(stops, text[at])); at++) {
		if (text[at] == '\\' && quote != '\'' && at + 1 < length)
			at++;
		else if (quote ? text[at] == quote : text[at] == '\'' || text[at] == '"')
			quote = quote ? '\0' : text[at];
	}
	return at;
}

/* Return the length of the word at the start of text: up to a blank or redirection. */
static size_t word_length(const char *text, size_t length)
{
	return unquoted_length(text, length, " \t<>");
}

/* Return the length of the redirection at the start of text, with its file; 0: there is none. */
static size_t redirection_length(const char *text, size_t length)
{
	size_t at = 0, blanks;

	while (at < length && text[at] >= '0' && text[at] <= '9')
		at++;
	if (at == length || (text[at] != '<' && text[at] != '>'))
		return 0;
	while (at < length && strchr("<>&|", text[at]))
		at++;
	for (blanks = 0; at + blanks < length && strchr(" \t", text[at + blanks]); blanks++)
		;
	return at + blanks + word_length(text + at + blanks, length - at - blanks);
}

/* Is the redirection a here-string? */
static bool is_here_string(const char *redirection)
{
	return strncmp(redirection + strspn(redirection, "0123456789"), "<<<", 3) == 0;
}

/* Does the word begin with "NAME=" or "NAME[...]="? */
static bool is_assignment(const char *word, size_t length)
{
	const char *equals = memchr(word, '=', length);
	size_t name = equals ? (size_t)(equals - word) : 0;

	const char *bracket;

	if (name > 0 && word[name - 1] == '+')
		name--;
	/* An element of an array. */
	bracket = name > 0 && word[name - 1] == ']' ? memchr(word, '[', name) : NULL;
	if (bracket)
		name = (size_t)(bracket - word);
	return name > 0 && is_plain(word, name) && !memchr(word, '-', name) && !memchr(word, '/', name);
}

/* Append a word without quotes and backslashes. */
static void put_unquoted(const char *word, size_t length, struct ik_buf *out)
{
	for (size_t i = 0; i < length; i++)
		if (!strchr("'\"\\", word[i]))
			ik_buf_putc(out, word[i]);
}

/* Append what follows the first word, with blanks reduced to one. */
static void put_rest(const char *rest, size_t length, struct ik_buf *out)
{
	bool blank = length > 0; /* a redirection may follow immediately */

	for (size_t i = 0; i < length; i++) {
		if (strchr(" \t", rest[i])) {
			blank = true;
			continue;
		}
		if (blank)
			ik_buf_putc(out, ' ');
		blank = false;
		ik_buf_putc(out, rest[i]);
	}
}

/* What a word means for the words after it. */
enum leads { LEADS_NOWHERE, LEADS_TO_NEXT, LEADS_TO_ANY };

/* Classify the name of a program, or a word of the shell. */
static enum leads leads_to(const char *name, size_t length)
{
	if (is_one_of(name, length, starters))
		return LEADS_TO_ANY;
	return is_one_of(name, length, reserved) ? LEADS_TO_NEXT : LEADS_NOWHERE;
}

/* Does the program that the word at the start of text names, with its arguments, match? */
static bool match_program(const struct pattern *pattern, const char *text, size_t length,
	size_t word, enum leads *ret_leads)
{
	struct ik_buf shown;
	const char *name;
	size_t base;
	bool matches;

	ik_buf_init(&shown, IK_LIMIT_ARGUMENTS);
	put_unquoted(text, word, &shown);
	base = shown.length;
	name = base_of(shown.data, &base);
	*ret_leads = leads_to(name, base);
	base = (size_t)(name - shown.data);
	put_rest(text + word, length - word, &shown);
	matches = ik_glob_match(pattern->glob, shown.data, shown.length, NULL) ||
		ik_glob_match(pattern->glob, shown.data + base, shown.length - base, NULL);
	ik_buf_done(&shown);
	return matches;
}

static bool match_simple(const struct pattern *pattern, const char *text, size_t length,
	bool unquoted);

/* Does a command match that is a quoted word: sh -c 'A=1 rm x'? */
static bool match_quoted(const struct pattern *pattern, const char *word, size_t length)
{
	struct ik_buf text;
	bool matches;

	if (!memchr(word, ' ', length) && !memchr(word, '\t', length))
		return false;
	ik_buf_init(&text, IK_LIMIT_ARGUMENTS);
	put_unquoted(word, length, &text);
	matches = match_simple(pattern, text.data, text.length, true);
	ik_buf_done(&text);
	return matches;
}

/* Does a program match that a simple command starts? After a word that starts the next one, try
 * that; after a program that starts others, try every word, since each program has its own options.
 * unquoted: the quotes of text have been removed. */
static bool match_simple(const struct pattern *pattern, const char *text, size_t length,
	bool unquoted)
{
	enum leads leads = LEADS_TO_NEXT, next;
	int tried = 0;

	for (;;) {
		size_t word = strspn(text, " \t");

		if (word >= length)
			return false;
		text += word;
		length -= word;
		word = redirection_length(text, length);
		if (word > 0 && is_here_string(text)) {
			word = strcspn(text, "<") + strlen("<<<"); /* the rest may be the text of a program */
			leads = LEADS_TO_ANY;
		} else if (word == 0) {
			word = word_length(text, length);
			if (!is_assignment(text, word) && !(tried > 0 && text[0] == '-')) {
				if (tried++ == MOST_WORDS || match_program(pattern, text, length, word, &next) ||
					(leads == LEADS_TO_ANY && !unquoted && match_quoted(pattern, text, word)))
					return true;
				if (leads != LEADS_TO_ANY)
					leads = next;
				if (leads == LEADS_NOWHERE)
					return false;
			}
		}
		text += word;
		length -= word;
	}
}

/* Does the command go on at this separator, because it belongs to a redirection or a variable? */
static bool is_within(const char *begin, const char *at)
{
	if (*at == '$')
		return at[1] == '{' || at[1] == '_' || (at[1] != '\0' && is_plain(at + 1, 1));
	return (*at == '&' || *at == '|') && at > begin && (at[-1] == '<' || at[-1] == '>');
}

/* Does one of the commands in text match, as written or as a shell would read it? quotes: ignore
 * separators that are quoted. */
static bool match_parts(const struct pattern *pattern, const char *text, bool quotes)
{
	const char *begin = text; /* of the simple command, which may contain ">&" */
	const char *last = text + strlen(text);

	while (text < last) {
		size_t length = quotes ? unquoted_length(text, (size_t)(last - text), separators)
							   : strcspn(text, separators);
		size_t skipped = strspn(text, " \t");
		size_t end = length;

		while (end > skipped && strchr(" \t", text[end - 1]))
			end--;
		if (end > skipped && ik_glob_match(pattern->glob, text + skipped, end - skipped, NULL))
			return true;
		if (!is_within(begin, text + length)) {
			if (match_simple(pattern, begin, (size_t)(text + length - begin), false))
				return true;
			begin = text + length + (text[length] != '\0');
		}
		text += length + (text[length] != '\0');
	}
	return false;
}

/* Compare the readings of a text without NUL. */
static bool match_text(const struct pattern *pattern, const char *text)
{
	bool matches;

	if (pattern->path)
		return match_path(pattern, text);
	matches = ik_glob_match(pattern->glob, text, strlen(text), pattern->barred);
	if (!matches && pattern->is_command && !pattern->all)
		matches = match_parts(pattern, text, false) || match_parts(pattern, text, true);
	return matches;
}

/* Compare the readings of a string. */
static bool match_string(const struct pattern *pattern, const struct ik_buf *text)
{
	bool to_the_nul = match_text(pattern, text->data), whole;

	if (strlen(text->data) == text->length)
		return to_the_nul;
	whole = ik_glob_match(pattern->glob, text->data, text->length, pattern->barred);
	return pattern->all ? whole && to_the_nul : whole || to_the_nul;
}

/* Append JSON without blanks; strings are written in one canonical way. */
static void put_compact(struct ik_json_span value, struct ik_buf *out)
{
	enum ik_json_type type = ik_json_span_type(value);
	struct ik_buf text;

	if (type == IK_JSON_STRING) {
		ik_buf_init(&text, IK_LIMIT_ARGUMENTS);
		ik_json_string(value, &text);
		ik_json_put_string(out, text.data, text.length);
		ik_buf_done(&text);
	} else if (type == IK_JSON_ARRAY || type == IK_JSON_OBJECT) {
		ik_json_open(out, type == IK_JSON_ARRAY ? '[' : '{');
		for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next(&walk);) {
			if (walk.key.length > 0) {
				put_compact(walk.key, out);
				ik_buf_putc(out, ':');
			}
			put_compact(walk.value, out);
		}
		ik_json_close(out, type == IK_JSON_ARRAY ? ']' : '}');
	} else {
		ik_json_put_raw(out, value);
	}
}

void ik_policy_value_text(struct ik_json_span value, struct ik_buf *out)
{
	if (!ik_json_string(value, out))
		put_compact(value, out);
}

static bool match_value(const struct pattern *pattern, struct ik_json_span value);

/* Do the elements of a list match: all if the rule allows, else one? */
static bool match_elements(const struct pattern *pattern, struct ik_json_span list)
{
	bool any = false;

	for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);) {
		bool matches = match_value(pattern, walk.value);

		if (matches != pattern->all)
			return matches;
		any = true;
	}
	return pattern->all && any;
}

/* Does a value of any type match? */
static bool match_value(const struct pattern *pattern, struct ik_json_span value)
{
	enum ik_json_type type = ik_json_span_type(value);
	struct ik_buf text;
	bool matches;

	ik_buf_init(&text, IK_LIMIT_ARGUMENTS);
	ik_policy_value_text(value, &text);
	if (ik_buf_status(&text) != IK_OK)
		matches = !pattern->all; /* too large to check: no rule allows it */
	else if (type == IK_JSON_STRING)
		matches = match_string(pattern, &text);
	else
		matches = ik_glob_match(pattern->glob, text.data, text.length, pattern->barred) ||
			(type == IK_JSON_ARRAY && match_elements(pattern, value));
	ik_buf_done(&text);
	return matches;
}

/* ---- arguments ---- */

/* The result for an argument. */
struct policy_match_finding {
	size_t values, matches;
	bool missing; /* missing in an element of a list */
};

static void find_values(const struct pattern *pattern, struct ik_json_span value, const char *name,
	struct policy_match_finding *finding);

/* Compare all members of an object whose name is the first length bytes of name. */
static bool find_members(const struct pattern *pattern, struct ik_json_span object,
	const char *name, size_t length, struct policy_match_finding *finding)
{
	char *wanted = ik_strndup(name, length);
	bool found = false;

	for (struct ik_json_walk walk = ik_json_walk(object); ik_json_next(&walk);) {
		if (!ik_json_string_is(walk.key, wanted))
			continue;
		found = true;
		if (name[length] == '.') {
			find_values(pattern, walk.value, name + length + 1, finding);
		} else {
			finding->values++;
			finding->matches += match_value(pattern, walk.value);
		}
	}
	free(wanted);
	return found;
}

/* Compare everything that name refers to in value. */
static void find_values(const struct pattern *pattern, struct ik_json_span value, const char *name,
	struct policy_match_finding *finding)
{
	bool found;

	if (ik_json_span_type(value) == IK_JSON_ARRAY) {
		for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next(&walk);)
			find_values(pattern, walk.value, name, finding);
		return;
	}
	found = find_members(pattern, value, name, strlen(name), finding);
	for (const char *dot = strchr(name, '.'); dot && !found; dot = strchr(dot + 1, '.'))
		found = find_members(pattern, value, name, (size_t)(dot - name), finding);
	finding->missing |= !found;
}

/* Does the glob of a rule for one argument fit the call? */
static bool argument_fits(const struct ik_policy_place *place,
	const struct ik_rule_argument *argument, bool allows, struct ik_json_span arguments)
{
	const char *dot = strrchr(argument->name, '.');
	const char *name = dot ? dot + 1 : argument->name;
	const char *glob = argument->glob;
	struct policy_match_finding finding = { 0 };
	struct pattern pattern = { .place = place, .glob = glob, .all = allows };

	pattern.is_command = ik_policy_is_command(name);
	if (pattern.is_command && allows && !ik_text_equal(glob, "*"))
		pattern.barred = ik_policy_barred;
	if (!pattern.is_command &&
		(ik_policy_is_path(name) || glob[0] == '/' || ik_text_starts(glob, "~/") ||
			ik_text_starts(glob, "./") || ik_text_starts(glob, "../"))) {
		pattern.path = absolute_glob(place, glob);
		pattern.real_path = resolved_glob(place, pattern.path);
	}
	find_values(&pattern, arguments, argument->name, &finding);
	free(pattern.path);
	free(pattern.real_path);
	if (allows)
		return finding.values > 0 && finding.matches == finding.values && !finding.missing;
	return finding.matches > 0;
}

bool ik_policy_fits(const struct ik_policy_place *place, const struct ik_rule *rule,
	const char *tool, struct ik_json_span arguments)
{
	if (!ik_glob_match(rule->tool, tool, strlen(tool), NULL))
		return false;
	for (size_t i = 0; i < rule->argument_count; i++) {
		if (!argument_fits(place, &rule->arguments[i], rule->action == IK_RULE_ALLOW, arguments))
			return false;
	}
	return true;
}

char *ik_policy_follow(const char *directory, const char *name)
{
	char *path = ik_path_join(directory, name), *target = ik_path_resolve(path);

	free(path);
	return target;
}

char *ik_policy_targets(const char *directory, const char *bytes, size_t length)
{
	struct ik_json_span arguments = { NULL, 0 };
	struct ik_buf targets;

	ik_buf_init(&targets, IK_LIMIT_ARGUMENTS);
	if (ik_json_check(bytes, length, &arguments, NULL) != IK_OK ||
		ik_json_span_type(arguments) != IK_JSON_OBJECT)
		arguments = (struct ik_json_span){ NULL, 0 };
	for (struct ik_json_walk walk = ik_json_walk(arguments); ik_json_next(&walk);) {
		char *name = ik_json_string_new(walk.key, NULL),
			 *path = ik_json_string_new(walk.value, NULL);
		char *target = path && ik_policy_is_path(name) ? ik_policy_follow(directory, path) : NULL;

		ik_buf_printf(&targets, "%s\n", target ? target : "");
		free(name);
		free(path);
		free(target);
	}
	return ik_buf_take(&targets, NULL);
}
