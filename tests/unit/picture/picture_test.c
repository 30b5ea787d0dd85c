/* Pictures read, scaled and written. */
#include <criterion/criterion.h>
#include <gd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/header.h"
#include "picture/picture.h"
#include "util/limits.h"

struct file {
	char *bytes;
	int length;
};

/* A picture whose left half is red and whose right half is blue, in each format. */
static struct file picture_file(enum ik_picture_format format, int width, int height)
{
	gdImagePtr picture = gdImageCreateTrueColor(width, height);
	struct file file = {NULL, 0};

	gdImageFilledRectangle(picture, 0, 0, width / 2 - 1, height - 1, 0xff0000);
	gdImageFilledRectangle(picture, width / 2, 0, width - 1, height - 1, 0x0000ff);
	switch (format) {
	case IK_PICTURE_PNG: file.bytes = gdImagePngPtr(picture, &file.length); break;
	case IK_PICTURE_JPEG: file.bytes = gdImageJpegPtr(picture, &file.length, 95); break;
	case IK_PICTURE_GIF: file.bytes = gdImageGifPtr(picture, &file.length); break;
	case IK_PICTURE_WEBP: file.bytes = gdImageWebpPtr(picture, &file.length); break;
	}
	gdImageDestroy(picture);
	if (!file.bytes)
		cr_skip_test("this libgd was made without that format");
	return file;
}

/* Do a job; return the line before what it made, which is left in out. */
static char *make(const char *job, int first, int second, struct file file, struct ik_buf *out)
{
	struct ik_error error = { .status = IK_OK };
	char *end, *line;

	ik_buf_init(out, IK_LIMIT_PICTURE);
	cr_assert_eq(ik_picture_make(job, first, second, 6, file.bytes, (size_t)file.length, out, &error),
		IK_OK, "%s", error.text);
	end = memchr(out->data, '\n', out->length);
	cr_assert_not_null(end);
	line = strndup(out->data, (size_t)(end - out->data));
	ik_buf_consume(out, (size_t)(end + 1 - out->data));
	return line;
}

static void expect(const char *job, int first, int second, struct file file, const char *line)
{
	struct ik_buf out;
	char *said = make(job, first, second, file, &out);

	cr_expect_str_eq(said, line);
	free(said);
	ik_buf_done(&out);
}

Test(picture, within_the_limits_it_stays_as_it_is)
{
	static const char *const types[] = {"png", "jpeg", "gif", "webp"};
	char line[100];
	size_t i;

	for (i = 0; i < 4; i++) {
		struct file file = picture_file((enum ik_picture_format)i, 60, 40);

		if (i == IK_PICTURE_GIF) { /* which not every provider accepts */
			expect("fit", 60, 1000000, file,
				"{\"media_type\":\"image/png\",\"width\":60,\"height\":40}");
			gdFree(file.bytes);
			continue;
		}
		struct ik_buf out;
		char *said = make("fit", 60, file.length, file, &out);

		snprintf(line, sizeof(line), "{\"media_type\":\"image/%s\",\"width\":60,\"height\":40}",
			types[i]);
		cr_expect_str_eq(said, line);
		cr_expect_eq(out.length, (size_t)file.length);
		cr_expect(memcmp(out.data, file.bytes, out.length) == 0);
		free(said);
		ik_buf_done(&out);
		gdFree(file.bytes);
	}
}

Test(picture, a_document_passes_as_it_is)
{
	struct file pdf = {(char *)"%PDF-1.4 text", 13};
	struct ik_buf out;
	struct ik_error error;
	char *large = calloc(1, IK_LIMIT_DOCUMENT + 1);

	expect("fit", 60, 1, pdf, "{\"media_type\":\"application/pdf\",\"width\":0,\"height\":0}");
	ik_buf_init(&out, IK_LIMIT_PICTURE);
	memcpy(large, pdf.bytes, 13);
	cr_expect_eq(ik_picture_make("fit", 60, 1, 1, large, IK_LIMIT_DOCUMENT + 1, &out, &error),
		IK_TOO_LARGE);
	/* It can't be drawn. */
	cr_expect_eq(ik_picture_make("png", 60, 60, 1, pdf.bytes, 13, &out, &error), IK_INVALID);
	free(large);
	ik_buf_done(&out);
}

Test(picture, a_large_one_is_scaled_and_keeps_its_proportions)
{
	struct file png = picture_file(IK_PICTURE_PNG, 600, 400),
				jpeg = picture_file(IK_PICTURE_JPEG, 400, 600),
				gif = picture_file(IK_PICTURE_GIF, 1000, 1);

	expect("fit", 300, 1000000, png, "{\"media_type\":\"image/png\",\"width\":300,\"height\":200}");
	expect("fit", 300, 1000000, jpeg,
		"{\"media_type\":\"image/jpeg\",\"width\":200,\"height\":300}");
	expect("fit", 300, 1000000, gif, "{\"media_type\":\"image/png\",\"width\":300,\"height\":1}");
	expect("png", 1000, 100, png, "{\"media_type\":\"image/png\",\"width\":150,\"height\":100}");
	expect("png", 1000, 1000, png, "{\"media_type\":\"image/png\",\"width\":600,\"height\":400}");
	gdFree(png.bytes);
	gdFree(jpeg.bytes);
	gdFree(gif.bytes);
}

Test(picture, what_is_too_many_bytes_as_png_becomes_a_jpeg_or_smaller)
{
	gdImagePtr noise = gdImageCreateTrueColor(200, 200);
	struct file file;
	struct ik_buf out;
	char *said;
	int x, y;

	srand(1);
	for (x = 0; x < 200; x++)
		for (y = 0; y < 200; y++)
			gdImageSetPixel(noise, x, y, rand() & 0xffffff);
	file.bytes = gdImagePngPtr(noise, &file.length);
	said = make("fit", 200, 60000, file, &out);
	cr_expect_str_eq(said, "{\"media_type\":\"image/jpeg\",\"width\":200,\"height\":200}");
	cr_expect_leq(out.length, 60000);
	ik_buf_done(&out);
	free(said);
	said = make("fit", 200, 5000, file, &out);
	cr_expect(strncmp(said, "{\"media_type\":\"image/", 21) == 0);
	cr_expect_leq(out.length, 5000);
	ik_buf_done(&out);
	free(said);
	gdFree(file.bytes);
	gdImageDestroy(noise);
}

Test(picture, cells_have_two_colours)
{
	struct file file = picture_file(IK_PICTURE_PNG, 40, 30);
	struct ik_buf out;
	char *said = make("cells", 20, 10, file, &out);

	cr_expect_str_eq(said, "{\"media_type\":null,\"width\":20,\"height\":8}");
	cr_assert_eq(out.length, 20 * 8 * 6);
	cr_expect(memcmp(out.data, "\xff\0\0\xff\0\0", 6) == 0);
	cr_expect(memcmp(out.data + out.length - 6, "\0\0\xff\0\0\xff", 6) == 0);
	free(said);
	ik_buf_done(&out);
	gdFree(file.bytes);
}

Test(picture, transparent_pixels_are_white_in_cells_and_stay_so_in_a_file)
{
	gdImagePtr glass = gdImageCreateTrueColor(10, 10);
	struct file file;
	struct ik_buf out;
	gdImagePtr again;

	gdImageAlphaBlending(glass, 0);
	gdImageSaveAlpha(glass, 1);
	gdImageFilledRectangle(glass, 0, 0, 9, 9, gdTrueColorAlpha(0, 0, 0, gdAlphaTransparent));
	file.bytes = gdImagePngPtr(glass, &file.length);
	free(make("cells", 10, 10, file, &out));
	cr_expect(memcmp(out.data, "\xff\xff\xff", 3) == 0);
	ik_buf_done(&out);
	free(make("fit", 5, 10000, file, &out));
	again = gdImageCreateFromPngPtr((int)out.length, out.data);
	cr_assert_not_null(again);
	cr_expect_eq(gdTrueColorGetAlpha(gdImageGetTrueColorPixel(again, 2, 2)), gdAlphaTransparent);
	gdImageDestroy(again);
	ik_buf_done(&out);
	gdFree(file.bytes);
	gdImageDestroy(glass);
}

/* A JPEG with an Exif segment that says how the camera was held. */
static struct file turned_file(int orientation)
{
	static const char exif[] = "\xff\xe1\0\x22" "Exif\0\0" "MM\0*\0\0\0\x08" "\0\x01"
		"\x01\x12\0\x03\0\0\0\x01\0?\0\0" "\0\0\0\0";
	struct file plain = picture_file(IK_PICTURE_JPEG, 64, 32), file;

	file.length = plain.length + (int)sizeof(exif) - 1;
	file.bytes = malloc((size_t)file.length);
	memcpy(file.bytes, plain.bytes, 2);
	memcpy(file.bytes + 2, exif, sizeof(exif) - 1);
	*(char *)memchr(file.bytes, '?', sizeof(exif)) = (char)orientation;
	memcpy(file.bytes + 2 + sizeof(exif) - 1, plain.bytes + 2, (size_t)plain.length - 2);
	gdFree(plain.bytes);
	return file;
}

static bool is_red(const char *cell)
{
	return (unsigned char)cell[0] > 200 && (unsigned char)cell[2] < 60;
}

Test(picture, a_camera_held_in_another_way_gives_an_upright_picture)
{
	/* Where the red half of the stored picture, its left one, is to be seen. */
	static const char *const where[] = {"", "left", "right", "right", "left", "top", "top",
		"bottom", "bottom"};
	int orientation;

	for (orientation = 1; orientation <= 8; orientation++) {
		struct file file = turned_file(orientation);
		struct ik_buf out;
		char *said = make("cells", 64, 32, file, &out);
		bool high = orientation > 4, first;

		cr_expect_str_eq(said, high ? "{\"media_type\":null,\"width\":32,\"height\":32}"
									: "{\"media_type\":null,\"width\":64,\"height\":16}");
		first = is_red(out.data);
		cr_expect_neq(first, is_red(out.data + out.length - 6));
		cr_expect_eq(first, where[orientation][0] == 'l' || where[orientation][0] == 't', "%d",
			orientation);
		/* The other corner of the same edge has the same colour if the edge is a half's. */
		cr_expect_eq(is_red(out.data + (high ? 31 : 63) * 6) == first, high);
		free(said);
		ik_buf_done(&out);
		if (high)
			expect("fit", 100, 100000, file,
				"{\"media_type\":\"image/jpeg\",\"width\":32,\"height\":64}");
		free(file.bytes);
	}
}

Test(picture, sixels)
{
	struct file file = picture_file(IK_PICTURE_PNG, 12, 7);
	struct ik_buf out;
	char *said = make("sixel", 100, 100, file, &out);

	cr_expect_str_eq(said, "{\"media_type\":null,\"width\":12,\"height\":7}");
	cr_expect(strncmp(out.data, "\033P0;1q\"1;1;12;6#0;2;", 20) == 0, "%s", out.data + 1);
	cr_expect_not_null(strstr(out.data, "!6~$"), "%s", out.data + 1);
	cr_expect_not_null(strstr(out.data, "-\033\\\033P0;1q\"1;1;12;1#"), "%s", out.data + 1);
	cr_expect_not_null(strstr(out.data, "!6@$"), "%s", out.data + 1);
	cr_expect_str_eq(out.data + out.length - 3, "-\033\\");
	free(said);
	ik_buf_done(&out);
	gdFree(file.bytes);
}

static void expect_refused(const char *job, const char *bytes, size_t length, const char *words)
{
	struct ik_error error = { .status = IK_OK };
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_PICTURE);
	cr_expect_neq(ik_picture_make(job, 10, 10, 6, bytes, length, &out, &error), IK_OK);
	cr_expect_not_null(strstr(error.text, words), "%s", error.text);
	cr_expect_eq(out.length, 0);
	ik_buf_done(&out);
}

Test(picture, what_is_no_picture_or_a_broken_one_is_refused)
{
	struct file file = picture_file(IK_PICTURE_PNG, 60, 40);

	expect_refused("fit", "", 0, "no picture");
	expect_refused("fit", "hello", 5, "no picture");
	expect_refused("fit", file.bytes, 20, "no picture");
	expect_refused("fit", file.bytes, 60, "broken");
	expect_refused("paint", file.bytes, (size_t)file.length, "paint");
	gdFree(file.bytes);
}

Test(picture, a_header_that_promises_too_much_is_refused_before_decoding)
{
	static const char gif[] = "GIF89a\x01\0\x01\0\0\0\0!\xf9\x04\0\0\0\0\0,\0\0\0\0\xff\xff\xff\xff\0";
	struct file file = picture_file(IK_PICTURE_PNG, 60, 40);

	memcpy(file.bytes + 16, "\0\1\0\0\0\1\0\0", 8);
	expect_refused("fit", file.bytes, (size_t)file.length, "65536x65536 pixels");
	expect_refused("fit", gif, sizeof(gif) - 1, "65535x65535 pixels");
	gdFree(file.bytes);
}
