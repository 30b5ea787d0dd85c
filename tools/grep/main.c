/*
 * grep: the lines in files that match a regular expression.
 */
#include <locale.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/common/match.h"
#include "tools/common/program.h"
#include "tools/grep/crew.h"
#include "tools/grep/dialect.h"
#include "tools/grep/search.h"

enum { PATTERN, GLOB, PATH };

static const struct ik_parameter parameters[] = {
	[PATTERN] = { "pattern", IK_PARAMETER_NAME, true,
		"Regular expression pattern (POSIX extended, with \\d \\s \\w \\b (?:...) (?i) and lazy "
		"quantifiers; no lookaround or back-references; matched line by line)" },
	[GLOB] = { "glob", IK_PARAMETER_NAME, false,
		"Glob pattern to filter files (e.g., '*.c')" },
	[PATH] = { "path", IK_PARAMETER_NAME, false,
		"Directory to search in (default: current directory)" },
};

static bool take_path(void *arg, const char *path, unsigned char type)
{
	return crew_add(arg, path, type);
}

/* Search path if it is no directory: the person named it, so links are followed. */
static bool search_one(struct crew *crew, const char *path)
{
	struct stat status;

	if (path == NULL || path[0] == '\0' || stat(path, &status) < 0 || S_ISDIR(status.st_mode))
		return false;
	crew_search_named(crew, path);
	return true;
}

static void run(const struct ik_argument *arguments, struct ik_answer *answer)
{
	const char *filter = arguments[GLOB].length > 0 ? arguments[GLOB].text : NULL;
	struct search *search;
	struct ik_error error;

	/* The meaning of classes and of "." is the locale's, the order is not. */
	setlocale(LC_CTYPE, "");
	search = search_new(arguments[PATTERN].text, false, &error);
	if (search == NULL) {
		ik_answer_error(answer, "INVALID_PATTERN", dialect_hint(arguments[PATTERN].text, error.text),
			"Invalid pattern: %s", error.text);
		return;
	}
	ik_answer_open(answer, "output");
	struct crew *crew = crew_new(search, answer);
	/* A directory that cannot be read has no files, as any file that cannot be. */
	enum ik_match_result result = IK_MATCH_DONE;
	if (!search_one(crew, arguments[PATH].text))
		result = ik_match(arguments[PATH].text, filter != NULL ? filter : "*", take_path, crew);
	int64_t count = crew_finish(crew);
	if (result == IK_MATCH_INVALID) {
		ik_answer_error(answer, "INVALID_PATTERN", "It has too many parts.", "Invalid glob pattern");
	} else if (result == IK_MATCH_NO_MEMORY) {
		ik_answer_error(answer, "OUT_OF_MEMORY", NULL, "Out of memory during glob");
	} else {
		ik_answer_close(answer);
		ik_answer_integer(answer, "count", count);
	}
	search_free(search);
}

static const struct ik_program program = {
	.name = "grep",
	.binary = "grep",
	.description = "Search for pattern in files using regular expressions",
	.example = "{\"pattern\": \"int main\", \"glob\": \"*.c\", \"path\": \"src\"}",
	.read_only = true,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.parameters = parameters,
	.run = run,
};

int main(int argc, char **argv)
{
	return ik_program_main(&program, argc, argv);
}
