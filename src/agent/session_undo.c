/* What a call is about to write is kept, so that it can be taken back (tool/revert.h). */
#include "agent/session_private.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "tool/file_copy.h"
#include "tool/revert.h"
#include "tool/sandbox.h"
#include "tool/worktree.h"
#include "tool/writes.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* Columns of a call in the list of what /undo cannot take back. */
#define WORDS_WIDTH 80

struct ik_session_keep {
	struct ik_session_run *run;
	void (*ready)(struct ik_session_run *run);
	char *directory;
	char id[IK_UUID_TEXT];
	struct ik_revert_entry *entries;
	size_t count, at;
	bool writing;  /* other sessions were told so */
	bool watching; /* what other sessions write meanwhile, */
	size_t since;  /* from here on */
	struct ik_file_keep *file; /* that is being kept */
	bool noted;
	size_t lines; /* of calls that the session had noted when this began */
	/* Of one that may change anything: */
	struct ik_worktree_work *work; /* a snapshot, or a comparison; NULL: none is under way */
	char tree[IK_WORKTREE_ID]; /* as it was before; "": not known */
	struct ik_worktree_modes *modes; /* NULL: not known */
	enum ik_worktree_problem problem; /* then: why */
};

static void step_later(void *arg);

/* Deferred: its memory. */
static void keep_free(void *arg)
{
	struct ik_session_keep *keep = arg;

	ik_file_keep_free(keep->file);
	ik_worktree_modes_free(keep->modes);
	for (size_t i = 0; i < keep->count; i++) {
		free(keep->entries[i].path);
		ik_file_state_done(&keep->entries[i].state);
	}
	free(keep->entries);
	free(keep->directory);
	free(keep);
}

/* It is known what the call changed, or never will be. */
static void watch_no_more(struct ik_session_keep *keep)
{
	if (keep->watching)
		ik_written_watch_no_more(keep->run->session->options.written);
	keep->watching = false;
}

/* Tell other sessions what this one is about to write. */
static void begin_writing(struct ik_session_keep *keep)
{
	const struct ik_session *session = keep->run->session;

	keep->writing = session->options.written != NULL;
	for (size_t i = 0; keep->writing && i < keep->count; i++)
		ik_written_begin(session->options.written, session, keep->entries[i].path);
}

/* The call is over, or will not be made. */
static void end_writing(struct ik_session_keep *keep)
{
	const struct ik_session *session = keep->run->session;

	for (size_t i = 0; keep->writing && i < keep->count; i++)
		ik_written_end(session->options.written, session, keep->entries[i].path);
	keep->writing = false;
}

/* Put the changes first that are not another session's; how many those are. */
static size_t own_changes(const struct ik_session_keep *keep, struct ik_worktree_change *changes,
	size_t count)
{
	const struct ik_session *session = keep->run->session;
	size_t own = 0;

	for (size_t i = 0; i < count; i++) {
		struct ik_worktree_change change = changes[i];

		if (keep->watching && ik_written_by_another(session->options.written, keep->since, session,
				change.path))
			continue;
		changes[i] = changes[own];
		changes[own++] = change;
	}
	return own;
}

struct ik_session_keep *ik_session_keep_close(struct ik_session_keep *keep)
{
	struct ik_loop *loop;

	if (keep == NULL)
		return NULL;
	end_writing(keep);
	watch_no_more(keep);
	loop = keep->run->session->options.loop;
	ik_loop_cancel_deferred(loop, step_later, keep);
	keep->work = ik_worktree_work_close(keep->work);
	ik_loop_defer(loop, keep_free, keep);
	return NULL;
}

/* Say, once, that nothing can be taken back from here on. */
static void complain(struct ik_session *session, const struct ik_error *error)
{
	char *sentence;

	ik_log(IK_LOG_ERROR, "undo: %s", error->text);
	if (session->undo_complained)
		return;
	session->undo_complained = true;
	sentence = ik_format(_("What tools change cannot be kept for /undo: %s"), error->text);
	ik_session_add_notice(session, sentence);
	free(sentence);
}

/* The message that the person's turn began with; NULL: none. */
static const struct ik_message *question_of(const struct ik_session *session)
{
	size_t i = ik_conversation_count(session->conversation);

	while (i > 0) {
		const struct ik_message *message = ik_conversation_at(session->conversation, --i);

		if (message->kind == IK_KIND_USER && !ik_message_is_automatic(message))
			return message;
	}
	return NULL;
}

/* Write down that the call is about to be made. */
static bool note_call(struct ik_session_keep *keep)
{
	struct ik_session_run *run = keep->run;
	const struct ik_message *question = run->own ? NULL : question_of(run->session);
	char *words = ik_call_summary(run->name, run->arguments.data, run->arguments.length,
		WORDS_WIDTH);
	char *title = question != NULL ?
		ik_session_title(question->content, ik_message_typed(question)) :
		ik_format("/run %s", words);
	const struct ik_revert_call_line line = {
		.id = keep->id,
		.turn = question != NULL ? question->id : keep->id,
		.title = title,
		.name = run->name,
		.call_id = run->id,
		.words = words,
		.entries = keep->entries,
		.count = keep->count,
		.tree = keep->tree[0] != '\0' ? keep->tree : NULL,
		.since = run->session->undo_lines - keep->lines,
		.problem = keep->problem,
	};
	struct ik_error error;
	bool noted = ik_revert_note_call(keep->directory, &line, &error) == IK_OK;

	if (noted)
		run->session->undo_lines++;
	else
		complain(run->session, &error);
	free(title);
	free(words);
	return noted;
}

/* Name the files that could not be kept, before the call changes them. */
static void tell_not_kept(const struct ik_session_keep *keep)
{
	for (size_t i = 0; i < keep->count; i++) {
		const struct ik_revert_entry *entry = &keep->entries[i];
		char *sentence;

		if (entry->state.kind != IK_FILE_REGULAR || entry->state.hash[0] != '\0')
			continue;
		if (entry->state.identity.size > IK_REVERT_FILE_MOST)
			sentence = ik_format(_("%s is larger than %d MB: it is not kept, and /undo will "
				"not bring it back."), entry->path,
				(int)(IK_REVERT_FILE_MOST / IK_MIB(1)));
		else
			sentence = ik_format(_("%s could not be read: it is not kept, and /undo will "
				"not bring it back."), entry->path);
		ik_session_add_notice(keep->run->session, sentence);
		free(sentence);
	}
}

/* A call that cannot read a file is not to find a copy of it. */
static bool is_hidden_from(const struct ik_session_run *run, const char *path)
{
	return ik_sandbox_hides(run->session->options.run.sandbox, run->name, path);
}

/* Do a slice; true when all files are kept. */
static bool step(struct ik_session_keep *keep)
{
	struct ik_revert_entry *entry = &keep->entries[keep->at];

	if (keep->at == keep->count)
		return true;
	if (keep->file == NULL && is_hidden_from(keep->run, entry->path)) {
		entry->state = (struct ik_file_state){ .kind = IK_FILE_OTHER };
		return ++keep->at == keep->count;
	}
	if (keep->file == NULL)
		keep->file = ik_file_keep_new(keep->directory, entry->path, IK_REVERT_FILE_MOST);
	if (ik_file_keep_step(keep->file)) {
		entry->state = ik_file_state_copy(ik_file_keep_state(keep->file));
		keep->file = ik_file_keep_free(keep->file);
		keep->at++;
	}
	return keep->at == keep->count;
}

/* Some milliseconds of slices; true when all files are kept, and that is written down. */
static bool work(struct ik_session_keep *keep)
{
	bool over = false;

	for (size_t done = 0; !over && done < IK_FILE_AT_ONCE; done += IK_FILE_SLICE)
		over = step(keep);
	if (!over)
		return false;
	keep->noted = note_call(keep);
	tell_not_kept(keep);
	return true;
}

/* May the call be made? Whoever was told of something may have ended it, or the session. */
static bool may_begin(const struct ik_session_run *run, const struct ik_session_keep *keep)
{
	return run->keep == keep && !run->session->closing;
}

/* Deferred: go on. */
static void step_later(void *arg)
{
	struct ik_session_keep *keep = arg;
	struct ik_session_run *run = keep->run;

	if (!work(keep))
		ik_loop_defer(run->session->options.loop, step_later, keep);
	else if (may_begin(run, keep))
		keep->ready(run);
}

/* What there is to say of a large work tree. */
static const char *preparation_text(enum ik_worktree_problem problem)
{
	switch (problem) {
	case IK_WORKTREE_FINE:
		return _("This work tree is known now: what commands do from here on can be taken back.");
	case IK_WORKTREE_SLOW:
		return _("To read this work tree for /undo takes too long: what commands do in this "
			"session cannot be taken back.");
	case IK_WORKTREE_FAILED:
		return _("This work tree could not be read for /undo: until that works, what commands do "
			"cannot be taken back.");
	default:
		return _("This work tree is large: it is read in the background for /undo. Until that is "
			"done, what commands do cannot be taken back.");
	}
}

/* Say that a large work tree is being read, and how that ended. */
static void on_prepared(void *arg, enum ik_worktree_problem problem)
{
	ik_session_add_notice(arg, preparation_text(problem));
}

/* Is it to be left out of snapshots? */
static bool is_hidden(void *arg, const char *path)
{
	const struct ik_session *session = arg;

	return ik_sandbox_hides(session->options.run.sandbox, NULL, path);
}

/* Have the work tree of the session ready; false: there is none, and *ret_problem says why. */
static bool have_tree(struct ik_session *session, enum ik_worktree_problem *ret_problem)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal", "-locks" };
	const char *root = session->options.undo_directory, *database = session->options.undo_spared;
	char *spared[7] = { NULL }, *shadows;

	if (session->worktree == NULL) {
		/* What the program writes itself is none of a call's doing. */
		spared[0] = ik_strndup(root, (size_t)(ik_path_base(root) - root));
		for (size_t i = 0; database != NULL && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
			spared[i + 1] = ik_format("%s%s", database, suffixes[i]);
		shadows = ik_path_join(root, "trees");
		session->worktree = ik_worktree_new(&(struct ik_worktree_options){
			.loop = session->options.loop,
			.shadows = shadows,
			.directory = session->directory,
			.spared = (const char *const *)spared,
			.search_path = getenv("PATH"),
			.home = getenv("HOME"),
			.hidden = is_hidden,
			.told = on_prepared,
			.arg = session,
		}, &session->worktree_problem);
		free(shadows);
		for (size_t i = 0; i < sizeof(spared) / sizeof(spared[0]); i++)
			free(spared[i]);
	}
	*ret_problem = session->worktree_problem;
	return *ret_problem == IK_WORKTREE_FINE;
}

/* The snapshot is taken, or cannot be: let the call begin. */
static void on_snapshot(void *arg, const struct ik_worktree_result *result)
{
	struct ik_session_keep *keep = arg;
	struct ik_session_run *run = keep->run;

	keep->problem = result->problem;
	keep->modes = result->modes;
	if (result->problem == IK_WORKTREE_FINE)
		memcpy(keep->tree, result->id, strlen(result->id) + 1);
	keep->work = ik_worktree_work_close(keep->work);
	keep->noted = note_call(keep);
	if (may_begin(run, keep))
		keep->ready(run);
}

/* Keep what a call may change of which nothing is known beforehand. */
static bool keep_anything(struct ik_session_keep *keep)
{
	struct ik_session *session = keep->run->session;

	if (have_tree(session, &keep->problem)) {
		keep->watching = session->options.written != NULL;
		if (keep->watching)
			keep->since = ik_written_watch(session->options.written);
		keep->work = ik_worktree_snapshot(session->worktree, on_snapshot, keep);
		return false;
	}
	keep->noted = note_call(keep);
	return may_begin(keep->run, keep);
}

/* It is known what the call changed. */
static void on_compared(void *arg, const struct ik_worktree_result *result)
{
	struct ik_session_keep *keep = arg;
	struct ik_error error;

	if (ik_revert_note_changes(keep->directory, keep->id, result->problem, result->changes,
			own_changes(keep, result->changes, result->count), &error) == IK_OK)
		keep->run->session->undo_lines++;
	else
		ik_log(IK_LOG_ERROR, "undo: %s", error.text);
	watch_no_more(keep);
	keep->work = ik_worktree_work_close(keep->work);
	keep->ready(keep->run);
}

bool ik_session_keep_files(struct ik_session_run *run, void (*ready)(struct ik_session_run *run))
{
	struct ik_session *session = run->session;
	const struct ik_tool *tool = ik_registry_find(session->registry, run->name);
	struct ik_session_keep *keep;
	struct ik_error error;
	char **paths, *directory;

	if (session->options.undo_directory == NULL || tool == NULL || tool->read_only)
		return true;
	directory = ik_revert_directory(session->options.undo_directory, session->id, &error);
	if (directory == NULL) {
		complain(session, &error);
		return may_begin(run, NULL);
	}
	run->keep = keep = ik_alloc(sizeof(*keep));
	keep->run = run;
	keep->ready = ready;
	keep->directory = directory;
	keep->lines = session->undo_lines;
	ik_uuid_new(keep->id);
	if (ik_writes_anything(tool))
		return keep_anything(keep);
	paths = ik_writes_paths(tool, run->arguments.data, run->arguments.length,
		session->directory, &keep->count);
	keep->entries = ik_alloc((keep->count + 1) * sizeof(*keep->entries));
	for (size_t i = 0; i < keep->count; i++)
		keep->entries[i].path = paths[i];
	free(paths);
	begin_writing(keep);
	if (work(keep))
		return may_begin(run, keep);
	ik_loop_defer(session->options.loop, step_later, keep);
	return false;
}

bool ik_session_is_keeping(const struct ik_session_run *run)
{
	const struct ik_session_keep *keep = run->keep;

	return keep != NULL && run->run == NULL && (keep->work != NULL ||
		(keep->entries != NULL && keep->at < keep->count));
}

bool ik_session_note_written(struct ik_session_run *run, void (*ready)(struct ik_session_run *run))
{
	struct ik_session *session = run->session;
	struct ik_session_keep *keep = run->keep;
	struct ik_error error;

	if (keep != NULL)
		end_writing(keep);
	if (keep == NULL || !keep->noted)
		return true;
	if (keep->tree[0] != '\0') {
		keep->ready = ready;
		keep->work = ik_worktree_compare(session->worktree, keep->tree, keep->modes,
			keep->directory, on_compared, keep);
		return false;
	}
	for (size_t i = 0; i < keep->count; i++) {
		if (is_hidden_from(run, keep->entries[i].path))
			continue;
		ik_file_state_done(&keep->entries[i].state);
		keep->entries[i].state = ik_file_state_look(keep->entries[i].path, IK_FILE_AT_ONCE);
	}
	/* As if it had been cut off: what it left is shown, and not touched. */
	if (ik_revert_note_done(keep->directory, keep->id, keep->entries, keep->count,
			&error) == IK_OK)
		session->undo_lines++;
	else
		ik_log(IK_LOG_ERROR, "undo: %s", error.text);
	return true;
}
