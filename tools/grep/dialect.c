#include "tools/grep/dialect.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"
#include "util/utf8.h"

/* PCRE2 refuses groups that are nested more deeply. */
#define DEPTH_MAX 250

struct translator {
	const char *at;
	struct ik_buf *out;
	bool utf8;
	size_t groups[DEPTH_MAX]; /* where in out the open groups begin */
	size_t depth;             /* their number */
	size_t atom;              /* where in out begins what a quantifier would repeat */
	bool quantified;          /* it has a quantifier already */
	const struct dialect_refusal *refusal;
};

static const struct dialect_refusal back_reference = { "back-references are not supported",
	"Write out what is repeated, as alternatives: (aa|bb)." };
static const struct dialect_refusal line_feed = {
	"\\n cannot match: each line is searched by itself",
	"Search for what is in one of the lines; context shows the lines around it."
};
static const struct dialect_refusal unicode_class = { "\\p{...} is not supported",
	"Write [[:alpha:]], [[:upper:]], [[:lower:]], [[:digit:]] or [[:punct:]]." };
static const struct dialect_refusal unknown_escape = { "unrecognized escape sequence",
	"Classes are \\d, \\s and \\w, \\b is the edge of a word; a letter that stands for itself has "
	"no "
	"backslash." };
static const struct dialect_refusal unknown_group = { "unrecognized group (?...",
	"There are (?:...), (?i), (?i:...) and (?P<name>...)." };
static const struct dialect_refusal bad_number = { "invalid character number",
	"Write \\x and two digits, or \\x{...} with up to eight." };
static const struct dialect_refusal bad_interval = { "Invalid content of \\{\\}",
	"Write \\{ for a brace that stands for itself." };
static const struct dialect_refusal open_bracket = { "Unmatched [, [^, [:, [., or [=",
	"Write \\[ for a bracket that stands for itself." };
static const struct dialect_refusal trailing_backslash = { "Trailing backslash",
	"Write \\\\ for a backslash that stands for itself." };
static void refuse(struct translator *translator, const struct dialect_refusal *refusal)
{
	if (!translator->refusal)
		translator->refusal = refusal;
}

static void append_character(struct translator *translator, uint32_t character)
{
	char bytes[4];

	if (character < 0x20)
		ik_buf_printf(translator->out, "\\x{%x}", (unsigned)character);
	else if (character < 0x80 && !isalnum((int)character))
		ik_buf_printf(translator->out, "\\%c", (char)character);
	else if (translator->utf8)
		ik_buf_append(translator->out, bytes, (size_t)ik_utf8_encode(character, bytes));
	else
		ik_buf_putc(translator->out, (char)character);
}

static uint32_t take_character(struct translator *translator)
{
	uint32_t character;
	int length = translator->utf8
		? ik_utf8_decode(translator->at, strlen(translator->at), &character)
		: 0;

	if (length <= 0) {
		character = (unsigned char)*translator->at;
		length = 1;
	}
	translator->at += length;
	return character;
}

/* Read a hexadecimal number of this many digits, or in braces. */
static uint32_t take_number(struct translator *translator, size_t digits)
{
	bool braced = *translator->at == '{';
	const char *at = translator->at + braced;
	size_t length = strspn(at, "0123456789abcdefABCDEF");
	char text[9] = "", bytes[4];

	if (!braced && length > digits)
		length = digits;
	if (length == 0 || length > 8 || (braced ? at[length] != '}' : length < digits)) {
		refuse(translator, &bad_number);
		return '?';
	}
	memcpy(text, at, length);
	uint32_t number = (uint32_t)strtoul(text, NULL, 16);

	if (translator->utf8 ? ik_utf8_encode(number, bytes) == 0 : number > 0xff)
		refuse(translator, &bad_number);
	translator->at = at + length + braced;
	return number;
}

/* Read an escaped character, after its backslash; '?' if it is refused. */
static uint32_t take_escaped(struct translator *translator)
{
	char letter = *translator->at;

	if (!isalnum((unsigned char)letter))
		return take_character(translator);
	translator->at++;
	switch (letter) {
	case 't':
		return '\t';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 'f':
		return '\f';
	case 'v':
		return '\v';
	case 'a':
		return '\a';
	case 'x':
		return take_number(translator, 2);
	case 'u':
		return take_number(translator, 4);
	case 'U':
		return take_number(translator, 8);
	case 'p':
	case 'P':
		refuse(translator, &unicode_class);
		break;
	default:
		refuse(translator, isdigit((unsigned char)letter) ? &back_reference : &unknown_escape);
	}
	return '?';
}

/* Return what is behind a class, a collating symbol or an equivalence class, [:x:], [.x.] or [=x=], that
 * begins at "at"; NULL: none does. */
static const char *element_end(const char *at)
{
	const char end[] = { at[1], ']', '\0' };
	const char *close;

	if (at[0] != '[' || at[1] == '\0' || !strchr(":.=", at[1]))
		return NULL;
	close = strstr(at + 2, end);
	return close ? close + 2 : NULL;
}

/* Return the bracket that ends an expression whose contents begin at "at"; NULL: none. */
static const char *bracket_end(const char *at, bool escapes)
{
	at += *at == '^';
	at += *at == ']';
	for (; *at != '\0' && *at != ']'; at++) {
		const char *close = element_end(at);

		if (close)
			at = close - 1;
		else if (escapes && at[0] == '\\' && at[1] != '\0')
			at++;
	}
	return *at == ']' ? at : NULL;
}

/*
 * Are backslashes escapes in this bracket, although POSIX makes them ordinary? They are if one
 * makes a class such as \d, a control character or the "]" of [^\]], since these are never meant as
 * letters or as the end.
 */
static bool has_escapes(const char *at)
{
	const char *end = bracket_end(at, true);
	bool found = false, closed = false;

	for (; end && at < end; at++) {
		if (at[0] == '[' && at[1] != ':' && closed && !found)
			return false;
		if (at[0] == '\\') {
			at++;
			closed = closed || *at == ']';
			found = found || strchr("dDsSwWtrnfv", *at);
		}
	}
	return found || closed;
}

static bool is_class(const char *at)
{
	return at[0] == '\\' && at[1] != '\0' && strchr("dDsSwW", at[1]);
}

/* Append an element with a name, such as [:alpha:], up to its end at stop. Return whether it
 * contains the line feed. */
static bool take_element(struct translator *translator, const char *stop)
{
	/* With PCRE2_UCP, digits would be those of all scripts, and case would never be ignored. */
	static const struct {
		const char *element, *text;
	} replaced[] = {
		{ "[:digit:]", "0-9" },
		{ "[:lower:]", "a-z[:lower:]" },
		{ "[:upper:]", "A-Z[:upper:]" },
	};
	const char *at = translator->at, *text = NULL;

	for (size_t i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++)
		if (ik_text_starts(at, replaced[i].element))
			text = replaced[i].text;
	if (text)
		ik_buf_puts(translator->out, text);
	else
		ik_buf_append(translator->out, at, (size_t)(stop - at));
	translator->at = stop;
	return ik_text_starts(at, "[:space:]") || ik_text_starts(at, "[:cntrl:]") ||
		ik_text_starts(at, "[:^");
}

/* Read a character of a bracket, which may be escaped. */
static uint32_t take_member(struct translator *translator, bool escapes)
{
	if (!escapes || translator->at[0] != '\\')
		return take_character(translator);
	translator->at++;
	return take_escaped(translator);
}

/* Append a character or a range of a bracket. Return whether it contains the line feed. */
static bool take_range(struct translator *translator, const char *end, bool escapes)
{
	uint32_t first = take_member(translator, escapes), last = first;
	const char *at = translator->at;

	append_character(translator, first);
	if (at[0] == '-' && at + 1 < end && !(escapes && is_class(at + 1))) {
		translator->at++;
		last = take_member(translator, escapes);
		ik_buf_putc(translator->out, '-');
		append_character(translator, last);
	}
	return first <= '\n' && last >= '\n';
}

/* Append the contents of a bracket up to its end. Return whether they contain the line feed. */
static bool take_members(struct translator *translator, const char *end, bool escapes)
{
	bool feed = false;

	while (translator->at < end && !translator->refusal) {
		const char *at = translator->at;
		const char *close = element_end(at);

		if (close && close <= end) {
			feed |= take_element(translator, close);
		} else if (escapes && is_class(at)) {
			ik_buf_append(translator->out, at, 2);
			feed = feed || strchr("sDW", at[1]);
			translator->at += 2;
		} else {
			feed |= take_range(translator, end, escapes);
		}
	}
	return feed;
}

/* Translate a bracket expression; translator->at is after the "[". */
static void translate_bracket(struct translator *translator)
{
	struct ik_buf *out = translator->out;
	const char *at = translator->at;
	size_t start = out->length;
	bool escapes = has_escapes(at), negated = *at == '^';
	const char *end = bracket_end(at, escapes);

	if (!end) {
		refuse(translator, &open_bracket);
		return;
	}
	ik_buf_puts(out, negated ? "[^\\n" : "[");
	translator->at += negated;
	bool feed = take_members(translator, end, escapes);
	ik_buf_putc(out, ']');
	translator->at = end + 1;
	if (feed && !negated) {
		ik_buf_insert(out, start, "(?:(?!\\n)", strlen("(?:(?!\\n)"));
		ik_buf_putc(out, ')');
	}
}

/* Translate what follows a backslash; translator->at is after it. */
static void translate_escape(struct translator *translator)
{
	static const struct {
		char letter;
		const char *text;
	} escapes[] = {
		{ 'w', "\\w" },
		{ 'W', "[^\\w\\n]" },
		{ 'd', "\\d" },
		{ 'D', "[^\\d\\n]" },
		{ 's', "[^\\S\\n]" },
		{ 'S', "\\S" },
		{ 'b', "\\b" },
		{ 'B', "\\B" },
		{ '<', "\\b(?=\\w)" },
		{ '>', "\\b(?<=\\w)" },
		{ 'A', "^" },
		{ '`', "^" },
		{ 'z', "$" },
		{ '\'', "$" },
	};

	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
		if (*translator->at == escapes[i].letter) {
			ik_buf_puts(translator->out, escapes[i].text);
			translator->at++;
			return;
		}
	if (*translator->at == '\0') {
		refuse(translator, &trailing_backslash);
		return;
	}
	uint32_t character = take_escaped(translator);

	if (character == '\n')
		refuse(translator, &line_feed);
	append_character(translator, character);
}

/* Translate flags up to ")" or ":", which is left; translator->at is after the "(?". Only i is
 * passed on: the other flags don't change which lines match. */
static void translate_flags(struct translator *translator)
{
	const char *start = translator->at;
	bool on = true;

	for (; *translator->at != '\0' && strchr("imsuU-", *translator->at); translator->at++) {
		char flag = *translator->at;

		on = on && flag != '-';
		if (!on && (flag == 'u' || flag == 'm'))
			break;
		if (flag == 'i' || flag == '-')
			ik_buf_putc(translator->out, flag);
	}
	if (*translator->at != ':' && (*translator->at != ')' || translator->at == start))
		refuse(translator, &unknown_group);
}

/* Append the rest of the opening of a group that begins at start. */
static void open_group(struct translator *translator, size_t start, const char *opening)
{
	ik_buf_puts(translator->out, opening);
	if (translator->depth < DEPTH_MAX)
		translator->groups[translator->depth] = start;
	translator->depth++;
}

/* Translate the start of a group; translator->at is after the "(". No group captures. */
static void translate_group(struct translator *translator)
{
	static const char *const looks[] = { "?=", "?!", "?<=", "?<!" };
	const char *name = translator->at + (ik_text_starts(translator->at, "?P") ? 3 : 2);
	size_t start = translator->out->length;

	ik_buf_puts(translator->out, "(?");
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
		if (ik_text_starts(translator->at, looks[i])) {
			translator->at += strlen(looks[i]);
			open_group(translator, start, looks[i] + 1);
			return;
		}
	if (*translator->at != '?') {
		open_group(translator, start, ":");
	} else if (name[-1] == '<') {
		translator->at = name + strcspn(name, ">)");
		if (*translator->at != '>' || translator->at == name)
			refuse(translator, &unknown_group);
		else
			translator->at++;
		open_group(translator, start, ":");
	} else {
		translator->at++;
		translate_flags(translator);
		if (translator->refusal)
			return;
		if (*translator->at++ == ':')
			open_group(translator, start, ":");
		else
			ik_buf_putc(translator->out, ')');
	}
}

/* Does the quantifier repeat a set of characters at the start of the pattern? */
static bool is_leading_set(const struct translator *translator)
{
	const char *text = translator->out->data;

	return translator->atom == 0 && translator->out->length > 0 &&
		(text[0] == '[' || text[0] == '.' || is_class(text));
}

static void translate_quantifier(struct translator *translator)
{
	struct ik_buf *out = translator->out;
	const char *at = translator->at, *end = at + 1;

	/* The same lines match as if it were there as rarely as possible, which is found in less time:
	 * PCRE2 tries each place of a long run. */
	if (strchr("*+", *at) && is_leading_set(translator)) {
		if (*at == '*')
			ik_buf_clear(out);
		translator->at = end + (*end == '?');
		translator->quantified = true;
		return;
	}
	/* PCRE2 would read the second one as possessive. */
	if (translator->quantified) {
		ik_buf_insert(out, translator->atom, "(?:", 3);
		ik_buf_putc(out, ')');
	}
	if (*at == '{') {
		size_t first = strspn(at + 1, "0123456789");
		bool comma = at[1 + first] == ',';
		size_t second = comma ? strspn(at + first + 2, "0123456789") : 0;

		end = at + 1 + first + comma + second + 1;
		if (end[-1] != '}' || (first == 0 && !comma)) {
			refuse(translator, &bad_interval);
			return;
		}
		ik_buf_puts(out, first == 0 ? "{0" : "{");
		at++;
	}
	ik_buf_append(out, at, (size_t)(end - at));
	/* A lazy quantifier matches the same lines. */
	translator->at = end + (*end == '?');
	translator->quantified = true;
}

static void translate_next(struct translator *translator)
{
	struct ik_buf *out = translator->out;
	size_t start = out->length;
	char byte = *translator->at;

	if (strchr("*+?{", byte)) {
		translate_quantifier(translator);
		return;
	}
	if (strchr("\\[(", byte)) {
		translator->at++;
		if (byte == '\\')
			translate_escape(translator);
		else if (byte == '[')
			translate_bracket(translator);
		else
			translate_group(translator);
	} else if (byte == ')' && translator->depth > 0) {
		ik_buf_putc(out, *translator->at++);
		if (--translator->depth < DEPTH_MAX)
			start = translator->groups[translator->depth];
	} else if (strchr(".^$|", byte)) {
		ik_buf_putc(out, *translator->at++);
	} else if (byte == '\n') {
		ik_buf_puts(out, "(?!)");
		translator->at++;
	} else {
		append_character(translator, take_character(translator));
	}
	translator->atom = start;
	translator->quantified = false;
}

const struct dialect_refusal *dialect_translate(const char *pattern, bool utf8, struct ik_buf *out)
{
	struct translator translator = { .at = pattern, .out = out, .utf8 = utf8 };

	while (*translator.at != '\0' && !translator.refusal)
		translate_next(&translator);
	return translator.refusal;
}
