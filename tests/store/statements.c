/*
 * statements.so: loaded with LD_PRELOAD into a store program, it writes down each statement that
 * the program has its database prepare, for tests/store/programs.py. Needs the GNU C library.
 *
 *     IK_TEST_STATEMENTS  a file: each statement is appended to it, with a NUL, and the types of its
 *                         parameters, numbers of PostgreSQL with blanks between, with one more
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the libraries that have them; their types are of no use here. */
int sqlite3_prepare_v3(void *db, const char *text, int length, unsigned flags, void **ret_statement,
	const char **ret_rest);
int PQsendPrepare(void *connection, const char *name, const char *text, int count, const unsigned *types);

static void write_down(const char *text, int count, const unsigned *types)
{
	const char *path = getenv("IK_TEST_STATEMENTS");
	FILE *file = path ? fopen(path, "ae") : NULL;

	if (!file)
		abort();
	(void)fwrite(text, 1, strlen(text) + 1, file);
	for (int i = 0; i < count; i++)
		(void)fprintf(file, "%u ", types[i]);
	(void)fputc('\0', file);
	(void)fclose(file);
}

int sqlite3_prepare_v3(void *db, const char *text, int length, unsigned flags, void **ret_statement,
	const char **ret_rest)
{
	int (*next)(void *, const char *, int, unsigned, void **, const char **);

	*(void **)&next = dlsym(RTLD_NEXT, "sqlite3_prepare_v3");
	write_down(text, 0, NULL);
	return next(db, text, length, flags, ret_statement, ret_rest);
}

int PQsendPrepare(void *connection, const char *name, const char *text, int count, const unsigned *types)
{
	int (*next)(void *, const char *, const char *, int, const unsigned *);

	*(void **)&next = dlsym(RTLD_NEXT, "PQsendPrepare");
	write_down(text, count, types);
	return next(connection, name, text, count, types);
}
