#include "request_seal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request_rules_private.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Anthropic's models whose thinking is bound to all that precedes it. */
#define BINDING "!claude-*-4-* claude-fable-5-* claude-mythos-5-* claude-opus-5-5* claude-sonnet-5-5* " \
	"claude-haiku-5-5*"

/* Of a seal, what binds it to the account. */
#define ACCOUNT_LENGTH (sizeof SEAL - 1 + 8)

/* A path of a server and the body of a request to it. */
struct sealed_request {
	const char *path;
	struct ik_json_span body;
	bool binds;
};

/* Append a value without the marks for the cache, which may move. */
static void put_unmarked(struct ik_buf *out, struct ik_json_span value)
{
	static const char mark[] = ",\"cache_control\":{";
	const char *end = value.text ? value.text + value.length : NULL, *found;

	for (const char *at = value.text; at < end; at = found) {
		found = memmem(at, (size_t)(end - at), mark, sizeof mark - 1);
		ik_buf_append(out, at, (size_t)((found ? found : end) - at));
		found = found ? (const char *)memchr(found, '}', (size_t)(end - found)) + 1 : end;
	}
}

/* Write the seal of what is said after the first messages. */
static void put_seal(const struct sealed_request *request, size_t messages, char seal[SEAL_SIZE])
{
	char *account = ik_strndup(request->path, strcspn(request->path + 1, "/") + 1);
	struct ik_buf text;

	ik_buf_init(&text, SIZE_MAX);
	if (request->binds) {
		put_unmarked(&text, ik_json_member(request->body, "system"));
		put_unmarked(&text, ik_json_member(request->body, "tools"));
		for (struct ik_json_walk walk = ik_json_walk(ik_json_member(request->body, "messages")); messages-- > 0 &&
		       ik_json_next(&walk);)
			put_unmarked(&text, walk.value);
	}
	snprintf(seal, SEAL_SIZE, SEAL "%08" PRIx32 "%08" PRIx32, (uint32_t)ik_text_hash(account),
		(uint32_t)ik_text_hash(text.length ? text.data : ""));
	ik_buf_done(&text);
	free(account);
}

static bool read_request(const char *path, const char *body, size_t length,
	struct sealed_request *ret_request)
{
	char *model;

	ret_request->path = path;
	if (ik_json_check(body, length, &ret_request->body, NULL) != IK_OK)
		return false;
	model = ik_json_string_new(ik_json_member(ret_request->body, "model"), NULL);
	ret_request->binds = model && matches(model, BINDING) && strstr(path, "/messages");
	free(model);
	return true;
}

void request_seal(const char *path, const char *body, size_t length, char ret_seal[SEAL_SIZE])
{
	struct sealed_request request;

	if (read_request(path, body, length, &request))
		put_seal(&request, SIZE_MAX, ret_seal);
	else
		snprintf(ret_seal, SEAL_SIZE, "%s", UNSEALED);
}

/* Do all seals in the text begin like this one? */
static bool has_only(struct ik_json_span text, const char *seal, size_t length)
{
	const char *end = text.text + text.length, *at = text.text;

	while ((at = memmem(at, (size_t)(end - at), SEAL, sizeof SEAL - 1)) != NULL) {
		if ((size_t)(end - at) < length || memcmp(at, seal, length) != 0)
			return false;
		at++;
	}
	return true;
}

const char *request_broken_seal(const char *path, const char *body, size_t length)
{
	struct sealed_request request;
	struct ik_json_walk walk;
	char seal[SEAL_SIZE], other[SEAL_SIZE];

	if (!read_request(path, body, length, &request))
		return NULL;
	put_seal(&request, 0, seal);
	if (!request.binds)
		return has_only(request.body, seal, ACCOUNT_LENGTH) ? NULL :
			"The encrypted content could not be verified: invalid_encrypted_content";
	walk = ik_json_walk(ik_json_member(request.body, "messages"));
	for (size_t at = 0; ik_json_next(&walk); at++) {
		put_seal(&request, at, other);
		if (!has_only(walk.value, other, SEAL_SIZE - 1))
			return "Invalid `signature` in `thinking` block. The block is bound to a different "
				"conversation";
	}
	return NULL;
}
