/* A journal read: undo_journal.h says what it has. */
#include "tool/revert_journal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* A journal: some ten thousand calls. */
#define JOURNAL_MOST IK_MIB(64)
/* Forks of forks of forks. */
#define PARENTS_MOST 64

/* A member that is a string, in new memory, "" where it is none. */
static char *text_of(struct ik_json_span object, const char *name)
{
	char *text = ik_json_text_new(ik_json_member(object, name));

	return text != NULL ? text : ik_strdup("");
}

static void copy_id(char out[IK_UUID_TEXT], struct ik_json_span value)
{
	char *text = ik_json_text_new(value);

	out[0] = '\0';
	if (text != NULL && strlen(text) == IK_UUID_TEXT - 1)
		memcpy(out, text, IK_UUID_TEXT);
	free(text);
}

/* The index of the turn of that id, which is added where there is none. */
static size_t take_turn(struct ik_revert_history *history, struct ik_json_span call)
{
	struct ik_revert_turn turn = { .back = false };

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

/* Why it is not known what a call did, where a line says so. */
static void take_problem(struct ik_revert_call *call, struct ik_json_span line)
{
	char *why = ik_json_text_new(ik_json_member(line, "why"));

	if (why != NULL)
		call->problem = ik_worktree_problem_of(why);
	free(why);
}

static void take_call(struct ik_revert_history *history, struct ik_json_span line)
{
	struct ik_json_span files = ik_json_member(line, "files"), key, file;
	struct ik_revert_call call = { .anything = files.text == NULL };
	struct ik_json_walk walk = { NULL };

	copy_id(call.id, ik_json_member(line, "id"));
	call.turn = take_turn(history, line);
	call.words = text_of(line, "words");
	call.compared = call.anything && ik_json_member(line, "tree").text != NULL;
	take_problem(&call, line);
	while (ik_json_next(files, &walk, &key, &file)) {
		call.files = ik_alloc_array(call.files, call.count + 1, sizeof(*call.files));
		call.files[call.count++] = (struct ik_revert_file){
			.path = text_of(file, "path"),
			.before = ik_file_state_get(ik_json_member(file, "state")),
		};
	}
	history->calls = ik_alloc_array(history->calls, history->call_count + 1,
		sizeof(*history->calls));
	history->calls[history->call_count++] = call;
}

/* What a call changed that might have changed anything. */
static void take_changes(struct ik_revert_call *call, struct ik_json_span files)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, file;

	call->anything = false;
	while (ik_json_next(files, &walk, &key, &file)) {
		call->files = ik_alloc_array(call->files, call->count + 1, sizeof(*call->files));
		call->files[call->count++] = (struct ik_revert_file){
			.path = text_of(file, "path"),
			.before = ik_file_state_get(ik_json_member(file, "before")),
			.after = ik_file_state_get(ik_json_member(file, "state")),
			.ended = true,
		};
	}
}

static void take_done(struct ik_revert_history *history, struct ik_json_span line)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, file;
	struct ik_revert_call *call = NULL;
	char id[IK_UUID_TEXT];

	copy_id(id, ik_json_member(line, "id"));
	for (size_t i = history->call_count; i-- > 0 && call == NULL;)
		if (ik_text_equal(history->calls[i].id, id))
			call = &history->calls[i];
	if (call == NULL)
		return;
	call->ended = true;
	take_problem(call, line);
	if (call->compared && ik_json_member(line, "files").text != NULL) {
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

/* The turns of a step are taken back, or are not any more. */
static void mark_turns(struct ik_revert_history *history, const struct ik_revert_step *step, bool back)
{
	for (size_t i = 0; i < step->turn_count; i++)
		for (size_t j = 0; j < history->turn_count; j++)
			if (ik_text_equal(history->turns[j].id, step->turns[i]))
				history->turns[j].back = back;
}

static void take_undo(struct ik_revert_history *history, struct ik_json_span line)
{
	struct ik_revert_step step = { .redone = false };
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, value;

	copy_id(step.id, ik_json_member(line, "id"));
	while (ik_json_next(ik_json_member(line, "turns"), &walk, &key, &value)) {
		step.turns = ik_alloc_array(step.turns, step.turn_count + 1, sizeof(*step.turns));
		copy_id(step.turns[step.turn_count++], value);
	}
	walk = (struct ik_json_walk){ NULL };
	while (ik_json_next(ik_json_member(line, "files"), &walk, &key, &value)) {
		step.moves = ik_alloc_array(step.moves, step.count + 1, sizeof(*step.moves));
		step.moves[step.count++] = (struct ik_revert_move){
			.path = text_of(value, "path"),
			.from = ik_file_state_get(ik_json_member(value, "from")),
			.to = ik_file_state_get(ik_json_member(value, "to")),
		};
	}
	mark_turns(history, &step, true);
	history->steps = ik_alloc_array(history->steps, history->step_count + 1,
		sizeof(*history->steps));
	history->steps[history->step_count++] = step;
}

static void take_redo(struct ik_revert_history *history, struct ik_json_span line)
{
	char id[IK_UUID_TEXT];

	copy_id(id, ik_json_member(line, "id"));
	for (size_t i = history->step_count; i-- > 0;) {
		struct ik_revert_step *step = &history->steps[i];

		if (!ik_text_equal(step->id, id) || step->redone)
			continue;
		step->redone = true;
		mark_turns(history, step, false);
		return;
	}
}

/* Take what a line tells. */
static void take_line(struct ik_revert_history *history, struct ik_json_span line)
{
	static const struct {
		const char *name;
		void (*take)(struct ik_revert_history *history, struct ik_json_span line);
	} kinds[] = {
		{ "call", take_call }, { "done", take_done }, { "undo", take_undo },
		{ "redo", take_redo },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct ik_json_span value = ik_json_member(line, kinds[i].name);

		if (value.text != NULL)
			kinds[i].take(history, value);
	}
}

static void read_journal(const char *root, const char *session, size_t bytes, int depth,
	struct ik_revert_history *history);

/* A fork's first line: what its parent did comes before it. */
static void take_parent(const char *root, struct ik_json_span line, int depth,
	struct ik_revert_history *history)
{
	struct ik_json_span parent = ik_json_member(line, "parent");
	char id[IK_UUID_TEXT];
	int64_t bytes;

	copy_id(id, ik_json_member(parent, "session"));
	/* It is the name of a directory. */
	if (id[0] != '\0' && strchr(id, '/') == NULL && depth < PARENTS_MOST &&
	    ik_json_integer(ik_json_member(parent, "bytes"), &bytes) && bytes > 0)
		read_journal(root, id, (size_t)bytes, depth + 1, history);
}

/* Read so many bytes of a journal. */
static void read_journal(const char *root, const char *session, size_t bytes, int depth,
	struct ik_revert_history *history)
{
	char *directory = ik_path_join(root, session), *path = ik_path_join(directory, "journal");
	struct ik_json_span line;
	struct ik_error error;
	struct ik_buf text;
	size_t at = 0;

	history->places = ik_alloc_array(history->places, history->place_count + 1,
		sizeof(*history->places));
	history->places[history->place_count++] = directory;
	ik_buf_init(&text, JOURNAL_MOST);
	if (ik_file_read(path, &text, &error) != IK_OK)
		ik_buf_clear(&text);
	if (text.length > bytes)
		ik_buf_truncate(&text, bytes);
	while (at < text.length) {
		const char *start = text.data + at;
		const char *end = memchr(start, '\n', text.length - at);
		size_t length = end != NULL ? (size_t)(end - start) : text.length - at;

		if (ik_json_check(start, length, &line, NULL) == IK_OK) {
			take_parent(root, line, depth, history);
			take_line(history, line);
		}
		at += length + 1;
	}
	ik_buf_done(&text);
	free(path);
}

void ik_revert_history_read(const char *root, const char *session, struct ik_revert_history *history)
{
	*history = (struct ik_revert_history){ .turns = NULL };
	read_journal(root, session, SIZE_MAX, 0, history);
}

static void file_done(struct ik_revert_file *file)
{
	free(file->path);
	ik_file_state_done(&file->before);
	ik_file_state_done(&file->after);
}

void ik_revert_files_free(struct ik_revert_file *files, size_t count)
{
	while (count > 0)
		file_done(&files[--count]);
	free(files);
}

static void step_done(struct ik_revert_step *step)
{
	for (size_t i = 0; i < step->count; i++) {
		free(step->moves[i].path);
		ik_file_state_done(&step->moves[i].from);
		ik_file_state_done(&step->moves[i].to);
	}
	free(step->moves);
	free(step->turns);
}

void ik_revert_history_done(struct ik_revert_history *history)
{
	for (size_t i = 0; i < history->turn_count; i++)
		free(history->turns[i].title);
	free(history->turns);
	for (size_t i = 0; i < history->call_count; i++) {
		free(history->calls[i].words);
		ik_revert_files_free(history->calls[i].files, history->calls[i].count);
	}
	free(history->calls);
	for (size_t i = 0; i < history->step_count; i++)
		step_done(&history->steps[i]);
	free(history->steps);
	for (size_t i = 0; i < history->place_count; i++)
		free(history->places[i]);
	free(history->places);
	*history = (struct ik_revert_history){ .turns = NULL };
}

/* Put one call's file behind those that are there. */
static void merge(struct ik_revert_file **files, size_t *count, const struct ik_revert_file *file)
{
	struct ik_revert_file *known = NULL;

	for (size_t i = 0; i < *count && known == NULL; i++)
		if (ik_text_equal((*files)[i].path, file->path))
			known = &(*files)[i];
	if (known == NULL) {
		*files = ik_alloc_array(*files, *count + 1, sizeof(**files));
		known = &(*files)[(*count)++];
		*known = (struct ik_revert_file){
			.path = ik_strdup(file->path), .before = ik_file_state_copy(&file->before),
		};
	}
	ik_file_state_done(&known->after);
	known->after = ik_file_state_copy(&file->after);
	known->ended = file->ended;
}

struct ik_revert_file *ik_revert_files(const struct ik_revert_history *history, size_t first,
	size_t last, const char *path, size_t *ret_count)
{
	struct ik_revert_file *files = NULL;
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < history->call_count; i++) {
		const struct ik_revert_call *call = &history->calls[i];

		if (call->turn < first || call->turn > last ||
		    (first != last && history->turns[call->turn].back))
			continue;
		for (size_t j = 0; j < call->count; j++)
			if (path == NULL || ik_text_equal(call->files[j].path, path))
				merge(&files, &count, &call->files[j]);
	}
	/* Those that are as they were do not count. */
	for (size_t i = 0; i < count; i++) {
		if (files[i].ended && ik_file_state_same(&files[i].before, &files[i].after) &&
		    files[i].before.mode == files[i].after.mode)
			file_done(&files[i]);
		else
			files[kept++] = files[i];
	}
	*ret_count = kept;
	return files;
}

const char *ik_revert_place_of(const struct ik_revert_history *history, const char *hash)
{
	const char *found = NULL;

	for (size_t i = 0; i < history->place_count && found == NULL && hash[0] != '\0'; i++) {
		char *path = ik_path_join(history->places[i], hash);

		if (access(path, R_OK) == 0)
			found = history->places[i];
		free(path);
	}
	return found;
}
