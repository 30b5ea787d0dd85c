/*
 * plain: the innermost loops of reading and writing JSON.
 *
 * Private to json.  May include: libc.
 */
#ifndef IK_JSON_PLAIN_H
#define IK_JSON_PLAIN_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ASCII that stands for itself in a JSON string. */
static inline bool ik_json_is_plain(char byte)
{
	return (unsigned char)byte >= 0x20 && (unsigned char)byte < 0x80 && byte != '"' && byte != '\\';
}

/*
 * Look at eight characters at once: 0 when all are such, otherwise the lowest bit that is set lies
 * in the first one that is not. The top bit of a byte is set where it is above 127, below 0x20 or
 * became 0 (a borrow can also set it above such a byte, never where there is none).
 */
static inline uint64_t ik_json_special(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	uint64_t quote, backslash;

	word = le64toh(word);
	quote = word ^ ones * '"';
	backslash = word ^ ones * '\\';
	return (word | (word - ones * 0x20) | (quote - ones) | (backslash - ones)) & tops;
}

/* How many characters come before the one that ik_json_special() found. */
static inline size_t ik_json_special_place(uint64_t special)
{
	return (size_t)__builtin_ctzll(special) / 8;
}

/* Length of the run of such characters at the start, eight at a time. */
static inline size_t ik_json_plain_run(const char *bytes, size_t length)
{
	size_t at = 0;

	for (; at + sizeof(uint64_t) <= length; at += sizeof(uint64_t)) {
		uint64_t word, special;

		memcpy(&word, bytes + at, sizeof(word));
		special = ik_json_special(word);
		if (special)
			return at + ik_json_special_place(special);
	}
	while (at < length && ik_json_is_plain(bytes[at]))
		at++;
	return at;
}

static inline bool ik_json_is_blank(char byte)
{
	return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* The value of a hexadecimal digit, -1 for another character. */
static inline int ik_json_hex_digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* The same of a string: from quote to quote, whatever stands between. */
static inline size_t ik_json_string_length(const char *text, size_t length)
{
	const char *quote = text;

	for (;;) {
		const char *run = quote = (const char *)memchr(quote + 1, '"',
			length - (size_t)(quote + 1 - text));

		while (run[-1] == '\\')
			run--;
		if ((quote - run) % 2 == 0)
			return (size_t)(quote - text) + 1;
	}
}

/* Length of the string, number or word at the start of checked text. */
static inline size_t ik_json_scalar_length(const char *text, size_t length)
{
	size_t at = 1;

	if (text[0] == '"')
		return ik_json_string_length(text, length);
	while (at < length && !ik_json_is_blank(text[at]) && text[at] != ',' && text[at] != ']' &&
		text[at] != '}')
		at++;
	return at;
}

#endif
