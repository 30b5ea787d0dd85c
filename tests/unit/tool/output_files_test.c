#include "tool/output_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "json/write.h"
#include "../../support/scratch.h"
#include "tool/envelope.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

#define LIMIT ((off_t)IK_MIB(64))

static char root[] = SCRATCH_TEMPLATE;

static void set_up(void)
{
	scratch_make(root);
}

static void tear_down(void)
{
	scratch_remove(root);
}

TestSuite(output_files, .init = set_up, .fini = tear_down);

/* The envelope of a success; files are the caller's. */
static char *success(const char *output, size_t limit, struct ik_output_files *files)
{
	struct ik_json_span value;
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	cr_assert_eq(ik_json_check(output, strlen(output), &value, NULL), IK_OK);
	(void)ik_envelope_value(&out, value, limit, files);
	while (!ik_output_files_write(files))
		;
	cr_assert_eq(ik_buf_status(&out), IK_OK);
	cr_assert_eq(ik_json_check(out.data, out.length, NULL, NULL), IK_OK, "%s", out.data);
	return ik_buf_take(&out, NULL);
}

/* Write a file; return its path. */
static const char *keep(struct ik_output_files *files, const char *text)
{
	const char *path = ik_output_files_add(files, IK_OUTPUT_TEXT, text, strlen(text));

	while (!ik_output_files_write(files))
		;
	return path;
}

/* A member of an envelope, decoded. */
static char *member(const char *envelope, const char *path)
{
	return ik_json_string_new(ik_json_at((struct ik_json_span){ envelope, strlen(envelope) }, path),
		NULL);
}

/* Read the file that the mark of a cut text names; *ret_offset is the byte that it names. */
static char *read_named(const char *cut, size_t *ret_offset)
{
	static const char words[] = " bytes left out: file_read has them in ";
	const char *path = strstr(cut, words), *end;
	struct ik_buf bytes;
	struct stat status;
	char *name;

	cr_assert_not_null(path, "%s", cut);
	path += strlen(words);
	end = strstr(path, ", byte_offset ");
	cr_assert_not_null(end);
	*ret_offset = strtoul(end + strlen(", byte_offset "), NULL, 10);
	name = ik_strndup(path, (size_t)(end - path));
	cr_assert_eq(lstat(name, &status), 0, "%s", name);
	cr_assert_eq(status.st_mode, S_IFREG | 0600);
	ik_buf_init(&bytes, IK_MIB(8));
	cr_assert_eq(ik_file_read(name, &bytes, NULL), IK_OK);
	free(name);
	return ik_buf_take(&bytes, NULL);
}

/* Is the missing part of text in the file, from the byte that the mark names? */
static void check_cut(const char *cut, const char *text)
{
	size_t offset, head = (size_t)(strstr(cut, "[… ") - cut);
	char *whole = read_named(cut, &offset);

	cr_assert_str_eq(whole, text);
	cr_assert_eq(offset, head);
	cr_assert_eq(strncmp(cut, text, head), 0);
	free(whole);
}

/* How many files of a session there are. */
static int count_files(const char *session)
{
	DIR *stream = opendir(root);
	const struct dirent *entry;
	int count = 0;

	while ((entry = readdir(stream)) != NULL)
		count += strncmp(entry->d_name, session, strlen(session)) == 0;
	closedir(stream);
	return count;
}

/* Lines with characters of all lengths, and their JSON. */
static char *make_lines(size_t count, char **ret_json)
{
	struct ik_buf text, json;

	ik_buf_init(&text, IK_MIB(8));
	ik_buf_init(&json, IK_MIB(8));
	for (size_t i = 1; i <= count; i++)
		ik_buf_printf(&text, "line %zu \"\\\t\303\251\342\202\254\360\237\230\200\n", i);
	ik_json_put_string(&json, text.data, text.length);
	*ret_json = ik_buf_take(&json, NULL);
	return ik_buf_take(&text, NULL);
}

Test(output_files, have_the_whole_of_each_text_that_is_cut)
{
	char *json, *more_json, *text = make_lines(1000, &json), *more = make_lines(1500, &more_json);
	char *output = ik_format("{\"a\":%s,\"short\":\"x\",\"b\":[%s]}", json, more_json);
	struct ik_output_files *files = ik_output_files_new(root, "session", LIMIT);
	char *envelope = success(output, 4000, files);
	char *a = member(envelope, "result.a"), *b = member(envelope, "result.b.0");

	cr_assert_leq(strlen(envelope), 4000 + 100);
	check_cut(a, text);
	check_cut(b, more);
	ik_output_files_free(files);
	cr_assert_eq(count_files("session"), 2);
	ik_output_files_forget(root, "other");
	cr_assert_eq(count_files("session"), 2);
	ik_output_files_forget(root, "session");
	cr_assert_eq(count_files("session"), 0, "they go with their session");
	free(a);
	free(b);
	free(envelope);
	free(output);
	free(json);
	free(more_json);
	free(text);
	free(more);
}

Test(output_files, have_the_json_of_a_result_of_many_small_things)
{
	struct ik_output_files *files = ik_output_files_new(root, "session", LIMIT);
	struct ik_buf output;
	char *envelope, *cut;

	ik_buf_init(&output, IK_MIB(1));
	ik_buf_putc(&output, '[');
	for (int i = 0; i < 5000; i++)
		ik_buf_printf(&output, "%d,\n", i);
	ik_buf_puts(&output, "0]");
	envelope = success(output.data, 3000, files);
	cut = member(envelope, "result");
	cr_assert_leq(strlen(envelope), 3000 + 100);
	check_cut(cut, output.data);
	free(cut);
	free(envelope);
	ik_buf_done(&output);
	ik_output_files_free(files);
}

Test(output_files, are_not_made_for_what_fits)
{
	struct ik_output_files *files = ik_output_files_new(root, "session", LIMIT);
	char *envelope = success("{\"output\":\"short\"}", 4000, files);

	cr_assert_eq(count_files("session"), 0);
	free(envelope);
	ik_output_files_free(files);
}

/* Without a place for the file the mark names none. */
Test(output_files, that_cannot_be_written_are_not_named)
{
	char *json, *text = make_lines(1000, &json), *envelope, *cut;
	char *in_the_way = ik_path_join(root, "outputs");
	struct ik_output_files *files = ik_output_files_new(in_the_way, "session", LIMIT);

	cr_assert_eq(ik_file_write(in_the_way, "", 0, 0600, NULL), IK_OK);
	envelope = success(json, 4000, files);
	cut = member(envelope, "result");
	cr_assert_not_null(strstr(cut, " bytes left out …]"));
	free(cut);
	free(envelope);
	ik_output_files_free(files);
	free(in_the_way);
	free(json);
	free(text);
}

/* Both streams of a failure, which are bytes. */
Test(output_files, are_named_in_failures)
{
	char *json, *text = make_lines(1000, &json), *cut;
	const struct ik_json_span streams[2] = { { text, strlen(text) }, { "e", 1 } };
	struct ik_buf out;
	struct ik_output_files *files = ik_output_files_new(root, "session", LIMIT);

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	cr_assert(ik_envelope_failure(&out, IK_TOOL_CRASHED, "m", 1, streams, 4000, files));
	cut = member(out.data, "stdout");
	check_cut(cut, text);
	cr_assert_leq(out.length, 4200);
	free(cut);
	ik_buf_done(&out);
	ik_output_files_free(files);
	free(json);
	free(text);
}

/* The mark counts the file's bytes, which may not be whole characters. */
Test(output_files, have_the_bytes_of_a_failure_as_they_came)
{
	struct ik_json_span stream[2] = { { NULL, 0 }, { "", 0 } };
	struct ik_output_files *files = ik_output_files_new(root, "session", LIMIT);
	struct ik_buf text, out;
	size_t offset;
	char *cut, *whole;

	ik_buf_init(&text, IK_MIB(1));
	for (int i = 0; i < 2000; i++)
		ik_buf_puts(&text, "\xff\xe2\x82.");
	stream[0] = (struct ik_json_span){ text.data, text.length };
	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	cr_assert(ik_envelope_failure(&out, IK_TOOL_CRASHED, "m", 1, stream, 4000, files));
	cut = member(out.data, "stdout");
	whole = read_named(cut, &offset);
	/* Each four bytes became seven. */
	cr_assert_eq(offset / 4, (size_t)(strstr(cut, "[… ") - cut) / 7);
	cr_assert_str_eq(whole, text.data);
	free(whole);
	free(cut);
	ik_buf_done(&out);
	ik_buf_done(&text);
	ik_output_files_free(files);
}

/* Create a file of that size, which takes no space on the disk. */
static void make_large(const char *session, off_t size)
{
	static struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 1000 } };
	struct ik_output_files *files = ik_output_files_new(root, session, LIMIT);
	const char *path = keep(files, "x");

	cr_assert_not_null(path);
	cr_assert_eq(truncate(path, size), 0);
	/* Two may be created within one tick of the file system's clock. */
	times[1].tv_sec++;
	cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
	ik_output_files_free(files);
}

Test(output_files, make_room_for_new_ones)
{
	make_large("old", LIMIT / 2);
	make_large("new", LIMIT / 2 + 1);
	cr_assert_eq(count_files("old"), 1);
	make_large("new", 1);
	cr_assert_eq(count_files("old"), 0, "the oldest goes first");
	cr_assert_eq(count_files("new"), 2);
	make_large("new", LIMIT + 1);
	make_large("new", 1);
	cr_assert_eq(count_files("new"), 1, "one that is too large by itself goes, too");
}

/* A link, and another file, in our directory. */
Test(output_files, are_alone_removed)
{
	char *kept = ik_path_join(root, "notes.txt"), *link = ik_path_join(root, "old-abcdef.txt");
	struct stat status;

	cr_assert_eq(ik_file_write(kept, "mine", 4, 0600, NULL), IK_OK);
	cr_assert_eq(symlink(kept, link), 0);
	make_large("old", LIMIT + 1);
	make_large("new", 1);
	cr_assert_eq(count_files("old"), 1);
	ik_output_files_forget(root, "old");
	cr_assert_eq(lstat(link, &status), 0);
	cr_assert_eq(access(kept, F_OK), 0);
	free(kept);
	free(link);
}
