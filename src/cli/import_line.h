/*
 * import_line: what a session has already of a file that is imported, and copies of what another
 * session has.
 *
 * A fork has the events of its parent by reference, under the same ids: the file of either brings
 * the events of both, and an id is stored once.  A session that comes from a file and does not
 * have such an event gets a copy of it. The copy's id follows from the session's and the event's,
 * so that the same file brings nothing new a second time; so do the ids of its large outputs,
 * which are deleted with the session that names them.
 *
 * May include: util, conversation, store, commands/session_walk.h.
 */
#ifndef IK_CLI_IMPORT_LINE_H
#define IK_CLI_IMPORT_LINE_H

#include "commands/session_walk.h"
#include "util/uuid.h"

struct ik_import_line;

/* Read the ids of all events of a session, its parents' too. Turns the loop. */
enum ik_status ik_import_line_read(struct ik_loop *loop, struct ik_store *store,
	const char *session, struct ik_import_line **ret_line, struct ik_error *error) IK_MUST_USE;
struct ik_import_line *ik_import_line_free(struct ik_import_line *line);

const char *ik_import_line_session(const struct ik_import_line *line);
/* The number of its newest event; 0: it has none. */
int64_t ik_import_line_last(const struct ik_import_line *line);
/* Does it begin with this file? False where it has events, but none of those that were looked for
 * so far: a copy would come behind what was said later. */
bool ik_import_line_fits(const struct ik_import_line *line);
/* Is the event there, or (*ret_copied) the copy of it? */
bool ik_import_line_has(struct ik_import_line *line, const char *id, bool *ret_copied);

/* The id of a copy of what has an id. The error is that of util/sha256.h. */
enum ik_status ik_import_line_copy_id(const struct ik_import_line *line, const char *id,
	char out[IK_UUID_TEXT], struct ik_error *error) IK_MUST_USE;
/* The copy of an event: a message of its own; NULL with *error, as above. */
struct ik_message *ik_import_line_copy(const struct ik_import_line *line,
	const struct ik_message *message, struct ik_error *error);

#endif
