/*
 * stdio: a protocol of lines on standard input and output, for front ends that are another
 * program's child.
 *
 * Standard output carries nothing but these lines. When the input has ended, or nobody reads the
 * output, the loop stops as soon as all lines are written.
 *
 * May include: util, rpc, loop, cli/output.h.
 */
#ifndef IK_CLI_STDIO_H
#define IK_CLI_STDIO_H

#include "loop/loop.h"

#include <stddef.h>

struct ik_stdio;

struct ik_stdio_events {
	/* A line without its line feed; NULL: one of more than 64 MiB. */
	void (*line)(void *arg, const char *text, size_t length);
	/* The input has ended: nobody wants what still runs. */
	void (*ended)(void *arg);
};

/* events is borrowed. */
struct ik_stdio *ik_stdio_new(struct ik_loop *loop, const struct ik_stdio_events *events,
	void *arg);
/* Write a line, to which a line feed is added. */
void ik_stdio_write(struct ik_stdio *stdio, const char *text, size_t length);
/* Drop what waits. Return false, after a message, if lines could not be written. */
bool ik_stdio_close(struct ik_stdio *stdio);

#endif
