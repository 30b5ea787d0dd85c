/*
 * temporary_file: a file that another program of the person's own is to read or write.
 *
 * It lies in a directory of its own, which only this user may look into: below the home of
 * ikigai, or where that cannot be written (a full or read-only disk) below TMPDIR or /tmp.
 * Owns the directory and the file.  May include: util, core/places.h.
 */
#ifndef IK_CORE_TEMPORARY_FILE_H
#define IK_CORE_TEMPORARY_FILE_H

#include "core/places.h"

#include <stddef.h>

struct ik_temporary_file {
	char *directory, *path;
};

/* Make one with a text; kind begins the directory's name ("edit"), name is the file's own, as
 * the other program shows it. */
enum ik_status ik_temporary_file_make(struct ik_temporary_file *file,
	const struct ik_places *places, const char *kind, const char *name, const char *text,
	size_t length, struct ik_error *error) IK_MUST_USE;

/* Remove it, and the directory if nobody has left anything else in it. */
void ik_temporary_file_remove(struct ik_temporary_file *file);

/* Leave it to the person; only what is known of it goes. */
void ik_temporary_file_leave(struct ik_temporary_file *file);

#endif
