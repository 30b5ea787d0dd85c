/*
 * picture: pictures read, scaled, and written in the form that a provider or a terminal needs.
 *
 * Reads PNG, JPEG, GIF (its first frame) and WebP by libgd. What a picture's header says is judged
 * before any of it is decoded, so a small file can't demand gigabytes. Nothing is ever scaled up;
 * proportions are kept.
 *
 * For the program libexec/picture/picture only, a process for each picture: nothing else links
 * libgd. May include: <gd.h>, util.
 */
#ifndef IK_PICTURE_PICTURE_H
#define IK_PICTURE_PICTURE_H

#include <stddef.h>

#include "util/buf.h"

/*
 * Do one job and append what it makes to out: a line of JSON, {"media_type":...,"width":...,
 * "height":...}, in which media_type is null unless what follows is a file of that type, and then:
 *
 *   fit      at most first pixels wide and high, and at most second bytes: the picture itself if it
 *            is that small, otherwise a smaller one (a JPEG stays one; others, and each GIF, which
 *            not every provider accepts, become a PNG, or a JPEG where that needs too many bytes).
 *            A PDF is passed on as it is, without a size
 *   cells    at most first columns by second rows of a terminal, which width and height are then
 *            counted in: row by row, six bytes for each cell, the RGB of its upper and lower half
 *   png      at most first by second pixels
 *   sixel    the same, as sequences for terminals: one for each third rows of pixels, which are a line
 *            of the terminal
 *
 * IK_INVALID: an unknown job, or no picture that can be read.
 */
enum ik_status ik_picture_make(const char *job, int first, int second, int third, const char *bytes,
	size_t length, struct ik_buf *out, struct ik_error *error) IK_MUST_USE;

#endif
