/*
 * keys: the bytes that a terminal sends for a key, by the key's name.
 */
#ifndef IK_TEST_KEYS_H
#define IK_TEST_KEYS_H

#include <stddef.h>

/* "Enter", "F5", "Ctrl-C", "Alt-x", "Ctrl-Home", "a": the byte count, 0 when there is none. */
size_t key_bytes(const char *name, char bytes[32]);

#endif
