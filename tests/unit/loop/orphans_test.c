#include "fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "loop/child.h"
#include "loop/children.h"
#include "loop/orphans.h"
#include "util/alloc.h"
#include "util/text.h"

#include "../../support/needs.h"

static void on_done(void *arg, const struct ik_child_result *result)
{
	*(bool *)arg = true;
}

/* Run a script to its end, as the call of that id. */
static void call(struct ik_loop *loop, const char *id, const char *script)
{
	static const struct ik_child_events events = { NULL, on_done };
	const char *const argv[] = { "sh", "-c", script, NULL };
	char *variable = ik_format(IK_CALL_VARIABLE "=%s", id);
	const char *const environment[] = { "PATH=/bin:/usr/bin", variable, NULL };
	const struct ik_child_spec spec = { .path = "/bin/sh", .argv = argv,
		.environment = environment, .grace_ms = 50 };
	struct ik_child *child;
	struct ik_error error;
	bool done = false;

	cr_assert_eq(ik_child_start(loop, &spec, &events, &done, &child, &error), IK_OK);
	fixture_run_until(loop, &done);
	ik_child_close(child);
	free(variable);
}

static bool any_is_left(void *arg)
{
	return ik_children_orphans(arg) > 0;
}

/* Turn until there are so many, and the commands of all of them begin like this: between
 * fork and exec a process still has its parent's. */
static struct ik_orphan *list_of(struct ik_loop *loop, size_t wanted, const char *command)
{
	for (;;) {
		size_t count, fitting = 0;
		struct ik_orphan *list = ik_orphans_list(loop, &count);

		for (size_t i = 0; i < count; i++)
			fitting += ik_text_starts(list[i].command, command);
		if (count == wanted && fitting == wanted)
			return list;
		ik_orphans_free(list, count);
		fixture_run_for(loop, 1);
	}
}

/* Turn until a process has begun with its script: it has a child. */
static void wait_for_child(struct ik_loop *loop, int pid)
{
	char path[64], pids[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	while (pids[0] == '\0') {
		FILE *file = fopen(path, "re");

		cr_assert_not_null(file);
		if (fgets(pids, sizeof(pids), file) == NULL)
			fixture_run_for(loop, 1);
		fclose(file);
	}
}

/* The pid of the one process that is left, when it has started another. */
static int the_one(struct ik_loop *loop, const char *command, const char *id)
{
	struct ik_orphan *list = list_of(loop, 1, command);
	int pid;

	cr_assert_str_eq(list[0].command, command);
	cr_assert_str_eq(list[0].call, id);
	cr_assert_geq(list[0].running_ms, -100);
	cr_assert_lt(list[0].running_ms, 60000);
	pid = list[0].pid;
	ik_orphans_free(list, 1);
	wait_for_child(loop, pid);
	return pid;
}

Test(orphans, are_found_in_any_session_with_their_call_and_ended)
{
	struct ik_loop *loop = fixture_loop();
	int pid;

	need_reaper();
	ik_children_become_reaper(loop);
	cr_assert_not(ik_orphan_end(loop, getpid()));
	call(loop, "call_1", "setsid sleep 301 >&- 2>&- & (setsid setsid sh -c 'exec sleep 302 >&- 2>&- &')");
	for (int left = 2; left > 0; left--) {
		struct ik_orphan *list = list_of(loop, (size_t)left, "sleep 30");

		cr_assert_str_eq(list[0].call, "call_1");
		cr_assert(ik_orphan_end(loop, list[0].pid));
		ik_orphans_free(list_of(loop, (size_t)left - 1, "sleep 30"), (size_t)left - 1);
		cr_assert_not(ik_orphan_end(loop, list[0].pid), "it is gone");
		ik_orphans_free(list, (size_t)left);
	}

	/* A tree whose root is stopped, and one that does not heed SIGTERM. */
	call(loop, "call 2", "sh -c 'sleep 303 & sleep 303 & kill -STOP $$' >&- 2>&- &");
	pid = the_one(loop, "sh -c sleep 303 & sleep 303 & kill -STOP $$", "call 2");
	cr_assert(ik_orphan_end(loop, pid));
	fixture_run_while(loop, any_is_left, loop);
	call(loop, "x", "sh -c 'trap \"\" TERM; while :; do sleep 304; done' >&- 2>&- &");
	pid = the_one(loop, "sh -c trap \"\" TERM; while :; do sleep 304; done", "x");
	cr_assert(ik_orphan_end(loop, pid));
	fixture_run_while(loop, any_is_left, loop);

	/* One that starts another when it is told to end. */
	call(loop, "y", "sh -c 'trap \"sleep 306 &\" TERM; while :; do sleep 305; done' >&- 2>&- &");
	pid = the_one(loop, "sh -c trap \"sleep 306 &\" TERM; while :; do sleep 305; done", "y");
	cr_assert(ik_orphan_end(loop, pid));
	fixture_run_while(loop, any_is_left, loop);

	/* One that starts others all the time. */
	for (int round = 0; round < 5; round++) {
		call(loop, "z", "sh -c 'n=0; while [ $n -lt 100 ]; do sleep 307 & n=$((n+1)); done; wait' "
			">&- 2>&- &");
		pid = the_one(loop, "sh -c n=0; while [ $n -lt 100 ]; do sleep 307 & n=$((n+1)); done; wait",
			"z");
		cr_assert(ik_orphan_end(loop, pid));
		fixture_run_while(loop, any_is_left, loop);
	}
	ik_children_end(loop);
	fixture_end(loop);
}
