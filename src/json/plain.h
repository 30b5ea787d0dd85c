/*
 * plain: the innermost loops of reading and writing JSON.
 *
 * They process eight bytes at a time, because one request may read and write a history of tens of
 * megabytes.
 *
 * Private to json. May include: libc.
 */
#ifndef IK_JSON_PLAIN_H
#define IK_JSON_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Is it an ASCII character that needs no escape in a JSON string? */
static inline bool ik_json_is_plain(char byte)
{
	return (unsigned char)byte >= 0x20 && (unsigned char)byte < 0x80 && byte != '"' && byte != '\\';
}

/*
 * Return the length of the run of plain characters at the start. In a word of eight, the top bit of
 * a byte is set if the byte is above 127, below 0x20 or became 0 (a borrow can also set it above
 * such a byte, but never without one).
 */
static inline size_t ik_json_plain_run(const char *bytes, size_t length)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	size_t at = 0;

	for (; at + sizeof(uint64_t) <= length; at += sizeof(uint64_t)) {
		uint64_t word, quote, backslash;

		memcpy(&word, bytes + at, sizeof(word));
		quote = word ^ ones * '"';
		backslash = word ^ ones * '\\';
		if ((word | (word - ones * 0x20) | (quote - ones) | (backslash - ones)) & tops)
			break;
	}
	while (at < length && ik_json_is_plain(bytes[at]))
		at++;
	return at;
}

static inline bool ik_json_is_blank(char byte)
{
	return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* Is it an integer? Beyond the range of int64_t every number counts as one, because there are
 * hardly any fractions. */
static inline bool ik_json_is_whole(long double number)
{
	return number < -0x1p63L || number >= 0x1p63L || (long double)(int64_t)number == number;
}

/* Return the value of a hexadecimal digit, or -1 for another character. */
static inline int ik_json_hex_digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Return the length of a string in checked text, including its quotes. */
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

/* Return the length of the string, number or word at the start of checked text. */
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
