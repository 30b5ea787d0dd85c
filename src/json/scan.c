#include "json/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json/plain.h"
#include "util/alloc.h"
#include "util/utf8.h"

/* All functions here rely on text that ik_json_check() has accepted: brackets match, strings
 * end. */

static const struct ik_json_span no_value = { NULL, 0 };

const char *ik_json_type_name(enum ik_json_type type)
{
	static const char *const names[] = { "nothing", "null", "boolean", "number", "string", "array",
		"object" };

	return names[type];
}

enum ik_json_type ik_json_span_type(struct ik_json_span value)
{
	if (value.length == 0)
		return IK_JSON_NONE;
	switch (value.text[0]) {
	case '{':
		return IK_JSON_OBJECT;
	case '[':
		return IK_JSON_ARRAY;
	case '"':
		return IK_JSON_STRING;
	case 't':
	case 'f':
		return IK_JSON_BOOL;
	case 'n':
		return IK_JSON_NULL;
	default:
		return IK_JSON_NUMBER;
	}
}

static const char *skip_blanks(const char *at)
{
	while (ik_json_is_blank(*at))
		at++;
	return at;
}

/* Return the end of the container that begins at at. */
static const char *skip_container(const char *at, const char *end)
{
	size_t depth = 0;

	for (;;) {
		switch (*at) {
		case '"':
			at += ik_json_scalar_length(at, (size_t)(end - at));
			continue;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (--depth == 0)
				return at + 1;
			break;
		}
		at++;
	}
}

/* Return the value that begins at at, inside a container that ends at end. */
static struct ik_json_span value_at(const char *at, const char *end)
{
	size_t length = *at == '{' || *at == '[' ? (size_t)(skip_container(at, end) - at)
											 : ik_json_scalar_length(at, (size_t)(end - at));

	return (struct ik_json_span){ at, length };
}

struct ik_json_walk ik_json_walk(struct ik_json_span container)
{
	return (struct ik_json_walk){ .container = container, .at = container.text };
}

struct ik_json_walk ik_json_elements(struct ik_json_span array)
{
	return ik_json_walk(ik_json_span_type(array) == IK_JSON_ARRAY ? array : no_value);
}

bool ik_json_next(struct ik_json_walk *walk)
{
	enum ik_json_type type = ik_json_span_type(walk->container);
	const char *at = walk->at, *end;

	if (type != IK_JSON_OBJECT && type != IK_JSON_ARRAY)
		return false;
	end = walk->container.text + walk->container.length;
	at = skip_blanks(at == walk->container.text ? at + 1 : at);
	if (*at == '}' || *at == ']')
		return false;
	if (type == IK_JSON_OBJECT) {
		walk->key = value_at(at, end);
		at = skip_blanks(walk->key.text + walk->key.length);
		at = skip_blanks(at + 1); /* after the colon */
	}
	walk->value = value_at(at, end);
	at = skip_blanks(walk->value.text + walk->value.length);
	walk->at = *at == ',' ? at + 1 : at;
	return true;
}

bool ik_json_next_string(struct ik_json_walk *walk)
{
	const char *at = walk->at, *end;

	if (walk->container.length == 0)
		return false;
	end = walk->container.text + walk->container.length;
	while ((at = memchr(at, '"', (size_t)(end - at)))) {
		size_t length = ik_json_scalar_length(at, (size_t)(end - at));

		walk->value = (struct ik_json_span){ at, length };
		at = walk->at = at + length;
		while (at < end && ik_json_is_blank(*at))
			at++;
		if (at == end || *at != ':')
			return true;
	}
	return false;
}

size_t ik_json_count(struct ik_json_span container)
{
	size_t count = 0;

	for (struct ik_json_walk walk = ik_json_walk(container); ik_json_next(&walk);)
		count++;
	return count;
}

struct ik_json_span ik_json_only(struct ik_json_span value)
{
	struct ik_json_walk walk = ik_json_walk(value);
	bool only = ik_json_count(value) == 1 && ik_json_next(&walk) && walk.key.text;

	return only ? walk.value : value;
}

static int32_t hex4(const char *text)
{
	int32_t number = 0;

	for (int i = 0; i < 4; i++)
		number = number << 4 | ik_json_hex_digit(text[i]);
	return number;
}

/* Decode the escape at *at, move past it, and return the byte count of its character. */
static int unescape(const char **at, char out[4])
{
	static const char meanings[] = {
		['b'] = '\b',
		['f'] = '\f',
		['n'] = '\n',
		['r'] = '\r',
		['t'] = '\t',
	};
	uint32_t codepoint;
	unsigned char byte = (unsigned char)(*at)[1];

	if (byte != 'u') {
		out[0] = byte < sizeof(meanings) && meanings[byte] ? meanings[byte] : (char)byte;
		*at += 2;
		return 1;
	}
	codepoint = (uint32_t)hex4(*at + 2);
	*at += 6;
	if (codepoint >= 0xd800 && codepoint <= 0xdbff) {
		codepoint = 0x10000 + ((codepoint - 0xd800) << 10) + ((uint32_t)hex4(*at + 2) - 0xdc00);
		*at += 6;
	}
	return ik_utf8_encode(codepoint, out);
}

/* Does a raw string decode to these bytes? */
static bool decodes_to(struct ik_json_span string, const char *bytes, size_t length)
{
	const char *at = string.text + 1, *end = string.text + string.length - 1;

	while (at < end) {
		const char *backslash = memchr(at, '\\', (size_t)(end - at));
		size_t run = (size_t)((backslash ? backslash : end) - at);
		char decoded[4];

		if (run) {
			if (run > length || memcmp(at, bytes, run) != 0)
				return false;
			at += run;
		} else {
			run = (size_t)unescape(&at, decoded);
			if (run > length || memcmp(decoded, bytes, run) != 0)
				return false;
		}
		bytes += run;
		length -= run;
	}
	return length == 0;
}

bool ik_json_string_is(struct ik_json_span string, const char *text)
{
	return ik_json_span_type(string) == IK_JSON_STRING && decodes_to(string, text, strlen(text));
}

/* Return the first member whose name decodes to these bytes. */
static struct ik_json_span find_member(struct ik_json_span object, const char *name, size_t length)
{
	if (ik_json_span_type(object) != IK_JSON_OBJECT)
		return no_value;
	for (struct ik_json_walk walk = ik_json_walk(object); ik_json_next(&walk);)
		if (decodes_to(walk.key, name, length))
			return walk.value;
	return no_value;
}

struct ik_json_span ik_json_member(struct ik_json_span object, const char *name)
{
	return find_member(object, name, strlen(name));
}

/* Do two raw strings decode to the same bytes? */
static bool equal_strings(struct ik_json_span one, struct ik_json_span other)
{
	size_t length;
	char *text;
	bool equal;

	if (!memchr(other.text, '\\', other.length))
		return decodes_to(one, other.text + 1, other.length - 2);
	text = ik_json_string_new(other, &length);
	equal = text && decodes_to(one, text, length);
	free(text);
	return equal;
}

struct ik_json_span ik_json_member_named(struct ik_json_span object, struct ik_json_span name)
{
	if (ik_json_span_type(object) != IK_JSON_OBJECT)
		return no_value;
	for (struct ik_json_walk walk = ik_json_walk(object); ik_json_next(&walk);)
		if (equal_strings(walk.key, name))
			return walk.value;
	return no_value;
}

/* Return the element with that decimal index. */
static struct ik_json_span find_element(struct ik_json_span array, const char *digits,
	size_t length)
{
	size_t index = 0;

	if (length == 0 || length > 9)
		return no_value;
	for (size_t i = 0; i < length; i++) {
		if (digits[i] < '0' || digits[i] > '9')
			return no_value;
		index = index * 10 + (size_t)(digits[i] - '0');
	}
	for (struct ik_json_walk walk = ik_json_walk(array); ik_json_next(&walk);)
		if (index-- == 0)
			return walk.value;
	return no_value;
}

struct ik_json_span ik_json_at(struct ik_json_span value, const char *path)
{
	for (;;) {
		size_t length = strcspn(path, ".");

		if (ik_json_span_type(value) == IK_JSON_ARRAY)
			value = find_element(value, path, length);
		else
			value = find_member(value, path, length);
		if (path[length] == '\0' || value.length == 0)
			return value;
		path += length + 1;
	}
}

/* Append the decoded text between two positions of a string. Return where decoding ended: at end,
 * or after an escape that begins before it. */
static const char *decode(const char *at, const char *end, struct ik_buf *out)
{
	while (at < end) {
		const char *backslash = memchr(at, '\\', (size_t)(end - at));
		char decoded[4];

		if (backslash != at) {
			ik_buf_append(out, at, (size_t)((backslash ? backslash : end) - at));
			at = backslash ? backslash : end;
		} else {
			ik_buf_append(out, decoded, (size_t)unescape(&at, decoded));
		}
	}
	return at;
}

bool ik_json_string(struct ik_json_span value, struct ik_buf *out)
{
	if (ik_json_span_type(value) != IK_JSON_STRING)
		return false;
	(void)decode(value.text + 1, value.text + value.length - 1, out);
	return true;
}

bool ik_json_string_slice(struct ik_json_span value, size_t *at, size_t most, struct ik_buf *out)
{
	const char *text;
	size_t length, left;

	if (ik_json_span_type(value) != IK_JSON_STRING)
		return false;
	text = value.text + 1;
	length = value.length - 2;
	left = length - *at;
	*at = (size_t)(decode(text + *at, text + *at + (left < most ? left : most), out) - text);
	return *at < length;
}

char *ik_json_string_new(struct ik_json_span value, size_t *ret_length)
{
	struct ik_buf text;

	/* Decoding never makes a string longer. */
	ik_buf_init(&text, value.length);
	if (!ik_json_string(value, &text) || ik_buf_status(&text) != IK_OK) {
		ik_buf_done(&text);
		return NULL;
	}
	return ik_buf_take(&text, ret_length);
}

char *ik_json_text_new(struct ik_json_span value)
{
	size_t length;
	char *text = ik_json_string_new(value, &length);

	if (text && (length == 0 || strlen(text) != length)) {
		free(text);
		return NULL;
	}
	return text;
}

bool ik_json_uuid(struct ik_json_span value, char ret_id[IK_UUID_TEXT])
{
	ret_id[0] = '\0';
	/* A UUID has no escapes: its raw text is its value between quotes. */
	if (ik_json_span_type(value) != IK_JSON_STRING || value.length != IK_UUID_TEXT - 1 + 2 ||
		strspn(value.text + 1, "0123456789abcdef-") != IK_UUID_TEXT - 1)
		return false;
	memcpy(ret_id, value.text + 1, IK_UUID_TEXT - 1);
	ret_id[IK_UUID_TEXT - 1] = '\0';
	return true;
}

bool ik_json_number(struct ik_json_span value, long double *ret_number)
{
	char *text;

	if (ik_json_span_type(value) != IK_JSON_NUMBER)
		return false;
	text = ik_strndup(value.text, value.length);
	*ret_number = strtold(text, NULL);
	free(text);
	return true;
}

bool ik_json_integer(struct ik_json_span value, int64_t *ret_number)
{
	long double number;

	if (!ik_json_number(value, &number) || number < -0x1p63L || number >= 0x1p63L ||
		!ik_json_is_whole(number))
		return false;
	*ret_number = (int64_t)number;
	return true;
}

bool ik_json_double(struct ik_json_span value, double *ret_number)
{
	double number;
	char *text;

	if (ik_json_span_type(value) != IK_JSON_NUMBER)
		return false;
	/* Don't convert via long double, which would round twice. */
	text = ik_strndup(value.text, value.length);
	number = strtod(text, NULL);
	free(text);
	if (isinf(number))
		return false;
	*ret_number = number;
	return true;
}

bool ik_json_bool(struct ik_json_span value, bool *ret_bool)
{
	if (ik_json_span_type(value) != IK_JSON_BOOL)
		return false;
	*ret_bool = value.text[0] == 't';
	return true;
}

bool ik_json_is_true(struct ik_json_span value)
{
	bool truth = false;

	return ik_json_bool(value, &truth) && truth;
}

/* Do two objects have equal members? Usually the order is also the same. */
static bool equal_members(struct ik_json_span one, struct ik_json_span other)
{
	struct ik_json_walk others = ik_json_walk(other);

	if (ik_json_count(one) != ik_json_count(other))
		return false;
	for (struct ik_json_walk walk = ik_json_walk(one);
		 ik_json_next(&walk) && ik_json_next(&others);) {
		struct ik_json_span twin = equal_strings(walk.key, others.key)
			? others.value
			: ik_json_member_named(other, walk.key);

		if (!ik_json_equal(walk.value, twin))
			return false;
	}
	return true;
}

/* Do two arrays have equal elements? */
static bool equal_elements(struct ik_json_span one, struct ik_json_span other)
{
	struct ik_json_walk others = ik_json_walk(other);

	for (struct ik_json_walk walk = ik_json_walk(one); ik_json_next(&walk);)
		if (!ik_json_next(&others) || !ik_json_equal(walk.value, others.value))
			return false;
	return !ik_json_next(&others);
}

bool ik_json_equal(struct ik_json_span one, struct ik_json_span other)
{
	long double number, other_number;

	if (ik_json_span_type(one) != ik_json_span_type(other))
		return false;
	switch (ik_json_span_type(one)) {
	case IK_JSON_OBJECT:
		return equal_members(one, other);
	case IK_JSON_ARRAY:
		return equal_elements(one, other);
	case IK_JSON_STRING:
		return equal_strings(one, other);
	case IK_JSON_NUMBER:
		return ik_json_number(one, &number) && ik_json_number(other, &other_number) &&
			number == other_number;
	case IK_JSON_BOOL:
		return one.text[0] == other.text[0];
	default:
		return true;
	}
}

bool ik_json_holds(struct ik_json_span array, struct ik_json_span value)
{
	for (struct ik_json_walk walk = ik_json_elements(array); ik_json_next(&walk);) {
		if (ik_json_equal(walk.value, value))
			return true;
	}
	return false;
}
