#include "cli/import_line.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sha256.h"
#include "util/text.h"

#define STREAMS 2 /* streams of a call with large outputs */

struct ik_import_line {
	char session[IK_UUID_TEXT];
	char (*ids)[IK_UUID_TEXT]; /* sorted once all are there */
	size_t count, capacity;
	int64_t last;
	bool met; /* one of them was looked up */
};

static bool take_id(void *arg, struct ik_message *message)
{
	struct ik_import_line *line = arg;

	if (line->count == line->capacity) {
		line->capacity = line->capacity > 0 ? line->capacity * 2 : 256;
		line->ids = ik_alloc_array(line->ids, line->capacity, sizeof(*line->ids));
	}
	memcpy(line->ids[line->count++], message->id, IK_UUID_TEXT);
	line->last = message->sequence;
	return true;
}

static int compare_ids(const void *one, const void *other)
{
	return memcmp(one, other, IK_UUID_TEXT);
}

enum ik_status ik_import_line_read(struct ik_loop *loop, struct ik_store *store,
	const char *session, struct ik_import_line **ret_line, struct ik_error *error)
{
	struct ik_import_line *line = ik_alloc(sizeof(*line));
	enum ik_status status;

	memcpy(line->session, session, strnlen(session, IK_UUID_TEXT - 1));
	status = ik_session_walk(loop, store, session, take_id, line, error);
	if (status != IK_OK && status != IK_NOT_FOUND) {
		ik_import_line_free(line);
		return status;
	}
	if (line->count > 0)
		qsort(line->ids, line->count, sizeof(*line->ids), compare_ids);
	*ret_line = line;
	return IK_OK;
}

struct ik_import_line *ik_import_line_free(struct ik_import_line *line)
{
	if (!line)
		return NULL;
	free(line->ids);
	free(line);
	return NULL;
}

const char *ik_import_line_session(const struct ik_import_line *line)
{
	return line->session;
}

int64_t ik_import_line_last(const struct ik_import_line *line)
{
	return line->last;
}

bool ik_import_line_fits(const struct ik_import_line *line)
{
	return line->count == 0 || line->met;
}

/* Does the session have this very id? */
static bool is_there(const struct ik_import_line *line, const char *id)
{
	return line->count > 0 && bsearch(id, line->ids, line->count, sizeof(*line->ids), compare_ids);
}

bool ik_import_line_has(struct ik_import_line *line, const char *id, bool *ret_copied)
{
	char copy[IK_UUID_TEXT];
	struct ik_error error;

	*ret_copied = false;
	if (line->count == 0)
		return false;
	if (!is_there(line, id)) {
		*ret_copied = ik_import_line_copy_id(line, id, copy, &error) == IK_OK &&
			is_there(line, copy);
		if (!*ret_copied)
			return false;
	}
	line->met = true;
	return true;
}

enum ik_status ik_import_line_copy_id(const struct ik_import_line *line, const char *id,
	char out[IK_UUID_TEXT], struct ik_error *error)
{
	char digest[IK_SHA256_TEXT];
	char *text = ik_format("%s %s", line->session, id);
	enum ik_status status = ik_sha256_of(text, strlen(text), digest, error);
	size_t i, from = 0;

	free(text);
	if (status != IK_OK)
		return status;
	for (i = 0; i < IK_UUID_TEXT - 1; i++)
		out[i] = id[i] == '-' ? '-' : digest[from++];
	out[i] = '\0';
	out[14] = '8'; /* a custom UUID (RFC 9562, section 5.8) */
	out[19] = '8';
	return IK_OK;
}

struct ik_message *ik_import_line_copy(const struct ik_import_line *line,
	const struct ik_message *message, struct ik_error *error)
{
	char *data = message->data ? ik_strndup(message->data, message->data_length) : NULL;
	char id[IK_UUID_TEXT], output[IK_UUID_TEXT];
	enum ik_status status = ik_import_line_copy_id(line, message->id, id, error);
	struct ik_message *copy = NULL;
	struct ik_blob blob;
	int stream;

	for (stream = 0; status == IK_OK && stream < STREAMS; stream++) {
		char *place;

		if (!ik_message_blob(message, stream, &blob))
			continue;
		status = ik_import_line_copy_id(line, blob.id, output, error);
		for (place = strstr(data, blob.id); status == IK_OK && place;
			 place = strstr(place, blob.id))
			memcpy(place, output, IK_UUID_TEXT - 1);
	}
	if (status == IK_OK)
		copy = ik_message_stored(message->kind, id, 0, message->time_ms, message->content,
			message->content_length, data, message->data_length);
	free(data);
	return copy;
}
