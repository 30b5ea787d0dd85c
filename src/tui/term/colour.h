/*
 * colour: arithmetic with colours of 24 bits, 0xRRGGBB, and what stands in for
 * them where a terminal has fewer.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TERM_COLOUR_H
#define IK_TUI_TERM_COLOUR_H

#include "util/buf.h"

#include <stddef.h>
#include <stdint.h>

#define IK_COLOUR_OWN (-1) /* the terminal's own */

/* Of the 256-colour palette the one that is nearest, from 16 on: those below
 * look different on every terminal. IK_COLOUR_OWN stays what it is. */
int ik_colour_nearest(int32_t rgb);

/* The colour that stands at a place of the palette from 16 on. */
int32_t ik_colour_of_palette(int index);

/* Relative luminance, 0 to 1, and the contrast of two colours, 1 to 21: WCAG 2. */
double ik_colour_luminance(int32_t rgb);
double ik_colour_contrast(int32_t one, int32_t other);

/* Do black letters stand out more on it than white ones? */
bool ik_colour_is_light(int32_t rgb);

/*
 * Append a terminal's bytes with the numbers of the palette in their SGR
 * sequences ("38;5;N" and "48;5;N") written as what stands at slots[N - first]
 * ("38;2;R;G;B"); numbers beyond count stay.
 */
void ik_colour_put_direct(struct ik_buf *out, const char *bytes, size_t length,
	const int32_t *slots, int first, int count);

#endif
