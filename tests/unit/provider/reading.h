/*
 * reading: a response body through a decoder, told back as readable lines.
 *
 * One line for each run of deltas of a kind:
 *     text: Hello
 *     call 0: id=call_1 name=glob
 *     arguments 0: {"pattern":"*.c"}
 *     search: weather Paris          (empty: not known yet)
 *     source: https://x.example/ Its title
 *     notice: The reply has a part ...
 *     usage: 10 5 0 0
 *     stop: tool_calls
 *     error PROVIDER: out of order   (" again" behind the code: may be tried again)
 *     failed 4: what feed or finish said (after the status)
 */
#ifndef IK_TESTS_READING_H
#define IK_TESTS_READING_H

#include "provider/wire/format.h"

/* The body fed in pieces of step bytes (0: whole); in new memory. */
char *read_body(const char *type, const char *body, size_t length, size_t step);

/* The same of a model that is in the program; *ret_steps: in so many. */
char *read_answer(const struct ik_wire_format *format, const struct ik_request *request,
	size_t *ret_steps);

/* Assert that the body reads as lines in every split into two and at every
 * step up to 40. */
void assert_reads(const char *type, const char *body, const char *lines);

#endif
