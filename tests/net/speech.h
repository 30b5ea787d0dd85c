/*
 * speech: a scenario's reply in one of the four wire formats.
 *
 * Written from the services' documentation, independent of the program's own decoders.  May
 * include: util, json.
 */
#ifndef TESTS_NET_SPEECH_H
#define TESTS_NET_SPEECH_H

#include "util/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum wire { WIRE_CHAT, WIRE_RESPONSES, WIRE_ANTHROPIC, WIRE_GOOGLE };

#define SPEECH_ITEMS 64

/* A block or item of the reply. */
struct speech_item {
	char kind; /* t(ext), k (thinking), c(all) */
	bool is_open;
	int64_t index; /* the scenario's, of a call */
	char *id, *name;
	struct ik_buf text; /* or the arguments */
};

/* A reply in progress. */
struct speech {
	enum wire wire;
	bool begun;
	struct speech_item items[SPEECH_ITEMS];
	int count;
	int64_t input, output;
	char *reason;
};

/* Is that the type of a wire? */
bool speech_wire(const char *type, enum wire *ret_wire);

void speech_init(struct speech *speech, enum wire wire);
void speech_done(struct speech *speech);

/* Append the events of each, as scenario.h tells of them. What the format wants
 * whole (the calls of Google) waits for speech_flush(), which every other one does. */
void speech_text(struct speech *speech, char kind, const char *text, size_t length,
	struct ik_buf *out);
void speech_call(struct speech *speech, int64_t index, const char *id, const char *name,
	const char *arguments, struct ik_buf *out);
void speech_arguments(struct speech *speech, int64_t index, const char *arguments,
	struct ik_buf *out);
void speech_finish(struct speech *speech, const char *reason, struct ik_buf *out);
void speech_usage(struct speech *speech, int64_t input, int64_t output, struct ik_buf *out);
void speech_end(struct speech *speech, struct ik_buf *out);

/* An error as an event of the stream, or as a body. kind: overloaded, limit, server,
 * invalid, key, context. False: no such kind. */
bool speech_error(const struct speech *speech, const char *kind, const char *message,
	bool in_stream, struct ik_buf *out);

#endif
