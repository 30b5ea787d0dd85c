/*
 * grep: the lines in files that match a regular expression.
 */
#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/match.h"
#include "tools/common/program.h"
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

/* One call. */
struct grep {
	struct ik_answer *answer;
	struct search *search;
	const char *name; /* of the file that is searched */
	int64_t count;    /* lines found */
};

/* Append one line to the answer. */
static bool take_line(void *arg, uint64_t number, const char *line, size_t length)
{
	struct grep *grep = arg;
	struct ik_buf where;

	ik_buf_init(&where, IK_KIB(64));
	if (grep->count++ > 0)
		ik_buf_putc(&where, '\n');
	ik_buf_printf(&where, "%s:%ju: ", grep->name, (uintmax_t)number);
	ik_answer_piece(grep->answer, where.data, where.length);
	ik_answer_piece(grep->answer, line, length);
	ik_buf_done(&where);
	return !ik_answer_lost(grep->answer);
}

/* Search a file, if it is a regular one that can be opened; flags for open(2). */
static bool search_path(struct grep *grep, const char *path, int flags)
{
	struct stat status;
	bool go_on = true;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);

	if (fd < 0)
		return true;
	grep->name = path;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		go_on = search_file(grep->search, fd, take_line, grep);
	close(fd);
	return go_on;
}

/* One path that the filter lets through: no symbolic links. */
static bool take_path(void *arg, const char *path, unsigned char type)
{
	if (type != DT_REG && type != DT_UNKNOWN)
		return true;
	return search_path(arg, path, O_NOFOLLOW);
}

/* Search the one file, or the files of the directory. Names that cannot be
 * read are passed over, and so is a filter that stands for nothing. */
static void search_all(struct grep *grep, const char *path, const char *filter)
{
	struct stat status;

	if (path != NULL && path[0] != '\0' && stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
		(void)search_path(grep, path, 0);
		return;
	}
	(void)ik_match(path, filter != NULL && filter[0] != '\0' ? filter : "*", take_path, grep);
}

static void run(const struct ik_argument *arguments, struct ik_answer *answer)
{
	struct grep grep = { .answer = answer };
	struct ik_error error;

	/* The meaning of classes and of "." is the locale's, the order is not. */
	setlocale(LC_CTYPE, "");
	grep.search = search_new(arguments[PATTERN].text, &error);
	if (grep.search == NULL) {
		ik_answer_error(answer, "INVALID_PATTERN", NULL, "Invalid pattern: %s", error.text);
		return;
	}
	ik_answer_open(answer, "output");
	search_all(&grep, arguments[PATH].text, arguments[GLOB].text);
	ik_answer_close(answer);
	ik_answer_integer(answer, "count", grep.count);
	search_free(grep.search);
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
