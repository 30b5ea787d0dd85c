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
	struct ik_undo_history history;
	struct ik_undo *undo;
	const char **turns; /* their ids, in history */
	size_t turn_count;
	size_t first, last;              /* the turns to undo; last < first: none */
	const struct ik_undo_call *call; /* undo this call alone; NULL: whole turns */
};

static void step(void *arg);

static struct ik_undo_work *work_free(struct ik_undo_work *work)
{
	ik_undo_free(work->undo);
	ik_undo_history_done(&work->history);
	free(work->turns);
	free(work->directory);
	free(work->line);
	free(work->rest);
	free(work);
	return NULL;
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

/* Answer without doing anything. */
static void refuse(struct ik_undo_work *work, const char *sentence)
{
	ik_session_add_command(work->session, work->line, sentence);
	work_free(work);
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
		ik_buf_puts(out, _("Brought back:\n"));
	else if (work->call)
		ik_buf_printf(out, _("Taken back of %s:\n"), work->call->words);
	else if (title)
		ik_buf_printf(out, _("Taken back of \"%s\":\n"), title);
	else
		ik_buf_puts(out, _("Taken back:\n"));
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
		status = ik_undo_note_redo(work->directory, work->id, changes, count, error);
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
	message = done > 0 ? ik_message_command_told(work->line, out.data, told.data)
					   : ik_message_command(work->line, strlen(work->line), out.data, out.length);
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

/* Start with these files. */
static void start(struct ik_undo_work *work, struct ik_file_change *files, size_t count, bool force)
{
	work->undo = ik_undo_new(work->directory, &work->history, files, count, force);
	work->core->undo = work;
	ik_loop_defer(work->core->loop, step, work);
}

/* Answer that nothing can be undone, and name what stays. */
static void refuse_all(struct ik_undo_work *work)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	ik_buf_printf(&out, "%s\n", _("No file was written in this session that could be taken back."));
	ik_undo_text_commands(&out, &work->history, 0, SIZE_MAX);
	ik_command_answer_in(work->session, work->line, &out);
	work_free(work);
}

/* Do /undo N: the newest N turns that are not undone. */
static void undo_turns(struct ik_undo_work *work, size_t wanted)
{
	size_t *turns = ik_alloc(wanted * sizeof(*turns)), count, files;
	struct ik_file_change *list;

	count = ik_undo_text_turns(&work->history, turns, wanted);
	work->turns = ik_alloc((count + 1) * sizeof(*work->turns));
	for (size_t i = 0; i < count; i++)
		work->turns[i] = work->history.turns[turns[i]].id;
	work->turn_count = count;
	if (count > 0) {
		work->first = turns[count - 1];
		work->last = turns[0];
	}
	free(turns);
	if (count == 0) {
		refuse_all(work);
		return;
	}
	ik_uuid_new(work->id);
	list = ik_undo_files(&work->history, work->first, work->last, NULL, false, &files);
	start(work, list, files, false);
}

/* Do /undo FILE[!]: what the newest turn that is not undone did to it. */
static void undo_file(struct ik_undo_work *work, const char *rest)
{
	size_t length = strlen(rest), count = 0;
	bool force = rest[length - 1] == '!';
	char *name = ik_strndup(rest, length - force);
	char *whole = ik_path_join(work->core->setup->places.directory, name);
	char *path = ik_path_resolve(whole), *sentence;
	struct ik_file_change *files = NULL;

	for (size_t i = work->history.turn_count; i-- > 0 && path && count == 0;) {
		if (work->history.turns[i].undone && !force)
			continue;
		ik_file_changes_free(files, count);
		files = ik_undo_files(&work->history, i, i, path, force, &count);
	}
	if (count > 0) {
		ik_uuid_new(work->id);
		start(work, files, count, force);
	} else {
		ik_file_changes_free(files, count);
		sentence = ik_format(_("No turn that can be taken back wrote %s. /undo ? lists them."),
			name);
		refuse(work, sentence);
		free(sentence);
	}
	free(path);
	free(whole);
	free(name);
}

/* Do /undo #ID: what one call did. */
static void undo_call(struct ik_undo_work *work, const char *id)
{
	struct ik_file_change *files;
	struct ik_error error;
	size_t call, count;

	if (ik_undo_call_find(&work->history, id, work->core->setup->places.directory, &call, &files,
			&count, &error) != IK_OK) {
		refuse(work, error.text);
		return;
	}
	work->call = &work->history.calls[call];
	ik_uuid_new(work->id);
	start(work, files, count, false);
}

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

/* Interpret the arguments of /undo. */
static void undo(struct ik_undo_work *work)
{
	const char *rest = work->rest;
	struct ik_buf out;
	char *end;
	long number;

	number = rest[0] != '\0' ? strtol(rest, &end, 10) : 1;
	if (ik_text_equal(rest, "?")) {
		ik_buf_init(&out, IK_MIB(1));
		ik_undo_text_list(&out, &work->history, work->core->setup->places.directory);
		ik_command_answer_in(work->session, work->line, &out);
		work_free(work);
	} else if (rest[0] == '#' && ik_undo_call_exists(&work->history, rest + 1)) {
		undo_call(work, rest + 1);
	} else if (rest[0] == '\0' || (*end == '\0' && number >= 1)) {
		undo_turns(work, number < TURNS_MOST ? (size_t)number : TURNS_MOST);
	} else {
		undo_file(work, rest);
	}
}

/* Return the newest undo that can be redone; NULL if there is none. */
static const struct ik_undo_record *last_undo(const struct ik_undo_history *history)
{
	for (size_t i = history->undo_count; i-- > 0;)
		if (!history->undos[i].redone && history->undos[i].count > 0)
			return &history->undos[i];
	return NULL;
}

static void redo(struct ik_undo_work *work)
{
	const struct ik_undo_record *last = last_undo(&work->history);
	struct ik_file_change *files;

	if (!last) {
		refuse(work, _("Nothing was taken back in this session that could be brought back."));
		return;
	}
	memcpy(work->id, last->id, sizeof(work->id));
	files = ik_alloc(last->count * sizeof(*files));
	for (size_t i = 0; i < last->count; i++)
		files[i] = ik_file_change_copy(&last->files[i]);
	start(work, files, last->count, false);
}

/* Read the session's history, and do the command. */
static void carry_out(struct ik_undo_work *work)
{
	const char *problem;

	work->core->undo = NULL;
	work->waiting = false;
	problem = problem_if_noted(work->core, work->session);
	if (problem) {
		refuse(work, problem);
		return;
	}
	ik_undo_history_read(work->core->undo_directory, ik_session_id(work->session), &work->history);
	if (work->again)
		redo(work);
	else
		undo(work);
}

/* The changes of calls are in the journal, or the session was closed. */
static void on_noted(void *arg)
{
	struct ik_core *core = arg;
	struct ik_undo_work *work = core->undo;

	if (!work || !work->waiting)
		return;
	for (size_t i = 0; i < core->session_count; i++) {
		if (core->sessions[i].session == work->session) {
			carry_out(work);
			return;
		}
	}
	core->undo = work_free(work);
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
