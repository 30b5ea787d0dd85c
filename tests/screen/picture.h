/*
 * picture: the terminal's screen as an SVG file, for people to look at.
 *
 * For `make pictures` (tests/pictures/draw).  May include: util, terminal.h.
 */
#ifndef IK_TEST_PICTURE_H
#define IK_TEST_PICTURE_H

#include "terminal.h"
#include "util/buf.h"

/* Append the screen as SVG, with the default colours of a light or a dark terminal. The same
 * screen gives the same bytes: durations and ports, which differ between runs, are made the same. */
void put_picture(struct terminal *terminal, bool light, struct ik_buf *out);

#endif
