/*
 * request_rules: what the services demand of a request, apart from what the program makes.
 *
 * The order and pairing of messages, the shapes of ids, names and arguments, and what may
 * not be empty, as the services enforce them; written down from their documentation and
 * from the sentences in which they refuse, not from the program's serializers.  Where a
 * service is milder than compatible servers are, the stricter rule stands here.
 *
 * May include: util, json.
 */
#ifndef IK_TESTS_REQUEST_RULES_H
#define IK_TESTS_REQUEST_RULES_H

#include <stddef.h>

/*
 * The first rule that the body of a request in that wire format ("openai-chat",
 * "openai-responses", "anthropic", "google") breaks, as a sentence in new memory that
 * says where; NULL when the service would take it. model: where it stands in the URL and
 * not in the body (google); NULL: one without rules of its own.
 */
char *request_violation(const char *type, const char *model, const char *body, size_t length);

/* The same for a request to that path of a server: formats are known by their paths, a model
 * too. NULL also for a path that is none of theirs. */
char *request_violation_at(const char *path, const char *body, size_t length);

/* The same as the body of an answer with status 400; "REFUSED" stands before the rule. */
char *request_refusal_at(const char *path, const char *body, size_t length);

#endif
