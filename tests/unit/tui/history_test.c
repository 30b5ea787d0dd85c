#include "tui/edit/history.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"

#define LIMIT IK_MIB(8)

/* A path in a directory of its own; the file is not there yet. */
static const char *fresh_path(void)
{
	static char path[200];
	char directory[] = "/tmp/history_test.XXXXXX";
	cr_assert_not_null(mkdtemp(directory));
	snprintf(path, sizeof path, "%s/state/history", directory);
	return path;
}

static void tidy(const char *path)
{
	char directory[200];
	unlink(path);
	snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
	rmdir(directory);
	*strrchr(directory, '/') = '\0';
	rmdir(directory);
}

static void add(struct ik_history *history, const char *text)
{
	ik_history_add(history, text, strlen(text));
}

static void is_at(struct ik_history *history, size_t index, const char *expected)
{
	size_t length = 0;
	const char *text = ik_history_at(history, index, &length);
	cr_assert_not_null(text);
	cr_assert_eq(length, strlen(expected));
	cr_assert_arr_eq(text, expected, length);
}

static void write_file(const char *path, const char *bytes, size_t length)
{
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file);
	fwrite(bytes, 1, length, file);
	fclose(file);
}

Test(history, without_a_file)
{
	struct ik_history *history = ik_history_new(NULL, 0);
	size_t length;
	cr_assert_eq(ik_history_count(history), 0);
	cr_assert_null(ik_history_at(history, 0, &length));
	add(history, "one");
	add(history, "two");
	add(history, "two");
	add(history, "");
	cr_assert_eq(ik_history_count(history), 2);
	is_at(history, 0, "two");
	is_at(history, 1, "one");
	cr_assert_null(ik_history_at(history, 2, &length));
	ik_history_free(history);
	cr_assert_null(ik_history_free(NULL));
}

Test(history, kept_in_a_private_file)
{
	const char *path = fresh_path();
	struct stat status;
	struct ik_history *history = ik_history_new(path, LIMIT);
	cr_assert_eq(access(path, F_OK), -1);
	add(history, "one");
	add(history, "two\nlines \"quoted\" \xe6\x97\xa5 \033");
	ik_history_add(history, "a\0b", 3);
	ik_history_free(history);
	cr_assert_eq(stat(path, &status), 0);
	cr_assert_eq(status.st_mode & 0777, 0600);
	history = ik_history_new(path, LIMIT);
	cr_assert_eq(ik_history_count(history), 3);
	size_t length;
	cr_assert_arr_eq(ik_history_at(history, 0, &length), "a\0b", 3);
	cr_assert_eq(length, 3);
	is_at(history, 1, "two\nlines \"quoted\" \xe6\x97\xa5 \033");
	is_at(history, 2, "one");
	ik_history_free(history);
	tidy(path);
}

Test(history, two_programs_lose_nothing)
{
	const char *path = fresh_path();
	struct ik_history *one = ik_history_new(path, LIMIT), *other = ik_history_new(path, LIMIT);
	for (int i = 0; i < 50; i++) {
		char text[30];
		snprintf(text, sizeof text, "one %d", i);
		add(one, text);
		snprintf(text, sizeof text, "other %d", i);
		add(other, text);
	}
	ik_history_free(one);
	ik_history_free(other);
	one = ik_history_new(path, LIMIT);
	cr_assert_eq(ik_history_count(one), 100);
	is_at(one, 0, "other 49");
	is_at(one, 99, "one 0");
	ik_history_free(one);
	tidy(path);
}

Test(history, corrupt_lines_are_skipped)
{
	static const char file[] = "\"good\"\nnot json\n\"half\n{\"a\":1}\n\n17\n\"\"\n\"\xff\"\n\0\n"
		"  \"spaced\"  \n\"cut off by a cra";
	const char *path = fresh_path();
	struct ik_history *history = ik_history_new(path, LIMIT);
	add(history, "makes the directory");
	ik_history_free(history);
	write_file(path, file, sizeof file - 1);
	history = ik_history_new(path, LIMIT);
	cr_assert_eq(ik_history_count(history), 2);
	is_at(history, 0, "spaced");
	is_at(history, 1, "good");
	/* what is added stands on a line of its own, behind the half one */
	add(history, "new");
	ik_history_free(history);
	history = ik_history_new(path, LIMIT);
	cr_assert_eq(ik_history_count(history), 3);
	is_at(history, 0, "new");
	ik_history_free(history);
	tidy(path);
}

Test(history, of_a_long_file_the_end)
{
	const char *path = fresh_path();
	struct ik_history *history = ik_history_new(path, LIMIT);
	add(history, "makes the directory");
	ik_history_free(history);
	FILE *file = fopen(path, "w");
	char filler[1000];
	memset(filler, 'x', sizeof filler);
	for (size_t i = 0; i < LIMIT / 1000 + 500; i++)
		fprintf(file, "\"%06zu %.*s\"\n", i, 980, filler);
	fclose(file);
	history = ik_history_new(path, LIMIT);
	size_t count = ik_history_count(history), length;
	cr_assert(count > LIMIT / 1000 && count < LIMIT / 1000 + 400);
	for (size_t i = 0; i < count; i++) {
		ik_history_at(history, i, &length);
		cr_assert_eq(length, 987);
	}
	ik_history_free(history);
	tidy(path);
}

/* Two files, of which the older one goes. */
Test(history, has_a_limit)
{
	const char *path = fresh_path();
	struct ik_history *history = ik_history_new(path, 2000);
	char text[30], *old = ik_format("%s.old", path);
	struct stat one, other;

	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof text, "number %d", i);
		add(history, text);
	}
	ik_history_free(history);
	cr_assert_eq(stat(path, &one), 0);
	cr_assert_eq(stat(old, &other), 0);
	cr_assert(one.st_size + other.st_size < 2100 && other.st_size > 1000);
	history = ik_history_new(path, 2000);
	cr_assert(ik_history_count(history) > 70 && ik_history_count(history) < 160);
	is_at(history, 0, "number 999");
	is_at(history, 70, "number 929");
	ik_history_free(history);
	unlink(old);
	free(old);
	tidy(path);
}

Test(history, a_huge_entry_is_remembered_but_not_written)
{
	const char *path = fresh_path();
	struct ik_history *history = ik_history_new(path, LIMIT);
	size_t huge = IK_LIMIT_HISTORY_ENTRY + 1, length;
	char *text = malloc(huge);
	memset(text, 'x', huge);
	add(history, "small");
	ik_history_add(history, text, huge);
	ik_history_at(history, 0, &length);
	cr_assert_eq(length, huge);
	ik_history_free(history);
	history = ik_history_new(path, LIMIT);
	cr_assert_eq(ik_history_count(history), 1);
	is_at(history, 0, "small");
	ik_history_free(history);
	free(text);
	tidy(path);
}

/* A path that can hold no history harms nobody, and nothing waits for it. */
Test(history, unusable_paths)
{
	char directory[] = "/tmp/history_test.XXXXXX", fifo[100];
	cr_assert_not_null(mkdtemp(directory));
	snprintf(fifo, sizeof fifo, "%s/fifo", directory);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	const char *const paths[] = { directory, fifo, "/dev/null/x/history", "/proc/none/history" };
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		struct ik_history *history = ik_history_new(paths[i], LIMIT);
		add(history, "kept while we live");
		is_at(history, 0, "kept while we live");
		ik_history_free(history);
	}
	unlink(fifo);
	rmdir(directory);
}
