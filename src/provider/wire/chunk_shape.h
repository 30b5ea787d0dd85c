/*
 * chunk_shape: a chunk that is like the one before but for one string.
 *
 * The chunks of a stream differ in little but the piece of text that they
 * bring, and around it stands far more than in it: names, and members that a
 * format numbers or fills up its chunks with.  When everything else is, byte for
 * byte, what was read the last time, only the string and those members have to
 * be looked at: several times as fast, and most of a reply.
 *
 * Private to src/provider.  Owns a copy of the last shape.
 * May include: util, json.
 */
#ifndef IK_PROVIDER_WIRE_CHUNK_SHAPE_H
#define IK_PROVIDER_WIRE_CHUNK_SHAPE_H

#include "json/scan.h"

/* So many members may differ; so many names does a format give. */
#define IK_SHAPE_HOLES 12
#define IK_SHAPE_NAMES 8

/* What stays the same, up to a value that may differ. */
struct ik_shape_part {
	size_t from;   /* in the text of the shape */
	size_t length; /* with the opening quote of a string */
	int hole;      /* which value follows: a place in the names, or as below */
	bool number;
};

struct ik_chunk_shape {
	struct ik_buf text; /* the chunk; empty: there is no shape */
	struct ik_shape_part parts[IK_SHAPE_HOLES];
	size_t part_count;
};

void ik_chunk_shape_init(struct ik_chunk_shape *shape);
void ik_chunk_shape_done(struct ik_chunk_shape *shape);

/* There is none, until the next is learned. */
void ik_chunk_shape_forget(struct ik_chunk_shape *shape);

/*
 * Remember a checked chunk in which only string (a span inside it) and the members
 * with one of these names (at most IK_SHAPE_NAMES, NULL at their end; NULL: none), at any depth,
 * may differ. Remembers nothing where one of those is neither a string nor a plain whole number.
 */
void ik_chunk_shape_learn(struct ik_chunk_shape *shape, struct ik_json_span chunk,
	struct ik_json_span string, const char *const *names);

/*
 * Is this chunk, not checked yet, of the remembered shape with a string that is not empty? Sets
 * *ret_string to it and ret_numbers to the values by their names' places, -1 where there is no
 * number; the chunk is then known to be JSON.
 */
bool ik_chunk_shape_match(const struct ik_chunk_shape *shape, const char *chunk, size_t length,
	struct ik_json_span *ret_string, int64_t ret_numbers[IK_SHAPE_NAMES]);

#endif
