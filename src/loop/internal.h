/*
 * internal: what the files of src/loop know of each other and nobody else does.
 *
 * May include: util, loop.
 */
#ifndef IK_LOOP_INTERNAL_H
#define IK_LOOP_INTERNAL_H

#include "loop/loop.h"

struct event_base;
struct ik_children;

/* A library has no memory left: end the program as ik_alloc() does. */
_Noreturn void ik_loop_no_memory(void);

struct event_base *ik_loop_base(struct ik_loop *loop);

/* The processes of this loop (process.h). */
struct ik_children *ik_loop_children(struct ik_loop *loop);

#endif
