#include "loop/fatal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loop/children.h"
#include "loop/tty.h"

/* Faults, and all other signals that end an unprepared program. */
static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS,
	SIGQUIT, SIGXCPU, SIGXFSZ, SIGALRM, SIGVTALRM, SIGUSR1, SIGUSR2 };
#define FATAL_COUNT (sizeof(fatal_signals) / sizeof(fatal_signals[0]))

/* Processes per round; the next round finds the rest. */
#define AT_ONCE 1024
#define ROUNDS 1000
#define PAUSE_NS (1000 * 1000)

/* What the handler needs; written only while its "is" is 0. */
static struct {
	volatile sig_atomic_t terminal_is_ours;
	int fd;
	struct termios modes;
	const char *leave;

	volatile sig_atomic_t children_are_ours;
	char children_path[48]; /* "": not made yet */
	const pid_t *strangers;
	size_t stranger_count;

	bool handled;
	struct sigaction before[FATAL_COUNT];
	stack_t stack_before;
} fatal;

/* A stack of its own, because a stack overflow may be the reason. */
static char handler_stack[64 * 1024];

/* ---- the terminal ---- */

void ik_tty_restore(void)
{
	sigset_t background, before;
	int number = errno;

	if (!fatal.terminal_is_ours)
		return;
	fatal.terminal_is_ours = 0;
	/* In the background, tcsetattr would stop the program. */
	sigemptyset(&background);
	sigaddset(&background, SIGTTOU);
	sigprocmask(SIG_BLOCK, &background, &before);
	tcsetattr(fatal.fd, TCSANOW, &fatal.modes);
	if (write(fatal.fd, fatal.leave, strlen(fatal.leave)) < 0) {
		/* nothing else can be done */
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = number;
}

/* ---- the children ---- */

/* Was it a child from before the program started? */
static bool is_stranger(pid_t pid)
{
	for (size_t i = 0; i < fatal.stranger_count; i++)
		if (fatal.strangers[i] == pid)
			return true;
	return false;
}

size_t ik_fatal_list_children(pid_t *pids, size_t size)
{
	char bytes[4096];
	size_t count = 0;
	ssize_t length;
	pid_t pid = 0;
	int fd;

	/* The first call does not come from a handler. Orphans are adopted by the main thread, which is
	 * also the one that spawns. */
	if (fatal.children_path[0] == '\0')
		(void)snprintf(fatal.children_path, sizeof(fatal.children_path),
			"/proc/self/task/%d/children", (int)getpid());
	fd = open(fatal.children_path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	/* Numbers, each followed by a blank. */
	while (count < size &&
		((length = read(fd, bytes, sizeof(bytes))) > 0 || (length < 0 && errno == EINTR)))
		for (ssize_t i = 0; i < length && count < size; i++) {
			if (bytes[i] >= '0' && bytes[i] <= '9') {
				pid = pid * 10 + (bytes[i] - '0');
				continue;
			}
			if (pid > 0 && !is_stranger(pid))
				pids[count++] = pid;
			pid = 0;
		}
	close(fd);
	return count;
}

/* Send SIGKILL to a child of ours (not reaped yet, so the pid is its own) and, if it is in another
 * session, to its whole group: a process that keeps forking cannot outrun that. */
static void kill_child(pid_t pid)
{
	pid_t group = getpgid(pid);

	if (group > 1 && getsid(pid) != getsid(0))
		kill(-group, SIGKILL);
	kill(pid, SIGKILL);
}

void ik_children_end_now(void)
{
	const struct timespec pause = { 0, PAUSE_NS };
	pid_t pids[AT_ONCE];
	size_t count;

	if (!fatal.children_are_ours)
		return;
	/* Children of killed processes become ours: each round finds the next generation. */
	for (int round = 0; round < ROUNDS; round++) {
		count = ik_fatal_list_children(pids, AT_ONCE);
		if (count == 0)
			return;
		for (size_t i = 0; i < count; i++)
			kill_child(pids[i]);
		for (size_t i = 0; i < count; i++)
			waitpid(pids[i], NULL, WNOHANG);
		nanosleep(&pause, NULL);
	}
}

/* ---- the signals ---- */

/* A fatal signal: SA_RESETHAND has already restored the default action. */
static void die(int number)
{
	ik_tty_restore();
	ik_children_end_now();
	raise(number);
}

/* Handle the signals as long as there is anything to do. */
static void update_handlers(void)
{
	const bool wanted = fatal.terminal_is_ours || fatal.children_are_ours;
	const stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	struct sigaction action = { .sa_handler = die,
		.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER };

	if (wanted == fatal.handled)
		return;
	fatal.handled = wanted;
	sigemptyset(&action.sa_mask);
	if (wanted)
		sigaltstack(&stack, &fatal.stack_before);
	for (size_t i = 0; i < FATAL_COUNT; i++) {
		if (!wanted) {
			sigaction(fatal_signals[i], &fatal.before[i], NULL);
			continue;
		}
		/* An ignored signal ends no process. */
		sigaction(fatal_signals[i], NULL, &fatal.before[i]);
		if (fatal.before[i].sa_handler != SIG_IGN)
			sigaction(fatal_signals[i], &action, NULL);
	}
	if (!wanted)
		sigaltstack(&fatal.stack_before, NULL);
}

void ik_fatal_restore_terminal(int fd, const struct termios *modes, const char *leave)
{
	fatal.terminal_is_ours = 0;
	fatal.fd = fd;
	fatal.modes = *modes;
	fatal.leave = leave;
	fatal.terminal_is_ours = 1;
	update_handlers();
}

void ik_fatal_leave_with(const char *leave)
{
	fatal.leave = leave;
}

void ik_fatal_forget_terminal(void)
{
	fatal.terminal_is_ours = 0;
	update_handlers();
}

void ik_fatal_end_children(const pid_t *strangers, size_t count)
{
	fatal.strangers = strangers;
	fatal.stranger_count = count;
	fatal.children_are_ours = 1;
	update_handlers();
}

void ik_fatal_forget_children(void)
{
	fatal.children_are_ours = 0;
	fatal.stranger_count = 0;
	update_handlers();
}
