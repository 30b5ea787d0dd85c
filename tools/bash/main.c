/*
 * bash: run a shell command and answer with its output and exit code.
 *
 * Output is passed on as it arrives, so its size does not matter.  The shell runs in a session of
 * its own, so that it has no terminal to disturb or wait for, and can be ended with its whole
 * group.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/common/program.h"

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"

/* How long to keep reading after the shell has ended, while a process that it left running has the
 * pipe open. */
#define LINGER_MS 200
/* From SIGTERM to SIGKILL: less than the 2 s that the caller waits. */
#define TERMINATE_MS 1000
/* Linux refuses a single argument of 128 KiB (MAX_ARG_STRLEN). */
#define ARGUMENT_MAX (IK_KIB(128) - 1)

#define EXIT_NOT_FOUND 127

enum { COMMAND };

static const struct ik_parameter parameters[] = {
	[COMMAND] = { "command", IK_PARAMETER_NAME, true, "Shell command to execute" },
};

/* A run of the shell. */
struct shell {
	struct ik_tool_answer *answer;
	pid_t pid;
	int output;       /* read end of the pipe for stdout and stderr, -1 at its end */
	int signals;      /* signalfd */
	int64_t deadline; /* when to act next, in monotonic ms; 0: never */
	bool live;        /* output is copied to stderr for a viewer */
	bool ended;       /* the shell was reaped */
	bool terminating; /* SIGTERM was sent */
	bool feed_held;   /* a line feed that may be the last byte */
	int exit_code;
};

/*
 * Return the argument for sh -c: the command or, if it is too long for an argument, a command that
 * reads it from a memory file of this process.
 */
static char *shell_command(const char *command, size_t length)
{
	if (length < ARGUMENT_MAX)
		return ik_strdup(command);
	int fd = memfd_create("command", MFD_CLOEXEC);

	if (fd < 0 || ik_write_all(fd, command, length) != 0)
		return ik_strdup(command);
	return ik_format(". /proc/%ld/fd/%d", (long)getpid(), fd);
}

/* Start the shell with its output going to a pipe. Return 0 or errno. */
static int shell_spawn(struct shell *shell, const char *command, size_t length)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t set;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes,
		POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	sigfillset(&set);
	posix_spawnattr_setsigdefault(&attributes, &set);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attributes, &set);

	char name[] = "sh", option[] = "-c";
	char *text = shell_command(command, length);
	char *argv[] = { name, option, text, NULL };
	int number = posix_spawn(&shell->pid, "/bin/sh", &actions, &attributes, argv, environ);
	free(text);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (number == 0)
		shell->output = ends[0];
	else
		close(ends[0]);
	return number;
}

/* Process output, except for a line feed at the end, which waits for what follows. */
static void shell_output(struct shell *shell, const char *bytes, size_t length)
{
	if (shell->live && ik_write_all(STDERR_FILENO, bytes, length) != 0)
		shell->live = false;
	if (shell->feed_held)
		ik_answer_piece(shell->answer, "\n", 1);
	shell->feed_held = bytes[length - 1] == '\n';
	ik_answer_piece(shell->answer, bytes, length - shell->feed_held);
}

static void shell_read(struct shell *shell)
{
	static char block[IK_KIB(64)];
	ssize_t count = read(shell->output, block, sizeof(block));

	if (count > 0) {
		shell_output(shell, block, (size_t)count);
	} else if (count == 0 || errno != EINTR) {
		close(shell->output);
		shell->output = -1;
	}
}

/* If the shell has ended, keep its exit code and limit the wait for its output. */
static void shell_reap(struct shell *shell)
{
	int status;

	if (shell->ended || waitpid(shell->pid, &status, WNOHANG) != shell->pid)
		return;
	shell->ended = true;
	shell->exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	shell->deadline = ik_clock_ms() + LINGER_MS;
}

/* Ask the command to end; the deadline enforces it. */
static void shell_terminate(struct shell *shell)
{
	if (shell->terminating)
		return;
	shell->terminating = true;
	kill(-shell->pid, SIGTERM); /* its group */
	if (!shell->ended)
		shell->deadline = ik_clock_ms() + TERMINATE_MS;
}

static void shell_take_signal(struct shell *shell)
{
	struct signalfd_siginfo info;

	if (read(shell->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD)
		shell_reap(shell);
	else
		shell_terminate(shell);
}

/* The deadline has passed: stop reading after the shell's end, or kill it. */
static void shell_expire(struct shell *shell)
{
	shell->deadline = 0;
	if (!shell->ended) {
		kill(-shell->pid, SIGKILL);
		return;
	}
	close(shell->output);
	shell->output = -1;
}

/* Return the milliseconds until the deadline, for poll(2). */
static int shell_patience(const struct shell *shell)
{
	if (shell->deadline == 0)
		return -1;
	int64_t left = shell->deadline - ik_clock_ms();

	return left > 0 ? (int)left : 0;
}

/* Wait until the shell and its output have ended. */
static void shell_wait(struct shell *shell)
{
	while (!shell->ended || shell->output >= 0) {
		struct pollfd watched[] = {
			{ .fd = shell->output, .events = POLLIN },
			{ .fd = shell->signals, .events = POLLIN },
		};
		int patience = shell_patience(shell);
		int ready = poll(watched, 2, patience);

		if (ready < 0 && errno != EINTR)
			break;
		if (ready > 0 && watched[1].revents != 0)
			shell_take_signal(shell);
		if (ready > 0 && watched[0].revents != 0)
			shell_read(shell);
		if (patience == 0 || (ready == 0 && patience > 0))
			shell_expire(shell);
		if (ik_answer_lost(shell->answer))
			shell_terminate(shell);
	}
}

/* Block the signals before one can be missed; return the signalfd, or -1. */
static int signals_open(void)
{
	sigset_t set;

	/* If SIGCHLD were ignored, as it may be inherited, the exit status would be lost. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Is the output shown while it arrives? The variable is not passed on: a tool run by the command
 * would write its copy into our output. */
static bool take_live(void)
{
	const char *value = getenv("IKIGAI_LIVE");
	bool live = value && value[0] != '\0' && strcmp(value, "0") != 0;

	unsetenv("IKIGAI_LIVE");
	return live;
}

static void run(const struct ik_argument *arguments, struct ik_tool_answer *answer)
{
	struct shell shell = { .answer = answer, .output = -1, .exit_code = EXIT_NOT_FOUND };

	shell.live = take_live();
	ik_answer_open(answer, "output");
	if (arguments[COMMAND].length > 0) {
		shell.signals = signals_open();
		int number = shell.signals < 0
			? errno
			: shell_spawn(&shell, arguments[COMMAND].text, arguments[COMMAND].length);
		if (number == 0) {
			shell_wait(&shell);
		} else {
			char *reason = ik_format("cannot start /bin/sh: %s", strerror(number));

			ik_answer_piece(answer, reason, strlen(reason));
			free(reason);
		}
	}
	ik_answer_close(answer);
	ik_answer_integer(answer, "exit_code", shell.exit_code);
}

const struct ik_program ik_program = {
	.name = "bash",
	.binary = "bash",
	.description = "Execute a shell command and return output",
	.example = "{\"command\": \"ls -la /tmp\"}",
	.display = { { "kind", "execute" }, { "line", "$ {command}" }, { "command", "command" } },
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.parameters = parameters,
	.run = run,
};
