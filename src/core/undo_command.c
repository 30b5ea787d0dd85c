#include "core/undo_command.h"

#include <stdlib.h>
#include <string.h>

#include "core/undo_call.h"
#include "core/undo_text.h"
#include "tool/output_files.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Limit on turns undone at once. */
#define TURNS_MOST 1000

struct ik_undo_work {
	struct ik_core *core;
	struct ik_session *session;
	char *line, *rest;     /* the command, and its arguments */
	bool waiting;          /* until the changes of calls are in the journal */
	char *directory;       /* the journal's */
	char id[IK_UUID_TEXT]; /* of the undo; for a redo, of the undo it redoes */
	bool again;            /* a redo */
	bool force;            /* do it even if a file has changed since */
	struct ik_undo_history history;
	struct ik_undo *undo;
	const char **turns; /* their ids, in history */
	size_t turn_count;
	size_t first, last;              /* the turns to undo; last < first: none */
	const struct ik_undo_call *call; /* undo this call alone; NULL: whole turns */
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

/* Return why the session can't undo anything now; NULL: it can. */
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

/* The same once the changes of all calls are in the journal: before that, the newest turn in the
 * journal may not be the last one. */
static const char *problem_if_noted(const struct ik_core *core, const struct ik_session *session)
{
	const char *problem = problem_now(core, session);

	if (!problem && !ik_session_undo_is_recorded(session))
		problem = _("ikigai is still finding out what the last command changed. Try again in a "
					"moment.");
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

/* Was everything that the call did undone? If not, the rest can be undone later. */
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
	else if (!work->call || count > 0) /* else no /redo could ever reverse it */
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

/* All files are done: write the journal, and answer. */
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
	ik_undo_text_results(&out, work->undo, work->core->setup->places.directory);
	/* Turns that wrote no file were skipped: what they did stays too. */
	if (work->first <= work->last)
		ik_undo_text_commands(&out, &work->history, work->first, work->history.turn_count - 1);
	if (note(work, &error) != IK_OK)
		ik_buf_printf(&out, "%s\n", error.text);
	else if (done > 0 && work->call)
		ik_buf_puts(&out, _("/redo brings it back."));
	else if (done > 0 && !work->again)
		ik_buf_puts(&out, _("/redo brings it back; /undo goes on with the turn before."));
	if (out.data[out.length - 1] == '\n')
		ik_buf_truncate(&out, out.length - 1);
	ik_undo_text_told(&told, work->undo, work->again);
	message = done > 0 ? ik_message_command_with(work->line, out.data, "told", told.data)
					   : ik_message_command(work->line, out.data);
	ik_session_add_message(work->session, message);
	ik_message_unref(message);
	ik_buf_done(&told);
	ik_buf_done(&out);
	work_free(work);
}

/* Work on a slice of the files. */
static void step(void *arg)
{
	struct ik_undo_work *work = arg;

	if (ik_undo_advance(work->undo))
		finish(work);
	else
		ik_loop_defer(work->core->loop, step, work);
}

/* ---- which files; NULL: none, and answer says why, or is the list that was asked for ---- */

/* Choose those of /undo N: of the newest N turns that are not undone. */
static struct ik_file_change *choose_turns(struct ik_undo_work *work, size_t wanted,
	size_t *ret_count, struct ik_buf *answer)
{
	size_t *turns = ik_alloc(wanted * sizeof(*turns));
	size_t count = ik_undo_text_turns(&work->history, turns, wanted);

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
	ik_undo_text_commands(answer, &work->history, 0, SIZE_MAX);
	return NULL;
}

/* Choose that of /undo FILE[!]: what the newest turn that is not undone did to it. */
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

/* Choose those of /undo #ID: what one call did. */
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
		ik_undo_text_list(answer, &work->history, work->core->setup->places.directory);
		return NULL;
	}
	if (rest[0] == '#' && ik_undo_call_exists(&work->history, rest + 1))
		return choose_call(work, rest + 1, ret_count, answer);
	if (rest[0] == '\0' || (*end == '\0' && number >= 1))
		return choose_turns(work, number < TURNS_MOST ? (size_t)number : TURNS_MOST, ret_count,
			answer);
	return choose_file(work, rest, ret_count, answer);
}

/* Choose those of /redo: of the newest undo that can be redone. */
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
	status = ik_undo_call_text(&history, id, core->setup->places.directory, ret_text, error);
	ik_undo_history_done(&history);
	return status;
}

/* Read the session's history, and start with the files, or answer why not. */
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
		ik_command_answer_in(work->session, work->line, &answer);
		work_free(work);
		return;
	}
	ik_buf_done(&answer);
	work->undo = ik_undo_new(work->directory, &work->history, files, count, work->force);
	core->undo = work;
	ik_loop_defer(core->loop, step, work);
}

/* The changes of calls are in the journal, or the session was closed. */
static void on_noted(void *arg)
{
	struct ik_core *core = arg;
	struct ik_undo_work *work = core->undo;

	/* It is carried out before its session is closed. */
	if (work && work->waiting)
		carry_out(work);
}

/* Start a command in the current session. */
static void begin(struct ik_core *core, const char *line, const char *rest, bool again)
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
		ik_session_add_command(core->session, line, problem);
		return;
	}
	core->undo = work = ik_alloc(sizeof(*work));
	work->core = core;
	work->session = core->session;
	work->line = ik_strdup(line);
	work->rest = ik_strdup(rest);
	work->directory = directory;
	work->first = 1;
	work->again = again;
	work->waiting = true;
	if (ik_session_await_undo(work->session, on_noted, core))
		carry_out(work);
}

void ik_command_undo(struct ik_core *core, const char *line, const char *rest)
{
	begin(core, line, rest, false);
}

void ik_command_redo(struct ik_core *core, const char *line, const char *rest)
{
	begin(core, line, rest, true);
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
		count = ik_undo_text_turns(&history, turns, TURNS_MOST);
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
	char *root = ik_places_file(places, "undo");

	if (root)
		ik_undo_forget(root, session);
	free(root);
	root = ik_places_file(places, "outputs");
	if (root)
		ik_output_files_forget(root, session);
	free(root);
}
