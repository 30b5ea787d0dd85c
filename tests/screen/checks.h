/*
 * checks: what can be said of a screen and of the program behind it.
 */
#ifndef IK_TEST_CHECKS_H
#define IK_TEST_CHECKS_H

#include "place.h"

/* Does a row show text? */
bool screen_shows(struct harness *h, const char *text);

/* Does no turn run? The status bar, the last row, says what it does: "working", and "running NAME"
 * in between, while tools are run; and no other row says "working". */
bool is_at_rest(struct harness *h, const char *unused);

/* Would Ctrl-D end it without a question, as far as its status bar says? */
bool ends_at_once(struct harness *h, const char *unused);

/* Is the screen this picture: "..." any rows, * any characters of a row? */
bool picture_is_there(struct harness *h, const char *picture);

/* Did the program ever write these bytes (escapes as in put_escaped())? */
bool wrote(struct harness *h, const char *text);

/* Did it write them at most so often? "COUNT TEXT" */
bool wrote_at_most(struct harness *h, const char *rest);

/* Is the terminal left to a shell ("main") or taken ("alternate")? */
bool screen_is(struct harness *h, const char *which);

/* Is every word on the screen that was not listed a translated one? In the tests'
 * translation no vowel is as it was (tests/screen/accents.py). */
bool check_translated(struct harness *h, const char *list);

/* Does the program sleep so many milliseconds? What came before may still end
 * at first, so it has a few tries. */
bool check_idle(struct harness *h, const char *milliseconds);

#endif
