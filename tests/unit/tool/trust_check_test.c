#include "guard/trust_check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "support.h"
#include "util/alloc.h"
#include "util/path.h"

/* A project whose tool leaves a mark whenever it is run. */
struct project {
	struct ik_loop *loop;
	char *directory, *tool, *mark, *kept;
	struct ik_trust *trust;
};

/* Replace the tool. */
static void write_tool(struct project *project, const char *comment)
{
	char *text = ik_format("#!/bin/sh\n# %s\n>'%s'\necho '{\"name\":\"x\",\"description\":\"X\"}'\n",
		comment, project->mark);

	free(support_write_tool(project->directory, "x", text));
	free(text);
}

static struct project begin(void)
{
	struct project project = { .loop = support_loop_new(), .directory = support_mkdir() };

	project.tool = ik_path_join(project.directory, "x");
	project.mark = ik_path_join(project.directory, ".mark");
	project.kept = ik_path_join(project.directory, ".trust.json");
	project.trust = ik_trust_new(project.kept, project.directory);
	write_tool(&project, "first");
	return project;
}

static void end(struct project *project)
{
	ik_trust_free(project->trust);
	project->loop = support_loop_free(project->loop);
	free(project->tool);
	free(project->mark);
	free(project->kept);
	support_rmdir(project->directory);
}

static void stop(void *arg)
{
	ik_loop_stop(arg);
}

/* Trust one file as the registry showed it; return the result. */
static enum ik_trust_state grant(struct project *project, const char *path,
	const struct ik_identity *shown)
{
	struct ik_trust_check *check = ik_trust_check_start(project->loop, project->trust, &path, shown, 1,
		stop, project->loop);
	enum ik_trust_state state;

	support_loop_run(project->loop);
	state = ik_trust_check_at(check, 0)->state;
	cr_assert_eq(ik_trust_check_error(check)->status, IK_OK, "%s", ik_trust_check_error(check)->text);
	check = ik_trust_check_close(check);
	return state;
}

/* Scan and return the tool's state; the mark shows whether it was run. */
static enum ik_tool_state scan(struct project *project, struct ik_registry **ret_registry, bool *ret_ran)
{
	unlink(project->mark);
	*ret_registry = support_scan_project(project->loop, project->trust, project->directory);
	*ret_ran = access(project->mark, F_OK) == 0;
	return support_entry(*ret_registry, "x")->state;
}

/* Trust the tool as it is now. */
static void trust_it(struct project *project)
{
	struct ik_registry *registry;
	bool ran;

	cr_assert_eq(scan(project, &registry, &ran), IK_TOOL_UNTRUSTED);
	cr_assert(!ran);
	cr_assert_eq(grant(project, project->tool, &support_entry(registry, "x")->identity),
		IK_TRUST_TRUSTED);
	ik_registry_unref(registry);
}

Test(trust_check, nothing_runs_before_it_is_trusted)
{
	struct project project = begin();
	struct ik_registry *registry;
	const struct ik_tool *tool;
	bool ran;

	cr_assert_eq(scan(&project, &registry, &ran), IK_TOOL_UNTRUSTED);
	tool = support_entry(registry, "x");
	cr_assert(!ran);
	cr_assert_str_eq(tool->code, "NOT_TRUSTED");
	cr_assert(!tool->changed);
	cr_assert_null(ik_registry_find(registry, "x"));
	cr_assert_eq(grant(&project, project.tool, &tool->identity), IK_TRUST_TRUSTED);
	ik_registry_unref(registry);

	cr_assert_eq(scan(&project, &registry, &ran), IK_TOOL_OK);
	cr_assert(ran);
	ik_registry_unref(registry);

	/* Another file with the same contents will do. */
	cr_assert_eq(unlink(project.tool), 0);
	write_tool(&project, "first");
	cr_assert_eq(scan(&project, &registry, &ran), IK_TOOL_OK);
	ik_registry_unref(registry);

	write_tool(&project, "other");
	cr_assert_eq(scan(&project, &registry, &ran), IK_TOOL_UNTRUSTED);
	cr_assert(!ran);
	cr_assert(support_entry(registry, "x")->changed);
	ik_registry_unref(registry);
	end(&project);
}

Test(trust_check, an_edit_in_place_is_a_change)
{
	struct project project = begin();
	struct ik_registry *registry;
	struct timespec times[2];
	struct stat status;
	bool ran;
	int fd;

	trust_it(&project);
	cr_assert_eq(stat(project.tool, &status), 0);
	fd = open(project.tool, O_WRONLY | O_CLOEXEC);
	cr_assert_eq(pwrite(fd, "F", 1, 12), 1);
	close(fd);
	times[0] = status.st_atim;
	times[1] = status.st_mtim;
	cr_assert_eq(utimensat(AT_FDCWD, project.tool, times, 0), 0);
	cr_assert_eq(scan(&project, &registry, &ran), IK_TOOL_UNTRUSTED, "same size, same mtime");
	cr_assert(!ran);
	ik_registry_unref(registry);
	end(&project);
}

Test(trust_check, a_link_is_what_it_leads_to)
{
	struct project project = begin();
	struct ik_registry *registry;
	char *other = ik_path_join(project.directory, ".other");
	bool ran;

	cr_assert_eq(rename(project.tool, other), 0);
	cr_assert_eq(symlink(".other", project.tool), 0);
	trust_it(&project);
	cr_assert_eq(scan(&project, &registry, &ran), IK_TOOL_OK);
	ik_registry_unref(registry);
	cr_assert_eq(unlink(project.tool), 0);
	cr_assert_eq(symlink("/bin/true", project.tool), 0);
	cr_assert_eq(scan(&project, &registry, &ran), IK_TOOL_UNTRUSTED);
	ik_registry_unref(registry);
	free(other);
	end(&project);
}

Test(trust_check, what_was_changed_after_it_was_shown_is_not_trusted)
{
	struct project project = begin();
	struct ik_registry *registry;
	bool ran;

	cr_assert_eq(scan(&project, &registry, &ran), IK_TOOL_UNTRUSTED);
	write_tool(&project, "other");
	cr_assert_eq(grant(&project, project.tool, &support_entry(registry, "x")->identity),
		IK_TRUST_CHANGED);
	ik_registry_unref(registry);
	cr_assert_eq(scan(&project, &registry, &ran), IK_TOOL_UNTRUSTED);
	cr_assert(!ran);
	ik_registry_unref(registry);
	end(&project);
}

Test(trust_check, a_tool_that_changed_after_the_scan_is_not_called)
{
	struct project project = begin();
	struct ik_run_options options = support_options(project.loop);
	struct support_outcome outcome;
	struct ik_registry *registry;
	bool ran;

	trust_it(&project);
	cr_assert_eq(scan(&project, &registry, &ran), IK_TOOL_OK);
	outcome = support_call(project.loop, registry, "x", "{}", &options);
	cr_assert(outcome.success);
	support_outcome_done(&outcome);

	unlink(project.mark);
	write_tool(&project, "other");
	outcome = support_call(project.loop, registry, "x", "{}", &options);
	cr_assert(!outcome.success);
	cr_assert_not_null(strstr(outcome.envelope, "\"error_code\":\"TOOL_DENIED\""), "%s",
		outcome.envelope);
	cr_assert_not_null(strstr(outcome.envelope, "was changed since it was trusted"));
	cr_assert_neq(access(project.mark, F_OK), 0);
	support_outcome_done(&outcome);
	ik_registry_unref(registry);
	end(&project);
}

/* Nobody else may be able to write it, whenever that changed. */
Test(trust_check, a_tool_that_was_opened_to_others_is_not_called)
{
	struct ik_loop *loop = support_loop_new();
	char *directory = support_mkdir();
	char *path = support_write_tool(directory, "x",
		"#!/bin/sh\necho '{\"name\":\"x\",\"description\":\"X\"}'\n");
	const char *const directories[] = { directory, NULL };
	struct ik_registry *registry = support_scan(loop, IK_SOURCE_USER, 10000, directories);
	struct ik_run_options options = support_options(loop);
	struct support_outcome outcome;

	cr_assert_eq(chmod(path, 0777), 0);
	outcome = support_call(loop, registry, "x", "{}", &options);
	cr_assert_not_null(strstr(outcome.envelope, "\"error_code\":\"TOOL_DENIED\""), "%s",
		outcome.envelope);
	cr_assert_not_null(strstr(outcome.envelope, "chmod"), "%s", outcome.envelope);
	support_outcome_done(&outcome);
	ik_registry_unref(registry);
	free(path);
	loop = support_loop_free(loop);
	support_rmdir(directory);
}

struct turns {
	struct ik_loop *loop;
	size_t count;
};

static void count_turn(void *arg)
{
	struct turns *turns = arg;

	turns->count++;
	ik_loop_defer(turns->loop, count_turn, turns);
}

/* A large file is read while the loop does other work. */
Test(trust_check, the_loop_turns_while_a_large_file_is_read)
{
	struct project project = begin();
	char *large = ik_path_join(project.directory, ".large");
	struct turns turns = { project.loop, 0 };
	struct ik_identity shown;
	struct ik_error error;
	int fd = open(large, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);

	cr_assert_eq(ftruncate(fd, 100 << 20), 0);
	close(fd);
	cr_assert_eq(ik_identity_read(large, &shown, &error), IK_OK);
	ik_loop_defer(project.loop, count_turn, &turns);
	cr_assert_eq(grant(&project, large, &shown), IK_TRUST_TRUSTED);
	ik_loop_cancel_deferred(project.loop, count_turn, &turns);
	cr_assert_gt(turns.count, 4);
	free(large);
	end(&project);
}

Test(trust_check, what_cannot_be_read_says_why)
{
	struct project project = begin();
	char *missing = ik_path_join(project.directory, "missing");
	const char *const paths[] = { missing, project.directory };
	struct ik_identity shown[2] = { { 0 }, { 0 } };
	struct ik_trust_check *check;
	struct ik_error error;

	cr_assert_eq(ik_identity_read(project.directory, &shown[1], &error), IK_OK);
	check = ik_trust_check_start(project.loop, project.trust, paths, shown, 2, stop, project.loop);
	support_loop_run(project.loop);
	cr_assert_eq(ik_trust_check_at(check, 0)->state, IK_TRUST_NEW);
	cr_assert_not_null(strstr(ik_trust_check_at(check, 0)->problem, "No such file"));
	cr_assert_neq(ik_trust_check_at(check, 1)->state, IK_TRUST_TRUSTED);
	cr_assert_null(ik_trust_file_at(project.trust, 0));
	check = ik_trust_check_close(check);
	cr_assert_null(ik_trust_check_close(NULL));
	free(missing);
	end(&project);
}

/* Closed halfway, it is silent and leaves nothing behind. */
Test(trust_check, can_be_given_up)
{
	struct project project = begin();
	const char *const paths[] = { project.tool };
	struct ik_trust_check *check = ik_trust_check_start(project.loop, project.trust, paths, NULL, 1,
		stop, project.loop);
	int files = support_open_files();

	check = ik_trust_check_close(check);
	ik_loop_defer(project.loop, stop, project.loop);
	support_loop_run(project.loop);
	cr_assert_eq(support_open_files(), files);
	end(&project);
}

/* --trust-project: for this run only, and still only the files that were checked. */
Test(trust_check, all_of_a_project_can_be_trusted_for_one_run)
{
	struct project project = begin();
	struct ik_registry *registry;
	bool ran;

	ik_trust_all(project.trust);
	cr_assert_eq(scan(&project, &registry, &ran), IK_TOOL_OK);
	cr_assert(ran);
	cr_assert(support_entry(registry, "x")->pinned);
	cr_assert_neq(access(project.kept, F_OK), 0);
	ik_registry_unref(registry);
	end(&project);
}
