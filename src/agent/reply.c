#include "agent/reply.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "provider/wire/format.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* The longest name that every provider accepts. */
#define LONGEST_NAME 64
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

/* Return wanted if it is usable (not NULL, not empty, not too long, not in use, and none of those of
 * calls that no model makes), else a new id ("call_7"). The result is new memory, and is marked as in
 * use. */
static char *claim_id(struct ik_call_ids *ids, const char *wanted)
{
	char *made;

	if (wanted && wanted[0] && !ik_text_starts(wanted, IK_OWN_CALL_ID) &&
		strnlen(wanted, LONGEST_ID + 1) <= LONGEST_ID && ik_call_ids_add(ids, wanted))
		return ik_strdup(wanted);
	for (;;) {
		made = ik_format("call_%u", ++ids->next);
		if (ik_call_ids_add(ids, made))
			return made;
		free(made);
	}
}

static void part_free(struct ik_part *part)
{
	ik_buf_done(&part->text);
	ik_buf_done(&part->opaque);
	free(part->id);
	free(part->name);
	free(part->line);
	free(part);
}

void ik_reply_clear(struct ik_reply *reply)
{
	for (size_t i = 0; i < reply->count; i++)
		part_free(reply->parts[i]);
	free(reply->parts);
	free(reply->why);
	*reply = (struct ik_reply){ 0 };
}

static struct ik_part *part_add(struct ik_reply *reply, enum ik_part_kind kind, size_t ceiling)
{
	struct ik_part *part = ik_alloc(sizeof(*part));

	part->kind = kind;
	ik_uuid_new(part->message_id);
	ik_buf_init(&part->text, ceiling);
	ik_buf_init(&part->opaque, IK_LIMIT_REPLY);
	reply->parts = ik_alloc_more(reply->parts, reply->count, sizeof(*reply->parts));
	reply->parts[reply->count++] = part;
	return part;
}

enum ik_status ik_reply_add_text(struct ik_reply *reply, enum ik_part_kind kind,
	const struct ik_delta *delta)
{
	struct ik_part *part = reply->count ? reply->parts[reply->count - 1] : NULL;

	/* Thinking with opaque data is complete: what follows is a new part. */
	if (!part || part->kind != kind || part->complete ||
		(kind == IK_PART_THINKING && part->opaque.length))
		part = part_add(reply, kind, IK_LIMIT_REPLY);
	ik_buf_append(&part->text, delta->text, delta->text_length);
	return ik_buf_status(&part->text);
}

enum ik_status ik_reply_add_search(struct ik_reply *reply, const struct ik_delta *delta)
{
	struct ik_part *part = part_add(reply, IK_PART_SEARCH, IK_LIMIT_REPLY);

	ik_buf_puts(&part->text, _("Searched the web: "));
	ik_buf_append(&part->text, delta->text, delta->text_length);
	return ik_buf_status(&part->text);
}

/* Find the call in slot, newest first, since most pieces belong to the newest call. */
static struct ik_part *find_slot(const struct ik_reply *reply, int slot)
{
	size_t i;

	for (i = reply->count; i > 0; i--) {
		struct ik_part *part = reply->parts[i - 1];

		if (part->kind == IK_PART_CALL && part->slot == slot)
			return part;
	}
	return NULL;
}

/* Return name with only the characters that OpenAI, Anthropic and Google all allow; for Google it
 * must not begin with a digit or a dash. Otherwise one name that a model invents would make the
 * whole history unacceptable to providers. */
static char *usable_name(const char *name)
{
	bool bad_start = name && name[0] && strchr("0123456789-", name[0]);
	char *usable = ik_format("%s%.*s", bad_start ? "_" : "", LONGEST_NAME - bad_start,
		name ? name : "");
	char *at;

	for (at = usable; *at; at++) {
		bool fine = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
			(*at >= '0' && *at <= '9') || *at == '_' || *at == '-';

		if (!fine)
			*at = '_';
	}
	if (usable[0])
		return usable;
	free(usable);
	return ik_strdup("unnamed");
}

enum ik_status ik_reply_add_call(struct ik_reply *reply, const struct ik_delta *delta,
	struct ik_call_ids *ids, int number, struct ik_part **ret_part)
{
	struct ik_part *part;

	if (find_slot(reply, delta->slot)) {
		*ret_part = NULL;
		return IK_OK;
	}
	if (reply->call_count >= IK_REPLY_CALLS)
		return IK_TOO_LARGE;
	part = part_add(reply, IK_PART_CALL, IK_LIMIT_ARGUMENTS);
	part->slot = delta->slot;
	part->call = number;
	part->id = claim_id(ids, delta->id);
	part->name = usable_name(delta->name);
	reply->call_count++;
	*ret_part = part;
	return IK_OK;
}

enum ik_status ik_reply_add_arguments(struct ik_reply *reply, const struct ik_delta *delta,
	struct ik_part **ret_part)
{
	struct ik_part *part = find_slot(reply, delta->slot);

	*ret_part = part;
	if (!part)
		return IK_OK;
	ik_buf_append(&part->text, delta->text, delta->text_length);
	return ik_buf_status(&part->text);
}

/* Return the part that opaque data belongs to, adding one if the provider sends it alone; NULL if
 * there is no such part. */
static struct ik_part *opaque_owner(struct ik_reply *reply, const struct ik_delta *delta)
{
	struct ik_part *last = reply->count ? reply->parts[reply->count - 1] : NULL;
	enum ik_part_kind kind = delta->of == IK_DELTA_SEARCH ? IK_PART_SEARCH : IK_PART_THINKING;

	if (delta->of == IK_DELTA_CALL)
		return find_slot(reply, delta->slot);
	if (delta->of == IK_DELTA_TEXT)
		return last && last->kind == IK_PART_TEXT ? last : NULL;
	if (last && last->kind == kind && !last->opaque.length)
		return last;
	return part_add(reply, kind, IK_LIMIT_REPLY);
}

enum ik_status ik_reply_add_opaque(struct ik_reply *reply, const struct ik_delta *delta)
{
	struct ik_part *part = opaque_owner(reply, delta);

	if (!part)
		return IK_OK;
	/* In this format it ends an item of the reply. */
	part->complete = delta->of == IK_DELTA_TEXT && ik_text_equal(delta->name, IK_OPENAI_RESPONSES);
	ik_buf_clear(&part->opaque);
	ik_json_printf(&part->opaque, "{'provider':'%s','type':'%s',", delta->id ? delta->id : "",
		delta->name);
	if (delta->bound && *delta->bound)
		ik_json_printf(&part->opaque, "'bound':'%s'", delta->bound);
	ik_json_printf(&part->opaque, "'data':%.*s}", (int)delta->text_length, delta->text);
	return ik_buf_status(&part->opaque);
}

struct ik_usage ik_delta_usage(const struct ik_delta *delta, const struct ik_price *price)
{
	struct ik_usage usage = {
		.input_tokens = delta->input_tokens,
		.output_tokens = delta->output_tokens,
		.cached_tokens = delta->cached_tokens,
		.written_tokens = delta->written_tokens,
		.reasoning_tokens = delta->reasoning_tokens,
		.searches = delta->searches,
	};

	usage.cost = ik_usage_cost(&usage, price);
	return usage;
}

bool ik_reply_has_text(const struct ik_reply *reply)
{
	size_t i;

	for (i = 0; i < reply->count; i++) {
		if (reply->parts[i]->kind == IK_PART_TEXT)
			return true;
	}
	return false;
}

/* Return a new message for part, without its opaque data. */
static struct ik_message *plain_message(const struct ik_part *part, bool interrupted)
{
	static const char mark[] = "{\"interrupted\":true}", search[] = "{\"search\":true}";

	switch (part->kind) {
	case IK_PART_CALL:
		return ik_message_tool_call(part->id, part->name, part->text.data, part->text.length,
			part->line);
	case IK_PART_THINKING:
		return ik_message_new(IK_KIND_THINKING, part->text.data, part->text.length, NULL, 0);
	case IK_PART_SEARCH:
		return ik_message_new(IK_KIND_THINKING, part->text.data, part->text.length, search,
			strlen(search));
	case IK_PART_TEXT:
		break;
	}
	return ik_message_new(IK_KIND_ASSISTANT, part->text.data, part->text.length,
		interrupted ? mark : NULL, interrupted ? strlen(mark) : 0);
}

struct ik_message *ik_part_message(const struct ik_part *part, bool interrupted)
{
	struct ik_message *message = plain_message(part, interrupted);

	if (part->opaque.length && ik_buf_status(&part->opaque) == IK_OK)
		message = ik_message_with(message, "opaque", part->opaque.data, part->opaque.length);
	memcpy(message->id, part->message_id, sizeof(message->id));
	return message;
}
