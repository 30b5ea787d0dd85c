#include "loop/directory_watch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "../../support/scratch.h"
#include "fixture.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* Longer than any change takes to be told. */
enum { SILENCE_MS = IK_WATCH_LONGEST_MS + 300 };

struct test {
	struct ik_loop *loop;
	struct ik_directory_watch *watch;
	char top[sizeof SCRATCH_TEMPLATE];
	char *tools; /* the watched directory, below top */
	bool told;
	int count;
	bool close; /* in changed */
	char *problem;
	int problems;
};

static void on_changed(void *arg)
{
	struct test *test = arg;

	test->told = true;
	test->count++;
	if (test->close)
		test->watch = ik_directory_watch_close(test->watch);
}

static void on_problem(void *arg, const char *sentence)
{
	struct test *test = arg;

	free(test->problem);
	test->problem = ik_strdup(sentence);
	test->problems++;
	test->told = true;
}

static bool counts(const char *name)
{
	return name[0] != '.';
}

static void begin(struct test *test)
{
	static const struct ik_directory_watch_events events = {
		.changed = on_changed, .problem = on_problem, .counts = counts,
	};

	memset(test, 0, sizeof *test);
	strcpy(test->top, SCRATCH_TEMPLATE);
	scratch_make(test->top);
	test->tools = ik_path_join(test->top, "home/tools");
	test->loop = fixture_loop();
	test->watch = ik_directory_watch_new(test->loop, &events, test);
}

static void set(struct test *test, const char *name)
{
	struct ik_watched place = { test->tools, name };

	ik_directory_watch_set(test->watch, &place, 1);
}

static void end(struct test *test)
{
	test->watch = ik_directory_watch_close(test->watch);
	fixture_end(test->loop);
	scratch_remove(test->top);
	free(test->tools);
	free(test->problem);
}

/* Shell lines, in the test's directory. */
static void sh(const struct test *test, const char *lines)
{
	char *command = ik_format("cd %s && %s", test->top, lines);

	cr_assert_eq(system(command), 0, "%s", command);
	free(command);
}

/* After these lines one change is told. */
static void tells(struct test *test, const char *lines)
{
	int before = test->count;

	sh(test, lines);
	test->told = false;
	fixture_run_until(test->loop, &test->told);
	cr_assert_eq(test->count, before + 1, "%s", lines);
}

/* After these lines none is. */
static void tells_nothing(struct test *test, const char *lines)
{
	int before = test->count;

	sh(test, lines);
	fixture_run_for(test->loop, SILENCE_MS);
	cr_assert_eq(test->count, before, "%s", lines);
}

Test(watch, tells_what_happens_to_files)
{
	struct test test;

	begin(&test);
	sh(&test, "mkdir -p home/tools && echo x >home/other");
	set(&test, NULL);
	tells(&test, "echo x >home/tools/one");
	tells(&test, "chmod +x home/tools/one");
	tells(&test, "echo y >>home/tools/one");
	tells(&test, "mv home/other home/tools/one");
	tells(&test, "ln -s ../other home/tools/link");
	tells(&test, "ln home/tools/one home/tools/hard");
	tells(&test, "mv home/tools/hard home/");
	tells(&test, "rm home/tools/one");
	tells(&test, "chmod 700 home/tools");
	tells_nothing(&test, "echo x >home/tools/.hidden; mkdir home/tools/sub; "
		"echo x >home/tools/sub/file; echo x >home/history; cat home/tools/.hidden");
	end(&test);
}

Test(watch, tells_a_burst_once)
{
	struct test test;

	begin(&test);
	sh(&test, "mkdir -p home/tools");
	set(&test, NULL);
	tells(&test, "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i >home/tools/$i; "
		"chmod +x home/tools/$i; mv home/tools/$i home/tools/x; done");
	fixture_run_for(test.loop, SILENCE_MS);
	cr_assert_eq(test.count, 1);
	end(&test);
}

/* A storm: a change in every turn of the loop. */
static bool storm(void *arg)
{
	struct test *test = arg;
	char *path = ik_path_join(test->tools, "storm");

	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	free(path);
	return test->count < 2;
}

Test(watch, goes_on_telling_in_a_storm)
{
	struct test test;

	begin(&test);
	sh(&test, "mkdir -p home/tools");
	set(&test, NULL);
	sh(&test, "echo x >home/tools/first");
	/* Ends only if it is told while it goes on. */
	fixture_run_while(test.loop, storm, &test);
	cr_assert_eq(test.count, 2);
	end(&test);
}

Test(watch, waits_for_the_writer_to_close)
{
	struct test test;
	char *path;
	int fd;

	begin(&test);
	sh(&test, "mkdir -p home/tools");
	set(&test, NULL);
	path = ik_path_join(test.tools, "slow");
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	fixture_run_for(test.loop, 3 * IK_WATCH_QUIET_MS);
	cr_assert_eq(test.count, 0, "it is not closed yet");
	close(fd);
	fixture_run_until(test.loop, &test.told);
	cr_assert_eq(test.count, 1);
	/* One that nobody closes is told in the end. */
	test.told = false;
	free(path);
	path = ik_path_join(test.tools, "never");
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	fixture_run_until(test.loop, &test.told);
	close(fd);
	free(path);
	end(&test);
}

Test(watch, finds_directories_that_come_and_go)
{
	struct test test;

	begin(&test);
	set(&test, NULL);
	tells_nothing(&test, "mkdir other; mkdir home");
	tells(&test, "mkdir home/tools");
	tells(&test, "echo x >home/tools/one");
	tells(&test, "rm -r home/tools");
	tells(&test, "mkdir -p home/tools; echo x >home/tools/one");
	tells(&test, "rm -r home");
	tells(&test, "mkdir -p home/tools");
	tells(&test, "echo x >home/tools/one");
	tells(&test, "mv home/tools home/old");
	tells_nothing(&test, "echo x >home/old/one");
	tells(&test, "mkdir new; echo x >new/two; mv new home/tools");
	tells(&test, "echo x >home/tools/two");
	tells(&test, "mkdir new; mv home/tools home/older; mv new home/tools");
	tells(&test, "echo x >home/tools/two");
	tells(&test, "mv home elsewhere; mkdir -p home/tools");
	tells(&test, "echo x >home/tools/two");
	end(&test);
}

Test(watch, follows_a_link_to_a_directory)
{
	struct test test;

	begin(&test);
	sh(&test, "mkdir home one two; ln -s ../one home/tools");
	set(&test, NULL);
	tells(&test, "echo x >one/x");
	tells(&test, "ln -s ../two home/new; mv -T home/new home/tools");
	tells(&test, "echo x >two/x");
	tells_nothing(&test, "echo x >one/y");
	end(&test);
}

Test(watch, tells_of_one_entry)
{
	struct test test;

	begin(&test);
	sh(&test, "mkdir -p home/tools");
	set(&test, "target");
	tells_nothing(&test, "echo x >home/tools/another");
	tells(&test, "echo x >home/tools/target");
	tells(&test, "mv home/tools/another home/tools/target");
	tells(&test, "rm home/tools/target");
	end(&test);
}

Test(watch, can_be_given_other_places)
{
	struct test test;
	struct ik_watched places[2] = { { NULL, NULL }, { NULL, "x" } };
	char *other;

	begin(&test);
	sh(&test, "mkdir -p home/tools other");
	other = ik_path_join(test.top, "other/");
	set(&test, NULL);
	places[0].directory = other;
	places[1].directory = test.tools;
	ik_directory_watch_set(test.watch, places, 2);
	ik_directory_watch_set(test.watch, places, 2);
	tells(&test, "echo x >other/y");
	tells(&test, "echo x >home/tools/x");
	tells_nothing(&test, "echo x >home/tools/y");
	ik_directory_watch_set(test.watch, places, 1);
	tells_nothing(&test, "echo x >home/tools/x");
	ik_directory_watch_set(test.watch, NULL, 0);
	tells_nothing(&test, "echo x >other/y");
	free(other);
	end(&test);
}

Test(watch, can_be_closed_when_it_tells)
{
	struct test test;

	begin(&test);
	sh(&test, "mkdir -p home/tools");
	set(&test, NULL);
	test.close = true;
	tells(&test, "echo x >home/tools/y");
	cr_assert_null(test.watch);
	end(&test);
}

Test(watch, survives_a_full_queue)
{
	struct test test;
	struct ik_buf text;
	long limit = 0;

	begin(&test);
	sh(&test, "mkdir -p home/tools");
	ik_buf_init(&text, 64);
	if (ik_file_read("/proc/sys/fs/inotify/max_queued_events", &text, NULL) == IK_OK)
		limit = strtol(text.data, NULL, 10);
	ik_buf_done(&text);
	if (limit <= 0 || limit > 100000) {
		end(&test);
		cr_skip_test("the queue is too long to be filled");
	}
	set(&test, NULL);
	/* More than fits, before it is read; the last change is lost with the rest. */
	for (long i = 0; i <= limit / 2; i++) {
		char *name = ik_format("%s/.%ld", test.tools, i % 2), *other = ik_format("%s/.x", test.tools);

		close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
		rename(name, other);
		free(name);
		free(other);
	}
	sh(&test, "rm -r home/tools; mkdir home/tools");
	fixture_run_until(test.loop, &test.told);
	tells(&test, "echo x >home/tools/x");
	end(&test);
}

Test(watch, says_once_that_there_is_a_limit)
{
	struct rlimit limit, none;
	struct test test;

	begin(&test);
	sh(&test, "mkdir -p home/tools");
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	set(&test, NULL);
	fixture_run_until(test.loop, &test.told);
	cr_assert_eq(test.problems, 1);
	cr_assert_not_null(strstr(test.problem, test.tools), "%s", test.problem);
	cr_assert_not_null(strstr(test.problem, "max_user_instances"), "%s", test.problem);
	set(&test, "x");
	fixture_run_for(test.loop, IK_WATCH_QUIET_MS);
	cr_assert_eq(test.problems, 1);
	/* When the limit is no more, all is well again. */
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	set(&test, NULL);
	tells(&test, "echo x >home/tools/x");
	cr_assert_eq(test.problems, 1);
	end(&test);
}
