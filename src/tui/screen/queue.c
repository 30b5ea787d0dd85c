#include "tui/screen/queue.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define QUEUE_PART 5 /* at most a fifth of the screen's rows */

struct ik_queue {
	char *text; /* sanitised, a message a line; NULL: none */
	size_t count;
	bool held;
};

struct ik_queue *ik_queue_new(void)
{
	return ik_alloc(sizeof(struct ik_queue));
}

struct ik_queue *ik_queue_free(struct ik_queue *queue)
{
	if (queue)
		free(queue->text);
	free(queue);
	return NULL;
}

void ik_queue_set(struct ik_queue *queue, size_t count, const char *text, size_t length, bool held)
{
	struct ik_buf out;

	queue->count = count;
	queue->held = held;
	free(queue->text);
	queue->text = NULL;
	if (count == 0)
		return;
	ik_buf_init(&out, 4 * IK_LIMIT_USER_TEXT);
	ik_sanitize(&out, text, length);
	queue->text = ik_buf_take(&out, NULL);
}

bool ik_queue_is_held(const struct ik_queue *queue)
{
	return queue->held;
}

int ik_queue_rows(const struct ik_queue *queue, int screen_rows)
{
	int most = screen_rows / QUEUE_PART > 1 ? screen_rows / QUEUE_PART : 1;

	return queue->count < (size_t)most ? (int)queue->count : most;
}

void ik_queue_draw(const struct ik_queue *queue, struct ik_cells *cells, struct ik_rectangle area)
{
	size_t rows = (size_t)area.rows, skipped = queue->count - rows;
	const char *line = queue->text;
	struct ik_buf out;

	if (rows == 0)
		return;
	ik_buf_init(&out, IK_KIB(64));
	/* The first of several rows counts those that have no row. */
	if (skipped > 0 && rows > 1) {
		skipped++;
		ik_buf_printf(&out, ngettext("%zu more before that", "%zu more before that", skipped),
			skipped);
		ik_cells_label(cells, area, area.row, area.column + 2, IK_STYLE_DIM, out.data);
		area.row++;
	}
	for (; skipped > 0 && *line; skipped--)
		line += strcspn(line, "\n") + 1;
	for (; line && *line; area.row++) {
		size_t length = strcspn(line, "\n");
		char *label = ik_strndup(line, length);

		ik_buf_clear(&out);
		ik_buf_printf(&out, queue->held ? _(" held: %s ") : _(" queued: %s "), label);
		ik_cells_label(cells, area, area.row, area.column + 1, IK_STYLE_NOTICE, out.data);
		free(label);
		line += length + (line[length] == '\n');
	}
	ik_buf_done(&out);
}
