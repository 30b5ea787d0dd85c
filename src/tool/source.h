/*
 * source: a place that tools come from, and that runs their calls.
 *
 * A source is started for a scan and announces tools, or failures, in any
 * number and order, until it says that it is done; it may stay alive after (a
 * server process), say that its tools are others now, and is asked to run the
 * calls of those that it announced.  Registry, callers of run and the screens
 * know tools only.  A directory of executables (tool/source_directory.c) is one
 * source.
 *
 * A source is counted: the discovery holds it, and so does each tool of each
 * registry, so that calls in flight keep what they started with.
 *
 * May include: util, json, config, conversation, loop.
 */
#ifndef IK_TOOL_SOURCE_H
#define IK_TOOL_SOURCE_H

#include "guard/trust.h"
#include "loop/child.h"
#include "tool/registry.h"
#include "tool/schema_cache.h"

struct ik_source;

/* Valid until the source is closed. */
struct ik_source_events {
	/* A tool, OK or not; the strings become the receiver's. */
	void (*tool)(void *arg, struct ik_tool *tool);
	/* How far it is: done of total candidates. */
	void (*progress)(void *arg, size_t done, size_t total);
	/* The scan of this source is over; never inside scan. readable: false when
	 * the place is not there (sentence NULL) or could not be read (sentence says
	 * why). A new scan may be started in here. */
	void (*done)(void *arg, bool readable, const char *sentence);
	/* Between scans: its tools are others now, so that another scan is due. */
	void (*changed)(void *arg);
};

/* One call, as a source is asked to run it. All borrowed: the arguments until
 * done or close, the rest while call runs. */
struct ik_call_spec {
	const struct ik_tool *tool;
	const char *arguments; /* one JSON object that fits the tool's parameters */
	size_t length;
	int64_t timeout_ms;
	/* For a call that is a process of its own: */
	const char *const *environments[IK_PROTOCOL_COUNT];
	const char *directory;
	const char *id;                           /* the call's, for IKIGAI_CALL; NULL: none */
	int64_t memory_limit;                     /* bytes; 0: none */
	const struct ik_confinement *confinement; /* what it may not do; NULL: nothing of it */
	const char *sandbox; /* NAME=VALUE, for the environment of one that is confined; or NULL */
};

/* First member of every source's own struct of a call. */
struct ik_call {
	const struct ik_call_ops *ops;
};

struct ik_call_ops {
	/* End it; done follows, with cancelled set. No effect on one that has ended. */
	void (*cancel)(struct ik_call *call);
	/* Silent at once; memory goes between turns. Due in the end in any case. */
	void (*close)(struct ik_call *call);
};

/* A place whose change may change what a source says: all files of a directory, or
 * (name) one entry of it. */
typedef void ik_source_place(void *arg, const char *directory, const char *name);

struct ik_source_ops {
	const char *kind; /* "directory" */
	/* Begin a scan; events come until done. */
	void (*scan)(struct ik_source *source, const struct ik_source_events *events, void *arg);
	/*
	 * Begin a call of one of its tools. It is told in the terms of a child: what it
	 * prints (IK_STDOUT: the answer) as it comes, then how it ended; a source without
	 * a process for each call says that it exited with 0. Done comes once, never
	 * inside call. NULL when it cannot begin; *error says why, IK_DENIED that it
	 * must not: others may change the tool, or it is not what was trusted.
	 */
	struct ik_call *(*call)(struct ik_source *source, const struct ik_call_spec *spec,
		const struct ik_child_events *events, void *arg, struct ik_error *error);
	/* No further event, also from inside one; what it keeps alive ends. Calls that
	 * run still report. No scan and no call begins afterwards. */
	void (*close)(struct ik_source *source);
	/* Release the memory: it was closed in an earlier turn. The loop may be gone. */
	void (*free)(struct ik_source *source);
	/* Name the places to watch, as they are now; also during a scan. NULL: none. */
	void (*places)(struct ik_source *source, ik_source_place *place, void *arg);
};

/* First member of every source's own struct. */
struct ik_source {
	const struct ik_source_ops *ops;
	enum ik_tool_source origin;
	size_t references;
};

/* One reference, the maker's. */
void ik_source_init(struct ik_source *source, const struct ik_source_ops *ops,
	enum ik_tool_source origin);
struct ik_source *ik_source_ref(struct ik_source *source);
/* Takes and returns NULL; frees what nobody refers to. */
struct ik_source *ik_source_unref(struct ik_source *source);

struct ik_source_directory_options {
	const char *path;
	enum ik_tool_source origin;
	struct ik_trust *trust; /* borrowed: what is not trusted by it is not run. NULL:
	                                    the directory is the person's own (what comes from a
	                                    project is never run then) */
	/* How each is asked what it is (tool/candidate.h). */
	enum ik_tool_protocol first;
	bool native_only;
	int64_t timeout_ms;
	const char *const *environments[IK_PROTOCOL_COUNT];
	const char *working_directory;
	struct ik_schema_cache *cache; /* borrowed; NULL: none */
	struct ik_sandbox *sandbox;    /* borrowed: questions run in it; NULL: none */
};

/* May a file of that name be a tool? Dot files and names that end in "~" are none. */
bool ik_source_name_counts(const char *name);

/*
 * A directory of executables: regular files of such names, also through a symbolic
 * link, that this user may execute. Strings are copied, environments are borrowed. Each
 * call is a process (tool/executable.h).
 *
 * All are asked at once, but no more than 64 that work and 256 that sleep; on a
 * busy machine no more than it can serve. One that the cache knows is not asked.
 */
struct ik_source *ik_source_directory_new(struct ik_loop *loop,
	const struct ik_source_directory_options *options);

#endif
