#include "tui/text/markdown.h"

#include <stdlib.h>
#include <string.h>

#include <md4c.h>

#include "tui/text/code_colour.h"
#include "tui/text/entity.h"
#include "tui/text/markdown_cursor.h"
#include "tui/text/markdown_delimiter.h"
#include "tui/text/markdown_flow.h"
#include "tui/text/markdown_references.h"
#include "tui/text/markdown_split.h"
#include "tui/text/markdown_table.h"
#include "util/cluster.h"
#include "util/limits.h"

#define LISTS 32 /* lists in each other that are numbered */
#define FLAGS \
	(MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEURLAUTOLINKS | \
		MD_FLAG_NOHTML)

/* A section while it is parsed. */
struct page {
	const struct ik_render *request;
	struct ik_buf source; /* as the parser sees it */
	struct ik_delimiters delimiters;
	size_t definitions;    /* bytes of these that it begins with, ... */
	size_t before, origin; /* ... and what follows that is not the section's */
	struct ik_markdown_cursor cursor;
	struct ik_flow flow;
	struct ik_table table;
	int strong, emphasis, code, link, head;
	unsigned heading;                        /* its level; 0: none */
	bool in_table, in_code, indented;        /* the blanks that the line of code begins with came */
	const struct ik_code_language *language; /* of the code; NULL: not known */
	uint32_t first_line;                     /* of the lines */
	bool goes_on;                            /* the code at its end does in what comes behind */
	bool continues;    /* the next code block, or table, began in another section */
	int64_t open_rule; /* the line of the rule below code that came last; -1 */
	bool delete_due;
	size_t delete_length; /* of the marks around what is struck through */
	size_t cell_start, link_start;
	struct ik_buf address;
	struct {
		bool ordered;
		char delimiter;
		unsigned number;
	} lists[LISTS];
	size_t list_depth;
};

/* Where bytes of the parser stand in the text; IK_FLOW_OWN: nowhere. */
static size_t source_of(const struct page *page, const char *bytes)
{
	const char *start = page->source.data;

	if (bytes < start || bytes >= start + page->source.length)
		return IK_FLOW_OWN;
	size_t offset = ik_delimiters_source(&page->delimiters, (size_t)(bytes - start));

	if (offset < page->definitions)
		return IK_FLOW_OWN;
	offset -= page->definitions;
	if (offset < page->before)
		return page->origin + offset;
	return page->request->start + offset - page->before;
}

/* A block begins: a blank line before it where the text has one. */
static void separate(struct page *page)
{
	const struct ik_render *request = page->request;
	bool open = request->carry.kind != IK_MARKDOWN_NOTHING ||
		page->flow.lines->count > page->first_line;

	if (ik_cursor_gap(&page->cursor) && (page->cursor.moved || !open))
		ik_flow_blank(&page->flow);
}

/* What text looks like here. */
static enum ik_style style_here(const struct page *page)
{
	if (page->link > 0)
		return IK_STYLE_LINK;
	if (page->heading > 0)
		return page->heading <= 3 ? IK_STYLE_HEADING : IK_STYLE_BOLD;
	if (page->code > 0)
		return IK_STYLE_INLINE_CODE;
	if (page->strong > 0 || page->head > 0)
		return IK_STYLE_BOLD;
	return page->emphasis > 0 ? IK_STYLE_EMPHASIS : page->request->style;
}

/* Add text of the renderer's own. */
static void add_own(struct page *page, const char *text, size_t length, enum ik_style style)
{
	ik_flow_add(&page->flow, text, length, IK_FLOW_OWN, style);
}

/* Add text that the parser gave. */
static void add_text(struct page *page, const char *text, size_t length, enum ik_style style)
{
	size_t source = source_of(page, text);

	if (source != IK_FLOW_OWN) {
		if (source >= page->cursor.until)
			return;
		if (length > page->cursor.until - source)
			length = page->cursor.until - source;
		if (page->delete_due) {
			const char *behind = page->request->text + source;
			bool one = source > 0 && behind[-1] == '~' && (source == 1 || behind[-2] != '~');

			page->delete_length = one ? 1 : 2;
			add_own(page, "~~", page->delete_length, style);
			page->delete_due = false;
		}
		if (source >= page->request->start)
			ik_cursor_move(&page->cursor, source + length);
	}
	/* A break of HTML, the one that tables need, unless its bracket is escaped. */
	bool breaks = !page->in_code && page->code == 0;
	size_t first = source != IK_FLOW_OWN && source > 0 && page->request->text[source - 1] == '\\'
		? 1
		: 0;
	while (length > 0) {
		size_t skipped, piece = ik_flow_special(text, length, breaks ? first : length, &skipped);

		ik_flow_add(&page->flow, text, piece, source, style);
		if (skipped > 0 && text[piece] == '\t')
			ik_flow_tab(&page->flow, page->in_code, style);
		else if (skipped > 0)
			add_own(page, "\n", 1, style);
		piece += skipped;
		text += piece;
		length -= piece;
		first = 0;
		if (source != IK_FLOW_OWN)
			source += piece;
	}
}

/* Lay out what was collected of a paragraph, a heading or an item. */
static void flush(struct page *page)
{
	struct ik_flow *flow = &page->flow;

	if (!page->in_table && !page->in_code && flow->text.length > 0) {
		ik_flow_wrap(flow, 0, flow->text.length);
		ik_flow_clear(flow);
	}
}

/* The address of a link: bytes of the text, entities decoded. */
static void read_address(struct page *page, const MD_ATTRIBUTE *attribute)
{
	ik_buf_clear(&page->address);
	for (unsigned i = 0; attribute->size > 0 && attribute->substr_offsets[i] < attribute->size;
		 i++) {
		const char *text = attribute->text + attribute->substr_offsets[i];
		size_t length = attribute->substr_offsets[i + 1] - attribute->substr_offsets[i];
		size_t source = source_of(page, text);
		/* What completes a growing text is in the parser's copy only. */
		bool written = source != IK_FLOW_OWN && source < page->cursor.until &&
			length <= page->cursor.until - source;
		if (attribute->substr_types[i] == MD_TEXT_ENTITY)
			ik_entity_decode(&page->address, text, length);
		else
			ik_buf_append(&page->address, written ? page->request->text + source : text, length);
	}
}

/* The address behind the text of a link, unless it is that text. */
static void add_address(struct page *page)
{
	const struct ik_buf *text = &page->flow.text, *address = &page->address;
	size_t shown = text->length - page->link_start;
	size_t scheme = shown < address->length ? address->length - shown : 0;
	bool mail = scheme == strlen("mailto:") && memcmp(address->data, "mailto:", scheme) == 0;
	bool equal = shown + scheme == address->length && (scheme == 0 || mail) &&
		memcmp(text->data + page->link_start, address->data + scheme, shown) == 0;

	if (equal || address->length == 0)
		return;
	if (shown > 0)
		add_own(page, " (", 2, IK_STYLE_DIM);
	add_own(page, address->data, address->length, IK_STYLE_DIM);
	if (shown > 0)
		add_own(page, ")", 1, IK_STYLE_DIM);
}

/* A list begins. */
static void enter_list(struct page *page, bool ordered, unsigned number, char delimiter)
{
	if (page->list_depth < LISTS) {
		page->lists[page->list_depth].ordered = ordered;
		page->lists[page->list_depth].number = number;
		page->lists[page->list_depth].delimiter = delimiter;
	}
	page->list_depth++;
}

/* An item: its number, its box or a bullet that says how deep it is. */
static void enter_item(struct page *page, const MD_BLOCK_LI_DETAIL *item)
{
	static const char *const bullets[2][3] = { { "* ", "- ", "+ " }, { "• ", "◦ ", "▪ " } };
	size_t list = page->list_depth > LISTS ? LISTS - 1 : page->list_depth - 1;
	struct ik_buf mark;

	ik_buf_init(&mark, IK_KIB(1));
	separate(page);
	if (page->lists[list].ordered)
		ik_buf_printf(&mark, "%u%c ", page->lists[list].number++, page->lists[list].delimiter);
	else if (!item->is_task)
		ik_buf_puts(&mark, bullets[page->request->utf8][(page->list_depth - 1) % 3]);
	if (item->is_task)
		ik_buf_puts(&mark, item->task_mark == ' ' ? "[ ] " : "[x] ");
	ik_flow_push(&page->flow, mark.data);
	ik_buf_done(&mark);
}

/* Code: a rule with its language above and one below it. */
static void enter_code(struct page *page, const MD_BLOCK_CODE_DETAIL *code)
{
	separate(page);
	page->in_code = true;
	page->language = ik_code_language(code->lang.text, code->lang.size);
	if (!page->continues || page->request->carry.kind != IK_MARKDOWN_CODE) {
		if (code->fence_char)
			ik_cursor_skip_line(&page->cursor);
		read_address(page, &code->lang);
		ik_flow_rule(&page->flow, page->request->utf8 ? "─" : "-", ik_flow_room(&page->flow),
			page->address.data, page->address.length, IK_STYLE_FRAME);
	}
	page->continues = false;
}

static void leave_code(struct page *page, const MD_BLOCK_CODE_DETAIL *code)
{
	struct ik_flow *flow = &page->flow;

	ik_flow_code(flow, 0, flow->text.length);
	ik_flow_clear(flow);
	page->in_code = false;
	ik_cursor_leave_code(&page->cursor, code->fence_char);
	page->open_rule = flow->lines->count;
	ik_flow_rule(flow, page->request->utf8 ? "─" : "-", ik_flow_room(flow), NULL, 0,
		IK_STYLE_FRAME);
}

/* A heading: the first two levels are underlined. */
static void leave_heading(struct page *page)
{
	static const char *const rules[2][2] = { { "=", "-" }, { "═", "─" } };
	unsigned level = page->heading;
	int width = ik_flow_width(&page->flow, 0, page->flow.text.length);
	int room = ik_flow_room(&page->flow);

	flush(page);
	page->heading = 0;
	if (ik_cursor_line_starts(&page->cursor) != '#')
		ik_cursor_skip_line(&page->cursor); /* the line under it made it one */
	if (level <= 2 && width > 0)
		ik_flow_rule(&page->flow, rules[page->request->utf8][level - 1],
			width < room ? width : room, NULL, 0, IK_STYLE_FRAME);
}

static int enter_table(struct page *page, const MD_BLOCK_TABLE_DETAIL *table)
{
	if (table->col_count > IK_TABLE_COLUMNS)
		return 1;
	separate(page);
	ik_table_clear(&page->table);
	page->table.columns = table->col_count;
	page->table.continues = page->continues && page->request->carry.kind == IK_MARKDOWN_TABLE;
	page->continues = false;
	page->in_table = true;
	return 0;
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *userdata)
{
	struct page *page = userdata;

	flush(page);
	page->open_rule = -1;
	switch (type) {
	case MD_BLOCK_QUOTE:
		separate(page);
		ik_flow_push(&page->flow, NULL);
		break;
	case MD_BLOCK_UL:
		enter_list(page, false, 0, '.');
		break;
	case MD_BLOCK_OL:
		enter_list(page, true, ((MD_BLOCK_OL_DETAIL *)detail)->start,
			((MD_BLOCK_OL_DETAIL *)detail)->mark_delimiter);
		break;
	case MD_BLOCK_LI:
		enter_item(page, detail);
		break;
	case MD_BLOCK_HR:
		separate(page);
		ik_cursor_skip_line(&page->cursor);
		ik_flow_rule(&page->flow, page->request->utf8 ? "─" : "-", ik_flow_room(&page->flow), NULL,
			0, IK_STYLE_FRAME);
		break;
	case MD_BLOCK_H:
		separate(page);
		page->heading = ((MD_BLOCK_H_DETAIL *)detail)->level;
		break;
	case MD_BLOCK_CODE:
		enter_code(page, detail);
		break;
	case MD_BLOCK_P:
		separate(page);
		break;
	case MD_BLOCK_TABLE:
		return enter_table(page, detail);
	case MD_BLOCK_TH:
	case MD_BLOCK_TD:
		page->head = type == MD_BLOCK_TH;
		page->cell_start = page->flow.text.length;
		return page->table.count >= IK_TABLE_CELLS;
	default:
		break;
	}
	return 0;
}

/* A cell of a table ends. */
static void leave_cell(struct page *page, const MD_BLOCK_TD_DETAIL *cell)
{
	enum ik_table_align align = cell->align == MD_ALIGN_RIGHT ? IK_TABLE_RIGHT
		: cell->align == MD_ALIGN_CENTER                      ? IK_TABLE_CENTRE
															  : IK_TABLE_LEFT;

	ik_table_add(&page->table, page->cell_start, page->flow.text.length, align);
	page->head = 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *userdata)
{
	struct page *page = userdata;

	switch (type) {
	case MD_BLOCK_H:
		leave_heading(page);
		break;
	case MD_BLOCK_CODE:
		leave_code(page, detail);
		break;
	case MD_BLOCK_THEAD:
		ik_cursor_skip_line(&page->cursor);
		break;
	case MD_BLOCK_TH:
	case MD_BLOCK_TD:
		leave_cell(page, detail);
		break;
	case MD_BLOCK_TABLE:
		ik_table_draw(&page->table, &page->flow);
		ik_flow_clear(&page->flow);
		page->in_table = false;
		break;
	default:
		flush(page);
		break;
	}
	if (type == MD_BLOCK_QUOTE || type == MD_BLOCK_LI)
		ik_flow_pop(&page->flow);
	if (type == MD_BLOCK_UL || type == MD_BLOCK_OL)
		page->list_depth--;
	return 0;
}

static int enter_span(MD_SPANTYPE type, void *detail, void *userdata)
{
	struct page *page = userdata;

	switch (type) {
	case MD_SPAN_EM:
		page->emphasis++;
		break;
	case MD_SPAN_STRONG:
		page->strong++;
		break;
	case MD_SPAN_CODE:
		page->code++;
		break;
	case MD_SPAN_DEL: /* no terminal is sure to have it: the marks stay */
		page->delete_due = true;
		page->delete_length = 2;
		break;
	case MD_SPAN_A:
	case MD_SPAN_IMG:
		page->link++;
		page->link_start = page->flow.text.length;
		break;
	default:
		break;
	}
	(void)detail;
	return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *userdata)
{
	struct page *page = userdata;

	switch (type) {
	case MD_SPAN_EM:
		page->emphasis--;
		break;
	case MD_SPAN_STRONG:
		page->strong--;
		break;
	case MD_SPAN_CODE:
		page->code--;
		break;
	case MD_SPAN_DEL:
		add_own(page, "~~", page->delete_length, style_here(page));
		page->delete_due = false;
		break;
	case MD_SPAN_A:
	case MD_SPAN_IMG:
		read_address(page,
			type == MD_SPAN_A ? &((MD_SPAN_A_DETAIL *)detail)->href
							  : &((MD_SPAN_IMG_DETAIL *)detail)->src);
		page->link--;
		add_address(page);
		break;
	default:
		break;
	}
	return 0;
}

/* Add a line of code, or the blanks before it. */
static void add_code(struct page *page, const char *line, size_t length)
{
	enum ik_style style;
	bool plain = page->indented && ik_code_is_diff(page->language); /* a blank says what it is */

	for (size_t at = 0, size; at < length; at += size) {
		size = ik_code_run(page->language, line, length, at, &style);
		add_text(page, line + at, size, plain ? IK_STYLE_CODE : style);
	}
	page->indented = source_of(page, line) == IK_FLOW_OWN;
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *userdata)
{
	struct page *page = userdata;
	enum ik_style style = page->in_code ? IK_STYLE_CODE : style_here(page);
	bool feed = size == 1 && *text == '\n';

	if (type == MD_TEXT_ENTITY) {
		struct ik_buf decoded;
		size_t source = source_of(page, text);

		if (source != IK_FLOW_OWN)
			ik_cursor_move(&page->cursor, source + size);
		ik_buf_init(&decoded, IK_KIB(4));
		ik_entity_decode(&decoded, text, size);
		add_own(page, decoded.data, decoded.length, style);
		ik_buf_done(&decoded);
	} else if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
		add_own(page, page->in_table ? " " : "\n", 1, style);
	} else if (page->in_code && feed) {
		add_own(page, "\n", 1, style);
		ik_cursor_next_line(&page->cursor);
		page->indented = false;
	} else if (page->in_code) {
		add_code(page, text, size);
	} else {
		add_text(page, text, size, style);
	}
	return 0;
}

/* Lay out what stands behind the text: a remark. */
static void render_tail(struct page *page)
{
	const struct ik_render *request = page->request;
	size_t start = request->tail > request->start ? request->tail : request->start;

	if (request->end <= start)
		return;
	if (start < request->end && request->text[start] == '\n')
		start++;
	ik_flow_clear(&page->flow);
	page->flow.depth = 0;
	ik_flow_add(&page->flow, request->text + start, request->end - start, start,
		request->tail_style);
	ik_flow_wrap(&page->flow, 0, page->flow.text.length);
}

/* Parse and lay out a section; false: the parser gave up. */
static bool render_page(struct page *page)
{
	static const MD_PARSER callbacks = {
		.flags = FLAGS,
		.enter_block = enter_block,
		.leave_block = leave_block,
		.enter_span = enter_span,
		.leave_span = leave_span,
		.text = on_text,
	};
	const struct ik_render *request = page->request;

	if (request->start >= request->tail)
		return true;
	if (request->learnt && request->learnt->text.length > 0 &&
		memchr(request->text + request->start, '[', request->end - request->start)) {
		ik_buf_append(&page->source, request->learnt->text.data, request->learnt->text.length);
		ik_buf_putc(&page->source, '\n');
		page->definitions = page->source.length;
	}
	ik_markdown_prepare(request, &page->source, &page->before, &page->origin, &page->cursor.until);
	ik_delimiters_widen(&page->delimiters, &page->source);
	if (ik_buf_status(&page->source) != IK_OK || page->source.length > UINT32_MAX)
		return false;
	if (md_parse(page->source.data, (MD_SIZE)page->source.length, &callbacks, page) != 0)
		return false;
	struct ik_lines *lines = page->flow.lines;
	/* No rule below code that goes on. */
	if (page->open_rule >= 0 && page->open_rule + 1 == lines->count && page->goes_on)
		ik_lines_truncate(lines, (uint32_t)page->open_rule);
	return true;
}

/* Add the lines of a section, or of a part of one; false: the parser gave up. */
static bool render_part(const struct ik_render *request, bool code_goes_on, struct ik_lines *lines)
{
	struct page page = {
		.request = request,
		.cursor = { .text = request->text, .start = request->start, .at = request->start },
		.first_line = lines->count,
		.goes_on = code_goes_on,
		.continues = true,
		.open_rule = -1,
	};

	ik_buf_init(&page.source, IK_LIMIT_ENVELOPE);
	ik_buf_init(&page.address, IK_LIMIT_ENVELOPE);
	ik_flow_init(&page.flow, lines, request->columns, request->utf8);
	page.flow.source = request->start;
	bool parsed = render_page(&page);

	if (parsed)
		render_tail(&page);
	ik_flow_done(&page.flow);
	ik_table_done(&page.table);
	ik_buf_done(&page.source);
	ik_buf_done(&page.address);
	return parsed;
}

/* Lay out so much of the part that stays as it is, and take it off; false: the parser gave up. */
static bool settle(struct ik_render *part, size_t size, struct ik_carry carry,
	struct ik_settled *settled, struct ik_lines *lines)
{
	struct ik_render stays = *part;

	if (size == 0)
		return true;
	stays.end = part->start + size;
	stays.growing = false;
	if (!render_part(&stays, carry.kind == IK_MARKDOWN_CODE, lines))
		return false;
	part->start = stays.end;
	part->carry = carry;
	*settled = (struct ik_settled){ .at = (uint32_t)stays.end,
		.lines = lines->count,
		.added = lines->added_length,
		.carry = carry };
	return true;
}

/* Lay out a section. Of one that grows, only what may still change is laid out anew. */
static void render_markdown(const struct ik_render *request, struct ik_lines *lines)
{
	struct ik_render part = *request;
	struct ik_carry carry;
	bool parsed = true,
		 grows = request->piecewise && request->growing && request->tail >= request->end;

	ik_markdown_keep_settled(request, lines, &part);
	if (grows) {
		carry = part.carry;
		size_t size = ik_markdown_settle(part.text, part.start, part.end, &carry);

		if (size > 0)
			lines->settled[IK_SETTLED_LINES].at = 0;
		parsed = settle(&part, size, carry, &lines->settled[IK_SETTLED_BLOCKS], lines);
	}
	if (grows && parsed && part.carry.kind == IK_MARKDOWN_NOTHING)
		parsed = settle(&part, ik_markdown_settle_lines(part.text, part.start, part.end),
			part.carry, &lines->settled[IK_SETTLED_LINES], lines);
	parsed = parsed && render_part(&part, ik_markdown_goes_on(request), lines);
	if (parsed && lines->count == 0)
		ik_lines_add(lines, request->start);
	if (!parsed) {
		ik_lines_clear(lines);
		ik_renderer_plain.render(request, lines);
	}
}

const struct ik_renderer ik_renderer_markdown = {
	.split = ik_markdown_split,
	.render = render_markdown,
	.learn = ik_references_learn,
};
