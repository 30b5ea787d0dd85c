#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "loop/child.h"
#include "util/identity.h"

#include "../../support/needs.h"

static void on_done(void *arg, const struct ik_child_result *result)
{
	cr_assert(result->exited);
	*(bool *)arg = true;
}

/* Between whoever judged a file and the exec another one may have taken its name. */
Test(child_identity, another_file_than_it_must_be_is_not_executed)
{
	static const struct ik_child_events events = { NULL, on_done };
	const char *const argv[] = { "/bin/sh", "-c", "echo >\"$MARK\"", NULL };
	char mark[] = "/tmp/ikigai-mark.XXXXXX", variable[64];
	const char *const environment[] = { variable, NULL };
	struct ik_identity identity;
	struct ik_child_spec spec = {
		.path = argv[0], .argv = argv, .environment = environment, .identity = &identity,
	};
	struct ik_loop *loop = fixture_loop();
	struct ik_child *child = NULL;
	struct ik_error error;
	bool done = false;
	int fd = mkstemp(mark);

	need_vfork();
	cr_assert_geq(fd, 0);
	close(fd);
	unlink(mark);
	snprintf(variable, sizeof(variable), "MARK=%s", mark);
	cr_assert_eq(ik_identity_read(argv[0], &identity, &error), IK_OK);
	identity.ctime_ns--;
	cr_assert_eq(ik_child_start(loop, &spec, &events, &done, &child, &error), IK_DENIED);
	cr_assert_not_null(strstr(error.text, "was changed"));
	cr_assert_neq(access(mark, F_OK), 0);
	identity.ctime_ns++;
	cr_assert_eq(ik_child_start(loop, &spec, &events, &done, &child, &error), IK_OK);
	fixture_run_until(loop, &done);
	cr_assert_eq(access(mark, F_OK), 0);
	unlink(mark);
	ik_child_close(child);
	fixture_end(loop);
}
