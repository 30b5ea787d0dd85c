/*
 * Conversations such as cuts, damage and odd servers leave behind, asked about in each
 * format, with tools and without: no service may refuse them.
 */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "tests/support/request_rules.h"

TestSuite(odd_requests, .init = asking_begin, .fini = asking_end);

#define LONG "0123456789012345678901234567890123456789012345678901234567890123456789"

static const char *const conversations[] = {
	"uhi",
	"u", "u \n", "uhi|u \t|uwell", "uhi|t|ugo on", "uhi|t \n|ugo on", "s|uhi", "s \n|uhi", "smind|uhi",
	"thello|uhi", "ca:{}|ra:1|uhi", "khm|uhi", "ra:1|uhi",
	"uhi|khm|uwell", "uhi|khm|twell|khm|ugo on", "uhi|Khm|ugo on", "uhi|Rhm|ugo on",
	"uhi|Khm|t |ugo on", "uhi|Rhm|t |ugo on", "uhi|Rhm|t|ugo on", "uhi|tone|Khm|Kmore|ttwo|ugo on",
	"uhi|Khm|ca:{}|ra:1", "uhi|Rhm|ca:{}|ra:1", "uhi|Rhm|Rmore|ca:{}|khm|cb:{}|ra:1|rb:2",
	"uhi|ca:{}|ra:1|Khm|cb:{}|rb:2", "uhi|Khm|ca:{}|ra:1|cb:{}|rb:2",
	"uhi|ca:{}|ugo on", "uhi|ca:{}|cb:{}|rb:2|ugo on", "uhi|ca:{}|cb:{}|rb:2|ra:1",
	"uhi|ca:{}|ugo on|ra:1|uand", "uhi|ca:{}|tone|ttwo|ra:1|ugo on",
	"uhi|ca:|ra:1", "uhi|ca: |ra:1", "uhi|ca:{\"te|ra:1", "uhi|ca:[1]|ra:1", "uhi|ca:\"x\"|ra:1",
	"uhi|ca:null|ra:1", "uhi|ca:{\"x\":\"\\ud800\"}|ra:1", "uhi|ca:{} {}|ra:1", "uhi|ca:{\"x\":1e999}|ra:1",
	"uhi|ca:{\"x\":\"\\u0000\"}|ra:1", "uhi|ca:{}|ra:", "uhi|ca:{}|ra:\xff\xfe",
	"uhi|c/functions.glob:0:{}|r/functions.glob:0:1", "uhi|cfunctions glob\"\\:{}|rfunctions glob\"\\:1",
	"uhi|c" LONG ":{}|r" LONG ":1",
	"uhi|tone|ttwo|ugo on", "u\xed\xa0\x80|t\xff|ugo on",
	"uhi|thello|/short|ugo on", "uhi|ca:{}|/short|ra:1|ugo on", "uhi|/|ugo on", "/short",
	"uhi|Khm|ca:{}|ra:1|Kmore|cb:{}|rb:2|~4short|Knew|cd:{}|rd:3", "uhi|ca:{}|ra:1|tx|~3short|ugo on",
	"uhi|ca:{}|ra:1|ugo on|~3short", "uhi|Vhm:{}|rhm:1|Vmo:{}|rmo:2|~3short|Vnew:{}|rnew:3",
	"uhi|Rhm|ca:{}|ra:1|Rmo|cb:{}|rb:2|~4short|~4shorter|cd:{}|rd:3|~6all",
	"uhi|/short|ca:{}|ra:1", "uhi|/short|khm|twell|ugo on", "uhi|-|uwell", "uhi|ca:{}|-|ra:1|-|tdone|-|uwell",
};

static void judge(const struct ik_request *request, const char *type, const char *words)
{
	char *body = body_of(type, request);
	char *violation = request_violation(type, request->model, body, strlen(body));

	cr_expect_null(violation, "%s, %zu tools, of %s: %s\n%s", type, request->tool_count, words,
		violation, body);
	free(violation);
	free(body);
}

Test(odd_requests, are_such_as_services_take)
{
	static const struct {
		const char *type, *model, *url;
	} asked[] = {
		{ "openai-chat", "m", "http://127.0.0.1/v1" },
		{ "openai-chat", "gpt-5", "https://api.openai.com/v1" },
		{ "openai-responses", "gpt-5", "https://api.openai.com/v1" },
		{ "anthropic", "claude-sonnet-4-5", "https://api.anthropic.com" },
		{ "google", "gemini-3-pro", "https://generativelanguage.googleapis.com" },
	};
	static const struct ik_tool_definition tools[] = { { "one", "First", { NULL, 0 } },
		{ "two", "Second", { NULL, 0 } } };

	for (size_t which = 0; which < sizeof conversations / sizeof *conversations; which++) {
		asking_end();
		asking_begin();
		tell(conversations[which]);
		for (size_t at = 0; at < sizeof asked / sizeof *asked; at++) {
			/* Of the provider that left its data there, and of another; with tools, with
			 * none any more, and with those that may not be called. */
			for (int way = 0; way < 12; way++) {
				struct ik_endpoint endpoint = { .provider = way % 2 ? "far" : "near",
					.base_url = asked[at].url };

				judge(&(struct ik_request){
					.model = asked[at].model, .endpoint = &endpoint,
					.conversation = conversation, .system_prompt = way < 6 ? "s" : NULL,
					.tools = tools, .tool_count = way / 2 % 3 ? 2 : 0,
					.forbid_calls = way / 2 % 3 == 2,
					.thinking = way % 3 ? IK_THINKING_HIGH : IK_THINKING_UNSET,
				}, asked[at].type, conversations[which]);
			}
		}
	}
}
