/*
 * output_files: keep the whole texts of results that were cut, for the model to read.
 *
 * One directory (~/.ikigai/outputs), accessible to this user only, has a file for each text that was
 * cut, whose name begins with its session, and for each picture that was pasted.  In a sandbox
 * tools can read these files but not write them.  They are copies of what the store has. Their total
 * size is limited over all sessions; the oldest are removed first.
 *
 * Owns its paths.  May include: util.
 */
#ifndef IK_TOOL_OUTPUT_FILES_H
#define IK_TOOL_OUTPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The files of one call. */
struct ik_output_files;

/* For a call in that session; both strings are copied. limit: bytes of all sessions' files. Creates
 * nothing yet. */
struct ik_output_files *ik_output_files_new(const char *root, const char *session, int64_t limit);
struct ik_output_files *ik_output_files_free(struct ik_output_files *files);

/* Return the length of the longest path of a file here. All these functions accept NULL, which has no
 * files. */
size_t ik_output_files_path_length(const struct ik_output_files *files);

/*
 * Keep bytes in a new file whose name ends so (IK_OUTPUT_TEXT, ".png"), and return its path, valid as
 * long as files; NULL: it cannot be kept (a full disk, too many files for one call). Up to
 * IK_LIMIT_JSON_ANSWER bytes are written at once; more must stay valid until
 * ik_output_files_write() has written the rest.
 */
#define IK_OUTPUT_TEXT ".txt"
const char *ik_output_files_add(struct ik_output_files *files, const char *name_end,
	const char *bytes, size_t length);

/* Write a slice of what is left, which takes a few milliseconds. Return whether it was the last. */
bool ik_output_files_write(struct ik_output_files *files);

/* Remove the files of a session that is deleted. */
void ik_output_files_forget(const char *root, const char *session);

#endif
