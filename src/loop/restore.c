#include "loop/restore.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "loop/reaper.h"
#include "loop/tty.h"

/* Faults, and all other signals that end an unprepared program. */
static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS,
	SIGQUIT, SIGXCPU, SIGXFSZ, SIGALRM, SIGVTALRM, SIGUSR1, SIGUSR2 };
#define FATAL_COUNT (sizeof(fatal_signals) / sizeof(fatal_signals[0]))

/* What the handler needs; written only while armed is 0. */
static struct {
	volatile sig_atomic_t armed;
	int fd;
	struct termios modes;
	const char *leave;
	size_t leave_length;
	int users; /* of the handler: the terminal and the children */
	struct sigaction before[FATAL_COUNT];
	stack_t stack_before;
} restore;

/* A stack of its own, because a stack overflow may be the reason. */
static char handler_stack[64 * 1024];

void ik_tty_restore(void)
{
	sigset_t background, before;
	int number = errno;

	if (!restore.armed)
		return;
	restore.armed = 0;
	/* In the background, tcsetattr would stop the program. */
	sigemptyset(&background);
	sigaddset(&background, SIGTTOU);
	sigprocmask(SIG_BLOCK, &background, &before);
	tcsetattr(restore.fd, TCSANOW, &restore.modes);
	if (write(restore.fd, restore.leave, restore.leave_length) < 0) {
		/* nothing else can be done */
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = number;
}

/* A fatal signal: SA_RESETHAND has already restored the default action. */
static void die(int number)
{
	ik_tty_restore();
	ik_reaper_end();
	raise(number);
}

void ik_restore_handle(void)
{
	const stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	struct sigaction action = { .sa_handler = die,
		.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER };

	if (restore.users++ > 0)
		return;
	sigaltstack(&stack, &restore.stack_before);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < FATAL_COUNT; i++) {
		/* An ignored signal ends nobody. */
		sigaction(fatal_signals[i], NULL, &restore.before[i]);
		if (restore.before[i].sa_handler != SIG_IGN)
			sigaction(fatal_signals[i], &action, NULL);
	}
}

void ik_restore_unhandle(void)
{
	if (--restore.users > 0)
		return;
	for (size_t i = 0; i < FATAL_COUNT; i++)
		sigaction(fatal_signals[i], &restore.before[i], NULL);
	sigaltstack(&restore.stack_before, NULL);
}

void ik_restore_arm(int fd, const struct termios *modes, const char *leave)
{
	ik_restore_disarm();
	restore.fd = fd;
	restore.modes = *modes;
	restore.leave = leave;
	restore.leave_length = strlen(leave);
	ik_restore_handle();
	restore.armed = 1;
}

void ik_restore_leave_with(const char *leave)
{
	if (!restore.armed)
		return;
	restore.armed = 0;
	restore.leave = leave;
	restore.leave_length = strlen(leave);
	restore.armed = 1;
}

void ik_restore_disarm(void)
{
	if (!restore.armed)
		return;
	restore.armed = 0;
	ik_restore_unhandle();
}
