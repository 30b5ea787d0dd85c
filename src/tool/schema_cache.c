#include "tool/schema_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/*
 * The file: a line
 *     ikigai schemas FORMAT VERSION HASH
 * followed by entries with that hash, which protects against damage. Each entry is a line
 *     DEVICE INODE SIZE MTIME CTIME FIRST PROTOCOL PATH-LENGTH TEXT-LENGTH TIMED-OUT
 * (times in nanoseconds), the path, a line feed, the text, a line feed.  TIMED-OUT is 1 if it did not
 * answer in time; the text is then the reason.
 */
#define FORMAT "4"
enum { HEAD_MOST = 200, NUMBERS = 10 };

struct cache_entry {
	char *path;
	struct ik_identity identity;
	enum ik_tool_protocol first, protocol;
	char *text; /* as printed; of a failure, the reason */
	size_t length;
	const char *code; /* of a failure; NULL: it answered */
};

struct ik_schema_cache {
	char *path; /* NULL: no file */
	char *version;
	bool dirty; /* the file would differ */
	enum ik_cache_use use;
	struct ik_identity file;      /* as last read or written */
	struct cache_entry **entries; /* sorted by path and question */
	size_t count;
};

struct ik_schema_cache *ik_schema_cache_new(const char *path, const char *version)
{
	struct ik_schema_cache *cache = ik_alloc(sizeof(*cache));

	cache->path = path ? ik_strdup(path) : NULL;
	cache->version = ik_strdup(version);
	return cache;
}

static void free_entry(struct cache_entry *entry)
{
	free(entry->path);
	free(entry->text);
	free(entry);
}

struct ik_schema_cache *ik_schema_cache_free(struct ik_schema_cache *cache)
{
	if (!cache)
		return NULL;
	while (cache->count > 0)
		free_entry(cache->entries[--cache->count]);
	free(cache->entries);
	free(cache->path);
	free(cache->version);
	free(cache);
	return NULL;
}

/* Return the place of the entry of that path and question, or where it belongs. */
static size_t place_of(const struct ik_schema_cache *cache, const char *path,
	enum ik_tool_protocol first, bool *ret_found)
{
	size_t low = 0, high = cache->count;

	*ret_found = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct cache_entry *entry = cache->entries[middle];
		int order = strcmp(entry->path, path);

		if (order == 0)
			order = (int)entry->first - (int)first;
		if (order == 0) {
			*ret_found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Return the entry of that path and question, or NULL. */
static struct cache_entry *entry_of(const struct ik_schema_cache *cache, const char *path,
	enum ik_tool_protocol first)
{
	bool found;
	size_t place = place_of(cache, path, first, &found);

	return found ? cache->entries[place] : NULL;
}

/* Add an entry, which becomes the cache's, in place of an older one. */
static void put(struct ik_schema_cache *cache, struct cache_entry *entry)
{
	bool found;
	size_t place = place_of(cache, entry->path, entry->first, &found);

	if (found) {
		free_entry(cache->entries[place]);
	} else {
		cache->entries = ik_alloc_more(cache->entries, cache->count, sizeof(*cache->entries));
		memmove(cache->entries + place + 1, cache->entries + place,
			(cache->count++ - place) * sizeof(*cache->entries));
	}
	cache->entries[place] = entry;
}

/* Split a text of that length and a line feed off rest; NULL if they are not there. */
static char *take(struct ik_json_span *rest, uint64_t length)
{
	char *text;

	if (length >= rest->length || rest->text[length] != '\n')
		return NULL;
	text = ik_strndup(rest->text, (size_t)length);
	rest->text += length + 1;
	rest->length -= (size_t)length + 1;
	return text;
}

/* Split the next entry off rest; NULL at the end. */
static struct cache_entry *read_entry(struct ik_json_span *rest)
{
	struct cache_entry *entry;
	uint64_t numbers[NUMBERS];
	const char *line = memchr(rest->text, '\n', rest->length);
	char *at = (char *)(uintptr_t)rest->text;

	if (!line)
		return NULL;
	for (size_t i = 0; i < NUMBERS; i++)
		numbers[i] = strtoull(at, &at, 10);
	if (at != line || numbers[5] >= IK_PROTOCOL_COUNT || numbers[6] >= IK_PROTOCOL_COUNT)
		return NULL;
	rest->length -= (size_t)(line + 1 - rest->text);
	rest->text = line + 1;
	entry = ik_alloc(sizeof(*entry));
	entry->identity = (struct ik_identity){
		.device = numbers[0],
		.inode = numbers[1],
		.size = numbers[2],
		.mtime_ns = (int64_t)numbers[3],
		.ctime_ns = (int64_t)numbers[4],
	};
	entry->first = (enum ik_tool_protocol)numbers[5];
	entry->protocol = (enum ik_tool_protocol)numbers[6];
	entry->path = take(rest, numbers[7]);
	entry->text = entry->path ? take(rest, numbers[8]) : NULL;
	entry->length = (size_t)numbers[8];
	entry->code = numbers[9] != 0 ? IK_CODE_SCHEMA_TIMEOUT : NULL;
	if (!entry->text) {
		free_entry(entry);
		return NULL;
	}
	return entry;
}

/* Return the first line of a file with these entries. */
static char *head(const struct ik_schema_cache *cache, const char *entries)
{
	return ik_format("ikigai schemas " FORMAT " %.80s %016" PRIx64 "\n", cache->version,
		ik_text_hash(entries));
}

/* Can only this user write the file? */
static bool is_ours(const struct stat *status)
{
	return S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
		(status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Return the part of a complete file that has the entries. */
static struct ik_json_span entries_of(const struct ik_schema_cache *cache,
	const struct ik_buf *file)
{
	const char *line = memchr(file->data, '\n', file->length);
	struct ik_json_span entries = { "", 0 };
	char *wanted;

	if (!line)
		return entries;
	entries.text = line + 1;
	entries.length = file->length - (size_t)(line + 1 - file->data);
	wanted = head(cache, entries.text);
	if (!ik_text_starts(file->data, wanted))
		entries.length = 0;
	free(wanted);
	return entries;
}

/* Read the file if it has changed since it was last read: add the entries that are not known yet. */
static void load(struct ik_schema_cache *cache)
{
	struct ik_identity identity;
	struct ik_json_span entries;
	struct cache_entry *entry;
	struct stat status;
	struct ik_buf file;

	if (!cache->path || lstat(cache->path, &status) != 0 || !is_ours(&status))
		return;
	identity = ik_identity_of(&status);
	if (ik_identity_equal(&identity, &cache->file))
		return;
	cache->file = identity;
	ik_buf_init(&file, IK_LIMIT_SCHEMA_CACHE + HEAD_MOST);
	if (ik_file_read(cache->path, &file, NULL) == IK_OK) {
		entries = entries_of(cache, &file);
		while (entries.length > 0 && (entry = read_entry(&entries))) {
			if (entry_of(cache, entry->path, entry->first))
				free_entry(entry);
			else
				put(cache, entry);
		}
	}
	ik_buf_done(&file);
}

void ik_schema_cache_begin(struct ik_schema_cache *cache, enum ik_cache_use use)
{
	cache->use = use;
	load(cache);
}

bool ik_schema_cache_find(struct ik_schema_cache *cache, const struct ik_cache_key *key,
	struct ik_cached *ret_cached)
{
	const struct cache_entry *entry = entry_of(cache, key->path, key->first);

	if (!entry || cache->use == IK_CACHE_NOTHING || (entry->code && cache->use != IK_CACHE_ALL) ||
		!ik_identity_equal(&entry->identity, &key->identity))
		return false;
	*ret_cached = (struct ik_cached){ .protocol = entry->protocol, .code = entry->code };
	if (entry->code) {
		ret_cached->reason = entry->text;
	} else {
		ret_cached->text = entry->text;
		ret_cached->length = entry->length;
	}
	return true;
}

/* Does the entry belong into the file? */
static bool is_kept(const struct cache_entry *entry)
{
	return !entry->code || ik_text_equal(entry->code, IK_CODE_SCHEMA_TIMEOUT);
}

/* Do two entries of one path say the same? */
static bool is_same(const struct cache_entry *one, const struct cache_entry *other)
{
	return ik_identity_equal(&one->identity, &other->identity) && !one->code == !other->code &&
		one->protocol == other->protocol && one->length == other->length &&
		memcmp(one->text, other->text, one->length) == 0;
}

void ik_schema_cache_store(struct ik_schema_cache *cache, const struct ik_cache_key *key,
	int64_t asked_ns, const struct ik_cached *cached)
{
	const struct cache_entry *old = entry_of(cache, key->path, key->first);
	struct cache_entry *entry;

	if (key->identity.ctime_ns > asked_ns || ik_identity_settles_ms(&key->identity, asked_ns) > 0) {
		ik_schema_cache_forget(cache, key);
		return;
	}
	entry = ik_alloc(sizeof(*entry));
	entry->path = ik_strdup(key->path);
	entry->identity = key->identity;
	entry->first = key->first;
	entry->protocol = cached->protocol;
	entry->length = cached->text ? cached->length : strlen(cached->reason);
	entry->text = ik_strndup(cached->text ? cached->text : cached->reason, entry->length);
	entry->code = cached->text ? NULL : cached->code;
	if (old ? (is_kept(old) || is_kept(entry)) && !is_same(old, entry) : is_kept(entry))
		cache->dirty = true;
	put(cache, entry);
}

void ik_schema_cache_forget(struct ik_schema_cache *cache, const struct ik_cache_key *key)
{
	bool found;
	size_t place = place_of(cache, key->path, key->first, &found);

	if (!found)
		return;
	cache->dirty = cache->dirty || is_kept(cache->entries[place]);
	free_entry(cache->entries[place]);
	memmove(cache->entries + place, cache->entries + place + 1,
		(--cache->count - place) * sizeof(*cache->entries));
}

/* Append the entries to be saved: not those of files that are gone. */
static void put_entries(const struct ik_schema_cache *cache, struct ik_buf *out)
{
	for (size_t i = 0; i < cache->count; i++) {
		const struct cache_entry *entry = cache->entries[i];
		const struct ik_identity *identity = &entry->identity;
		size_t path_length = strlen(entry->path);

		if (!is_kept(entry) || access(entry->path, F_OK) != 0 ||
			out->length + path_length + entry->length + HEAD_MOST > IK_LIMIT_SCHEMA_CACHE)
			continue;
		ik_buf_printf(out,
			"%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %d %d %zu %zu %d\n%s\n",
			identity->device, identity->inode, identity->size, identity->mtime_ns,
			identity->ctime_ns, (int)entry->first, (int)entry->protocol, path_length, entry->length,
			entry->code ? 1 : 0, entry->path);
		ik_buf_append(out, entry->text, entry->length);
		ik_buf_putc(out, '\n');
	}
}

/* Write the file and create its directory. */
static enum ik_status write_file(const char *path, const struct ik_buf *text,
	struct ik_error *error)
{
	char *directory = ik_path_directory(path);
	enum ik_status status = ik_buf_check(text, _("the cache of schemas"), error);

	if (status == IK_OK)
		status = ik_path_make(directory, 0700, error);
	if (status == IK_OK)
		status = ik_file_write_unsynced(path, text->data, text->length, 0600, error);
	free(directory);
	return status;
}

enum ik_status ik_schema_cache_save(struct ik_schema_cache *cache, struct ik_error *error)
{
	struct ik_buf text;
	enum ik_status status;
	struct stat written;
	char *first_line;

	if (!cache->path || !cache->dirty)
		return IK_OK;
	/* Keep what another program has written meanwhile. */
	load(cache);
	ik_buf_init(&text, IK_LIMIT_SCHEMA_CACHE + HEAD_MOST);
	put_entries(cache, &text);
	first_line = head(cache, text.data);
	ik_buf_insert(&text, 0, first_line, strlen(first_line));
	free(first_line);
	status = write_file(cache->path, &text, error);
	ik_buf_done(&text);
	if (status != IK_OK)
		return status;
	cache->dirty = false;
	if (lstat(cache->path, &written) == 0)
		cache->file = ik_identity_of(&written);
	return IK_OK;
}
