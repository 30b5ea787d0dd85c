#include "store/requests.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "journal/event_line.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/text.h"

/* Until another program is started after one that answered nothing. */
#define DELAY_FIRST_MS 100
#define DELAY_LONGEST_MS 2000
/* Programs that are asked the same. */
#define TRIES 2
/* Without an answer for so long the user is told. A server has to be connected with first, and may
 * get its tables. */
#define SLOW_MS 1500
#define SLOW_BEGIN_MS 5000

struct ik_store_read {
	struct ik_store_read *next;
	struct ik_requests *requests;
	int64_t id;
	struct ik_buf line; /* the request */
	char *row;          /* of the answer */
	char *missing;      /* the sentence of IK_NOT_FOUND; NULL: the program's */
	int flags, tries;
	bool sent;
	ik_store_reader *reader; /* NULL: the answer is not wanted */
	void *arg;

	struct ik_store_answer answer;
	struct ik_session_info *sessions;
	size_t session_count, session_room, message_room, bytes;
	struct ik_buf part;
};

struct ik_requests {
	struct ik_loop *loop;
	struct ik_store_program *program;
	const struct ik_requests_events *events;
	void *arg;
	struct ik_store_read *first, **end; /* without an answer, in their order */
	int64_t newest;                     /* id */
	int64_t patience_ms;
	struct ik_timer *restart; /* runs: no other program yet */
	struct ik_timer *silence;
	int64_t delay_ms; /* before the next restart; 0: at once */
	bool answers;     /* this program has answered something */
	bool told_slow;   /* since the last line */
	bool finishing;   /* outside the loop: nothing is asked again */
	bool sending_later;
};

static void send_later(struct ik_requests *requests);

/* ---- one request ---- */

struct ik_store_read *ik_request(struct ik_requests *requests, int flags, ik_store_reader *reader,
	void *arg, const char *members, ...)
{
	struct ik_store_read *read = ik_alloc(sizeof(*read));
	va_list arguments;

	read->requests = requests;
	read->id = ++requests->newest;
	read->flags = flags;
	read->reader = reader;
	read->arg = arg;
	ik_buf_init(&read->line, IK_MIB(1));
	ik_buf_init(&read->part, 2 * IK_LIMIT_PART);
	ik_json_printf(&read->line, "{'id':%lld", (long long)read->id);
	va_start(arguments, members);
	ik_json_vprintf(&read->line, members, arguments);
	va_end(arguments);
	ik_buf_puts(&read->line, "}\n");
	*requests->end = read;
	requests->end = &read->next;
	send_later(requests);
	return read;
}

void ik_request_missing(struct ik_store_read *read, char *sentence)
{
	read->missing = sentence;
}

void ik_request_mark(struct ik_store_read *read, int64_t mark)
{
	read->answer.mark = mark;
}

static void release(struct ik_store_read *read)
{
	for (size_t i = 0; i < read->session_count; i++) {
		free(read->sessions[i].title);
		free(read->sessions[i].directory);
	}
	free(read->sessions);
	for (size_t i = 0; read->answer.messages && i < read->answer.count; i++)
		ik_message_unref(read->answer.messages[i]);
	free(read->answer.messages);
	ik_buf_done(&read->line);
	ik_buf_done(&read->part);
	free(read->missing);
	free(read->row);
	free(read);
}

static void unlink_read(struct ik_store_read *read)
{
	struct ik_requests *requests = read->requests;
	struct ik_store_read **link = &requests->first;

	while (*link != read)
		link = &(*link)->next;
	*link = read->next;
	if (!read->next)
		requests->end = link;
}

static void cancel(struct ik_store_read *read)
{
	struct ik_error error;
	struct ik_buf line;

	ik_buf_init(&line, IK_KIB(1));
	ik_buf_printf(&line, "{\"do\":\"cancel\",\"id\":%lld}\n", (long long)read->id);
	if (ik_store_program_is_running(read->requests->program))
		(void)!ik_store_program_send(read->requests->program, line.data, line.length, &error);
	ik_buf_done(&line);
}

struct ik_store_read *ik_store_read_close(struct ik_store_read *read)
{
	if (!read)
		return NULL;
	read->reader = NULL;
	if (read->flags & IK_REQUEST_CHANGES)
		return NULL;
	if (read->sent)
		cancel(read);
	unlink_read(read);
	release(read);
	return NULL;
}

/* ---- its answer ---- */

static void turn_round(struct ik_message **messages, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct ik_message *message = messages[i];

		messages[i] = messages[count - 1 - i];
		messages[count - 1 - i] = message;
	}
}

/* Hand over the answer; the request is gone then. */
static void finish(struct ik_store_read *read, enum ik_status status, const struct ik_error *error)
{
	struct ik_store_answer *answer = &read->answer;

	unlink_read(read);
	answer->status = status;
	if (error)
		answer->error = *error;
	answer->sessions = read->sessions;
	if (!answer->messages)
		answer->count = read->session_count;
	if (read->flags & IK_REQUEST_BACKWARDS)
		turn_round(answer->messages, answer->count);
	answer->bytes = read->part.data;
	answer->length = read->part.length;
	if (read->reader)
		read->reader(read->arg, answer);
	release(read);
}

static char *text_of(struct ik_json_span object, const char *name)
{
	char *text = ik_json_string_new(ik_json_member(object, name), NULL);

	return text ? text : ik_strdup("");
}

static struct ik_session_info *new_session(struct ik_store_read *read)
{
	struct ik_session_info *info;

	if (read->session_count == read->session_room) {
		read->session_room = read->session_room ? 2 * read->session_room : 16;
		read->sessions = ik_alloc_array(read->sessions, read->session_room,
			sizeof(*read->sessions));
	}
	info = &read->sessions[read->session_count++];
	memset(info, 0, sizeof(*info));
	return info;
}

static void add_session(struct ik_store_read *read, struct ik_json_span object)
{
	const struct ik_requests *requests = read->requests;
	struct ik_session_info *info = new_session(read);

	(void)ik_event_line_id(object, "id", info->id);
	(void)ik_event_line_id(object, "parent", info->parent);
	info->title = text_of(object, "title");
	info->directory = text_of(object, "directory");
	(void)ik_json_integer(ik_json_member(object, "created_ms"), &info->created_ms);
	(void)ik_json_integer(ik_json_member(object, "updated_ms"), &info->updated_ms);
	(void)ik_json_integer(ik_json_member(object, "event_count"), &info->event_count);
	(void)ik_json_integer(ik_json_member(object, "forked_at"), &info->forked_at);
	requests->events->session(requests->arg, info);
}

/* A session that is open for writing somewhere: one of those that have come, or without anything
 * else about it. */
static void add_lock(struct ik_store_read *read, struct ik_json_span object)
{
	struct ik_session_info *info;
	char session[IK_UUID_TEXT] = "";
	size_t i = 0;

	(void)ik_event_line_id(object, "session", session);
	while (i < read->session_count && !ik_text_equal(read->sessions[i].id, session))
		i++;
	info = i < read->session_count ? &read->sessions[i] : new_session(read);
	if (!info->title) {
		memcpy(info->id, session, sizeof(info->id));
		info->title = ik_strdup("");
		info->directory = ik_strdup("");
	}
	ik_holder_read(object, &info->holder);
}

static void add_event(struct ik_store_read *read, struct ik_json_span object)
{
	struct ik_store_answer *answer = &read->answer;
	struct ik_message *message = ik_event_line_read(object);

	if (!message)
		return;
	if (answer->count == read->message_room) {
		read->message_room = read->message_room ? 2 * read->message_room : 64;
		answer->messages = ik_alloc_array(answer->messages, read->message_room,
			sizeof(struct ik_message *));
	}
	answer->messages[answer->count++] = message;
	read->bytes += object.length;
}

static enum ik_status status_of(struct ik_json_span code)
{
	static const struct {
		const char *name;
		enum ik_status status;
	} codes[] = {
		{ "NOT_FOUND", IK_NOT_FOUND },
		{ "INVALID", IK_INVALID },
		{ "DENIED", IK_DENIED },
		{ "UNAVAILABLE", IK_UNAVAILABLE },
		{ "IO", IK_IO },
		{ "TOO_LARGE", IK_TOO_LARGE },
		{ "NO_MEMORY", IK_NO_MEMORY },
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (ik_json_string_is(code, codes[i].name))
			return codes[i].status;
	return IK_FAILED;
}

/* The last line of an answer that failed. */
static void take_error(struct ik_store_read *read, struct ik_json_span object)
{
	const struct ik_requests *requests = read->requests;
	enum ik_status status = status_of(ik_json_member(object, "code"));
	char *sentence = text_of(object, "message");
	struct ik_error error = { .status = IK_OK };

	(void)ik_error_set(&error, status, "%s",
		status == IK_NOT_FOUND && read->missing ? read->missing : sentence);
	free(sentence);
	/* Other errors are about what was asked, not about the database. */
	if (status == IK_UNAVAILABLE || status == IK_IO || status == IK_DENIED)
		requests->events->answered(requests->arg, object, &error);
	finish(read, status, &error);
}

/* Where a search continues, as JSON that only the program understands; NULL: nowhere. */
static char *place_of(struct ik_json_span row)
{
	enum ik_json_type type = ik_json_span_type(row);

	if (type == IK_JSON_NONE || type == IK_JSON_NULL)
		return NULL;
	return ik_strndup(row.text, row.length);
}

/* The last line of one that did not. */
static void take_end(struct ik_store_read *read, struct ik_json_span line)
{
	struct ik_json_span base64 = ik_json_member(line, "base64");
	struct ik_requests *requests = read->requests;

	if (ik_json_span_type(base64) == IK_JSON_STRING)
		(void)ik_base64_read(&read->part, base64.text + 1, base64.length - 2);
	read->row = place_of(ik_json_member(line, "row"));
	read->answer.row = read->row;
	read->answer.last = line;
	requests->delay_ms = 0;
	requests->answers = true;
	if (!(read->flags & IK_REQUEST_APART))
		requests->events->answered(requests->arg, line, NULL);
	finish(read, IK_OK, NULL);
}

/* The request that a line is about; NULL: nobody waits for it any more. */
static struct ik_store_read *find(const struct ik_requests *requests, int64_t id)
{
	struct ik_store_read *read = requests->first;

	while (read && read->id != id)
		read = read->next;
	return read;
}

static void listen_on(struct ik_requests *requests)
{
	bool begins = requests->patience_ms > 0 && !requests->answers;

	requests->told_slow = false;
	if (requests->first)
		ik_timer_start(requests->silence, begins ? SLOW_BEGIN_MS : SLOW_MS);
	else
		ik_timer_stop(requests->silence);
}

static void take_line(struct ik_store_read *read, struct ik_json_span line)
{
	struct ik_json_span session = ik_json_member(line, "session");
	struct ik_json_span event = ik_json_member(line, "event");
	struct ik_json_span lock = ik_json_member(line, "lock");
	struct ik_json_span error = ik_json_member(line, "error");

	if (ik_json_span_type(error) == IK_JSON_OBJECT) {
		take_error(read, error);
		return;
	}
	if (ik_json_span_type(ik_json_member(line, "journal")) == IK_JSON_STRING)
		read->requests->events->told(read->requests->arg, line);
	if (ik_json_span_type(session) == IK_JSON_OBJECT)
		add_session(read, session);
	if (ik_json_span_type(lock) == IK_JSON_OBJECT)
		add_lock(read, lock);
	if (ik_json_span_type(event) == IK_JSON_OBJECT)
		add_event(read, event);
	if (ik_json_span_type(ik_json_member(line, "done")) == IK_JSON_BOOL) {
		take_end(read, line);
	} else if (read->flags & IK_REQUEST_PAGE && read->bytes > IK_LIMIT_PAGE) {
		cancel(read);
		finish(read, IK_OK, NULL);
	}
}

static void on_line(void *arg, struct ik_json_span line)
{
	struct ik_requests *requests = arg;
	struct ik_store_read *read;
	int64_t id;

	if (!ik_json_integer(ik_json_member(line, "id"), &id)) {
		requests->events->told(requests->arg, line);
		return;
	}
	read = find(requests, id);
	if (read)
		take_line(read, line);
	listen_on(requests);
}

/* ---- the program ---- */

/* Fail what was tried often enough, or all of it. */
static void fail(struct ik_requests *requests, bool all, const struct ik_error *error)
{
	struct ik_store_read *read = requests->first;
	int64_t newest = requests->newest; /* what readers ask from here on is another matter */

	if (requests->program)
		requests->events->answered(requests->arg, (struct ik_json_span){ NULL, 0 }, error);
	while (read && read->id <= newest) {
		struct ik_store_read *next = read->next;

		if (all || read->tries >= TRIES) {
			finish(read, error->status, error);
			next = requests->first; /* its reader may have changed the list */
		}
		read = next;
	}
}

/* Send what has not been sent yet. */
static void send_all(struct ik_requests *requests)
{
	struct ik_store_read *read;
	struct ik_error error;

	if (!requests->program) {
		(void)ik_error_set(&error, IK_NOT_FOUND, "%s", _("No sessions are stored."));
		fail(requests, true, &error);
		return;
	}
	for (read = requests->first; read; read = read->next) {
		if (read->sent)
			continue;
		if (!ik_store_program_is_running(requests->program))
			requests->answers = false;
		if (ik_store_program_send(requests->program, read->line.data, read->line.length, &error) !=
			IK_OK) {
			fail(requests, true, &error);
			return;
		}
		read->sent = true;
		read->tries++;
		if (!ik_timer_running(requests->silence))
			listen_on(requests);
	}
}

/* Deferred: what was asked in this turn of the loop. */
static void send_now(void *arg)
{
	struct ik_requests *requests = arg;

	requests->sending_later = false;
	if (!ik_timer_running(requests->restart))
		send_all(requests);
}

static void send_later(struct ik_requests *requests)
{
	if (requests->sending_later || requests->finishing)
		return;
	requests->sending_later = true;
	ik_loop_defer(requests->loop, send_now, requests);
}

static void on_restart(void *arg)
{
	send_all(arg);
}

/* The program has ended: ask another one. */
static void on_ended(void *arg)
{
	struct ik_requests *requests = arg;
	struct ik_store_read *read;
	struct ik_error error;
	bool asked = false;

	ik_timer_stop(requests->silence);
	for (read = requests->first; read; read = read->next) {
		asked = asked || read->sent;
		read->sent = false;
	}
	if (!asked)
		return;
	(void)ik_error_set(&error, IK_UNAVAILABLE, _("The store program ended unexpectedly."));
	fail(requests, requests->finishing, &error);
	if (requests->delay_ms > 0)
		ik_timer_start(requests->restart, requests->delay_ms);
	else
		send_later(requests);
	requests->delay_ms = requests->delay_ms ? 2 * requests->delay_ms : DELAY_FIRST_MS;
	if (requests->delay_ms > DELAY_LONGEST_MS)
		requests->delay_ms = DELAY_LONGEST_MS;
}

/* Nothing has come for a while. */
static void on_silence(void *arg)
{
	struct ik_requests *requests = arg;
	const struct ik_store_read *read = requests->first;
	bool quick = read && !(read->flags & IK_REQUEST_LONG);
	struct ik_error error;

	if (!read || !ik_store_program_is_running(requests->program))
		return;
	if (!requests->told_slow) {
		requests->told_slow = true;
		if (quick)
			requests->events->slow(requests->arg);
		if (requests->patience_ms > 0)
			ik_timer_start(requests->silence,
				requests->patience_ms > SLOW_MS ? requests->patience_ms - SLOW_MS : 1);
	} else if (quick && requests->answers) {
		ik_log(IK_LOG_ERROR, "store: no answer: the program is ended");
		(void)ik_error_set(&error, IK_UNAVAILABLE, _("The store program does not answer."));
		fail(requests, true, &error);
		ik_store_program_kill(requests->program);
	} else {
		ik_timer_start(requests->silence, requests->patience_ms);
	}
}

struct ik_requests *ik_requests_new(struct ik_loop *loop,
	const struct ik_store_program_options *program, int64_t patience_ms,
	const struct ik_requests_events *events, void *arg)
{
	static const struct ik_store_program_events program_events = { .line = on_line,
		.ended = on_ended };
	struct ik_requests *requests = ik_alloc(sizeof(*requests));

	requests->loop = loop;
	if (program)
		requests->program = ik_store_program_new(loop, program, &program_events, requests);
	requests->events = events;
	requests->arg = arg;
	requests->end = &requests->first;
	requests->patience_ms = patience_ms;
	requests->restart = ik_timer_new(loop, on_restart, requests);
	requests->silence = ik_timer_new(loop, on_silence, requests);
	return requests;
}

static void forget_others(struct ik_requests *requests)
{
	struct ik_store_read *read = requests->first;

	while (read) {
		struct ik_store_read *next = read->next;

		if (!(read->flags & IK_REQUEST_OWN))
			(void)ik_store_read_close(read);
		read = next;
	}
}

void ik_requests_finish(struct ik_requests *requests, int64_t milliseconds, int64_t end_ms)
{
	int64_t until = ik_clock_ms() + milliseconds, left;

	ik_loop_cancel_deferred(requests->loop, send_now, requests);
	requests->finishing = true;
	if (!requests->program)
		return;
	forget_others(requests);
	do
		send_all(requests); /* an answer may have led to another request */
	while (requests->first && (left = until - ik_clock_ms()) > 0 &&
		ik_store_program_wait(requests->program, (int)left));
	ik_store_program_finish(requests->program);
	until = ik_clock_ms() + end_ms;
	while ((left = until - ik_clock_ms()) > 0 &&
		ik_store_program_wait(requests->program, (int)left))
		;
}

/* Deferred. */
static void requests_free(void *arg)
{
	free(arg);
}

struct ik_requests *ik_requests_close(struct ik_requests *requests)
{
	if (!requests)
		return NULL;
	requests->program = ik_store_program_close(requests->program);
	requests->restart = ik_timer_close(requests->restart);
	requests->silence = ik_timer_close(requests->silence);
	ik_loop_cancel_deferred(requests->loop, send_now, requests);
	while (requests->first) {
		struct ik_store_read *read = requests->first;

		requests->first = read->next;
		release(read);
	}
	ik_loop_defer(requests->loop, requests_free, requests);
	return NULL;
}
