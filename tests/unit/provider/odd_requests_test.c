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

/* A conversation, one thing after the other: "u" says, "t" replies, "k" thinks, "s" in the
 * system's name, "cID:ARGUMENTS" calls, "rID:ENVELOPE" answers, "/" sums up, "-" says nothing
 * that is sent. "K" and "R" think with data of Anthropic's and of Responses'. */
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
	"uhi|/short|ca:{}|ra:1", "uhi|/short|khm|twell|ugo on", "uhi|-|uwell", "uhi|ca:{}|-|ra:1|-|tdone|-|uwell",
};

static void think(const char *text, char whose)
{
	struct ik_message *message = ik_message_new(IK_KIND_THINKING, text, strlen(text), NULL, 0);

	if (whose == 'K')
		give_opaque(message, "far", "anthropic", "{\"signature\":\"sealed\"}");
	else if (whose == 'R')
		give_opaque(message, "far", "openai-responses", strcmp(text, "hm") == 0 ?
			"{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"x\"}" :
			"{\"type\":\"reasoning\",\"id\":\"rs_2\",\"summary\":[],\"encrypted_content\":\"x\"}");
	else
		give(message);
}

/* One thing of a conversation. */
static void add(const char *word)
{
	const char *text = word + 1;
	char *id = strdup(text), *rest = strrchr(id, ':');

	/* Of arguments the first colon behind the id counts, which may hold some itself. */
	if (*word == 'c' && strchr(id, '{'))
		rest = strchr(id, '{') - 1;
	if (rest)
		*rest++ = '\0';
	switch (*word) {
	case 'u':
		say(IK_KIND_USER, text);
		break;
	case 't':
		say(IK_KIND_ASSISTANT, text);
		break;
	case 's':
		say(IK_KIND_SYSTEM, text);
		break;
	case 'c':
		call(id, "one", rest);
		break;
	case 'r':
		result(id, rest);
		break;
	case '/':
		give(ik_message_summary("/compact", "told", 4, text, strlen(text)));
		break;
	case '-':
		say(IK_KIND_NOTICE, "noticed");
		break;
	default:
		think(text, *word);
		break;
	}
	free(id);
}

static void converse(const char *words)
{
	char *copy = strdup(words), *rest = copy, *word;

	while ((word = strsep(&rest, "|")) != NULL)
		add(word);
	/* The last word is the user's, or a tool's, when something is asked. */
	if (strchr("tkKR-", words[strlen(words) - 1]) == NULL && strstr(words, "|u") == NULL)
		say(IK_KIND_USER, "and now");
	free(copy);
}

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
		converse(conversations[which]);
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
