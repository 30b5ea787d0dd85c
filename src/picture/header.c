#include "picture/header.h"

#include <string.h>

/* The bytes, and where in them we are; nothing is read beyond them. */
struct ik_picture_bytes {
	const unsigned char *bytes;
	size_t length;
};

/* Return a number of count bytes at position, its high byte first; 0 beyond the end. */
static unsigned long high_first(const struct ik_picture_bytes *in, size_t position, size_t count)
{
	unsigned long value = 0;
	size_t i;

	if (position > in->length || count > in->length - position)
		return 0;
	for (i = 0; i < count; i++)
		value = value << 8 | in->bytes[position + i];
	return value;
}

/* The same, its low byte first. */
static unsigned long low_first(const struct ik_picture_bytes *in, size_t position, size_t count)
{
	unsigned long value = 0;
	size_t i;

	if (position > in->length || count > in->length - position)
		return 0;
	for (i = count; i > 0; i--)
		value = value << 8 | in->bytes[position + i - 1];
	return value;
}

static bool begins(const struct ik_picture_bytes *in, size_t position, const char *magic,
	size_t length)
{
	return position <= in->length && length <= in->length - position &&
		memcmp(in->bytes + position, magic, length) == 0;
}

static void read_png(const struct ik_picture_bytes *in, struct ik_picture_header *header)
{
	header->width = (long)high_first(in, 16, 4);
	header->height = (long)high_first(in, 20, 4);
}

/* Take the orientation from the first directory of an Exif segment's TIFF structure. */
static void read_exif(const struct ik_picture_bytes *in, struct ik_picture_header *header)
{
	unsigned long (*number)(const struct ik_picture_bytes *, size_t,
		size_t) = begins(in, 0, "II", 2) ? low_first : high_first;
	size_t directory = number(in, 4, 4), count = number(in, directory, 2), i;

	for (i = 0; i < count; i++) {
		size_t entry = directory + 2 + 12 * i;

		if (number(in, entry, 2) == 0x112 && number(in, entry + 8, 2) >= 1 &&
			number(in, entry + 8, 2) <= 8)
			header->orientation = (int)number(in, entry + 8, 2);
	}
}

/* Is this marker a start of frame, which says how large the picture is? */
static bool starts_frame(unsigned marker)
{
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

static void read_jpeg(const struct ik_picture_bytes *in, struct ik_picture_header *header)
{
	size_t at = 2, length;

	while (at + 4 <= in->length && in->bytes[at] == 0xff) {
		unsigned marker = in->bytes[at + 1];

		if (marker == 0xff) { /* a byte that fills up */
			at++;
			continue;
		}
		length = high_first(in, at + 2, 2);
		if (starts_frame(marker)) {
			header->height = (long)high_first(in, at + 5, 2);
			header->width = (long)high_first(in, at + 7, 2);
			return;
		}
		if (marker == 0xe1 && begins(in, at + 4, "Exif\0\0", 6)) {
			struct ik_picture_bytes exif = { in->bytes + at + 10, in->length - at - 10 };

			read_exif(&exif, header);
		}
		at += 2 + length;
	}
}

/* Take the larger of the screen and the first frame, which is what is decoded. */
static void read_gif(const struct ik_picture_bytes *in, struct ik_picture_header *header)
{
	size_t at = 13;
	long width, height;

	if (in->length < at)
		return;
	if (in->bytes[10] & 0x80)
		at += (size_t)3 << ((in->bytes[10] & 7) + 1);
	while (begins(in, at, "!", 1)) { /* an extension: its label, then blocks up to an empty one */
		at += 2;
		while (high_first(in, at, 1) > 0)
			at += 1 + high_first(in, at, 1);
		at++;
	}
	if (!begins(in, at, ",", 1))
		return;
	width = (long)low_first(in, at + 5, 2);
	height = (long)low_first(in, at + 7, 2);
	header->width = (long)low_first(in, 6, 2) > width ? (long)low_first(in, 6, 2) : width;
	header->height = (long)low_first(in, 8, 2) > height ? (long)low_first(in, 8, 2) : height;
}

static void read_webp(const struct ik_picture_bytes *in, struct ik_picture_header *header)
{
	if (begins(in, 12, "VP8 ", 4)) {
		header->width = (long)(low_first(in, 26, 2) & 0x3fff);
		header->height = (long)(low_first(in, 28, 2) & 0x3fff);
	} else if (begins(in, 12, "VP8L", 4)) {
		header->width = (long)(low_first(in, 21, 4) & 0x3fff) + 1;
		header->height = (long)(low_first(in, 21, 4) >> 14 & 0x3fff) + 1;
	} else if (begins(in, 12, "VP8X", 4)) {
		header->width = (long)low_first(in, 24, 3) + 1;
		header->height = (long)low_first(in, 27, 3) + 1;
	}
}

bool ik_picture_header_read(const unsigned char *bytes, size_t length,
	struct ik_picture_header *ret_header)
{
	static const struct {
		const char *magic;
		size_t position, length;
		enum ik_picture_format format;
		void (*read)(const struct ik_picture_bytes *, struct ik_picture_header *);
	} formats[] = {
		{ "\x89PNG\r\n\x1a\n", 0, 8, IK_PICTURE_PNG, read_png },
		{ "\xff\xd8\xff", 0, 3, IK_PICTURE_JPEG, read_jpeg },
		{ "GIF8", 0, 4, IK_PICTURE_GIF, read_gif },
		{ "WEBP", 8, 4, IK_PICTURE_WEBP, read_webp },
	};
	const struct ik_picture_bytes in = { bytes, length };
	struct ik_picture_header header = { .orientation = 1 };
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (begins(&in, formats[i].position, formats[i].magic, formats[i].length)) {
			header.format = formats[i].format;
			formats[i].read(&in, &header);
			break;
		}
	}
	if (header.width < 1 || header.height < 1)
		return false;
	*ret_header = header;
	return true;
}
