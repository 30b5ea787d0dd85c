/*
 * pattern: regular expressions of JSON Schema (ECMA-262, as far as PCRE2 agrees with it).
 *
 * A pattern that can't be compiled and a search that takes too long give "unknown": no value is
 * rejected because of something that was not computed.
 *
 * May include: util, json/scan.h, <pcre2.h> in pattern.c.
 */
#ifndef IK_JSON_PATTERN_H
#define IK_JSON_PATTERN_H

#include "json/scan.h"

/* The patterns of a schema, compiled on first use. Empty when zeroed. */
struct ik_patterns {
	struct ik_pattern *items;
	size_t count;
};

void ik_patterns_done(struct ik_patterns *patterns);

enum ik_pattern_answer { IK_PATTERN_DIFFERS, IK_PATTERN_MATCHES, IK_PATTERN_UNKNOWN };

/* Does pattern (a string of the schema) match anywhere in subject? */
enum ik_pattern_answer ik_pattern_find(struct ik_patterns *patterns, struct ik_json_span pattern,
	struct ik_json_span subject);

#endif
