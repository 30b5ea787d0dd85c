#include "tui/scrollback/search_text.h"

#include <stdlib.h>
#include <string.h>

#include "tui/text/markdown.h"
#include "tui/text/search_markup.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"

void ik_search_text_init(struct ik_search_text *text)
{
	*text = (struct ik_search_text){ .text = "" };
	ik_buf_init(&text->buf, IK_LIMIT_ENVELOPE);
}

void ik_search_text_done(struct ik_search_text *text)
{
	ik_buf_done(&text->buf);
	free(text->pieces);
}

bool ik_search_is_laid_out(const struct ik_block *block)
{
	return block->renderer == &ik_renderer_markdown && !block->folded;
}

uint32_t ik_search_units(struct ik_block *block)
{
	ik_block_prepare(block);
	return ik_search_is_laid_out(block) ? block->section_count : 1;
}

/* Append a run. */
static void add_run(struct ik_search_text *text, const struct ik_block *block,
	const struct ik_lines *lines, uint32_t line, uint32_t index)
{
	const struct ik_text_run *run = &lines->runs[index];

	if (text->count == text->capacity) {
		text->capacity = text->capacity ? text->capacity * 2 : 64;
		text->pieces = ik_alloc_array(text->pieces, text->capacity, sizeof(*text->pieces));
	}
	text->pieces[text->count++] = (struct ik_search_piece){
		.start = (uint32_t)text->buf.length,
		.length = run->length,
		.line = line,
		.run = index,
	};
	ik_buf_append(&text->buf, (run->added ? lines->added : block->text) + run->offset, run->length);
}

/* The first run of a line that stands in the source; count: none does. */
static uint32_t first_of_source(const struct ik_text_run *runs, uint32_t count)
{
	uint32_t first = 0;

	while (first < count && runs[first].added)
		first++;
	return first;
}

/* Do lines go on here as if nothing stood between? *blank: but a blank. */
static bool is_wrap(const struct ik_block *block, size_t end, size_t start, bool *blank)
{
	if (end > start || end == 0)
		return false;
	for (size_t i = end; i < start; i++)
		if (block->text[i] != ' ' && block->text[i] != '\t')
			return false;
	*blank = start > end;
	return true;
}

/* Put the lines of a section one behind the other. */
static void flatten(struct ik_search_text *text, const struct ik_block *block,
	const struct ik_lines *lines)
{
	size_t end = 0; /* of what came last, in the source */

	for (uint32_t line = 0; line < lines->count; line++) {
		uint32_t count, first = 0;
		const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);
		uint32_t base = lines->lines[line].run;
		uint32_t own = first_of_source(runs, count);
		bool blank = false;

		if (line > 0 && own < count && is_wrap(block, end, runs[own].offset, &blank)) {
			first = own;
			if (blank)
				ik_buf_putc(&text->buf, ' ');
		} else if (line > 0) {
			ik_buf_putc(&text->buf, '\n');
		}
		int column = first < count ? runs[first].column : 0;

		for (uint32_t i = first; i < count; i++) {
			if (runs[i].column > column)
				ik_buf_putc(&text->buf, ' ');
			size_t start = text->buf.length;
			add_run(text, block, lines, line, base + i);
			column = runs[i].column +
				(int)ik_utf8_width(text->buf.data + start, text->buf.length - start);
			end = runs[i].added ? 0 : runs[i].offset + runs[i].length;
		}
	}
}

void ik_search_text_fill(struct ik_search_text *text, const struct ik_scrollback *scrollback,
	struct ik_block *block, uint32_t unit, bool forget)
{
	ik_block_prepare(block);
	text->flat = ik_search_is_laid_out(block);
	text->count = 0;
	ik_buf_clear(&text->buf);
	if (text->flat) {
		bool made = block->sections[unit].columns != 0;

		flatten(text, block, ik_scrollback_lines(scrollback, block, unit));
		if (forget && !made)
			ik_block_forget_lines(block, unit);
	} else if (block->call && block->folded) {
		size_t head, tail;

		ik_call_text(block->call, block->utf8, IK_CALL_ALL, &text->buf, &head, &tail);
	} else {
		text->text = block->full;
		text->length = block->full_length;
		return;
	}
	text->text = text->buf.data;
	text->length = text->buf.length;
}

/* May its letters be of what stands for a control character? */
static bool may_be_made(const struct ik_needle *word)
{
	return strspn(word->pattern, "0123456789abcdefABCDEFuU") == word->length;
}

/* Is it not there? */
static bool lacks(const struct ik_needle *word, const char *text, size_t length)
{
	size_t bytes;

	return ik_needle_find(word, text, length, 0, &bytes) == SIZE_MAX;
}

/* Is neither the word there, nor, where it is, what stands beside it? */
static bool lacks_phrase(const struct ik_phrase *phrase, const struct ik_needle *word,
	const char *text, size_t length)
{
	return ik_phrase_lacks(phrase, text, length) || lacks(word, text, length);
}

bool ik_search_excludes(const struct ik_phrase *phrase, const struct ik_needle *word,
	const struct ik_block *block)
{
	if (!word || may_be_made(word))
		return false;
	if (block->call) {
		const struct ik_shown_call *call = block->call;
		const struct ik_message *result = call->result;

		if (call->stage != IK_STAGE_OK || !result || !result->data ||
			memmem(result->data, result->data_length, "\\u00", 4))
			return false;
		return lacks(word, result->data, result->data_length) &&
			lacks(word, call->arguments.data, call->arguments.length) &&
			lacks(word, call->name, strlen(call->name));
	}
	bool plain = block->message &&
		(block->kind == IK_BLOCK_USER || block->kind == IK_BLOCK_ASSISTANT ||
			block->kind == IK_BLOCK_THINKING);
	bool laid_out = ik_search_is_laid_out(block);

	if (block->filled)
		return lacks_phrase(phrase, word, block->full, block->full_length) &&
			!(laid_out && ik_markup_joins(block->full, block->full_length));
	/* What is added to a reply that was cut off is behind its text. */
	return plain && !block->message->data &&
		lacks_phrase(phrase, word, block->message->content, block->message->content_length) &&
		!(laid_out && ik_markup_joins(block->message->content, block->message->content_length));
}

/* What a byte is in text that no markup is in, ... */
enum { LETTER = 1, MIDDLE = 2, BLANK = 4, FEED = 8 };
static const uint8_t prose_kind[256] = {
	['\n'] = FEED,
	[' '] = BLANK,
	['!'] = MIDDLE,
	['"'] = MIDDLE,
	['%'] = MIDDLE,
	['\''] = MIDDLE,
	['('] = MIDDLE,
	[')'] = MIDDLE,
	['+' ... '/'] = MIDDLE,
	['0' ... '9'] = MIDDLE,
	[':'] = MIDDLE,
	[';'] = MIDDLE,
	['?'] = MIDDLE,
	['A' ... 'Z'] = LETTER,
	['a' ... 'z'] = LETTER,
	[0x80 ... 0xFF] = LETTER,
};

/* ... and what may follow each kind: lines begin with letters (else they may be of a list, a
 * heading, a rule), blanks stand alone. */
static const uint8_t prose_next[] = {
	[LETTER] = LETTER | MIDDLE | BLANK | FEED,
	[MIDDLE] = LETTER | MIDDLE | BLANK | FEED,
	[BLANK] = LETTER | MIDDLE,
	[FEED] = LETTER | FEED,
};

const char *ik_search_source(const struct ik_block *block, uint32_t unit, size_t *ret_length)
{
	const struct ik_section *section = &block->sections[unit];
	const unsigned char *text = (const unsigned char *)block->text + section->start;
	size_t length = section->end - section->start;
	uint8_t before = FEED;

	if (block->tail < section->end)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		uint8_t kind = prose_kind[text[i]];

		if ((prose_next[before] & kind) == 0)
			return NULL;
		before = kind;
	}
	*ret_length = length;
	return (const char *)text;
}

bool ik_search_excludes_unit(const struct ik_phrase *phrase, const struct ik_needle *needle,
	const struct ik_needle *word, const struct ik_block *block, uint32_t unit)
{
	const struct ik_section *section = &block->sections[unit];

	if (!ik_search_is_laid_out(block))
		return false;
	/* The addresses that its links name stand elsewhere. */
	if (block->learnt.text.length > 0 &&
		memchr(block->text + section->start, '[', section->end - section->start))
		return false;
	size_t length = section->end - section->start;

	if (word && lacks(word, block->text + section->start, length) &&
		!ik_markup_hides(word, block->text + section->start, length))
		return true;
	if (word && !may_be_made(word) &&
		ik_phrase_lacks(phrase, block->text + section->start, length) &&
		!ik_markup_joins(block->text + section->start, length))
		return true;
	const char *source = ik_search_source(block, unit, &length);

	return source && lacks(needle, source, length);
}

uint32_t ik_search_text_line(const struct ik_search_text *text, size_t offset)
{
	size_t low = 0, high = text->count;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (text->pieces[middle].start <= offset)
			low = middle;
		else
			high = middle;
	}
	return text->count > 0 ? text->pieces[low].line : 0;
}
