#include "agent/session/file_writes.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/text.h"

struct written_entry {
	const void *owner;
	char *path;
};

struct list {
	struct written_entry *entries;
	size_t count, capacity;
};

struct ik_file_writes {
	int watchers;
	struct list noted;   /* writes that began or ended while somebody watched */
	struct list running; /* writes at present */
};

struct ik_file_writes *ik_file_writes_new(void)
{
	return ik_alloc(sizeof(struct ik_file_writes));
}

static void clear(struct list *list)
{
	while (list->count > 0)
		free(list->entries[--list->count].path);
}

static void add(struct list *list, const void *owner, const char *path)
{
	if (list->count == list->capacity) {
		list->capacity = 2 * list->capacity + 16;
		list->entries = ik_alloc_array(list->entries, list->capacity, sizeof(*list->entries));
	}
	list->entries[list->count++] = (struct written_entry){ .owner = owner,
		.path = ik_strdup(path) };
}

static bool has_anothers(const struct list *list, size_t since, const void *owner, const char *path)
{
	size_t i;

	for (i = since; i < list->count; i++)
		if (list->entries[i].owner != owner && ik_text_equal(list->entries[i].path, path))
			return true;
	return false;
}

struct ik_file_writes *ik_file_writes_free(struct ik_file_writes *writes)
{
	if (!writes)
		return NULL;
	clear(&writes->noted);
	clear(&writes->running);
	free(writes->noted.entries);
	free(writes->running.entries);
	free(writes);
	return NULL;
}

size_t ik_file_writes_watch(struct ik_file_writes *writes)
{
	writes->watchers++;
	return writes->noted.count;
}

void ik_file_writes_unwatch(struct ik_file_writes *writes)
{
	if (--writes->watchers == 0)
		clear(&writes->noted);
}

void ik_file_writes_begin(struct ik_file_writes *writes, const void *owner, const char *path)
{
	add(&writes->running, owner, path);
	if (writes->watchers > 0)
		add(&writes->noted, owner, path);
}

void ik_file_writes_end(struct ik_file_writes *writes, const void *owner, const char *path)
{
	struct list *running = &writes->running;
	size_t i = 0;

	if (writes->watchers > 0)
		add(&writes->noted, owner, path);
	while (i < running->count &&
		(running->entries[i].owner != owner || !ik_text_equal(running->entries[i].path, path)))
		i++;
	if (i == running->count)
		return;
	free(running->entries[i].path);
	running->entries[i] = running->entries[--running->count];
}

bool ik_file_writes_by_other(const struct ik_file_writes *writes, size_t since, const void *owner,
	const char *path)
{
	return has_anothers(&writes->noted, since, owner, path) ||
		has_anothers(&writes->running, 0, owner, path);
}
