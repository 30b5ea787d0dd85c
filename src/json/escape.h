/*
 * escape: escapes of JSON strings in unchecked text.
 *
 * Private to json. May include: libc, json/plain.h.
 */
#ifndef IK_JSON_ESCAPE_H
#define IK_JSON_ESCAPE_H

#include "json/plain.h"

/* Return the number of the \uXXXX at text, -1 if there is none. */
static inline int32_t ik_json_unicode_escape(const char *text, const char *end)
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

static inline bool ik_json_is_high_surrogate(int32_t number)
{
	return number >= 0xd800 && number <= 0xdbff;
}

static inline bool ik_json_is_low_surrogate(int32_t number)
{
	return number >= 0xdc00 && number <= 0xdfff;
}

/* May this byte follow a backslash (except 'u')? Inline, because texts contain very many of
 * them. */
static inline bool ik_json_is_short_escape(char byte)
{
	switch (byte) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		return true;
	default:
		return false;
	}
}

/* Return the length of the escape at text: 6, 12 for a surrogate pair, 2 for the short ones; 0 for
 * none, -1 for a lone surrogate. *ret_decoded: how many UTF-8 bytes it decodes to (those of U+FFFD
 * for a lone surrogate). */
static inline int ik_json_escape_length(const char *text, const char *end, int *ret_decoded)
{
	int32_t number;

	*ret_decoded = 1;
	if (end - text < 2)
		return 0;
	if (text[1] != 'u')
		return ik_json_is_short_escape(text[1]) ? 2 : 0;
	number = ik_json_unicode_escape(text, end);
	if (number < 0)
		return 0;
	*ret_decoded = number < 0x80 ? 1 : number < 0x800 ? 2 : 3;
	if (ik_json_is_low_surrogate(number))
		return -1;
	if (!ik_json_is_high_surrogate(number))
		return 6;
	if (!ik_json_is_low_surrogate(ik_json_unicode_escape(text + 6, end)))
		return -1;
	*ret_decoded = 4;
	return 12;
}

/* Could more bytes after end change what the escape at text is? */
static inline bool ik_json_escape_is_open(const char *text, const char *end)
{
	const char *at = text;

	/* "\uXXXX", and after a high surrogate the same once more. */
	for (int half = 0; half < 2; half++) {
		for (int i = 0; i < 6; i++, at++) {
			if (at == end)
				return true;
			if ((i == 0 && *at != '\\') || (i == 1 && *at != 'u') ||
				(i > 1 && ik_json_hex_digit(*at) < 0))
				return false;
		}
		if (!ik_json_is_high_surrogate(ik_json_unicode_escape(text, end)))
			return false;
	}
	return false;
}

#endif
