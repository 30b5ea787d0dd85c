/*
 * support: run the built tools as real processes and check their answers.
 */
#ifndef TESTS_TOOLS_SUPPORT_H
#define TESTS_TOOLS_SUPPORT_H

#include "json/scan.h"
#include "util/buf.h"

#include <sys/resource.h>
#include <sys/types.h>

/* How to run a tool. Only the tool must be given. */
struct call {
	const char *tool;      /* file-read */
	const char *option;    /* --schema, or NULL to feed it input */
	const char *input;
	size_t input_length;   /* 0: input is a C string */
	const char *setting;   /* one variable for its environment, NAME=VALUE */
	int stdin_fd;          /* descriptor for its stdin; 0: input; -1: closed */
	int output;            /* descriptor for its stdout; 0: captured; -1: closed */
	bool nobody;           /* as a user without privileges */
	rlim_t memory;         /* limit on its address space (RLIMIT_AS); 0: none */
	bool traced;           /* stops before its first instruction, for ptrace(2) */
	bool unseekable;       /* has no file that can seek */
};

struct reply {
	int status; /* exit status, or 128 + N */
	struct ik_buf out;
	struct ik_buf err;
	struct ik_json_span json; /* out, when it is a JSON object */
	long peak_kib;            /* peak memory */
};

/* Start a tool; its stdin and output are files. */
struct running {
	pid_t pid;
	int out, err;
};
struct running call_start(const struct call *call);
struct reply call_finish(struct running running);

/* Run a tool to its end. */
struct reply call_run(const struct call *call);

/* The usual call: input with ' for ", formatted. Expects exit status 0 and one JSON object in valid
 * UTF-8 without a line feed after it. */
struct reply ask(const char *tool, const char *format, ...) IK_PRINTF(2, 3);
/* The same by a user without privileges: nobody or, if the test runs as an ordinary user, that
 * user, who owns what the test creates. */
struct reply ask_as_nobody(const char *tool, const char *format, ...) IK_PRINTF(2, 3);
/* The same with a string of any bytes where format has %s. */
struct reply ask_bytes(const char *tool, const char *format, const char *bytes, size_t length);

/* Assertions that also free the reply. */
void expect_error(struct reply reply, const char *code, const char *format, ...) IK_PRINTF(3, 4);
/* Expect an error that begins like this. */
void expect_error_with(struct reply reply, const char *code, const char *part);
/* Exactly this JSON text. */
void expect_json(struct reply reply, const char *format, ...) IK_PRINTF(2, 3);
/* Expect an error whose hint contains part. */
void expect_hint(struct reply reply, const char *code, const char *part);

/* Release the reply without checking more. */
void done(struct reply reply);
void reply_free(struct reply *reply);

/* A scratch directory as current directory; set both as .init and .fini. */
void scratch_enter(void);
void scratch_leave(void);

/* Skip, by name, tests that need root, or need not to be root. */
#define SKIP_UNLESS_ROOT() \
	do { if (geteuid() != 0) cr_skip("needs the superuser"); } while (0)

/* Mount a tmpfs on a new directory, for this test's process alone if possible; skip, by name, if it
 * is not. drop_mount() removes it. */
void make_mount(const char *directory, unsigned long flags, const char *options);
void drop_mount(const char *directory);

void make_file(const char *path, const char *bytes, size_t length);
void make_text(const char *path, const char *text);
/* Expect exactly these contents of a file. */
void expect_file(const char *path, const char *bytes, size_t length);
void expect_text(const char *path, const char *text);
/* Count the names in the current directory that begin with prefix. */
int count_names(const char *prefix);

/* Assert what --schema prints, and that --help and --version work. */
void expect_options(const char *tool, const char *schema);

#endif
