/* Test the loopback server itself, before other tests use it. */
#include "loopback.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "json/scan.h"
#include "provider/formats.h"
#include "provider/wire/decoder.h"
#include "util/limits.h"

static struct loopback *server;

static void end(void)
{
	if (server)
		cr_assert_eq(loopback_stop(server), 0);
	server = NULL;
}

TestSuite(net, .fini = end, .timeout = 60);

/* Send a whole request on a connection. */
static void post(int fd, const char *path, const char *body)
{
	struct ik_buf request;
	ik_buf_init(&request, IK_LIMIT_REQUEST);
	ik_buf_printf(&request,
		"POST %s HTTP/1.1\r\nHost: x\r\nX-Name:  a b\r\n"
		"Content-Length: %zu\r\n\r\n",
		path, strlen(body));
	ik_buf_puts(&request, body);
	cr_assert_eq(send(fd, request.data, request.length, MSG_NOSIGNAL), (ssize_t)request.length);
	ik_buf_done(&request);
}

/* Read until what was read ends with end (NULL: until the connection ends). */
static void read_until(int fd, struct ik_buf *out, const char *last)
{
	char byte[4096];

	ik_buf_clear(out);
	for (;;) {
		ssize_t count = recv(fd, byte, last ? 1 : sizeof byte, 0);
		if (count < 0)
			ik_buf_puts(out, strerror(errno));
		if (count <= 0)
			break;
		ik_buf_append(out, byte, (size_t)count);
		size_t length = last ? strlen(last) : 0;
		if (last && out->length >= length && strcmp(out->data + out->length - length, last) == 0)
			return;
	}
	cr_assert_null(last, "the connection ended: %s", out->data);
}

/* Assert the end of the next record: its members in order. */
static void assert_end(const char *how, int request)
{
	struct ik_json_span value;
	int64_t number = 0;
	const char *record = loopback_record(server);
	cr_assert_not_null(record);
	cr_assert_eq(ik_json_check(record, strlen(record), &value, NULL), IK_OK);
	cr_assert(ik_json_integer(ik_json_member(value, "request"), &number));
	cr_assert_eq(number, request);
	cr_assert(ik_json_string_is(ik_json_member(value, "end"), how), "%s", record);
}

/* Assert that the next record is a request with this answer. */
static void assert_request(const char *path, const char *body, int answer)
{
	struct ik_json_span value;
	int64_t number = -1;
	const char *record = loopback_record(server);
	cr_assert_not_null(record);
	cr_assert_eq(ik_json_check(record, strlen(record), &value, NULL), IK_OK);
	cr_assert(ik_json_string_is(ik_json_member(value, "method"), "POST"), "%s", record);
	cr_assert(ik_json_string_is(ik_json_member(value, "path"), path), "%s", record);
	cr_assert(ik_json_string_is(ik_json_at(value, "headers.x-name"), "a b"), "%s", record);
	cr_assert(ik_json_string_is(ik_json_member(value, "body"), body), "%s", record);
	cr_assert(ik_json_integer(ik_json_member(value, "answer"), &number));
	cr_assert_eq(number, answer);
}

Test(net, frames_and_keeps_the_connection)
{
	struct ik_buf got;
	ik_buf_init(&got, IK_LIMIT_REPLY);
	server =
		loopback_start("# two answers\nanswer\n  header X-A: b\n  send one\\n\n  event {\"x\":1}\n"
					   "answer\n  framing length\n  status 404\n  send caf\\xc3\\xa9\n  send !\n"
					   "answer\n  framing close\n  send bye\n");
	int fd = loopback_connect(server);

	post(fd, "/a", "first");
	read_until(fd, &got, "0\r\n\r\n");
	cr_assert_str_eq(got.data,
		"HTTP/1.1 200 Status 200\r\nX-A: b\r\n"
		"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
		"4\r\none\n\r\nf\r\ndata: {\"x\":1}\n\n\r\n0\r\n\r\n");
	post(fd, "/b", "");
	read_until(fd, &got, "!");
	cr_assert_str_eq(got.data,
		"HTTP/1.1 404 Status 404\r\nContent-Type: application/json\r\n"
		"Content-Length: 6\r\n\r\ncaf\xc3\xa9!");
	post(fd, "/c", "");
	read_until(fd, &got, NULL);
	cr_assert_str_eq(got.data,
		"HTTP/1.1 200 Status 200\r\nContent-Type: text/event-stream\r\n"
		"Connection: close\r\n\r\nbye");
	close(fd);
	assert_request("/a", "first", 1);
	assert_end("sent", 1);
	assert_request("/b", "", 2);
	assert_end("sent", 2);
	assert_request("/c", "", 3);
	assert_end("sent", 3);
	ik_buf_done(&got);
}

Test(net, chooses_answers)
{
	struct ik_buf got;
	ik_buf_init(&got, IK_LIMIT_REPLY);
	server = loopback_start("answer\nwhen /models\nframing close\nsend models\n"
							"answer 2\nwhen POST\nwhen needle\nframing close\nsend found\n"
							"answer always\nwhen X-Name:\nwhen hay\nframing close\nsend hay\n");
	static const struct {
		const char *path, *body, *text;
		int answer;
	} cases[] = {
		{ "/x", "hay with a needle", "found", 2 },
		{ "/models", "", "models", 1 },
		{ "/x", "hay with a needle", "found", 2 },
		{ "/x", "hay with a needle", "hay", 3 },
		{ "/models", "hay", "hay", 3 },
		{ "/x", "grass", "the scenario has no answer for this request\n", 0 },
	};
	for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
		int fd = loopback_connect(server);
		post(fd, cases[index].path, cases[index].body);
		read_until(fd, &got, NULL);
		cr_assert_str_eq(strstr(got.data, "\r\n\r\n") + 4, cases[index].text);
		close(fd);
		assert_request(cases[index].path, cases[index].body, cases[index].answer);
		if (cases[index].answer)
			assert_end("sent", (int)index + 1);
	}
	ik_buf_done(&got);
}

Test(net, stalls_until_it_is_released)
{
	struct ik_buf got;
	char byte;
	ik_buf_init(&got, IK_LIMIT_REPLY);
	server = loopback_start("answer\nframing close\nwait head\nhead\nwait body\nsend a\n"
							"wait third\nsend b\n");
	int fd = loopback_connect(server);

	post(fd, "/", "");
	assert_request("/", "", 1);
	cr_assert_eq(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
	loopback_go(server, "head");
	read_until(fd, &got, "\r\n\r\n");
	cr_assert_eq(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
	loopback_go(server, "body");
	read_until(fd, &got, "a");
	cr_assert_eq(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
	int other = loopback_connect(server);
	cr_assert_eq(send(other, "GET /_go/third HTTP/1.1\r\n\r\n", 27, 0), 27);
	read_until(fd, &got, NULL);
	cr_assert_str_eq(got.data, "b");
	close(other);
	close(fd);
	assert_end("sent", 1);
	ik_buf_done(&got);
}

Test(net, breaks_off)
{
	struct ik_buf got;
	ik_buf_init(&got, IK_LIMIT_REPLY);
	server =
		loopback_start("answer\nchat x\nclose\nchat never\nanswer\nhead\nreset\n"
					   "answer\nhang\nanswer\nframing raw\nsend SSH-2.0\\r\\n\nanswer\nclose\n");
	int fd = loopback_connect(server);
	post(fd, "/", "");
	read_until(fd, &got, NULL);
	cr_assert_not_null(strstr(got.data, "\"delta\":{\"content\":\"x\"}"));
	cr_assert_null(strstr(got.data, "0\r\n\r\n"));
	close(fd);
	assert_request("/", "", 1);
	assert_end("closed", 1);

	fd = loopback_connect(server);
	post(fd, "/", "");
	read_until(fd, &got, NULL);
	cr_assert_not_null(strstr(got.data, strerror(ECONNRESET)), "%s", got.data);
	close(fd);
	assert_request("/", "", 2);
	assert_end("reset", 2);

	fd = loopback_connect(server);
	post(fd, "/", "");
	assert_request("/", "", 3);
	close(fd);
	assert_end("client", 3);

	fd = loopback_connect(server);
	post(fd, "/", "");
	read_until(fd, &got, NULL);
	cr_assert_str_eq(got.data, "SSH-2.0\r\n");
	close(fd);
	assert_request("/", "", 4);
	assert_end("sent", 4);

	fd = loopback_connect(server);
	post(fd, "/", "");
	read_until(fd, &got, NULL);
	cr_assert_eq(got.length, 0);
	close(fd);
	ik_buf_done(&got);
}

static void collect(void *arg, const struct ik_delta *delta)
{
	struct ik_buf *text = arg;

	if (delta->kind == IK_DELTA_STOP)
		ik_buf_puts(text, "[stop]");
	else if (delta->kind == IK_DELTA_CALL)
		ik_buf_printf(text, "[%s %s]", delta->id ? delta->id : "-", delta->name);
	else if (delta->kind == IK_DELTA_OPAQUE)
		ik_buf_puts(text, "[kept]");
	else if (delta->kind == IK_DELTA_USAGE && delta->input_tokens)
		ik_buf_printf(text, "[usage %d %d]", (int)delta->input_tokens, (int)delta->output_tokens);
	else if (delta->kind == IK_DELTA_ERROR)
		ik_buf_printf(text, "[%s%s]%s", ik_error_code_word(delta->code),
			delta->retryable ? " again" : "", delta->text);
	else if (delta->text)
		ik_buf_append(text, delta->text, delta->text_length);
}

/* Read a body that ends with the connection through the real decoder. */
static void decode_reply_of(const char *type, struct ik_buf *text)
{
	const struct ik_wire_format *format = ik_wire_format_find(type);
	struct ik_stream_decoder *decoder = ik_decoder_new(format);
	struct ik_error error;
	struct ik_buf got;
	int fd = loopback_connect(server);
	ik_buf_init(&got, IK_LIMIT_REPLY);

	post(fd, "/", "");
	read_until(fd, &got, NULL);
	close(fd);
	const char *body = strstr(got.data, "\r\n\r\n") + 4;
	cr_assert_eq(ik_decoder_feed(decoder, body, (size_t)(got.data + got.length - body), collect, text,
					 &error),
		IK_OK);
	cr_assert_eq(ik_decoder_finish(decoder, collect, text, &error), IK_OK, "%s", error.text);
	ik_decoder_free(decoder);
	ik_buf_done(&got);
}

static void decode_reply(struct ik_buf *text)
{
	decode_reply_of("openai-chat", text);
}

Test(net, speaks_all_formats)
{
	static const struct {
		const char *type, *said;
	} wires[] = {
		{ "openai-chat",
			"h\nm[kept]Say \"hi\"[c1 glob]{\"pattern\": \"*\"}[c2 bash]{}[usage 3 4][stop]" },
		{ "openai-responses",
			"h\nm[kept]Say \"hi\"[c1 glob]{\"pattern\": \"*\"}[c2 bash]{}[usage 3 4][stop]" },
		{ "anthropic",
			"h\nm[kept]Say \"hi\"[c1 glob]{\"pattern\": \"*\"}[c2 bash]{}[usage 3 4][stop]" },
		{ "google",
			"h\nmSay \"hi\"[- glob]{\"pattern\": \"*\"}[kept][- bash]{}[kept][usage 3 4][stop]" },
	};
	struct ik_buf text, scenario;

	for (size_t index = 0; index < sizeof wires / sizeof *wires; index++) {
		ik_buf_init(&text, IK_LIMIT_REPLY);
		ik_buf_init(&scenario, IK_LIMIT_REPLY);
		ik_buf_printf(&scenario,
			"wire %s\nanswer\nframing close\nsplit 1\nthinking h\\nm\n"
			"chat Say \nchat \"hi\"\ncall 0 c1 glob\narguments 0 {\"pattern\":\n"
			"arguments 0  \"*\"}\ncall 1 c2 bash {}\nfinish tool_calls\nusage 3 4\ndone\n"
			"answer\nframing close\nchat x\nerror overloaded Too much\n",
			wires[index].type);
		server = loopback_start(scenario.data);
		decode_reply_of(wires[index].type, &text);
		cr_assert_str_eq(text.data, wires[index].said, "%s: %s", wires[index].type, text.data);
		ik_buf_clear(&text);
		decode_reply_of(wires[index].type, &text);
		cr_assert_str_eq(text.data, "x[PROVIDER again]Too much", "%s", wires[index].type);
		ik_buf_done(&text);
		ik_buf_done(&scenario);
		if (index + 1 < sizeof wires / sizeof *wires)
			cr_assert_eq(loopback_stop(server), 0);
	}
}

Test(net, speaks_the_chat_format)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_LIMIT_REPLY);
	server = loopback_start("answer\nframing close\nsplit 1\nthinking h\\nm\nchat Say \"hi\"\n"
							"call 0 c1 glob\narguments 0 {\"pattern\":\narguments 0  \"*\"}\n"
							"call 1 c2 bash {\"command\": \"a\\\"b\"}\nfinish tool_calls\nusage 3 "
							"4\ndone\n");
	decode_reply(&text);
	cr_assert_str_eq(text.data,
		"h\nm[kept]Say \"hi\"[c1 glob]{\"pattern\": \"*\"}"
		"[c2 bash]{\"command\": \"a\\\"b\"}[usage 3 4][stop]");
	ik_buf_done(&text);
}

Test(net, speaks_at_a_pace)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_LIMIT_REPLY);
	server =
		loopback_start("answer\npace 100\nframing close\nchat one \nchat two\nfinish stop\ndone\n");
	decode_reply(&text);
	cr_assert_str_eq(text.data, "one two[stop]");
	ik_buf_done(&text);
}

Test(net, streams_much)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_LIMIT_REPLY);
	server = loopback_start("answer\nframing close\ngenerate 2000 100\nfinish stop\ndone\n"
							"answer\nframing close\ngenerate 50 8 200\ndone\n");
	decode_reply(&text);
	cr_assert_eq(text.length, 200000 + strlen("[stop]"));
	ik_buf_clear(&text);
	decode_reply(&text);
	cr_assert_eq(text.length, 400 + strlen("[stop]"));
	ik_buf_done(&text);
}

Test(net, says_what_is_wrong_with_a_scenario)
{
	static const char *const scenarios[] = { "chat before\n", "answer maybe\n", "answer\nbogus 1\n",
		"answer\nstatus abc\n", "answer\nsend \\q\n", "answer\nfile /no/such/file\n",
		"answer\nframing none\n", "answer\nsleep\n", "answer\ngenerate 1 2\n" };
	for (size_t index = 0; index < sizeof scenarios / sizeof *scenarios; index++) {
		char path[] = "/tmp/ik-scenario-XXXXXX", command[500];
		const char *build = getenv("IK_TOP_BUILDDIR");
		int fd = mkstemp(path);
		cr_assert_eq(write(fd, scenarios[index], strlen(scenarios[index])),
			(ssize_t)strlen(scenarios[index]));
		close(fd);
		snprintf(command, sizeof command, "%s/tests/net/loopback_server %s 2>&1",
			build ? build : ".", path);
		FILE *output = popen(command, "r");
		char line[500] = "";
		cr_assert_not_null(fgets(line, sizeof line, output), "%s", scenarios[index]);
		cr_assert_eq(strncmp(line, "loopback_server: ", 17), 0, "%s", line);
		cr_assert_eq(pclose(output), 2 << 8, "%s", scenarios[index]);
		unlink(path);
	}
}
