#include "agent/turn/turn_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

struct ik_effect *ik_turn_add_effect(struct ik_turn *turn, enum ik_effect_kind kind)
{
	struct ik_effect *effect;

	if (turn->effect_count == turn->effect_capacity) {
		turn->effect_capacity = 2 * turn->effect_capacity + 8;
		turn->effects = ik_alloc_array(turn->effects, turn->effect_capacity,
			sizeof(*turn->effects));
	}
	effect = &turn->effects[turn->effect_count++];
	*effect = (struct ik_effect){ .kind = kind, .event.round = turn->round };
	return effect;
}

struct ik_event *ik_turn_emit(struct ik_turn *turn, enum ik_event_kind kind)
{
	struct ik_effect *effect = ik_turn_add_effect(turn, IK_EFFECT_EMIT);

	effect->event.kind = kind;
	return &effect->event;
}

struct ik_event *ik_turn_append(struct ik_turn *turn, struct ik_message *message,
	enum ik_event_kind kind)
{
	struct ik_effect *effect = ik_turn_add_effect(turn, IK_EFFECT_APPEND);

	effect->message = message;
	effect->event.kind = kind;
	effect->event.message = message;
	effect->event.text = message->content;
	effect->event.text_length = message->content_length;
	return &effect->event;
}

void ik_turn_append_notice(struct ik_turn *turn, const char *sentence)
{
	ik_turn_append(turn, ik_message_new(IK_KIND_NOTICE, sentence, strlen(sentence), NULL, 0),
		IK_EVENT_NOTICE);
}

void ik_turn_append_error(struct ik_turn *turn, enum ik_error_code code, const char *sentence,
	size_t length)
{
	char *data = ik_format("{\"code\":\"%s\"}", ik_error_code_word(code));

	ik_turn_append(turn, ik_message_new(IK_KIND_NOTICE, sentence, length, data, strlen(data)),
		IK_EVENT_ERROR)
		->code = code;
	free(data);
}

void ik_turn_emit_text(struct ik_turn *turn, enum ik_event_kind kind, const char *text)
{
	struct ik_event *event = ik_turn_emit(turn, kind);

	event->text = text;
	event->text_length = strlen(text);
}

void ik_turn_forget_effects(struct ik_turn *turn)
{
	size_t i;

	for (i = 0; i < turn->effect_count; i++)
		ik_message_unref(turn->effects[i].message);
	turn->effect_count = 0;
	ik_parts_free(turn->dead);
	turn->dead = NULL;
}
