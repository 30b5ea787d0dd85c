#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "net/http.h"
#include "raw_server.h"

/* A POST with a body of letters. */
struct post {
	struct ik_loop *loop;
	struct ik_http *http;
	struct raw_server *server;
	struct ik_http_request *request;
	bool done;
	enum ik_http_failure failure;
	char message[600];
	struct ik_http_spec spec;
	struct ik_buf letters;
	char url[128];
};

static void on_body(void *arg, const char *bytes, size_t length)
{
}

static void on_done(void *arg, const struct ik_http_result *result)
{
	struct post *post = arg;

	post->done = true;
	post->failure = result->failure;
	snprintf(post->message, sizeof(post->message), "%s", result->message);
	post->request = ik_http_close(post->request);
}

/* A client, and a server that keeps its connections open. */
static void prepare(struct post *post, size_t length)
{
	static const char *const answer[] = { "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", NULL };
	static const struct raw_script script = { .pieces = answer, .end = RAW_STALL,
		.hangs_up_on_second = true };
	static const struct ik_http_options options = { .connect_timeout_ms = 5000 };

	memset(post, 0, sizeof(*post));
	post->loop = fixture_loop();
	post->http = ik_http_new(post->loop, &options);
	post->server = raw_server_new(post->loop, &script);
	snprintf(post->url, sizeof(post->url), "http://127.0.0.1:%d/", raw_server_port(post->server));
	ik_buf_init(&post->letters, length + 1);
	for (size_t i = 0; i < length; i++)
		ik_buf_putc(&post->letters, (char)('a' + i % 23));
	post->spec = (struct ik_http_spec){ .url = post->url,
		.body = post->letters.data, .body_length = length };
}

static void run(struct post *post)
{
	static const struct ik_http_events events = { .body = on_body, .done = on_done };

	post->done = false;
	post->request = ik_http_start(post->http, &post->spec, &events, post);
	fixture_run_until(post->loop, &post->done);
}

static void finish(struct post *post)
{
	ik_buf_done(&post->letters);
	raw_server_close(post->server);
	ik_http_free(post->http);
	fixture_end(post->loop);
}

/* Assert that what the server got last is the whole body. */
static void assert_letters(const struct post *post)
{
	const struct ik_buf *got = raw_server_request(post->server);
	size_t length = post->spec.body_length;
	const char *body = got->data + got->length - length;

	cr_assert_eq(post->failure, IK_HTTP_OK, "%s", post->message);
	cr_assert(got->length > length && memcmp(body - 4, "\r\n\r\n", 4) == 0);
	cr_assert_eq(memcmp(body, post->letters.data, length), 0);
}

Test(http_body, is_sent_whole)
{
	struct post post;

	prepare(&post, 1000 * 1000);
	run(&post);
	assert_letters(&post);
	cr_assert_not_null(strstr(raw_server_request(post.server)->data,
		"\r\nContent-Length: 1000000\r\n"));
	cr_assert_null(strcasestr(raw_server_request(post.server)->data, "chunked"));
	finish(&post);
}

/* A connection that was kept may be closed by the server just when it is used again. */
Test(http_body, is_sent_once_more_on_a_new_connection)
{
	struct post post;

	prepare(&post, 3000);
	for (int i = 0; i < 2; i++) {
		run(&post);
		assert_letters(&post);
	}
	finish(&post);
}
