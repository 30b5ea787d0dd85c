#include "commands/session_titles.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/sanitize.h"

#define NEWEST 200    /* sessions that are offered */
#define FRESH_MS 2000 /* so long what was read is not read again */

struct ik_session_titles {
	void (*changed)(void *arg);
	void *arg;
	struct ik_store_read *read;     /* NULL: none is out */
	int64_t read_ms;                /* when they were read; 0: never */
	struct ik_proposal *candidates; /* their texts are owned here */
	size_t count;
};

struct ik_session_titles *ik_session_titles_new(void (*changed)(void *arg), void *arg)
{
	struct ik_session_titles *titles = ik_alloc(sizeof(*titles));

	titles->changed = changed;
	titles->arg = arg;
	return titles;
}

static void forget(struct ik_session_titles *titles)
{
	while (titles->count > 0) {
		titles->count--;
		free((char *)titles->candidates[titles->count].text);
		free((char *)titles->candidates[titles->count].description);
	}
	free(titles->candidates);
	titles->candidates = NULL;
}

void ik_session_titles_stop(struct ik_session_titles *titles)
{
	titles->read = ik_store_read_close(titles->read);
}

struct ik_session_titles *ik_session_titles_free(struct ik_session_titles *titles)
{
	if (!titles)
		return NULL;
	ik_session_titles_stop(titles);
	forget(titles);
	free(titles);
	return NULL;
}

/* A stored text as one line of a terminal; new memory. */
static char *clean(const char *text)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	ik_sanitize_line(&out, text, strlen(text));
	return ik_buf_take(&out, NULL);
}

static void take(void *arg, const struct ik_store_answer *answer)
{
	struct ik_session_titles *titles = arg;
	size_t i;

	titles->read = NULL;
	titles->read_ms = ik_clock_ms();
	forget(titles);
	titles->candidates = ik_alloc_array(NULL, answer->count + 1, sizeof(*titles->candidates));
	for (i = 0; i < answer->count; i++) {
		const struct ik_session_info *info = &answer->sessions[i];

		if (info->title[0] != '\0')
			titles->candidates[titles->count++] = (struct ik_proposal){
				.text = clean(info->title),
				.description = clean(info->directory),
			};
	}
	titles->changed(titles->arg);
}

const struct ik_proposal *ik_session_titles_get(struct ik_session_titles *titles,
	struct ik_store *store, size_t *ret_count)
{
	bool fresh = titles->read_ms > 0 && ik_clock_ms() - titles->read_ms < FRESH_MS;

	if (!titles->read && !fresh)
		titles->read = ik_store_list(store, 0, "", NEWEST, take, titles);
	*ret_count = titles->count;
	return titles->candidates;
}
