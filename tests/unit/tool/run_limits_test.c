/* Limits of a call: how large its input is, what the tool is and where, how it ends. */
#include "tool/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "support.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

#include "../../support/needs.h"

#define SCHEMA(name) \
	"#!/bin/sh\nif [ \"$1\" = --schema ]; then\n" \
	"	echo '{\"name\":\"" name "\",\"description\":\"x\"}'; exit\nfi\n"

/* A directory with one tool, and its registry. */
struct place {
	struct ik_loop *loop;
	char *directory;
	char *path;
	struct ik_registry *registry;
};

static struct place begin(const char *text)
{
	struct place place = { .loop = support_loop_new(), .directory = support_mkdir() };
	const char *const directories[] = { place.directory, NULL };

	place.path = support_write_tool(place.directory, "tool", text);
	place.registry = support_scan(place.loop, IK_SOURCE_SYSTEM, 10000, directories);
	cr_assert_eq(ik_registry_failed_count(place.registry), 0);
	return place;
}

static void end(struct place *place)
{
	ik_registry_unref(place->registry);
	support_loop_free(place->loop);
	free(place->path);
	support_rmdir(place->directory);
}

/* Call the tool and expect wanted in its envelope. */
static void gives(struct place *place, const char *arguments, const struct ik_run_options *options,
	const char *wanted)
{
	struct support_outcome outcome =
		support_call(place->loop, place->registry, "tool", arguments, options);

	cr_assert_not_null(strstr(outcome.envelope, wanted), "%.2000s", outcome.envelope);
	support_outcome_done(&outcome);
}

/* {"text":"aaa..."} */
static char *large_arguments(size_t length)
{
	char *text = ik_alloc(length + 12);

	memcpy(text, "{\"text\":\"", 9);
	memset(text + 9, 'a', length);
	memcpy(text + 9 + length, "\"}", 3);
	return text;
}

Test(run_limits, arguments_that_nobody_reads_do_not_hold_up_the_time_out)
{
	struct place place = begin(SCHEMA("tool") "echo waiting >&2\nexec sleep 300\n");
	struct ik_run_options options = support_options(place.loop);
	char *arguments = large_arguments(IK_LIMIT_ARGUMENTS - 100);

	options.timeout_ms = 300;
	gives(&place, arguments, &options, "timed out after 0.3s\"");
	free(arguments);
	arguments = large_arguments(IK_LIMIT_ARGUMENTS);
	gives(&place, arguments, &options, "INVALID_PARAMS");
	free(arguments);
	end(&place);
}

Test(run_limits, every_exit_status_is_told)
{
	struct place place = begin(SCHEMA("tool")
		"code=$(sed 's/[^0-9]//g')\necho '{\"output\":\"done\"}'\nexit $code\n");
	char arguments[32], wanted[128];

	gives(&place, "{\"code\":0}", NULL, "\"result\":{\"output\":\"done\"}");
	for (int code = 1; code < 256; code += code < 3 || code > 120 ? 1 : 29) {
		snprintf(arguments, sizeof arguments, "{\"code\":%d}", code);
		snprintf(wanted, sizeof wanted, "crashed with exit code %d\",\"error_code\":"
			"\"TOOL_CRASHED\",\"exit_code\":%d", code, code);
		gives(&place, arguments, NULL, wanted);
	}
	end(&place);
}

Test(run_limits, every_signal_that_ends_it_is_told)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGKILL, SIGSEGV, SIGPIPE,
		SIGALRM, SIGTERM, SIGUSR1, SIGXCPU, SIGSYS };
	struct place place = begin(SCHEMA("tool") "kill -$(sed 's/[^0-9]//g') $$\n");
	char arguments[32], wanted[128];

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		snprintf(arguments, sizeof arguments, "{\"n\":%d}", numbers[i]);
		snprintf(wanted, sizeof wanted, "\"exit_code\":%d,", 128 + numbers[i]);
		gives(&place, arguments, NULL, wanted);
	}
	end(&place);
}

Test(run_limits, a_tool_that_is_gone_or_nothing_to_run_is_told)
{
	need_vfork();

	struct place place = begin(SCHEMA("tool") "echo 1\n");
	struct ik_run_options options = support_options(place.loop);
	char *nowhere = ik_path_join(place.directory, "nowhere");
	char *large = large_arguments(IK_MIB(4));
	const char *const environment[] = { "PATH=/bin:/usr/bin", large, NULL };

	gives(&place, "{}", NULL, "\"result\":1}");
	options.directory = nowhere;
	gives(&place, "{}", &options, "SPAWN_FAILED");
	options.directory = NULL;
	/* A variable that is too long for the kernel. */
	options.environment = environment;
	gives(&place, "{}", &options, "SPAWN_FAILED");
	options.environment = NULL;
	cr_assert_eq(unlink(place.path), 0);
	gives(&place, "{}", NULL, "SPAWN_FAILED");
	free(nowhere);
	free(large);
	end(&place);
}

Test(run_limits, a_tool_that_is_replaced_while_it_runs_ends_as_it_was)
{
	struct place place = begin(SCHEMA("tool")
		"printf '#!/bin/sh\\necho 2\\n' >\"$0.new\"; chmod 755 \"$0.new\"; mv \"$0.new\" \"$0\"\n"
		"echo 1\n");

	gives(&place, "{}", NULL, "\"result\":1}");
	end(&place);
	place = begin(SCHEMA("tool") "rm \"$0\"\necho 1\n");
	gives(&place, "{}", NULL, "\"result\":1}");
	end(&place);
}

Test(run_limits, a_directory_that_was_removed_is_no_obstacle)
{
	struct place place = begin(SCHEMA("tool") "echo 1\n");
	char *gone = ik_path_join(place.directory, "gone");

	cr_assert_eq(mkdir(gone, 0700), 0);
	cr_assert_eq(chdir(gone), 0);
	cr_assert_eq(rmdir(gone), 0);
	gives(&place, "{}", NULL, "\"result\":1}");
	cr_assert_eq(chdir("/"), 0);
	free(gone);
	end(&place);
}

Test(run_limits, memory_beyond_the_limit_is_refused_to_the_tool)
{
	need_memory_limit();

	/* 64 MB of address space are enough for a shell, but not for a text of 200 MB. */
	struct place place = begin(SCHEMA("tool")
		"text=$(head -c 200000000 /dev/zero | tr '\\0' a)\necho \"${#text}\"\n");
	struct ik_run_options options = support_options(place.loop);

	options.memory_limit = (int64_t)IK_MIB(64);
	gives(&place, "{}", &options, "\"tool_success\":false");
	end(&place);
}

Test(run_limits, characters_of_an_answer_are_repaired_and_nothing_else)
{
	struct place place = begin(SCHEMA("tool") "case $(sed 's/[^0-9]//g') in\n"
		"1) printf ' {\"a\":\"x\\377y\"}\\n' ;;\n"
		"2) printf '{\"a\":\"x\\\\ud800y\"}' ;;\n"
		"3) printf '{\"a\":\"\\\\udc00\\\\ud83d\\\\ude00\"}' ;;\n"
		"4) ;;\n"
		"5) printf '{' ;;\n"
		"6) printf '{} {}' ;;\n"
		"7) printf '{\"a\":1,}' ;;\n"
		"8) printf 'nothing' ;;\n"
		"9) printf '01' ;;\nesac\n");
	char arguments[] = "{\"n\":0}";

	gives(&place, "{\"n\":1}", NULL, "\"result\":{\"a\":\"x\357\277\275y\"}}");
	gives(&place, "{\"n\":2}", NULL, "\"result\":{\"a\":\"x\\ufffdy\"}}");
	gives(&place, "{\"n\":3}", NULL, "\"result\":{\"a\":\"\\ufffd\\ud83d\\ude00\"}}");
	for (char n = '4'; n <= '9'; n++) {
		arguments[5] = n;
		gives(&place, arguments, NULL, "Tool 'tool' returned invalid JSON\"");
	}
	end(&place);
}

Test(run_limits, an_answer_that_is_too_large_when_it_is_repaired_is_text)
{
	struct place place = begin(SCHEMA("tool") "printf '{\"a\":\"'\n"
		"head -c 2000000 /dev/zero | tr '\\0' '\\377'\n"
		"printf '\"}'\n");

	gives(&place, "{}", NULL, "\"result\":{\"output\":\"{\\\"a\\\":\\\"\357\277\275");
	end(&place);
}
