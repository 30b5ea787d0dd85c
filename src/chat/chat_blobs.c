#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* Parts that are remembered: the two texts of a call with the ends of their last characters,
 * and the page before. */
#define REMEMBERED 6
/* So long a failure is remembered. */
#define FAILURE_MS 2000

/* A part that was wanted. */
struct ik_chat_blob {
	struct ik_chat_blob *next;
	struct ik_agent *agent;
	char id[IK_UUID_TEXT];
	size_t part;
	struct ik_store_read *read; /* NULL: answered */
	enum ik_status status;
	struct ik_error error;
	int64_t answered_ms;
	struct ik_buf bytes;
};

static void forget(struct ik_chat_blob *blob)
{
	blob->read = ik_store_read_close(blob->read);
	ik_buf_done(&blob->bytes);
	free(blob);
}

void ik_chat_forget_blobs(struct ik_agent *agent)
{
	while (agent->blobs) {
		struct ik_chat_blob *blob = agent->blobs;

		agent->blobs = blob->next;
		forget(blob);
	}
}

/* Keep so many. */
static void forget_old(struct ik_agent *agent)
{
	struct ik_chat_blob **link = &agent->blobs;
	int count = 0;

	while (*link && count++ < REMEMBERED)
		link = &(*link)->next;
	while (*link) {
		struct ik_chat_blob *old = *link;

		*link = old->next;
		forget(old);
	}
}

/* A part is there: it is asked for again when the inspector is drawn. */
static void on_part(void *arg, const struct ik_store_answer *answer)
{
	struct ik_chat_blob *blob = arg;

	blob->read = NULL;
	blob->status = answer->status;
	blob->error = answer->error;
	blob->answered_ms = ik_clock_ms();
	ik_buf_append(&blob->bytes, answer->bytes, answer->length);
	ik_screen_blob_arrived(blob->agent->screen);
}

/* The one that was wanted before, moved to the front; NULL: none. */
static struct ik_chat_blob *find(struct ik_agent *agent, const char *id, size_t part)
{
	struct ik_chat_blob **link;

	for (link = &agent->blobs; *link; link = &(*link)->next) {
		struct ik_chat_blob *blob = *link;

		if (blob->part != part || !ik_text_equal(blob->id, id))
			continue;
		*link = blob->next;
		if (!blob->read && blob->status != IK_OK &&
			ik_clock_ms() - blob->answered_ms > FAILURE_MS) {
			forget(blob);
			return NULL;
		}
		blob->next = agent->blobs;
		agent->blobs = blob;
		return blob;
	}
	return NULL;
}

/* Begin to read one. */
static struct ik_chat_blob *ask(struct ik_agent *agent, const char *id, size_t part)
{
	struct ik_chat_blob *blob = ik_alloc(sizeof(*blob));

	blob->agent = agent;
	blob->part = part;
	memcpy(blob->id, id, strnlen(id, sizeof(blob->id) - 1));
	ik_buf_init(&blob->bytes, IK_LIMIT_PART);
	blob->read = ik_store_read_part(agent->chat->core.store, id, part, on_part, blob);
	blob->next = agent->blobs;
	agent->blobs = blob;
	forget_old(agent);
	return blob;
}

enum ik_status ik_chat_read_blob(void *arg, const char *id, size_t part, struct ik_buf *out,
	struct ik_error *error)
{
	struct ik_agent *agent = arg;
	struct ik_chat_blob *blob;

	if (!agent->chat->core_started)
		return ik_error_set(error, IK_UNAVAILABLE, "%s", _("The database is not open."));
	blob = find(agent, id, part);
	if (!blob)
		blob = ask(agent, id, part);
	if (blob->read)
		return ik_error_set(error, IK_UNAVAILABLE, "%s", "");
	if (blob->status == IK_OK)
		ik_buf_append(out, blob->bytes.data, blob->bytes.length);
	else
		*error = blob->error;
	return blob->status;
}
