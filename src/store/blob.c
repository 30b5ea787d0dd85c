#include "store/blob.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"

struct ik_queued_blob {
	struct ik_queued_blob *next;
	char id[IK_UUID_TEXT];
	struct ik_bytes *bytes;
	struct ik_blob_file *file; /* that has it, where bytes is NULL */
	off_t offset;
	size_t length;
	size_t part; /* the next one to be written */
	size_t kept; /* so much of it is in this process's file */
};

void ik_blob_queue_init(struct ik_blob_queue *queue)
{
	queue->first = NULL;
	queue->end = &queue->first;
	queue->spool = (struct ik_blob_spool){ .fd = -1 };
	queue->part = NULL;
}

/* Take the first text off the queue. */
static void shift(struct ik_blob_queue *queue)
{
	struct ik_queued_blob *blob = queue->first;

	queue->first = blob->next;
	if (!queue->first)
		queue->end = &queue->first;
	ik_bytes_unref(blob->bytes);
	(void)ik_blob_file_unref(blob->file);
	free(blob);
}

void ik_blob_queue_drop(struct ik_blob_queue *queue)
{
	const struct ik_queued_blob *blob = queue->first;

	if (blob->bytes && blob->kept > 0 && blob->kept < blob->length)
		ik_blob_spool_abandon(&queue->spool);
	shift(queue);
	if (!queue->first)
		ik_blob_spool_clear(&queue->spool);
}

size_t ik_blob_queue_done(struct ik_blob_queue *queue, size_t *ret_kept)
{
	size_t lost = 0;

	*ret_kept = 0;
	while (queue->first) {
		if (queue->first->file)
			queue->first->file->stays = true;
		else if (queue->first->kept == queue->first->length)
			++*ret_kept;
		else
			lost++;
		shift(queue);
	}
	ik_blob_spool_done(&queue->spool);
	free(queue->part);
	queue->part = NULL;
	return lost;
}

static void add(struct ik_blob_queue *queue, struct ik_queued_blob *blob, const char *id)
{
	memcpy(blob->id, id, strnlen(id, sizeof(blob->id) - 1));
	*queue->end = blob;
	queue->end = &blob->next;
}

void ik_blob_queue_add(struct ik_blob_queue *queue, const char *id, struct ik_bytes *bytes)
{
	struct ik_queued_blob *blob = ik_alloc(sizeof(*blob));

	blob->bytes = ik_bytes_ref(bytes);
	blob->length = bytes->length;
	add(queue, blob, id);
}

static void take(void *arg, struct ik_blob_file *file, const char *id, off_t offset, size_t length)
{
	struct ik_queued_blob *blob = ik_alloc(sizeof(*blob));

	blob->file = file;
	blob->offset = offset;
	blob->length = length;
	add(arg, blob, id);
}

void ik_blob_queue_take(struct ik_blob_queue *queue, struct ik_spool *spool)
{
	ik_blob_spool_take(spool, take, queue);
}

bool ik_blob_queue_keep(struct ik_blob_queue *queue, struct ik_spool *spool)
{
	struct ik_queued_blob *blob = queue->first;
	size_t piece;

	while (blob && (!blob->bytes || blob->kept == blob->length))
		blob = blob->next;
	if (!blob || queue->spool.broken)
		return false;
	queue->spool.spool = spool;
	piece = blob->length - blob->kept < IK_LIMIT_PART ? blob->length - blob->kept : IK_LIMIT_PART;
	if ((blob->kept == 0 && !ik_blob_spool_begin(&queue->spool, blob->id, blob->length)) ||
		!ik_blob_spool_add(&queue->spool, blob->bytes->data + blob->kept, piece)) {
		blob->kept = 0;
		return false;
	}
	blob->kept += piece;
	return blob->kept < blob->length || blob->next;
}

bool ik_blob_queue_is_empty(const struct ik_blob_queue *queue)
{
	return !queue->first;
}

/* The bytes of a part, of one in a file as far as they can be read; false when there are none. */
static bool find_part(struct ik_blob_queue *queue, const struct ik_queued_blob *blob, size_t part,
	const char **ret_bytes, size_t *ret_length)
{
	size_t length;
	ssize_t got;

	if (part > (blob->length - 1) / IK_LIMIT_PART)
		return false;
	length = blob->length - part * IK_LIMIT_PART;
	if (length > IK_LIMIT_PART)
		length = IK_LIMIT_PART;
	*ret_length = length;
	if (blob->bytes) {
		*ret_bytes = blob->bytes->data + part * IK_LIMIT_PART;
		return true;
	}
	if (!queue->part)
		queue->part = ik_alloc(IK_LIMIT_PART);
	got = pread(blob->file->fd, queue->part, length, blob->offset + (off_t)(part * IK_LIMIT_PART));
	*ret_bytes = queue->part;
	*ret_length = got > 0 ? (size_t)got : 0;
	return true;
}

struct ik_blob_part ik_blob_queue_next(struct ik_blob_queue *queue)
{
	const struct ik_queued_blob *blob = queue->first;
	struct ik_blob_part next = { .id = blob->id, .part = blob->part };

	(void)find_part(queue, blob, blob->part, &next.bytes, &next.length);
	return next;
}

void ik_blob_queue_written(struct ik_blob_queue *queue)
{
	struct ik_queued_blob *blob = queue->first;
	const char *bytes;
	size_t length;

	if (!find_part(queue, blob, ++blob->part, &bytes, &length))
		ik_blob_queue_drop(queue);
}

bool ik_blob_queue_read(struct ik_blob_queue *queue, const char *id, size_t part,
	struct ik_buf *out)
{
	const struct ik_queued_blob *blob = queue->first;
	const char *bytes;
	size_t length;

	while (blob && strcmp(blob->id, id) != 0)
		blob = blob->next;
	if (!blob || !find_part(queue, blob, part, &bytes, &length))
		return false;
	ik_buf_append(out, bytes, length);
	return true;
}
