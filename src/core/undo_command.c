#include "core/undo_command.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tool/output_files.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Limit on turns undone at once. */
#define TURNS_MOST 1000

/* Limits on turns listed by /undo ?, and on unknown calls listed one by one. */
enum { TURNS_SHOWN = 20, COMMANDS_SHOWN = 5 };

/* ---- texts ---- */

/* Append a line for one file. */
static void put_result(struct ik_buf *out, const struct ik_undo_result *result, const char *path)
{
	bool gone = result->file.before.kind == IK_FILE_ABSENT;

	switch (result->outcome) {
	case IK_UNDO_READY:
		ik_buf_printf(out,
			gone ? _("  %s: would be removed, it was not there before\n")
				 : _("  %s: would be as it was before\n"),
			path);
		break;
	case IK_UNDO_DONE:
		ik_buf_printf(out,
			gone                  ? _("  %s: removed\n")
				: result->present ? _("  %s: restored\n")
								  : _("  %s: there again\n"),
			path);
		break;
	case IK_UNDO_ALREADY:
		ik_buf_printf(out, _("  %s: is like that already\n"), path);
		break;
	case IK_UNDO_CHANGED:
		ik_buf_printf(out, _("  %s: changed since, not touched (/undo %s! does it all the same)\n"),
			path, path);
		break;
	case IK_UNDO_NO_FILE:
		ik_buf_printf(out, _("  %s: not touched, it is not a regular file any more\n"), path);
		break;
	case IK_UNDO_CUT_OFF:
		ik_buf_printf(out,
			_("  %s: its call was cut off, not touched (/undo %s! does it all the same)\n"), path,
			path);
		break;
	case IK_UNDO_MOVED:
		ik_buf_printf(out, _("  %s: not touched, its directory has changed since\n"), path);
		break;
	case IK_UNDO_NOT_KEPT:
		ik_buf_printf(out, _("  %s: not touched, what it was is not kept\n"), path);
		break;
	case IK_UNDO_FAILED:
		ik_buf_printf(out, "  %s: %s\n", path, result->reason.text);
		break;
	}
}

/* Append a line with the result of each file. */
static void put_results(struct ik_buf *out, const struct ik_undo *undo, const char *directory)
{
	size_t count;
	const struct ik_undo_result *results = ik_undo_results(undo, &count);

	for (size_t i = 0; i < count; i++)
		put_result(out, &results[i], ik_places_relative(directory, results[i].file.path));
}

/* Return the reason why a call's changes are unknown; NULL: nothing was compared. */
static const char *reason_of(const struct ik_undo_call *call)
{
	static const char *const reasons[] = {
		[IK_WORKTREE_FINE] = NULL,
		[IK_WORKTREE_NO_GIT] = N_("git is not installed"),
		[IK_WORKTREE_NO_TREE] = N_("not in a git work tree"),
		[IK_WORKTREE_SLOW] = N_("a snapshot of the work tree takes too long"),
		[IK_WORKTREE_PREPARING] = N_("the work tree was being read for the first time"),
		[IK_WORKTREE_MANY] = N_("too many files changed"),
		[IK_WORKTREE_FAILED] = N_("git could not take a snapshot"),
	};

	if (call->compared && call->over == SIZE_MAX)
		return _("it was cut off");
	return reasons[call->problem] ? _(reasons[call->problem]) : NULL;
}

/* Append a call whose changes are unknown. */
static void put_command(struct ik_buf *out, const struct ik_undo_call *call)
{
	const char *reason = reason_of(call);

	if (reason)
		ik_buf_printf(out, _("  What this did is not known, and stays (%s): %s\n"), reason,
			call->words);
	else
		ik_buf_printf(out, _("  What this did is not known, and stays: %s\n"), call->words);
}

/* Append the calls with unknown changes in the turns from first to last (indexes), except in turns
 * that were undone. */
static void put_unknown(struct ik_buf *out, const struct ik_undo_history *history, size_t first,
	size_t last)
{
	size_t count = 0, compared = 0;

	for (size_t i = 0; i < history->call_count; i++) {
		const struct ik_undo_call *call = &history->calls[i];

		if (call->turn < first || call->turn > last || call->undone ||
			history->turns[call->turn].undone)
			continue;
		compared += call->compared && !call->anything;
		if (call->anything && ++count <= COMMANDS_SHOWN)
			put_command(out, call);
	}
	if (compared > 0)
		ik_buf_puts(out,
			_("  What commands did to files that git ignores, or outside its work tree, can't be "
			  "undone.\n"));
	if (count > COMMANDS_SHOWN)
		ik_buf_printf(out,
			ngettext("  and %zu more call\n", "  and %zu more calls\n", count - COMMANDS_SHOWN),
			count - COMMANDS_SHOWN);
}

/* Append the text for the model; again: after a redo. */
static void put_for_model(struct ik_buf *out, const struct ik_undo *undo, bool again)
{
	size_t count;
	const struct ik_undo_result *results = ik_undo_results(undo, &count);

	ik_buf_puts(out,
		again ? "The user has redone changes that your tools had made to files:\n"
			  : "The user has undone changes that your tools had made to files:\n");
	for (size_t i = 0; i < count; i++) {
		const struct ik_undo_result *result = &results[i];

		if (result->outcome != IK_UNDO_DONE)
			continue;
		ik_buf_printf(out, "%s %s\n", result->file.path,
			result->file.before.kind == IK_FILE_ABSENT ? "does not exist any more."
				: again                                ? "is again as your tools had left it."
						: "has again the contents that it had before.");
	}
	ik_buf_puts(out,
		"What you remember of these files is out of date: read them before you edit them.\n");
}

/* Store the indexes of at most count turns that can be undone, newest first. Return their
 * number. */
static size_t find_turns(const struct ik_undo_history *history, size_t *turns, size_t count)
{
	size_t found = 0, files;

	for (size_t i = history->turn_count; i-- > 0 && found < count;) {
		struct ik_file_change *list;

		if (history->turns[i].undone)
			continue;
		list = ik_undo_files(history, i, i, NULL, false, &files);
		ik_file_changes_free(list, files);
		if (files > 0)
			turns[found++] = i;
	}
	return found;
}

/* Append a turn's time and subject. */
static void put_turn(struct ik_buf *out, const struct ik_undo_turn *turn)
{
	time_t seconds = (time_t)(turn->time_ms / 1000);
	struct tm local;
	char text[32] = "";

	if (localtime_r(&seconds, &local))
		(void)strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &local);
	ik_buf_printf(out, "%s  %s\n", text, turn->title);
}

/* Has the call not been undone, and did it write the file, as far as is known? */
static bool has_written(const struct ik_undo_history *history, const struct ik_undo_call *call,
	const char *path)
{
	if (call->undone || history->turns[call->turn].undone)
		return false;
	for (size_t i = 0; i < call->count; i++) {
		const struct ik_file_change *file = &call->files[i];

		if (ik_text_equal(file->path, path) && !ik_file_change_is_none(file))
			return true;
	}
	return false;
}

/* Did a later turn, which must be undone first, also write the file? */
static bool is_written_later(const struct ik_undo_history *history, size_t turn, const char *path)
{
	for (size_t i = 0; i < history->call_count; i++)
		if (history->calls[i].turn > turn && has_written(history, &history->calls[i], path))
			return true;
	return false;
}

/* Append the files of one turn with their state. */
static void put_files(struct ik_buf *out, const struct ik_undo_history *history, size_t turn,
	const char *directory)
{
	size_t count;
	struct ik_file_change *files = ik_undo_files(history, turn, turn, NULL, false, &count);
	struct ik_undo *undo = ik_undo_new(NULL, history, files, count, false);
	const struct ik_undo_result *results = ik_undo_results(undo, &count);

	while (!ik_undo_advance(undo))
		;
	for (size_t i = 0; i < count; i++) {
		const char *path = ik_places_relative(directory, results[i].file.path);

		if (is_written_later(history, turn, results[i].file.path))
			ik_buf_printf(out, _("  %s: written again in a later turn\n"), path);
		else
			put_result(out, &results[i], path);
	}
	ik_undo_free(undo);
}

/* Append the turns that changed files, newest first. Reads the files. */
static void put_list(struct ik_buf *out, const struct ik_undo_history *history,
	const char *directory)
{
	size_t turns[TURNS_SHOWN], count = find_turns(history, turns, TURNS_SHOWN);

	for (size_t i = 0; i < count; i++) {
		ik_buf_printf(out, "%zu  ", i + 1);
		put_turn(out, &history->turns[turns[i]]);
		put_files(out, history, turns[i], directory);
		put_unknown(out, history, turns[i], turns[i]);
	}
	if (count > 0) {
		ik_buf_puts(out, _("/undo undoes the first, /undo N those from 1 to N."));
	} else {
		ik_buf_printf(out, "%s\n", _("No file was written in this session that could be undone."));
		put_unknown(out, history, 0, SIZE_MAX);
	}
}

/* ---- a single call ---- */

/* Return the index of the newest call with that id, or SIZE_MAX. */
static size_t newest(const struct ik_undo_history *history, const char *id)
{
	for (size_t i = history->call_count; i-- > 0;)
		if (ik_text_equal(history->calls[i].call_id, id))
			return i;
	return SIZE_MAX;
}

/* Fail if a call can't be undone whatever its files are now. */
static bool is_refused(const struct ik_undo_history *history, size_t index, struct ik_error *error)
{
	const struct ik_undo_call *call = index != SIZE_MAX ? &history->calls[index] : NULL;
	const char *reason;

	if (!call) {
		(void)ik_error_set(error, IK_NOT_FOUND, "%s",
			_("Nothing is kept of this call: it wrote no files, or was made before that."));
	} else if (call->undone || history->turns[call->turn].undone) {
		(void)ik_error_set(error, IK_NOT_FOUND, "%s",
			_("What this call did was undone already; /redo brings it back."));
	} else if (call->anything && (reason = reason_of(call))) {
		(void)ik_error_set(error, IK_NOT_FOUND, _("What this call did is not known (%s)."), reason);
	} else if (call->anything) {
		(void)ik_error_set(error, IK_NOT_FOUND, "%s", _("What this call did is not known."));
	} else {
		return false;
	}
	return true;
}

/* Did another call write the file at the same time, as calls of one round may? Then it is unknown
 * which of them did what. */
static bool is_shared(const struct ik_undo_history *history, size_t index, const char *path)
{
	const struct ik_undo_call *mine = &history->calls[index];

	for (size_t i = 0; i < history->call_count; i++) {
		const struct ik_undo_call *other = &history->calls[i];

		if (i != index && other->begun < mine->over && other->over > mine->begun &&
			has_written(history, other, path))
			return true;
	}
	return false;
}

/* Return the newest call after index that also wrote the file and is not undone, or NULL. */
static const struct ik_undo_call *later_writer(const struct ik_undo_history *history, size_t index,
	const char *path)
{
	for (size_t i = history->call_count; i-- > index + 1;)
		if (has_written(history, &history->calls[i], path))
			return &history->calls[i];
	return NULL;
}

/* Fail unless the call alone changed the file and was the last to do so. */
static enum ik_status check_file(const struct ik_undo_history *history, size_t index,
	const char *path, const char *directory, struct ik_error *error)
{
	const struct ik_undo_call *later;

	if (is_shared(history, index, path))
		return ik_error_set(error, IK_NOT_FOUND,
			_("Another call wrote %s at that time: /undo undoes the turn"),
			ik_places_relative(directory, path));
	later = later_writer(history, index, path);
	if (later)
		return ik_error_set(error, IK_NOT_FOUND,
			_("%s was written again by a later call, which comes first: %s"),
			ik_places_relative(directory, path), later->words);
	return IK_OK;
}

enum ik_status ik_undo_call_find(const struct ik_undo_history *history, const char *id,
	const char *directory, size_t *ret_call, struct ik_file_change **ret_files, size_t *ret_count,
	struct ik_error *error)
{
	size_t index = newest(history, id), count;
	struct ik_file_change *files;
	enum ik_status status = IK_OK;

	if (is_refused(history, index, error))
		return error->status;
	files = ik_undo_files_of_call(history, index, &count);
	if (count == 0)
		status = ik_error_set(error, IK_NOT_FOUND, "%s", _("This call changed no file."));
	for (size_t i = 0; i < count && status == IK_OK; i++)
		status = check_file(history, index, files[i].path, directory, error);
	if (status != IK_OK) {
		ik_file_changes_free(files, count);
		return status;
	}
	*ret_call = index;
	*ret_files = files;
	*ret_count = count;
	return IK_OK;
}

/* Fail with the reason why a change of a file can't be undone. */
static enum ik_status explain(const struct ik_undo_result *result, const char *path,
	struct ik_error *error)
{
	switch (result->outcome) {
	case IK_UNDO_ALREADY:
		return ik_error_set(error, IK_NOT_FOUND, _("%s is already as it was before this call."),
			path);
	case IK_UNDO_CUT_OFF:
		return ik_error_set(error, IK_NOT_FOUND,
			_("This call was cut off: what it left of %s is not known."), path);
	case IK_UNDO_MOVED:
		return ik_error_set(error, IK_NOT_FOUND,
			_("The directory of %s has changed since: it is not touched."), path);
	case IK_UNDO_NOT_KEPT:
		return ik_error_set(error, IK_NOT_FOUND, _("What %s was before this call is not kept."),
			path);
	default:
		return ik_error_set(error, IK_NOT_FOUND,
			_("%s was changed since by somebody else: it is not touched."), path);
	}
}

/* Append a call, and a line on what undoing it would do to each file. Reads the files; fails if
 * none of them can be undone in its current state. */
static enum ik_status put_call(const struct ik_undo_history *history, const char *id,
	const char *directory, struct ik_buf *out, struct ik_error *error)
{
	const struct ik_undo_result *results;
	enum ik_status status = IK_OK;
	struct ik_file_change *files;
	struct ik_undo *look;
	size_t call, count;

	if (ik_undo_call_find(history, id, directory, &call, &files, &count, error) != IK_OK)
		return error->status;
	look = ik_undo_new(NULL, history, files, count, false);
	while (!ik_undo_advance(look))
		;
	results = ik_undo_results(look, &count);
	if (ik_undo_count(look, IK_UNDO_READY) == 0) {
		status = explain(&results[0], ik_places_relative(directory, results[0].file.path), error);
	} else {
		ik_buf_printf(out, "%s\n", history->calls[call].words);
		put_results(out, look, directory);
	}
	ik_undo_free(look);
	return status;
}

/* ---- the work on files ---- */

struct ik_undo_work {
	struct ik_core *core;
	struct ik_session *session;
	char *line, *rest;     /* the command and its arguments */
	bool waiting;          /* for the changes of calls to be in the journal */
	char *directory;       /* of the journal */
	char id[IK_UUID_TEXT]; /* of the undo; for a redo, of the undo to redo */
	bool again;            /* a redo */
	bool force;            /* ignore that a file has changed since */
	struct ik_undo_history history;
	struct ik_undo *undo;
	const char **turns; /* ids of the turns, in history */
	size_t turn_count;
	size_t first, last;              /* the turns to undo; none if last < first */
	const struct ik_undo_call *call; /* undo only this call; NULL: whole turns */
};

static void work_free(struct ik_undo_work *work)
{
	ik_undo_free(work->undo);
	ik_undo_history_done(&work->history);
	free(work->turns);
	free(work->directory);
	free(work->line);
	free(work->rest);
	free(work);
}

/* Return the reason why the session can't undo anything now, or NULL. */
static const char *problem_now(const struct ik_core *core, const struct ik_session *session)
{
	if (!core->undo_directory)
		return core->setup->config->tools_undo
			? _("There is no home directory to keep files in.")
			: _("Nothing is kept: tools.undo is false in the configuration.");
	if (ik_session_busy(session) || core->undo)
		return _("Something is under way: wait for its end, or cancel it (Esc).");
	return NULL;
}

/* Like problem_now(), but also require that the changes of all calls are in the journal: until
 * then, its newest turn may not be the last one. */
static const char *problem_if_noted(const struct ik_core *core, const struct ik_session *session)
{
	const char *problem = problem_now(core, session);

	if (!problem && !ik_session_undo_is_recorded(session))
		problem =
			_("ikigai is still finding out what the last command changed. Try again in a moment.");
	return problem;
}

/* Append the beginning of the answer. */
static void put_head(struct ik_buf *out, const struct ik_undo_work *work, size_t done)
{
	const char *title = work->first <= work->last && work->turn_count == 1
		? work->history.turns[work->first].title
		: NULL;

	if (done == 0 && ik_undo_count(work->undo, IK_UNDO_ALREADY) > 0)
		ik_buf_puts(out, _("There was nothing to be done:\n"));
	else if (done == 0)
		ik_buf_puts(out, _("Nothing was done:\n"));
	else if (work->again)
		ik_buf_puts(out, _("Redone:\n"));
	else if (work->call)
		ik_buf_printf(out, _("Undid %s:\n"), work->call->words);
	else if (title)
		ik_buf_printf(out, _("Undid \"%s\":\n"), title);
	else
		ik_buf_puts(out, _("Undone:\n"));
}

/* Were all changes of the call undone? If not, the rest can be undone later. */
static bool is_whole(const struct ik_undo_work *work)
{
	size_t count;

	(void)ik_undo_results(work->undo, &count);
	return ik_undo_count(work->undo, IK_UNDO_DONE) + ik_undo_count(work->undo, IK_UNDO_ALREADY) ==
		count;
}

/* Write the result to the journal. */
static enum ik_status note(const struct ik_undo_work *work, struct ik_error *error)
{
	size_t count;
	struct ik_file_change *changes = ik_undo_changes(work->undo, &count);
	enum ik_status status = IK_OK;

	if (work->again)
		status = ik_undo_note_redo(work->directory, work->id, error);
	else if (!work->call || count > 0) /* otherwise no /redo could reverse it */
		status = ik_undo_note_undo(work->directory, work->id,
			&(struct ik_undo_scope){
				.turns = work->turns,
				.turn_count = work->turn_count,
				.call = work->call && is_whole(work) ? work->call->id : NULL,
			},
			changes, count, error);
	free(changes);
	return status;
}

/* Write the journal and answer, since all files are done. */
static void finish(struct ik_undo_work *work)
{
	size_t done = ik_undo_count(work->undo, IK_UNDO_DONE);
	struct ik_message *message;
	struct ik_buf out, told;
	struct ik_error error;

	work->core->undo = NULL;
	ik_buf_init(&out, IK_MIB(1));
	ik_buf_init(&told, IK_MIB(1));
	put_head(&out, work, done);
	put_results(&out, work->undo, work->core->setup->places.directory);
	/* Turns that wrote no file were skipped, so their unknown changes stay, too. */
	if (work->first <= work->last)
		put_unknown(&out, &work->history, work->first, work->history.turn_count - 1);
	if (note(work, &error) != IK_OK)
		ik_buf_printf(&out, "%s\n", error.text);
	else if (done > 0 && work->call)
		ik_buf_puts(&out, _("/redo brings it back."));
	else if (done > 0 && !work->again)
		ik_buf_puts(&out, _("/redo brings it back; /undo goes on with the turn before."));
	if (out.data[out.length - 1] == '\n')
		ik_buf_truncate(&out, out.length - 1);
	put_for_model(&told, work->undo, work->again);
	message = ik_message_command(work->line, out.data);
	if (done > 0)
		message = ik_message_with_text(message, "told", told.data, told.length);
	ik_session_add_message(work->session, message);
	ik_message_unref(message);
	ik_buf_done(&told);
	ik_buf_done(&out);
	work_free(work);
}

/* Process some of the files. */
static void step(void *arg)
{
	struct ik_undo_work *work = arg;

	if (ik_undo_advance(work->undo))
		finish(work);
	else
		ik_loop_defer(work->core->loop, step, work);
}

/* ---- choosing the files; NULL: none, and answer has the reason or the requested list ---- */

/* Choose the files for /undo N, which the newest N turns that are not undone changed. */
static struct ik_file_change *choose_turns(struct ik_undo_work *work, size_t wanted,
	size_t *ret_count, struct ik_buf *answer)
{
	size_t *turns = ik_alloc(wanted * sizeof(*turns));
	size_t count = find_turns(&work->history, turns, wanted);

	work->turns = ik_alloc((count + 1) * sizeof(*work->turns));
	for (size_t i = 0; i < count; i++)
		work->turns[i] = work->history.turns[turns[i]].id;
	work->turn_count = count;
	if (count > 0) {
		work->first = turns[count - 1];
		work->last = turns[0];
	}
	free(turns);
	if (count > 0)
		return ik_undo_files(&work->history, work->first, work->last, NULL, false, ret_count);
	ik_buf_printf(answer, "%s\n", _("No file was written in this session that could be undone."));
	put_unknown(answer, &work->history, 0, SIZE_MAX);
	return NULL;
}

/* Choose the file for /undo FILE[!]; undo what the newest turn that is not undone did to it. */
static struct ik_file_change *choose_file(struct ik_undo_work *work, const char *rest,
	size_t *ret_count, struct ik_buf *answer)
{
	size_t length = strlen(rest), count = 0;
	char *name, *whole, *path;
	struct ik_file_change *files = NULL;

	work->force = rest[length - 1] == '!';
	name = ik_strndup(rest, length - work->force);
	whole = ik_path_join(work->core->setup->places.directory, name);
	path = ik_path_resolve(whole);
	for (size_t i = work->history.turn_count; i-- > 0 && path && count == 0;) {
		if (work->history.turns[i].undone && !work->force)
			continue;
		ik_file_changes_free(files, count);
		files = ik_undo_files(&work->history, i, i, path, work->force, &count);
	}
	if (count == 0) {
		ik_file_changes_free(files, count);
		files = NULL;
		ik_buf_printf(answer, _("No turn that can be undone wrote %s. /undo ? lists them."), name);
	}
	free(path);
	free(whole);
	free(name);
	*ret_count = count;
	return files;
}

/* Choose the files for /undo #ID, which one call changed. */
static struct ik_file_change *choose_call(struct ik_undo_work *work, const char *id,
	size_t *ret_count, struct ik_buf *answer)
{
	struct ik_file_change *files;
	struct ik_error error;
	size_t call;

	if (ik_undo_call_find(&work->history, id, work->core->setup->places.directory, &call, &files,
			ret_count, &error) != IK_OK) {
		ik_buf_puts(answer, error.text);
		return NULL;
	}
	work->call = &work->history.calls[call];
	return files;
}

/* Interpret the arguments of /undo. */
static struct ik_file_change *choose_undo(struct ik_undo_work *work, size_t *ret_count,
	struct ik_buf *answer)
{
	const char *rest = work->rest;
	char *end = NULL;
	long number = rest[0] != '\0' ? strtol(rest, &end, 10) : 1;

	ik_uuid_new(work->id);
	if (ik_text_equal(rest, "?")) {
		put_list(answer, &work->history, work->core->setup->places.directory);
		return NULL;
	}
	if (rest[0] == '#' && newest(&work->history, rest + 1) != SIZE_MAX)
		return choose_call(work, rest + 1, ret_count, answer);
	if (rest[0] == '\0' || (*end == '\0' && number >= 1))
		return choose_turns(work, number < TURNS_MOST ? (size_t)number : TURNS_MOST, ret_count,
			answer);
	return choose_file(work, rest, ret_count, answer);
}

/* Choose the files for /redo, of the newest undo that can be redone. */
static struct ik_file_change *choose_redo(struct ik_undo_work *work, size_t *ret_count,
	struct ik_buf *answer)
{
	struct ik_file_change *files;

	for (size_t i = work->history.undo_count; i-- > 0;) {
		const struct ik_undo_record *last = &work->history.undos[i];

		if (last->redone || last->count == 0)
			continue;
		memcpy(work->id, last->id, sizeof(work->id));
		files = ik_alloc(last->count * sizeof(*files));
		for (*ret_count = 0; *ret_count < last->count; ++*ret_count)
			files[*ret_count] = ik_file_change_copy(&last->files[*ret_count]);
		return files;
	}
	ik_buf_puts(answer, _("Nothing was undone in this session that could be redone."));
	return NULL;
}

/* ---- the command ---- */

enum ik_status ik_undo_call_look(const struct ik_core *core, const char *id,
	struct ik_buf *ret_text, struct ik_error *error)
{
	const char *problem = problem_if_noted(core, core->session);
	struct ik_undo_history history;
	enum ik_status status;

	if (problem)
		return ik_error_set(error, IK_UNAVAILABLE, "%s", problem);
	ik_undo_history_read(core->undo_directory, ik_session_id(core->session), &history);
	status = put_call(&history, id, core->setup->places.directory, ret_text, error);
	ik_undo_history_done(&history);
	return status;
}

/* Read the session's history and start with the files, or answer why that is not possible. */
static void carry_out(struct ik_undo_work *work)
{
	struct ik_core *core = work->core;
	struct ik_file_change *files = NULL;
	struct ik_buf answer;
	const char *problem;
	size_t count;

	core->undo = NULL;
	work->waiting = false;
	ik_buf_init(&answer, IK_MIB(1));
	problem = problem_if_noted(core, work->session);
	if (problem) {
		ik_buf_puts(&answer, problem);
	} else {
		ik_undo_history_read(core->undo_directory, ik_session_id(work->session), &work->history);
		files = work->again ? choose_redo(work, &count, &answer)
							: choose_undo(work, &count, &answer);
	}
	if (!files) {
		ik_command_answer(work->session, work->line, &answer);
		work_free(work);
		return;
	}
	ik_buf_done(&answer);
	work->undo = ik_undo_new(work->directory, &work->history, files, count, work->force);
	core->undo = work;
	ik_loop_defer(core->loop, step, work);
}

/* Continue, now that the changes of calls are in the journal or the session was closed. */
static void on_noted(void *arg)
{
	struct ik_core *core = arg;
	struct ik_undo_work *work = core->undo;

	/* The command is carried out before its session is closed. */
	if (work && work->waiting)
		carry_out(work);
}

/* Start a command in the current session. */
static void begin(struct ik_core *core, const struct ik_invocation *invocation, bool again,
	struct ik_buf *answer)
{
	const char *problem = problem_now(core, core->session);
	struct ik_undo_work *work;
	struct ik_error error;
	char *directory = NULL;

	if (!problem &&
		!(directory = ik_undo_directory(core->undo_directory, ik_session_id(core->session),
			  &error)))
		problem = error.text;
	if (problem) {
		ik_buf_puts(answer, problem);
		return;
	}
	core->undo = work = ik_alloc(sizeof(*work));
	work->core = core;
	work->session = core->session;
	work->line = ik_strdup(invocation->line);
	work->rest = ik_strdup(invocation->text);
	work->directory = directory;
	work->first = 1;
	work->again = again;
	work->waiting = true;
	if (ik_session_await_undo(work->session, on_noted, core))
		carry_out(work);
}

void ik_command_undo(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	if (ik_text_equal(invocation->text, "compact"))
		ik_session_undo_compact(core->session, invocation->line);
	else
		begin(core, invocation, false, answer);
}

void ik_command_redo(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	begin(core, invocation, true, answer);
}

struct ik_undo_work *ik_undo_work_finish(struct ik_undo_work *work)
{
	struct ik_core *core = work ? work->core : NULL;

	if (work && work->waiting)
		carry_out(work);
	if (!work || !core->undo)
		return NULL;
	ik_loop_cancel_deferred(core->loop, step, work);
	while (!ik_undo_advance(work->undo))
		;
	finish(work);
	return NULL;
}

size_t ik_undo_files_since(const struct ik_core *core, int64_t time_ms, size_t *ret_turns)
{
	size_t *turns = ik_alloc(TURNS_MOST * sizeof(*turns)), count, files = 0;
	struct ik_undo_history history;
	struct ik_file_change *list;

	*ret_turns = 0;
	if (core->undo_directory) {
		ik_undo_history_read(core->undo_directory, ik_session_id(core->session), &history);
		count = find_turns(&history, turns, TURNS_MOST);
		while (*ret_turns < count && history.turns[turns[*ret_turns]].time_ms >= time_ms)
			(*ret_turns)++;
		if (*ret_turns > 0) {
			list = ik_undo_files(&history, turns[*ret_turns - 1], turns[0], NULL, false, &files);
			ik_file_changes_free(list, files);
		}
		ik_undo_history_done(&history);
	}
	free(turns);
	return files;
}

void ik_undo_session_deleted(const struct ik_places *places, const char *session)
{
	char *undo = ik_places_file(places, "undo"), *outputs = ik_places_file(places, "outputs");

	if (undo)
		ik_undo_forget(undo, session);
	if (outputs)
		ik_output_files_forget(outputs, session);
	free(undo);
	free(outputs);
}
