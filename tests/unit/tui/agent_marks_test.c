#include "tui/pane/status_bar.h"

#include "util/limits.h"

#include <criterion/criterion.h>

static const struct ik_agent_mark marks[] = {
	{.number = 1, .state = IK_AGENT_IDLE, .shown = true},
	{.number = 2, .state = IK_AGENT_WORKING, .started_ms = 1000},
	{.number = 3, .state = IK_AGENT_ASKING, .started_ms = 500},
	{.number = 5, .state = IK_AGENT_UNREAD},
	{.number = 12, .state = IK_AGENT_FAILED},
};

#define COUNT (sizeof marks / sizeof *marks)

Test(agent_marks, say_how_each_stands)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(1));
	ik_agent_marks_put(&out, marks, COUNT, 13400, false);
	cr_assert_str_eq(out.data, "[1] 2~12s 3? 5* 12!");
	ik_buf_clear(&out);
	ik_agent_marks_put(&out, marks, 2, 13400, true);
	cr_assert_str_eq(out.data, "[1] 2◐12s");
	ik_buf_done(&out);
}

Test(agent_marks, are_counted_where_there_is_little_room)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(1));
	ik_agent_marks_put_short(&out, marks, COUNT, false);
	cr_assert_str_eq(out.data, "[1/5] ~1 ?1 !1 *1");
	ik_buf_clear(&out);
	ik_agent_marks_put_short(&out, marks, 0, false);
	cr_assert_eq(out.length, 0);
	ik_buf_done(&out);
}

Test(agent_marks, are_found_by_their_columns)
{
	cr_assert_eq(ik_agent_marks_at(marks, COUNT, 13400, false, 0), 1);
	cr_assert_eq(ik_agent_marks_at(marks, COUNT, 13400, false, 3), 0);
	cr_assert_eq(ik_agent_marks_at(marks, COUNT, 13400, false, 4), 2);
	cr_assert_eq(ik_agent_marks_at(marks, COUNT, 13400, true, 8), 2);
	cr_assert_eq(ik_agent_marks_at(marks, COUNT, 13400, false, 18), 12);
	cr_assert_eq(ik_agent_marks_at(marks, COUNT, 13400, false, 19), 0);
}

Test(agent_marks, want_the_time_only_while_one_of_the_others_works)
{
	cr_assert_eq(ik_agent_marks_next(marks, COUNT, 13400), 600);
	cr_assert_eq(ik_agent_marks_next(marks, 1, 13400), -1);
	cr_assert_eq(ik_agent_marks_next(marks + 2, 3, 13400), -1);
}
