#include "core/export_output.h"

#include <stdlib.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/text.h"

#define STREAMS 2

void ik_outputs_begin(struct ik_outputs *outputs, const struct ik_message *message)
{
	size_t most = sizeof(outputs->blobs) / sizeof(*outputs->blobs);

	*outputs = (struct ik_outputs){ .count = 0 };
	while (outputs->count < most &&
		ik_message_blob_at(message, outputs->count, &outputs->blobs[outputs->count]))
		outputs->count++;
}

/* Return the size of the next part, or 0 if there is none. */
static size_t length_of_next(const struct ik_outputs *outputs)
{
	int64_t left;

	if (outputs->at >= outputs->count ||
		outputs->part > (size_t)outputs->blobs[outputs->at].bytes / IK_LIMIT_PART)
		return 0;
	left = outputs->blobs[outputs->at].bytes - (int64_t)(outputs->part * IK_LIMIT_PART);
	return left < (int64_t)IK_LIMIT_PART ? (size_t)left : IK_LIMIT_PART;
}

void ik_outputs_skip(struct ik_outputs *outputs)
{
	outputs->at++;
	outputs->part = 0;
}

/* Advance to the next part. */
static void advance(struct ik_outputs *outputs)
{
	outputs->part++;
	if (length_of_next(outputs) == 0)
		ik_outputs_skip(outputs);
}

/* ---- writing ---- */

struct ik_store_read *ik_outputs_ask(const struct ik_outputs *outputs, struct ik_store *store,
	ik_store_reader *reader, void *arg)
{
	if (length_of_next(outputs) == 0)
		return NULL;
	return ik_store_read_part(store, outputs->blobs[outputs->at].id, outputs->part, reader, arg);
}

bool ik_outputs_put(struct ik_outputs *outputs, const char *bytes, size_t length,
	struct ik_buf *out)
{
	if (length != length_of_next(outputs)) {
		ik_outputs_skip(outputs);
		return false;
	}
	ik_json_printf(out, "{'blob':'%s','part':%zu,'base64':", outputs->blobs[outputs->at].id,
		outputs->part);
	ik_buf_putc(out, '"');
	ik_base64_put(out, bytes, length);
	ik_buf_puts(out, "\"}\n");
	advance(outputs);
	return true;
}

char *ik_outputs_missing(size_t count)
{
	return ik_format(ngettext("%zu large output could not be read whole; what was read of it "
							  "was written.",
						 "%zu large outputs could not be read whole; what was read of them "
						 "was written.",
						 count),
		count);
}

/* Append where the attached files are. */
static void files_markdown(struct ik_buf *out, const struct ik_message *message)
{
	struct ik_attachment file;

	for (size_t i = 0; ik_message_attachment(message, i, &file); i++) {
		char *name = ik_attachment_is_file(&file) ? ik_json_string_new(file.name, NULL) : NULL;

		if (!name)
			continue;
		/* Translators: the first is the name of a file, the last an id. */
		ik_buf_printf(out, _("%s (%s, %lld bytes) is in the export as JSON Lines, as %s."), name,
			file.media_type, (long long)file.bytes, file.blob);
		ik_buf_puts(out, "\n\n");
		free(name);
	}
}

void ik_outputs_markdown(struct ik_buf *out, const struct ik_message *message)
{
	static const char *const names[STREAMS] = { "stdout", "stderr" };
	struct ik_blob blob;
	int stream;

	for (stream = 0; stream < STREAMS; stream++) {
		if (!ik_message_blob(message, stream, &blob))
			continue;
		/* Translators: the first is stdout or stderr, the last an id. */
		ik_buf_printf(out, _("The whole %s (%lld bytes) is in the export as JSON Lines, as %s."),
			names[stream], (long long)blob.bytes, blob.id);
		ik_buf_puts(out, "\n\n");
	}
	files_markdown(out, message);
}

/* ---- reading ---- */

bool ik_outputs_is_line(struct ik_json_span object)
{
	return ik_json_span_type(ik_json_member(object, "blob")) != IK_JSON_NONE;
}

/* Move to the output with this id. Return false if it is not among the remaining ones. */
static bool find(struct ik_outputs *outputs, const char *id)
{
	size_t at = outputs->at;

	while (at < outputs->count && !ik_text_equal(outputs->blobs[at].id, id))
		at++;
	if (at == outputs->count)
		return false;
	while (outputs->at < at)
		ik_outputs_skip(outputs);
	return true;
}

const char *ik_outputs_take_line(struct ik_outputs *outputs, struct ik_json_span object,
	struct ik_buf *bytes, const char **ret_id, size_t *ret_part)
{
	char *id = ik_json_string_new(ik_json_member(object, "blob"), NULL);
	size_t length = 0;
	char *text = ik_json_string_new(ik_json_member(object, "base64"), &length);
	const char *problem = NULL;
	int64_t part;

	if (!id || !find(outputs, id))
		problem = _("\"blob\" is no output of the event before it, or one that was complete");
	else if (!ik_json_integer(ik_json_member(object, "part"), &part) ||
		part != (int64_t)outputs->part)
		problem = _("\"part\" is not the number of the part that comes next");
	else if (!text || !ik_base64_read(bytes, text, length))
		problem = _("\"base64\" is no bytes in base 64");
	else if (bytes->length != length_of_next(outputs))
		problem = _("this part has not as many bytes as its output has there");
	free(id);
	free(text);
	if (problem)
		return problem;
	*ret_id = outputs->blobs[outputs->at].id;
	*ret_part = outputs->part;
	advance(outputs);
	return NULL;
}
