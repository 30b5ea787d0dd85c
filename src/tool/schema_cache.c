#include "tool/schema_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/*
 * The file: a line
 *     ikigai schemas FORMAT VERSION LENGTH HASH
 * followed by LENGTH bytes with that hash. Each entry is a line
 *     DEVICE INODE SIZE MTIME CTIME FIRST PROTOCOL PATH-LENGTH TEXT-LENGTH TIMED-OUT
 * (times in nanoseconds), the path, a line feed, the text, a line feed.  TIMED-OUT is 0 or the time of
 * the question that timed out; the text is then the reason.
 */
#define FORMAT "2"
enum { HEAD_MOST = 200, NUMBERS = 10 };
/* Nobody needs more, and the file stays small. */
enum { ENTRIES_MOST = 8192 };

/* A string, which may be a part of the file as it was read. */
struct cache_piece {
	const char *bytes;
	size_t length;
};

struct cache_entry {
	struct cache_piece path;
	struct cache_piece text; /* as printed; of a failure, the reason, NUL-terminated */
	struct ik_identity identity;
	enum ik_tool_protocol first, protocol;
	const char *code; /* of a failure; NULL: it answered */
	int64_t asked_ns; /* of a timeout; 0: it is not one */
	char *own;        /* path and text, unless they are parts of a file */
	bool seen;        /* in this scan */
	bool dead;
};

struct ik_schema_cache {
	char *path; /* NULL: no file */
	char *version;
	bool loaded;
	bool dirty; /* the file would differ */
	enum ik_cache_use use;
	struct ik_identity file; /* as last read or written */
	char **blocks;           /* the files that were read */
	size_t block_count;
	struct cache_entry *entries;
	size_t count, capacity;
	size_t *slots;     /* 0: free; else the number of an entry, from 1 */
	size_t slot_count; /* a power of two, at least twice the number of entries */
};

/* FNV-1a in steps of eight bytes: protects against damage, not against an attacker. */
static uint64_t hash(const char *bytes, size_t length)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);
	size_t at = 0;

	for (; at < length; at += sizeof(value)) {
		uint64_t word = 0;

		memcpy(&word, bytes + at, length - at < sizeof(word) ? length - at : sizeof(word));
		value = (value ^ word) * UINT64_C(0x100000001b3);
		value ^= value >> 32;
	}
	return value ^ length;
}

struct ik_schema_cache *ik_schema_cache_new(const char *path, const char *version)
{
	struct ik_schema_cache *cache = ik_alloc(sizeof(*cache));

	cache->path = path ? ik_strdup(path) : NULL;
	cache->version = ik_strdup(version);
	cache->loaded = !path;
	return cache;
}

struct ik_schema_cache *ik_schema_cache_free(struct ik_schema_cache *cache)
{
	if (!cache)
		return NULL;
	for (size_t i = 0; i < cache->count; i++)
		free(cache->entries[i].own);
	for (size_t i = 0; i < cache->block_count; i++)
		free(cache->blocks[i]);
	free(cache->blocks);
	free(cache->entries);
	free(cache->slots);
	free(cache->path);
	free(cache->version);
	free(cache);
	return NULL;
}

/* Return the slot of that path and protocol, or the free one where it belongs. */
static size_t *slot_of(const struct ik_schema_cache *cache, const char *path, size_t length,
	enum ik_tool_protocol first)
{
	/* Names differ at their end, which has affected only the high bits of the hash. */
	uint64_t mixed = hash(path, length) * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(mixed >> 32) & (cache->slot_count - 1);

	for (; cache->slots[at] != 0; at = (at + 1) & (cache->slot_count - 1)) {
		const struct cache_entry *entry = &cache->entries[cache->slots[at] - 1];

		if (entry->first == first && entry->path.length == length &&
			memcmp(entry->path.bytes, path, length) == 0)
			break;
	}
	return &cache->slots[at];
}

/* Make room for another entry. */
static void grow(struct ik_schema_cache *cache)
{
	if (cache->count < cache->capacity)
		return;
	cache->capacity = cache->capacity > 0 ? cache->capacity * 2 : 64;
	cache->entries = ik_alloc_array(cache->entries, cache->capacity, sizeof(*cache->entries));
	free(cache->slots);
	cache->slot_count = cache->capacity * 2;
	cache->slots = ik_alloc(cache->slot_count * sizeof(*cache->slots));
	for (size_t i = 0; i < cache->count; i++) {
		const struct cache_entry *entry = &cache->entries[i];

		*slot_of(cache, entry->path.bytes, entry->path.length, entry->first) = i + 1;
	}
}

/* Return the entry of that path and protocol, dead or alive, or NULL. */
static struct cache_entry *entry_of(const struct ik_schema_cache *cache, const char *path,
	size_t length, enum ik_tool_protocol first)
{
	size_t number = cache->count > 0 ? *slot_of(cache, path, length, first) : 0;

	return number > 0 ? &cache->entries[number - 1] : NULL;
}

/* Add an entry for a new path. */
static struct cache_entry *add(struct ik_schema_cache *cache, const struct cache_entry *entry)
{
	grow(cache);
	cache->entries[cache->count] = *entry;
	*slot_of(cache, entry->path.bytes, entry->path.length, entry->first) = cache->count + 1;
	return &cache->entries[cache->count++];
}

/* Split off length bytes and a line feed; false if they are not there. */
static bool take(struct cache_piece *rest, uint64_t length, struct cache_piece *ret_piece)
{
	if (length >= rest->length || rest->bytes[length] != '\n')
		return false;
	*ret_piece = (struct cache_piece){ rest->bytes, (size_t)length };
	rest->bytes += length + 1;
	rest->length -= (size_t)length + 1;
	return true;
}

/* Read one entry. The last number is followed by a byte that is not a digit. */
static bool read_entry(struct cache_piece *rest, struct cache_entry *ret_entry)
{
	struct cache_entry entry = { .seen = false };
	uint64_t numbers[NUMBERS];
	const char *line = memchr(rest->bytes, '\n', rest->length);
	char *at = (char *)(uintptr_t)rest->bytes;

	if (!line)
		return false;
	for (size_t i = 0; i < NUMBERS; i++)
		numbers[i] = strtoull(at, &at, 10);
	if (at != line || numbers[5] >= IK_PROTOCOL_COUNT || numbers[6] >= IK_PROTOCOL_COUNT)
		return false;
	rest->length -= (size_t)(line + 1 - rest->bytes);
	rest->bytes = line + 1;
	entry.identity = (struct ik_identity){
		.device = numbers[0],
		.inode = numbers[1],
		.size = numbers[2],
		.mtime_ns = (int64_t)numbers[3],
		.ctime_ns = (int64_t)numbers[4],
	};
	entry.first = (enum ik_tool_protocol)numbers[5];
	entry.protocol = (enum ik_tool_protocol)numbers[6];
	if (!take(rest, numbers[7], &entry.path) || !take(rest, numbers[8], &entry.text))
		return false;
	entry.asked_ns = (int64_t)numbers[9];
	if (entry.asked_ns != 0) {
		entry.code = IK_CODE_SCHEMA_TIMEOUT;
		((char *)(uintptr_t)entry.text.bytes)[entry.text.length] = '\0'; /* the line feed */
	}
	*ret_entry = entry;
	return true;
}

/* Add those entries of the file that are not known yet; true: there were some. */
static bool read_entries(struct ik_schema_cache *cache, struct cache_piece rest)
{
	size_t before = cache->count;
	struct cache_entry entry;

	while (cache->count < ENTRIES_MOST && rest.length > 0 && read_entry(&rest, &entry)) {
		if (!entry_of(cache, entry.path.bytes, entry.path.length, entry.first))
			add(cache, &entry);
	}
	return cache->count > before;
}

/* Return the first line of a file with these entries. */
static char *head(const struct ik_schema_cache *cache, const char *bytes, size_t length)
{
	return ik_format("ikigai schemas " FORMAT " %.80s %zu %016" PRIx64 "\n", cache->version, length,
		hash(bytes, length));
}

/* Can only this user write the file? */
static bool is_ours(const struct stat *status)
{
	return S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
		(status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Read the file into new memory; *ret_entries is the part with the entries. NULL: it is incomplete
 * or not ours. */
static char *read_file(const struct ik_schema_cache *cache, struct cache_piece *ret_entries)
{
	struct ik_buf text;
	const char *line;
	char *bytes, *wanted;
	size_t length, head_length;
	bool good = false;

	ik_buf_init(&text, IK_LIMIT_SCHEMA_CACHE + HEAD_MOST);
	if (ik_file_read(cache->path, &text, NULL) != IK_OK)
		ik_buf_clear(&text);
	bytes = ik_buf_take(&text, &length);
	line = memchr(bytes, '\n', length);
	if (line) {
		head_length = (size_t)(line + 1 - bytes);
		*ret_entries = (struct cache_piece){ line + 1, length - head_length };
		wanted = head(cache, ret_entries->bytes, ret_entries->length);
		good = strlen(wanted) == head_length && memcmp(bytes, wanted, head_length) == 0;
		free(wanted);
	}
	if (!good) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

/* Read the file if it has changed since it was last read. */
static void load(struct ik_schema_cache *cache)
{
	struct ik_identity identity;
	struct stat status;
	struct cache_piece entries;
	char *bytes;

	if (lstat(cache->path, &status) != 0 || !is_ours(&status))
		return;
	identity = ik_identity_of(&status);
	if (ik_identity_equal(&identity, &cache->file))
		return;
	cache->file = identity;
	bytes = read_file(cache, &entries);
	if (!bytes)
		return;
	if (!read_entries(cache, entries)) {
		free(bytes);
		return;
	}
	cache->blocks = ik_alloc_array(cache->blocks, cache->block_count + 1, sizeof(*cache->blocks));
	cache->blocks[cache->block_count++] = bytes;
}

void ik_schema_cache_begin(struct ik_schema_cache *cache, enum ik_cache_use use)
{
	cache->use = use;
	for (size_t i = 0; i < cache->count; i++)
		cache->entries[i].seen = false;
	if (!cache->loaded)
		load(cache);
	cache->loaded = true;
}

/* Return in how many milliseconds a tool that timed out must be asked again; at once if the clock
 * was set back. -1: it did not time out. */
static int64_t due_ms(const struct cache_entry *entry)
{
	int64_t now_ns = ik_clock_wall_ms() * 1000000;

	if (entry->asked_ns == 0)
		return -1;
	if (entry->asked_ns > now_ns || now_ns - entry->asked_ns >= IK_CACHE_DUE_NS)
		return 0;
	return (entry->asked_ns + IK_CACHE_DUE_NS - now_ns + 999999) / 1000000;
}

/* May this scan use the entry? */
static bool serves(const struct ik_schema_cache *cache, const struct cache_entry *entry)
{
	switch (cache->use) {
	case IK_CACHE_NOTHING:
		return false;
	case IK_CACHE_ANSWERS:
		return !entry->code;
	case IK_CACHE_TIMEOUTS:
		return !entry->code || entry->asked_ns != 0;
	case IK_CACHE_DUE:
		return due_ms(entry) != 0;
	case IK_CACHE_ALL:
		break;
	}
	return true;
}

int64_t ik_schema_cache_due_ms(const struct ik_schema_cache *cache)
{
	int64_t first_ms = -1;

	for (size_t i = 0; i < cache->count; i++) {
		const struct cache_entry *entry = &cache->entries[i];
		int64_t entry_ms = entry->seen && !entry->dead ? due_ms(entry) : -1;

		if (entry_ms >= 0 && (first_ms < 0 || entry_ms < first_ms))
			first_ms = entry_ms;
	}
	return first_ms;
}

bool ik_schema_cache_find(struct ik_schema_cache *cache, const struct ik_cache_key *key,
	struct ik_cached *ret_cached)
{
	struct cache_entry *entry = entry_of(cache, key->path, strlen(key->path), key->first);

	if (!entry || entry->dead || !serves(cache, entry) ||
		!ik_identity_equal(&entry->identity, &key->identity))
		return false;
	entry->seen = true;
	*ret_cached = (struct ik_cached){ .protocol = entry->protocol, .code = entry->code };
	if (entry->code) {
		ret_cached->reason = entry->text.bytes;
	} else {
		ret_cached->text = entry->text.bytes;
		ret_cached->length = entry->text.length;
	}
	return true;
}

/* Does the entry belong into the file? */
static bool is_kept(const struct cache_entry *entry)
{
	return !entry->dead && (!entry->code || entry->asked_ns != 0);
}

/* Clear an entry, but keep its place. */
static void kill_entry(struct ik_schema_cache *cache, struct cache_entry *entry)
{
	cache->dirty = cache->dirty || is_kept(entry);
	entry->dead = true;
}

/* Does the entry say the same already? */
static bool says(const struct cache_entry *entry, const struct ik_cache_key *key,
	const struct ik_cached *cached)
{
	return !entry->dead && ik_identity_equal(&entry->identity, &key->identity) && cached->text &&
		!entry->code && entry->protocol == cached->protocol &&
		entry->text.length == cached->length &&
		memcmp(entry->text.bytes, cached->text, cached->length) == 0;
}

/* Make an entry that owns its strings. */
static struct cache_entry new_entry(const struct ik_cache_key *key, int64_t asked_ns,
	const struct ik_cached *cached)
{
	const char *text = cached->text ? cached->text : cached->reason;
	size_t length = strlen(key->path);
	size_t text_length = cached->text ? cached->length : strlen(text);
	struct cache_entry entry = {
		.identity = key->identity,
		.first = key->first,
		.protocol = cached->protocol,
		.own = ik_alloc(length + text_length + 1),
		.seen = true,
	};

	memcpy(entry.own, key->path, length);
	entry.path = (struct cache_piece){ entry.own, length };
	memcpy(entry.own + length, text, text_length);
	entry.text = (struct cache_piece){ entry.own + length, text_length };
	if (cached->text)
		return entry;
	entry.code = cached->code;
	if (ik_text_equal(cached->code, IK_CODE_SCHEMA_TIMEOUT))
		entry.asked_ns = asked_ns;
	return entry;
}

void ik_schema_cache_store(struct ik_schema_cache *cache, const struct ik_cache_key *key,
	int64_t asked_ns, const struct ik_cached *cached)
{
	struct cache_entry *entry = entry_of(cache, key->path, strlen(key->path), key->first);
	struct cache_entry made;

	if (key->identity.ctime_ns > asked_ns || ik_identity_settles_ms(&key->identity, asked_ns) > 0) {
		ik_schema_cache_forget(cache, key);
		return;
	}
	if (entry && says(entry, key, cached)) {
		entry->seen = true;
		return;
	}
	made = new_entry(key, asked_ns, cached);
	cache->dirty = cache->dirty || is_kept(&made);
	if (!entry) {
		add(cache, &made);
	} else {
		kill_entry(cache, entry);
		free(entry->own);
		*entry = made;
	}
}

void ik_schema_cache_forget(struct ik_schema_cache *cache, const struct ik_cache_key *key)
{
	struct cache_entry *entry = entry_of(cache, key->path, strlen(key->path), key->first);

	if (entry)
		kill_entry(cache, entry);
}

void ik_schema_cache_sweep(struct ik_schema_cache *cache, const char *directory)
{
	size_t length = strlen(directory);

	while (length > 0 && directory[length - 1] == '/')
		length--;
	for (size_t i = 0; i < cache->count; i++) {
		struct cache_entry *entry = &cache->entries[i];
		const struct cache_piece *path = &entry->path;

		if (!entry->seen && path->length > length + 1 && path->bytes[length] == '/' &&
			memcmp(path->bytes, directory, length) == 0 &&
			!memchr(path->bytes + length + 1, '/', path->length - length - 1))
			kill_entry(cache, entry);
	}
}

/* Append the entries to be saved that were, or were not, seen in this scan. */
static void put_entries(const struct ik_schema_cache *cache, bool seen, struct ik_buf *out)
{
	for (size_t i = 0; i < cache->count && ik_buf_status(out) == IK_OK; i++) {
		const struct cache_entry *entry = &cache->entries[i];
		const struct ik_identity *identity = &entry->identity;

		if (!is_kept(entry) || entry->seen != seen ||
			out->length + entry->path.length + entry->text.length + HEAD_MOST >
				IK_LIMIT_SCHEMA_CACHE)
			continue;
		ik_buf_printf(out,
			"%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %d %d %zu %zu %" PRId64
			"\n",
			identity->device, identity->inode, identity->size, identity->mtime_ns,
			identity->ctime_ns, (int)entry->first, (int)entry->protocol, entry->path.length,
			entry->text.length, entry->asked_ns);
		ik_buf_append(out, entry->path.bytes, entry->path.length);
		ik_buf_putc(out, '\n');
		ik_buf_append(out, entry->text.bytes, entry->text.length);
		ik_buf_putc(out, '\n');
	}
}

/* Create the directory of a file. */
static enum ik_status make_directory(const char *path, struct ik_error *error)
{
	char *directory = ik_strndup(path, (size_t)(ik_path_base(path) - path));
	enum ik_status status = directory[0] != '\0' ? ik_path_make(directory, 0700, error) : IK_OK;

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
	put_entries(cache, true, &text);
	put_entries(cache, false, &text);
	first_line = head(cache, text.data, text.length);
	ik_buf_insert(&text, 0, first_line, strlen(first_line));
	free(first_line);
	status = ik_buf_check(&text, _("the cache of schemas"), error);
	if (status == IK_OK)
		status = make_directory(cache->path, error);
	if (status == IK_OK)
		status = ik_file_write_unsynced(cache->path, text.data, text.length, 0600, error);
	ik_buf_done(&text);
	if (status != IK_OK)
		return status;
	cache->dirty = false;
	if (lstat(cache->path, &written) == 0)
		cache->file = ik_identity_of(&written);
	return IK_OK;
}
