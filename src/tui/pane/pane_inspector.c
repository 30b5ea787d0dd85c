#include "tui/pane/pane_inspector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "tui/pane/status_bar.h"
#include "tui/text/json_tree.h"
#include "tui/text/json_view.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define CHECKED_BYTES IK_MIB(2) /* of JSON; what is larger is shown as it is written */
#define TITLE_BYTES 120

/* What of a call a line of the text belongs to. */
enum ik_call_part {
	IK_PART_CALL, /* name and facts */
	IK_PART_ARGUMENTS,
	IK_PART_CHANGES,
	IK_PART_HOOKS, /* what they did to it */
	IK_PART_ERRORS,
	IK_PART_OUTPUT,
	IK_PART_ENVELOPE,
	IK_PARTS
};

/* A line that the cursor can be on: a block of the text. */
struct ik_inspector_line {
	enum ik_call_part part;
	enum ik_tree_role role;
	struct ik_tree_node *node; /* NULL: a heading, or text that is no JSON */
};

/* What the user folded or unfolded of a call, kept while the session runs: a node, or all that
 * nothing else is said of (part: IK_PARTS). */
struct ik_fold {
	const struct ik_shown_call *call;
	enum ik_call_part part;
	uint64_t path;
	enum ik_tree_state state;
};

struct ik_inspector {
	struct ik_pane pane;
	struct ik_calls *calls;
	bool moved;                        /* the user selected a call */
	const struct ik_shown_call *call;  /* the selected one */
	const struct ik_shown_call *shown; /* whose text is in the pane */
	unsigned shown_version;
	size_t page, shown_page; /* 0: the call, with the first part of its large texts */
	bool page_end;           /* the page is to be shown from its end */
	bool stale;              /* the text is to be made again */
	ik_blob_reader *read;
	void *read_arg;
	const struct ik_drawer *drawer;
	int64_t now_ms;
	/* The text's lines, one for each block, and what they are of. */
	struct ik_inspector_line *lines;
	size_t line_count;
	struct ik_json_tree *trees[IK_PARTS];
	enum ik_call_part building; /* whose lines are being made */
	size_t cursor; /* the line that it is on, while the text has the keys (pane.in_text) */
	struct ik_fold *folds;
	size_t fold_count;
};

static void note_line(struct ik_inspector *inspector)
{
	inspector->lines = ik_alloc_more(inspector->lines, inspector->line_count,
		sizeof(*inspector->lines));
	inspector->lines[inspector->line_count++] = (struct ik_inspector_line){
		.part = inspector->building,
		.role = IK_TREE_HEAD,
	};
}

/* Begin a block of the part that is made, and note it as a line. */
static struct ik_block *add_block(struct ik_inspector *inspector, enum ik_block_kind kind,
	const char *text, size_t length)
{
	note_line(inspector);
	return ik_pane_text(&inspector->pane, kind, text, length);
}

static void add_sentence(struct ik_inspector *inspector, enum ik_block_kind kind,
	const char *sentence)
{
	ik_block_finish(add_block(inspector, kind, sentence, strlen(sentence)));
}

static const char *stage_word(enum ik_call_stage stage)
{
	switch (stage) {
	case IK_STAGE_WRITING:
		return _("being written");
	case IK_STAGE_WAITING:
		return _("waiting");
	case IK_STAGE_RUNNING:
		return _("running");
	case IK_STAGE_OK:
		return _("ok");
	case IK_STAGE_FAILED:
		break;
	}
	return _("failed");
}

/* The line of facts: "ok  exit 0  12 ms". */
static void add_facts(struct ik_inspector *inspector)
{
	const struct ik_shown_call *call = inspector->call;
	const struct ik_json_tree *envelope = inspector->trees[IK_PART_ENVELOPE];
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_buf_puts(&out, stage_word(call->stage));
	int64_t code = call->exit_code;
	struct ik_json_span exit_code = { NULL, 0 };

	if (envelope)
		exit_code = ik_json_tree_member(envelope, "exit_code");
	if (ik_json_integer(exit_code, &code) ||
		(envelope && ik_json_span_type(exit_code) == IK_JSON_NONE))
		ik_buf_printf(&out, _("  exit %d"), (int)code);
	if (call->duration_ms >= 0) {
		ik_buf_puts(&out, "  ");
		ik_duration_put(&out, call->duration_ms);
	}
	ik_buf_printf(&out, "  %s", call->id);
	ik_block_finish(add_block(inspector, IK_BLOCK_HINT, out.data, out.length));
	ik_buf_done(&out);
}

/* Add what a running call has printed on a stream, as far as it is kept. */
static void add_stream(struct ik_inspector *inspector, const struct ik_buf *stream, size_t before,
	const char *heading)
{
	if (stream->length == 0)
		return;
	add_sentence(inspector, IK_BLOCK_HEADING, heading);
	if (before > 0) {
		char *line = ik_format(_("%zu bytes before these"), before);

		add_sentence(inspector, IK_BLOCK_HINT, line);
		free(line);
	}
	(void)add_block(inspector, IK_BLOCK_OUTPUT, stream->data, stream->length);
}

/* Where in a large text a part is, and how to go on. */
static void add_position(struct ik_inspector *inspector, size_t start, size_t end, size_t length,
	bool more)
{
	char *line = ik_format(_("Bytes %zu to %zu of %zu"), start + 1, end, length);
	char *way = ik_keymap_sentence(inspector->pane.keymap,
		_("{scroll-page-down} at the end: more"));
	char *text = more ? ik_format("%s  %s", line, way) : ik_strdup(line);

	add_sentence(inspector, IK_BLOCK_HINT, text);
	free(text);
	free(way);
	free(line);
}

/* A part of a large text of the selected call, under its heading. */
static void add_part(struct ik_inspector *inspector, enum ik_call_text which, size_t part)
{
	size_t length = ik_call_text_length(inspector->call, which);
	size_t start = part * IK_LIMIT_PART;
	size_t end = length - start > IK_LIMIT_PART ? start + IK_LIMIT_PART : length;
	struct ik_error error = { .text = "" };
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_PART + 4);
	char *heading = which == IK_CALL_ERRORS
		? ik_strdup(_("Messages (stderr)"))
		: ik_format(_("Full output (cut for the model): %zu bytes"), length);
	add_sentence(inspector, IK_BLOCK_HEADING, heading);
	free(heading);
	if (length > IK_LIMIT_PART)
		add_position(inspector, start, end, length, end < length);
	enum ik_status status = ik_call_part(inspector->call, which, part, inspector->read,
		inspector->read_arg, &out, &error);
	if (status == IK_OK)
		ik_block_finish(add_block(inspector, IK_BLOCK_OUTPUT, out.data, out.length));
	else if (status == IK_UNAVAILABLE && !error.text[0])
		add_sentence(inspector, IK_BLOCK_HINT, _("Reading…"));
	else
		add_sentence(inspector, IK_BLOCK_ERROR,
			status != IK_NOT_FOUND && error.text[0]
				? error.text
				: _("This part was not stored: ikigai ended before."));
	if (length > IK_LIMIT_PART && status == IK_OK)
		add_position(inspector, start, end, length, end < length);
	ik_buf_done(&out);
}

static void add_line(void *arg, struct ik_tree_node *node, enum ik_tree_role role, const char *line,
	size_t length)
{
	struct ik_inspector *inspector = arg;
	struct ik_block *block = add_block(inspector,
		role == IK_TREE_MORE ? IK_BLOCK_HINT : IK_BLOCK_TEXT, line, length);

	ik_block_finish(block);
	inspector->lines[inspector->line_count - 1].node = node;
	inspector->lines[inspector->line_count - 1].role = role;
}

/* Return what the user did to a node of the selected call, or to all; NULL: nothing. */
static struct ik_fold *find_fold(const struct ik_inspector *inspector, enum ik_call_part part,
	uint64_t path)
{
	for (size_t i = 0; i < inspector->fold_count; i++) {
		struct ik_fold *fold = &inspector->folds[i];

		if (fold->call == inspector->call && fold->part == part && fold->path == path)
			return fold;
	}
	return NULL;
}

static enum ik_tree_state state_of_all(const struct ik_inspector *inspector)
{
	const struct ik_fold *fold = find_fold(inspector, IK_PARTS, 0);

	return fold ? fold->state : IK_TREE_USUAL;
}

static void note_fold(struct ik_inspector *inspector, enum ik_call_part part, uint64_t path,
	enum ik_tree_state state)
{
	struct ik_fold *fold = find_fold(inspector, part, path);

	if (!fold) {
		inspector->folds = ik_alloc_more(inspector->folds, inspector->fold_count,
			sizeof(*inspector->folds));
		fold = &inspector->folds[inspector->fold_count++];
	}
	*fold = (struct ik_fold){ inspector->call, part, path, state };
}

/* Is a node of the part that is made to be folded? What the user did last with it counts. */
static enum ik_tree_state state_of(void *arg, const struct ik_tree_node *node)
{
	const struct ik_inspector *inspector = arg;
	const struct ik_fold *fold = find_fold(inspector, inspector->building, node->path);
	enum ik_tree_state all = state_of_all(inspector);

	if (fold)
		return fold->state;
	return all == IK_TREE_FOLDED && !node->parent ? IK_TREE_USUAL : all;
}

/* Make the tree of the part that is made; text is taken over if it is JSON. */
static void make_tree(struct ik_inspector *inspector, struct ik_buf *text)
{
	if (text->length > 0 && text->length <= CHECKED_BYTES)
		inspector->trees[inspector->building] = ik_json_tree_new(text, state_of, inspector);
}

/* JSON as people read it; what is none, as it is. */
static void add_json(struct ik_inspector *inspector, const struct ik_buf *text)
{
	struct ik_json_tree *tree = inspector->trees[inspector->building];

	if (tree) {
		ik_json_tree_lines(tree, add_line, inspector);
		return;
	}
	size_t length = text->length < IK_LIMIT_PART ? text->length : IK_LIMIT_PART;
	ik_block_finish(add_block(inspector, IK_BLOCK_TEXT, text->data, length));
	if (length < text->length)
		add_position(inspector, 0, length, text->length, false);
}

/* Of a call that edits or writes a file: what it changes there, in place of the arguments. */
static bool add_changes(struct ik_inspector *inspector)
{
	struct ik_call_changes changes;
	struct ik_buf diff;

	ik_buf_init(&diff, IK_LIMIT_ENVELOPE);
	bool shown = ik_json_string(ik_call_role(inspector->call, "path"), &diff);

	if (shown)
		ik_buf_putc(&diff, '\n');
	shown = state_of_all(inspector) != IK_TREE_OPEN &&
		ik_call_changes(inspector->call, SIZE_MAX, &diff, &changes);

	if (shown) {
		add_sentence(inspector, IK_BLOCK_HEADING,
			inspector->call->stage == IK_STAGE_FAILED ? _("Changes that were not made")
													  : _("Changes"));
		struct ik_block *block = add_block(inspector, IK_BLOCK_TEXT, diff.data, diff.length);
		ik_block_set_renderer(block, &ik_renderer_diff);
		ik_block_finish(block);
	}
	ik_buf_done(&diff);
	return shown;
}

static void drop_trees(struct ik_inspector *inspector)
{
	for (size_t i = 0; i < IK_PARTS; i++)
		inspector->trees[i] = ik_json_tree_free(inspector->trees[i]);
	inspector->line_count = 0;
}

/* Add the envelope, and how much of it that is where it is large. */
static void add_envelope(struct ik_inspector *inspector, const struct ik_buf *envelope)
{
	const struct ik_shown_call *call = inspector->call;

	add_sentence(inspector, IK_BLOCK_HEADING,
		call->own ? _("Envelope") : _("Envelope: what the model got"));
	if (ik_call_is_large(call))
		add_position(inspector, 0, IK_CALL_LARGE, ik_call_envelope_size(call), false);
	add_json(inspector, envelope);
}

/* Add the pictures that came with the result, as large as there is room. */
static void add_pictures(struct ik_inspector *inspector)
{
	struct ik_message *result = inspector->call->result;
	struct ik_block *block;
	size_t index = 0;

	while (result && (block = ik_block_of_picture(result, &index))) {
		block->drawer = inspector->drawer;
		block->picture_rows = IK_DRAWING_MOST;
		note_line(inspector);
		ik_scrollback_add(inspector->pane.text, block);
	}
}

static void add_hooks(struct ik_inspector *inspector)
{
	const struct ik_message *result = inspector->call->result;
	struct ik_json_span hooks = { NULL, 0 };
	struct ik_buf text;

	if (result)
		hooks = ik_json_member(ik_message_data(result), "hooks");
	if (!hooks.text)
		return;
	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	ik_buf_append(&text, hooks.text, hooks.length);
	inspector->building = IK_PART_HOOKS;
	make_tree(inspector, &text);
	add_sentence(inspector, IK_BLOCK_HEADING, _("Hooks"));
	add_json(inspector, &text);
	ik_buf_done(&text);
}

/* The page that has all but the further parts of large texts. */
static void add_call(struct ik_inspector *inspector)
{
	const struct ik_shown_call *call = inspector->call;
	struct ik_buf envelope, arguments;

	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	ik_buf_init(&arguments, IK_LIMIT_ENVELOPE);
	inspector->building = IK_PART_ENVELOPE;
	bool any = ik_call_envelope(call, IK_CALL_LARGE, &envelope);

	make_tree(inspector, &envelope);
	inspector->building = IK_PART_CALL;
	add_sentence(inspector, IK_BLOCK_HEADING,
		ik_text_equal(call->name, IK_OWN_COMMAND) ? _("Your command") : call->name);
	add_facts(inspector);
	inspector->building = IK_PART_CHANGES;
	if (!add_changes(inspector)) {
		inspector->building = IK_PART_ARGUMENTS;
		ik_buf_append(&arguments, call->arguments.data, call->arguments.length);
		make_tree(inspector, &arguments);
		add_sentence(inspector, IK_BLOCK_HEADING, _("Arguments"));
		add_json(inspector, &arguments);
	}
	add_hooks(inspector);
	inspector->building = IK_PART_OUTPUT;
	add_pictures(inspector);
	inspector->building = IK_PART_ERRORS;
	add_stream(inspector, &call->errors, call->left_out[1], _("Messages (stderr)"));
	if (ik_call_text_length(call, IK_CALL_ERRORS) > 0)
		add_part(inspector, IK_CALL_ERRORS, 0);
	inspector->building = IK_PART_OUTPUT;
	add_stream(inspector, &call->output, call->left_out[0], _("Output (stdout)"));
	inspector->building = IK_PART_ENVELOPE;
	if (any)
		add_envelope(inspector, &envelope);
	inspector->building = IK_PART_OUTPUT;
	if (ik_call_text_length(call, IK_CALL_OUTPUT) > 0)
		add_part(inspector, IK_CALL_OUTPUT, 0);
	ik_buf_done(&envelope);
	ik_buf_done(&arguments);
}

/* Find the cursor's line again in a new text: the same one, or one near it. */
static void find_cursor(struct ik_inspector *inspector, struct ik_inspector_line before,
	uint64_t path)
{
	size_t nearest = 0;

	for (size_t i = 0; i < inspector->line_count; i++) {
		const struct ik_inspector_line *line = &inspector->lines[i];

		if (line->part != before.part || (line->node ? line->node->path : 0) != path)
			continue;
		/* Of the lines that have no node the one as far from the heading. */
		nearest = i;
		if (path == 0 ? i >= inspector->cursor : line->role == before.role)
			break;
	}
	if (nearest == 0 && inspector->cursor > 0)
		nearest = inspector->cursor;
	inspector->cursor = nearest < inspector->line_count ? nearest : inspector->line_count - 1;
	if (!inspector->pane.in_text)
		return;
	ik_scrollback_select_at(inspector->pane.text, inspector->cursor, true);
}

static void rebuild(struct ik_inspector *inspector)
{
	struct ik_pane *pane = &inspector->pane;
	const struct ik_shown_call *call = inspector->call;
	struct ik_inspector_line line = { .part = IK_PART_CALL };

	if (call != inspector->shown)
		inspector->page = 0;
	else if (pane->in_text && inspector->cursor + 1 < inspector->line_count)
		ik_scrollback_keep(pane->text); /* the end may grow while the cursor is elsewhere */
	bool same = call == inspector->shown && inspector->page == inspector->shown_page;

	if (inspector->cursor < inspector->line_count)
		line = inspector->lines[inspector->cursor];
	uint64_t path = line.node ? line.node->path : 0;

	if (!same)
		pane->text_moved = false;
	struct ik_scroll_place place = ik_pane_text_begin(pane);
	enum ik_call_text which;
	size_t part;

	drop_trees(inspector);
	if (ik_call_page(call, inspector->page, &which, &part)) {
		inspector->building = which == IK_CALL_ERRORS ? IK_PART_ERRORS : IK_PART_OUTPUT;
		add_part(inspector, which, part);
	} else {
		inspector->page = 0;
		add_call(inspector);
	}
	ik_pane_text_end(pane, place, call->stage == IK_STAGE_RUNNING);
	if (same)
		find_cursor(inspector, line, path);
	else
		inspector->cursor = inspector->page_end ? inspector->line_count - 1 : 0;
	if (inspector->page_end && inspector->page != inspector->shown_page) {
		ik_scrollback_bottom(pane->text);
		pane->text_moved = true;
	}
	inspector->stale = inspector->page_end = false;
	inspector->shown = call;
	inspector->shown_version = call->version;
	inspector->shown_page = inspector->page;
}

static void sync_text(struct ik_inspector *inspector)
{
	const struct ik_shown_call *call = inspector->call;

	if (call != inspector->shown || call->version != inspector->shown_version ||
		inspector->page != inspector->shown_page || inspector->stale)
		rebuild(inspector);
}

/* Put the cursor on a line, which comes into the window. */
static void go_to(struct ik_inspector *inspector, size_t line)
{
	inspector->cursor = line;
	inspector->pane.text_moved = true;
	ik_scrollback_select_at(inspector->pane.text, line, true);
	ik_scrollback_show_selected(inspector->pane.text);
}

/* The first line of a node; the count of lines where it has none. */
static size_t line_of(const struct ik_inspector *inspector, const struct ik_tree_node *node)
{
	size_t line = 0;

	while (line < inspector->line_count && inspector->lines[line].node != node)
		line++;
	return line;
}

/* Go into the text, or back to the list. */
static void enter_text(struct ik_inspector *inspector, bool in_text)
{
	struct ik_scrollback *text = inspector->pane.text;

	inspector->pane.in_text = in_text && inspector->line_count > 0;
	if (!inspector->pane.in_text)
		return;
	if (!inspector->pane.text_moved)
		ik_scrollback_go(text, (struct ik_scroll_place){ .at_end = inspector->pane.text_follows });
	inspector->pane.text_moved = true;
	ik_scrollback_select_at(text, inspector->cursor, true);
	ik_scrollback_select(text, true);
	inspector->cursor = ik_scrollback_selected_index(text);
}

static void set_state(struct ik_inspector *inspector, size_t index, enum ik_tree_state state)
{
	struct ik_inspector_line line = inspector->lines[index];

	note_fold(inspector, line.part, line.node->path, state);
	inspector->stale = true;
	/* What is folded goes on being one line: its first. */
	go_to(inspector, line_of(inspector, line.node));
}

/* Is the line of something that folds? */
static bool folds(const struct ik_inspector *inspector, size_t index)
{
	const struct ik_tree_node *node = inspector->lines[index].node;

	return node && ik_tree_node_folds(node);
}

/* Does it show all that it has? */
static bool is_open(const struct ik_inspector *inspector, size_t index)
{
	const struct ik_tree_node *node = inspector->lines[index].node;

	return node->open && !node->cut;
}

/* Unfold, or go to the first thing within; from the list, into the text. */
static void go_inward(struct ik_inspector *inspector)
{
	size_t index = inspector->cursor;

	if (!inspector->pane.in_text)
		enter_text(inspector, true);
	else if (folds(inspector, index) && !is_open(inspector, index))
		set_state(inspector, index, IK_TREE_OPEN);
	else if (index + 1 < inspector->line_count)
		go_to(inspector, index + 1);
}

/* Fold, or go to what holds it; from what nothing holds, to the list. */
static void go_outward(struct ik_inspector *inspector)
{
	if (!inspector->pane.in_text)
		return;
	size_t index = inspector->cursor;
	struct ik_inspector_line line = inspector->lines[index];
	bool shows = folds(inspector, index) && line.node->state != IK_TREE_FOLDED &&
		(line.node->open || line.node->cut);
	if (shows) {
		set_state(inspector, index, IK_TREE_FOLDED);
	} else if (line.node && line.node->parent) {
		go_to(inspector, line_of(inspector, line.node->parent));
	} else {
		/* The heading of the part; from there the list. */
		size_t heading = index;

		while (heading > 0 && inspector->lines[heading - 1].part == line.part)
			heading--;
		if (heading < index)
			go_to(inspector, heading);
		else
			enter_text(inspector, false);
	}
}

static void fold_all(struct ik_inspector *inspector, enum ik_tree_state state)
{
	size_t kept = 0;

	for (size_t i = 0; i < inspector->fold_count; i++)
		if (inspector->folds[i].call != inspector->call)
			inspector->folds[kept++] = inspector->folds[i];
	inspector->fold_count = kept;
	note_fold(inspector, IK_PARTS, 0, state);
	inspector->stale = true;
}

/* Do an action that folds, unfolds or enters the text. */
static void fold(struct ik_inspector *inspector, enum ik_action action)
{
	sync_text(inspector);
	bool on_node = inspector->pane.in_text && folds(inspector, inspector->cursor);

	switch (action) {
	case IK_ACTION_TEXT:
		enter_text(inspector, !inspector->pane.in_text);
		break;
	case IK_ACTION_INWARD:
		go_inward(inspector);
		break;
	case IK_ACTION_OUTWARD:
		go_outward(inspector);
		break;
	case IK_ACTION_UNFOLD_ALL:
		fold_all(inspector, IK_TREE_OPEN);
		break;
	case IK_ACTION_FOLD_ALL:
		fold_all(inspector, IK_TREE_FOLDED);
		break;
	default:
		if (on_node)
			set_state(inspector, inspector->cursor,
				is_open(inspector, inspector->cursor) ? IK_TREE_FOLDED : IK_TREE_OPEN);
		else if (!inspector->pane.in_text || !inspector->lines[inspector->cursor].node)
			fold_all(inspector,
				state_of_all(inspector) == IK_TREE_OPEN ? IK_TREE_USUAL : IK_TREE_OPEN);
		break;
	}
	sync_text(inspector);
	if (inspector->pane.in_text)
		go_to(inspector, inspector->cursor);
}

/* Do an action while the cursor is in the text; false: it means what it means elsewhere. */
static bool act_in_text(struct ik_inspector *inspector, enum ik_action action)
{
	struct ik_scrollback *text = inspector->pane.text;

	if (action != IK_ACTION_UP && action != IK_ACTION_DOWN)
		return false;
	sync_text(inspector);
	ik_scrollback_select_at(text, inspector->cursor, true);
	ik_scrollback_step(text, action == IK_ACTION_UP ? -1 : 1);
	inspector->cursor = ik_scrollback_selected_index(text);
	inspector->pane.text_moved = true;
	return true;
}

/* Append a stream, as far as it is in memory. */
static void copy_stream(const struct ik_inspector *inspector, enum ik_call_text which,
	struct ik_buf *out)
{
	const struct ik_shown_call *call = inspector->call;
	const struct ik_buf *live = which == 0 ? &call->output : &call->errors;
	struct ik_error error;

	if (call->whole[which])
		ik_buf_append(out, call->whole[which]->data, call->whole[which]->length);
	else if (live->length > 0)
		ik_buf_append(out, live->data, live->length);
	else
		(void)!ik_call_part(call, which, inspector->page, inspector->read, inspector->read_arg, out,
			&error);
}

/* What one wants of a call elsewhere: its output as it came, else its result or error as
 * JSON, else its arguments; of a large one its beginning, which is more than any clipboard takes. */
static void copy_call(const struct ik_shown_call *call, struct ik_buf *out)
{
	struct ik_json_span value = { NULL, 0 };
	struct ik_buf envelope;

	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	if (!ik_call_envelope(call, IK_CALL_LARGE, &envelope) ||
		ik_json_check(envelope.data, envelope.length, &value, NULL) != IK_OK) {
		ik_buf_append(out, call->arguments.data, call->arguments.length);
	} else {
		struct ik_json_span result = ik_json_member(value, "result");

		if (!ik_json_string(result, out) && !ik_json_string(ik_json_member(result, "output"), out))
			ik_json_pretty(out, result.text ? result : value);
	}
	ik_buf_done(&envelope);
}

static void copy_line(struct ik_inspector *inspector, struct ik_buf *out)
{
	struct ik_call_changes changes;

	sync_text(inspector);
	const struct ik_inspector_line *line = &inspector->lines[inspector->cursor];

	if (line->node) {
		ik_json_tree_copy(line->node, out);
		return;
	}
	switch (line->part) {
	case IK_PART_ARGUMENTS:
		ik_buf_append(out, inspector->call->arguments.data, inspector->call->arguments.length);
		break;
	case IK_PART_CHANGES:
		(void)ik_call_changes(inspector->call, SIZE_MAX, out, &changes);
		break;
	case IK_PART_ERRORS:
		copy_stream(inspector, IK_CALL_ERRORS, out);
		break;
	case IK_PART_OUTPUT:
		copy_stream(inspector, IK_CALL_OUTPUT, out);
		break;
	case IK_PART_ENVELOPE:
		(void)ik_call_envelope(inspector->call, SIZE_MAX, out);
		break;
	default:
		copy_call(inspector->call, out);
		break;
	}
}

void ik_inspector_forget(struct ik_inspector *inspector)
{
	inspector->moved = false;
	inspector->call = inspector->shown = NULL;
	inspector->fold_count = 0;
	drop_trees(inspector);
	inspector->page = 0;
	inspector->pane.count = inspector->pane.selected = 0;
	ik_scrollback_clear(inspector->pane.text);
}

static void release(struct ik_pane *pane)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;

	drop_trees(inspector);
	free(inspector->lines);
	free(inspector->folds);
}

void ik_inspector_on_read(struct ik_inspector *inspector, ik_blob_reader *read, void *arg)
{
	inspector->read = read;
	inspector->read_arg = arg;
}

void ik_inspector_part_arrived(struct ik_inspector *inspector)
{
	inspector->stale = true;
}

void ik_inspector_follow(struct ik_inspector *inspector)
{
	inspector->moved = false;
	enter_text(inspector, false);
}

/* Find the selected call again: the list may have grown at both ends. */
static void sync_selection(struct ik_inspector *inspector)
{
	struct ik_pane *pane = &inspector->pane;

	pane->count = ik_calls_count(inspector->calls);
	if (pane->count == 0)
		return;
	if (!inspector->moved)
		pane->selected = pane->count - 1;
	else
		while (pane->selected + 1 < pane->count &&
			ik_calls_at(inspector->calls, pane->selected) != inspector->call)
			pane->selected++;
	inspector->call = ik_calls_at(inspector->calls, pane->selected);
}

/* Show another page of the selected call, if there is one, from its start or its end. */
static void turn_page(struct ik_inspector *inspector, size_t page, bool end)
{
	if (page == inspector->page || page >= ik_call_pages(inspector->call))
		return;
	inspector->page = page;
	inspector->page_end = end;
}

/* The user wanted to go on beyond an end of the page. */
static void leave_page(struct ik_inspector *inspector, bool down)
{
	turn_page(inspector, inspector->page + (down ? 1 : (size_t)-1), !down);
}

/* Is the text still where it was? */
static bool is_at(const struct ik_inspector *inspector, struct ik_scroll_place before)
{
	struct ik_scroll_place now = ik_scrollback_place(inspector->pane.text);

	return now.at_end == before.at_end && now.block == before.block && now.offset == before.offset;
}

/* Another item of the list is selected; true: it is another call, shown from its start. */
static bool note_selection(struct ik_inspector *inspector)
{
	const struct ik_shown_call *call = inspector->call;

	inspector->call = ik_calls_at(inspector->calls, inspector->pane.selected);
	inspector->moved = inspector->pane.selected + 1 < inspector->pane.count;
	if (inspector->call != call)
		inspector->page = 0;
	return inspector->call != call;
}

/* An action that selects or scrolls. */
static bool act(struct ik_pane *pane, enum ik_action action)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;

	sync_selection(inspector);
	if (inspector->pane.in_text && action == IK_ACTION_LINE_START)
		action = IK_ACTION_TOP;
	if (inspector->pane.in_text && action == IK_ACTION_LINE_END)
		action = IK_ACTION_BOTTOM;
	if (inspector->pane.in_text && act_in_text(inspector, action))
		return true;
	struct ik_scroll_place before = ik_scrollback_place(inspector->pane.text);

	if (!ik_pane_act(&inspector->pane, action))
		return false;
	if (inspector->pane.count == 0)
		return true;
	if (note_selection(inspector))
		;
	else if (action == IK_ACTION_TOP)
		turn_page(inspector, 0, false);
	else if (action == IK_ACTION_BOTTOM)
		turn_page(inspector, ik_call_pages(inspector->call) - 1, true);
	else if ((action == IK_ACTION_PAGE_UP || action == IK_ACTION_HALF_UP) &&
		is_at(inspector, before))
		leave_page(inspector, false);
	else if ((action == IK_ACTION_PAGE_DOWN || action == IK_ACTION_HALF_DOWN) &&
		is_at(inspector, before))
		leave_page(inspector, true);
	if (inspector->pane.in_text && inspector->page == inspector->shown_page)
		enter_text(inspector, true);
	return true;
}

/* A click selects a call. */
static bool click(struct ik_pane *pane, int row)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;

	sync_selection(inspector);
	if (!ik_pane_click(pane, row))
		return false;
	(void)note_selection(inspector);
	return true;
}

/* The wheel turns the pages, too. */
static void scroll(struct ik_pane *pane, int rows)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;
	struct ik_scroll_place before = ik_scrollback_place(pane->text);

	ik_pane_scroll(pane, rows);
	if (inspector->call && rows != 0 && is_at(inspector, before))
		leave_page(inspector, rows > 0);
}

/* The command line that makes the call again; false: it has no whole arguments. */
static bool put_line(const struct ik_shown_call *call, struct ik_buf *out)
{
	struct ik_json_span arguments = { "{}", 2 };

	if (call->arguments.length > 0 &&
		ik_json_check(call->arguments.data, call->arguments.length, &arguments, NULL) != IK_OK)
		return false;
	if (ik_text_equal(call->name, IK_OWN_COMMAND)) {
		ik_buf_puts(out, IK_OWN_COMMAND);
		return ik_json_string(ik_json_member(arguments, "command"), out) &&
			ik_buf_status(out) == IK_OK;
	}
	ik_buf_printf(out, "/run %s ", call->name);
	ik_buf_append(out, arguments.text, arguments.length);
	return ik_buf_status(out) == IK_OK;
}

/* All that is known of a call, as one text. */
static void put_whole(struct ik_inspector *inspector, struct ik_buf *out)
{
	static const char *const headings[] = {
		[IK_CALL_ERRORS] = N_("Messages (stderr)"),
		[IK_CALL_OUTPUT] = N_("Output (stdout)"),
	};
	const struct ik_shown_call *call = inspector->call;
	struct ik_json_span value;
	struct ik_error error;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	ik_buf_printf(&text, "%s  %s\n\n", call->name, stage_word(call->stage));
	if (ik_json_check(call->arguments.data, call->arguments.length, &value, NULL) == IK_OK)
		ik_json_view(&text, value);
	for (enum ik_call_text which = IK_CALL_TEXTS; which-- > 0;) {
		size_t length = ik_call_text_length(call, which);

		if (length == 0)
			continue;
		ik_buf_printf(&text, "\n\n%s\n", _(headings[which]));
		for (size_t part = 0; part * IK_LIMIT_PART < length; part++)
			if (ik_call_part(call, which, part, inspector->read, inspector->read_arg, &text,
					&error) != IK_OK) {
				ik_buf_printf(&text, "\n[%s]\n", _("a part of it is not in memory"));
				break;
			}
	}
	struct ik_buf envelope;
	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	if (ik_call_envelope(call, SIZE_MAX, &envelope) &&
		ik_json_check(envelope.data, envelope.length, &value, NULL) == IK_OK) {
		ik_buf_printf(&text, "\n\n%s\n", _("Envelope: what the model got"));
		ik_json_view(&text, value);
	} else if (call->output.length > 0) {
		ik_buf_printf(&text, "\n\n%s\n", _("Output (stdout)"));
		ik_buf_append(&text, call->output.data, call->output.length);
	}
	ik_buf_putc(&text, '\n');
	ik_sanitize(out, text.data, text.length);
	ik_buf_done(&envelope);
	ik_buf_done(&text);
}

/* A key: what is done with the selected call, by the actions that stand together in the table. */
static enum ik_pane_result key(struct ik_pane *pane, const struct ik_key *key,
	enum ik_action action, struct ik_invocation *ret_invocation)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;
	struct ik_buf *text = &pane->argument;
	bool asks = action > IK_ACTION_FOLD_ALL;

	if ((action < IK_ACTION_UNFOLD || action > IK_ACTION_PAGER) && action != IK_ACTION_COPY)
		return IK_PANE_PASSED;
	sync_selection(inspector);
	if (pane->count == 0)
		return IK_PANE_TAKEN;
	ik_buf_clear(text);
	switch (action) {
	case IK_ACTION_COPY:
		asks = true;
		if (pane->in_text)
			copy_line(inspector, text);
		else
			copy_call(inspector->call, text);
		break;
	case IK_ACTION_PAGER:
		put_whole(inspector, text);
		break;
	case IK_ACTION_UNDO_CALL:
		ik_buf_puts(text, inspector->call->id);
		break;
	case IK_ACTION_RERUN:
		asks = put_line(inspector->call, text);
		break;
	default:
		fold(inspector, action);
		break;
	}
	if (asks)
		*ret_invocation = (struct ik_invocation){
			.action = action,
			.text = text->data,
			.length = text->length,
			.cut = action == IK_ACTION_COPY && !pane->in_text && ik_call_is_large(inspector->call),
		};
	return asks && action == IK_ACTION_RERUN ? IK_PANE_CALLED : IK_PANE_TAKEN;
}

/* Draw a call of the list: mark, name and arguments, facts at the right. */
static void draw_item(struct ik_pane *pane, size_t index, struct ik_cells *cells,
	struct ik_rectangle row, enum ik_style style)
{
	const struct ik_inspector *inspector = (const struct ik_inspector *)pane;
	struct ik_shown_call *call = ik_calls_at(inspector->calls, index);
	size_t length;
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(1));
	if (call->stage == IK_STAGE_RUNNING && call->started_ms >= 0)
		ik_elapsed_put(&out, (inspector->now_ms - call->started_ms) / 1000);
	else
		ik_call_facts(call, "  ", &out);
	int fact_columns = (int)ik_utf8_width(out.data, out.length);
	struct ik_rectangle left = row;

	if (fact_columns > 0 && row.columns > fact_columns + 12) {
		left = ik_pane_right(cells, row, fact_columns, style, out.data);
		left.columns--;
	}
	enum ik_style mark_style;
	const char *mark = ik_call_mark(call, &mark_style);

	row.column += call->nested ? 2 : 0;

	ik_cells_label(cells, left, row.row, row.column, style == IK_STYLE_NORMAL ? mark_style : style,
		mark);
	ik_buf_done(&out);
	ik_cells_label(cells, left, row.row, row.column + 2, style, ik_call_line(call, &length));
}

/* Its keys while the list has focus, while its text has, and while it has not. */
static const struct ik_key_hint focus_hints[] = {
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 2 },
	{ IK_ACTION_TEXT, IK_ACTION_NONE, N_("text"), 2 },
	{ IK_ACTION_UNFOLD, IK_ACTION_NONE, N_("in full"), 3 },
	{ IK_ACTION_COPY, IK_ACTION_NONE, N_("copy"), 3 },
	{ IK_ACTION_RERUN, IK_ACTION_NONE, N_("again"), 3 },
	{ IK_ACTION_UNDO_CALL, IK_ACTION_NONE, N_("undo"), 3 },
	{ IK_ACTION_PAGER, IK_ACTION_NONE, N_("pager"), 3 },
	{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 4 },
	{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 5 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1 },
	{ 0 },
};
static const struct ik_key_hint text_hints[] = {
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("move"), 2 },
	{ IK_ACTION_UNFOLD, IK_ACTION_NONE, N_("fold"), 2 },
	{ IK_ACTION_COPY, IK_ACTION_NONE, N_("copy"), 3 },
	{ IK_ACTION_UNFOLD_ALL, IK_ACTION_FOLD_ALL, N_("all"), 4 },
	{ IK_ACTION_TEXT, IK_ACTION_NONE, N_("list"), 2 },
	{ IK_ACTION_RERUN, IK_ACTION_NONE, N_("again"), 5 },
	{ IK_ACTION_UNDO_CALL, IK_ACTION_NONE, N_("undo"), 5 },
	{ IK_ACTION_PAGER, IK_ACTION_NONE, N_("pager"), 5 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1 },
	{ 0 },
};

static void draw(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area, bool focus,
	const struct ik_status_bar *bar)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;
	char title[TITLE_BYTES];

	inspector->now_ms = bar->now_ms;
	sync_selection(inspector);
	(void)snprintf(title, sizeof(title), pane->count > 0 ? " %s  %zu/%zu " : " %s ",
		_("Tool inspector"), pane->selected + 1, pane->count);
	struct ik_pane_view view = {
		.title = title,
		.focus = focus,
		.keys = focus_hints,
		.text_keys = text_hints,
		.list_stays = true,
	};

	if (pane->count == 0)
		view.empty = _("No tool calls yet.\n\nWhen the model uses a tool, the call appears here "
					   "with its arguments, its output as it comes, and its result.");
	else
		sync_text(inspector);
	ik_scrollback_select_at(pane->text, inspector->cursor,
		focus && pane->in_text && pane->count > 0);
	ik_pane_draw(pane, &view, cells, area);
}

static const struct ik_pane_ops ops = {
	.toggle = IK_ACTION_INSPECTOR,
	.context = IK_IN_INSPECTOR,
	.key = key,
	.act = act,
	.click = click,
	.scroll = scroll,
	.draw = draw,
	.item = draw_item,
	.release = release,
};

struct ik_inspector *ik_inspector_new(struct ik_calls *calls, const struct ik_keymap *keymap,
	const struct ik_drawer *drawer)
{
	struct ik_inspector *inspector = ik_pane_new(sizeof(*inspector), &ops, keymap);

	inspector->calls = calls;
	inspector->drawer = drawer;
	return inspector;
}
