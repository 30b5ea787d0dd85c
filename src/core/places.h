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
	char *home;         /* $IKIGAI_HOME or ~/.ikigai; NULL: there is none */
	char *user_home;    /* the user's home directory, or NULL */
	char *directory;    /* the session's: -C or the current one; canonical */
	char *system_tools; /* in the build tree if started from there */
	char *problem;      /* why home can't be used, or NULL */
};

/*
 * Find all places, change to the directory of -C, and create home (mode 0700) if it is missing.
 * A home that can't be used is not an error but a problem to report.
 */
enum ik_status ik_places_find(const char *directory, struct ik_places *ret_places,
	struct ik_error *error) IK_MUST_USE;
void ik_places_done(struct ik_places *places);

/*
 * Return where a file of the directory installed is: as built_name in the build tree if this
 * program runs from there, and under the same root as this program if it was installed under
 * another one (make install DESTDIR=...). The caller frees it.
 */
char *ik_places_installed(const char *built_name, const char *installed);

/* Return home + "/" + name, or NULL without a home; the caller frees it. */
char *ik_places_file(const struct ik_places *places, const char *name);

/* Return a path as it is shown: relative to a directory if it is in it. Points into path. */
const char *ik_places_relative(const char *directory, const char *path);

/* Return the absolute path of what the user typed: "~/" is the home directory, other paths are
 * relative to the session's directory. The caller frees it. */
char *ik_places_whole_path(const struct ik_places *places, const char *path, size_t length);

#endif
