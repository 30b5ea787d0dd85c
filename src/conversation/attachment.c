#include "conversation/attachment.h"

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

/* Read a number that is not negative; 0 for anything else. */
static int64_t take_number(struct ik_json_span value)
{
	int64_t number;

	return ik_json_integer(value, &number) && number > 0 ? number : 0;
}

bool ik_message_attachment(const struct ik_message *message, size_t index,
	struct ik_attachment *ret_attachment)
{
	struct ik_json_span list = ik_json_member(ik_message_data(message), "attached"), key, item;
	struct ik_attachment attachment = { .contents = NULL };
	struct ik_json_walk walk = { 0 };

	for (size_t left = index + 1; left > 0; left--)
		if (!ik_json_next(list, &walk, &key, &item))
			return false;
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
