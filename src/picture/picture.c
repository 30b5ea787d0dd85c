#include "picture/picture.h"

#include <gd.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "picture/header.h"
#include "picture/sixel.h"
#include "util/limits.h"
#include "util/text.h"

/* Of a JPEG that we write. */
#define QUALITY 85
#define WHITE 0xffffff

static const char *const media_types[] = {
	[IK_PICTURE_PNG] = "image/png",
	[IK_PICTURE_JPEG] = "image/jpeg",
	[IK_PICTURE_GIF] = "image/gif",
	[IK_PICTURE_WEBP] = "image/webp",
};

/* libgd's messages speak of its insides. */
static void IK_PRINTF(2, 0) say_nothing(int priority, const char *format, va_list arguments)
{
}

static gdImagePtr decode(enum ik_picture_format format, const char *bytes, size_t length)
{
	int size = (int)length;
	void *data = (void *)bytes;

	switch (format) {
	case IK_PICTURE_PNG:
		return gdImageCreateFromPngPtr(size, data);
	case IK_PICTURE_JPEG:
		return gdImageCreateFromJpegPtrEx(size, data, 1);
	case IK_PICTURE_GIF:
		return gdImageCreateFromGifPtr(size, data);
	case IK_PICTURE_WEBP:
		return gdImageCreateFromWebpPtr(size, data);
	}
	return NULL;
}

/* Turn and mirror the picture of a camera that was held in another way. Takes over picture. */
static gdImagePtr upright(gdImagePtr picture, int orientation)
{
	static const int angles[] = { 0, 0, 0, 180, 180, 270, 270, 90, 90 };
	gdImagePtr turned = picture;

	if (angles[orientation] != 0)
		turned = gdImageRotateInterpolated(picture, (float)angles[orientation], 0);
	if (turned != picture)
		gdImageDestroy(picture);
	if (turned && (orientation == 2 || orientation == 4 || orientation == 5 || orientation == 7))
		gdImageFlipHorizontal(turned);
	return turned;
}

/* Return a copy with width x height pixels, on white if opaque. */
static gdImagePtr scaled(gdImagePtr picture, int width, int height, bool opaque)
{
	gdImagePtr copy = gdImageCreateTrueColor(width, height);

	if (!copy)
		return NULL;
	gdImageSaveAlpha(copy, !opaque);
	gdImageFilledRectangle(copy, 0, 0, width - 1, height - 1, WHITE);
	gdImageAlphaBlending(copy, opaque);
	gdImageCopyResampled(copy, picture, 0, 0, 0, 0, width, height, gdImageSX(picture),
		gdImageSY(picture));
	return copy;
}

/* Return a copy that has at most that many pixels. */
static gdImagePtr within(gdImagePtr picture, long width, long height, bool opaque)
{
	long own_width = gdImageSX(picture), own_height = gdImageSY(picture);

	if (own_width > width) {
		own_height = own_height * width / own_width;
		own_width = width;
	}
	if (own_height > height) {
		own_width = own_width * height / own_height;
		own_height = height;
	}
	return scaled(picture, own_width > 0 ? (int)own_width : 1, own_height > 0 ? (int)own_height : 1,
		opaque);
}

static void put_header(struct ik_buf *out, const char *media_type, int width, int height)
{
	if (media_type)
		ik_buf_printf(out, "{\"media_type\":\"%s\"", media_type);
	else
		ik_buf_puts(out, "{\"media_type\":null");
	ik_buf_printf(out, ",\"width\":%d,\"height\":%d}\n", width, height);
}

/* Append the picture as a file if that has at most limit bytes. */
static bool put_file(gdImagePtr picture, enum ik_picture_format format, size_t limit,
	struct ik_buf *out)
{
	int size = 0;
	void *file = format == IK_PICTURE_JPEG ? gdImageJpegPtr(picture, &size, QUALITY)
										   : gdImagePngPtr(picture, &size);
	bool fits = file && (size_t)size <= limit;

	if (fits) {
		put_header(out, media_types[format], gdImageSX(picture), gdImageSY(picture));
		ik_buf_append(out, file, (size_t)size);
	}
	gdFree(file);
	return fits;
}

/* Append the picture with at most edge pixels each way as a file of at most limit bytes: PNG, if it
 * may be one and that is small enough, else JPEG. */
static bool put_within(gdImagePtr picture, int edge, size_t limit, bool png, struct ik_buf *out)
{
	gdImagePtr small = within(picture, edge, edge, !png);
	bool done = small && put_file(small, png ? IK_PICTURE_PNG : IK_PICTURE_JPEG, limit, out);

	if (small)
		gdImageDestroy(small);
	return done || (png && put_within(picture, edge, limit, false, out));
}

static bool put_fitting(gdImagePtr picture, bool png, int edge, size_t limit, struct ik_buf *out)
{
	bool done = false;

	if (edge > gdImageSX(picture) && edge > gdImageSY(picture))
		edge = gdImageSX(picture) > gdImageSY(picture) ? gdImageSX(picture) : gdImageSY(picture);
	for (; edge > 0 && !done; edge = edge * 3 / 4)
		done = put_within(picture, edge, limit, png, out);
	return done;
}

/* A pixel below the last row is as the one above it. */
static void put_pixel(gdImagePtr picture, int x, int y, struct ik_buf *out)
{
	int colour = gdImageTrueColorPixel(picture, x, y < gdImageSY(picture) ? y : y - 1);

	ik_buf_putc(out, (char)gdTrueColorGetRed(colour));
	ik_buf_putc(out, (char)gdTrueColorGetGreen(colour));
	ik_buf_putc(out, (char)gdTrueColorGetBlue(colour));
}

/* A cell is about twice as high as wide, so that its halves are squares. */
static void put_cells(gdImagePtr picture, struct ik_buf *out)
{
	int x, y;

	put_header(out, NULL, gdImageSX(picture), (gdImageSY(picture) + 1) / 2);
	for (y = 0; y < gdImageSY(picture); y += 2) {
		for (x = 0; x < gdImageSX(picture); x++) {
			put_pixel(picture, x, y, out);
			put_pixel(picture, x, y + 1, out);
		}
	}
}

static bool put_sixel(gdImagePtr picture, int line, struct ik_buf *out)
{
	int height = gdImageSY(picture);

	if (!gdImageTrueColorToPalette(picture, 1, gdMaxColors))
		return false;
	put_header(out, NULL, gdImageSX(picture), height);
	for (int top = 0; top < height; top += line)
		ik_sixel_write(picture, top, top + line < height ? top + line : height, out);
	return true;
}

/* Do what a terminal needs. */
static bool put_drawing(gdImagePtr picture, const char *job, int width, int height, int line,
	struct ik_buf *out)
{
	bool cells = ik_text_equal(job, "cells"), png = ik_text_equal(job, "png"), done = true;
	gdImagePtr small = within(picture, width, cells ? 2L * height : height, !png);

	if (!small)
		return false;
	if (cells)
		put_cells(small, out);
	else if (png)
		done = put_file(small, IK_PICTURE_PNG, SIZE_MAX, out);
	else
		done = put_sixel(small, line, out);
	gdImageDestroy(small);
	return done;
}

static bool is_job(const char *job)
{
	return ik_text_equal(job, "fit") || ik_text_equal(job, "cells") || ik_text_equal(job, "png") ||
		ik_text_equal(job, "sixel");
}

/* Read what is to be read of it, and return it upright, in RGB. */
static gdImagePtr read_picture(const char *bytes, size_t length,
	struct ik_picture_header *ret_header, struct ik_error *error)
{
	gdImagePtr picture;

	gdSetErrorMethod(say_nothing);
	if (!ik_picture_header_read((const unsigned char *)bytes, length, ret_header)) {
		(void)ik_error_set(error, IK_INVALID,
			_("this is no picture that can be read (PNG, JPEG, GIF or WebP)"));
		return NULL;
	}
	if (ret_header->width > IK_LIMIT_PIXELS / ret_header->height) {
		(void)ik_error_set(error, IK_TOO_LARGE, _("the picture is too large: %ldx%ld pixels"),
			ret_header->width, ret_header->height);
		return NULL;
	}
	picture = decode(ret_header->format, bytes, length);
	if (picture)
		picture = upright(picture, ret_header->orientation);
	if (picture && gdImagePaletteToTrueColor(picture))
		return picture;
	if (picture)
		gdImageDestroy(picture);
	(void)ik_error_set(error, IK_INVALID, _("the picture is broken"));
	return NULL;
}

/* A document is not read here, but passes through the same door as a picture. */
static bool is_document(const char *job, const char *bytes, size_t length)
{
	static const char mark[] = "%PDF-";

	return ik_text_equal(job, "fit") && length >= sizeof(mark) - 1 &&
		memcmp(bytes, mark, sizeof(mark) - 1) == 0;
}

static enum ik_status pass_document(const char *bytes, size_t length, struct ik_buf *out,
	struct ik_error *error)
{
	if (length > IK_LIMIT_DOCUMENT)
		return ik_error_set(error, IK_TOO_LARGE,
			_("the document is too large: %zu bytes, of at most %zu"), length, IK_LIMIT_DOCUMENT);
	put_header(out, "application/pdf", 0, 0);
	ik_buf_append(out, bytes, length);
	return ik_buf_check(out, _("the document"), error);
}

enum ik_status ik_picture_make(const char *job, int first, int second, int third, const char *bytes,
	size_t length, struct ik_buf *out, struct ik_error *error)
{
	struct ik_picture_header header;
	gdImagePtr picture;
	bool done = true;

	if (!is_job(job) || first < 1 || second < 1 || third < 1)
		return ik_error_set(error, IK_INVALID, "%s %d %d?", job, first, second);
	if (is_document(job, bytes, length))
		return pass_document(bytes, length, out, error);
	if (length > IK_LIMIT_PICTURE)
		return ik_error_set(error, IK_TOO_LARGE, _("the picture is too large: %zu bytes"), length);
	picture = read_picture(bytes, length, &header, error);
	if (!picture)
		return error->status;
	if (!ik_text_equal(job, "fit")) {
		done = put_drawing(picture, job, first, second, third, out);
	} else if (header.width <= first && header.height <= first && length <= (size_t)second &&
		header.orientation == 1 && header.format != IK_PICTURE_GIF) {
		put_header(out, media_types[header.format], (int)header.width, (int)header.height);
		ik_buf_append(out, bytes, length);
	} else {
		done = put_fitting(picture, header.format != IK_PICTURE_JPEG, first, (size_t)second, out);
	}
	gdImageDestroy(picture);
	if (!done)
		return ik_error_set(error, IK_FAILED, _("the picture cannot be made smaller"));
	return ik_buf_check(out, _("the picture"), error);
}
