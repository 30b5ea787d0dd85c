#include "asking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "conversation/attachment.h"
#include "provider/formats.h"
#include "provider/models.h"
#include "util/limits.h"

struct ik_conversation *conversation;

void asking_begin(void)
{
	conversation = ik_conversation_new();
}

void asking_end(void)
{
	conversation = ik_conversation_free(conversation);
}

void give(struct ik_message *message)
{
	ik_conversation_append(conversation, message);
	ik_message_unref(message);
}

void say(enum ik_kind kind, const char *text)
{
	give(ik_message_new(kind, text, strlen(text), NULL, 0));
}

void call(const char *id, const char *name, const char *arguments)
{
	give(ik_message_tool_call(id, name, arguments, strlen(arguments), name));
}

void result(const char *id, const char *envelope)
{
	give(ik_message_tool_result(id, "x", envelope, strlen(envelope), true, 1, NULL));
}

void give_opaque(struct ik_message *message, const char *provider, const char *type,
	const char *data)
{
	char opaque[2000];

	snprintf(opaque, sizeof opaque, "{\"provider\":\"%s\",\"type\":\"%s\",\"data\":%s}", provider,
		type, data);
	give(ik_message_with(message, "opaque", opaque, strlen(opaque)));
}

/* Add a file with these bytes. */
static void add_file(struct ik_attachments *files, const char *name, const char *type, const char *text)
{
	struct ik_attached_file file = { .width = 4, .height = 3 };
	struct ik_buf bytes;

	ik_buf_init(&bytes, IK_KIB(1));
	ik_buf_puts(&bytes, text);
	snprintf(file.media_type, sizeof file.media_type, "%s", type);
	file.bytes = ik_bytes_take(&bytes);
	ik_attachments_add_file(files, name, &file);
	ik_bytes_unref(file.bytes);
	ik_buf_done(&bytes);
}

void show(const char *text)
{
	struct ik_attachments files;

	ik_attachments_init(&files);
	ik_attachments_add_text(&files, "notes", 5);
	add_file(&files, "a.png", "image/png", "PNG");
	add_file(&files, "b.pdf", "application/pdf", "PDF");
	give(ik_message_with_attachments(ik_message_new(IK_KIND_USER, text, strlen(text), NULL, 0),
		&files));
	ik_attachments_done(&files);
}

void result_with_picture(const char *id, const char *text)
{
	static const char envelope[] = "{\"tool_success\":true,\"result\":\"see\"}";
	struct ik_attachments files;

	ik_attachments_init(&files);
	add_file(&files, "shot", "image/jpeg", text);
	give(ik_message_with_attachments(
		ik_message_tool_result(id, "x", envelope, strlen(envelope), true, 1, NULL), &files));
	ik_attachments_done(&files);
}

/* Opaque data of the words that have some (asking.h); # is a number of its own. */
static const struct {
	char letter;
	enum ik_kind kind;
	const char *type, *data;
} opaque_words[] = {
	{ 'K', IK_KIND_THINKING, IK_ANTHROPIC, "{\"signature\":\"sealed\"}" },
	{ 'D', IK_KIND_THINKING, IK_ANTHROPIC, "{\"redacted\":\"sealed\"}" },
	{ 'R', IK_KIND_THINKING, IK_OPENAI_RESPONSES, "{\"type\":\"reasoning\",\"id\":\"rs_#\","
	  "\"summary\":[],\"encrypted_content\":\"sealed\"}" },
	{ 'P', IK_KIND_ASSISTANT, IK_OPENAI_RESPONSES, "{\"phase\":\"commentary\"}" },
	{ 'F', IK_KIND_ASSISTANT, IK_OPENAI_RESPONSES, "{\"phase\":\"final_answer\"}" },
	{ 'O', IK_KIND_THINKING, IK_OPENAI_CHAT, "\"reasoning_content\"" },
	{ 'Q', IK_KIND_ASSISTANT, IK_OPENAI_CHAT, "{\"reasoning_details\":[{\"type\":"
	  "\"reasoning.encrypted\",\"data\":\"sealed\",\"index\":0}]}" },
	{ 'X', IK_KIND_TOOL_CALL, IK_OPENAI_CHAT, "{\"extra_content\":{\"google\":{"
	  "\"thought_signature\":\"sealed\"}}}" },
	{ 'G', IK_KIND_ASSISTANT, IK_GOOGLE, "{\"thoughtSignature\":\"sealed\"}" },
	{ 'V', IK_KIND_TOOL_CALL, IK_GOOGLE, "{\"id\":\"v#\",\"thoughtSignature\":\"sealed\"}" },
	{ 'A', IK_KIND_THINKING, IK_ANTHROPIC, "{\"blocks\":[{\"type\":\"server_tool_use\","
	  "\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{\"query\":\"x\"}},{\"type\":"
	  "\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"type\":"
	  "\"web_search_result\",\"url\":\"https://x.example/\",\"title\":\"X\",\"encrypted_content\":"
	  "\"sealed\",\"page_age\":null}]}]}" },
	{ 'a', IK_KIND_ASSISTANT, IK_ANTHROPIC, "{\"blocks\":[{\"type\":\"text\",\"text\":\"Hot.\","
	  "\"citations\":[{\"type\":\"web_search_result_location\",\"url\":\"https://x.example/\","
	  "\"title\":\"X\",\"encrypted_index\":\"sealed\",\"cited_text\":\"hot\"}]}]}" },
	{ 'W', IK_KIND_THINKING, IK_OPENAI_RESPONSES, "{\"type\":\"web_search_call\",\"id\":\"ws_#\","
	  "\"status\":\"completed\",\"action\":{\"type\":\"search\",\"query\":\"x\"}}" },
	{ 'w', IK_KIND_ASSISTANT, IK_OPENAI_RESPONSES, "{\"item\":{\"type\":\"message\",\"id\":"
	  "\"msg_#\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[{\"type\":"
	  "\"output_text\",\"text\":\"Hot.\",\"annotations\":[{\"type\":\"url_citation\",\"url\":"
	  "\"https://x.example/\",\"title\":\"X\",\"start_index\":0,\"end_index\":4}]}]}}" },
	{ 'E', IK_KIND_THINKING, IK_GOOGLE, "{\"parts\":[{\"toolCall\":{\"toolType\":"
	  "\"GOOGLE_SEARCH_WEB\",\"id\":\"e\",\"args\":{\"queries\":[\"x\"]}},\"thoughtSignature\":"
	  "\"sealed\"},{\"toolResponse\":{\"toolType\":\"GOOGLE_SEARCH_WEB\",\"id\":\"e\","
	  "\"response\":{}}}]}" },
};
#define OPAQUE_COUNT (sizeof opaque_words / sizeof *opaque_words)

/* Append a word with opaque data. False: it has none. */
static bool give_sealed(char letter, const char *id, const char *rest)
{
	size_t at = 0, number = ik_conversation_count(conversation);
	static const char search[] = "{\"search\":true}";
	bool searches = strchr("AWE", letter);
	char data[600];

	while (at < OPAQUE_COUNT && opaque_words[at].letter != letter)
		at++;
	if (at == OPAQUE_COUNT)
		return false;
	snprintf(data, sizeof data, "%s", opaque_words[at].data);
	if (strchr(data, '#'))
		snprintf(strchr(data, '#'), 500, "%zu%s", number, strchr(opaque_words[at].data, '#') + 1);
	give_opaque(opaque_words[at].kind == IK_KIND_TOOL_CALL ?
		ik_message_tool_call(id, "one", rest, strlen(rest), id) :
		ik_message_new(opaque_words[at].kind, id, strlen(id), searches ? search : NULL,
			searches ? strlen(search) : 0),
		"far", opaque_words[at].type, data);
	return true;
}

/* Append one thing. */
static void add(const char *word)
{
	static const char refusal[] = "{\"refused\":true}";
	const char *text = word + 1;
	char *id = strdup(text), *rest = strrchr(id, ':');

	/* Of arguments the first colon behind the id counts, which may hold some itself. */
	if (strchr("cVX", *word) && strchr(id, '{'))
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
	case 'k':
		say(IK_KIND_THINKING, text);
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
	case '!':
		give(ik_message_new(IK_KIND_NOTICE, text, strlen(text), refusal, strlen(refusal)));
		break;
	case 'i':
		show(text);
		break;
	case 'j':
		result_with_picture(id, rest);
		break;
	case '/':
		give(ik_message_summary(ik_message_command("/compact", "told"), NULL, text, strlen(text)));
		break;
	case '~':
		give(ik_message_summary(ik_message_notice("told", NULL),
			ik_conversation_at(conversation, (size_t)(*text - '0'))->id, text + 1,
			strlen(text + 1)));
		break;
	default:
		if (!give_sealed(*word, id, rest))
			say(IK_KIND_NOTICE, "noticed");
		break;
	}
	free(id);
}

void tell(const char *words)
{
	char *copy = strdup(words), *rest = copy, *word, last = 'u';

	while ((word = strsep(&rest, "|")) != NULL) {
		add(word);
		if (!strchr("-/~", *word))
			last = word[1] ? *word : '-';
	}
	if (!strchr("urij", last))
		say(IK_KIND_USER, "and now");
	free(copy);
}

char *body_of(const char *type, const struct ik_request *request)
{
	const struct ik_model_rules no_rules = { NULL, NULL };
	struct ik_model_facts facts = ik_model_facts(&no_rules, request->model, type);
	struct ik_request whole = *request;
	struct ik_buf out;
	struct ik_error error;
	ik_buf_init(&out, IK_LIMIT_REQUEST);

	whole.facts = &facts;
	cr_assert_eq(ik_request_serialize(ik_wire_format_find(type), &whole, &out, &error), IK_OK);
	cr_assert_eq(ik_json_check(out.data, out.length, NULL, &error), IK_OK, "%s: %s",
		error.text, out.data);
	return ik_buf_take(&out, NULL);
}

void assert_member(const char *type, const struct ik_request *request, const char *path,
	const char *wanted)
{
	char *body = body_of(type, request);
	struct ik_json_span value;

	cr_assert_eq(ik_json_check(body, strlen(body), &value, NULL), IK_OK);
	value = ik_json_at(value, path);
	char *got = strndup(value.text ? value.text : "", value.length);
	cr_assert_str_eq(got, wanted, "%s is\n%s\nwanted\n%s", path, got, wanted);
	free(got);
	free(body);
}

void assert_address(const char *type, const struct ik_endpoint *endpoint, const char *model,
	const char *url, const char *headers)
{
	const struct ik_wire_format *format = ik_wire_format_find(type);
	char *got = ik_wire_url(format, endpoint, model);
	char **lines = ik_wire_headers(format, endpoint);
	struct ik_buf all;
	ik_buf_init(&all, IK_KIB(4));

	cr_assert_str_eq(got, url);
	for (size_t index = 0; lines[index]; index++)
		ik_buf_printf(&all, "%s\n", lines[index]);
	cr_assert_str_eq(all.data, headers);
	ik_buf_done(&all);
	ik_wire_headers_free(lines);
	free(got);
}
