/* Commands of the person's own, and messages that wait and are taken back. */
#include "stage.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "conversation/message.h"
#include "util/limits.h"

TestSuite(shell, .init = stage_set_up, .fini = stage_tear_down, .timeout = 60);

Test(shell, a_command_is_told_and_stored_with_its_output)
{
	stage_open(NULL);
	ik_session_run_shell(stage.session, "printf 'a\\377b'; echo c >&2; exit 3");
	cr_assert(ik_session_busy(stage.session));
	stage_run_until(IK_EVENT_TOOL_DONE);
	cr_assert(!ik_session_busy(stage.session));
	expect_in(stage.log.data,
		"answer run_1 {\"tool_success\":true,\"result\":\"a\xef\xbf\xbd"
		"bc\\n[exit code 3]\"}");
	expect_stored(ik_session_id(stage.session), "command !printf 'a\\377b'; echo c >&2; exit 3\n");
}

Test(shell, it_has_no_terminal_and_the_environment_of_tools)
{
	stage_open(NULL);
	ik_session_run_shell(stage.session, "cat; cat /dev/tty && echo terminal; echo ${IKIGAI_CALL}");
	stage_run_until(IK_EVENT_TOOL_DONE);
	expect_in(stage.log.data, "\\nrun_1\\n\"}");
	cr_assert_null(strstr(stage.log.data, "terminal\\n"));
}

Test(shell, large_outputs_keep_their_beginning_and_end)
{
	const struct ik_message *message;
	struct ik_buf output;

	stage_open(NULL);
	ik_session_run_shell(stage.session,
		"echo first; head -c 9000000 /dev/zero | tr '\\0' x; echo; echo last");
	stage_run_until(IK_EVENT_TOOL_DONE);
	message = ik_conversation_at(ik_session_conversation(stage.session), 1);
	ik_buf_init(&output, IK_LIMIT_ENVELOPE);
	cr_assert(ik_json_string(ik_json_member(ik_message_data(message), "output"), &output));
	cr_assert_lt(output.length, IK_LIMIT_OWN_OUTPUT + 100);
	cr_assert_gt(output.length, IK_LIMIT_OWN_OUTPUT);
	cr_assert_eq(strncmp(output.data, "first\nxxx", 9), 0);
	expect_in(output.data, "xx\nlast\n");
	expect_in(output.data, " bytes left out]\n");
	ik_buf_done(&output);
}

Test(shell, a_cancel_ends_it)
{
	stage_open(NULL);
	ik_session_run_shell(stage.session, "echo begun; sleep 1000");
	stage_run_until(IK_EVENT_TOOL_OUTPUT);
	ik_session_cancel(stage.session);
	stage_run_until(IK_EVENT_TOOL_DONE);
	expect_in(stage.log.data, "begun\\n[cancelled]");
}

Test(shell, what_runs_at_the_end_is_stored)
{
	char id[IK_UUID_TEXT];

	stage_open(NULL);
	ik_session_run_shell(stage.session, "echo begun; exec sleep 60");
	stage_run_until(IK_EVENT_TOOL_OUTPUT);
	memcpy(id, ik_session_id(stage.session), sizeof(id));
	stage.session = ik_session_close(stage.session);
	expect_stored(id, "command !echo begun; exec sleep 60\n");
}

Test(shell, messages_that_wait_are_seen_and_taken_back)
{
	static const char text[] = "typed\n\nattached", data[] = "{\"typed\":5,\"attached\":[]}";
	struct ik_message *message = ik_message_new(IK_KIND_USER, text, strlen(text), data,
		strlen(data));
	size_t length;
	const char *queued;

	stage.without_tools_at_first = true;
	stage_open(NULL);
	stage_submit("hi");
	stage_submit("one");
	ik_session_submit(stage.session, message);
	ik_message_unref(message);
	queued = ik_session_queued(stage.session, 1, &length);
	cr_assert(queued && length == 5 && strncmp(queued, "typed", 5) == 0, "what was typed only");
	cr_assert_null(ik_session_queued(stage.session, 2, &length));
	ik_session_unqueue(stage.session);
	queued = ik_session_queued(stage.session, 0, &length);
	cr_assert(queued && length == 3 && strncmp(queued, "one", 3) == 0);
	cr_assert_null(ik_session_queued(stage.session, 1, &length));
	ik_session_unqueue(stage.session);
	ik_session_unqueue(stage.session);
	cr_assert_null(ik_session_queued(stage.session, 0, &length));
	/* The queue works on. */
	stage_submit("two");
	queued = ik_session_queued(stage.session, 0, &length);
	cr_assert(queued && length == 3 && strncmp(queued, "two", 3) == 0);
}
