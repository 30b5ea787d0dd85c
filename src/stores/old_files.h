/*
 * old_files: converts what earlier versions kept outside the database to journals, once.
 *
 * They wrote events that a database refused, or that were on their way to a server, to files of
 * lines: next to an SQLite database (NAME.rescue-UUID.jsonl), in ~/.ikigai/spool, or in
 * XDG_RUNTIME_DIR/ikigai. Large texts for a server were in UUID.blobs there. A locked file belongs
 * to a live process. A kill between writing the journals and removing the file is harmless: each
 * event is stored once, by its ID.
 *
 * May include: util, json, conversation, journal.
 */
#ifndef IK_STORES_OLD_FILES_H
#define IK_STORES_OLD_FILES_H

/* Convert the files in our directories whose names start with prefix to journals. */
void ik_old_files_convert(const char *prefix, const char *journals);
/* Do the same in one directory. */
void ik_old_files_convert_in(const char *directory, const char *prefix, const char *journals);

#endif
