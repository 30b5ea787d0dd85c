/* support: what the tests of the tool layer share. */
#ifndef IK_TEST_TOOL_SUPPORT_H
#define IK_TEST_TOOL_SUPPORT_H

#include "tool/discovery.h"
#include "tool/run.h"

/* A loop that fails the test when it runs for more than a minute. */
struct ik_loop *support_loop_new(void);
struct ik_loop *support_loop_free(struct ik_loop *loop);
void support_loop_run(struct ik_loop *loop);

/* A new directory, mode 0700; removed with all in it by support_rmdir(). */
char *support_mkdir(void);
void support_rmdir(char *directory);
/* Write an executable; returns its path, which the caller frees. */
char *support_write_tool(const char *directory, const char *name, const char *text);

/* The registry of some directories (NULL-terminated), all of that origin. */
struct ik_registry *support_scan(struct ik_loop *loop, enum ik_tool_source origin,
	int64_t timeout_ms, const char *const *directories);
/* The same of one directory of a project. */
struct ik_registry *support_scan_project(struct ik_loop *loop, struct ik_trust *trust,
	const char *directory);
/* The entry of that file name in any state. */
const struct ik_tool *support_entry(const struct ik_registry *registry, const char *file);

/* One call, run to its end; release with support_outcome_done(). */
struct support_outcome {
	char *envelope;
	bool success;
	bool truncated;
	int exit_code;
	int64_t duration_ms;
	char *output;
	size_t output_length;
	char *errors;
	size_t errors_length;
	size_t live; /* bytes passed on while it ran */
	int done;    /* how often */
};
struct support_outcome support_call(struct ik_loop *loop, struct ik_registry *registry,
	const char *name, const char *arguments, const struct ik_run_options *options);
void support_outcome_done(struct support_outcome *outcome);

/* Descriptors that are open; children that exist, zombies and all. */
int support_open_files(void);
int support_children(void);

/* Options with a loop, a time-out of 30 s and the usual limit. */
struct ik_run_options support_options(struct ik_loop *loop);

#define FIXTURES IK_TEST_FIXTURES "/tools"

#endif
