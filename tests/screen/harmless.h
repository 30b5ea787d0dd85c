/*
 * harmless: is what the program wrote nothing but what a screen is drawn with?
 */
#ifndef IK_TEST_HARMLESS_H
#define IK_TEST_HARMLESS_H

#include "place.h"

/*
 * Every byte that the program wrote since it was started belongs to the grammar of
 * ncurses' sequences for terminals of the xterm kind and of our own modes, or is
 * visible text in valid UTF-8; and none of the lines of that file of the working
 * directory (escapes as in put_escaped()) stands there as it is.
 */
bool wrote_harmlessly(struct harness *h, const char *file);

#endif
