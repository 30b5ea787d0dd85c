#include "tool/schema_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/*
 * The file has a line for each entry: a hash of the rest, which protects against damage, and JSON:
 *     {"path":PATH,"text":TEXT,"numbers":[DEVICE,INODE,SIZE,MTIME,CTIME,FIRST,PROTOCOL,STATE]}
 * (times in nanoseconds).  Later lines of a path and FIRST replace earlier ones.
 */
enum { NUMBERS = 8 };
enum { FORGOTTEN, ANSWERED, TIMED_OUT };

struct ik_schema_cache {
	char *path; /* NULL: no file */
	enum ik_cache_use use;
	struct ik_identity file;   /* as last read */
	struct ik_cached *entries; /* their strings are owned */
	size_t count;
};

struct ik_schema_cache *ik_schema_cache_new(const char *path)
{
	struct ik_schema_cache *cache = ik_alloc(sizeof(*cache));

	cache->path = path ? ik_strdup(path) : NULL;
	return cache;
}

static void entry_done(struct ik_cached *entry)
{
	free((char *)(uintptr_t)entry->path);
	free((char *)(uintptr_t)entry->text);
}

struct ik_schema_cache *ik_schema_cache_free(struct ik_schema_cache *cache)
{
	if (!cache)
		return NULL;
	while (cache->count > 0)
		entry_done(&cache->entries[--cache->count]);
	free(cache->entries);
	free(cache->path);
	free(cache);
	return NULL;
}

/* Return the entry of that path and question, or NULL. */
static struct ik_cached *entry_of(const struct ik_schema_cache *cache, const struct ik_cached *key)
{
	for (size_t i = 0; i < cache->count; i++)
		if (cache->entries[i].first == key->first &&
			ik_text_equal(cache->entries[i].path, key->path))
			return &cache->entries[i];
	return NULL;
}

/* Put an entry, which is copied, in the place of an older one; without a text, only remove that. */
static void put(struct ik_schema_cache *cache, const struct ik_cached *entry)
{
	struct ik_cached *old = entry_of(cache, entry), copy = *entry;

	copy.path = ik_strdup(entry->path);
	copy.text = entry->text ? ik_strndup(entry->text, entry->length) : NULL;
	if (old) {
		entry_done(old);
		*old = cache->entries[--cache->count];
	}
	if (!copy.text) {
		entry_done(&copy);
		return;
	}
	cache->entries = ik_alloc_more(cache->entries, cache->count, sizeof(*cache->entries));
	cache->entries[cache->count++] = copy;
}

/* ---- the file ---- */

/* Does the entry belong into the file? A server that took too long may have been fetching its program,
 * and is asked anew. */
static bool is_kept(const struct ik_cached *entry)
{
	return entry && entry->text &&
		(!entry->code ||
			(entry->first < IK_PROTOCOL_COUNT &&
				ik_text_equal(entry->code, IK_CODE_SCHEMA_TIMEOUT)));
}

/* Read an entry from JSON, and put it in the cache unless its file is gone. */
static void take_entry(struct ik_schema_cache *cache, struct ik_json_span value)
{
	struct ik_json_span numbers = ik_json_member(value, "numbers");
	struct ik_json_walk walk = ik_json_walk(numbers);
	int64_t at[NUMBERS] = { 0 };
	char *path = ik_json_text_new(ik_json_member(value, "path")), *text;
	struct ik_cached entry = { .path = path };

	for (size_t i = 0; i < NUMBERS && ik_json_next(&walk); i++)
		(void)ik_json_integer(walk.value, &at[i]);
	text = ik_json_string_new(ik_json_member(value, "text"), &entry.length);
	entry.text = at[7] == FORGOTTEN ? NULL : text;
	entry.identity = (struct ik_identity){ (uint64_t)at[0], (uint64_t)at[1], (uint64_t)at[2], at[3],
		at[4] };
	entry.first = at[5];
	entry.protocol = at[6] == IK_PROTOCOL_KODELET ? IK_PROTOCOL_KODELET : IK_PROTOCOL_NATIVE;
	entry.code = at[7] == TIMED_OUT ? IK_CODE_SCHEMA_TIMEOUT : NULL;
	if (path && access(path, F_OK) == 0 && (entry.text || is_kept(entry_of(cache, &entry))))
		put(cache, &entry);
	free(text);
	free(path);
}

/* Take all lines; false: one is damaged. (A last line without an end is being written.) */
static bool take_lines(struct ik_schema_cache *cache, struct ik_buf *text)
{
	char *line = text->data, *end, *json;
	struct ik_json_span value;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (strtoull(line, &json, 16) != ik_text_hash(json) ||
			ik_json_check(json, (size_t)(end - json), &value, NULL) != IK_OK)
			return false;
		take_entry(cache, value);
	}
	return true;
}

/* Can only this user write the file? */
static bool is_ours(const struct stat *status)
{
	return S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
		(status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Read the file if it has changed since it was last read. */
static void load(struct ik_schema_cache *cache)
{
	struct ik_identity identity;
	struct stat status;
	struct ik_buf text;

	if (!cache->path || lstat(cache->path, &status) != 0 || !is_ours(&status))
		return;
	identity = ik_identity_of(&status);
	if (ik_identity_equal(&identity, &cache->file))
		return;
	cache->file = identity;
	ik_buf_init(&text, IK_LIMIT_SCHEMA_CACHE);
	if (ik_file_read(cache->path, &text, NULL) != IK_OK || !take_lines(cache, &text))
		(void)unlink(cache->path);
	ik_buf_done(&text);
}

/* Append an entry to the file; without a text, that it is forgotten. */
static enum ik_status append(const struct ik_schema_cache *cache, const struct ik_cached *entry,
	struct ik_error *error)
{
	const struct ik_identity *identity = &entry->identity;
	char *directory = ik_path_directory(cache->path), *line;
	enum ik_status status = ik_path_make(directory, 0700, error);
	struct ik_buf json;

	ik_buf_init(&json, IK_LIMIT_SCHEMA_CACHE);
	ik_json_printf(&json, "{'path':'%s','text':'%.*s','numbers':[", entry->path,
		entry->text ? (int)entry->length : 0, entry->text ? entry->text : "");
	ik_json_printf(&json, "%lld,%lld,%lld,%lld,%lld,%lld,%d,%d]}", (long long)identity->device,
		(long long)identity->inode, (long long)identity->size, (long long)identity->mtime_ns,
		(long long)identity->ctime_ns, (long long)entry->first, (int)entry->protocol,
		!entry->text      ? FORGOTTEN
			: entry->code ? TIMED_OUT
						  : ANSWERED);
	line = ik_format("%016" PRIx64 "%s\n", ik_text_hash(json.data), json.data);
	if (status == IK_OK)
		status = ik_buf_check(&json, _("the cache of schemas"), error);
	if (status == IK_OK)
		status = ik_file_append(cache->path, line, strlen(line), false, error);
	ik_buf_done(&json);
	free(line);
	free(directory);
	return status;
}

/* ---- scans ---- */

void ik_schema_cache_begin(struct ik_schema_cache *cache, enum ik_cache_use use)
{
	cache->use = use;
	load(cache);
}

const struct ik_cached *ik_schema_cache_find(const struct ik_schema_cache *cache,
	const struct ik_cached *key)
{
	const struct ik_cached *entry = entry_of(cache, key);

	if (!entry || cache->use == IK_CACHE_NOTHING || (entry->code && cache->use != IK_CACHE_ALL) ||
		!ik_identity_equal(&entry->identity, &key->identity))
		return NULL;
	return entry;
}

/* Do two entries of one path say the same? */
static bool is_same(const struct ik_cached *one, const struct ik_cached *other)
{
	return ik_identity_equal(&one->identity, &other->identity) && !one->code == !other->code &&
		one->protocol == other->protocol && one->length == other->length &&
		memcmp(one->text, other->text, one->length) == 0;
}

void ik_schema_cache_store(struct ik_schema_cache *cache, const struct ik_cached *cached,
	int64_t asked_ns)
{
	const struct ik_cached *old = entry_of(cache, cached);
	struct ik_cached entry = *cached;
	struct ik_error error;

	if (entry.identity.ctime_ns > asked_ns || ik_identity_settles_ms(&entry.identity, asked_ns) > 0)
		entry.text = NULL;
	if (cache->path && (is_kept(&entry) ? !is_kept(old) || !is_same(old, &entry) : is_kept(old)) &&
		append(cache, &entry, &error) != IK_OK) {
		ik_log(IK_LOG_INFO, "cache of schemas: %s", error.text);
		free(cache->path);
		cache->path = NULL;
	}
	put(cache, &entry);
}
