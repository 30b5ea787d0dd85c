#include "store/blob.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"

struct ik_queued_blob {
	struct ik_queued_blob *next;
	char id[IK_UUID_TEXT];
	struct ik_bytes *bytes;
	size_t part; /* the next one to be written */
};

void ik_blob_queue_init(struct ik_blob_queue *queue)
{
	queue->first = NULL;
	queue->end = &queue->first;
}

void ik_blob_queue_drop(struct ik_blob_queue *queue)
{
	struct ik_queued_blob *blob = queue->first;

	queue->first = blob->next;
	if (!queue->first)
		queue->end = &queue->first;
	ik_bytes_unref(blob->bytes);
	free(blob);
}

size_t ik_blob_queue_done(struct ik_blob_queue *queue)
{
	size_t count = 0;

	for (; queue->first; count++)
		ik_blob_queue_drop(queue);
	return count;
}

void ik_blob_queue_add(struct ik_blob_queue *queue, const char *id, struct ik_bytes *bytes)
{
	struct ik_queued_blob *blob = ik_alloc(sizeof(*blob));

	memcpy(blob->id, id, strnlen(id, sizeof(blob->id) - 1));
	blob->bytes = ik_bytes_ref(bytes);
	*queue->end = blob;
	queue->end = &blob->next;
}

bool ik_blob_queue_is_empty(const struct ik_blob_queue *queue)
{
	return !queue->first;
}

/* The bytes of a part; false when there are none. */
static bool find_part(const struct ik_queued_blob *blob, size_t part, const char **ret_bytes,
	size_t *ret_length)
{
	size_t length = blob->bytes->length;

	if (part > (length - 1) / IK_LIMIT_PART)
		return false;
	*ret_bytes = blob->bytes->data + part * IK_LIMIT_PART;
	*ret_length = length - part * IK_LIMIT_PART;
	if (*ret_length > IK_LIMIT_PART)
		*ret_length = IK_LIMIT_PART;
	return true;
}

struct ik_blob_part ik_blob_queue_next(const struct ik_blob_queue *queue)
{
	const struct ik_queued_blob *blob = queue->first;
	struct ik_blob_part next = { .id = blob->id, .part = blob->part };

	(void)find_part(blob, blob->part, &next.bytes, &next.length);
	return next;
}

void ik_blob_queue_written(struct ik_blob_queue *queue)
{
	struct ik_queued_blob *blob = queue->first;
	const char *bytes;
	size_t length;

	if (!find_part(blob, ++blob->part, &bytes, &length))
		ik_blob_queue_drop(queue);
}

bool ik_blob_queue_read(const struct ik_blob_queue *queue, const char *id, size_t part,
	struct ik_buf *out)
{
	const struct ik_queued_blob *blob = queue->first;
	const char *bytes;
	size_t length;

	while (blob && strcmp(blob->id, id) != 0)
		blob = blob->next;
	if (!blob || !find_part(blob, part, &bytes, &length))
		return false;
	ik_buf_append(out, bytes, length);
	return true;
}
