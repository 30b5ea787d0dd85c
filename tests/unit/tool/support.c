#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "../../support/scratch.h"
#include "loop/children.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

static void too_long(void *arg)
{
	cr_assert_fail("nothing happened for three minutes");
}

struct ik_loop *support_loop_new(void)
{
	struct ik_error error;
	struct ik_loop *loop = ik_loop_new(&error);

	cr_assert_not_null(loop, "%s", error.text);
	ik_children_become_reaper(loop);
	return loop;
}

struct ik_loop *support_loop_free(struct ik_loop *loop)
{
	ik_children_end(loop);
	return ik_loop_free(loop);
}

void support_loop_run(struct ik_loop *loop)
{
	struct ik_timer *watchdog = ik_timer_new(loop, too_long, NULL);
	struct ik_error error;

	ik_timer_start(watchdog, 180000);
	cr_assert_eq(ik_loop_run(loop, &error), IK_OK, "%s", error.text);
	watchdog = ik_timer_close(watchdog);
}

char *support_mkdir(void)
{
	return scratch_make(ik_strdup(SCRATCH_TEMPLATE));
}

void support_rmdir(char *directory)
{
	chmod(directory, 0700);
	scratch_remove(directory);
	free(directory);
}

char *support_write_tool(const char *directory, const char *name, const char *text)
{
	char *path = ik_path_join(directory, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	cr_assert_geq(fd, 0);
	cr_assert_eq(ik_write_all(fd, text, strlen(text)), 0);
	cr_assert_eq(fchmod(fd, 0755), 0);
	close(fd);
	return path;
}

struct scan {
	struct ik_loop *loop;
	struct ik_registry *registry;
};

static void scan_finished(void *arg, struct ik_registry *registry)
{
	struct scan *scan = arg;

	scan->registry = ik_registry_ref(registry);
	ik_loop_stop(scan->loop);
}

/* Scan directories, all with these options. */
static struct ik_registry *scan_directories(struct ik_loop *loop,
	struct ik_source_directory_options options, const char *const *directories)
{
	struct ik_discovery_events events = { .finished = scan_finished };
	struct scan scan = { loop, NULL };
	struct ik_discovery *discovery = ik_discovery_new(loop, &events, &scan);

	for (; *directories != NULL; directories++) {
		options.path = *directories;
		ik_discovery_add_source(discovery, ik_source_directory_new(loop, &options));
	}
	ik_discovery_scan(discovery, IK_CACHE_ALL);
	support_loop_run(loop);
	cr_assert_not_null(scan.registry);
	discovery = ik_discovery_close(discovery);
	return scan.registry;
}

struct ik_registry *support_scan(struct ik_loop *loop, enum ik_tool_source origin,
	int64_t timeout_ms, const char *const *directories)
{
	const struct ik_source_directory_options options = {
		.origin = origin, .timeout_ms = timeout_ms
	};

	return scan_directories(loop, options, directories);
}

struct ik_registry *support_scan_project(struct ik_loop *loop, struct ik_trust *trust,
	const char *directory)
{
	const char *const directories[] = { directory, NULL };
	const struct ik_source_directory_options options = {
		.origin = IK_SOURCE_PROJECT, .trust = trust, .timeout_ms = 10000
	};

	return scan_directories(loop, options, directories);
}

const struct ik_tool *support_entry(const struct ik_registry *registry, const char *file)
{
	for (size_t i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (strcmp(ik_path_base(tool->path), file) == 0)
			return tool;
	}
	cr_assert_fail("no entry for %s", file);
	return NULL;
}

struct ik_run_options support_options(struct ik_loop *loop)
{
	return (struct ik_run_options){
		.loop = loop, .timeout_ms = 30000, .output_limit = IK_LIMIT_MODEL_OUTPUT,
		.kodelet = { .timeout_ms = 30000, .output_limit = IK_LIMIT_MODEL_OUTPUT }
	};
}

struct call {
	struct ik_loop *loop;
	struct support_outcome outcome;
};

static void call_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct call *call = arg;

	call->outcome.live += length;
}

static void call_done(void *arg, const struct ik_run_result *result)
{
	struct call *call = arg;

	call->outcome.done++;
	call->outcome.envelope = ik_strndup(result->envelope, result->envelope_length);
	call->outcome.success = result->success;
	call->outcome.truncated = result->truncated;
	call->outcome.exit_code = result->exit_code;
	call->outcome.duration_ms = result->duration_ms;
	call->outcome.output_length = ik_bytes_length(result->whole[IK_STDOUT]);
	call->outcome.output = ik_strndup(call->outcome.output_length > 0
			? result->whole[IK_STDOUT]->data : "", call->outcome.output_length);
	call->outcome.errors_length = ik_bytes_length(result->whole[IK_STDERR]);
	call->outcome.errors = ik_strndup(call->outcome.errors_length > 0
			? result->whole[IK_STDERR]->data : "", call->outcome.errors_length);
	ik_loop_stop(call->loop);
}

struct support_outcome support_call(struct ik_loop *loop, struct ik_registry *registry,
	const char *name, const char *arguments, const struct ik_run_options *options)
{
	static const struct ik_run_events events = { .output = call_output, .done = call_done };
	struct ik_run_options usual = support_options(loop);
	struct call call = { .loop = loop };
	struct ik_run *run = ik_run_start(options != NULL ? options : &usual, registry, name,
		arguments, strlen(arguments), &events, &call);

	cr_assert_eq(call.outcome.done, 0, "done ran inside start");
	support_loop_run(loop);
	run = ik_run_close(run);
	cr_assert_eq(call.outcome.done, 1);
	return call.outcome;
}

void support_outcome_done(struct support_outcome *outcome)
{
	free(outcome->envelope);
	free(outcome->output);
	free(outcome->errors);
	memset(outcome, 0, sizeof *outcome);
}

int support_open_files(void)
{
	DIR *stream = opendir("/proc/self/fd");
	int count = 0;

	cr_assert_not_null(stream);
	while (readdir(stream) != NULL)
		count++;
	closedir(stream);
	return count;
}

int support_children(void)
{
	char path[64];
	FILE *file;
	int count = 0, pid;

	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	cr_assert_not_null(file);
	while (fscanf(file, "%d", &pid) == 1)
		count++;
	fclose(file);
	return count;
}
