#include "acp/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* Limit on the name of a file, as it is shown. */
#define NAME_BYTES IK_KIB(4)

/* Add a file with a name, or with the name of its type if it has none. Takes over name. */
static void add_file(struct ik_editor_prompt *prompt, char *name, const char *type,
	struct ik_buf *bytes)
{
	struct ik_given_file file = { .name = name ? name : ik_strdup(type) };

	file.bytes = ik_buf_take(bytes, &file.length);
	prompt->files = ik_alloc_more(prompt->files, prompt->file_count, sizeof(*prompt->files));
	prompt->files[prompt->file_count++] = file;
}

/* Turn the address of a file into its path, in which %XX is a byte. */
static void make_path(char *uri, size_t scheme)
{
	char *to = uri;

	for (const char *at = uri + scheme; *at; at++) {
		char digits[3] = "", byte;

		if (at[0] == '%' && strspn(at + 1, "0123456789abcdefABCDEF") >= 2)
			memcpy(digits, at + 1, 2);
		byte = (char)strtoul(digits, NULL, 16);
		*to++ = byte ? byte : *at;
		at += byte ? 2 : 0;
	}
	*to = '\0';
}

/* Return the path or the address of a resource as its name; NULL if it has none. */
static char *name_of(struct ik_json_span block)
{
	static const char scheme[] = "file://";
	char *uri = ik_json_text_new(ik_json_member(block, "uri"));
	struct ik_buf name;

	if (!uri)
		return NULL;
	if (ik_text_starts(uri, scheme))
		make_path(uri, strlen(scheme));
	ik_buf_init(&name, IK_LIMIT_CONFIG);
	ik_utf8_repair(&name, uri, strnlen(uri, NAME_BYTES));
	free(uri);
	return ik_buf_take(&name, NULL);
}

/* Add what is in base64. */
static enum ik_status add_data(struct ik_editor_prompt *prompt, struct ik_json_span block,
	struct ik_json_span data, struct ik_error *error)
{
	struct ik_buf text, bytes;
	char *type = ik_json_text_new(ik_json_member(block, "mimeType"));
	enum ik_status status = IK_OK;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	ik_buf_init(&bytes, IK_LIMIT_PICTURE);
	if (!ik_json_string(data, &text) || !ik_base64_read(&bytes, text.data, text.length) ||
		ik_buf_status(&bytes) != IK_OK)
		status = ik_error_set(error, IK_INVALID, _("an attached file is no base64, or too large"));
	else
		add_file(prompt, name_of(block), type ? type : "?", &bytes);
	ik_buf_done(&text);
	ik_buf_done(&bytes);
	free(type);
	return status;
}

/* Add an embedded file. */
static enum ik_status add_resource(struct ik_editor_prompt *prompt, struct ik_json_span resource,
	struct ik_error *error)
{
	struct ik_json_span blob = ik_json_member(resource, "blob");
	struct ik_buf text;

	if (blob.text)
		return add_data(prompt, resource, blob, error);
	ik_buf_init(&text, IK_LIMIT_USER_TEXT);
	if (!ik_json_string(ik_json_member(resource, "text"), &text)) {
		ik_buf_done(&text);
		return ik_error_set(error, IK_INVALID, "an embedded resource has neither text nor blob");
	}
	add_file(prompt, name_of(resource), "text", &text);
	ik_buf_done(&text);
	return IK_OK;
}

/* Append a link to a file as Markdown: the model reads what it needs of it. */
static void put_link(struct ik_editor_prompt *prompt, struct ik_json_span block)
{
	char *name = ik_json_text_new(ik_json_member(block, "name")), *target = name_of(block);

	ik_buf_printf(&prompt->text, "[%s](%s)", name ? name : "", target ? target : "");
	free(name);
	free(target);
}

static enum ik_status read_block(struct ik_editor_prompt *prompt, struct ik_json_span block,
	struct ik_error *error)
{
	struct ik_json_span type = ik_json_member(block, "type");

	if (ik_json_string_is(type, "text"))
		(void)ik_json_string(ik_json_member(block, "text"), &prompt->text);
	else if (ik_json_string_is(type, "resource_link"))
		put_link(prompt, block);
	else if (ik_json_string_is(type, "resource"))
		return add_resource(prompt, ik_json_member(block, "resource"), error);
	else if (ik_json_string_is(type, "image"))
		return add_data(prompt, block, ik_json_member(block, "data"), error);
	else
		return ik_error_set(error, IK_INVALID,
			_("a prompt can have text, images and files, but no %.*s"), (int)type.length,
			type.text ? type.text : "");
	return IK_OK;
}

struct ik_editor_prompt *ik_editor_prompt_read(struct ik_json_span id, struct ik_json_span blocks,
	struct ik_error *error)
{
	struct ik_editor_prompt *prompt = ik_alloc(sizeof(*prompt));
	enum ik_status status = IK_OK;

	prompt->id = ik_strndup(id.text, id.length);
	ik_buf_init(&prompt->text, IK_LIMIT_USER_TEXT);
	if (ik_json_span_type(blocks) != IK_JSON_ARRAY || ik_json_count(blocks) == 0)
		status = ik_error_set(error, IK_INVALID, _("the prompt is empty"));
	for (struct ik_json_walk walk = ik_json_walk(blocks); status == IK_OK && ik_json_next(&walk);)
		status = read_block(prompt, walk.value, error);
	if (status == IK_OK)
		status = ik_buf_check(&prompt->text, _("the prompt"), error);
	return status == IK_OK ? prompt : ik_editor_prompt_free(prompt);
}

struct ik_editor_prompt *ik_editor_prompt_free(struct ik_editor_prompt *prompt)
{
	for (size_t i = 0; i < prompt->file_count; i++) {
		free(prompt->files[i].name);
		free(prompt->files[i].bytes);
	}
	free(prompt->files);
	free(prompt->id);
	ik_buf_done(&prompt->text);
	free(prompt);
	return NULL;
}
