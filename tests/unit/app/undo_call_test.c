#include "core/undo_command.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/scratch.h"

#define SESSION "01234567-89ab-7def-8123-456789abcdef"
#define TURN "01234567-89ab-7def-8123-000000000001"
#define ID(n) "01234567-89ab-7def-8123-10000000000" #n
#define SHARED "Another call wrote a.txt at that time: /undo undoes the turn"

static char root[sizeof(SCRATCH_TEMPLATE)], *directory;

static void setup(void)
{
	struct ik_error error;

	memcpy(root, SCRATCH_TEMPLATE, sizeof(root));
	scratch_make(root);
	directory = ik_undo_directory(root, SESSION, &error);
	cr_assert_not_null(directory);
}

static void teardown(void)
{
	scratch_remove(root);
	free(directory);
}

TestSuite(undo_call, .init = setup, .fini = teardown);

static struct ik_file_state state_of(const char *hash)
{
	struct ik_file_state state = { .kind = hash != NULL ? IK_FILE_REGULAR : IK_FILE_ABSENT };

	if (hash != NULL)
		memset(state.hash, hash[0], sizeof(state.hash) - 1);
	return state;
}

/* What the file was when the call began, by the last digit of its id. */
static struct ik_file_state begun[10];

/* A call begins; path: NULL: nothing is known of what it writes, and a snapshot was taken, in which
 * time so many lines of others came. */
static void begin(const char *id, const char *path, const char *hash, size_t since)
{
	struct ik_file_change file = {
		.path = (char *)path, .before = state_of(hash), .after.kind = IK_FILE_UNKNOWN,
	};
	struct ik_error error;

	begun[id[strlen(id) - 1] - '0'] = file.before;
	cr_assert_eq(ik_undo_note_call(directory, &(struct ik_undo_call_line){
		.id = id, .turn = TURN, .title = "a title", .call_id = id, .words = id,
		.files = path != NULL ? &file : NULL, .count = path != NULL,
		.compared = path == NULL, .since = since,
	}, &error), IK_OK);
}

static void end(const char *id, const char *path, const char *hash)
{
	struct ik_file_change file = {
		.path = (char *)path, .before = begun[id[strlen(id) - 1] - '0'], .after = state_of(hash),
	};
	struct ik_error error;

	cr_assert_eq(ik_undo_note_done(directory,
		&(struct ik_undo_done_line){ .id = id, .files = &file, .count = 1 }, &error), IK_OK);
}

/* A command ends that has changed a.txt, which was not there, and whatever else. */
static void end_command(const char *id, const char *hash, const char *other)
{
	struct ik_file_change files[] = {
		{ .path = (char *)"/w/a.txt", .before = state_of(NULL), .after = state_of(hash) },
		{ .path = (char *)other, .before = state_of(NULL), .after = state_of("e") },
	};
	struct ik_error error;

	cr_assert_eq(ik_undo_note_done(directory,
		&(struct ik_undo_done_line){ .id = id, .files = files, .count = other != NULL ? 2 : 1 },
		&error), IK_OK);
}

/* NULL: it can be undone. */
static void expect(const char *id, const char *sentence)
{
	struct ik_undo_history history;
	struct ik_file_change *files;
	enum ik_status status;
	struct ik_error error;
	size_t call, count;

	ik_undo_history_read(root, SESSION, &history);
	status = ik_undo_call_find(&history, id, "/w", &call, &files, &count, &error);
	if (sentence == NULL) {
		cr_assert_eq(status, IK_OK);
		cr_assert_str_eq(history.calls[call].id, id);
		ik_file_changes_free(files, count);
	} else {
		cr_assert_eq(status, IK_NOT_FOUND);
		cr_assert_str_eq(error.text, sentence);
	}
	ik_undo_history_done(&history);
}

Test(undo_call, what_commands_did_side_by_side_belongs_to_none)
{
	begin(ID(1), NULL, NULL, 0);
	begin(ID(2), NULL, NULL, 0);
	end_command(ID(1), "a", NULL);
	end_command(ID(2), "a", "/w/b.txt");
	expect(ID(1), SHARED);
	expect(ID(2), SHARED);
}

Test(undo_call, a_file_that_was_written_while_a_snapshot_was_taken)
{
	begin(ID(1), "/w/a.txt", NULL, 0);
	end(ID(1), "/w/a.txt", "a");
	begin(ID(2), NULL, NULL, 2);
	end_command(ID(2), "a", "/w/b.txt");
	expect(ID(1), SHARED);
	expect(ID(2), SHARED);
}

Test(undo_call, a_call_that_never_ended_may_have_written_it)
{
	begin(ID(1), "/w/a.txt", NULL, 0);
	begin(ID(2), NULL, NULL, 0);
	end_command(ID(2), "a", NULL);
	expect(ID(2), SHARED);
}

Test(undo_call, edits_of_one_file_side_by_side)
{
	begin(ID(1), "/w/a.txt", "a", 0);
	begin(ID(2), "/w/a.txt", "a", 0);
	end(ID(1), "/w/a.txt", "b");
	end(ID(2), "/w/a.txt", "c");
	expect(ID(1), SHARED);
	expect(ID(2), SHARED);
}

Test(undo_call, one_after_the_other_the_last_comes_first)
{
	begin(ID(1), NULL, NULL, 0);
	end_command(ID(1), "a", NULL);
	begin(ID(2), "/w/a.txt", "a", 0);
	end(ID(2), "/w/a.txt", "b");
	expect(ID(1), "a.txt was written again by a later call, which comes first: " ID(2));
	expect(ID(2), NULL);
}

Test(undo_call, other_files_side_by_side_are_no_hindrance)
{
	begin(ID(1), NULL, NULL, 0);
	begin(ID(2), "/w/b.txt", NULL, 0);
	end(ID(2), "/w/b.txt", "b");
	end_command(ID(1), "a", NULL);
	expect(ID(1), NULL);
	expect(ID(2), NULL);
}

Test(undo_call, a_call_that_failed_to_write_is_no_hindrance)
{
	begin(ID(1), NULL, NULL, 0);
	begin(ID(2), "/w/a.txt", "a", 0);
	end(ID(2), "/w/a.txt", "a");
	end_command(ID(1), "a", NULL);
	begin(ID(3), "/w/a.txt", "a", 0);
	end(ID(3), "/w/a.txt", "a");
	expect(ID(1), NULL);
	expect(ID(3), "This call changed no file.");
}

Test(undo_call, a_file_of_a_call_that_is_back_is_still_known)
{
	struct ik_undo_history history;
	struct ik_file_change *files;
	struct ik_error error;
	size_t count;

	begin(ID(1), "/w/a.txt", "a", 0);
	end(ID(1), "/w/a.txt", "b");
	cr_assert_eq(ik_undo_note_undo(directory, ID(9), &(struct ik_undo_scope){ .call = ID(1) },
		NULL, 0, &error), IK_OK);
	ik_undo_history_read(root, SESSION, &history);
	files = ik_undo_files(&history, 0, 0, "/w/a.txt", false, &count);
	cr_assert_eq(count, 0);
	ik_file_changes_free(files, count);
	files = ik_undo_files(&history, 0, 0, "/w/a.txt", true, &count);
	cr_assert_eq(count, 1);
	cr_assert_eq(files[0].before.hash[0], 'a');
	ik_file_changes_free(files, count);
	ik_undo_history_done(&history);
}

Test(undo_call, what_was_undone_is_no_hindrance)
{
	struct ik_error error;

	begin(ID(1), NULL, NULL, 0);
	begin(ID(2), "/w/a.txt", NULL, 0);
	end(ID(2), "/w/a.txt", "b");
	end_command(ID(1), "a", NULL);
	cr_assert_eq(ik_undo_note_undo(directory, ID(9), &(struct ik_undo_scope){ .call = ID(2) },
		NULL, 0, &error), IK_OK);
	expect(ID(1), NULL);
	expect(ID(2), "What this call did was undone already; /redo brings it back.");
}
