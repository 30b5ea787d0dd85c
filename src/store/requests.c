#include "store/requests.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal/event_line.h"
#include "json/write.h"
#include "loop/child.h"
#include "loop/spawn.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/line_splitter.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* Delays before another program is started after one that answered nothing. */
#define DELAY_FIRST_MS 100
#define DELAY_LONGEST_MS 2000
/* Limit on attempts to send a request to a program that then exits. */
#define TRIES 2
/* Delay after which a missing answer is reported. The first answer may take longer: the server must
 * be connected to, and may need its tables created. */
#define SLOW_MS 1500
#define SLOW_BEGIN_MS 5000

struct ik_store_read {
	struct ik_store_read *next;
	struct ik_requests *requests;
	int64_t id;
	struct ik_buf line; /* the request */
	int flags, tries;
	bool sent;
	ik_store_reader *reader; /* NULL if the answer isn't wanted */
	void *arg;

	struct ik_store_answer answer;
	size_t session_count, message_bytes;
	struct ik_buf part; /* of a large text */
};

struct ik_requests {
	struct ik_loop *loop;
	const struct ik_store_place *place;
	struct ik_child *child;        /* the program; NULL if none runs */
	struct ik_line_splitter lines; /* of its output */
	const struct ik_requests_events *events;
	void *arg;
	struct ik_store_read *first, **end; /* unanswered, in order */
	int64_t newest;                     /* newest request ID */
	int64_t patience_ms;
	struct ik_timer *restart; /* while it runs, no other program is started */
	struct ik_timer *silence;
	int64_t delay_ms; /* before the next restart; 0: at once, since this program has answered */
	bool told_slow;   /* on_silence() has reported, since the last line */
};

/* ---- the program ---- */

/* Write a line to the program (json/write.h). If it has ended, on_done() will say so. */
IK_PRINTF(2, 3)
static void tell(const struct ik_requests *requests, const char *format, ...)
{
	struct ik_buf line;
	va_list arguments;

	ik_buf_init(&line, IK_MIB(1));
	va_start(arguments, format);
	ik_json_vprintf(&line, format, arguments);
	va_end(arguments);
	(void)ik_child_write(requests->child, line.data, line.length);
	ik_buf_done(&line);
}

/* Close its input; the program exits when it sees that. */
static void disconnect(struct ik_requests *requests)
{
	static const char ended[] = "{\"progress\":null}";

	if (!requests->child)
		return;
	requests->child = ik_child_close(requests->child);
	ik_line_splitter_done(&requests->lines);
	requests->lines = (struct ik_line_splitter){ .too_long = false };
	requests->events->told(requests->arg, (struct ik_json_span){ ended, sizeof(ended) - 1 });
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length);
static void on_done(void *arg, const struct ik_child_result *result);

static enum ik_status start(struct ik_requests *requests, struct ik_error *error)
{
	/* Locale, libraries, and settings for connecting to a server. */
	static const char *const wanted[] = { "HOME=", "USER=", "LOGNAME=", "PATH=", "LANG=",
		"LANGUAGE=", "LC_", "TZ=", "TMPDIR=", "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "LSAN_OPTIONS=",
		"UBSAN_OPTIONS=", "PG", "KRB5", "SSL_CERT_", "XDG_RUNTIME_DIR=", "OPENSSL_CONF=" };
	static const struct ik_child_events events = { .output = on_output, .done = on_done };
	const struct ik_store_place *place = requests->place;
	const char *const argv[] = { place->program, "-", place->journals, place->spare, NULL };
	const char **environment = ik_spawn_environment(wanted, sizeof(wanted) / sizeof(wanted[0]));
	const struct ik_child_spec spec = {
		.path = place->program,
		.argv = argv,
		.environment = environment,
		.input_room = IK_LIMIT_ENVELOPE,
		.discard_stderr = true,
		.outlives = true,
	};
	enum ik_status status = ik_child_start(requests->loop, &spec, &events, requests,
		&requests->child, error);

	free(environment);
	if (requests->delay_ms == 0)
		requests->delay_ms = DELAY_FIRST_MS;
	if (status == IK_OK)
		tell(requests, "{'database':'%s'}\n", place->database);
	/* Each store program may be in a package of its own. */
	else if (status == IK_NOT_FOUND && access(place->program, F_OK) != 0)
		status = ik_error_set(error, IK_NOT_FOUND, _("%s is missing: install the package %s"),
			place->program,
			ik_text_ends(place->program, "store-postgres") ? "ikigai-postgresql" : "ikigai");
	return status;
}

static void send_now(void *arg);

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
	ik_loop_defer(requests->loop, send_now, requests);
	return read;
}

static void release(struct ik_store_read *read)
{
	struct ik_store_answer *answer = &read->answer;

	for (size_t i = 0; i < read->session_count; i++) {
		free(answer->sessions[i].title);
		free(answer->sessions[i].directory);
		free(answer->sessions[i].owner);
	}
	for (size_t i = 0; answer->messages && i < answer->count; i++)
		ik_message_unref(answer->messages[i]);
	free(answer->sessions);
	free(answer->messages);
	free(answer->row);
	ik_buf_done(&read->line);
	ik_buf_done(&read->part);
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
	if (read->requests->child)
		tell(read->requests, "{'do':'cancel','id':%lld}\n", (long long)read->id);
}

/* Is an answer to this request (or NULL) overdue when the program is silent? */
static bool is_quick(const struct ik_store_read *read)
{
	return read && !(read->flags & IK_REQUEST_LONG);
}

/* Wait for the next line, unless the program may take any time. */
static void listen_on(struct ik_requests *requests)
{
	bool begins = requests->patience_ms > 0 && requests->delay_ms > 0;

	requests->told_slow = false;
	if (is_quick(requests->first))
		ik_timer_start(requests->silence, begins ? SLOW_BEGIN_MS : SLOW_MS);
	else
		ik_timer_stop(requests->silence);
}

struct ik_store_read *ik_store_read_close(struct ik_store_read *read)
{
	if (!read)
		return NULL;
	read->reader = NULL;
	if (read->sent)
		cancel(read);
	if (read->flags & IK_REQUEST_CHANGES)
		return NULL;
	unlink_read(read);
	if (!ik_timer_running(read->requests->silence))
		listen_on(read->requests);
	release(read);
	return NULL;
}

/* ---- its answer ---- */

/* Hand over the answer, and free the request. */
static void finish(struct ik_store_read *read, const struct ik_error *error)
{
	struct ik_store_answer *answer = &read->answer;

	unlink_read(read);
	if (error)
		answer->error = *error;
	answer->status = answer->error.status;
	if (!answer->messages)
		answer->count = read->session_count;
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

/* Look up the holder of a session: a row of this place says less than the lock file. */
static void find_holder(const struct ik_requests *requests, struct ik_json_span lock,
	struct ik_session_info *info)
{
	const char *locks = requests->place->locks;
	char *path = ik_path_join(locks, info->id), *place;

	ik_lock_file_holder(path, &info->holder);
	free(path);
	if (ik_json_span_type(lock) != IK_JSON_OBJECT)
		return;
	place = ik_holder_place(locks);
	if (!ik_json_string_is(ik_json_member(lock, "place"), place))
		ik_holder_read(lock, &info->holder);
	free(place);
}

static void add_session(struct ik_store_read *read, struct ik_json_span object)
{
	struct ik_session_info info = {
		.title = text_of(object, "title"),
		.directory = text_of(object, "directory"),
		.owner = text_of(object, "owner"),
	};

	(void)ik_event_line_id(object, "id", info.id);
	(void)ik_event_line_id(object, "parent", info.parent);
	(void)ik_json_integer(ik_json_member(object, "created_ms"), &info.created_ms);
	(void)ik_json_integer(ik_json_member(object, "updated_ms"), &info.updated_ms);
	(void)ik_json_integer(ik_json_member(object, "event_count"), &info.event_count);
	(void)ik_json_integer(ik_json_member(object, "forked_at"), &info.forked_at);
	find_holder(read->requests, ik_json_member(object, "lock"), &info);
	read->answer.sessions = ik_alloc_more(read->answer.sessions, read->session_count, sizeof(info));
	read->answer.sessions[read->session_count++] = info;
}

/* Return false if the event is of a kind that only a newer program knows. */
static bool add_event(struct ik_store_read *read, struct ik_json_span object)
{
	struct ik_store_answer *answer = &read->answer;
	struct ik_message *message = ik_event_line_read(object);
	size_t at = read->flags & IK_REQUEST_BACKWARDS ? 0 : answer->count;

	if (!message)
		return false;
	answer->messages = ik_alloc_more(answer->messages, answer->count, sizeof(message));
	memmove(&answer->messages[at + 1], &answer->messages[at],
		(answer->count - at) * sizeof(message));
	answer->messages[at] = message;
	answer->count++;
	read->message_bytes += object.length;
	return true;
}

static enum ik_status status_of(struct ik_json_span code)
{
	enum ik_status status = IK_UNAVAILABLE;

	while (status > IK_FAILED && !ik_json_string_is(code, ik_status_name(status)))
		status--;
	return status;
}

/* Process the last line of a failed answer. */
static void take_error(struct ik_store_read *read, struct ik_json_span object)
{
	const struct ik_requests *requests = read->requests;
	enum ik_status status = status_of(ik_json_member(object, "code"));
	char *sentence = text_of(object, "message");
	struct ik_error error = { .status = IK_OK };

	(void)ik_error_set(&error, status, "%s", sentence);
	free(sentence);
	/* Other errors are about the request, not about the database. */
	if (status == IK_UNAVAILABLE || status == IK_IO || status == IK_DENIED)
		requests->events->answered(requests->arg, object, &error);
	finish(read, &error);
}

/* Process the last line of a successful answer. */
static void take_end(struct ik_store_read *read, struct ik_json_span line)
{
	struct ik_json_span base64 = ik_json_member(line, "base64"), row = ik_json_member(line, "row");
	struct ik_requests *requests = read->requests;

	if (ik_json_span_type(base64) == IK_JSON_STRING)
		(void)ik_base64_read(&read->part, base64.text + 1, base64.length - 2);
	if (ik_json_span_type(row) == IK_JSON_STRING)
		read->answer.row = ik_strndup(row.text, row.length);
	read->answer.last = line;
	requests->delay_ms = 0;
	if (!(read->flags & IK_REQUEST_APART))
		requests->events->answered(requests->arg, line, NULL);
	finish(read, NULL);
}

/* Return the request that a line answers; NULL if it was cancelled. */
static struct ik_store_read *find(const struct ik_requests *requests, int64_t id)
{
	struct ik_store_read *read = requests->first;

	while (read && read->id != id)
		read = read->next;
	return read;
}

static void take_line(struct ik_store_read *read, struct ik_json_span line)
{
	struct ik_json_span session = ik_json_member(line, "session");
	struct ik_json_span event = ik_json_member(line, "event");
	struct ik_json_span error = ik_json_member(line, "error");
	bool found = true;

	if (ik_json_span_type(error) == IK_JSON_OBJECT) {
		take_error(read, error);
		return;
	}
	if (ik_json_span_type(ik_json_member(line, "journal")) == IK_JSON_STRING)
		read->requests->events->told(read->requests->arg, line);
	if (ik_json_span_type(event) == IK_JSON_OBJECT)
		found = add_event(read, event);
	if (found && ik_json_span_type(session) == IK_JSON_OBJECT)
		add_session(read, session);
	if (ik_json_span_type(ik_json_member(line, "done")) == IK_JSON_BOOL) {
		take_end(read, line);
	} else if (read->flags & IK_REQUEST_PAGE && read->message_bytes > IK_LIMIT_PAGE) {
		cancel(read);
		finish(read, NULL);
	}
}

static void on_line(void *arg, const char *text, size_t length)
{
	struct ik_requests *requests = arg;
	struct ik_store_read *read;
	struct ik_json_span line;
	int64_t id;

	if (!text || ik_json_check_around(text, length, IK_EVENT_LINE_LEVELS, &line, NULL) != IK_OK ||
		ik_json_span_type(line) != IK_JSON_OBJECT)
		ik_log(IK_LOG_ERROR, "store: %s wrote what is not JSON", requests->place->program);
	else if (!ik_json_integer(ik_json_member(line, "id"), &id))
		requests->events->told(requests->arg, line);
	else if ((read = find(requests, id)))
		take_line(read, line);
	listen_on(requests);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_requests *requests = arg;

	ik_line_splitter_add(&requests->lines, IK_LIMIT_ENVELOPE, bytes, length, on_line, requests);
}

/* ---- when the program ends or is silent ---- */

/* Fail the requests that have no attempt left, or all. */
static void fail(struct ik_requests *requests, bool all, const struct ik_error *error)
{
	struct ik_store_read *read = requests->first;
	int64_t newest = requests->newest; /* skip requests that readers add meanwhile */

	if (requests->place->program)
		requests->events->answered(requests->arg, (struct ik_json_span){ NULL, 0 }, error);
	while (read && read->id <= newest) {
		struct ik_store_read *next = read->next;

		if (all || read->tries >= TRIES) {
			finish(read, error);
			next = requests->first; /* its reader may have changed the list */
		}
		read = next;
	}
}

/* Send the requests that haven't been sent yet. */
static void send_all(struct ik_requests *requests)
{
	struct ik_store_read *read;
	struct ik_error error;

	if (!requests->place->program) {
		(void)ik_error_set(&error, IK_NOT_FOUND, "%s", _("No sessions are stored."));
		fail(requests, true, &error);
		return;
	}
	for (read = requests->first; read; read = read->next) {
		if (read->sent)
			continue;
		if (!requests->child && start(requests, &error) != IK_OK) {
			fail(requests, true, &error);
			return;
		}
		(void)ik_child_write(requests->child, read->line.data, read->line.length);
		read->sent = true;
		read->tries++;
		if (!ik_timer_running(requests->silence))
			listen_on(requests);
	}
}

/* Send the requests of this turn of the loop (deferred), or what a program that ended left
 * unanswered. */
static void send_now(void *arg)
{
	struct ik_requests *requests = arg;

	if (!ik_timer_running(requests->restart))
		send_all(requests);
}

/* Disconnect from a program that has ended or should end, and send unanswered requests to another
 * one. */
static void end(struct ik_requests *requests)
{
	struct ik_store_read *read;
	struct ik_error error;
	bool asked = false;

	disconnect(requests);
	ik_timer_stop(requests->silence);
	for (read = requests->first; read; read = read->next) {
		asked = asked || read->sent;
		read->sent = false;
	}
	if (!asked)
		return;
	(void)ik_error_set(&error, IK_UNAVAILABLE, _("The store program ended unexpectedly."));
	fail(requests, false, &error);
	ik_timer_start(requests->restart, requests->delay_ms);
	requests->delay_ms *= 2;
	if (requests->delay_ms > DELAY_LONGEST_MS)
		requests->delay_ms = DELAY_LONGEST_MS;
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	end(arg);
}

/* Report the silence, then kill a program that stays silent. */
static void on_silence(void *arg)
{
	struct ik_requests *requests = arg;
	struct ik_error error;

	if (!requests->child || !is_quick(requests->first))
		return;
	if (!requests->told_slow) {
		requests->told_slow = true;
		requests->events->slow(requests->arg);
		if (requests->patience_ms > 0 && requests->delay_ms == 0)
			ik_timer_start(requests->silence,
				requests->patience_ms > SLOW_MS ? requests->patience_ms - SLOW_MS : 1);
		return;
	}
	ik_log(IK_LOG_ERROR, "store: no answer: the program is ended");
	(void)ik_error_set(&error, IK_UNAVAILABLE, _("The store program does not answer."));
	fail(requests, true, &error);
	if (requests->child) {
		ik_child_cancel(requests->child);
		end(requests);
	}
}

struct ik_requests *ik_requests_new(struct ik_loop *loop, const struct ik_store_place *place,
	int64_t patience_ms, const struct ik_requests_events *events, void *arg)
{
	struct ik_requests *requests = ik_alloc(sizeof(*requests));

	requests->loop = loop;
	requests->place = place;
	requests->events = events;
	requests->arg = arg;
	requests->end = &requests->first;
	requests->patience_ms = patience_ms;
	requests->restart = ik_timer_new(loop, send_now, requests);
	requests->silence = ik_timer_new(loop, on_silence, requests);
	return requests;
}

static void forget_others(struct ik_requests *requests)
{
	struct ik_store_read *read = requests->first;

	while (read) {
		struct ik_store_read *next = read->next;

		/* Requests that change something are still sent. */
		if ((read->flags & IK_REQUEST_CHANGES) && !(read->flags & IK_REQUEST_OWN))
			read->reader = NULL;
		else if (!(read->flags & IK_REQUEST_OWN))
			(void)ik_store_read_close(read);
		read = next;
	}
}

void ik_requests_finish(struct ik_requests *requests, int64_t milliseconds, int64_t end_ms)
{
	int64_t until = ik_clock_ms() + milliseconds;

	forget_others(requests);
	do
		send_all(requests); /* an answer may have caused another request */
	while (requests->first && requests->child && ik_child_wait(requests->child, until));
	if (!requests->child)
		return;
	/* It exits by itself, and isn't killed if that takes longer. */
	ik_child_end(requests->child, 2 * end_ms);
	until = ik_clock_ms() + end_ms;
	while (ik_child_wait(requests->child, until))
		;
}

struct ik_requests *ik_requests_close(struct ik_requests *requests)
{
	disconnect(requests);
	requests->restart = ik_timer_close(requests->restart);
	requests->silence = ik_timer_close(requests->silence);
	ik_loop_cancel_deferred(requests->loop, send_now, requests);
	while (requests->first) {
		struct ik_store_read *read = requests->first;

		requests->first = read->next;
		release(read);
	}
	free(requests);
	return NULL;
}
