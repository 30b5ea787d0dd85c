#include "store_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "store/lock.h"

/* A file system of the network, where the kernel tells nothing: two processes on one session. */
static bool silent;
static enum ik_lock_state state;
static bool news;

/* Called in place of the system's. */
int inotify_add_watch(int fd, const char *path, uint32_t mask)
{
	if (silent) {
		errno = ENOSPC;
		return -1;
	}
	return (int)syscall(SYS_inotify_add_watch, fd, path, mask);
}

static void on_changed(void *arg, enum ik_lock_state changed, const struct ik_holder *holder)
{
	state = changed;
	ik_loop_stop(fixture.loop);
}

static void on_asked(void *arg, const struct ik_holder *asker)
{
}

static void on_refused(void *arg, const struct ik_holder *holder)
{
}

static void on_news(void *arg)
{
	news = true;
	ik_loop_stop(fixture.loop);
}

static struct ik_lock *open_lock(const char *id)
{
	static const struct ik_lock_events events = {
		.changed = on_changed, .asked = on_asked, .refused = on_refused, .news = on_news,
	};

	return ik_lock_new(fixture.store, id, &events, NULL);
}

static void wait_for(enum ik_lock_state wanted)
{
	while (state != wanted)
		fixture_run();
}

static void set_up(void)
{
	if (getenv("IK_TEST_POSTGRES"))
		cr_skip_test("this is about SQLite");
	silent = true;
	fixture_set_up();
}

TestSuite(store_network, .init = set_up, .fini = fixture_tear_down, .timeout = 60);

/* The other process: have the session, write to it when that is wanted, die. */
static void hold(const char *id, int told, int wanted)
{
	struct ik_error error;
	char byte;

	fixture.loop = ik_loop_new(&error); /* the kernel's part of the old one is the parent's, too */
	fixture_open();
	ik_store_continue(fixture.store, id, "/x", 1);
	(void)open_lock(id);
	wait_for(IK_LOCK_OURS);
	if (write(told, "", 1) != 1 || read(wanted, &byte, 1) != 1)
		_exit(1);
	fixture_append(id, IK_KIND_USER, "2");
	fixture_settle();
	if (write(told, "", 1) != 1 || read(wanted, &byte, 1) != 1)
		_exit(2);
	_exit(0);
}

Test(store_network, who_reads_along_looks_now_and_then)
{
	int told[2], wanted[2], status;
	struct ik_lock *lock;
	char id[IK_UUID_TEXT], byte;
	pid_t pid;

	fixture_session(id, "/x", 1);
	fixture_close();
	cr_assert_eq(pipe(told), 0);
	cr_assert_eq(pipe(wanted), 0);
	pid = fork();
	if (pid == 0) {
		close(told[0]);
		close(wanted[1]); /* so that this end is told when the other process dies */
		hold(id, told[1], wanted[0]);
	}
	close(told[1]);
	close(wanted[0]);
	cr_assert_eq(read(told[0], &byte, 1), 1);
	fixture_open();
	lock = open_lock(id);
	wait_for(IK_LOCK_OTHERS);
	while (!news) /* of the beginning */
		fixture_run();
	cr_assert_eq(write(wanted[1], "", 1), 1);
	cr_assert_eq(read(told[0], &byte, 1), 1);
	news = false;
	while (!news)
		fixture_run();
	fixture_expect_page(id, 0, 9, "1 2");
	cr_assert_eq(write(wanted[1], "", 1), 1);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
	wait_for(IK_LOCK_FREE);
	(void)ik_lock_close(lock);
	close(told[0]);
	close(wanted[1]);
}
