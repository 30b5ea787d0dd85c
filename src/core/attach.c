#include "core/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conversation/attachment.h"
#include "core/expansion.h"
#include "json/write.h"
#include "tool/fit.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* A NUL in the first LOOK_BYTES bytes means that the file isn't text. */
#define LOOK_BYTES 8192

/* A picture or a document that goes with the message. */
struct attached_file {
	char *path, *name;
	const struct ik_given_file *given; /* NULL: it is at path */
};

struct ik_attach {
	struct ik_attach_options options;
	ik_attach_done *done;
	void *arg;
	struct ik_buf text; /* the message, followed by the texts that go with it */
	size_t typed;       /* length of the message as typed */
	char *written;      /* what of it was written, and may mention files */
	struct ik_attachments attachments;
	char last_command[IK_UUID_TEXT];
	struct ik_expansion *expansion; /* runs what a custom command needs */
	char **paths;                   /* of all files that are mentioned */
	size_t path_count;
	struct attached_file *files; /* to be read by processes, one after the other */
	size_t count, at;
	struct ik_fit *fit;
	struct ik_error error;
};

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

/* Return the mode of the file of that name; 0: there is none. */
static mode_t mode_of(const struct ik_places *places, const char *path, size_t length)
{
	char *whole = ik_places_whole_path(places, path, length);
	struct stat status;
	mode_t mode = stat(whole, &status) == 0 ? status.st_mode : 0;

	free(whole);
	return mode;
}

static bool exists(const struct ik_places *places, const char *path, size_t length)
{
	return mode_of(places, path, length) != 0;
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

/* Judge a picture or a document by its first bytes; it is read later. */
static enum ik_status check_file(const struct ik_attach *attach, const char *name,
	const char *bytes, off_t size, struct ik_error *error)
{
	const struct ik_model *model = attach->options.model;
	const char *where = attach->options.unattended ? "-m" : "/model";
	bool document = bytes[0] == '%';

	if (model && !ik_model_accepts(&model->facts, document ? IK_MEDIA_PDF : "image/png"))
		return ik_error_set(error, IK_INVALID,
			document
				? _("@%s: %s accepts no PDF, as far as is known. Choose another model with %s, "
					"or say in ~/.ikigai/models.json that it does. Nothing was sent.")
				: _("@%s: %s accepts no pictures, as far as is known. Choose another model with "
					"%s, or say in ~/.ikigai/models.json that it does. Nothing was sent."),
			name, model->name, where);
	if (document && size > (off_t)IK_LIMIT_DOCUMENT)
		return ik_error_set(error, IK_TOO_LARGE,
			_("@%s is larger than 14 MB: split it. Nothing was sent."), name);
	return IK_OK;
}

/* Read a text file. The error says so if it is not one. */
static enum ik_status read_text(int fd, const char *name, off_t size, struct ik_buf *out,
	struct ik_error *error)
{
	int number = size <= (off_t)IK_ATTACH_FILE_BYTES ? ik_read_all(fd, out, (size_t)size + 1) : 0;

	if (number != 0)
		return ik_error_set(error, IK_FAILED, _("@%s: %s. Nothing was sent."), name,
			strerror(number));
	if (size > (off_t)IK_ATTACH_FILE_BYTES || ik_buf_status(out) != IK_OK)
		return ik_error_set(error, IK_TOO_LARGE,
			_("@%s is larger than 1 MB: ask the model to read a part of it. Nothing was sent."),
			name);
	if (memchr(out->data, '\0', out->length < LOOK_BYTES ? out->length : LOOK_BYTES))
		return ik_error_set(error, IK_INVALID, _("@%s is no text. Nothing was sent."), name);
	return IK_OK;
}

/* Open an ordinary file, and set *ret_size to its size. */
static enum ik_status open_file(const char *path, const char *name, int *ret_fd, off_t *ret_size,
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
	if (S_ISREG(status.st_mode)) {
		*ret_fd = fd;
		*ret_size = status.st_size;
		return IK_OK;
	}
	(void)close(fd);
	return ik_error_set(error, IK_INVALID,
		S_ISDIR(status.st_mode) ? _("@%s is a directory: name a file in it. Nothing was sent.")
								: _("@%s is no ordinary file. Nothing was sent."),
		name);
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

/* Note a picture or a document to be read later. */
static void add_later(struct ik_attach *attach, struct attached_file file)
{
	attach->files = ik_alloc_more(attach->files, attach->count, sizeof(*attach->files));
	attach->files[attach->count++] = file;
}

/* Add a text. */
static void add_text(struct ik_attach *attach, const char *name, const char *bytes, size_t length)
{
	begin_part(&attach->text, "file", "path", name);
	ik_utf8_repair(&attach->text, bytes, length);
	end_part(&attach->text, "file");
	ik_attachments_add_text(&attach->attachments, name, length);
}

/* Read a text, or note a picture or a document to be read later. Takes over path and name then. */
static enum ik_status add_file(struct ik_attach *attach, char *path, char *name, bool *ret_later,
	struct ik_error *error)
{
	struct ik_buf bytes;
	enum ik_status status;
	ssize_t length;
	off_t size = 0;
	int fd = -1;

	*ret_later = false;
	status = open_file(path, name, &fd, &size, error);
	if (status != IK_OK)
		return status;
	ik_buf_init(&bytes, IK_ATTACH_FILE_BYTES);
	ik_buf_reserve(&bytes, IK_FIT_LOOK);
	length = pread(fd, bytes.data, IK_FIT_LOOK, 0);
	if (length > 0 && ik_fit_begins(bytes.data, (size_t)length)) {
		status = check_file(attach, name, bytes.data, size, error);
		*ret_later = status == IK_OK;
	} else {
		status = read_text(fd, name, size, &bytes, error);
	}
	(void)close(fd);
	if (*ret_later) {
		add_later(attach, (struct attached_file){ .path = path, .name = name });
	} else if (status == IK_OK) {
		add_text(attach, name, bytes.data, bytes.length);
	}
	ik_buf_done(&bytes);
	return status;
}

/* Is this file attached already? Otherwise it is from now on. */
static bool is_known(struct ik_attach *attach, const char *path)
{
	for (size_t i = 0; i < attach->path_count; i++)
		if (ik_text_equal(attach->paths[i], path))
			return true;
	attach->paths = ik_alloc_more(attach->paths, attach->path_count, sizeof(*attach->paths));
	attach->paths[attach->path_count++] = ik_strdup(path);
	return false;
}

/* Add the files that a text mentions. In a prompt file, which may be made for others, and show code
 * ("@app.route"), all that isn't an ordinary file is text. */
static enum ik_status add_files(struct ik_attach *attach, const char *text, size_t length,
	bool of_prompt, struct ik_error *error)
{
	const struct ik_places *places = attach->options.places;
	enum ik_status status = IK_OK;
	struct ik_mention mention;
	size_t position = 0, used;

	while (status == IK_OK && ik_mention_next(text, length, &position, &mention)) {
		char *path, *name;
		bool later = false;

		used = path_length(places, &mention);
		if (used == 0 || (of_prompt && !S_ISREG(mode_of(places, mention.path, used))))
			continue;
		path = ik_places_whole_path(places, mention.path, used);
		name = ik_strndup(mention.path, used);
		if (!is_known(attach, path))
			status = add_file(attach, path, name, &later, error);
		if (!later) {
			free(path);
			free(name);
		}
	}
	return status;
}

/* Add a file that came with the message. */
static enum ik_status add_given(struct ik_attach *attach, const struct ik_given_file *file,
	struct ik_error *error)
{
	if (ik_fit_begins(file->bytes, file->length)) {
		if (check_file(attach, file->name, file->bytes, (off_t)file->length, error) != IK_OK)
			return error->status;
		add_later(attach, (struct attached_file){ .name = ik_strdup(file->name), .given = file });
		return IK_OK;
	}
	if (file->length > IK_ATTACH_FILE_BYTES)
		return ik_error_set(error, IK_TOO_LARGE,
			_("@%s is larger than 1 MB: ask the model to read a part of it. Nothing was sent."),
			file->name);
	if (memchr(file->bytes, '\0', file->length < LOOK_BYTES ? file->length : LOOK_BYTES))
		return ik_error_set(error, IK_INVALID, _("@%s is no text. Nothing was sent."), file->name);
	add_text(attach, file->name, file->bytes, file->length);
	return IK_OK;
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
static bool add_command(struct ik_attach *attach, const struct ik_message *message,
	struct ik_buf *output)
{
	struct ik_json_span data = ik_message_data(message);
	bool shell = message->content[0] == '!';
	const char *tag = shell ? "shell" : "command";

	ik_buf_clear(output);
	if (!ik_json_string(ik_json_member(data, shell ? "output" : "told"), output) && !shell)
		return false;
	begin_part(&attach->text, tag, shell ? "command" : "line", message->content + shell);
	put_output(&attach->text, output->data, output->length);
	end_part(&attach->text, tag);
	return true;
}

/* Add the output of the user's shell commands since the last message, and what other commands
 * report to the model. */
static void add_commands(struct ik_attach *attach)
{
	const struct ik_conversation *conversation = attach->options.conversation;
	size_t count = ik_conversation_count(conversation), at = count;
	struct ik_buf output;

	for (; at > 0; at--) {
		const struct ik_message *message = ik_conversation_at(conversation, at - 1);

		if (ik_message_is_question(message) || ik_text_equal(message->id, attach->options.since))
			break;
	}
	ik_buf_init(&output, IK_LIMIT_ENVELOPE);
	for (; at < count; at++) {
		const struct ik_message *message = ik_conversation_at(conversation, at);

		if (message->kind != IK_KIND_COMMAND || !add_command(attach, message, &output))
			continue;
		ik_attachments_add_text(&attach->attachments, message->content, output.length);
		memcpy(attach->last_command, message->id, sizeof(attach->last_command));
	}
	ik_buf_done(&output);
}

/* ---- the message ---- */

/* Report the message, now that all that goes with it is there. */
static void finish(struct ik_attach *attach)
{
	struct ik_message *message;
	struct ik_buf data;

	add_commands(attach);
	if (ik_buf_status(&attach->text) != IK_OK ||
		ik_buf_status(&attach->attachments.list) != IK_OK) {
		(void)ik_error_set(&attach->error, IK_TOO_LARGE,
			_("The message is too large with all that goes with it. Nothing was sent."));
		attach->done(attach->arg, NULL, "", &attach->error);
		return;
	}
	ik_buf_init(&data, IK_KIB(1));
	if (attach->attachments.count > 0)
		ik_json_printf(&data, "{'typed':%zu}", attach->typed);
	message = ik_message_with_attachments(ik_message_new(IK_KIND_USER, attach->text.data,
											  attach->text.length,
											  data.length > 0 ? data.data : NULL, data.length),
		&attach->attachments);
	attach->done(attach->arg, message, attach->last_command, NULL);
	ik_message_unref(message);
	ik_buf_done(&data);
}

static void read_next(struct ik_attach *attach);

/* Attach a picture or a document. The text names it, too, which tells several apart. */
static void on_fit(void *arg, const struct ik_attached_file *file, const char *problem)
{
	struct ik_attach *attach = arg;
	const char *name = attach->files[attach->at++].name;

	if (!file || !ik_attachments_fits(&attach->attachments, file)) {
		(void)ik_error_set(&attach->error, IK_INVALID, _("@%s: %s. Nothing was sent."), name,
			file ? _("a message can have at most 20 pictures and documents, of 14 MB together")
				 : problem);
		attach->done(attach->arg, NULL, "", &attach->error);
		return;
	}
	attach->fit = ik_fit_close(attach->fit);
	begin_part(&attach->text, "file", "path", name);
	ik_buf_printf(&attach->text, "(attached: %s", file->media_type);
	if (file->width > 0)
		ik_buf_printf(&attach->text, ", %lldx%lld", (long long)file->width,
			(long long)file->height);
	ik_buf_puts(&attach->text, ")");
	end_part(&attach->text, "file");
	ik_attachments_add_file(&attach->attachments, name, file);
	read_next(attach);
}

/* Read the next picture or document, or report the message. */
static void read_next(struct ik_attach *attach)
{
	const struct attached_file *file = attach->at < attach->count ? &attach->files[attach->at]
																  : NULL;
	const struct ik_fit_options options = {
		.loop = attach->options.loop,
		.program = attach->options.places->picture,
		.directory = attach->options.places->directory,
		.path = file ? file->path : NULL,
		.bytes = file && file->given ? file->given->bytes : NULL,
		.length = file && file->given ? file->given->length : 0,
	};

	if (file)
		attach->fit = ik_fit_start(&options, on_fit, attach);
	else
		finish(attach);
}

/* Continue with the files that the text mentions, and those that a prompt does, if there is one. */
static void go_on(struct ik_attach *attach, const struct ik_expanded *prompt)
{
	enum ik_status status = add_files(attach, attach->written, strlen(attach->written), false,
		&attach->error);

	for (size_t i = 0; status == IK_OK && i < attach->options.given_count; i++)
		status = add_given(attach, &attach->options.given[i], &attach->error);
	if (status == IK_OK && prompt &&
		add_files(attach, prompt->written->data, prompt->written->length, true, &attach->error) !=
			IK_OK) {
		struct ik_error why = attach->error;

		status = ik_error_set(&attach->error, why.status, "%s: %s", prompt->file, why.text);
	}
	if (status == IK_OK)
		read_next(attach);
	else
		attach->done(attach->arg, NULL, "", &attach->error);
}

/* Append the prompt that the command makes. */
static void on_expanded(void *arg, const struct ik_expanded *prompt, const struct ik_error *error)
{
	struct ik_attach *attach = arg;

	if (!prompt) {
		attach->done(attach->arg, NULL, "", error);
		return;
	}
	begin_part(&attach->text, "prompt", "file", prompt->file);
	ik_buf_append(&attach->text, prompt->text->data, prompt->text->length);
	end_part(&attach->text, "prompt");
	ik_attachments_add_text(&attach->attachments, prompt->file, prompt->text->length);
	go_on(attach, prompt);
}

struct ik_attach *ik_attach_start(const struct ik_attach_options *options, const char *text,
	size_t length, size_t written, ik_attach_done *done, void *arg)
{
	const struct ik_custom_command *command = options->core
		? ik_custom_command_of(options->core->setup->custom_commands, text, written)
		: NULL;
	struct ik_attach *attach = ik_alloc(sizeof(*attach));

	attach->options = *options;
	attach->done = done;
	attach->arg = arg;
	attach->typed = length;
	attach->written = ik_strndup(text, written);
	ik_buf_init(&attach->text, IK_LIMIT_USER_TEXT);
	ik_buf_append(&attach->text, text, length);
	ik_attachments_init(&attach->attachments);
	if (command)
		attach->expansion = ik_expansion_start(options->core, command, text, written, on_expanded,
			attach);
	else
		go_on(attach, NULL);
	return attach->expansion || attach->fit ? attach : ik_attach_close(attach);
}

struct ik_attach *ik_attach_close(struct ik_attach *attach)
{
	if (!attach)
		return NULL;
	attach->fit = ik_fit_close(attach->fit);
	attach->expansion = ik_expansion_close(attach->expansion);
	while (attach->path_count > 0)
		free(attach->paths[--attach->path_count]);
	free(attach->paths);
	free(attach->written);
	for (; attach->count > 0; attach->count--) {
		free(attach->files[attach->count - 1].path);
		free(attach->files[attach->count - 1].name);
	}
	free(attach->files);
	ik_attachments_done(&attach->attachments);
	ik_buf_done(&attach->text);
	free(attach);
	return NULL;
}
