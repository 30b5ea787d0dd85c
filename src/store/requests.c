#include "store/requests.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "journal/event_line.h"
#include "json/write.h"
#include "loop/children.h"
#include "loop/spawn.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/clock.h"
#include "util/limits.h"
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
/* Limit on input per turn of the loop: it takes about a millisecond to parse. */
#define READ_SIZE 65536

struct ik_store_read {
	struct ik_store_read *next;
	struct ik_requests *requests;
	int64_t id;
	struct ik_buf line; /* the request */
	char *row;          /* of the answer */
	int flags, tries;
	bool sent;
	ik_store_reader *reader; /* NULL if the answer isn't wanted */
	void *arg;

	struct ik_store_answer answer;
	struct ik_session_info *sessions;
	size_t session_count, message_bytes;
	struct ik_buf part;
};

struct ik_requests {
	struct ik_loop *loop;
	const struct ik_store_place *place;
	int fd; /* to the program; -1 if none runs */
	struct ik_watch *watch;
	struct ik_process *process; /* the program at the other end of fd */
	struct ik_buf in, out;
	size_t looked; /* bytes of in that have no line feed */
	const struct ik_requests_events *events;
	void *arg;
	struct ik_store_read *first, **end; /* unanswered, in order */
	int64_t newest;                     /* newest request ID */
	int64_t patience_ms;
	struct ik_timer *restart; /* while it runs, no other program is started */
	struct ik_timer *silence;
	int64_t delay_ms; /* before the next restart; 0: at once */
	bool answers;     /* this program has answered something */
	bool told_slow;   /* on_silence() has reported, since the last line */
	bool sending;     /* send_now() is deferred */
	bool finishing;   /* outside the loop: don't send requests again */
};

/* ---- to the program ---- */

/* Reap the process; what it wrote before it ended is still in the socket. */
static void on_process_ended(void *arg)
{
	struct ik_requests *requests = arg;
	int status;

	(void)ik_process_reap(requests->process, &status);
	requests->process = ik_process_close(requests->process);
}

/* Close the socket; the program exits when it sees that. */
static void disconnect(struct ik_requests *requests)
{
	static const char ended[] = "{\"progress\":null}";

	if (requests->fd < 0)
		return;
	requests->watch = ik_watch_close(requests->watch);
	(void)close(requests->fd);
	requests->fd = -1;
	requests->process = ik_process_let_go(requests->process);
	requests->looked = 0;
	ik_buf_clear(&requests->in);
	ik_buf_clear(&requests->out);
	requests->events->told(requests->arg, (struct ik_json_span){ ended, sizeof(ended) - 1 });
}

/* Write as much as the socket accepts now. */
static void write_some(struct ik_requests *requests)
{
	struct ik_error error;

	while (requests->out.length > 0) {
		ssize_t length = send(requests->fd, requests->out.data, requests->out.length, MSG_NOSIGNAL);

		if (length > 0)
			ik_buf_consume(&requests->out, (size_t)length);
		else if (errno != EINTR)
			break; /* if the program has ended, reading reports the end of file */
	}
	(void)!ik_watch_set(requests->watch, IK_READABLE | (requests->out.length > 0 ? IK_WRITABLE : 0),
		&error);
}

static void on_socket(void *arg, int what);

static int spawn(const struct ik_requests *requests, int theirs, pid_t *ret_pid)
{
	/* Locale, libraries, and settings for connecting to a server. */
	static const char *const wanted[] = { "HOME=", "USER=", "LOGNAME=", "PATH=", "LANG=",
		"LANGUAGE=", "LC_", "TZ=", "TMPDIR=", "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "LSAN_OPTIONS=",
		"UBSAN_OPTIONS=", "PG", "KRB5", "SSL_CERT_", "XDG_RUNTIME_DIR=", "OPENSSL_CONF=" };
	const struct ik_store_place *place = requests->place;
	const char *const argv[] = { place->program, "-", place->journals, place->spare, NULL };
	const char **environment = ik_spawn_environment(wanted, sizeof(wanted) / sizeof(wanted[0]));
	int nothing = ik_spawn_above_streams(open("/dev/null", O_WRONLY | O_CLOEXEC)), number;
	struct ik_spawn spawn = {
		.path = place->program,
		.argv = argv,
		.environment = environment,
		.streams = { theirs, theirs, nothing },
		.memory_limit = RLIM_INFINITY,
		.descriptor_limit = RLIM_INFINITY,
		.outlives = true,
	};
	enum ik_spawn_step step;

	number = nothing < 0 ? errno : ik_spawn(&spawn, ret_pid, &step);
	if (nothing >= 0)
		(void)close(nothing);
	free(environment);
	return number;
}

/* Each store program may be in a package of its own. */
static enum ik_status not_started(const char *program, int number, struct ik_error *error)
{
	if (number != ENOENT || access(program, F_OK) == 0)
		return ik_error_set_errno(error, number, _("%s cannot be started"), program);
	return ik_error_set(error, IK_NOT_FOUND, _("%s is missing: install the package %s"), program,
		ik_text_ends(program, "store-postgres") ? "ikigai-postgresql" : "ikigai");
}

static enum ik_status start(struct ik_requests *requests, struct ik_error *error)
{
	int ends[2], number;
	pid_t pid = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return not_started(requests->place->program, errno, error);
	ends[1] = ik_spawn_above_streams(ends[1]);
	number = ends[1] < 0 ? errno : spawn(requests, ends[1], &pid);
	if (ends[1] >= 0)
		(void)close(ends[1]);
	if (number != 0) {
		(void)close(ends[0]);
		return not_started(requests->place->program, number, error);
	}
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	requests->fd = ends[0];
	requests->process = ik_process_new(requests->loop, pid, on_process_ended, requests);
	requests->watch = ik_watch_new(requests->loop, requests->fd, on_socket, requests);
	(void)!ik_watch_set(requests->watch, IK_READABLE, error);
	requests->answers = false;
	ik_json_printf(&requests->out, "{'database':'%s'}\n", requests->place->database);
	return IK_OK;
}

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

static void release(struct ik_store_read *read)
{
	for (size_t i = 0; i < read->session_count; i++) {
		free(read->sessions[i].title);
		free(read->sessions[i].directory);
		free(read->sessions[i].owner);
	}
	free(read->sessions);
	for (size_t i = 0; read->answer.messages && i < read->answer.count; i++)
		ik_message_unref(read->answer.messages[i]);
	free(read->answer.messages);
	ik_buf_done(&read->line);
	ik_buf_done(&read->part);
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
	if (read->requests->fd < 0)
		return;
	ik_buf_printf(&read->requests->out, "{\"do\":\"cancel\",\"id\":%lld}\n", (long long)read->id);
	write_some(read->requests);
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
	release(read);
	return NULL;
}

/* ---- its answer ---- */

/* Hand over the answer, and free the request. */
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
	read->sessions = ik_alloc_more(read->sessions, read->session_count, sizeof(info));
	read->sessions[read->session_count++] = info;
}

static void add_event(struct ik_store_read *read, struct ik_json_span object)
{
	struct ik_store_answer *answer = &read->answer;
	struct ik_message *message = ik_event_line_read(object);
	size_t at = read->flags & IK_REQUEST_BACKWARDS ? 0 : answer->count;

	if (!message)
		return;
	answer->messages = ik_alloc_more(answer->messages, answer->count, sizeof(message));
	memmove(&answer->messages[at + 1], &answer->messages[at],
		(answer->count - at) * sizeof(message));
	answer->messages[at] = message;
	answer->count++;
	read->message_bytes += object.length;
}

static enum ik_status status_of(struct ik_json_span code)
{
	static const char *const codes[] = {
		[IK_NO_MEMORY] = "NO_MEMORY",
		[IK_TOO_LARGE] = "TOO_LARGE",
		[IK_INVALID] = "INVALID",
		[IK_NOT_FOUND] = "NOT_FOUND",
		[IK_DENIED] = "DENIED",
		[IK_IO] = "IO",
		[IK_UNAVAILABLE] = "UNAVAILABLE",
	};
	enum ik_status status = IK_UNAVAILABLE;

	while (status > IK_FAILED && !ik_json_string_is(code, codes[status]))
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
	finish(read, status, &error);
}

/* Return the position where a search continues, as JSON that only the program understands; NULL at
 * the end. */
static char *place_of(struct ik_json_span row)
{
	enum ik_json_type type = ik_json_span_type(row);

	if (type == IK_JSON_NONE || type == IK_JSON_NULL)
		return NULL;
	return ik_strndup(row.text, row.length);
}

/* Process the last line of a successful answer. */
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

/* Return the request that a line answers; NULL if it was cancelled. */
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
	struct ik_json_span error = ik_json_member(line, "error");

	if (ik_json_span_type(error) == IK_JSON_OBJECT) {
		take_error(read, error);
		return;
	}
	if (ik_json_span_type(ik_json_member(line, "journal")) == IK_JSON_STRING)
		read->requests->events->told(read->requests->arg, line);
	if (ik_json_span_type(session) == IK_JSON_OBJECT)
		add_session(read, session);
	if (ik_json_span_type(event) == IK_JSON_OBJECT)
		add_event(read, event);
	if (ik_json_span_type(ik_json_member(line, "done")) == IK_JSON_BOOL) {
		take_end(read, line);
	} else if (read->flags & IK_REQUEST_PAGE && read->message_bytes > IK_LIMIT_PAGE) {
		cancel(read);
		finish(read, IK_OK, NULL);
	}
}

static void on_line(struct ik_requests *requests, struct ik_json_span line)
{
	struct ik_store_read *read;
	int64_t id;

	if (!ik_json_integer(ik_json_member(line, "id"), &id))
		requests->events->told(requests->arg, line);
	else if ((read = find(requests, id)))
		take_line(read, line);
	listen_on(requests);
}

/* ---- when the program answers, ends or is silent ---- */

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
			finish(read, error->status, error);
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
		if (requests->fd < 0 && start(requests, &error) != IK_OK) {
			fail(requests, true, &error);
			return;
		}
		ik_buf_append(&requests->out, read->line.data, read->line.length);
		write_some(requests);
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

	requests->sending = false;
	if (!ik_timer_running(requests->restart))
		send_all(requests);
}

static void send_later(struct ik_requests *requests)
{
	if (!requests->sending && !requests->finishing)
		ik_loop_defer(requests->loop, send_now, requests);
	requests->sending = true;
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
	fail(requests, requests->finishing, &error);
	if (requests->delay_ms > 0)
		ik_timer_start(requests->restart, requests->delay_ms);
	else
		send_later(requests);
	requests->delay_ms = requests->delay_ms ? 2 * requests->delay_ms : DELAY_FIRST_MS;
	if (requests->delay_ms > DELAY_LONGEST_MS)
		requests->delay_ms = DELAY_LONGEST_MS;
}

/* Process the complete lines of the input. */
static void take_lines(struct ik_requests *requests)
{
	char *end;

	while (requests->fd >= 0 &&
		(end = memchr(requests->in.data + requests->looked, '\n',
			 requests->in.length - requests->looked))) {
		size_t length = (size_t)(end - requests->in.data);
		struct ik_json_span object;

		if (ik_json_check_around(requests->in.data, length, IK_EVENT_LINE_LEVELS, &object, NULL) ==
				IK_OK &&
			ik_json_span_type(object) == IK_JSON_OBJECT)
			on_line(requests, object);
		else
			ik_log(IK_LOG_ERROR, "store: %s wrote what is not JSON", requests->place->program);
		if (requests->fd >= 0)
			ik_buf_consume(&requests->in, length + 1);
		requests->looked = 0;
	}
	requests->looked = requests->in.length;
	if (requests->in.length == 0 && requests->in.capacity > IK_MIB(1))
		ik_buf_done(&requests->in);
}

static void read_some(struct ik_requests *requests)
{
	char *room = ik_buf_reserve(&requests->in, READ_SIZE);
	ssize_t length = room ? recv(requests->fd, room, READ_SIZE, 0) : 0;

	if (length > 0) {
		ik_buf_commit(&requests->in, (size_t)length);
		take_lines(requests);
	} else if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
		end(requests);
	}
}

static void on_socket(void *arg, int what)
{
	struct ik_requests *requests = arg;

	if (what & IK_WRITABLE)
		write_some(requests);
	if (what & IK_READABLE)
		read_some(requests);
}

/* Report the silence, then kill a program that stays silent. */
static void on_silence(void *arg)
{
	struct ik_requests *requests = arg;
	const struct ik_store_read *read = requests->first;
	bool quick = read && !(read->flags & IK_REQUEST_LONG);
	struct ik_error error;

	if (!read || requests->fd < 0)
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
		if (requests->process)
			ik_process_signal(requests->process, SIGKILL);
		if (requests->fd >= 0)
			end(requests);
	} else {
		ik_timer_start(requests->silence, requests->patience_ms);
	}
}

struct ik_requests *ik_requests_new(struct ik_loop *loop, const struct ik_store_place *place,
	int64_t patience_ms, const struct ik_requests_events *events, void *arg)
{
	struct ik_requests *requests = ik_alloc(sizeof(*requests));

	requests->loop = loop;
	requests->place = place;
	requests->fd = -1;
	ik_buf_init(&requests->in, IK_LIMIT_ENVELOPE);
	ik_buf_init(&requests->out, IK_LIMIT_ENVELOPE);
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

/* Outside the loop: wait until until_ms for the program, then process the socket's events. Return
 * false if the program was silent, or none runs. */
static bool wait_for_program(struct ik_requests *requests, int64_t until_ms)
{
	struct pollfd ready = { .fd = requests->fd, .events = POLLIN };
	int64_t left = until_ms - ik_clock_ms();

	if (requests->fd < 0 || left <= 0)
		return false;
	if (requests->out.length > 0)
		ready.events |= POLLOUT;
	if (poll(&ready, 1, (int)left) <= 0)
		return false;
	on_socket(requests,
		(ready.revents & POLLOUT ? IK_WRITABLE : 0) | (ready.revents & ~POLLOUT ? IK_READABLE : 0));
	return true;
}

void ik_requests_finish(struct ik_requests *requests, int64_t milliseconds, int64_t end_ms)
{
	int64_t until = ik_clock_ms() + milliseconds;

	ik_loop_cancel_deferred(requests->loop, send_now, requests);
	requests->finishing = true;
	forget_others(requests);
	do
		send_all(requests); /* an answer may have caused another request */
	while (requests->first && wait_for_program(requests, until));
	/* Nothing more is sent: the program exits by itself. */
	if (requests->fd >= 0)
		(void)shutdown(requests->fd, SHUT_WR);
	until = ik_clock_ms() + end_ms;
	while (wait_for_program(requests, until))
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
	ik_buf_done(&requests->in);
	ik_buf_done(&requests->out);
	free(requests);
	return NULL;
}
