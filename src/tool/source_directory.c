#include "tool/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/permissions.h"
#include "guard/trust_check.h"
#include "loop/child.h"
#include "tool/candidate.h"
#include "tool/executable.h"
#include "tool/load.h"
#include "tool/protocol.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/text.h"

/* More at once are no faster (measured), but those that sleep are in nobody's way:
 * they do not count, so that what hangs does not keep the others waiting. One that
 * sleeps at AWAKE_MS is taken for such a one: it waits for the clock or somebody. */
enum { WIDTH = 64, WIDTH_MOST = 256, AWAKE_MS = 5, LOOK_MS = 5 };
/* While the machine is busy, tools only wait for each other: no more than so
 * many for each processor then, and another look after a moment. */
enum { BUSY_WIDTH = 4, BUSY_LOOK_MS = 3 };
/* Links that lead to links, as the kernel follows them. */
enum { LINKS_MOST = 40 };
/* So much of what may run at once is for one source. */
enum { SHARES = 6 };
/* A spawn blocks until exec; the loop gets its turn after so much of it. */
enum { SPAWN_SLICE_US = 3000 };

struct directory;

/* One file that may be a tool. */
struct source_directory_file {
	struct directory *directory;
	char *path;
	struct ik_identity identity;
	struct ik_candidate *candidate; /* while it is asked */
	int64_t asked_ms;               /* when it was */
	int64_t asked_ns;               /* the same by the wall clock */
	bool asleep;                    /* it was, when it was looked at */
};

struct directory {
	struct ik_source source;
	struct ik_loop *loop;
	char *path;
	char *working_directory;
	struct ik_trust *trust; /* NULL: nobody has to be asked */
	struct ik_candidate_options questions;
	struct ik_schema_cache *cache;

	/* The scan that runs. */
	const struct ik_source_events *events; /* NULL: none */
	void *arg;
	struct source_directory_file *files;
	size_t count;
	struct ik_trust_check *check; /* of the files, in their order; NULL without trust */
	size_t next;                  /* the first that was not asked yet */
	size_t running;
	size_t asleep; /* of those */
	size_t width;
	size_t finished;
	struct ik_permissions_memo permissions; /* of this turn of the loop */
	struct ik_timer *look;                  /* whether there is room for more */
	bool readable;
	char *problem;
};

static void launch(void *arg);

/*
 * Would one more tool only make the others late? So when there is more to run
 * than processors for it. The whole machine is asked, because what works for a
 * tool is often not its own process but a child of it (an interpreter's shim).
 */
static bool crowded(const struct directory *directory)
{
	size_t awake = directory->running - directory->asleep;
	int limit;

	if (awake < BUSY_WIDTH)
		return false;
	limit = BUSY_WIDTH * ik_load_processors();
	return awake >= (size_t)limit && ik_load_runnable() >= limit;
}

/* Release what belongs to one scan. */
static void clear_scan(struct directory *directory)
{
	ik_loop_cancel_deferred(directory->loop, launch, directory);
	directory->look = ik_timer_close(directory->look);
	directory->check = ik_trust_check_close(directory->check);
	for (size_t i = 0; i < directory->count; i++) {
		ik_candidate_close(directory->files[i].candidate);
		free(directory->files[i].path);
	}
	free(directory->files);
	free(directory->problem);
	directory->files = NULL;
	directory->problem = NULL;
	directory->count = directory->next = 0;
	directory->running = directory->asleep = directory->finished = 0;
	directory->events = NULL;
}

static void tell_progress(struct directory *directory)
{
	directory->events->progress(directory->arg, directory->finished, directory->count);
}

/* What was found out of a file that came with a project; NULL: it did not. */
static const struct ik_checked_file *checked(const struct source_directory_file *file)
{
	const struct directory *directory = file->directory;

	return directory->check ? ik_trust_check_at(directory->check, (size_t)(file - directory->files))
							: NULL;
}

/* Hand a file over: a tool, or what could have been one. */
static void announce(struct source_directory_file *file, struct ik_tool *tool)
{
	struct directory *directory = file->directory;
	const struct ik_checked_file *known = checked(file);

	if (tool->state != IK_TOOL_OK) {
		free(tool->name);
		tool->name = ik_strdup(ik_path_base(file->path));
	}
	tool->path = ik_strdup(file->path);
	tool->source = directory->source.origin;
	if (known) {
		tool->pinned = true;
		tool->identity = known->identity;
	}
	directory->finished++;
	directory->events->tool(directory->arg, tool);
	if (directory->events)
		tell_progress(directory);
}

static void go_on(struct directory *directory)
{
	ik_loop_cancel_deferred(directory->loop, launch, directory);
	ik_loop_defer(directory->loop, launch, directory);
}

/* What the cache calls a file. */
static struct ik_cache_key key_of(const struct source_directory_file *file)
{
	return (struct ik_cache_key){
		.path = file->path, .identity = file->identity, .first = file->directory->questions.first
	};
}

/* Take what is remembered of a file; false when it has to be asked. */
static bool recall(const struct source_directory_file *file, struct ik_tool *ret_tool)
{
	const struct directory *directory = file->directory;
	struct ik_cache_key key = key_of(file);
	struct ik_cached cached;

	/* One that was changed since it was judged must not slip through. */
	if (checked(file) && !ik_identity_equal(&checked(file)->identity, &file->identity))
		return false;
	if (!directory->cache || !ik_schema_cache_find(directory->cache, &key, &cached))
		return false;
	if (cached.code) {
		memset(ret_tool, 0, sizeof(*ret_tool));
		ret_tool->protocol = cached.protocol;
		ik_tool_reject(ret_tool, IK_TOOL_FAILED, cached.code, ik_strdup(cached.reason));
		return true;
	}
	if (cached.protocol == IK_PROTOCOL_KODELET && directory->questions.native_only)
		return false;
	if (ik_protocol_read(cached.protocol, cached.text, cached.length, ret_tool) == IK_OK)
		return true;
	ik_tool_clear(ret_tool);
	return false;
}

/* Remember what a file said, if it is still the one that was asked. */
static void remember(const struct source_directory_file *file, const struct ik_tool *tool)
{
	struct ik_schema_cache *cache = file->directory->cache;
	struct ik_cache_key key = key_of(file);
	struct ik_identity now;
	struct ik_cached cached = {
		.protocol = tool->protocol,
		.code = tool->code,
		.reason = tool->reason,
	};

	if (!cache || tool->state == IK_TOOL_UNTRUSTED)
		return;
	if (tool->state == IK_TOOL_OK) {
		cached.text = tool->schema;
		cached.length = tool->schema_length;
	}
	/* What could not even be started may be mended without a change to the file. */
	if ((tool->state != IK_TOOL_OK && ik_text_equal(tool->code, "SPAWN_FAILED")) ||
		ik_identity_read(file->path, &now, NULL) != IK_OK ||
		!ik_identity_equal(&now, &file->identity))
		ik_schema_cache_forget(cache, &key);
	else
		ik_schema_cache_store(cache, &key, file->asked_ns, &cached);
}

static void candidate_done(void *arg, struct ik_tool *tool)
{
	struct source_directory_file *file = arg;

	file->candidate = ik_candidate_close(file->candidate);
	file->directory->running--;
	file->directory->asleep -= file->asleep;
	go_on(file->directory);
	remember(file, tool);
	announce(file, tool);
}

/* Find out which of those that run sleep, and go on. */
static void look(void *arg)
{
	struct directory *directory = arg;
	int64_t now = ik_clock_ms();

	for (size_t i = 0; i < directory->next; i++) {
		struct source_directory_file *file = &directory->files[i];

		if (!file->candidate || file->asleep || now - file->asked_ms < AWAKE_MS)
			continue;
		file->asleep = ik_candidate_asleep(file->candidate);
		directory->asleep += file->asleep;
	}
	launch(directory);
}

/* May this file be run at all? If not, *ret_tool says why. */
static bool permitted(const struct source_directory_file *file, struct ik_tool *ret_tool)
{
	struct directory *directory = file->directory;
	enum ik_tool_source origin = directory->source.origin;
	const struct ik_checked_file *known = checked(file);
	struct ik_error error;
	const char *reason;

	memset(ret_tool, 0, sizeof(*ret_tool));
	ret_tool->protocol = directory->questions.first;
	if (origin != IK_SOURCE_SYSTEM &&
		ik_permissions_check_next(&directory->permissions, file->path, &error) != IK_OK) {
		ik_tool_reject(ret_tool, IK_TOOL_FAILED, "UNSAFE_PERMISSIONS", ik_strdup(error.text));
		return false;
	}
	if (!known ? origin != IK_SOURCE_PROJECT : known->state == IK_TRUST_TRUSTED)
		return true;
	ret_tool->changed = known && known->state == IK_TRUST_CHANGED;
	if (known && known->problem)
		reason = known->problem;
	else if (ret_tool->changed)
		reason = _("was changed since you trusted it; look at it, then: ikigai tool trust");
	else
		reason = _("came with the project and is not run before you trust it; look at it, "
				   "then: ikigai tool trust");
	ik_tool_reject(ret_tool, IK_TOOL_UNTRUSTED, "NOT_TRUSTED", ik_strdup(reason));
	return false;
}

/* Announce a file that must not be asked or need not be; false: it is to be asked. */
static bool settle(struct source_directory_file *file)
{
	struct ik_tool tool;

	if (permitted(file, &tool) && !recall(file, &tool))
		return false;
	announce(file, &tool);
	return true;
}

/* Ask a file. */
static void ask(struct source_directory_file *file)
{
	struct directory *directory = file->directory;

	directory->running++;
	file->asked_ms = ik_clock_ms();
	file->asked_ns = ik_clock_wall_ms() * 1000000;
	file->candidate = ik_candidate_new(directory->loop, file->path, &directory->questions,
		candidate_done, file);
	if (checked(file))
		ik_candidate_pin(file->candidate, &checked(file)->identity);
	ik_candidate_ask(file->candidate);
}

/* Tell that all candidates are done. */
static void finish(struct directory *directory)
{
	const struct ik_source_events *events = directory->events;
	void *arg = directory->arg;
	bool readable = directory->readable;
	char *problem = directory->problem;

	if (directory->cache && readable)
		ik_schema_cache_sweep(directory->cache, directory->path);
	directory->problem = NULL;
	clear_scan(directory);
	events->done(arg, readable, problem);
	free(problem);
}

/* Is there room for one more? If not, and that may change, it is seen to. */
static bool has_room(struct directory *directory)
{
	size_t awake = directory->running - directory->asleep;
	int wait = awake >= WIDTH ? LOOK_MS : crowded(directory) ? BUSY_LOOK_MS : 0;

	if (directory->running >= directory->width)
		return false; /* the next that ends goes on */
	if (wait > 0)
		ik_timer_start(directory->look, wait);
	return wait == 0;
}

/* Spawn as many as this turn allows; at the end of all say that it is done. */
static void launch(void *arg)
{
	struct directory *directory = arg;
	int64_t begin = ik_clock_us();

	/* How many there are is known before the first has answered. */
	if (directory->next == 0 && directory->count > 0)
		tell_progress(directory);
	if (!directory->events)
		return;
	directory->permissions.good[0] = '\0';
	while (directory->next < directory->count) {
		struct source_directory_file *file = &directory->files[directory->next++];

		/* Only what is asked needs room. */
		if (!settle(file)) {
			if (!has_room(directory)) {
				directory->next--;
				return;
			}
			ask(file);
		}
		if (!directory->events)
			return;
		if (ik_clock_us() - begin > SPAWN_SLICE_US) {
			go_on(directory);
			return;
		}
	}
	if (directory->finished == directory->count)
		finish(directory);
}

bool ik_source_name_counts(const char *name)
{
	return name[0] != '.' && !ik_text_ends(name, "~");
}

/* Is this entry a file that this user may execute? */
static bool is_candidate(int fd, const char *name, struct ik_identity *ret_identity)
{
	struct stat status;

	if (!ik_source_name_counts(name) || fstatat(fd, name, &status, 0) != 0)
		return false;
	*ret_identity = ik_identity_of(&status);
	return S_ISREG(status.st_mode) && faccessat(fd, name, X_OK, AT_EACCESS) == 0;
}

static int compare_paths(const void *left, const void *right)
{
	const struct source_directory_file *one = left, *other = right;

	return strcmp(one->path, other->path);
}

/* Find the candidates, or say why that cannot be. */
static void list(struct directory *directory)
{
	size_t capacity = 0;
	struct ik_identity identity;
	struct dirent *entry;
	DIR *stream = opendir(directory->path);

	directory->readable = stream;
	if (!stream) {
		struct ik_error error;

		if (errno == ENOENT)
			return; /* nothing there is no problem */
		ik_error_set_errno(&error, errno, _("the tool directory %s cannot be read"),
			directory->path);
		directory->problem = ik_strdup(error.text);
		return;
	}
	while ((entry = readdir(stream))) {
		if (!is_candidate(dirfd(stream), entry->d_name, &identity))
			continue;
		if (directory->count == capacity) {
			capacity = capacity ? capacity * 2 : 32;
			directory->files = ik_alloc_array(directory->files, capacity,
				sizeof(*directory->files));
		}
		directory->files[directory->count++] = (struct source_directory_file){
			.directory = directory,
			.path = ik_path_join(directory->path, entry->d_name),
			.identity = identity,
		};
	}
	closedir(stream);
}

static void check_done(void *arg)
{
	go_on(arg);
}

/* Find out which files are trusted, before any of them is run. */
static void vet(struct directory *directory)
{
	const char **paths = ik_alloc_array(NULL, directory->count + 1, sizeof(*paths));
	size_t i;

	for (i = 0; i < directory->count; i++)
		paths[i] = directory->files[i].path;
	directory->check = ik_trust_check_start(directory->loop, directory->trust, paths,
		directory->count, check_done, directory);
	free(paths);
}

static void directory_scan(struct ik_source *source, const struct ik_source_events *events,
	void *arg)
{
	struct directory *directory = (struct directory *)source;
	/* Other sources and running calls need descriptors too. */
	int capacity = ik_children_capacity() / SHARES;

	directory->events = events;
	directory->arg = arg;
	directory->width = capacity < 1 ? 1 : capacity > WIDTH_MOST ? WIDTH_MOST : (size_t)capacity;
	directory->look = ik_timer_new(directory->loop, look, directory);
	list(directory);
	if (directory->count > 0)
		qsort(directory->files, directory->count, sizeof(*directory->files), compare_paths);
	if (directory->trust)
		vet(directory);
	else
		go_on(directory);
}

/*
 * May the file be run, as it is now? What nobody else could change when the tools
 * were looked for may be open to all by now, and what a project brought may be
 * another file than the one that the person trusts.
 */
static bool may_be_called(const struct ik_tool *tool, struct ik_error *error)
{
	if (tool->source != IK_SOURCE_SYSTEM && ik_permissions_check(tool->path, error) != IK_OK)
		return false;
	if (!tool->pinned || ik_identity_holds(tool->path, &tool->identity))
		return true;
	(void)ik_error_set(error, IK_DENIED, _("%s was changed since it was trusted"), tool->path);
	return false;
}

static struct ik_call *directory_call(struct ik_source *source, const struct ik_call_spec *spec,
	const struct ik_child_events *events, void *arg, struct ik_error *error)
{
	struct ik_call *call;

	if (!may_be_called(spec->tool, error))
		return NULL;
	call = ik_executable_call(((struct directory *)source)->loop, spec, events, arg, error);
	/* What the kernel forbids could not be started; denied is what we forbid. */
	if (!call && error->status == IK_DENIED)
		error->status = IK_UNAVAILABLE;
	return call;
}

static void directory_close(struct ik_source *source)
{
	clear_scan((struct directory *)source);
}

/* Name where a symbolic link leads, step by step. */
static void follow(const char *directory, const char *name, ik_source_place *place, void *arg)
{
	char *path = ik_path_join(directory, name), target[PATH_MAX];
	ssize_t length;

	for (int steps = 0; steps < LINKS_MOST; steps++) {
		char *parent;

		length = readlink(path, target, sizeof(target) - 1);
		if (length <= 0)
			break;
		target[length] = '\0';
		parent = ik_strndup(path, (size_t)(ik_path_base(path) - path));
		free(path);
		path = ik_path_join(parent, target);
		free(parent);
		parent = ik_strndup(path, (size_t)(ik_path_base(path) - path));
		place(arg, parent, ik_path_base(path));
		free(parent);
	}
	free(path);
}

static void directory_places(struct ik_source *source, ik_source_place *place, void *arg)
{
	const struct directory *directory = (const struct directory *)source;
	DIR *stream = opendir(directory->path);
	struct dirent *entry;

	place(arg, directory->path, NULL);
	while (stream && (entry = readdir(stream))) {
		if (ik_source_name_counts(entry->d_name) &&
			(entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN))
			follow(directory->path, entry->d_name, place, arg);
	}
	if (stream)
		closedir(stream);
}

static void directory_free(struct ik_source *source)
{
	struct directory *directory = (struct directory *)source;

	free(directory->path);
	free(directory->working_directory);
	free(directory);
}

struct ik_source *ik_source_directory_new(struct ik_loop *loop,
	const struct ik_source_directory_options *options)
{
	static const struct ik_source_ops ops = {
		"directory",
		directory_scan,
		directory_call,
		directory_close,
		directory_free,
		directory_places,
	};
	struct directory *directory = ik_alloc(sizeof(*directory));
	char here[PATH_MAX];

	ik_source_init(&directory->source, &ops, options->origin);
	directory->trust = options->trust;
	directory->loop = loop;
	directory->cache = options->cache;
	/* The children have another working directory. */
	if (getcwd(here, sizeof(here)))
		directory->path = ik_path_join(here, options->path);
	else
		directory->path = ik_strdup(options->path);
	if (options->working_directory)
		directory->working_directory = ik_strdup(options->working_directory);
	directory->questions = (struct ik_candidate_options){
		.first = options->first,
		.native_only = options->native_only,
		.timeout_ms = options->timeout_ms,
		.environments = {
			[IK_PROTOCOL_NATIVE] = options->environments[IK_PROTOCOL_NATIVE],
			[IK_PROTOCOL_KODELET] = options->environments[IK_PROTOCOL_KODELET],
		},
		.working_directory = directory->working_directory,
		.sandbox = options->sandbox,
	};
	return &directory->source;
}
