#include "tool/schema_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "support.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

#define SECOND_NS INT64_C(1000000000)

/* A time long after the files of these tests were changed. */
#define LATER (100 * SECOND_NS)

static char *directory, *file;

static void make_directory(void)
{
	directory = support_mkdir();
	file = ik_path_join(directory, "cache/schemas");
}

static void remove_directory(void)
{
	free(file);
	support_rmdir(directory);
}

TestSuite(schema_cache, .init = make_directory, .fini = remove_directory);

/* Return the key of a file below the directory, which it creates; of the last 16 keys the paths are
 * valid. */
static struct ik_cached key_of(const char *name)
{
	static char paths[16][256];
	static size_t count;
	char *path = paths[count++ % 16], *parent;
	FILE *stream;

	snprintf(path, sizeof paths[0], "%s%s", directory, name);
	parent = ik_path_directory(path);
	cr_assert_eq(ik_path_make(parent, 0700, NULL), IK_OK);
	free(parent);
	stream = fopen(path, "a");
	cr_assert_not_null(stream);
	fclose(stream);
	return (struct ik_cached){ .path = path,
		.identity = { 1, 2, 3, 4 * SECOND_NS + 1, 5 * SECOND_NS + 1 } };
}

/* Return what came of asking a file; code NULL: it answered. */
static struct ik_cached with(struct ik_cached key, const char *code, const char *text)
{
	key.code = code;
	key.text = text;
	key.length = text ? strlen(text) : 0;
	return key;
}

static void store(struct ik_schema_cache *cache, const char *path, const char *text)
{
	struct ik_cached answer = with(key_of(path), NULL, text);

	ik_schema_cache_store(cache, &answer, LATER);
}

/* Return a cache that has read the file. */
static struct ik_schema_cache *opened(void)
{
	struct ik_schema_cache *cache = ik_schema_cache_new(file);

	ik_schema_cache_begin(cache, IK_CACHE_ANSWERS);
	return cache;
}

/* Return what a cache says about path, or NULL. */
static const char *said(struct ik_schema_cache *cache, const char *path)
{
	static char text[100];
	struct ik_cached key = key_of(path);
	const struct ik_cached *found = ik_schema_cache_find(cache, &key);

	if (!found)
		return NULL;
	cr_assert_null(found->code);
	memcpy(text, found->text, found->length);
	text[found->length] = '\0';
	return text;
}

/* Write the file with one entry for /tools/a. */
static void write_one(void)
{
	struct ik_schema_cache *cache = opened();

	store(cache, "/tools/a", "{\"name\":\"a\"}");
	ik_schema_cache_free(cache);
}

Test(schema_cache, keeps_answers_over_the_end_of_the_program)
{
	struct ik_schema_cache *cache = opened();
	struct ik_cached key = with(key_of("/tools/k"), NULL, "two\nlines");
	const struct ik_cached *found;
	struct stat status;

	cr_assert_null(said(cache, "/tools/a"));
	store(cache, "/tools/a", "{\"name\":\"a\"}");
	store(cache, "/tools/line\nfeed", "{}");
	store(cache, "/tools/no text \xff", "{}");
	key.first = IK_PROTOCOL_KODELET;
	key.protocol = IK_PROTOCOL_KODELET;
	ik_schema_cache_store(cache, &key, LATER);
	cr_assert_str_eq(said(cache, "/tools/no text \xff"), "{}");
	cr_assert_eq(stat(file, &status), 0);
	cr_assert_eq(status.st_mode & 0777, 0600);
	ik_schema_cache_free(cache);

	cache = opened();
	cr_assert_str_eq(said(cache, "/tools/a"), "{\"name\":\"a\"}");
	cr_assert_str_eq(said(cache, "/tools/line\nfeed"), "{}");
	cr_assert_null(said(cache, "/tools/no text \xff"), "the file holds text");
	found = ik_schema_cache_find(cache, &key);
	cr_assert_not_null(found);
	cr_assert_eq(found->protocol, IK_PROTOCOL_KODELET);
	cr_assert_eq(found->length, strlen("two\nlines"));
	/* Which question came first is part of the key. */
	cr_assert_null(said(cache, "/tools/k"));
	ik_schema_cache_free(cache);
}

Test(schema_cache, knows_a_file_by_all_of_its_identity)
{
	struct ik_schema_cache *cache = opened();
	struct ik_cached key = key_of("/tools/a"), other;

	store(cache, "/tools/a", "{}");
	cr_assert(ik_schema_cache_find(cache, &key));
	for (int i = 0; i < 5; i++) {
		other = key;
		other.identity.device += i == 0;
		other.identity.inode += i == 1;
		other.identity.size += i == 2;
		other.identity.mtime_ns += i == 3;
		other.identity.ctime_ns += i == 4;
		cr_assert_not(ik_schema_cache_find(cache, &other), "%d", i);
	}
	other = key;
	other.path = key_of("/tools/b").path;
	cr_assert_not(ik_schema_cache_find(cache, &other));
	ik_schema_cache_free(cache);
}

/* A change within the same tick of the clock would not be noticed. */
Test(schema_cache, keeps_nothing_that_is_too_young)
{
	struct ik_schema_cache *cache = opened();
	struct ik_cached key = with(key_of("/tools/a"), NULL, "{}");

	ik_schema_cache_store(cache, &key, key.identity.ctime_ns + 1000000);
	cr_assert_not(ik_schema_cache_find(cache, &key));
	ik_schema_cache_store(cache, &key, key.identity.ctime_ns - LATER);
	cr_assert_not(ik_schema_cache_find(cache, &key), "the file is from the future");
	ik_schema_cache_store(cache, &key, key.identity.ctime_ns + SECOND_NS);
	cr_assert(ik_schema_cache_find(cache, &key));
	key.identity.ctime_ns = 5 * SECOND_NS;
	ik_schema_cache_store(cache, &key, key.identity.ctime_ns + SECOND_NS);
	cr_assert_not(ik_schema_cache_find(cache, &key), "this file system keeps seconds");
	ik_schema_cache_free(cache);
}

Test(schema_cache, keeps_time_outs)
{
	struct ik_schema_cache *cache = opened();
	struct ik_cached key = with(key_of("/tools/hangs"), IK_CODE_SCHEMA_TIMEOUT, "did not answer");
	const struct ik_cached *found;
	struct ik_identity before, after;
	struct ik_error error;

	ik_schema_cache_store(cache, &key, LATER);
	ik_schema_cache_free(cache);
	cache = opened();
	cr_assert_not(ik_schema_cache_find(cache, &key), "it is no answer");
	ik_schema_cache_begin(cache, IK_CACHE_ALL);
	found = ik_schema_cache_find(cache, &key);
	cr_assert_not_null(found);
	cr_assert_str_eq(found->code, IK_CODE_SCHEMA_TIMEOUT);
	cr_assert_str_eq(found->text, "did not answer");
	/* The same again changes nothing. */
	cr_assert_eq(ik_identity_read(file, &before, &error), IK_OK);
	ik_schema_cache_store(cache, &key, 2 * LATER);
	cr_assert_eq(ik_identity_read(file, &after, &error), IK_OK);
	cr_assert(ik_identity_equal(&before, &after));
	/* It answers now. */
	store(cache, "/tools/hangs", "{}");
	ik_schema_cache_free(cache);
	cache = opened();
	cr_assert_str_eq(said(cache, "/tools/hangs"), "{}");
	ik_schema_cache_free(cache);
}

Test(schema_cache, gives_what_the_scan_may_take)
{
	struct ik_schema_cache *cache = opened();
	struct ik_cached good = with(key_of("/tools/good"), "SCHEMA_EXIT", "exited");
	struct ik_cached bad = with(key_of("/tools/bad"), "SCHEMA_EXIT", "exited");
	const struct ik_cached *found;

	store(cache, "/tools/good", "{}");
	ik_schema_cache_store(cache, &bad, LATER);
	cr_assert(ik_schema_cache_find(cache, &good));
	cr_assert_not(ik_schema_cache_find(cache, &bad));
	ik_schema_cache_begin(cache, IK_CACHE_ALL);
	cr_assert(ik_schema_cache_find(cache, &good));
	found = ik_schema_cache_find(cache, &bad);
	cr_assert_not_null(found);
	cr_assert_str_eq(found->code, "SCHEMA_EXIT");
	cr_assert_str_eq(found->text, "exited");
	ik_schema_cache_begin(cache, IK_CACHE_NOTHING);
	cr_assert_not(ik_schema_cache_find(cache, &good));
	cr_assert_not(ik_schema_cache_find(cache, &bad));
	ik_schema_cache_free(cache);
	cache = opened();
	ik_schema_cache_begin(cache, IK_CACHE_ALL);
	cr_assert(ik_schema_cache_find(cache, &good));
	cr_assert_not(ik_schema_cache_find(cache, &bad), "failures end with the program");
	/* It fails now but was good before. */
	ik_schema_cache_store(cache, &good, LATER);
	ik_schema_cache_free(cache);
	cache = opened();
	cr_assert_null(said(cache, "/tools/good"));
	store(cache, "/tools/good", "{}");
	good.text = NULL;
	ik_schema_cache_store(cache, &good, LATER);
	cr_assert_null(said(cache, "/tools/good"));
	store(cache, "/tools/good", "{}");
	cr_assert_str_eq(said(cache, "/tools/good"), "{}");
	ik_schema_cache_free(cache);
}

Test(schema_cache, forgets_files_that_are_gone)
{
	struct ik_schema_cache *cache = opened();
	struct ik_cached goes = key_of("/tools/goes");

	store(cache, "/tools/stays", "{}");
	store(cache, "/tools/goes", "{}");
	cr_assert_eq(unlink(goes.path), 0);
	ik_schema_cache_free(cache);
	cache = opened();
	cr_assert_not_null(said(cache, "/tools/stays"));
	cr_assert_null(said(cache, "/tools/goes"));
	ik_schema_cache_free(cache);
}

Test(schema_cache, writes_only_what_is_new)
{
	struct ik_identity before, after;
	struct ik_schema_cache *cache;
	struct ik_error error;

	write_one();
	cr_assert_eq(ik_identity_read(file, &before, &error), IK_OK);
	cache = opened();
	cr_assert_not_null(said(cache, "/tools/a"));
	store(cache, "/tools/a", "{\"name\":\"a\"}");
	cr_assert_eq(ik_identity_read(file, &after, &error), IK_OK);
	cr_assert(ik_identity_equal(&before, &after));
	store(cache, "/tools/a", "{\"name\":\"b\"}");
	cr_assert_eq(ik_identity_read(file, &after, &error), IK_OK);
	cr_assert_not(ik_identity_equal(&before, &after));
	ik_schema_cache_free(cache);
}

Test(schema_cache, keeps_what_another_program_wrote)
{
	struct ik_schema_cache *one = opened(), *other = opened();

	store(one, "/one/a", "{}");
	store(other, "/other/a", "{}");
	store(one, "/one/b", "{}");
	ik_schema_cache_free(one);
	ik_schema_cache_free(other);
	one = opened();
	cr_assert_not_null(said(one, "/one/a"));
	cr_assert_not_null(said(one, "/one/b"));
	cr_assert_not_null(said(one, "/other/a"));
	ik_schema_cache_free(one);
}

/* Whatever happened to the file: nothing false comes out, and it is replaced. */
Test(schema_cache, passes_over_a_damaged_file)
{
	struct ik_schema_cache *cache;
	struct ik_buf text;
	struct ik_error error;

	write_one();
	ik_buf_init(&text, IK_LIMIT_CONFIG);
	cr_assert_eq(ik_file_read(file, &text, &error), IK_OK);
	for (size_t i = 0; i <= 2 * text.length; i++) {
		size_t length = i < text.length ? text.length : 2 * text.length - i;
		char *bytes = ik_strndup(text.data, text.length);

		if (i < text.length)
			bytes[i] ^= 0x11;
		if (length < text.length || i < text.length) {
			cr_assert_eq(ik_file_write_unsynced(file, bytes, length, 0600, &error), IK_OK);
			cache = opened();
			cr_assert_null(said(cache, "/tools/a"), "%zu", i);
			ik_schema_cache_free(cache);
		}
		free(bytes);
	}
	ik_buf_done(&text);
	write_one();
	cache = opened();
	cr_assert_not_null(said(cache, "/tools/a"));
	ik_schema_cache_free(cache);
}

Test(schema_cache, passes_over_a_file_that_others_write)
{
	struct ik_schema_cache *cache;
	char *kept = ik_path_join(directory, "kept");

	write_one();
	cr_assert_eq(chmod(file, 0620), 0);
	cache = opened();
	cr_assert_null(said(cache, "/tools/a"));
	ik_schema_cache_free(cache);
	cr_assert_eq(chmod(file, 0600), 0);
	cr_assert_eq(rename(file, kept), 0);
	cr_assert_eq(symlink(kept, file), 0);
	cache = opened();
	cr_assert_null(said(cache, "/tools/a"), "a link may lead anywhere");
	ik_schema_cache_free(cache);
	free(kept);
}

Test(schema_cache, is_kept_in_memory_where_it_cannot_be_written)
{
	struct ik_schema_cache *cache;

	free(file);
	file = ik_strdup("/proc/cache/schemas");
	cache = opened();
	store(cache, "/tools/a", "{}");
	cr_assert_not_null(said(cache, "/tools/a"));
	ik_schema_cache_free(cache);
	cache = ik_schema_cache_new(NULL);
	ik_schema_cache_begin(cache, IK_CACHE_ANSWERS);
	store(cache, "/tools/a", "{}");
	cr_assert_not_null(said(cache, "/tools/a"));
	ik_schema_cache_free(cache);
}

Test(schema_cache, holds_thousands)
{
	struct ik_schema_cache *cache = opened();
	char path[64];

	for (int i = 0; i < 3000; i++) {
		snprintf(path, sizeof path, "/tools/%d", i);
		store(cache, path, path);
	}
	ik_schema_cache_free(cache);
	cache = opened();
	for (int i = 0; i < 3000; i++) {
		snprintf(path, sizeof path, "/tools/%d", i);
		cr_assert_str_eq(said(cache, path), path);
	}
	ik_schema_cache_free(cache);
}
