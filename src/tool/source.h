/*
 * source: a place that tools come from.
 *
 * A source is started for a scan and announces tools, or failures, in any
 * number and order, until it says that it is done; it may stay alive after
 * (a server process) and then also runs the calls of its tools.  Registry,
 * callers of run and the screens know tools only.  A directory of executables
 * (tool/source_directory.c) is one source.
 *
 * May include: util, json, config, conversation, loop.
 */
#ifndef IK_TOOL_SOURCE_H
#define IK_TOOL_SOURCE_H

#include "loop/loop.h"
#include "tool/registry.h"

struct ik_source;

struct ik_source_events {
	/* A tool, OK or not; the strings become the receiver's. */
	void (*tool)(void *arg, struct ik_tool *tool);
	/* How far it is: done of total candidates. */
	void (*progress)(void *arg, size_t done, size_t total);
	/* The scan of this source is over; never inside scan. readable: false when
	 * the place is not there (sentence NULL) or could not be read (sentence says
	 * why). A new scan may be started in here. */
	void (*done)(void *arg, bool readable, const char *sentence);
};

struct ik_source_ops {
	const char *kind; /* "directory" */
	/* Begin a scan; events come until done. */
	void (*scan)(struct ik_source *source, const struct ik_source_events *events, void *arg);
	/* End a scan that runs: no further event. Also from inside an event, but
	 * then no new scan is started in the same event. */
	void (*cancel)(struct ik_source *source);
	/* As cancel; memory goes between turns. Takes and returns NULL. */
	struct ik_source *(*free)(struct ik_source *source);
};

/* First member of every source's own struct. */
struct ik_source {
	const struct ik_source_ops *ops;
	enum ik_tool_source origin;
};

struct ik_source_directory_options {
	const char *path;
	enum ik_tool_source origin;      /* what comes from a project is not run */
	/* How each is asked what it is (tool/candidate.h). */
	enum ik_tool_protocol first;
	bool native_only;
	int64_t timeout_ms;
	const char *const *environments[IK_PROTOCOL_COUNT];
	const char *working_directory;
};

/*
 * A directory of executables: regular files, also through a symbolic link, that this
 * user may execute; dot files and names that end in "~" are passed over. Strings are
 * copied, environments are borrowed.
 */
struct ik_source *ik_source_directory_new(struct ik_loop *loop,
	const struct ik_source_directory_options *options);

#endif
