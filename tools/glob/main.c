/*
 * glob: the files whose names match a pattern.
 */
#include <locale.h>
#include <string.h>

#include "tools/common/match.h"
#include "tools/common/program.h"

enum { PATTERN, PATH, RECURSIVE, IGNORED };

static const struct ik_parameter parameters[] = {
	[PATTERN] = { "pattern", IK_PARAMETER_NAME, true,
		"Glob pattern (e.g., '*.txt', 'src/**/*.c')" },
	[PATH] = { "path", IK_PARAMETER_NAME, false,
		"Directory to search in (default: current directory)" },
	[RECURSIVE] = { "recursive", IK_PARAMETER_BOOLEAN, false,
		"Search all directories below too, and dot files, but not .git and what .gitignore and "
		".ignore "
		"exclude: the way to find files anywhere in a project (default: false)" },
	[IGNORED] = { "ignored", IK_PARAMETER_BOOLEAN, false,
		"With recursive: exclude nothing (default: false)" },
};

/* The answer in progress. */
struct glob_found {
	struct ik_tool_answer *answer;
	int64_t count;
};

static bool take_path(void *arg, const char *path, unsigned char type)
{
	struct glob_found *found = arg;

	if (found->count++ > 0)
		ik_answer_piece(found->answer, "\n", 1);
	ik_answer_piece(found->answer, path, strlen(path));
	return !ik_answer_lost(found->answer);
}

static void run(const struct ik_argument *arguments, struct ik_tool_answer *answer)
{
	struct glob_found found = { .answer = answer };

	/* "?" depends on the locale; the order does not, it is that of the bytes. */
	setlocale(LC_CTYPE, "");
	ik_answer_open(answer, "output");
	enum ik_match_result result = ik_match(arguments[PATH].text, arguments[PATTERN].text,
		ik_match_depth(&arguments[RECURSIVE], &arguments[IGNORED]), take_path, &found);

	if (result == IK_MATCH_READ_ERROR)
		ik_answer_error(answer, "READ_ERROR", "The directory to search in cannot be read.",
			"Read error during glob");
	else
		ik_match_answer(result, found.count, answer);
}

const struct ik_program ik_program = {
	.name = "glob",
	.binary = "glob",
	.description = "Find files matching a glob pattern",
	.example = "{\"pattern\": \"src/**/*.c\"}",
	.read_only = true,
	.display = { { "kind", "search" }, { "line", "Find {pattern}[ in {path}]" },
		{ "result", "{count|file|files}" }, { "path", "path" } },
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.parameters = parameters,
	.run = run,
};
