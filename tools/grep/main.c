/*
 * grep: the lines in files that match a regular expression.
 */
#include <locale.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/common/match.h"
#include "tools/common/missing.h"
#include "tools/common/program.h"
#include "tools/grep/crew.h"
#include "tools/grep/search.h"

#include "util/limits.h"

enum { PATTERN, GLOB, PATH };

static const struct ik_parameter parameters[] = {
	[PATTERN] = { "pattern", IK_PARAMETER_NAME, true,
		"Regular expression pattern (POSIX extended)" },
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

/* What Perl has and POSIX has not, or has otherwise; NULL if the pattern has nothing of it. */
static const char *foreign_hint(const char *pattern)
{
	static const struct { const char *text, *hint; } foreign[] = {
		{ "(?", "POSIX extended regular expressions have no (?...): write alternatives, "
			"and [aA] for either case." },
		{ "\\d", "POSIX extended regular expressions have no \\d: write [0-9]." },
		{ "\\D", "POSIX extended regular expressions have no \\D: write [^0-9]." },
		{ "*?", "POSIX extended regular expressions have no *?: the longest match is found." },
	};

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (strstr(pattern, foreign[i].text) != NULL)
			return foreign[i].hint;
	return NULL;
}

/* Say why nothing may have been found. */
static void answer_hint(const struct ik_argument *arguments, const char *filter,
	struct ik_answer *answer)
{
	const char *foreign = foreign_hint(arguments[PATTERN].text);
	struct ik_buf hint;

	ik_buf_init(&hint, IK_KIB(64));
	if (foreign != NULL)
		ik_buf_puts(&hint, foreign);
	else
		ik_missing_match(arguments[PATH].text, filter, true, &hint);
	ik_answer_hint(answer, &hint);
	ik_buf_done(&hint);
}

static void run(const struct ik_argument *arguments, struct ik_answer *answer)
{
	const char *filter = arguments[GLOB].length > 0 ? arguments[GLOB].text : NULL;
	struct search *search;
	struct ik_error error;

	/* The meaning of classes and of "." is the locale's, the order is not. */
	setlocale(LC_CTYPE, "");
	search = search_new(arguments[PATTERN].text, &error);
	if (search == NULL) {
		ik_answer_error(answer, "INVALID_PATTERN", foreign_hint(arguments[PATTERN].text),
			"Invalid pattern: %s", error.text);
		return;
	}
	ik_answer_open(answer, "output");
	struct crew *crew = crew_new(search, answer);
	if (!search_one(crew, arguments[PATH].text))
		/* A filter that stands for nothing finds nothing. */
		(void)ik_match(arguments[PATH].text, filter != NULL ? filter : "*", take_path, crew);
	int64_t count = crew_finish(crew);
	ik_answer_close(answer);
	ik_answer_integer(answer, "count", count);
	if (count == 0)
		answer_hint(arguments, filter, answer);
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
