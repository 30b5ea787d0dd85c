#include "commands/listing.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define SLICE_US 2000    /* of reading in one turn of the loop */
#define LOOK_EVERY 64    /* names between two looks at the clock */
#define NAMES_MAX 200000 /* more than anybody wants to see */
#define SORTED_MAX 20000 /* more are left unsorted, since sorting would take too long */

struct listing_names {
	struct ik_proposal *at;
	size_t count;
	bool unsorted;
};

struct ik_listing {
	struct ik_loop *loop;
	char *directory;
	struct timespec changed_at;    /* the directory itself */
	DIR *stream;                   /* NULL: all is read */
	struct listing_names names[2]; /* usual ones, those that begin with a dot */
	bool failed;                   /* the directory could not be read */
	void (*changed)(void *arg);
	void *arg;
};

/* Can this name be typed? */
static bool is_typable(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
			return false;
	return ik_utf8_valid_prefix(name, length) == length;
}

/* Is the entry a directory, or a link to one? */
static bool is_directory(const struct ik_listing *listing, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(dirfd(listing->stream), entry->d_name, &status, 0) == 0 &&
		S_ISDIR(status.st_mode);
}

static void add(struct ik_listing *listing, const struct dirent *entry)
{
	struct listing_names *names = &listing->names[entry->d_name[0] == '.'];
	size_t length = strlen(entry->d_name);
	char *name;

	if (ik_text_equal(entry->d_name, ".") || ik_text_equal(entry->d_name, "..") ||
		!is_typable(entry->d_name, length))
		return;
	names->at = ik_alloc_more(names->at, names->count, sizeof(*names->at));
	name = is_directory(listing, entry) ? ik_format("%s/", entry->d_name)
										: ik_strndup(entry->d_name, length);
	names->at[names->count++] = (struct ik_proposal){ .text = name };
	names->unsorted = true;
}

static void read_on(void *arg);

/* Read for a moment, and leave the rest to the next turn. */
static void read_slice(struct ik_listing *listing)
{
	int64_t end = ik_clock_us() + SLICE_US;
	const struct dirent *entry = NULL;

	for (size_t i = 1; i % LOOK_EVERY != 0 || ik_clock_us() < end; i++) {
		entry = readdir(listing->stream);
		if (!entry)
			break;
		add(listing, entry);
	}
	if (entry && listing->names[0].count + listing->names[1].count < NAMES_MAX) {
		ik_loop_defer(listing->loop, read_on, listing);
		return;
	}
	(void)closedir(listing->stream);
	listing->stream = NULL;
}

/* The same in a later turn. The owner is told, since the names may have moved. */
static void read_on(void *arg)
{
	struct ik_listing *listing = arg;

	read_slice(listing);
	listing->changed(listing->arg);
}

struct ik_listing *ik_listing_open(struct ik_loop *loop, const char *directory,
	void (*changed)(void *arg), void *arg)
{
	struct ik_listing *listing = ik_alloc(sizeof(*listing));
	struct stat status;

	listing->loop = loop;
	listing->directory = ik_strdup(directory);
	listing->changed = changed;
	listing->arg = arg;
	listing->stream = opendir(directory);
	if (!listing->stream) {
		listing->failed = true;
		return listing;
	}
	if (fstat(dirfd(listing->stream), &status) == 0)
		listing->changed_at = status.st_mtim;
	read_slice(listing);
	return listing;
}

struct ik_listing *ik_listing_close(struct ik_listing *listing)
{
	if (!listing)
		return NULL;
	ik_loop_cancel_deferred(listing->loop, read_on, listing);
	if (listing->stream)
		(void)closedir(listing->stream);
	for (int i = 0; i < 2; i++) {
		for (size_t j = 0; j < listing->names[i].count; j++)
			free((char *)listing->names[i].at[j].text);
		free(listing->names[i].at);
	}
	free(listing->directory);
	free(listing);
	return NULL;
}

bool ik_listing_is(const struct ik_listing *listing, const char *directory)
{
	struct stat status;

	return listing && ik_text_equal(listing->directory, directory) && !listing->failed &&
		stat(directory, &status) == 0 && status.st_mtim.tv_sec == listing->changed_at.tv_sec &&
		status.st_mtim.tv_nsec == listing->changed_at.tv_nsec;
}

static int by_name(const void *one, const void *other)
{
	return strcmp(((const struct ik_proposal *)one)->text,
		((const struct ik_proposal *)other)->text);
}

const struct ik_proposal *ik_listing_names(struct ik_listing *listing, bool hidden,
	size_t *ret_count)
{
	struct listing_names *names = &listing->names[hidden];

	if (names->unsorted && !listing->stream && names->count <= SORTED_MAX) {
		qsort(names->at, names->count, sizeof(*names->at), by_name);
		names->unsorted = false;
	}
	*ret_count = names->count;
	return names->at;
}

bool ik_listing_unsorted(const struct ik_listing *listing, bool hidden)
{
	return listing->names[hidden].unsorted;
}

bool ik_listing_reading(const struct ik_listing *listing)
{
	return listing->stream;
}
