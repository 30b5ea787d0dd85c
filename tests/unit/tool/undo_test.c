#include "undo/undo.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support.h"
#include "undo/file_keep.h"
#include "undo/file_put.h"
#include "tool/protocol.h"
#include "tool/writes.h"
#include "util/alloc.h"
#include "util/path.h"

#define SESSION "01234567-89ab-7def-8123-456789abcdef"
#define FORK "01234567-89ab-7def-8123-456789abcdf0"

static char *work, *root, *directory;

static void setup(void)
{
	struct ik_error error;

	work = support_mkdir();
	root = ik_format("%s/undo", work);
	directory = ik_undo_directory(root, SESSION, &error);
	cr_assert_not_null(directory);
}

static void teardown(void)
{
	support_rmdir(work);
	free(root);
	free(directory);
}

TestSuite(undo, .init = setup, .fini = teardown);

static char *path_of(const char *name)
{
	return ik_path_join(work, name);
}

static void put_file(const char *name, const char *bytes, size_t length)
{
	char *path = path_of(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	cr_assert(fd >= 0);
	cr_assert_eq(ik_write_all(fd, bytes, length), 0);
	close(fd);
	free(path);
}

static void put_text(const char *name, const char *text)
{
	put_file(name, text, strlen(text));
}

static void expect_text(const char *name, const char *text)
{
	char *path = path_of(name);
	struct ik_buf found;
	struct ik_error error;

	ik_buf_init(&found, IK_MIB(64));
	if (text == NULL) {
		cr_assert_neq(access(path, F_OK), 0, "%s is there", name);
	} else {
		cr_assert_eq(ik_file_read(path, &found, &error), IK_OK);
		cr_assert_str_eq(found.data, text);
	}
	ik_buf_done(&found);
	free(path);
}

static struct ik_file_state keep(const char *path)
{
	struct ik_file_keep *job = ik_file_keep_new(directory, path);
	struct ik_file_state state;

	while (!ik_file_keep_step(job))
		;
	state = ik_file_state_copy(ik_file_keep_state(job));
	ik_file_keep_free(job);
	return state;
}

static const char *const turn_1 = "01234567-89ab-7def-8123-000000000001";
static const char *const turn_2 = "01234567-89ab-7def-8123-000000000002";

/* A call that has started; the test does its work. */
struct call {
	char id[IK_UUID_TEXT];
	struct ik_file_change file;
};

static struct call begin(const char *turn, const char *name)
{
	struct call call;
	struct ik_error error;

	ik_uuid_new(call.id);
	call.file = (struct ik_file_change){ .path = path_of(name), .after.kind = IK_FILE_UNKNOWN };
	call.file.before = keep(call.file.path);
	cr_assert_eq(ik_undo_note_call(directory, &(struct ik_undo_call_line){
		.id = call.id, .turn = turn, .title = "a title", .call_id = name,
		.words = "file_edit(...)", .files = &call.file, .count = 1,
	}, &error), IK_OK);
	return call;
}

static void forget(struct call *call)
{
	free(call->file.path);
	ik_file_state_done(&call->file.before);
	ik_file_state_done(&call->file.after);
}

static void end(struct call *call)
{
	struct ik_error error;

	call->file.after = ik_file_state_look(call->file.path, IK_FILE_AT_ONCE);
	cr_assert_eq(ik_undo_note_done(directory,
		&(struct ik_undo_done_line){ .id = call->id, .files = &call->file, .count = 1 }, &error),
		IK_OK);
	forget(call);
}

static void edit(const char *turn, const char *name, const char *text)
{
	struct call call = begin(turn, name);

	put_text(name, text);
	end(&call);
}

/* Undo the turns from first to last and return the outcome of the first file. */
static enum ik_undo_outcome undo(size_t first, size_t last, bool force)
{
	struct ik_undo_history history;
	struct ik_file_change *files;
	struct ik_file_change *moves;
	struct ik_undo *undo;
	struct ik_error error;
	size_t count;
	char id[IK_UUID_TEXT];

	ik_undo_history_read(root, SESSION, &history);
	cr_assert_lt(last, history.turn_count);
	const char *turns[] = { history.turns[first].id };
	files = ik_undo_files(&history, first, last, NULL, false, &count);
	undo = ik_undo_new(directory, &history, files, count, force);
	while (!ik_undo_advance(undo))
		;
	cr_assert_gt(count, 0);
	enum ik_undo_outcome outcome = ik_undo_results(undo, &count)[0].outcome;
	moves = ik_undo_changes(undo, &count);
	ik_uuid_new(id);
	cr_assert_eq(ik_undo_note_undo(directory, id,
		&(struct ik_undo_scope){ .turns = turns, .turn_count = 1 }, moves, count, &error),
		IK_OK);
	free(moves);
	ik_undo_free(undo);
	ik_undo_history_done(&history);
	return outcome;
}

Test(undo, what_was_not_used_for_days_is_removed)
{
	char *journal = ik_format("%s/journal", directory);
	struct timespec times[2];

	cr_assert_eq(ik_file_write(journal, "{}\n", 3, 0600, NULL), IK_OK);
	ik_undo_sweep(root, 30);
	cr_assert_eq(access(journal, F_OK), 0);
	times[0].tv_sec = times[1].tv_sec = time(NULL) - 8 * 24 * 60 * 60;
	times[0].tv_nsec = times[1].tv_nsec = 0;
	cr_assert_eq(utimensat(AT_FDCWD, journal, times, 0), 0);
	ik_undo_sweep(root, 9);
	cr_assert_eq(access(journal, F_OK), 0);
	ik_undo_sweep(root, 7);
	cr_assert_neq(access(directory, F_OK), 0);
	free(journal);
}

Test(undo, edits_are_undone_turn_by_turn)
{
	char *path = path_of("a");
	struct stat status;

	put_text("a", "one");
	cr_assert_eq(chmod(path, 0640), 0);
	edit(turn_1, "a", "two");
	edit(turn_1, "a", "three");
	edit(turn_2, "a", "four");
	cr_assert_eq(undo(1, 1, false), IK_UNDO_DONE);
	expect_text("a", "three");
	cr_assert_eq(undo(0, 0, false), IK_UNDO_DONE);
	expect_text("a", "one");
	cr_assert_eq(stat(path, &status), 0);
	cr_assert_eq(status.st_mode & 07777, 0640);
	cr_assert_eq(undo(0, 0, false), IK_UNDO_ALREADY);
	free(path);
}

Test(undo, several_turns_at_once)
{
	put_text("a", "one");
	edit(turn_1, "a", "two");
	edit(turn_2, "a", "three");
	cr_assert_eq(undo(0, 1, false), IK_UNDO_DONE);
	expect_text("a", "one");
}

/* The user writes the file between two calls of a turn. */
Test(undo, what_the_user_wrote_between_two_calls_is_not_lost)
{
	put_text("a", "one");
	edit(turn_1, "a", "two");
	put_text("a", "mine");
	edit(turn_1, "a", "three");
	edit(turn_1, "a", "four");
	cr_assert_eq(undo(0, 0, false), IK_UNDO_DONE);
	expect_text("a", "mine");
}

/* Two simultaneous calls: that one has ended is not a change of the user's. */
Test(undo, what_calls_did_at_once_is_undone_together)
{
	struct call first, second;

	put_text("a", "one");
	first = begin(turn_1, "a");
	put_text("a", "two");
	second = begin(turn_1, "a");
	put_text("a", "three");
	end(&first);
	put_text("a", "four");
	end(&second);
	cr_assert_eq(undo(0, 0, false), IK_UNDO_DONE);
	expect_text("a", "one");
}

Test(undo, what_is_no_file_any_more_is_not_touched)
{
	char *path = path_of("a");

	put_text("a", "one");
	edit(turn_1, "a", "two");
	cr_assert(unlink(path) == 0 && mkdir(path, 0700) == 0);
	cr_assert_eq(undo(0, 0, false), IK_UNDO_NO_FILE);
	cr_assert_eq(undo(0, 0, true), IK_UNDO_NO_FILE);
	free(path);
}

Test(undo, a_file_keeps_its_group)
{
	char *path = path_of("a");
	struct stat status;

	put_text("a", "one");
	if (chown(path, (uid_t)-1, getegid() + 1) != 0)
		cr_skip_test("there is no other group");
	edit(turn_1, "a", "two");
	cr_assert_eq(undo(0, 0, false), IK_UNDO_DONE);
	cr_assert_eq(stat(path, &status), 0);
	cr_assert_eq(status.st_gid, getegid() + 1);
	free(path);
}

/* A FIFO that nobody reads, in place of a file with another name. */
Test(undo, a_fifo_is_not_waited_for, .timeout = 30)
{
	char *path = path_of("a"), *other = path_of("b");
	struct ik_file_state wanted, present, state = { .kind = IK_FILE_OTHER };
	struct ik_file_put *put;
	struct ik_error error;

	put_text("a", "one");
	wanted = keep(path);
	put_text("a", "two");
	present = ik_file_state_look(path, IK_FILE_AT_ONCE);
	cr_assert(unlink(path) == 0 && mkfifo(path, 0600) == 0 && link(path, other) == 0);
	put = ik_file_put_new(directory, path, &wanted, &present);
	while (!ik_file_put_step(put))
		;
	cr_assert_neq(ik_file_put_end(put, &state, &error), IK_OK);
	ik_file_put_free(put);
	ik_file_state_done(&state);
	free(other);
	free(path);
}

Test(undo, what_changed_since_is_not_touched)
{
	put_text("a", "one");
	edit(turn_1, "a", "two");
	put_text("a", "mine");
	cr_assert_eq(undo(0, 0, false), IK_UNDO_CHANGED);
	expect_text("a", "mine");
	cr_assert_eq(undo(0, 0, true), IK_UNDO_DONE);
	expect_text("a", "one");
}

Test(undo, what_a_cut_off_call_left_is_not_touched)
{
	struct call call;

	put_text("a", "one");
	call = begin(turn_1, "a");
	put_text("a", "two");
	forget(&call);
	cr_assert_eq(undo(0, 0, false), IK_UNDO_CUT_OFF);
	expect_text("a", "two");
	cr_assert_eq(undo(0, 0, true), IK_UNDO_DONE);
	expect_text("a", "one");
}

Test(undo, a_new_file_goes_with_its_empty_directories)
{
	char *outer = path_of("new"), *inner = path_of("new/inner");
	struct call call = begin(turn_1, "new/inner/a");

	cr_assert_eq(mkdir(outer, 0755), 0);
	cr_assert_eq(mkdir(inner, 0755), 0);
	put_text("new/inner/a", "made");
	end(&call);
	put_text("new/mine", "mine");
	cr_assert_eq(undo(0, 0, false), IK_UNDO_DONE);
	expect_text("new/inner/a", NULL);
	expect_text("new/inner", NULL);
	expect_text("new/mine", "mine");
	free(outer);
	free(inner);
}

Test(undo, no_directory_is_made_or_removed_behind_a_link)
{
	char *outer = path_of("outer"), *inner = path_of("outer/inner"), *away = path_of("away");
	char *path = path_of("outer/inner/a"), *empty = path_of("empty");
	struct call call;

	/* One is to be made again, */
	cr_assert(mkdir(outer, 0755) == 0 && mkdir(inner, 0755) == 0 && mkdir(empty, 0755) == 0);
	put_text("outer/inner/a", "one");
	call = begin(turn_1, "outer/inner/a");
	cr_assert(unlink(path) == 0 && rmdir(inner) == 0);
	end(&call);
	cr_assert(rename(outer, away) == 0 && symlink(empty, outer) == 0);
	cr_assert_eq(undo(0, 0, true), IK_UNDO_MOVED);
	expect_text("empty/inner", NULL);
	cr_assert(unlink(outer) == 0 && rmdir(away) == 0);
	/* and one to be removed. */
	call = begin(turn_2, "outer/inner/a");
	cr_assert(mkdir(outer, 0755) == 0 && mkdir(inner, 0755) == 0);
	put_text("outer/inner/a", "made");
	end(&call);
	cr_assert(rename(outer, away) == 0 && symlink("away", outer) == 0);
	cr_assert_eq(undo(1, 1, true), IK_UNDO_MOVED);
	expect_text("away/inner/a", "made");
	free(outer);
	free(inner);
	free(away);
	free(empty);
	free(path);
}

Test(undo, a_removed_file_is_there_again)
{
	struct call call;
	char *path = path_of("a");

	put_text("a", "one");
	call = begin(turn_1, "a");
	cr_assert_eq(unlink(path), 0);
	end(&call);
	cr_assert_eq(undo(0, 0, false), IK_UNDO_DONE);
	expect_text("a", "one");
	free(path);
}

Test(undo, hard_links_stay_together)
{
	char *path = path_of("a"), *link_path = path_of("b");

	put_text("a", "one");
	cr_assert_eq(link(path, link_path), 0);
	edit(turn_1, "a", "two");
	cr_assert_eq(undo(0, 0, false), IK_UNDO_DONE);
	expect_text("b", "one");
	free(path);
	free(link_path);
}

Test(undo, large_files_go_in_slices)
{
	size_t length = IK_FILE_AT_ONCE + 3 * IK_FILE_SLICE / 2;
	char *bytes = ik_alloc(length + 1);
	struct call call;

	memset(bytes, 'x', length);
	put_file("a", bytes, length);
	call = begin(turn_1, "a");
	bytes[length - 1] = 'y';
	put_file("a", bytes, length);
	end(&call);
	cr_assert_eq(undo(0, 0, false), IK_UNDO_DONE);
	bytes[length - 1] = 'x';
	expect_text("a", bytes);
	free(bytes);
}

/* Redo what was undone last. */
static void redo(void)
{
	struct ik_undo_history history;
	const struct ik_undo_record *last;
	struct ik_file_change *files = ik_alloc(sizeof(*files));
	struct ik_file_change *moves;
	struct ik_undo *undo;
	struct ik_error error;
	size_t count;

	ik_undo_history_read(root, SESSION, &history);
	last = &history.undos[history.undo_count - 1];
	files[0] = ik_file_change_copy(&last->files[0]);
	undo = ik_undo_new(directory, &history, files, 1, false);
	while (!ik_undo_advance(undo))
		;
	moves = ik_undo_changes(undo, &count);
	cr_assert_eq(count, 1);
	cr_assert_eq(ik_undo_note_redo(directory, last->id, &error), IK_OK);
	free(moves);
	ik_undo_free(undo);
	ik_undo_history_done(&history);
}

/* Predict the outcome for the only file of the only turn. */
static enum ik_undo_outcome foresee(void)
{
	struct ik_undo_history history;
	enum ik_undo_outcome outcome;
	struct ik_file_change *files;
	struct ik_undo *look;
	size_t count;

	ik_undo_history_read(root, SESSION, &history);
	files = ik_undo_files(&history, 0, 0, NULL, false, &count);
	look = ik_undo_new(NULL, &history, files, count, false);
	while (!ik_undo_advance(look))
		;
	outcome = ik_undo_results(look, &count)[0].outcome;
	ik_undo_free(look);
	ik_undo_history_done(&history);
	return outcome;
}

Test(undo, a_large_file_that_was_redone_is_undone_again)
{
	size_t length = IK_FILE_AT_ONCE + 1;
	char *bytes = ik_alloc(length + 1);
	struct call call;

	put_text("a", "one");
	call = begin(turn_1, "a");
	memset(bytes, 'x', length);
	put_file("a", bytes, length);
	end(&call);
	cr_assert_eq(undo(0, 0, false), IK_UNDO_DONE);
	redo();
	expect_text("a", bytes);
	cr_assert_eq(foresee(), IK_UNDO_READY);
	cr_assert_eq(undo(0, 0, false), IK_UNDO_DONE);
	expect_text("a", "one");
	redo();
	bytes[0] = 'y';
	put_file("a", bytes, length - 1);
	cr_assert_eq(foresee(), IK_UNDO_CHANGED);
	put_file("a", bytes, length);
	cr_assert_eq(undo(0, 0, false), IK_UNDO_CHANGED);
	expect_text("a", bytes);
	free(bytes);
}

Test(undo, what_is_too_large_is_not_kept)
{
	char *path = path_of("a");
	struct ik_file_keep *job;

	put_text("a", "12345");
	cr_assert_eq(truncate(path, (off_t)IK_FILE_KEPT_MOST + 1), 0);
	job = ik_file_keep_new(directory, path);
	while (!ik_file_keep_step(job))
		;
	cr_assert_eq(ik_file_keep_state(job)->kind, IK_FILE_REGULAR);
	cr_assert_str_eq(ik_file_keep_state(job)->hash, "");
	ik_file_keep_free(job);
	free(path);
}

Test(undo, a_fork_has_what_its_parent_did_before)
{
	struct ik_undo_history history;
	struct ik_file_change *files;
	size_t count;

	put_text("a", "one");
	edit(turn_1, "a", "two");
	ik_undo_fork(root, SESSION, FORK);
	edit(turn_2, "a", "three");
	ik_undo_history_read(root, FORK, &history);
	cr_assert_eq(history.turn_count, 1);
	cr_assert_str_eq(history.turns[0].id, turn_1);
	files = ik_undo_files(&history, 0, 0, NULL, false, &count);
	cr_assert_eq(count, 1);
	cr_assert_str_eq(ik_undo_place_of(&history, files[0].before.hash), directory);
	ik_file_changes_free(files, count);
	ik_undo_history_done(&history);
}

/* Expect both edits to be known with this between them in the journal. */
static void expect_both_around(const char *damage)
{
	struct ik_undo_history history;
	char *journal = ik_path_join(directory, "journal");
	int fd;

	put_text("a", "one");
	edit(turn_1, "a", "two");
	fd = open(journal, O_WRONLY | O_APPEND | O_CLOEXEC);
	cr_assert_eq(ik_write_all(fd, damage, strlen(damage)), 0);
	close(fd);
	edit(turn_2, "a", "three");
	ik_undo_history_read(root, SESSION, &history);
	cr_assert_eq(history.turn_count, 2);
	cr_assert_eq(history.call_count, 2);
	ik_undo_history_done(&history);
	free(journal);
}

Test(undo, damaged_lines_are_left_out)
{
	expect_both_around("{\"call\":{\"id\":\n");
}

/* A full disk or a crash leaves an incomplete line. */
Test(undo, a_line_that_was_cut_off_does_not_take_the_next_with_it)
{
	expect_both_around("{\"call\":{\"id\":");
}

/* The newest change can be undone, however many came before it. */
Test(undo, of_a_journal_that_is_too_large_the_newest_part_is_known)
{
	struct ik_undo_history history;
	char *journal = ik_path_join(directory, "journal");
	struct stat about;

	put_text("a", "one");
	edit(turn_1, "a", "two");
	cr_assert_eq(stat(journal, &about), 0);
	cr_assert_eq(truncate(journal, about.st_size + (off_t)IK_MIB(64)), 0);
	edit(turn_2, "a", "three");
	ik_undo_history_read(root, SESSION, &history);
	cr_assert_eq(history.turn_count, 1);
	cr_assert_eq(history.call_count, 1);
	ik_undo_history_done(&history);
	cr_assert_eq(undo(0, 0, false), IK_UNDO_DONE);
	expect_text("a", "two");
	free(journal);
}

/* A truncated line would be lost without anybody knowing. */
Test(undo, a_line_that_is_too_large_is_not_written)
{
	static const size_t length = IK_MIB(17);
	struct ik_undo_history history;
	char *words = ik_alloc(length + 1), *id = ik_strndup(SESSION, IK_UUID_TEXT - 1);
	struct ik_error error;

	memset(words, 'x', length);
	cr_assert_eq(ik_undo_note_call(directory, &(struct ik_undo_call_line){
		.id = id, .turn = turn_1, .title = "a title", .call_id = "1", .words = words,
	}, &error), IK_TOO_LARGE);
	put_text("a", "one");
	edit(turn_2, "a", "two");
	ik_undo_history_read(root, SESSION, &history);
	cr_assert_eq(history.call_count, 1);
	ik_undo_history_done(&history);
	free(words);
	free(id);
}

static const char schema[] = "{\"name\":\"w\",\"description\":\"x\",\"parameters\":{},"
	"\"annotations\":{\"writes\":[\"file\",\"others\"]}}";

Test(undo, a_schema_names_what_is_written)
{
	static const char arguments[] = "{\"file\":\"a\",\"others\":[\"/x/../y\",\"./a\",7],\"c\":\"d\"}";
	char *path = path_of("a"), **paths;
	struct ik_tool tool;
	size_t count;

	cr_assert_eq(ik_protocol_read(IK_PROTOCOL_NATIVE, schema, strlen(schema), &tool), IK_OK);
	cr_assert_not(ik_writes_anything(&tool));
	paths = ik_writes_paths(&tool, arguments, strlen(arguments), work, &count);
	cr_assert_eq(count, 2);
	cr_assert_str_eq(paths[0], path);
	cr_assert_str_eq(paths[1], "/y");
	while (count > 0)
		free(paths[--count]);
	free(paths);
	ik_tool_clear(&tool);
	free(path);
}

Test(undo, a_schema_that_says_it_wrong_is_refused)
{
	static const char wrong[] = "{\"name\":\"w\",\"description\":\"x\",\"annotations\":"
		"{\"writes\":\"file\"}}";
	struct ik_tool tool;

	cr_assert_eq(ik_protocol_read(IK_PROTOCOL_NATIVE, wrong, strlen(wrong), &tool), IK_INVALID);
	cr_assert_str_eq(tool.reason, "the member \"annotations.writes\" of the schema is of type string; "
		"it has to be an array of names of parameters");
	ik_tool_clear(&tool);
}
