/*
 * output: standard output and standard error of a program that must not block:
 * text waits here until the descriptor takes it.
 *
 * A pipe or a terminal is written at most PIPE_BUF bytes at a time when it is
 * ready, so that the descriptor, which others share, never needs O_NONBLOCK; a
 * regular file is written at once.
 *
 * May include: util, loop.
 */
#ifndef IK_CLI_OUTPUT_H
#define IK_CLI_OUTPUT_H

#include "loop/loop.h"

#include <stddef.h>

struct ik_output;

/* drained (may be NULL) is told, deferred, when all that waited is written or
 * the descriptor has failed. */
struct ik_output *ik_output_new(struct ik_loop *loop, int fd, void (*drained)(void *), void *arg);
struct ik_output *ik_output_close(struct ik_output *output);

/* Queue bytes; where fd is a terminal they are sanitised. */
void ik_output_write(struct ik_output *output, const char *bytes, size_t length);

bool ik_output_is_empty(const struct ik_output *output);
/* 0, or the errno with which writing failed; what comes after is dropped. */
int ik_output_error(const struct ik_output *output);

#endif
