/*
 * output_files: the whole texts of which a result lacks its middle, for the model to read.
 *
 * A directory for each session below one root (~/.ikigai/outputs), both only for this user, and
 * in it a file for each text that was cut.  Tools can read these files and not write them where
 * a sandbox is in force.  They are copies: the store has the same outputs, and what they take is
 * bounded over all sessions, the oldest going first.
 *
 * Owns its paths.  May include: util, json, tool.
 */
#ifndef IK_TOOL_OUTPUT_FILES_H
#define IK_TOOL_OUTPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Those of one call. */
struct ik_output_files;

/* Of a call in that session; both strings are copied. Nothing is made yet. */
struct ik_output_files *ik_output_files_new(const char *root, const char *session);
struct ik_output_files *ik_output_files_free(struct ik_output_files *files);

/* The bytes of the longest path in there, as it is written in JSON. */
size_t ik_output_files_path_length(const struct ik_output_files *files);

/*
 * Begin a file, write to it, and end it: its path, or NULL where it could not be written whole
 * (a full disk, too many of one call) and is gone. The path is valid as long as files.
 */
void ik_output_files_begin(struct ik_output_files *files);
void ik_output_files_write(struct ik_output_files *files, const char *bytes, size_t length);
const char *ik_output_files_end(struct ik_output_files *files);

/* Remove those of a session that is deleted. */
void ik_output_files_forget(const char *root, const char *session);

#endif
