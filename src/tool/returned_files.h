/*
 * returned_files: pictures and documents in what a tool returns.
 *
 * An object with a string "image" is one: the result itself, an element of it, or one of its
 * members; so is a string or an object in a member "images" of it. The string is the path of a file,
 * base64, or a data: URL. Only strings that are meant count: they contain such a file, "media_type"
 * is next to them, or they end like the name of one.
 *
 * An object with strings "file", base64, and "media_type" in a member "files" is a file that models
 * can't see, such as a sound: it is kept (tool/output_files.h), and its path takes its place.
 *
 * Each other file is made fit (tool/fit.h) and attached; a line about it takes its place in the result.
 *
 * May include: util, json, conversation, loop, tool.
 */
#ifndef IK_TOOL_RETURNED_FILES_H
#define IK_TOOL_RETURNED_FILES_H

#include "conversation/attachment.h"
#include "tool/fit.h"
#include "tool/output_files.h"

struct ik_returned_files;

/* value, in which the files are replaced, and the files; both are valid until the close. */
typedef void ik_returned_files_done(void *arg, struct ik_json_span value,
	const struct ik_attachments *files);

/* Start with a copy of value. Return NULL if there are no files in it; otherwise done is called once,
 * in a later turn of the loop. options say everything but the file; they are borrowed until then.
 * outputs keeps files until the close; NULL: they are not kept. */
struct ik_returned_files *ik_returned_files_start(struct ik_json_span value,
	const struct ik_fit_options *options, struct ik_output_files *outputs,
	ik_returned_files_done *done, void *arg);

/* Stop it. Takes NULL. Returns NULL. */
struct ik_returned_files *ik_returned_files_close(struct ik_returned_files *files);

#endif
