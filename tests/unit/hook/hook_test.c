/* Which hooks there are and which match, and what several of them want together. */
#include <string.h>

#include <criterion/criterion.h>

#include "hook/hook_run.h"
#include "hook/hooks.h"
#include "tests/support/scratch.h"
#include "util/alloc.h"
#include "util/path.h"

extern char **environ;

/* ---- matching ---- */

static const struct {
	const char *matcher, *subject, *name;
	bool command;
} matches[] = {
	{ NULL, "bash", "bash", false },
	{ NULL, "bash", "Bash", true },
	{ NULL, "today", "today", true },
	{ "bash", "bash", "bash", true },
	{ "Bash", "bash", "Bash", false },
	{ "Edit|Write", "file_edit", "Edit", true },
	{ "Edit|Write", "file_write", "Write", true },
	{ "Edit|Write", "file_read", NULL, true },
	{ "file_.*", "file_read", "file_read", true },
	{ "Ba", "bash", NULL, true },
	{ "Notebook.*|Gl.b", "glob", "Glob", true },
	{ "mcp__memory__.*", "memory__store", "mcp__memory__store", true },
	{ "memory__.*", "memory__store", "memory__store", true },
	{ "mcp__.*", "bash", NULL, true },
	{ "^mcp__", "memory__store", "mcp__memory__store", true },
	{ "__delete", "memory__delete_all", NULL, true },
	{ "__delete.", "memory__delete_all", "memory__delete_all", true },
	{ "a\"b", "a\"b", "a\"b", true },
	/* One that can't be compiled matches: a guard must not be lost by a slip. */
	{ "(", "bash", "bash", true },
};

Test(hooks, match)
{
	for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
		const struct ik_hook hook = {
			.event = IK_HOOK_PRE_TOOL_USE,
			.command = matches[i].command ? (char *)"x" : NULL,
			.matcher = (char *)matches[i].matcher,
		};
		char *memory;
		const char *name = ik_hook_match(&hook, matches[i].subject, &memory);

		if (matches[i].name)
			cr_assert_str_eq(name, matches[i].name, "row %zu: %s", i, name);
		else
			cr_assert_null(name, "row %zu", i);
		free(memory);
	}
}

/* ---- decisions ---- */

Test(hooks, decide)
{
	static const enum ik_decision expected[3][4] = {
		[IK_DECISION_ALLOW] = { IK_DECISION_ALLOW, IK_DECISION_ALLOW, IK_DECISION_ASK,
			IK_DECISION_DENY },
		[IK_DECISION_ASK] = { IK_DECISION_ASK, IK_DECISION_ALLOW, IK_DECISION_ASK,
			IK_DECISION_DENY },
		[IK_DECISION_DENY] = { IK_DECISION_DENY, IK_DECISION_DENY, IK_DECISION_DENY,
			IK_DECISION_DENY },
	};

	for (int policy = 0; policy < 3; policy++)
		for (int wanted = 0; wanted < 4; wanted++) {
			const struct ik_hook_outcome outcome = { .decision = (enum ik_hook_decision)wanted };

			cr_assert_eq(ik_hook_decide((enum ik_decision)policy, &outcome),
				expected[policy][wanted]);
		}
	cr_assert_eq(ik_hook_decide(IK_DECISION_ASK, NULL), IK_DECISION_ASK);
}

/* ---- running ---- */

static void stop(void *loop)
{
	ik_loop_stop(loop);
}

/* A runner with the hooks of a file. */
struct place {
	char directory[sizeof(SCRATCH_TEMPLATE)];
	struct ik_loop *loop;
	struct ik_hooks *hooks;
	struct ik_hook_runner *runner;
};

static void open_place(struct place *place, const char *text)
{
	struct ik_error error;
	char *path;

	memcpy(place->directory, SCRATCH_TEMPLATE, sizeof(place->directory));
	path = ik_path_join(scratch_make(place->directory), "hooks.json");
	cr_assert_eq(ik_file_write(path, text, strlen(text), 0600, &error), IK_OK);
	place->loop = ik_loop_new(&error);
	place->hooks = ik_hooks_new();
	ik_hooks_add_file(place->hooks, path, NULL);
	place->runner = ik_hook_runner_new(place->loop, (const char *const *)environ);
	ik_hook_runner_set(place->runner, place->hooks);
	free(path);
}

static void close_place(struct place *place)
{
	ik_hook_runner_close(place->runner);
	ik_loop_free(place->loop);
	ik_hooks_free(place->hooks);
	scratch_remove(place->directory);
}

/* Ask the hooks about a call, and wait until all have ended. */
static struct ik_hook_work *ask(struct place *place, const char *tool)
{
	const struct ik_hook_call call = {
		.event = IK_HOOK_PRE_TOOL_USE,
		.subject = tool,
		.session = "s",
		.directory = place->directory,
		.mode = "auto",
		.id = "c",
		.input = IK_JSON_SPAN("{\"a\":1,\"b\":2}"),
		.schema = IK_JSON_SPAN("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}"),
	};
	struct ik_hook_work *work = ik_hook_start(place->runner, &call, stop, place->loop);
	struct ik_error error;

	if (work)
		cr_assert_eq(ik_loop_run(place->loop, &error), IK_OK);
	return work;
}

#define SAY(text) "{\"type\":\"command\",\"command\":\"echo '" text "'\"}"
#define HOOKS(list) "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[" list "]}]}}"
#define UPDATE(members) "{\\\"hookSpecificOutput\\\":{\\\"updatedInput\\\":{" members "}}}"

Test(hooks, merged_in_their_order_whichever_ends_first)
{
	struct place place;
	struct ik_hook_work *work;
	const struct ik_hook_outcome *outcome;

	open_place(&place,
		HOOKS("{\"type\":\"command\",\"command\":\"sleep 0.3; echo "
			  "'" UPDATE("\\\"a\\\":5,\\\"c\\\":true") "'\"}," SAY(UPDATE("\\\"a\\\":7"))));
	work = ask(&place, "x");
	outcome = ik_hook_outcome(work);
	cr_assert_str_eq(outcome->input.data, "{\"b\":2,\"c\":true,\"a\":7}");
	cr_assert_eq(outcome->decision, IK_HOOK_NO_OPINION);
	ik_hook_close(work);
	close_place(&place);
}

Test(hooks, the_hook_that_breaks_the_schema_is_named)
{
	struct place place;
	struct ik_hook_work *work;
	const struct ik_hook_outcome *outcome;

	open_place(&place, HOOKS(SAY(UPDATE("\\\"b\\\":0")) "," SAY(UPDATE("\\\"a\\\":\\\"x\\\""))));
	work = ask(&place, "x");
	outcome = ik_hook_outcome(work);
	cr_assert_eq(outcome->decision, IK_HOOK_DENY);
	cr_assert_str_eq(outcome->input.data, "{\"a\":1,\"b\":0}");
	cr_assert(strstr(outcome->by, "echo") && strstr(outcome->reason, "/a"), "%s", outcome->reason);
	ik_hook_close(work);
	close_place(&place);
}

Test(hooks, a_command_is_named_by_its_program)
{
	static const struct {
		const char *command, *name;
	} rows[] = {
		{ "true", "true" },
		{ "A=/b python3 \\\"$CLAUDE_PROJECT_DIR\\\"/.claude/hooks/guard.py --x /etc", "guard.py" },
		{ "/bin/true;", "true" },
		{ "/bin/sh /tmp/x.sh || true", "x.sh" },
		{ "true ; / ; ./", "true ; / ; ./" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = ik_format(HOOKS("{\"type\":\"command\",\"command\":\"%s\"}"),
			rows[i].command);
		struct place place;
		struct ik_hook_work *work;

		open_place(&place, text);
		work = ask(&place, "x");
		cr_assert(work, "%s", text);
		cr_assert(strstr(ik_hook_outcome(work)->record.data, "\"hook\":\""), "none");
		cr_assert(strncmp(ik_hook_outcome(work)->record.data + strlen("[{\"hook\":\""), rows[i].name,
					  strlen(rows[i].name)) == 0,
			"%s", ik_hook_outcome(work)->record.data);
		ik_hook_close(work);
		close_place(&place);
		free(text);
	}
}

Test(hooks, cancelled_and_closed)
{
	struct place place;
	struct ik_hook_work *work;
	struct ik_error error;
	const struct ik_hook_call call = { .event = IK_HOOK_STOP, .subject = "", .directory = "/" };

	open_place(&place,
		"{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"sleep 100\"}]}]}}");
	cr_assert_null(ask(&place, "x"), "another event");
	work = ik_hook_start(place.runner, &call, stop, place.loop);
	cr_assert_null(ik_hook_outcome(work));
	cr_assert_str_eq(ik_hook_running(work), "sleep 100");
	ik_hook_cancel(work);
	cr_assert_eq(ik_loop_run(place.loop, &error), IK_OK);
	cr_assert(ik_hook_outcome(work)->cancelled);
	cr_assert_eq(ik_hook_outcome(work)->message_count, 0);
	ik_hook_close(work);
	/* Nobody waits for this one, and it is killed with the runner. */
	cr_assert(ik_hook_start(place.runner, &call, NULL, NULL));
	cr_assert_not(ik_hook_runner_rest(place.runner, stop, place.loop));
	close_place(&place);
}
