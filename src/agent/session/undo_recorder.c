#include "agent/session/undo_recorder.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "guard/sandbox.h"
#include "tool/writes.h"
#include "undo/file_keep.h"
#include "undo/undo.h"
#include "undo/undo_journal.h"
#include "undo/worktree.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* Limit on waiting until changes are recorded after a call, in milliseconds. */
#define WAIT_MS 5000

struct undo_waiter {
	void (*ready)(void *arg);
	void *arg;
};

struct ik_undo_recorder {
	struct ik_undo_recorder_options options;
	struct ik_session_record *record;
	bool complained;                  /* the user has been told why nothing can be undone */
	size_t lines;                     /* number of calls and call ends in the journal; */
	size_t turn_lines;                /* the same at the start of the turn, */
	int64_t turn_ms;                  /* and the time of that start */
	struct ik_worktree *worktree;     /* of the session's directory; NULL: not searched yet */
	enum ik_worktree_problem problem; /* why the work tree is unusable */
	struct ik_recording *ended; /* recordings whose calls have ended, but whose changes are not yet
	                               known */
	struct ik_timer *timer;     /* limits the wait for them */
	bool late;                  /* the wait took too long */
	struct undo_waiter *waiters;
	size_t waiter_count;
};

struct ik_recording {
	struct ik_recording *next; /* in the recorder's list of ended recordings */
	struct ik_undo_recorder *recorder;
	struct ik_recorded_call call;
	void (*ready)(void *arg);
	void *arg;
	char *directory;
	char id[IK_UUID_TEXT];
	struct ik_file_change *files; /* NULL: the call may change anything */
	size_t count, at;
	bool writing;              /* other sessions know that this one writes the files */
	size_t since;              /* what other sessions write after this is theirs */
	struct ik_file_keep *keep; /* copies the current file */
	bool noted;
	bool closed;
	/* The recorder's value when this call started, then when it ended. */
	size_t lines;
	/* For a call that may change anything: */
	struct ik_worktree_call *worktree; /* NULL: its changes cannot be found */
	enum ik_worktree_problem problem;  /* why its changes cannot be found */
};

static void step_later(void *arg);

/* Free the recording (deferred). */
static void recording_free(void *arg)
{
	struct ik_recording *recording = arg;

	ik_file_keep_free(recording->keep);
	ik_file_changes_free(recording->files, recording->count);
	free(recording->directory);
	free(recording);
}

/* Record for other sessions that the call is about to write its files. */
static void begin_writing(struct ik_recording *recording)
{
	const struct ik_undo_recorder *recorder = recording->recorder;

	recording->writing = true;
	for (size_t i = 0; i < recording->count; i++)
		ik_file_writes_begin(recorder->options.writes, recorder, recording->files[i].path);
}

/* Record that it no longer writes them: the call has ended or will not be made. */
static void end_writing(struct ik_recording *recording)
{
	const struct ik_undo_recorder *recorder = recording->recorder;

	for (size_t i = 0; recording->writing && i < recording->count; i++)
		ik_file_writes_end(recorder->options.writes, recorder, recording->files[i].path);
	recording->writing = false;
}

/* Move the changes that are not another session's to the front. Return their number. */
static size_t own_changes(const struct ik_recording *recording, struct ik_file_change *changes,
	size_t count)
{
	const struct ik_undo_recorder *recorder = recording->recorder;
	size_t own = 0;

	for (size_t i = 0; i < count; i++) {
		struct ik_file_change change = changes[i];

		if (ik_file_writes_by_other(recorder->options.writes, recording->since, recorder,
				change.path))
			continue;
		changes[i] = changes[own];
		changes[own++] = change;
	}
	return own;
}

struct ik_recording *ik_recording_close(struct ik_recording *recording)
{
	struct ik_loop *loop;

	if (!recording)
		return NULL;
	recording->closed = true;
	end_writing(recording);
	loop = recording->recorder->record->loop;
	ik_loop_cancel_deferred(loop, step_later, recording);
	recording->worktree = ik_worktree_call_close(recording->worktree);
	ik_loop_defer(loop, recording_free, recording);
	return NULL;
}

/* Report, once, that nothing can be undone from here on. */
static void complain(struct ik_undo_recorder *recorder, const struct ik_error *error)
{
	char *sentence;

	ik_log(IK_LOG_ERROR, "undo: %s", error->text);
	if (recorder->complained)
		return;
	recorder->complained = true;
	sentence = ik_format(_("What tools change cannot be kept for /undo: %s"), error->text);
	ik_session_record_add_notice(recorder->record, sentence);
	free(sentence);
}

/* Return the message that began the user's turn, or NULL. */
static const struct ik_message *question_of(const struct ik_session_record *record)
{
	size_t i = ik_conversation_count(record->conversation);

	while (i > 0) {
		const struct ik_message *message = ik_conversation_at(record->conversation, --i);

		if (ik_message_is_question(message))
			return message;
	}
	return NULL;
}

/* Journal that the call is about to start. */
static bool note_call(struct ik_recording *recording)
{
	struct ik_undo_recorder *recorder = recording->recorder;
	const struct ik_recorded_call *call = &recording->call;
	const struct ik_message *question = call->own ? NULL : question_of(recorder->record);
	char *title = question ? ik_message_title(question) : ik_strdup(call->line);
	const struct ik_undo_call_line line = {
		.id = recording->id,
		.turn = question ? question->id : recording->id,
		.title = title,
		.call_id = call->id,
		.words = call->line,
		.files = recording->files,
		.count = recording->count,
		.compared = recording->worktree,
		.since = recorder->lines - recording->lines,
		.problem = recording->problem,
	};
	struct ik_error error;
	bool noted = ik_undo_note_call(recording->directory, &line, &error) == IK_OK;

	if (noted)
		recorder->lines++;
	else
		complain(recorder, &error);
	free(title);
	return noted;
}

/* Report the files that could not be copied, before the call changes them. */
static void report_not_copied(const struct ik_recording *recording)
{
	for (size_t i = 0; i < recording->count; i++) {
		const struct ik_file_change *file = &recording->files[i];
		char *sentence;

		if (file->before.kind != IK_FILE_REGULAR || file->before.hash[0] != '\0')
			continue;
		if (file->before.identity.size > IK_FILE_KEPT_MOST)
			sentence = ik_format(_("%s is larger than %d MB: it is not kept, and /undo will "
								   "not bring it back."),
				file->path, (int)(IK_FILE_KEPT_MOST / IK_MIB(1)));
		else
			sentence = ik_format(_("%s could not be read: it is not kept, and /undo will "
								   "not bring it back."),
				file->path);
		ik_session_record_add_notice(recording->recorder->record, sentence);
		free(sentence);
	}
}

/* Is path hidden from the call? A file that it may not read must not be readable as a copy. */
static bool is_hidden_from_call(const struct ik_recording *recording, const char *path)
{
	return ik_sandbox_hides(recording->recorder->options.sandbox, recording->call.name, path);
}

/* Copy a piece of a file. Return true when all files are copied. */
static bool step(struct ik_recording *recording)
{
	struct ik_file_change *file = &recording->files[recording->at];

	if (recording->at == recording->count)
		return true;
	if (!recording->keep && is_hidden_from_call(recording, file->path)) {
		file->before = (struct ik_file_state){ .kind = IK_FILE_OTHER };
		return ++recording->at == recording->count;
	}
	if (!recording->keep)
		recording->keep = ik_file_keep_new(recording->directory, file->path);
	if (ik_file_keep_step(recording->keep)) {
		file->before = ik_file_state_copy(ik_file_keep_state(recording->keep));
		recording->keep = ik_file_keep_free(recording->keep);
		recording->at++;
	}
	return recording->at == recording->count;
}

/* Copy for a few milliseconds. Return true when all files are copied and the call is journaled. */
static bool work(struct ik_recording *recording)
{
	bool over = false;

	for (size_t done = 0; !over && done < IK_FILE_AT_ONCE; done += IK_FILE_SLICE)
		over = step(recording);
	if (!over)
		return false;
	recording->noted = note_call(recording);
	report_not_copied(recording);
	return true;
}

/* Let the call start, unless the sink has ended it meanwhile. */
static void call_ready(struct ik_recording *recording)
{
	if (!recording->closed)
		recording->ready(recording->arg);
}

/* Continue copying (deferred). */
static void step_later(void *arg)
{
	struct ik_recording *recording = arg;

	if (!work(recording))
		ik_loop_defer(recording->recorder->record->loop, step_later, recording);
	else
		call_ready(recording);
}

/* Return the text about a work tree that takes long to read. */
static const char *preparation_text(enum ik_worktree_problem problem)
{
	switch (problem) {
	case IK_WORKTREE_FINE:
		return _("This work tree has been read: what commands do from now on can be undone.");
	case IK_WORKTREE_SLOW:
		return _("Reading this work tree for /undo takes too long: what commands do in this "
				 "session cannot be undone.");
	case IK_WORKTREE_FAILED:
		return _("This work tree could not be read for /undo: what commands do cannot be undone.");
	default:
		return _("This work tree is still being read in the background for /undo. Until that is "
				 "done, what commands do cannot be undone.");
	}
}

/* Emit that a work tree is still being read, or how that ended. */
static void on_prepared(void *arg, enum ik_worktree_problem problem)
{
	struct ik_undo_recorder *recorder = arg;

	ik_session_record_add_notice(recorder->record, preparation_text(problem));
}

/* Must path be left out of snapshots? */
static bool is_hidden(void *arg, const char *path)
{
	const struct ik_undo_recorder *recorder = arg;

	return ik_sandbox_hides(recorder->options.sandbox, NULL, path);
}

/* Find the work tree of the session. Return false if there is none; recorder->problem says why. */
static bool have_tree(struct ik_undo_recorder *recorder)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal", "-locks" };
	const char *root = recorder->options.root, *database = recorder->options.database;
	char *spared[7] = { NULL }, *shadows;

	if (!recorder->worktree) {
		/* Calls don't write the program's own files. */
		spared[0] = ik_strndup(root, (size_t)(ik_path_base(root) - root));
		for (size_t i = 0; database && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
			spared[i + 1] = ik_format("%s%s", database, suffixes[i]);
		shadows = ik_path_join(root, "trees");
		recorder->worktree = ik_worktree_new(
			&(struct ik_worktree_options){
				.loop = recorder->record->loop,
				.shadows = shadows,
				.directory = recorder->record->directory,
				.spared = (const char *const *)spared,
				.search_path = getenv("PATH"),
				.kept_days = recorder->options.kept_days,
				.home = getenv("HOME"),
				.hidden = is_hidden,
				.told = on_prepared,
				.arg = recorder,
			},
			&recorder->problem);
		free(shadows);
		for (size_t i = 0; i < sizeof(spared) / sizeof(spared[0]); i++)
			free(spared[i]);
	}
	return recorder->problem == IK_WORKTREE_FINE;
}

void ik_undo_recorder_start_turn(struct ik_undo_recorder *recorder,
	const struct ik_registry *registry)
{
	size_t count = ik_registry_count(registry);
	bool anything = false;

	recorder->turn_lines = recorder->lines;
	for (size_t i = 0; !anything && i < count; i++)
		anything = ik_writes_anything(ik_registry_at(registry, i));
	if (anything && recorder->options.root && have_tree(recorder))
		recorder->turn_ms = ik_worktree_snapshot(recorder->worktree);
}

void ik_undo_recorder_prepare(struct ik_undo_recorder *recorder, const struct ik_registry *registry)
{
	if (!recorder->worktree)
		ik_undo_recorder_start_turn(recorder, registry);
}

/* Journal that a call that may change anything is about to start. */
static void note_anything(struct ik_recording *recording)
{
	if (recording->problem != IK_WORKTREE_FINE)
		recording->worktree = ik_worktree_call_close(recording->worktree);
	/* The changes that will be found may also be those of earlier calls in the turn. */
	else if (!ik_worktree_call_exact(recording->worktree) &&
		recording->recorder->turn_lines < recording->lines)
		recording->lines = recording->recorder->turn_lines;
	recording->noted = note_call(recording);
}

/* Continue, now that the state of the work tree before the call is known. */
static void on_known(void *arg, enum ik_worktree_problem problem)
{
	struct ik_recording *recording = arg;

	recording->problem = problem;
	note_anything(recording);
	call_ready(recording);
}

/* Prepare to find the changes of a call that does not name its files. */
static bool keep_anything(struct ik_recording *recording)
{
	struct ik_undo_recorder *recorder = recording->recorder;

	if (have_tree(recorder)) {
		recording->since = ik_file_writes_now(recorder->options.writes);
		if (!ik_worktree_call_new(recorder->worktree, recording->directory, recorder->turn_ms,
				on_known, recording, &recording->worktree, &recording->problem))
			return false;
	} else {
		recording->problem = recorder->problem;
	}
	note_anything(recording);
	return true;
}

/* Call back those who wait, once each even if they wait again meanwhile: everything is recorded, or
 * that takes too long. */
static void call_waiters(void *arg)
{
	struct ik_undo_recorder *recorder = arg;
	struct undo_waiter *waiters = recorder->waiters;
	size_t count = recorder->waiter_count;

	if (recorder->timer)
		ik_timer_stop(recorder->timer);
	recorder->waiters = NULL;
	recorder->waiter_count = 0;
	recorder->late = recorder->ended;
	for (size_t i = 0; i < count; i++)
		waiters[i].ready(waiters[i].arg);
	free(waiters);
}

bool ik_undo_recorder_is_done(const struct ik_undo_recorder *recorder)
{
	return !recorder->ended;
}

bool ik_undo_recorder_wait(struct ik_undo_recorder *recorder, void (*ready)(void *arg), void *arg)
{
	if (!recorder->ended || recorder->late)
		return true;
	if (!recorder->timer)
		recorder->timer = ik_timer_new(recorder->record->loop, call_waiters, recorder);
	if (recorder->waiter_count == 0)
		ik_timer_start(recorder->timer, WAIT_MS);
	recorder->waiters = ik_alloc_array(recorder->waiters, recorder->waiter_count + 1,
		sizeof(*recorder->waiters));
	recorder->waiters[recorder->waiter_count++] = (struct undo_waiter){ ready, arg };
	return false;
}

/* Deferred. */
static void call_waiters_later(void *arg)
{
	struct ik_undo_recorder *recorder = arg;

	if (!recorder->ended)
		call_waiters(recorder);
}

/* Journal what an ended call did. Without this line the call counts as interrupted: its changes are
 * shown, but not undone. */
static void note_done(struct ik_recording *recording, enum ik_worktree_problem problem,
	const struct ik_file_change *files, size_t count)
{
	struct ik_undo_recorder *recorder = recording->recorder;
	const struct ik_undo_done_line line = {
		.id = recording->id,
		.problem = problem,
		.files = files,
		.count = count,
		.since = recording->worktree ? recorder->lines - recording->lines : 0,
	};
	struct ik_error error;

	if (ik_undo_note_done(recording->directory, &line, &error) == IK_OK)
		recorder->lines++;
	else
		ik_log(IK_LOG_ERROR, "undo: %s", error.text);
}

/* Record the changes of an ended call, which are now known. */
static void on_found(void *arg, const struct ik_worktree_result *result)
{
	struct ik_recording *recording = arg, **at;
	struct ik_undo_recorder *recorder = recording->recorder;

	note_done(recording, result->problem, result->changes,
		own_changes(recording, result->changes, result->count));
	for (at = &recorder->ended; *at != recording;)
		at = &(*at)->next;
	*at = recording->next;
	ik_recording_close(recording);
	if (!recorder->ended)
		recorder->late = false;
	if (!recorder->ended && recorder->waiter_count > 0)
		ik_loop_defer(recorder->record->loop, call_waiters_later, recorder);
}

/* ---- from outside ---- */

struct ik_undo_recorder *ik_undo_recorder_new(const struct ik_undo_recorder_options *options)
{
	struct ik_undo_recorder *recorder = ik_alloc(sizeof(*recorder));

	recorder->options = *options;
	recorder->record = options->record;
	return recorder;
}

struct ik_undo_recorder *ik_undo_recorder_close(struct ik_undo_recorder *recorder)
{
	struct ik_loop *loop = recorder->record->loop;

	while (recorder->ended) {
		struct ik_recording *recording = recorder->ended;

		recorder->ended = recording->next;
		ik_recording_close(recording);
	}
	ik_loop_cancel_deferred(loop, call_waiters_later, recorder);
	call_waiters(recorder);
	recorder->timer = ik_timer_close(recorder->timer);
	recorder->worktree = ik_worktree_free(recorder->worktree);
	ik_loop_defer(loop, free, recorder);
	return NULL;
}

/* Copy the files that the call names. Return true when that is done. */
static bool keep_named(struct ik_recording *recording, const struct ik_tool *tool)
{
	char **paths = ik_writes_paths(tool, recording->call.arguments,
		recording->call.arguments_length, recording->recorder->record->directory,
		&recording->count);

	recording->files = ik_alloc((recording->count + 1) * sizeof(*recording->files));
	for (size_t i = 0; i < recording->count; i++)
		recording->files[i] = (struct ik_file_change){
			.path = paths[i],
			.after.kind = IK_FILE_UNKNOWN,
		};
	free(paths);
	begin_writing(recording);
	if (work(recording))
		return true;
	ik_loop_defer(recording->recorder->record->loop, step_later, recording);
	return false;
}

bool ik_recording_start(struct ik_undo_recorder *recorder, const struct ik_recorded_call *call,
	void (*ready)(void *arg), void *arg, struct ik_recording **ret_recording)
{
	const struct ik_tool *tool = call->tool;
	struct ik_recording *recording;
	struct ik_error error;
	char *directory;

	*ret_recording = NULL;
	if (!recorder->options.root || !tool || tool->read_only)
		return true;
	directory = ik_undo_directory(recorder->options.root, recorder->record->id, &error);
	if (!directory) {
		complain(recorder, &error);
		return true;
	}
	*ret_recording = recording = ik_alloc(sizeof(*recording));
	recording->recorder = recorder;
	recording->call = *call;
	recording->ready = ready;
	recording->arg = arg;
	recording->directory = directory;
	recording->lines = recorder->lines;
	ik_uuid_new(recording->id);
	return ik_writes_anything(tool) ? keep_anything(recording) : keep_named(recording, tool);
}

/* Journal the current state of the files that the call names, if any. */
static void note_end(struct ik_recording *recording)
{
	for (size_t i = 0; i < recording->count; i++) {
		struct ik_file_change *file = &recording->files[i];

		file->after = is_hidden_from_call(recording, file->path)
			? ik_file_state_copy(&file->before)
			: ik_file_state_look(file->path, IK_FILE_AT_ONCE);
	}
	note_done(recording, recording->problem, recording->files, recording->count);
}

struct ik_recording *ik_recording_end(struct ik_recording *recording)
{
	struct ik_undo_recorder *recorder;

	if (!recording)
		return NULL;
	recorder = recording->recorder;
	end_writing(recording);
	if (recording->noted && recording->worktree) {
		recording->next = recorder->ended;
		recording->lines = recorder->lines;
		recorder->ended = recording;
		ik_worktree_call_end(recording->worktree, on_found, recording);
		return NULL;
	}
	if (recording->noted)
		note_end(recording);
	return ik_recording_close(recording);
}
