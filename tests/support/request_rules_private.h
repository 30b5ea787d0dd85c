/*
 * request_rules_private: what the rules of the four formats have in common.
 */
#ifndef IK_TESTS_REQUEST_RULES_PRIVATE_H
#define IK_TESTS_REQUEST_RULES_PRIVATE_H

#include "request_rules.h"

#include "json/scan.h"

/* A request under judgement. */
struct judged {
	struct ik_json_span body;
	const char *model;
	char *violation; /* the first; NULL: none yet */
};

/* Note what is wrong, if it is the first; false always, to be returned. */
bool refuse(struct judged *judged, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Ids that were seen, in new memory. */
struct seen {
	char **items;
	size_t count, capacity;
};
/* False when it is there already. text is taken over. */
bool seen_add(struct seen *seen, char *text);
bool seen_remove(struct seen *seen, const char *text);
bool seen_has(const struct seen *seen, const char *text);
void seen_done(struct seen *seen);

/* Is it a string: with something in it; with more than white space; of so many of the
 * characters of names at most (0: any number), and further ones? */
bool is_text(struct ik_json_span value);
bool says_something(struct ik_json_span value);
bool is_name(struct ik_json_span value, size_t longest, const char *further);

/* Does a string hold JSON, namely an object? */
bool holds_object(struct ik_json_span value);

/* The member type (or another one) is that word. */
bool type_is(struct ik_json_span object, const char *word);
bool member_is(struct ik_json_span object, const char *member, const char *word);

/* A list of tools: named once each, with a schema of an object. at: where a tool has its
 * members ("function" or NULL), schema: the member of its schema. */
bool check_tools(struct judged *judged, struct ik_json_span tools, const char *at,
	const char *schema, size_t longest);

bool check_chat(struct judged *judged);
bool check_responses(struct judged *judged);
bool check_anthropic(struct judged *judged);
bool check_google(struct judged *judged);

#endif
