#include "undo/undo_journal.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/text.h"

/* Limit on a journal; of a longer one, the newest part is read: some ten thousand calls. */
#define JOURNAL_MOST IK_MIB(64)
/* Limit on forks of forks. */
#define PARENTS_MOST 64
/* Limit on old sessions removed at once. */
#define SWEPT_AT_ONCE 4

static void remove_directory(const char *directory)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry;

	if (!stream)
		return;
	while ((entry = readdir(stream)))
		(void)unlinkat(dirfd(stream), entry->d_name, 0);
	(void)closedir(stream);
	(void)rmdir(directory);
}

char *ik_undo_directory(const char *root, const char *session, struct ik_error *error)
{
	char *directory = ik_path_join(root, session);

	if (access(directory, F_OK) == 0)
		return directory;
	if (ik_path_make(directory, 0700, error) != IK_OK) {
		free(directory);
		return NULL;
	}
	return directory;
}

void ik_undo_sweep(const char *root, int64_t days)
{
	DIR *stream = opendir(root);
	time_t oldest = time(NULL) - (time_t)days * 24 * 3600;
	const struct dirent *entry;
	struct stat status;
	int swept = 0;

	while (stream && swept < SWEPT_AT_ONCE && (entry = readdir(stream))) {
		char *journal = ik_format("%s/%s/journal", root, entry->d_name);
		char *directory = ik_path_join(root, entry->d_name);

		if (strlen(entry->d_name) == IK_UUID_TEXT - 1 && stat(journal, &status) == 0 &&
			status.st_mtime < oldest) {
			remove_directory(directory);
			swept++;
		}
		free(directory);
		free(journal);
	}
	if (stream)
		(void)closedir(stream);
}

void ik_undo_forget(const char *root, const char *session)
{
	char *directory = ik_path_join(root, session);

	remove_directory(directory);
	free(directory);
}

static void begin(struct ik_buf *line, const char *kind, const char *id)
{
	ik_buf_init(line, IK_MIB(16));
	ik_json_printf(line, "{'%s':{'id':'%s'", kind, id);
}

static enum ik_status end(const char *directory, struct ik_buf *line, struct ik_error *error)
{
	char *path = ik_path_join(directory, "journal");
	enum ik_status status;

	ik_json_printf(line, "}}");
	ik_buf_putc(line, '\n');
	status = ik_buf_check(line, _("what is noted for /undo"), error);
	if (status == IK_OK)
		status = ik_file_append(path, line->data, line->length, false, error);
	free(path);
	ik_buf_done(line);
	return status;
}

static void put_files(struct ik_buf *line, const struct ik_file_change *files, size_t count)
{
	ik_json_key(line, "files");
	ik_file_changes_put(line, files, count);
}

/* Write how many lines of other calls followed the event, and why there is no snapshot. */
static void put_circumstances(struct ik_buf *line, size_t since, enum ik_worktree_problem problem)
{
	if (since > 0)
		ik_json_printf(line, "'since':%zu", since);
	if (problem != IK_WORKTREE_FINE)
		ik_json_printf(line, "'why':'%s'", ik_worktree_problem_word(problem));
}

enum ik_status ik_undo_note_call(const char *directory, const struct ik_undo_call_line *call,
	struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "call", call->id);
	ik_json_printf(&line, "'time':%lld,'turn':'%s','title':'%s','call_id':'%s','words':'%s'",
		(long long)ik_clock_wall_ms(), call->turn, call->title, call->call_id, call->words);
	if (call->files)
		put_files(&line, call->files, call->count);
	if (call->compared)
		ik_json_printf(&line, "'tree':true");
	put_circumstances(&line, call->since, call->problem);
	return end(directory, &line, error);
}

enum ik_status ik_undo_note_done(const char *directory, const struct ik_undo_done_line *done,
	struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "done", done->id);
	put_circumstances(&line, done->since, done->problem);
	if (done->problem == IK_WORKTREE_FINE)
		put_files(&line, done->files, done->count);
	return end(directory, &line, error);
}

enum ik_status ik_undo_note_undo(const char *directory, const char *id,
	const struct ik_undo_scope *whole, const struct ik_file_change *files, size_t count,
	struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "undo", id);
	ik_json_printf(&line, "'turns':[");
	for (size_t i = 0; i < whole->turn_count; i++)
		ik_json_printf(&line, "'%s'", whole->turns[i]);
	ik_json_printf(&line, "]");
	if (whole->call)
		ik_json_printf(&line, "'calls':['%s']", whole->call);
	put_files(&line, files, count);
	return end(directory, &line, error);
}

enum ik_status ik_undo_note_redo(const char *directory, const char *id, struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "redo", id);
	return end(directory, &line, error);
}

void ik_undo_fork(const char *root, const char *parent, const char *child)
{
	char *journal = ik_format("%s/%s/journal", root, parent), *directory;
	struct stat status;
	struct ik_error error;
	struct ik_buf line;

	if (stat(journal, &status) == 0 && (directory = ik_undo_directory(root, child, &error))) {
		ik_buf_init(&line, IK_KIB(4));
		ik_json_printf(&line, "{'parent':{'session':'%s','bytes':%lld", parent,
			(long long)status.st_size);
		/* Without this line, less of the fork can be undone. */
		(void)end(directory, &line, &error);
		free(directory);
	}
	free(journal);
}

/* ---- reading ---- */

/* Return a string member in new memory, or "". */
static char *text_of(struct ik_json_span object, const char *name)
{
	char *text = ik_json_text_new(ik_json_member(object, name));

	return text ? text : ik_strdup("");
}

/* Return the index of the call's turn, which is added if it is new. */
static size_t take_turn(struct ik_undo_history *history, struct ik_json_span call)
{
	struct ik_undo_turn turn = { .undone = false };

	(void)ik_json_uuid(ik_json_member(call, "turn"), turn.id);
	for (size_t i = history->turn_count; i-- > 0;)
		if (ik_text_equal(history->turns[i].id, turn.id))
			return i;
	turn.title = text_of(call, "title");
	(void)ik_json_integer(ik_json_member(call, "time"), &turn.time_ms);
	history->turns = ik_alloc_array(history->turns, history->turn_count + 1,
		sizeof(*history->turns));
	history->turns[history->turn_count] = turn;
	return history->turn_count++;
}

/* Read the reason why a call's changes are unknown, if the line has one. */
static void take_problem(struct ik_undo_call *call, struct ik_json_span line)
{
	char *why = ik_json_text_new(ik_json_member(line, "why"));

	if (why)
		call->problem = ik_worktree_problem_of(why);
	free(why);
}

/* Return the number that a line would have had, had it been written when the event happened. */
static size_t line_at(const struct ik_undo_history *history, struct ik_json_span line)
{
	int64_t since = 0;

	(void)ik_json_integer(ik_json_member(line, "since"), &since);
	return since > 0 && (uint64_t)since <= history->call_lines ? history->call_lines - (size_t)since
															   : history->call_lines;
}

static void take_call(struct ik_undo_history *history, struct ik_json_span line)
{
	struct ik_json_span files = ik_json_member(line, "files");
	struct ik_undo_call call = {
		.anything = !files.text,
		.begun = line_at(history, line),
		.over = SIZE_MAX,
	};

	(void)ik_json_uuid(ik_json_member(line, "id"), call.id);
	call.turn = take_turn(history, line);
	call.call_id = text_of(line, "call_id");
	call.words = text_of(line, "words");
	call.compared = call.anything && ik_json_member(line, "tree").text;
	take_problem(&call, line);
	call.files = ik_file_changes_get(files, &call.count);
	history->calls = ik_alloc_array(history->calls, history->call_count + 1,
		sizeof(*history->calls));
	history->calls[history->call_count++] = call;
	history->call_lines++;
}

static void take_done(struct ik_undo_history *history, struct ik_json_span line)
{
	struct ik_json_span files = ik_json_member(line, "files");
	struct ik_undo_call *call = NULL;
	size_t over = line_at(history, line);
	char id[IK_UUID_TEXT];

	history->call_lines++;
	(void)ik_json_uuid(ik_json_member(line, "id"), id);
	for (size_t i = history->call_count; i-- > 0 && !call;)
		if (ik_text_equal(history->calls[i].id, id))
			call = &history->calls[i];
	if (!call)
		return;
	call->over = over;
	call->noted = history->call_lines - 1;
	take_problem(call, line);
	if (!files.text)
		return;
	call->anything = false;
	ik_file_changes_free(call->files, call->count);
	call->files = ik_file_changes_get(files, &call->count);
}

/* Mark what an undo names as a whole as undone, or as not undone any more. */
static void mark(struct ik_undo_history *history, const struct ik_undo_record *record, bool undone)
{
	for (size_t i = 0; i < record->turn_count; i++)
		for (size_t j = 0; j < history->turn_count; j++)
			if (ik_text_equal(history->turns[j].id, record->turns[i]))
				history->turns[j].undone = undone;
	for (size_t i = 0; i < history->call_count && record->call[0] != '\0'; i++)
		if (ik_text_equal(history->calls[i].id, record->call))
			history->calls[i].undone = undone;
}

/* A call may have left a large file that is known by its identity alone, which is gone once the
 * file is restored. The undo read the file, so use its hash. */
static void learn_hash(struct ik_undo_history *history, const struct ik_file_change *change)
{
	const struct ik_file_state *found = &change->before;

	/* Smaller files were hashed when the call ended. */
	if (found->hash[0] == '\0' || found->identity.size <= IK_FILE_AT_ONCE)
		return;
	for (size_t i = 0; i < history->call_count; i++) {
		struct ik_undo_call *call = &history->calls[i];

		for (size_t j = 0; j < call->count; j++) {
			struct ik_file_state *after = &call->files[j].after;

			if (after->kind == IK_FILE_REGULAR && after->hash[0] == '\0' &&
				ik_text_equal(call->files[j].path, change->path) &&
				ik_identity_equal(&after->identity, &found->identity))
				memcpy(after->hash, found->hash, sizeof(after->hash));
		}
	}
}

static void take_undo(struct ik_undo_history *history, struct ik_json_span line)
{
	struct ik_undo_record record = { .redone = false };

	(void)ik_json_uuid(ik_json_member(line, "id"), record.id);
	for (struct ik_json_walk walk = ik_json_walk(ik_json_member(line, "turns"));
		 ik_json_next(&walk);) {
		record.turns = ik_alloc_array(record.turns, record.turn_count + 1, sizeof(*record.turns));
		(void)ik_json_uuid(walk.value, record.turns[record.turn_count++]);
	}
	(void)ik_json_uuid(ik_json_at(line, "calls.0"), record.call);
	record.files = ik_file_changes_get(ik_json_member(line, "files"), &record.count);
	for (size_t i = 0; i < record.count; i++)
		learn_hash(history, &record.files[i]);
	mark(history, &record, true);
	history->undos = ik_alloc_array(history->undos, history->undo_count + 1,
		sizeof(*history->undos));
	history->undos[history->undo_count++] = record;
}

static void take_redo(struct ik_undo_history *history, struct ik_json_span line)
{
	char id[IK_UUID_TEXT];

	(void)ik_json_uuid(ik_json_member(line, "id"), id);
	for (size_t i = history->undo_count; i-- > 0;) {
		struct ik_undo_record *record = &history->undos[i];

		if (!ik_text_equal(record->id, id) || record->redone)
			continue;
		record->redone = true;
		mark(history, record, false);
		return;
	}
}

static void take_line(struct ik_undo_history *history, struct ik_json_span line)
{
	static const struct {
		const char *name;
		void (*take)(struct ik_undo_history *history, struct ik_json_span line);
	} kinds[] = {
		{ "call", take_call },
		{ "done", take_done },
		{ "undo", take_undo },
		{ "redo", take_redo },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct ik_json_span value = ik_json_member(line, kinds[i].name);

		if (value.text)
			kinds[i].take(history, value);
	}
}

static void read_journal(const char *root, const char *session, size_t bytes, int depth,
	struct ik_undo_history *history);

/* Read the parent's journal before the rest of a fork's. */
static void take_parent(const char *root, struct ik_json_span line, int depth,
	struct ik_undo_history *history)
{
	struct ik_json_span parent = ik_json_member(line, "parent");
	char id[IK_UUID_TEXT];
	int64_t bytes;

	/* The ID becomes the name of a directory. */
	if (ik_json_uuid(ik_json_member(parent, "session"), id) && depth < PARENTS_MOST &&
		ik_json_integer(ik_json_member(parent, "bytes"), &bytes) && bytes > 0)
		read_journal(root, id, (size_t)bytes, depth + 1, history);
}

/* Read the first bytes of a journal, at most this many; of a larger one, its newest whole lines. */
static void read_lines(const char *path, size_t bytes, struct ik_buf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat about;
	ssize_t count;
	char *room;

	if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
		size_t end = (uintmax_t)about.st_size > bytes ? bytes : (size_t)about.st_size;
		size_t from = end > JOURNAL_MOST ? end - JOURNAL_MOST : 0;

		/* If it cannot be read on, what was read is used. */
		while (text->length < end - from &&
			(room = ik_buf_reserve(text, end - from - text->length)) &&
			(count = pread(fd, room, end - from - text->length, (off_t)(from + text->length))) > 0)
			ik_buf_commit(text, (size_t)count);
		if (from > 0) {
			const char *first = memchr(text->data, '\n', text->length);

			ik_buf_consume(text, first ? (size_t)(first + 1 - text->data) : text->length);
		}
	}
	if (fd >= 0)
		(void)close(fd);
}

/* Process the first bytes of a journal, at most this many. */
static void read_journal(const char *root, const char *session, size_t bytes, int depth,
	struct ik_undo_history *history)
{
	char *directory = ik_path_join(root, session), *path = ik_path_join(directory, "journal");
	struct ik_json_span line;
	struct ik_buf text;
	size_t at = 0;

	history->places = ik_alloc_array(history->places, history->place_count + 1,
		sizeof(*history->places));
	history->places[history->place_count++] = directory;
	ik_buf_init(&text, JOURNAL_MOST);
	read_lines(path, bytes, &text);
	while (at < text.length) {
		const char *start = text.data + at;
		const char *end = memchr(start, '\n', text.length - at);
		size_t length = end ? (size_t)(end - start) : text.length - at;

		if (ik_json_check(start, length, &line, NULL) == IK_OK) {
			take_parent(root, line, depth, history);
			take_line(history, line);
		}
		at += length + 1;
	}
	ik_buf_done(&text);
	free(path);
}

void ik_undo_history_read(const char *root, const char *session, struct ik_undo_history *history)
{
	*history = (struct ik_undo_history){ .turns = NULL };
	read_journal(root, session, SIZE_MAX, 0, history);
}

void ik_undo_history_done(struct ik_undo_history *history)
{
	for (size_t i = 0; i < history->turn_count; i++)
		free(history->turns[i].title);
	free(history->turns);
	for (size_t i = 0; i < history->call_count; i++) {
		free(history->calls[i].call_id);
		free(history->calls[i].words);
		ik_file_changes_free(history->calls[i].files, history->calls[i].count);
	}
	free(history->calls);
	for (size_t i = 0; i < history->undo_count; i++) {
		ik_file_changes_free(history->undos[i].files, history->undos[i].count);
		free(history->undos[i].turns);
	}
	free(history->undos);
	for (size_t i = 0; i < history->place_count; i++)
		free(history->places[i]);
	free(history->places);
	*history = (struct ik_undo_history){ .turns = NULL };
}

/* Return what a call left of one of its files. If that was found only after a later call with the
 * same file had started, it is the state that the later call found. */
static const struct ik_file_state *left_by(const struct ik_undo_history *history, size_t index,
	const struct ik_file_change *file)
{
	const struct ik_undo_call *call = &history->calls[index];

	for (size_t i = index + 1; call->compared && i < history->call_count; i++) {
		const struct ik_undo_call *later = &history->calls[i];

		if (later->compared || later->begun < call->over || later->begun > call->noted)
			continue;
		for (size_t j = 0; j < later->count; j++)
			if (ik_text_equal(later->files[j].path, file->path))
				return &later->files[j].before;
	}
	return &file->after;
}

/* Is enough known to compare the state with another? */
static bool is_known(const struct ik_file_state *state)
{
	return state->kind == IK_FILE_ABSENT ||
		(state->kind == IK_FILE_REGULAR && (state->hash[0] != '\0' || state->identity.inode != 0));
}

/* Changes of several calls while they are merged. */
struct merged {
	struct ik_file_change *files;
	size_t *over; /* of each file: the end of the last call that wrote it, as in ik_undo_call */
	size_t count;
};

/* Return the place of a file, which is added if it is new. */
static size_t place_of(struct merged *merged, const struct ik_file_change *file)
{
	for (size_t i = 0; i < merged->count; i++)
		if (ik_text_equal(merged->files[i].path, file->path))
			return i;
	merged->files = ik_alloc_array(merged->files, merged->count + 1, sizeof(*merged->files));
	merged->over = ik_alloc_array(merged->over, merged->count + 1, sizeof(*merged->over));
	merged->files[merged->count] = ik_file_change_copy(file);
	merged->over[merged->count] = 0;
	return merged->count++;
}

static void merge(struct merged *merged, const struct ik_undo_history *history, size_t index,
	const struct ik_file_change *file)
{
	const struct ik_undo_call *call = &history->calls[index];
	size_t at = place_of(merged, file);
	struct ik_file_change *known = &merged->files[at];

	/* If another process wrote the file since the calls merged so far, its contents are restored.
	 */
	if (call->begun >= merged->over[at] && is_known(&known->after) && is_known(&file->before) &&
		!ik_file_state_same(&known->after, &file->before)) {
		ik_file_state_done(&known->before);
		known->before = ik_file_state_copy(&file->before);
	}
	/* A call that a process of an earlier one made ended before that, which then left the file. */
	if (call->over < merged->over[at] && merged->over[at] != SIZE_MAX)
		return;
	ik_file_state_done(&known->after);
	known->after = ik_file_state_copy(left_by(history, index, file));
	merged->over[at] = call->over;
}

/* Merge all changes of a call. path: of this file only; NULL: all. */
static void merge_call(struct merged *merged, const struct ik_undo_history *history, size_t index,
	const char *path)
{
	const struct ik_undo_call *call = &history->calls[index];

	for (size_t i = 0; i < call->count; i++)
		if (!path || ik_text_equal(call->files[i].path, path))
			merge(merged, history, index, &call->files[i]);
}

/* Return the merged changes, without those that changed nothing. */
static struct ik_file_change *finish(struct merged *merged, size_t *ret_count)
{
	free(merged->over);
	*ret_count = ik_file_changes_drop_none(merged->files, merged->count);
	return merged->files;
}

struct ik_file_change *ik_undo_files(const struct ik_undo_history *history, size_t first,
	size_t last, const char *path, bool even_undone, size_t *ret_count)
{
	struct merged merged = { .files = NULL };

	for (size_t i = 0; i < history->call_count; i++) {
		const struct ik_undo_call *call = &history->calls[i];

		if (call->turn >= first && call->turn <= last && (!call->undone || even_undone) &&
			(first == last || !history->turns[call->turn].undone))
			merge_call(&merged, history, i, path);
	}
	return finish(&merged, ret_count);
}

struct ik_file_change *ik_undo_files_of_call(const struct ik_undo_history *history, size_t call,
	size_t *ret_count)
{
	struct merged merged = { .files = NULL };

	merge_call(&merged, history, call, NULL);
	return finish(&merged, ret_count);
}

const char *ik_undo_place_of(const struct ik_undo_history *history, const char *hash)
{
	const char *found = NULL;

	for (size_t i = 0; i < history->place_count && !found && hash[0] != '\0'; i++) {
		char *path = ik_path_join(history->places[i], hash);

		if (access(path, R_OK) == 0)
			found = history->places[i];
		free(path);
	}
	return found;
}
