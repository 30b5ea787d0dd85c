/* See criterion/criterion.h.  The command line is Criterion's: --tap=FILE, --filter SUITE/TEST; what
 * else tests/run-test says is ignored. */
#include <criterion/criterion.h>

#include <fnmatch.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { FAILED = 99, SKIPPED = 77, REASON = 200 };

static struct cr_test *all;
static bool failed;
static char *reason; /* of a skip; shared with the child */

void cr_add(struct cr_test *test)
{
	test->next = all;
	all = test;
}

static void judge(bool fatal, bool good, const char *file, int line, const char *format, va_list rest)
{
	if (good)
		return;
	fprintf(stderr, " (%s:%d) ", file, line);
	vfprintf(stderr, format, rest);
	fputc('\n', stderr);
	failed = true;
	if (fatal)
		_exit(FAILED);
}

void cr_check(bool fatal, bool good, const char *file, int line, const char *expected, const char *format, ...)
{
	va_list rest;

	if (!good)
		fputs(expected, stderr);
	va_start(rest, format);
	judge(fatal, good, file, line, format, rest);
	va_end(rest);
}

void cr_check_texts(
	bool fatal, bool equal, const char *a, const char *b, const char *file, int line, const char *format, ...)
{
	bool good = a && b && (strcmp(a, b) == 0) == equal;
	va_list rest;

	if (!good)
		fprintf(stderr, "\"%s\" %s \"%s\"", a ? a : "(none)", equal ? "==" : "!=", b ? b : "(none)");
	va_start(rest, format);
	judge(fatal, good, file, line, format, rest);
	va_end(rest);
}

void cr_skip(const char *format, ...)
{
	va_list rest;

	va_start(rest, format);
	vsnprintf(reason, REASON, format, rest);
	va_end(rest);
	_exit(SKIPPED);
}

static const struct cr_test *suite_of(const struct cr_test *test)
{
	static const struct cr_test none;

	for (const struct cr_test *suite = all; suite; suite = suite->next) {
		if (!suite->name && strcmp(suite->suite, test->suite) == 0)
			return suite;
	}
	return &none;
}

static void run(const struct cr_test *test, const struct cr_test *suite)
{
	failed = false; /* an earlier test */
	alarm(1200); /* whatever the test says: an emulator is slow */
	if (suite->init)
		suite->init();
	if (test->init)
		test->init();
	test->run();
	if (test->fini)
		test->fini();
	if (suite->fini)
		suite->fini();
	fflush(NULL);
	_exit(failed ? FAILED : 0);
}

static void tell(FILE *tap, const struct cr_test *test, int status)
{
	bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
	bool good = WIFEXITED(status) && WEXITSTATUS(status) == test->exit_code;

	fprintf(tap, "%s - %s::%s", good || skipped ? "ok" : "not ok", test->suite, test->name);
	if (skipped)
		fprintf(tap, " # SKIP %s", reason);
	else if (WIFSIGNALED(status))
		fprintf(tap, " (%s)", strsignal(WTERMSIG(status)));
	fputc('\n', tap);
	if (!good && !skipped)
		failed = true;
}

int main(int argc, char **argv)
{
	const char *filter = "*";
	FILE *tap = stdout;

	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--tap=", 6) == 0)
			tap = fopen(argv[i] + 6, "we");
		else if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc)
			filter = argv[++i];
	}
	reason = mmap(NULL, REASON, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!tap || reason == MAP_FAILED)
		return FAILED;
	for (const struct cr_test *test = all; test; test = test->next) {
		char path[256];
		int status;
		pid_t pid;

		snprintf(path, sizeof(path), "%s/%s", test->suite, test->name);
		if (!test->name || fnmatch(filter, path, 0) != 0)
			continue;
		fflush(NULL);
		pid = fork();
		if (pid == 0)
			run(test, suite_of(test));
		while (waitpid(pid, &status, 0) < 0)
			;
		tell(tap, test, status);
	}
	fclose(tap);
	return failed;
}
