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
#include "tool/permissions.h"
#include "tool/protocol.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* More at once is no faster, even for tools that only sleep (measured). */
enum { WIDTH = 64 };
/* While the machine is busy, tools only wait for each other: no more than so
 * many for each processor then, and another look after a moment. */
enum { BUSY_WIDTH = 4, BUSY_LOOK_MS = 5 };
/* Nobody gets more than so many times his time, nor less than this on top. */
enum { LATEST = 4, SHORTEST_EXTENSION_MS = 20 };
/* A spawn blocks until exec; the loop gets its turn after so much of it. */
enum { SPAWN_SLICE_US = 3000 };
/* What is kept of stderr for the reason of a failure. */
enum { STDERR_KEPT = 1024, STDERR_SHOWN = 200 };
/* How long a descendant that holds the pipes is waited for after an answer. */
enum { GRACE_MS = 250 };

struct directory;

/* One file that may be a tool, and the question to it. */
struct candidate {
	struct directory *directory;
	char *path;
	struct ik_child *child;
	struct ik_buf output;
	struct ik_buf errors;
	int64_t deadline_ms;
	int64_t stalled_us; /* ik_busy_stalled_us() when its time began to run */
};

struct directory {
	struct ik_source source;
	struct ik_loop *loop;
	char *path;
	char *working_directory;
	const char *const *environment;
	int64_t timeout_ms;

	/* The scan that runs. */
	const struct ik_source_events *events; /* NULL: none */
	void *arg;
	struct candidate *candidates;
	size_t count;
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
	for (size_t i = 0; i < directory->count; i++) {
		struct candidate *candidate = &directory->candidates[i];

		candidate->child = ik_child_close(candidate->child);
		ik_buf_done(&candidate->output);
		ik_buf_done(&candidate->errors);
		free(candidate->path);
	}
	free(directory->candidates);
	free(directory->problem);
	directory->candidates = NULL;
	directory->problem = NULL;
	directory->count = directory->next = 0;
	directory->running = directory->finished = 0;
	directory->events = NULL;
}

static void tell_progress(struct directory *directory)
{
	directory->events->progress(directory->arg, directory->finished, directory->count);
}

/* Hand a tool over, or a candidate that failed. */
static void announce(struct candidate *candidate, struct ik_tool *tool)
{
	struct directory *directory = candidate->directory;

	if (tool->state != IK_TOOL_OK) {
		free(tool->name);
		tool->name = ik_strdup(ik_path_base(candidate->path));
	}
	tool->path = ik_strdup(candidate->path);
	tool->source = directory->source.origin;
	ik_buf_done(&candidate->output);
	ik_buf_done(&candidate->errors);
	directory->finished++;
	directory->events->tool(directory->arg, tool);
	if (directory->events != NULL)
		tell_progress(directory);
}

/* Hand over a candidate that failed, with its reason (taken over). */
static void announce_failure(struct candidate *candidate, const char *code, char *reason)
{
	struct ik_tool tool = { .protocol = IK_PROTOCOL_NATIVE };

	ik_tool_reject(&tool, IK_TOOL_FAILED, code, reason);
	announce(candidate, &tool);
}

/* ": first line of stderr", or "". New memory. */
static char *complaint(const struct candidate *candidate)
{
	size_t length = strcspn(candidate->errors.data, "\n");
	struct ik_buf text;

	ik_buf_init(&text, 4 * STDERR_KEPT);
	if (length > 0) {
		ik_buf_puts(&text, ": ");
		ik_utf8_repair(&text, candidate->errors.data, length);
		ik_buf_truncate(&text, ik_utf8_cut(text.data, text.length, STDERR_SHOWN));
	}
	return ik_buf_take(&text, NULL);
}

/* Judge an exit that was no time-out. */
static void judge(struct candidate *candidate, const struct ik_child_result *result)
{
	struct ik_tool tool;
	char *words;

	if (result->exited && result->exit_code == 0) {
		/* A refusal stands in the tool itself. */
		if (ik_protocol_native_read(candidate->output.data, candidate->output.length,
			&tool) != IK_OK)
			tool.state = IK_TOOL_FAILED;
		announce(candidate, &tool);
		return;
	}
	words = complaint(candidate);
	if (result->exited)
		announce_failure(candidate, "SCHEMA_EXIT",
			ik_format(_("exited with status %d when asked for --schema%s"),
				result->exit_code, words));
	else
		announce_failure(candidate, "SCHEMA_EXIT",
			ik_format(_("was ended by signal %d (%s) when asked for --schema%s"),
				result->signal_number, strsignal(result->signal_number), words));
	free(words);
}

static void go_on(struct directory *directory)
{
	ik_loop_cancel_deferred(directory->loop, launch, directory);
	ik_loop_defer(directory->loop, launch, directory);
}

static void child_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct candidate *candidate = arg;
	struct directory *directory = candidate->directory;

	if (stream == IK_STDERR) {
		size_t room = STDERR_KEPT - candidate->errors.length;

		ik_buf_append(&candidate->errors, bytes, length < room ? length : room);
		return;
	}
	ik_buf_append(&candidate->output, bytes, length);
	if (ik_buf_status(&candidate->output) == IK_OK)
		return;
	candidate->child = ik_child_close(candidate->child);
	directory->running--;
	go_on(directory);
	announce_failure(candidate, "SCHEMA_TOO_LARGE",
		ik_format(_("printed more than %zu bytes when asked for --schema"),
			IK_LIMIT_SCHEMA));
}

static void child_done(void *arg, const struct ik_child_result *result)
{
	struct candidate *candidate = arg;
	struct directory *directory = candidate->directory;

	candidate->child = ik_child_close(candidate->child);
	directory->running--;
	go_on(directory);
	if (result->timed_out || result->cancelled)
		announce_failure(candidate, "SCHEMA_TIMEOUT",
			ik_format(_("did not answer --schema within %lld ms"),
				(long long)directory->timeout_ms));
	else
		judge(candidate, result);
}

/* How long something had to wait for a processor since stalled_us was taken. */
static int64_t stalled_ms(const struct directory *directory, int64_t stalled_us, int64_t now_us)
{
	if (now_us >= 0 && stalled_us >= 0)
		return (now_us - stalled_us) / 1000;
	/* It is not counted here: what is now has to stand for all of the time. */
	return ik_busy_runnable() > ik_busy_processors() ? directory->timeout_ms : 0;
}

/*
 * End those whose time is up. Time in which the machine had more to do than it
 * could is given back, for then silence says nothing of a tool; the child's own
 * time-out is the end of that.
 */
static void check_deadlines(void *arg)
{
	struct directory *directory = arg;
	int64_t now = ik_clock_ms(), next = INT64_MAX;
	int64_t stalled_us = ik_busy_stalled_us();

	for (size_t i = 0; i < directory->next; i++) {
		struct candidate *candidate = &directory->candidates[i];

		if (candidate->child == NULL)
			continue;
		if (candidate->deadline_ms <= now) {
			int64_t more = stalled_ms(directory, candidate->stalled_us, stalled_us);

			if (more < SHORTEST_EXTENSION_MS) {
				ik_child_cancel(candidate->child);
				continue;
			}
			candidate->deadline_ms = now + more;
			candidate->stalled_us = stalled_us;
		}
		if (candidate->deadline_ms < next)
			next = candidate->deadline_ms;
	}
	if (next < INT64_MAX)
		ik_timer_start(directory->deadlines, next - now);
}

/* Ask one candidate. */
static void ask(struct candidate *candidate)
{
	static const struct ik_child_events events = { child_output, child_done };
	struct directory *directory = candidate->directory;
	const char *const argv[] = { candidate->path, "--schema", NULL };
	struct ik_child_spec spec = {
		.path = candidate->path,
		.argv = argv,
		.environment = directory->environment,
		.directory = directory->working_directory,
		.timeout_ms = directory->timeout_ms * LATEST,
		.grace_ms = GRACE_MS,
	};
	struct ik_error error;

	if (directory->source.origin != IK_SOURCE_SYSTEM
		&& ik_permissions_check(candidate->path, &error) != IK_OK) {
		announce_failure(candidate, "UNSAFE_PERMISSIONS", ik_strdup(error.text));
		return;
	}
	if (ik_child_start(directory->loop, &spec, &events, candidate, &candidate->child,
		&error) != IK_OK) {
		announce_failure(candidate, "SPAWN_FAILED", ik_strdup(error.text));
		return;
	}
	directory->running++;
	candidate->deadline_ms = ik_clock_ms() + directory->timeout_ms;
	candidate->stalled_us = ik_busy_stalled_us();
	if (!ik_timer_running(directory->deadlines))
		ik_timer_start(directory->deadlines, directory->timeout_ms);
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
		ask(&directory->candidates[directory->next++]);
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
	const struct candidate *one = left, *other = right;

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
			directory->candidates = ik_alloc_array(directory->candidates, capacity,
				sizeof *directory->candidates);
		}
		directory->candidates[directory->count++] = (struct candidate){
			.directory = directory,
			.path = ik_path_join(directory->path, entry->d_name),
		};
	}
	closedir(stream);
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
		qsort(directory->candidates, directory->count, sizeof *directory->candidates,
			compare_paths);
	for (size_t i = 0; i < directory->count; i++) {
		ik_buf_init(&directory->candidates[i].output, IK_LIMIT_SCHEMA);
		ik_buf_init(&directory->candidates[i].errors, STDERR_KEPT);
	}
	go_on(directory);
}

static void directory_cancel(struct ik_source *source)
{
	clear_scan((struct directory *)source);
}

/* The deferred end: nothing of it is on the stack any more. */
static void release(void *arg)
{
	struct directory *directory = arg;

	free(directory->path);
	free(directory->working_directory);
	free(directory);
}

static struct ik_source *directory_free(struct ik_source *source)
{
	struct directory *directory = (struct directory *)source;

	if (directory != NULL) {
		clear_scan(directory);
		ik_loop_defer(directory->loop, release, directory);
	}
	return NULL;
}

struct ik_source *ik_source_directory_new(struct ik_loop *loop,
	const struct ik_source_directory_options *options)
{
	static const struct ik_source_ops ops = {
		"directory", directory_scan, directory_cancel, directory_free
	};
	struct directory *directory = ik_alloc(sizeof *directory);
	char here[PATH_MAX];

	directory->source.ops = &ops;
	directory->source.origin = options->origin;
	directory->loop = loop;
	/* The children have another working directory. */
	if (getcwd(here, sizeof here) != NULL)
		directory->path = ik_path_join(here, options->path);
	else
		directory->path = ik_strdup(options->path);
	if (options->working_directory != NULL)
		directory->working_directory = ik_strdup(options->working_directory);
	directory->environment = options->environment;
	directory->timeout_ms = options->timeout_ms;
	return &directory->source;
}
