/*
 * output: standard output or standard error, written without blocking the loop.
 *
 * Text waits here until the descriptor accepts it. A pipe or terminal gets at most PIPE_BUF bytes at
 * a time when it is ready, because other processes share it and it can't be set to O_NONBLOCK. A
 * regular file is written at once. A terminal gets sanitised text only.
 *
 * Owns what waits, but not the descriptor. May include: util, loop.
 */
#ifndef IK_CLI_OUTPUT_H
#define IK_CLI_OUTPUT_H

#include "loop/loop.h"

#include <stddef.h>

struct ik_output;

/* Call drained, deferred, whenever everything is written or the descriptor has failed. */
struct ik_output *ik_output_new(struct ik_loop *loop, int fd, void (*drained)(void *), void *arg);
/* Drop what waits. Takes NULL. Returns NULL. */
struct ik_output *ik_output_close(struct ik_output *output);

/* Queue bytes; after a failure they are dropped. */
void ik_output_write(struct ik_output *output, const char *bytes, size_t length);
bool ik_output_is_empty(const struct ik_output *output);
/* Return errno of the failed write, or 0. */
int ik_output_error(const struct ik_output *output);

#endif
