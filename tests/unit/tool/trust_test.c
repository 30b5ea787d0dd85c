#include "guard/trust.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "../../support/scratch.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define PLACE "/home/me/work"

static char scratch[] = SCRATCH_TEMPLATE;
static char *path;

static void make_directory(void)
{
	path = ik_path_join(scratch_make(scratch), "trust.json");
}

static void remove_directory(void)
{
	free(path);
	scratch_remove(scratch);
}

TestSuite(trust, .init = make_directory, .fini = remove_directory);

static struct ik_trust *open_trust(const char *directory)
{
	struct ik_trust *trust = ik_trust_new(path, directory);
	struct ik_error error;

	cr_assert_eq(ik_trust_read(trust, &error), IK_OK, "%s", error.text);
	return trust;
}

static void grant(const char *directory, const char *file, const char *digest)
{
	const struct ik_trust_file files[] = {{file, digest}};
	struct ik_trust *trust = open_trust(directory);
	struct ik_error error;

	cr_assert_eq(ik_trust_grant(trust, files, 1, false, &error), IK_OK, "%s", error.text);
	ik_trust_free(trust);
}

/* Grant in another process, which must not assert: it would report as this one. */
static bool grant_elsewhere(const char *file)
{
	const struct ik_trust_file files[] = {{file, A}};
	struct ik_trust *trust = ik_trust_new(path, PLACE);
	struct ik_error error;
	enum ik_status status = ik_trust_read(trust, &error);

	if (status == IK_OK)
		status = ik_trust_grant(trust, files, 1, false, &error);
	if (status != IK_OK)
		(void)fprintf(stderr, "%s: %s\n", file, error.text);
	ik_trust_free(trust);
	return status == IK_OK;
}

static enum ik_trust_state judge(const char *directory, const char *file, const char *digest)
{
	struct ik_trust *trust = open_trust(directory);
	enum ik_trust_state state = ik_trust_judge(trust, file, digest);

	ik_trust_free(trust);
	return state;
}

static char *contents(void)
{
	struct ik_buf text;
	struct ik_error error;

	ik_buf_init(&text, IK_LIMIT_TRUST);
	cr_assert_eq(ik_file_read(path, &text, &error), IK_OK, "%s", error.text);
	return ik_buf_take(&text, NULL);
}

static void write_text(const char *text, mode_t mode)
{
	struct ik_error error;

	cr_assert_eq(ik_file_write(path, text, strlen(text), mode, &error), IK_OK);
}

Test(trust, remembers_contents_per_directory)
{
	cr_assert_eq(judge(PLACE, ".ikigai/tools/x", NULL), IK_TRUST_NEW);
	grant(PLACE, PLACE "/.ikigai/tools/x", A);
	cr_assert_eq(judge(PLACE, ".ikigai/tools/x", NULL), IK_TRUST_UNREAD);
	cr_assert_eq(judge(PLACE, ".ikigai/tools/x", A), IK_TRUST_TRUSTED);
	cr_assert_eq(judge(PLACE, ".ikigai/tools/x", B), IK_TRUST_CHANGED);
	cr_assert_eq(judge(PLACE, PLACE "/./.ikigai/tools/x", A), IK_TRUST_TRUSTED);
	cr_assert_eq(judge(PLACE, ".ikigai/tools/y", A), IK_TRUST_NEW);
	cr_assert_eq(judge("/home/me/other", ".ikigai/tools/x", A), IK_TRUST_NEW);
	cr_assert_eq(judge("/home/me", PLACE "/.ikigai/tools/x", A), IK_TRUST_NEW);
}

/* Earlier versions wrote one value over many lines, in place of what they had written before. */
Test(trust, goes_on_after_what_earlier_versions_wrote)
{
	struct ik_trust *trust;
	struct ik_error error;

	write_text("{\n  \"version\": 1,\n  \"directories\": {\n    \"" PLACE "\": {\n"
		"      \"files\": {\n        \"x\": {\n          \"sha256\": \"" A "\",\n"
		"          \"trusted\": \"2026-11-01T08:00:00.000Z\"\n        }\n      }\n    },\n"
		"    \"/tmp/theirs\": {\n      \"never\": true\n    }\n  }\n}\n", 0600);
	cr_assert_eq(judge(PLACE, "x", A), IK_TRUST_TRUSTED);
	grant(PLACE, "x", B);
	grant(PLACE, "y", A);
	cr_assert_eq(judge(PLACE, "x", B), IK_TRUST_TRUSTED);
	cr_assert_eq(judge(PLACE, "y", A), IK_TRUST_TRUSTED);
	trust = open_trust("/tmp/theirs");
	cr_assert(ik_trust_is_refused(trust));
	cr_assert_eq(ik_trust_grant(trust, NULL, 0, true, &error), IK_OK);
	ik_trust_free(trust);
	trust = open_trust("/tmp/theirs");
	cr_assert(!ik_trust_is_refused(trust));
	ik_trust_free(trust);
}

/* What is being written does not count yet; what was cut off is damage once more follows. */
Test(trust, reads_whole_lines)
{
	struct ik_trust *trust;
	struct ik_error error;
	int fd;

	grant(PLACE, "x", A);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	cr_assert_eq(write(fd, "{\"version\":1,\"dir", 18), 18);
	close(fd);
	cr_assert_eq(judge(PLACE, "x", A), IK_TRUST_TRUSTED);
	grant(PLACE, "y", A);
	trust = ik_trust_new(path, PLACE);
	cr_assert_eq(ik_trust_read(trust, &error), IK_INVALID);
	cr_assert_not_null(strstr(error.text, "trust.json:2: "), "%s", error.text);
	cr_assert_eq(ik_trust_judge(trust, "x", A), IK_TRUST_NEW);
	cr_assert_eq(ik_trust_judge(trust, "y", A), IK_TRUST_NEW);
	ik_trust_free(trust);
}

Test(trust, is_kept_for_its_owner_and_for_reading)
{
	struct stat status;
	char *text;

	grant("/home/me/\xff%", "x\x80", A);
	grant(PLACE, "y", B);
	cr_assert_eq(stat(path, &status), 0);
	cr_assert_eq(status.st_mode & 07777, 0600);
	text = contents();
	cr_assert_not_null(strstr(text, "\"/home/me/\uFFFD%\":{\"files\":{\"x\uFFFD\":{"), "%s", text);
	cr_assert_not_null(strstr(text, "\"sha256\":\"" A "\""), "%s", text);
	free(text);
	cr_assert_eq(judge("/home/me/\xff%", "x\x80", A), IK_TRUST_TRUSTED);
}

Test(trust, is_revoked_and_refused_for_one_directory)
{
	struct ik_trust *trust;
	struct ik_error error;

	grant("/one", "x", A);
	grant("/two", "x", A);
	trust = open_trust("/one");
	cr_assert_str_eq(ik_trust_file_at(trust, 0), "x");
	cr_assert_null(ik_trust_file_at(trust, 1));
	cr_assert_eq(ik_trust_refuse(trust, &error), IK_OK);
	cr_assert(ik_trust_is_refused(trust));
	ik_trust_free(trust);
	trust = open_trust("/one");
	cr_assert(ik_trust_is_refused(trust));
	cr_assert_str_eq(ik_trust_file_at(trust, 0), "x", "what was trusted stays so");
	cr_assert_eq(ik_trust_grant(trust, NULL, 0, true, &error), IK_OK);
	cr_assert(!ik_trust_is_refused(trust));
	cr_assert_null(ik_trust_file_at(trust, 0));
	cr_assert_eq(ik_trust_refuse(trust, &error), IK_OK);
	ik_trust_free(trust);
	cr_assert_eq(judge("/two", "x", A), IK_TRUST_TRUSTED);
	grant("/one", "x", A);
	trust = open_trust("/one");
	cr_assert(!ik_trust_is_refused(trust), "who trusts wants to be asked again");
	ik_trust_free(trust);
}

Test(trust, takes_back_what_is_gone_and_keeps_the_time)
{
	const struct ik_trust_file files[] = {{"y", B}};
	struct ik_trust *trust;
	struct ik_error error;
	char *before, *after;

	grant(PLACE, "x", A);
	grant(PLACE, "y", B);
	before = contents();
	trust = open_trust(PLACE);
	cr_assert_eq(ik_trust_grant(trust, files, 1, true, &error), IK_OK);
	cr_assert_str_eq(ik_trust_file_at(trust, 0), "y");
	cr_assert_null(ik_trust_file_at(trust, 1));
	ik_trust_free(trust);
	after = contents();
	cr_assert(ik_text_starts(after, before), "%s", after);
	cr_assert(ik_text_ends(after, "{\"x\":null}}}}\n"), "%s", after);
	free(before);
	free(after);
}

/* Two programs: what the other one wrote meanwhile stays. */
Test(trust, is_merged_with_what_another_wrote)
{
	const struct ik_trust_file files[] = {{"mine", A}};
	struct ik_trust *trust = open_trust(PLACE);
	struct ik_error error;

	grant(PLACE, "theirs", B);
	grant("/elsewhere", "x", A);
	cr_assert_eq(ik_trust_grant(trust, files, 1, false, &error), IK_OK);
	cr_assert_str_eq(ik_trust_file_at(trust, 0), "mine");
	cr_assert_str_eq(ik_trust_file_at(trust, 1), "theirs");
	grant(PLACE, "later", B);
	cr_assert_eq(ik_trust_read(trust, &error), IK_OK);
	cr_assert_str_eq(ik_trust_file_at(trust, 0), "later", "another program's change is seen");
	ik_trust_free(trust);
	cr_assert_eq(judge("/elsewhere", "x", A), IK_TRUST_TRUSTED);
}

Test(trust, many_at_once_lose_nothing)
{
	enum { WRITERS = 4, EACH = 10 };
	struct ik_trust *trust;
	int i, n, status;

	for (i = 0; i < WRITERS; i++) {
		if (fork() != 0)
			continue;
		(void)alarm(60);
		for (n = 0; n < EACH; n++) {
			char *name = ik_format("%d-%d", i, n);

			if (!grant_elsewhere(name))
				_exit(1);
			free(name);
		}
		_exit(0);
	}
	for (i = 0; i < WRITERS; i++) {
		cr_assert_gt(wait(&status), 0);
		cr_assert_eq(status, 0);
	}
	trust = open_trust(PLACE);
	for (i = 0; ik_trust_file_at(trust, (size_t)i) != NULL; i++)
		;
	cr_assert_eq(i, WRITERS * EACH);
	ik_trust_free(trust);
}

Test(trust, puts_a_damaged_file_aside)
{
	static const char *const damaged[] = {
		"{\"version\": 1, \"directories\": {\n", "[]\n", "{\"directories\": {}}", "x\n\n",
		"{\"version\": 1, \"directories\": []}", "{\n",
	};
	size_t i;

	for (i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
		struct ik_trust *trust = ik_trust_new(path, PLACE);
			struct ik_error error;

		write_text(damaged[i], 0600);
		cr_assert_eq(ik_trust_read(trust, &error), IK_INVALID, "%s", damaged[i]);
		cr_assert_not_null(strstr(error.text, "trust.json.damaged-20"), "%s", error.text);
		cr_assert_neq(access(path, F_OK), 0);
		cr_assert_eq(ik_trust_judge(trust, "x", A), IK_TRUST_NEW);
		cr_assert_eq(ik_trust_read(trust, &error), IK_OK, "it is told once");
		ik_trust_free(trust);
	}
	grant(PLACE, "x", A);
	cr_assert_eq(judge(PLACE, "x", A), IK_TRUST_TRUSTED);
}

Test(trust, leaves_alone_what_it_must_not_use)
{
	struct ik_trust *trust = ik_trust_new(path, PLACE);
	const struct ik_trust_file files[] = {{"x", A}};
	struct ik_error error;

	grant(PLACE, "x", A);
	cr_assert_eq(chmod(path, 0622), 0);
	cr_assert_eq(ik_trust_read(trust, &error), IK_DENIED);
	cr_assert_not_null(strstr(error.text, "chmod 600"), "%s", error.text);
	cr_assert_eq(ik_trust_judge(trust, "x", A), IK_TRUST_NEW);
	cr_assert_eq(ik_trust_read(trust, &error), IK_OK, "it is told once");
	cr_assert_eq(ik_trust_judge(trust, "x", A), IK_TRUST_NEW);
	/* What cannot be saved holds for this program. */
	cr_assert_eq(ik_trust_grant(trust, files, 1, false, &error), IK_DENIED);
	cr_assert_eq(ik_trust_judge(trust, "x", A), IK_TRUST_TRUSTED);
	ik_trust_free(trust);

	write_text("{\"version\": 2, \"directories\": {}}", 0600);
	trust = ik_trust_new(path, PLACE);
	cr_assert_eq(ik_trust_read(trust, &error), IK_UNAVAILABLE);
	cr_assert_eq(ik_trust_grant(trust, files, 1, false, &error), IK_UNAVAILABLE);
	cr_assert_eq(access(path, F_OK), 0);
	ik_trust_free(trust);
}

/* What was granted before the file became unusable holds as long as what is granted after it. */
Test(trust, keeps_what_was_granted_when_a_further_grant_cannot_be_saved)
{
	const struct ik_trust_file files[] = {{"y", B}};
	struct ik_trust *trust;
	struct ik_error error;

	grant(PLACE, "x", A);
	trust = open_trust(PLACE);
	cr_assert_eq(chmod(path, 0622), 0);
	cr_assert_eq(ik_trust_grant(trust, files, 1, false, &error), IK_DENIED);
	cr_assert_eq(ik_trust_judge(trust, "x", A), IK_TRUST_TRUSTED);
	cr_assert_eq(ik_trust_judge(trust, "y", B), IK_TRUST_TRUSTED);
	ik_trust_free(trust);
}

Test(trust, trusts_all_for_one_run)
{
	struct ik_trust *trust = ik_trust_new(path, PLACE);

	ik_trust_all(trust);
	cr_assert_eq(ik_trust_judge(trust, "x", NULL), IK_TRUST_TRUSTED);
	ik_trust_free(trust);
	cr_assert_neq(access(path, F_OK), 0);
}
