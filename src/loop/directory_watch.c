#include "loop/directory_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/text.h"

/* A directory itself goes away, or can no longer be watched. */
#define GONE (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)
/* Changes of the entries of a directory that is watched for itself... */
#define ENTRY (IN_CREATE | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
/* ...and of one that is watched for a directory in it. */
#define ABOVE (IN_CREATE | IN_ATTRIB | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
#define SELF (IN_DELETE_SELF | IN_MOVE_SELF)

enum { BUFFER = 16384, READS_AT_ONCE = 4, ATTEMPTS = 3, NONE = -1 };

/* A place, and the kernel's numbers of the directories that report on it. */
struct watch_place {
	char *directory;
	char *name;      /* NULL: all files */
	int self;        /* watch descriptor of the directory; NONE: it does not exist */
	int above;       /* that of its nearest existing parent */
	char *component; /* path component expected to appear there */
};

struct ik_directory_watch {
	struct ik_loop *loop;
	struct ik_directory_watch_events events;
	void *arg;
	int fd; /* NONE: impossible, or not needed yet */
	struct ik_watch *readable;
	struct watch_place *places;
	size_t count;
	struct ik_timer *timer;
	bool noted; /* it runs for a change */
	int64_t told_ms;
	char *problem; /* to be reported, or reported; NULL: none */
	bool closed;
};

static void tell_problem(void *arg)
{
	struct ik_directory_watch *watch = arg;

	watch->events.problem(watch->arg, watch->problem);
}

/* Remember why not everything is watched; only the first reason is reported. */
static void set_problem(struct ik_directory_watch *watch, const char *path, int number)
{
	struct ik_error error;

	if (watch->problem)
		return;
	if (number == ENOSPC)
		ik_error_set(&error, IK_FAILED,
			_("Changes in %s will not be noticed: the limit of "
			  "watches is reached (sysctl fs.inotify.max_user_watches)."),
			path);
	else if (number == EMFILE)
		ik_error_set(&error, IK_FAILED,
			_("Changes in %s will not be noticed: the limit of "
			  "watching programs is reached (sysctl fs.inotify.max_user_instances)."),
			path);
	else
		ik_error_set(&error, IK_FAILED, _("Changes in %s will not be noticed: %s."), path,
			strerror(number));
	watch->problem = ik_strdup(error.text);
	ik_loop_defer(watch->loop, tell_problem, watch);
}

static void changed(void *arg)
{
	struct ik_directory_watch *watch = arg;

	watch->noted = false;
	watch->told_ms = ik_clock_ms();
	watch->events.changed(watch->arg);
}

/* Something has changed: report it, with what changes in the next moment. */
static void note_change(struct ik_directory_watch *watch)
{
	int64_t wait = watch->told_ms + IK_WATCH_LONGEST_MS - ik_clock_ms();

	if (!watch->noted)
		ik_timer_start(watch->timer, wait > IK_WATCH_QUIET_MS ? wait : IK_WATCH_QUIET_MS);
	watch->noted = true;
}

/* A new file: its writer will close it. If not, look at it anyway after a while. */
static void note_beginning(struct ik_directory_watch *watch)
{
	if (!ik_timer_running(watch->timer))
		ik_timer_start(watch->timer, IK_WATCH_LONGEST_MS);
}

/* Ask the kernel to watch a directory. Return its number, or NONE. */
static int add(struct ik_directory_watch *watch, const char *path, uint32_t mask)
{
	int number = inotify_add_watch(watch->fd, path[0] != '\0' ? path : "/",
		mask | SELF | IN_ONLYDIR | IN_MASK_ADD | IN_EXCL_UNLINK);

	if (number < 0 && (errno == ENOSPC || errno == ENOMEM))
		set_problem(watch, path, errno);
	return number < 0 ? NONE : number;
}

/* Watch the nearest existing parent; *path becomes its path. */
static void add_above(struct ik_directory_watch *watch, struct watch_place *place, char *path)
{
	place->above = NONE;
	while (place->above == NONE && path[0] != '\0') {
		char *slash = strrchr(path, '/');

		free(place->component);
		place->component = ik_strdup(slash + 1);
		*slash = '\0';
		place->above = add(watch, path, ABOVE);
	}
}

/* Find out what to watch for a place, and watch it. */
static void resolve(struct ik_directory_watch *watch, struct watch_place *place)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		char *path = ik_strdup(place->directory), *next;
		bool there;

		place->self = add(watch, path, ENTRY);
		add_above(watch, place, path);
		next = ik_format("%s/%s", path, place->component);
		there = access(next, F_OK) == 0;
		free(next);
		free(path);
		/* Files created between the two checks were not reported. */
		if (place->self != NONE || !there)
			return;
	}
}

static bool is_used(const struct ik_directory_watch *watch, int number)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->places[i].self == number || watch->places[i].above == number)
			return true;
	return false;
}

/* Stop watching what no place needs any more. */
static void drop_unused(struct ik_directory_watch *watch, const struct watch_place *old,
	size_t count)
{
	for (size_t i = 0; i < count; i++) {
		/* The kernel refuses those that it has dropped itself: nothing to do. */
		if (old[i].self != NONE && !is_used(watch, old[i].self))
			(void)inotify_rm_watch(watch->fd, old[i].self);
		if (old[i].above != NONE && !is_used(watch, old[i].above))
			(void)inotify_rm_watch(watch->fd, old[i].above);
	}
}

/* Resolve all places again. */
static void resolve_all(struct ik_directory_watch *watch)
{
	struct watch_place *old;

	if (watch->count == 0)
		return;
	old = ik_alloc_array(NULL, watch->count, sizeof(*old));
	memcpy(old, watch->places, watch->count * sizeof(*old));
	for (size_t i = 0; i < watch->count; i++) {
		resolve(watch, &watch->places[i]);
		if (watch->places[i].self != old[i].self)
			note_change(watch);
	}
	drop_unused(watch, old, watch->count);
	free(old);
}

/* Will a writer still close a file that was just created? */
static bool is_beginning(const struct watch_place *place, const char *name)
{
	char *path = ik_path_join(place->directory, name);
	struct stat status;
	bool beginning = lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1;

	free(path);
	return beginning;
}

/* Handle an event in a place's own directory. */
static void entry_event(struct ik_directory_watch *watch, const struct watch_place *place,
	const struct inotify_event *event)
{
	const char *name = event->len > 0 ? event->name : NULL;

	if (!name) {
		if ((event->mask & IN_ATTRIB) != 0)
			note_change(watch);
		return;
	}
	bool any = !place->name || strcmp(place->name, IK_WATCHED_DIRECTORIES) == 0;

	if (any ? ((event->mask & IN_ISDIR) != 0) == !place->name ||
				(watch->events.counts && !watch->events.counts(name))
			: strcmp(place->name, name) != 0)
		return;
	if ((event->mask & IN_CREATE) != 0 && is_beginning(place, name))
		note_beginning(watch);
	else if ((event->mask & ENTRY) != 0)
		note_change(watch);
}

/* Handle one event; return true if places must be resolved again. */
static bool take(struct ik_directory_watch *watch, const struct inotify_event *event)
{
	bool lost = false;

	if ((event->mask & IN_Q_OVERFLOW) != 0) {
		note_change(watch);
		return true;
	}
	for (size_t i = 0; i < watch->count; i++) {
		const struct watch_place *place = &watch->places[i];

		if (event->wd != place->self && event->wd != place->above)
			continue;
		if ((event->mask & GONE) != 0) {
			lost = true;
			continue;
		}
		if (event->wd == place->self)
			entry_event(watch, place, event);
		if (event->wd != place->above || event->len == 0 ||
			strcmp(event->name, place->component) != 0 || (event->mask & ABOVE) == 0)
			continue;
		lost = true;
		if ((event->mask & IN_ATTRIB) != 0)
			note_change(watch);
	}
	return lost;
}

static void take_all(void *arg, int what)
{
	struct ik_directory_watch *watch = arg;

	_Alignas(struct inotify_event) char bytes[BUFFER];
	bool lost = false;

	for (int i = 0; i < READS_AT_ONCE; i++) {
		ssize_t length = read(watch->fd, bytes, sizeof(bytes)), at = 0;

		while (at < length) {
			const struct inotify_event *event = (const void *)(bytes + at);

			lost = take(watch, event) || lost;
			at += (ssize_t)(sizeof(*event) + event->len);
		}
		if (length < (ssize_t)sizeof(bytes) / 2)
			break;
	}
	if (lost)
		resolve_all(watch);
}

struct ik_directory_watch *ik_directory_watch_new(struct ik_loop *loop,
	const struct ik_directory_watch_events *events, void *arg)
{
	struct ik_directory_watch *watch = ik_alloc(sizeof(*watch));

	watch->loop = loop;
	watch->events = *events;
	watch->arg = arg;
	watch->fd = NONE;
	watch->timer = ik_timer_new(loop, changed, watch);
	return watch;
}

/* Open inotify; false if that fails. */
static bool open_inotify(struct ik_directory_watch *watch, const char *path)
{
	struct ik_error error;

	if (watch->fd != NONE)
		return true;
	watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch->fd < 0) {
		set_problem(watch, path, errno);
		watch->fd = NONE;
		return false;
	}
	watch->readable = ik_watch_new(watch->loop, watch->fd, take_all, watch);
	if (ik_watch_set(watch->readable, IK_READABLE, &error) == IK_OK)
		return true;
	set_problem(watch, path, ENOMEM);
	return false;
}

static void free_places(struct watch_place *places, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(places[i].directory);
		free(places[i].name);
		free(places[i].component);
	}
	free(places);
}

void ik_directory_watch_set(struct ik_directory_watch *watch, const struct ik_watched *places,
	size_t count)
{
	struct watch_place *old = watch->places;
	size_t old_count = watch->count;

	if (count > 0 && !open_inotify(watch, places[0].directory))
		return;
	watch->places = count > 0 ? ik_alloc(count * sizeof(*watch->places)) : NULL;
	watch->count = count;
	for (size_t i = 0; i < count; i++) {
		struct watch_place *place = &watch->places[i];

		place->directory = ik_strdup(places[i].directory);
		/* "/tools/" means "/tools". */
		for (size_t end = strlen(place->directory); end > 1 && place->directory[end - 1] == '/';)
			place->directory[--end] = '\0';
		place->name = places[i].name ? ik_strdup(places[i].name) : NULL;
		resolve(watch, place);
	}
	drop_unused(watch, old, old_count);
	free_places(old, old_count);
}

/* Deferred: release it. */
static void release(void *arg)
{
	struct ik_directory_watch *watch = arg;

	free_places(watch->places, watch->count);
	free(watch->problem);
	free(watch);
}

struct ik_directory_watch *ik_directory_watch_close(struct ik_directory_watch *watch)
{
	if (!watch || watch->closed)
		return NULL;
	watch->closed = true;
	ik_loop_cancel_deferred(watch->loop, tell_problem, watch);
	watch->timer = ik_timer_close(watch->timer);
	watch->readable = ik_watch_close(watch->readable);
	if (watch->fd != NONE)
		close(watch->fd);
	watch->fd = NONE;
	ik_loop_defer(watch->loop, release, watch);
	return NULL;
}
