#include "core/undo_call.h"

#include "core/undo_text.h"
#include "util/text.h"

/* Return the index of the newest call of that id; SIZE_MAX: there is none. */
static size_t newest(const struct ik_undo_history *history, const char *id)
{
	for (size_t i = history->call_count; i-- > 0;)
		if (ik_text_equal(history->calls[i].call_id, id))
			return i;
	return SIZE_MAX;
}

bool ik_undo_call_exists(const struct ik_undo_history *history, const char *id)
{
	return newest(history, id) != SIZE_MAX;
}

/* Fail if a call can't be undone in any case. */
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
	} else if (call->anything && (reason = ik_undo_text_reason(call))) {
		(void)ik_error_set(error, IK_NOT_FOUND, _("What this call did is not known (%s)."), reason);
	} else if (call->anything) {
		(void)ik_error_set(error, IK_NOT_FOUND, "%s", _("What this call did is not known."));
	} else {
		return false;
	}
	return true;
}

/* Did another call write the file at the same time, as the calls of one round may? Then nobody
 * knows which of them did what. */
static bool is_shared(const struct ik_undo_history *history, size_t index, const char *path)
{
	const struct ik_undo_call *mine = &history->calls[index];

	for (size_t i = 0; i < history->call_count; i++) {
		const struct ik_undo_call *other = &history->calls[i];

		if (i != index && other->begun < mine->over && other->over > mine->begun &&
			ik_undo_text_wrote(history, other, path))
			return true;
	}
	return false;
}

/* Return the newest call after index that also wrote the file and is not undone; NULL: none. */
static const struct ik_undo_call *later_writer(const struct ik_undo_history *history, size_t index,
	const char *path)
{
	for (size_t i = history->call_count; i-- > index + 1;)
		if (ik_undo_text_wrote(history, &history->calls[i], path))
			return &history->calls[i];
	return NULL;
}

/* Fail unless the call alone changed the file, and was the last to do so. */
static enum ik_status check_file(const struct ik_undo_history *history, size_t index,
	const char *path, const char *directory, struct ik_error *error)
{
	const struct ik_undo_call *later;

	if (is_shared(history, index, path))
		return ik_error_set(error, IK_NOT_FOUND,
			_("Another call wrote %s at that time: /undo undoes the turn"),
			ik_undo_text_path(path, directory));
	later = later_writer(history, index, path);
	if (later)
		return ik_error_set(error, IK_NOT_FOUND,
			_("%s was written again by a later call, which comes first: %s"),
			ik_undo_text_path(path, directory), later->words);
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

/* Return why a change of a file can't be undone. */
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

enum ik_status ik_undo_call_text(const struct ik_undo_history *history, const char *id,
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
		status = explain(&results[0], ik_undo_text_path(results[0].file.path, directory), error);
	} else {
		ik_buf_printf(out, "%s\n", history->calls[call].words);
		ik_undo_text_results(out, look, directory);
	}
	ik_undo_free(look);
	return status;
}
