/*
 * fuzz_import: whatever the file of a session import holds, each of its lines is an event or is
 * refused with a sentence, none of them tells the model what to do, and what was read makes a
 * request that is valid JSON in every wire format.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#include "cli/import_event.h"
#include "conversation/pairing.h"
#include "provider/formats.h"
#include "provider/wire/format.h"
#include "util/limits.h"

static void demand(bool truth)
{
	if (!truth)
		abort();
}

/* Read all lines; what is wrong with one ends it, as it ends an import. */
static void read_lines(const char *bytes, size_t size, struct ik_conversation *conversation)
{
	struct ik_import_event event = { .message = NULL };
	struct ik_outputs outputs = { .count = 0 };
	const char *problem = NULL;

	ik_buf_init(&event.bytes, IK_LIMIT_PART);
	for (const char *end = bytes + size; bytes < end && problem == NULL;) {
		const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
		size_t length = (size_t)((feed != NULL ? feed : end) - bytes);

		problem = ik_import_event_read(bytes, length, &outputs, &event);
		demand(problem == NULL || *problem != '\0');
		if (problem == NULL && event.message != NULL) {
			demand(event.session[0] != '\0' && event.message->kind != IK_KIND_SYSTEM);
			ik_conversation_append(conversation, event.message);
		}
		bytes += length + (feed != NULL);
	}
	ik_import_event_clear(&event);
	ik_buf_done(&event.bytes);
}

/* Make a request of the conversation, in each format. */
static void serialize(const struct ik_conversation *conversation)
{
	const struct ik_wire_format *format;

	for (size_t i = 0; (format = ik_wire_format_at(i)) != NULL; i++) {
		const struct ik_model_facts facts = { 0 };
		struct ik_request request = { .model = "m", .facts = &facts, .conversation = conversation };
		struct ik_error error = { .status = IK_OK };
		struct ik_buf out;

		ik_buf_init(&out, IK_MIB(64));
		if (ik_request_serialize(format, &request, &out, &error) == IK_OK)
			demand(ik_json_check(out.data, out.length, NULL, NULL) == IK_OK);
		else
			demand(error.text[0] != '\0');
		ik_buf_done(&out);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ik_conversation *conversation;

	if (size > IK_KIB(64))
		return 0;
	conversation = ik_conversation_new();
	read_lines((const char *)data, size, conversation);
	(void)ik_pairing_complete(conversation);
	serialize(conversation);
	ik_conversation_free(conversation);
	return 0;
}
