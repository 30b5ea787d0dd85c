/*
 * import_line: which events of an imported file a session already has, and copies of events that
 * belong to another session.
 *
 * A fork shares the events of its parent by reference, with the same ids: the file of either has
 * the events of both, and an id is stored once.  An imported session that lacks such an event gets
 * a copy of it.  The copy's id is derived from the ids of session and event, so that the same file
 * adds nothing a second time; so are the ids of its large outputs, which are deleted with the
 * session that names them.
 *
 * May include: util, conversation, store, commands/session_walk.h.
 */
#ifndef IK_CLI_IMPORT_LINE_H
#define IK_CLI_IMPORT_LINE_H

#include "commands/session_walk.h"
#include "util/uuid.h"

struct ik_import_line;

/* Read the ids of all events of a session, including its parents'. Turns the loop. */
enum ik_status ik_import_line_read(struct ik_loop *loop, struct ik_store *store,
	const char *session, struct ik_import_line **ret_line, struct ik_error *error) IK_MUST_USE;
struct ik_import_line *ik_import_line_free(struct ik_import_line *line);

const char *ik_import_line_session(const struct ik_import_line *line);
/* Return the number of its newest event; 0: it has none. */
int64_t ik_import_line_last(const struct ik_import_line *line);
/* Does the session begin like this file? False: it has events, but none that were looked up so far,
 * so that a copy would follow later events. */
bool ik_import_line_fits(const struct ik_import_line *line);
/* Does the session have the event, or a copy of it (*ret_copied)? */
bool ik_import_line_has(struct ik_import_line *line, const char *id, bool *ret_copied);

/* Store the id of a copy. The error is that of util/sha256.h. */
enum ik_status ik_import_line_copy_id(const struct ik_import_line *line, const char *id,
	char out[IK_UUID_TEXT], struct ik_error *error) IK_MUST_USE;
/* Return a copy of an event, a new message; NULL with *error, as above. */
struct ik_message *ik_import_line_copy(const struct ik_import_line *line,
	const struct ik_message *message, struct ik_error *error);

#endif
