/*
 * colour: 24-bit colours, 0xRRGGBB, in the 256-colour palette.
 *
 * Pure.  May include: nothing.
 */
#ifndef IK_TUI_TERM_COLOUR_H
#define IK_TUI_TERM_COLOUR_H

#include <stdint.h>

#define IK_COLOUR_OWN (-1) /* the terminal's own foreground or background */

/* Return the nearest colour of the palette, from 16 on, as those below look different on every
 * terminal; IK_COLOUR_OWN for itself. */
int ik_colour_nearest(int32_t rgb);

/* Return the colour of a number of the palette, from 16 on. */
int32_t ik_colour_of_palette(int index);

#endif
