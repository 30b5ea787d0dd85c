/*
 * bench_find: the cost of a search among very many events and sessions.
 *
 *   bench_find rows FIRST SESSIONS EVENTS     rows of events for a database, tabs between: id,
 *                                             session, sequence, kind, content, time
 *   bench_find index DATABASE COUNT           until these events are in the index, as fast as possible
 *   bench_find search DATABASE RUNS QUERY...  to the first page of matches, and to the tenth
 *   bench_find delete DATABASE SESSION        until it is gone
 *   bench_find list DATABASE RUNS [WORDS]     to the first page of sessions; to session 100,000
 *
 * Each prints the longest turn of the loop, in CPU time.  The rows have words as often as a language has
 * them (the n-th commonest in every n-th place), and these: "rare" stands in one event of 100,000,
 * "seldom" in one of 1,000, "left" in each second and "right" in the others, "brown fox" in one
 * of 1,000 and the two apart in many, Japanese in one of 20.
 */
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "open_store.h"
#include "util/alloc.h"
#include "util/text.h"

#define PAGE 50
#define SESSION_PAGE 100
#define VOCABULARY 60000
#define MOST_WALKS 3 /* through all sessions */

struct bench {
	struct ik_loop *loop;
	struct ik_store *store;
	bool answered;
	size_t count;
	char *row; /* where the search goes on; NULL: nowhere */
	int64_t updated_ms;
	char session[IK_UUID_TEXT];
	double turn_ms, longest_ms; /* CPU at the end of the last turn; the longest one */
	int turns;
};

/* ---- rows ---- */

static uint64_t state = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) * below >> 32);
}

/* The commonest is "na", then longer ones. */
static void put_word(struct ik_buf *out, uint32_t rank)
{
	static const char *const syllables[] = { "na", "to", "ri", "men", "so", "ka", "de", "lu", "pe",
		"ster", "vo", "gi", "ham", "bu", "ter", "ox", "qui", "mal" };
	const uint32_t count = sizeof(syllables) / sizeof(syllables[0]);

	for (;; rank = rank / count - 1) {
		ik_buf_puts(out, syllables[rank % count]);
		if (rank < count)
			return;
	}
}

static void put_text(struct ik_buf *out, int64_t number, const uint32_t *ranks, uint32_t weight)
{
	uint32_t words = 30 + draw(50);

	for (uint32_t i = 0; i < words; i++) {
		put_word(out, ranks[draw(weight)]);
		ik_buf_putc(out, i % 11 == 10 ? ',' : ' ');
		if (i == words / 2)
			ik_buf_puts(out, number % 2 ? " left " : " right ");
	}
	if (number % 3 == 0)
		ik_buf_puts(out, number % 1000 == 0 ? "brown fox " : "fox brown ");
	if (number % 1000 == 1)
		ik_buf_puts(out, "seldom ");
	if (number % 100000 == 77)
		ik_buf_puts(out, "rare ");
	if (number % 20 == 3)
		ik_buf_puts(out, number % 1000 == 3 ? "帆船の模型を作る" : "日本語の文章です");
}

/* Ranks as often as words of that rank are; 1/rank, cut off. */
static uint32_t *weigh(uint32_t *ret_weight)
{
	uint32_t *ranks = ik_alloc_array(NULL, 2000000, sizeof(*ranks)), weight = 0;

	for (uint32_t rank = 0; rank < VOCABULARY; rank++)
		for (uint32_t i = 0; i < 1 + 100000 / (rank + 1); i++)
			ranks[weight++] = rank;
	*ret_weight = weight;
	return ranks;
}

static void rows(int64_t first, int64_t sessions, int64_t events)
{
	uint32_t weight, *ranks = weigh(&weight);
	struct ik_buf text;

	ik_buf_init(&text, SIZE_MAX / 2);
	state += (uint64_t)first;
	for (int64_t session = first; session < first + sessions; session++) {
		for (int64_t i = 1; i <= events; i++) {
			ik_buf_clear(&text);
			put_text(&text, (session - first) * events + i, ranks, weight);
			(void)printf("01900000-%04" PRIx64 "-7%03" PRIx64 "-8000-%012" PRIx64
				"\t01900000-0000-7000-8000-%012" PRIx64 "\t%" PRId64 "\t%s\t%s\t%" PRId64 "\n",
				session & 0xffff, session >> 16, i, session, i, i % 2 ? "user" : "assistant",
				text.data, session * 1000 + i);
		}
	}
	ik_buf_done(&text);
	free(ranks);
}

/* ---- the store ---- */

static double thread_ms(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void end_turn(void *arg)
{
	struct bench *bench = arg;
	double now = thread_ms();

	if (now - bench->turn_ms > bench->longest_ms)
		bench->longest_ms = now - bench->turn_ms;
	bench->turn_ms = now;
	bench->turns++;
}

static void begin_turns(struct bench *bench)
{
	bench->turn_ms = thread_ms();
	bench->longest_ms = 0;
	bench->turns = 0;
}

static void open_store(struct bench *bench, const char *database)
{
	bench->store = bench_store_open(database, &bench->loop);
	ik_loop_before_sleep(bench->loop, end_turn, bench);
}

static void take(void *arg, const struct ik_store_answer *answer)
{
	struct bench *bench = arg;

	bench->answered = true;
	if (answer->status != IK_OK)
		(void)fprintf(stderr, "bench_find: %s\n", answer->error.text);
	bench->count = answer->count;
	free(bench->row);
	bench->row = answer->row ? ik_strdup(answer->row) : NULL;
	if (answer->sessions && answer->count > 0) {
		const struct ik_session_info *last = &answer->sessions[answer->count - 1];

		bench->updated_ms = last->updated_ms;
		memcpy(bench->session, last->id, sizeof(bench->session));
	}
	ik_loop_stop(bench->loop);
}

static void await(struct bench *bench, struct ik_store_read *read)
{
	struct ik_error error;

	bench->answered = read == NULL;
	while (!bench->answered) {
		if (ik_loop_run(bench->loop, &error) != IK_OK)
			exit(1);
	}
}

static void search_page(struct bench *bench, const char *text, bool first)
{
	char *row = first || !bench->row ? NULL : ik_strdup(bench->row);

	await(bench, ik_store_search(bench->store, &(struct ik_session_choice){ .words = text }, row, PAGE, take, bench));
	free(row);
}

static void index_all(struct bench *bench, int events)
{
	double begun = now_ms(), all;

	begin_turns(bench);
	search_page(bench, "nothinghasthis", true); /* all are indexed first */
	all = now_ms() - begun;
	printf("%d events indexed in %.1f s: %.0f a second; longest turn of the loop %.1f ms\n", events,
		all / 1e3, events / all * 1e3, bench->longest_ms);
}

static void search(struct bench *bench, int runs, const char *text)
{
	double *first = ik_alloc_array(NULL, (size_t)runs, sizeof(double));
	double *tenth = ik_alloc_array(NULL, (size_t)runs, sizeof(double));
	double longest, *cpu = ik_alloc_array(NULL, (size_t)runs, sizeof(double));
	char name[100];
	size_t count = 0;
	int i, page;

	bench->longest_ms = longest = 0;
	for (i = 0; i < runs; i++) {
		double begun = now_ms();

		begin_turns(bench);
		cpu[i] = bench->turn_ms;
		search_page(bench, text, true);
		first[i] = now_ms() - begun;
		cpu[i] = thread_ms() - cpu[i];
		count = bench->count;
		for (page = 1; page < 10 && bench->row; page++)
			search_page(bench, text, false);
		tenth[i] = now_ms() - begun;
		if (bench->longest_ms > longest)
			longest = bench->longest_ms;
	}
	(void)snprintf(name, sizeof(name), "%s: %zu%s", text, count, count == PAGE ? " and more" : "");
	print_figure(name, "ms", first, (size_t)runs);
	print_figure("    CPU here", "ms", cpu, (size_t)runs);
	print_figure("    and nine pages more, or to the end", "ms", tenth, (size_t)runs);
	printf("    longest turn of the loop %.1f ms\n", longest);
	free(cpu);
	free(first);
	free(tenth);
}

static void list(struct bench *bench, int runs, const char *words)
{
	const struct ik_session_choice choice = { .words = words };
	double *first = ik_alloc_array(NULL, (size_t)runs, sizeof(double));
	double *all = ik_alloc_array(NULL, (size_t)runs, sizeof(double));
	size_t count = 0;
	int i;

	begin_turns(bench);
	for (i = 0; i < runs; i++) {
		double begun = now_ms();

		await(bench, ik_store_list(bench->store, &choice, 0, "", SESSION_PAGE, take, bench));
		first[i] = now_ms() - begun;
	}
	print_figure(words ? words : "first page of sessions", "ms", first, (size_t)runs);
	printf("    longest turn of the loop %.1f ms\n", bench->longest_ms);
	begin_turns(bench);
	runs = runs < MOST_WALKS ? runs : MOST_WALKS;
	for (i = 0; i < runs && !words; i++) {
		double begun = now_ms();

		count = 0;
		bench->updated_ms = 0;
		bench->session[0] = '\0';
		do {
			await(bench, ik_store_list(bench->store, &choice, bench->updated_ms, bench->session,
				SESSION_PAGE, take, bench));
			count += bench->count;
		} while (bench->count == SESSION_PAGE);
		all[i] = now_ms() - begun;
	}
	if (!words) {
		printf("%zu sessions, page by page: ", count);
		print_figure("all", "ms", all, (size_t)runs);
		printf("    longest turn of the loop %.1f ms\n", bench->longest_ms);
	}
	free(first);
	free(all);
}

static void delete(struct bench *bench, const char *session)
{
	double begun = now_ms(), cpu = thread_ms();

	begin_turns(bench);
	await(bench, ik_store_delete(bench->store, session, take, bench));
	printf("a session deleted in %.0f ms, CPU here %.0f ms; longest turn of the loop %.1f ms\n",
		now_ms() - begun, thread_ms() - cpu, bench->longest_ms);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	int runs = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0;
	struct bench bench = { .loop = NULL };

	if (argc == 5 && ik_text_equal(what, "rows")) {
		rows(strtol(argv[2], NULL, 10), runs, strtol(argv[4], NULL, 10));
		return 0;
	}
	if (argc < 3)
		return 2;
	(void)setvbuf(stdout, NULL, _IONBF, 0);
	open_store(&bench, argv[2]);
	if (ik_text_equal(what, "index"))
		index_all(&bench, runs);
	else if (ik_text_equal(what, "list") && runs > 0)
		list(&bench, runs, argv[4]);
	else if (ik_text_equal(what, "delete") && argc == 4)
		delete(&bench, argv[3]);
	for (int i = 4; i < argc && ik_text_equal(what, "search"); i++)
		search(&bench, runs, argv[i]);
	free(bench.row);
	bench_store_close(bench.store, bench.loop);
	return 0;
}
