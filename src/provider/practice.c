/*
 * The practice model of provider/formats.h: how it understands the user's line, how it describes what
 * a tool answered, and its replies.
 */
#include "provider/formats.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json/write.h"
#include "provider/openai.h"
#include "provider/wire/transcript.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* ---- what the user wants ---- */

enum practice_rule {
	RULE_HELP, /* also for anything else */
	RULE_LIST,
	RULE_READ,
	RULE_READ_EVERY,
	RULE_SEARCH,
	RULE_RUN,
	RULE_WRITE,
	RULE_REPLACE,
	RULE_CALL,
	RULE_STREAM,
	RULE_THINK
};

/* An order as it was understood. */
struct practice_order {
	enum practice_rule rule;
	int64_t number;  /* STREAM: how many words */
	char *tool;      /* what to call first; NULL: nothing */
	char *arguments; /* of that call, JSON unless the user wrote it; NULL without tool */
	char *subject;   /* THINK: about what */
};

/* "stream 1000000" would only make the user wait. */
#define STREAM_WORDS_MAX 100000
#define STREAM_WORDS_DEFAULT 200

/* A part of the user's line; not owned. */
struct rule_part {
	const char *text;
	size_t length;
};

static const struct {
	const char *word;
	enum practice_rule rule;
} rules[] = {
	{ "list", RULE_LIST },
	{ "read every", RULE_READ_EVERY },
	{ "read", RULE_READ },
	{ "search", RULE_SEARCH },
	{ "run", RULE_RUN },
	{ "write", RULE_WRITE },
	{ "replace", RULE_REPLACE },
	{ "call", RULE_CALL },
	{ "stream", RULE_STREAM },
	{ "think about", RULE_THINK },
	{ "think", RULE_THINK },
};

/* Return the text of "help". */
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

/* Strip surrounding blanks. */
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

/* Strip blanks and the surrounding quotes. */
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

/* Split at the first or the last " word " outside quotes. */
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

/* Append the arguments of file_read for a path. */
static void put_path_arguments(struct ik_buf *out, const char *path, size_t length)
{
	ik_json_open(out, '{');
	put(out, "file_path", (struct rule_part){ path, length });
	ik_json_close(out, '}');
}

/* "search X in src/lib/ *.c": the directory before the first wildcard is the path, the rest the
 * filter. Without a wildcard all of it is the path. */
static void put_place(struct ik_buf *out, struct rule_part place)
{
	size_t wild = 0, slash = 0;

	while (wild < place.length && !strchr("*?[", place.text[wild]))
		wild++;
	if (wild == place.length) {
		put(out, "path", place);
		return;
	}
	for (size_t at = 0; at < wild; at++) {
		if (place.text[at] == '/')
			slash = at + 1;
	}
	put(out, "glob", (struct rule_part){ place.text + slash, place.length - slash });
	if (slash)
		put(out, "path", (struct rule_part){ place.text, slash > 1 ? slash - 1 : slash });
}

/* Write the arguments that rest means under rule. Return the tool's name, or NULL if something is
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

/* "call TOOL JSON": the JSON is passed on unchanged, even if it is invalid. */
static void read_call(struct rule_part rest, struct practice_order *order)
{
	size_t end = 0;

	while (end < rest.length && !isspace((unsigned char)rest.text[end]))
		end++;
	struct rule_part arguments = trim((struct rule_part){ rest.text + end, rest.length - end });

	if (!end) {
		order->rule = RULE_HELP;
		return;
	}
	order->tool = ik_strndup(rest.text, end);
	order->arguments = arguments.length ? ik_strndup(arguments.text, arguments.length)
										: ik_strdup("{}");
}

/* Find the rule whose words begin the line; *rest is what follows them. */
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
	return RULE_HELP;
}

/* Return what the user typed, without attached files and outputs (core/attach.h). */
static struct rule_part without_attached(struct rule_part text)
{
	static const struct {
		const char *begin, *end;
	} parts[] = {
		{ "\n\n<file path=\"", "</file>" },
		{ "\n\n<shell command=\"", "</shell>" },
		{ "\n\n<command line=\"", "</command>" },
	};
	size_t length = text.length;
	bool attached = false;

	for (size_t index = 0; index < sizeof(parts) / sizeof(*parts); index++) {
		size_t end = strlen(parts[index].end);

		attached = attached ||
			(text.length >= end &&
				memcmp(text.text + text.length - end, parts[index].end, end) == 0);
	}
	for (size_t index = 0; attached && index < sizeof(parts) / sizeof(*parts); index++) {
		const char *at = memmem(text.text, length, parts[index].begin, strlen(parts[index].begin));

		if (at)
			length = (size_t)(at - text.text);
	}
	return (struct rule_part){ text.text, length };
}

static void read_order(const char *text, size_t length, struct practice_order *ret_order)
{
	struct rule_part rest = trim(without_attached((struct rule_part){ text, length }));
	struct ik_buf arguments;
	const char *tool;

	memset(ret_order, 0, sizeof(*ret_order));
	ret_order->rule = find_rule(&rest);
	switch (ret_order->rule) {
	case RULE_HELP:
		return;
	case RULE_CALL:
		read_call(rest, ret_order);
		return;
	case RULE_THINK:
		ret_order->subject = ik_strndup(rest.text, rest.length);
		return;
	case RULE_STREAM: {
		char *number = ik_strndup(rest.text, rest.length);
		char *end;

		errno = 0;
		long long words = strtoll(number, &end, 10);
		ret_order->number = end == number || words < 1 ? STREAM_WORDS_DEFAULT
			: words > STREAM_WORDS_MAX                 ? STREAM_WORDS_MAX
													   : words;
		free(number);
		return;
	}
	default:
		break;
	}
	/* Escaping makes it at most six times as long. */
	ik_buf_init(&arguments, length * 6 + IK_KIB(1));
	ik_json_open(&arguments, '{');
	tool = put_arguments(ret_order->rule, rest, &arguments);
	ik_json_close(&arguments, '}');
	if (tool) {
		ret_order->tool = ik_strdup(tool);
		ret_order->arguments = ik_buf_take(&arguments, NULL);
	} else {
		ret_order->rule = RULE_HELP;
	}
	ik_buf_done(&arguments);
}

static void order_done(struct practice_order *order)
{
	free(order->tool);
	free(order->arguments);
	free(order->subject);
	memset(order, 0, sizeof(*order));
}

/* ---- what a tool answered ---- */

/* Lines of an output that are repeated in the text; the call shows all of it. */
#define LINES_SHOWN 20
#define BYTES_SHOWN 4000

/* Count the lines of a text, including a last one without a line feed. */
static size_t count_lines(const char *text, size_t length)
{
	size_t lines = 0;

	for (size_t at = 0; at < length; lines++) {
		const char *end = memchr(text + at, '\n', length - at);

		at = end ? (size_t)(end - text) + 1 : length;
	}
	return lines;
}

/* Return the length of the lines that are shown. */
static size_t shown_length(const char *text, size_t length)
{
	size_t limit = ik_utf8_cut(text, length, length < BYTES_SHOWN ? length : BYTES_SHOWN);
	size_t at = 0;

	for (int line = 0; line < LINES_SHOWN && at < limit; line++) {
		const char *end = memchr(text + at, '\n', limit - at);

		at = end ? (size_t)(end - text) + 1 : limit;
	}
	return at;
}

/* Say how many lines are not shown, if any. */
static void put_rest(struct ik_buf *out, const char *text, size_t length, size_t shown)
{
	size_t rest = count_lines(text + shown, length - shown);

	if (rest)
		ik_buf_printf(out,
			ngettext("\n%zu more line is with the call.\n", "\n%zu more lines are with the call.\n",
				rest),
			rest);
}

/* Write the first lines as a code block, with a fence that they do not contain. */
static void put_block(struct ik_buf *out, const char *language, const char *text, size_t length)
{
	size_t shown = shown_length(text, length);
	size_t fence = 3, run = 0;

	for (size_t at = 0; at < shown; at++) {
		run = text[at] == '`' ? run + 1 : 0;
		if (run >= fence)
			fence = run + 1;
	}
	ik_buf_putc(out, '\n');
	for (size_t count = 0; count < fence; count++)
		ik_buf_putc(out, '`');
	ik_buf_printf(out, "%s\n", language);
	ik_buf_append(out, text, shown);
	if (shown && text[shown - 1] != '\n')
		ik_buf_putc(out, '\n');
	for (size_t count = 0; count < fence; count++)
		ik_buf_putc(out, '`');
	ik_buf_putc(out, '\n');
	put_rest(out, text, length, shown);
}

/* Write the first lines as list items. */
static void put_list(struct ik_buf *out, const char *text, size_t length)
{
	size_t shown = shown_length(text, length);

	ik_buf_putc(out, '\n');
	for (size_t at = 0; at < shown;) {
		const char *end = memchr(text + at, '\n', shown - at);
		size_t line = end ? (size_t)(end - text) - at : shown - at;

		ik_buf_puts(out, "- `");
		ik_buf_append(out, text + at, line);
		ik_buf_puts(out, "`\n");
		at += line + 1;
	}
	put_rest(out, text, length, shown);
}

/* Return the decoded text of a member, "" if it is not a string; in new memory. */
static char *text_of(struct ik_json_span object, const char *name, size_t *ret_length)
{
	struct ik_buf empty;
	char *text = ik_json_string_new(ik_json_member(object, name), ret_length);

	if (text)
		return text;
	ik_buf_init(&empty, 1);
	return ik_buf_take(&empty, ret_length);
}

/* Describe what went wrong, according to the envelope or the tool itself. Return false if nothing
 * did. */
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
		put_block(out, "", errors, length);
	free(message);
	free(code);
	free(errors);
	return true;
}

/* Describe what grep, glob or any tool with an "output" found. */
static void put_output(struct ik_buf *out, const char *tool, struct ik_json_span arguments,
	struct ik_json_span result)
{
	size_t length;
	char *text = text_of(result, "output", &length);
	char *pattern = text_of(arguments, "pattern", NULL);
	char *path = text_of(arguments, "file_path", NULL);
	size_t lines = count_lines(text, length);
	int64_t code = 0;

	if (ik_text_equal(tool, "glob") && !lines) {
		ik_buf_printf(out, _("`glob` found no file for `%s`.\n"), pattern);
	} else if (ik_text_equal(tool, "glob")) {
		ik_buf_printf(out, ngettext("`glob` found %zu file:\n", "`glob` found %zu files:\n", lines),
			lines);
		put_list(out, text, length);
	} else if (ik_text_equal(tool, "grep") && !lines) {
		ik_buf_printf(out, _("`grep` found nothing for `%s`.\n"), pattern);
	} else if (ik_text_equal(tool, "grep")) {
		ik_buf_printf(out, ngettext("`grep` found %zu line:\n", "`grep` found %zu lines:\n", lines),
			lines);
		put_block(out, "", text, length);
	} else if (ik_text_equal(tool, "file_read") && !length) {
		ik_buf_printf(out, _("`%s` is empty.\n"), path);
	} else if (ik_text_equal(tool, "file_read")) {
		ik_buf_printf(out, ngettext("`%s` has %zu line:\n", "`%s` has %zu lines:\n", lines), path,
			lines);
		put_block(out, "", text, length);
	} else if (ik_json_integer(ik_json_member(result, "exit_code"), &code)) {
		ik_buf_printf(out,
			length ? _("The command ended with exit code %lld:\n")
				   : _("The command ended with exit code %lld and no output.\n"),
			(long long)code);
		if (length)
			put_block(out, "", text, length);
	} else if (lines <= 1) {
		ik_buf_printf(out, _("`%s` says: "), tool);
		ik_buf_append(out, text, length);
		ik_buf_putc(out, '\n');
	} else {
		ik_buf_printf(out, _("`%s` says:\n"), tool);
		put_block(out, "", text, length);
	}
	free(text);
	free(pattern);
	free(path);
}

/* Append a description, in Markdown, of what a tool answered. envelope may be any text. */
static void describe(struct ik_buf *out, const char *tool, struct ik_json_span arguments,
	const char *envelope, size_t length)
{
	struct ik_json_span value;
	bool limit = false;

	if (ik_json_check(envelope, length, &value, NULL) != IK_OK) {
		ik_buf_printf(out, _("`%s` says:\n"), tool);
		put_block(out, "", envelope, length);
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
			put_block(out, "json", pretty.data, pretty.length);
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
		size_t lines = count_lines(text, text_length);

		ik_buf_printf(out, ngettext("%zu line, %zu bytes\n", "%zu lines, %zu bytes\n", lines),
			lines, text_length);
		free(text);
	}
	free(path);
}

/* ---- replies ---- */

/* Words streamed at a time. */
#define WORDS_A_PIECE 3
#define ARGUMENT_BYTES_A_PIECE 16
/* Limit for "read every *" in a large tree. */
#define FILES_MAX 32
#define ANSWER_LIMIT IK_MIB(16)

/* What has happened since the user last spoke. */
struct exchange {
	const struct ik_request *request;
	char *user; /* the user's message */
	size_t user_length;
	const struct ik_message **calls;   /* in order, each */
	const struct ik_message **results; /* result of each; NULL: none */
	size_t count, capacity;
	size_t calls_before; /* in the whole conversation, to make new ids */
	int64_t words;       /* in everything that was said */
};

struct practice_writer {
	struct ik_script *script;
	int64_t words;
	int call;       /* index of the next call in this reply */
	size_t call_id; /* number of the next call in the conversation */
};

/* Count the words of a text. */
static int64_t count_words(const char *text, size_t length)
{
	int64_t words = 0;
	bool inside = false;

	for (size_t at = 0; at < length; at++) {
		bool blank = strchr(" \t\r\n", text[at]) && text[at];

		words += !blank && !inside;
		inside = !blank;
	}
	return words;
}

/* Stream a text, a few words at a time. */
static void put_words(struct practice_writer *writer, enum ik_delta_kind kind, const char *text,
	size_t length)
{
	writer->words += count_words(text, length);
	for (size_t at = 0; at < length;) {
		size_t end = at;

		for (int word = 0; word < WORDS_A_PIECE && end < length; word++) {
			while (end < length && strchr(" \n", text[end]))
				end++;
			while (end < length && !strchr(" \n", text[end]))
				end++;
		}
		ik_script_add(writer->script,
			&(struct ik_delta){ .kind = kind, .text = text + at, .text_length = end - at });
		at = end;
	}
}

static void put_text(struct practice_writer *writer, const char *text)
{
	put_words(writer, IK_DELTA_TEXT, text, strlen(text));
}

/* Stream a call: first its id and name, then its arguments in pieces. */
static void put_call(struct practice_writer *writer, const char *tool, const char *arguments)
{
	size_t length = strlen(arguments);
	char *id = ik_format("call_%zu", writer->call_id++);

	writer->words += count_words(arguments, length);
	ik_script_add(writer->script,
		&(struct ik_delta){ .kind = IK_DELTA_CALL, .slot = writer->call, .id = id, .name = tool });
	free(id);
	for (size_t at = 0, end; at < length; at = end) {
		end = ik_utf8_cut(arguments, length,
			length - at < ARGUMENT_BYTES_A_PIECE ? length : at + ARGUMENT_BYTES_A_PIECE);
		ik_script_add(writer->script,
			&(struct ik_delta){ .kind = IK_DELTA_ARGUMENTS,
				.slot = writer->call,
				.text = arguments + at,
				.text_length = end - at });
	}
	writer->call++;
}

/* The last deltas: usage and stop reason. */
static void put_end(struct practice_writer *writer, int64_t input_words)
{
	ik_script_add(writer->script,
		&(struct ik_delta){
			.kind = IK_DELTA_USAGE, .input_tokens = input_words, .output_tokens = writer->words });
	ik_script_add(writer->script,
		&(struct ik_delta){
			.kind = IK_DELTA_STOP, .stop = writer->call ? IK_STOP_TOOL_CALLS : IK_STOP_END });
}

/* Return the envelope of a result (NULL: none), in new memory. */
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

/* A message from the user: what came before no longer matters. */
static void read_user(struct exchange *exchange, const struct ik_message *message)
{
	free(exchange->user);
	exchange->user = ik_strndup(message->content, message->content_length);
	exchange->user_length = message->content_length;
	exchange->count = 0;
	exchange->words += count_words(message->content, message->content_length);
}

static void read_call_made(struct exchange *exchange, const struct ik_message *call,
	const struct ik_message *result)
{
	size_t length;
	char *envelope = envelope_of(result, &length);

	exchange->words += count_words(envelope, length);
	free(envelope);
	if (exchange->count == exchange->capacity) {
		exchange->capacity = exchange->capacity * 2 + 8;
		exchange->calls = ik_alloc_array(exchange->calls, exchange->capacity,
			sizeof(*exchange->calls));
		exchange->results = ik_alloc_array(exchange->results, exchange->capacity,
			sizeof(*exchange->results));
	}
	exchange->calls[exchange->count] = call;
	exchange->results[exchange->count++] = result;
	exchange->calls_before++;
}

/* Read the conversation. */
static void read_request(struct exchange *exchange)
{
	const char *prompt = exchange->request->system_prompt;
	struct ik_transcript transcript;
	struct ik_passage passage;

	exchange->words = prompt ? count_words(prompt, strlen(prompt)) : 0;
	ik_transcript_init(&transcript, exchange->request->conversation);
	while (ik_transcript_next(&transcript, &passage)) {
		for (size_t index = 0; index < passage.count; index++) {
			const struct ik_message *message = passage.messages[index];

			if (message->kind == IK_KIND_USER)
				read_user(exchange, message);
			else if (message->kind == IK_KIND_ASSISTANT)
				exchange->words += count_words(message->content, message->content_length);
			else if (message->kind == IK_KIND_TOOL_CALL)
				read_call_made(exchange, message, passage.results[index]);
		}
	}
	ik_transcript_done(&transcript);
}

static bool is_offered(const struct exchange *exchange, const char *tool)
{
	for (size_t index = 0; index < exchange->request->tool_count; index++) {
		if (ik_text_equal(exchange->request->tools[index].name, tool))
			return true;
	}
	return false;
}

/* Say that a call is impossible, and why. */
static void put_no_call(struct practice_writer *writer, const struct ik_request *request,
	const char *tool)
{
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
	put_text(writer, text.data);
	ik_buf_done(&text);
}

/* Second round of "read every": a call for each file that was found. Return false if there is
 * nothing to read. */
static bool put_reads(struct practice_writer *writer, const struct exchange *exchange)
{
	size_t length, count = 0;
	char *envelope = envelope_of(exchange->results[0], &length);
	struct ik_json_span value;
	char *list = NULL;
	size_t list_length = 0;

	if (ik_json_check(envelope, length, &value, NULL) == IK_OK)
		list = ik_json_string_new(ik_json_at(value, "result.output"), &list_length);
	for (size_t at = 0; list && at < list_length && count < FILES_MAX; count++) {
		const char *end = memchr(list + at, '\n', list_length - at);
		size_t line = end ? (size_t)(end - list) - at : list_length - at;
		struct ik_buf arguments;

		ik_buf_init(&arguments, IK_MIB(1));
		put_path_arguments(&arguments, list + at, line);
		put_call(writer, "file_read", arguments.data);
		ik_buf_done(&arguments);
		at += line + 1;
	}
	free(list);
	free(envelope);
	return count > 0;
}

/* Describe every result since the user's message. */
static void put_results(struct practice_writer *writer, const struct exchange *exchange,
	enum practice_rule rule)
{
	struct ik_buf text;
	bool many = rule == RULE_READ_EVERY && exchange->count > 1;

	ik_buf_init(&text, ANSWER_LIMIT);
	if (many) {
		size_t files = exchange->count - 1;

		ik_buf_printf(&text,
			ngettext("I have read %zu file:\n\n", "I have read %zu files:\n\n", files), files);
	}
	for (size_t index = many ? 1 : 0; index < exchange->count; index++) {
		size_t length, arguments_length = 0;
		char *tool = ik_message_tool_name(exchange->calls[index]);
		char *written = ik_message_arguments(exchange->calls[index], &arguments_length);
		char *envelope = envelope_of(exchange->results[index], &length);
		struct ik_json_span arguments = { NULL, 0 };

		if (written && ik_json_check(written, arguments_length, &arguments, NULL) != IK_OK)
			arguments = (struct ik_json_span){ NULL, 0 };
		if (many)
			describe_file(&text, arguments, envelope, length);
		else
			describe(&text, tool ? tool : "?", arguments, envelope, length);
		free(tool);
		free(written);
		free(envelope);
	}
	put_words(writer, IK_DELTA_TEXT, text.data, text.length);
	ik_buf_done(&text);
}

/* "stream N": that many words, in paragraphs. */
static void put_stream(struct practice_writer *writer, int64_t count)
{
	static const char *const vocabulary[] = { "water", "runs", "past", "the", "old", "mill", "and",
		"nobody", "counts", "its", "turns;", "slowly", "the", "wheel", "goes", "round." };
	size_t words = sizeof(vocabulary) / sizeof(*vocabulary);
	struct ik_buf text;

	ik_buf_init(&text, ANSWER_LIMIT);
	for (int64_t word = 0; word < count; word++) {
		if (word)
			ik_buf_puts(&text, word % 96 ? " " : "\n\n");
		ik_buf_puts(&text, vocabulary[(size_t)word % words]);
	}
	put_words(writer, IK_DELTA_TEXT, text.data, text.length);
	ik_buf_done(&text);
}

/* "think": thoughts, then words. */
static void put_thoughts(struct practice_writer *writer, const char *subject)
{
	char *thoughts = ik_format(_("The person wants me to think about %s. I have no mind, "
								 "only rules, so there is nothing to weigh. I shall say so."),
		*subject ? subject : _("nothing"));

	put_words(writer, IK_DELTA_THINKING, thoughts, strlen(thoughts));
	put_text(writer, _("I have thought about it, as far as fixed rules can.\n"));
	free(thoughts);
}

/* Decide on the reply and write it. */
static void put_reply(struct practice_writer *writer, const struct exchange *exchange)
{
	const struct ik_request *request = exchange->request;
	struct practice_order order;

	read_order(exchange->user ? exchange->user : "", exchange->user_length, &order);
	if (exchange->count) {
		bool second_round = order.rule == RULE_READ_EVERY && exchange->count == 1;

		if (second_round && !request->forbid_calls && !is_offered(exchange, "file_read"))
			put_no_call(writer, request, "file_read");
		else if (!second_round || request->forbid_calls || !put_reads(writer, exchange))
			put_results(writer, exchange, order.rule);
	} else if (order.tool && (request->forbid_calls || !is_offered(exchange, order.tool))) {
		put_no_call(writer, request, order.tool);
	} else if (order.tool) {
		put_call(writer, order.tool, order.arguments);
	} else if (order.rule == RULE_STREAM) {
		put_stream(writer, order.number);
	} else if (order.rule == RULE_THINK) {
		put_thoughts(writer, order.subject);
	} else {
		put_text(writer, help_text());
	}
	order_done(&order);
}

/* Write the complete reply to a request. */
static void write_reply(const struct ik_request *request, struct ik_script *ret_script)
{
	struct exchange exchange = { .request = request };
	struct practice_writer writer = { .script = ret_script };

	read_request(&exchange);
	writer.call_id = exchange.calls_before + 1;
	put_reply(&writer, &exchange);
	put_end(&writer, exchange.words);
	free(exchange.user);
	free(exchange.calls);
	free(exchange.results);
}

const struct ik_wire_format ik_practice_format = {
	.type = "practice",
	.put_tool = ik_openai_chat_put_tool,
	.answer = write_reply,
};
