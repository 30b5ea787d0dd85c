#include "util/sha256.h"

#include <string.h>

#include <criterion/criterion.h>

/* FIPS 180-4's own examples, and that of sha256sum(1) for nothing. */
static const struct {
	const char *text, *digest;
} rows[] = {
	{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

Test(sha256, gives_the_known_digests)
{
	char digest[IK_SHA256_TEXT];
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		ik_sha256_of(rows[i].text, strlen(rows[i].text), digest);
		cr_assert_str_eq(digest, rows[i].digest);
	}
}

Test(sha256, reads_files)
{
	char digest[IK_SHA256_TEXT];
	struct ik_error error;

	cr_assert_eq(ik_sha256_of_file("/dev/null", digest, &error), IK_INVALID);
	cr_assert_eq(ik_sha256_of_file("/nonexistent", digest, &error), IK_NOT_FOUND);
	cr_assert_eq(ik_sha256_of_file("/proc/self/comm", digest, &error), IK_OK);
}

Test(sha256, takes_pieces)
{
	char digest[IK_SHA256_TEXT];
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct ik_sha256 *sum = ik_sha256_new();
		const char *at;

		for (at = rows[i].text; *at != '\0'; at++)
			ik_sha256_add(sum, at, 1);
		ik_sha256_end(sum, digest);
		cr_assert_str_eq(digest, rows[i].digest);
		cr_assert_null(ik_sha256_free(sum));
	}
	cr_assert_null(ik_sha256_free(NULL));
}
