/*
 * alloc: memory for small things whose size the program itself chose.
 *
 * These never return NULL: when memory is gone, a reserve is given back, the one
 * registered hook runs in it (it saves what was said and typed and restores the
 * terminal) and the process ends.
 * Whatever a tool, a model or a file sizes goes through ik_buf, which returns
 * an error instead.
 *
 * May include: libc.
 */
#ifndef IK_UTIL_ALLOC_H
#define IK_UTIL_ALLOC_H

#include <stddef.h>

/* size zeroed bytes. Release with free(). */
void *ik_alloc(size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1)));

/*
 * Grow (or make, from NULL) an array to count elements of size bytes each;
 * the new part is not initialised. Overflow counts as out of memory.
 */
void *ik_alloc_array(void *old, size_t count, size_t size) __attribute__((returns_nonnull));

/* A copy of text; of the first length bytes of it, NUL-terminated. */
char *ik_strdup(const char *text) __attribute__((malloc, returns_nonnull));
char *ik_strndup(const char *bytes, size_t length) __attribute__((malloc, returns_nonnull));

/* printf into new memory. */
char *ik_format(const char *format, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));

/* What these do when memory is gone; for callers that found it out otherwise. */
void ik_alloc_fail(void) __attribute__((noreturn));

/* Register what runs, once, before the process ends for want of memory. From the first hook on
 * IK_ALLOC_RESERVE bytes of address space are kept for that moment; they are never touched, so
 * that no memory stands behind them. The hook may register another one, for the case that
 * the reserve is used up, too. */
#define IK_ALLOC_RESERVE (8U << 20)
void ik_alloc_set_hook(void (*hook)(void));

#endif
