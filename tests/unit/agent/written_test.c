#include "agent/session/written.h"

#include <criterion/criterion.h>

/* Whoever asks what another session wrote is told of all that may have been meanwhile. */
static const int one, two;

Test(written, by_a_call_that_began_before_and_goes_on)
{
	struct ik_written *written = ik_written_new();
	size_t since;

	ik_written_begin(written, &one, "/x/f");
	since = ik_written_watch(written);
	cr_expect(ik_written_by_another(written, since, &two, "/x/f"));
	cr_expect_not(ik_written_by_another(written, since, &one, "/x/f"), "its own");
	cr_expect_not(ik_written_by_another(written, since, &two, "/x/g"));
	ik_written_end(written, &one, "/x/f");
	cr_expect(ik_written_by_another(written, since, &two, "/x/f"), "it ended meanwhile");
	ik_written_watch_no_more(written);
	since = ik_written_watch(written);
	cr_expect_not(ik_written_by_another(written, since, &two, "/x/f"), "it was over before");
	ik_written_watch_no_more(written);
	ik_written_free(written);
}

Test(written, by_one_of_two_calls_of_a_session)
{
	struct ik_written *written = ik_written_new();
	size_t since;

	ik_written_begin(written, &one, "/x/f");
	ik_written_begin(written, &one, "/x/f");
	ik_written_end(written, &one, "/x/f");
	since = ik_written_watch(written);
	cr_expect(ik_written_by_another(written, since, &two, "/x/f"));
	ik_written_watch_no_more(written);
	ik_written_free(written); /* with one that never ended */
}
