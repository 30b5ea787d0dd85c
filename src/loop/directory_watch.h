/*
 * directory_watch: told when something in certain directories has changed (inotify(7)).
 *
 * What comes in bursts is told once: an editor's save is several events, a
 * checkout thousands.  A change is told when nothing more has happened for
 * IK_WATCH_QUIET_MS, but at least every IK_WATCH_LONGEST_MS while it goes on,
 * and no more often than that.  A file that is being written counts when its
 * writer closes it.
 *
 * A directory need not exist: its nearest existing parent is watched for it,
 * and one that is removed, renamed or replaced is found again.  What happens on
 * another machine to a network file system is not noticed: that is so with
 * inotify.  Nothing is armed while nothing happens.
 *
 * Owns its descriptor and timer.  May include: util, loop.
 */
#ifndef IK_LOOP_DIRECTORY_WATCH_H
#define IK_LOOP_DIRECTORY_WATCH_H

#include "loop/loop.h"

#include <stddef.h>

#define IK_WATCH_QUIET_MS 100
#define IK_WATCH_LONGEST_MS 1000

struct ik_directory_watch;

struct ik_directory_watch_events {
	/* Something changed. May call set and close. */
	void (*changed)(void *arg);
	/* Not everything can be watched (the kernel's limits), in words; at most once. */
	void (*problem)(void *arg, const char *sentence);
	/* Is an entry of that name of interest? NULL: all are. */
	bool (*counts)(const char *name);
	/* Tell of every write too, not only of a writer's end, and as soon as it is quiet. */
	bool writes;
};

/* One place to watch: all files of a directory, or (name) one entry of it. */
struct ik_watched {
	const char *directory; /* absolute */
	const char *name;      /* NULL: all files, not the directories in it */
};

/* events is copied; nothing is watched yet. */
struct ik_directory_watch *ik_directory_watch_new(struct ik_loop *loop,
	const struct ik_directory_watch_events *events, void *arg);

/* Watch these places (copied) from now on, and no others. */
void ik_directory_watch_set(struct ik_directory_watch *watch, const struct ik_watched *places,
	size_t count);

struct ik_directory_watch *ik_directory_watch_close(struct ik_directory_watch *watch);

#endif
