/*
 * request_rules_private: helpers for the rules of the four formats.
 */
#ifndef IK_TESTS_REQUEST_RULES_PRIVATE_H
#define IK_TESTS_REQUEST_RULES_PRIVATE_H

#include "request_rules.h"

#include "json/scan.h"

/* A request that is being checked. */
struct judged {
	struct ik_json_span body;
	const char *model; /* its name without "models/" */
	char *violation; /* the first; NULL: none yet */
};

/* Store the first violation. Always return false, for the caller to return. */
bool refuse(struct judged *judged, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A set of ids. */
struct seen {
	char **items;
	size_t count, capacity;
};
/* Add an id; text is the set's now. False: it was there already. */
bool seen_add(struct seen *seen, char *text);
bool seen_remove(struct seen *seen, const char *text);
bool seen_has(const struct seen *seen, const char *text);
void seen_done(struct seen *seen);

/* Is it a string: not empty; with more than white space; a name of at most so many characters
 * (0: any number), with extra ones allowed? */
bool is_text(struct ik_json_span value);
bool says_something(struct ik_json_span value);
bool is_name(struct ik_json_span value, size_t longest, const char *further);

/* Is it a string of base64, after that prefix; a data URL of a picture, or of a PDF? */
bool is_base64(struct ik_json_span value, const char *prefix);
bool is_picture_type(struct ik_json_span value);
bool is_picture_url(struct ik_json_span value);
bool is_pdf_url(struct ik_json_span value);

/* Is it a string with a JSON object in it? */
bool holds_object(struct ik_json_span value);

/* Is the member type (or another one) that word? */
bool type_is(struct ik_json_span object, const char *word);
bool member_is(struct ik_json_span object, const char *member, const char *word);

/* Is it a tool of the service's own that searches the web? */
bool is_hosted(struct ik_json_span tool);

/* Check a list of tools: unique names, and a schema of an object. at is the member that holds a
 * tool's members ("function" or NULL), schema the member for its schema. */
bool check_tools(struct judged *judged, struct ik_json_span tools, const char *at,
	const char *schema, size_t longest);

/* Does one of the patterns, with blanks between, match? The first that does counts; ! excludes. */
bool matches(const char *name, const char *patterns);

/* Check what the types of that format allow and the model does not take. */
bool check_model(struct judged *judged, const char *type);

bool check_chat(struct judged *judged);
bool check_responses(struct judged *judged);
bool check_anthropic(struct judged *judged);
bool check_google(struct judged *judged);

#endif
