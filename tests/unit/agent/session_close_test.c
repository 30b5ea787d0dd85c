/* A session that is closed by whom it tells something. */
#include "stage.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "hook/hook_run.h"
#include "hook/hooks.h"
#include "util/alloc.h"
#include "util/path.h"

#define USAGE(tokens) \
	SSE("{\"choices\":[],\"usage\":{\"prompt_tokens\":" tokens ",\"completion_tokens\":1}}")

TestSuite(session_close, .init = stage_set_up, .fini = stage_tear_down);

static int events_left; /* until the session is closed */

static void close_in_time(const struct ik_event *event)
{
	if (--events_left != 0)
		return;
	stage.session = ik_session_close(stage.session);
	stage.stopped = true;
	ik_loop_stop(stage.loop);
}

/* Let something be said and answered, unless the session is closed. */
static void say(const char *text)
{
	if (stage.session)
		stage_submit(text);
	if (stage.session)
		stage_run_until(IK_EVENT_TURN_DONE);
}

/* Play with session after session: close each at a later event, until one is not closed any more. */
static void close_at_each_event(const struct stage_reply *replies, void (*play)(void))
{
	struct ik_error error;
	int count = 0;

	stage.on_event = close_in_time;
	do {
		stage.session = ik_session_close(stage.session);
		stage.replies = replies;
		for (size_t i = 0; i < stage.request_count; i++)
			free(stage.requests[i]);
		stage.request_count = 0;
		events_left = 0;
		stage_make_session();
		ik_session_set_registry(stage.session, ik_discovery_registry(stage.discovery), true);
		ik_buf_clear(&stage.log);
		events_left = ++count;
		play();
		/* It may have been closed while the loop did not run; now it is freed. */
		ik_loop_stop(stage.loop);
		cr_assert_eq(ik_loop_run(stage.loop, &error), IK_OK, "%s", error.text);
	} while (!stage.session);
}

static void play_summaries(void)
{
	say("first");
	say("second");
	if (stage.session)
		ik_session_compact(stage.session, "/compact", "");
	if (stage.session)
		stage_run_until(IK_EVENT_MESSAGE);
}

Test(session_close, closed_at_each_event_of_summaries)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("one"), USAGE("900"), STOP("stop") } },
		{ .chunks = { TEXT("a summary"), STOP("stop") } },
		{ .chunks = { TEXT("two"), USAGE("100"), STOP("stop") } },
		{ .chunks = { TEXT("another summary"), STOP("stop") } },
	};

	stage.context_window = 1000;
	stage.compact_at = 80;
	stage_open(replies);
	close_at_each_event(replies, play_summaries);
	expect_order(stage.log.data,
		(const char *const[]){ "+assistant one", "notice Compacted at 90%", "+assistant two",
			"+command /compact", NULL });
}

/* Make a hook for an event. */
static void add_hook(const char *event, const char *script)
{
	char *directory = ik_format("%s/hooks/%s.d", stage.directory, event);
	char *path = ik_format("%s/hook", directory);
	char *text = ik_format("#!/bin/sh\n%s\n", script);

	cr_assert_eq(ik_path_make(directory, 0755, NULL), IK_OK);
	cr_assert_eq(ik_file_write(path, text, strlen(text), 0755, NULL), IK_OK);
	free(directory);
	free(path);
	free(text);
}

static void play_hooks(void)
{
	say("go");
}

Test(session_close, closed_at_each_event_of_hooks)
{
	static const char tell[] = "echo '{\"systemMessage\":\"told\"}'";
	static const struct stage_reply replies[] = {
		{ .chunks = { CALL("0", "c1", "act", "{}"), STOP("tool_calls") } },
		{ .chunks = { TEXT("one"), STOP("stop") } },
		{ .chunks = { TEXT("two"), STOP("stop") } },
	};
	struct ik_hooks *hooks = ik_hooks_new();
	char *path = ik_format("%s/hooks", stage.directory);

	add_hook("SessionStart", tell);
	add_hook("UserPromptSubmit", tell);
	add_hook("PreToolUse", tell);
	add_hook("PostToolUse", tell);
	add_hook("Stop",
		"grep -q 'stop_hook_active\":true' || echo '{\"decision\":\"block\",\"reason\":\"on\"}'");
	ik_hooks_add_directory(hooks, path, NULL);
	stage.hooks = ik_hook_runner_new(stage.loop, (const char *const *)environ);
	ik_hook_runner_set(stage.hooks, hooks);
	stage_tool("act", "echo done");
	stage_open(replies);
	close_at_each_event(replies, play_hooks);
	expect_order(stage.log.data,
		(const char *const[]){ "notice Hook hook: told", "+user go", "answer c1", "+assistant one",
			"lets the model go on", "+assistant two", "done end", NULL });
	stage.session = ik_session_close(stage.session);
	ik_hook_runner_close(stage.hooks);
	ik_hooks_free(hooks);
	free(path);
}
