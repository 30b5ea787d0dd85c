#include "agent/session/written.h"

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

struct ik_written {
	int watchers;
	struct list noted;   /* what was begun or ended while somebody watched */
	struct list running; /* what calls are at */
};

struct ik_written *ik_written_new(void)
{
	return ik_alloc(sizeof(struct ik_written));
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

struct ik_written *ik_written_free(struct ik_written *written)
{
	if (!written)
		return NULL;
	clear(&written->noted);
	clear(&written->running);
	free(written->noted.entries);
	free(written->running.entries);
	free(written);
	return NULL;
}

size_t ik_written_watch(struct ik_written *written)
{
	written->watchers++;
	return written->noted.count;
}

void ik_written_watch_no_more(struct ik_written *written)
{
	if (--written->watchers == 0)
		clear(&written->noted);
}

void ik_written_begin(struct ik_written *written, const void *owner, const char *path)
{
	add(&written->running, owner, path);
	if (written->watchers > 0)
		add(&written->noted, owner, path);
}

void ik_written_end(struct ik_written *written, const void *owner, const char *path)
{
	struct list *running = &written->running;
	size_t i = 0;

	if (written->watchers > 0)
		add(&written->noted, owner, path);
	while (i < running->count &&
		(running->entries[i].owner != owner || !ik_text_equal(running->entries[i].path, path)))
		i++;
	if (i == running->count)
		return;
	free(running->entries[i].path);
	running->entries[i] = running->entries[--running->count];
}

bool ik_written_by_another(const struct ik_written *written, size_t since, const void *owner,
	const char *path)
{
	return has_anothers(&written->noted, since, owner, path) ||
		has_anothers(&written->running, 0, owner, path);
}
