/*
 * The practice model of provider/formats.h: how it interprets the user's line, describes a tool's
 * answer, and replies.
 */
#include "provider/formats.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "json/write.h"
#include "provider/openai.h"
#include "provider/wire/transcript.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* ---- what the user wants ---- */

enum practice_rule {
	RULE_UNKNOWN, /* no other rule matches */
	RULE_HELP,
	RULE_LIST,
	RULE_READ,
	RULE_READ_EVERY,
	RULE_SEARCH,
	RULE_RUN,
	RULE_WRITE,
	RULE_REPLACE,
	RULE_CALL,
	RULE_STREAM,
	RULE_THINK,
	RULE_SUMMARISE, /* ikigai's own request, for /compact, */
	RULE_SUMMARY    /* and what came of an earlier one */
};

/* Limit on "stream N": more would only make the user wait. */
#define STREAM_WORDS_MAX 100000
#define STREAM_WORDS_DEFAULT 200

/* A part of the user's line; borrowed. */
struct rule_part {
	const char *text;
	size_t length;
};

static const struct practice_rule_row {
	const char *word;
	enum practice_rule rule;
	const char *usage;
} rules[] = {
	{ "help", RULE_HELP, "help" },
	{ "list", RULE_LIST, "list *.c" },
	{ "read every", RULE_READ_EVERY, "read every *.md" },
	{ "read", RULE_READ, "read FILE" },
	{ "search", RULE_SEARCH, "search PATTERN in *.c" },
	{ "run", RULE_RUN, "run COMMAND" },
	{ "write", RULE_WRITE, "write TEXT to FILE" },
	{ "replace", RULE_REPLACE, "replace A with B in FILE" },
	{ "call", RULE_CALL, "call TOOL {\"argument\": \"value\"}" },
	{ "stream", RULE_STREAM, "stream 500" },
	{ "think about", RULE_THINK, "think about TEXT" },
	{ "think", RULE_THINK, "think about TEXT" },
	{ "summarise the conversation", RULE_SUMMARISE, "summarise the conversation" },
	{ "this is a summary of what was said and done before:", RULE_SUMMARY, "help" },
};

/* Return the text for "help". */
static const char *help_text(void)
{
	return _("I am no language model. I am ikigai's practice partner: a few fixed rules that "
			 "call real tools, so that you can try everything without a key.\n"
			 "\n"
			 "What I understand:\n"
			 "\n"
			 "- `list *.c`: find files (`glob`)\n"
			 "- `read FILE`: show a file (`file_read`)\n"
			 "- `read every *.md`: find files and read them all, in two rounds\n"
			 "- `search PATTERN` or `search PATTERN in *.c`: look inside files (`grep`)\n"
			 "- `run COMMAND`: a shell command (`bash`)\n"
			 "- `write TEXT to FILE`: make a file (`file_write`)\n"
			 "- `replace A with B in FILE`: change a file (`file_edit`)\n"
			 "- `call TOOL {\"argument\": \"value\"}`: any tool, also your own\n"
			 "- `stream 500`: that many words, to watch a long reply\n"
			 "- `think about TEXT`: a reply with thoughts before it\n"
			 "\n"
			 "For a real model, leave with Ctrl-D and start again with a key in the environment:\n"
			 "\n"
			 "```\n"
			 "OPENAI_API_KEY=... ikigai\n"
			 "```\n"
			 "\n"
			 "or with any server that speaks OpenAI's chat format:\n"
			 "\n"
			 "```\n"
			 "ikigai -p openai --base-url http://localhost:11434/v1 -m MODEL\n"
			 "```\n");
}

/* Return part without surrounding blanks. */
static struct rule_part trim(struct rule_part part)
{
	while (part.length && isspace((unsigned char)*part.text)) {
		part.text++;
		part.length--;
	}
	while (part.length && isspace((unsigned char)part.text[part.length - 1]))
		part.length--;
	return part;
}

/* Return part without blanks and surrounding quotes. */
static struct rule_part unquote(struct rule_part part)
{
	part = trim(part);
	if (part.length >= 2 && strchr("\"'`", *part.text) &&
		part.text[part.length - 1] == *part.text) {
		part.text++;
		part.length -= 2;
	}
	return part;
}

/* Split whole at the first or last " word " outside quotes. Return false if there is none. */
static bool split(struct rule_part whole, const char *word, bool last, struct rule_part *ret_before,
	struct rule_part *ret_after)
{
	size_t word_length = strlen(word);
	size_t found = whole.length;
	char quote = '\0';

	for (size_t at = 0; at < whole.length; at++) {
		char byte = whole.text[at];

		if (quote) {
			quote = byte == quote ? '\0' : quote;
			continue;
		}
		/* An apostrophe inside a word is not a quote. */
		if (strchr("\"'`", byte) && byte && (at == 0 || whole.text[at - 1] == ' ') &&
			memchr(whole.text + at + 1, byte, whole.length - at - 1)) {
			quote = byte;
			continue;
		}
		if (byte == ' ' && whole.length - at >= word_length + 2 &&
			strncasecmp(whole.text + at + 1, word, word_length) == 0 &&
			isspace((unsigned char)whole.text[at + 1 + word_length])) {
			found = at;
			if (!last)
				break;
		}
	}
	if (found == whole.length)
		return false;
	*ret_before = (struct rule_part){ whole.text, found };
	*ret_after = (struct rule_part){ whole.text + found + 1 + word_length,
		whole.length - found - 1 - word_length };
	return true;
}

static void put(struct ik_buf *out, const char *name, struct rule_part value)
{
	ik_json_key(out, name);
	ik_json_put_string(out, value.text, value.length);
}

/* Write the place of "search X in src/lib/ *.c": the directory before the first wildcard is the
 * path, the rest the filter. Without a wildcard, all of it is the path. */
static void put_place(struct ik_buf *out, struct rule_part place)
{
	size_t wild = 0, slash = 0;

	while (wild < place.length && !strchr("*?[", place.text[wild]))
		wild++;
	if (wild == place.length) {
		put(out, "path", place);
		return;
	}
	for (size_t at = 0; at < wild; at++)
		if (place.text[at] == '/')
			slash = at + 1;
	put(out, "glob", (struct rule_part){ place.text + slash, place.length - slash });
	if (slash)
		put(out, "path", (struct rule_part){ place.text, slash > 1 ? slash - 1 : slash });
}

/* Write the arguments that rest means in rule. Return the tool's name, or NULL if something is
 * missing. */
static const char *put_arguments(enum practice_rule rule, struct rule_part rest, struct ik_buf *out)
{
	struct rule_part first, second, third;

	switch (rule) {
	case RULE_LIST:
	case RULE_READ_EVERY:
		if (!split(rest, "in", true, &first, &second)) {
			first = rest;
			second = (struct rule_part){ NULL, 0 };
		}
		first = unquote(first);
		put(out, "pattern", first.length ? first : (struct rule_part){ "*", 1 });
		if (second.text)
			put(out, "path", unquote(second));
		return "glob";
	case RULE_READ:
		put(out, "file_path", unquote(rest));
		return unquote(rest).length ? "file_read" : NULL;
	case RULE_SEARCH:
		if (split(rest, "in", true, &first, &second)) {
			put(out, "pattern", unquote(first));
			put_place(out, unquote(second));
		} else {
			put(out, "pattern", unquote(rest));
		}
		return rest.length ? "grep" : NULL;
	case RULE_RUN:
		put(out, "command", rest);
		return rest.length ? "bash" : NULL;
	case RULE_WRITE:
		if (!split(rest, "to", true, &first, &second))
			return NULL;
		put(out, "file_path", unquote(second));
		put(out, "content", unquote(first));
		return "file_write";
	case RULE_REPLACE:
		if (!split(rest, "with", false, &first, &second) ||
			!split(second, "in", true, &second, &third))
			return NULL;
		put(out, "file_path", unquote(third));
		put(out, "old_string", unquote(first));
		put(out, "new_string", unquote(second));
		return "file_edit";
	default:
		return NULL;
	}
}

/* Return the rule whose words begin the line, and set *rest to what follows them. */
static enum practice_rule find_rule(struct rule_part *rest)
{
	for (size_t index = 0; index < sizeof(rules) / sizeof(*rules); index++) {
		size_t length = strlen(rules[index].word);

		if (rest->length < length || strncasecmp(rest->text, rules[index].word, length) != 0 ||
			(rest->length > length && !isspace((unsigned char)rest->text[length])))
			continue;
		*rest = trim((struct rule_part){ rest->text + length, rest->length - length });
		return rules[index].rule;
	}
	return rest->length > 0 ? RULE_UNKNOWN : RULE_HELP;
}

/* ---- streaming the reply ---- */

/* Number of words in a streamed piece. */
#define WORDS_A_PIECE 3
/* Limit on the files of "read every *" in a large tree. */
#define FILES_MAX 32
#define ANSWER_LIMIT IK_MIB(16)

/* A request and the reply to it. */
struct practice {
	const struct ik_request *request;
	struct ik_script *script;
	enum practice_rule rule; /* the rule that the user's last message matches; */
	struct rule_part rest;   /* what follows the rule's words in it; borrowed */
	size_t results;          /* number of calls since that message, all with results; */
	struct ik_buf text;      /* what to say about them; */
	struct ik_buf files;     /* the lines that the first call of "read every" found */
	struct ik_buf told;      /* what was asked and called in the whole conversation; */
	size_t calls;            /* number in it, to make new ids */
	int slot;                /* for the next call in this reply */
	int64_t words_read, words_said;
};

/* Count the words of a text. */
static int64_t count_words(const char *text, size_t length)
{
	int64_t words = 0;
	bool inside = false;

	for (size_t at = 0; at < length; at++) {
		bool blank = isspace((unsigned char)text[at]);

		words += !blank && !inside;
		inside = !blank;
	}
	return words;
}

/* Stream a text, or the arguments of a call, a few words at a time. */
static void put_words(struct practice *practice, enum ik_delta_kind kind, const char *text,
	size_t length)
{
	practice->words_said += count_words(text, length);
	for (size_t at = 0, end = 0; at < length; at = end) {
		for (int word = 0; word < WORDS_A_PIECE && end < length; word++) {
			while (end < length && isspace((unsigned char)text[end]))
				end++;
			while (end < length && !isspace((unsigned char)text[end]))
				end++;
		}
		ik_script_add(practice->script,
			&(struct ik_delta){ .kind = kind,
				.slot = kind == IK_DELTA_ARGUMENTS ? practice->slot : 0,
				.text = text + at,
				.text_length = end - at });
	}
}

static void put_text(struct practice *practice, const char *text)
{
	put_words(practice, IK_DELTA_TEXT, text, strlen(text));
}

/* Stream a call: its id and name, then its arguments. */
static void put_call(struct practice *practice, const char *tool, const struct ik_buf *arguments)
{
	char *id = ik_format("call_%zu", ++practice->calls);

	ik_script_add(practice->script,
		&(struct ik_delta){
			.kind = IK_DELTA_CALL, .slot = practice->slot, .id = id, .name = tool });
	put_words(practice, IK_DELTA_ARGUMENTS, arguments->data, arguments->length);
	practice->slot++;
	free(id);
}

/* ---- describing what a tool answered ---- */

/* Limit on the output lines repeated in the text; the call shows all of them. */
#define LINES_SHOWN 20
#define BYTES_SHOWN 4000

/* Remove the first line from rest and return it, without its line feed. */
static struct rule_part take_line(struct rule_part *rest)
{
	const char *feed = memchr(rest->text, '\n', rest->length);
	struct rule_part line = { rest->text, feed ? (size_t)(feed - rest->text) : rest->length };
	size_t taken = line.length + (feed ? 1 : 0);

	*rest = (struct rule_part){ rest->text + taken, rest->length - taken };
	return line;
}

/* Count the lines of a text, including a last one without a line feed. */
static size_t count_lines(struct rule_part text)
{
	size_t lines = 0;

	for (; text.length; lines++)
		(void)take_line(&text);
	return lines;
}

/* Write lines as a code block, with a fence that does not occur in them. */
static void put_block(struct ik_buf *out, const char *language, struct rule_part lines)
{
	struct ik_buf fence;

	ik_buf_init(&fence, ANSWER_LIMIT);
	ik_buf_puts(&fence, "```");
	while (memmem(lines.text, lines.length, fence.data, fence.length))
		ik_buf_putc(&fence, '`');
	ik_buf_printf(out, "%s%s\n", fence.data, language);
	ik_buf_append(out, lines.text, lines.length);
	if (lines.length && lines.text[lines.length - 1] != '\n')
		ik_buf_putc(out, '\n');
	ik_buf_printf(out, "%s\n", fence.data);
	ik_buf_done(&fence);
}

/* Write the first lines, as a code block in that language or (NULL) as a list, and the number of
 * lines that are not shown. */
static void put_lines(struct ik_buf *out, const char *language, const char *text, size_t length)
{
	struct rule_part rest = { text,
		ik_utf8_cut(text, length, length < BYTES_SHOWN ? length : BYTES_SHOWN) };
	size_t more;

	ik_buf_putc(out, '\n');
	for (int count = 0; count < LINES_SHOWN && rest.length; count++) {
		struct rule_part line = take_line(&rest);

		if (!language)
			ik_buf_printf(out, "- `%.*s`\n", IK_JSON_ARGS(line));
	}
	if (language)
		put_block(out, language, (struct rule_part){ text, (size_t)(rest.text - text) });
	more = count_lines((struct rule_part){ rest.text, length - (size_t)(rest.text - text) });
	if (more)
		ik_buf_printf(out,
			ngettext("\n%zu more line is with the call: F3 opens it.\n",
				"\n%zu more lines are with the call: F3 opens it.\n", more),
			more);
}

/* Return the decoded text of a member in new memory; "" if it is not a string. */
static char *text_of(struct ik_json_span object, const char *name, size_t *ret_length)
{
	char *text = ik_json_string_new(ik_json_member(object, name), ret_length);

	if (!text && ret_length)
		*ret_length = 0;
	return text ? text : ik_strdup("");
}

/* Describe the failure that the envelope or the tool itself reports. Return false if there was
 * none. */
static bool put_failure(struct ik_buf *out, const char *tool, struct ik_json_span envelope)
{
	struct ik_json_span result = ik_json_member(envelope, "result");
	bool success = false;

	ik_json_bool(ik_json_member(envelope, "tool_success"), &success);
	struct ik_json_span where = success ? result : envelope;

	if (success && ik_json_span_type(ik_json_member(result, "error")) != IK_JSON_STRING)
		return false;
	size_t length;
	char *message = text_of(where, "error", NULL);
	char *code = text_of(where, "error_code", NULL);
	char *errors = text_of(where, "stderr", &length);

	if (success)
		ik_buf_printf(out, _("`%s` could not do it: %s"), tool, message);
	else
		ik_buf_printf(out, _("The call of `%s` failed: %s"), tool, message);
	if (*code)
		ik_buf_printf(out, " (`%s`)", code);
	ik_buf_putc(out, '\n');
	if (length)
		put_lines(out, "", errors, length);
	free(message);
	free(code);
	free(errors);
	return true;
}

/* Describe what grep, glob or another tool with an "output" found. */
static void put_output(struct ik_buf *out, const char *tool, struct ik_json_span arguments,
	struct ik_json_span result)
{
	size_t length;
	char *text = text_of(result, "output", &length);
	char *pattern = text_of(arguments, "pattern", NULL);
	char *path = text_of(arguments, "file_path", NULL);
	size_t lines = count_lines((struct rule_part){ text, length });
	int64_t code = 0;

	if (ik_text_equal(tool, "glob") && !lines) {
		ik_buf_printf(out, _("`glob` found no file for `%s`.\n"), pattern);
	} else if (ik_text_equal(tool, "glob")) {
		ik_buf_printf(out, ngettext("`glob` found %zu file:\n", "`glob` found %zu files:\n", lines),
			lines);
	} else if (ik_text_equal(tool, "grep") && !lines) {
		ik_buf_printf(out, _("`grep` found nothing for `%s`.\n"), pattern);
	} else if (ik_text_equal(tool, "grep")) {
		ik_buf_printf(out, ngettext("`grep` found %zu line:\n", "`grep` found %zu lines:\n", lines),
			lines);
	} else if (ik_text_equal(tool, "file_read") && !length) {
		ik_buf_printf(out, _("`%s` is empty.\n"), path);
	} else if (ik_text_equal(tool, "file_read")) {
		ik_buf_printf(out, ngettext("`%s` has %zu line:\n", "`%s` has %zu lines:\n", lines), path,
			lines);
	} else if (ik_json_integer(ik_json_member(result, "exit_code"), &code)) {
		ik_buf_printf(out,
			length ? _("The command ended with exit code %lld:\n")
				   : _("The command ended with exit code %lld and no output.\n"),
			(long long)code);
	} else if (lines <= 1) {
		ik_buf_printf(out, _("`%s` says: "), tool);
		ik_buf_append(out, text, length);
		ik_buf_putc(out, '\n');
		length = 0;
	} else {
		ik_buf_printf(out, _("`%s` says:\n"), tool);
	}
	if (length)
		put_lines(out, ik_text_equal(tool, "glob") ? NULL : "", text, length);
	free(text);
	free(pattern);
	free(path);
}

/* Append a description, in Markdown, of a tool's answer. envelope may be any text. */
static void describe(struct ik_buf *out, const char *tool, struct ik_json_span arguments,
	const char *envelope, size_t length)
{
	struct ik_json_span value;
	bool limit = false;

	if (ik_json_check(envelope, length, &value, NULL) != IK_OK) {
		ik_buf_printf(out, _("`%s` says:\n"), tool);
		put_lines(out, "", envelope, length);
		return;
	}
	if (!put_failure(out, tool, value)) {
		struct ik_json_span result = ik_json_member(value, "result");

		if (ik_json_span_type(ik_json_member(result, "output")) == IK_JSON_STRING) {
			put_output(out, tool, arguments, result);
		} else {
			struct ik_buf pretty;

			ik_buf_init(&pretty, IK_LIMIT_ENVELOPE);
			ik_json_pretty(&pretty, result.text ? result : value);
			ik_buf_printf(out, _("`%s` answered:\n"), tool);
			put_lines(out, "json", pretty.data, pretty.length);
			ik_buf_done(&pretty);
		}
	}
	if (ik_json_bool(ik_json_member(value, "limit_reached"), &limit) && limit) {
		char *message = text_of(value, "limit_message", NULL);

		ik_buf_printf(out, "\n%s\n", message);
		free(message);
	}
}

/* Append one line about a file that was read. */
static void describe_file(struct ik_buf *out, struct ik_json_span arguments, const char *envelope,
	size_t length)
{
	struct ik_json_span value;
	char *path = text_of(arguments, "file_path", NULL);

	if (ik_json_check(envelope, length, &value, NULL) != IK_OK)
		value = (struct ik_json_span){ NULL, 0 };
	ik_buf_printf(out, "- `%s`: ", path);
	if (!put_failure(out, "file_read", value)) {
		size_t text_length;
		char *text = text_of(ik_json_member(value, "result"), "output", &text_length);
		size_t lines = count_lines((struct rule_part){ text, text_length });

		ik_buf_printf(out, ngettext("%zu line, %zu bytes\n", "%zu lines, %zu bytes\n", lines),
			lines, text_length);
		free(text);
	}
	free(path);
}

/* ---- reading the conversation ---- */

/* Return the envelope of result in new memory; a substitute if result is NULL or has none. */
static char *envelope_of(const struct ik_message *result, size_t *ret_length)
{
	char *envelope = result ? ik_message_envelope(result, ret_length) : NULL;
	struct ik_buf lost;

	if (envelope)
		return envelope;
	ik_buf_init(&lost, IK_KIB(4));
	ik_pairing_lost_envelope(&lost);
	return ik_buf_take(&lost, ret_length);
}

/* Return what a user message asks for: what was typed, or the prompt that a custom command made of
 * it, which follows in an element. */
static struct rule_part order_of(const struct ik_message *message)
{
	static const char opening[] = "\n\n<prompt ", closing[] = "\n</prompt>";
	struct rule_part order = { message->content, ik_message_typed(message) };
	const char *text = order.text + order.length, *end, *line;
	size_t length = message->content_length - order.length;

	if (length < sizeof(opening) || memcmp(text, opening, sizeof(opening) - 1) != 0)
		return order;
	line = memchr(text + 2, '\n', length - 2);
	end = memmem(text, length, closing, sizeof(closing) - 1);
	return line && end && line < end ? (struct rule_part){ line, (size_t)(end - line) } : order;
}

/* Limit on the part of a line that is repeated. */
#define REPEATED_BYTES 60

/* Keep the beginning of an order or a call for a summary. */
static void tell(struct practice *practice, const char *mark, struct rule_part text)
{
	struct rule_part line = take_line(&text);
	size_t most = ik_utf8_cut(line.text, line.length, REPEATED_BYTES);

	ik_buf_printf(&practice->told, "%s`%.*s`\n", mark, (int)most, line.text);
}

/* Interpret a user message; earlier messages only matter for a summary. */
static void read_user(struct practice *practice, const struct ik_message *message)
{
	struct rule_part order = trim(order_of(message));

	practice->rest = order;
	practice->rule = find_rule(&practice->rest);
	if (practice->rule == RULE_SUMMARY)
		ik_buf_printf(&practice->told, "%.*s\n", (int)practice->rest.length, practice->rest.text);
	else if (practice->rule != RULE_SUMMARISE)
		tell(practice, "- ", order);
	practice->results = 0;
	ik_buf_clear(&practice->text);
	ik_buf_clear(&practice->files);
	practice->words_read += count_words(message->content, message->content_length);
}

/* Describe a call and its result. */
static void read_call(struct practice *practice, const struct ik_message *call,
	const struct ik_message *result)
{
	bool every = practice->rule == RULE_READ_EVERY;
	size_t length, written_length = 0;
	char *envelope = envelope_of(result, &length);
	char *tool = ik_message_tool_name(call);
	char *written = ik_message_arguments(call, &written_length), *told;
	struct ik_json_span arguments = { NULL, 0 }, value;

	if (written && ik_json_check(written, written_length, &arguments, NULL) != IK_OK)
		arguments = (struct ik_json_span){ NULL, 0 };
	practice->words_read += count_words(envelope, length);
	practice->calls++;
	practice->results++;
	if (every && practice->results == 1 && ik_json_check(envelope, length, &value, NULL) == IK_OK)
		ik_json_string(ik_json_at(value, "result.output"), &practice->files);
	/* The files themselves show what was found. */
	if (every && practice->results == 2)
		ik_buf_clear(&practice->text);
	if (every && practice->results > 1)
		describe_file(&practice->text, arguments, envelope, length);
	else
		describe(&practice->text, tool ? tool : "?", arguments, envelope, length);
	told = ik_format("%s %.*s", tool ? tool : "?", (int)arguments.length,
		arguments.text ? arguments.text : "");
	tell(practice, "  - ", (struct rule_part){ told, strlen(told) });
	free(told);
	free(tool);
	free(written);
	free(envelope);
}

static void read_message(struct practice *practice, const struct ik_message *message,
	const struct ik_message *result)
{
	if (message->kind == IK_KIND_USER)
		read_user(practice, message);
	else if (message->kind == IK_KIND_ASSISTANT)
		practice->words_read += count_words(message->content, message->content_length);
	else if (message->kind == IK_KIND_TOOL_CALL)
		read_call(practice, message, result);
}

/* ---- replies ---- */

/* Is the tool offered, and are calls allowed? */
static bool may_call(const struct ik_request *request, const char *tool)
{
	for (size_t index = 0; !request->forbid_calls && index < request->tool_count; index++)
		if (ik_text_equal(request->tools[index].name, tool))
			return true;
	return false;
}

/* Say why a call is impossible. */
static void put_no_call(struct practice *practice, const char *tool)
{
	const struct ik_request *request = practice->request;
	struct ik_buf text;

	ik_buf_init(&text, ANSWER_LIMIT);
	if (request->forbid_calls) {
		ik_buf_printf(&text,
			_("I would call the tool `%s`, but no call is allowed in this "
			  "round.\n"),
			tool);
	} else {
		ik_buf_printf(&text, _("I would call the tool `%s`, but it is not offered to me. "), tool);
		ik_buf_puts(&text, request->tool_count ? _("Those that are: ") : _("No tool is.\n"));
		for (size_t index = 0; index < request->tool_count; index++)
			ik_buf_printf(&text, "%s`%s`%s", index ? ", " : "", request->tools[index].name,
				index + 1 < request->tool_count ? "" : ".\n");
	}
	put_text(practice, text.data);
	ik_buf_done(&text);
}

/* Write the second round of "read every": a call for each file found. */
static void put_reads(struct practice *practice)
{
	struct rule_part rest = { practice->files.data, practice->files.length };

	for (int count = 0; count < FILES_MAX && rest.length; count++) {
		struct ik_buf arguments;

		ik_buf_init(&arguments, IK_MIB(1));
		ik_json_open(&arguments, '{');
		put(&arguments, "file_path", take_line(&rest));
		ik_json_close(&arguments, '}');
		put_call(practice, "file_read", &arguments);
		ik_buf_done(&arguments);
	}
}

/* Write the descriptions of all results since the user's message. */
static void put_results(struct practice *practice)
{
	if (practice->rule == RULE_READ_EVERY && practice->results > 1) {
		size_t files = practice->results - 1;
		char *head = ik_format(ngettext("I have read %zu file:\n\n", "I have read %zu files:\n\n",
								   files),
			files);

		put_text(practice, head);
		free(head);
	}
	put_words(practice, IK_DELTA_TEXT, practice->text.data, practice->text.length);
}

/* Write the reply to "stream N": N words, in paragraphs. */
static void put_stream(struct practice *practice)
{
	static const char *const vocabulary[] = { "water", "runs", "past", "the", "old", "mill", "and",
		"nobody", "counts", "its", "turns;", "slowly", "the", "wheel", "goes", "round." };
	size_t words = sizeof(vocabulary) / sizeof(*vocabulary);
	char *number = ik_strndup(practice->rest.text, practice->rest.length);
	long count = strtol(number, NULL, 10);
	struct ik_buf text;

	if (count < 1)
		count = STREAM_WORDS_DEFAULT;
	ik_buf_init(&text, ANSWER_LIMIT);
	for (long word = 0; word < count && word < STREAM_WORDS_MAX; word++) {
		if (word)
			ik_buf_puts(&text, word % 96 ? " " : "\n\n");
		ik_buf_puts(&text, vocabulary[(size_t)word % words]);
	}
	put_words(practice, IK_DELTA_TEXT, text.data, text.length);
	ik_buf_done(&text);
	free(number);
}

/* Write the reply to "think": thoughts, then words. */
static void put_thoughts(struct practice *practice)
{
	char *subject = ik_strndup(practice->rest.text, practice->rest.length);
	char *thoughts = ik_format(_("The person wants me to think about %s. I have no mind, "
								 "only rules, so there is nothing to weigh. I shall say so."),
		*subject ? subject : _("nothing"));

	put_words(practice, IK_DELTA_THINKING, thoughts, strlen(thoughts));
	put_text(practice, _("I have thought about it, as far as fixed rules can.\n"));
	free(thoughts);
	free(subject);
}

/* Return the name of the tool to call, in new memory, and write the arguments; NULL: no call. */
static char *read_order(enum practice_rule rule, struct rule_part rest, struct ik_buf *arguments)
{
	const char *tool;

	if (rule == RULE_CALL) {
		size_t end = 0;

		while (end < rest.length && !isspace((unsigned char)rest.text[end]))
			end++;
		/* The rest of the line is passed on unchanged, even if it is invalid. */
		struct rule_part json = trim((struct rule_part){ rest.text + end, rest.length - end });

		ik_buf_append(arguments, json.length ? json.text : "{}", json.length ? json.length : 2);
		return end ? ik_strndup(rest.text, end) : NULL;
	}
	ik_json_open(arguments, '{');
	tool = put_arguments(rule, rest, arguments);
	ik_json_close(arguments, '}');
	return tool ? ik_strdup(tool) : NULL;
}

/* Is the first word of a line a program? Then a shell command was probably meant. */
static bool names_program(struct rule_part line)
{
	const char *path = getenv("PATH");
	size_t length = 0;
	bool found = false;

	while (length < line.length && !isspace((unsigned char)line.text[length]))
		length++;
	while (!found && path && *path && !memchr(line.text, '/', length)) {
		size_t directory = strcspn(path, ":");
		char *name = ik_format("%.*s/%.*s", (int)directory, path, (int)length, line.text);

		found = directory > 0 && access(name, X_OK) == 0;
		free(name);
		path += directory + (path[directory] == ':');
	}
	return found;
}

/* Answer a line that is no order, in a sentence. */
static void put_advice(struct practice *practice)
{
	struct rule_part rest = practice->rest, line = take_line(&rest);
	size_t most = ik_utf8_cut(line.text, line.length, REPEATED_BYTES);
	char *text = NULL;

	for (size_t i = 0; practice->rule != RULE_UNKNOWN && !text; i++)
		if (rules[i].rule == practice->rule)
			text = ik_format(_("Say it like this: `%s`. `help` lists what I understand.\n"),
				rules[i].usage);
	if (!text && most == line.length && names_program(line))
		text = ik_format(_("I don't know `%.*s`; try `run %.*s`.\n"),
			(int)strcspn(line.text, " \t\n"), line.text, (int)most, line.text);
	if (!text)
		text = ik_format(_("I don't know `%.*s`. I only follow a few rules: try `list *.c`, "
						   "`run ls`, or `help`.\n"),
			(int)most, line.text);
	put_text(practice, text);
	free(text);
}

/* Call the tool that the line asks for, or explain what is possible. */
static void put_order(struct practice *practice)
{
	struct ik_buf arguments;

	/* Escaping makes the text at most six times as long. */
	ik_buf_init(&arguments, practice->rest.length * 6 + IK_KIB(1));
	char *tool = read_order(practice->rule, practice->rest, &arguments);

	if (!tool && practice->rule == RULE_HELP)
		put_text(practice, help_text());
	else if (!tool)
		put_advice(practice);
	else if (may_call(practice->request, tool))
		put_call(practice, tool, &arguments);
	else
		put_no_call(practice, tool);
	free(tool);
	ik_buf_done(&arguments);
}

/* Decide on the reply and write it. */
static void put_reply(struct practice *practice)
{
	if (practice->results == 1 && practice->files.length && !practice->request->forbid_calls) {
		if (may_call(practice->request, "file_read"))
			put_reads(practice);
		else
			put_no_call(practice, "file_read");
	} else if (practice->results) {
		put_results(practice);
	} else if (practice->rule == RULE_STREAM) {
		put_stream(practice);
	} else if (practice->rule == RULE_THINK) {
		put_thoughts(practice);
	} else if (practice->rule == RULE_SUMMARISE) {
		put_words(practice, IK_DELTA_TEXT, practice->told.data, practice->told.length);
	} else {
		put_order(practice);
	}
}

/* Write the complete reply to a request. */
static void write_reply(const struct ik_request *request, struct ik_script *ret_script)
{
	struct practice practice = {
		.request = request, .script = ret_script, .rule = RULE_HELP, .rest.text = ""
	};
	const char *prompt = request->system_prompt ? request->system_prompt : "";
	struct ik_transcript transcript;
	const struct ik_passage *passage;

	ik_buf_init(&practice.text, ANSWER_LIMIT);
	ik_buf_init(&practice.files, ANSWER_LIMIT);
	ik_buf_init(&practice.told, ANSWER_LIMIT);
	practice.words_read = count_words(prompt, strlen(prompt));
	ik_transcript_init(&transcript, request->conversation);
	while ((passage = ik_transcript_next(&transcript)))
		for (size_t index = 0; index < passage->count; index++)
			read_message(&practice, passage->messages[index], passage->results[index]);
	put_reply(&practice);
	ik_script_add(ret_script,
		&(struct ik_delta){ .kind = IK_DELTA_USAGE,
			.input_tokens = practice.words_read,
			.output_tokens = practice.words_said });
	ik_script_add(ret_script,
		&(struct ik_delta){
			.kind = IK_DELTA_STOP, .stop = practice.slot ? IK_STOP_TOOL_CALLS : IK_STOP_END });
	ik_transcript_done(&transcript);
	ik_buf_done(&practice.text);
	ik_buf_done(&practice.files);
	ik_buf_done(&practice.told);
}

const struct ik_wire_format ik_practice_format = {
	.type = "practice",
	.put_tool = ik_openai_chat_put_tool,
	.answer = write_reply,
};
