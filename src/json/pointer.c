#include "json/pointer.h"

#include <stdlib.h>
#include <string.h>

#include "json/plain.h"
#include "util/limits.h"

/* Decode one step of a pointer, which starts after a slash, and append it: first percent signs,
 * then tildes (RFC 6901, 4 and 6). Return what follows: a slash, or the end. */
static const char *decode_step(struct ik_buf *out, const char *step)
{
	while (*step && *step != '/') {
		char byte = *step++;

		if (byte == '%' && ik_json_hex_digit(step[0]) >= 0 && ik_json_hex_digit(step[1]) >= 0) {
			byte = (char)(ik_json_hex_digit(step[0]) << 4 | ik_json_hex_digit(step[1]));
			step += 2;
		}
		if (byte == '~' && (*step == '0' || *step == '1'))
			byte = *step++ == '0' ? '~' : '/';
		ik_buf_putc(out, byte);
	}
	return step;
}

/* Return the member or element that a decoded step names. */
static struct ik_json_span child_of(struct ik_json_span at, const char *step)
{
	if (ik_json_span_type(at) != IK_JSON_ARRAY)
		return ik_json_member(at, step);
	if (step[strspn(step, "0123456789")])
		return (struct ik_json_span){ NULL, 0 };
	return ik_json_at(at, step);
}

struct ik_json_span ik_json_referred(struct ik_json_span root, struct ik_json_span reference)
{
	char *text = ik_json_text_new(reference);
	struct ik_json_span value = { NULL, 0 };
	struct ik_buf step;

	if (text && text[0] == '#' && (text[1] == '/' || !text[1])) {
		const char *at = text + 1;

		value = root;
		ik_buf_init(&step, IK_LIMIT_SCHEMA);
		while (*at && value.text) {
			ik_buf_clear(&step);
			at = decode_step(&step, at + 1);
			value = child_of(value, step.data);
		}
		ik_buf_done(&step);
	}
	free(text);
	return value;
}
