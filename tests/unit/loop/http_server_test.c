#include "fixture.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "net/http_server.h"
#include "util/buf.h"
#include "util/limits.h"

/* A server, one raw client, and what each saw. */
struct scene {
	struct ik_loop *loop;
	struct ik_http_server *server;
	struct ik_http_exchange *exchange; /* the one that waits for its answer */
	int request_count;
	int gone_count;
	bool requested;
	bool gone;
	char method[16];
	char path[64];
	struct ik_buf request_body;
	bool answer_at_once;
	bool close_in_request;
	int fd;
	struct ik_watch *watch;
	struct ik_buf answer;
	const char *wanted; /* in answer */
	bool ended;         /* the server closed */
};

static void send_answer(struct ik_http_exchange *exchange)
{
	ik_http_exchange_begin(exchange, 200, "text/event-stream");
	ik_http_exchange_chunk(exchange, "hello", 5);
	ik_http_exchange_end(exchange);
}

static void on_request(void *arg, struct ik_http_exchange *exchange, const char *method,
	const char *path, const char *body, size_t body_length)
{
	struct scene *scene = arg;

	scene->request_count++;
	scene->requested = true;
	snprintf(scene->method, sizeof(scene->method), "%s", method);
	snprintf(scene->path, sizeof(scene->path), "%s", path);
	ik_buf_clear(&scene->request_body);
	ik_buf_append(&scene->request_body, body, body_length);
	ik_http_exchange_set_data(exchange, scene);
	scene->exchange = exchange;
	if (scene->answer_at_once)
		send_answer(exchange);
	if (scene->close_in_request)
		scene->server = ik_http_server_close(scene->server);
}

static void on_gone(void *arg, struct ik_http_exchange *exchange)
{
	struct scene *scene = arg;

	cr_assert_eq(exchange, scene->exchange);
	cr_assert_eq(ik_http_exchange_data(exchange), scene);
	scene->gone_count++;
	scene->gone = true;
	scene->exchange = NULL;
}

static void answer_readable(void *arg, int what)
{
	struct scene *scene = arg;
	char bytes[4096];
	ssize_t length = recv(scene->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (length < 0 && errno == EAGAIN)
		return;
	if (length > 0) {
		ik_buf_append(&scene->answer, bytes, (size_t)length);
	} else {
		scene->ended = true;
		ik_watch_set(scene->watch, 0, NULL);
	}
}

static void hang_up(struct scene *scene)
{
	scene->watch = ik_watch_close(scene->watch);
	if (scene->fd >= 0)
		close(scene->fd);
	scene->fd = -1;
}

static void connect_client(struct scene *scene)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)ik_http_server_port(scene->server)) };

	scene->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(connect(scene->fd, (struct sockaddr *)&address, sizeof(address)), 0);
	scene->watch = ik_watch_new(scene->loop, scene->fd, answer_readable, scene);
	cr_assert_eq(ik_watch_set(scene->watch, IK_READABLE, NULL), IK_OK);
}

static void send_text(struct scene *scene, const char *text)
{
	cr_assert_eq(send(scene->fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static void begin(struct scene *scene)
{
	static const struct ik_http_server_events events = { on_request, on_gone };
	struct ik_error error;

	memset(scene, 0, sizeof(*scene));
	scene->loop = fixture_loop();
	ik_buf_init(&scene->request_body, IK_MIB(16));
	ik_buf_init(&scene->answer, IK_MIB(16));
	scene->server = ik_http_server_new(scene->loop, &events, scene, &error);
	cr_assert_not_null(scene->server, "%s", error.text);
	cr_assert_gt(ik_http_server_port(scene->server), 0);
	connect_client(scene);
}

static void end(struct scene *scene)
{
	hang_up(scene);
	ik_http_server_close(scene->server);
	ik_buf_done(&scene->request_body);
	ik_buf_done(&scene->answer);
	fixture_end(scene->loop);
}

static bool answer_lacks(void *arg)
{
	struct scene *scene = arg;

	return strstr(scene->answer.data, scene->wanted) == NULL;
}

static void wait_for(struct scene *scene, const char *text)
{
	scene->wanted = text;
	fixture_run_while(scene->loop, answer_lacks, scene);
}

#define POST "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"

Test(http_server, request_whole_and_answer_in_chunks_at_the_handlers_pace)
{
	struct scene scene;

	begin(&scene);
	send_text(&scene, "POST /v1/chat/completions?a=b HTTP/1.1\r\nHost: x\r\nConte");
	fixture_run_for(scene.loop, 10);
	send_text(&scene, "nt-Length: 4\r\n\r\nbo");
	fixture_run_for(scene.loop, 10);
	cr_assert_not(scene.requested);
	send_text(&scene, "dy");
	fixture_run_until(scene.loop, &scene.requested);
	cr_assert_str_eq(scene.method, "POST");
	cr_assert_str_eq(scene.path, "/v1/chat/completions?a=b");
	cr_assert_str_eq(scene.request_body.data, "body");

	ik_http_exchange_begin(scene.exchange, 200, "text/event-stream");
	ik_http_exchange_chunk(scene.exchange, "one", 3);
	wait_for(&scene, "3\r\none\r\n");
	cr_assert_not_null(strstr(scene.answer.data, "HTTP/1.1 200 OK\r\n"));
	cr_assert_not_null(strstr(scene.answer.data, "Content-Type: text/event-stream\r\n"));
	ik_http_exchange_chunk(scene.exchange, "two!", 4);
	wait_for(&scene, "4\r\ntwo!\r\n");
	ik_http_exchange_end(scene.exchange);
	wait_for(&scene, "0\r\n\r\n");
	cr_assert_eq(scene.gone_count, 0);
	end(&scene);
}

Test(http_server, answer_inside_the_request_and_connection_kept)
{
	struct scene scene;

	begin(&scene);
	scene.answer_at_once = true;
	send_text(&scene, POST);
	wait_for(&scene, "5\r\nhello\r\n0\r\n\r\n");
	ik_buf_clear(&scene.answer);
	send_text(&scene, "GET /again HTTP/1.1\r\nHost: x\r\n\r\n");
	wait_for(&scene, "5\r\nhello\r\n0\r\n\r\n");
	cr_assert_eq(scene.request_count, 2);
	cr_assert_str_eq(scene.method, "GET");
	cr_assert_str_eq(scene.path, "/again");
	cr_assert_eq(scene.request_body.length, 0);
	hang_up(&scene);
	fixture_run_for(scene.loop, 20);
	cr_assert_eq(scene.gone_count, 0, "nothing was open any more");
	end(&scene);
}

Test(http_server, client_that_leaves_before_the_answer_is_noticed)
{
	struct scene scene;

	begin(&scene);
	send_text(&scene, POST);
	fixture_run_until(scene.loop, &scene.requested);
	hang_up(&scene);
	fixture_run_for(scene.loop, 20);
	cr_assert_eq(scene.gone_count, 0);
	ik_http_exchange_begin(scene.exchange, 200, "text/plain");
	ik_http_exchange_chunk(scene.exchange, "one", 3);
	cr_assert_eq(scene.gone_count, 0, "never inside a call");
	fixture_run_until(scene.loop, &scene.gone);
	fixture_run_for(scene.loop, 10);
	cr_assert_eq(scene.gone_count, 1);
	end(&scene);
}

Test(http_server, client_that_leaves_within_the_answer_is_noticed)
{
	struct scene scene;

	begin(&scene);
	send_text(&scene, POST);
	fixture_run_until(scene.loop, &scene.requested);
	ik_http_exchange_begin(scene.exchange, 200, "text/plain");
	ik_http_exchange_chunk(scene.exchange, "one", 3);
	wait_for(&scene, "one");
	hang_up(&scene);
	fixture_run_until(scene.loop, &scene.gone);
	cr_assert_eq(scene.gone_count, 1);
	end(&scene);
}

Test(http_server, pipelined_requests_are_answered_in_order)
{
	struct scene scene;

	begin(&scene);
	scene.answer_at_once = true;
	send_text(&scene, POST POST "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	fixture_run_until(scene.loop, &scene.ended);
	cr_assert_eq(scene.request_count, 3);
	cr_assert_str_eq(scene.path, "/last");
	end(&scene);
}

Test(http_server, second_request_while_the_first_is_being_answered)
{
	struct scene scene;

	begin(&scene);
	send_text(&scene, POST);
	fixture_run_until(scene.loop, &scene.requested);
	ik_http_exchange_begin(scene.exchange, 200, "text/plain");
	ik_http_exchange_chunk(scene.exchange, "first", 5);
	wait_for(&scene, "first");
	send_text(&scene, "GET /second HTTP/1.1\r\nHost: x\r\n\r\n");
	fixture_run_for(scene.loop, 20);
	cr_assert_eq(scene.request_count, 1);
	scene.answer_at_once = true;
	ik_http_exchange_end(scene.exchange);
	wait_for(&scene, "hello");
	cr_assert_str_eq(scene.path, "/second");
	end(&scene);
}

Test(http_server, bad_requests_never_reach_the_handler)
{
	static const char *const rows[][2] = {
		{ "nonsense\r\n\r\n", "400" },
		{ "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n", "413" },
		{ "DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", "501" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scene scene;

		begin(&scene);
		send_text(&scene, rows[i][0]);
		wait_for(&scene, rows[i][1]);
		cr_assert_eq(scene.request_count, 0);
		end(&scene);
	}
}

Test(http_server, close_with_an_open_exchange_is_silent)
{
	struct scene scene;

	begin(&scene);
	send_text(&scene, POST);
	fixture_run_until(scene.loop, &scene.requested);
	ik_http_exchange_begin(scene.exchange, 200, "text/plain");
	ik_http_exchange_chunk(scene.exchange, "one", 3);
	scene.server = ik_http_server_close(scene.server);
	fixture_run_until(scene.loop, &scene.ended);
	cr_assert_eq(scene.gone_count, 0);
	end(&scene);
}

Test(http_server, close_inside_the_request_is_silent)
{
	struct scene scene;

	begin(&scene);
	scene.close_in_request = true;
	send_text(&scene, POST);
	fixture_run_until(scene.loop, &scene.ended);
	cr_assert_eq(scene.gone_count, 0);
	end(&scene);
}

/* Counts the turns of a loop, in which a client cannot be taken at first. */
struct shortage {
	struct scene *scene;
	int turns;
	bool over;
};

static void count_turn(void *arg)
{
	struct shortage *shortage = arg;

	shortage->turns++;
}

static void end_shortage(void *arg)
{
	struct shortage *shortage = arg;
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	shortage->over = true;
	ik_loop_stop(shortage->scene->loop);
}

Test(http_server, rests_while_there_is_no_descriptor_for_a_client)
{
	struct scene scene;
	struct shortage shortage = { .scene = &scene };
	struct rlimit limit;
	struct ik_timer *timer;

	begin(&scene);
	scene.answer_at_once = true;
	send_text(&scene, POST);
	timer = ik_timer_new(scene.loop, end_shortage, &shortage);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &limit);
	ik_timer_start(timer, 50);
	ik_loop_before_sleep(scene.loop, count_turn, &shortage);
	cr_assert_eq(ik_loop_run(scene.loop, NULL), IK_OK);
	cr_assert(shortage.over);
	cr_assert_eq(scene.request_count, 0);
	cr_assert_lt(shortage.turns, 10);
	ik_loop_before_sleep(scene.loop, NULL, NULL);

	wait_for(&scene, "5\r\nhello\r\n0\r\n\r\n");
	ik_timer_close(timer);
	end(&scene);
}
