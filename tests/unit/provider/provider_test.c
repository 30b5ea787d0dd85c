#include "provider/formats.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>


Test(provider, finds_formats)
{
	cr_assert_not_null(ik_wire_format_find("openai-chat"));
	cr_assert_null(ik_wire_format_find("carrier-pigeon"));
	cr_assert_eq(ik_wire_format_at(0), ik_wire_format_find(ik_wire_format_at(0)->type));
	size_t count = 0;
	while (ik_wire_format_at(count))
		count++;
	cr_assert_geq(count, 1);
}

Test(provider, says_where_and_with_what)
{
	const char *const further[] = { "X-Title: ikigai", NULL };
	struct ik_endpoint endpoint = { .base_url = "http://localhost:1/v1",
		.api_key = " key-1\n", .headers = further };
	const struct ik_wire_format *format = ik_wire_format_find("openai-chat");
	char *url = ik_wire_url(format, &endpoint, "m");
	char **headers = ik_wire_headers(format, &endpoint);

	cr_assert_str_eq(url, "http://localhost:1/v1/chat/completions");
	cr_assert_str_eq(headers[0], "Content-Type: application/json");
	cr_assert_str_eq(headers[1], "Accept: text/event-stream");
	cr_assert_str_eq(headers[2], "X-Title: ikigai");
	cr_assert_str_eq(headers[3], "Authorization: Bearer key-1");
	cr_assert_null(headers[4]);
	ik_wire_headers_free(headers);
	free(url);

	endpoint = (struct ik_endpoint){ .base_url = "http://x", .api_key = " " };
	headers = ik_wire_headers(format, &endpoint);
	cr_assert_null(headers[2]);
	ik_wire_headers_free(headers);
	ik_wire_headers_free(NULL);
}

Test(provider, tells_the_model_of_the_envelope)
{
	cr_assert_not_null(strstr(ik_envelope_paragraph(), "tool_success"));
	cr_assert_not_null(strstr(ik_envelope_paragraph(), "limit_reached"));
}
