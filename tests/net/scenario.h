/*
 * scenario: what the loopback server answers, read from a text file.
 *
 * One directive a line; leading blanks and lines that begin with # are ignored.
 * An answer begins with `answer` and extends to the next one:
 *
 *   answer [N | always]   answer N requests (1), or all that come
 *
 * Which requests, and the head:
 *
 *   when TEXT             only those that contain TEXT, in "METHOD PATH", in a
 *                         header or in the body (several: all of them)
 *   status CODE           [200]
 *   header NAME: VALUE    [Content-Type: text/event-stream; application/json
 *                         unless the status is 200]
 *   framing chunked       as HTTP chunks, one for each step [the default]
 *   framing length        with Content-Length
 *   framing close         neither: the body ends with the connection
 *   framing raw           no head at all: what `send` says is all there is
 *
 * What happens then, step by step. The head leaves with the first step that
 * sends something, so that a stall before it stalls the head too:
 *
 *   head                  the head now
 *   send TEXT             these bytes; \n \r \t \\ \0 \xHH mean what they do in C
 *   file PATH             a file's bytes; PATH is relative to the scenario
 *   event TEXT            "data: TEXT" and an empty line; TEXT unchanged
 *   sleep MILLISECONDS
 *   wait NAME             until NAME is released: by a request for /_go/NAME, or,
 *                         with -c, by the line "go NAME" on stdin
 *   hang                  until the client closes
 *   close                 end the connection here
 *   reset                 the same with a TCP reset
 *   split BYTES           from here on, write this many bytes at a time (0: all)
 *   pace MICROSECONDS     from here on, wait this long between two writes (0: none)
 *
 * What a model says, in OpenAI's chat format or that of the last `wire` (TEXT
 * with the escapes of `send`, JSON unchanged):
 *
 *   wire TYPE             openai-chat, openai-responses, anthropic, google: from
 *                         here on, for all answers
 *   chat TEXT             a piece of the reply
 *   thinking TEXT         a piece of thinking, signed if the format has that
 *   call INDEX ID NAME [JSON]   a tool call, with all its arguments or none yet
 *   arguments INDEX JSON  a piece of the arguments (google: collected, and sent whole)
 *   finish REASON         why it ends: stop, tool_calls, length, or the format's word
 *   usage INPUT OUTPUT
 *   done                  the end of the stream
 *   error KIND MESSAGE    overloaded, limit, server, invalid, key or missing: an event,
 *                         or (after a failure status) the body
 *   text PATH BYTES [MICROSECONDS]      (openai-chat) a file's text in pieces, each a
 *                         `chat`, this far apart (0: as fast as possible)
 *   generate COUNT BYTES [MICROSECONDS] COUNT such pieces of made-up text
 *
 * A request is answered by the first answer that is not used up and matches;
 * without one by status 500.
 */
#ifndef TESTS_NET_SCENARIO_H
#define TESTS_NET_SCENARIO_H

#include "util/buf.h"

#include <stdint.h>

enum framing { FRAMING_CHUNKED, FRAMING_LENGTH, FRAMING_CLOSE, FRAMING_RAW };

enum step_kind {
	STEP_HEAD,
	STEP_SEND,   /* text */
	STEP_STREAM, /* text in pieces of size bytes, number microseconds apart */
	STEP_SLEEP,  /* number microseconds */
	STEP_WAIT,   /* for text */
	STEP_HANG,
	STEP_CLOSE,
	STEP_RESET,
	STEP_SPLIT, /* size */
	STEP_PACE   /* number microseconds */
};

struct step {
	enum step_kind kind;
	struct ik_buf text;
	size_t size;
	int64_t number;
};

struct answer {
	int64_t left; /* requests it still answers; below 0: all */
	int status;
	enum framing framing;
	struct ik_buf headers; /* complete lines */
	bool has_type;
	char **when;
	size_t when_count;
	struct step *steps;
	size_t step_count;
};

struct scenario {
	struct answer *answers;
	size_t count;
};

/* Read a scenario. On error, print file and line, and leave it empty. */
enum ik_status scenario_read(const char *path, struct scenario *ret_scenario,
	struct ik_error *error) IK_MUST_USE;
void scenario_done(struct scenario *scenario);

/* Return the answer to a request (its whole text), and use it up by one. NULL: none. */
struct answer *scenario_take(struct scenario *scenario, const char *request, size_t length);

/* Append piece number index of a STEP_STREAM as an event; false after the last. */
bool step_piece(const struct step *step, size_t index, struct ik_buf *out);

/* Return the size of the whole body, for Content-Length. */
size_t answer_length(const struct answer *answer);

#endif
