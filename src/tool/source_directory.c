#include "tool/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop/child.h"
#include "tool/busy.h"
#include "tool/candidate.h"
#include "tool/executable.h"
#include "tool/permissions.h"
#include "tool/vetting.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/text.h"

/* More at once is no faster, even for tools that only sleep (measured). */
enum { WIDTH = 64 };
/* While the machine is busy, tools only wait for each other: no more than so
 * many for each processor then, and another look after a moment. */
enum { BUSY_WIDTH = 4, BUSY_LOOK_MS = 5 };
/* A spawn blocks until exec; the loop gets its turn after so much of it. */
enum { SPAWN_SLICE_US = 3000 };

struct directory;

/* One file that may be a tool. */
struct file {
	struct directory *directory;
	char *path;
	struct ik_candidate *candidate; /* while it is asked */
};

struct directory {
	struct ik_source source;
	struct ik_loop *loop;
	char *path;
	char *working_directory;
	struct ik_trust *trust; /* NULL: nobody has to be asked */
	struct ik_candidate_options questions;

	/* The scan that runs. */
	const struct ik_source_events *events; /* NULL: none */
	void *arg;
	struct file *files;
	size_t count;
	struct ik_vetting *vetting; /* of the files, in their order; NULL without trust */
	size_t next;         /* the first that was not asked yet */
	size_t running;
	size_t width;
	size_t finished;
	struct ik_timer *look;      /* whether the machine is still busy */
	struct ik_timer *deadlines; /* the next of those that run */
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
	int limit = BUSY_WIDTH * ik_busy_processors();

	return directory->running >= (size_t)limit && ik_busy_runnable() >= limit;
}

/* Release what belongs to one scan. */
static void clear_scan(struct directory *directory)
{
	ik_loop_cancel_deferred(directory->loop, launch, directory);
	directory->look = ik_timer_close(directory->look);
	directory->deadlines = ik_timer_close(directory->deadlines);
	directory->vetting = ik_vetting_close(directory->vetting);
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

static void tell_progress(struct directory *directory)
{
	directory->events->progress(directory->arg, directory->finished, directory->count);
}

/* What was found out of a file that came with a project; NULL: it did not. */
static const struct ik_vetted *vetted(const struct file *file)
{
	const struct directory *directory = file->directory;

	return directory->vetting != NULL
		? ik_vetting_at(directory->vetting, (size_t)(file - directory->files)) : NULL;
}

/* Hand a file over: a tool, or what could have been one. */
static void announce(struct file *file, struct ik_tool *tool)
{
	struct directory *directory = file->directory;
	const struct ik_vetted *known = vetted(file);

	if (tool->state != IK_TOOL_OK) {
		free(tool->name);
		tool->name = ik_strdup(ik_path_base(file->path));
	}
	tool->path = ik_strdup(file->path);
	tool->source = directory->source.origin;
	if (known != NULL) {
		tool->pinned = true;
		tool->identity = known->identity;
	}
	directory->finished++;
	directory->events->tool(directory->arg, tool);
	if (directory->events != NULL)
		tell_progress(directory);
}

static void go_on(struct directory *directory)
{
	ik_loop_cancel_deferred(directory->loop, launch, directory);
	ik_loop_defer(directory->loop, launch, directory);
}

static void candidate_done(void *arg, struct ik_tool *tool)
{
	struct file *file = arg;

	file->candidate = ik_candidate_close(file->candidate);
	file->directory->running--;
	go_on(file->directory);
	announce(file, tool);
}

/* End those whose time is up. */
static void check_deadlines(void *arg)
{
	struct directory *directory = arg;
	int64_t now = ik_clock_ms(), next = INT64_MAX, deadline;
	int64_t stalled_us = ik_busy_stalled_us();

	for (size_t i = 0; i < directory->next; i++) {
		if (directory->files[i].candidate == NULL)
			continue;
		deadline = ik_candidate_check(directory->files[i].candidate, now, stalled_us);
		if (deadline < next)
			next = deadline;
	}
	if (next < INT64_MAX)
		ik_timer_start(directory->deadlines, next - now);
}

/* May this file be run at all? If not, *ret_tool says why. */
static bool permitted(const struct file *file, struct ik_tool *ret_tool)
{
	const struct directory *directory = file->directory;
	enum ik_tool_source origin = directory->source.origin;
	const struct ik_vetted *known = vetted(file);
	struct ik_error error;
	const char *reason;

	memset(ret_tool, 0, sizeof *ret_tool);
	ret_tool->protocol = directory->questions.first;
	if (origin != IK_SOURCE_SYSTEM && ik_permissions_check(file->path, &error) != IK_OK) {
		ik_tool_reject(ret_tool, IK_TOOL_FAILED, "UNSAFE_PERMISSIONS",
			ik_strdup(error.text));
		return false;
	}
	if (known == NULL ? origin != IK_SOURCE_PROJECT : known->state == IK_TRUST_TRUSTED)
		return true;
	ret_tool->changed = known != NULL && known->state == IK_TRUST_CHANGED;
	if (known != NULL && known->problem != NULL)
		reason = known->problem;
	else if (ret_tool->changed)
		reason = _("was changed since you trusted it; look at it, then: ikigai tool trust");
	else
		reason = _("came with the project and is not run before you trust it; look at it, "
			"then: ikigai tool trust");
	ik_tool_reject(ret_tool, IK_TOOL_UNTRUSTED, "NOT_TRUSTED", ik_strdup(reason));
	return false;
}

/* Ask one file, or say why it is not asked. */
static void ask(struct file *file)
{
	struct directory *directory = file->directory;
	struct ik_tool refused;

	if (!permitted(file, &refused)) {
		announce(file, &refused);
		return;
	}
	directory->running++;
	if (!ik_timer_running(directory->deadlines))
		ik_timer_start(directory->deadlines, directory->questions.timeout_ms);
	file->candidate = ik_candidate_new(directory->loop, file->path, &directory->questions,
		candidate_done, file);
	if (vetted(file) != NULL)
		ik_candidate_pin(file->candidate, &vetted(file)->identity);
	ik_candidate_ask(file->candidate);
}

/* Tell that all candidates are done. */
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

/* Spawn as many as this turn allows; at the end of all say that it is done. */
static void launch(void *arg)
{
	struct directory *directory = arg;
	int64_t begin = ik_clock_us();

	/* How many there are is known before the first has answered. */
	if (directory->next == 0 && directory->count > 0)
		tell_progress(directory);
	if (directory->events == NULL)
		return;
	while (directory->next < directory->count && directory->running < directory->width) {
		if (crowded(directory)) {
			ik_timer_start(directory->look, BUSY_LOOK_MS);
			return;
		}
		ask(&directory->files[directory->next++]);
		if (directory->events == NULL)
			return;
		if (ik_clock_us() - begin > SPAWN_SLICE_US)
			break;
	}
	if (directory->finished == directory->count)
		finish(directory);
	else if (directory->next < directory->count && directory->running < directory->width)
		go_on(directory); /* otherwise the next child that ends does */
}

/* Is this entry a file that this user may execute? */
static bool is_candidate(int fd, const char *name)
{
	size_t length = strlen(name);
	struct stat status;

	if (name[0] == '.' || name[length - 1] == '~')
		return false;
	return fstatat(fd, name, &status, 0) == 0 && S_ISREG(status.st_mode)
		&& faccessat(fd, name, X_OK, AT_EACCESS) == 0;
}

static int compare_paths(const void *left, const void *right)
{
	const struct file *one = left, *other = right;

	return strcmp(one->path, other->path);
}

/* Find the candidates, or say why that cannot be. */
static void list(struct directory *directory)
{
	size_t capacity = 0;
	struct dirent *entry;
	DIR *stream = opendir(directory->path);

	directory->readable = stream != NULL;
	if (stream == NULL) {
		struct ik_error error;

		if (errno == ENOENT)
			return; /* nothing there is no problem */
		ik_error_set_errno(&error, errno, _("the tool directory %s cannot be read"),
			directory->path);
		directory->problem = ik_strdup(error.text);
		return;
	}
	while ((entry = readdir(stream)) != NULL) {
		if (!is_candidate(dirfd(stream), entry->d_name))
			continue;
		if (directory->count == capacity) {
			capacity = capacity ? capacity * 2 : 32;
			directory->files = ik_alloc_array(directory->files, capacity,
				sizeof *directory->files);
		}
		directory->files[directory->count++] = (struct file){
			.directory = directory,
			.path = ik_path_join(directory->path, entry->d_name),
		};
	}
	closedir(stream);
}

static void vetting_done(void *arg)
{
	go_on(arg);
}

/* Find out which files are trusted, before any of them is run. */
static void vet(struct directory *directory)
{
	const char **paths = ik_alloc_array(NULL, directory->count + 1, sizeof *paths);
	size_t i;

	for (i = 0; i < directory->count; i++)
		paths[i] = directory->files[i].path;
	directory->vetting = ik_vetting_start(directory->loop, directory->trust, paths,
		directory->count, vetting_done, directory);
	free(paths);
}

static void directory_scan(struct ik_source *source, const struct ik_source_events *events,
	void *arg)
{
	struct directory *directory = (struct directory *)source;
	/* Other sources and running calls need descriptors too. */
	int capacity = ik_children_capacity() / 4;

	directory->events = events;
	directory->arg = arg;
	directory->width = capacity < 1 ? 1 : capacity > WIDTH ? WIDTH : (size_t)capacity;
	directory->look = ik_timer_new(directory->loop, launch, directory);
	directory->deadlines = ik_timer_new(directory->loop, check_deadlines, directory);
	list(directory);
	if (directory->count > 0)
		qsort(directory->files, directory->count, sizeof *directory->files, compare_paths);
	if (directory->trust != NULL)
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
	if (!may_be_called(spec->tool, error))
		return NULL;
	return ik_executable_call(((struct directory *)source)->loop, spec, events, arg, error);
}

static void directory_close(struct ik_source *source)
{
	clear_scan((struct directory *)source);
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
		"directory", directory_scan, directory_call, directory_close, directory_free
	};
	struct directory *directory = ik_alloc(sizeof *directory);
	char here[PATH_MAX];

	ik_source_init(&directory->source, &ops, options->origin);
	directory->trust = options->trust;
	directory->loop = loop;
	/* The children have another working directory. */
	if (getcwd(here, sizeof here) != NULL)
		directory->path = ik_path_join(here, options->path);
	else
		directory->path = ik_strdup(options->path);
	if (options->working_directory != NULL)
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
	};
	return &directory->source;
}
