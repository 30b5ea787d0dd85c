#include "conversation/attachment.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/text.h"

/* Limit on the attachments of a message; each is found by reading those before it. */
#define LISTED_MOST 256

/* Return the known type that value names; "" for anything else, whose bytes are no use. */
static const char *known_type(struct ik_json_span value)
{
	static const char *const types[] = { "image/png", "image/jpeg", "image/gif", "image/webp",
		IK_MEDIA_PDF };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (ik_json_string_is(value, types[i]))
			return types[i];
	return "";
}

/* Read a number that is not negative, and that a sum of many can hold; 0 for anything else. */
static int64_t take_number(struct ik_json_span value)
{
	int64_t number;

	return ik_json_integer(value, &number) && number > 0 && number <= INT32_MAX ? number : 0;
}

bool ik_message_attachment(const struct ik_message *message, size_t index,
	struct ik_attachment *ret_attachment)
{
	struct ik_json_span list = { NULL, 0 }, item;
	struct ik_attachment attachment = { .contents = NULL };
	struct ik_json_walk walk;

	if (message->attached && index < LISTED_MOST)
		list = ik_json_member(ik_message_data(message), "attached");
	walk = ik_json_walk(list);
	for (size_t left = index + 1; left > 0; left--)
		if (!ik_json_next(&walk))
			return false;
	item = walk.value;
	attachment.name = ik_json_member(item, "name");
	if (ik_json_span_type(attachment.name) != IK_JSON_STRING)
		attachment.name = IK_JSON_SPAN("\"\"");
	attachment.bytes = take_number(ik_json_member(item, "bytes"));
	attachment.width = take_number(ik_json_member(item, "width"));
	attachment.height = take_number(ik_json_member(item, "height"));
	attachment.media_type = known_type(ik_json_member(item, "media_type"));
	if (attachment.media_type[0] != '\0' &&
		!ik_json_uuid(ik_json_member(item, "blob"), attachment.blob))
		attachment.media_type = "";
	attachment.contents = ik_message_contents(message, index);
	*ret_attachment = attachment;
	return true;
}

bool ik_attachment_is_file(const struct ik_attachment *attachment)
{
	return attachment->media_type[0] != '\0';
}

void ik_attachment_put_block(const struct ik_attachment *attachment, struct ik_buf *out)
{
	bool document = ik_text_equal(attachment->media_type, IK_MEDIA_PDF);

	if (!attachment->contents)
		return;
	if (document)
		ik_json_printf(out,
			"{'type':'resource','resource':{'uri':'urn:uuid:%s','mimeType':'%s','blob':",
			attachment->blob, attachment->media_type);
	else
		ik_json_printf(out, "{'type':'image','mimeType':'%s','data':", attachment->media_type);
	ik_json_quote_open(out);
	ik_base64_put(out, attachment->contents->data, attachment->contents->length);
	ik_json_quote_close(out);
	ik_json_printf(out, document ? "}}" : "}");
}

bool ik_message_blob_at(const struct ik_message *message, size_t index, struct ik_blob *ret_blob)
{
	struct ik_attachment attachment;
	size_t count = 0;

	for (int stream = 0; stream < 2; stream++)
		if (ik_message_blob(message, stream, ret_blob) && count++ == index)
			return true;
	for (size_t i = 0; ik_message_attachment(message, i, &attachment); i++) {
		if (!ik_attachment_is_file(&attachment) || count++ != index)
			continue;
		memcpy(ret_blob->id, attachment.blob, sizeof(ret_blob->id));
		ret_blob->bytes = attachment.bytes;
		return true;
	}
	return false;
}

/* Add the files that a message has, and their bytes. */
static void count_files(const struct ik_message *message, size_t *count, int64_t *bytes)
{
	struct ik_attachment attachment;

	for (size_t i = 0; ik_message_attachment(message, i, &attachment); i++) {
		if (!ik_attachment_is_file(&attachment))
			continue;
		*count += 1;
		*bytes += attachment.bytes;
	}
}

size_t ik_attachments_first(const struct ik_conversation *conversation)
{
	size_t all = ik_conversation_count(conversation), count = 0;
	size_t first = ik_conversation_first(conversation);
	size_t asked = ik_conversation_asked(conversation);
	int64_t bytes = 0;

	if (asked < all)
		count_files(ik_conversation_at(conversation, asked), &count, &bytes);
	for (size_t index = first; index < all; index++) {
		const struct ik_message *message = ik_conversation_at(conversation, index);

		if (!message->attached || message->kind == IK_KIND_COMMAND)
			continue;
		count_files(message, &count, &bytes);
		if (count <= IK_ATTACHMENTS_MOST && bytes <= (int64_t)IK_LIMIT_DOCUMENT)
			continue;
		first = index;
		count = 0;
		bytes = 0;
		count_files(message, &count, &bytes);
	}
	return first;
}

/* ---- a new message ---- */

void ik_attachments_init(struct ik_attachments *attachments)
{
	*attachments = (struct ik_attachments){ .contents = NULL };
	ik_buf_init(&attachments->list, IK_LIMIT_USER_TEXT);
}

void ik_attachments_done(struct ik_attachments *attachments)
{
	for (size_t i = 0; i < attachments->count; i++)
		ik_bytes_unref(attachments->contents[i]);
	free(attachments->contents);
	ik_buf_done(&attachments->list);
}

/* Open the list, and add an element's bytes, or NULL. */
static void begin_element(struct ik_attachments *attachments, struct ik_bytes *bytes)
{
	if (attachments->count == 0)
		ik_json_printf(&attachments->list, "[");
	attachments->contents = ik_alloc_more(attachments->contents, attachments->count,
		sizeof(*attachments->contents));
	attachments->contents[attachments->count++] = ik_bytes_ref(bytes);
}

void ik_attachments_add_text(struct ik_attachments *attachments, const char *name, size_t bytes)
{
	begin_element(attachments, NULL);
	ik_json_printf(&attachments->list, "{'name':'%s','bytes':%zu}", name, bytes);
}

bool ik_attachments_fits(const struct ik_attachments *attachments,
	const struct ik_attached_file *file)
{
	return attachments->files < IK_MESSAGE_FILES_MOST &&
		attachments->bytes + ik_bytes_length(file->bytes) <= IK_LIMIT_DOCUMENT;
}

void ik_attachments_add_file(struct ik_attachments *attachments, const char *name,
	const struct ik_attached_file *file)
{
	struct ik_buf *list = &attachments->list;
	char id[IK_UUID_TEXT];

	ik_uuid_new(id);
	begin_element(attachments, file->bytes);
	attachments->files++;
	attachments->bytes += ik_bytes_length(file->bytes);
	ik_json_printf(list, "{'name':'%s','bytes':%zu,'media_type':'%s'", name,
		ik_bytes_length(file->bytes), file->media_type);
	if (file->width > 0 && file->height > 0)
		ik_json_printf(list, "'width':%lld,'height':%lld", (long long)file->width,
			(long long)file->height);
	ik_json_printf(list, "'blob':'%s'}", id);
}

struct ik_message *ik_message_with_attachments(struct ik_message *message,
	const struct ik_attachments *attachments)
{
	char *list;

	if (attachments->count == 0)
		return message;
	list = ik_format("%s]", attachments->list.data);
	message = ik_message_with(message, "attached", list, strlen(list));
	free(list);
	for (size_t i = 0; i < attachments->count && message->attached; i++)
		if (attachments->contents[i])
			ik_message_set_contents(message, i, attachments->contents[i]);
	return message;
}
