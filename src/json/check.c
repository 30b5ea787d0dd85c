/* The half of json/scan.h that handles unchecked text. */
#include "json/scan.h"

#include <stdio.h>
#include <string.h>

#include "json/checker.h"
#include "json/escape.h"
#include "util/text.h"
#include "util/utf8.h"

/* Describe what was found where something else was expected. */
static void describe_found(const char *at, const char *end, char out[64])
{
	uint32_t codepoint;
	int count;

	if (at >= end) {
		snprintf(out, 64, "%s", _("the end"));
		return;
	}
	count = ik_utf8_decode(at, (size_t)(end - at), &codepoint);
	if (count <= 0)
		snprintf(out, 64, _("the byte 0x%02x, which is no UTF-8"), (unsigned char)*at);
	else if (codepoint > 0x20 && codepoint < 0x7f)
		snprintf(out, 64, "'%c'", (char)codepoint);
	else
		snprintf(out, 64, "U+%04X", (unsigned)codepoint);
}

/* Fail with what was found at an offset and what was expected. */
static enum ik_status refuse(const char *text, size_t length, size_t offset, const char *expected,
	struct ik_error *error)
{
	const char *at = text + offset, *line_start = at;
	char found[64];

	while (line_start > text && line_start[-1] != '\n')
		line_start--;
	describe_found(at, text + length, found);
	return ik_error_set(error, IK_INVALID, _("line %d, column %zu: found %s, expected %s"),
		ik_json_line(text, at), (size_t)(at - line_start) + 1, found, expected);
}

enum ik_status ik_json_check(const char *text, size_t length, struct ik_json_span *ret_value,
	struct ik_error *error)
{
	struct ik_json_checker checker;

	ik_json_checker_init(&checker);
	ik_json_checker_feed(&checker, text, length);
	if (!ik_json_checker_end(&checker))
		return refuse(text, length, checker.offset, checker.expected, error);
	if (ret_value)
		*ret_value = (struct ik_json_span){ text + checker.value_start,
			checker.value_end - checker.value_start };
	return IK_OK;
}

size_t ik_json_repair_from(struct ik_buf *out, const char *text, size_t length, size_t from,
	size_t to)
{
	const char *at = text + from, *end = text + length, *stop = text + to;

	while (at < stop) {
		const char *backslash = memchr(at, '\\', (size_t)(stop - at));
		int count, decoded;

		if (!backslash)
			break;
		ik_utf8_repair(out, at, (size_t)(backslash - at));
		count = ik_json_escape_length(backslash, end, &decoded);
		if (count < 0) {
			ik_buf_puts(out, "\\ufffd");
			count = 6;
		} else {
			/* Pass on an invalid escape for the check to report; only its backslash is certainly
			 * not part of something else. */
			count = count ? count : 1;
			ik_buf_append(out, backslash, (size_t)count);
		}
		at = backslash + count;
	}
	if (at >= stop)
		return (size_t)(at - text);
	/* Do not split a character: at most three bytes follow its first. */
	for (int i = 0; i < 3 && stop < end && ((unsigned char)*stop & 0xc0) == 0x80; i++)
		stop++;
	ik_utf8_repair(out, at, (size_t)(stop - at));
	return (size_t)(stop - text);
}

void ik_json_repair(struct ik_buf *out, const char *text, size_t length)
{
	ik_json_repair_from(out, text, length, 0, length);
}

/* Return the end of the comment that begins at text; end if it is not closed. */
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
			/* A string ends with its line at the latest: one left open must not swallow the
			 * following comments. */
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
