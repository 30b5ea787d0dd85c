#include "place.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"
#include "util/path.h"

bool fail(struct harness *h, const char *format, ...)
{
	va_list arguments;

	if (h->failure[0] == '\0') {
		va_start(arguments, format);
		(void)vsnprintf(h->failure, sizeof h->failure, format, arguments);
		va_end(arguments);
	}
	return false;
}

void set_variable(struct harness *h, const char *assignment)
{
	size_t length = strcspn(assignment, "="), i;

	for (i = 0; i + 1 < MOST_VARIABLES && h->variables[i] != NULL; i++)
		if (strncmp(h->variables[i], assignment, length) == 0 && h->variables[i][length] == '=')
			break;
	free(h->variables[i]);
	h->variables[i] = NULL;
	if (assignment[length] == '=') {
		h->variables[i] = ik_strdup(assignment);
		return;
	}
	for (; i + 1 < MOST_VARIABLES; i++)
		h->variables[i] = h->variables[i + 1];
}

char *expand(struct harness *h, const char *text)
{
	struct ik_buf out;
	size_t i, length;

	ik_buf_init(&out, IK_MIB(16));
	while (*text != '\0') {
		if (*text == '$') {
			for (i = 0; h->variables[i] != NULL; i++) {
				length = strcspn(h->variables[i], "=");
				if (strncmp(text + 1, h->variables[i], length) == 0)
					break;
			}
			if (h->variables[i] != NULL) {
				ik_buf_puts(&out, h->variables[i] + length + 1);
				text += length + 1;
				continue;
			}
		}
		ik_buf_putc(&out, *text++);
	}
	return ik_buf_take(&out, NULL);
}

bool write_file(struct harness *h, const char *directory, const char *name, mode_t mode)
{
	char *path = ik_path_join(directory, name), *parent = ik_strdup(path);
	struct ik_error error = {.text = "too deep"};
	bool done;

	*strrchr(parent, '/') = '\0';
	done = ik_path_make(parent, 0755, &error) == IK_OK &&
		ik_file_write(path, h->body, strlen(h->body), mode, &error) == IK_OK;
	free(path);
	free(parent);
	return done || fail(h, "%s", error.text);
}

bool shell(struct harness *h, const char *script)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
		if (chdir(h->work) == 0)
			(void)execle("/bin/sh", "sh", "-exc", script, (char *)NULL, h->variables);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool start_server(struct harness *h)
{
	const char *build = getenv("IK_TOP_BUILDDIR");
	char *program = ik_path_join(build != NULL ? build : ".", "tests/net/loopback_server");
	char *scenario = ik_path_join(h->root, "scenario"), *record = ik_path_join(h->root, "requests");
	int pipes[2], port = 0;
	char line[64];
	FILE *stream;

	if (!write_file(h, h->root, "scenario", 0644) || pipe(pipes) != 0)
		return fail(h, "server: %s", strerror(errno));
	(void)fflush(NULL);
	h->server = fork();
	if (h->server == 0) {
		(void)dup2(pipes[1], STDOUT_FILENO);
		(void)close(pipes[0]);
		(void)execl(program, program, "-d", "-r", record, scenario, (char *)NULL);
		_exit(127);
	}
	(void)close(pipes[1]);
	stream = fdopen(pipes[0], "r");
	if (stream != NULL && fgets(line, sizeof line, stream) != NULL)
		port = (int)strtol(line + strcspn(line, "0123456789"), NULL, 10);
	if (stream != NULL)
		(void)fclose(stream);
	if (port > 0) {
		char *assignment = ik_format("SERVER=http://127.0.0.1:%d", port);

		set_variable(h, assignment);
		free(assignment);
		assignment = ik_format("REQUESTS=%s", record);
		set_variable(h, assignment);
		free(assignment);
	}
	free(program);
	free(scenario);
	free(record);
	return port > 0 || fail(h, "the loopback server did not start");
}

void make_place(struct harness *h)
{
	static const char *const passed[] = {"PATH", "TERM", "LC_ALL", "TMPDIR", "ASAN_OPTIONS",
		"UBSAN_OPTIONS", "LSAN_OPTIONS", "IK_TEST_POSTGRES_ADMIN", "IK_TEST_POSTGRES_CONTROL",
		"IK_TEST_POSTGRES_PORT"};
	const char *temporary = getenv("TMPDIR"), *build = getenv("IK_TOP_BUILDDIR"),
		*source = getenv("IK_TOP_SRCDIR");
	struct ik_error error;
	char *assignment;
	size_t i;

	h->root = ik_format("%s/screen.XXXXXX", temporary != NULL ? temporary : "/tmp");
	if (mkdtemp(h->root) == NULL)
		exit(99);
	h->home = ik_path_join(h->root, "home");
	h->ikigai_home = ik_path_join(h->home, ".ikigai");
	h->work = ik_path_join(h->root, "work");
	if (ik_path_make(h->ikigai_home, 0700, &error) != IK_OK || ik_path_make(h->work, 0755, &error) != IK_OK)
		exit(99);
	for (i = 0; i < sizeof passed / sizeof passed[0]; i++) {
		const char *value = getenv(passed[i]);

		if (value == NULL)
			continue;
		assignment = ik_format("%s=%s", passed[i], value);
		set_variable(h, assignment);
		free(assignment);
	}
	assignment = ik_format("HOME=%s", h->home);
	set_variable(h, assignment);
	free(assignment);
	assignment = ik_format("WORK=%s", h->work);
	set_variable(h, assignment);
	free(assignment);
	assignment = ik_format("FIXTURES=%s/tests/fixtures", source != NULL ? source : ".");
	set_variable(h, assignment);
	free(assignment);
	assignment = ik_format("BUILD=%s", build != NULL ? build : ".");
	set_variable(h, assignment);
	free(assignment);
	set_variable(h, "SHELL=/bin/sh");
}

void remove_place(struct harness *h)
{
	char *clean = ik_format("chmod -R u+rwx '%s'; rm -rf '%s'", h->root, h->root);
	size_t i;

	if (h->server > 0) {
		(void)kill(h->server, SIGKILL);
		(void)waitpid(h->server, NULL, 0);
	}
	(void)shell(h, clean);
	free(clean);
	for (i = 0; i < MOST_VARIABLES; i++)
		free(h->variables[i]);
	free(h->root);
	free(h->home);
	free(h->ikigai_home);
	free(h->work);
	free(h->body);
	free(h->skipped);
}
