#include "core/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/places.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* A NUL in the first LOOK_BYTES bytes means that the file isn't text. */
#define LOOK_BYTES 8192

void ik_attached_init(struct ik_attached *attached)
{
	ik_buf_init(&attached->text, IK_LIMIT_USER_TEXT);
	ik_buf_init(&attached->data, IK_LIMIT_USER_TEXT);
	attached->last_command[0] = '\0';
}

void ik_attached_done(struct ik_attached *attached)
{
	ik_buf_done(&attached->text);
	ik_buf_done(&attached->data);
}

/* ---- mentions ---- */

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n';
}

/* Does a word begin at position? */
static bool begins_word(const char *text, size_t position)
{
	return position == 0 || is_blank(text[position - 1]) || strchr("([{\"'<,;", text[position - 1]);
}

bool ik_mention_next(const char *text, size_t length, size_t *position,
	struct ik_mention *ret_mention)
{
	for (size_t at = *position; at < length; at++) {
		const char *found = memchr(text + at, '@', length - at), *closing;
		struct ik_mention mention = { .start = 0 };

		if (!found)
			return false;
		at = mention.start = (size_t)(found - text);
		if (!begins_word(text, at))
			continue;
		mention.quoted = at + 1 < length && text[at + 1] == '"';
		mention.path = text + at + (mention.quoted ? 2 : 1);
		if (mention.quoted) {
			closing = memchr(mention.path, '"', length - at - 2);
			mention.open = !closing;
			mention.end = mention.open ? length : (size_t)(closing - text) + 1;
			mention.length = mention.end - (mention.open ? 0 : 1) - (at + 2);
		} else {
			for (mention.end = at + 1; mention.end < length && !is_blank(text[mention.end]);)
				mention.end++;
			mention.length = mention.end - (at + 1);
		}
		*position = mention.end;
		*ret_mention = mention;
		return true;
	}
	return false;
}

/* ---- files ---- */

/* Does a file of that name exist? */
static bool exists(const struct ik_places *places, const char *path, size_t length)
{
	char *whole = ik_places_whole_path(places, path, length);
	struct stat status;
	bool found = stat(whole, &status) == 0;

	free(whole);
	return found;
}

/* Must the user have meant a file by a name that doesn't exist? */
static bool must_be_file(const struct ik_places *places, const char *path, size_t length)
{
	const char *slash = memchr(path, '/', length);
	size_t name = length, i;

	if (slash && exists(places, path, (size_t)(slash - path) + 1))
		return true;
	while (name > 0 && path[name - 1] != '/')
		name--;
	for (i = name + 1; i + 1 < length; i++)
		if (path[i] == '.')
			return true;
	return false;
}

/* Return the length of the mention's path without punctuation at its end. */
static size_t bare_length(const struct ik_mention *mention)
{
	size_t length = mention->length;

	while (length > 0 && strchr(".,;:!?)]}'\">", mention->path[length - 1]))
		length--;
	return length;
}

/* Return the length of the path in the mention, or 0 if it is text. */
static size_t path_length(const struct ik_places *places, const struct ik_mention *mention)
{
	size_t length = mention->length, least = bare_length(mention);

	if (length == 0)
		return 0;
	if (mention->quoted || exists(places, mention->path, length))
		return length;
	while (length > least)
		if (exists(places, mention->path, --length) && length > 0)
			return length;
	return least > 0 && must_be_file(places, mention->path, least) ? least : 0;
}

char *ik_mention_unknown(const char *text, size_t length, const struct ik_places *places)
{
	struct ik_mention mention;
	size_t position = 0;

	while (ik_mention_next(text, length, &position, &mention))
		if (bare_length(&mention) > 0 && path_length(places, &mention) == 0)
			return ik_strndup(mention.path, bare_length(&mention));
	return NULL;
}

/* Read a text file. The error says so if it is not one. */
static enum ik_status read_text(const char *path, const char *name, struct ik_buf *out,
	struct ik_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), number;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0) {
		number = errno;
		if (fd >= 0)
			(void)close(fd);
		return ik_error_set(error, IK_NOT_FOUND,
			_("@%s: %s. Nothing was sent; write \\@ for an @ that names no file."), name,
			strerror(number));
	}
	number = 0;
	if (S_ISREG(status.st_mode) && status.st_size <= (off_t)IK_ATTACH_FILE_BYTES)
		number = ik_read_all(fd, out, (size_t)status.st_size + 1);
	(void)close(fd);
	if (S_ISDIR(status.st_mode))
		return ik_error_set(error, IK_INVALID,
			_("@%s is a directory: name a file in it. Nothing was sent."), name);
	if (!S_ISREG(status.st_mode))
		return ik_error_set(error, IK_INVALID, _("@%s is no ordinary file. Nothing was sent."),
			name);
	if (number != 0)
		return ik_error_set(error, IK_FAILED, _("@%s: %s. Nothing was sent."), name,
			strerror(number));
	if (status.st_size > (off_t)IK_ATTACH_FILE_BYTES || ik_buf_status(out) != IK_OK)
		return ik_error_set(error, IK_TOO_LARGE,
			_("@%s is larger than 1 MB: ask the model to read a part of it. Nothing was sent."),
			name);
	if (memchr(out->data, '\0', out->length < LOOK_BYTES ? out->length : LOOK_BYTES))
		return ik_error_set(error, IK_INVALID, _("@%s is no text. Nothing was sent."), name);
	return IK_OK;
}

/* ---- the parts ---- */

/* Begin a part with a line that says what it is. The attribute's value is escaped as in XML. */
static void begin_part(struct ik_buf *out, const char *tag, const char *attribute,
	const char *value)
{
	ik_buf_printf(out, "\n\n<%s %s=\"", tag, attribute);
	for (; *value != '\0'; value++) {
		if (*value == '"')
			ik_buf_puts(out, "&quot;");
		else if (*value == '&')
			ik_buf_puts(out, "&amp;");
		else if (*value == '<')
			ik_buf_puts(out, "&lt;");
		else
			ik_buf_putc(out, *value);
	}
	ik_buf_puts(out, "\">\n");
}

static void end_part(struct ik_buf *out, const char *tag)
{
	if (out->data[out->length - 1] != '\n')
		ik_buf_putc(out, '\n');
	ik_buf_printf(out, "</%s>", tag);
}

/* List an attachment in the message's data. */
static void note(struct ik_attached *attached, size_t typed, const char *name, size_t bytes)
{
	struct ik_buf *data = &attached->data;

	if (data->length == 0)
		ik_json_printf(data, "{'typed':%zu,'attached':[", typed);
	ik_json_printf(data, "{'name':'%s','bytes':%zu}", name, bytes);
}

/* Is this file attached already? */
static bool is_known(char **paths, size_t count, const char *path)
{
	while (count-- > 0)
		if (ik_text_equal(paths[count], path))
			return true;
	return false;
}

/* Add the files that the written part of the text mentions. */
static enum ik_status add_files(struct ik_attached *attached, const char *text, size_t length,
	size_t written, const struct ik_places *places, struct ik_error *error)
{
	size_t position = 0, count = 0, used;
	enum ik_status status = IK_OK;
	struct ik_mention mention;
	char **paths = NULL;

	while (status == IK_OK && ik_mention_next(text, written, &position, &mention)) {
		struct ik_buf bytes;
		char *path, *name;

		used = path_length(places, &mention);
		if (used == 0)
			continue;
		path = ik_places_whole_path(places, mention.path, used);
		if (is_known(paths, count, path)) {
			free(path);
			continue;
		}
		name = ik_strndup(mention.path, used);
		ik_buf_init(&bytes, IK_ATTACH_FILE_BYTES);
		status = read_text(path, name, &bytes, error);
		if (status == IK_OK) {
			begin_part(&attached->text, "file", "path", name);
			ik_utf8_repair(&attached->text, bytes.data, bytes.length);
			end_part(&attached->text, "file");
			note(attached, length, name, bytes.length);
		}
		ik_buf_done(&bytes);
		free(name);
		paths = ik_alloc_array(paths, count + 1, sizeof(*paths));
		paths[count++] = path;
	}
	while (count > 0)
		free(paths[--count]);
	free(paths);
	return status;
}

/* Append an output, or its beginning and end if it is too long. */
static void put_output(struct ik_buf *out, const char *text, size_t length)
{
	size_t half = IK_ATTACH_OUTPUT_BYTES / 2, head, tail;

	if (length <= IK_ATTACH_OUTPUT_BYTES) {
		ik_buf_append(out, text, length);
		return;
	}
	head = ik_utf8_cut(text, length, half);
	for (tail = length - half; tail < length && ik_utf8_is_continuation(text[tail]);)
		tail++;
	ik_buf_append(out, text, head);
	ik_buf_printf(out, "\n[%zu bytes left out]\n", tail - head);
	ik_buf_append(out, text + tail, length - tail);
}

/* Add what a command reports to the model. Return false if that is nothing. */
static bool add_command(struct ik_attached *attached, const struct ik_message *message,
	struct ik_buf *output)
{
	struct ik_json_span data = ik_message_data(message);
	bool shell = message->content[0] == '!';
	const char *tag = shell ? "shell" : "command";

	ik_buf_clear(output);
	if (!ik_json_string(ik_json_member(data, shell ? "output" : "told"), output) && !shell)
		return false;
	begin_part(&attached->text, tag, shell ? "command" : "line", message->content + shell);
	put_output(&attached->text, output->data, output->length);
	end_part(&attached->text, tag);
	return true;
}

/* Add the output of the user's shell commands since the last message, and what other commands
 * report to the model. */
static void add_commands(struct ik_attached *attached, size_t typed,
	const struct ik_conversation *conversation, const char *since)
{
	size_t count = ik_conversation_count(conversation), at = count;
	struct ik_buf output;

	for (; at > 0; at--) {
		const struct ik_message *message = ik_conversation_at(conversation, at - 1);

		if ((message->kind == IK_KIND_USER && !ik_message_is_automatic(message)) ||
			(since && ik_text_equal(message->id, since)))
			break;
	}
	ik_buf_init(&output, IK_LIMIT_ENVELOPE);
	for (; at < count; at++) {
		const struct ik_message *message = ik_conversation_at(conversation, at);

		if (message->kind != IK_KIND_COMMAND || !add_command(attached, message, &output))
			continue;
		note(attached, typed, message->content, output.length);
		memcpy(attached->last_command, message->id, sizeof(attached->last_command));
	}
	ik_buf_done(&output);
}

enum ik_status ik_attach(const char *text, size_t length, size_t written,
	const struct ik_places *places, const struct ik_conversation *conversation, const char *since,
	struct ik_attached *attached, struct ik_error *error)
{
	ik_buf_append(&attached->text, text, length);
	if (add_files(attached, text, length, written, places, error) != IK_OK)
		return error->status;
	add_commands(attached, length, conversation, since);
	if (attached->data.length > 0)
		ik_json_printf(&attached->data, "]}");
	if (ik_buf_status(&attached->text) != IK_OK || ik_buf_status(&attached->data) != IK_OK)
		return ik_error_set(error, IK_TOO_LARGE,
			_("The message is too large with all that goes with it. Nothing was sent."));
	return IK_OK;
}

enum ik_status ik_attach_and_submit(struct ik_session *session, const char *text, size_t length,
	size_t written, const struct ik_places *places, char since[IK_UUID_TEXT],
	struct ik_error *error)
{
	struct ik_attached attached;
	enum ik_status status;

	ik_attached_init(&attached);
	status = ik_attach(text, length, written, places, ik_session_conversation(session), since,
		&attached, error);
	if (status == IK_OK)
		ik_session_submit(session, attached.text.data, attached.text.length, attached.data.data,
			attached.data.length);
	if (status == IK_OK && since && attached.last_command[0] != '\0')
		memcpy(since, attached.last_command, IK_UUID_TEXT);
	ik_attached_done(&attached);
	return status;
}
