/*
 * old_files: what earlier versions kept outside the database, turned into journals, once.
 *
 * They wrote events that a database did not take, or that were on their way to a server, into files
 * of lines: beside an SQLite database (NAME.rescue-UUID.jsonl), in ~/.ikigai/spool, or in
 * XDG_RUNTIME_DIR/ikigai. Large texts for a server were in UUID.blobs there. A file that is locked
 * belongs to a process that lives. A kill between the making of the journals and the removal of the
 * file does no harm: each event is stored once, by its id.
 *
 * May include: util, json, conversation, journal.
 */
#ifndef IK_STORES_OLD_FILES_H
#define IK_STORES_OLD_FILES_H

#include <stdbool.h>

/* Turn the files of our directories whose names begin so into journals. */
void ik_old_files_convert(const char *prefix, const char *journals);
/* The same in one directory; tools: they may have written there, so that it is not certain that a
 * system prompt is one. */
void ik_old_files_convert_in(const char *directory, const char *prefix, bool tools,
	const char *journals);

#endif
