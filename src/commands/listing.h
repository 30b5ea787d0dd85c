/*
 * listing: the names in a directory, for those who complete paths.
 *
 * Read a few milliseconds at a time in turns of the loop, so that a directory of
 * any size keeps nobody waiting.  Directories end in "/".  Left out are "." and
 * "..", and names that nobody can type: with controls, or that are no UTF-8.
 *
 * Owns the names.  May include: util, loop, tui/edit/completion.h.
 */
#ifndef IK_COMMANDS_LISTING_H
#define IK_COMMANDS_LISTING_H

#include "loop/loop.h"
#include "tui/edit/completion.h"

struct ik_listing;

/* Begin to read; changed(arg) is called, never inside open, when there is more. The first
 * names are there already when this returns. */
struct ik_listing *ik_listing_open(struct ik_loop *loop, const char *directory,
	void (*changed)(void *arg), void *arg);
struct ik_listing *ik_listing_close(struct ik_listing *listing);

/* Is it of this directory, and has nothing changed in there since? */
bool ik_listing_is(const struct ik_listing *listing, const char *directory);

/* The names so far; hidden: only those that begin with a dot, else none of them. Valid
 * until the next call, or until it changes. */
const struct ik_proposal *ik_listing_names(struct ik_listing *listing, bool hidden,
	size_t *ret_count);

/* Are they in no order, for there are many, or more to come? */
bool ik_listing_unsorted(const struct ik_listing *listing, bool hidden);

bool ik_listing_reading(const struct ik_listing *listing);
/* Why there are no names, in words; NULL: the directory could be read. */
const char *ik_listing_problem(const struct ik_listing *listing);

#endif
