/*
 * temporary_file: a file for another program of the user, such as an editor.
 *
 * It has a directory of its own that only this user can read, in the home of ikigai, or in
 * TMPDIR or /tmp if the home can't be written (a full or read-only disk).
 * Owns the directory and the file.  May include: util, core/places.h.
 */
#ifndef IK_CORE_TEMPORARY_FILE_H
#define IK_CORE_TEMPORARY_FILE_H

#include "core/places.h"

#include <stddef.h>

struct ik_temporary_file {
	char *directory, *path;
};

/* Create a file with a text. The directory's name begins with kind ("edit"); the other program
 * shows name. */
enum ik_status ik_temporary_file_make(struct ik_temporary_file *file,
	const struct ik_places *places, const char *kind, const char *name, const char *text,
	size_t length, struct ik_error *error) IK_MUST_USE;

/* Remove the file, and the directory if it is empty. */
void ik_temporary_file_remove(struct ik_temporary_file *file);

/* Forget the file, and leave it to the user. */
void ik_temporary_file_leave(struct ik_temporary_file *file);

#endif
