/*
 * import_event: a line of a file that "session import" reads: an event, or a part of a large
 * output of the event before it (core/export_output.h).
 *
 * The file may come from anyone.  May include: util, json, conversation, core/export_output.h.
 */
#ifndef IK_CLI_IMPORT_EVENT_H
#define IK_CLI_IMPORT_EVENT_H

#include "core/export_output.h"

struct ik_import_event {
	char session[IK_UUID_TEXT]; /* of the event */
	struct ik_message *message; /* NULL: it is a part */
	const char *blob;           /* the id of its output; borrowed from outputs */
	size_t part;
	struct ik_buf bytes; /* of the part */
};

/* Read a line. Start with a struct of zeroes and an initialised bytes; each call releases the
 * content of the last line. outputs are those of the last event, then of this one. Return NULL, or
 * what is wrong with the line. */
const char *ik_import_event_read(const char *line, size_t length, struct ik_outputs *outputs,
	struct ik_import_event *event);

/* Release the content of the last line. */
void ik_import_event_clear(struct ik_import_event *event);

#endif
