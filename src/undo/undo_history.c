#include "undo/undo_history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* Limit on a journal; of a longer one, the newest part is read: some ten thousand calls. */
#define JOURNAL_MOST IK_MIB(64)
/* Limit on forks of forks. */
#define PARENTS_MOST 64

/* Return a string member in new memory; "" if there is none. */
static char *text_of(struct ik_json_span object, const char *name)
{
	char *text = ik_json_text_new(ik_json_member(object, name));

	return text ? text : ik_strdup("");
}

static void copy_id(char out[IK_UUID_TEXT], struct ik_json_span value)
{
	char *text = ik_json_text_new(value);

	out[0] = '\0';
	if (text && strlen(text) == IK_UUID_TEXT - 1)
		memcpy(out, text, IK_UUID_TEXT);
	free(text);
}

/* Return the index of the call's turn, which is added if it is new. */
static size_t take_turn(struct ik_undo_history *history, struct ik_json_span call)
{
	struct ik_undo_turn turn = { .undone = false };

	copy_id(turn.id, ik_json_member(call, "turn"));
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
	struct ik_json_span files = ik_json_member(line, "files"), key, file;
	struct ik_undo_call call = {
		.anything = !files.text,
		.begun = line_at(history, line),
		.over = SIZE_MAX,
	};
	struct ik_json_walk walk = { NULL };

	copy_id(call.id, ik_json_member(line, "id"));
	call.turn = take_turn(history, line);
	call.call_id = text_of(line, "call_id");
	call.words = text_of(line, "words");
	call.compared = call.anything && ik_json_member(line, "tree").text;
	take_problem(&call, line);
	while (ik_json_next(files, &walk, &key, &file)) {
		call.files = ik_alloc_array(call.files, call.count + 1, sizeof(*call.files));
		call.files[call.count++] = (struct ik_undo_file){
			.path = text_of(file, "path"),
			.before = ik_file_state_get(ik_json_member(file, "state")),
		};
	}
	history->calls = ik_alloc_array(history->calls, history->call_count + 1,
		sizeof(*history->calls));
	history->calls[history->call_count++] = call;
	history->call_lines++;
}

/* Read the changes of a call that might have changed anything. */
static void take_changes(struct ik_undo_call *call, struct ik_json_span files)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, file;

	call->anything = false;
	while (ik_json_next(files, &walk, &key, &file)) {
		call->files = ik_alloc_array(call->files, call->count + 1, sizeof(*call->files));
		call->files[call->count++] = (struct ik_undo_file){
			.path = text_of(file, "path"),
			.before = ik_file_state_get(ik_json_member(file, "before")),
			.after = ik_file_state_get(ik_json_member(file, "state")),
			.ended = true,
		};
	}
}

static void take_done(struct ik_undo_history *history, struct ik_json_span line)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, file;
	struct ik_undo_call *call = NULL;
	size_t over = line_at(history, line);
	char id[IK_UUID_TEXT];

	history->call_lines++;
	copy_id(id, ik_json_member(line, "id"));
	for (size_t i = history->call_count; i-- > 0 && !call;)
		if (ik_text_equal(history->calls[i].id, id))
			call = &history->calls[i];
	if (!call)
		return;
	call->ended = true;
	call->over = over;
	call->noted = history->call_lines - 1;
	take_problem(call, line);
	if (call->compared && ik_json_member(line, "files").text) {
		take_changes(call, ik_json_member(line, "files"));
		return;
	}
	while (ik_json_next(ik_json_member(line, "files"), &walk, &key, &file)) {
		char *path = text_of(file, "path");

		for (size_t i = 0; i < call->count; i++) {
			if (!ik_text_equal(call->files[i].path, path) || call->files[i].ended)
				continue;
			call->files[i].after = ik_file_state_get(ik_json_member(file, "state"));
			call->files[i].ended = true;
		}
		free(path);
	}
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
static void learn_hash(struct ik_undo_history *history, const struct ik_undo_move *move)
{
	/* Smaller files were hashed when the call ended. */
	if (move->from.hash[0] == '\0' || move->from.identity.size <= IK_FILE_AT_ONCE)
		return;
	for (size_t i = 0; i < history->call_count; i++) {
		struct ik_undo_call *call = &history->calls[i];

		for (size_t j = 0; j < call->count; j++) {
			struct ik_file_state *after = &call->files[j].after;

			if (after->kind == IK_FILE_REGULAR && after->hash[0] == '\0' &&
				ik_text_equal(call->files[j].path, move->path) &&
				ik_identity_equal(&after->identity, &move->from.identity))
				memcpy(after->hash, move->from.hash, sizeof(after->hash));
		}
	}
}

static void take_undo(struct ik_undo_history *history, struct ik_json_span line)
{
	struct ik_undo_record record = { .redone = false };
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, value;

	copy_id(record.id, ik_json_member(line, "id"));
	while (ik_json_next(ik_json_member(line, "turns"), &walk, &key, &value)) {
		record.turns = ik_alloc_array(record.turns, record.turn_count + 1, sizeof(*record.turns));
		copy_id(record.turns[record.turn_count++], value);
	}
	walk = (struct ik_json_walk){ NULL };
	if (ik_json_next(ik_json_member(line, "calls"), &walk, &key, &value))
		copy_id(record.call, value);
	walk = (struct ik_json_walk){ NULL };
	while (ik_json_next(ik_json_member(line, "files"), &walk, &key, &value)) {
		record.moves = ik_alloc_array(record.moves, record.count + 1, sizeof(*record.moves));
		record.moves[record.count++] = (struct ik_undo_move){
			.path = text_of(value, "path"),
			.from = ik_file_state_get(ik_json_member(value, "from")),
			.to = ik_file_state_get(ik_json_member(value, "to")),
		};
		learn_hash(history, &record.moves[record.count - 1]);
	}
	mark(history, &record, true);
	history->undos = ik_alloc_array(history->undos, history->undo_count + 1,
		sizeof(*history->undos));
	history->undos[history->undo_count++] = record;
}

static void take_redo(struct ik_undo_history *history, struct ik_json_span line)
{
	char id[IK_UUID_TEXT];

	copy_id(id, ik_json_member(line, "id"));
	for (size_t i = history->undo_count; i-- > 0;) {
		struct ik_undo_record *record = &history->undos[i];

		if (!ik_text_equal(record->id, id) || record->redone)
			continue;
		record->redone = true;
		mark(history, record, false);
		return;
	}
}

/* Process one line. */
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

	copy_id(id, ik_json_member(parent, "session"));
	/* The ID becomes the name of a directory. */
	if (id[0] != '\0' && !strchr(id, '/') && depth < PARENTS_MOST &&
		ik_json_integer(ik_json_member(parent, "bytes"), &bytes) && bytes > 0)
		read_journal(root, id, (size_t)bytes, depth + 1, history);
}

/* Append a range of a file; less if the file ends or cannot be read. */
static void read_range(int fd, off_t from, off_t to, struct ik_buf *text)
{
	while (from < to) {
		char *room = ik_buf_reserve(text, (size_t)(to - from));
		ssize_t count = room ? pread(fd, room, (size_t)(to - from), from) : 0;

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return;
		ik_buf_commit(text, (size_t)count);
		from += count;
	}
}

/* Read the first so many bytes of a journal; if that is too much, its newest whole lines. */
static void read_lines(const char *path, size_t bytes, struct ik_buf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat about;
	const char *first;
	off_t end;

	if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	end = (uintmax_t)about.st_size > bytes ? (off_t)bytes : about.st_size;
	if ((size_t)end <= JOURNAL_MOST) {
		read_range(fd, 0, end, text);
	} else {
		read_range(fd, end - (off_t)JOURNAL_MOST, end, text);
		first = memchr(text->data, '\n', text->length);
		ik_buf_consume(text, first ? (size_t)(first + 1 - text->data) : text->length);
	}
	(void)close(fd);
}

/* Process the first so many bytes of a journal. */
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

static void file_done(struct ik_undo_file *file)
{
	free(file->path);
	ik_file_state_done(&file->before);
	ik_file_state_done(&file->after);
}

void ik_undo_files_free(struct ik_undo_file *files, size_t count)
{
	while (count > 0)
		file_done(&files[--count]);
	free(files);
}

static void record_done(struct ik_undo_record *record)
{
	for (size_t i = 0; i < record->count; i++) {
		free(record->moves[i].path);
		ik_file_state_done(&record->moves[i].from);
		ik_file_state_done(&record->moves[i].to);
	}
	free(record->moves);
	free(record->turns);
}

void ik_undo_history_done(struct ik_undo_history *history)
{
	for (size_t i = 0; i < history->turn_count; i++)
		free(history->turns[i].title);
	free(history->turns);
	for (size_t i = 0; i < history->call_count; i++) {
		free(history->calls[i].call_id);
		free(history->calls[i].words);
		ik_undo_files_free(history->calls[i].files, history->calls[i].count);
	}
	free(history->calls);
	for (size_t i = 0; i < history->undo_count; i++)
		record_done(&history->undos[i]);
	free(history->undos);
	for (size_t i = 0; i < history->place_count; i++)
		free(history->places[i]);
	free(history->places);
	*history = (struct ik_undo_history){ .turns = NULL };
}

/* Return what a call left of one of its files. If that was found only after a later call with the
 * same file had started, it is the state that the later call found. */
static const struct ik_file_state *left_by(const struct ik_undo_history *history, size_t index,
	const struct ik_undo_file *file)
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

/* Did somebody else write the file between the calls merged so far and this one? */
static bool was_changed_between(const struct ik_undo_file *known, const struct ik_undo_call *call,
	const struct ik_undo_file *file)
{
	return known->ended && call->begun >= known->over && is_known(&known->after) &&
		is_known(&file->before) && !ik_file_state_same(&known->after, &file->before);
}

/* Merge one of a call's files into the list. */
static void merge(struct ik_undo_file **files, size_t *count, const struct ik_undo_history *history,
	size_t index, const struct ik_undo_file *file)
{
	const struct ik_undo_call *call = &history->calls[index];
	struct ik_undo_file *known = NULL;

	for (size_t i = 0; i < *count && !known; i++)
		if (ik_text_equal((*files)[i].path, file->path))
			known = &(*files)[i];
	if (!known) {
		*files = ik_alloc_array(*files, *count + 1, sizeof(**files));
		known = &(*files)[(*count)++];
		*known = (struct ik_undo_file){
			.path = ik_strdup(file->path),
			.before = ik_file_state_copy(&file->before),
		};
	} else if (was_changed_between(known, call, file)) {
		ik_file_state_done(&known->before);
		known->before = ik_file_state_copy(&file->before);
	}
	ik_file_state_done(&known->after);
	known->after = ik_file_state_copy(left_by(history, index, file));
	known->ended = file->ended;
	if (call->over > known->over)
		known->over = call->over;
}

/* Merge all files of a call into the list. path: this file only; NULL: all. */
static void merge_call(struct ik_undo_file **files, size_t *count,
	const struct ik_undo_history *history, size_t index, const char *path)
{
	const struct ik_undo_call *call = &history->calls[index];

	for (size_t i = 0; i < call->count; i++)
		if (!path || ik_text_equal(call->files[i].path, path))
			merge(files, count, history, index, &call->files[i]);
}

bool ik_undo_file_unchanged(const struct ik_undo_file *file)
{
	return file->ended && ik_file_state_same(&file->before, &file->after) &&
		file->before.mode == file->after.mode;
}

/* Drop files that did not change; return how many are left. */
static size_t drop_same(struct ik_undo_file *files, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (ik_undo_file_unchanged(&files[i]))
			file_done(&files[i]);
		else
			files[kept++] = files[i];
	}
	return kept;
}

struct ik_undo_file *ik_undo_files(const struct ik_undo_history *history, size_t first, size_t last,
	const char *path, bool even_undone, size_t *ret_count)
{
	struct ik_undo_file *files = NULL;
	size_t count = 0;

	for (size_t i = 0; i < history->call_count; i++) {
		const struct ik_undo_call *call = &history->calls[i];

		if (call->turn >= first && call->turn <= last && (!call->undone || even_undone) &&
			(first == last || !history->turns[call->turn].undone))
			merge_call(&files, &count, history, i, path);
	}
	*ret_count = drop_same(files, count);
	return files;
}

struct ik_undo_file *ik_undo_files_of_call(const struct ik_undo_history *history, size_t call,
	size_t *ret_count)
{
	struct ik_undo_file *files = NULL;
	size_t count = 0;

	merge_call(&files, &count, history, call, NULL);
	*ret_count = drop_same(files, count);
	return files;
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
