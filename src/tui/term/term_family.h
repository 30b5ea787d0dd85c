/*
 * term_family: terminals of which it is known that they ignore private modes and
 * queries that they do not have.
 *
 * Pure.  May include: nothing.
 */
#ifndef IK_TUI_TERM_TERM_FAMILY_H
#define IK_TUI_TERM_TERM_FAMILY_H

/* Is type (TERM) one of theirs, by the name before its first dash? Returns the type
 * that describes it where its own entry is not installed, else NULL. */
const char *ik_term_stand_in(const char *type);

#endif
