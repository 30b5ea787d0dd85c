/*
 * memory: what is left to do when there is no more of it (the hook of util/alloc.h).
 *
 * All of it runs in the reserve, in the middle of whatever wanted memory, and the process
 * ends right behind it.
 *
 * May include: all.
 */
#ifndef IK_CORE_MEMORY_H
#define IK_CORE_MEMORY_H

struct ik_core;

/* A hook for those who keep nothing: say so, and end what tools have left running. */
void ik_memory_gone(void);

/* The same with what the sessions of a core (NULL: none) have not stored yet, replies that
 * have only begun among it: it is kept in a file (store/rescue.h), which is named. restore
 * (may be NULL) is called in between, when all is kept and nothing is said yet: it gives the
 * terminal back. */
void ik_memory_gone_with(struct ik_core *core, void (*restore)(void));

#endif
