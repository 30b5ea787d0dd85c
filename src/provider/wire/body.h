/*
 * body: the bytes of the requests of one conversation, of which each goes on where the one
 * before ended.
 *
 * What was spelled once is used again as long as the conversation only grows and goes to the
 * same model in the same wire format; another one, a summary or a system prompt that was not
 * there before begins anew by itself.  The bytes of the newest part are kept; of older ones only
 * where they begin and how long they are: those are spelled again while they are read, so
 * that a long history is not in memory twice.  Byte for byte what ik_request_serialize() makes.
 *
 * Pure: the caller says how much is done at a time.
 * May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_WIRE_BODY_H
#define IK_PROVIDER_WIRE_BODY_H

#include "provider/wire/format.h"

struct ik_body;

/* kept: how many bytes stay in memory from request to request, about. */
struct ik_body *ik_body_new(size_t kept);
struct ik_body *ik_body_free(struct ik_body *body);

/* Begin a request; the one before is over. Until then only the conversation is borrowed: nothing
 * but appending may happen to it. */
void ik_body_begin(struct ik_body *body, const struct ik_wire_format *format,
	const struct ik_request *request);

/* Spell about so many more bytes (a whole message at least); true: all is done, or failed. */
bool ik_body_go_on(struct ik_body *body, size_t bytes);

/* How much of the conversation is spelled, 0 to 100. */
int ik_body_percent(const struct ik_body *body);

/* How long the body is; when all is done. */
enum ik_status ik_body_length(const struct ik_body *body, size_t *ret_length,
	struct ik_error *error) IK_MUST_USE;

/* Copy at most room bytes from position at on: at least one where there is any; 0 at the end, and
 * when memory is gone. Cheap when it goes on where the last one ended. */
size_t ik_body_read(struct ik_body *body, size_t at, char *to, size_t room);

/* Bytes of the messages that are in memory. */
size_t ik_body_kept(const struct ik_body *body);

#endif
