#include "fixture.h"

#include <dirent.h>
#include <stdlib.h>
#include <termios.h>

#include <criterion/criterion.h>

#define GUARD_MS 100000

static int descriptors_before;

int fixture_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	cr_assert_not_null(directory);
	while (readdir(directory) != NULL)
		count++;
	closedir(directory);
	return count;
}

struct ik_loop *fixture_loop(void)
{
	struct ik_error error;
	struct ik_loop *loop;

	descriptors_before = fixture_descriptors();
	loop = ik_loop_new(&error);
	cr_assert_not_null(loop, "%s", error.text);
	return loop;
}

void fixture_end(struct ik_loop *loop)
{
	ik_loop_free(loop);
	cr_assert_eq(fixture_descriptors(), descriptors_before, "a descriptor leaked");
}

/* The test hangs. */
static void guard_fired(void *arg)
{
	cr_assert_fail("nothing happened for %d ms", GUARD_MS);
}

struct condition {
	struct ik_loop *loop;
	bool (*fn)(void *arg);
	void *arg;
};

static void look(void *arg)
{
	struct condition *condition = arg;

	if (!condition->fn(condition->arg))
		ik_loop_stop(condition->loop);
}

void fixture_run_while(struct ik_loop *loop, bool (*fn)(void *arg), void *arg)
{
	struct condition condition = { loop, fn, arg };
	struct ik_timer *guard = ik_timer_new(loop, guard_fired, NULL);
	struct ik_error error;

	ik_timer_start(guard, GUARD_MS);
	ik_loop_before_sleep(loop, look, &condition);
	cr_assert_eq(ik_loop_run(loop, &error), IK_OK, "%s", error.text);
	ik_loop_before_sleep(loop, NULL, NULL);
	ik_timer_close(guard);
}

static bool not_yet(void *arg)
{
	return !*(const bool *)arg;
}

void fixture_run_until(struct ik_loop *loop, const bool *flag)
{
	fixture_run_while(loop, not_yet, (void *)(uintptr_t)flag);
}

static void set_flag(void *arg)
{
	*(bool *)arg = true;
}

void fixture_run_for(struct ik_loop *loop, int milliseconds)
{
	bool over = false;
	struct ik_timer *timer = ik_timer_new(loop, set_flag, &over);

	ik_timer_start(timer, milliseconds);
	fixture_run_until(loop, &over);
	ik_timer_close(timer);
}

bool fixture_is_cooked(int fd)
{
	struct termios modes;

	return tcgetattr(fd, &modes) == 0 && (modes.c_lflag & (ICANON | ECHO | ISIG)) ==
		(ICANON | ECHO | ISIG) && (modes.c_oflag & OPOST) != 0;
}

bool fixture_is_raw(int fd)
{
	struct termios modes;

	return tcgetattr(fd, &modes) == 0 && (modes.c_lflag & (ICANON | ECHO | ISIG)) == 0 &&
		(modes.c_iflag & (ICRNL | IXON)) == 0 && (modes.c_oflag & OPOST) == 0;
}
