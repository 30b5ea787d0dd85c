#include "tui/scrollback/block.h"

#include <stdlib.h>
#include <string.h>

#include "tui/text/folded.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define COMMAND_ROWS 4   /* of a folded call: its end may be what matters */
#define CHANGED_LINES 12 /* of a folded call: of what it changes in a file */
#define THOUGHT_ROWS 3   /* of folded thinking, while it grows */
/* A message of the user's with more lines or bytes is folded, to half as many. */
#define MESSAGE_LINES 20
#define MESSAGE_BYTES 3000
#define PICTURE_ROWS 16

static const struct ik_block_look looks[IK_BLOCK_KINDS] = {
	[IK_BLOCK_USER] = { true, false, IK_STYLE_USER, IK_STYLE_USER },
	[IK_BLOCK_ASSISTANT] = { true, false, IK_STYLE_NORMAL, IK_STYLE_NORMAL },
	[IK_BLOCK_THINKING] = { true, false, IK_STYLE_THINKING, IK_STYLE_THINKING },
	[IK_BLOCK_CALL] = { true, false, IK_STYLE_CODE, IK_STYLE_OUTPUT },
	[IK_BLOCK_COMMAND] = { true, false, IK_STYLE_USER, IK_STYLE_NORMAL },
	[IK_BLOCK_PICTURE] = { true, true, IK_STYLE_DIM, IK_STYLE_DIM },
	[IK_BLOCK_NOTICE] = { true, true, IK_STYLE_DIM, IK_STYLE_OUTPUT },
	[IK_BLOCK_ERROR] = { true, true, IK_STYLE_BAD, IK_STYLE_BAD },
	[IK_BLOCK_HEADING] = { false, true, IK_STYLE_BOLD, IK_STYLE_BOLD },
	[IK_BLOCK_TEXT] = { false, true, IK_STYLE_NORMAL, IK_STYLE_NORMAL },
	[IK_BLOCK_OUTPUT] = { false, true, IK_STYLE_OUTPUT, IK_STYLE_OUTPUT },
	[IK_BLOCK_HINT] = { false, true, IK_STYLE_DIM, IK_STYLE_DIM },
	[IK_BLOCK_WARNING] = { false, true, IK_STYLE_WARNING, IK_STYLE_WARNING },
};

const struct ik_block_look *ik_block_look(enum ik_block_kind kind)
{
	return &looks[kind];
}

const char *ik_block_mark(const struct ik_block *block, enum ik_style *ret_style)
{
	*ret_style = looks[block->kind].head_style;
	switch (block->kind) {
	case IK_BLOCK_USER:
	case IK_BLOCK_COMMAND:
		return ">";
	case IK_BLOCK_THINKING:
		return "~";
	case IK_BLOCK_CALL:
		return ik_call_mark(block->call, ret_style);
	case IK_BLOCK_NOTICE:
		return "·";
	case IK_BLOCK_ERROR:
		return "!";
	default:
		return "";
	}
}

static void show(struct ik_block *block, const char *text, size_t length)
{
	block->text = text;
	block->length = length;
}

static void show_own(struct ik_block *block)
{
	show(block, block->own.data, block->own.length);
}

struct ik_block *ik_block_new(enum ik_block_kind kind)
{
	struct ik_block *block = ik_alloc(sizeof(*block));

	block->kind = kind;
	block->growing = true;
	block->filled = true;
	block->renderer = kind == IK_BLOCK_COMMAND ? &ik_renderer_table : &ik_renderer_plain;
	block->folded = kind == IK_BLOCK_THINKING || kind == IK_BLOCK_CALL;
	block->began_ms = block->seconds = -1;
	ik_buf_init(&block->own, IK_LIMIT_ENVELOPE);
	ik_buf_init(&block->learnt, IK_KIB(64));
	block->tail = SIZE_MAX;
	show_own(block);
	return block;
}

static void drop_sections(struct ik_block *block)
{
	for (uint32_t i = 0; i < block->section_count; i++)
		ik_lines_done(&block->sections[i].lines);
	free(block->sections);
	block->sections = NULL;
	block->section_count = 0;
	ik_buf_done(&block->learnt);
}

struct ik_block *ik_block_free(struct ik_block *block)
{
	if (!block)
		return NULL;
	drop_sections(block);
	ik_buf_done(&block->own);
	ik_message_unref(block->message);
	free(block);
	return NULL;
}

/* Return the kind of block that shows a message, or IK_BLOCK_KINDS if it isn't shown. */
static enum ik_block_kind block_kind(const struct ik_message *message)
{
	struct ik_json_span data = ik_message_data(message);

	switch (message->kind) {
	case IK_KIND_USER:
		return IK_BLOCK_USER;
	case IK_KIND_ASSISTANT:
		return IK_BLOCK_ASSISTANT;
	case IK_KIND_THINKING:
		return message->searches ? IK_BLOCK_NOTICE : IK_BLOCK_THINKING;
	case IK_KIND_COMMAND:
		return IK_BLOCK_COMMAND;
	case IK_KIND_NOTICE:
		return ik_json_member(data, "code").text || ik_json_member(data, "problem").text
			? IK_BLOCK_ERROR
			: IK_BLOCK_NOTICE;
	default:
		return IK_BLOCK_KINDS;
	}
}

bool ik_block_text_shows(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\0' || !strchr(" \t\r\n", text[i]))
			return true;
	return false;
}

struct ik_block *ik_block_of_message(struct ik_message *message)
{
	enum ik_block_kind kind = block_kind(message);

	if (kind == IK_BLOCK_KINDS || ik_message_is_automatic(message) ||
		!ik_block_text_shows(message->content, message->content_length))
		return NULL;
	struct ik_block *block = ik_block_new(kind);
	block->message = ik_message_ref(message);
	block->growing = false;
	block->filled = false;
	block->folded = ik_block_foldable(block);
	return block;
}

/* Append a line about an attachment: "+ shot.png · 1280×800 · 240 KB". */
static void put_attachment(const struct ik_attachment *attachment, struct ik_buf *out)
{
	char *name = ik_json_string_new(attachment->name, NULL);

	ik_buf_puts(out, "+ ");
	ik_sanitize_line(out, name ? name : "", name ? strlen(name) : 0);
	if (attachment->width > 0 && attachment->height > 0)
		ik_buf_printf(out, " · %lld×%lld", (long long)attachment->width,
			(long long)attachment->height);
	ik_buf_puts(out, " · ");
	ik_size_text(out, (size_t)attachment->bytes);
	free(name);
}

static bool is_picture(const struct ik_attachment *attachment)
{
	return ik_text_starts(attachment->media_type, "image/");
}

struct ik_block *ik_block_of_picture(struct ik_message *message, size_t *index)
{
	struct ik_attachment picture;

	do {
		if (!ik_message_attachment(message, (*index)++, &picture))
			return NULL;
	} while (!is_picture(&picture));
	struct ik_block *block = ik_block_new(IK_BLOCK_PICTURE);

	put_attachment(&picture, &block->own);
	show_own(block);
	block->message = ik_message_ref(message);
	block->picture = picture;
	block->picture_rows = PICTURE_ROWS;
	block->attachment = *index - 1;
	block->growing = false;
	return block;
}

struct ik_block *ik_block_of_call(struct ik_shown_call *call)
{
	struct ik_block *block = ik_block_new(IK_BLOCK_CALL);

	block->call = call;
	block->growing = false;
	block->filled = false;
	return block;
}

/* Is there a label in place of its text? */
static bool shows_label(const struct ik_block *block)
{
	return block->folded && block->kind == IK_BLOCK_THINKING;
}

void ik_block_remark(struct ik_block *block, const char *remark)
{
	if (block->growing || block->tail != SIZE_MAX)
		return;
	ik_block_prepare(block);
	if (block->text != block->own.data) {
		ik_buf_clear(&block->own);
		ik_buf_append(&block->own, block->text, block->length);
	}
	block->tail = block->length;
	if (block->length > 0)
		ik_buf_putc(&block->own, '\n');
	ik_buf_puts(&block->own, remark);
	show_own(block);
	drop_sections(block);
}

/* Append the output of a command after its line. */
static void fill_output(struct ik_block *block)
{
	struct ik_buf output;

	ik_buf_init(&output, IK_LIMIT_ENVELOPE);
	block->head = block->own.length;
	struct ik_json_span printed = ik_json_member(ik_message_data(block->message), "output");

	if (ik_message_own_call(block->message) != IK_OWN_TOOL /* an envelope is nothing to read */
		&& ik_json_string(printed, &output) && output.length > 0) {
		ik_buf_putc(&block->own, '\n');
		ik_sanitize(&block->own, output.data, output.length);
	}
	ik_buf_done(&output);
}

/* Show the texts that go with a message, or, while it is folded, name what does, each on a line;
 * pictures have blocks of their own. */
static void fill_attached(struct ik_block *block)
{
	const struct ik_message *message = block->message;
	size_t typed = ik_message_typed(message);
	struct ik_attachment attachment;

	if (!block->folded && typed < message->content_length) {
		block->tail = block->own.length;
		ik_sanitize(&block->own, message->content + typed, message->content_length - typed);
		return;
	}

	for (size_t i = 0; ik_message_attachment(block->message, i, &attachment); i++) {
		if (is_picture(&attachment))
			continue;
		if (block->tail == SIZE_MAX)
			block->tail = block->own.length;
		ik_buf_putc(&block->own, '\n');
		put_attachment(&attachment, &block->own);
	}
}

/* Append the code of an error, dim and in brackets: the sentence says more. */
static void put_code(struct ik_block *block)
{
	char *code = ik_json_string_new(ik_json_member(ik_message_data(block->message), "code"), NULL);

	if (code) {
		block->tail = block->own.length;
		ik_buf_printf(&block->own, " (%s)", code);
	}
	free(code);
}

/* Make the text of a stored message: the message's own where that is harmless. */
static void fill_from_message(struct ik_block *block)
{
	const char *content = block->message->content;
	size_t length = ik_message_typed(block->message);
	size_t shown, hidden = 0;

	for (; length > 0 && *content == '\n'; length--)
		content++;
	while (length > 0 && (content[length - 1] == '\n' || content[length - 1] == ' '))
		length--;
	shown = length;
	if (block->folded && block->kind == IK_BLOCK_USER)
		shown = ik_folded_size(content, length, MESSAGE_LINES / 2, MESSAGE_BYTES / 2, &hidden);
	block->tail = SIZE_MAX;
	ik_buf_clear(&block->own);
	ik_sanitize(&block->own, content, shown);
	if (block->kind == IK_BLOCK_ERROR)
		put_code(block);
	if (block->kind == IK_BLOCK_COMMAND) {
		fill_output(block);
		block->hang = IK_HANG_TABLE;
	}
	ik_buf_trim(&block->own, 0, "\n ");
	if (hidden > 0) {
		ik_buf_putc(&block->own, '\n');
		block->tail = block->own.length;
		ik_folded_put_mark(&block->own, hidden);
	}
	if (block->kind == IK_BLOCK_USER)
		fill_attached(block);
	if (block->own.length == length && memcmp(block->own.data, content, length) == 0) {
		ik_buf_done(&block->own); /* once in memory is enough */
		show(block, content, length);
	} else {
		show_own(block);
	}
}

/* Return how many lines of a call's outcome are shown while it is folded: what the user asked for
 * isn't an aside, and what a command prints is worth a look. */
static size_t shown_lines(const struct ik_block *block)
{
	if (block->call->nested)
		return 0;
	if (block->call->own)
		return IK_CALL_LINES;
	switch (ik_call_kind(block->call)) {
	case IK_DISPLAY_EXECUTE:
		return block->lines;
	case IK_DISPLAY_EDIT:
		return CHANGED_LINES;
	default:
		return 0;
	}
}

/* Return where the last few rows of a text begin. They are made from the beginning of a line, so that
 * they break at the same places while it grows. */
static size_t last_rows(const char *text, size_t length, int columns)
{
	size_t starts[THOUGHT_ROWS] = { 0 }, at = length, count = 0;

	while (at > 0 && length - at < IK_SECTION_MAX &&
		(text[at - 1] != '\n' || ++count < THOUGHT_ROWS))
		at--;
	while (at < length && ik_utf8_is_continuation(text[at]))
		at++;
	for (count = 0; at < length; count++) {
		starts[count % THOUGHT_ROWS] = at;
		at += ik_wrap_row(text + at, length - at, columns).taken;
	}
	at = starts[count < THOUGHT_ROWS ? 0 : count % THOUGHT_ROWS];
	return at + strspn(text + at, "\n");
}

/* Lay out what folded thinking shows: a line with what it is, and facts; while it grows, also the last
 * rows of it. */
static void render_thinking(const struct ik_block *block, struct ik_render *request,
	struct ik_lines *lines)
{
	size_t count = ik_line_feeds(block->text, block->length) + (block->length > 0);
	struct ik_buf label;

	ik_buf_init(&label, IK_KIB(1));
	if (block->growing)
		ik_buf_puts(&label, _("Thinking…"));
	else if (block->seconds > 0)
		ik_buf_printf(&label,
			ngettext("Thought for %lld second", "Thought for %lld seconds",
				(unsigned long)block->seconds),
			(long long)block->seconds);
	else
		ik_buf_puts(&label, _("Thought"));
	int column = (int)ik_utf8_width(label.data, label.length);

	ik_lines_add(lines, 0);
	ik_lines_add_own(lines, label.data, label.length, 0, IK_STYLE_THINKING);
	ik_buf_clear(&label);
	if (block->growing && block->seconds > 0)
		ik_buf_printf(&label, _(" %lld s"), (long long)block->seconds);
	ik_buf_puts(&label, " · ");
	ik_buf_printf(&label, ngettext("%zu line", "%zu lines", count), count);
	ik_lines_add_own(lines, label.data, label.length, column, IK_STYLE_DIM);
	ik_buf_done(&label);
	while (request->end > 0 && block->text[request->end - 1] == '\n')
		request->end--;
	if (!block->growing || request->end == 0)
		return;
	request->start = last_rows(block->text, request->end, request->prose);
	ik_renderer_plain.render(request, lines);
}

bool ik_block_foldable(const struct ik_block *block)
{
	const struct ik_message *message = block->message;
	size_t typed = block->kind == IK_BLOCK_USER && message ? ik_message_typed(message) : 0;

	return block->kind == IK_BLOCK_THINKING || block->kind == IK_BLOCK_CALL ||
		typed > MESSAGE_BYTES || (typed > 0 && typed < message->content_length) ||
		(typed > 0 && ik_line_feeds(message->content, typed) >= MESSAGE_LINES);
}

bool ik_block_is_row(const struct ik_block *block)
{
	return block->call ? block->folded && shown_lines(block) == 0 : shows_label(block);
}

void ik_block_fold(struct ik_block *block, bool folded)
{
	if (!ik_block_foldable(block) || block->folded == folded)
		return;
	block->folded = folded;
	drop_sections(block);
	if (block->kind != IK_BLOCK_THINKING) {
		ik_buf_done(&block->own);
		show_own(block);
		block->filled = false;
	}
}

bool ik_block_tick(struct ik_block *block, int64_t now_ms)
{
	if (block->kind != IK_BLOCK_THINKING || !block->growing)
		return false;
	if (block->began_ms < 0)
		block->began_ms = now_ms;
	int64_t seconds = (now_ms - block->began_ms) / 1000;
	bool changed = seconds != block->seconds;
	block->seconds = seconds;
	return changed && block->folded;
}

void ik_block_copy(struct ik_block *block, struct ik_buf *out)
{
	if (block->call) {
		ik_call_copy(block->call, out);
	} else if (block->message && block->kind != IK_BLOCK_COMMAND &&
		block->kind != IK_BLOCK_PICTURE) {
		ik_buf_append(out, block->message->content, block->message->content_length);
	} else {
		ik_block_prepare(block);
		size_t length = block->tail < block->length ? block->tail : block->length;
		ik_buf_append(out, block->text, length);
	}
}

/* Make the text when it is first asked for, or when its call has changed. */
static void fill(struct ik_block *block)
{
	if (block->call) {
		if (block->filled && block->call_version == block->call->version)
			return;
		ik_buf_clear(&block->own);
		bool changes = ik_call_text(block->call, block->folded ? shown_lines(block) : IK_CALL_ALL,
			&block->own, &block->head, &block->tail);

		block->renderer = changes ? &ik_renderer_diff : &ik_renderer_plain;
		block->call_version = block->call->version;
		show_own(block);
		drop_sections(block);
		block->filled = true;
	} else if (!block->filled) {
		block->filled = true;
		fill_from_message(block);
		bool interrupted = false;

		if (ik_json_bool(ik_json_member(ik_message_data(block->message), "interrupted"),
				&interrupted) &&
			interrupted)
			ik_block_remark(block, _("[interrupted]"));
	}
}

void ik_block_append(struct ik_block *block, const char *bytes, size_t length)
{
	if (block->own.length == 0 && block->state.held_length == 0) {
		while (length > 0 && (*bytes == '\n' || *bytes == '\r')) {
			bytes++;
			length--;
		}
	}
	ik_sanitize_piece(&block->state, &block->own, bytes, length);
	show_own(block);
}

void ik_block_finish(struct ik_block *block)
{
	if (!block->growing)
		return;
	ik_sanitize_end(&block->state, &block->own);
	block->growing = false;
	size_t length = block->own.length;

	if (!block->joined)
		ik_buf_trim(&block->own, 0, "\n ");
	if (block->own.length < length) {
		drop_sections(block);
	} else if (block->section_count > 0) { /* its end is read again as one */
		struct ik_section *last = &block->sections[block->section_count - 1];

		last->columns = 0;
		last->end = last->start;
	}
	show_own(block);
}

void ik_block_go_on(struct ik_block *block, const struct ik_message *message)
{
	ik_block_finish(block);
	if (block->message) {
		/* Anew from its message, for its own text has lost the blanks at the end. */
		const char *content = block->message->content;
		content += strspn(content, "\n");
		ik_buf_clear(&block->own);
		ik_sanitize(&block->own, content, strlen(content));
	}
	block->message = ik_message_unref(block->message);
	drop_sections(block);
	memset(&block->state, 0, sizeof(block->state));
	block->joined = block->growing = block->filled = true;
	block->tail = SIZE_MAX;
	show_own(block);
	if (message) {
		ik_block_append(block, message->content, message->content_length);
		ik_block_finish(block);
	}
}

void ik_block_finish_with(struct ik_block *block, struct ik_message *message)
{
	ik_block_finish(block);
	if (block->joined)
		return;
	struct ik_buf streamed = block->own;
	ik_buf_init(&block->own, IK_LIMIT_ENVELOPE);
	block->message = ik_message_ref(message);
	block->filled = false;
	fill(block);
	if (streamed.length != block->length || memcmp(streamed.data, block->text, block->length) != 0)
		drop_sections(block);
	ik_buf_done(&streamed);
}

void ik_block_set_renderer(struct ik_block *block, const struct ik_renderer *renderer)
{
	if (block->renderer == renderer)
		return;
	block->renderer = renderer;
	drop_sections(block);
}

static const struct ik_renderer *renderer_of(const struct ik_block *block)
{
	return block->folded && block->kind != IK_BLOCK_USER ? &ik_renderer_folded : block->renderer;
}

static struct ik_section *add_section(struct ik_block *block, uint32_t start, size_t opener)
{
	block->sections = ik_alloc_more(block->sections, block->section_count,
		sizeof(*block->sections));
	struct ik_section *section = &block->sections[block->section_count++];
	*section = (struct ik_section){ .start = start, .opener = (uint32_t)opener };
	return section;
}

/* Update what the sections depend on, and lay out again those that change. The last line of a
 * growing text can still become anything. */
static void learn(struct ik_block *block, const struct ik_renderer *renderer)
{
	size_t length = block->growing ? ik_line_begin(block->text, 0, block->length) : block->length;

	if (!renderer->learn || !renderer->learn(&block->learnt, block->text, length))
		return;
	for (size_t i = 0; i < block->section_count; i++) {
		struct ik_section *section = &block->sections[i];

		if (memchr(block->text + section->start, '[', section->end - section->start))
			section->columns = 0;
	}
}

/* Cover the text with sections; the last one takes what was appended until the
 * renderer cuts it. */
static void make_sections(struct ik_block *block)
{
	const struct ik_renderer *renderer = renderer_of(block);
	struct ik_section *last = block->section_count > 0 ? &block->sections[block->section_count - 1]
													   : add_section(block, 0, 0);
	bool more;

	if (shows_label(block)) {
		last->end = (uint32_t)block->length;
		last->columns = 0;
	}
	more = last->end < block->length;
	while (last->end < block->length) {
		size_t opener = last->opener;
		size_t size = renderer->split(block->text, last->start, block->length, &opener);

		last->end = size > 0 ? last->start + (uint32_t)size : (uint32_t)block->length;
		last->columns = 0;
		if (size == 0)
			break;
		if (last->end < block->length)
			last = add_section(block, last->end, opener);
	}
	if (more)
		learn(block, renderer);
}

void ik_block_prepare(struct ik_block *block)
{
	fill(block);
	make_sections(block);
}

uint32_t ik_block_section_at(const struct ik_block *block, size_t offset)
{
	return (uint32_t)ik_text_item_at(block->sections, block->section_count,
		sizeof(*block->sections), offset);
}

static const struct ik_drawing *drawing_of(struct ik_block *block, int columns)
{
	if (block->kind != IK_BLOCK_PICTURE || !block->drawer)
		return NULL;
	block->picture.contents = ik_message_contents(block->message, block->attachment);
	return block->drawer->draw(block->drawer->arg, &block->picture, columns, block->picture_rows);
}

void ik_block_draw_picture(struct ik_block *block, const struct ik_lines *lines, uint32_t line,
	struct ik_cells *cells, struct ik_rectangle area, int row)
{
	uint32_t first = lines->count - (uint32_t)block->drawn_rows;
	const struct ik_drawing *drawing = line >= first ? drawing_of(block, area.columns) : NULL;

	if (drawing)
		ik_drawing_draw(drawing, (int)(line - first), cells, area, row);
}

const struct ik_lines *ik_block_lines(struct ik_block *block, uint32_t index, int columns)
{
	struct ik_section *section = &block->sections[index];
	const struct ik_drawing *drawing = drawing_of(block, columns);
	int drawn_rows = drawing ? drawing->rows : 0;

	if (section->columns == columns && block->drawn_rows == drawn_rows)
		return &section->lines;
	const struct ik_block_look *look = &looks[block->kind];
	bool command = block->call && ik_call_kind(block->call) == IK_DISPLAY_EXECUTE;
	struct ik_render request = {
		.text = block->text,
		.start = section->start,
		.end = section->end,
		.opener = section->opener,
		.learnt = &block->learnt,
		.growing = block->growing && section->end == block->length,
		.columns = columns,
		.prose = block->prose > 0 && block->prose < columns ? block->prose : columns,
		.hang = block->hang,
		.head = block->head,
		.tail = block->tail,
		.head_rows = command ? COMMAND_ROWS : 1,
		.below = block->call ? block->renderer : &ik_renderer_plain,
		.head_style = look->head_style,
		.style = look->style,
		.tail_style = IK_STYLE_DIM,
	};
	ik_lines_clear(&section->lines);
	if (shows_label(block))
		render_thinking(block, &request, &section->lines);
	else
		renderer_of(block)->render(&request, &section->lines);
	for (int i = 0; i < drawn_rows; i++)
		ik_lines_add(&section->lines, section->end);
	block->drawn_rows = drawn_rows;
	section->columns = columns;
	return &section->lines;
}

void ik_block_forget_lines(struct ik_block *block, uint32_t index)
{
	struct ik_section *section = &block->sections[index];

	ik_lines_done(&section->lines);
	section->columns = 0;
}
