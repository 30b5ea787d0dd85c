/*
 * memory: what to do when memory runs out (the hook of util/alloc.h).
 *
 * It runs on reserved memory, in the middle of any allocation, right before the process ends.
 *
 * May include: all.
 */
#ifndef IK_CORE_MEMORY_H
#define IK_CORE_MEMORY_H

struct ik_core;

/* Report that memory ran out, and end child processes of tools; for programs with nothing to
 * save. */
void ik_memory_gone(void);

/* Like ik_memory_gone(), but first journal everything that the sessions of core have not yet
 * stored, including partial replies, and name the sessions. core may be NULL. restore, if not NULL,
 * restores the terminal before anything is printed. */
void ik_memory_gone_with(const struct ik_core *core, void (*restore)(void));

#endif
