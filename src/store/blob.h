/*
 * blob: large texts on their way to the database.
 *
 * A queue of its own beside that of the events (store.c), which go first: a
 * text is written a part at a time, so that no statement takes long.
 *
 * Owns a reference of each text.  May include: util, conversation, store/blob_spool.h.
 */
#ifndef IK_STORE_BLOB_H
#define IK_STORE_BLOB_H

#include "store/blob_spool.h"
#include "util/bytes.h"
#include "util/uuid.h"

#include <stdbool.h>

struct ik_blob_queue {
	struct ik_queued_blob *first, **end;
	struct ik_blob_spool spool;
	char *part; /* of a text in a file: IK_LIMIT_PART bytes; NULL: not needed yet */
};

void ik_blob_queue_init(struct ik_blob_queue *queue);
/* Forget all that waits; how many texts that was which no file has; those that one has: */
size_t ik_blob_queue_done(struct ik_blob_queue *queue, size_t *ret_kept);

/* Keep a piece of what waits in a file of this spool; true: there is more. */
bool ik_blob_queue_keep(struct ik_blob_queue *queue, struct ik_spool *spool);
/* Add what files of earlier processes have. */
void ik_blob_queue_take(struct ik_blob_queue *queue, struct ik_spool *spool);

void ik_blob_queue_add(struct ik_blob_queue *queue, const char *id, struct ik_bytes *bytes);
bool ik_blob_queue_is_empty(const struct ik_blob_queue *queue);

/* The next part to be written, of a queue that is not empty; valid until the next call. */
struct ik_blob_part {
	const char *id;
	size_t part;
	const char *bytes;
	size_t length;
};
struct ik_blob_part ik_blob_queue_next(struct ik_blob_queue *queue);
/* It is written. */
void ik_blob_queue_written(struct ik_blob_queue *queue);
/* It can never be: forget the text it belongs to. */
void ik_blob_queue_drop(struct ik_blob_queue *queue);

/* Append a part of a text that waits. False: it does not wait, or has no such part. */
bool ik_blob_queue_read(struct ik_blob_queue *queue, const char *id, size_t part,
	struct ik_buf *out);

#endif
