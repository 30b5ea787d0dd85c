#include "tools/common/match.h"

#include <dirent.h>
#include <glob.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/common/walk.h"

#include "util/buf.h"

/* Append directory so that each of its characters stands for itself. */
static void append_escaped(struct ik_buf *out, const char *directory)
{
	for (const char *at = directory; *at != '\0'; at++) {
		if (strchr("*?[]\\", *at) != NULL)
			ik_buf_putc(out, '\\');
		ik_buf_putc(out, *at);
	}
}

/* The pattern for directory and pattern together. */
static void join_pattern(struct ik_buf *out, const char *directory, const char *pattern)
{
	struct stat status;

	if (directory != NULL && directory[0] != '\0') {
		if (stat(directory, &status) == 0)
			append_escaped(out, directory);
		else
			ik_buf_puts(out, directory);
		if (directory[strlen(directory) - 1] != '/')
			ik_buf_putc(out, '/');
	}
	ik_buf_puts(out, pattern);
}

/* Does "**" stand alone between two slashes? */
static bool has_deep_component(const char *pattern)
{
	const char *at = pattern;

	while ((at = strstr(at, "**")) != NULL) {
		if ((at == pattern || at[-1] == '/') && (at[2] == '\0' || at[2] == '/'))
			return true;
		at += 2;
	}
	return false;
}

/* Hand on what glob(3) finds. */
static enum ik_match_result match_plain(const char *pattern, ik_match_fn visit, void *arg)
{
	glob_t found = { 0 };
	enum ik_match_result result = IK_MATCH_DONE;

	switch (glob(pattern, 0, NULL, &found)) {
	case 0:
		for (size_t i = 0; i < found.gl_pathc && visit(arg, found.gl_pathv[i], DT_UNKNOWN); i++)
			;
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

enum ik_match_result ik_match(const char *directory, const char *pattern, ik_match_fn visit,
	void *arg)
{
	enum ik_match_result result;
	struct ik_buf whole;

	ik_buf_init(&whole, SIZE_MAX / 2);
	join_pattern(&whole, directory, pattern);
	if (ik_buf_status(&whole) != IK_OK)
		result = IK_MATCH_NO_MEMORY;
	else if (has_deep_component(whole.data))
		result = ik_walk(whole.data, visit, arg);
	else
		result = match_plain(whole.data, visit, arg);
	ik_buf_done(&whole);
	return result;
}
