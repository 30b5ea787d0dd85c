#include <stdlib.h>

#include <criterion/criterion.h>

#include "util/limits.h"
#include "util/redact.h"

TestSuite(redact, .fini = ik_secrets_forget);

static void assert_redacted(const char *address, const char *wanted)
{
	char *got = ik_redact(address);

	cr_assert_str_eq(got, wanted);
	free(got);
}

Test(redact, hides_what_is_secret_in_addresses)
{
	assert_redacted("https://host/v1", "https://host/v1");
	assert_redacted("https://me:secret@host/v1", "https://me:***@host/v1");
	assert_redacted("postgresql://me:a/b@host/db?sslpassword=x&a=b",
		"postgresql://me:***@host/db?sslpassword=***&a=b");
	assert_redacted("host=h password='a b' user=u", "host=h password=*** user=u");
	assert_redacted("https://host/v1?key=abc&api-key=def&alt=sse&access_token=#x",
		"https://host/v1?key=***&api-key=***&alt=sse&access_token=***#x");
	assert_redacted("https://host/v1?monkey=abc", "https://host/v1?monkey=abc");
	cr_assert_null(ik_redact(NULL));
}

static void assert_hidden(const char *text, const char *wanted)
{
	struct ik_buf buf;

	ik_buf_init(&buf, IK_KIB(4));
	ik_buf_puts(&buf, text);
	ik_secrets_hide(&buf);
	cr_assert_str_eq(buf.data, wanted);
	ik_buf_done(&buf);
}

Test(redact, hides_known_secrets_in_any_encoding)
{
	assert_hidden("sk-a/b+c-12345", "sk-a/b+c-12345");
	ik_secret_know("sk-a/b+c-12345");
	ik_secret_know("short");
	ik_secret_know(NULL);
	ik_secret_know_address("http://me:password-9@host/v1");
	ik_secret_know_address("http://host/v1");
	assert_hidden("", "");
	assert_hidden("sk-a/b+c-12345", "***");
	assert_hidden("a sk-a/b+c-12345, sk-a/b+c-12345sk-a/b+c-12345.", "a ***, ******.");
	assert_hidden("?k=sk-a%2Fb%2Bc-12345&", "?k=***&");
	assert_hidden("base64 c2stYS9iK2MtMTIzNDU= of it", "base64 ***NDU= of it");
	assert_hidden("short password-9", "short ***");
	ik_secrets_forget();
	assert_hidden("password-9", "password-9");
}
