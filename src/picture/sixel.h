/*
 * sixel: a picture with a palette as a sequence of sixels, which some terminals draw.
 *
 * Source: VT330/VT340 Programmer Reference Manual, volume 2, chapter 14. Pure.
 * May include: <gd.h>, util.
 */
#ifndef IK_PICTURE_SIXEL_H
#define IK_PICTURE_SIXEL_H

#include <gd.h>

#include "util/buf.h"

/* Append the rows of a picture with a palette from top to before end. */
void ik_sixel_write(gdImagePtr picture, int top, int end, struct ik_buf *out);

#endif
