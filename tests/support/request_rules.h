/*
 * request_rules: what the services demand of a request, independent of the program.
 *
 * The order and pairing of messages, the shapes of ids, names and arguments, and what may
 * not be empty, as the services enforce them.  The source is their documentation and their
 * error messages, not the program's serializers.  If compatible servers are stricter than
 * the service, the stricter rule is used. What single models take is a table of its own
 * (request_rules_models.c), each row with its source.
 *
 * May include: util, json.
 */
#ifndef IK_TESTS_REQUEST_RULES_H
#define IK_TESTS_REQUEST_RULES_H

#include <stddef.h>

/*
 * Return the first rule that the body of a request in that wire format ("openai-chat",
 * "openai-responses", "anthropic", "google") breaks, as a sentence that says where, which
 * the caller frees; NULL if the service would accept it. model is the one in the URL, for
 * google alone; NULL: a model without special rules.
 */
char *request_violation(const char *type, const char *model, const char *body, size_t length);

/* The same for a request to that path of a server, which tells format and model. NULL also for an
 * unknown path. */
char *request_violation_at(const char *path, const char *body, size_t length);

/* The same as the body of a response with status 400; "REFUSED" precedes the rule. */
char *request_refusal_at(const char *path, const char *body, size_t length);

#endif
