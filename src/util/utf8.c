#include "util/utf8.h"

#include <string.h>

#include <utf8proc.h>

#define CODEPOINT_MAX 0x10ffff
#define ZERO_WIDTH_JOINER 0x200d
#define EMOJI_SELECTOR 0xfe0f
#define SKIN_TONE_FIRST 0x1f3fb
#define SKIN_TONE_LAST 0x1f3ff

/* What a terminal cell (and a curses cell) surely takes. */
#define DRAWN_CHARACTERS 5
#define DRAWN_BYTES 20

static bool is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/*
 * Decode by table 3-7 of Unicode 15: only the second byte has a range that
 * depends on the first. Sets *ret_seen to the bytes that fitted together.
 */
static int decode(const char *bytes, size_t length, uint32_t *ret_codepoint, size_t *ret_seen)
{
	unsigned char lead = (unsigned char)bytes[0];
	unsigned char low = 0x80, high = 0xbf;
	uint32_t codepoint;
	size_t wanted;

	*ret_seen = 1;
	if (lead < 0x80) {
		*ret_codepoint = lead;
		return 1;
	}
	if (lead < 0xc2 || lead > 0xf4)
		return 0;
	if (lead < 0xe0) {
		wanted = 2;
		codepoint = lead & 0x1f;
	} else if (lead < 0xf0) {
		wanted = 3;
		codepoint = lead & 0x0f;
		if (lead == 0xe0)
			low = 0xa0; /* overlong below */
		else if (lead == 0xed)
			high = 0x9f; /* surrogates above */
	} else {
		wanted = 4;
		codepoint = lead & 0x07;
		if (lead == 0xf0)
			low = 0x90; /* overlong below */
		else if (lead == 0xf4)
			high = 0x8f; /* beyond U+10FFFF above */
	}
	for (size_t i = 1; i < wanted; i++) {
		unsigned char byte;

		if (i == length)
			return -1;
		byte = (unsigned char)bytes[i];
		if (byte < low || byte > high)
			return 0;
		codepoint = codepoint << 6 | (byte & 0x3f);
		low = 0x80;
		high = 0xbf;
		*ret_seen = i + 1;
	}
	*ret_codepoint = codepoint;
	return (int)wanted;
}

int ik_utf8_decode(const char *bytes, size_t length, uint32_t *ret_codepoint)
{
	size_t seen;

	return decode(bytes, length, ret_codepoint, &seen);
}

size_t ik_utf8_bad(const char *bytes, size_t length)
{
	uint32_t codepoint;
	size_t seen;

	decode(bytes, length, &codepoint, &seen);
	return seen;
}

bool ik_utf8_assigned(uint32_t codepoint)
{
	return codepoint <= CODEPOINT_MAX
		&& utf8proc_category((utf8proc_int32_t)codepoint) != UTF8PROC_CATEGORY_CN;
}

int ik_utf8_encode(uint32_t codepoint, char out[4])
{
	if (codepoint < 0x80) {
		out[0] = (char)codepoint;
		return 1;
	}
	if (codepoint < 0x800) {
		out[0] = (char)(0xc0 | codepoint >> 6);
		out[1] = (char)(0x80 | (codepoint & 0x3f));
		return 2;
	}
	if ((codepoint >= 0xd800 && codepoint <= 0xdfff) || codepoint > CODEPOINT_MAX)
		return 0;
	if (codepoint < 0x10000) {
		out[0] = (char)(0xe0 | codepoint >> 12);
		out[1] = (char)(0x80 | (codepoint >> 6 & 0x3f));
		out[2] = (char)(0x80 | (codepoint & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | codepoint >> 18);
	out[1] = (char)(0x80 | (codepoint >> 12 & 0x3f));
	out[2] = (char)(0x80 | (codepoint >> 6 & 0x3f));
	out[3] = (char)(0x80 | (codepoint & 0x3f));
	return 4;
}

/* Length of the run of ASCII at the start, eight bytes at a time. */
static size_t ascii_run(const char *bytes, size_t length)
{
	size_t at = 0;
	uint64_t word;

	while (at + sizeof(word) <= length) {
		memcpy(&word, bytes + at, sizeof(word));
		if (word & 0x8080808080808080u)
			break;
		at += sizeof(word);
	}
	while (at < length && (unsigned char)bytes[at] < 0x80)
		at++;
	return at;
}

size_t ik_utf8_valid_prefix(const char *bytes, size_t length)
{
	size_t at = 0;

	for (;;) {
		uint32_t codepoint;
		int count;

		at += ascii_run(bytes + at, length - at);
		if (at == length)
			return at;
		count = ik_utf8_decode(bytes + at, length - at, &codepoint);
		if (count <= 0)
			return at;
		at += (size_t)count;
	}
}

void ik_utf8_repair(struct ik_buf *out, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t valid = ik_utf8_valid_prefix(bytes, length);
		size_t bad;

		ik_buf_append(out, bytes, valid);
		bytes += valid;
		length -= valid;
		if (length == 0)
			return;
		bad = ik_utf8_bad(bytes, length);
		ik_buf_puts(out, IK_UTF8_REPLACEMENT);
		bytes += bad;
		length -= bad;
	}
}

size_t ik_utf8_cut(const char *text, size_t length, size_t limit)
{
	if (limit >= length)
		return length;
	while (limit > 0 && is_continuation(text[limit]))
		limit--;
	return limit;
}

static int boundary_class(uint32_t codepoint)
{
	return (int)utf8proc_get_property((utf8proc_int32_t)codepoint)->boundclass;
}

/* Does a character begin a cluster whatever stands before it? One that nothing is special about,
 * and one that keeps the column of its own which terminals give it (GB9a, GB9b). */
static bool stands_alone(uint32_t before, uint32_t codepoint)
{
	int class = boundary_class(codepoint);

	return class == UTF8PROC_BOUNDCLASS_OTHER || class == UTF8PROC_BOUNDCLASS_SPACINGMARK
		|| boundary_class(before) == UTF8PROC_BOUNDCLASS_PREPEND;
}

/* Columns of a cluster that begins with codepoint. */
static int base_width(uint32_t codepoint)
{
	switch (boundary_class(codepoint)) {
	case UTF8PROC_BOUNDCLASS_SPACINGMARK:
	case UTF8PROC_BOUNDCLASS_PREPEND:
		return 1; /* utf8proc counts them to their neighbour */
	case UTF8PROC_BOUNDCLASS_V:
	case UTF8PROC_BOUNDCLASS_T:
		return 0; /* they combine with a syllable's first letter */
	default:
		return utf8proc_charwidth((utf8proc_int32_t)codepoint);
	}
}

/* Do terminals disagree on the width of a cluster that goes on with codepoint? */
static bool is_disputed(uint32_t codepoint)
{
	return codepoint == ZERO_WIDTH_JOINER || codepoint == EMOJI_SELECTOR
		|| (codepoint >= SKIN_TONE_FIRST && codepoint <= SKIN_TONE_LAST);
}

/* Is there a character at the start that is a cluster, one column wide, whatever follows? */
static bool is_plain(const char *text, size_t length)
{
	return text[0] >= 0x20 && text[0] < 0x7f && (length == 1 || (unsigned char)text[1] < 0x80);
}

struct ik_cluster ik_cluster_next(const char *text, size_t length)
{
	struct ik_cluster cluster = { .length = 1, .drawn_length = 1, .width = 1 };
	uint32_t base, before, codepoint;
	utf8proc_int32_t state = 0;
	bool disputed = false;
	int characters = 1;
	int count;

	if (is_plain(text, length))
		return cluster;
	count = ik_utf8_decode(text, length, &base);
	if (count <= 0)
		return cluster;
	cluster.length = cluster.drawn_length = (size_t)count;
	cluster.width = base_width(base);
	before = base;
	/* An ASCII character begins a cluster, but for the LF of a CR LF. */
	while (cluster.length < length
			&& ((unsigned char)text[cluster.length] >= 0x80 || before == '\r')) {
		count = ik_utf8_decode(text + cluster.length, length - cluster.length, &codepoint);
		if (count <= 0 || stands_alone(before, codepoint)
				|| utf8proc_grapheme_break_stateful((utf8proc_int32_t)before,
					(utf8proc_int32_t)codepoint, &state))
			break;
		disputed = disputed || is_disputed(codepoint);
		if (boundary_class(codepoint) == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR)
			cluster.width = 2;
		cluster.length += (size_t)count;
		characters++;
		before = codepoint;
	}
	if (!disputed && characters <= DRAWN_CHARACTERS && cluster.length <= DRAWN_BYTES)
		cluster.drawn_length = cluster.length;
	return cluster;
}

/* Where the character (or invalid byte) that ends at position begins. */
static size_t character_previous(const char *text, size_t position)
{
	size_t start = position - 1;
	uint32_t codepoint;

	while (start > 0 && position - start < 4 && is_continuation(text[start]))
		start--;
	if (ik_utf8_decode(text + start, position - start, &codepoint) == (int)(position - start))
		return start;
	return position - 1;
}

/* Is there a cluster boundary between the characters at first and at second, whatever stands
 * before them? No where that depends on it (flags, emoji after a joiner). */
static bool surely_parted(const char *text, size_t first, size_t second, size_t end)
{
	uint32_t one, other;

	if (ik_utf8_decode(text + first, second - first, &one) <= 0
			|| ik_utf8_decode(text + second, end - second, &other) <= 0
			|| stands_alone(one, other))
		return true;
	return one != ZERO_WIDTH_JOINER
		&& utf8proc_grapheme_break((utf8proc_int32_t)one, (utf8proc_int32_t)other);
}

size_t ik_cluster_previous(const char *text, size_t position)
{
	size_t start = character_previous(text, position);
	size_t end = position;

	while (start > 0) {
		size_t before = character_previous(text, start);

		if (surely_parted(text, before, start, end))
			break;
		end = start;
		start = before;
	}
	for (;;) {
		size_t next = start + ik_cluster_next(text + start, position - start).length;

		if (next >= position)
			return start;
		start = next;
	}
}

size_t ik_utf8_width(const char *text, size_t length)
{
	size_t width;

	ik_utf8_fit(text, length, SIZE_MAX, &width);
	return width;
}

size_t ik_utf8_fit(const char *text, size_t length, size_t columns, size_t *ret_width)
{
	size_t width = 0, at = 0;

	while (at < length) {
		struct ik_cluster cluster;

		if (width < columns && is_plain(text + at, length - at)) {
			at++;
			width++;
			continue;
		}
		cluster = ik_cluster_next(text + at, length - at);
		if ((size_t)cluster.width > columns - width)
			break;
		width += (size_t)cluster.width;
		at += cluster.length;
	}
	if (ret_width)
		*ret_width = width;
	return at;
}
