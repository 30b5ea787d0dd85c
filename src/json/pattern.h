/*
 * pattern: regular expressions of JSON Schema (ECMA-262, as far as PCRE2 agrees with it).
 *
 * A pattern that cannot be compiled and a search that takes too long give "unknown": a value is
 * never refused because of what was not computed.
 *
 * Private to json. May include: util, <pcre2.h> in pattern.c.
 */
#ifndef IK_JSON_PATTERN_H
#define IK_JSON_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

enum ik_pattern_answer { IK_PATTERN_DIFFERS, IK_PATTERN_MATCHES, IK_PATTERN_UNKNOWN };

/* Does pattern match anywhere in subject? */
enum ik_pattern_answer ik_pattern_find(const char *pattern, const char *subject, size_t length);

#endif
