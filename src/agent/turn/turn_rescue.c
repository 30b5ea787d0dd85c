#include "agent/turn/turn_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/clock.h"

/* What the model has said in this part, which may be as large as memory is: borrowed, where
 * ik_part_message() copies it. */
static struct ik_message *message_of(const struct ik_part *part, bool interrupted)
{
	static char mark[] = "{\"interrupted\":true}";
	struct ik_message *message = ik_alloc(sizeof(*message));

	message->references = 1;
	message->kind = part->kind == IK_PART_TEXT ? IK_KIND_ASSISTANT : IK_KIND_THINKING;
	memcpy(message->id, part->message_id, sizeof(message->id));
	message->time_ms = ik_clock_wall_ms();
	message->content = part->text.data;
	message->content_length = part->text.length;
	if (interrupted) {
		message->data = mark;
		message->data_length = strlen(mark);
	}
	return message;
}

/* Is it text that has no message yet? */
static bool is_begun(const struct ik_part *part)
{
	return !part->appended && part->kind != IK_PART_CALL && part->text.length > 0;
}

bool ik_turn_has_begun(const struct ik_turn *turn)
{
	size_t i = turn->reply.count;

	while (i > 0 && !is_begun(turn->reply.parts[i - 1]))
		i--;
	return i > 0;
}

void ik_turn_begun(const struct ik_turn *turn, ik_turn_keeper *keep, void *arg)
{
	const struct ik_reply *reply = &turn->reply;
	size_t i;

	for (i = 0; i < reply->count; i++) {
		const struct ik_part *part = reply->parts[i];
		struct ik_message *message;

		if (!is_begun(part))
			continue;
		message = message_of(part, part->kind == IK_PART_TEXT);
		keep(arg, message);
		free(message);
	}
}

void ik_turn_rescue(const struct ik_turn *turn, ik_turn_keeper *keep, void *arg)
{
	const struct ik_reply *reply = &turn->reply;
	size_t last_text = reply->count, i;

	for (i = 0; i < turn->effect_count; i++) {
		if (turn->effects[i].kind == IK_EFFECT_APPEND && turn->effects[i].message)
			keep(arg, turn->effects[i].message);
	}
	for (i = 0; i < reply->count; i++) {
		if (reply->parts[i]->kind == IK_PART_TEXT)
			last_text = i;
	}
	for (i = 0; i < reply->count; i++) {
		const struct ik_part *part = reply->parts[i];

		if (is_begun(part))
			keep(arg, message_of(part, i == last_text));
	}
}
