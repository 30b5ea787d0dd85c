#include "util/alloc.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*memory_hook)(void);
static void *reserve;
static bool failing;

void ik_alloc_fail(void)
{
	static const char message[] = "out of memory\n";
	void (*hook)(void) = memory_hook;

	failing = true;
	memory_hook = NULL; /* only once, because the hook may need more than the reserve */
	free(reserve);
	reserve = NULL;
	if (hook)
		hook();
	else if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(1);
	_exit(1);
}

void *ik_alloc(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		ik_alloc_fail();
	return memory;
}

void *ik_alloc_array(void *old, size_t count, size_t size)
{
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(count, size, &bytes))
		ik_alloc_fail();
	memory = realloc(old, bytes ? bytes : 1);
	if (!memory)
		ik_alloc_fail();
	return memory;
}

void *ik_alloc_more(void *old, size_t count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return old;
	return ik_alloc_array(old, count > 0 ? 2 * count : 1, size);
}

char *ik_strdup(const char *text)
{
	return ik_strndup(text, strlen(text));
}

char *ik_strndup(const char *bytes, size_t length)
{
	char *copy;

	if (length == SIZE_MAX)
		ik_alloc_fail();
	copy = malloc(length + 1);
	if (!copy)
		ik_alloc_fail();
	if (length)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

char *ik_vformat(const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		ik_alloc_fail();
	return text;
}

char *ik_format(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = ik_vformat(format, arguments);
	va_end(arguments);
	return text;
}

void ik_alloc_set_hook(void (*hook)(void))
{
	/* Large enough for its own mapping, so that free() returns it to the system. */
	if (hook && !reserve && !failing)
		reserve = malloc(IK_ALLOC_RESERVE);
	memory_hook = hook;
}
