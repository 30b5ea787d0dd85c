#include "loop/foreground.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop/children.h"
#include "loop/spawn.h"
#include "util/alloc.h"
#include "util/text.h"

/* How long a program gets to end by itself, per step. */
#define END_MS 300
#define STEP_MS 10

struct ik_foreground {
	struct ik_loop *loop;
	struct ik_tty *tty;
	struct ik_process *process;
	struct ik_watch *stops;
	struct sigaction before[2]; /* previous actions of SIGINT and SIGQUIT */
	void (*done)(void *arg, int status);
	void *arg;
};

/* Ctrl-C and Ctrl-\ on the terminal reach the whole job. */
static const int not_for_us[] = { SIGINT, SIGQUIT };

/* Ignore them, as a waiting shell does: one that was only caught here might still be delivered
 * after the program it has ended is gone. */
static void ignore(struct ik_foreground *foreground)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };

	for (int i = 0; i < 2; i++)
		sigaction(not_for_us[i], &ignored, &foreground->before[i]);
}

/* A child has stopped. Unless it stopped only itself, stop too: we are one job. */
static void signal_came(void *arg, int number)
{
	struct ik_foreground *foreground = arg;
	pid_t pid = ik_process_pid(foreground->process);
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG) != 0 || info.si_pid != pid)
		return;
	ik_tty_stop_job(foreground->tty);
}

/* Remove all handlers and release it. */
static void dispose(struct ik_foreground *foreground)
{
	for (int i = 0; i < 2; i++)
		sigaction(not_for_us[i], &foreground->before[i], NULL);
	foreground->stops = ik_watch_close(foreground->stops);
	foreground->process = ik_process_close(foreground->process);
	ik_loop_defer(foreground->loop, free, foreground);
}

static void ended(void *arg)
{
	struct ik_foreground *foreground = arg;
	int status = 0;

	ik_process_reap(foreground->process, &status);
	ik_tty_take_back(foreground->tty);
	dispose(foreground);
	foreground->done(foreground->arg, status);
}

/* Start it with the shell's own descriptors, which are not O_NONBLOCK like ours. */
static int spawn_here(const struct ik_foreground_spec *spec, pid_t *ret_pid)
{
	struct ik_spawn spawn = {
		.path = spec->path,
		.argv = spec->argv,
		.environment = spec->environment,
		.directory = spec->directory,
		.memory_limit = RLIM_INFINITY,
		.descriptor_limit = RLIM_INFINITY,
		.foreground = true,
	};
	enum ik_spawn_step step;
	int number = 0;

	for (int i = 0; i < 3; i++) {
		spawn.streams[i] = fcntl(i == 0 ? STDIN_FILENO : STDOUT_FILENO, F_DUPFD_CLOEXEC,
			STDERR_FILENO + 1);
		if (spawn.streams[i] < 0)
			number = errno;
	}
	if (number == 0)
		number = ik_spawn(&spawn, ret_pid, &step);
	for (int i = 0; i < 3; i++)
		if (spawn.streams[i] >= 0)
			close(spawn.streams[i]);
	return number;
}

struct ik_foreground *ik_foreground_start(struct ik_loop *loop, struct ik_tty *tty,
	const struct ik_foreground_spec *spec, void (*done)(void *arg, int status), void *arg,
	struct ik_error *error)
{
	struct ik_foreground *foreground = ik_alloc(sizeof(*foreground));
	pid_t pid = 0;
	int number;

	foreground->loop = loop;
	foreground->tty = tty;
	foreground->done = done;
	foreground->arg = arg;
	ik_tty_lend(tty);
	number = spawn_here(spec, &pid);
	if (number != 0) {
		ik_tty_take_back(tty);
		free(foreground);
		ik_error_set_errno(error, number, "%s", spec->path);
		return NULL;
	}
	foreground->process = ik_process_new(loop, pid, ended, foreground);
	ignore(foreground);
	foreground->stops = ik_watch_signal(loop, SIGCHLD, signal_came, foreground);
	return foreground;
}

struct ik_foreground *ik_foreground_close(struct ik_foreground *foreground)
{
	pid_t pid;

	if (!foreground)
		return NULL;
	pid = ik_process_pid(foreground->process);
	if (!ik_process_ended(foreground->process)) {
		kill(pid, SIGTERM);
		kill(pid, SIGCONT);
	}
	for (int waited = 0; waited < END_MS && !ik_process_ended(foreground->process);
		 waited += STEP_MS)
		poll(NULL, 0, STEP_MS);
	if (!ik_process_ended(foreground->process))
		kill(pid, SIGKILL);
	ik_tty_restore();
	dispose(foreground);
	return NULL;
}
