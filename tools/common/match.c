#include "tools/common/match.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/walk.h"

#include "util/alloc.h"
#include "util/buf.h"

/* glob(3) recurses once for each slash after a wildcard or at the end. No path that the kernel
 * accepts has more names than this. */
#define SLASHES_MAX (PATH_MAX / 2)

/* Passes paths on and counts them. */
struct match_visitor {
	ik_match_fn visit;
	void *arg;
	size_t count;
};

/* Append directory, escaped. */
static void append_escaped(struct ik_buf *out, const char *directory)
{
	for (const char *at = directory; *at != '\0'; at++) {
		if (strchr("*?[]\\", *at))
			ik_buf_putc(out, '\\');
		ik_buf_putc(out, *at);
	}
}

/* Combine directory and pattern. */
static void join_pattern(struct ik_buf *out, const char *directory, const char *pattern)
{
	struct stat status;

	if (directory && directory[0] != '\0') {
		if (stat(directory, &status) == 0)
			append_escaped(out, directory);
		else
			ik_buf_puts(out, directory);
		if (directory[strlen(directory) - 1] != '/')
			ik_buf_putc(out, '/');
	}
	ik_buf_puts(out, pattern);
}

/* Does "**" occur alone between two slashes? */
static bool has_deep_component(const char *pattern)
{
	const char *at = pattern;

	while ((at = strstr(at, "**"))) {
		if ((at == pattern || at[-1] == '/') && (at[2] == '\0' || at[2] == '/'))
			return true;
		at += 2;
	}
	return false;
}

static bool take_path(void *arg, const char *path, unsigned char type)
{
	struct match_visitor *visitor = arg;

	visitor->count++;
	return visitor->visit(visitor->arg, path, type);
}

/* Could glob(3) overrun the stack? */
static bool is_too_deep(const char *pattern)
{
	const char *end = pattern + strlen(pattern);
	size_t count = 0;

	for (; end > pattern && end[-1] == '/'; end--)
		count++;
	for (const char *at = pattern + strcspn(pattern, "*?["); at < end; at++)
		count += *at == '/';
	return count > SLASHES_MAX;
}

/* Pass on what glob(3) finds. */
static enum ik_match_result match_plain(const char *pattern, struct match_visitor *visitor)
{
	glob_t found = { 0 };
	enum ik_match_result result = IK_MATCH_DONE;

	if (is_too_deep(pattern))
		return IK_MATCH_INVALID;
	switch (glob(pattern, 0, NULL, &found)) {
	case 0:
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (!take_path(visitor, found.gl_pathv[i], DT_UNKNOWN))
				break;
		break;
	case GLOB_NOMATCH:
		break;
	case GLOB_NOSPACE:
		result = IK_MATCH_NO_MEMORY;
		break;
	case GLOB_ABORTED:
		result = IK_MATCH_READ_ERROR;
		break;
	default:
		result = IK_MATCH_INVALID;
	}
	globfree(&found);
	return result;
}

/* Is the start of the search unreadable: the directory before the first wildcard or, without
 * wildcards, the file itself? */
static bool is_start_unreadable(const char *pattern)
{
	char *start = ik_strdup(pattern);
	char *to = start, *end = start;
	bool wild = false;
	struct stat status;
	int fd = -1;

	for (const char *at = pattern; *at != '\0' && !wild; at++) {
		wild = strchr("*?[", *at);
		if (*at == '\\' && at[1] != '\0')
			at++;
		*to++ = *at;
		if (*at == '/' && !wild)
			end = to;
	}
	*(wild ? end : to) = '\0';
	if (wild)
		fd = open(end > start ? start : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool failed = wild ? fd < 0 : lstat(start, &status) < 0;
	bool unreadable = failed && errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG &&
		errno != ELOOP;
	if (fd >= 0)
		close(fd);
	free(start);
	return unreadable;
}

/* Insert "**" before the last component. */
static void deepen(struct ik_buf *pattern)
{
	size_t at = pattern->length;

	while (at > 0 && pattern->data[at - 1] == '/')
		at--;
	while (at > 0 && pattern->data[at - 1] != '/')
		at--;
	ik_buf_insert(pattern, at, "**/", 3);
}

enum ik_match_depth ik_match_depth(const struct ik_argument *recursive,
	const struct ik_argument *ignored)
{
	return !recursive->truth ? IK_MATCH_PATTERN
		: ignored->truth     ? IK_MATCH_BELOW_ALL
							 : IK_MATCH_BELOW;
}

enum ik_match_result ik_match(const char *directory, const char *pattern, enum ik_match_depth depth,
	ik_match_fn visit, void *arg)
{
	struct match_visitor visitor = { .visit = visit, .arg = arg };
	enum ik_match_result result;
	struct ik_buf whole;

	ik_buf_init(&whole, SIZE_MAX / 2);
	join_pattern(&whole, directory, pattern);
	if (depth != IK_MATCH_PATTERN && pattern[0] != '\0')
		deepen(&whole);
	if (ik_buf_status(&whole) != IK_OK)
		result = IK_MATCH_NO_MEMORY;
	else if (depth != IK_MATCH_PATTERN || has_deep_component(whole.data))
		result = ik_walk(whole.data, depth, take_path, &visitor);
	else
		result = match_plain(whole.data, &visitor);
	if (result == IK_MATCH_DONE && visitor.count == 0 && is_start_unreadable(whole.data))
		result = IK_MATCH_READ_ERROR;
	ik_buf_done(&whole);
	return result;
}

void ik_match_answer(enum ik_match_result result, int64_t count, struct ik_tool_answer *answer)
{
	const char *warning = NULL;

	switch (result) {
	case IK_MATCH_TOO_LONG:
		warning = "Paths longer than 4095 bytes were not searched.";
		break;
	case IK_MATCH_RULES_CUT:
		warning = "A .gitignore or .ignore file has more than 20000 rules, the rest of which was "
				  "not used.";
		break;
	case IK_MATCH_NO_MEMORY:
		ik_answer_error(answer, "OUT_OF_MEMORY", NULL, "Out of memory during glob");
		return;
	case IK_MATCH_INVALID:
		ik_answer_error(answer, "INVALID_PATTERN", "It has too many parts.",
			"Invalid glob pattern");
		return;
	case IK_MATCH_READ_ERROR:
	case IK_MATCH_DONE:
		break;
	}
	ik_answer_close(answer);
	ik_answer_integer(answer, "count", count);
	if (warning)
		ik_answer_text(answer, "warning", warning, strlen(warning));
}
