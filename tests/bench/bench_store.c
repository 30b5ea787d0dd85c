/*
 * bench_store: the cost of the store, on either kind of database.
 *
 *   bench_store events DATABASE COUNT         events one by one: each, and the longest
 *   bench_store pipeline DATABASE COUNT       handed over as fast as possible
 *   bench_store processes DATABASE P COUNT    by P processes, COUNT each, a session for each
 *   bench_store page DATABASE RUNS [SESSION]  from opening it to the last page of the session
 *   bench_store fork DATABASE RUNS SESSION    a fork of a session, until it is stored
 *
 * The default session is the newest.
 */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "open_store.h"
#include "util/alloc.h"
#include "util/text.h"

#define PAGE 200
#define FRAME_MS 16

struct bench {
	const char *database;
	struct ik_loop *loop;
	struct ik_store *store;
	bool answered;
	char session[IK_UUID_TEXT];
	int64_t last;
};

static void on_state(void *arg, size_t waiting, const char *message)
{
	(void)arg;
	(void)waiting;
	if (message[0])
		(void)fprintf(stderr, "bench_store: %s\n", message);
}

static void open_store(struct bench *bench)
{
	static const struct ik_store_events events = { .state = on_state };

	bench->store = bench_store_open(bench->database, &bench->loop);
	ik_store_listen(bench->store, &events, bench);
}

static void close_store(struct bench *bench)
{
	bench_store_close(bench->store, bench->loop);
}

/* A new session, as it is begun by a chat. */
static void begin(struct bench *bench)
{
	ik_uuid_new(bench->session);
	ik_store_begin(bench->store, bench->session, "/bench");
}

/* One event as they are: a few hundred bytes, every third one with data. */
static struct ik_message *make(int number)
{
	char content[512], data[512];

	memset(content, 'a' + number % 26, sizeof(content));
	(void)snprintf(content, sizeof(content), "event %d, and some words that a person may have said", number);
	content[strlen(content)] = ' ';
	content[300] = '\0';
	(void)snprintf(data, sizeof(data), "{\"id\":\"call_%d\",\"type\":\"function\",\"function\":"
		"{\"name\":\"file_read\",\"arguments\":\"{\\\"file_path\\\":\\\"src/%d.c\\\"}\"}}", number, number);
	return number % 3 == 1 ?
		ik_message_new(IK_KIND_TOOL_CALL, content, 300, data, strlen(data)) :
		ik_message_new(IK_KIND_USER, content, 300, NULL, 0);
}

static void append(struct bench *bench, int number)
{
	struct ik_message *message = make(number);

	ik_store_append(bench->store, bench->session, message);
	ik_message_unref(message);
}

static void take(void *arg, const struct ik_store_answer *answer)
{
	struct bench *bench = arg;

	bench->answered = true;
	if (answer->status != IK_OK)
		(void)fprintf(stderr, "bench_store: %s\n", answer->error.text);
	if (answer->sessions && answer->count > 0) {
		memcpy(bench->session, answer->sessions[0].id, sizeof(bench->session));
		bench->last = answer->sessions[0].event_count;
	}
	ik_loop_stop(bench->loop);
}

/* Turn until a read has its answer. */
static void await(struct bench *bench, struct ik_store_read *read)
{
	struct ik_error error;

	bench->answered = read == NULL;
	while (!bench->answered) {
		if (ik_loop_run(bench->loop, &error) != IK_OK)
			exit(1);
	}
}

/* Turn until all is stored: a read is answered after that. */
static void settle(struct bench *bench)
{
	await(bench, ik_store_list(bench->store, NULL, 0, "", 1, take, bench));
}

static void stop(void *loop)
{
	ik_loop_stop(loop);
}

static void stop_next(void *loop)
{
	ik_loop_defer(loop, stop, loop);
}

/* Turn with a look at what has happened, as the chat does between two events, until all is stored;
 * the longest that the loop stood still. */
static double turn(struct bench *bench, double begun)
{
	struct ik_error error;
	double longest = 0;

	do {
		double now;

		ik_loop_defer(bench->loop, stop_next, bench->loop);
		if (ik_loop_run(bench->loop, &error) != IK_OK)
			exit(1);
		now = now_ms();
		longest = now - begun > longest ? now - begun : longest;
		begun = now;
	} while (ik_store_waiting(bench->store) > 0);
	return longest;
}

static void find(struct bench *bench, const char *session)
{
	await(bench, session ? ik_store_find(bench->store, session, take, bench) :
		ik_store_list(bench->store, NULL, 0, "", 1, take, bench));
}

/* ---- the figures ---- */

static void events(struct bench *bench, int count)
{
	double *values = ik_alloc((size_t)count * sizeof(double));
	double *turns = ik_alloc((size_t)count * sizeof(double));
	int late = 0, late_turns = 0, i;

	open_store(bench);
	begin(bench);
	append(bench, 0); /* which opens it */
	settle(bench);
	for (i = 0; i < count; i++) {
		struct ik_message *message = make(i);
		double begun = now_ms();

		ik_store_append(bench->store, bench->session, message);
		turns[i] = turn(bench, begun);
		values[i] = now_ms() - begun;
		ik_message_unref(message);
	}
	for (i = 0; i < count; i++) {
		late += values[i] > FRAME_MS;
		late_turns += turns[i] > FRAME_MS;
	}
	print_figure("event stored, with a turn of the loop", "ms", values, (size_t)count);
	printf("event stored, above %d ms: %d\n", FRAME_MS, late);
	print_figure("longest turn of the loop", "ms", turns, (size_t)count);
	printf("turn of the loop, above %d ms: %d\n", FRAME_MS, late_turns);
	close_store(bench);
	free(values);
	free(turns);
}

static void pipeline(struct bench *bench, int count)
{
	double begun, handed, all;
	int i;

	open_store(bench);
	begin(bench);
	append(bench, 0);
	settle(bench);
	begun = now_ms();
	for (i = 0; i < count; i++)
		append(bench, i);
	handed = now_ms() - begun;
	settle(bench);
	all = now_ms() - begun;
	printf("%d events handed over in %.0f ms, stored in %.0f ms: %.0f a second, %.0f ms CPU\n", count,
		handed, all, count / all * 1000, cpu_ms(getpid()));
	close_store(bench);
}

static void processes(struct bench *bench, int number, int count)
{
	double begun = now_ms(), all;
	int failed = 0, status, i;

	for (i = 0; i < number; i++) {
		if (fork() == 0) {
			int event;

			open_store(bench);
			begin(bench);
			for (event = 0; event < count; event++)
				append(bench, event);
			settle(bench);
			close_store(bench);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		failed += status != 0;
	all = now_ms() - begun;
	printf("%d processes, %d events each: %.0f ms, %.0f a second, %d failed\n", number, count, all,
		number * (double)count / all * 1000, failed);
}

static void page(struct bench *bench, int runs, const char *session)
{
	double *values = ik_alloc((size_t)runs * sizeof(double));
	int i;

	for (i = 0; i < runs; i++) {
		double begun = now_ms();

		open_store(bench);
		find(bench, session);
		await(bench, ik_store_page(bench->store, bench->session, 0, PAGE, take, bench));
		values[i] = now_ms() - begun;
		close_store(bench);
	}
	print_figure("opened, session found, last page read", "ms", values, (size_t)runs);
	free(values);
}

static void fork_session(struct bench *bench, int runs, const char *session)
{
	double *values = ik_alloc((size_t)runs * sizeof(double));
	char parent[IK_UUID_TEXT];
	int i;

	open_store(bench);
	find(bench, session);
	memcpy(parent, bench->session, sizeof(parent));
	for (i = 0; i < runs; i++) {
		double begun = now_ms();

		ik_uuid_new(bench->session);
		ik_store_begin_fork(bench->store, bench->session, "/bench", parent, bench->last);
		append(bench, i);
		await(bench, ik_store_page(bench->store, bench->session, 0, PAGE, take, bench));
		values[i] = now_ms() - begun;
	}
	print_figure("forked, an event added, last page read", "ms", values, (size_t)runs);
	close_store(bench);
	free(values);
}

int main(int argc, char **argv)
{
	struct bench bench = { .database = argc > 3 ? argv[2] : NULL };
	int first = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0;
	const char *more = argc > 4 ? argv[4] : NULL;

	if (argc < 4)
		return 2;
	(void)setvbuf(stdout, NULL, _IONBF, 0);
	if (ik_text_equal(argv[1], "events"))
		events(&bench, first);
	else if (ik_text_equal(argv[1], "pipeline"))
		pipeline(&bench, first);
	else if (ik_text_equal(argv[1], "processes") && more)
		processes(&bench, first, (int)strtol(more, NULL, 10));
	else if (ik_text_equal(argv[1], "page"))
		page(&bench, first, more);
	else if (ik_text_equal(argv[1], "fork"))
		fork_session(&bench, first, more);
	else
		return 2;
	return 0;
}
