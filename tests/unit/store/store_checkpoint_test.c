#include "store_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

#include "store/sqlite/checkpoint.h"
#include "util/alloc.h"
#include "util/limits.h"

/* SQLite's log, taken into the database by another process. No file grows without an end. */
#define MOST_BYTES IK_MIB(200)
#define LOG_BYTES (IK_CHECKPOINT_PAGES * (off_t)4096)
/* Where the helper never comes to anything, the program itself is done before. */
#define MOST_LOG_BYTES (12 * LOG_BYTES)

/* A helper that was not seen for so long was over before. */
#define UNSEEN_MS 5000

static char *program; /* the helper: the real program */
static int syncs;     /* that this process waited for */

/* Called by the library in place of the system's. */
int fdatasync(int fd)
{
	syncs++;
	return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
	syncs++;
	return (int)syscall(SYS_fsync, fd);
}

static void set_up(void)
{
	const char *directory = getenv("IK_TOP_BUILDDIR");
	struct rlimit limit;

	if (getenv("IK_TEST_POSTGRES"))
		cr_skip_test("this is about SQLite");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = MOST_BYTES;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	program = ik_format("%s/ikigai", directory ? directory : ".");
	fixture_set_up();
	ik_store_set_helper(fixture.store, program);
}

static void tear_down(void)
{
	fixture_tear_down();
	free(program);
}

TestSuite(store_checkpoint, .init = set_up, .fini = tear_down, .timeout = 60);

static off_t log_bytes(void)
{
	char *path = ik_format("%s-wal", fixture.path);
	struct stat about;
	off_t bytes = stat(path, &about) == 0 ? about.st_size : 0;

	free(path);
	return bytes;
}

/* What becomes one more when the log begins anew: that stands in its head. */
static uint32_t log_generation(void)
{
	char *path = ik_format("%s-wal", fixture.path);
	unsigned char head[20] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	free(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(read(fd, head, sizeof(head)), sizeof(head));
	close(fd);
	return (uint32_t)head[16] << 24 | (uint32_t)head[17] << 16 | (uint32_t)head[18] << 8 | head[19];
}

/* Append events until the log is so large that it is to be taken in. */
static void fill_log(const char *id)
{
	char *large = malloc(500000);
	off_t before = log_bytes();
	int i;

	memset(large, 'x', 499999);
	large[499999] = '\0';
	for (i = 0; i < 34; i++) /* 17 MB */
		fixture_append(id, IK_KIND_USER, large);
	cr_assert_leq(log_bytes() - before, 2 * LOG_BYTES);
	free(large);
}

static bool helper_is_there(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static bool started; /* a helper was, as far as can be told */

static void see_no_child(void *arg)
{
	started = true;
	ik_loop_stop(fixture.loop);
}

/* Turn until the log has begun anew. A helper that was held up, by whatever else this process does,
 * is started again when more is written: how many events that took. One that is gone before it is
 * seen leaves nothing to be waited for. */
static int wait_for_new_log(uint32_t generation)
{
	char id[IK_UUID_TEXT] = "";
	struct ik_timer *timer = ik_timer_new(fixture.loop, see_no_child, NULL);
	int written = 0;

	started = false;

	while (log_generation() == generation) {
		bool there = helper_is_there();

		started = started || there;
		if (started && !there && written == 0)
			fixture_session(id, "/x", 0);
		if (started && !there) {
			fixture_append(id, IK_KIND_USER, "small");
			written++;
		}
		if (!started && !ik_timer_running(timer))
			ik_timer_start(timer, UNSEEN_MS);
		fixture_turn(2);
	}
	ik_timer_close(timer);
	return written;
}

/* The helper may have had the lock when the last of them were written. */
static void settle(void)
{
	while (fixture.store && ik_store_waiting(fixture.store) > 0)
		fixture_turn(2);
}

static void expect_sound(int64_t events)
{
	settle();
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), events);
	cr_assert_eq(fixture_query("SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
}

Test(store_checkpoint, the_disk_is_not_waited_for_here)
{
	char id[IK_UUID_TEXT];
	int round, more = 0;
	uint32_t first;

	fixture_session(id, "/x", 1);
	first = log_generation();
	syncs = 0;
	for (round = 1; round <= 3; round++) {
		uint32_t generation = log_generation();

		fill_log(id);
		more += wait_for_new_log(generation);
		cr_assert_leq(log_bytes(), 2 * LOG_BYTES);
	}
	/* Nearly always none. Where something is written just between a checkpoint and the helper's
	 * own commit, there is one for the new log; to do the work here takes three each time. */
	cr_assert_leq((uint32_t)syncs, log_generation() - first);
	expect_sound(1 + 3 * 34 + more);
}

Test(store_checkpoint, the_log_begins_anew_while_writing_goes_on)
{
	char text[2000], id[IK_UUID_TEXT];
	uint32_t generation;
	int written;

	memset(text, 'y', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	fixture_session(id, "/x", 1);
	generation = log_generation();
	for (written = 1; log_generation() - generation < 2; written++) {
		fixture_append(id, IK_KIND_USER, text);
		fixture_turn(2);
		/* Nobody writes 100 MB in half a second; on a busy machine the helper has its share
		 * of the processors before that. */
		if (log_bytes() > 2 * LOG_BYTES)
			usleep(2000);
		cr_assert_leq(log_bytes(), MOST_LOG_BYTES);
	}
	fixture_close();
	expect_sound(written);
	fixture_open();
}

Test(store_checkpoint, somebody_who_reads_holds_it_up_and_no_longer)
{
	char id[IK_UUID_TEXT];
	sqlite3 *reader;
	uint32_t generation;
	int written = 1 + 2 * 34;

	fixture_session(id, "/x", 1);
	cr_assert_eq(sqlite3_open(fixture.path, &reader), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM events", NULL, NULL, NULL),
		SQLITE_OK);
	generation = log_generation();
	fill_log(id);
	fixture_turn(20);
	fill_log(id);
	cr_assert_eq(log_generation(), generation);
	cr_assert_eq(sqlite3_exec(reader, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	while (log_generation() == generation) {
		fixture_append(id, IK_KIND_USER, "small");
		written++;
		fixture_turn(2);
	}
	sqlite3_close(reader);
	settle();
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), written);
}

/* With a helper that is none the program does it. */
static void expect_own_work(const char *helper)
{
	char id[IK_UUID_TEXT];
	int round;

	ik_store_set_helper(fixture.store, helper);
	fixture_session(id, "/x", 1);
	syncs = 0;
	for (round = 0; round < 6; round++) {
		fill_log(id);
		fixture_turn(20);
		cr_assert_leq(log_bytes(), MOST_LOG_BYTES);
	}
	while (syncs == 0) {
		fixture_append(id, IK_KIND_USER, "small");
		fixture_turn(2);
	}
	settle();
	cr_assert_eq(fixture_query("SELECT count(*) >= 205 FROM events"), 1);
}

Test(store_checkpoint, without_a_helper)
{
	expect_own_work(NULL);
}

Test(store_checkpoint, with_a_helper_that_fails)
{
	expect_own_work("/bin/false");
}

Test(store_checkpoint, with_a_helper_that_is_not_there)
{
	expect_own_work("/nonexistent/ikigai");
}

/* Eight pieces of the index of words, which nobody has put together yet: how many there are now. */
static int64_t write_pieces(const char *journal)
{
	char *text = ik_format("PRAGMA journal_mode = %s", journal);

	fixture_execute(text);
	free(text);
	for (int i = 1; i <= 8; i++) {
		text = ik_format("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
			" INSERT INTO search(rowid, words) SELECT %d, group_concat(format('w%%dx%d', i), ' ') FROM n",
			i, i);
		fixture_execute(text);
		free(text);
	}
	return fixture_query("SELECT count(DISTINCT segid) FROM search_idx");
}

/* The helper's work, done here to be looked at. */
Test(store_checkpoint, putting_the_index_together_does_not_wait_for_the_disk)
{
	char id[IK_UUID_TEXT];
	int64_t before;

	fixture_session(id, "/x", 1);
	fixture_close();
	before = write_pieces("WAL");
	cr_assert_geq(before, 8);
	syncs = 0;
	cr_expect_eq(ik_checkpoint_run(fixture.path), IK_CHECKPOINT_DONE);
	cr_expect_lt(syncs, 12, "%d", syncs);
	cr_expect_lt(fixture_query("SELECT count(DISTINCT segid) FROM search_idx"), before);
	fixture_open();
}

/* Pieces that are too large to be put together here, as the index counts: its pages are tiny. */
Test(store_checkpoint, the_index_goes_on_when_the_helper_has_put_it_together)
{
	char id[IK_UUID_TEXT];
	bool seen = false;
	int64_t before;

	fixture_session(id, "/x", 1);
	fixture_close();
	fixture_execute("INSERT INTO search(search, rank) VALUES('pgsz', 64)");
	before = write_pieces("WAL");
	cr_assert_geq(before, 8);
	fixture_open();
	ik_store_set_helper(fixture.store, program);
	fixture_session(id, "/x", 2);
	while (fixture_query("SELECT count(DISTINCT segid) FROM search_idx") >= before) {
		seen = seen || helper_is_there();
		fixture_turn(2);
		fixture_append(id, IK_KIND_USER, "meanwhile");
	}
	cr_expect(seen);
	while (fixture_query("SELECT indexed FROM search_state") <
	       fixture_query("SELECT max(rowid) FROM events"))
		fixture_turn(2);
}

Test(store_checkpoint, without_a_log_the_index_is_left_alone)
{
	char id[IK_UUID_TEXT];
	int64_t before;

	fixture_session(id, "/x", 1);
	fixture_close();
	before = write_pieces("DELETE");
	cr_expect_eq(ik_checkpoint_run(fixture.path), IK_CHECKPOINT_FAILED);
	cr_expect_eq(fixture_query("SELECT count(DISTINCT segid) FROM search_idx"), before);
	fixture_open();
}

static void leave_a_log(void *arg)
{
	char id[IK_UUID_TEXT];

	ik_store_set_helper(fixture.store, program);
	fixture_session(id, "/x", 1);
	fill_log(id); /* its helper is started in the next turn */
}

Test(store_checkpoint, what_a_killed_program_left_is_taken_in_after_the_start)
{
	uint32_t generation;

	fixture_close();
	fixture_die(leave_a_log, NULL);
	fixture_open();
	ik_store_set_helper(fixture.store, program);
	fixture_wait(ik_store_newest(fixture.store, NULL, FIXTURE_READ));
	cr_assert_eq(fixture_answer.status, IK_OK);
	generation = log_generation();
	expect_sound(35 + wait_for_new_log(generation));
}

Test(store_checkpoint, closing_while_the_helper_works_leaves_no_log)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 1);
	fill_log(id);
	fixture_turn(3); /* it is started by now */
	fixture_close();
	cr_assert_eq(fixture_count_files("-wal"), 0);
	expect_sound(35);
	fixture_open();
}

Test(store_checkpoint, a_helper_may_be_killed_at_any_instant)
{
	char id[IK_UUID_TEXT];
	int round;

	ik_store_set_helper(fixture.store, NULL);
	fixture_session(id, "/x", 1);
	for (round = 0; round < 12; round++) {
		pid_t pid;
		int status;

		fill_log(id);
		pid = fork();
		if (pid == 0) {
			execl(program, "ikigai", IK_CHECKPOINT_OPTION, fixture.path, (char *)NULL);
			_exit(9);
		}
		usleep((useconds_t)(3000 * round)); /* whatever it has come to */
		kill(pid, SIGKILL);
		cr_assert_eq(waitpid(pid, &status, 0), pid);
		fixture_append(id, IK_KIND_USER, "between");
	}
	expect_sound(1 + 12 * 35);
}

Test(store_checkpoint, a_file_that_is_no_database_is_left_alone)
{
	static const char text[] = "no database at all, but some words of a person";
	char *path = ik_format("%s/words", fixture.directory);
	char *command = ik_format("%s %s %s", program, IK_CHECKPOINT_OPTION, path);
	FILE *file = fopen(path, "w");
	struct stat about;

	fputs(text, file);
	fclose(file);
	cr_assert_neq(system(command), 0);
	cr_assert_eq(stat(path, &about), 0);
	cr_assert_eq(about.st_size, (off_t)strlen(text));
	cr_assert_eq(fixture_count_files("words"), 1);
	free(command);
	free(path);
}
