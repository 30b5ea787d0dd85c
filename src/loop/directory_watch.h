/*
 * directory_watch: report changes in directories (inotify(7)).
 *
 * Bursts are reported once: an editor's save is several events, a checkout thousands. A change is
 * reported after IK_WATCH_QUIET_MS, with all that follow it until then, and none within
 * IK_WATCH_LONGEST_MS of the last report. A file that is being written counts when its writer closes
 * it.
 *
 * A directory need not exist: its nearest existing parent is watched for it, and one that is
 * removed, renamed or replaced is found again. inotify does not report changes that another machine
 * makes on a network file system. Nothing is armed while nothing happens.
 *
 * Owns its descriptor and timer. May include: util, loop.
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
	/* Not everything can be watched (kernel limits); a sentence, at most once. */
	void (*problem)(void *arg, const char *sentence);
	/* Does an entry of that name matter? NULL: all do. */
	bool (*counts)(const char *name);
};

/* One place to watch: all files of a directory, or one entry (name). */
struct ik_watched {
	const char *directory; /* absolute */
	const char *name;      /* NULL: all files, but not directories in it */
};
/* As the name: all directories in it, but not files. */
#define IK_WATCHED_DIRECTORIES "/"

/* events is copied; nothing is watched yet. */
struct ik_directory_watch *ik_directory_watch_new(struct ik_loop *loop,
	const struct ik_directory_watch_events *events, void *arg);

/* Watch these places (copied) from now on, and no others. */
void ik_directory_watch_set(struct ik_directory_watch *watch, const struct ik_watched *places,
	size_t count);

struct ik_directory_watch *ik_directory_watch_close(struct ik_directory_watch *watch);

#endif
