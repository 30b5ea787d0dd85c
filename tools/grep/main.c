/*
 * grep: the lines in files that match a regular expression.
 */
#include <dirent.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/common/match.h"
#include "tools/common/program.h"
#include "tools/grep/files.h"
#include "tools/grep/search.h"

#include "util/alloc.h"

/* Limit on lines of context; beyond that, read the file. */
#define CONTEXT_MAX 1000

enum { PATTERN, GLOB, PATH, RECURSIVE, IGNORED, IGNORE_CASE, CONTEXT, LIMIT };

static const struct ik_parameter parameters[] = {
	[PATTERN] = { "pattern", IK_PARAMETER_NAME, true,
		"Regular expression pattern (POSIX extended, with \\d \\s \\w \\b (?:...) (?i), lookaround "
		"and "
		"lazy quantifiers; no back-references; matched line by line)" },
	[GLOB] = { "glob", IK_PARAMETER_NAME, false, "Glob pattern to filter files (e.g., '*.c')" },
	[PATH] = { "path", IK_PARAMETER_NAME, false,
		"Directory to search in (default: current directory)" },
	[RECURSIVE] = { "recursive", IK_PARAMETER_BOOLEAN, false,
		"Search all directories below too, and dot files, but not .git and what .gitignore and "
		".ignore "
		"exclude; a binary file that matches is only named: the way to search a project (default: "
		"false, only the files directly in path)" },
	[IGNORED] = { "ignored", IK_PARAMETER_BOOLEAN, false,
		"With recursive: exclude nothing, e.g. to search dependencies or build output (default: "
		"false)" },
	[IGNORE_CASE] = { "ignore_case", IK_PARAMETER_BOOLEAN, false,
		"Match upper and lower case alike (default: false)" },
	[CONTEXT] = { "context", IK_PARAMETER_NUMBER, false,
		"Lines to show before and after each match, as path-number- text; often saves reading the "
		"file (at most 1000, default: 0)" },
	[LIMIT] = { "limit", IK_PARAMETER_COUNT, false,
		"Most matching lines to return; the output says if more match. Use it when a pattern may "
		"be "
		"common (default: all)" },
};

/* Queue what can be a file. Links are not followed. */
static bool take_path(void *arg, const char *path, unsigned char type)
{
	if (type == DT_REG || type == DT_UNKNOWN)
		files_add(arg, path, type);
	return true;
}

/* Queue the files to search: path itself if it is not a directory. Its links are followed, since
 * the user named it. */
static enum ik_match_result find_files(const struct ik_argument *arguments, struct files *files)
{
	const char *path = arguments[PATH].text;
	const char *filter = arguments[GLOB].length > 0 ? arguments[GLOB].text : "*";
	struct stat status;

	if (path && path[0] != '\0' && stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
		files_add(files, path, DT_LNK);
		return IK_MATCH_DONE;
	}
	return ik_match(path, filter, ik_match_depth(&arguments[RECURSIVE], &arguments[IGNORED]),
		take_path, files);
}

static void run(const struct ik_argument *arguments, struct ik_tool_answer *answer)
{
	const struct files_options options = { .groups = arguments[CONTEXT].number > 0,
		.most = arguments[LIMIT].given ? (uint64_t)arguments[LIMIT].number : UINT64_MAX,
		.name_binaries = arguments[RECURSIVE].truth };
	struct ik_error error;
	const char *hint;
	bool more;

	if (arguments[CONTEXT].number > CONTEXT_MAX) {
		ik_answer_error(answer, "INVALID_ARG", NULL, "context must be at most %d, but is %jd",
			CONTEXT_MAX, (intmax_t)arguments[CONTEXT].number);
		return;
	}
	/* Characters depend on the locale; the order does not. */
	setlocale(LC_CTYPE, "");
	struct search *search = search_new(arguments[PATTERN].text, arguments[IGNORE_CASE].truth,
		(uint64_t)arguments[CONTEXT].number, &error, &hint);
	if (!search) {
		ik_answer_error(answer, "INVALID_PATTERN", hint, "Invalid pattern: %s", error.text);
		return;
	}
	ik_answer_open(answer, "output");
	struct files *files = files_new(search, &options, answer);
	enum ik_match_result result = find_files(arguments, files);
	int64_t count = files_finish(files, &more);

	if (more) {
		char *note = ik_format("\n(more lines match than the limit of %jd)",
			(intmax_t)arguments[LIMIT].number);

		ik_answer_piece(answer, note, strlen(note));
		free(note);
	}
	ik_match_answer(result, count, answer);
	search_free(search);
}

const struct ik_program ik_program = {
	.name = "grep",
	.binary = "grep",
	.description = "Search for pattern in files using regular expressions",
	.example = "{\"pattern\": \"int main\", \"glob\": \"*.c\", \"path\": \"src\"}",
	.read_only = true,
	.display = { { "kind", "search" }, { "line", "Search \"{pattern}\"[ in {path}][ in {glob}]" },
		{ "result", "{count|match|matches}" }, { "path", "path" } },
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.parameters = parameters,
	.run = run,
};
