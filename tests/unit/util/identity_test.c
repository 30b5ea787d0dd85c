#include "util/identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "../../support/scratch.h"
#include "util/path.h"

static char directory[] = SCRATCH_TEMPLATE;

static void make_directory(void)
{
	cr_assert_eq(chdir(scratch_make(directory)), 0);
}

static void remove_directory(void)
{
	cr_assert_eq(chdir("/"), 0);
	scratch_remove(directory);
}

TestSuite(identity, .init = make_directory, .fini = remove_directory);

static struct ik_identity identity_of(const char *path)
{
	struct ik_identity identity;
	struct ik_error error;

	cr_assert_eq(ik_identity_read(path, &identity, &error), IK_OK, "%s", error.text);
	return identity;
}

static void write_file(const char *path, const char *text)
{
	struct ik_error error;

	cr_assert_eq(ik_file_write(path, text, 1, 0600, &error), IK_OK);
}

/* Wait until a change would be seen. */
static void settle(const struct ik_identity *identity)
{
	for (;;) {
		struct timespec now, pause = {0, 1000000};

		clock_gettime(CLOCK_REALTIME, &now);
		if (ik_identity_settles_ms(identity, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec) == 0)
			return;
		nanosleep(&pause, NULL);
	}
}

/* Whoever sets the times back leaves a trace all the same. */
Test(identity, sees_a_change_that_is_covered_up)
{
	struct ik_identity before, after;
	struct timespec times[2];
	struct stat status;
	int fd;

	write_file("file", "a");
	before = identity_of("file");
	after = identity_of("file");
	cr_assert(ik_identity_equal(&before, &after));
	cr_assert_eq(symlink("file", "link"), 0);
	after = identity_of("link");
	cr_assert(ik_identity_equal(&before, &after));

	settle(&before);
	cr_assert_eq(stat("file", &status), 0);
	fd = open("file", O_WRONLY | O_CLOEXEC);
	cr_assert_eq(write(fd, "b", 1), 1);
	close(fd);
	times[0] = status.st_atim;
	times[1] = status.st_mtim;
	cr_assert_eq(utimensat(AT_FDCWD, "file", times, 0), 0);
	after = identity_of("file");
	cr_assert_eq(after.mtime_ns, before.mtime_ns);
	cr_assert_eq(after.size, before.size);
	cr_assert_eq(after.inode, before.inode);
	cr_assert(!ik_identity_equal(&before, &after));
	cr_assert(!ik_identity_holds("file", &before));
	cr_assert(ik_identity_holds("link", &after));
	cr_assert(!ik_identity_holds("nothing", &after));
}

Test(identity, sees_another_file_in_its_place)
{
	struct ik_identity before, after;

	write_file("file", "a");
	before = identity_of("file");
	write_file("file", "a");
	after = identity_of("file");
	cr_assert(!ik_identity_equal(&before, &after));
}

Test(identity, says_why_there_is_none)
{
	struct ik_identity identity;
	struct ik_error error;

	cr_assert_eq(ik_identity_read("nothing", &identity, &error), IK_NOT_FOUND);
	cr_assert_str_eq(error.text, "nothing cannot be examined: No such file or directory");
}

Test(identity, settles_after_a_tick)
{
	struct ik_identity fine = {.ctime_ns = 5000000001}, coarse = {.ctime_ns = 5000000000};

	cr_assert_eq(ik_identity_settles_ms(&fine, 5000000001), 20);
	cr_assert_eq(ik_identity_settles_ms(&fine, 5019000002), 1);
	cr_assert_eq(ik_identity_settles_ms(&fine, 5020000001), 0);
	cr_assert_eq(ik_identity_settles_ms(&fine, 4000000000), 0, "in the future");
	cr_assert_eq(ik_identity_settles_ms(&coarse, 5100000000), 1900);
	cr_assert_eq(ik_identity_settles_ms(&coarse, 7000000000), 0);
}
