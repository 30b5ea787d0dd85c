#include "tui/text/progress.h"

#include "tui/text/quantity.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* shorter work is not shown */
#define SHOWN_MS 1000

static const struct progress_work {
	const char *name, *title, *brief; /* brief is NULL for work that the chat never does */
	bool bytes;
} works[] = {
	{ "check", N_("Checking the file"), NULL, true },
	{ "import", N_("Importing events"), NULL, false },
	{ "export", N_("Exporting events"), NULL, false },
	{ "backup", N_("Copying"), NULL, true },
	{ "index", N_("Indexing events"), N_("indexing"), false },
	{ "delete", N_("Deleting events"), N_("deleting"), false },
	{ "recover", N_("Recovering pages"), N_("recovering"), false },
	{ "update", N_("Updating tables"), N_("updating tables"), false },
};

void ik_progress_note(struct ik_progress *progress, const char *work, int64_t done, int64_t of)
{
	int count = (int)(sizeof(works) / sizeof(works[0])), number = 1;

	while (work && number <= count && !ik_text_equal(works[number - 1].name, work))
		number++;
	if (!work || number > count)
		number = 0;
	progress->now_ms = ik_clock_ms();
	if (number != progress->work || done < progress->done) {
		progress->begun_ms = progress->now_ms;
		progress->begun_done = done;
	}
	progress->work = number;
	progress->done = done < of ? done : of;
	progress->of = of;
}

static bool is_long(const struct ik_progress *progress)
{
	return progress->work > 0 && progress->now_ms - progress->begun_ms >= SHOWN_MS &&
		progress->done > progress->begun_done;
}

static void put_left(const struct ik_progress *progress, struct ik_buf *out)
{
	double each = (double)(progress->now_ms - progress->begun_ms) /
		(double)(progress->done - progress->begun_done);

	ik_elapsed_put(out, (int64_t)((double)(progress->of - progress->done) * each / 1000));
}

static void put_amount(struct ik_buf *out, int64_t amount, bool bytes)
{
	if (bytes)
		ik_size_text(out, (size_t)amount);
	else
		ik_count_put(out, amount);
}

bool ik_progress_put(const struct ik_progress *progress, struct ik_buf *out)
{
	enum { DONE, OF, RATE, LEFT, COUNT };
	struct ik_buf words[COUNT];
	bool bytes;

	if (!is_long(progress))
		return false;
	bytes = works[progress->work - 1].bytes;
	for (int i = 0; i < COUNT; i++)
		ik_buf_init(&words[i], IK_KIB(1));
	put_amount(&words[DONE], progress->done, bytes);
	put_amount(&words[OF], progress->of, bytes);
	put_amount(&words[RATE],
		(progress->done - progress->begun_done) * 1000 / (progress->now_ms - progress->begun_ms),
		bytes);
	put_left(progress, &words[LEFT]);
	/* Translators: "Importing events: 120,000 of 1,000,000, 23,000/s, 38s left" */
	ik_buf_printf(out, _("%s: %s of %s, %s/s, %s left"), _(works[progress->work - 1].title),
		words[DONE].data, words[OF].data, words[RATE].data, words[LEFT].data);
	for (int i = 0; i < COUNT; i++)
		ik_buf_done(&words[i]);
	return true;
}

bool ik_progress_put_short(const struct ik_progress *progress, struct ik_buf *out)
{
	struct ik_buf left;

	if (!is_long(progress) || !works[progress->work - 1].brief)
		return false;
	ik_buf_init(&left, IK_KIB(1));
	put_left(progress, &left);
	/* Translators: "indexing 40%, 2m 05s" */
	ik_buf_printf(out, _("%s %d%%, %s"), _(works[progress->work - 1].brief),
		(int)(progress->done * 100 / progress->of), left.data);
	ik_buf_done(&left);
	return true;
}
