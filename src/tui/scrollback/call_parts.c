#include "tui/scrollback/call_parts.h"

#include "util/limits.h"
#include "util/utf8.h"

size_t ik_call_text_length(const struct ik_shown_call *call, enum ik_call_text which)
{
	const struct ik_bytes *whole = call->whole[which];

	return whole ? whole->length : (size_t)call->blobs[which].bytes;
}

/* Append a part as it is cut. */
static enum ik_status raw_part(const struct ik_shown_call *call, enum ik_call_text which,
	size_t part, ik_blob_reader *read, void *arg, struct ik_buf *out, struct ik_error *error)
{
	const struct ik_bytes *whole = call->whole[which];
	size_t start = part * IK_LIMIT_PART, left;

	if (!whole)
		return read ? read(arg, call->blobs[which].id, part, out, error) : IK_NOT_FOUND;
	if (start >= whole->length)
		return IK_NOT_FOUND;
	left = whole->length - start;
	ik_buf_append(out, whole->data + start, left < IK_LIMIT_PART ? left : IK_LIMIT_PART);
	return IK_OK;
}

enum ik_status ik_call_part(const struct ik_shown_call *call, enum ik_call_text which, size_t part,
	ik_blob_reader *read, void *arg, struct ik_buf *out, struct ik_error *error)
{
	size_t start = out->length;
	size_t rest = 0;
	enum ik_status status = raw_part(call, which, part, read, arg, out, error);

	if (status != IK_OK)
		return status;
	/* The end of a character that began in the part before belongs there. */
	while (part > 0 && rest < 3 && start + rest < out->length &&
		ik_utf8_is_continuation(out->data[start + rest]))
		rest++;
	ik_buf_erase(out, start, rest);
	if (out->length > start && (unsigned char)out->data[out->length - 1] >= 0x80) {
		struct ik_buf next;

		ik_buf_init(&next, IK_LIMIT_PART);
		struct ik_error ignored;

		if (raw_part(call, which, part + 1, read, arg, &next, &ignored) == IK_OK)
			for (rest = 0;
				 rest < 3 && rest < next.length && ik_utf8_is_continuation(next.data[rest]); rest++)
				ik_buf_putc(out, next.data[rest]);
		ik_buf_done(&next);
	}
	return IK_OK;
}

/* Return how many pages a text needs of its own. */
static size_t further_parts(const struct ik_shown_call *call, enum ik_call_text which)
{
	size_t length = ik_call_text_length(call, which);

	return length > 0 ? (length - 1) / IK_LIMIT_PART : 0;
}

size_t ik_call_pages(const struct ik_shown_call *call)
{
	size_t pages = 1;

	for (enum ik_call_text which = IK_CALL_TEXTS; which-- > 0;)
		pages += further_parts(call, which);
	return pages;
}

bool ik_call_page(const struct ik_shown_call *call, size_t page, enum ik_call_text *ret_which,
	size_t *ret_part)
{
	if (page == 0)
		return false;
	for (enum ik_call_text which = IK_CALL_TEXTS; which-- > 0;) {
		size_t further = further_parts(call, which);

		if (page <= further) {
			*ret_which = which;
			*ret_part = page;
			return true;
		}
		page -= further;
	}
	return false;
}
