/*
 * memory: what to do when memory runs out (the hook of util/alloc.h).
 *
 * It runs on the reserve, in the middle of whatever wanted memory, right before the process
 * ends.
 *
 * May include: all.
 */
#ifndef IK_CORE_MEMORY_H
#define IK_CORE_MEMORY_H

struct ik_core;

/* Say that memory ran out, and end what tools left running: for programs with nothing to save. */
void ik_memory_gone(void);

/* The same, but first journal what the sessions of a core (or NULL) have not yet, partial replies
 * included, and name them. restore (or NULL) restores the terminal before anything is printed. */
void ik_memory_gone_with(const struct ik_core *core, void (*restore)(void));

#endif
