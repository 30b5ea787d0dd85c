/*
 * alloc: memory for small things whose size the program itself chooses.
 *
 * These functions never return NULL. When memory runs out, they free a reserve, run the one
 * registered hook (which saves the conversation and the draft and restores the terminal) and end
 * the process. For sizes that a tool, a model or a file determines, use ik_buf, which returns an
 * error instead if the size is large.
 *
 * May include: libc.
 */
#ifndef IK_UTIL_ALLOC_H
#define IK_UTIL_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

/* Return size zeroed bytes. Release with free(). */
void *ik_alloc(size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1)));

/*
 * Grow an array (or make one, from NULL) to count elements of size bytes each; the new part is not
 * initialised. Overflow counts as out of memory.
 */
void *ik_alloc_array(void *old, size_t count, size_t size) __attribute__((returns_nonnull));

/*
 * Return an array of count elements with room for one more. The room doubles at each power of two,
 * so an array that grows only by this function needs no capacity of its own.
 */
void *ik_alloc_more(void *old, size_t count, size_t size);

/* Return a copy of text, or of its first length bytes; NUL-terminated. */
char *ik_strdup(const char *text) __attribute__((malloc, returns_nonnull));
char *ik_strndup(const char *bytes, size_t length) __attribute__((malloc, returns_nonnull));

/* Print like printf(3) into new memory. */
char *ik_format(const char *format, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
char *ik_vformat(const char *format, va_list arguments)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 0)));

/* End the program, as these functions do when memory runs out. */
void ik_alloc_fail(void) __attribute__((noreturn));

/* Register the hook that runs once before the process ends for lack of memory. From the first hook
 * on, IK_ALLOC_RESERVE bytes of address space are reserved for it; they are never touched, so they
 * use no memory. The hook may register another one, in case the reserve runs out too. */
#define IK_ALLOC_RESERVE (8U << 20)
void ik_alloc_set_hook(void (*hook)(void));

#endif
