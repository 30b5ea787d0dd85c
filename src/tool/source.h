/*
 * source: a place that tools come from, and that runs their calls.
 *
 * A source is started for a scan and announces tools or failures, in any number and order, until it
 * reports that it is done. It may stay alive afterwards (a server process), report that its tools
 * have changed, and is asked to run the calls of its tools.  The registry, callers of run and the
 * screens know only tools.  A directory of executables (tool/source_directory.c) is one source.
 *
 * A source is reference-counted: the discovery holds it, and so does each tool of each registry, so
 * that running calls keep what they started with.
 *
 * May include: util, json, config, conversation, loop.
 */
#ifndef IK_TOOL_SOURCE_H
#define IK_TOOL_SOURCE_H

#include "guard/trust.h"
#include "loop/child.h"
#include "tool/registry.h"
#include "tool/schema_cache.h"

struct ik_sandbox;
struct ik_source;

/* Valid until the source is closed. */
struct ik_source_events {
	/* A tool, OK or not; its strings become the receiver's. */
	void (*tool)(void *arg, struct ik_tool *tool);
	/* Report the number of candidates, which has grown: each becomes a tool, OK or not. */
	void (*found)(void *arg, size_t count);
	/* The scan of this source is over; never called from inside scan. readable: false if the place
	 * does not exist (sentence NULL) or could not be read (sentence says why). A new scan may be
	 * started in here. */
	void (*done)(void *arg, bool readable, const char *sentence);
	/* Between scans: the tools have changed, so another scan is due. */
	void (*changed)(void *arg);
};

/* A call that a source must run. All borrowed: the arguments until done or close, the rest during
 * call. */
struct ik_call_spec {
	const struct ik_tool *tool;
	const char *arguments; /* one JSON object, valid for the tool's parameters */
	size_t length;
	int64_t timeout_ms;
	int64_t (*overdue)(void *arg); /* as in loop/child.h, with the arg of the call's events */
	/*
	 * The call wants to know something from the user before it goes on, with the arg of its events:
	 * {"from":TEXT,"message":TEXT,"schema":SCHEMA}, checked JSON; the schema is of an object whose
	 * members are no containers. No value: it no longer does. There is one question at a time. NULL:
	 * nobody can be asked.
	 */
	void (*ask)(void *arg, struct ik_json_span question);
	/* For a call in a process of its own: */
	const char *const *environments[IK_PROTOCOL_COUNT];
	const char *directory;
	const char *id;             /* for IKIGAI_CALL; NULL: none */
	int64_t memory_limit;       /* bytes; 0: none */
	int door;                   /* as in loop/child.h */
	struct ik_sandbox *sandbox; /* for that process; NULL: not confined */
};

/* A call at work; what it is only its source knows. */
struct ik_call;

/* A place whose change may change the tools of a source: all files of a directory, or (name) one
 * entry in it. */
typedef void ik_source_place(void *arg, const char *directory, const char *name);

struct ik_source_ops {
	/* Start a scan; events are called until done. */
	void (*scan)(struct ik_source *source, const struct ik_source_events *events, void *arg);
	/*
	 * Start a call of one of its tools. It is reported like a child process: its output (IK_STDOUT:
	 * the answer) as it arrives, then how it ended; a source without a process for each call
	 * reports exit status 0, or why the call failed. Done is called once, never from inside call.
	 * NULL: it cannot start; *error says why. IK_DENIED: it must not, since others may change the
	 * tool, or it is not what was trusted.
	 */
	struct ik_call *(*call)(struct ik_source *source, const struct ik_call_spec *spec,
		const struct ik_child_events *events, void *arg, struct ik_error *error);
	/* Answer its question: {"action":"accept","content":OBJECT}, or the action "decline" or "cancel".
	 * No effect if it has none. NULL: its calls ask nothing. */
	void (*answer_call)(struct ik_call *call, struct ik_json_span answer);
	/* End a call; done follows, with cancelled set. No effect on a call that has ended. */
	void (*cancel_call)(struct ik_call *call);
	/* Stop it at once, without a callback, and free its memory. Required in any case. */
	void (*close_call)(struct ik_call *call);
	/* Report no further events, even when called from inside one, and end what runs. Running calls
	 * still report. No scan and no call starts afterwards. */
	void (*close)(struct ik_source *source);
	/* Release the memory of a source closed in an earlier turn. The loop may be gone. */
	void (*free)(struct ik_source *source);
	/* Name the places to watch, as they are now; also called during a scan. NULL: none. */
	void (*places)(struct ik_source *source, ik_source_place *place, void *arg);
};

/* First member of every source's own struct. */
struct ik_source {
	const struct ik_source_ops *ops;
	enum ik_tool_source origin;
	size_t references;
};

/* Begin with one reference, the creator's. */
void ik_source_init(struct ik_source *source, const struct ik_source_ops *ops,
	enum ik_tool_source origin);
struct ik_source *ik_source_ref(struct ik_source *source);
/* Takes and returns NULL; frees a source without references. */
struct ik_source *ik_source_unref(struct ik_source *source);

struct ik_source_directory_options {
	const char *path;
	enum ik_tool_source origin;
	struct ik_trust *trust; /* borrowed: only what it trusts is run. NULL: the directory is the
							   user's own (and nothing from a project is run) */
	struct ik_schema_cache *cache; /* borrowed; NULL: none */
	/* How each file is asked (tool/candidate.h): */
	enum ik_tool_protocol first; /* which question comes first */
	bool native_only;            /* do not ask Kodelet's question */
	int64_t timeout_ms;          /* for each question, from the start of its process */
	const char *const *environments[IK_PROTOCOL_COUNT]; /* for each; NULL: this process's */
	const char *working_directory;
	struct ik_sandbox *sandbox; /* borrowed, for their processes; NULL: not confined */
	bool mentions_schema; /* only files that contain "--schema": most others there are no tools, and
							 would do who knows what if they were asked */
};

/* Has the directory a file that a source with mentions_schema would ask? */
bool ik_source_directory_has_tools(const char *path);

/*
 * Create the source of the skills in a directory and the directories in it: files SKILL.md
 * (agentskills.io), whose text a model reads. They become entries that are no tools, called "/NAME",
 * whose schema is that text. path is absolute and copied; trust is borrowed: only what it trusts is
 * read. NULL: the directory is the user's own. What the sandbox (borrowed, or NULL) hides from
 * file_read is left out.
 */
struct ik_source *ik_source_skills_new(struct ik_loop *loop, const char *path,
	enum ik_tool_source origin, struct ik_trust *trust, const struct ik_sandbox *sandbox);

/* Name the place where trust (NULL: none) is kept, since it may be revoked elsewhere. */
void ik_source_trust_place(const struct ik_trust *trust, ik_source_place *place, void *arg);

/* May a file of that name be a tool? Not if it is a dot file, or what an editor ("NAME~") or a package
 * manager that is at work leaves beside a file ("NAME.dpkg-tmp"). */
bool ik_source_name_counts(const char *name);

/*
 * Create the source of a directory of executables: regular files with such names, also through a
 * symbolic link, that this user may execute. Strings are copied, environments are borrowed. Each
 * call is a process.
 *
 * Many files are asked at once: as many as the processors can serve, not counting those that take
 * long. Files in the cache are not asked.
 */
struct ik_source *ik_source_directory_new(struct ik_loop *loop,
	const struct ik_source_directory_options *options);

#endif
