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

/* Cache, so that each pattern is compiled once per validation. */
#define IK_PATTERN_KEPT 16
struct ik_patterns {
	struct {
		const char *source; /* not owned; compared by address */
		void *code;         /* NULL: could not be compiled */
	} kept[IK_PATTERN_KEPT];
	size_t count;
};

/* Does pattern match anywhere in subject? patterns begins as {0}. */
enum ik_pattern_answer ik_pattern_find(struct ik_patterns *patterns, const char *pattern,
	const char *subject, size_t length);

void ik_patterns_done(struct ik_patterns *patterns);

#endif
