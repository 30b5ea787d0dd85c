#include "util/sanitize.h"

#include <string.h>

#include "util/cluster.h"
#include "util/utf8.h"

#define CONTROL_PICTURES 0x2400
#define PICTURE_OF_DELETE 0x2421

enum treatment {
	AS_IT_IS,
	AS_CODE,        /* <U+XXXX> */
	AS_REPLACEMENT, /* U+FFFD */
	AS_SELECTOR,    /* kept after a visible character */
	AS_JOINER       /* kept after a visible character or its selector */
};

/* Sorted. Bidi controls, separators, and characters without ink or width. */
static const struct {
	uint32_t first, last;
	enum treatment treatment;
} exceptions[] = {
	{ 0x0080, 0x009f, AS_CODE },     /* C1 controls */
	{ 0x00ad, 0x00ad, AS_CODE },     /* soft hyphen */
	{ 0x061c, 0x061c, AS_CODE },     /* Arabic letter mark */
	{ 0x180b, 0x180d, AS_SELECTOR }, /* Mongolian variation selectors */
	{ 0x180e, 0x180e, AS_CODE },     /* Mongolian vowel separator */
	{ 0x180f, 0x180f, AS_SELECTOR },
	{ 0x200b, 0x200b, AS_CODE }, /* zero width space */
	{ 0x200c, 0x200d, AS_JOINER },
	{ 0x200e, 0x200f, AS_CODE },        /* direction marks */
	{ 0x2028, 0x202e, AS_CODE },        /* separators, embeddings, overrides */
	{ 0x2060, 0x206f, AS_CODE },        /* word joiner, invisible operators, isolates */
	{ 0xfdd0, 0xfdef, AS_REPLACEMENT }, /* noncharacters */
	{ 0xfe00, 0xfe0f, AS_SELECTOR },
	{ 0xfeff, 0xfeff, AS_CODE },   /* byte order mark */
	{ 0xfff0, 0xfffb, AS_CODE },   /* annotations */
	{ 0x13430, 0x1345f, AS_CODE }, /* hieroglyph joiners */
	{ 0x1bca0, 0x1bca3, AS_CODE }, /* shorthand format controls */
	{ 0x1d173, 0x1d17a, AS_CODE }, /* musical format controls */
	{ 0xe0000, 0xe00ff, AS_CODE }, /* tags */
	{ 0xe0100, 0xe01ef, AS_SELECTOR },
};

/* Decide how to treat a character beyond ASCII. */
static enum treatment treat(uint32_t codepoint)
{
	size_t low = 0, high = sizeof(exceptions) / sizeof(exceptions[0]);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (codepoint < exceptions[middle].first)
			high = middle;
		else if (codepoint > exceptions[middle].last)
			low = middle + 1;
		else
			return exceptions[middle].treatment;
	}
	if ((codepoint & 0xfffe) == 0xfffe)
		return AS_REPLACEMENT;
	return ik_utf8_assigned(codepoint) ? AS_IT_IS : AS_CODE;
}

/* Is a character beyond ASCII kept in this context? */
static bool is_kept(enum treatment treatment, enum ik_sanitize_before before)
{
	return treatment == AS_IT_IS || (treatment == AS_SELECTOR && before == IK_BEFORE_VISIBLE) ||
		(treatment == AS_JOINER && before != IK_BEFORE_NOTHING);
}

/* Return what a kept character means for the next one. */
static enum ik_sanitize_before after(enum treatment treatment)
{
	return treatment == AS_IT_IS   ? IK_BEFORE_VISIBLE
		: treatment == AS_SELECTOR ? IK_BEFORE_SELECTOR
								   : IK_BEFORE_NOTHING;
}

static void put_codepoint(struct ik_buf *out, uint32_t codepoint)
{
	char bytes[4];

	ik_buf_append(out, bytes, (size_t)ik_utf8_encode(codepoint, bytes));
}

/* Append the visible replacement of an ASCII control. */
static void put_control(struct ik_buf *out, char byte, bool one_line)
{
	if (one_line && (byte == '\n' || byte == '\t'))
		ik_buf_putc(out, ' ');
	else if (byte == '\n')
		ik_buf_putc(out, '\n');
	else if (byte == 0x7f)
		put_codepoint(out, PICTURE_OF_DELETE);
	else
		put_codepoint(out, CONTROL_PICTURES + (unsigned char)byte);
}

static bool is_plain(char byte, bool one_line)
{
	return (byte >= 0x20 && byte < 0x7f) || (!one_line && (byte == '\n' || byte == '\t'));
}

/*
 * Sanitise bytes and return how many were processed: all of them or, if more may follow, all but an
 * incomplete character or CR. Runs of harmless bytes are appended in one piece.
 */
static size_t sanitize(struct ik_buf *out, const char *bytes, size_t length,
	enum ik_sanitize_before *before, bool one_line, bool more)
{
	size_t at = 0, run = 0;

	while (at < length) {
		enum treatment treatment = AS_REPLACEMENT;
		uint32_t codepoint = 0;
		int count;

		if (is_plain(bytes[at], one_line)) {
			*before = bytes[at++] > ' ' ? IK_BEFORE_VISIBLE : IK_BEFORE_NOTHING;
			continue;
		}
		count = ik_utf8_decode(bytes + at, length - at, &codepoint);
		if (more && (count < 0 || (bytes[at] == '\r' && at + 1 == length)))
			break;
		if (count > 1) {
			treatment = treat(codepoint);
			if (is_kept(treatment, *before)) {
				*before = after(treatment);
				at += (size_t)count;
				continue;
			}
		}
		ik_buf_append(out, bytes + run, at - run);
		*before = IK_BEFORE_NOTHING;
		if (count == 1) {
			/* CR LF: drop the CR; the LF follows. */
			if (bytes[at] != '\r' || at + 1 == length || bytes[at + 1] != '\n')
				put_control(out, bytes[at], one_line);
			at++;
		} else if (count <= 0 || treatment == AS_REPLACEMENT) {
			ik_buf_puts(out, IK_UTF8_REPLACEMENT);
			at += count > 0 ? (size_t)count : ik_utf8_bad(bytes + at, length - at);
		} else {
			ik_buf_printf(out, "<U+%04X>", (unsigned)codepoint);
			at += (size_t)count;
		}
		run = at;
	}
	ik_buf_append(out, bytes + run, at - run);
	return at;
}

void ik_sanitize(struct ik_buf *out, const char *bytes, size_t length)
{
	enum ik_sanitize_before before = IK_BEFORE_NOTHING;

	sanitize(out, bytes, length, &before, false, false);
}

void ik_sanitize_line(struct ik_buf *out, const char *bytes, size_t length)
{
	enum ik_sanitize_before before = IK_BEFORE_NOTHING;

	sanitize(out, bytes, length, &before, true, false);
}

bool ik_sanitize_is_clean(const char *bytes, size_t length)
{
	struct ik_buf out;
	bool clean;

	ik_buf_init(&out, length);
	ik_sanitize_line(&out, bytes, length);
	clean = ik_buf_status(&out) == IK_OK && out.length == length &&
		memcmp(out.data, bytes, length) == 0;
	ik_buf_done(&out);
	return clean;
}

void ik_sanitize_piece(struct ik_sanitize_state *state, struct ik_buf *out, const char *bytes,
	size_t length)
{
	size_t done;

	/* Complete the held-back character byte by byte, at most four. */
	while (state->held_length > 0 && length > 0) {
		state->held[state->held_length++] = *bytes++;
		length--;
		done = sanitize(out, state->held, (size_t)state->held_length, &state->before, false, true);
		state->held_length -= (int)done;
		memmove(state->held, state->held + done, (size_t)state->held_length);
	}
	if (length > 0) {
		done = sanitize(out, bytes, length, &state->before, false, true);
		state->held_length = (int)(length - done);
		memcpy(state->held, bytes + done, length - done);
	}
}

void ik_sanitize_end(struct ik_sanitize_state *state, struct ik_buf *out)
{
	sanitize(out, state->held, (size_t)state->held_length, &state->before, false, false);
	*state = (struct ik_sanitize_state){ 0 };
}
