/*
 * fit: pictures and documents made fit for a model: within the limits that all providers accept
 * (conversation/attachment.h), by the program libexec/picture/picture.
 *
 * That is a child process, because reading a file may take long, and decoding a broken picture may
 * do anything. A tool's file is read by a child in the tool's sandbox, so that no tool makes ikigai
 * read for it what it must not read itself.
 *
 * Owns the process. May include: util, json, conversation, loop, guard, tool.
 */
#ifndef IK_TOOL_FIT_H
#define IK_TOOL_FIT_H

#include "conversation/attachment.h"
#include "loop/loop.h"

struct ik_fit;
struct ik_sandbox;

/* Do these first bytes of a file begin a picture or a document that models accept? */
#define IK_FIT_LOOK 16
bool ik_fit_begins(const char *bytes, size_t length);

/* Return the environment of the program, which has no keys, and for a tool no language, in new
 * memory (the array only). */
const char **ik_fit_environment(bool for_tool);

/* Everything is borrowed until done, or the close. */
struct ik_fit_options {
	struct ik_loop *loop;
	const char *program;
	const char *directory;
	const char *path; /* of the file, relative to directory; NULL: it is these bytes: */
	const char *bytes;
	size_t length;
	struct ik_sandbox *sandbox; /* of the tool called tool; NULL: the file is the user's */
	const char *tool;
};

/* file is NULL if it failed; problem says why, in English for a tool, else for the user. Both are
 * valid during the call, in which the fit may be closed. */
typedef void ik_fit_done(void *arg, const struct ik_attached_file *file, const char *problem);

/* Start; done is called once, in a later turn of the loop. */
struct ik_fit *ik_fit_start(const struct ik_fit_options *options, ik_fit_done *done, void *arg);
/* Stop it. Takes NULL. Returns NULL. */
struct ik_fit *ik_fit_close(struct ik_fit *fit);

#endif
