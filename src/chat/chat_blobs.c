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
struct blob {
	struct ik_agent *agent;
	int64_t wanted; /* when it was wanted last, by a count; 0: this place is free */
	char id[IK_UUID_TEXT];
	size_t part;
	struct ik_store_read *read; /* NULL: answered */
	enum ik_status status;
	struct ik_error error;
	int64_t answered_ms;
	struct ik_buf bytes;
};

struct ik_chat_blobs {
	int64_t count;
	struct blob places[REMEMBERED];
};

static void forget(struct blob *blob)
{
	if (blob->wanted == 0)
		return;
	blob->wanted = 0;
	blob->read = ik_store_read_close(blob->read);
	ik_buf_done(&blob->bytes);
}

void ik_chat_forget_blobs(struct ik_agent *agent)
{
	for (int i = 0; agent->blobs && i < REMEMBERED; i++)
		forget(&agent->blobs->places[i]);
	free(agent->blobs);
	agent->blobs = NULL;
}

/* A part is there: it is asked for again when the inspector is drawn. */
static void on_part(void *arg, const struct ik_store_answer *answer)
{
	struct blob *blob = arg;

	blob->read = NULL;
	blob->status = answer->status;
	blob->error = answer->error;
	blob->answered_ms = ik_clock_ms();
	ik_buf_append(&blob->bytes, answer->bytes, answer->length);
	ik_screen_blob_arrived(blob->agent->screen);
}

/* Return the place of a part, or that of the part that was not wanted for longest. A failure is
 * remembered for a while only. */
static struct blob *find(struct ik_chat_blobs *blobs, const char *id, size_t part)
{
	struct blob *oldest = &blobs->places[0];

	for (int i = 0; i < REMEMBERED; i++) {
		struct blob *blob = &blobs->places[i];

		if (blob->wanted > 0 && blob->part == part && ik_text_equal(blob->id, id)) {
			if (!blob->read && blob->status != IK_OK &&
				ik_clock_ms() - blob->answered_ms > FAILURE_MS)
				forget(blob);
			return blob;
		}
		if (blob->wanted < oldest->wanted)
			oldest = blob;
	}
	forget(oldest);
	return oldest;
}

enum ik_status ik_chat_read_blob(void *arg, const char *id, size_t part, struct ik_buf *out,
	struct ik_error *error)
{
	struct ik_agent *agent = arg;
	struct blob *blob;

	if (!agent->chat->core_started)
		return ik_error_set(error, IK_UNAVAILABLE, "%s", _("The database is not open."));
	if (!agent->blobs)
		agent->blobs = ik_alloc(sizeof(*agent->blobs));
	blob = find(agent->blobs, id, part);
	if (blob->wanted == 0) {
		*blob = (struct blob){ .agent = agent, .part = part };
		memcpy(blob->id, id, strnlen(id, sizeof(blob->id) - 1));
		ik_buf_init(&blob->bytes, IK_LIMIT_PART);
		blob->read = ik_store_read_part(agent->chat->core.store, id, part, on_part, blob);
	}
	blob->wanted = ++agent->blobs->count;
	if (blob->read)
		return ik_error_set(error, IK_UNAVAILABLE, "%s", "");
	if (blob->status == IK_OK)
		ik_buf_append(out, blob->bytes.data, blob->bytes.length);
	else
		*error = blob->error;
	return blob->status;
}
