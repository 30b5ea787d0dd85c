/* Pictures and documents in requests of all four formats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "conversation/attachment.h"
#include "tests/support/request_rules.h"
#include "util/limits.h"

TestSuite(files, .init = asking_begin, .fini = asking_end);

/* What each format makes of a picture, a document, and a picture of a result. */
static const struct {
	const char *type, *model, *blind; /* the latter accepts no files */
	const char *picture, *document, *result;
} rows[] = {
	{ "anthropic", "claude-sonnet-5-5", "claude-2.1",
	  "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"UE5H\"}}",
	  "{\"type\":\"document\",\"source\":{\"type\":\"base64\",\"media_type\":\"application/pdf\","
	  "\"data\":\"UERG\"},\"title\":\"b.pdf\"}",
	  "}\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/jpeg\","
	  "\"data\":\"b25l\"}}]" },
	{ "openai-chat", "gpt-5.1", "gpt-3.5-turbo",
	  "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,UE5H\"}}",
	  "{\"type\":\"file\",\"file\":{\"filename\":\"b.pdf\","
	  "\"file_data\":\"data:application/pdf;base64,UERG\"}}",
	  "{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{"
	  "\"url\":\"data:image/jpeg;base64,b25l\"}},{\"type\":\"image_url\",\"image_url\":{"
	  "\"url\":\"data:image/jpeg;base64,dHdv\"}}" },
	{ "openai-responses", "gpt-5.6-terra", "gpt-3.5-turbo",
	  "{\"type\":\"input_image\",\"detail\":\"auto\",\"image_url\":\"data:image/png;base64,UE5H\"}",
	  "{\"type\":\"input_file\",\"filename\":\"b.pdf\","
	  "\"file_data\":\"data:application/pdf;base64,UERG\"}",
	  "}\"},{\"type\":\"input_image\",\"detail\":\"auto\",\"image_url\":\"data:image/jpeg;base64,b25l\"}]}" },
	{ "google", "gemini-3.8-flash", NULL,
	  "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"UE5H\"}}",
	  "{\"inlineData\":{\"mimeType\":\"application/pdf\",\"data\":\"UERG\"}}",
	  "},\"parts\":[{\"inlineData\":{\"mimeType\":\"image/jpeg\",\"data\":\"b25l\"}}]}}" },
	/* Its results can't have files inside. */
	{ "google", "gemini-2.5-pro", NULL,
	  "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"UE5H\"}}",
	  "{\"inlineData\":{\"mimeType\":\"application/pdf\",\"data\":\"UERG\"}}",
	  "\"parts\":[]}},{\"inlineData\":{\"mimeType\":\"image/jpeg\",\"data\":\"b25l\"}},"
	  "{\"inlineData\":{\"mimeType\":\"image/jpeg\",\"data\":\"dHdv\"}}" },
};
#define ROWS (sizeof rows / sizeof *rows)

/* The body of a request, which breaks no rule. */
static char *good_body(const char *type, const char *model)
{
	struct ik_request request = { .model = model, .conversation = conversation };
	struct ik_tool_definition tool = { "x", "", { NULL, 0 } };
	char *body, *violation;

	request.tools = &tool;
	request.tool_count = 1;
	body = body_of(type, &request);
	violation = request_violation(type, model, body, strlen(body));
	cr_expect_null(violation, "%s: %s\n%s", model, violation, body);
	free(violation);
	return body;
}

static void assert_has(const char *body, const char *wanted)
{
	cr_expect(strstr(body, wanted), "%s\nlacks\n%s", body, wanted);
}

/* The user's two messages before any reply show whether messages are joined. */
static void converse(void)
{
	say(IK_KIND_USER, "before");
	show("look");
	say(IK_KIND_USER, "after");
	call("c1", "x", "{}");
	call("c2", "x", "{}");
	result_with_picture("c1", "one");
	result_with_picture("c2", "two");
	say(IK_KIND_USER, "and now?");
}

Test(files, are_sent_in_each_format)
{
	converse();
	for (size_t i = 0; i < ROWS; i++) {
		char *body = good_body(rows[i].type, rows[i].model);

		assert_has(body, rows[i].picture);
		assert_has(body, rows[i].document);
		assert_has(body, rows[i].result);
		free(body);
	}
}

Test(files, of_a_compatible_server_keep_its_roles_alternating)
{
	char *body;

	converse();
	body = good_body("openai-chat", "qwen2.5-vl-7b");
	assert_has(body, "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"before\"},"
		"{\"type\":\"text\",\"text\":\"look\"},{\"type\":\"image_url\"");
	assert_has(body, "UE5H\"}},{\"type\":\"text\",\"text\":\"[b.pdf is not included: this model does "
		"not accept such files.]\"},{\"type\":\"text\",\"text\":\"after\"}]}");
	assert_has(body, "dHdv\"}},{\"type\":\"text\",\"text\":\"and now?\"}]}]");
	free(body);
	/* Its template wants an answer between results and the user. */
	body = good_body("openai-chat", "mistral-small-latest");
	assert_has(body, "{\"role\":\"assistant\",\"content\":\"(interrupted)\"},{\"role\":\"user\","
		"\"content\":[{\"type\":\"image_url\"");
	free(body);
}

Test(files, are_named_to_a_model_that_does_not_accept_them)
{
	converse();
	for (size_t i = 0; i < ROWS; i++) {
		char *body = rows[i].blind ? good_body(rows[i].type, rows[i].blind) : NULL;

		if (!body)
			continue;
		assert_has(body, "[a.png is not included: this model does not accept such files.]");
		assert_has(body, "[shot is not included: this model does not accept such files.]");
		cr_expect_null(strstr(body, "base64"));
		free(body);
	}
}

Test(files, are_named_if_their_bytes_are_lost)
{
	converse();
	for (size_t at = 0; at < ik_conversation_count(conversation); at++)
		for (size_t i = 0; i < 3; i++)
			ik_message_set_contents(ik_conversation_at(conversation, at), i, NULL);
	for (size_t i = 0; i < ROWS; i++) {
		char *body = good_body(rows[i].type, rows[i].model);

		assert_has(body, "[b.pdf is not included: it is no longer available.]");
		cr_expect_null(strstr(body, "base64"));
		free(body);
	}
}

/* Add a message with a file of so many bytes, as data says. */
static void give_size(size_t bytes)
{
	char data[400];

	snprintf(data, sizeof data, "{\"attached\":[{\"name\":\"n\",\"bytes\":%zu,\"media_type\":"
		"\"image/png\",\"blob\":\"0198c0de-0000-7000-8000-000000000001\"}]}", bytes);
	give(ik_message_new(IK_KIND_USER, "x", 1, data, strlen(data)));
}

Test(files, of_a_long_conversation_are_left_out_many_at_once)
{
	cr_assert_eq(ik_attachments_first(conversation), 0);
	for (size_t i = 0; i < 5; i++) {
		give_size(IK_LIMIT_DOCUMENT / 4);
		cr_expect_eq(ik_attachments_first(conversation), i < 4 ? 0 : 4);
	}
	/* One that is too large alone is sent alone. */
	give_size(2 * IK_LIMIT_DOCUMENT);
	cr_expect_eq(ik_attachments_first(conversation), 5);
	/* Then their number counts. */
	for (size_t i = 0; i < IK_ATTACHMENTS_MOST; i++)
		give_size(1);
	cr_expect_eq(ik_attachments_first(conversation), 6);
	give_size(1);
	cr_expect_eq(ik_attachments_first(conversation), 6 + IK_ATTACHMENTS_MOST);
	/* What was said before a summary is not sent, */
	say(IK_KIND_ASSISTANT, "x");
	give(ik_message_summary(ik_message_command("/compact", ""), NULL, "sum", 3));
	cr_expect_eq(ik_attachments_first(conversation), 9 + IK_ATTACHMENTS_MOST);
	/* except what was asked, which counts. */
	give_size(IK_LIMIT_DOCUMENT / 2);
	give(ik_message_summary(ik_message_notice("", NULL), NULL, "sum", 3));
	cr_expect_eq(ik_conversation_asked(conversation), 9 + IK_ATTACHMENTS_MOST);
	cr_expect_eq(ik_attachments_first(conversation), 11 + IK_ATTACHMENTS_MOST);
	result_with_picture("a", "x");
	cr_expect_eq(ik_attachments_first(conversation), 11 + IK_ATTACHMENTS_MOST);
}
