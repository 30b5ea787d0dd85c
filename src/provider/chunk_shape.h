/*
 * chunk_shape: a chunk that is like the one before but for one string.
 *
 * The chunks of a stream differ in nothing but the piece of text that they
 * bring, and around it stands far more than in it.  When everything before and
 * behind that string is, byte for byte, what was read the last time, only the
 * string has to be looked at: several times as fast, and most of a reply.
 *
 * Private to src/provider.  Owns a copy of the last shape.
 * May include: util, json.
 */
#ifndef IK_PROVIDER_CHUNK_SHAPE_H
#define IK_PROVIDER_CHUNK_SHAPE_H

#include "json/scan.h"

struct ik_chunk_shape {
	struct ik_buf before; /* up to and with the opening quote */
	struct ik_buf behind; /* from the closing quote on */
};

void ik_chunk_shape_init(struct ik_chunk_shape *shape);
void ik_chunk_shape_done(struct ik_chunk_shape *shape);

/* Remember a checked chunk in which only string (a span inside it) matters. */
void ik_chunk_shape_learn(struct ik_chunk_shape *shape, const char *chunk, size_t length,
	struct ik_json_span string);

/*
 * Is this chunk, not checked yet, of the remembered shape with a string that
 * is not empty? Sets *ret_string to it; the chunk is then known to be JSON.
 */
bool ik_chunk_shape_match(const struct ik_chunk_shape *shape, const char *chunk, size_t length,
	struct ik_json_span *ret_string);

#endif
