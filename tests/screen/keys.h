/*
 * keys: the bytes that a terminal sends for a key, by the key's name.
 */
#ifndef IK_TEST_KEYS_H
#define IK_TEST_KEYS_H

#include "util/buf.h"

#include <stddef.h>

/* "Enter", "F5", "Ctrl-C", "Alt-x", "Ctrl-Home", "a": the byte count, 0 when there is none. */
size_t key_bytes(const char *name, char bytes[32]);

/* Append text with its escapes (\e \r \n \t \\ \xHH) resolved. */
void put_escaped(struct ik_buf *bytes, const char *text);

#endif
