#include "stores/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Limit on a request, which has a few short members. */
#define REQUEST_LIMIT IK_MIB(1)
#define READ_SIZE 65536
#define PROGRESS_MS 200

struct ik_connection {
	int in, out;
	struct ik_buf input; /* read but not processed */
	bool ended;          /* end of input */
	bool broken;         /* the client accepts no answers */

	struct ik_buf request; /* the current request, validated */
	struct ik_json_span members;
	int64_t id;
	char **texts; /* returned for it */
	size_t text_count;
	bool cancelled;

	struct ik_buf line; /* of the answer, not sent yet */
	bool answered;      /* a line was sent */

	int64_t progress_ms; /* when work began, or was last reported */
	bool progress_told;
};

struct ik_connection *ik_connection_new(int in, int out)
{
	struct ik_connection *connection = ik_alloc(sizeof(*connection));

	connection->in = in;
	connection->out = out;
	ik_buf_init(&connection->input, IK_MIB(64));
	ik_buf_init(&connection->request, REQUEST_LIMIT);
	ik_buf_init(&connection->line, IK_LIMIT_ENVELOPE);
	return connection;
}

static void forget_request(struct ik_connection *connection)
{
	for (size_t i = 0; i < connection->text_count; i++)
		free(connection->texts[i]);
	free(connection->texts);
	connection->texts = NULL;
	connection->text_count = 0;
	connection->cancelled = false;
	connection->answered = false;
	ik_buf_clear(&connection->request);
	ik_buf_clear(&connection->line);
}

struct ik_connection *ik_connection_free(struct ik_connection *connection)
{
	if (!connection)
		return NULL;
	forget_request(connection);
	ik_buf_done(&connection->input);
	ik_buf_done(&connection->request);
	ik_buf_done(&connection->line);
	free(connection);
	return NULL;
}

static void write_line(struct ik_connection *connection, struct ik_buf *line)
{
	ik_buf_puts(line, "}\n");
	if (ik_buf_status(line) != IK_OK || connection->broken ||
		ik_write_all(connection->out, line->data, line->length) != 0)
		connection->broken = true;
	ik_buf_clear(line);
	if (line->capacity > IK_MIB(4))
		ik_buf_done(line);
}

/* Write a line that belongs to no request. */
IK_PRINTF(2, 3)
static void tell(struct ik_connection *connection, const char *members, ...)
{
	struct ik_buf line;
	va_list arguments;

	ik_buf_init(&line, IK_MIB(1));
	va_start(arguments, members);
	ik_json_vprintf(&line, members, arguments);
	va_end(arguments);
	write_line(connection, &line);
	ik_buf_done(&line);
}

/* ---- input ---- */

/* Wait at most `milliseconds` until there is something to read. */
static bool can_read(const struct ik_connection *connection, int milliseconds)
{
	struct pollfd ready = { .fd = connection->in, .events = POLLIN };

	return !connection->ended && poll(&ready, 1, milliseconds) > 0;
}

/* Read available input. Return false if there was none. */
static bool read_some(struct ik_connection *connection)
{
	ssize_t length;
	char *room;

	if (!can_read(connection, 0))
		return false;
	room = ik_buf_reserve(&connection->input, READ_SIZE);
	length = room ? read(connection->in, room, READ_SIZE) : 0;
	if (length > 0) {
		ik_buf_commit(&connection->input, (size_t)length);
		return true;
	}
	if (length == 0 || (errno != EINTR && errno != EAGAIN))
		connection->ended = true;
	return false;
}

/* Return the length of the first complete line, with its line feed; 0 if there is none. */
static size_t line_length(const struct ik_connection *connection, size_t from)
{
	const char *start = connection->input.data + from;
	const char *end = memchr(start, '\n', connection->input.length - from);

	return end ? (size_t)(end - start) + 1 : 0;
}

/* Does the line cancel the current request? */
static bool cancels(const struct ik_connection *connection, const char *line, size_t length)
{
	struct ik_json_span object;
	int64_t id;

	return ik_json_check(line, length, &object, NULL) == IK_OK &&
		ik_json_string_is(ik_json_member(object, "do"), "cancel") &&
		ik_json_integer(ik_json_member(object, "id"), &id) && id == connection->id;
}

bool ik_connection_is_cancelled(struct ik_connection *connection)
{
	size_t length;

	while (!connection->broken && read_some(connection))
		;
	for (size_t at = 0; !connection->cancelled; at += length) {
		length = line_length(connection, at);
		if (length == 0)
			break;
		connection->cancelled = cancels(connection, connection->input.data + at, length);
	}
	return connection->cancelled || connection->ended || connection->broken;
}

bool ik_connection_has_input(struct ik_connection *connection)
{
	return line_length(connection, 0) > 0 || can_read(connection, 0);
}

/* Make the first line of the input the current request. */
static bool take_request(struct ik_connection *connection)
{
	size_t length = line_length(connection, 0);
	struct ik_error error = { .status = IK_OK };

	forget_request(connection);
	ik_buf_append(&connection->request, connection->input.data, length);
	ik_buf_consume(&connection->input, length);
	connection->members = (struct ik_json_span){ NULL, 0 };
	connection->id = 0;
	if (ik_buf_status(&connection->request) != IK_OK)
		ik_error_set(&error, IK_TOO_LARGE, "A request is too large.");
	else
		(void)!ik_json_check(connection->request.data, connection->request.length,
			&connection->members, &error);
	(void)ik_json_integer(ik_json_member(connection->members, "id"), &connection->id);
	if (error.status != IK_OK) {
		ik_connection_finish(connection, &error);
		return false;
	}
	/* Ignore a cancellation of a request that has ended. */
	return !ik_json_string_is(ik_json_member(connection->members, "do"), "cancel");
}

static enum ik_connection_news wait_for_news(struct ik_connection *connection, int milliseconds)
{
	for (;;) {
		while (line_length(connection, 0) > 0)
			if (take_request(connection))
				return IK_CONNECTION_REQUEST;
		if (connection->ended || connection->broken)
			return IK_CONNECTION_END;
		if (!can_read(connection, milliseconds))
			return IK_CONNECTION_IDLE;
		(void)read_some(connection);
	}
}

enum ik_connection_news ik_connection_wait(struct ik_connection *connection, int milliseconds)
{
	enum ik_connection_news news;

	if (connection->progress_told)
		tell(connection, "{'progress':null");
	connection->progress_told = false;
	news = wait_for_news(connection, milliseconds);
	connection->progress_ms = ik_clock_ms();
	return news;
}

struct ik_json_span ik_connection_member(const struct ik_connection *connection, const char *name)
{
	return ik_json_member(connection->members, name);
}

const char *ik_connection_text(struct ik_connection *connection, const char *name)
{
	char *text = ik_json_text_new(ik_connection_member(connection, name));

	if (!text)
		return NULL;
	connection->texts = ik_alloc_array(connection->texts, connection->text_count + 1,
		sizeof(char *));
	connection->texts[connection->text_count++] = text;
	return text;
}

int64_t ik_connection_number(const struct ik_connection *connection, const char *name,
	int64_t without)
{
	int64_t number;

	return ik_json_integer(ik_connection_member(connection, name), &number) ? number : without;
}

/* ---- output ---- */

struct ik_buf *ik_connection_begin(struct ik_connection *connection)
{
	if (connection->line.length == 0)
		ik_json_printf(&connection->line, "{'id':%lld", (long long)connection->id);
	return &connection->line;
}

void ik_connection_send(struct ik_connection *connection)
{
	write_line(connection, ik_connection_begin(connection));
	connection->answered = true;
}

bool ik_connection_has_answered(const struct ik_connection *connection)
{
	return connection->answered;
}

void ik_connection_finish(struct ik_connection *connection, const struct ik_error *error)
{
	struct ik_buf *line;

	if (error->status != IK_OK)
		ik_buf_clear(&connection->line);
	line = ik_connection_begin(connection);
	if (error->status == IK_OK)
		ik_json_printf(line, "'done':true");
	else if (connection->cancelled)
		ik_json_printf(line, "'error':{'code':'CANCELLED','message':'The request was cancelled.'}");
	else
		ik_json_printf(line, "'error':{'code':'%s','message':'%s'}", ik_status_name(error->status),
			error->text);
	ik_connection_send(connection);
}

void ik_connection_notice(struct ik_connection *connection, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = ik_vformat(format, arguments);
	va_end(arguments);
	tell(connection, "{'notice':'%s'", text);
	free(text);
}

bool ik_connection_progress(struct ik_connection *connection, const char *work, int64_t done,
	int64_t of)
{
	int64_t now_ms = ik_clock_ms();

	if (now_ms - connection->progress_ms < PROGRESS_MS)
		return true;
	tell(connection, "{'progress':'%s','done':%lld,'of':%lld", work, (long long)done,
		(long long)of);
	connection->progress_ms = now_ms;
	connection->progress_told = true;
	return !ik_connection_is_cancelled(connection);
}
