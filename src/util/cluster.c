#include "util/cluster.h"

#include <string.h>
#include <utf8proc.h>

#include "util/utf8.h"

#define ZERO_WIDTH_JOINER 0x200d
#define EMOJI_SELECTOR 0xfe0f
#define SKIN_TONE_FIRST 0x1f3fb
#define SKIN_TONE_LAST 0x1f3ff

/* What any terminal cell (and any curses cell) can hold. */
#define DRAWN_CHARACTERS 5
#define DRAWN_BYTES 20

bool ik_utf8_assigned(uint32_t codepoint)
{
	return codepoint <= IK_UTF8_MAX &&
		utf8proc_category((utf8proc_int32_t)codepoint) != UTF8PROC_CATEGORY_CN;
}

uint32_t ik_utf8_fold(uint32_t codepoint)
{
	utf8proc_int32_t folded[4];
	int last = UTF8PROC_BOUNDCLASS_START;

	if (codepoint < 0x80)
		return codepoint >= 'A' && codepoint <= 'Z' ? codepoint + 'a' - 'A' : codepoint;
	if (codepoint > IK_UTF8_MAX)
		return codepoint;
	if (utf8proc_decompose_char((utf8proc_int32_t)codepoint, folded, 4, UTF8PROC_CASEFOLD, &last) ==
		1)
		return (uint32_t)folded[0];
	return (uint32_t)utf8proc_tolower((utf8proc_int32_t)codepoint);
}

bool ik_utf8_is_upper(uint32_t codepoint)
{
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)codepoint);

	return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT;
}

struct range {
	uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t count, uint32_t codepoint)
{
	size_t i = 0;

	while (i < count && codepoint > ranges[i].last)
		i++;
	return i < count && codepoint >= ranges[i].first;
}

/* Scripts written without spaces between words; also Hangul, whose words take suffixes. */
/* clang-format off */
static const struct range dense[] = {
	{ 0x0e00, 0x0eff }, { 0x1000, 0x109f }, { 0x1100, 0x11ff }, { 0x1780, 0x17ff },
	{ 0x2e80, 0x2fdf }, { 0x3005, 0x3007 }, { 0x3040, 0x318f }, { 0x31a0, 0x31ff },
	{ 0x3400, 0x4dbf }, { 0x4e00, 0x9fff }, { 0xa960, 0xa97f }, { 0xac00, 0xd7ff },
	{ 0xf900, 0xfaff }, { 0xff66, 0xffdc }, { 0x1b000, 0x1b16f }, { 0x20000, 0x3ffff },
};
/* clang-format on */

/* Marks that are omitted in writing, or that nobody distinguishes in a search. */
/* clang-format off */
static const struct range accents[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05c7 }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x0670, 0x0670 }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
	{ 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};
/* clang-format on */

enum ik_letter ik_utf8_letter(uint32_t codepoint)
{
	if (codepoint == 0xff9e || codepoint == 0xff9f) /* the voicing marks of halfwidth Kana */
		return IK_LETTER_MARK;
	switch (utf8proc_category((utf8proc_int32_t)codepoint)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_ND:
	case UTF8PROC_CATEGORY_NL:
	case UTF8PROC_CATEGORY_NO:
	case UTF8PROC_CATEGORY_CO:
		return is_in(dense, sizeof(dense) / sizeof(dense[0]), codepoint) ? IK_LETTER_DENSE
																		 : IK_LETTER_WORD;
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME:
		return IK_LETTER_MARK;
	case UTF8PROC_CATEGORY_SO:
		return IK_LETTER_SYMBOL;
	default:
		return IK_LETTER_NONE;
	}
}

int ik_utf8_simplify(uint32_t codepoint, uint32_t out[IK_UTF8_SIMPLE])
{
	utf8proc_int32_t parts[IK_UTF8_SIMPLE];
	int last = UTF8PROC_BOUNDCLASS_START;
	utf8proc_ssize_t i, count;
	int kept = 0;

	if (codepoint >= 0xac00 && codepoint <= 0xd7a3) { /* keep syllables composed */
		out[0] = codepoint;
		return 1;
	}
	count = utf8proc_decompose_char((utf8proc_int32_t)codepoint, parts, IK_UTF8_SIMPLE,
		UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD, &last);
	for (i = 0; i < count && i < IK_UTF8_SIMPLE; i++) {
		uint32_t part = (uint32_t)parts[i];

		if (ik_utf8_letter(part) != IK_LETTER_NONE &&
			!is_in(accents, sizeof(accents) / sizeof(accents[0]), part))
			out[kept++] = part;
	}
	return kept;
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
