#include "agent/session/file_writes.h"

#include <stdint.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/text.h"

/* A write that runs, or that ended while somebody watched. */
struct file_write {
	const void *owner;
	char *path;
	size_t ended; /* when; SIZE_MAX: it runs */
};

struct ik_file_writes {
	int watchers;
	size_t clock; /* counts ends */
	struct file_write *items;
	size_t count;
};

struct ik_file_writes *ik_file_writes_new(void)
{
	return ik_alloc(sizeof(struct ik_file_writes));
}

/* Forget the writes that have ended, and with running set the others, too. */
static void clear(struct ik_file_writes *writes, bool running)
{
	size_t kept = 0;

	for (size_t i = 0; i < writes->count; i++) {
		if (writes->items[i].ended == SIZE_MAX && !running)
			writes->items[kept++] = writes->items[i];
		else
			free(writes->items[i].path);
	}
	writes->count = kept;
}

struct ik_file_writes *ik_file_writes_free(struct ik_file_writes *writes)
{
	if (!writes)
		return NULL;
	clear(writes, true);
	free(writes->items);
	free(writes);
	return NULL;
}

size_t ik_file_writes_watch(struct ik_file_writes *writes)
{
	writes->watchers++;
	return writes->clock;
}

void ik_file_writes_unwatch(struct ik_file_writes *writes)
{
	if (--writes->watchers == 0)
		clear(writes, false);
}

void ik_file_writes_begin(struct ik_file_writes *writes, const void *owner, const char *path)
{
	writes->items = ik_alloc_more(writes->items, writes->count, sizeof(*writes->items));
	writes->items[writes->count++] = (struct file_write){ owner, ik_strdup(path), SIZE_MAX };
}

void ik_file_writes_end(struct ik_file_writes *writes, const void *owner, const char *path)
{
	for (size_t i = 0; i < writes->count; i++) {
		struct file_write *item = &writes->items[i];

		if (item->ended == SIZE_MAX && item->owner == owner && ik_text_equal(item->path, path)) {
			item->ended = ++writes->clock;
			break;
		}
	}
	if (writes->watchers == 0)
		clear(writes, false);
}

bool ik_file_writes_by_other(const struct ik_file_writes *writes, size_t since, const void *owner,
	const char *path)
{
	for (size_t i = 0; i < writes->count; i++) {
		const struct file_write *item = &writes->items[i];

		if (item->ended > since && item->owner != owner && ik_text_equal(item->path, path))
			return true;
	}
	return false;
}
