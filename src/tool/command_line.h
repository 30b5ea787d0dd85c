/*
 * command_line: a tool as a command: its arguments from words, its help, and what it prints.
 *
 * A property of the schema is an option: --NAME VALUE or --NAME=VALUE, with "-" or "_". A boolean
 * is --NAME or --no-NAME. An array is given by repeating its option, or as JSON; an object and
 * anything that the schema doesn't type as JSON. Words without an option are the required
 * properties that are not given otherwise, in the order of the schema (an array takes the rest).
 * --json gives all arguments at once.
 *
 * Texts are in English, since a model reads them. May include: util, json, tool/registry.h.
 */
#ifndef IK_TOOL_COMMAND_LINE_H
#define IK_TOOL_COMMAND_LINE_H

#include "tool/registry.h"

enum ik_command_line {
	IK_COMMAND_CALL,  /* the arguments are JSON, not validated yet */
	IK_COMMAND_HELP,  /* --help or --schema: a text to print */
	IK_COMMAND_INPUT, /* the arguments are to be read from standard input */
	IK_COMMAND_WRONG  /* a sentence that says what is wrong */
};

/* Read the words after the command's name (an array of JSON strings) and append what the result
 * says. input: all of standard input; no value (text NULL): it was not read. */
enum ik_command_line ik_command_line_read(const struct ik_tool *tool, struct ik_json_span words,
	struct ik_json_span input, struct ik_buf *out);

/* Append "NAME - first line of the description" and a line feed. */
void ik_command_line_put_name(const struct ik_tool *tool, struct ik_buf *out);

/*
 * Append what a command prints: the result if it is a string, its only string if its other members
 * are numbers and the like, else JSON; the reason of a failure to errors. value is the tool's whole
 * result where that of the envelope was cut, or no value. Return the exit status: the result's
 * exit_code, or a crashed tool's; 2 for wrong arguments; 1 for other failures.
 */
int ik_command_line_result(const char *name, struct ik_json_span envelope,
	struct ik_json_span value, struct ik_buf *out, struct ik_buf *errors);

#endif
