/*
 * bench_tools: the cost of the tool layer on top of the bare processes.
 *
 *     bench_tools scan RUNS DIRECTORY   a scan of DIRECTORY beside a bare loop
 *                                       that spawns the same programs
 *     bench_tools warm RUNS DIRECTORY   a scan that finds all in the cache's file
 *     bench_tools hung RUNS DIRECTORY   a scan with the usual time-out: when it
 *                                       ends, how many tools were good, and what
 *                                       it takes merely to start the programs
 *     bench_tools call RUNS TOOL JSON   one call, spawn to envelope, beside the
 *                                       bare spawn of the same tool
 *     bench_tools large RUNS TOOL JSON  a call with a large answer: the most CPU
 *                                       time of a turn of the loop, the most memory
 *     bench_tools mcp RUNS SERVER       a call of a server of tests/fixtures/mcp, beside the bare
 *                                       pipe; and scans of ten such servers, of 50 tools each
 *                                       that are in the cache
 *     bench_tools undo RUNS DIRECTORY   calls in a work tree of git, each of which changes a
 *                                       file: how long it waits for /undo before it begins
 *
 * Both sides are measured by turns in one run; ratios and medians are printed.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loop/children.h"
#include "measure.h"
#include "tool/discovery.h"
#include "tool/mcp/source.h"
#include "undo/undo_journal.h"
#include "tool/run.h"
#include "util/alloc.h"
#include "util/path.h"

#define MOST_RUNS 1000
#define WIDTH 64 /* processes at once in the bare loop */

extern char **environ;

static void fail(const char *what)
{
	fprintf(stderr, "bench_tools: %s\n", what);
	exit(1);
}

struct bare {
	pid_t pid;
	int fd;
};

/* Spawn path with one argument (or none), its stdin from input, its stdout in a pipe. */
static struct bare bare_spawn(const char *path, const char *argument, int input)
{
	char *const argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t)argument, NULL};
	posix_spawn_file_actions_t actions;
	struct bare bare;
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC) != 0)
		fail("no pipe");
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, input, 0);
	(void)posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
	if (posix_spawn(&bare.pid, path, &actions, NULL, argv, environ) != 0)
		fail("cannot spawn");
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(pipes[1]);
	bare.fd = pipes[0];
	return bare;
}

/* Take output; true at its end, when the process has been waited for. */
static int bare_read(struct bare *bare)
{
	char bytes[65536];

	if (read(bare->fd, bytes, sizeof bytes) > 0)
		return 0;
	(void)close(bare->fd);
	(void)waitpid(bare->pid, NULL, 0);
	return 1;
}

/* All programs of a directory with --schema, WIDTH at once. */
static double bare_scan(char **paths, size_t count)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct bare running[WIDTH];
	struct pollfd waits[WIDTH];
	size_t next = 0, alive = 0, i;
	double start = now_ms();

	while (next < count || alive > 0) {
		while (next < count && alive < WIDTH)
			running[alive++] = bare_spawn(paths[next++], "--schema", nothing);
		for (i = 0; i < alive; i++)
			waits[i] = (struct pollfd){.fd = running[i].fd, .events = POLLIN};
		(void)poll(waits, alive, -1);
		for (i = alive; i-- > 0;)
			if (waits[i].revents != 0 && bare_read(&running[i]))
				running[i] = running[--alive];
	}
	(void)close(nothing);
	return now_ms() - start;
}

/* CPU time of this thread. */
static double thread_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

struct scan {
	struct ik_loop *loop;
	size_t ok;
};

static void on_finished(void *arg, struct ik_registry *registry)
{
	struct scan *scan = arg;

	scan->ok = ik_registry_ok_count(registry);
	ik_loop_stop(scan->loop);
}

/* The same by the tool layer; *ret_ok gets the number of good tools. cache names a file, or NULL. */
static double our_scan(struct ik_loop *loop, const char *directory, int64_t timeout_ms,
	const char *cache, size_t *ret_ok)
{
	static const struct ik_discovery_events events = {.finished = on_finished};
	struct ik_source_directory_options options = {
		.path = directory, .origin = IK_SOURCE_USER, .timeout_ms = timeout_ms,
		.environments = { (const char *const *)environ }, .working_directory = "/",
	};
	struct scan scan = {.loop = loop};
	struct ik_discovery *discovery;
	struct ik_error error;
	double start = now_ms(), end;

	discovery = ik_discovery_new(loop, &events, &scan);
	if (cache != NULL)
		ik_discovery_use_cache(discovery, ik_schema_cache_new(cache));
	options.cache = ik_discovery_cache(discovery);
	ik_discovery_add_source(discovery, ik_source_directory_new(loop, &options));
	ik_discovery_scan(discovery, IK_CACHE_ALL);
	if (ik_loop_run(loop, &error) != IK_OK)
		fail(error.text);
	end = now_ms();
	ik_discovery_close(discovery);
	*ret_ok = scan.ok;
	return end - start;
}

static char **list_directory(const char *directory, size_t *ret_count)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	char **paths = NULL;
	size_t count = 0;

	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		paths = ik_alloc_array(paths, count + 1, sizeof *paths);
		paths[count++] = ik_path_join(directory, entry->d_name);
	}
	if (stream != NULL)
		(void)closedir(stream);
	*ret_count = count;
	return paths;
}

/* CPU time of this process and of all children that were waited for. */
static double all_cpu_ms(void)
{
	struct rusage own, children;

	(void)getrusage(RUSAGE_SELF, &own);
	(void)getrusage(RUSAGE_CHILDREN, &children);
	return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + children.ru_utime.tv_sec
		+ children.ru_stime.tv_sec) * 1e3
		+ (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + children.ru_utime.tv_usec
		+ children.ru_stime.tv_usec) / 1e3;
}

static void bench_scan(struct ik_loop *loop, size_t runs, const char *directory)
{
	double ours[MOST_RUNS], bare[MOST_RUNS], ratio[MOST_RUNS], work[MOST_RUNS];
	size_t count, ok = 0, i;
	char **paths = list_directory(directory, &count);

	for (i = 0; i < runs; i++) {
		double begin = all_cpu_ms(), middle;

		bare[i] = bare_scan(paths, count);
		middle = all_cpu_ms();
		ours[i] = our_scan(loop, directory, 10000, NULL, &ok);
		ratio[i] = ours[i] / bare[i];
		work[i] = (all_cpu_ms() - middle) / (middle - begin);
	}
	printf("%zu programs, %zu good tools\n", count, ok);
	print_figure("scan", "ms", ours, runs);
	print_figure("bare spawn loop", "ms", bare, runs);
	print_figure("ratio", "x", ratio, runs);
	print_figure("ratio of CPU time, with the programs'", "x", work, runs);
	for (i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
}

/* Page faults of children that were waited for: grows with each of them. */
static long children_faults(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_CHILDREN, &usage);
	return usage.ru_minflt;
}

static void bench_warm(struct ik_loop *loop, size_t runs, const char *directory)
{
	char *cache = ik_format("%s.cache", directory);
	double ours[MOST_RUNS], busy[MOST_RUNS];
	size_t ok = 0, i;
	long faults;

	printf("first %.1f ms\n", our_scan(loop, directory, 10000, cache, &ok));
	faults = children_faults();
	for (i = 0; i < runs; i++) {
		double before = thread_ms();

		ours[i] = our_scan(loop, directory, 10000, cache, &ok);
		busy[i] = thread_ms() - before;
	}
	printf("%zu good tools, %s started\n", ok, children_faults() == faults ? "none" : "SOME");
	print_figure("scan from the cache", "ms", ours, runs);
	print_figure("CPU time of it", "ms", busy, runs);
	(void)unlink(cache);
	free(cache);
}

/* Start all programs with --schema in a row, and end them; how long the starts took. */
static double bare_starts(char **paths, size_t count)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct bare *running = ik_alloc_array(NULL, count, sizeof *running);
	double start = now_ms(), taken;
	size_t i;

	for (i = 0; i < count; i++)
		running[i] = bare_spawn(paths[i], "--schema", nothing);
	taken = now_ms() - start;
	for (i = 0; i < count; i++)
		(void)kill(running[i].pid, SIGKILL);
	for (i = 0; i < count; i++)
		while (!bare_read(&running[i]))
			;
	free(running);
	(void)close(nothing);
	return taken;
}

static void bench_hung(struct ik_loop *loop, size_t runs, const char *directory)
{
	double ours[MOST_RUNS], bare[MOST_RUNS];
	size_t count, ok = 0, i;
	char **paths = list_directory(directory, &count);

	for (i = 0; i < runs; i++) {
		bare[i] = bare_starts(paths, count);
		ours[i] = our_scan(loop, directory, 1000, NULL, &ok);
		printf("%zu programs, %zu good tools\n", count, ok);
	}
	print_figure("scan with a time-out of 1000 ms", "ms", ours, runs);
	print_figure("their bare starts in a row", "ms", bare, runs);
	for (i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	(void)arg;
	(void)stream;
	(void)bytes;
	(void)length;
}

static void on_done(void *arg, const struct ik_run_result *result)
{
	if (!result->success)
		fail(result->envelope);
	ik_loop_stop(arg);
}

static struct ik_registry *kept;

static void keep_registry(void *arg, struct ik_registry *registry)
{
	kept = ik_registry_ref(registry);
	ik_loop_stop(arg);
}

/* One call by hand: spawn, write the arguments, read to the end. */
static double bare_call(const char *path, const char *arguments)
{
	double start = now_ms();
	struct bare bare;
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC) != 0)
		fail("no pipe");
	bare = bare_spawn(path, NULL, pipes[0]);
	(void)close(pipes[0]);
	if (ik_write_all(pipes[1], arguments, strlen(arguments)) != 0)
		fail("cannot write");
	(void)close(pipes[1]);
	while (!bare_read(&bare))
		;
	return now_ms() - start;
}

/* Turns of the loop, each as long as it kept the processor. */
struct turns {
	double last, longest;
};

static void on_turn(void *arg)
{
	struct turns *turns = arg;
	double now = thread_ms();

	if (now - turns->last > turns->longest)
		turns->longest = now - turns->last;
	turns->last = now;
}

/* The most memory that was resident, in MB; begin: forget what was before. */
static double peak_mb(int begin)
{
	char line[128];
	long kb = 0;
	FILE *file = fopen(begin ? "/proc/self/clear_refs" : "/proc/self/status", begin ? "we" : "re");

	if (file == NULL)
		fail("no /proc");
	if (begin)
		(void)fputs("5", file);
	while (!begin && fgets(line, sizeof line, file) != NULL)
		(void)sscanf(line, "VmHWM: %ld", &kb);
	(void)fclose(file);
	return (double)kb / 1024;
}

struct large {
	struct ik_loop *loop;
	size_t length;
};

static void on_large_done(void *arg, const struct ik_run_result *result)
{
	struct large *large = arg;

	if (!result->success)
		fail(result->envelope);
	large->length = ik_bytes_length(result->whole[IK_STDOUT]);
	ik_loop_stop(large->loop);
}

static void stop_loop(void *arg)
{
	ik_loop_stop(arg);
}

static void bench_large(const struct ik_run_options *options, const struct ik_tool *tool,
	size_t runs, const char *arguments)
{
	static const struct ik_run_events events = { .output = on_output, .done = on_large_done };
	double longest[MOST_RUNS], peak[MOST_RUNS], wall[MOST_RUNS];
	struct large large = {.loop = options->loop};
	struct ik_error error;
	double before = 0;

	for (size_t i = 0; i < runs; i++) {
		struct turns turns = {.last = thread_ms()};
		double start = now_ms();
		struct ik_run *run;

		(void)peak_mb(1);
		if (i == 0)
			before = peak_mb(0);
		run = ik_run_start(options, kept, tool->name, arguments, strlen(arguments), &events, &large);
		ik_loop_before_sleep(options->loop, on_turn, &turns);
		if (ik_loop_run(options->loop, &error) != IK_OK)
			fail(error.text);
		ik_loop_before_sleep(options->loop, NULL, NULL);
		wall[i] = now_ms() - start;
		longest[i] = turns.longest;
		peak[i] = (peak_mb(0) - before) * 1024 * 1024 / (double)large.length;
		ik_run_close(run);
		/* Its memory goes between turns. */
		ik_loop_defer(options->loop, stop_loop, options->loop);
		if (ik_loop_run(options->loop, &error) != IK_OK)
			fail(error.text);
	}
	printf("%zu bytes\n", large.length);
	print_figure("longest turn (CPU)", "ms", longest, runs);
	print_figure("peak memory / answer", "x", peak, runs);
	print_figure("call", "ms", wall, runs);
}

static void bench_call(struct ik_loop *loop, size_t runs, const char *path, const char *arguments,
	int is_large)
{
	static const struct ik_discovery_events scan_events = {.finished = keep_registry};
	static const struct ik_run_events events = { .output = on_output, .done = on_done };
	double ours[MOST_RUNS], bare[MOST_RUNS], over[MOST_RUNS];
	char *directory = ik_strndup(path, (size_t)(ik_path_base(path) - path));
	struct ik_source_directory_options source = {
		.path = directory, .origin = IK_SOURCE_SYSTEM, .timeout_ms = 10000,
		.environments = { (const char *const *)environ }, .working_directory = "/",
	};
	struct ik_run_options options = {
		.loop = loop, .timeout_ms = 30000, .output_limit = 1 << 20,
		.environment = (const char *const *)environ, .directory = "/",
	};
	struct ik_discovery *discovery = ik_discovery_new(loop, &scan_events, loop);
	const struct ik_tool *tool = NULL;
	struct ik_error error;
	size_t i;

	ik_discovery_add_source(discovery, ik_source_directory_new(loop, &source));
	ik_discovery_scan(discovery, IK_CACHE_ALL);
	if (ik_loop_run(loop, &error) != IK_OK)
		fail(error.text);
	for (i = 0; i < ik_registry_count(kept); i++)
		if (strcmp(ik_registry_at(kept, i)->path, path) == 0)
			tool = ik_registry_at(kept, i);
	if (tool == NULL)
		fail("there is no such tool");
	if (is_large) {
		bench_large(&options, tool, runs, arguments);
		runs = 0;
	}
	for (i = 0; i < runs; i++) {
		struct ik_run *run;
		double start;

		bare[i] = bare_call(path, arguments);
		start = now_ms();
		run = ik_run_start(&options, kept, tool->name, arguments, strlen(arguments), &events, loop);
		if (ik_loop_run(loop, &error) != IK_OK)
			fail(error.text);
		ours[i] = now_ms() - start;
		over[i] = ours[i] - bare[i];
		ik_run_close(run);
	}
	if (runs > 0) {
		print_figure("call", "ms", ours, runs);
		print_figure("bare spawn", "ms", bare, runs);
		print_figure("call over bare spawn", "ms", over, runs);
	}
	ik_discovery_close(discovery);
	ik_registry_unref(kept);
	free(directory);
}

/* What /undo has, and the call that is under way. */
struct undo {
	struct ik_loop *loop;
	struct ik_worktree *tree;
	char *directory;
	size_t found;
	enum ik_worktree_problem problem;
};

static void on_ready(void *arg, enum ik_worktree_problem problem)
{
	struct undo *undo = arg;

	undo->problem = problem;
	ik_loop_stop(undo->loop);
}

static void on_found(void *arg, const struct ik_worktree_result *result)
{
	struct undo *undo = arg;

	if (result->problem != IK_WORKTREE_FINE || result->count == 0)
		fail("it is not known what a call changed");
	undo->found++;
	ik_loop_stop(undo->loop);
}

/* What a call waits for before it begins: as agent/session/undo_recorder.c does it. */
static double undo_begin(struct undo *undo, int64_t since_ms, struct ik_worktree_call **ret_call)
{
	char id[IK_UUID_TEXT];
	const struct ik_undo_call_line line = {
		.id = id, .turn = id, .title = "a title", .call_id = "c1",
		.words = "bash(...)", .compared = true,
	};
	double start = now_ms();
	struct ik_error error;

	if (!ik_worktree_call_new(undo->tree, undo->directory, since_ms, on_ready, undo, ret_call,
		    &undo->problem) && ik_loop_run(undo->loop, &error) != IK_OK)
		fail(error.text);
	ik_uuid_new(id);
	if (ik_undo_note_call(undo->directory, &line, &error) != IK_OK)
		fail(error.text);
	return now_ms() - start;
}

/* A turn begins, and some time later its first call; returns since when files are known. */
static int64_t undo_turn(struct undo *undo)
{
	int64_t since_ms = ik_worktree_snapshot(undo->tree);
	double start = now_ms(), longest = 0;
	struct ik_worktree_call *call;
	size_t early = 0;

	do {
		double took = undo_begin(undo, since_ms, &call);

		if (took > longest)
			longest = took;
		early++;
		ik_worktree_call_close(call);
	} while (undo->problem == IK_WORKTREE_PREPARING);
	if (undo->problem != IK_WORKTREE_FINE)
		fail(ik_worktree_problem_word(undo->problem));
	printf("read in %.0f ms; of %zu calls meanwhile none waited longer than %.1f ms\n",
		now_ms() - start, early, longest);
	return since_ms;
}

/* Calls, each as soon as the one before is over, or (known) when it is known what that did. */
static void undo_calls(struct undo *undo, size_t runs, const char *tree, int known)
{
	static struct ik_worktree_call *calls[MOST_RUNS];
	double waits[MOST_RUNS], took[MOST_RUNS];
	char *path = ik_path_join(tree, "changed.txt");
	int64_t since_ms = undo_turn(undo);
	struct ik_error error;

	undo->found = 0;
	for (size_t i = 0; i < runs; i++) {
		char text[32];
		int length = snprintf(text, sizeof text, "%d: call %zu\n", known, i);
		double start;

		waits[i] = undo_begin(undo, since_ms, &calls[i]);
		if (undo->problem != IK_WORKTREE_FINE)
			fail(ik_worktree_problem_word(undo->problem));
		if (ik_file_write_unsynced(path, text, (size_t)length, 0644, &error) != IK_OK)
			fail(error.text);
		start = now_ms();
		ik_worktree_call_end(calls[i], on_found, undo);
		while (known && undo->found <= i)
			if (ik_loop_run(undo->loop, &error) != IK_OK)
				fail(error.text);
		took[i] = now_ms() - start;
		if (known)
			calls[i] = ik_worktree_call_close(calls[i]);
	}
	while (undo->found < runs)
		if (ik_loop_run(undo->loop, &error) != IK_OK)
			fail(error.text);
	for (size_t i = 0; i < runs; i++)
		ik_worktree_call_close(calls[i]);
	print_figure(known ? "a call waits, one at a time" : "a call waits, one after the other", "ms",
		waits, runs);
	if (known)
		print_figure("meanwhile: until it is known what it did", "ms", took, runs);
	free(path);
}

static void bench_undo(struct ik_loop *loop, size_t runs, const char *directory)
{
	char *root = ik_format("%s.undo", directory), *shadows = ik_path_join(root, "trees");
	const char *const nothing[] = {NULL};
	struct undo undo = {.loop = loop};
	enum ik_worktree_problem problem;
	struct ik_error error;

	undo.directory = ik_undo_directory(root, "session", &error);
	if (undo.directory == NULL)
		fail(error.text);
	undo.tree = ik_worktree_new(&(struct ik_worktree_options){
		.loop = loop, .shadows = shadows, .kept_days = 30, .directory = directory, .spared = nothing,
		.search_path = getenv("PATH"), .home = getenv("HOME"),
	}, &problem);
	if (problem != IK_WORKTREE_FINE)
		fail(ik_worktree_problem_word(problem));
	undo_calls(&undo, runs, directory, 1);
	undo_calls(&undo, runs, directory, 0);
	ik_worktree_free(undo.tree);
	free(undo.directory);
	free(shadows);
	free(root);
}

struct bench_servers {
	const char *program, *count;
	size_t number;
};

static struct ik_mcp_entry *read_servers(void *arg, size_t *ret_count)
{
	const struct bench_servers *servers = arg;
	struct ik_mcp_entry *entries = ik_alloc(servers->number * sizeof(*entries));

	for (size_t i = 0; i < servers->number; i++) {
		char **args = ik_alloc(3 * sizeof(*args));

		args[0] = ik_strdup("legacy");
		args[1] = ik_strdup(servers->count);
		entries[i] = (struct ik_mcp_entry){
			.name = ik_format("s%zu", i),
			.file = ik_strdup("mcp.json"),
			.enabled = true,
			.command = ik_strdup(servers->program),
			.args = args,
		};
	}
	*ret_count = servers->number;
	return entries;
}

/* Scan; return how long it took. */
static double scan_servers(struct ik_discovery *discovery, struct ik_loop *loop)
{
	double start = now_ms();
	struct ik_error error;

	if (kept)
		ik_registry_unref(kept);
	ik_discovery_scan(discovery, IK_CACHE_ALL);
	if (ik_loop_run(loop, &error) != IK_OK)
		fail(error.text);
	return now_ms() - start;
}

static struct ik_discovery *discover_servers(struct ik_loop *loop, struct bench_servers *servers)
{
	static const struct ik_discovery_events events = {.finished = keep_registry};
	struct ik_discovery *discovery = ik_discovery_new(loop, &events, loop);
	struct ik_mcp_source_options options = {
		.start = { .environment = (const char *const *)environ, .directory = "/" },
		.timeout_ms = 10000,
		.reader = { .read = read_servers, .arg = servers },
	};

	ik_discovery_use_cache(discovery, ik_schema_cache_new(NULL));
	options.cache = ik_discovery_cache(discovery);
	ik_discovery_add_source(discovery, ik_mcp_source_new(loop, &options));
	(void)scan_servers(discovery, loop);
	return discovery;
}

static void bench_mcp(struct ik_loop *loop, size_t runs, const char *program)
{
	static const struct ik_run_events events = { .output = on_output, .done = on_done };
	static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
							   "\"params\":{\"name\":\"sum\",\"arguments\":{}}}\n";
	double ours[MOST_RUNS], bare[MOST_RUNS], over[MOST_RUNS], scan[MOST_RUNS];
	struct bench_servers servers = { program, "0", 1 };
	struct ik_run_options options = { .loop = loop, .timeout_ms = 30000, .output_limit = 1 << 20 };
	struct ik_discovery *discovery = discover_servers(loop, &servers);
	int in[2], out[2];
	char answer[4096];
	struct ik_error error;
	pid_t pid;

	if (pipe(in) != 0 || pipe(out) != 0 || (pid = fork()) < 0)
		fail("no pipe");
	if (pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execl(program, program, "legacy", "0", (char *)NULL);
		_exit(127);
	}
	for (size_t i = 0; i < runs; i++) {
		double start = now_ms();
		struct ik_run *run;

		if (write(in[1], line, sizeof(line) - 1) < 0 || read(out[0], answer, sizeof(answer)) <= 0)
			fail("the server is silent");
		bare[i] = now_ms() - start;
		start = now_ms();
		run = ik_run_start(&options, kept, "s0__sum", "{}", 2, &events, loop);
		if (ik_loop_run(loop, &error) != IK_OK)
			fail(error.text);
		ours[i] = now_ms() - start;
		over[i] = ours[i] - bare[i];
		ik_run_close(run);
	}
	close(in[1]);
	waitpid(pid, NULL, 0);
	print_figure("call", "ms", ours, runs);
	print_figure("bare pipe", "ms", bare, runs);
	print_figure("call over bare pipe", "ms", over, runs);
	ik_discovery_close(discovery);
	servers = (struct bench_servers){ program, "25", 10 };
	discovery = discover_servers(loop, &servers);
	for (size_t i = 0; i < 20; i++)
		scan[i] = scan_servers(discovery, loop);
	printf("%zu tools of ten servers\n", ik_registry_ok_count(kept));
	print_figure("scan", "ms", scan, 20);
	ik_discovery_close(discovery);
	kept = ik_registry_unref(kept);
}

int main(int argc, char **argv)
{
	size_t runs = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct ik_error error;
	struct ik_loop *loop;

	if (runs == 0 || runs > MOST_RUNS || argc < 4) {
		fprintf(stderr, "usage: bench_tools scan|warm|hung|undo|mcp RUNS PLACE | call|large RUNS TOOL JSON\n");
		return 2;
	}
	loop = ik_loop_new(&error);
	if (loop == NULL)
		fail(error.text);
	ik_children_become_reaper(loop);
	if (strcmp(argv[1], "scan") == 0)
		bench_scan(loop, runs, argv[3]);
	else if (strcmp(argv[1], "warm") == 0)
		bench_warm(loop, runs, argv[3]);
	else if (strcmp(argv[1], "hung") == 0)
		bench_hung(loop, runs, argv[3]);
	else if (strcmp(argv[1], "undo") == 0)
		bench_undo(loop, runs, argv[3]);
	else if (strcmp(argv[1], "mcp") == 0)
		bench_mcp(loop, runs, argv[3]);
	else if (argc > 4)
		bench_call(loop, runs, argv[3], argv[4], strcmp(argv[1], "large") == 0);
	ik_loop_free(loop);
	return 0;
}
