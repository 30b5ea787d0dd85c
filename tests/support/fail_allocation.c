/*
 * fail_allocation: a library to preload, in which allocation number
 * IK_FAIL_ALLOCATION fails and all others work.
 */
#include <errno.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

/* Must this allocation fail? */
static int fails(void)
{
	static long left = -1;
	const char *number;

	if (left < 0) {
		number = getenv("IK_FAIL_ALLOCATION");
		left = number != NULL ? strtol(number, NULL, 10) : 0;
	}
	if (left == 0 || --left > 0)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}
