/*
 * import_event: a line of a file that "session import" reads: an event, or a part of a large
 * output of the event before it (core/export_output.h).
 *
 * The file may come from anybody.  May include: util, json, conversation, core/export_output.h.
 */
#ifndef IK_CLI_IMPORT_EVENT_H
#define IK_CLI_IMPORT_EVENT_H

#include "core/export_output.h"

/* What a line holds; nothing at all where message and blob are NULL. */
struct ik_import_event {
	char *session;     /* of the event */
	char *parent;      /* of a rescued one of a fork: the session it was made of; or NULL */
	int64_t forked_at; /* so many events are the parent's */
	struct ik_message *message; /* NULL: it is a part */
	const char *blob;           /* the id of its output; borrowed from outputs */
	size_t part;
	struct ik_buf bytes; /* of the part */
};

/* Start with a struct of zeroes and an initialised bytes; then read line after line, each of which
 * releases what the last one held. Returns NULL, or what is wrong with the line. outputs: those of
 * the last event; then of this one. */
const char *ik_import_event_read(const char *line, size_t length, struct ik_outputs *outputs,
	struct ik_import_event *event);

/* Release what the last line held. */
void ik_import_event_clear(struct ik_import_event *event);

#endif
