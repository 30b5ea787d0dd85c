/* The part of provider/wire/format.h about the replies of a model inside the program. */
#include "provider/wire/format.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* Limit on the time that a reply takes, in milliseconds. */
#define REPLY_MS 900

void ik_script_add(struct ik_script *script, const struct ik_delta *delta)
{
	struct ik_delta *own;

	script->deltas = ik_alloc_more(script->deltas, script->count, sizeof(*script->deltas));
	own = &script->deltas[script->count++];
	*own = *delta;
	own->id = delta->id ? ik_strdup(delta->id) : NULL;
	own->name = delta->name ? ik_strdup(delta->name) : NULL;
	own->text = delta->text ? ik_strndup(delta->text, delta->text_length) : NULL;
}

bool ik_script_step(struct ik_script *script, ik_delta_sink *sink, void *arg)
{
	size_t burst = 1 + script->count / (REPLY_MS / IK_SCRIPT_PACE_MS);

	for (; burst && script->told < script->count; burst--)
		sink(arg, &script->deltas[script->told++]);
	return script->told < script->count;
}

void ik_script_done(struct ik_script *script)
{
	for (size_t index = 0; index < script->count; index++) {
		free((char *)script->deltas[index].id);
		free((char *)script->deltas[index].name);
		free((char *)script->deltas[index].text);
	}
	free(script->deltas);
	memset(script, 0, sizeof(*script));
}
