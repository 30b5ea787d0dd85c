#include "agent/call_ids.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* Limit on the length of an id: some gateways put kilobytes of opaque data into one. */
#define LONGEST_ID 16384

/* Find the slot that holds id, or the free one where it belongs. */
static char **find_slot(const struct ik_call_ids *ids, const char *id)
{
	size_t at = (size_t)ik_text_hash(id) & (ids->capacity - 1);

	while (ids->slots[at] && strcmp(ids->slots[at], id) != 0)
		at = (at + 1) & (ids->capacity - 1);
	return &ids->slots[at];
}

/* Double the table. */
static void grow(struct ik_call_ids *ids)
{
	struct ik_call_ids larger = { .capacity = ids->capacity ? ids->capacity * 2 : 64 };
	size_t i;

	larger.slots = ik_alloc(larger.capacity * sizeof(*larger.slots));
	for (i = 0; i < ids->capacity; i++) {
		if (ids->slots[i])
			*find_slot(&larger, ids->slots[i]) = ids->slots[i];
	}
	free(ids->slots);
	ids->slots = larger.slots;
	ids->capacity = larger.capacity;
}

void ik_call_ids_done(struct ik_call_ids *ids)
{
	size_t i;

	for (i = 0; i < ids->capacity; i++)
		free(ids->slots[i]);
	free(ids->slots);
	*ids = (struct ik_call_ids){ 0 };
}

bool ik_call_ids_add(struct ik_call_ids *ids, const char *id)
{
	char **slot;

	if (ids->count * 2 >= ids->capacity)
		grow(ids);
	slot = find_slot(ids, id);
	if (*slot)
		return false;
	*slot = ik_strdup(id);
	ids->count++;
	return true;
}

char *ik_call_ids_claim(struct ik_call_ids *ids, const char *wanted)
{
	char *made;

	if (wanted && wanted[0] && strnlen(wanted, LONGEST_ID + 1) <= LONGEST_ID &&
		ik_call_ids_add(ids, wanted))
		return ik_strdup(wanted);
	for (;;) {
		made = ik_format("call_%u", ++ids->next);
		if (ik_call_ids_add(ids, made))
			return made;
		free(made);
	}
}
