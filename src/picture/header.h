/*
 * header: what the first bytes of a picture say of it, without decoding any.
 *
 * Sources: RFC 2083 (PNG), ITU T.81 annex B (JPEG), the GIF89a specification, RFC 9649 (WebP).
 * Pure. May include: libc, util.
 */
#ifndef IK_PICTURE_HEADER_H
#define IK_PICTURE_HEADER_H

#include <stdbool.h>
#include <stddef.h>

enum ik_picture_format { IK_PICTURE_PNG, IK_PICTURE_JPEG, IK_PICTURE_GIF, IK_PICTURE_WEBP };

struct ik_picture_header {
	enum ik_picture_format format;
	long width, height; /* in pixels; both at least 1 */
	int orientation;    /* of a JPEG, as Exif has it: 1 to 8; 1: as it is */
};

/* Return false if this begins none of the formats, or ends before it says how large it is. */
bool ik_picture_header_read(const unsigned char *bytes, size_t length,
	struct ik_picture_header *ret_header);

#endif
