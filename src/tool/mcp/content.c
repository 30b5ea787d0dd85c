#include "tool/mcp/content.h"

#include <string.h>

#include "json/write.h"
#include "tool/fit.h"
#include "util/base64.h"
#include "util/limits.h"

/* The parts of a result, as they are read. */
struct parts {
	struct ik_buf text;
	struct ik_buf images; /* elements of arrays */
	struct ik_buf files;
	struct ik_buf others;
};

/* Return which array a file is an element of, by the member that has its base64: "image", if models
 * take it, or "file"; NULL: it is no base64. */
static const char *kind_of(struct ik_json_span data)
{
	struct ik_buf text, bytes;
	const char *kind = NULL;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	ik_buf_init(&bytes, IK_LIMIT_PICTURE);
	if (ik_json_string(data, &text) && ik_base64_read(&bytes, text.data, text.length))
		kind = ik_fit_begins(bytes.data, bytes.length) ? "image" : "file";
	ik_buf_done(&text);
	ik_buf_done(&bytes);
	return kind;
}

/* Append a file of that type and name (or no value), as tool/returned_files.h wants it. */
static void put_file(struct parts *parts, struct ik_json_span data, struct ik_json_span type,
	struct ik_json_span name)
{
	const char *kind = kind_of(data);
	struct ik_buf *out = !kind ? &parts->others : kind[0] == 'i' ? &parts->images : &parts->files;

	ik_json_open(out, '{');
	if (kind) {
		ik_json_key(out, kind);
		ik_json_put_raw(out, data);
	}
	ik_json_key(out, "media_type");
	ik_json_put_raw(out, type.text ? type : IK_JSON_SPAN("\"application/octet-stream\""));
	if (name.text) {
		ik_json_key(out, "name");
		ik_json_put_raw(out, name);
	}
	if (!kind)
		ik_json_printf(out, "'note':'its contents are no base64'");
	ik_json_close(out, '}');
}

static void put_item(struct parts *parts, struct ik_json_span item)
{
	struct ik_json_span type = ik_json_member(item, "type"), data = ik_json_member(item, "data");
	struct ik_json_span resource = ik_json_member(item, "resource");
	struct ik_json_span text = ik_json_member(item, "text");
	struct ik_json_span blob = ik_json_member(resource, "blob");
	static const struct ik_json_span none = { NULL, 0 };

	if (ik_json_string_is(type, "text") && ik_json_span_type(text) == IK_JSON_STRING) {
		if (parts->text.length > 0)
			ik_buf_putc(&parts->text, '\n');
		(void)ik_json_string(text, &parts->text);
	} else if (ik_json_span_type(data) == IK_JSON_STRING) {
		put_file(parts, data, ik_json_member(item, "mimeType"), none);
	} else if (ik_json_span_type(blob) == IK_JSON_STRING) {
		put_file(parts, blob, ik_json_member(resource, "mimeType"),
			ik_json_member(resource, "uri"));
	} else {
		ik_json_put_raw(&parts->others, resource.text ? resource : item);
	}
}

/* Which of the two says all: most servers say the same twice. */
enum enough { ENOUGH_TEXT, ENOUGH_STRUCTURED, ENOUGH_BOTH };

static enum enough what_is_enough(const struct ik_buf *text, struct ik_json_span structured)
{
	/* Schemas want an object, so a single value is often wrapped in one. */
	struct ik_json_span only = ik_json_only(structured), value;

	if (!structured.text || ik_json_string_is(only, text->data))
		return ENOUGH_TEXT;
	if (text->length == 0 ||
		(text->length <= IK_LIMIT_JSON_ANSWER &&
			ik_json_check(text->data, text->length, &value, NULL) == IK_OK &&
			(ik_json_equal(value, structured) || ik_json_equal(value, only))))
		return ENOUGH_STRUCTURED;
	return ENOUGH_BOTH;
}

/* Append an array of such elements as a member. */
static void put_list(struct ik_buf *out, const char *name, const struct ik_buf *elements)
{
	if (elements->length == 0)
		return;
	ik_json_key(out, name);
	ik_json_open(out, '[');
	ik_buf_append(out, elements->data, elements->length);
	ik_json_close(out, ']');
}

static void put_parts(struct ik_buf *out, const struct parts *parts, struct ik_json_span structured)
{
	bool alone = parts->images.length + parts->files.length + parts->others.length == 0;
	enum enough enough = what_is_enough(&parts->text, structured);

	if (alone && enough == ENOUGH_STRUCTURED) {
		ik_json_put_raw(out, structured);
		return;
	}
	if (alone && enough == ENOUGH_TEXT && parts->text.length > IK_LIMIT_JSON_ANSWER) {
		ik_buf_append(out, parts->text.data, parts->text.length);
		return;
	}
	ik_json_open(out, '{');
	if (enough != ENOUGH_STRUCTURED && (parts->text.length > 0 || alone)) {
		ik_json_key(out, "output");
		ik_json_put_string(out, parts->text.data, parts->text.length);
	}
	if (enough != ENOUGH_TEXT) {
		ik_json_key(out, "structured");
		ik_json_put_raw(out, structured);
	}
	put_list(out, "images", &parts->images);
	put_list(out, "files", &parts->files);
	put_list(out, "resources", &parts->others);
	ik_json_close(out, '}');
}

bool ik_mcp_read_content(struct ik_json_span result, struct ik_buf *out)
{
	struct ik_json_span content = ik_json_member(result, "content");
	struct ik_json_span structured = ik_json_member(result, "structuredContent");
	bool failed = ik_json_is_true(ik_json_member(result, "isError"));
	struct parts parts;

	ik_buf_init(&parts.text, IK_LIMIT_TOOL_OUTPUT);
	ik_buf_init(&parts.images, IK_LIMIT_TOOL_OUTPUT);
	ik_buf_init(&parts.files, IK_LIMIT_TOOL_OUTPUT);
	ik_buf_init(&parts.others, IK_LIMIT_TOOL_OUTPUT);
	for (struct ik_json_walk walk = ik_json_elements(content); ik_json_next(&walk);)
		put_item(&parts, walk.value);
	if (!failed || parts.text.length == 0)
		put_parts(out, &parts, structured);
	else
		ik_buf_append(out, parts.text.data, parts.text.length);
	ik_buf_done(&parts.text);
	ik_buf_done(&parts.images);
	ik_buf_done(&parts.files);
	ik_buf_done(&parts.others);
	return !failed;
}
