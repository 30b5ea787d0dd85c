/*
 * places: where the program's and the user's files are.
 *
 * May include: util, config.
 */
#ifndef IK_CORE_PLACES_H
#define IK_CORE_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

struct ik_places {
	char *home;         /* $IKIGAI_HOME or ~/.ikigai; NULL: neither exists */
	char *user_home;    /* the user's home directory, or NULL */
	char *directory;    /* the session's: of -C or the current one; canonical */
	char *system_tools; /* in the build tree if the program runs from there */
	char *picture;      /* the program that reads pictures (tool/fit.h) */
	char *command;      /* the program that each tool is as a command (agent/session/commands.h) */
	char *problem;      /* why home is unusable, or NULL */
};

/* Find all places, change to the directory of -C, and create home (mode 0700) if it is missing. An
 * unusable home is not an error; it is reported in problem. */
enum ik_status ik_places_find(const char *directory, struct ik_places *ret_places,
	struct ik_error *error) IK_MUST_USE;
void ik_places_done(struct ik_places *places);

/* Return the path of a file of the directory installed: built_name in the build tree if this
 * program runs from there; under this program's root if it was installed under another one (make
 * install DESTDIR=...). The caller frees it. */
char *ik_places_installed(const char *built_name, const char *installed);

/* Return home + "/" + name, or NULL without a home. The caller frees it. */
char *ik_places_file(const struct ik_places *places, const char *name);

/* Return path as it is shown: relative to directory if it is inside. Points into path. */
const char *ik_places_relative(const char *directory, const char *path);

/* Return the absolute path for a path that the user typed: "~/" is the home directory; other paths
 * are relative to the session's directory. The caller frees it. */
char *ik_places_whole_path(const struct ik_places *places, const char *path, size_t length);

#endif
