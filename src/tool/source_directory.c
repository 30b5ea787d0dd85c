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
#include "guard/sandbox.h"
#include "guard/trust_check.h"
#include "loop/child.h"
#include "loop/children.h"
#include "loop/orphans.h"
#include "tool/candidate.h"
#include "tool/load.h"
#include "tool/protocol.h"
#include "tool/run.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Start at most YOUNG_MOST a processor at once: more would only wait for each other. A tool that
 * has not answered after YOUNG_MS probably waits for something, and does not count any more, so
 * that one that hangs does not delay the others. */
enum { YOUNG_MOST = 4, YOUNG_MS = 100, LOOK_MS = 10, WIDTH_MOST = 256 };
/* Limit on links to links, as in the kernel. */
enum { LINKS_MOST = 40 };
/* One source may use this fraction of all possible children. */
enum { SHARES = 6 };
/* Limit on a file that is searched for "--schema". */
#define LARGEST_READ IK_MIB(8)
/* From SIGTERM to SIGKILL, and how long to wait for output after the leader's end. */
enum { KILL_AFTER_MS = 2000, GRACE_MS = 250 };
/* Starting a process blocks until its exec; give the loop a turn after this time. */
enum { SPAWN_SLICE_US = 3000 };

struct directory;

/* One file that may be a tool. */
struct source_directory_file {
	struct directory *directory;
	char *path;
	struct ik_identity identity;
	struct ik_candidate *candidate; /* NULL: not being asked */
	int64_t asked_ns;               /* when it was asked, by the wall clock */
};

struct directory {
	struct ik_source source;
	struct ik_loop *loop;
	struct ik_source_directory_options options;
	char *path, *working_directory; /* of the options */

	/* The running scan. */
	const struct ik_source_events *events; /* NULL: none */
	void *arg;
	struct source_directory_file *files;
	size_t count;
	struct ik_trust_check *check; /* of all files, in order; NULL without trust */
	size_t next;                  /* the first file that has not been asked */
	size_t running;
	size_t width;
	size_t finished;
	struct ik_timer *look; /* looks whether there is room for more */
	bool readable;
	char *problem;
};

static void launch(void *arg);

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
	directory->running = directory->finished = 0;
	directory->events = NULL;
}

/* Return the result of the trust check for a file; NULL: it did not come with a project. */
static const struct ik_checked_file *checked(const struct source_directory_file *file)
{
	const struct directory *directory = file->directory;

	return directory->check ? ik_trust_check_at(directory->check, (size_t)(file - directory->files))
							: NULL;
}

/* Announce a tool, or a file that failed to be one. */
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
	tool->kind = ik_tool_protocol_name(tool->protocol);
	if (known) {
		tool->pinned = true;
		tool->identity = known->identity;
	}
	directory->finished++;
	directory->events->tool(directory->arg, tool);
}

static void go_on(void *arg)
{
	struct directory *directory = arg;

	ik_loop_cancel_deferred(directory->loop, launch, directory);
	ik_loop_defer(directory->loop, launch, directory);
}

/* Return what identifies a file in the cache. */
static struct ik_cached key_of(const struct source_directory_file *file)
{
	return (struct ik_cached){
		.path = file->path, .identity = file->identity, .first = file->directory->options.first
	};
}

/* Use the cached description of a file; false: it must be asked. */
static bool recall(const struct source_directory_file *file, struct ik_tool *ret_tool)
{
	const struct directory *directory = file->directory;
	const struct ik_cached key = key_of(file), *cached;

	/* A file that has changed since it was checked must not slip through. */
	if (checked(file) && !ik_identity_equal(&checked(file)->identity, &file->identity))
		return false;
	cached = directory->options.cache ? ik_schema_cache_find(directory->options.cache, &key) : NULL;
	if (!cached)
		return false;
	if (cached->code) {
		memset(ret_tool, 0, sizeof(*ret_tool));
		ret_tool->protocol = cached->protocol;
		ik_tool_reject(ret_tool, IK_TOOL_FAILED, cached->code, ik_strdup(cached->text));
		return true;
	}
	if (cached->protocol == IK_PROTOCOL_KODELET && directory->options.native_only)
		return false;
	if (ik_protocol_read(cached->protocol, cached->text, cached->length, ret_tool) == IK_OK)
		return true;
	ik_tool_clear(ret_tool);
	return false;
}

/* Cache what a file said, if it is still the file that was asked. */
static void remember(const struct source_directory_file *file, const struct ik_tool *tool)
{
	struct ik_schema_cache *cache = file->directory->options.cache;
	struct ik_cached cached = key_of(file);

	if (!cache || tool->state == IK_TOOL_UNTRUSTED)
		return;
	cached.protocol = tool->protocol;
	cached.code = tool->code;
	cached.text = tool->code ? tool->reason : tool->schema;
	cached.length = tool->code ? strlen(tool->reason) : tool->schema_length;
	/* A tool that couldn't be started may start later although its file is unchanged. */
	if ((tool->code && ik_text_equal(tool->code, "SPAWN_FAILED")) ||
		!ik_identity_holds(file->path, &file->identity))
		cached.text = NULL;
	ik_schema_cache_store(cache, &cached, file->asked_ns);
}

static void candidate_done(void *arg, struct ik_tool *tool)
{
	struct source_directory_file *file = arg;

	file->candidate = ik_candidate_close(file->candidate);
	file->directory->running--;
	go_on(file->directory);
	remember(file, tool);
	announce(file, tool);
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
	ret_tool->protocol = directory->options.first;
	if (origin != IK_SOURCE_SYSTEM && ik_permissions_check(file->path, &error) != IK_OK) {
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

/* Announce a file that must not, or need not, be asked; false: it must be. */
static bool settle(struct source_directory_file *file)
{
	struct ik_tool tool;

	if (permitted(file, &tool) && !recall(file, &tool))
		return false;
	announce(file, &tool);
	return true;
}

static void ask(struct source_directory_file *file)
{
	struct directory *directory = file->directory;

	directory->running++;
	file->asked_ns = ik_clock_wall_ns();
	file->candidate = ik_candidate_new(directory->loop, file->path,
		checked(file) ? &checked(file)->identity : NULL, &directory->options, candidate_done, file);
	ik_candidate_ask(file->candidate);
}

static void finish(struct directory *directory)
{
	const struct ik_source_events *events = directory->events;
	void *arg = directory->arg;
	bool readable = directory->readable;
	char *problem = directory->problem;

	directory->problem = NULL;
	clear_scan(directory);
	events->done(arg, readable, problem);
	free(problem);
}

/* Is there room for another one? If not, make sure that the scan continues once there is. */
static bool has_room(struct directory *directory)
{
	const int64_t since = ik_clock_wall_ns() - INT64_C(1000000) * YOUNG_MS;
	int young = 0;

	if (directory->running >= directory->width)
		return false; /* the next one that ends continues */
	for (size_t i = 0; i < directory->next; i++)
		young += directory->files[i].candidate && directory->files[i].asked_ns > since;
	if (young < YOUNG_MOST * ik_load_processors())
		return true;
	ik_timer_start(directory->look, LOOK_MS);
	return false;
}

/* Start as many as this turn allows; after the last, report the end. */
static void launch(void *arg)
{
	struct directory *directory = arg;
	int64_t begin = ik_clock_us();

	while (directory->next < directory->count) {
		struct source_directory_file *file = &directory->files[directory->next++];

		/* Only files that are asked need room. */
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
	const char *number = strrchr(name, ';'); /* rpm writes NAME;5f3c0a1b before it renames it */

	if (name[0] == '.' || ik_text_ends(name, "~") ||
		(number && strlen(number) == 9 && strspn(number + 1, "0123456789abcdef") == 8))
		return false;
	return !strstr(name, ".dpkg-") && !ik_text_ends(name, ".rpmnew") &&
		!ik_text_ends(name, ".rpmsave");
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

static bool mentions_schema(const char *directory, const char *name)
{
	static const char wanted[] = "--schema";
	char *path = ik_path_join(directory, name);
	struct ik_error error;
	struct ik_buf text;
	bool found;

	ik_buf_init(&text, LARGEST_READ);
	found = ik_file_read(path, &text, &error) == IK_OK &&
		memmem(text.data, text.length, wanted, strlen(wanted));
	ik_buf_done(&text);
	free(path);
	return found;
}

bool ik_source_directory_has_tools(const char *path)
{
	DIR *stream = opendir(path);
	struct ik_identity identity;
	struct dirent *entry;
	bool found = false;

	while (stream && !found && (entry = readdir(stream)))
		found = is_candidate(dirfd(stream), entry->d_name, &identity) &&
			mentions_schema(path, entry->d_name);
	if (stream)
		closedir(stream);
	return found;
}

static int compare_paths(const void *left, const void *right)
{
	const struct source_directory_file *one = left, *other = right;

	return strcmp(one->path, other->path);
}

/* List the candidates, or say why that is impossible. */
static void list(struct directory *directory)
{
	struct ik_identity identity;
	struct dirent *entry;
	DIR *stream = opendir(directory->path);

	directory->readable = stream;
	if (!stream) {
		struct ik_error error;

		if (errno == ENOENT)
			return; /* a missing directory is not a problem */
		ik_error_set_errno(&error, errno, _("the tool directory %s cannot be read"),
			directory->path);
		directory->problem = ik_strdup(error.text);
		return;
	}
	while ((entry = readdir(stream))) {
		if (!is_candidate(dirfd(stream), entry->d_name, &identity) ||
			(directory->options.mentions_schema &&
				!mentions_schema(directory->path, entry->d_name)))
			continue;
		directory->files = ik_alloc_more(directory->files, directory->count,
			sizeof(*directory->files));
		directory->files[directory->count++] = (struct source_directory_file){
			.directory = directory,
			.path = ik_path_join(directory->path, entry->d_name),
			.identity = identity,
		};
	}
	closedir(stream);
}

/* Check which files are trusted, before any of them is run. */
static void check_trust(struct directory *directory)
{
	const char **paths = ik_alloc_array(NULL, directory->count + 1, sizeof(*paths));
	size_t i;

	for (i = 0; i < directory->count; i++)
		paths[i] = directory->files[i].path;
	directory->check = ik_trust_check_start(directory->loop, directory->options.trust, paths, NULL,
		directory->count, go_on, directory);
	free(paths);
}

static void directory_scan(struct ik_source *source, const struct ik_source_events *events,
	void *arg)
{
	struct directory *directory = (struct directory *)source;
	/* Other sources and running calls need descriptors, too. */
	int capacity = ik_children_capacity(directory->loop) / SHARES;

	directory->events = events;
	directory->arg = arg;
	directory->width = capacity < 1 ? 1 : capacity > WIDTH_MOST ? WIDTH_MOST : (size_t)capacity;
	directory->look = ik_timer_new(directory->loop, launch, directory);
	list(directory);
	if (directory->count > 0)
		qsort(directory->files, directory->count, sizeof(*directory->files), compare_paths);
	if (directory->options.trust)
		check_trust(directory);
	else
		go_on(directory);
	events->found(arg, directory->count);
}

/* ---- calls ---- */

/* A call is the child, which reports to the caller. */

static void cancel_call(struct ik_call *call)
{
	ik_child_cancel((struct ik_child *)call);
}

static void close_call(struct ik_call *call)
{
	ik_child_close((struct ik_child *)call);
}

/* Start the process of a call. A native tool is started without arguments, in the environment of
 * native tools plus IKIGAI_LIVE=1 (and IKIGAI_CALL, IKIGAI_SANDBOX); a Kodelet tool as `TOOL run`,
 * in its own environment and nothing else. */
static struct ik_call *start_call(struct ik_loop *loop, const struct ik_call_spec *spec,
	const struct ik_child_events *events, void *arg, struct ik_error *error)
{
	const struct ik_tool *tool = spec->tool;
	bool native = tool->protocol == IK_PROTOCOL_NATIVE;
	const char *const *environment = spec->environments[tool->protocol];
	char *id = spec->id ? ik_format(IK_CALL_VARIABLE "=%s", spec->id) : NULL;
	const char *const ours[] = { "IKIGAI_LIVE=1", id ? id : IK_CALL_VARIABLE,
		ik_sandbox_variable(spec->sandbox, tool->name), NULL };
	const char **live = native ? ik_environment_with(environment, ours) : NULL;
	const char *const argv[] = { tool->path, native ? NULL : "run", NULL };
	struct ik_child_spec spec_of_child = {
		.path = tool->path,
		.identity = tool->pinned ? &tool->identity : NULL,
		.argv = argv,
		.environment = native ? live : environment,
		.directory = spec->directory,
		.input = spec->arguments,
		.input_length = spec->length,
		.timeout_ms = spec->timeout_ms,
		.overdue = spec->overdue,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
		.memory_limit = spec->memory_limit,
		.door = native ? spec->door : 0,
	};
	struct ik_child *child = NULL;

	(void)!ik_sandbox_start(spec->sandbox, tool->name, IK_SANDBOX_CALL, loop, &spec_of_child,
		events, arg, &child, error);
	free(live);
	free(id);
	return (struct ik_call *)child;
}

/*
 * May the file still be run? Since the scan, its permissions may have changed, and a project's file
 * may have been replaced by one that the user does not trust.
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
	if (!may_be_called(spec->tool, error))
		return NULL;
	return start_call(((struct directory *)source)->loop, spec, events, arg, error);
}

static void directory_close(struct ik_source *source)
{
	clear_scan((struct directory *)source);
}

/* Name the targets of a symbolic link, step by step. */
static void follow(const char *directory, const char *name, ik_source_place *place, void *arg)
{
	char *path = ik_path_join(directory, name), *next;

	for (int steps = 0; steps < LINKS_MOST && (next = ik_path_follow(path)); steps++) {
		char *parent = ik_strndup(next, (size_t)(ik_path_base(next) - next));

		place(arg, parent, ik_path_base(next));
		free(parent);
		free(path);
		path = next;
	}
	free(path);
}

void ik_source_trust_place(const struct ik_trust *trust, ik_source_place *place, void *arg)
{
	const char *kept = trust ? ik_trust_path(trust) : NULL;
	char *home = kept ? ik_path_directory(kept) : NULL;

	if (home)
		place(arg, home, ik_path_base(kept));
	free(home);
}

static void directory_places(struct ik_source *source, ik_source_place *place, void *arg)
{
	const struct directory *directory = (const struct directory *)source;
	DIR *stream = opendir(directory->path);
	struct dirent *entry;

	place(arg, directory->path, NULL);
	ik_source_trust_place(directory->options.trust, place, arg);
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
		.scan = directory_scan,
		.call = directory_call,
		.cancel_call = cancel_call,
		.close_call = close_call,
		.close = directory_close,
		.free = directory_free,
		.places = directory_places,
	};
	struct directory *directory = ik_alloc(sizeof(*directory));
	char here[PATH_MAX];

	ik_source_init(&directory->source, &ops, options->origin);
	directory->loop = loop;
	directory->options = *options;
	/* The children have another working directory. */
	if (getcwd(here, sizeof(here)))
		directory->path = ik_path_join(here, options->path);
	else
		directory->path = ik_strdup(options->path);
	if (options->working_directory)
		directory->working_directory = ik_strdup(options->working_directory);
	directory->options.path = directory->path;
	directory->options.working_directory = directory->working_directory;
	return &directory->source;
}
