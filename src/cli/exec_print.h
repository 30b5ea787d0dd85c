/*
 * exec_print: session events as the lines that `exec` prints.
 *
 * Pure: an event in, bytes for standard output and standard error out.
 * May include: util, json, conversation, tool/envelope.h.
 */
#ifndef IK_CLI_EXEC_PRINT_H
#define IK_CLI_EXEC_PRINT_H

#include "conversation/event.h"

struct ik_exec_printer {
	bool json;
	bool printed;      /* any text of a reply */
	bool open_line;    /* the last line on standard error, a tool's, has no end yet */
	bool continues;    /* the next round is the rest of a reply that was cut */
	size_t line_feeds; /* at the end of the text so far, held back: one closes it */
};

/* Does the event tell of a call of this turn? Its text is then to be the arguments that the tool
 * gets (ik_session_put_arguments()). */
bool ik_exec_is_call(const struct ik_event *event);

/* Append what an event means to out and to errors, where an error is always told.
 * What tools say is as it came: whoever writes to a terminal sanitises it. */
void ik_exec_print(struct ik_exec_printer *printer, const struct ik_event *event,
	struct ik_buf *out, struct ik_buf *errors);

/* The closing line feed of a text reply. */
void ik_exec_print_end(struct ik_exec_printer *printer, struct ik_buf *out);

#endif
