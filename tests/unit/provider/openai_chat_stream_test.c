#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "reading.h"

#define CHAT "openai-chat"
/* A chunk with this delta; with this finish_reason. */
#define DELTA(delta) "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\"," \
	"\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":null}],\"usage\":null}\n\n"
#define FINISH(reason) "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}\n\n"
#define DONE "data: [DONE]\n\n"
#define TEXT(text) DELTA("{\"content\":\"" text "\"}")
#define CALLS(items) DELTA("{\"tool_calls\":[" items "]}")

Test(openai_chat_stream, reads_text)
{
	assert_reads(CHAT, DELTA("{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}")
		TEXT("Hel") TEXT("lo, \\u00e4\\n") TEXT("\xc3\xa4") TEXT("\\ud83d\\ude00") FINISH("stop")
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,"
		"\"prompt_tokens_details\":{\"cached_tokens\":7},"
		"\"completion_tokens_details\":{\"reasoning_tokens\":3}}}\n\n" DONE,
		"text: Hello, \xc3\xa4\n\xc3\xa4\xf0\x9f\x98\x80\nusage: 10 5 7 3\nstop: end");
}

Test(openai_chat_stream, reads_thinking_in_its_spellings)
{
	assert_reads(CHAT, DELTA("{\"reasoning_content\":\"hm\",\"content\":null}")
		DELTA("{\"reasoning\":\"m\"}")
		DELTA("{\"reasoning\":\"!\",\"reasoning_content\":\"!\"}")
		DELTA("{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"?\"}]},"
			"{\"type\":\"text\",\"text\":\"Yes\"}]}")
		FINISH("stop") DONE,
		"thinking: hmm!\nopaque openai-chat of thinking -1: \"reasoning\"\n"
		"thinking: ?\ntext: Yes\nstop: end");
}

/* It goes back with the call, or the next round is refused. */
Test(openai_chat_stream, tells_in_which_member_the_thinking_came)
{
	assert_reads(CHAT, DELTA("{\"role\":\"assistant\",\"content\":\"\",\"reasoning_content\":\"h\"}")
		DELTA("{\"content\":\"\",\"reasoning_content\":\"m\",\"tool_calls\":[]}")
		CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"one\",\"arguments\":\"{}\"},"
			"\"extra_content\":{\"google\":{\"thought_signature\":\"s\"}}}")
		FINISH("tool_calls") DONE,
		"thinking: hm\nopaque openai-chat of thinking -1: \"reasoning_content\"\n"
		"call 0: id=a name=one\narguments 0: {}\n"
		"opaque openai-chat of call 0: {\"extra_content\":{\"google\":{\"thought_signature\":"
		"\"s\"}}}\nstop: tool_calls");
	assert_reads(CHAT, DELTA("{\"reasoning\":\"hm\"}") FINISH("stop") DONE,
		"thinking: hm\nopaque openai-chat of thinking -1: \"reasoning\"\nstop: end");
}

/* OpenRouter's: pieces of a text become one, what is encrypted stays apart. */
Test(openai_chat_stream, puts_the_details_of_thinking_together)
{
	assert_reads(CHAT, DELTA("{\"content\":\"\",\"reasoning\":\"h\",\"reasoning_details\":[{"
			"\"type\":\"reasoning.text\",\"text\":\"h\\\"\",\"format\":\"f\",\"index\":0}]}")
		DELTA("{\"reasoning\":\"m\",\"reasoning_details\":[{"
			"\"type\":\"reasoning.text\",\"text\":\"m\",\"signature\":null,\"index\":0}]}")
		DELTA("{\"reasoning_details\":[{"
			"\"type\":\"reasoning.text\",\"signature\":\"sig\",\"index\":0},7,"
			"{\"type\":\"reasoning.text\",\"text\":\"n\",\"index\":1}]}")
		CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"one\",\"arguments\":\"{}\"}}")
		DELTA("{\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"x\","
			"\"id\":\"a\",\"index\":2},{\"type\":\"reasoning.encrypted\",\"data\":\"y\","
			"\"id\":\"b\",\"index\":2}]}")
		FINISH("tool_calls") DONE,
		"thinking: hm\nopaque openai-chat of thinking -1: \"reasoning\"\n"
		"call 0: id=a name=one\narguments 0: {}\n"
		"opaque openai-chat of call 0: {\"reasoning_details\":["
		"{\"type\":\"reasoning.text\",\"text\":\"h\\\"m\",\"format\":\"f\",\"index\":0,"
		"\"signature\":\"sig\"},"
		"{\"type\":\"reasoning.text\",\"text\":\"n\",\"index\":1},"
		"{\"type\":\"reasoning.encrypted\",\"data\":\"x\",\"id\":\"a\",\"index\":2},"
		"{\"type\":\"reasoning.encrypted\",\"data\":\"y\",\"id\":\"b\",\"index\":2}]}\n"
		"stop: tool_calls");
	assert_reads(CHAT, DELTA("{\"content\":\"Yes\",\"reasoning_details\":[{"
			"\"type\":\"reasoning.summary\",\"summary\":\"s\"}]}") FINISH("stop") DONE,
		"text: Yes\nopaque openai-chat of text -1: {\"reasoning_details\":["
		"{\"type\":\"reasoning.summary\",\"summary\":\"s\"}]}\nstop: end");
	/* The text may begin after the object, and a piece of it may be empty. */
	assert_reads(CHAT, DELTA("{\"content\":\"Yes\",\"reasoning_details\":[{"
			"\"type\":\"reasoning.text\",\"index\":0}]}")
		DELTA("{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"t\",\"index\":0}]}")
		DELTA("{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"\","
			"\"signature\":\"sig\",\"index\":0}]}") FINISH("stop") DONE,
		"text: Yes\nopaque openai-chat of text -1: {\"reasoning_details\":["
		"{\"type\":\"reasoning.text\",\"index\":0,\"text\":\"t\",\"signature\":\"sig\"}]}\nstop: end");
	assert_reads(CHAT, DELTA("{\"content\":\"Yes\",\"reasoning_details\":[]}")
		FINISH("stop") DONE, "text: Yes\nstop: end");
}

/* A member that comes again takes no more room. */
Test(openai_chat_stream, keeps_the_details_of_much_thinking)
{
	enum { PIECES = 100000 };
	static const char piece[] = DELTA("{\"reasoning_details\":[{\"type\":\"x\",\"a\":1,\"b\":1,"
		"\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1}]}");
	char *body = malloc(PIECES * sizeof piece + 1000), *at = body, *told;

	for (int i = 0; i < PIECES; i++)
		at = stpcpy(at, piece);
	at = stpcpy(at, DELTA("{\"content\":\"Yes\"}") FINISH("stop") DONE);
	told = read_body(CHAT, body, (size_t)(at - body), 0);
	cr_expect_str_eq(told, "text: Yes\nopaque openai-chat of text -1: {\"reasoning_details\":["
		"{\"type\":\"x\",\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,"
		"\"h\":1,\"i\":1,\"j\":1}]}\nstop: end");
	free(told);
	free(body);
}

Test(openai_chat_stream, puts_a_call_together)
{
	assert_reads(CHAT, TEXT("Let me see.")
		CALLS("{\"index\":0,\"id\":\"call_1\",\"type\":\"function\","
			"\"function\":{\"name\":\"glob\",\"arguments\":\"\"}}")
		CALLS("{\"index\":0,\"function\":{\"arguments\":\"{\\\"pat\"}}")
		CALLS("{\"index\":0,\"function\":{\"arguments\":\"tern\\\":\\\"*\"}}")
		CALLS("{\"index\":0,\"function\":{\"arguments\":\".c\\\"}\"}}")
		FINISH("tool_calls") DONE,
		"text: Let me see.\ncall 0: id=call_1 name=glob\n"
		"arguments 0: {\"pattern\":\"*.c\"}\nstop: tool_calls");
}

Test(openai_chat_stream, interleaves_calls)
{
	assert_reads(CHAT,
		CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"one\"}},"
			"{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"two\"}}")
		CALLS("{\"index\":1,\"function\":{\"arguments\":\"{\"}}")
		CALLS("{\"index\":0,\"function\":{\"arguments\":\"{\"}}")
		CALLS("{\"index\":1,\"function\":{\"arguments\":\"}\"}}")
		CALLS("{\"index\":0,\"function\":{\"arguments\":\"}\"}}")
		FINISH("tool_calls") DONE,
		"call 0: id=a name=one\ncall 1: id=b name=two\narguments 1: {\narguments 0: {\n"
		"arguments 1: }\narguments 0: }\nstop: tool_calls");
}

Test(openai_chat_stream, tells_calls_apart_without_an_index)
{
	/* Whole calls, each in a chunk. */
	assert_reads(CHAT,
		CALLS("{\"id\":\"a\",\"function\":{\"name\":\"one\",\"arguments\":\"{}\"}}")
		CALLS("{\"id\":\"b\",\"function\":{\"name\":\"one\",\"arguments\":\"{}\"}}")
		FINISH("stop"),
		"call 0: id=a name=one\narguments 0: {}\ncall 1: id=b name=one\narguments 1: {}\n"
		"stop: tool_calls");
	/* Pieces that say nothing go on with the last call. */
	assert_reads(CHAT,
		CALLS("{\"id\":\"a\",\"function\":{\"name\":\"one\",\"arguments\":\"{\"}}")
		CALLS("{\"function\":{\"arguments\":\"}\"}}")
		FINISH("tool_calls"),
		"call 0: id=a name=one\narguments 0: {}\nstop: tool_calls");
	/* Neither index nor id, names only. */
	assert_reads(CHAT,
		CALLS("{\"function\":{\"name\":\"one\",\"arguments\":\"{\\\"x\\\":\\\"}\\\"}\"}},"
			"{\"function\":{\"name\":\"one\",\"arguments\":\"{}\"}}")
		CALLS("{\"function\":{\"name\":\"two\"}}")
		FINISH("tool_calls"),
		"call 0: id=- name=one\narguments 0: {\"x\":\"}\"}\ncall 1: id=- name=one\n"
		"arguments 1: {}\ncall 2: id=- name=two\nstop: tool_calls");
}

Test(openai_chat_stream, tells_calls_apart_at_one_index)
{
	assert_reads(CHAT,
		CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"one\",\"arguments\":\"{}\"}}")
		CALLS("{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"two\",\"arguments\":\"{\"}}")
		CALLS("{\"index\":0,\"id\":\"b\",\"function\":{\"arguments\":\"}\"}}")
		FINISH("tool_calls") DONE,
		"call 0: id=a name=one\narguments 0: {}\ncall 1: id=b name=two\narguments 1: {}\n"
		"stop: tool_calls");
	/* The same id twice is one id too few. */
	assert_reads(CHAT,
		CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"one\",\"arguments\":\"{}\"}}")
		CALLS("{\"index\":1,\"id\":\"a\",\"function\":{\"name\":\"two\",\"arguments\":\"{}\"}}")
		FINISH("tool_calls") DONE,
		"call 0: id=a name=one\narguments 0: {}\ncall 1: id=- name=two\narguments 1: {}\n"
		"stop: tool_calls");
}

Test(openai_chat_stream, takes_names_in_pieces_and_names_repeated)
{
	assert_reads(CHAT,
		CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"file_\"}}")
		CALLS("{\"index\":0,\"function\":{\"name\":\"read\"}}")
		CALLS("{\"index\":0,\"function\":{\"name\":\"\",\"arguments\":\"{}\"}}")
		FINISH("tool_calls"),
		"call 0: id=a name=file_read\narguments 0: {}\nstop: tool_calls");
	assert_reads(CHAT,
		CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"glob\",\"arguments\":\"\"}}")
		CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"glob\",\"arguments\":\"{\"}}")
		CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"glob\",\"arguments\":\"}\"}}")
		FINISH("tool_calls"),
		"call 0: id=a name=glob\narguments 0: {}\nstop: tool_calls");
}

Test(openai_chat_stream, takes_arguments_that_are_no_string)
{
	assert_reads(CHAT,
		CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"glob\","
			"\"arguments\":{\"pattern\": \"*\",\"n\":9007199254740993}}}")
		CALLS("{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"now\",\"arguments\":null}}")
		FINISH("stop"),
		"call 0: id=a name=glob\narguments 0: {\"pattern\": \"*\",\"n\":9007199254740993}\n"
		"call 1: id=b name=now\nstop: tool_calls");
}

Test(openai_chat_stream, takes_the_calls_of_old)
{
	assert_reads(CHAT,
		DELTA("{\"function_call\":{\"name\":\"glob\",\"arguments\":\"\"}}")
		DELTA("{\"function_call\":{\"arguments\":\"{}\"}}")
		FINISH("function_call"),
		"call 0: id=- name=glob\narguments 0: {}\nstop: tool_calls");
}

Test(openai_chat_stream, says_why_it_stopped)
{
	assert_reads(CHAT, TEXT("x") FINISH("length") DONE, "text: x\nstop: length");
	assert_reads(CHAT, TEXT("x") FINISH("content_filter") DONE, "text: x\nstop: refused");
	assert_reads(CHAT, TEXT("x") FINISH("eos_token") DONE, "text: x\nstop: end");
	assert_reads(CHAT, TEXT("x") DONE, "text: x\nstop: end");
	assert_reads(CHAT, FINISH("tool_calls") DONE, "stop: end");
	assert_reads(CHAT, DELTA("{\"refusal\":\"I can\"}") DELTA("{\"refusal\":\"not.\"}")
		FINISH("stop") DONE, "text: I cannot.\nstop: refused");
	/* The last one counts; what comes after [DONE] does not. */
	assert_reads(CHAT, FINISH("stop") TEXT("x") FINISH("length") DONE TEXT("y") "data: {broken\n\n",
		"text: x\nstop: length");
}

Test(openai_chat_stream, needs_no_done_but_an_end)
{
	assert_reads(CHAT, TEXT("x") FINISH("stop"), "text: x\nstop: end");
	assert_reads(CHAT, TEXT("x"), "text: x\nfailed 8: The reply ended before it was complete.");
	assert_reads(CHAT, CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"glob\"}}"),
		"failed 8: The reply ended before it was complete.");
	assert_reads(CHAT, "", "failed 8: The provider sent an empty answer.");
	assert_reads(CHAT, " \r\n", "failed 8: The provider sent an empty answer.");
	assert_reads(CHAT, ": keep-alive\n\ndata: {\"choi",
		"failed 8: The reply ended before it was complete.");
}

Test(openai_chat_stream, finds_usage_where_servers_put_it)
{
	assert_reads(CHAT, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},"
		"\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2,"
		"\"prompt_tokens_details\":null}}\n\n" DONE, "text: x\nusage: 1 2 0 0\nstop: end");
	assert_reads(CHAT, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\","
		"\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}]}\n\n",
		"usage: 1 2 0 0\nstop: end");
	assert_reads(CHAT, FINISH("stop") "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,"
		"\"completion_tokens\":2,\"prompt_cache_hit_tokens\":4}}\n\n",
		"usage: 9 2 4 0\nstop: end");
	assert_reads(CHAT, FINISH("stop") "data: {\"choices\":[],\"usage\":{}}\n\n", "stop: end");
}

Test(openai_chat_stream, passes_over_what_it_does_not_know)
{
	assert_reads(CHAT, "data: {\"choices\":[],\"prompt_filter_results\":[]}\n\n"
		"data: {\"choices\":[],\"moderation\":{\"flagged\":false}}\n\n"
		"data: null\n\ndata: 1\n\ndata:\n\nevent: ping\ndata: {}\n\n"
		"data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":null}]}\n\n"
		"data: {\"choices\":[7,null,{\"delta\":{\"content\":{},\"tool_calls\":[null,3,{\"index\":4}],"
		"\"function_call\":[]}}],\"error\":null}\n\n"
		TEXT("x") FINISH("stop") DONE,
		"text: x\nstop: end");
}

Test(openai_chat_stream, reports_errors_inside)
{
	assert_reads(CHAT, TEXT("x") "data: {\"error\":{\"message\":\"Slow down.\","
		"\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}\n\n" TEXT("y") DONE,
		"text: x\nerror RATE_LIMIT again: Slow down.");
	assert_reads(CHAT, "event: error\ndata: {\"message\":\"It broke\",\"code\":502}\n\n",
		"error PROVIDER again: It broke");
	assert_reads(CHAT, "event: error\ndata: out of memory\n\n",
		"error PROVIDER again: out of memory");
	assert_reads(CHAT, TEXT("x") "event: error\ndata: {\"reason\":7}\n\n",
		"text: x\nerror PROVIDER again: {\"reason\":7}");
	assert_reads(CHAT, "data: {\"error\":\"model is gone\"}\n\n", "error PROVIDER: model is gone");
	assert_reads(CHAT, "data: {\"error\":{}}\n\n",
		"error PROVIDER: The provider reported an error and did not say which.");
	assert_reads(CHAT, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},"
		"\"finish_reason\":\"error\",\"error\":{\"code\":429,\"message\":\"Busy\"}}]}\n\n" DONE,
		"text: x\nerror RATE_LIMIT again: Busy");
	assert_reads(CHAT, "data: {\"error\":{\"message\":\"This model's maximum context length is "
		"8192 tokens.\",\"type\":\"invalid_request_error\",\"code\":null}}\n\n",
		"error CONTEXT: This model's maximum context length is 8192 tokens.");
}

Test(openai_chat_stream, refuses_what_is_no_json)
{
	assert_reads(CHAT, TEXT("x") "data: {\"choices\":[{\"delta\":\n\n" TEXT("y") DONE,
		"text: x\nfailed 4: The provider sent something that is no JSON: {\"choices\":[{\"delta\":");
	/* Behind the stop it does no harm. */
	assert_reads(CHAT, TEXT("x") FINISH("stop") "data: [END]\n\n", "text: x\nstop: end");
}

Test(openai_chat_stream, mends_characters_that_are_none)
{
	assert_reads(CHAT, TEXT("a\xff") TEXT("\\ud83d") TEXT("b") FINISH("stop"),
		"text: a\xef\xbf\xbd\xef\xbf\xbd" "b\nstop: end");
}

Test(openai_chat_stream, reads_a_whole_answer)
{
	assert_reads(CHAT, "\n {\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":"
		"{\"role\":\"assistant\",\"content\":\"Hi\",\"reasoning_content\":\"hm\","
		"\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":"
		"{\"name\":\"glob\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}],"
		"\n\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n",
		"text: Hi\nthinking: hm\nopaque openai-chat of thinking -1: \"reasoning_content\"\ncall 0: id=a name=glob\narguments 0: {}\nusage: 1 2 0 0\n"
		"stop: tool_calls");
	assert_reads(CHAT, "\xef\xbb\xbf{\"error\":{\"message\":\"No.\",\"code\":\"invalid_api_key\"}}",
		"error AUTH: No.");
	assert_reads(CHAT, "[{\"error\":{\"message\":\"No.\",\"code\":503}}]", "error PROVIDER again: No.");
}

/* What came instead, the sentence about the response shows (provider/wire/error.h). */
Test(openai_chat_stream, knows_what_is_no_reply)
{
	static const char *const bodies[] = {
		"<!doctype html><html><head><TITLE>\nLog  in\n</title></head></html>",
		"It works!\n",
		"{\"status\":\"ok\"}",
		"{\"choices\":[{\"mess",
		"{\"message\":{\"content\":\"a\"}}\n{\"message\":{\"content\":\"b\"}}\n",
	};

	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
		assert_reads(CHAT, bodies[i],
			"failed 4: The provider answered with something that is no reply.");
}

Test(openai_chat_stream, is_not_misled_by_chunks_that_look_alike)
{
	/* The same frame around something that is not the string of before. */
	assert_reads(CHAT, TEXT("a") TEXT("b\\\"c") TEXT("d\",\"content\":\"e") TEXT("")
		DELTA("{\"content\":null}") TEXT("f") FINISH("stop"), "text: ab\"cdef\nstop: end");
	assert_reads(CHAT, TEXT("a") TEXT("b") TEXT("c\\") FINISH("stop"),
		"text: ab\nfailed 4: The provider sent something that is no JSON: {\"id\":\"c\","
		"\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":"
		"{\"content\":\"c\\\"},\"finish_reason\":null}],\"usage\"\xe2\x80\xa6");
	/* A frame that was learned, then others, then the first again. */
	assert_reads(CHAT, TEXT("a") TEXT("b")
		CALLS("{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"one\",\"arguments\":\"{\"}}")
		TEXT("c")
		CALLS("{\"index\":0,\"function\":{\"arguments\":\"}\"}}")
		CALLS("{\"index\":0,\"function\":{\"arguments\":\" \"}}")
		DELTA("{\"reasoning\":\"t\"}") DELTA("{\"reasoning\":\"u\"}") TEXT("d")
		FINISH("stop"),
		"text: ab\ncall 0: id=x name=one\narguments 0: {\ntext: c\narguments 0: } \n"
		"thinking: tu\nopaque openai-chat of thinking -1: \"reasoning\"\n"
		"text: d\nstop: tool_calls");
	/* A finish_reason of its own in every chunk is never passed over. */
	assert_reads(CHAT, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"length\"}]}\n\n"
		"data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"length\"}]}\n\n",
		"text: ab\nstop: length");
}

Test(openai_chat_stream, bears_very_many_calls)
{
	struct ik_buf body;
	ik_buf_init(&body, 1 << 22);
	for (int index = 0; index < 1100; index++)
		ik_buf_printf(&body, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%d,"
			"\"function\":{\"name\":\"x\",\"arguments\":\"{}\"}}]}}]}\n\n", index);
	char *lines = read_body(CHAT, body.data, body.length, 0);
	cr_assert_not_null(strstr(lines, "\nfailed 4: The reply has too many tool calls."));
	free(lines);
	ik_buf_done(&body);
}

/* As llama.cpp and others send it without a parser for the model; at the start of a text only. */
Test(openai_chat_stream, tells_thinking_in_tags_from_the_text)
{
	assert_reads(CHAT, TEXT("<think>\\nHm, <b>.\\n</think>\\n\\nYes.") FINISH("stop") DONE,
		"thinking: Hm, <b>.\n\ntext: Yes.\nstop: end");
	assert_reads(CHAT, TEXT(" <thi") TEXT("nk>a</th") TEXT("in") TEXT("g></think") TEXT(">b") FINISH("stop") DONE,
		"thinking: a</thing>\ntext: b\nstop: end");
	assert_reads(CHAT, TEXT("<think>\\n\\n</think>\\n\\nHi") FINISH("stop") DONE, "text: Hi\nstop: end");
	assert_reads(CHAT, TEXT("<think>never closed") FINISH("length") DONE,
		"thinking: never closed\nstop: length");
	assert_reads(CHAT, TEXT("<thin") FINISH("stop") DONE, "text: <thin\nstop: end");
	assert_reads(CHAT, TEXT("a <think>b</think>") FINISH("stop") DONE, "text: a <think>b</think>\nstop: end");
}
