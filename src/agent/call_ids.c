#include "agent/call_ids.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* Limit on the length of an id: some gateways put kilobytes of opaque data into one. */
#define LONGEST_ID 16384

static int compare(const void *one, const void *other)
{
	return strcmp(one, other);
}

void ik_call_ids_done(struct ik_call_ids *ids)
{
	tdestroy(ids->tree, free);
	ids->tree = NULL;
}

bool ik_call_ids_add(struct ik_call_ids *ids, const char *id)
{
	char *copy;

	if (tfind(id, &ids->tree, compare))
		return false;
	copy = ik_strdup(id);
	if (!tsearch(copy, &ids->tree, compare))
		ik_alloc_fail();
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
