/*
 * listing: the names in a directory, to complete paths.
 *
 * They are read for a few milliseconds in each turn of the loop, so that a large directory doesn't
 * block it.  Names of directories end in "/".  "." and ".." are left out, and names that can't be
 * typed: with control characters, or not UTF-8.
 *
 * Owns the names.  May include: util, loop, tui/edit/completion.h.
 */
#ifndef IK_COMMANDS_LISTING_H
#define IK_COMMANDS_LISTING_H

#include "loop/loop.h"
#include "tui/edit/completion.h"

struct ik_listing;

/* Start to read; changed(arg) is called, never inside open, when there is more. The first names are
 * available when this returns. */
struct ik_listing *ik_listing_open(struct ik_loop *loop, const char *directory,
	void (*changed)(void *arg), void *arg);
struct ik_listing *ik_listing_close(struct ik_listing *listing);

/* Is it of this directory, and has the directory not changed since? */
bool ik_listing_is(const struct ik_listing *listing, const char *directory);

/* Return the names so far, those that begin with a dot or the others. Valid until the next call, or
 * until the list changes. */
const struct ik_proposal *ik_listing_names(struct ik_listing *listing, bool hidden,
	size_t *ret_count);

/* Are they unsorted, because they are many, or not all read yet? */
bool ik_listing_unsorted(const struct ik_listing *listing, bool hidden);

bool ik_listing_reading(const struct ik_listing *listing);

#endif
