/*
 * display: how a tool wants its calls shown: the member "display" of its schema.
 *
 *     "display": {"kind": "search", "line": "Search \"{pattern}\"[ in {path}]",
 *                 "result": "{count|match|matches}", "path": "path"}
 *
 * line and result are templates, over the arguments and over the result.  {NAME} is the value of a
 * member, {NAME|ONE|MANY} a number with the word that fits it.  A part in brackets is left out
 * unless each of its members has a value other than null, false and "".  A doubled brace or
 * bracket is shown once, as it is.
 *
 * kind says what a call does.  path, command, old_text and new_text name the arguments that are
 * the file it is about, the command it runs, and what it replaces with what; at is the member of
 * the result with the number of the line where the new text begins, times that with how many
 * places that was done in.
 *
 * All is optional.  What a tool says here is only shown: no policy believes it.
 *
 * Pure.  May include: util, json.
 */
#ifndef IK_TOOL_DISPLAY_H
#define IK_TOOL_DISPLAY_H

#include "json/scan.h"

enum ik_display_kind {
	IK_DISPLAY_OTHER,
	IK_DISPLAY_EXECUTE,
	IK_DISPLAY_READ,
	IK_DISPLAY_EDIT,
	IK_DISPLAY_SEARCH,
	IK_DISPLAY_FETCH
};

/* Check the member of a schema with these parameters (canonical). Return NULL, or what is wrong
 * with it, in new memory. */
char *ik_display_check(struct ik_json_span display, struct ik_json_span parameters);

/* All below take a display that was checked, or no value. */

enum ik_display_kind ik_display_kind(struct ik_json_span display);
/* Return its name: "other", "execute", "read", "edit", "search", "fetch". */
const char *ik_display_kind_name(enum ik_display_kind kind);

/* The arguments of a call that changes a file: it writes the new text, or puts it where the old one
 * (no value: the whole file) is. */
struct ik_display_change {
	struct ik_json_span path, old_text, new_text;
};
/* Find them. Return false for a call that changes no file by its tool's account. */
bool ik_display_change(struct ik_json_span display, struct ik_json_span arguments,
	struct ik_display_change *ret_change);

/* Return the argument that has a role ("path", "command", "old_text", "new_text"), or the result's
 * member that has the role "at" or "times"; no value if there is none. */
struct ik_json_span ik_display_value(struct ik_json_span display, const char *role,
	struct ik_json_span values);

/* Append what a call does: the tool's line, or "NAME KEY=VALUE ..."; of each value at most about
 * most bytes. Not sanitised, and not always one line. arguments: an object, or no value. */
void ik_display_put_line(struct ik_json_span display, const char *name,
	struct ik_json_span arguments, size_t most, struct ik_buf *out);

/* Does that line, with whole values, show this one of the arguments? */
bool ik_display_shows(struct ik_json_span display, struct ik_json_span arguments,
	struct ik_json_span argument);

#define IK_DISPLAY_LINE_BYTES 240

/* Return what a call does in one harmless line of at most IK_DISPLAY_LINE_BYTES, in new memory.
 * display: its tool's, JSON text, or NULL; arguments: as a model wrote them, JSON or not. */
char *ik_display_line(const char *display, const char *name, const char *arguments, size_t length);

/* Append the result of a call in a few words; append nothing if the tool has no words for it. */
void ik_display_put_result(struct ik_json_span display, struct ik_json_span result,
	struct ik_buf *out);

#endif
