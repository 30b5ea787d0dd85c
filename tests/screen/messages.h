/*
 * messages: what the program says, by name.
 *
 * messages.txt has each text that several tests wait for, so a change of its wording is
 * a change of one line there. A step says "wait @NAME", or "wait @NAME ARGUMENT" where the text has
 * a %.
 */
#ifndef IK_TEST_MESSAGES_H
#define IK_TEST_MESSAGES_H

#include "place.h"

/* The text of @NAME ARGUMENT, or any other text itself; new memory. NULL: there is no such name,
 * which the test fails with. */
char *message_text(struct harness *h, const char *text);

#endif
