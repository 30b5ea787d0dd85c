/* The part of json/scan.h that handles unchecked text. */
#include "json/scan.h"

#include <stdio.h>
#include <string.h>

#include "json/plain.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* The state of a check. */
struct json_check {
	const char *at, *end;
	const char *expected; /* what was expected at `at`; set by the function that fails */
	int depth, deepest;
};

static bool check_value(struct json_check *check);

static bool expect(struct json_check *check, const char *expected)
{
	check->expected = expected;
	return false;
}

static void skip_blanks(struct json_check *check)
{
	while (check->at < check->end && ik_json_is_blank(*check->at))
		check->at++;
}

/* Is byte the next one? If so, skip it. */
static bool skip_byte(struct json_check *check, char byte)
{
	if (check->at == check->end || *check->at != byte)
		return false;
	check->at++;
	return true;
}

/* Return the code unit of the \uXXXX at text, or -1 if there is none. */
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

static bool is_low_surrogate(int32_t number)
{
	return number >= 0xdc00 && number <= 0xdfff;
}

/* Return the length of the escape at text: 6, 12 for a surrogate pair, 2 for a short one; 0 if it
 * is not an escape, -1 for a lone surrogate. */
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
	if (number < 0xd800 || number > 0xdfff)
		return 6;
	return !is_low_surrogate(number) && is_low_surrogate(unicode_escape(text + 6, end)) ? 12 : -1;
}

/* Check an escape within a string. */
static bool check_escape(struct json_check *check)
{
	int length = escape_length(check->at, check->end);

	if (length == 0)
		return expect(check, _("an escape that JSON knows"));
	if (length < 0)
		return expect(check, _("no surrogate escape without its other half"));
	check->at += length;
	return true;
}

/* Check a string from its opening quote. */
static bool check_string(struct json_check *check)
{
	uint32_t codepoint;
	int length;

	check->at++;
	for (;;) {
		check->at += ik_json_plain_run(check->at, (size_t)(check->end - check->at));
		if (check->at == check->end)
			return expect(check, _("'\"' that ends the string"));
		if (skip_byte(check, '"'))
			return true;
		if (*check->at == '\\') {
			if (!check_escape(check))
				return false;
			continue;
		}
		if ((unsigned char)*check->at < 0x20)
			return expect(check, _("no control character within a string"));
		length = ik_utf8_decode(check->at, (size_t)(check->end - check->at), &codepoint);
		if (length <= 0)
			return expect(check, _("valid UTF-8"));
		check->at += length;
	}
}

static bool check_digits(struct json_check *check)
{
	const char *start = check->at;

	while (check->at < check->end && *check->at >= '0' && *check->at <= '9')
		check->at++;
	return check->at > start || expect(check, _("a digit"));
}

static bool check_number(struct json_check *check)
{
	skip_byte(check, '-');
	if (!skip_byte(check, '0') && !check_digits(check))
		return false;
	if (skip_byte(check, '.') && !check_digits(check))
		return false;
	if (!skip_byte(check, 'e') && !skip_byte(check, 'E'))
		return true;
	if (!skip_byte(check, '+'))
		skip_byte(check, '-');
	return check_digits(check);
}

static bool check_word(struct json_check *check, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(check->end - check->at) < length || memcmp(check->at, word, length) != 0)
		return expect(check, _("a value"));
	check->at += length;
	return true;
}

/* Check the name of a member and the colon after it. */
static bool check_name(struct json_check *check)
{
	skip_blanks(check);
	if (check->at == check->end || *check->at != '"')
		return expect(check, _("a member's name in double quotes"));
	if (!check_string(check))
		return false;
	skip_blanks(check);
	return skip_byte(check, ':') || expect(check, "':'");
}

/* Check an object or array from its opening bracket. */
static bool check_container(struct json_check *check, char close)
{
	if (check->depth == check->deepest)
		return expect(check, _("no deeper nesting"));
	check->at++;
	skip_blanks(check);
	if (skip_byte(check, close))
		return true;
	check->depth++;
	do {
		if ((close == '}' && !check_name(check)) || !check_value(check))
			return false;
		skip_blanks(check);
	} while (skip_byte(check, ','));
	check->depth--;
	return skip_byte(check, close) ||
		expect(check, close == '}' ? _("',' or '}'") : _("',' or ']'"));
}

static bool check_value(struct json_check *check)
{
	skip_blanks(check);
	if (check->at == check->end)
		return expect(check, _("a value"));
	switch (*check->at) {
	case '"':
		return check_string(check);
	case '{':
		return check_container(check, '}');
	case '[':
		return check_container(check, ']');
	case 't':
		return check_word(check, "true");
	case 'f':
		return check_word(check, "false");
	case 'n':
		return check_word(check, "null");
	default:
		if (*check->at == '-' || (*check->at >= '0' && *check->at <= '9'))
			return check_number(check);
		return expect(check, _("a value"));
	}
}

/* Describe what was found where something else was expected. */
static void describe_found(const struct json_check *check, char out[64])
{
	uint32_t codepoint;

	if (check->at == check->end)
		snprintf(out, 64, "%s", _("the end"));
	else if (ik_utf8_decode(check->at, (size_t)(check->end - check->at), &codepoint) <= 0)
		snprintf(out, 64, _("the byte 0x%02x, which is no UTF-8"), (unsigned char)*check->at);
	else if (codepoint > 0x20 && codepoint < 0x7f)
		snprintf(out, 64, "'%c'", (char)codepoint);
	else
		snprintf(out, 64, "U+%04X", (unsigned)codepoint);
}

enum ik_status ik_json_check(const char *text, size_t length, struct ik_json_span *ret_value,
	struct ik_error *error)
{
	return ik_json_check_around(text, length, 0, ret_value, error);
}

enum ik_status ik_json_check_around(const char *text, size_t length, int levels,
	struct ik_json_span *ret_value, struct ik_error *error)
{
	struct json_check check = {
		.at = text,
		.end = text + length,
		.deepest = IK_LIMIT_JSON_DEPTH + levels,
	};
	const char *line, *start, *end;
	char found[64];

	skip_blanks(&check);
	start = check.at;
	if (check_value(&check)) {
		end = check.at;
		skip_blanks(&check);
		if (check.at == check.end) {
			if (ret_value)
				*ret_value = (struct ik_json_span){ start, (size_t)(end - start) };
			return IK_OK;
		}
		expect(&check, _("nothing more"));
	}
	for (line = check.at; line > text && line[-1] != '\n';)
		line--;
	describe_found(&check, found);
	return ik_error_set(error, IK_INVALID, _("line %d, column %zu: found %s, expected %s"),
		ik_json_line(text, check.at), (size_t)(check.at - line) + 1, found, check.expected);
}

void ik_json_repair(struct ik_buf *out, const char *text, size_t length)
{
	const char *at = text, *end = text + length, *backslash;

	while ((backslash = memchr(at, '\\', (size_t)(end - at)))) {
		int count = escape_length(backslash, end);

		ik_utf8_repair(out, at, (size_t)(backslash - at));
		at = backslash;
		if (count < 0) {
			ik_buf_puts(out, "\\ufffd");
			at += 6;
		} else {
			/* Pass on an invalid escape, for the check to report. Only its backslash certainly
			 * belongs to it. */
			count = count ? count : 1;
			ik_buf_append(out, at, (size_t)count);
			at += count;
		}
	}
	ik_utf8_repair(out, at, (size_t)(end - at));
}

bool ik_json_check_repaired(const char *text, size_t length, struct ik_buf *repaired,
	struct ik_json_span *ret_value)
{
	if (ik_json_check(text, length, ret_value, NULL) == IK_OK)
		return true;
	ik_buf_clear(repaired);
	ik_json_repair(repaired, text, length);
	return ik_buf_status(repaired) == IK_OK &&
		ik_json_check(repaired->data, repaired->length, ret_value, NULL) == IK_OK;
}

/* Return the end of the comment that begins at text, or end if it is not closed. */
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

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		memset(text, ' ', 3);
	while (text < end) {
		if (in_string) {
			/* A string ends with its line at the latest, so that an unclosed one doesn't hide the
			 * comments after it. */
			if (*text == '\\' && text + 1 < end)
				text++;
			else if (*text == '"' || *text == '\n')
				in_string = false;
			text++;
		} else if (*text == '/' && text + 1 < end && (text[1] == '/' || text[1] == '*')) {
			for (char *close = comment_end(text, end); text < close; text++)
				if (*text != '\n')
					*text = ' ';
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
