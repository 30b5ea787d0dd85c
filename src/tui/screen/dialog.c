#include "tui/screen/dialog.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tui/edit/editor.h"
#include "tui/pane/pane.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define CHOICE_GAP 2    /* columns between two choices */
#define WRITING_ROWS 3  /* limit for the text being written; beyond it, the text scrolls */
#define EMPTY_LINES 2   /* a longer run is folded */
#define MOST_BELOW 1000 /* limit of the count of rows below the window */
#define READY_MS 500 /* time without a key before a question that appeared by itself accepts one */

struct dialog_question {
	struct dialog_question *next;
	int id;
	char *title;
	struct ik_pane pane;       /* only its text is used */
	struct ik_choice *choices; /* which own their texts; a label has its key: "[y] Once" */
	size_t choice_count;
	size_t selected, escape;
	struct ik_editor *writing; /* the text for the selected choice, or NULL */
	bool wanted;               /* the user opened it with a key: it is ready once drawn */
	bool seen;                 /* the end of the text has been in the window */
	bool met;                  /* it has been open on the screen */
};

struct ik_dialog {
	const struct ik_keymap *keymap;
	bool open;
	bool answered; /* the previous question was answered since the last draw */
	int last_id;
	int shown;        /* the open question drawn last, or 0 */
	bool follows;     /* it appeared when the previous one was answered */
	bool ready;       /* it accepts keys, */
	int64_t ready_ms; /* or will from this time on */
	int64_t now_ms;   /* time of the last tick */
	struct dialog_question *first;
	struct ik_buf answer; /* the text of the last answer */
};

struct ik_dialog *ik_dialog_new(const struct ik_keymap *keymap)
{
	struct ik_dialog *dialog = ik_alloc(sizeof(*dialog));

	dialog->keymap = keymap;
	ik_buf_init(&dialog->answer, IK_LIMIT_USER_TEXT);
	return dialog;
}

static void question_free(struct dialog_question *question)
{
	for (size_t i = 0; i < question->choice_count; i++) {
		free((char *)question->choices[i].label);
		free((char *)question->choices[i].prompt);
		free((char *)question->choices[i].text);
	}
	free(question->choices);
	free(question->title);
	ik_pane_done(&question->pane);
	ik_editor_free(question->writing);
	free(question);
}

struct ik_dialog *ik_dialog_free(struct ik_dialog *dialog)
{
	if (!dialog)
		return NULL;
	while (dialog->first) {
		struct dialog_question *question = dialog->first;

		dialog->first = question->next;
		question_free(question);
	}
	ik_buf_done(&dialog->answer);
	free(dialog);
	return NULL;
}

/* ---- questions ---- */

static bool is_blank(uint32_t character)
{
	static const uint32_t blanks[] = { ' ', '\t', '\r', 0xA0, 0x1680, 0x202F, 0x205F, 0x2800,
		0x3000 };

	for (size_t i = 0; i < sizeof(blanks) / sizeof(*blanks); i++)
		if (character == blanks[i])
			return true;
	return character >= 0x2000 && character <= 0x200A;
}

static bool is_empty(const char *line, size_t length)
{
	uint32_t character;

	for (int bytes; length > 0; line += bytes, length -= (size_t)bytes) {
		bytes = ik_utf8_decode(line, length, &character);
		if (bytes <= 0 || !is_blank(character))
			return false;
	}
	return true;
}

/* Append `count` skipped empty lines, or just their number if they are many. */
static void put_empty(struct ik_buf *out, const char *lines, size_t length, size_t count, bool diff)
{
	if (count <= EMPTY_LINES) {
		ik_buf_append(out, lines, length);
		return;
	}
	if (diff)
		ik_buf_putc(out, lines[0]);
	ik_buf_printf(out, ngettext("[%zu empty line]", "[%zu empty lines]", count), count);
	if (lines[length - 1] == '\n')
		ik_buf_putc(out, '\n');
}

/* Append the text of a part with long runs of empty lines folded, since they would push what
 * follows out of the window. */
static void fold_empty(struct ik_buf *out, const struct ik_question_part *part)
{
	bool diff = part->kind == IK_QUESTION_DIFF;
	const char *end = part->text + part->length, *run = NULL, *next;
	size_t count = 0;

	for (const char *at = part->text; at < end; at = next) {
		const char *line_feed = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((line_feed ? line_feed : end) - at), mark = diff && length > 0;

		next = line_feed ? line_feed + 1 : end;
		bool empty = is_empty(at + mark, length - mark);

		if (count > 0 && (!empty || (diff && *at != *run))) {
			put_empty(out, run, (size_t)(at - run), count, diff);
			count = 0;
		}
		if (!empty)
			ik_buf_append(out, at, (size_t)(next - at));
		else if (count++ == 0)
			run = at;
	}
	if (count > 0)
		put_empty(out, run, (size_t)(end - run), count, diff);
}

static void add_parts(struct ik_pane *pane, const struct ik_question *asked)
{
	static const enum ik_block_kind kinds[] = {
		[IK_QUESTION_TEXT] = IK_BLOCK_TEXT,
		[IK_QUESTION_HEADING] = IK_BLOCK_HEADING,
		[IK_QUESTION_HINT] = IK_BLOCK_HINT,
		[IK_QUESTION_WARNING] = IK_BLOCK_WARNING,
		[IK_QUESTION_DIFF] = IK_BLOCK_TEXT,
	};
	struct ik_scroll_place place = ik_pane_text_begin(pane);

	for (size_t i = 0; i < asked->part_count; i++) {
		const struct ik_question_part *part = &asked->parts[i];
		struct ik_buf text;

		ik_buf_init(&text, IK_LIMIT_ENVELOPE);
		fold_empty(&text, part);
		struct ik_block *block = ik_pane_text(pane, kinds[part->kind], text.data, text.length);
		ik_buf_done(&text);
		if (part->kind == IK_QUESTION_DIFF)
			block->renderer = &ik_renderer_diff;
		ik_block_finish(block);
	}
	ik_pane_text_end(pane, place, false);
}

/* Return a text, which may be NULL, as one sanitized line. */
static char *line_of(const char *text)
{
	return text ? ik_pane_line(text, strlen(text)) : NULL;
}

static struct dialog_question *make_question(struct ik_dialog *dialog,
	const struct ik_question *asked)
{
	struct dialog_question *question = ik_alloc(sizeof(*question));

	question->id = ++dialog->last_id;
	question->title = line_of(asked->title);
	question->escape = asked->escape;
	question->selected = asked->preferred > 0 ? asked->preferred - 1 : asked->escape;
	question->choice_count = asked->choice_count;
	question->choices = ik_alloc(asked->choice_count * sizeof(*question->choices));
	for (size_t i = 0; i < asked->choice_count; i++) {
		const struct ik_choice *choice = &asked->choices[i];
		char *label = line_of(choice->label);

		question->choices[i] = *choice;
		question->choices[i].label = ik_format("[%c] %s", choice->key, label);
		question->choices[i].prompt = line_of(choice->prompt);
		question->choices[i].text = line_of(choice->text);
		free(label);
	}
	question->wanted = (asked->first || asked->wanted) && !asked->guarded;
	ik_pane_init(&question->pane, NULL, dialog->keymap);
	add_parts(&question->pane, asked);
	return question;
}

int ik_dialog_ask(struct ik_dialog *dialog, const struct ik_question *asked)
{
	struct dialog_question *question = make_question(dialog, asked);
	struct dialog_question **place = &dialog->first;

	/* One that was put aside must not hide a new one. */
	while (*place && !asked->first && !asked->wanted && (dialog->open || !(*place)->met))
		place = &(*place)->next;
	if (place == &dialog->first)
		dialog->open = true;
	question->next = *place;
	*place = question;
	return question->id;
}

void ik_dialog_withdraw(struct ik_dialog *dialog, int id)
{
	struct dialog_question **place = &dialog->first;

	while (*place && (*place)->id != id)
		place = &(*place)->next;
	if (!*place)
		return;
	struct dialog_question *question = *place;
	*place = question->next;
	question_free(question);
}

size_t ik_dialog_count(const struct ik_dialog *dialog)
{
	size_t count = 0;

	for (const struct dialog_question *question = dialog->first; question;
		 question = question->next)
		count++;
	return count;
}

bool ik_dialog_is_open(const struct ik_dialog *dialog)
{
	return dialog->first && dialog->open;
}

void ik_dialog_set_open(struct ik_dialog *dialog, bool open)
{
	dialog->open = open;
	if (open && dialog->first)
		dialog->first->wanted = true;
}

/* ---- when a question can be answered ---- */

/* Has the question in front been drawn, so that the user can have noticed it? */
static bool is_shown(const struct ik_dialog *dialog)
{
	return dialog->first->id == dialog->shown;
}

int64_t ik_dialog_tick(struct ik_dialog *dialog, int64_t now_ms, bool visible, bool *ret_changed)
{
	dialog->now_ms = now_ms;
	dialog->answered = dialog->answered && dialog->first;
	if (!visible || !ik_dialog_is_open(dialog)) {
		if (!dialog->ready)
			dialog->shown = 0;
		return -1;
	}
	if (!is_shown(dialog))
		return READY_MS; /* it is drawn right after this */
	if (dialog->ready)
		return -1;
	if (now_ms < dialog->ready_ms)
		return dialog->ready_ms - now_ms;
	*ret_changed = true;
	return -1;
}

/* Note that the question in front was drawn, which may make it ready. */
static void note_shown(struct ik_dialog *dialog)
{
	if (!is_shown(dialog)) {
		dialog->shown = dialog->first->id;
		dialog->follows = dialog->answered;
		dialog->ready = false;
		dialog->ready_ms = dialog->now_ms + READY_MS;
	}
	dialog->ready |= dialog->first->wanted || dialog->now_ms >= dialog->ready_ms;
	dialog->first->wanted = dialog->answered = false;
	dialog->first->met = true;
}

/* Does a key come too early? *ret_taken is true if the key is dropped, false if it is passed on. */
static bool is_too_early(struct ik_dialog *dialog, const struct ik_key *key, enum ik_action action,
	bool *ret_taken)
{
	bool shown = is_shown(dialog), paste = key->code == IK_KEY_PASTE;
	bool follows = (shown ? dialog->follows : dialog->answered) && !paste;
	bool text = paste || (key->code == IK_KEY_CHARACTER && !key->modifiers);

	if (shown && dialog->ready)
		return false;
	*ret_taken = false;
	if (!text && action != IK_ACTION_SEND && (shown || action != IK_ACTION_CANCEL))
		return !shown;
	dialog->ready_ms = dialog->now_ms + READY_MS;
	*ret_taken = follows || (shown && !text);
	/* The text was meant for the editor, and so is what follows it. */
	if (text && !follows)
		ik_dialog_set_open(dialog, false);
	return true;
}

/* ---- keys ---- */

static void answer(struct ik_dialog *dialog, size_t choice, struct ik_invocation *ret_answer)
{
	struct dialog_question *question = dialog->first;

	ik_buf_clear(&dialog->answer);
	if (question->writing) {
		size_t length;
		const char *text = ik_editor_text(question->writing, &length);

		ik_buf_append(&dialog->answer, text, length);
	}
	*ret_answer = (struct ik_invocation){
		.action = IK_ACTION_ANSWER,
		.number = question->id,
		.value = question->choices[choice].value,
		.text = dialog->answer.data,
		.length = dialog->answer.length,
	};
	dialog->first = question->next;
	dialog->answered = true;
	question_free(question);
}

void ik_dialog_escape(struct ik_dialog *dialog, struct ik_invocation *ret_answer)
{
	dialog->first->writing = ik_editor_free(dialog->first->writing);
	answer(dialog, dialog->first->escape, ret_answer);
}

/* Handle a choice: answer, or let the user write the text for it first. If the end of the
 * question has not been seen, scroll on instead. */
static void choose(struct ik_dialog *dialog, size_t choice, struct ik_invocation *ret_answer)
{
	struct dialog_question *question = dialog->first;
	const char *text = question->choices[choice].text;

	question->selected = choice;
	if (!question->seen && choice != question->escape) {
		(void)ik_pane_scroll_text(&question->pane, IK_ACTION_PAGE_DOWN);
	} else if (question->choices[choice].prompt) {
		question->writing = ik_editor_new(NULL);
		if (text)
			ik_editor_set(question->writing, text, strlen(text));
	} else {
		answer(dialog, choice, ret_answer);
	}
}

/* Choose by letter; return false if no choice has this letter. */
static bool choose_by_letter(struct ik_dialog *dialog, uint32_t letter,
	struct ik_invocation *ret_answer)
{
	struct dialog_question *question = dialog->first;

	if (letter >= 'A' && letter <= 'Z')
		letter += 'a' - 'A';
	for (size_t i = 0; i < question->choice_count; i++) {
		if ((unsigned char)question->choices[i].key != letter)
			continue;
		if (question->choices[i].careful)
			question->selected = i;
		else
			choose(dialog, i, ret_answer);
		return true;
	}
	/* The letter begins a message. Close the dialog, so that the message's Enter doesn't answer. */
	ik_dialog_set_open(dialog, false);
	return false;
}

static bool write_key(struct ik_dialog *dialog, const struct ik_key *key, enum ik_action action,
	struct ik_invocation *ret_answer)
{
	struct dialog_question *question = dialog->first;

	if (action == IK_ACTION_SEND)
		answer(dialog, question->selected, ret_answer);
	else if (action == IK_ACTION_CANCEL)
		question->writing = ik_editor_free(question->writing);
	else if (action == IK_ACTION_NONE)
		(void)ik_editor_type(question->writing, key);
	else
		return ik_editor_act(question->writing, action) ||
			ik_pane_scroll_text(&question->pane, action);
	return true;
}

bool ik_dialog_key(struct ik_dialog *dialog, const struct ik_key *key, enum ik_action action,
	struct ik_invocation *ret_answer)
{
	struct dialog_question *question = dialog->first;
	bool taken;

	if (is_too_early(dialog, key, action, &taken))
		return taken;
	if (question->writing)
		return write_key(dialog, key, action, ret_answer);
	switch (action) {
	case IK_ACTION_SEND:
		choose(dialog, question->selected, ret_answer);
		return true;
	case IK_ACTION_CANCEL:
		ik_dialog_escape(dialog, ret_answer);
		return true;
	case IK_ACTION_LEFT:
	case IK_ACTION_RIGHT:
	case IK_ACTION_COMPLETE:
		question->selected += action == IK_ACTION_LEFT ? question->choice_count - 1 : 1;
		question->selected %= question->choice_count;
		return true;
	default:
		return ik_pane_scroll_text(&question->pane, action) ||
			(key->code == IK_KEY_CHARACTER && !key->modifiers &&
				choose_by_letter(dialog, key->codepoint, ret_answer));
	}
}

void ik_dialog_scroll(struct ik_dialog *dialog, int rows)
{
	if (dialog->first)
		ik_pane_scroll(&dialog->first->pane, rows);
}

/* ---- drawing ---- */

/* Draws the choices into cells, or, if cells is NULL, finds the choice at (row, column). */
struct choice_visit {
	struct ik_cells *cells;
	struct ik_rectangle area;
	int row, column; /* relative to area */
	size_t found;
};

/* Lay out the choices side by side, broken into rows. Return the number of rows. */
static int lay_out_choices(const struct dialog_question *question, struct choice_visit *visit)
{
	struct ik_rectangle area = visit->area;
	int row = 0, column = 0;

	visit->found = question->choice_count;
	for (size_t i = 0; i < question->choice_count; i++) {
		const char *label = question->choices[i].label;
		int width = (int)ik_utf8_width(label, strlen(label));

		if (column > 0 && column + width > area.columns) {
			row++;
			column = 0;
		}
		bool selected = i == question->selected;

		if (row == visit->row && visit->column >= column && visit->column < column + width)
			visit->found = i;
		if (visit->cells && row < area.rows)
			(void)ik_cells_hints(visit->cells, area, area.row + row, area.column + column,
				selected ? IK_STYLE_SELECTION : IK_STYLE_BOLD,
				selected ? IK_STYLE_SELECTION : IK_STYLE_NORMAL, label);
		column += width + CHOICE_GAP;
	}
	return row + 1;
}

static int foot_rows(const struct dialog_question *question, int columns)
{
	if (!question->writing)
		return lay_out_choices(question, &(struct choice_visit){ .area.columns = columns });
	const char *prompt = question->choices[question->selected].prompt;
	int left = columns - (int)ik_utf8_width(prompt, strlen(prompt));
	int rows = ik_editor_height(question->writing, left > 1 ? left : 1);

	return rows < WRITING_ROWS ? rows : WRITING_ROWS;
}

/* Return the number of rows of the text, at most `most`. */
static int text_rows(const struct dialog_question *question, int columns, int most)
{
	int64_t rows = 0;

	for (size_t i = 0; i < ik_scrollback_count(question->pane.text) && rows < most; i++) {
		struct ik_block *block = ik_scrollback_at(question->pane.text, i);

		rows += i > 0 && block->kind == IK_BLOCK_HEADING;
		ik_block_prepare(block);
		for (uint32_t section = 0; section < block->section_count && rows < most; section++)
			rows += ik_block_lines(block, section, columns)->count;
	}
	return rows < most ? (int)rows : most;
}

int ik_dialog_rows(struct ik_dialog *dialog, int columns, int most)
{
	const struct dialog_question *question = dialog->first;

	if (!question || most < 1)
		return 0;
	if (!dialog->open)
		return 1;
	int rows = 2 + foot_rows(question, columns);
	rows += text_rows(question, columns, most > rows ? most - rows : 0);
	return rows < most ? rows : most;
}

int ik_dialog_least_rows(const struct ik_dialog *dialog, int columns)
{
	const struct dialog_question *question = dialog->first;

	if (!ik_dialog_is_open(dialog))
		return 0;
	return 1 + foot_rows(question, columns) + text_rows(question, columns, 1);
}

/* Append which key reopens a postponed question. */
static void put_answer_key(const struct ik_dialog *dialog, struct ik_buf *out)
{
	static const struct ik_key_hint hints[] = {
		{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("answer"), 1 },
		{ 0 },
	};

	ik_buf_putc(out, ' ');
	ik_keymap_put_hints(dialog->keymap, IK_IN_EDITOR, hints, INT_MAX, out);
	ik_buf_putc(out, ' ');
}

/* Append how much of the text is below, so that the user doesn't answer unseen text. If it fits
 * into `columns`, use words and name the key that scrolls there. */
static void put_more(const struct ik_dialog *dialog, size_t below, int columns, struct ik_buf *out)
{
	const char *plus = below >= MOST_BELOW ? "+" : "";
	char *key = ik_keymap_key_name(dialog->keymap, IK_IN_DIALOG, IK_ACTION_PAGE_DOWN);

	if (out->length == 0)
		ik_buf_putc(out, ' ');
	size_t start = out->length;
	/* Translators: an arrow down, a number, "+" or nothing, and the key that goes there:
	 * "↓ 298 more lines (PgDn)" */
	ik_buf_printf(out, ngettext("%s %zu%s more line (%s) ", "%s %zu%s more lines (%s) ", below),
		"↓", below, plus, key);
	free(key);
	if ((int)ik_utf8_width(out->data, out->length) <= columns)
		return;
	ik_buf_truncate(out, start);
	ik_buf_printf(out, "↓ %zu%s ", below, plus);
}

/* Draw the first row: the title, the number of questions, and the number of rows below. */
static void draw_title(const struct ik_dialog *dialog, struct ik_cells *cells,
	struct ik_rectangle row, size_t below)
{
	char *title = ik_format(" %s ", dialog->first->title);
	size_t questions = ik_dialog_count(dialog);
	enum ik_style style = dialog->open ? IK_STYLE_ACCENT : IK_STYLE_WARNING;
	struct ik_buf right;

	ik_cells_fill_with(cells, row, dialog->open ? IK_STYLE_ACCENT : IK_STYLE_FRAME, "─");
	ik_buf_init(&right, IK_KIB(1));
	if (questions > 1)
		ik_buf_printf(&right, ngettext(" 1 of %zu ", " 1 of %zu ", questions), questions);
	if (questions > 1 && !dialog->open)
		ik_buf_puts(&right, "·");
	if (!dialog->open)
		put_answer_key(dialog, &right);
	if (below > 0)
		put_more(dialog, below, row.columns - 3 - (int)ik_utf8_width(title, strlen(title)), &right);
	int width = (int)ik_utf8_width(right.data, right.length);
	int column = row.column + row.columns - width - 1;

	if (width > 0 && column > row.column) {
		ik_cells_label(cells, row, row.row, column, style, right.data);
		row.columns -= width + 2;
	}
	ik_buf_done(&right);
	ik_cells_label(cells, row, row.row, row.column + 1, dialog->open ? IK_STYLE_USER : style,
		title);
	free(title);
}

static void draw_keys(const struct dialog_question *question, struct ik_cells *cells,
	struct ik_rectangle row, bool scrolls)
{
	/* Translators: the choice that a key means: "Esc = [n] No". */
	char *escape = ik_format(_("= %s"), question->choices[question->escape].label);
	const struct ik_key_hint writing[] = {
		{ IK_ACTION_SEND, IK_ACTION_NONE, N_("answer"), 1 },
		{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 2 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("back"), 1 },
		{ 0 },
	};
	const struct ik_key_hint choosing[] = {
		{ IK_ACTION_LEFT, IK_ACTION_RIGHT, N_("choose"), 3 },
		{ IK_ACTION_SEND, IK_ACTION_NONE, N_("answer"), 1 },
		{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 2 },
		{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("put aside"), 1 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, escape, 4 },
		{ 0 },
	};
	struct ik_key_hint hints[sizeof(choosing) / sizeof(*choosing)] = { 0 };
	size_t kept = 0;

	for (const struct ik_key_hint *hint = question->writing ? writing : choosing; hint->action;
		 hint++)
		if (scrolls || hint->action != IK_ACTION_PAGE_UP)
			hints[kept++] = *hint;
	ik_pane_hints(cells, row, question->pane.keymap, IK_IN_DIALOG, hints);
	free(escape);
}

static void draw_foot(const struct ik_dialog *dialog, struct ik_cells *cells,
	struct ik_rectangle area)
{
	struct dialog_question *question = dialog->first;

	if (!dialog->ready)
		ik_cells_label(cells, area, area.row, area.column, IK_STYLE_DIM, "…");
	else if (question->writing)
		ik_editor_draw(question->writing, cells, area,
			question->choices[question->selected].prompt);
	else
		(void)lay_out_choices(question,
			&(struct choice_visit){ .cells = cells, .area = area, .row = -1 });
}

/* Return the area of the choices, which are above the keys in the dialog's last row. */
static struct ik_rectangle foot_area(const struct dialog_question *question,
	struct ik_rectangle area)
{
	/* By priority: the choices, then the text, then the line of keys. */
	int left = area.rows - 1, foot = foot_rows(question, area.columns);

	if (foot > left)
		foot = left;
	int keys = left > foot + text_rows(question, area.columns, 1);

	return (struct ik_rectangle){ area.row + area.rows - keys - foot, area.column, foot,
		area.columns };
}

void ik_dialog_click(struct ik_dialog *dialog, struct ik_rectangle area, int row, int column,
	struct ik_invocation *ret_answer)
{
	struct dialog_question *question = dialog->first;

	if (!question || !dialog->open || !is_shown(dialog) || !dialog->ready || question->writing)
		return;
	struct ik_rectangle foot = foot_area(question, area);
	struct choice_visit visit = {
		.area.columns = area.columns, .row = row - foot.row, .column = column - foot.column
	};
	if (row >= foot.row + foot.rows || row < foot.row)
		return;
	(void)lay_out_choices(question, &visit);
	if (visit.found < question->choice_count)
		choose(dialog, visit.found, ret_answer);
}

void ik_dialog_draw(struct ik_dialog *dialog, struct ik_cells *cells, struct ik_rectangle area)
{
	struct dialog_question *question = dialog->first;

	if (!question || area.rows < 1 || area.columns < 1)
		return;
	struct ik_rectangle title = { area.row, area.column, 1, area.columns };

	if (!dialog->open) {
		draw_title(dialog, cells, title, 0);
		return;
	}
	note_shown(dialog);
	struct ik_rectangle foot = foot_area(question, area);
	int keys = foot.row + foot.rows < area.row + area.rows;
	struct ik_rectangle text = { area.row + 1, area.column, foot.row - area.row - 1, area.columns };
	struct ik_pane *pane = &question->pane;
	bool above = false;
	size_t below;

	if (text.rows < 1) {
		below = (size_t)text_rows(question, text.columns, MOST_BELOW);
	} else {
		ik_scrollback_resize(pane->text, text.rows, text.columns);
		if (!pane->text_moved)
			ik_scrollback_go(pane->text, (struct ik_scroll_place){ .at_end = false });
		ik_scrollback_draw(pane->text, cells, text);
		below = ik_scrollback_rows_below(pane->text, MOST_BELOW);
		above = text_rows(question, text.columns, text.rows + 1) > text.rows;
	}
	question->seen |= below == 0;
	draw_title(dialog, cells, title, below);
	if (foot.rows > 0)
		draw_foot(dialog, cells, foot);
	if (keys && dialog->ready)
		draw_keys(question, cells,
			(struct ik_rectangle){ area.row + area.rows - 1, area.column, 1, area.columns },
			below > 0 || above);
}
