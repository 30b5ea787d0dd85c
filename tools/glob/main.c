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

/* Append one path to the answer. */
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
	enum ik_match_depth depth = !arguments[RECURSIVE].truth ? IK_MATCH_PATTERN
		: arguments[IGNORED].truth                          ? IK_MATCH_BELOW_ALL
															: IK_MATCH_BELOW;
	struct glob_found found = { .answer = answer };

	/* "?" depends on the locale; the order does not, it is that of the bytes. */
	setlocale(LC_CTYPE, "");
	ik_answer_open(answer, "output");
	enum ik_match_result result = ik_match(arguments[PATH].text, arguments[PATTERN].text, depth,
		take_path, &found);
	const char *warning = ik_match_warning(result);

	switch (result) {
	case IK_MATCH_DONE:
	case IK_MATCH_TOO_DEEP:
	case IK_MATCH_RULES_CUT:
		ik_answer_close(answer);
		ik_answer_integer(answer, "count", found.count);
		if (warning)
			ik_answer_text(answer, "warning", warning, strlen(warning));
		break;
	case IK_MATCH_NO_MEMORY:
		ik_answer_error(answer, "OUT_OF_MEMORY", NULL, "Out of memory during glob");
		break;
	case IK_MATCH_READ_ERROR:
		ik_answer_error(answer, "READ_ERROR", "The directory to search in cannot be read.",
			"Read error during glob");
		break;
	case IK_MATCH_INVALID:
		ik_answer_error(answer, "INVALID_PATTERN", "It has too many parts.",
			"Invalid glob pattern");
		break;
	}
}

const struct ik_program ik_program = {
	.name = "glob",
	.binary = "glob",
	.description = "Find files matching a glob pattern",
	.example = "{\"pattern\": \"src/**/*.c\"}",
	.read_only = true,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.parameters = parameters,
	.run = run,
};
