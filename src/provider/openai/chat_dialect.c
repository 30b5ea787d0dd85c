#include "provider/openai/chat_dialect.h"

#include <stdlib.h>
#include <string.h>

#include "provider/openai/openai_chat.h"
#include "util/text.h"

/* The longest call id that OpenAI accepts in this format. */
#define OPENAI_CALL_ID 40
/* Mistral accepts call ids of exactly this length. */
#define SHORT_CALL_ID 9

/* Is it a Mistral model, on any server? */
static bool is_mistral(const char *model)
{
	return strcasestr(model, "mistral") || strcasestr(model, "mixtral") ||
		strcasestr(model, "ministral") || strcasestr(model, "devstral") ||
		strcasestr(model, "codestral") || strcasestr(model, "magistral");
}

struct ik_chat_dialect ik_chat_dialect(const struct ik_request *request)
{
	const struct ik_endpoint *endpoint = request->endpoint;
	bool openai = ik_endpoint_is_openai(endpoint);
	bool mistral = ik_endpoint_is_in(endpoint, "mistral.ai");
	bool template = mistral || is_mistral(request->model);
	bool deepseek = ik_endpoint_is_in(endpoint, "deepseek.com");
	bool kimi = ik_endpoint_is_in(endpoint, "moonshot.ai") ||
		ik_endpoint_is_in(endpoint, "moonshot.cn") || ik_endpoint_is_in(endpoint, "kimi.com");
	/* Their later models always think, and accept efforts. */
	bool kimi_switch = kimi && (strstr(request->model, "k2.5") || strstr(request->model, "k2.6"));
	bool glm = ik_endpoint_is_in(endpoint, "z.ai") || ik_endpoint_is_in(endpoint, "bigmodel.cn");

	return (struct ik_chat_dialect){
		.openai = openai,
		.alternates = !openai,
		.answers_results = template,
		.short_ids = template,
		.counts_unasked = mistral,
		.wants_thoughts = deepseek || kimi,
		.switches_thinking = deepseek || kimi_switch || glm,
		.knows_efforts = !kimi_switch && !glm,
	};
}

const char *ik_chat_call_id(const struct ik_request *request, const char *call_id,
	char made[IK_WIRE_MADE_ID])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct ik_chat_dialect dialect = ik_chat_dialect(request);
	uint64_t hash = ik_text_hash(call_id);

	if (dialect.openai)
		return ik_wire_call_id(call_id, OPENAI_CALL_ID, made);
	if (!dialect.short_ids ||
		(strlen(call_id) == SHORT_CALL_ID && strspn(call_id, digits) == SHORT_CALL_ID))
		return call_id;
	for (size_t at = 0; at < SHORT_CALL_ID; at++) {
		made[at] = digits[hash % (sizeof(digits) - 1)];
		hash /= sizeof(digits) - 1;
	}
	made[SHORT_CALL_ID] = '\0';
	return made;
}

void ik_chat_put_call_extra(struct ik_buf *out, const struct ik_request *request,
	const struct ik_message *call)
{
	struct ik_json_span extra = ik_wire_opaque_member(request, call, IK_OPENAI_CHAT, IK_CHAT_EXTRA);

	if (extra.text)
		ik_json_printf(out, "'" IK_CHAT_EXTRA "':%.*s", IK_WIRE_SPAN(extra));
}

void ik_chat_put_effort(struct ik_buf *out, const struct ik_request *request, const char *effort)
{
	struct ik_chat_dialect dialect = ik_chat_dialect(request);
	bool off = request->thinking == IK_THINKING_OFF;

	if (dialect.switches_thinking)
		ik_json_printf(out, "'thinking':{'type':'%s'}", off ? "disabled" : "enabled");
	if (dialect.knows_efforts && !(off && dialect.switches_thinking))
		ik_json_printf(out, "'reasoning_effort':'%s'", effort);
}

/* Return the member in which this server sent the thinking; NULL: none, or another server's. */
static const char *member_of(const struct ik_request *request, const struct ik_message *message)
{
	struct ik_json_span name = { .text = NULL };

	if (message->kind == IK_KIND_THINKING)
		name = ik_wire_opaque(request, message, IK_OPENAI_CHAT);
	if (ik_json_span_type(name) != IK_JSON_STRING)
		return NULL;
	return ik_json_string_is(name, IK_CHAT_REASONING_CONTENT) ? IK_CHAT_REASONING_CONTENT
		: ik_json_string_is(name, IK_CHAT_REASONING)          ? IK_CHAT_REASONING
															  : NULL;
}

/* Write everything that the server sent about this passage's thinking besides its text. */
static bool put_details(struct ik_buf *out, const struct ik_request *request,
	const struct ik_passage *passage)
{
	bool any = false;

	for (size_t index = 0; index < passage->count; index++) {
		struct ik_json_walk walk = { 0 };
		struct ik_json_span key, detail,
			list = ik_wire_opaque_member(request, passage->messages[index], IK_OPENAI_CHAT,
				IK_CHAT_REASONING_DETAILS);

		while (ik_json_next(list, &walk, &key, &detail)) {
			if (!any)
				ik_json_printf(out, "'" IK_CHAT_REASONING_DETAILS "':[");
			any = true;
			ik_json_put_raw(out, detail);
		}
	}
	if (any)
		ik_json_printf(out, "]");
	return any;
}

void ik_chat_put_reasoning(struct ik_buf *out, const struct ik_request *request,
	const struct ik_passage *passage)
{
	const char *member = NULL;
	bool calls = false;

	if (put_details(out, request, passage))
		return; /* it contains the text, too */

	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *message = passage->messages[index];
		const char *other = member_of(request, message);

		calls = calls || message->kind == IK_KIND_TOOL_CALL;
		if (!other || (member && strcmp(member, other) != 0))
			continue;
		if (!member) {
			ik_json_key(out, other);
			ik_json_quote_open(out);
		}
		member = other;
		ik_json_escape(out, message->content, message->content_length);
	}
	if (member)
		ik_json_quote_close(out);
	else if (calls && ik_chat_dialect(request).wants_thoughts)
		/* For another provider's call; an empty text is not accepted everywhere. */
		ik_json_printf(out, "'" IK_CHAT_REASONING_CONTENT "':' '");
}
