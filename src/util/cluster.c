#include "util/cluster.h"

#include <string.h>
#include <utf8proc.h>

#include "util/utf8.h"

#define ZERO_WIDTH_JOINER 0x200d
#define EMOJI_SELECTOR 0xfe0f
#define SKIN_TONE_FIRST 0x1f3fb
#define SKIN_TONE_LAST 0x1f3ff

/* Limits that every terminal cell (and every curses cell) can hold. */
#define DRAWN_CHARACTERS 5
#define DRAWN_BYTES 20

bool ik_utf8_assigned(uint32_t codepoint)
{
	return codepoint <= IK_UTF8_MAX &&
		utf8proc_category((utf8proc_int32_t)codepoint) != UTF8PROC_CATEGORY_CN;
}

bool ik_utf8_is_upper(uint32_t codepoint)
{
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)codepoint);

	return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT;
}

static int boundary_class(uint32_t codepoint)
{
	return (int)utf8proc_get_property((utf8proc_int32_t)codepoint)->boundclass;
}

/* Does a character start a cluster whatever precedes it? Ordinary characters do, and so do those
 * that terminals give a column of their own (GB9a, GB9b). */
static bool stands_alone(uint32_t before, uint32_t codepoint)
{
	int class = boundary_class(codepoint);

	return class == UTF8PROC_BOUNDCLASS_OTHER || class == UTF8PROC_BOUNDCLASS_SPACINGMARK ||
		boundary_class(before) == UTF8PROC_BOUNDCLASS_PREPEND;
}

/* Return the columns of a cluster that begins with codepoint. */
static int base_width(uint32_t codepoint)
{
	switch (boundary_class(codepoint)) {
	case UTF8PROC_BOUNDCLASS_SPACINGMARK:
	case UTF8PROC_BOUNDCLASS_PREPEND:
		return 1; /* utf8proc counts them with their neighbour */
	case UTF8PROC_BOUNDCLASS_V:
	case UTF8PROC_BOUNDCLASS_T:
		return 0; /* they combine with the first letter of the syllable */
	default:
		return utf8proc_charwidth((utf8proc_int32_t)codepoint);
	}
}

/* Do terminals disagree on the width of a cluster that continues with codepoint? */
static bool is_disputed(uint32_t codepoint)
{
	return codepoint == ZERO_WIDTH_JOINER || codepoint == EMOJI_SELECTOR ||
		(codepoint >= SKIN_TONE_FIRST && codepoint <= SKIN_TONE_LAST);
}

/* Does the text start with a cluster of one column, whatever follows? */
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
	/* An ASCII character starts a cluster, except for the LF of a CR LF. */
	while (cluster.length < length &&
		((unsigned char)text[cluster.length] >= 0x80 || before == '\r')) {
		count = ik_utf8_decode(text + cluster.length, length - cluster.length, &codepoint);
		if (count <= 0 || stands_alone(before, codepoint) ||
			utf8proc_grapheme_break_stateful((utf8proc_int32_t)before, (utf8proc_int32_t)codepoint,
				&state))
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

/* Return where the character (or invalid byte) before position begins. */
static size_t character_previous(const char *text, size_t position)
{
	size_t start = position - 1;
	uint32_t codepoint;

	while (start > 0 && position - start < 4 && ik_utf8_is_continuation(text[start]))
		start--;
	if (ik_utf8_decode(text + start, position - start, &codepoint) == (int)(position - start))
		return start;
	return position - 1;
}

/* Is there a cluster boundary between the characters at first and at second, whatever precedes
 * them? False if that depends on it (flags, emoji after a joiner). */
static bool surely_parted(const char *text, size_t first, size_t second, size_t end)
{
	uint32_t one, other;

	if (ik_utf8_decode(text + first, second - first, &one) <= 0 ||
		ik_utf8_decode(text + second, end - second, &other) <= 0 || stands_alone(one, other))
		return true;
	return one != ZERO_WIDTH_JOINER &&
		utf8proc_grapheme_break((utf8proc_int32_t)one, (utf8proc_int32_t)other);
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

void ik_utf8_put_cell(struct ik_buf *out, const char *text, size_t columns)
{
	size_t width = ik_utf8_width(text, strlen(text));

	ik_buf_printf(out, "%s%*s", text, width < columns ? (int)(columns - width) : 0, "");
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
