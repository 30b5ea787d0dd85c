/*
 * bench_commands: compare commands, which take turns in one run.
 *
 *     bench_commands RUNS NAME INPUT COMMAND... [-- NAME INPUT COMMAND...]...
 *     bench_commands escape FILE
 *
 * Each gets the file INPUT as stdin ("A,B": A and B in turns); its output is read
 * and dropped.  Prints medians, peak memory, and the ratio of the first command's
 * time to that of each other, which is the median of the ratios of the turns.  The
 * second form is a simple cat with JSON escapes: the peer of file-read.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "util/path.h"

#define MOST_RUNS 1000
#define MOST_COMMANDS 8

extern char **environ;

struct command {
	const char *name;
	const char *input;
	char **argv;
	double wall[MOST_RUNS], cpu[MOST_RUNS];
	long memory; /* kB */
};

static struct command commands[MOST_COMMANDS];

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "bench_commands: %s: %s (%s)\n", name, what, strerror(errno));
	exit(1);
}

/* Open the input of a turn. */
static int open_input(const struct command *command, size_t turn)
{
	const char *comma = strchr(command->input, ',');
	char path[4096];

	(void)snprintf(path, sizeof path, "%s", command->input);
	if (comma != NULL && turn % 2 == 0)
		path[comma - command->input] = '\0';
	int fd = open(comma != NULL && turn % 2 == 1 ? comma + 1 : path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail("no input", path);
	return fd;
}

/* Run a command once; run is where its figures go, or beyond the last for none. */
static void run_once(struct command *command, size_t turn, size_t run)
{
	static char bytes[1 << 18];
	posix_spawn_file_actions_t actions;
	int input = open_input(command, turn), pipes[2], status;
	struct rusage usage;
	double start;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) != 0)
		fail("no pipe", command->name);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, input, 0);
	(void)posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
	start = now_ms();
	if (posix_spawnp(&pid, command->argv[0], &actions, NULL, command->argv, environ) != 0)
		fail("cannot be started", command->name);
	(void)close(pipes[1]);
	while (read(pipes[0], bytes, sizeof bytes) > 0)
		;
	if (wait4(pid, &status, 0, &usage) != pid || status != 0)
		fail("has failed", command->name);
	if (run < MOST_RUNS) {
		command->wall[run] = now_ms() - start;
		command->cpu[run] = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3
			+ (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
	}
	if (usage.ru_maxrss > command->memory)
		command->memory = usage.ru_maxrss;
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(pipes[0]);
	(void)close(input);
}

/* Take the commands apart at each "--"; their number. */
static size_t take_commands(int argc, char **argv)
{
	size_t count = 0;

	for (int i = 0; i < argc; i++) {
		if (i + 2 >= argc || count == MOST_COMMANDS)
			return 0;
		commands[count] = (struct command){.name = argv[i], .input = argv[i + 1], .argv = argv + i + 2};
		count++;
		for (i += 2; i < argc && strcmp(argv[i], "--") != 0; i++)
			;
		argv[i] = NULL;
	}
	return count;
}

static void print_all(size_t count, size_t runs)
{
	double ratio[MOST_RUNS];
	char name[100];

	/* Before print_figure() sorts them: the ratios are of the same turn. */
	for (size_t i = 1; i < count; i++) {
		for (size_t run = 0; run < runs; run++)
			ratio[run] = commands[0].wall[run] / commands[i].wall[run];
		(void)snprintf(name, sizeof name, "%s to %s", commands[0].name, commands[i].name);
		print_figure(name, "x", ratio, runs);
	}
	for (size_t i = 0; i < count; i++) {
		print_figure(commands[i].name, "ms", commands[i].wall, runs);
		(void)snprintf(name, sizeof name, "  its CPU (most memory %ld kB)", commands[i].memory);
		print_figure(name, "ms", commands[i].cpu, runs);
	}
}

/* Write the file with JSON's escapes, byte by byte. */
static int escape_file(const char *path)
{
	static const char letters[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";
	static unsigned char from[1 << 17];
	static char to[6 << 17];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count;

	while ((count = read(fd, from, sizeof from)) > 0) {
		size_t length = 0;

		for (ssize_t i = 0; i < count; i++) {
			char letter = from[i] < 0x20 ? letters[from[i]] : (char)from[i];

			if (from[i] < 0x20 || letter == '"' || letter == '\\')
				to[length++] = '\\';
			if (from[i] < 0x20 && letter == 'u')
				length += (size_t)snprintf(to + length, 6, "u%04x", from[i]);
			else
				to[length++] = letter;
		}
		if (ik_write_all(1, to, length) != 0)
			return 1;
	}
	return count < 0;
}

int main(int argc, char **argv)
{
	size_t runs = argc > 4 ? strtoul(argv[1], NULL, 10) : 0;
	size_t count;

	if (argc == 3 && strcmp(argv[1], "escape") == 0)
		return escape_file(argv[2]);
	count = runs > 0 && runs <= MOST_RUNS ? take_commands(argc - 2, argv + 2) : 0;
	if (count == 0) {
		fprintf(stderr, "usage: bench_commands RUNS NAME INPUT COMMAND... [-- NAME INPUT COMMAND...]...\n");
		return 2;
	}
	/* Two turns to warm up, and so that the inputs stay in step. */
	for (size_t turn = 0; turn < runs + 2; turn++)
		for (size_t i = 0; i < count; i++)
			run_once(&commands[i], turn, turn >= 2 ? turn - 2 : MOST_RUNS);
	print_all(count, runs);
	return 0;
}
