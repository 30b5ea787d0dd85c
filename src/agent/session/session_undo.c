/* Keeps what a call is about to overwrite, so that it can be undone (undo/undo.h). */
#include "agent/session/session_private.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "guard/sandbox.h"
#include "tool/writes.h"
#include "undo/file_copy.h"
#include "undo/undo.h"
#include "undo/worktree.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* Columns of a call in the list of what cannot be undone. */
#define WORDS_WIDTH 80

/* Whoever waits for what is written down late waits no longer than that. */
#define NOTED_MOST_MS 5000

struct ik_session_keep {
	struct ik_session_keep *next; /* of those whose calls are over */
	struct ik_session *session;
	struct ik_session_run *run; /* NULL: it is over */
	void (*ready)(struct ik_session_run *run);
	char *directory;
	char id[IK_UUID_TEXT];
	struct ik_undo_entry *entries;
	size_t count, at;
	bool writing;              /* other sessions were told so */
	bool watching;             /* what other sessions write meanwhile, */
	size_t since;              /* from here on */
	struct ik_file_keep *file; /* that is being kept */
	bool noted;
	size_t
		lines; /* of calls that the session had noted when this began; or, once it is over, then */
	/* Of one that may change anything: */
	struct ik_worktree_call *call;    /* NULL: nothing can be found */
	bool waiting;                     /* for what is known of the work tree */
	enum ik_worktree_problem problem; /* why nothing can be found */
};

static void step_later(void *arg);

/* Deferred: its memory. */
static void keep_free(void *arg)
{
	struct ik_session_keep *keep = arg;

	ik_file_keep_free(keep->file);
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
		ik_written_watch_no_more(keep->session->options.written);
	keep->watching = false;
}

/* Tell other sessions what this one is about to write. */
static void begin_writing(struct ik_session_keep *keep)
{
	const struct ik_session *session = keep->session;

	keep->writing = session->options.written;
	for (size_t i = 0; keep->writing && i < keep->count; i++)
		ik_written_begin(session->options.written, session, keep->entries[i].path);
}

/* The call is over, or will not be made. */
static void end_writing(struct ik_session_keep *keep)
{
	const struct ik_session *session = keep->session;

	for (size_t i = 0; keep->writing && i < keep->count; i++)
		ik_written_end(session->options.written, session, keep->entries[i].path);
	keep->writing = false;
}

/* Put the changes first that are not another session's; how many those are. */
static size_t own_changes(const struct ik_session_keep *keep, struct ik_worktree_change *changes,
	size_t count)
{
	const struct ik_session *session = keep->session;
	size_t own = 0;

	for (size_t i = 0; i < count; i++) {
		struct ik_worktree_change change = changes[i];

		if (keep->watching &&
			ik_written_by_another(session->options.written, keep->since, session, change.path))
			continue;
		changes[i] = changes[own];
		changes[own++] = change;
	}
	return own;
}

struct ik_session_keep *ik_session_keep_close(struct ik_session_keep *keep)
{
	struct ik_loop *loop;

	if (!keep)
		return NULL;
	end_writing(keep);
	watch_no_more(keep);
	loop = keep->session->options.loop;
	ik_loop_cancel_deferred(loop, step_later, keep);
	keep->call = ik_worktree_call_close(keep->call);
	ik_loop_defer(loop, keep_free, keep);
	return NULL;
}

/* Say, once, that nothing can be undone from here on. */
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
	char *title = question ? ik_session_title(question->content, ik_message_typed(question))
						   : ik_format("/run %s", words);
	const struct ik_undo_call_line line = {
		.id = keep->id,
		.turn = question ? question->id : keep->id,
		.title = title,
		.name = run->name,
		.call_id = run->id,
		.words = words,
		.entries = keep->entries,
		.count = keep->count,
		.compared = keep->call,
		.since = run->session->undo_lines - keep->lines,
		.problem = keep->problem,
	};
	struct ik_error error;
	bool noted = ik_undo_note_call(keep->directory, &line, &error) == IK_OK;

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
		const struct ik_undo_entry *entry = &keep->entries[i];
		char *sentence;

		if (entry->state.kind != IK_FILE_REGULAR || entry->state.hash[0] != '\0')
			continue;
		if (entry->state.identity.size > IK_UNDO_FILE_MOST)
			sentence = ik_format(_("%s is larger than %d MB: it is not kept, and /undo will "
								   "not bring it back."),
				entry->path, (int)(IK_UNDO_FILE_MOST / IK_MIB(1)));
		else
			sentence = ik_format(_("%s could not be read: it is not kept, and /undo will "
								   "not bring it back."),
				entry->path);
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
	struct ik_undo_entry *entry = &keep->entries[keep->at];

	if (keep->at == keep->count)
		return true;
	if (!keep->file && is_hidden_from(keep->run, entry->path)) {
		entry->state = (struct ik_file_state){ .kind = IK_FILE_OTHER };
		return ++keep->at == keep->count;
	}
	if (!keep->file)
		keep->file = ik_file_keep_new(keep->directory, entry->path, IK_UNDO_FILE_MOST);
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

/* What there is to say of a work tree that takes long to be read. */
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

/* Say that a work tree is still being read, and how that ended. */
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

	if (!session->worktree) {
		/* What the program writes itself is none of a call's doing. */
		spared[0] = ik_strndup(root, (size_t)(ik_path_base(root) - root));
		for (size_t i = 0; database && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
			spared[i + 1] = ik_format("%s%s", database, suffixes[i]);
		shadows = ik_path_join(root, "trees");
		session->worktree = ik_worktree_new(
			&(struct ik_worktree_options){
				.loop = session->options.loop,
				.shadows = shadows,
				.directory = session->directory,
				.spared = (const char *const *)spared,
				.search_path = getenv("PATH"),
				.home = getenv("HOME"),
				.hidden = is_hidden,
				.told = on_prepared,
				.arg = session,
			},
			&session->worktree_problem);
		free(shadows);
		for (size_t i = 0; i < sizeof(spared) / sizeof(spared[0]); i++)
			free(spared[i]);
	}
	*ret_problem = session->worktree_problem;
	return *ret_problem == IK_WORKTREE_FINE;
}

void ik_session_undo_turn(struct ik_session *session)
{
	size_t count = session->registry ? ik_registry_count(session->registry) : 0;
	enum ik_worktree_problem problem;
	bool anything = false;

	session->undo_turn_lines = session->undo_lines;
	for (size_t i = 0; !anything && i < count; i++)
		anything = ik_writes_anything(ik_registry_at(session->registry, i));
	if (anything && session->options.undo_directory && have_tree(session, &problem))
		session->undo_turn_ms = ik_worktree_read(session->worktree);
}

/* A call that may change anything begins, with what is known of the work tree. */
static void note_anything(struct ik_session_keep *keep)
{
	if (keep->problem != IK_WORKTREE_FINE)
		keep->call = ik_worktree_call_close(keep->call);
	/* Then the calls of the turn before it may have done what is found. */
	else if (!ik_worktree_call_exact(keep->call) && keep->session->undo_turn_lines < keep->lines)
		keep->lines = keep->session->undo_turn_lines;
	keep->noted = note_call(keep);
}

/* It has waited for what is known of the work tree. */
static void on_known(void *arg, enum ik_worktree_problem problem)
{
	struct ik_session_keep *keep = arg;
	struct ik_session_run *run = keep->run;

	keep->waiting = false;
	keep->problem = problem;
	note_anything(keep);
	if (may_begin(run, keep))
		keep->ready(run);
}

/* Prepare to find what a call changes of which nothing is known beforehand. */
static bool keep_anything(struct ik_session_keep *keep)
{
	struct ik_session *session = keep->session;

	if (have_tree(session, &keep->problem)) {
		keep->watching = session->options.written;
		if (keep->watching)
			keep->since = ik_written_watch(session->options.written);
		keep->waiting = !ik_worktree_call_new(session->worktree, keep->directory,
			session->undo_turn_ms, on_known, keep, &keep->call, &keep->problem);
		if (keep->waiting)
			return false;
	}
	note_anything(keep);
	return may_begin(keep->run, keep);
}

/* All is written down, or has taken too long: tell those who wait, once each, whatever they ask
 * for meanwhile. */
static void tell_noted(void *arg)
{
	struct ik_session *session = arg;
	struct ik_session_waiting *waiting = session->waiting;
	size_t count = session->waiting_count;

	if (session->noted_timer)
		ik_timer_stop(session->noted_timer);
	session->waiting = NULL;
	session->waiting_count = 0;
	session->noted_late = session->noting;
	for (size_t i = 0; i < count; i++)
		waiting[i].ready(waiting[i].arg);
	free(waiting);
}

bool ik_session_noted(const struct ik_session *session)
{
	return !session->noting;
}

bool ik_session_when_noted(struct ik_session *session, void (*ready)(void *arg), void *arg)
{
	if (!session->noting || session->noted_late)
		return true;
	if (!session->noted_timer)
		session->noted_timer = ik_timer_new(session->options.loop, tell_noted, session);
	if (session->waiting_count == 0)
		ik_timer_start(session->noted_timer, NOTED_MOST_MS);
	session->waiting = ik_alloc_array(session->waiting, session->waiting_count + 1,
		sizeof(*session->waiting));
	session->waiting[session->waiting_count++] = (struct ik_session_waiting){ ready, arg };
	return false;
}

/* Deferred. */
static void tell_noted_later(void *arg)
{
	struct ik_session *session = arg;

	if (!session->noting)
		tell_noted(session);
}

/* It is known what a call changed that is over. */
static void on_found(void *arg, const struct ik_worktree_result *result)
{
	struct ik_session_keep *keep = arg, **at;
	struct ik_session *session = keep->session;
	struct ik_error error;

	if (ik_undo_note_changes(keep->directory, keep->id, result->problem, result->changes,
			own_changes(keep, result->changes, result->count), session->undo_lines - keep->lines,
			&error) == IK_OK)
		session->undo_lines++;
	else
		ik_log(IK_LOG_ERROR, "undo: %s", error.text);
	for (at = &session->noting; *at != keep;)
		at = &(*at)->next;
	*at = keep->next;
	ik_session_keep_close(keep);
	if (!session->noting)
		session->noted_late = false;
	if (!session->noting && session->waiting_count > 0)
		ik_loop_defer(session->options.loop, tell_noted_later, session);
}

void ik_session_undo_close(struct ik_session *session)
{
	while (session->noting) {
		struct ik_session_keep *keep = session->noting;

		session->noting = keep->next;
		ik_session_keep_close(keep);
	}
	ik_loop_cancel_deferred(session->options.loop, tell_noted_later, session);
	tell_noted(session);
	session->noted_timer = ik_timer_close(session->noted_timer);
	session->worktree = ik_worktree_free(session->worktree);
}

bool ik_session_keep_files(struct ik_session_run *run, void (*ready)(struct ik_session_run *run))
{
	struct ik_session *session = run->session;
	const struct ik_tool *tool = ik_registry_find(session->registry, run->name);
	struct ik_session_keep *keep;
	struct ik_error error;
	char **paths, *directory;

	if (!session->options.undo_directory || !tool || tool->read_only)
		return true;
	directory = ik_undo_directory(session->options.undo_directory, session->id, &error);
	if (!directory) {
		complain(session, &error);
		return may_begin(run, NULL);
	}
	run->keep = keep = ik_alloc(sizeof(*keep));
	keep->session = session;
	keep->run = run;
	keep->ready = ready;
	keep->directory = directory;
	keep->lines = session->undo_lines;
	ik_uuid_new(keep->id);
	if (ik_writes_anything(tool))
		return keep_anything(keep);
	paths = ik_writes_paths(tool, run->arguments.data, run->arguments.length, session->directory,
		&keep->count);
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

	return keep && !run->run && (keep->waiting || (keep->entries && keep->at < keep->count));
}

void ik_session_note_written(struct ik_session_run *run)
{
	struct ik_session *session = run->session;
	struct ik_session_keep *keep = run->keep;
	struct ik_error error;

	if (keep)
		end_writing(keep);
	if (!keep || !keep->noted)
		return;
	if (keep->call) {
		keep->next = session->noting;
		keep->lines = session->undo_lines;
		session->noting = keep;
		keep->run = NULL;
		run->keep = NULL;
		ik_worktree_call_end(keep->call, on_found, keep);
		return;
	}
	for (size_t i = 0; i < keep->count; i++) {
		if (is_hidden_from(run, keep->entries[i].path))
			continue;
		ik_file_state_done(&keep->entries[i].state);
		keep->entries[i].state = ik_file_state_look(keep->entries[i].path, IK_FILE_AT_ONCE);
	}
	/* As if it had been cut off: what it left is shown, and not touched. */
	if (ik_undo_note_done(keep->directory, keep->id, keep->entries, keep->count, &error) == IK_OK)
		session->undo_lines++;
	else
		ik_log(IK_LOG_ERROR, "undo: %s", error.text);
}
