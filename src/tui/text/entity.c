#include "tui/text/entity.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/sanitize.h"
#include "util/utf8.h"

#define CODEPOINT_LAST 0x10FFFF

#define NAME_MOST 8 /* bytes of the longest */

/* Names, each with its character after it, all with blanks around. */
static const char names[] =
	" amp & lt < gt > quot \" apos ' nbsp \u00A0 ensp \u2002 emsp \u2003 thinsp \u2009 "
	"copy © reg ® trade ™ sect § para ¶ deg ° plusmn ± times × divide ÷ micro µ middot · "
	"bull • hellip … ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ "
	"laquo « raquo » lsaquo ‹ rsaquo › larr ← uarr ↑ rarr → darr ↓ harr ↔ lArr ⇐ rArr ⇒ "
	"hArr ⇔ euro € pound £ yen ¥ cent ¢ frac12 ½ frac14 ¼ frac34 ¾ sup1 ¹ sup2 ² sup3 ³ "
	"ne ≠ le ≤ ge ≥ asymp ≈ infin ∞ sum ∑ prod ∏ radic √ minus − forall ∀ exist ∃ isin ∈ "
	"and ∧ or ∨ alpha α beta β gamma γ delta δ epsilon ε lambda λ mu μ pi π sigma σ "
	"omega ω Delta Δ Sigma Σ Omega Ω check ✓ cross ✗ auml ä ouml ö uuml ü Auml Ä Ouml Ö "
	"Uuml Ü szlig ß eacute é egrave è agrave à ccedil ç ntilde ñ lbrace { rbrace } "
	"lbrack [ rbrack ] vert | ast * lowbar _ grave ` num # bsol \\ dollar $ percnt % "
	"star ☆ ";

/* Read "&#10;" or "&#xA;". */
static bool read_number(const char *text, uint32_t *ret_codepoint)
{
	bool hexadecimal = (text[2] | 0x20) == 'x';
	char *end;
	unsigned long value = strtoul(text + (hexadecimal ? 3 : 2), &end, hexadecimal ? 16 : 10);

	*ret_codepoint = value <= CODEPOINT_LAST ? (uint32_t)value : 0;
	return *end == ';';
}

void ik_entity_decode(struct ik_buf *out, const char *text, size_t length)
{
	uint32_t codepoint;
	char bytes[4];

	if (length > 3 && text[1] == '#' && read_number(text, &codepoint)) {
		int size = codepoint > 0 ? ik_utf8_encode(codepoint, bytes) : 0;

		if (size > 0)
			ik_sanitize_line(out, bytes, (size_t)size);
		else
			ik_buf_puts(out, "\uFFFD");
		return;
	}
	char name[NAME_MOST + 3];
	size_t size = length - strlen("&;");
	const char *found = NULL;

	if (size > 0 && size <= NAME_MOST) {
		(void)snprintf(name, sizeof(name), " %.*s ", (int)size, text + 1);
		found = strstr(names, name);
	}
	if (found)
		ik_buf_append(out, found + size + 2, strcspn(found + size + 2, " "));
	else
		ik_buf_append(out, text, length);
}
