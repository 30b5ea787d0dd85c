/*
 * replay_NAME: a fuzz target over the files of its corpus, one test each.
 *
 *     replay_NAME [FILE...]    without files: all of tests/fuzz/corpus/NAME
 *
 * Each in a process of its own, so that all that fail are named.  Prints TAP.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#include "util/buf.h"
#include "util/path.h"

#define INPUT_MAX ((size_t)1 << 30)
#define SECONDS_MAX 60

/* Read one file and run the target on it; the exit status. */
static int try_input(const char *path)
{
	struct ik_buf input;
	struct ik_error error;

	ik_buf_init(&input, INPUT_MAX);
	if (ik_file_read(path, &input, &error) != IK_OK) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	/* In memory of just its size: a sanitizer sees each byte too many. */
	uint8_t *data = malloc(input.length + (input.length == 0));
	if (data == NULL)
		return 1;
	if (input.length > 0)
		memcpy(data, input.data, input.length);
	(void)alarm(SECONDS_MAX);
	int status = LLVMFuzzerTestOneInput(data, input.length);
	free(data);
	ik_buf_done(&input);
	return status;
}

/* One test. */
static void replay(const char *path)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		exit(try_input(path));
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		printf("not ");
	printf("ok - %s\n", ik_path_base(path));
}

static int select_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void replay_directory(const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, select_visible, alphasort);

	if (count < 0)
		printf("not ok - %s cannot be read\n", directory);
	for (int i = 0; i < count; i++) {
		char *path = ik_path_join(directory, entries[i]->d_name);

		replay(path);
		free(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '_');
	const char *sources = getenv("IK_TOP_SRCDIR");
	char directory[4096];

	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	if (argc > 1)
		return 0;
	snprintf(directory, sizeof(directory), "%s/tests/fuzz/corpus/%s", sources != NULL ? sources : ".",
		name != NULL ? name + 1 : "");
	replay_directory(directory);
	return 0;
}
