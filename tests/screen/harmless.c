#include "harmless.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/utf8.h"

#define MOST_PARAMETERS 32
#define LONGEST_SEQUENCE 64 /* bytes */
#define REST_MS 2000        /* in which the rest of a sequence has come */

/* The final bytes of what moves, erases, inserts, repeats and the like. */
static const char plain_finals[] = "ABCDGHIKLMPSTXZbdfr@";

static const int modes[] = {
	1, 7, 12, 25, 1000, 1002, 1003, 1004, 1006, 1049, 2004, 2026, 2031,
};

/* Is the number of an SGR sequence one that a theme can have? */
static bool is_attribute(int number)
{
	return (number >= 0 && number <= 4) || number == 7 || number == 10 || number == 11 ||
		(number >= 22 && number <= 27 && number != 26) || (number >= 30 && number <= 37) ||
		number == 39 || (number >= 40 && number <= 47) || number == 49 ||
		(number >= 90 && number <= 97) || (number >= 100 && number <= 107);
}

/* "38;5;N" and "38;2;R;G;B" among the numbers: how many of them; 0 when it is none. */
static int colour_numbers(const int *numbers, int count)
{
	int wanted;

	if (count < 3 || (numbers[0] != 38 && numbers[0] != 48))
		return 0;
	wanted = numbers[1] == 5 ? 3 : numbers[1] == 2 ? 5 : 0;
	if (wanted == 0 || wanted > count)
		return 0;
	for (int i = 2; i < wanted; i++)
		if (numbers[i] < 0 || numbers[i] > 255)
			return 0;
	return wanted;
}

static bool is_known_sgr(const int *numbers, int count)
{
	for (int at = 0; at < count;) {
		int taken = colour_numbers(numbers + at, count - at);

		if (taken == 0 && !is_attribute(numbers[at]))
			return false;
		at += taken > 0 ? taken : 1;
	}
	return true;
}

/* Private modes, set and reset. */
static bool is_known_mode(const int *numbers, int count)
{
	for (int at = 0; at < count; at++) {
		size_t i = 0;

		while (i < sizeof modes / sizeof *modes && modes[i] != numbers[at])
			i++;
		if (i == sizeof modes / sizeof *modes)
			return false;
	}
	return count > 0;
}

/* What stands between ESC [ and its final byte, which is not in length. */
static bool is_known_csi(const char *body, size_t length, char final)
{
	char mark = length > 0 && strchr("?><=", body[0]) != NULL ? body[0] : '\0';
	int numbers[MOST_PARAMETERS] = {0}, count = 0;
	size_t at = mark != '\0';

	if (at < length)
		count = 1;
	for (; at < length; at++) {
		if (body[at] == ';' && count < MOST_PARAMETERS)
			count++;
		else if (body[at] >= '0' && body[at] <= '9' && numbers[count - 1] < 100000)
			numbers[count - 1] = numbers[count - 1] * 10 + (body[at] - '0');
		else
			return false;
	}
	if (mark == '?')
		return final == 'u' ? count == 0 : (final == 'h' || final == 'l') &&
			is_known_mode(numbers, count);
	if (mark != '\0')
		/* kitty's and xterm's keyboards, the question for the terminal's name */
		return final == 'u' || (mark == '>' && (final == 'm' || (final == 'q' && count == 0)));
	switch (final) {
	case 'm':
		return is_known_sgr(numbers, count);
	case 'J': /* never 3, which empties the person's own scrollback */
		return count == 0 || (count == 1 && numbers[0] <= 2);
	case 'h': case 'l':
		return count == 1 && (numbers[0] == 4 || numbers[0] == 34);
	case 't': /* xterm's stack of titles, around the second screen */
		return (numbers[0] == 22 || numbers[0] == 23) &&
			((count == 3 && numbers[1] == 0) || (count == 2 && numbers[1] == 2));
	case 'c':
		return length == 0;
	default:
		return count <= 2 && strchr(plain_finals, final) != NULL;
	}
}

/* The length of the sequence at the front, behind its ESC; 0: it is none that we write. */
static size_t sequence_length(const char *bytes, size_t length)
{
	static const char query[] = "]11;?\033\\";
	size_t at = 1;

	if (length == 0)
		return 0;
	if (strchr("78M=>", bytes[0]) != NULL)
		return 1;
	if (bytes[0] == '(' && length > 1)
		return bytes[1] == 'B' || bytes[1] == '0' ? 2 : 0;
	if (length >= strlen(query) && memcmp(bytes, query, strlen(query)) == 0)
		return strlen(query);
	/* A title is read as a text, and an end. */
	if (length >= strlen("]2;") && memcmp(bytes, "]2;", strlen("]2;")) == 0)
		return strlen("]2;");
	if (bytes[0] == '\\')
		return 1;
	if (bytes[0] != '[')
		return 0;
	while (at < length && bytes[at] >= 0x20 && bytes[at] < 0x40)
		at++;
	return at < length && is_known_csi(bytes + 1, at - 1, bytes[at]) ? at + 1 : 0;
}

/* Is it a character with ink, or one that belongs to the character before it? */
static bool is_visible(uint32_t codepoint)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{0x80, 0x9F}, {0xAD, 0xAD}, {0x61C, 0x61C}, {0x180E, 0x180E}, {0x200B, 0x200B},
		{0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0xD800, 0xDFFF}, {0xFDD0, 0xFDEF},
		{0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE007F},
	};

	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		if (codepoint >= hidden[i].first && codepoint <= hidden[i].last)
			return false;
	return (codepoint & 0xFFFE) != 0xFFFE;
}

/* Say what stands at a place where nothing of the kind may stand. */
static bool fail_at(struct harness *h, const struct ik_buf *raw, size_t at)
{
	struct ik_buf out;
	size_t from = at > 30 ? at - 30 : 0;
	bool result;

	ik_buf_init(&out, IK_KIB(4));
	for (size_t i = from; i < raw->length && i < at + 40; i++) {
		unsigned char byte = (unsigned char)raw->data[i];

		ik_buf_printf(&out, i == at ? " --> " : "%s", "");
		ik_buf_printf(&out, byte >= 0x20 && byte < 0x7F ? "%c" : "\\x%02x", byte);
	}
	result = fail(h, "byte %zu of what the program wrote is none of ours: %s", at, out.data);
	ik_buf_done(&out);
	return result;
}

/* Where the first byte stands, from at on, that is none of ours: the length when there is none. */
static size_t first_unknown(const struct ik_buf *raw, size_t at)
{
	while (at < raw->length) {
		unsigned char byte = (unsigned char)raw->data[at];
		size_t taken = 0;
		uint32_t codepoint;

		if (byte == '\r' || byte == '\n' || byte == '\b' || (byte >= 0x20 && byte < 0x7F)) {
			taken = 1;
		} else if (byte == '\033') {
			taken = sequence_length(raw->data + at + 1, raw->length - at - 1);
			taken += taken > 0;
		} else if (byte >= 0x80) {
			int count = ik_utf8_decode(raw->data + at, raw->length - at, &codepoint);

			taken = count > 0 && is_visible(codepoint) ? (size_t)count : 0;
		}
		if (taken == 0)
			break;
		at += taken;
	}
	return at;
}

/* The last sequence may be on its way yet: a terminal may be given a frame in parts. */
static bool obeys_grammar(struct harness *h)
{
	const struct ik_buf *raw = &h->terminal.raw;
	size_t at = first_unknown(raw, 0);

	while (at < raw->length && raw->length - at < LONGEST_SEQUENCE && terminal_pump(&h->terminal, REST_MS))
		at = first_unknown(raw, at);
	return at == raw->length || fail_at(h, raw, at);
}

bool wrote_harmlessly(struct harness *h, const char *file)
{
	char *path = ik_path_join(h->work, file), line[1024];
	FILE *stream = fopen(path, "re");
	bool good = stream != NULL || fail(h, "cannot read %s", path);
	int count = 0;

	free(path);
	while (good && fgets(line, sizeof line, stream) != NULL) {
		struct ik_buf wanted;

		line[strcspn(line, "\n")] = '\0';
		ik_buf_init(&wanted, IK_KIB(4));
		put_escaped(&wanted, line);
		if (wanted.length > 0 && memmem(h->terminal.raw.data, h->terminal.raw.length, wanted.data,
			wanted.length) != NULL)
			good = fail(h, "the program wrote %s", line);
		ik_buf_done(&wanted);
		count++;
	}
	if (stream != NULL)
		(void)fclose(stream);
	if (good && count == 0)
		return fail(h, "there are no payloads in %s", file);
	return good && obeys_grammar(h);
}
