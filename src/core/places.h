/*
 * places: where the program's and the person's files lie.
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
	char *user_home;    /* the person's home directory, or NULL */
	char *directory;    /* the session's: -C or the current one; canonical */
	char *system_tools; /* the build tree's when started from there */
	char *problem;      /* why home cannot be used, in words; NULL: all is well */
};

/*
 * Find them; home is made (mode 0700) when it is missing. A home that cannot
 * be used is no error but a problem to be told. Changes to -C's directory.
 */
enum ik_status ik_places_find(const char *directory, struct ik_places *ret_places,
	struct ik_error *error) IK_MUST_USE;
void ik_places_done(struct ik_places *places);

/*
 * Where something lies that was installed in the directory installed: below
 * the build tree as built_name when this program runs from there, and below
 * the same root as this program when it was installed under another one
 * (make install DESTDIR=...). New memory.
 */
char *ik_places_installed(const char *built_name, const char *installed);

/* home + "/" + name, or NULL without a home; new memory. */
char *ik_places_file(const struct ik_places *places, const char *name);

/* The path of a word as a person wrote it: "~/" is home, the rest seen from the session's
 * directory. New memory. */
char *ik_places_whole_path(const struct ik_places *places, const char *path, size_t length);

#endif
