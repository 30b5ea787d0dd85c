/*
 * fuzz_glob: what glob finds for a pattern with "**" is what the plainest search finds.
 *
 * An input is a pattern, after "**" if it has none, tried on a small tree in the C locale and in
 * a UTF-8 one.
 */
#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/support/plain_glob.h"
#include "tests/support/scratch.h"

#include "util/utf8.h"

#include "tools/common/match.h"

/* The plain search's time grows fast with it. */
#define PATTERN_MAX 60

static char scratch[] = SCRATCH_TEMPLATE;
static struct plain_tree *tree;
static int inside, outside;

static void remove_tree(void)
{
	tree = plain_tree_free(tree);
	scratch_remove(scratch);
}

/* Make the tree, and keep what is needed to go there and back. */
static void make_tree(void)
{
	/* A slash at the end: a directory. */
	static const char *const names[] = { "a", "b.c", "B", "ab", "[", "[a]", "]", "*", "?", "\\",
		"a\\", "-", "!", ".a", ".b.c", "é", "ü", "\xff", "a\xc3", " ", "\n", "0", "a-b/", "a-b/c",
		"d/", "d/a", "d/.a", "d/é", "d/d/", "d/d/d/", "d/d/d/a", "d/d/b.c", "d.d/", "d.d/a",
		".d/", ".d/a", ".d/d/", ".d/d/a", "[d]/", "[d]/a", "*d/", "*d/\\", "èé/", "èé/é/", "èé/é/a" };

	scratch_make(scratch);
	inside = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	outside = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (inside < 0 || outside < 0)
		abort();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool directory = names[i][strlen(names[i]) - 1] == '/';

		if (directory ? mkdirat(inside, names[i], 0777) < 0 :
			close(openat(inside, names[i], O_WRONLY | O_CREAT, 0666)) < 0)
			abort();
	}
	if (fchdir(inside) < 0)
		abort();
	tree = plain_tree_new();
	(void)atexit(remove_tree);
}

static bool take_path(void *arg, const char *path, unsigned char type)
{
	(void)type;
	ik_buf_append(arg, path, strlen(path) + 1);
	return true;
}

static void compare_in(const char *locale, const char *pattern)
{
	struct ik_buf found, wanted;

	if (setlocale(LC_CTYPE, locale) == NULL)
		return;
	ik_buf_init(&found, SIZE_MAX / 2);
	ik_buf_init(&wanted, SIZE_MAX / 2);
	plain_glob(tree, pattern, &wanted);
	if (ik_match(NULL, pattern, IK_MATCH_PATTERN, take_path, &found) == IK_MATCH_DONE &&
		(found.length != wanted.length ||
			memcmp(found.data, wanted.data, found.length) != 0)) {
		fprintf(stderr, "%s: '%s' found %zu bytes, wanted %zu: '%s' '%s'\n", locale, pattern,
			found.length, wanted.length, found.data, wanted.data);
		abort();
	}
	ik_buf_done(&found);
	ik_buf_done(&wanted);
}

/* Can the pattern be judged? */
static bool is_comparable(const char *pattern)
{
	return plain_is_deep(pattern) && !plain_is_hopeless_glob(pattern) && !plain_is_overread(pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ik_buf pattern;

	if (size > PATTERN_MAX)
		return 0;
	if (tree == NULL)
		make_tree();
	/* As it comes out of JSON: characters, no NUL. */
	ik_buf_init(&pattern, SIZE_MAX / 2);
	ik_utf8_repair(&pattern, (const char *)data, size);
	if (!plain_is_deep(pattern.data))
		ik_buf_insert(&pattern, 0, "**/", 3);
	if (fchdir(inside) < 0)
		abort();
	if (pattern.length > 0 && strlen(pattern.data) == pattern.length && is_comparable(pattern.data)) {
		compare_in("C", pattern.data);
		compare_in("C.UTF-8", pattern.data);
	}
	if (fchdir(outside) < 0)
		abort();
	ik_buf_done(&pattern);
	return 0;
}
