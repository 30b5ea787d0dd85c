#include "util/sse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "util/limits.h"

/* "event=data;" for each event, line feeds in data as '|'. */
static void collect(void *arg, const char *event, const char *data, size_t length)
{
	struct ik_buf *out = arg;

	ik_buf_printf(out, "%s=", event);
	for (size_t at = 0; at < length; at++)
		ik_buf_putc(out, data[at] == '\n' ? '|' : data[at]);
	ik_buf_putc(out, ';');
}

/* Feed in pieces of exactly sized memory. */
static void feed(struct ik_sse *sse, const char *bytes, size_t length, struct ik_buf *out)
{
	char *piece = malloc(length ? length : 1);
	memcpy(piece, bytes, length);
	cr_assert_eq(ik_sse_feed(sse, piece, length, collect, out), IK_OK);
	free(piece);
}

/* Assert what a stream dispatches, in every split into two and every step. */
static void assert_events(const char *stream, size_t length, const char *events)
{
	for (size_t variant = 0; variant <= length * 2; variant++) {
		size_t first = variant <= length ? variant : 0;
		size_t step = variant <= length ? length + 1 : variant - length;
		struct ik_sse sse;
		struct ik_buf out;
		ik_sse_init(&sse, IK_LIMIT_SSE_EVENT);
		ik_buf_init(&out, 10000);
		feed(&sse, stream, first, &out);
		for (size_t at = first; at < length; at += step)
			feed(&sse, stream + at, length - at < step ? length - at : step, &out);
		cr_assert_str_eq(out.data, events, "first %zu, step %zu", first, step);
		ik_buf_done(&out);
		ik_sse_done(&sse);
	}
}

static void assert_stream(const char *stream, const char *events)
{
	assert_events(stream, strlen(stream), events);
}

/* The examples of the standard, section 9.2.6. */
Test(sse, reads_the_examples_of_the_standard)
{
	assert_stream("data: YHOO\ndata: +2\ndata: 10\n\n", "message=YHOO|+2|10;");
	assert_stream(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n"
		"data:  third event\n\n",
		"message=first event;message=second event;message= third event;");
	assert_stream("data\n\ndata\ndata\n\ndata:", "message=;message=|;");
	assert_stream("data:test\n\ndata: test\n\n", "message=test;message=test;");
}

Test(sse, takes_every_line_end)
{
	assert_stream("data: a\r\n\r\ndata: b\r\rdata: c\n\n", "message=a;message=b;message=c;");
	assert_stream("data: a\r\n\rdata: b\n\r\n", "message=a;message=b;");
	assert_stream("data: a\r\ndata: b\rdata: c\n\r\n", "message=a|b|c;");
	assert_stream("\r\n\r\n\n\r\rdata: a\r\n\r\n", "message=a;");
}

Test(sse, looks_for_a_bom_at_the_very_start_only)
{
	assert_stream("\xef\xbb\xbf" "data: a\n\n", "message=a;");
	assert_stream("\xef\xbb\xbf\n" "data: a\n\n", "message=a;");
	assert_stream("\xef\xbb\xbf\xef\xbb\xbf" "data: a\n\ndata: b\n\n", "message=b;");
	assert_stream("\n\xef\xbb\xbf" "data: a\n\n", "");
	assert_stream("data: \xef\xbb\xbf\n\n", "message=\xef\xbb\xbf;");
}

Test(sse, knows_types_and_forgets_them)
{
	assert_stream("event: ping\ndata: 1\n\ndata: 2\n\n", "ping=1;message=2;");
	assert_stream("event: ping\n\ndata: 2\n\n", "message=2;");
	assert_stream("data: 1\nevent: a\nevent: b\n\n", "b=1;");
	assert_stream("event: a\nevent:\ndata: 1\n\n", "message=1;");
	assert_stream("event\ndata: 1\n\n", "message=1;");
}

Test(sse, passes_over_the_rest)
{
	assert_stream(":\n:: \nretry: 10\nid: x\nfoo: bar\nDATA: no\n data: no\ndata : no\n\n", "");
	assert_stream("data: no end", "");
	assert_stream("data: no empty line\n", "");
	assert_stream("", "");
}

Test(sse, passes_on_the_bytes_as_they_came)
{
	assert_stream("data: \xc3\xa4\xf0\x9f\x98\x80\n\n", "message=\xc3\xa4\xf0\x9f\x98\x80;");
	assert_stream("data: a\xff" "b\n\ndata: c\n\n", "message=a\xff" "b;message=c;");
	assert_events("data: a\0b\n\n", 11, "message=a");
}

Test(sse, refuses_an_event_without_end)
{
	size_t length = IK_LIMIT_SSE_EVENT;
	char *bytes = malloc(length);
	struct ik_sse sse;
	struct ik_buf out;
	memset(bytes, 'x', length);

	for (int variant = 0; variant < 4; variant++) {
		ik_sse_init(&sse, IK_LIMIT_SSE_EVENT);
		ik_buf_init(&out, IK_LIMIT_SSE_EVENT * 2);
		if (variant == 0) { /* one line, in two pieces */
			feed(&sse, "data: ", 6, &out);
			feed(&sse, bytes, length, &out);
			feed(&sse, "\n\n", 2, &out);
			cr_assert_eq(out.length, length + strlen("message=;"));
			ik_buf_clear(&out);
			feed(&sse, "data: ", 6, &out);
			feed(&sse, bytes, length, &out);
			cr_assert_eq(ik_sse_feed(&sse, bytes, 100, collect, &out), IK_TOO_LARGE);
		} else if (variant == 1) { /* many lines */
			char line[4099] = "data:";
			enum ik_status status = IK_OK;
			memset(line + 5, 'y', 4093);
			line[4098] = '\n';
			for (size_t sent = 0; sent <= length && status == IK_OK; sent += 4094)
				status = ik_sse_feed(&sse, line, sizeof line, collect, &out);
			cr_assert_eq(status, IK_TOO_LARGE);
		} else if (variant == 3) { /* lines without an event */
			enum ik_status status = IK_OK;
			memset(bytes, '\n', length);
			for (int sent = 0; sent < 3; sent++)
				status = ik_sse_feed(&sse, bytes, length, collect, &out);
			cr_assert_eq(status, IK_TOO_LARGE);
		} else { /* a whole line in one piece, a little too long */
			char *whole = malloc(length + 10);
			memcpy(whole, "data: ", 6);
			memcpy(whole + 6, bytes, length);
			memcpy(whole + 6 + length, "x\n\n", 3);
			cr_assert_eq(ik_sse_feed(&sse, whole, length + 9, collect, &out), IK_TOO_LARGE);
			free(whole);
		}
		cr_assert_eq(out.length, 0);
		cr_assert_eq(ik_sse_feed(&sse, "\n\ndata: 1\n\n", 11, collect, &out), IK_TOO_LARGE);
		cr_assert_eq(out.length, 0);
		ik_buf_done(&out);
		ik_sse_done(&sse);
	}
	free(bytes);
}
