/*
 * reply_kinds_test: everything that a reply may consist of, by the providers' own types, and what the
 * decoders make of it. Nothing is lost silently: what is not text, thinking, a call or an end is named
 * in a notice, or passed over on purpose.
 *
 * The kinds, with examples, are made from the newest SDKs by tests/types/kinds.mjs. A kind without a
 * row here fails the test.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "json/scan.h"
#include "reading.h"
#include "util/alloc.h"
#include "util/text.h"

#define EVENT(json) "data: " json "\n\n"
#define ANTHROPIC_END EVENT("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}") \
	EVENT("{\"type\":\"message_stop\"}")
#define RESPONSES_END EVENT("{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}")
#define ITEM(json) EVENT("{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":" json "}") \
	RESPONSES_END
#define BLOCK(start, deltas) \
	EVENT("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":" start "}") deltas \
	EVENT("{\"type\":\"content_block_stop\",\"index\":0}") ANTHROPIC_END
#define DELTA(json) EVENT("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":" json "}")
#define GOOGLE(json) EVENT("{\"candidates\":[" json "]}") \
	EVENT("{\"candidates\":[{\"finishReason\":\"STOP\"}]}")

/* The stream in which an example is (@), by the union that it is of; the first row counts. */
static const struct {
	const char *union_name, *kind, *stream;
} streams[] = {
	{ "anthropic event", "*", EVENT("@") ANTHROPIC_END },
	{ "anthropic block", "*", BLOCK("@", "") },
	{ "anthropic delta", "input_*", BLOCK("{\"type\":\"tool_use\",\"id\":\"i\",\"name\":\"n\"}",
		DELTA("@")) },
	{ "anthropic delta", "t[eh]*", BLOCK("{\"type\":\"text\",\"text\":\"\"}", DELTA("@")) },
	{ "anthropic delta", "cit*", BLOCK("{\"type\":\"text\",\"text\":\"\"}", DELTA("@")) },
	{ "anthropic delta", "*", BLOCK("{\"type\":\"thinking\",\"thinking\":\"\"}", DELTA("@")) },
	{ "anthropic citation", "*", BLOCK("{\"type\":\"text\",\"text\":\"T\",\"citations\":[@]}", "") },
	{ "anthropic stop", "*", EVENT("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":@}}")
		EVENT("{\"type\":\"message_stop\"}") },
	{ "openai-responses event", "*", EVENT("@") RESPONSES_END },
	{ "openai-responses item", "*", ITEM("@") },
	{ "openai-responses content", "*", ITEM("{\"type\":\"message\",\"content\":[@]}") },
	{ "openai-responses annotation", "*", ITEM("{\"type\":\"message\",\"content\":[{\"type\":"
		"\"output_text\",\"text\":\"T\",\"annotations\":[@]}]}") },
	{ "openai-responses action", "*", ITEM("{\"type\":\"web_search_call\",\"action\":@}") },
	{ "openai-responses status", "*", EVENT("{\"type\":\"response.completed\",\"response\":{"
		"\"status\":@}}") },
	{ "openai-chat delta", "*", EVENT("{\"choices\":[{\"delta\":@}]}")
		EVENT("{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}") EVENT("[DONE]") },
	{ "openai-chat message", "*", "{\"choices\":[{\"message\":@,\"finish_reason\":\"stop\"}]}" },
	{ "openai-chat stop", "*", EVENT("{\"choices\":[{\"delta\":{},\"finish_reason\":@}]}")
		EVENT("[DONE]") },
	{ "google part", "*", GOOGLE("{\"content\":{\"parts\":[@]}}") },
	{ "google candidate", "*", GOOGLE("@") },
	{ "google chunk", "promptFeedback", EVENT("@") },
	{ "google chunk", "*", EVENT("@") EVENT("{\"candidates\":[{\"finishReason\":\"STOP\"}]}") },
	{ "google stop", "*", EVENT("{\"candidates\":[{\"finishReason\":@}]}") },
	{ "google blocked", "*", EVENT("{\"promptFeedback\":{\"blockReason\":@}}") },
};

#define CITED "source: https://x.example/ x\n"
#define SOURCES "\n\nSources:\n\n1. x <https://x.example/>\n\nopaque ..."
#define UNSHOWN "notice: The reply has a part that ikigai cannot show ("
#define FAILED "error PROVIDER again: The model ended its reply with an error: "
#define UNSAID "error PROVIDER again: The provider reported an error and did not say which."

/* What becomes of a kind, or (...) how that begins; the first row counts. Nothing: it is passed over on
 * purpose, since it repeats what came, is about the transfer, or another kind tells all of it. */
static const struct {
	const char *union_name, *kind, *wanted;
} rows[] = {
	{ "anthropic event", "content_block_stop", "" },
	{ "anthropic event", "content_block_*", "text: x..." },
	{ "anthropic event", "message_*", "" },
	{ "anthropic block", "text", "text: x..." },
	{ "anthropic block", "thinking",
		"thinking: x\nopaque anthropic of thinking -1: {\"signature\":\"x\"}" },
	{ "anthropic block", "redacted_thinking",
		"opaque anthropic of thinking -1: {\"redacted\":\"x\"}" },
	{ "anthropic block", "tool_use", "call 0: id=x name=x\nstop: tool_calls" },
	{ "anthropic block", "server_tool_use", "search: ..." },
	{ "anthropic block", "web_search_tool_result",
		"notice: The provider's search of the web failed (invalid_tool_input).\n"
		"opaque anthropic of search -1: {\"blocks\":[{..." },
	{ "anthropic block", "*_tool_result", UNSHOWN "..." },
	{ "anthropic block", "container_upload", UNSHOWN "container_upload)." },
	{ "anthropic delta", "text_delta", "text: x" },
	{ "anthropic delta", "thinking_delta", "thinking: x" },
	{ "anthropic delta", "signature_delta",
		"opaque anthropic of thinking -1: {\"signature\":\"x\"}" },
	{ "anthropic delta", "input_json_delta", "call 0: id=i name=n\narguments 0: x..." },
	{ "anthropic delta", "citations_delta", "opaque anthropic of text -1: {\"blocks\":[{..." },
	{ "anthropic citation", "web_search_result_location",
		"text: T\n" CITED "text:  [1]" SOURCES },
	/* Of documents that were sent: they go back, but say nothing that the text doesn't. */
	{ "anthropic citation", "*_location", "text: T\nopaque anthropic of text -1: ..." },
	{ "anthropic stop", "max_tokens", "stop: length" },
	{ "anthropic stop", "pause_turn", "stop: paused" },
	{ "anthropic stop", "refusal", "stop: refused" },
	{ "anthropic stop", "model_context_window_exceeded",
		"error CONTEXT: The context window of the model is full." },
	{ "anthropic stop", "*_turn", "" },
	{ "anthropic stop", "stop_sequence", "" },
	{ "anthropic stop", "tool_use", "" }, /* but there was none */

	{ "openai-responses event", "error", "error PROVIDER: x" },
	{ "openai-responses event", "response.output_text.delta", "text: x" },
	{ "openai-responses event", "response.audio.transcript.delta", "text: x" },
	{ "openai-responses event", "response.refusal.delta", "text: x\nstop: refused" },
	{ "openai-responses event", "response.reasoning_summary_part.added", "thinking: ..." },
	{ "openai-responses event", "response.reasoning_*text.delta", "thinking: x" },
	{ "openai-responses event", "response.function_call_arguments.delta",
		"call 0: id=- name=\narguments 0: x..." },
	{ "openai-responses event", "response.output_item.done", "text: x" },
	{ "openai-responses event", "response.completed", "text: x" },
	{ "openai-responses event", "response.failed", "text: x" },
	{ "openai-responses event", "response.incomplete", "text: x" },
	{ "openai-responses event", "response.output_item.added", "" },
	{ "openai-responses event", "response.content_part.*", "" },
	{ "openai-responses event", "response.reasoning_*.done", "" },
	{ "openai-responses event", "response.output_text.*", "" },
	{ "openai-responses event", "response.refusal.done", "" },
	{ "openai-responses event", "response.function_call_arguments.done", "" },
	{ "openai-responses event", "response.audio.*", "" },
	{ "openai-responses event", "response.created", "" },
	{ "openai-responses event", "response.queued", "" },
	{ "openai-responses event", "response.in_progress", "" },
	/* Their items name them when they end. */
	{ "openai-responses event", "response.web_search_call.*", "" },
	{ "openai-responses event", "response.code_interpreter_call*", "" },
	{ "openai-responses event", "response.file_search_call.*", "" },
	{ "openai-responses event", "response.image_generation_call.*", "" },
	{ "openai-responses event", "response.mcp_*", "" },
	{ "openai-responses event", "response.shell_call_*", "" },
	{ "openai-responses event", "response.compaction.*", "" },
	{ "openai-responses event", "response.custom_tool_call_input.*", "" },
	{ "openai-responses item", "message", "text: x" },
	{ "openai-responses item", "reasoning", "thinking: x" },
	{ "openai-responses item", "function_call", "call 0: id=x name=x\narguments 0: x..." },
	{ "openai-responses item", "web_search_call",
		"search: \nopaque openai-responses of search -1: {..." },
	{ "openai-responses item", "*_call", UNSHOWN "..." },
	{ "openai-responses item", "*_output", UNSHOWN "..." },
	{ "openai-responses item", "program", UNSHOWN "program)." },
	{ "openai-responses item", "mcp_*", UNSHOWN "..." },
	{ "openai-responses item", "additional_tools", UNSHOWN "additional_tools)." },
	{ "openai-responses item", "compaction", UNSHOWN "compaction)." },
	{ "openai-responses content", "output_text", "text: x" },
	{ "openai-responses content", "refusal", "text: x\nstop: refused" },
	{ "openai-responses annotation", "url_citation",
		"text: T\n" CITED "text: " SOURCES },
	/* Of files that nobody has stored there. */
	{ "openai-responses annotation", "*file*", "text: T" },
	{ "openai-responses action", "find_in_page", "search: https://x.example/\nopaque ..." },
	{ "openai-responses action", "*", "search: \nopaque ..." },
	{ "openai-responses status", "failed", UNSAID },
	{ "openai-responses status", "cancelled", UNSAID },
	{ "openai-responses status", "incomplete", "stop: length" },
	{ "openai-responses status", "completed", "" },
	{ "openai-responses status", "in_progress", "" },
	{ "openai-responses status", "queued", "" },

	{ "openai-chat delta", "content", "text: x" },
	{ "openai-chat delta", "refusal", "text: x\nstop: refused" },
	{ "openai-chat delta", "tool_calls", "call 0: id=x name=x\narguments 0: x..." },
	{ "openai-chat delta", "function_call", "call 0: id=- name=x\narguments 0: x..." },
	{ "openai-chat delta", "audio", "text: x" },
	{ "openai-chat delta", "role", "" },
	{ "openai-chat message", "content", "text: x" },
	{ "openai-chat message", "refusal", "text: x\nstop: refused" },
	{ "openai-chat message", "tool_calls", "call 0: id=x name=x\narguments 0: x..." },
	{ "openai-chat message", "function_call", "call 0: id=- name=x\narguments 0: x..." },
	{ "openai-chat message", "annotations",
		CITED "text: " SOURCES },
	{ "openai-chat message", "audio", "text: x" },
	{ "openai-chat message", "role", "" },
	{ "openai-chat stop", "length", "stop: length" },
	{ "openai-chat stop", "content_filter", "stop: refused" },
	{ "openai-chat stop", "stop", "" },
	{ "openai-chat stop", "*_call*", "" }, /* but there was none */

	{ "google part", "text", "text: x" },
	{ "google part", "functionCall", "call 0: id=x name=x\n..." },
	{ "google part", "toolCall", "search: TOOL_TYPE_UNSPECIFIED" },
	{ "google part", "toolResponse", "opaque google of search -1: {\"parts\":[{..." },
	{ "google part", "thought*", "" }, /* they are about the text in their part */
	{ "google part", "media*", "" },
	{ "google part", "*Metadata", "" },
	{ "google part", "*", UNSHOWN "..." },
	{ "google candidate", "content", "search: TOOL_TYPE_UNSPECIFIED" },
	{ "google candidate", "groundingMetadata",
		CITED "text: " SOURCES },
	{ "google candidate", "citationMetadata",
		CITED "text: " SOURCES },
	{ "google candidate", "finish*", "" },
	{ "google candidate", "*Count", "" },
	{ "google candidate", "*ogprobs*", "" },
	{ "google candidate", "index", "" },
	{ "google candidate", "safetyRatings", "" },
	{ "google candidate", "urlContextMetadata", "" },
	{ "google candidate", "continuationToken", "" },
	{ "google chunk", "promptFeedback", "stop: refused" },
	{ "google chunk", "candidates", "" },
	{ "google chunk", "usageMetadata", "" },
	{ "google chunk", "createTime", "" },
	{ "google chunk", "automaticFunctionCallingHistory", "" },
	{ "google chunk", "model*", "" },
	{ "google chunk", "responseId", "" },
	{ "google chunk", "initialPromptTokenCount", "" },
	{ "google stop", "STOP", "" },
	{ "google stop", "FINISH_REASON_UNSPECIFIED", "" },
	{ "google stop", "MAX_TOKENS", "stop: length" },
	{ "google stop", "IMAGE_OTHER", FAILED "IMAGE_OTHER" },
	{ "google stop", "IMAGE_*", "stop: refused" },
	{ "google stop", "SAFETY", "stop: refused" },
	{ "google stop", "RECITATION", "stop: refused" },
	{ "google stop", "LANGUAGE", "stop: refused" },
	{ "google stop", "BLOCKLIST", "stop: refused" },
	{ "google stop", "PROHIBITED_CONTENT", "stop: refused" },
	{ "google stop", "SPII", "stop: refused" },
	{ "google stop", "MODEL_ARMOR", "stop: refused" },
	{ "google stop", "ESCALATION", "stop: refused" },
	{ "google stop", "PUP_LIMITED_DISABLED", "stop: refused" },
	{ "google stop", "M*_*", FAILED "..." },
	{ "google stop", "OTHER", FAILED "OTHER" },
	{ "google stop", "NO_IMAGE", FAILED "NO_IMAGE" },
	{ "google stop", "CONTINUATION", FAILED "CONTINUATION" },
	{ "google stop", "*_TOOL_CALL*", FAILED "..." },
	{ "google stop", "*_FUNCTION_CALL", FAILED "..." },
	{ "google blocked", "*", "stop: refused" },
};

/* Is it that text, or does it begin so ("...")? */
static bool is_wanted(const char *lines, const char *wanted)
{
	size_t length = strlen(wanted);
	bool begins = length > 3 && strcmp(wanted + length - 3, "...") == 0;

	return begins ? strncmp(lines, wanted, length - 3) == 0 : strcmp(lines, wanted) == 0;
}

/* Return the reading of an example, without the usage and an ordinary end. */
static char *read_example(const char *union_name, const char *kind, struct ik_json_span value)
{
	char *type = ik_strndup(union_name, strcspn(union_name, " "));
	const char *stream = NULL, *at;
	char *body, *lines, *end;

	for (size_t i = 0; !stream && i < sizeof streams / sizeof *streams; i++) {
		if (ik_text_equal(streams[i].union_name, union_name) &&
			fnmatch(streams[i].kind, kind, 0) == 0)
			stream = streams[i].stream;
	}
	cr_assert(stream, "%s", union_name);
	at = strchr(stream, '@');
	body = ik_format("%.*s%.*s%s", (int)(at - stream), stream, (int)value.length, value.text, at + 1);
	lines = read_body(type, body, strlen(body), 0);
	while ((at = strstr(lines, "usage: ")) && (at == lines || at[-1] == '\n'))
		memmove(lines + (at - lines), strchr(at, '\n') + 1, strlen(strchr(at, '\n') + 1) + 1);
	end = strstr(lines, "stop: end");
	if (end)
		*end = '\0';
	if (*lines && lines[strlen(lines) - 1] == '\n')
		lines[strlen(lines) - 1] = '\0';
	free(body);
	free(type);
	return lines;
}

static void check_kind(const char *union_name, const char *kind, struct ik_json_span value)
{
	char *lines = read_example(union_name, kind, value);
	const char *wanted = NULL;

	for (size_t i = 0; !wanted && i < sizeof rows / sizeof *rows; i++) {
		if (ik_text_equal(rows[i].union_name, union_name) && fnmatch(rows[i].kind, kind, 0) == 0)
			wanted = rows[i].wanted;
	}
	if (!wanted)
		cr_expect(false, "%s: nothing says what becomes of %s, which reads\n%s", union_name, kind,
			lines);
	else
		cr_expect(is_wanted(lines, wanted), "%s: %s reads\n%s\nwanted\n%s", union_name, kind, lines,
			wanted);
	free(lines);
}

Test(reply_kinds, are_all_accounted_for)
{
	char *path = ik_format("%s/tests/fixtures/reply_kinds.json", getenv("IK_TOP_SRCDIR"));
	FILE *file = fopen(path, "r");
	struct ik_json_span all;
	struct ik_error error = { .status = IK_OK };
	static char text[200000];
	size_t length;

	cr_assert(file, "%s", path);
	length = fread(text, 1, sizeof text, file);
	fclose(file);
	cr_assert_eq(ik_json_check(text, length, &all, &error), IK_OK, "%s", error.text);
	for (struct ik_json_walk walk = ik_json_walk(ik_json_member(all, "kinds")); ik_json_next(&walk);) {
		char *union_name = ik_json_text_new(ik_json_member(walk.value, "union"));
		char *kind = ik_json_text_new(ik_json_member(walk.value, "kind"));

		check_kind(union_name, kind, ik_json_member(walk.value, "value"));
		free(union_name);
		free(kind);
	}
	free(path);
}

/* Each notice is stored. */
Test(reply_kinds, give_few_notices)
{
	char body[20000], *at = body, *told, *notice;
	int notices = 0;

	for (int i = 0; i < 100; i++)
		at += sprintf(at, "data: {\"type\":\"content_block_start\",\"index\":%d,"
			"\"content_block\":{\"type\":\"%0*d\"}}\n\n", i, i ? 1 : 1000, i);
	told = read_body(IK_ANTHROPIC, body, (size_t)(at - body), 0);
	for (notice = told; (notice = strstr(notice, "notice: ")); notice++)
		notices++;
	cr_expect_eq(notices, 16);
	cr_expect_lt(strcspn(told, "\n"), 300);
	free(told);
}
