/*
 * exec_print: turn session events into the lines that `exec` prints.
 *
 * Pure: an event in, bytes for standard output and standard error out.
 * May include: util, json, conversation, tool/envelope.h.
 */
#ifndef IK_CLI_EXEC_PRINT_H
#define IK_CLI_EXEC_PRINT_H

#include "conversation/event.h"

struct ik_exec_printer {
	bool json;
	bool output_only;  /* of a turn's text, print only what it yields in the end */
	bool printed;      /* text of a reply was printed */
	bool open_line;    /* the last line on standard error, from a tool, isn't complete */
	bool continues;    /* the next round continues a reply that was cut */
	size_t line_feeds; /* number of line feeds at the end of the text so far, held back because
	                      the reply ends with exactly one */
};

/* Is the event a call of this turn? Then its text must be the arguments that the tool gets
 * (ik_session_put_arguments()). */
bool ik_exec_is_call(const struct ik_event *event);

/* Append the lines of an event to out and to errors; an error always goes to errors. The output of
 * tools is unchanged: sanitise it before it goes to a terminal. */
void ik_exec_print(struct ik_exec_printer *printer, const struct ik_event *event,
	struct ik_buf *out, struct ik_buf *errors);

/* Append the line feed that ends a text reply. */
void ik_exec_print_end(struct ik_exec_printer *printer, struct ik_buf *out);

#endif
