#include "util/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*memory_hook)(void);

/* Run the hook, once, and end the process: nothing that follows could be trusted to work. */
static void __attribute__((noreturn)) out_of_memory(void)
{
	static const char message[] = "out of memory\n";
	void (*hook)(void) = memory_hook;

	memory_hook = NULL;
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
		out_of_memory();
	return memory;
}

void *ik_alloc_array(void *old, size_t count, size_t size)
{
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory();
	memory = realloc(old, bytes ? bytes : 1);
	if (!memory)
		out_of_memory();
	return memory;
}

char *ik_strdup(const char *text)
{
	return ik_strndup(text, strlen(text));
}

char *ik_strndup(const char *bytes, size_t length)
{
	char *copy;

	if (length == SIZE_MAX)
		out_of_memory();
	copy = malloc(length + 1);
	if (!copy)
		out_of_memory();
	if (length)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

char *ik_format(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		out_of_memory();
	return text;
}

void ik_alloc_set_hook(void (*hook)(void))
{
	memory_hook = hook;
}
