#include "stage.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

TestSuite(own_run, .init = stage_set_up, .fini = stage_tear_down, .timeout = 60);

static void run_tool(const char *name, const char *arguments)
{
	ik_session_run_tool(stage.session, name, arguments, strlen(arguments));
}

Test(own_run, those_that_wait_begin_in_their_order)
{
	const char *first, *second;

	stage.without_tools_at_first = true;
	stage_tool("echo", "cat");
	stage_open(NULL);
	run_tool("echo", "{\"n\":1}");
	run_tool("echo", "{\"n\":2}");
	ik_session_set_registry(stage.session, ik_discovery_registry(stage.discovery), true);
	stage_run_until_told("answer run_1 ");
	stage_run_until_told("answer run_2 ");
	first = strstr(stage.log.data, "tool run_1 {\"n\":1}\n");
	second = strstr(stage.log.data, "tool run_2 {\"n\":2}\n");
	cr_assert(first && second && first < second, "%s", stage.log.data);
}

static void cancel_when_told(const struct ik_event *event)
{
	/* Whoever is told of the end of one may end the others. */
	if (event->kind == IK_EVENT_TOOL_DONE)
		ik_session_cancel(stage.session);
}

Test(own_run, one_that_waits_is_cancelled_and_said_to_be)
{
	stage.without_tools_at_first = true;
	stage.on_event = cancel_when_told;
	stage_open(NULL);
	run_tool("echo", "{}");
	run_tool("cat", "{}");
	ik_session_cancel(stage.session);
	cr_assert(!ik_session_busy(stage.session));
	cr_assert_not_null(strstr(stage.log.data, "tool run_1 {}\nanswer run_1 {\"tool_success\":false,"
		"\"error\":\"Tool 'echo' was cancelled\",\"error_code\":\"TOOL_CANCELLED\""), "%s",
		stage.log.data);
	cr_assert_not_null(strstr(stage.log.data, "answer run_2 "));
	expect_stored(ik_session_id(stage.session), "command /run echo {}\ncommand /run cat {}\n");
}

Test(own_run, what_runs_or_waits_at_the_end_is_stored)
{
	char id[IK_UUID_TEXT];

	stage_tool("sleeper", "echo begun >&2; exec sleep 60");
	stage_open(NULL);
	run_tool("sleeper", "{}");
	stage_run_until(IK_EVENT_TOOL_OUTPUT);
	memcpy(id, ik_session_id(stage.session), sizeof(id));
	ik_session_set_registry(stage.session, ik_discovery_registry(stage.discovery), false);
	run_tool("later", "{}");
	stage.session = ik_session_close(stage.session);
	expect_stored(id, "command /run sleeper {}\ncommand /run later {}\n");
}
