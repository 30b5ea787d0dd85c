#include "core/undo_text.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "util/text.h"

/* Limits on turns in /undo ?, and on unknown calls that are named one by one. */
enum { TURNS_SHOWN = 20, COMMANDS_SHOWN = 5 };

const char *ik_undo_text_path(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	if (strncmp(path, directory, length) == 0 && path[length] == '/')
		return path + length + 1;
	return path;
}

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
			_("  %s: its call was cut off, not touched (/undo %s! does it all the "
			  "same)\n"),
			path, path);
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

void ik_undo_text_results(struct ik_buf *out, const struct ik_undo *undo, const char *directory)
{
	size_t count;
	const struct ik_undo_result *results = ik_undo_results(undo, &count);

	for (size_t i = 0; i < count; i++)
		put_result(out, &results[i], ik_undo_text_path(results[i].file.path, directory));
}

const char *ik_undo_text_reason(const struct ik_undo_call *call)
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

	if (call->compared && !call->ended)
		return _("it was cut off");
	return reasons[call->problem] ? _(reasons[call->problem]) : NULL;
}

/* Append a call whose changes are unknown. */
static void put_command(struct ik_buf *out, const struct ik_undo_call *call)
{
	const char *reason = ik_undo_text_reason(call);

	if (reason)
		ik_buf_printf(out, _("  What this did is not known, and stays (%s): %s\n"), reason,
			call->words);
	else
		ik_buf_printf(out, _("  What this did is not known, and stays: %s\n"), call->words);
}

void ik_undo_text_commands(struct ik_buf *out, const struct ik_undo_history *history, size_t first,
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
			_("  What commands did to files that git ignores, and outside of its work "
			  "tree, stays.\n"));
	if (count > COMMANDS_SHOWN)
		ik_buf_printf(out,
			ngettext("  and %zu more call\n", "  and %zu more calls\n", count - COMMANDS_SHOWN),
			count - COMMANDS_SHOWN);
}

void ik_undo_text_told(struct ik_buf *out, const struct ik_undo *undo, bool again)
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
		"What you remember of these files is out of date: read them before you edit "
		"them.\n");
}

size_t ik_undo_text_turns(const struct ik_undo_history *history, size_t *turns, size_t count)
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

bool ik_undo_text_wrote(const struct ik_undo_history *history, const struct ik_undo_call *call,
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

/* Did a later turn also write the file, so that it must be undone first? */
static bool is_written_later(const struct ik_undo_history *history, size_t turn, const char *path)
{
	for (size_t i = 0; i < history->call_count; i++)
		if (history->calls[i].turn > turn && ik_undo_text_wrote(history, &history->calls[i], path))
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
		const char *path = ik_undo_text_path(results[i].file.path, directory);

		if (is_written_later(history, turn, results[i].file.path))
			ik_buf_printf(out, _("  %s: written again in a later turn\n"), path);
		else
			put_result(out, &results[i], path);
	}
	ik_undo_free(undo);
}

void ik_undo_text_list(struct ik_buf *out, const struct ik_undo_history *history,
	const char *directory)
{
	size_t turns[TURNS_SHOWN], count = ik_undo_text_turns(history, turns, TURNS_SHOWN);

	for (size_t i = 0; i < count; i++) {
		ik_buf_printf(out, "%zu  ", i + 1);
		put_turn(out, &history->turns[turns[i]]);
		put_files(out, history, turns[i], directory);
		ik_undo_text_commands(out, history, turns[i], turns[i]);
	}
	if (count > 0) {
		ik_buf_puts(out, _("/undo undoes the first, /undo N those from 1 to N."));
	} else {
		ik_buf_printf(out, "%s\n", _("No file was written in this session that could be undone."));
		ik_undo_text_commands(out, history, 0, SIZE_MAX);
	}
}
