/*
 * grep: the lines in files that match a regular expression.
 */
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/common/match.h"
#include "tools/common/program.h"
#include "tools/grep/dialect.h"
#include "tools/grep/files.h"
#include "tools/grep/search.h"

#include "util/alloc.h"

/* Limit on lines of context; beyond that, read the file. */
#define CONTEXT_MAX 1000

enum { PATTERN, GLOB, PATH, RECURSIVE, IGNORED, IGNORE_CASE, CONTEXT, LIMIT };

static const struct ik_parameter parameters[] = {
	[PATTERN] = { "pattern", IK_PARAMETER_NAME, true,
		"Regular expression pattern (POSIX extended, with \\d \\s \\w \\b (?:...) (?i) and lazy "
		"quantifiers; no lookaround or back-references; matched line by line)" },
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

static bool take_path(void *arg, const char *path, unsigned char type)
{
	return files_add(arg, path, type);
}

/* Search path if it is not a directory. Links are followed, since the user named it. */
static bool search_one(struct files *files, const char *path)
{
	struct stat status;

	if (!path || path[0] == '\0' || stat(path, &status) < 0 || S_ISDIR(status.st_mode))
		return false;
	files_search_named(files, path);
	return true;
}

/* Answer with what was found. */
static void finish(const struct ik_argument *arguments, struct files *files,
	enum ik_match_result result, struct ik_tool_answer *answer)
{
	struct files_end end;
	int64_t count = files_finish(files, &end);
	const char *warning = ik_match_warning(result);

	if (result == IK_MATCH_INVALID) {
		ik_answer_error(answer, "INVALID_PATTERN", "It has too many parts.",
			"Invalid glob pattern");
	} else if (result == IK_MATCH_NO_MEMORY) {
		ik_answer_error(answer, "OUT_OF_MEMORY", NULL, "Out of memory during glob");
	} else if (end.unread) {
		ik_answer_error(answer, "OUT_OF_MEMORY", "Leave that file out, with glob.",
			"A line of %s does not fit into memory", end.unread);
	} else {
		if (end.more) {
			char *note = ik_format("\n(more lines match than the limit of %jd)",
				(intmax_t)arguments[LIMIT].number);

			ik_answer_piece(answer, note, strlen(note));
			free(note);
		}
		ik_answer_close(answer);
		ik_answer_integer(answer, "count", count);
		if (warning)
			ik_answer_text(answer, "warning", warning, strlen(warning));
	}
	free(end.unread);
}

static void run(const struct ik_argument *arguments, struct ik_tool_answer *answer)
{
	const char *filter = arguments[GLOB].length > 0 ? arguments[GLOB].text : "*";
	enum ik_match_depth depth = !arguments[RECURSIVE].truth ? IK_MATCH_PATTERN
		: arguments[IGNORED].truth                          ? IK_MATCH_BELOW_ALL
															: IK_MATCH_BELOW;
	const struct files_options options = { .context = (uint64_t)arguments[CONTEXT].number,
		.most = (uint64_t)arguments[LIMIT].number,
		.name_binaries = arguments[RECURSIVE].truth };
	/* A directory that cannot be read counts as empty, as an unreadable file does. */
	enum ik_match_result result = IK_MATCH_DONE;
	struct ik_error error;

	if (arguments[CONTEXT].number > CONTEXT_MAX) {
		ik_answer_error(answer, "INVALID_ARG", NULL, "context must be at most %d, but is %jd",
			CONTEXT_MAX, (intmax_t)arguments[CONTEXT].number);
		return;
	}
	/* Classes and "." depend on the locale; the order does not. */
	setlocale(LC_CTYPE, "");
	struct search *search = search_new(arguments[PATTERN].text, arguments[IGNORE_CASE].truth,
		&error);
	if (!search) {
		ik_answer_error(answer, "INVALID_PATTERN",
			dialect_hint(arguments[PATTERN].text, error.text), "Invalid pattern: %s", error.text);
		return;
	}
	ik_answer_open(answer, "output");
	struct files *files = files_new(search, &options, answer);

	if (!search_one(files, arguments[PATH].text))
		result = ik_match(arguments[PATH].text, filter, depth, take_path, files);
	finish(arguments, files, result, answer);
	search_free(search);
}

const struct ik_program ik_program = {
	.name = "grep",
	.binary = "grep",
	.description = "Search for pattern in files using regular expressions",
	.example = "{\"pattern\": \"int main\", \"glob\": \"*.c\", \"path\": \"src\"}",
	.read_only = true,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.parameters = parameters,
	.run = run,
};
