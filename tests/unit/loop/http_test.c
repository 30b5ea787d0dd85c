#include "fixture.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "net/http.h"
#include "raw_server.h"
#include "util/clock.h"
#include "util/limits.h"

/* A request and what came of it. */
struct fetch {
	struct ik_loop *loop;
	struct ik_http *http;
	struct raw_server *server;
	struct ik_http_request *request;
	struct ik_buf body;
	int status;
	char content_type[64];
	int head_count;
	int done_count;
	bool done;
	enum ik_http_failure failure;
	int result_status;
	char message[600];
	int64_t retry_after_ms;
	bool close_in_body;
	bool start_in_body; /* a second request, into other */
	struct fetch *other;
	struct ik_http_spec spec;
	char url[128];
};

static const struct ik_http_events events;

static void on_headers(void *arg, int status, const char *content_type)
{
	struct fetch *fetch = arg;

	cr_assert_eq(fetch->body.length, 0, "the head comes before the body");
	fetch->head_count++;
	fetch->status = status;
	snprintf(fetch->content_type, sizeof(fetch->content_type), "%s",
		content_type != NULL ? content_type : "-");
}

static void on_body(void *arg, const char *bytes, size_t length)
{
	struct fetch *fetch = arg;

	cr_assert_eq(fetch->head_count, 1);
	ik_buf_append(&fetch->body, bytes, length);
	if (fetch->start_in_body) {
		fetch->start_in_body = false;
		fetch->other->request = ik_http_start(fetch->http, &fetch->other->spec, &events,
			fetch->other);
	}
	if (fetch->close_in_body) {
		fetch->request = ik_http_close(fetch->request);
		fetch->done = true;
	}
}

static void on_done(void *arg, const struct ik_http_result *result)
{
	struct fetch *fetch = arg;

	fetch->done_count++;
	fetch->done = true;
	fetch->failure = result->failure;
	fetch->result_status = result->status;
	fetch->retry_after_ms = result->retry_after_ms;
	snprintf(fetch->message, sizeof(fetch->message), "%s", result->message);
	fetch->request = ik_http_close(fetch->request);
}

static const struct ik_http_events events = { on_headers, on_body, on_done };

/* A client, a server with this script, and a POST to it. */
static void prepare(struct fetch *fetch, const struct raw_script *script)
{
	const struct ik_http_options options = { .connect_timeout_ms = 5000 };

	memset(fetch, 0, sizeof(*fetch));
	fetch->loop = fixture_loop();
	fetch->http = ik_http_new(fetch->loop, &options);
	fetch->server = raw_server_new(fetch->loop, script);
	ik_buf_init(&fetch->body, IK_MIB(64));
	snprintf(fetch->url, sizeof(fetch->url), "http://127.0.0.1:%d/v1/chat",
		raw_server_port(fetch->server));
	fetch->spec = (struct ik_http_spec){ .url = fetch->url,
		.body = "{}", .body_length = 2, .idle_timeout_ms = 10000 };
}

static void start(struct fetch *fetch)
{
	fetch->request = ik_http_start(fetch->http, &fetch->spec, &events, fetch);
	cr_assert_eq(fetch->done_count, 0, "done inside start");
}

static void finish(struct fetch *fetch)
{
	raw_server_close(fetch->server);
	ik_http_free(fetch->http);
	ik_buf_done(&fetch->body);
	fixture_end(fetch->loop);
}

static void run(struct fetch *fetch, const struct raw_script *script)
{
	prepare(fetch, script);
	start(fetch);
	fixture_run_until(fetch->loop, &fetch->done);
	fixture_run_for(fetch->loop, 10);
	cr_assert_eq(fetch->done_count, 1);
}

static bool client_stays(void *arg)
{
	return raw_server_clients_gone(((struct fetch *)arg)->server) == 0;
}

/* Turn until the client has closed its connection. */
static void wait_for_hang_up(struct fetch *fetch)
{
	fixture_run_while(fetch->loop, client_stays, fetch);
	cr_assert_eq(raw_server_clients_gone(fetch->server), 1);
}

static bool body_is_empty(void *arg)
{
	return ((struct fetch *)arg)->body.length == 0;
}

#define PIECES(...) (const char *const[]){ __VA_ARGS__, NULL }
#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"

Test(http, answer_in_any_split)
{
	static const char answer[] = HEAD "Transfer-Encoding: chunked\r\n\r\n"
		"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
	static char bytes[sizeof(answer)][2];
	const char *pieces[sizeof(answer)];
	const struct raw_script script = { .pieces = pieces };
	struct fetch fetch;

	for (size_t i = 0; i < sizeof(answer) - 1; i++) {
		bytes[i][0] = answer[i];
		pieces[i] = bytes[i];
	}
	pieces[sizeof(answer) - 1] = NULL;
	run(&fetch, &script);
	cr_assert_eq(fetch.failure, IK_HTTP_OK, "%s", fetch.message);
	cr_assert_str_eq(fetch.message, "");
	cr_assert_eq(fetch.status, 200);
	cr_assert_eq(fetch.result_status, 200);
	cr_assert_str_eq(fetch.content_type, "text/event-stream");
	cr_assert_str_eq(fetch.body.data, "hello world");
	cr_assert_eq(fetch.retry_after_ms, -1);
	finish(&fetch);
}

Test(http, request_arrives_as_it_was_given)
{
	static const char *const headers[] = { "Content-Type: application/json",
		"Authorization: Bearer key", NULL };
	const struct raw_script script = { .pieces = PIECES(HEAD "Content-Length: 0\r\n\r\n"),
		.end = RAW_STALL };
	const size_t length = 3 * 1000 * 1000;
	char *body = malloc(length);
	const struct ik_buf *request;
	struct fetch fetch;
	const char *head_end;

	cr_assert_not_null(body);
	memset(body, 'x', length);
	body[7] = '\0';
	prepare(&fetch, &script);
	fetch.spec.headers = headers;
	fetch.spec.body = body;
	fetch.spec.body_length = length;
	start(&fetch);
	fixture_run_until(fetch.loop, &fetch.done);
	cr_assert_eq(fetch.failure, IK_HTTP_OK, "%s", fetch.message);
	request = raw_server_request(fetch.server);
	cr_assert(strncmp(request->data, "POST /v1/chat HTTP/1.1\r\n", 24) == 0);
	cr_assert_not_null(strstr(request->data, "\r\nContent-Type: application/json\r\n"));
	cr_assert_not_null(strstr(request->data, "\r\nAuthorization: Bearer key\r\n"));
	cr_assert_not_null(strstr(request->data, "\r\nUser-Agent: ikigai/"));
	cr_assert_null(strcasestr(request->data, "\r\nExpect:"));
	head_end = strstr(request->data, "\r\n\r\n") + 4;
	cr_assert_eq(request->length - (size_t)(head_end - request->data), length);
	cr_assert_eq(memcmp(head_end, body, length), 0);
	free(body);
	finish(&fetch);
}

Test(http, get_without_content_type)
{
	const struct raw_script script = { .pieces = PIECES("HTTP/1.0 200 OK\r\n\r\n", "to the", " end") };
	struct fetch fetch;

	prepare(&fetch, &script);
	fetch.spec.body = NULL;
	fetch.spec.body_length = 0;
	start(&fetch);
	fixture_run_until(fetch.loop, &fetch.done);
	cr_assert_eq(fetch.failure, IK_HTTP_OK);
	cr_assert_str_eq(fetch.content_type, "-");
	cr_assert_str_eq(fetch.body.data, "to the end");
	cr_assert(strncmp(raw_server_request(fetch.server)->data, "GET ", 4) == 0);
	finish(&fetch);
}

Test(http, error_status_comes_with_its_body_and_retry_after)
{
	const struct raw_script script = { .pieces = PIECES(
		"HTTP/1.1 429 Too Many\r\nretry-After:  7\r\nContent-Length: 4\r\n\r\nslow") };
	struct fetch fetch;

	run(&fetch, &script);
	cr_assert_eq(fetch.failure, IK_HTTP_OK);
	cr_assert_eq(fetch.status, 429);
	cr_assert_eq(fetch.retry_after_ms, 7000);
	cr_assert_str_eq(fetch.body.data, "slow");
	finish(&fetch);
}

/* Make a request whose answer says how long to wait; return that. */
static int64_t retry_after_header(const char *name, const char *value)
{
	char answer[200];
	const struct raw_script script = { .pieces = PIECES(answer) };
	struct fetch fetch;

	snprintf(answer, sizeof(answer), "HTTP/1.1 503 Busy\r\n%s: %s\r\n"
		"Content-Length: 0\r\n\r\n", name, value);
	run(&fetch, &script);
	cr_assert_eq(fetch.failure, IK_HTTP_OK);
	finish(&fetch);
	return fetch.retry_after_ms;
}

static int64_t retry_after(const char *value)
{
	return retry_after_header("Retry-After", value);
}

Test(http, a_retry_after_without_end_is_a_long_one)
{
	cr_assert_eq(retry_after_header("retry-after-ms", "1250"), 1250);
	cr_assert_eq(retry_after("999999"), 999999000);
	cr_assert_eq(retry_after("1000001"), 1000000000);
	cr_assert_eq(retry_after("99999999999999999999999"), 1000000000);
	cr_assert_eq(retry_after("1.5"), 1500);
	cr_assert_eq(retry_after("0"), -1);
	cr_assert_eq(retry_after("-5"), -1);
	cr_assert_eq(retry_after("soon"), -1);
	cr_assert_eq(retry_after("nan"), -1);
}

Test(http, retry_after_as_a_date)
{
	const time_t then = time(NULL) + 30;
	char date[64];
	int64_t wait;

	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime(&then));
	wait = retry_after(date);
	cr_assert(wait > 25000 && wait <= 30000, "%d", (int)wait);
}

Test(http, redirect_is_not_followed)
{
	const struct raw_script script = { .pieces = PIECES(
		"HTTP/1.1 307 Elsewhere\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n") };
	struct fetch fetch;

	run(&fetch, &script);
	cr_assert_eq(fetch.failure, IK_HTTP_OK);
	cr_assert_eq(fetch.status, 307);
	cr_assert_null(strstr(raw_server_request(fetch.server)->data, "/other"));
	finish(&fetch);
}

Test(http, interim_answers_are_not_the_head)
{
	const struct raw_script script = { .pieces = PIECES("HTTP/1.1 103 Early Hints\r\n\r\n",
		"HTTP/1.1 201 Made\r\nContent-Length: 2\r\n\r\nok") };
	struct fetch fetch;

	run(&fetch, &script);
	cr_assert_eq(fetch.status, 201);
	cr_assert_eq(fetch.head_count, 1);
	cr_assert_str_eq(fetch.body.data, "ok");
	finish(&fetch);
}

Test(http, stall_ends_with_the_idle_time_out)
{
	const struct raw_script script = { .end = RAW_STALL,
		.pieces = PIECES(HEAD "Content-Length: 100\r\n\r\nhalf") };
	struct fetch fetch;
	int64_t before = ik_clock_ms();

	prepare(&fetch, &script);
	fetch.spec.idle_timeout_ms = 200;
	start(&fetch);
	fixture_run_until(fetch.loop, &fetch.done);
	cr_assert_eq(fetch.failure, IK_HTTP_TIMEOUT);
	cr_assert_not_null(strstr(fetch.message, "has sent nothing for 0.2 s"), "%s", fetch.message);
	cr_assert_str_eq(fetch.body.data, "half");
	cr_assert_eq(fetch.result_status, 200);
	cr_assert_geq(ik_clock_ms() - before, 200);
	wait_for_hang_up(&fetch);
	finish(&fetch);
}

Test(http, bytes_restart_the_idle_clock)
{
	const struct raw_script script = { .pause_ms = 250, .pieces = PIECES(
		HEAD "\r\n", "1", "2", "3", "4", "5", "6", "7", "8") };
	struct fetch fetch;

	prepare(&fetch, &script);
	fetch.spec.idle_timeout_ms = 1800;
	start(&fetch);
	fixture_run_until(fetch.loop, &fetch.done);
	cr_assert_eq(fetch.failure, IK_HTTP_OK, "%s", fetch.message);
	cr_assert_str_eq(fetch.body.data, "12345678");
	finish(&fetch);
}

/* Start a fetch against a server that does as script says; expect the failure. */
static void expect_failure(const struct raw_script *script, enum ik_http_failure failure,
	const char *words)
{
	struct fetch fetch;

	run(&fetch, script);
	cr_assert_eq(fetch.failure, failure, "%d: %s", fetch.failure, fetch.message);
	cr_assert_not_null(strstr(fetch.message, words), "%s", fetch.message);
	finish(&fetch);
}

Test(http, early_ends_are_broken_connections)
{
	const struct raw_script half = { .pieces = PIECES(HEAD "Content-Length: 100\r\n\r\nhalf") };
	const struct raw_script chunk = { .pieces = PIECES(
		HEAD "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n") };
	const struct raw_script nothing = { .pieces = (const char *const[]){ NULL } };
	const struct raw_script reset = { .end = RAW_RESET,
		.pieces = PIECES(HEAD "Content-Length: 100\r\n\r\nhalf") };
	const struct raw_script garbage = { .pieces = PIECES("SSH-2.0-OpenSSH_9.2\r\n") };

	expect_failure(&half, IK_HTTP_BROKEN, "the connection to 127.0.0.1:");
	expect_failure(&chunk, IK_HTTP_BROKEN, "the connection to 127.0.0.1:");
	expect_failure(&nothing, IK_HTTP_BROKEN, "closed the connection without an answer");
	expect_failure(&reset, IK_HTTP_BROKEN, "the connection to 127.0.0.1:");
	expect_failure(&garbage, IK_HTTP_CONNECT, "is no HTTP");
}

/* A port of this machine on which nobody listens. */
static int closed_port(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	cr_assert_eq(bind(fd, (struct sockaddr *)&address, length), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	close(fd);
	return ntohs(address.sin_port);
}

/* Fetch url and expect it to fail like this. */
static void expect_url(const char *url, enum ik_http_failure failure, const char *words)
{
	const struct raw_script script = { .pieces = PIECES("not TLS\r\n"), .answer_at_once = true };
	struct fetch fetch;

	prepare(&fetch, &script);
	if (url != NULL)
		fetch.spec.url = url;
	else
		snprintf(fetch.url, sizeof(fetch.url), "https://127.0.0.1:%d/",
			raw_server_port(fetch.server));
	start(&fetch);
	fixture_run_until(fetch.loop, &fetch.done);
	cr_assert_eq(fetch.failure, failure, "%d: %s", fetch.failure, fetch.message);
	cr_assert_not_null(strstr(fetch.message, words), "%s", fetch.message);
	cr_assert_eq(fetch.result_status, 0);
	cr_assert_eq(fetch.head_count, 0);
	finish(&fetch);
}

Test(http, what_goes_wrong_before_the_answer_is_told_in_words)
{
	char url[64], words[100];
	int port = closed_port();

	snprintf(url, sizeof(url), "http://user:secret@127.0.0.1:%d/", port);
	snprintf(words, sizeof(words), "cannot connect to 127.0.0.1:%d: connection refused", port);
	expect_url(url, IK_HTTP_CONNECT, words);
	expect_url("http://nobody.invalid/", IK_HTTP_CONNECT, "cannot find the host nobody.invalid");
	expect_url("ftp://127.0.0.1/", IK_HTTP_CONNECT, "not an http or https address");
	expect_url("", IK_HTTP_CONNECT, "not an http or https address");
	expect_url(NULL, IK_HTTP_TLS, "does not speak TLS. Does the base_url");
}

Test(http, loopback_goes_past_the_proxy_of_the_environment)
{
	const struct raw_script script = { .pieces = PIECES(HEAD "Content-Length: 0\r\n\r\n") };
	struct fetch fetch;
	char proxy[64];

	snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%d", closed_port());
	setenv("http_proxy", proxy, 1);
	run(&fetch, &script);
	cr_assert_eq(fetch.failure, IK_HTTP_OK, "%s", fetch.message);
	finish(&fetch);
}

Test(http, proxy_is_used_for_other_hosts)
{
	const struct raw_script script = { .pieces = PIECES(HEAD "Content-Length: 0\r\n\r\n") };
	struct fetch fetch;
	char proxy[64];

	prepare(&fetch, &script);
	snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%d", raw_server_port(fetch.server));
	setenv("http_proxy", proxy, 1);
	unsetenv("no_proxy");
	unsetenv("NO_PROXY");
	fetch.spec.url = "http://models.example/v1";
	start(&fetch);
	fixture_run_until(fetch.loop, &fetch.done);
	cr_assert_eq(fetch.failure, IK_HTTP_OK, "%s", fetch.message);
	cr_assert_not_null(strstr(raw_server_request(fetch.server)->data,
		"POST http://models.example/v1 HTTP/1.1"));
	finish(&fetch);
}

Test(http, close_inside_body_is_silent)
{
	const struct raw_script script = { .pieces = PIECES(HEAD "\r\none"), .end = RAW_STALL };
	struct fetch fetch;

	prepare(&fetch, &script);
	fetch.close_in_body = true;
	start(&fetch);
	fixture_run_until(fetch.loop, &fetch.done);
	wait_for_hang_up(&fetch);
	cr_assert_eq(fetch.done_count, 0);
	finish(&fetch);
}

Test(http, client_freed_right_after_the_close_of_a_running_request)
{
	const struct raw_script script = { .pieces = PIECES(HEAD "\r\none"), .end = RAW_STALL };
	struct fetch fetch;

	prepare(&fetch, &script);
	start(&fetch);
	fixture_run_while(fetch.loop, body_is_empty, &fetch);
	ik_http_close(fetch.request);
	finish(&fetch);
	cr_assert_eq(fetch.done_count, 0);
}

/* The server says that it closes: otherwise the second request may take over one connection
 * after the other that are just being closed, and libcurl gives up at the sixth. */
Test(http, start_inside_body_and_many_at_once)
{
	const struct raw_script script = { .pieces = PIECES(HEAD "Connection: close\r\n"
		"Content-Length: 3\r\n\r\none"), .pause_ms = 5, .end = RAW_CLOSE };
	struct fetch fetch, other, more[5];

	prepare(&fetch, &script);
	other = fetch;
	fetch.other = &other;
	fetch.start_in_body = true;
	start(&fetch);
	for (int i = 0; i < 5; i++) {
		more[i] = fetch;
		more[i].start_in_body = false;
		start(&more[i]);
	}
	fixture_run_until(fetch.loop, &other.done);
	fixture_run_until(fetch.loop, &fetch.done);
	for (int i = 0; i < 5; i++) {
		fixture_run_until(fetch.loop, &more[i].done);
		cr_assert_str_eq(more[i].body.data, "one");
		ik_buf_done(&more[i].body);
	}
	cr_assert_str_eq(other.body.data, "one", "%s", other.message);
	ik_buf_done(&other.body);
	finish(&fetch);
}

static void count_turn(void *arg)
{
	(*(int *)arg)++;
}

Test(http, nothing_wakes_the_loop_after_the_end)
{
	const struct raw_script script = { .pieces = PIECES(HEAD "Content-Length: 2\r\n\r\nok"),
		.end = RAW_STALL };
	struct ik_error error;
	struct fetch fetch;
	int turns = 0;

	run(&fetch, &script);
	fixture_run_for(fetch.loop, 50);
	ik_loop_before_sleep(fetch.loop, count_turn, &turns);
	{
		struct ik_timer *timer = ik_timer_new(fetch.loop, (void (*)(void *))ik_loop_stop,
			fetch.loop);

		ik_timer_start(timer, 1500);
		cr_assert_eq(ik_loop_run(fetch.loop, &error), IK_OK);
		ik_timer_close(timer);
	}
	cr_assert_eq(turns, 2);
	finish(&fetch);
}

Test(http, addresses)
{
	static const struct { const char *url, *address; bool loopback; } rows[] = {
		{ "https://api.example.com/v1", "api.example.com", false },
		{ "http://u:p@127.0.0.1:80?x=@y", "127.0.0.1:80", true },
		{ "http://[::1]:8080#f", "[::1]:8080", true },
		{ "http://localhost:1/", "localhost:1", true },
		{ "http://127.0.0.1:/v1", "127.0.0.1", true },
		{ "https://[::1]:", "[::1]", true },
		{ "http://localhost.example/", "localhost.example", false },
		{ "localhost", "localhost", true },
		{ "", "", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *address = ik_address_of(rows[i].url);

		cr_assert_str_eq(address, rows[i].address);
		cr_assert_eq(ik_address_is_loopback(address), rows[i].loopback, "%s", address);
		free(address);
	}
}
