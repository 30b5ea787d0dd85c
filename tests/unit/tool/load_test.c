#include "tool/load.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "util/clock.h"

enum { RIVALS = 4, PATIENT_MS = 30000 };

/* Start a process that only spins, on our first processor, or sleeps. */
static pid_t start(bool spinning)
{
	cpu_set_t all, one;
	pid_t pid = fork();

	cr_assert_geq(pid, 0);
	if (pid > 0)
		return pid;
	if (!spinning)
		for (;;)
			pause();
	CPU_ZERO(&one);
	(void)sched_getaffinity(0, sizeof all, &all);
	for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	(void)sched_setaffinity(0, sizeof one, &one);
	for (volatile bool busy = true; busy;)
		;
	_exit(0);
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

/* Wait for a state. */
static void until(pid_t pid, bool (*so)(const struct ik_process_load *look), const char *what)
{
	int64_t end = ik_clock_ms() + PATIENT_MS;
	struct ik_process_load look;

	do {
		cr_assert_lt(ik_clock_ms(), end, "%s", what);
		look = ik_load_of(pid);
	} while (!so(&look));
}

static bool is_free(const struct ik_process_load *look)
{
	return !look->held_up;
}

static bool is_held_up(const struct ik_process_load *look)
{
	return look->held_up && look->delayed_us > 0;
}

Test(load, sees_who_gets_no_processor)
{
	pid_t rivals[RIVALS], sleeper;

	for (int i = 0; i < RIVALS; i++)
		rivals[i] = start(true);
	sleeper = start(false);
	for (int i = 0; i < RIVALS; i++)
		until(rivals[i], is_held_up, "four share one processor");
	until(sleeper, is_free, "who sleeps is not held up by others");
	for (int i = 0; i < RIVALS; i++)
		stop(rivals[i]);
	stop(sleeper);
}

/* The children of a process count, too. */
Test(load, looks_at_children_too)
{
	pid_t parent = fork(), rivals[RIVALS];

	if (parent == 0) {
		setpgid(0, 0);
		(void)start(true);
		for (;;)
			pause();
	}
	for (int i = 0; i < RIVALS; i++)
		rivals[i] = start(true);
	until(parent, is_held_up, "its child is");
	for (int i = 0; i < RIVALS; i++)
		stop(rivals[i]);
	kill(-parent, SIGKILL);
	cr_assert_eq(waitpid(parent, NULL, 0), parent);
}

Test(load, knows_nothing_of_what_has_ended)
{
	pid_t pid = start(false);
	struct ik_process_load look;

	stop(pid);
	look = ik_load_of(pid);
	cr_assert_not(look.held_up);
	cr_assert_eq(look.delayed_us, 0);
	cr_assert_geq(ik_load_processors(), 1);
}
