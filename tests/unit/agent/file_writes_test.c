#include "agent/session/file_writes.h"

#include <criterion/criterion.h>

/* Whoever asks what another session wrote is told of all that may have been meanwhile. */
static const int one, two;

Test(file_writes, by_a_call_that_began_before_and_goes_on)
{
	struct ik_file_writes *written = ik_file_writes_new();
	size_t since;

	ik_file_writes_begin(written, &one, "/x/f");
	since = ik_file_writes_now(written);
	cr_expect(ik_file_writes_by_other(written, since, &two, "/x/f"));
	cr_expect_not(ik_file_writes_by_other(written, since, &one, "/x/f"), "its own");
	cr_expect_not(ik_file_writes_by_other(written, since, &two, "/x/g"));
	ik_file_writes_end(written, &one, "/x/f");
	cr_expect(ik_file_writes_by_other(written, since, &two, "/x/f"), "it ended meanwhile");
	since = ik_file_writes_now(written);
	cr_expect_not(ik_file_writes_by_other(written, since, &two, "/x/f"), "it was over before");
	ik_file_writes_free(written);
}

Test(file_writes, by_one_of_two_calls_of_a_session)
{
	struct ik_file_writes *written = ik_file_writes_new();
	size_t since;

	ik_file_writes_begin(written, &one, "/x/f");
	ik_file_writes_begin(written, &one, "/x/f");
	ik_file_writes_end(written, &one, "/x/f");
	since = ik_file_writes_now(written);
	cr_expect(ik_file_writes_by_other(written, since, &two, "/x/f"));
	ik_file_writes_free(written); /* with one that never ended */
}
