/* The strict half of json/scan.h: what looks at text that was not checked yet. */
#include "json/scan.h"

#include <stdio.h>
#include <string.h>

#include "json/plain.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

struct checker {
	const char *start, *at, *end;
	struct ik_error *error;
	size_t depth;
	bool is_object[IK_LIMIT_JSON_DEPTH]; /* of the containers that are open */
};

/* Say what was found at a place where something else should be. */
static void describe_found(const struct checker *checker, char out[64])
{
	uint32_t codepoint;
	int count;

	if (checker->at >= checker->end) {
		snprintf(out, 64, "%s", _("the end"));
		return;
	}
	count = ik_utf8_decode(checker->at, (size_t)(checker->end - checker->at), &codepoint);
	if (count <= 0)
		snprintf(out, 64, _("the byte 0x%02x, which is no UTF-8"), (unsigned char)*checker->at);
	else if (codepoint > 0x20 && codepoint < 0x7f)
		snprintf(out, 64, "'%c'", (char)codepoint);
	else
		snprintf(out, 64, "U+%04X", (unsigned)codepoint);
}

/* Fail: found this, expected that. */
static bool refuse(struct checker *checker, const char *expected)
{
	const char *line_start = checker->at;
	char found[64];

	while (line_start > checker->start && line_start[-1] != '\n')
		line_start--;
	describe_found(checker, found);
	(void)ik_error_set(checker->error, IK_INVALID, _("line %d, column %zu: found %s, expected %s"),
		ik_json_line(checker->start, checker->at), (size_t)(checker->at - line_start) + 1, found,
		expected);
	return false;
}

static void skip_blanks(struct checker *checker)
{
	while (checker->at < checker->end && ik_json_is_blank(*checker->at))
		checker->at++;
}

/* The byte at hand, 0 at the end (a NUL byte is refused by everyone who asks). */
static char peek(const struct checker *checker)
{
	return checker->at < checker->end ? *checker->at : '\0';
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* The number of the \uXXXX at text, -1 if there is none. */
static int32_t unicode_escape(const char *text, const char *end)
{
	int32_t number = 0;

	if (end - text < 6 || text[0] != '\\' || text[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		int digit = ik_json_hex_digit(text[i]);

		if (digit < 0)
			return -1;
		number = number << 4 | digit;
	}
	return number;
}

static bool is_high_surrogate(int32_t number)
{
	return number >= 0xd800 && number <= 0xdbff;
}

static bool is_low_surrogate(int32_t number)
{
	return number >= 0xdc00 && number <= 0xdfff;
}

/* Bytes of the escape at text: 6, 12 for a surrogate pair, 2 for the short ones; 0 for none,
 * -1 for a lone surrogate. */
static int escape_length(const char *text, const char *end)
{
	int32_t number;

	if (end - text < 2)
		return 0;
	if (text[1] != 'u')
		return text[1] && strchr("\"\\/bfnrt", text[1]) ? 2 : 0;
	number = unicode_escape(text, end);
	if (number < 0)
		return 0;
	if (is_low_surrogate(number))
		return -1;
	if (!is_high_surrogate(number))
		return 6;
	return is_low_surrogate(unicode_escape(text + 6, end)) ? 12 : -1;
}

static bool check_string(struct checker *checker)
{
	uint32_t codepoint;
	int count;

	checker->at++;
	for (;;) {
		checker->at += ik_json_plain_run(checker->at, (size_t)(checker->end - checker->at));
		if (checker->at == checker->end)
			return refuse(checker, _("'\"' that ends the string"));
		if (*checker->at == '"') {
			checker->at++;
			return true;
		}
		if (*checker->at == '\\') {
			count = escape_length(checker->at, checker->end);
			if (count < 0)
				return refuse(checker, _("no surrogate escape without its other half"));
			if (count == 0)
				return refuse(checker, _("an escape that JSON knows"));
		} else if ((unsigned char)*checker->at < 0x20) {
			return refuse(checker, _("no control character within a string"));
		} else {
			count = ik_utf8_decode(checker->at, (size_t)(checker->end - checker->at), &codepoint);
			if (count <= 0)
				return refuse(checker, _("valid UTF-8"));
		}
		checker->at += count;
	}
}

/* At least one digit. */
static bool check_digits(struct checker *checker)
{
	if (!is_digit(peek(checker)))
		return refuse(checker, _("a digit"));
	while (is_digit(peek(checker)))
		checker->at++;
	return true;
}

static bool check_number(struct checker *checker)
{
	if (peek(checker) == '-')
		checker->at++;
	if (peek(checker) == '0')
		checker->at++;
	else if (!check_digits(checker))
		return false;
	if (peek(checker) == '.') {
		checker->at++;
		if (!check_digits(checker))
			return false;
	}
	if (peek(checker) == 'e' || peek(checker) == 'E') {
		checker->at++;
		if (peek(checker) == '+' || peek(checker) == '-')
			checker->at++;
		return check_digits(checker);
	}
	return true;
}

static bool check_word(struct checker *checker, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(checker->end - checker->at) < length || memcmp(checker->at, word, length) != 0)
		return refuse(checker, _("a value"));
	checker->at += length;
	return true;
}

/* A value that holds no others. */
static bool check_scalar(struct checker *checker)
{
	switch (peek(checker)) {
	case '"':
		return check_string(checker);
	case 't':
		return check_word(checker, "true");
	case 'f':
		return check_word(checker, "false");
	case 'n':
		return check_word(checker, "null");
	default:
		if (peek(checker) != '-' && !is_digit(peek(checker)))
			return refuse(checker, _("a value"));
		return check_number(checker);
	}
}

/* A member's name and its colon. */
static bool check_key(struct checker *checker)
{
	skip_blanks(checker);
	if (peek(checker) != '"')
		return refuse(checker, _("a member's name in double quotes"));
	if (!check_string(checker))
		return false;
	skip_blanks(checker);
	if (peek(checker) != ':')
		return refuse(checker, "':'");
	checker->at++;
	return true;
}

/* Open a container; *ret_empty says that it was closed at once. */
static bool check_open(struct checker *checker, bool is_object, bool *ret_empty)
{
	if (checker->depth == IK_LIMIT_JSON_DEPTH)
		return refuse(checker, _("no deeper nesting"));
	checker->at++;
	skip_blanks(checker);
	if (peek(checker) == (is_object ? '}' : ']')) {
		checker->at++;
		*ret_empty = true;
		return true;
	}
	checker->is_object[checker->depth++] = is_object;
	*ret_empty = false;
	return !is_object || check_key(checker);
}

/* What follows a value: closing brackets, then a comma (*ret_more) or the end of it all. */
static bool check_after(struct checker *checker, bool *ret_more)
{
	*ret_more = false;
	while (checker->depth > 0) {
		bool is_object = checker->is_object[checker->depth - 1];

		skip_blanks(checker);
		if (peek(checker) == ',') {
			checker->at++;
			*ret_more = true;
			return !is_object || check_key(checker);
		}
		if (peek(checker) != (is_object ? '}' : ']'))
			return refuse(checker, is_object ? _("',' or '}'") : _("',' or ']'"));
		checker->at++;
		checker->depth--;
	}
	return true;
}

/* One value with all that is in it. */
static bool check_value(struct checker *checker)
{
	bool more = true;

	while (more) {
		skip_blanks(checker);
		if (peek(checker) == '{' || peek(checker) == '[') {
			bool empty = false;

			if (!check_open(checker, peek(checker) == '{', &empty))
				return false;
			if (!empty)
				continue;
		} else if (!check_scalar(checker)) {
			return false;
		}
		if (!check_after(checker, &more))
			return false;
	}
	return true;
}

enum ik_status ik_json_check(const char *text, size_t length, struct ik_json_span *ret_value,
	struct ik_error *error)
{
	struct checker checker;
	const char *first;

	/* Not initialised as a whole: the stack is large and written before it is read. */
	checker.start = checker.at = text;
	checker.end = text + length;
	checker.error = error;
	checker.depth = 0;
	skip_blanks(&checker);
	first = checker.at;
	if (!check_value(&checker))
		return IK_INVALID;
	if (ret_value)
		*ret_value = (struct ik_json_span){ first, (size_t)(checker.at - first) };
	skip_blanks(&checker);
	if (checker.at < checker.end) {
		refuse(&checker, _("nothing more"));
		return IK_INVALID;
	}
	return IK_OK;
}

void ik_json_repair(struct ik_buf *out, const char *text, size_t length)
{
	const char *at = text, *end = text + length;

	while (at < end) {
		const char *backslash = memchr(at, '\\', (size_t)(end - at));
		int count;

		if (!backslash)
			break;
		ik_utf8_repair(out, at, (size_t)(backslash - at));
		count = escape_length(backslash, end);
		if (count < 0) {
			ik_buf_puts(out, "\\ufffd");
			count = 6;
		} else {
			/* What is no escape goes through for the check to find; only its backslash is
			 * sure to be no part of something else. */
			count = count ? count : 1;
			ik_buf_append(out, backslash, (size_t)count);
		}
		at = backslash + count;
	}
	ik_utf8_repair(out, at, (size_t)(end - at));
}

/* The end of the comment that begins at text; end where it never ends. */
static char *comment_end(char *text, char *end)
{
	char *close;

	if (text[1] == '/') {
		close = memchr(text, '\n', (size_t)(end - text));
		return close ? close : end;
	}
	close = memmem(text + 2, (size_t)(end - text) - 2, "*/", 2);
	return close ? close + 2 : end;
}

void ik_json_blank_comments(char *text, size_t length)
{
	char *end = text + length;
	bool in_string = false;

	while (text < end) {
		if (in_string) {
			/* A string ends at its line's end: one that was left open must not swallow the
			 * comments of the rest. */
			if (*text == '\\' && text + 1 < end)
				text++;
			else if (*text == '"' || *text == '\n')
				in_string = false;
			text++;
		} else if (*text == '/' && text + 1 < end && (text[1] == '/' || text[1] == '*')) {
			for (char *close = comment_end(text, end); text < close; text++) {
				if (*text != '\n')
					*text = ' ';
			}
		} else {
			in_string = *text == '"';
			text++;
		}
	}
}

int ik_json_line(const char *text, const char *position)
{
	int line = 1;

	while ((text = memchr(text, '\n', (size_t)(position - text)))) {
		line++;
		text++;
	}
	return line;
}
