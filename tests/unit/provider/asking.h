/*
 * asking: a conversation written down, and the request that a wire format makes of it.
 */
#ifndef IK_TESTS_ASKING_H
#define IK_TESTS_ASKING_H

#include "provider/wire/format.h"

/* The conversation of the present test. */
extern struct ik_conversation *conversation;

void asking_begin(void);
void asking_end(void);

/* Append to it. */
void give(struct ik_message *message);
void say(enum ik_kind kind, const char *text);
void call(const char *id, const char *name, const char *arguments);
void result(const char *id, const char *envelope);
/* The message given, with opaque data of that provider and format. */
void give_opaque(struct ik_message *message, const char *provider, const char *type,
	const char *data);

/* The user shows a picture and a document; the result of a call has a picture. */
void show(const char *text);
void result_with_picture(const char *id, const char *bytes);

/*
 * Append what words tell, one thing after the other, with | between: "u" says, "t" replies, "k"
 * thinks, "s" in the system's name, "cID:ARGUMENTS" calls the tool "one", "rID:ENVELOPE" answers,
 * "/" sums up, "~NTEXT" sums up all before the thing number N by itself, "-" says nothing that is sent, "!" refuses, "i" shows, "jID:BYTES" answers with a picture. With opaque data of the provider "far" and a format:
 *
 *   K D   think: Anthropic's, in the open and hidden
 *   A W E search the web: Anthropic's tool, OpenAI's (Responses), Google's
 *   a w   say, and cite what was found: Anthropic's, OpenAI's
 *   R     thinks: Responses';  P F: say a commentary, and the answer
 *   O     thinks: chat's;  Q: says with details of thinking, X: calls with more than that
 *   G V   say and call: Google's
 *
 * Unless something is asked at the end, the user says one more thing.
 */
void tell(const char *words);

/* The body of a request, checked to be JSON; in new memory. */
char *body_of(const char *type, const struct ik_request *request);

/* Assert the member at a path of the request, "" where there is none. */
void assert_member(const char *type, const struct ik_request *request, const char *path,
	const char *wanted);

/* Assert a URL, and the headers one a line. */
void assert_address(const char *type, const struct ik_endpoint *endpoint, const char *model,
	const char *url, const char *headers);

#endif
