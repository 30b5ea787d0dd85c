/* Little pieces that come steadily are read together; none is lost, the first is not late. */
#include "net/gather.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define HOUR_MS 3600000
#define FOLLOWING 5 /* pieces behind those that begin a stream */

struct stream {
	struct ik_loop *loop;
	struct ik_gather *gather;
	struct ik_timer *timer;
	int ends[2];
	size_t reads, bytes, wanted;
	size_t written; /* of the following pieces */
	bool echo;      /* each piece is followed by the next at once */
};

static void put(struct stream *stream, size_t length)
{
	static char bytes[IK_GATHER_LITTLE + 1];

	cr_assert_eq(write(stream->ends[1], bytes, length), (ssize_t)length);
}

static size_t ready(void *arg, int what)
{
	static char bytes[2 * IK_GATHER_LITTLE];
	struct stream *stream = arg;
	ssize_t length = read(stream->ends[0], bytes, sizeof bytes);

	cr_assert_eq(what, IK_READABLE);
	if (length <= 0)
		return 0;
	stream->reads++;
	stream->bytes += (size_t)length;
	if (stream->bytes >= stream->wanted)
		ik_loop_stop(stream->loop);
	else if (stream->echo)
		put(stream, 1);
	return (size_t)length;
}

static void setup(struct stream *stream, int64_t period_ms, void (*tick)(void *))
{
	struct ik_error error;

	memset(stream, 0, sizeof *stream);
	stream->loop = ik_loop_new(&error);
	cr_assert_eq(pipe2(stream->ends, O_CLOEXEC | O_NONBLOCK), 0);
	cr_assert_gt(fcntl(stream->ends[1], F_SETPIPE_SZ, 4 * IK_GATHER_LITTLE), 0);
	stream->gather = ik_gather_new(stream->loop, stream->ends[0], period_ms, ready, stream);
	stream->timer = ik_timer_new(stream->loop, tick, stream);
	cr_assert_eq(ik_gather_set(stream->gather, IK_READABLE, &error), IK_OK);
	stream->echo = true;
}

static void run(struct stream *stream)
{
	struct ik_error error;

	cr_assert_eq(ik_loop_run(stream->loop, &error), IK_OK, "%s", error.text);
}

static void done(struct stream *stream)
{
	stream->gather = ik_gather_close(stream->gather);
	stream->timer = ik_timer_close(stream->timer);
	close(stream->ends[0]);
	close(stream->ends[1]);
	ik_loop_free(stream->loop);
}

/* Read the pieces that show a stream to be steady. */
static void begin_stream(struct stream *stream)
{
	stream->wanted = IK_GATHER_STEADY;
	put(stream, 1);
	run(stream);
	cr_assert_eq(stream->reads, IK_GATHER_STEADY);
	stream->echo = false;
}

/* A turn of the loop for each piece that follows; then its end. */
static void write_following(void *arg)
{
	struct stream *stream = arg;

	if (stream->written++ < FOLLOWING) {
		put(stream, 1);
		ik_timer_start(stream->timer, 1);
	} else {
		ik_loop_stop(stream->loop);
	}
}

Test(gather, a_steady_stream_is_not_read_piece_by_piece)
{
	struct stream stream;
	struct ik_error error;

	setup(&stream, HOUR_MS, write_following);
	begin_stream(&stream);
	stream.wanted = SIZE_MAX;
	ik_timer_start(stream.timer, 1);
	run(&stream);
	cr_assert_eq(stream.reads, IK_GATHER_STEADY);
	/* Asked anew, it is read at once: all of it together. */
	stream.wanted = IK_GATHER_STEADY + FOLLOWING;
	cr_assert_eq(ik_gather_set(stream.gather, IK_READABLE, &error), IK_OK);
	run(&stream);
	cr_assert_eq(stream.reads, IK_GATHER_STEADY + 1);
	done(&stream);
}

Test(gather, the_period_ends_by_itself)
{
	struct stream stream;

	setup(&stream, 5, write_following);
	begin_stream(&stream);
	put(&stream, 1);
	stream.wanted = IK_GATHER_STEADY + 1;
	run(&stream);
	cr_assert_eq(stream.bytes, IK_GATHER_STEADY + 1);
	done(&stream);
}

static void stop(void *arg)
{
	ik_loop_stop(((struct stream *)arg)->loop);
}

Test(gather, a_stream_that_pauses_is_watched_again)
{
	struct stream stream;
	struct ik_error error;

	setup(&stream, 5, stop);
	begin_stream(&stream);
	/* Nothing wakes the loop any more once a read has found nothing. */
	stream.wanted = SIZE_MAX;
	ik_timer_start(stream.timer, 100);
	run(&stream);
	cr_assert_eq(stream.reads, IK_GATHER_STEADY);
	stream.wanted = IK_GATHER_STEADY + 1;
	put(&stream, 1);
	run(&stream);
	cr_assert_eq(ik_gather_set(stream.gather, 0, &error), IK_OK);
	cr_assert_neq(ik_loop_run(stream.loop, &error), IK_OK, "something is armed");
	done(&stream);
}

Test(gather, large_pieces_are_not_waited_for)
{
	struct stream stream;

	setup(&stream, HOUR_MS, stop);
	stream.wanted = SIZE_MAX;
	for (int i = 0; i < 3 * IK_GATHER_STEADY; i++) {
		stream.echo = false;
		stream.wanted = stream.bytes + IK_GATHER_LITTLE + 1;
		put(&stream, IK_GATHER_LITTLE + 1);
		run(&stream);
	}
	cr_assert_eq(stream.reads, 3 * IK_GATHER_STEADY);
	done(&stream);
}

Test(gather, without_a_period_each_piece_is_read)
{
	struct stream stream;

	setup(&stream, 0, stop);
	stream.wanted = 10 * IK_GATHER_STEADY;
	put(&stream, 1);
	run(&stream);
	cr_assert_eq(stream.reads, 10 * IK_GATHER_STEADY);
	done(&stream);
}
