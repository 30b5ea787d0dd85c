/* Pictures in conversations, as the terminal draws them.  A picture is read from the store when it
 * comes into view, and made into what the terminal needs by libexec/picture, one at a time; what was
 * drawn is kept while there is room. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/attachment.h"
#include "loop/child.h"
#include "tool/fit.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

#define KEPT_BYTES IK_MIB(32) /* of drawings */
#define ENTRY_BYTES 1024      /* what a picture takes that can't be drawn */
#define PROGRAM_MS 30000
/* Pixels of a cell where the terminal doesn't say. */
#define CELL_WIDTH 10
#define CELL_HEIGHT 20

/* What the program is to do for a way to draw; cells: it counts in cells. */
static const struct {
	const char *job;
	bool cells;
} jobs[] = {
	[IK_DRAWING_CELLS] = { "cells", true },
	[IK_DRAWING_KITTY] = { "png", false },
	[IK_DRAWING_SIXEL] = { "sixel", false },
};

/* A picture in one size. */
struct drawn {
	struct drawn *next;
	char blob[IK_UUID_TEXT];
	int columns, rows; /* at most */
	int cell_width, cell_height;
	struct ik_bytes *file; /* until it is drawn; NULL: to be read */
	struct ik_buf bytes;   /* while it is read the file, then what was made of it */
	bool done;             /* there is a drawing, unless it has no rows */
	struct ik_drawing drawing;
	int64_t used; /* a counter's value at the last use */
};

struct ik_chat_pictures {
	struct ik_chat *chat;
	struct drawn *first;
	struct drawn *working; /* the one that is read or drawn, or NULL */
	struct ik_store_read *read;
	size_t part;
	struct ik_child *child;
	int64_t uses;
	uint32_t last_id;
};

/* Find the size of a cell in pixels, or a usual one; false: the terminal doesn't say. */
static bool find_cell(const struct ik_chat *chat, int *ret_width, int *ret_height)
{
	*ret_width = CELL_WIDTH;
	*ret_height = CELL_HEIGHT;
	return ik_tty_cell(chat->tty, ret_width, ret_height);
}

enum ik_drawing_way ik_chat_pictures_way(const struct ik_chat *chat)
{
	const char *wanted = chat->setup->config->ui_pictures;
	bool best = ik_text_equal(wanted, "auto");
	int width, height;

	if (!chat->term || !chat->utf8 || ik_text_equal(wanted, "off") ||
		ik_term_colours(chat->term) == IK_COLOURS_NONE)
		return IK_DRAWING_NONE;
	if (best && chat->modes.pictures)
		return IK_DRAWING_KITTY;
	if (best && chat->sixels && find_cell(chat, &width, &height))
		return IK_DRAWING_SIXEL;
	return ik_term_colours(chat->term) >= IK_COLOURS_256 ? IK_DRAWING_CELLS : IK_DRAWING_NONE;
}

static struct drawn *drawn_free(struct drawn *drawn)
{
	ik_bytes_unref(drawn->file);
	ik_buf_done(&drawn->bytes);
	free(drawn);
	return NULL;
}

/* Forget what was not seen for longest, until the rest has room. What is in view stays, or it would be
 * drawn again and again. */
static void forget_old(struct ik_chat_pictures *pictures)
{
	for (;;) {
		struct drawn **place, **oldest = NULL;
		size_t bytes = 0, count = 0;

		for (place = &pictures->first; *place; place = &(*place)->next) {
			bytes += (*place)->bytes.length + ENTRY_BYTES;
			count += (*place)->done;
			if ((*place)->done && (!oldest || (*place)->used < (*oldest)->used))
				oldest = place;
		}
		if (bytes <= KEPT_BYTES || count <= IK_CELLS_DRAWINGS)
			return;
		struct drawn *gone = *oldest;

		*oldest = gone->next;
		(void)drawn_free(gone);
	}
}

static void start_next(struct ik_chat_pictures *pictures);

/* The work on a picture is over. */
static void finish(struct ik_chat_pictures *pictures)
{
	struct drawn *drawn = pictures->working;

	pictures->working = NULL;
	drawn->file = ik_bytes_unref(drawn->file);
	if (drawn->drawing.rows == 0)
		ik_buf_done(&drawn->bytes);
	drawn->drawing.bytes = drawn->bytes.data;
	drawn->drawing.length = drawn->bytes.length;
	drawn->done = true;
	forget_old(pictures);
	ik_screen_touch(pictures->chat->screen);
	start_next(pictures);
}

/* Take the line before what the program made, and what it says of the size; false: it made no
 * drawing. */
static bool take_drawing(struct drawn *drawn, enum ik_drawing_way way)
{
	const char *end = memchr(drawn->bytes.data, '\n', drawn->bytes.length);
	struct ik_json_span line;
	struct ik_error error;
	int64_t width, height;

	if (!end ||
		ik_json_check(drawn->bytes.data, (size_t)(end - drawn->bytes.data), &line, &error) !=
			IK_OK ||
		!ik_json_integer(ik_json_member(line, "width"), &width) ||
		!ik_json_integer(ik_json_member(line, "height"), &height))
		return false;
	ik_buf_consume(&drawn->bytes, (size_t)(end + 1 - drawn->bytes.data));
	if (way == IK_DRAWING_SIXEL &&
		(strlen(drawn->bytes.data) != drawn->bytes.length ||
			!ik_drawing_is_sixels(drawn->bytes.data)))
		return false;
	if (!jobs[way].cells) {
		width = (width + drawn->cell_width - 1) / drawn->cell_width;
		height = (height + drawn->cell_height - 1) / drawn->cell_height;
	} else if (drawn->bytes.length != 6 * (size_t)width * (size_t)height) {
		return false;
	}
	drawn->drawing.way = way;
	drawn->drawing.columns = (int)width;
	drawn->drawing.rows = (int)height;
	return width >= 1 && width <= drawn->columns && height >= 1 && height <= drawn->rows;
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_chat_pictures *pictures = arg;

	ik_buf_append(&pictures->working->bytes, bytes, length);
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	struct ik_chat_pictures *pictures = arg;
	struct drawn *drawn = pictures->working;

	pictures->child = ik_child_close(pictures->child);
	if (!result->exited || result->exit_code != 0 || ik_buf_status(&drawn->bytes) != IK_OK ||
		!take_drawing(drawn, drawn->drawing.way))
		drawn->drawing.rows = 0;
	finish(pictures);
}

/* Have the program draw the picture whose file has been read. */
static void draw_file(struct ik_chat_pictures *pictures)
{
	static const struct ik_child_events events = { .output = on_output, .done = on_done };
	struct drawn *drawn = pictures->working;
	enum ik_drawing_way way = drawn->drawing.way;
	char *path = ik_path_join(pictures->chat->setup->places.system_tools, "picture/picture");
	char *width = ik_format("%d", drawn->columns * (jobs[way].cells ? 1 : drawn->cell_width));
	char *height = ik_format("%d", drawn->rows * (jobs[way].cells ? 1 : drawn->cell_height));
	char *line = ik_format("%d", drawn->cell_height);
	const char *argv[] = { path, jobs[way].job, width, height, line, NULL };
	const char **environment = ik_fit_environment(false);
	const struct ik_child_spec spec = {
		.path = path,
		.argv = argv,
		.environment = environment,
		.input = drawn->file->data,
		.input_length = drawn->file->length,
		.timeout_ms = PROGRAM_MS,
		.discard_stderr = true,
	};
	struct ik_error error;

	if (ik_child_start(pictures->chat->loop, &spec, &events, pictures, &pictures->child, &error) !=
		IK_OK)
		finish(pictures);
	free(environment);
	free(path);
	free(width);
	free(height);
	free(line);
}

static void on_part(void *arg, const struct ik_store_answer *answer);

static void read_part(struct ik_chat_pictures *pictures)
{
	pictures->read = ik_store_read_part(pictures->chat->core.store, pictures->working->blob,
		pictures->part++, on_part, pictures);
}

/* Take a part of the file. Only the last one is shorter than the others. */
static void on_part(void *arg, const struct ik_store_answer *answer)
{
	struct ik_chat_pictures *pictures = arg;
	struct drawn *drawn = pictures->working;

	pictures->read = NULL;
	if (answer->status == IK_OK)
		ik_buf_append(&drawn->bytes, answer->bytes, answer->length);
	if (answer->status == IK_OK && answer->length == IK_LIMIT_PART &&
		ik_buf_status(&drawn->bytes) == IK_OK) {
		read_part(pictures);
		return;
	}
	if (ik_buf_status(&drawn->bytes) == IK_OK)
		drawn->file = ik_bytes_take(&drawn->bytes);
	if (drawn->file)
		draw_file(pictures);
	else
		finish(pictures);
}

/* Begin to work on the picture that was asked for last, which is the likeliest to be in view. */
static void start_next(struct ik_chat_pictures *pictures)
{
	struct drawn *drawn, *newest = NULL;

	if (pictures->working)
		return;
	for (drawn = pictures->first; drawn; drawn = drawn->next)
		if (!drawn->done && (!newest || drawn->used > newest->used))
			newest = drawn;
	pictures->working = newest;
	pictures->part = 0;
	if (newest && newest->file)
		draw_file(pictures);
	else if (newest)
		read_part(pictures);
}

/* Return how many columns the picture takes with that many rows, if there is room for them. A cell
 * is twice as high as wide. */
static int columns_for(const struct ik_attachment *picture, int columns, int rows)
{
	int64_t most = columns < IK_DRAWING_MOST ? columns : IK_DRAWING_MOST;
	int64_t natural = picture->height > 0
		? (2 * rows * picture->width + picture->height - 1) / picture->height
		: most;

	return (int)(natural < 1 ? 1 : natural < most ? natural : most);
}

/* Return the picture in that size, or NULL; *ret_other: in another size, or NULL. */
static struct drawn *find(struct ik_chat_pictures *pictures, const char *blob, int columns,
	int rows, struct drawn **ret_other)
{
	enum ik_drawing_way way = ik_chat_pictures_way(pictures->chat);
	struct drawn *found = NULL;
	int width, height;

	*ret_other = NULL;
	(void)find_cell(pictures->chat, &width, &height);
	for (struct drawn *drawn = pictures->first; drawn; drawn = drawn->next) {
		if (drawn->drawing.way != way || !ik_text_equal(drawn->blob, blob))
			continue;
		if (drawn->columns == columns && drawn->rows == rows &&
			(jobs[way].cells || (drawn->cell_width == width && drawn->cell_height == height)))
			found = drawn;
		else if (drawn->done && drawn->drawing.rows > 0)
			*ret_other = drawn;
	}
	return found;
}

static struct drawn *add(struct ik_chat_pictures *pictures, const struct ik_attachment *picture,
	int columns, int rows)
{
	struct drawn *drawn = ik_alloc(sizeof(*drawn));

	memcpy(drawn->blob, picture->blob, sizeof(drawn->blob));
	drawn->columns = columns;
	drawn->rows = rows;
	(void)find_cell(pictures->chat, &drawn->cell_width, &drawn->cell_height);
	drawn->file = ik_bytes_ref(picture->contents);
	drawn->drawing.way = ik_chat_pictures_way(pictures->chat);
	drawn->drawing.id = ++pictures->last_id & 0xFFFFFF;
	ik_buf_init(&drawn->bytes, IK_LIMIT_PICTURE);
	drawn->next = pictures->first;
	pictures->first = drawn;
	return drawn;
}

/* Begin, outside of a frame, in which no drawing may go. */
static void begin(void *arg)
{
	struct ik_chat *chat = arg;

	if (chat->pictures)
		start_next(chat->pictures);
}

/* Return the drawing of a picture if there is one (struct ik_drawer). */
static const struct ik_drawing *draw(void *arg, const struct ik_attachment *picture, int columns,
	int rows)
{
	const struct ik_chat *chat = arg;
	struct ik_chat_pictures *pictures = chat->pictures;
	struct drawn *drawn, *other;

	/* The screens are told of what happens while the chat ends, after the pictures are gone. */
	if (!pictures || ik_chat_pictures_way(chat) == IK_DRAWING_NONE)
		return NULL;
	columns = columns_for(picture, columns, rows);
	drawn = find(pictures, picture->blob, columns, rows, &other);
	if (!drawn)
		drawn = add(pictures, picture, columns, rows);
	drawn->used = ++pictures->uses;
	if (!drawn->done && !pictures->working)
		ik_loop_defer(chat->loop, begin, pictures->chat);
	/* Until a new size is there, the old one is cut: the rows below it stay where they are. */
	drawn = drawn->done || !other ? drawn : other;
	return drawn->done && drawn->drawing.rows > 0 ? &drawn->drawing : NULL;
}

struct ik_drawer ik_chat_pictures_new(struct ik_chat *chat)
{
	chat->pictures = ik_alloc(sizeof(*chat->pictures));
	chat->pictures->chat = chat;
	return (struct ik_drawer){ draw, chat };
}

void ik_chat_pictures_done(struct ik_chat *chat)
{
	struct ik_chat_pictures *pictures = chat->pictures;

	if (!pictures)
		return;
	(void)ik_store_read_close(pictures->read);
	(void)ik_child_close(pictures->child);
	while (pictures->first) {
		struct drawn *next = pictures->first->next;

		(void)drawn_free(pictures->first);
		pictures->first = next;
	}
	free(pictures);
	chat->pictures = NULL;
}
