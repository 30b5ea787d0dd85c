#include "provider/practice_rules.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

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
	enum ik_practice_rule rule;
} rules[] = {
	{ "list", IK_PRACTICE_LIST },
	{ "read every", IK_PRACTICE_READ_EVERY },
	{ "read", IK_PRACTICE_READ },
	{ "search", IK_PRACTICE_SEARCH },
	{ "run", IK_PRACTICE_RUN },
	{ "write", IK_PRACTICE_WRITE },
	{ "replace", IK_PRACTICE_REPLACE },
	{ "call", IK_PRACTICE_CALL },
	{ "stream", IK_PRACTICE_STREAM },
	{ "think about", IK_PRACTICE_THINK },
	{ "think", IK_PRACTICE_THINK },
};

const char *ik_practice_help(void)
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

void ik_practice_read_arguments(struct ik_buf *out, const char *path, size_t length)
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
static const char *put_arguments(enum ik_practice_rule rule, struct rule_part rest,
	struct ik_buf *out)
{
	struct rule_part first, second, third;

	switch (rule) {
	case IK_PRACTICE_LIST:
	case IK_PRACTICE_READ_EVERY:
		if (!split(rest, "in", true, &first, &second)) {
			first = rest;
			second = (struct rule_part){ NULL, 0 };
		}
		first = unquote(first);
		put(out, "pattern", first.length ? first : (struct rule_part){ "*", 1 });
		if (second.text)
			put(out, "path", unquote(second));
		return "glob";
	case IK_PRACTICE_READ:
		put(out, "file_path", unquote(rest));
		return unquote(rest).length ? "file_read" : NULL;
	case IK_PRACTICE_SEARCH:
		if (split(rest, "in", true, &first, &second)) {
			put(out, "pattern", unquote(first));
			put_place(out, unquote(second));
		} else {
			put(out, "pattern", unquote(rest));
		}
		return rest.length ? "grep" : NULL;
	case IK_PRACTICE_RUN:
		put(out, "command", rest);
		return rest.length ? "bash" : NULL;
	case IK_PRACTICE_WRITE:
		if (!split(rest, "to", true, &first, &second))
			return NULL;
		put(out, "file_path", unquote(second));
		put(out, "content", unquote(first));
		return "file_write";
	case IK_PRACTICE_REPLACE:
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
static void read_call(struct rule_part rest, struct ik_practice_order *order)
{
	size_t end = 0;

	while (end < rest.length && !isspace((unsigned char)rest.text[end]))
		end++;
	struct rule_part arguments = trim((struct rule_part){ rest.text + end, rest.length - end });

	if (!end) {
		order->rule = IK_PRACTICE_HELP;
		return;
	}
	order->tool = ik_strndup(rest.text, end);
	order->arguments = arguments.length ? ik_strndup(arguments.text, arguments.length)
										: ik_strdup("{}");
}

/* Find the rule whose words begin the line; *rest is what follows them. */
static enum ik_practice_rule find_rule(struct rule_part *rest)
{
	for (size_t index = 0; index < sizeof(rules) / sizeof(*rules); index++) {
		size_t length = strlen(rules[index].word);

		if (rest->length < length || strncasecmp(rest->text, rules[index].word, length) != 0 ||
			(rest->length > length && !isspace((unsigned char)rest->text[length])))
			continue;
		*rest = trim((struct rule_part){ rest->text + length, rest->length - length });
		return rules[index].rule;
	}
	return IK_PRACTICE_HELP;
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

void ik_practice_order_read(const char *text, size_t length, struct ik_practice_order *ret_order)
{
	struct rule_part rest = trim(without_attached((struct rule_part){ text, length }));
	struct ik_buf arguments;
	const char *tool;

	memset(ret_order, 0, sizeof(*ret_order));
	ret_order->rule = find_rule(&rest);
	switch (ret_order->rule) {
	case IK_PRACTICE_HELP:
		return;
	case IK_PRACTICE_CALL:
		read_call(rest, ret_order);
		return;
	case IK_PRACTICE_THINK:
		ret_order->subject = ik_strndup(rest.text, rest.length);
		return;
	case IK_PRACTICE_STREAM: {
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
		ret_order->rule = IK_PRACTICE_HELP;
	}
	ik_buf_done(&arguments);
}

void ik_practice_order_done(struct ik_practice_order *order)
{
	free(order->tool);
	free(order->arguments);
	free(order->subject);
	memset(order, 0, sizeof(*order));
}
