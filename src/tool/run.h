/*
 * run: one tool call, from arguments to envelope.
 *
 * Find the tool, check the arguments, let the tool's source run the call, collect the output and
 * wrap the result.  Every start leads to exactly one done, never from inside start; after
 * ik_run_close() there is none.
 *
 * May include: util, json, config, conversation, loop, tool.
 */
#ifndef IK_TOOL_RUN_H
#define IK_TOOL_RUN_H

#include "config/config.h"
#include "conversation/attachment.h"
#include "loop/child.h"
#include "tool/envelope.h"
#include "tool/registry.h"
#include "util/bytes.h"

struct ik_run;
struct ik_sandbox;

struct ik_run_options {
	struct ik_loop *loop;
	int64_t timeout_ms;                     /* if neither timeouts nor the schema has one */
	const struct ik_tool_timeout *timeouts; /* of single tools; they override the schema */
	size_t timeout_count;
	size_t output_limit;           /* of the envelope's result */
	const char *outputs, *session; /* root and session of the files for cut texts
	                                  (tool/output_files.h); NULL: none */
	int64_t outputs_limit;         /* bytes of these files, of all sessions */
	int64_t memory_limit;
	int door;                           /* for native tools, as in loop/child.h */
	const char *const *environment;     /* for native tools; IKIGAI_LIVE=1 and IKIGAI_CALL=ID are
	                                       added */
	struct ik_run_kodelet {             /* the same for Kodelet's tools */
		int64_t timeout_ms;             /* if timeouts has none */
		size_t output_limit;            /* the smaller limit counts */
		const char *const *environment; /* nothing is added */
	} kodelet;
	const char *directory;      /* the session's */
	struct ik_sandbox *sandbox; /* borrowed (guard/sandbox.h); NULL: not confined */
	const char *picture;        /* the program that makes files fit (tool/fit.h); NULL: files that
	                               tools return are left as they are */
	const char *id;             /* of the call; NULL: none */
	bool asks;                  /* the user can be asked what the call wants to know */
};

/* The pointers are valid until ik_run_close(). */
struct ik_run_result {
	const char *envelope; /* checked JSON */
	size_t envelope_length;
	bool success;
	int64_t duration_ms; /* of the process; 0 without one */
	int exit_code;       /* as in the envelope: 128 + N for signal N; -1: null */
	bool truncated;      /* the envelope, or the output, is incomplete */
	const struct ik_attachments *attachments; /* files that the tool returned; NULL: none */
	struct ik_bytes *whole[2]; /* all of stdout and stderr, up to the limits, by enum ik_stream, for
	                              taking a reference; NULL: empty */
};

struct ik_run_events {
	void (*output)(void *arg, enum ik_stream stream, const char *bytes, size_t length);
	void (*done)(void *arg, const struct ik_run_result *result);
	/* What the call wants to know, as in struct ik_call_spec (tool/source.h); only with options.asks. */
	void (*ask)(void *arg, struct ik_json_span question);
};

/* Return what a tool gets for the arguments that a model wrote, checked or not: {} for white space
 * or nothing. */
struct ik_json_span ik_run_arguments(const char *text, size_t length);

/*
 * Call the tool of that name in registry (a reference is kept while it runs). arguments is the
 * model's text, read by ik_run_arguments(): one JSON object. Never fails: a failure becomes an
 * envelope. Of the options only loop, output limit, sandbox, directory and picture are
 * kept; registry, name and arguments are referenced or copied.
 */
struct ik_run *ik_run_start(const struct ik_run_options *options, struct ik_registry *registry,
	const char *name, const char *arguments, size_t length, const struct ik_run_events *events,
	void *arg);

/* Stop the clock of its time-out while the user is asked about a call that it makes. Each wait ends. */
void ik_run_wait(struct ik_run *run, bool waiting);
/* Answer its question, as in struct ik_source_ops. */
void ik_run_answer(struct ik_run *run, struct ik_json_span answer);
/* End the tool as a timeout would (SIGTERM, SIGKILL 2 s later); done follows. */
void ik_run_cancel(struct ik_run *run);
struct ik_run *ik_run_close(struct ik_run *run);

/*
 * Return this process's environment without variables that hold a provider's key or a database's
 * password: secrets is a NULL-terminated list of names, keep a list of exceptions. New memory, to
 * be released with ik_environment_free().
 */
char **ik_environment_for_tools(const char *const *secrets, const char *const *keep);
/* The same with only the variables that are named. */
char **ik_environment_of(const char *const *names);
char **ik_environment_free(char **environment);

/* Return an environment (NULL: this process's) with these entries, "NAME=VALUE", or without a
 * variable, "NAME". Only the array is new memory. */
const char **ik_environment_with(const char *const *environment, const char *const *entries);

#endif
