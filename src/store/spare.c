#include "store/spare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal/event_line.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Write the line that was built, and empty it; 0, or errno. */
static int write_line(int fd, struct ik_buf *line)
{
	int number;

	ik_buf_putc(line, '\n');
	number = ik_buf_status(line) == IK_OK ? ik_write_all(fd, line->data, line->length) : ENOMEM;
	ik_buf_clear(line);
	return number;
}

/* Lines are those of an export (core/export.c, core/export_output.c). */
static int write_text(int fd, struct ik_buf *line, struct ik_store_blob *blob)
{
	const struct ik_bytes *bytes = blob->bytes;
	int number = 0;

	for (size_t at = 0, part = 0; number == 0 && at < bytes->length; at += IK_LIMIT_PART, part++) {
		size_t left = bytes->length - at;

		ik_json_printf(line, "{'blob':'%s','part':%zu,'base64':", blob->id, part);
		ik_buf_putc(line, '"');
		ik_base64_put(line, bytes->data + at, left < IK_LIMIT_PART ? left : IK_LIMIT_PART);
		ik_buf_puts(line, "\"}");
		number = write_line(fd, line);
	}
	blob->written = number == 0;
	return number;
}

/* The text that an event names; NULL: it names none, or the journal has it. */
static struct ik_store_blob *text_of(const struct ik_message *message, int stream,
	struct ik_store_blob *blobs)
{
	struct ik_blob blob;

	if (!ik_message_blob(message, stream, &blob))
		return NULL;
	while (blobs && !ik_text_equal(blobs->id, blob.id))
		blobs = blobs->next;
	return blobs;
}

static int write_event(int fd, struct ik_buf *line, const char *session,
	const struct ik_message *message, struct ik_store_blob *blobs)
{
	int number;

	ik_event_line_put(line, session, message);
	number = write_line(fd, line);
	for (int stream = 0; number == 0 && stream < 2; stream++) {
		struct ik_store_blob *blob = text_of(message, stream, blobs);

		if (blob)
			number = write_text(fd, line, blob);
	}
	return number;
}

char *ik_spare_write(struct ik_session_writer *writers, struct ik_store_blob *blobs,
	struct ik_error *error)
{
	char *path = ik_format("%s/ikigai-XXXXXX.jsonl", ik_path_temporary());
	int fd = mkostemps(path, (int)strlen(".jsonl"), O_CLOEXEC), number = fd < 0 ? errno : 0;
	struct ik_session_writer *writer;
	const struct ik_writer_queued *queued;
	struct ik_buf line;

	ik_buf_init(&line, IK_LIMIT_ENVELOPE);
	for (writer = writers; writer; writer = writer->next)
		for (queued = writer->first; number == 0 && queued; queued = queued->next)
			number = write_event(fd, &line, writer->id, queued->message, blobs);
	ik_buf_done(&line);
	if (fd >= 0)
		(void)close(fd);
	if (number == 0) {
		for (writer = writers; writer; writer = writer->next)
			writer->journaled = writer->last;
		return path;
	}
	(void)ik_error_set_errno(error, number, "%s", path);
	if (fd >= 0)
		(void)unlink(path);
	free(path);
	return NULL;
}
