/*
 * output_files: keep the whole texts of results that were cut, for the model to read.
 *
 * Below one root (~/.ikigai/outputs) each session has a directory, accessible to this user only,
 * with a file for each text that was cut.  In a sandbox tools can read these files but not write
 * them.  They are copies of what the store has. Their total size is limited over all sessions; the
 * oldest are removed first.
 *
 * Owns its paths.  May include: util, json, tool.
 */
#ifndef IK_TOOL_OUTPUT_FILES_H
#define IK_TOOL_OUTPUT_FILES_H

#include "json/scan.h"

/* The files of one call. */
struct ik_output_files;

/* For a call in that session; both strings are copied. Creates nothing yet. */
struct ik_output_files *ik_output_files_new(const char *root, const char *session);
struct ik_output_files *ik_output_files_free(struct ik_output_files *files);

/* Return the length of the longest path of a file here, as a JSON string. All these functions accept
 * NULL, which has no files. */
size_t ik_output_files_path_length(const struct ik_output_files *files);

/* Add a text, which must stay valid: the contents of a JSON string, or bytes as they are. */
void ik_output_files_add(struct ik_output_files *files, struct ik_json_span text, bool decode);

/* Write a slice of the texts that were added, which takes a few milliseconds. Return whether it was
 * the last. */
bool ik_output_files_write(struct ik_output_files *files);

/* Return the paths of the texts, in the order in which they were added; NULL for one that could not be
 * written completely (a full disk, too many files for one call). Valid as long as files. */
const char *const *ik_output_files_paths(const struct ik_output_files *files);

/* Remove the files of a session that is deleted. */
void ik_output_files_forget(const char *root, const char *session);

#endif
