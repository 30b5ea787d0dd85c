#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/request_rules.h"

/* A request that breaks a rule, and words of what is said of it; NULL: it is good. */
struct row {
	const char *body, *violation;
};

static void check_rows(const char *type, const char *model, const struct row *rows, size_t count)
{
	for (size_t at = 0; at < count; at++) {
		char *got = request_violation(type, model, rows[at].body, strlen(rows[at].body));

		if (rows[at].violation)
			cr_expect(got && strstr(got, rows[at].violation), "%s\nis not found to be \"%s\": %s",
				rows[at].body, rows[at].violation, got ? got : "it is good");
		else
			cr_expect_null(got, "%s\nis good, but: %s", rows[at].body, got);
		free(got);
	}
}
#define CHECK_ROWS(type, model, rows) check_rows(type, model, rows, sizeof rows / sizeof *rows)

#define U "{\"role\":\"user\",\"content\":\"hi\"}"

#define SAID "{\"role\":\"assistant\",\"content\":\"x\"}"
#define CHAT(messages) "{\"model\":\"gpt-5\",\"messages\":[" messages "]}"
#define CHAT_CALL(id, name, arguments) "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{" \
	"\"name\":\"" name "\",\"arguments\":\"" arguments "\"}}"
#define CALLS(calls) "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" calls "]}"
#define TOOL(id) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"{}\"}"
#define AB CALLS(CHAT_CALL("a", "x", "{}") "," CHAT_CALL("b", "x", "{}"))

Test(request_rules, of_chat)
{
	static const struct row rows[] = {
		{ CHAT(U), NULL },
		{ CHAT("{\"role\":\"system\",\"content\":\"s\"}," U "," AB "," TOOL("b") "," TOOL("a") "," U),
		  NULL },
		{ "[]", "no object" },
		{ "{\"model\":\"m\",", "no JSON" },
		{ "{\"messages\":[" U "]}", "model: field required" },
		{ "{\"model\":\"m\"}", "messages: field required" },
		{ "{\"model\":\"m\",\"messages\":[" U "," U "]}", "must alternate" },
		{ "{\"model\":\"m\",\"messages\":[" U "," SAID "," SAID "," U "]}", "must alternate" },
		{ CHAT(U "," U "," SAID "," SAID "," U), NULL },
		{ CHAT(""), "last role" },
		{ CHAT(U ",{\"role\":\"assistant\",\"content\":\"x\"}"), "last role" },
		{ CHAT("{\"role\":\"assistant\",\"content\":\"x\"}," U), "first word" },
		{ CHAT("{\"role\":\"narrator\",\"content\":\"x\"}"), "no such role" },
		{ CHAT("{\"role\":\"user\",\"content\":null}"), "content must be a text" },
		{ CHAT("{\"role\":\"user\",\"content\":\"\"}"), "content must be a text" },
		{ CHAT(U ",{\"role\":\"assistant\",\"content\":null}," U), "content or tool_calls" },
		{ CHAT(U ",{\"role\":\"assistant\",\"content\":5,\"tool_calls\":[]}," U), "text or null" },
		{ CHAT(U "," CALLS("") "," U), "[] is too short" },
		{ CHAT(U "," AB "," TOOL("a") "," U), "followed by tool messages" },
		{ CHAT(U "," AB "," TOOL("a")), "at the end" },
		{ CHAT(U "," AB "," U "," TOOL("a") "," TOOL("b")), "followed by tool messages" },
		{ CHAT(U "," AB "," TOOL("a") "," TOOL("b") "," TOOL("b")), "response to a preceding" },
		{ CHAT(U "," TOOL("a")), "response to a preceding" },
		{ CHAT(U "," CALLS(CHAT_CALL("a", "x", "{}") "," CHAT_CALL("a", "x", "{}")) "," TOOL("a")),
		  "two calls" },
		{ CHAT(U "," CALLS(CHAT_CALL("", "x", "{}")) "," TOOL("")), "1 to 40" },
		{ CHAT(U "," CALLS(CHAT_CALL("12345678901234567890123456789012345678901", "x", "{}"))),
		  "1 to 40" },
		{ CHAT(U "," CALLS(CHAT_CALL("a", "x y", "{}")) "," TOOL("a")), "pattern" },
		{ CHAT(U "," CALLS(CHAT_CALL("a", "", "{}")) "," TOOL("a")), "pattern" },
		{ CHAT(U "," CALLS(CHAT_CALL("a", "x", "{\\\"n\\\":")) "," TOOL("a")), "JSON of an object" },
		{ CHAT(U "," CALLS(CHAT_CALL("a", "x", "[]")) "," TOOL("a")), "JSON of an object" },
		{ CHAT(U "," CALLS("{\"id\":\"a\"}") "," TOOL("a")), "type function" },
		{ CHAT(U "," CALLS(CHAT_CALL("a", "x", "{}")) ",{\"role\":\"tool\",\"tool_call_id\":\"a\"}"),
		  "content of a result" },
		{ "{\"model\":\"m\",\"messages\":[" U "],\"tools\":[]}", "too short" },
		{ "{\"model\":\"m\",\"messages\":[" U "],\"tool_choice\":\"none\"}", "tool_choice" },
		{ "{\"model\":\"m\",\"messages\":[" U "],\"max_tokens\":1,\"max_completion_tokens\":1}",
		  "both" },
		{ "{\"model\":\"m\",\"messages\":[" U "],\"stream_options\":{}}", "stream_options" },
	};

	CHECK_ROWS("openai-chat", NULL, rows);
}

#define INPUT(items) "{\"model\":\"m\",\"store\":false,\"input\":[" items "]}"
#define FC(id) "{\"type\":\"function_call\",\"call_id\":\"" id "\",\"name\":\"x\",\"arguments\":\"{}\"}"
#define FO(id) "{\"type\":\"function_call_output\",\"call_id\":\"" id "\",\"output\":\"{}\"}"
#define RS(id) "{\"type\":\"reasoning\",\"id\":\"" id "\",\"summary\":[],\"encrypted_content\":\"s\"}"
#define SAID "{\"role\":\"assistant\",\"content\":\"x\"}"
#define TOOLS(tools) "{\"model\":\"m\",\"input\":[" U "],\"tools\":[" tools "]}"

Test(request_rules, of_responses)
{
	static const struct row rows[] = {
		{ INPUT(U), NULL },
		{ INPUT(U "," RS("r1") "," RS("r2") "," FC("a") "," FC("b") "," FO("b") "," FO("a")), NULL },
		{ INPUT(U "," RS("r1") "," SAID "," U), NULL },
		{ "{\"model\":\"m\"}", "input: field required" },
		{ INPUT(""), "nothing is asked" },
		{ INPUT(U "," SAID), "nothing is asked" },
		{ INPUT(U "," FC("a") "," U), "No tool output found" },
		{ INPUT(U "," FO("a")), "No tool call found" },
		{ INPUT(U "," FC("a") "," FO("a") "," FO("a")), "No tool call found" },
		{ INPUT(U "," FC("a") "," FO("a") "," FC("a") "," FO("a")), "two calls" },
		{ INPUT(U "," FC("a b") "," FO("a b")), "call_id" },
		{ INPUT(U "," RS("r1") "," U), "required following item" },
		{ INPUT(U "," FC("a") "," RS("r1") "," FO("a")), "required following item" },
		{ INPUT(U "," RS("r1")), "at the end" },
		{ INPUT(U "," RS("r1") "," SAID "," RS("r1") "," SAID "," U), "Duplicate item" },
		{ INPUT(U "," RS("") "," SAID "," U), "id: field required" },
		{ INPUT(U ",{\"type\":\"reasoning\",\"id\":\"r\"}," SAID "," U), "summary" },
		{ INPUT(U ",{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[]}," SAID "," U),
		  "not persisted" },
		{ "{\"model\":\"m\",\"input\":[" U ",{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[]},"
		  SAID "," U "]}", NULL },
		{ INPUT(U ",{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[],\"encrypted_content\":\"s\","
		  "\"status\":null}," SAID "," U), "status" },
		{ INPUT(U ",{\"type\":\"riddle\"}," U), "no such item" },
		{ INPUT("{\"role\":\"tool\",\"content\":\"x\"}," U), "no such role" },
		{ INPUT("{\"role\":\"user\",\"content\":null}"), "must be a text" },
		{ INPUT(U ",{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"\",\"arguments\":\"{}\"},"
		  FO("a")), "pattern" },
		{ INPUT(U ",{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"x\",\"arguments\":\"{\"},"
		  FO("a")), "JSON of an object" },
		{ INPUT(U "," FC("a") ",{\"type\":\"function_call_output\",\"call_id\":\"a\"}"), "output" },
		{ TOOLS("{\"type\":\"function\",\"name\":\"x\",\"parameters\":{\"type\":\"object\"},"
		  "\"strict\":false}"), NULL },
		{ TOOLS("{\"type\":\"function\",\"name\":\"x\",\"parameters\":{\"type\":\"object\"}}"),
		  "strict must be said" },
		{ TOOLS("{\"type\":\"function\",\"name\":\"x\",\"strict\":true,\"parameters\":{"
		  "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
		  "\"additionalProperties\":false,\"required\":[]}}"), "every property is required" },
		{ TOOLS("{\"type\":\"function\",\"name\":\"x\",\"strict\":true,\"parameters\":{"
		  "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
		  "\"additionalProperties\":false,\"required\":[\"a\"]}}"), NULL },
		{ TOOLS("{\"name\":\"x\",\"parameters\":{\"type\":\"object\"},\"strict\":false}"),
		  "type function" },
		{ TOOLS("{\"type\":\"function\",\"name\":\"x\",\"parameters\":{},\"strict\":false}"),
		  "type object" },
		{ "{\"model\":\"m\",\"input\":[" U "],\"tool_choice\":\"none\"}", "tool_choice" },
	};

	CHECK_ROWS("openai-responses", NULL, rows);
}

#define ASKED(rest, messages) "{\"model\":\"m\",\"max_tokens\":2000" rest ",\"messages\":[" messages "]}"
#define HAS_TOOLS ",\"tools\":[{\"name\":\"x\",\"input_schema\":{\"type\":\"object\"}}]"
#define ANTHROPIC(messages) ASKED(HAS_TOOLS, messages)
#define USER(blocks) "{\"role\":\"user\",\"content\":[" blocks "]}"
#define MODEL(blocks) "{\"role\":\"assistant\",\"content\":[" blocks "]}"
#define T "{\"type\":\"text\",\"text\":\"hi\"}"
#define TH "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"s\"}"
#define USE(id) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"x\",\"input\":{}}"
#define RES(id) "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"{}\"}"
#define MARK "{\"type\":\"text\",\"text\":\"hi\",\"cache_control\":{\"type\":\"ephemeral\"}}"
#define THINK ",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024}"

Test(request_rules, of_anthropic)
{
	static const struct row rows[] = {
		{ ANTHROPIC(USER(T)), NULL },
		{ ANTHROPIC(USER(T) "," MODEL(TH "," T "," USE("a") "," USE("b")) ","
		  USER(RES("b") "," RES("a") "," T)), NULL },
		{ "{\"model\":\"m\",\"messages\":[" USER(T) "]}", "max_tokens" },
		{ ASKED("", ""), "at least one message" },
		{ ANTHROPIC(MODEL(T) "," USER(T)), "first message" },
		{ ANTHROPIC(USER(T) "," USER(T)), "alternate" },
		{ ANTHROPIC(USER(T) "," MODEL(T) "," MODEL(T) "," USER(T)), "alternate" },
		{ ANTHROPIC("{\"role\":\"system\",\"content\":[" T "]}"), "user or assistant" },
		{ ANTHROPIC(USER("")), "non-empty content" },
		{ ANTHROPIC(USER("{\"type\":\"text\",\"text\":\" \\n\"}")), "non-whitespace" },
		{ ANTHROPIC(USER("{\"type\":\"riddle\"}")), "no such block" },
		{ ANTHROPIC(USER(T) "," MODEL(T)), "end with a user message" },
		{ ANTHROPIC(USER(T) "," MODEL(USE("a")) "," USER(T)), "immediately after" },
		{ ANTHROPIC(USER(T) "," MODEL(USE("a") "," USE("b")) "," USER(RES("a"))),
		  "immediately after" },
		{ ANTHROPIC(USER(T) "," MODEL(USE("a")) "," USER(T "," RES("a"))), "before all else" },
		{ ANTHROPIC(USER(T) "," MODEL(USE("a")) "," USER(RES("a") "," RES("a"))), "corresponding" },
		{ ANTHROPIC(USER(RES("a"))), "corresponding" },
		{ ANTHROPIC(USER(T) "," MODEL(USE("a") "," USE("a")) "," USER(RES("a"))), "unique" },
		{ ANTHROPIC(USER(T) "," MODEL(USE("a b")) "," USER(RES("a b"))), "tool_use.id" },
		{ ANTHROPIC(USER(USE("a"))), "are the assistant's" },
		{ ANTHROPIC(USER(TH)), "are the assistant's" },
		{ ANTHROPIC(USER(T) "," MODEL(T "," TH) "," USER(T)), "cannot be thinking" },
		{ ANTHROPIC(USER(T) "," MODEL("{\"type\":\"thinking\",\"thinking\":\"x\"}," T) "," USER(T)),
		  "signature" },
		{ ANTHROPIC(USER(T) "," MODEL("{\"type\":\"redacted_thinking\"}," T) "," USER(T)), "data" },
		{ ANTHROPIC(USER(T) "," MODEL("{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"x\","
		  "\"input\":\"{}\"}") "," USER(RES("a"))), "must be an object" },
		{ ANTHROPIC(USER(T) "," MODEL("{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"a.b\","
		  "\"input\":{}}") "," USER(RES("a"))), "tool_use.name" },
		{ ANTHROPIC(USER(T) "," MODEL(USE("a")) "," USER("{\"type\":\"tool_result\","
		  "\"tool_use_id\":\"a\",\"content\":\"\"}")), "cannot be empty" },
		{ ASKED("", USER(T) "," MODEL(USE("a")) "," USER(RES("a"))), "must define tools" },
		{ ANTHROPIC(USER(MARK "," MARK "," MARK "," MARK)), NULL },
		{ ANTHROPIC(USER(MARK "," MARK "," MARK "," MARK "," MARK)), "maximum of 4" },
		{ ANTHROPIC(USER(T) "," MODEL("{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"s\","
		  "\"cache_control\":{}}," T) "," USER(T)), "cannot be set" },
		{ ASKED(",\"system\":[]", USER(T)), "system" },
		{ ASKED(",\"system\":[{\"type\":\"text\",\"text\":\" \"}]", USER(T)), "system" },
		{ ASKED(THINK HAS_TOOLS, USER(T) "," MODEL(TH "," USE("a")) "," USER(RES("a"))), NULL },
		{ ASKED(THINK HAS_TOOLS, USER(T) "," MODEL(USE("a")) "," USER(RES("a"))), "begin with it" },
		{ ASKED(THINK HAS_TOOLS, USER(T) "," MODEL(TH "," USE("a")) "," USER(RES("a")) ","
		  MODEL(USE("b")) "," USER(RES("b"))), NULL },
		{ ASKED(THINK HAS_TOOLS, USER(T) "," MODEL(USE("a")) "," USER(RES("a")) ","
		  MODEL(TH "," USE("b")) "," USER(RES("b"))), "begin with it" },
		{ ASKED(THINK HAS_TOOLS, USER(T) "," MODEL(USE("a")) "," USER(RES("a") "," T)), NULL },
		{ ASKED(",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1000}", USER(T)), "1024" },
		{ ASKED(",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2000}", USER(T)), "greater" },
		{ ASKED(",\"tool_choice\":{\"type\":\"none\"}", USER(T)), "tool_choice" },
		{ ASKED(THINK HAS_TOOLS ",\"tool_choice\":{\"type\":\"any\"}", USER(T)), "forces" },
		{ ASKED(",\"tools\":[{\"name\":\"x\",\"input_schema\":{}}]", USER(T)), "type object" },
		{ ASKED(",\"tools\":[{\"name\":\"x\",\"input_schema\":{\"type\":\"object\"}},"
		  "{\"name\":\"x\",\"input_schema\":{\"type\":\"object\"}}]", USER(T)), "unique" },
		{ ASKED(",\"tools\":[{\"name\":\"\",\"input_schema\":{\"type\":\"object\"}}]", USER(T)),
		  "name is none" },
	};

	CHECK_ROWS("anthropic", NULL, rows);
}

#define CONTENTS(contents) "{\"contents\":[" contents "]}"
#define GU(parts) "{\"role\":\"user\",\"parts\":[" parts "]}"
#define GM(parts) "{\"role\":\"model\",\"parts\":[" parts "]}"
#define GT "{\"text\":\"hi\"}"
#define GC(name) "{\"functionCall\":{\"name\":\"" name "\",\"args\":{}},\"thoughtSignature\":\"s\"}"
#define GR(name) "{\"functionResponse\":{\"name\":\"" name "\",\"response\":{}}}"
#define DECLARED(functions) "{\"contents\":[" GU(GT) "],\"tools\":[{\"functionDeclarations\":[" \
	functions "]}]}"

Test(request_rules, of_google)
{
	static const struct row rows[] = {
		{ CONTENTS(GU(GT)), NULL },
		{ CONTENTS(GU(GT) "," GM(GT "," GC("a") "," GC("b")) "," GU(GR("a") "," GR("b") "," GT)), NULL },
		{ CONTENTS(GU(GT) "," GM(GC("a")) "," GU(GR("a")) "," GU(GT)), "alternate" },
		{ CONTENTS(""), "not specified" },
		{ CONTENTS(GM(GT) "," GU(GT)), "first content" },
		{ CONTENTS(GU(GT) "," GU(GT)), "alternate" },
		{ CONTENTS(GU(GT) "," GM(GT) "," GM(GC("a")) "," GU(GR("a"))), "alternate" },
		{ CONTENTS(GU(GT) "," GM(GT)), "end with a user role" },
		{ CONTENTS(GU("")), "must not be empty" },
		{ CONTENTS(GU("{}")), "oneof" },
		{ CONTENTS(GU("{\"text\":\"\"}")), "empty text" },
		{ CONTENTS(GU(GT) "," GM("{\"text\":\"\",\"thoughtSignature\":\"s\"}") "," GU(GT)), NULL },
		{ CONTENTS("{\"role\":\"assistant\",\"parts\":[" GT "]}"), "valid role" },
		{ CONTENTS(GU(GT) "," GM(GC("a") "," GC("b")) "," GU(GR("a"))), "equal to the number" },
		{ CONTENTS(GU(GT) "," GM(GC("a")) "," GU(GT)), "equal to the number" },
		{ CONTENTS(GU(GT) "," GM(GC("a")) "," GU(GR("a") "," GR("a"))), "as many parts" },
		{ CONTENTS(GU(GT) "," GM(GT) "," GU(GR("a"))), "immediately after" },
		{ CONTENTS(GU(GT) "," GM(GC("a") "," GC("b")) "," GU(GR("b") "," GR("a"))), "another name" },
		{ CONTENTS(GU(GT) "," GM("{\"functionCall\":{\"id\":\"1\",\"name\":\"a\"},"
		  "\"thoughtSignature\":\"s\"}") "," GU(GR("a"))), "another id" },
		{ CONTENTS(GU(GT) "," GM(GC("a")) "," GU(GT "," GR("a"))), "before the user's text" },
		{ CONTENTS(GU("{\"functionCall\":{\"name\":\"a\"}}")), "are the model's" },
		{ CONTENTS(GU(GT) "," GM(GR("a")) "," GU(GT)), "are the user's" },
		{ CONTENTS(GU("{\"text\":\"x\",\"thoughtSignature\":\"s\"}")), "only the model's" },
		{ CONTENTS(GU(GT) "," GM(GC("1a")) "," GU(GR("1a"))), "invalid function name" },
		{ CONTENTS(GU(GT) "," GM("{\"functionCall\":{\"name\":\"a\",\"args\":[]}}") "," GU(GR("a"))),
		  "args must" },
		{ CONTENTS(GU(GT) "," GM("{\"functionCall\":{\"name\":\"a\"}}") "," GU(GR("a"))),
		  "thought_signature" },
		{ CONTENTS(GU(GT) "," GM(GC("a") ",{\"functionCall\":{\"name\":\"a\"}}") ","
		  GU(GR("a") "," GR("a"))), NULL },
		{ CONTENTS(GU(GT) "," GM(GC("a")) "," GU("{\"functionResponse\":{\"name\":\"a\","
		  "\"response\":\"x\"}}")), "response must" },
		{ "{\"contents\":[" GU(GT) "],\"systemInstruction\":{\"parts\":[]}}", "systemInstruction" },
		{ "{\"contents\":[" GU(GT) "],\"systemInstruction\":{\"parts\":[{\"text\":\"\"}]}}",
		  "systemInstruction" },
		{ "{\"contents\":[" GU(GT) "],\"tools\":[]}", "too short" },
		{ "{\"contents\":[" GU(GT) "],\"toolConfig\":{}}", "without functions" },
		{ DECLARED("{\"name\":\"a\"},{\"name\":\"b\"}"), NULL },
		{ DECLARED("{\"name\":\"a\"},{\"name\":\"a\"}"), "duplicate" },
		{ DECLARED("{\"name\":\"-a\"}"), "invalid function name" },
		{ DECLARED("{\"name\":\"a\",\"parametersJsonSchema\":{\"type\":\"object\"}}"), "non-empty" },
	};

	CHECK_ROWS("google", "gemini-3-pro", rows);
}

#define OF(model, rest) "{\"model\":\"" model "\"," rest "}"
#define CHAT_OF(model, rest) OF(model, "\"messages\":[" U "]," rest)
#define CHAT_TOOLS "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"x\"," \
	"\"parameters\":{\"type\":\"object\"}}}]"
#define CLAUDE(model, rest) OF("claude-" model, "\"messages\":[" USER(T) "]," rest)
#define LEVEL(level) "\"reasoning\":{\"effort\":\"" level "\"}"

/* What the types allow for all models, and one of them does not take. */
Test(request_rules, of_models)
{
	static const struct row chat[] = {
		{ CHAT_OF("gpt-5.4", CHAT_TOOLS), NULL },
		{ CHAT_OF("gpt-5.4", CHAT_TOOLS ",\"reasoning_effort\":\"low\""), "not supported" },
		{ CHAT_OF("gpt-5.6-terra", CHAT_TOOLS), "not supported" },
		{ CHAT_OF("gpt-5.6-terra", CHAT_TOOLS ",\"reasoning_effort\":\"none\""), NULL },
		{ CHAT_OF("gpt-5.6-terra", "\"reasoning_effort\":\"max\""), NULL },
		{ CHAT_OF("openai/gpt-5.6-terra", CHAT_TOOLS), NULL },
		{ CHAT_OF("gpt-5", "\"max_tokens\":9"), "max_completion_tokens" },
		{ CHAT_OF("gpt-4o", "\"max_tokens\":9"), NULL },
		{ CHAT_OF("gpt-oss:20b", "\"max_tokens\":9"), NULL },
		{ CHAT_OF("o3", "\"temperature\":0"), "Unsupported parameter" },
		{ CHAT_OF("gpt-5-pro", "\"stream\":true"), "v1/responses" },
	}, responses[] = {
		{ OF("gpt-5.1", "\"input\":[" U "]," LEVEL("none")), NULL },
		{ OF("gpt-5.1", "\"input\":[" U "]," LEVEL("minimal")), "only none low" },
		{ OF("gpt-5", "\"input\":[" U "]," LEVEL("none")), "only minimal low" },
		{ OF("gpt-4.1", "\"input\":[" U "]," LEVEL("low")), "don't reason" },
		{ OF("gpt-4.1", "\"input\":[" U "," RS("r") "," SAID "," U "]"), "Reasoning input items" },
		{ OF("gpt-5.4", "\"input\":[" U "],\"prompt_cache_options\":{}"), "gpt-5.6 and later" },
	}, anthropic[] = {
		{ CLAUDE("opus-5-5", "\"max_tokens\":99,\"thinking\":{\"type\":\"disabled\"}"), "not supported" },
		{ CLAUDE("sonnet-5-5", "\"max_tokens\":99,\"thinking\":{\"type\":\"between_tools\"}"), NULL },
		{ CLAUDE("sonnet-5", "\"max_tokens\":99,\"thinking\":{\"type\":\"between_tools\"}"), "only" },
		{ CLAUDE("opus-4-7", "\"max_tokens\":2000" THINK), "budgets" },
		{ CLAUDE("sonnet-4-5", "\"max_tokens\":2000" THINK), NULL },
		{ CLAUDE("sonnet-4-5", "\"max_tokens\":2000,\"temperature\":0" THINK), "temperature" },
		{ CLAUDE("sonnet-4-5", "\"max_tokens\":70000"), "1..64000" },
		{ CLAUDE("3-5-haiku", "\"max_tokens\":2000" THINK), "from Claude 3.7" },
		{ CLAUDE("opus-4-6", "\"max_tokens\":9,\"output_config\":{\"effort\":\"xhigh\"}"), "xhigh came" },
	};
#define THINKS(config) "{\"contents\":[" GU(GT) "],\"generationConfig\":{\"thinkingConfig\":{" \
	config "}}}"
	static const struct row pro[] = {
		{ THINKS("\"thinkingBudget\":-1"), NULL }, { THINKS("\"thinkingBudget\":0"), "128..32768" },
		{ THINKS("\"thinkingLevel\":\"low\""), "don't support thinkingLevel" },
	}, flash[] = {
		{ THINKS("\"thinkingLevel\":\"MINIMAL\""), NULL },
		{ THINKS("\"thinkingLevel\":\"none\""), "only minimal" },
		{ THINKS("\"thinkingLevel\":\"low\",\"thinkingBudget\":1"), "only one" },
	};

	CHECK_ROWS("openai-chat", NULL, chat);
	CHECK_ROWS("openai-responses", NULL, responses);
	CHECK_ROWS("anthropic", NULL, anthropic);
	CHECK_ROWS("google", "gemini-2.5-pro", pro);
	CHECK_ROWS("google", "gemini-3.8-flash", flash);
}

Test(request_rules, are_found_by_the_path)
{
	static const char body[] = "{}";
	static const char *const paths[][2] = {
		{ "/v1/chat/completions", "model" }, { "/v1/responses", "model" },
		{ "/v1/messages", "model" },
		{ "/v1beta/models/gemini-3:streamGenerateContent?alt=sse", "contents" },
	};

	cr_expect_null(request_violation_at("/v1/models", body, 2));
	for (size_t at = 0; at < sizeof paths / sizeof *paths; at++) {
		char *got = request_violation_at(paths[at][0], body, 2);

		cr_assert_not_null(got);
		cr_expect(strstr(got, paths[at][1]), "%s", got);
		free(got);
	}
}
