#include "core/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conversation/title.h"
#include "core/export_output.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"
#include "util/uuid.h"

/* Bytes written in one turn of the loop, which takes a few milliseconds. */
#define SLICE IK_MIB(1)
#define LOADING_MS 50  /* between checks whether the session has been read */
#define TITLE_BYTES 40 /* limit on the title in a file name */
#define NAMES_MOST 100 /* limit on files with the same name and second */

struct ik_export {
	struct ik_core *core;
	struct ik_session *session; /* the exported session; NULL: closed */
	char id[IK_UUID_TEXT];      /* the session's */
	struct ik_timer *timer;
	char *line, *path;
	int directory;          /* the file's; kept open, so that no link can redirect it later */
	char *name, *temporary; /* in directory; temporary, if not NULL, is renamed to name at the
	                           end */
	bool json;
	int fd;
	struct ik_message **messages; /* references; NULL until the session has been read */
	size_t count, next;
	struct ik_outputs outputs;  /* large outputs of the message before next */
	struct ik_store_read *read; /* reads a part of them */
	size_t missing;             /* number of incomplete outputs */
	size_t bytes;
	struct ik_buf out;
};

/* ---- one message ---- */

void ik_export_json(struct ik_buf *out, const char *session, const struct ik_message *message)
{
	char time[IK_CLOCK_TEXT];

	ik_clock_text(message->time_ms, time);
	ik_json_printf(out, "{'id':'%s','session':'%s','sequence':%lld,'kind':'%s','content':'%.*s'",
		message->id, session, (long long)message->sequence, ik_kind_name(message->kind),
		(int)message->content_length, message->content);
	ik_json_printf(out, "'data':%.*s,'time':'%s'}", (int)message->data_length, message->data, time);
	ik_buf_putc(out, '\n');
}

/* Append text as a code block, with a fence that does not occur in the text. */
static void put_code(struct ik_buf *out, const char *text, size_t length, const char *language)
{
	size_t longest = 2, run = 0, i;

	for (i = 0; i < length; i++) {
		run = text[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (i = 0; i <= longest; i++)
		ik_buf_putc(out, '`');
	ik_buf_printf(out, "%s\n", language);
	ik_buf_append(out, text, length);
	if (length > 0 && text[length - 1] != '\n')
		ik_buf_putc(out, '\n');
	for (i = 0; i <= longest; i++)
		ik_buf_putc(out, '`');
	ik_buf_puts(out, "\n\n");
}

/* Append text with a mark before each line. */
static void put_quote(struct ik_buf *out, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));
		const char *next = feed ? feed + 1 : end;

		ik_buf_puts(out, "> ");
		ik_buf_append(out, text, (size_t)(next - text));
		text = next;
	}
	ik_buf_puts(out, "\n\n");
}

/* Append JSON in readable form; text that isn't valid JSON is appended unchanged. */
static void put_json(struct ik_buf *out, const char *text, size_t length)
{
	struct ik_json_span value;
	struct ik_buf pretty;

	ik_buf_init(&pretty, IK_LIMIT_ENVELOPE);
	if (ik_json_check(text, length, &value, NULL) == IK_OK)
		ik_json_pretty(&pretty, value);
	else
		ik_buf_append(&pretty, text, length);
	put_code(out, pretty.data, pretty.length, "json");
	ik_buf_done(&pretty);
}

/* Append the result of a call. */
static void put_envelope(struct ik_buf *out, const struct ik_message *message)
{
	size_t length = 0;
	char *text = ik_message_envelope(message, &length);

	if (text)
		put_json(out, text, length);
	free(text);
	ik_outputs_markdown(out, message);
}

/* Append a line whose characters mean nothing in Markdown. */
static void put_plain(struct ik_buf *out, const char *line)
{
	for (; *line; line++) {
		if (strchr("\\`*_[]<>#&~|", *line))
			ik_buf_putc(out, '\\');
		ik_buf_putc(out, *line);
	}
}

/* Append a call or a result. */
static void put_call(struct ik_buf *out, const struct ik_message *message)
{
	bool call = message->kind == IK_KIND_TOOL_CALL;
	char *name = ik_message_tool_name(message), *arguments;
	size_t length = 0;
	struct ik_buf title;

	ik_buf_init(&title, IK_KIB(4));
	if (call)
		put_plain(&title, message->content);
	else
		ik_buf_puts(&title, name ? name : "?");
	ik_buf_printf(out, call ? _("### Call: %s") : _("### Result: %s"), title.data);
	ik_buf_puts(out, "\n\n");
	ik_buf_done(&title);
	free(name);
	if (!call) {
		put_envelope(out, message);
		return;
	}
	arguments = ik_message_arguments(message, &length);
	if (arguments)
		put_json(out, arguments, length);
	free(arguments);
}

/* Append a command with its output. */
static void put_command(struct ik_buf *out, const struct ik_message *message)
{
	struct ik_buf output;

	put_code(out, message->content, message->content_length, "");
	if (ik_message_own_call(message) == IK_OWN_TOOL) {
		put_envelope(out, message);
		return;
	}
	ik_buf_init(&output, IK_LIMIT_ENVELOPE);
	if (ik_json_string(ik_json_member(ik_message_data(message), "output"), &output) &&
		output.length > 0)
		put_code(out, output.data, output.length, "");
	ik_buf_done(&output);
}

void ik_export_markdown(struct ik_buf *out, const struct ik_message *message)
{
	switch (message->kind) {
	case IK_KIND_USER:
		if (ik_message_is_automatic(message))
			break;
		ik_buf_printf(out, "## %s\n\n", _("You"));
		ik_buf_append(out, message->content, message->content_length);
		ik_buf_puts(out, "\n\n");
		ik_outputs_markdown(out, message);
		break;
	case IK_KIND_ASSISTANT:
		if (message->content_length == 0)
			break;
		ik_buf_printf(out, "## %s\n\n", _("Model"));
		ik_buf_append(out, message->content, message->content_length);
		ik_buf_puts(out, "\n\n");
		break;
	case IK_KIND_THINKING:
		if (message->content_length == 0)
			break;
		if (!message->searches)
			ik_buf_printf(out, "### %s\n\n", _("Thinking"));
		put_quote(out, message->content, message->content_length);
		break;
	case IK_KIND_TOOL_CALL:
	case IK_KIND_TOOL_RESULT:
		put_call(out, message);
		break;
	case IK_KIND_COMMAND:
		put_command(out, message);
		break;
	case IK_KIND_NOTICE:
		put_quote(out, message->content, message->content_length);
		break;
	case IK_KIND_SYSTEM:
		ik_buf_printf(out, "### %s\n\n", _("System prompt"));
		put_quote(out, message->content, message->content_length);
		break;
	case IK_KIND_USAGE:
	case IK_KIND_COUNT:
		break;
	}
}

/* ---- the file ---- */

/* Return a name like "ikigai-list-the-files-20260131-120000.md"; number distinguishes files of the
 * same second. */
static char *default_name(const struct ik_core *core, int number)
{
	char *called = ik_conversation_title(ik_session_conversation(core->session));
	char text[32], *name;
	time_t now = time(NULL);
	struct ik_buf title;
	struct tm local;
	size_t i, length;

	ik_buf_init(&title, IK_KIB(1));
	length = ik_utf8_cut(called, strlen(called), TITLE_BYTES);
	for (i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)called[i];
		bool plain = byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
			(byte >= 'A' && byte <= 'Z');

		if (plain)
			ik_buf_putc(&title, (char)byte);
		else if (title.length > 0 && title.data[title.length - 1] != '-')
			ik_buf_putc(&title, '-');
	}
	ik_buf_trim(&title, 0, "-");
	if (!localtime_r(&now, &local) || strftime(text, sizeof(text), "%Y%m%d-%H%M%S", &local) == 0)
		text[0] = '\0';
	if (number > 1)
		name = ik_format("ikigai-%s%s%s-%d.md", title.data, title.length > 0 ? "-" : "", text,
			number);
	else
		name = ik_format("ikigai-%s%s%s.md", title.data, title.length > 0 ? "-" : "", text);
	ik_buf_done(&title);
	free(called);
	return name;
}

/* Open a temporary file with the permissions of the file that it will replace. Set errno to EISDIR
 * or EINVAL if that is not a regular file. */
static int open_temporary(struct ik_export *export)
{
	char id[IK_UUID_TEXT];
	struct stat about;
	bool there = fstatat(export->directory, export->name, &about, 0) == 0;
	int fd;

	if (there && !S_ISREG(about.st_mode)) {
		errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	ik_uuid_new(id);
	export->temporary = ik_format("%s.%.8s", export->name, id + strlen(id) - 8);
	fd = openat(export->directory, export->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		0600);
	if (fd >= 0 && there)
		(void)fchmod(fd, about.st_mode & 0777);
	return fd;
}

/* Open the file called name. Return 0 or errno. */
static int open_file(struct ik_export *export, const char *name, bool replace)
{
	const struct ik_places *places = &export->core->setup->places;
	char *above;

	free(export->path);
	free(export->name);
	export->path = ik_places_whole_path(places, name, strlen(name));
	export->name = ik_strdup(ik_path_base(export->path));
	above = ik_strndup(export->path, strlen(export->path) - strlen(export->name));
	if (export->directory >= 0)
		close(export->directory);
	export->directory = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(above);
	if (export->directory >= 0)
		export->fd = replace ? open_temporary(export)
							 : openat(export->directory, export->name,
								   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
	return export->fd < 0 ? errno : 0;
}

/* Remove the incomplete file. */
static void remove_incomplete(const struct ik_export *export)
{
	(void)unlinkat(export->directory, export->temporary ? export->temporary : export->name, 0);
}

/* Open a file with a generated name, trying the next one while a name exists. */
static int open_default(struct ik_export *export)
{
	int number, result = EEXIST;

	for (number = 1; number <= NAMES_MOST && result == EEXIST; number++) {
		char *name = default_name(export->core, number);

		result = open_file(export, name, false);
		free(name);
	}
	return result;
}

/* Collect all messages. */
static void take_messages(struct ik_export *export)
{
	const struct ik_conversation *conversation = ik_session_conversation(export->session);
	size_t i;

	export->count = ik_conversation_count(conversation);
	export->messages = ik_alloc_array(NULL, export->count + 1, sizeof(struct ik_message *));
	for (i = 0; i < export->count; i++)
		export->messages[i] = ik_message_ref(ik_conversation_at(conversation, i));
}

/* Report the result and free the export. */
static void finish(struct ik_export *export, int number)
{
	struct ik_core *core = export->core;
	struct ik_buf out;

	if (number == 0 && export->fd >= 0) {
		number = close(export->fd) == 0 ? 0 : errno;
		export->fd = -1;
	}
	if (number == 0 && export->temporary &&
		renameat(export->directory, export->temporary, export->directory, export->name) != 0)
		number = errno;
	if (number != 0 && export->fd < 0) /* ik_export_close() removes an open file */
		remove_incomplete(export);
	ik_buf_init(&out, IK_KIB(16));
	if (number != 0)
		ik_buf_printf(&out, _("%s cannot be written: %s"), export->path, strerror(number));
	else
		ik_buf_printf(&out,
			ngettext("%zu message written to %s (%zu bytes)",
				"%zu messages written to %s (%zu bytes)", export->count),
			export->count, export->path, export->bytes);
	if (number == 0 && export->missing > 0) {
		char *sentence = ik_outputs_missing(export->missing);

		ik_buf_printf(&out, "\n%s", sentence);
		free(sentence);
	}
	if (number == 0) {
		free(export->path);
		export->path = NULL; /* keep the file */
	}
	ik_command_answer(export->session ? export->session : core->session, export->line, &out);
	core->export = ik_export_close(export);
}

/* Write the buffer, then continue or finish. */
static void write_out(struct ik_export *export)
{
	int number = ik_buf_status(&export->out) != IK_OK
		? EFBIG
		: ik_write_all(export->fd, export->out.data, export->out.length);

	export->bytes += export->out.length;
	ik_buf_clear(&export->out);
	if (number != 0 || (export->next == export->count && !export->read))
		finish(export, number);
	else if (!export->read)
		ik_timer_start(export->timer, 0);
}

/* Append a part of a large output, or count it as missing. */
static void on_part(void *arg, const struct ik_store_answer *answer)
{
	struct ik_export *export = arg;

	if (answer->status != IK_OK)
		ik_outputs_skip(&export->outputs);
	export->missing += answer->status != IK_OK ||
		!ik_outputs_put(&export->outputs, answer->bytes, answer->length, &export->out);
	export->read = ik_outputs_ask(&export->outputs, export->core->store, on_part, export);
	write_out(export);
}

/* Write a piece of the messages. */
static void work(void *arg)
{
	struct ik_export *export = arg;

	if (!export->messages && ik_session_loading(export->session)) {
		ik_timer_start(export->timer, LOADING_MS);
		return;
	}
	if (!export->messages)
		take_messages(export);
	while (export->next < export->count && export->out.length < SLICE && !export->read) {
		const struct ik_message *message = export->messages[export->next++];

		if (export->json) {
			ik_export_json(&export->out, export->id, message);
			ik_outputs_begin(&export->outputs, message);
			export->read = ik_outputs_ask(&export->outputs, export->core->store, on_part, export);
		} else {
			ik_export_markdown(&export->out, message);
		}
	}
	write_out(export);
}

void ik_export_session_closes(struct ik_export *export, const struct ik_session *session)
{
	if (export->session != session)
		return;
	if (!export->messages)
		finish(export, ECANCELED);
	else
		export->session = NULL;
}

/* Return the format for a file name: 1 JSON Lines, 0 Markdown, -1 neither. */
static int format_of(const char *file)
{
	static const char *const texts[] = { ".md", ".markdown", ".txt" };
	const char *base = ik_path_base(file), *dot = strrchr(base, '.');

	if (!dot || dot == base)
		return 0;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcasecmp(dot, texts[i]) == 0)
			return 0;
	return strcasecmp(dot, ".jsonl") == 0 ? 1 : -1;
}

enum ik_status ik_export_start(struct ik_core *core, const char *line, const char *file,
	bool replace, struct ik_error *error)
{
	struct ik_export *export;
	int number, json = format_of(file);

	if (core->export)
		return ik_error_set(error, IK_INVALID, _("An export is under way; its end is told here."));
	if (ik_conversation_count(ik_session_conversation(core->session)) == 0)
		return ik_error_set(error, IK_INVALID, _("There is nothing to write yet."));
	if (json < 0)
		return ik_error_set(error, IK_INVALID,
			_("/export writes Markdown (.md, .markdown, .txt or no ending) or JSON Lines (.jsonl), "
			  "not %s."),
			strrchr(file, '.'));
	export = ik_alloc(sizeof(*export));
	export->core = core;
	export->session = core->session;
	memcpy(export->id, ik_session_id(core->session), sizeof(export->id));
	export->line = ik_strdup(line);
	export->json = json == 1;
	export->fd = export->directory = -1;
	ik_buf_init(&export->out, IK_LIMIT_REQUEST);
	number = file[0] != '\0' ? open_file(export, file, replace) : open_default(export);
	if (number != 0) {
		if (number == EEXIST)
			(void)ik_error_set(error, IK_INVALID,
				_("%s is there already. To replace it: /export --force %s"), export->path, file);
		else if (number == EINVAL)
			(void)ik_error_set(error, IK_INVALID,
				_("%s is not a regular file, and is not replaced."), export->path);
		else
			(void)ik_error_set(error, IK_INVALID, _("%s cannot be written: %s"), export->path,
				strerror(number));
		(void)ik_export_close(export);
		return IK_INVALID;
	}
	core->export = export;
	export->timer = ik_timer_new(core->loop, work, export);
	ik_timer_start(export->timer, 0);
	return IK_OK;
}

struct ik_export *ik_export_close(struct ik_export *export)
{
	size_t i;

	if (!export)
		return NULL;
	if (export->fd >= 0) {
		close(export->fd);
		if (export->path)
			remove_incomplete(export);
	}
	if (export->directory >= 0)
		close(export->directory);
	for (i = 0; i < export->count; i++)
		ik_message_unref(export->messages[i]);
	free(export->messages);
	export->read = ik_store_read_close(export->read);
	ik_buf_done(&export->out);
	export->timer = ik_timer_close(export->timer);
	free(export->line);
	free(export->path);
	free(export->name);
	free(export->temporary);
	free(export);
	return NULL;
}
