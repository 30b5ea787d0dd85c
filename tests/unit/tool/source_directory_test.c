#include "tool/source.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "support.h"
#include "util/alloc.h"
#include "util/path.h"

#include "../../support/needs.h"

/* On a busy machine even a good tool may take a while. */
enum { PATIENT_MS = 10000 };
/* Processes that keep the machine busy. */
enum { BUSY = 8 };

#define SCHEMA(name) \
	"#!/bin/sh\necho '{\"name\":\"" name "\",\"description\":\"A tool\"}'\n"

static void good_tool(const char *directory, const char *name)
{
	free(support_write_tool(directory, name, SCHEMA("good")));
}

Test(source_directory, finds_the_good_ones)
{
	struct ik_loop *loop = support_loop_new();
	const char *const directories[] = { FIXTURES "/good", NULL };
	struct ik_registry *registry =
		support_scan(loop, IK_SOURCE_SYSTEM, PATIENT_MS, directories);
	const struct ik_tool *tool;

	cr_assert_eq(ik_registry_state(registry), IK_SCAN_COMPLETE);
	cr_assert_eq(ik_registry_count(registry), 2);
	cr_assert_eq(ik_registry_ok_count(registry), 2);
	tool = ik_registry_find(registry, "weather");
	cr_assert_not_null(tool);
	cr_assert_str_eq(tool->path, FIXTURES "/good/weather");
	cr_assert_str_eq(tool->description, "Tell the weather of a city");
	cr_assert_eq(tool->source, IK_SOURCE_SYSTEM);
	tool = ik_registry_find(registry, "echo");
	cr_assert(tool->read_only);
	cr_assert_eq(tool->timeout_s, 20);
	registry = ik_registry_unref(registry);
	loop = support_loop_free(loop);
}

Test(source_directory, names_every_failure)
{
	static const struct {
		const char *file, *code, *words;
	} rows[] = {
		{ "silent", "SCHEMA_TIMEOUT", "did not answer --schema within 1000 ms" },
		{ "ignores-term", "SCHEMA_TIMEOUT", "1000 ms" },
		{ "closes-stdout", "SCHEMA_TIMEOUT", "1000 ms" },
		{ "huge-schema", "SCHEMA_TOO_LARGE", "262144" },
		{ "binary-garbage", "INVALID_JSON", "line 1" },
		{ "invalid-utf8", "INVALID_JSON", "line 1" },
		{ "prints-nothing", "INVALID_JSON", "nothing" },
		{ "two-values", "INVALID_JSON", "line 2" },
		{ "crashes", "SCHEMA_EXIT", "signal 11" },
		{ "exit3", "SCHEMA_EXIT",
			"exited with status 3 when asked for --schema and for description: "
			"exit3: no configuration found" },
		{ "bad-shebang", "SPAWN_FAILED", "" },
		{ "no-format", "SPAWN_FAILED", "" },
		{ "no-object", "INVALID_SCHEMA", "array" },
		{ "no-name", "INVALID_SCHEMA", "\"name\"" },
		{ "wrong-name", "INVALID_NAME", "wrong name!" },
		{ "no-description", "INVALID_SCHEMA", "\"description\"" },
		{ "empty-description", "INVALID_SCHEMA", "empty" },
		{ "wrong-types", "INVALID_SCHEMA", "\"parameters\"" },
		{ "wrong-timeout", "INVALID_SCHEMA", "\"timeout_s\"" },
	};
	struct ik_loop *loop = support_loop_new();
	const char *const directories[] = { FIXTURES "/good", FIXTURES "/bad", NULL };
	int files = support_open_files();
	struct ik_registry *registry = support_scan(loop, IK_SOURCE_SYSTEM, 1000, directories);

	need_vfork(); /* for SPAWN_FAILED */
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct ik_tool *tool = support_entry(registry, rows[i].file);

		cr_assert_eq(tool->state, IK_TOOL_FAILED, "%s", rows[i].file);
		cr_assert_str_eq(tool->code, rows[i].code, "%s: %s", rows[i].file, tool->reason);
		cr_assert_not_null(strstr(tool->reason, rows[i].words), "%s: %s", rows[i].file,
			tool->reason);
		cr_assert_str_eq(tool->name, rows[i].file, "one that failed goes by its file");
	}
	cr_assert_eq(ik_registry_count(registry), sizeof rows / sizeof *rows + 2);
	cr_assert_eq(ik_registry_ok_count(registry), 2, "one bad tool harms no other");
	cr_assert_eq(support_open_files(), files);
	cr_assert_eq(support_children(), 0);
	registry = ik_registry_unref(registry);
	loop = support_loop_free(loop);
}

Test(source_directory, passes_over_what_is_no_candidate)
{
	struct ik_loop *loop = support_loop_new();
	char *directory = support_mkdir();
	const char *const directories[] = { directory, NULL };
	struct ik_registry *registry;
	char *path;

	good_tool(directory, ".hidden");
	good_tool(directory, "backup~");
	good_tool(directory, "good.dpkg-tmp"); /* these three: while a package is upgraded, or after it */
	good_tool(directory, "good.rpmsave");
	good_tool(directory, "good;5f3c0a1b");
	good_tool(directory, "good");
	path = support_write_tool(directory, "not-executable", SCHEMA("no"));
	chmod(path, 0644);
	free(path);
	path = ik_path_join(directory, "directory");
	mkdir(path, 0755);
	free(path);
	path = ik_path_join(directory, "link");
	cr_assert_eq(symlink("good", path), 0);
	free(path);
	path = ik_path_join(directory, "dangling");
	cr_assert_eq(symlink("nowhere", path), 0);
	free(path);
	registry = support_scan(loop, IK_SOURCE_USER, PATIENT_MS, directories);
	cr_assert_eq(ik_registry_count(registry), 2);
	/* If two files in a directory have one name, the later path wins. */
	cr_assert_eq(support_entry(registry, "good")->state, IK_TOOL_SHADOWED);
	cr_assert_eq(support_entry(registry, "link")->state, IK_TOOL_OK);
	registry = ik_registry_unref(registry);
	support_rmdir(directory);
	loop = support_loop_free(loop);
}

Test(source_directory, tells_missing_from_unreadable)
{
	struct ik_loop *loop = support_loop_new();
	const char *const missing[] = { "/nonexistent/tools", NULL };
	const char *const file[] = { FIXTURES "/good/echo", NULL };
	const char *const mixed[] = { FIXTURES "/good/echo", FIXTURES "/good", NULL };
	struct ik_registry *registry =
		support_scan(loop, IK_SOURCE_USER, PATIENT_MS, missing);

	cr_assert_eq(ik_registry_state(registry), IK_SCAN_COMPLETE);
	cr_assert_eq(ik_registry_problem_count(registry), 0);
	cr_assert_eq(ik_registry_count(registry), 0);
	registry = ik_registry_unref(registry);
	registry = support_scan(loop, IK_SOURCE_USER, PATIENT_MS, file);
	cr_assert_eq(ik_registry_state(registry), IK_SCAN_FAILED);
	cr_assert_eq(ik_registry_problem_count(registry), 1);
	cr_assert_not_null(strstr(ik_registry_problem(registry, 0), FIXTURES "/good/echo"));
	registry = ik_registry_unref(registry);
	registry = support_scan(loop, IK_SOURCE_SYSTEM, PATIENT_MS, mixed);
	cr_assert_eq(ik_registry_state(registry), IK_SCAN_COMPLETE);
	cr_assert_eq(ik_registry_problem_count(registry), 1);
	cr_assert_eq(ik_registry_ok_count(registry), 2);
	registry = ik_registry_unref(registry);
	loop = support_loop_free(loop);
}

/* Expect that a tool is refused because its file or directory has that mode, with the command that
 * fixes it. */
static void unsafe(struct ik_loop *loop, const char *directory, const char *changed, mode_t mode,
	mode_t restored, const char *remedy)
{
	const char *const directories[] = { directory, NULL };
	struct ik_registry *registry;
	const struct ik_tool *tool;

	cr_assert_eq(chmod(changed, mode), 0);
	registry = support_scan(loop, IK_SOURCE_USER, PATIENT_MS, directories);
	tool = support_entry(registry, "good");
	cr_assert_eq(tool->state, IK_TOOL_FAILED);
	cr_assert_str_eq(tool->code, "UNSAFE_PERMISSIONS");
	cr_assert_not_null(strstr(tool->reason, remedy), "%s", tool->reason);
	registry = ik_registry_unref(registry);
	/* In the system's directory, permissions are the system's business. */
	registry = support_scan(loop, IK_SOURCE_SYSTEM, PATIENT_MS, directories);
	cr_assert_eq(support_entry(registry, "good")->state, IK_TOOL_OK);
	registry = ik_registry_unref(registry);
	cr_assert_eq(chmod(changed, restored), 0);
}

Test(source_directory, runs_nothing_that_others_can_change)
{
	struct ik_loop *loop = support_loop_new();
	char *directory = support_mkdir();
	const char *const directories[] = { directory, NULL };
	char *path = support_write_tool(directory, "good", SCHEMA("good"));
	char *file_remedy = ik_format("chmod o-w %s", path);
	char *directory_remedy = ik_format("chmod o-w %s", directory);
	struct ik_registry *registry;

	unsafe(loop, directory, path, 0757, 0755, file_remedy);
	unsafe(loop, directory, directory, 0777, 0700, directory_remedy);
	/* The user's primary group may write. */
	cr_assert_eq(chmod(path, 0775), 0);
	registry = support_scan(loop, IK_SOURCE_USER, PATIENT_MS, directories);
	cr_assert_eq(support_entry(registry, "good")->state, IK_TOOL_OK);
	registry = ik_registry_unref(registry);
	if (is_root()) {
		cr_assert_eq(chown(path, (uid_t)-1, 12345), 0);
		cr_assert_eq(chmod(path, 0775), 0);
		unsafe(loop, directory, path, 0775, 0755, "chmod g-w");
		cr_assert_eq(chown(path, 12345, (gid_t)-1), 0);
		unsafe(loop, directory, path, 0755, 0755, "chown");
	}
	free(file_remedy);
	free(directory_remedy);
	free(path);
	support_rmdir(directory);
	loop = support_loop_free(loop);
}

Test(source_directory, looks_behind_links)
{
	struct ik_loop *loop = support_loop_new();
	char *directory = support_mkdir(), *open = support_mkdir();
	const char *const directories[] = { directory, NULL };
	char *target = support_write_tool(open, "target", SCHEMA("linked"));
	char *link = ik_path_join(directory, "link");
	struct ik_registry *registry;

	cr_assert_eq(symlink(target, link), 0);
	registry = support_scan(loop, IK_SOURCE_USER, PATIENT_MS, directories);
	cr_assert_eq(support_entry(registry, "link")->state, IK_TOOL_OK);
	registry = ik_registry_unref(registry);
	chmod(open, 0777);
	registry = support_scan(loop, IK_SOURCE_USER, PATIENT_MS, directories);
	cr_assert_str_eq(support_entry(registry, "link")->code, "UNSAFE_PERMISSIONS");
	registry = ik_registry_unref(registry);
	free(target);
	free(link);
	support_rmdir(directory);
	support_rmdir(open);
	loop = support_loop_free(loop);
}

/* Tools that hang do not delay the others, and each is ended. */
Test(source_directory, ends_what_hangs_and_nothing_else)
{
	struct ik_loop *loop = support_loop_new();
	char *directory = support_mkdir();
	const char *const directories[] = { directory, NULL };
	char *command = ik_format("cd %s && for i in $(seq 200); do ln -s hang hang_$i; done && "
		"for i in $(seq 20); do ln -s " IK_TEST_QUICK " tool_$i; done", directory);
	char *hang = support_write_tool(directory, "hang", "#!/bin/sh\nexec sleep 300\n");
	int files = support_open_files();
	struct ik_registry *registry;
	size_t hung = 0;

	cr_assert_eq(system(command), 0);
	registry = support_scan(loop, IK_SOURCE_USER, 1000, directories);
	for (size_t i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (strncmp(tool->name, "hang", 4) != 0)
			continue;
		cr_assert_str_eq(tool->code, "SCHEMA_TIMEOUT", "%s: %s", tool->name, tool->reason);
		hung++;
	}
	cr_assert_eq(hung, 201);
	cr_assert_eq(ik_registry_ok_count(registry), 20);
	cr_assert_eq(support_open_files(), files);
	cr_assert_eq(support_children(), 0);
	registry = ik_registry_unref(registry);
	free(command);
	free(hang);
	support_rmdir(directory);
	loop = support_loop_free(loop);
}

/* A busy machine makes no tool fail. */
Test(source_directory, is_patient_on_a_busy_machine)
{
	struct ik_loop *loop = support_loop_new();
	char *directory = support_mkdir();
	const char *const directories[] = { directory, NULL };
	char *command = ik_format(FIXTURES "/make-tools 200 %s", directory);
	struct ik_registry *registry;
	pid_t busy[BUSY];

	cr_assert_eq(system(command), 0);
	for (int i = 0; i < BUSY; i++) {
		busy[i] = fork();
		if (busy[i] == 0)
			for (volatile bool on = true; on;)
				;
	}
	/* Too short for most of them. */
	registry = support_scan(loop, IK_SOURCE_USER, 300, directories);
	for (int i = 0; i < BUSY; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
	cr_assert_eq(ik_registry_ok_count(registry), 200);
	registry = ik_registry_unref(registry);
	free(command);
	support_rmdir(directory);
	loop = support_loop_free(loop);
}

/* How long a scan kept the loop from other work. */
struct pulse {
	struct ik_loop *loop;
	struct ik_timer *timer;
	int64_t last_us;    /* of processor time */
	int64_t longest_us;
	size_t progress;
	size_t total;
	struct ik_registry *registry;
};

/* Return the processor time of this process, which does not pass while others run. */
static int64_t worked_us(void)
{
	struct timespec time;

	cr_assert_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time), 0);
	return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void beat(void *arg)
{
	struct pulse *pulse = arg;
	int64_t now = worked_us();

	if (now - pulse->last_us > pulse->longest_us)
		pulse->longest_us = now - pulse->last_us;
	pulse->last_us = now;
	ik_timer_start(pulse->timer, 1);
}

static void thousand_progress(void *arg, size_t done, size_t total)
{
	struct pulse *pulse = arg;

	cr_assert_geq(done, pulse->progress);
	pulse->progress = done;
	pulse->total = total;
}

static void thousand_finished(void *arg, struct ik_registry *registry)
{
	struct pulse *pulse = arg;

	pulse->registry = ik_registry_ref(registry);
	ik_loop_stop(pulse->loop);
}

Test(source_directory, scans_a_thousand_without_false_time_outs)
{
	struct ik_loop *loop = support_loop_new();
	char *directory = support_mkdir();
	char *command = ik_format(FIXTURES "/make-tools 1000 %s " IK_TEST_QUICK, directory);
	struct ik_discovery_events events = {
		.progress = thousand_progress, .finished = thousand_finished
	};
	struct pulse pulse = { .loop = loop };
	struct ik_discovery *discovery = ik_discovery_new(loop, &events, &pulse);
	struct ik_source_directory_options options = {
		.path = directory, .origin = IK_SOURCE_USER, .timeout_ms = 1000
	};
	int files = support_open_files();

	cr_assert_eq(system(command), 0);
	ik_discovery_add_source(discovery, ik_source_directory_new(loop, &options));
	pulse.timer = ik_timer_new(loop, beat, &pulse);
	pulse.last_us = worked_us();
	beat(&pulse);
	ik_discovery_scan(discovery, IK_CACHE_ALL);
	support_loop_run(loop);
	for (size_t i = 0; i < ik_registry_count(pulse.registry); i++) {
		const struct ik_tool *tool = ik_registry_at(pulse.registry, i);

		cr_assert_eq(tool->state, IK_TOOL_OK, "%s: %s", tool->name, tool->reason);
	}
	cr_assert_eq(ik_registry_ok_count(pulse.registry), 1000);
	cr_assert_eq(pulse.progress, 1000);
	cr_assert_eq(pulse.total, 1000);
	/* The target is 16 ms; sanitizers and cold caches may add to that. */
	cr_assert_lt(pulse.longest_us, 200000, "the loop had no turn during %lld us of work",
		(long long)pulse.longest_us);
	pulse.timer = ik_timer_close(pulse.timer);
	discovery = ik_discovery_close(discovery);
	pulse.registry = ik_registry_unref(pulse.registry);
	cr_assert_eq(support_open_files(), files);
	cr_assert_eq(support_children(), 0);
	free(command);
	support_rmdir(directory);
	loop = support_loop_free(loop);
}
