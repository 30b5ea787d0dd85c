/*
 * import_event: a line of a file that "session import" reads: an event, or a part of a large output
 * of the preceding event (core/export_output.h). The file is an export, or a journal
 * (journal/journal.h) that an ikigai kept where nothing reads it by itself.
 *
 * The file is not trusted. May include: util, json, conversation, journal/event_line.h,
 * core/export_output.h.
 */
#ifndef IK_CLI_IMPORT_EVENT_H
#define IK_CLI_IMPORT_EVENT_H

#include "core/export_output.h"

struct ik_import_event {
	char session[IK_UUID_TEXT]; /* session of the event */
	struct ik_message *message; /* NULL: the line is a part, or neither */
	const char *blob;           /* id of the part's output; borrowed from outputs; NULL: no part */
	size_t part;
	struct ik_buf bytes; /* contents of the part */
	bool in_journal;     /* a line before was the first one of a journal */
};

/* Read a line. Start with a struct of zeroes and an initialised bytes; each call releases the
 * contents of the last line. outputs contains the large outputs of the last event; an event on this
 * line replaces them. Return NULL, or what is wrong with the line. */
const char *ik_import_event_read(const char *line, size_t length, struct ik_outputs *outputs,
	struct ik_import_event *event);

/* Release the contents of the last line. */
void ik_import_event_clear(struct ik_import_event *event);

#endif
