/*
 * web_search_test: searches of the web by the provider, as they are requested, read and sent back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "reading.h"
#include "tests/support/request_rules.h"
#include "util/alloc.h"
#include "util/text.h"

TestSuite(web_search, .init = asking_begin, .fini = asking_end);

#define EVENT(name, members) "data: {\"type\":\"" name "\"" members "}\n\n"
#define BLOCK(index, block) EVENT("content_block_start", ",\"index\":" index ",\"content_block\":" block)
#define DELTA(index, delta) EVENT("content_block_delta", ",\"index\":" index ",\"delta\":" delta)
#define END(index) EVENT("content_block_stop", ",\"index\":" index)
#define STOP(reason) EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"" reason "\"}," \
	"\"usage\":{\"output_tokens\":20,\"server_tool_use\":{\"web_search_requests\":1}}") \
	EVENT("message_stop", "")
#define USE "{\"type\":\"server_tool_use\",\"id\":\"s1\",\"name\":\"web_search\",\"input\":"
#define FOUND "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s1\",\"content\":[{\"type\":" \
	"\"web_search_result\",\"url\":\"https://a.example/\",\"title\":\"A\"," \
	"\"encrypted_content\":\"e\",\"page_age\":null}]}"
#define CITED(url, title) "{\"type\":\"web_search_result_location\",\"url\":\"" url "\",\"title\":\"" \
	title "\",\"encrypted_index\":\"i\",\"cited_text\":\"t\"}"

static const char *const searched = BLOCK("0", USE "{}}")
	DELTA("0", "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"query\\\":\"}")
	DELTA("0", "{\"type\":\"input_json_delta\",\"partial_json\":\"\\\"sun\\\"}\"}") END("0")
	BLOCK("1", FOUND) END("1")
	BLOCK("2", "{\"type\":\"text\",\"text\":\"\"}")
	DELTA("2", "{\"type\":\"text_delta\",\"text\":\"Hot.\"}")
	DELTA("2", "{\"type\":\"citations_delta\",\"citation\":" CITED("https://a.example/", "A*") "}")
	END("2") BLOCK("3", "{\"type\":\"text\",\"text\":\" Yes.\"}") END("3") STOP("end_turn");

Test(web_search, is_read_from_anthropic)
{
	assert_reads("anthropic", searched,
		"search: \nsearch: sun\nopaque anthropic of search -1: {\"blocks\":[" USE
		"{\"query\":\"sun\"}}," FOUND "]}\n"
		"text: Hot.\nsource: https://a.example/ A*\ntext:  [1] Yes.\nusage: 0 20 0 0 searches 1\n"
		"text: \n\nSources:\n\n1. A\\* <https://a.example/>\n\n"
		"opaque anthropic of text -1: {\"blocks\":[{\"type\":\"text\",\"text\":\"Hot.\",\"citations\":["
		CITED("https://a.example/", "A*") "]},{\"type\":\"text\",\"text\":\" Yes.\"}]}\n"
		"stop: end");
}

Test(web_search, that_is_paused_is_continued)
{
	/* The answer comes in the next reply. */
	assert_reads("anthropic", BLOCK("0", USE "{\"query\":\"sun\"}}") END("0") STOP("pause_turn"),
		"search: \nsearch: sun\nusage: 0 20 0 0 searches 1\n"
		"opaque anthropic of search -1: {\"pending\":true,\"blocks\":[" USE "{\"query\":\"sun\"}}]}\n"
		"stop: paused");
	assert_reads("anthropic", BLOCK("0", FOUND) END("0") STOP("end_turn"),
		"opaque anthropic of search -1: {\"blocks\":[" FOUND "]}\nusage: 0 20 0 0 searches 1\n"
		"stop: end");
	/* Without a pause there is none, so the call cannot be sent back. */
	assert_reads("anthropic", BLOCK("0", USE "{\"query\":\"sun\"}}") END("0") STOP("max_tokens"),
		"search: \nsearch: sun\nusage: 0 20 0 0 searches 1\nstop: length");
}

/* What cannot be stored as JSON is not to be sent back. */
Test(web_search, that_is_nested_too_deep_is_not_sent_back)
{
	enum { DEPTH = 510 };
	char open[DEPTH + 1], close[DEPTH + 1];
	char *body, *told;

	memset(open, '[', DEPTH);
	memset(close, ']', DEPTH);
	open[DEPTH] = close[DEPTH] = '\0';
	body = ik_format(BLOCK("0", "{\"type\":\"text\",\"text\":\"Hot.\"}")
		DELTA("0", "{\"type\":\"citations_delta\",\"citation\":%s%s}") END("0") STOP("end_turn"),
		open, close);
	told = read_body("anthropic", body, strlen(body), 0);
	cr_expect_str_eq(told, "text: Hot.\nusage: 0 20 0 0 searches 1\nstop: end");
	free(told);
	free(body);
}

Test(web_search, that_fails_is_reported)
{
	assert_reads("anthropic", BLOCK("0", USE "{\"query\":\"sun\"}}") END("0")
		BLOCK("1", "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s1\",\"content\":{"
			"\"type\":\"web_search_tool_result_error\",\"error_code\":\"max_uses_exceeded\"}}")
		END("1") STOP("end_turn"),
		"search: \nsearch: sun\n"
		"notice: The provider's search of the web failed (max_uses_exceeded).\n"
		"opaque anthropic of search -1: {\"blocks\":[" USE "{\"query\":\"sun\"}},"
		"{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s1\",\"content\":{"
		"\"type\":\"web_search_tool_result_error\",\"error_code\":\"max_uses_exceeded\"}}]}\n"
		"usage: 0 20 0 0 searches 1\nstop: end");
}

#define CALL "{\"type\":\"web_search_call\",\"id\":\"ws_1\",\"status\":\"completed\"," \
	"\"action\":{\"type\":\"search\",\"query\":\"sun\"}}"
#define MESSAGE "{\"type\":\"message\",\"id\":\"msg_1\",\"status\":\"completed\",\"role\":\"assistant\"," \
	"\"content\":[{\"type\":\"output_text\",\"text\":\"Hot.\",\"annotations\":[{\"type\":" \
	"\"url_citation\",\"url\":\"https://a.example/x y\",\"title\":\"A\\nB\",\"start_index\":0," \
	"\"end_index\":4},{\"type\":\"url_citation\",\"url\":\"javascript:x\",\"title\":\"\"}]}]}"

Test(web_search, is_read_from_responses)
{
	assert_reads("openai-responses",
		EVENT("response.output_item.added", ",\"output_index\":0,\"item\":{\"type\":"
			"\"web_search_call\",\"id\":\"ws_1\",\"status\":\"in_progress\"}")
		EVENT("response.web_search_call.in_progress", ",\"output_index\":0")
		EVENT("response.web_search_call.searching", ",\"output_index\":0")
		EVENT("response.web_search_call.completed", ",\"output_index\":0")
		EVENT("response.output_item.done", ",\"output_index\":0,\"item\":" CALL)
		EVENT("response.output_text.delta", ",\"output_index\":1,\"delta\":\"Hot.\"")
		EVENT("response.output_text.annotation.added", ",\"output_index\":1,\"annotation\":{"
			"\"type\":\"url_citation\",\"url\":\"https://a.example/x y\",\"title\":\"A\\nB\"}")
		EVENT("response.output_item.done", ",\"output_index\":1,\"item\":" MESSAGE)
		EVENT("response.completed", ",\"response\":{\"status\":\"completed\",\"output\":[],"
			"\"usage\":{\"input_tokens\":9,\"output_tokens\":7}}"),
		"search: \nsearch: sun\nopaque openai-responses of search -1: " CALL "\n"
		"text: Hot.\nsource: https://a.example/x y A\nB\ntext: \n\nSources:\n\n1. A B <https://a.example/x%20y>\n\n"
		"opaque openai-responses of text -1: {\"item\":" MESSAGE "}\n"
		"usage: 9 7 0 0 searches 1\nstop: end");
}

Test(web_search, is_read_from_chat)
{
	assert_reads("openai-chat",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hot.\"}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"annotations\":[{\"type\":\"url_citation\","
		"\"url_citation\":{\"url\":\"https://a.example/\",\"title\":\"A\"}}]},"
		"\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2,"
		"\"server_tool_use\":{\"web_search_requests\":3}}}\n\ndata: [DONE]\n\n",
		"text: Hot.\nsource: https://a.example/ A\ntext: \n\nSources:\n\n1. A <https://a.example/>\n\n"
		"opaque openai-chat of text -1: {\"sources\":38}\nusage: 1 2 0 0 searches 3\nstop: end");
}

#define TOOL_CALL "{\"toolCall\":{\"toolType\":\"GOOGLE_SEARCH_WEB\",\"id\":\"t1\",\"args\":{" \
	"\"queries\":[\"sun\"]}},\"thoughtSignature\":\"sig\"}"
#define TOOL_RESPONSE "{\"toolResponse\":{\"toolType\":\"GOOGLE_SEARCH_WEB\",\"id\":\"t1\"," \
	"\"response\":{}},\"thoughtSignature\":\"sig\"}"

Test(web_search, is_read_from_google)
{
	assert_reads("google",
		"data: {\"candidates\":[{\"content\":{\"parts\":[" TOOL_CALL "]}}]}\n\n"
		"data: {\"candidates\":[{\"content\":{\"parts\":[" TOOL_RESPONSE ",{\"text\":\"Hot.\","
		"\"thoughtSignature\":\"end\"}]}}]}\n\n"
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"STOP\","
		"\"groundingMetadata\":{\"webSearchQueries\":[\"sun\",\"heat\"],\"groundingChunks\":[{\"web\":"
		"{\"uri\":\"https://a.example/\",\"title\":\"A\"}},{\"maps\":{}}]}}],\"usageMetadata\":{"
		"\"promptTokenCount\":4,\"candidatesTokenCount\":5}}\n\n",
		"search: sun\nopaque google of search -1: {\"parts\":[" TOOL_CALL "," TOOL_RESPONSE "]}\n"
		"text: Hot.\nopaque google of text -1: {\"thoughtSignature\":\"end\"}\n"
		"source: https://a.example/ A\nusage: 4 5 0 0 searches 2\ntext: \n\nSources:\n\n1. A <https://a.example/>\n\n"
		"opaque google of text -1: {\"thoughtSignature\":\"end\",\"sources\":38}\nstop: end");
	/* After a call, a text would be another message. */
	assert_reads("google",
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hot.\"},{\"functionCall\":{"
		"\"name\":\"one\",\"args\":{}}}]},\"finishReason\":\"STOP\",\"groundingMetadata\":{"
		"\"groundingChunks\":[{\"web\":{\"uri\":\"https://a.example/\",\"title\":\"A\"}}]}}]}\n\n",
		"text: Hot.\ncall 0: id=- name=one\narguments 0: {}\n"
		"source: https://a.example/ A\nnotice: Sources:\n\n1. A <https://a.example/>\n\nstop: tool_calls");
}

/* ---- requests ---- */

static const char listed[] = "Hot.\n\nSources:\n\n1. A <https://a.example/>\n";

/* A reply with a search, and a text that cites what it found. */
static void say_searched(const char *type, const char *search, const char *text)
{
	static const char data[] = "{\"search\":true}", line[] = "Searched the web: sun";

	say(IK_KIND_USER, "How is the sun?");
	give_opaque(ik_message_new(IK_KIND_THINKING, line, strlen(line), data, strlen(data)), "p", type,
		search);
	give_opaque(ik_message_new(IK_KIND_ASSISTANT, listed, strlen(listed), NULL, 0), "p", type, text);
	say(IK_KIND_USER, "And the moon?");
}

/* Assert what a request with a tool contains, with a search (or not), and that the service would
 * accept it. */
static void assert_asks(const char *type, const char *model, const char *url, bool search,
	const char *const *wanted)
{
	const struct ik_endpoint endpoint = { .provider = "p", .base_url = url, .web_search = search };
	const struct ik_tool_definition tool = { "one", "First", { NULL, 0 } };
	const struct ik_request request = { .model = model, .endpoint = &endpoint, .tools = &tool,
		.tool_count = 1, .conversation = conversation };
	char *body = body_of(type, &request);
	char *violation = request_violation(type, model, body, strlen(body));

	cr_assert_null(violation, "%s\n%s", violation, body);
	for (; *wanted; wanted++) {
		bool unwanted = **wanted == '!';

		cr_expect_eq(!strstr(body, *wanted + unwanted), unwanted, "%s in\n%s", *wanted, body);
	}
	free(body);
}
#define WANT(...) (const char *const[]){ __VA_ARGS__, NULL }
#define PLAIN "How is the sun?"

Test(web_search, is_asked_of_anthropic)
{
	static const char tool[] = "\"tools\":[{\"type\":\"web_search_20260318\",\"name\":\"web_search\","
		"\"allowed_callers\":[\"direct\"]},{\"name\":\"one\"";
	const char *blocks = "{\"type\":\"text\",\"text\":\"Hot.\",\"citations\":[" CITED("https://a.example/", "A")
		"]}";

	/* What was found is no thinking, which is bound to a model. */
	say_searched("anthropic", "{\"blocks\":[" USE "{\"query\":\"sun\"}}," FOUND "]}",
		"{\"blocks\":[{\"type\":\"text\",\"text\":\"Hot.\",\"citations\":["
		CITED("https://a.example/", "A") "]},{\"type\":\"text\",\"text\":\" \"}]}");
	assert_asks("anthropic", "claude-sonnet-5-5", "https://x", true,
		WANT(tool, USE "{\"query\":\"sun\"}}," FOUND, blocks, "!Sources", "!\"text\":\" \""));
	assert_asks("anthropic", "claude-sonnet-4-5", "https://x", true, WANT("web_search_20250305"));
	/* Without a search, the pages stay as text. */
	assert_asks("anthropic", "claude-sonnet-5-5", "https://x", false,
		WANT("!web_search", "!citations", "Sources"));
	assert_asks("google", "gemini-3-flash", "https://x", true, WANT("Sources", "!server_tool_use"));
}

Test(web_search, without_an_answer_is_only_sent_to_get_it)
{
	static const char pending[] = "{\"pending\":true,\"blocks\":[" USE "{\"query\":\"sun\"}}]}";
	static const char data[] = "{\"search\":true}";

	say(IK_KIND_USER, PLAIN);
	give_opaque(ik_message_new(IK_KIND_THINKING, "x", 1, data, strlen(data)), "p", "anthropic",
		pending);
	say(IK_KIND_USAGE, "");
	assert_asks("anthropic", "claude-sonnet-5-5", "https://x", true, WANT("server_tool_use"));
	assert_asks("openai-chat", "m", "https://x", true, WANT(PLAIN, "!assistant"));
	assert_asks("google", "gemini-3-flash", "https://x", true, WANT(PLAIN, "!\"model\""));
	assert_asks("openai-responses", "m", "https://x", true, WANT(PLAIN));
	say(IK_KIND_USER, "Well?");
	assert_asks("anthropic", "claude-sonnet-5-5", "https://x", true, WANT("!server_tool_use"));
}

Test(web_search, is_asked_of_openai)
{
	say_searched("openai-responses", CALL, "{\"item\":" MESSAGE "}");
	assert_asks("openai-responses", "gpt-5.6-terra", "https://api.openai.com/v1", true,
		WANT("{\"type\":\"web_search\"}]", CALL "," MESSAGE, "!Sources"));
	/* The reasoning before it may be left out, which it is refused without. */
	assert_asks("openai-responses", "gpt-4.1", "https://api.openai.com/v1", true,
		WANT("{\"type\":\"web_search\"}]", "Sources", "!ws_1", "!msg_1"));
	assert_asks("openai-responses", "gpt-4.1-nano", "https://api.openai.com/v1", true,
		WANT("!\"web_search\""));
	assert_asks("openai-chat", "gpt-5.6-terra", "https://api.openai.com/v1", true,
		WANT("Sources", "!web_search"));
	assert_asks("openai-chat", "gpt-5-search-api", "https://api.openai.com/v1", true,
		WANT("\"web_search_options\":{}"));
	assert_asks("openai-chat", "z-ai/glm-5", "https://openrouter.ai/api/v1", true,
		WANT("{\"type\":\"openrouter:web_search\"}]"));
	assert_asks("openai-chat", "z-ai/glm-5", "https://elsewhere/v1", true, WANT("!web_search"));
}

Test(web_search, list_is_not_sent_back)
{
	say_searched("openai-chat", "{}", "{\"sources\":38}");
	assert_asks("openai-chat", "m", "https://x", false, WANT("\"Hot.\"", "!Sources"));
}

Test(web_search, is_asked_of_google)
{
	say_searched("google", "{\"parts\":[" TOOL_CALL "," TOOL_RESPONSE "]}",
		"{\"thoughtSignature\":\"end\",\"sources\":38}");
	assert_asks("google", "gemini-3.8-flash", "https://x", true,
		WANT("\"googleSearch\":{}}]", "\"includeServerSideToolInvocations\":true",
			TOOL_CALL "," TOOL_RESPONSE ",{\"text\":\"Hot.\",\"thoughtSignature\":\"end\"}",
			"!Sources"));
	assert_asks("google", "gemini-2.5-flash", "https://x", true,
		WANT("!googleSearch", "!toolConfig"));
	assert_asks("google", "gemini-3.8-flash", "https://x", false,
		WANT("!googleSearch", "!toolCall"));
}
