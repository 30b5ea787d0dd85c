#include "agent/session/file_writes.h"

#include <stdint.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/text.h"

/* The newest writes of one file by one owner. */
struct file_write {
	const void *owner;
	char *path;
	int running;
	size_t ended; /* when the last write ended; 0: none has ended */
};

struct ik_file_writes {
	size_t clock; /* counts ends */
	struct file_write *items;
	size_t count;
};

struct ik_file_writes *ik_file_writes_new(void)
{
	return ik_alloc(sizeof(struct ik_file_writes));
}

struct ik_file_writes *ik_file_writes_free(struct ik_file_writes *writes)
{
	if (!writes)
		return NULL;
	while (writes->count > 0)
		free(writes->items[--writes->count].path);
	free(writes->items);
	free(writes);
	return NULL;
}

size_t ik_file_writes_now(const struct ik_file_writes *writes)
{
	return writes->clock;
}

/* Return the entry for an owner's file, adding it if necessary. */
static struct file_write *item_of(struct ik_file_writes *writes, const void *owner,
	const char *path)
{
	for (size_t i = 0; i < writes->count; i++) {
		struct file_write *item = &writes->items[i];

		if (item->owner == owner && ik_text_equal(item->path, path))
			return item;
	}
	writes->items = ik_alloc_more(writes->items, writes->count, sizeof(*writes->items));
	writes->items[writes->count] = (struct file_write){ owner, ik_strdup(path), 0, 0 };
	return &writes->items[writes->count++];
}

void ik_file_writes_begin(struct ik_file_writes *writes, const void *owner, const char *path)
{
	item_of(writes, owner, path)->running++;
}

void ik_file_writes_end(struct ik_file_writes *writes, const void *owner, const char *path)
{
	struct file_write *item = item_of(writes, owner, path);

	item->running--;
	item->ended = ++writes->clock;
}

bool ik_file_writes_by_other(const struct ik_file_writes *writes, size_t since, const void *owner,
	const char *path)
{
	for (size_t i = 0; i < writes->count; i++) {
		const struct file_write *item = &writes->items[i];

		if ((item->running > 0 || item->ended > since) && item->owner != owner &&
			ik_text_equal(item->path, path))
			return true;
	}
	return false;
}
