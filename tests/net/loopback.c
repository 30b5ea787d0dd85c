#include "loopback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Fail: a test can't continue without its server. */
static void must(int good, const char *what)
{
	if (!good) {
		perror(what);
		abort();
	}
}

/* Return the build directory. */
static char *program_path(void)
{
	const char *build = getenv("IK_TOP_BUILDDIR");
	char *path = NULL;

	must(asprintf(&path, "%s/tests/net/loopback_server", build ? build : ".") >= 0, "asprintf");
	return path;
}

struct loopback *loopback_start(const char *scenario)
{
	struct loopback *loopback = calloc(1, sizeof *loopback);
	int orders[2], records[2];
	char *program = program_path();
	must(loopback != NULL, "calloc");

	snprintf(loopback->scenario, sizeof loopback->scenario, "/tmp/ik-scenario-XXXXXX");
	int fd = mkstemp(loopback->scenario);
	must(fd >= 0 && write(fd, scenario, strlen(scenario)) == (ssize_t)strlen(scenario) &&
			close(fd) == 0,
		"scenario");
	must(pipe2(orders, O_CLOEXEC) == 0 && pipe2(records, O_CLOEXEC) == 0, "pipe");
	loopback->pid = fork();
	must(loopback->pid >= 0, "fork");
	if (loopback->pid == 0) {
		dup2(orders[0], STDIN_FILENO);
		dup2(records[1], STDOUT_FILENO);
		execl(program, program, "-c", "-d", "-r", "-", loopback->scenario, (char *)NULL);
		_exit(127);
	}
	close(orders[0]);
	close(records[1]);
	free(program);
	loopback->orders = fdopen(orders[1], "w");
	loopback->records = fdopen(records[0], "r");
	const char *port = loopback_record(loopback);
	errno = 0;
	must(port && (loopback->port = (int)strtol(port, NULL, 10)) > 0, "loopback_server");
	return loopback;
}

void loopback_go(struct loopback *loopback, const char *name)
{
	fprintf(loopback->orders, "go %s\n", name);
	fflush(loopback->orders);
}

const char *loopback_record(struct loopback *loopback)
{
	ssize_t length = getline(&loopback->line, &loopback->line_size, loopback->records);

	if (length <= 0)
		return NULL;
	loopback->line[length - 1] = '\0';
	return loopback->line;
}

int loopback_stop(struct loopback *loopback)
{
	int status = 0;

	fclose(loopback->orders);
	must(waitpid(loopback->pid, &status, 0) == loopback->pid, "waitpid");
	fclose(loopback->records);
	unlink(loopback->scenario);
	free(loopback->line);
	free(loopback);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int loopback_connect(const struct loopback *loopback)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)loopback->port),
		.sin_addr = { .s_addr = htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	must(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0, "connect");
	return fd;
}
