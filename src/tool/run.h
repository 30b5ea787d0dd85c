/*
 * run: one tool call, from arguments to envelope.
 *
 * Looks the tool up, checks the arguments, lets the tool's source run the call,
 * keeps what it printed, and wraps whatever happened.  Every start has exactly
 * one done, never inside start; after ik_run_close() none.
 *
 * May include: util, json, config, conversation, loop, tool.
 */
#ifndef IK_TOOL_RUN_H
#define IK_TOOL_RUN_H

#include "config/config.h"
#include "loop/child.h"
#include "tool/envelope.h"
#include "tool/registry.h"
#include "util/bytes.h"

struct ik_run;
struct ik_sandbox;

struct ik_run_options {
	struct ik_loop *loop;
	int64_t timeout_ms;                     /* where neither timeouts nor the schema say */
	const struct ik_tool_timeout *timeouts; /* of single tools: they win over the schema */
	size_t timeout_count;
	size_t output_limit;           /* of the envelope's result */
	const char *outputs, *session; /* root and session of files for what is cut
	                                   (tool/output_files.h); NULL: there are none */
	int64_t memory_limit;
	const char *const *environment;     /* for native tools; IKIGAI_LIVE=1 and
	                                   IKIGAI_CALL=ID come on top */
	struct ik_run_kodelet {             /* the same for Kodelet's tools */
		int64_t timeout_ms;             /* where timeouts do not say */
		size_t output_limit;            /* the smaller of the two counts */
		const char *const *environment; /* nothing comes on top */
	} kodelet;
	const char *directory;      /* the session's */
	struct ik_sandbox *sandbox; /* borrowed (guard/sandbox.h); NULL: nothing is confined */
	const char *id;             /* of the call; NULL: it has none */
};

/* What it points to is valid until ik_run_close(). */
struct ik_run_result {
	const char *envelope; /* checked JSON */
	size_t envelope_length;
	bool success;
	int64_t duration_ms; /* of the process; 0 without one */
	int exit_code;       /* as in the envelope: 128 + N for signal N; -1: null */
	const char *output;  /* its whole stdout and stderr, as kept */
	size_t output_length;
	const char *errors;
	size_t errors_length;
	bool truncated;            /* the envelope, or what was kept, lacks something */
	struct ik_bytes *whole[2]; /* output and errors once more, by enum ik_stream, to
	                                   take a reference of; NULL: empty */
};

struct ik_run_events {
	void (*output)(void *arg, enum ik_stream stream, const char *bytes, size_t length);
	void (*done)(void *arg, const struct ik_run_result *result);
};

/* The text that a tool gets for the arguments that a model wrote, checked or not: {} for white
 * space or nothing. */
struct ik_json_span ik_run_arguments(const char *text, size_t length);

/*
 * Call the tool of that name in registry (a reference is kept while it runs).
 * arguments is the model's text, read by ik_run_arguments(): one JSON object.
 * Never fails by itself: what goes wrong is an envelope. Of the options
 * only loop, output limit and sandbox are kept; registry, name and arguments are copied or
 * counted.
 */
struct ik_run *ik_run_start(const struct ik_run_options *options, struct ik_registry *registry,
	const char *name, const char *arguments, size_t length, const struct ik_run_events *events,
	void *arg);

/* End the tool as a time-out would (SIGTERM, 2 s later SIGKILL); done follows. */
void ik_run_cancel(struct ik_run *run);
struct ik_run *ik_run_close(struct ik_run *run);

/*
 * Take the values of this process's variables away from where other processes of the same user
 * can read them (/proc/PID/environ): a tool would find there what it does not get. For the
 * beginning of main(), before anybody keeps what getenv() gave. The names stay there.
 */
void ik_environment_hide(void);

/*
 * This process's environment less what holds a provider's key or a database's
 * password: secrets is a NULL-terminated list of names, keep one of names that
 * are passed all the same. New memory: free() the array and its strings with
 * ik_environment_free().
 */
char **ik_environment_for_tools(const char *const *secrets, const char *const *keep);
/* Only those of this process's variables that are named; the same else. */
char **ik_environment_of(const char *const *names);
char **ik_environment_free(char **environment);

#endif
