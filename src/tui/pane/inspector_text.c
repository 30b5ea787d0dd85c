/* The selected call as text: its name and facts, arguments or changes, what it prints, its
 * envelope. */
#include "tui/pane/inspector_private.h"

#include <stdlib.h>
#include <string.h>

#include "tui/scrollback/call_changes.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define SLICE IK_MIB(2) /* of an envelope that is decoded at once */
#define OPEN_PARTS 8    /* of a long text, where all is unfolded; each further one by itself */
#define CHECKED_BYTES IK_MIB(1) /* what is larger is taken for JSON without a look at all of it */

/* Begin a block of the part that is made, and note it as a line. */
static struct ik_block *add_block(struct ik_inspector *inspector, enum ik_block_kind kind,
	const char *text, size_t length)
{
	if (inspector->line_count == inspector->line_capacity) {
		inspector->line_capacity = inspector->line_capacity ? inspector->line_capacity * 2 : 64;
		inspector->lines = ik_alloc_array(inspector->lines, inspector->line_capacity,
			sizeof(*inspector->lines));
	}
	inspector->lines[inspector->line_count++] = (struct ik_inspector_line){
		.part = inspector->building,
		.role = IK_TREE_HEAD,
	};
	return ik_pane_text(&inspector->pane, kind, text, length);
}

/* A heading of the part that is made. */
static void add_heading(struct ik_inspector *inspector, const char *heading)
{
	ik_block_finish(add_block(inspector, IK_BLOCK_HEADING, heading, strlen(heading)));
}

const char *ik_inspector_stage(enum ik_call_stage stage)
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
	ik_buf_puts(&out, ik_inspector_stage(call->stage));
	int64_t code = 0;
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

/* Add what came of one stream since the last time. */
static void add_stream(struct ik_inspector *inspector, const struct ik_buf *stream, size_t before,
	struct ik_block **block, size_t *length, const char *heading)
{
	if (stream->length <= *length)
		return;
	if (!*block) {
		add_heading(inspector, heading);
		if (before > 0) {
			char *line = ik_format(_("%zu bytes before these"), before);

			ik_block_finish(add_block(inspector, IK_BLOCK_HINT, line, strlen(line)));
			free(line);
		}
		*block = add_block(inspector, IK_BLOCK_OUTPUT, "", 0);
	}
	ik_block_append(*block, stream->data + *length, stream->length - *length);
	*length = stream->length;
}

/* Add what came of both streams. */
static void add_streams(struct ik_inspector *inspector)
{
	const struct ik_shown_call *call = inspector->call;

	inspector->building = IK_PART_ERRORS;
	add_stream(inspector, &call->errors, call->left_out[1], &inspector->errors,
		&inspector->errors_length, _("Messages (stderr)"));
	inspector->building = IK_PART_OUTPUT;
	add_stream(inspector, &call->output, call->left_out[0], &inspector->output,
		&inspector->output_length, _("Output (stdout)"));
}

/* Where in a large text a part is, and how to go on. */
static void add_position(struct ik_inspector *inspector, size_t start, size_t end, size_t length,
	bool more)
{
	char *line = ik_format(_("Bytes %zu to %zu of %zu"), start + 1, end, length);
	char *way = ik_keymap_sentence(inspector->pane.keymap,
		_("{scroll-page-down} at the end: more"));
	char *text = more ? ik_format("%s  %s", line, way) : ik_strdup(line);

	ik_block_finish(add_block(inspector, IK_BLOCK_HINT, text, strlen(text)));
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
	add_heading(inspector, heading);
	free(heading);
	if (length > IK_LIMIT_PART)
		add_position(inspector, start, end, length, end < length);
	enum ik_status status = ik_call_part(inspector->call, which, part, inspector->read,
		inspector->read_arg, &out, &error);
	if (status == IK_OK) {
		ik_block_finish(add_block(inspector, IK_BLOCK_OUTPUT, out.data, out.length));
	} else if (status == IK_UNAVAILABLE && !error.text[0]) {
		const char *wait = _("Reading…");

		ik_block_finish(add_block(inspector, IK_BLOCK_HINT, wait, strlen(wait)));
	} else {
		const char *why = status != IK_NOT_FOUND && error.text[0]
			? error.text
			: _("This part was not stored: ikigai ended before.");

		ik_block_finish(add_block(inspector, IK_BLOCK_ERROR, why, strlen(why)));
	}
	if (length > IK_LIMIT_PART && status == IK_OK)
		add_position(inspector, start, end, length, end < length);
	ik_buf_done(&out);
}

/* A line of a tree. */
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

/* Is it to be folded? What the person did last with it counts. */
static enum ik_tree_state state_of(void *arg, const struct ik_tree_node *node)
{
	const struct ik_tree_owner *owner = arg;
	const struct ik_call_folds *folds = ik_inspector_folds(owner->inspector, false);

	if (!folds)
		return IK_TREE_USUAL;
	for (size_t i = 0; i < folds->count; i++)
		if (folds->folds[i].path == node->path && folds->folds[i].part == owner->part)
			return folds->folds[i].state;
	if (folds->all == IK_FOLD_NONE) {
		bool far = node->kind == IK_TREE_PART_OF_TEXT && node->index >= OPEN_PARTS;

		return far ? IK_TREE_FOLDED : IK_TREE_OPEN;
	}
	return folds->all == IK_FOLD_EVERY && node->parent ? IK_TREE_FOLDED : IK_TREE_USUAL;
}

/* Make the tree of a part, unless it is there; text is taken over if it is one. */
static void make_tree(struct ik_inspector *inspector, enum ik_call_part part, struct ik_buf *text)
{
	struct ik_json_tree **tree = &inspector->trees[part];

	if (*tree || text->length == 0 ||
		(text->length <= CHECKED_BYTES &&
			ik_json_check(text->data, text->length, NULL, NULL) != IK_OK))
		return;
	*tree = ik_json_tree_new(text, state_of, &inspector->owners[part]);
	(void)ik_json_tree_work(*tree);
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

/* Of a call that edits or writes a file: which, and what it changes there, in place of the
 * arguments. */
static bool add_changes(struct ik_inspector *inspector)
{
	struct ik_buf diff;

	ik_buf_init(&diff, IK_LIMIT_ENVELOPE);
	const struct ik_call_folds *folds = ik_inspector_folds(inspector, false);
	bool shown = (!folds || folds->all != IK_FOLD_NONE) && ik_call_changes(inspector->call, &diff);

	if (shown) {
		add_heading(inspector,
			inspector->call->stage == IK_STAGE_FAILED ? _("Changes (the call failed)")
													  : _("Changes"));
		struct ik_block *block = add_block(inspector, IK_BLOCK_TEXT, diff.data, diff.length);
		ik_block_set_renderer(block, &ik_renderer_diff);
		ik_block_finish(block);
	}
	ik_buf_done(&diff);
	return shown;
}

/* The trees of another call, or of what has changed since, are of no use. */
static void drop_trees(struct ik_inspector *inspector)
{
	for (size_t i = 0; i < IK_PARTS; i++)
		inspector->trees[i] = ik_json_tree_free(inspector->trees[i]);
	ik_buf_done(&inspector->decoded);
	ik_buf_init(&inspector->decoded, IK_LIMIT_ENVELOPE);
	inspector->decoded_at = 0;
	inspector->tree_call = inspector->call;
	inspector->tree_version = inspector->call ? inspector->call->version : 0;
}

/* The page that has all but the further parts of large texts. */
static void add_call(struct ik_inspector *inspector)
{
	const struct ik_shown_call *call = inspector->call;
	struct ik_buf envelope, arguments;

	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	ik_buf_init(&arguments, IK_LIMIT_ENVELOPE);
	bool large = ik_call_envelope_size(call) > IK_CALL_LARGE;
	bool reading = large && !inspector->trees[IK_PART_ENVELOPE];
	bool any = large || inspector->trees[IK_PART_ENVELOPE] || ik_call_envelope(call, &envelope);

	if (reading && inspector->decoded_at == 0)
		(void)ik_call_envelope_slice(call, &inspector->decoded_at, SLICE, &inspector->decoded);
	make_tree(inspector, IK_PART_ENVELOPE, &envelope);
	inspector->building = IK_PART_CALL;
	add_heading(inspector,
		ik_text_equal(call->name, IK_OWN_COMMAND) ? _("Your command") : call->name);
	add_facts(inspector);
	inspector->building = IK_PART_CHANGES;
	if (!add_changes(inspector)) {
		inspector->building = IK_PART_ARGUMENTS;
		ik_buf_append(&arguments, call->arguments.data, call->arguments.length);
		make_tree(inspector, IK_PART_ARGUMENTS, &arguments);
		add_heading(inspector, _("Arguments"));
		add_json(inspector, &arguments);
	}
	add_streams(inspector);
	inspector->building = IK_PART_ERRORS;
	if (ik_call_text_length(call, IK_CALL_ERRORS) > 0)
		add_part(inspector, IK_CALL_ERRORS, 0);
	inspector->building = IK_PART_ENVELOPE;
	if (any) {
		add_heading(inspector, call->own ? _("Envelope") : _("Envelope: what the model got"));
		if (reading) {
			const char *wait = _("Reading…");

			ik_block_finish(add_block(inspector, IK_BLOCK_HINT, wait, strlen(wait)));
		} else {
			add_json(inspector, &envelope);
		}
	}
	inspector->building = IK_PART_OUTPUT;
	if (ik_call_text_length(call, IK_CALL_OUTPUT) > 0)
		add_part(inspector, IK_CALL_OUTPUT, 0);
	ik_buf_done(&envelope);
	ik_buf_done(&arguments);
}

/* Bytes that are not shown of what a running call prints. */
static size_t left_out(const struct ik_shown_call *call)
{
	return call->left_out[0] + call->left_out[1];
}

/* Show the selected call from scratch. */
static void rebuild(struct ik_inspector *inspector)
{
	struct ik_pane *pane = &inspector->pane;
	const struct ik_shown_call *call = inspector->call;
	struct ik_inspector_line line = { .part = IK_PART_CALL };
	bool same = call == inspector->shown && inspector->page == inspector->shown_page;

	if (inspector->cursor < inspector->line_count)
		line = inspector->lines[inspector->cursor];
	uint64_t path = line.node ? line.node->path : 0;

	if (call != inspector->shown)
		inspector->page = 0;
	if (call != inspector->shown || inspector->page != inspector->shown_page)
		pane->text_moved = false;
	if (call != inspector->tree_call || call->version != inspector->tree_version)
		drop_trees(inspector);
	struct ik_scroll_place place = ik_pane_text_begin(pane);
	inspector->line_count = 0;
	inspector->output = inspector->errors = NULL;
	inspector->arrived = false;
	inspector->output_length = inspector->errors_length = 0;
	enum ik_call_text which;
	size_t part;

	if (ik_call_page(call, inspector->page, &which, &part)) {
		inspector->building = which == IK_CALL_ERRORS ? IK_PART_ERRORS : IK_PART_OUTPUT;
		add_part(inspector, which, part);
	} else {
		inspector->page = 0;
		add_call(inspector);
	}
	ik_pane_text_end(pane, place, call->stage == IK_STAGE_RUNNING);
	if (same)
		ik_inspector_find_cursor(inspector, line, path);
	else
		inspector->cursor = inspector->page_end ? inspector->line_count - 1 : 0;
	inspector->again = false;
	if (inspector->page_end && inspector->page != inspector->shown_page) {
		ik_scrollback_bottom(pane->text);
		pane->text_moved = true;
	}
	inspector->shown = call;
	inspector->shown_stage = call->stage;
	inspector->shown_page = inspector->page;
	inspector->page_end = false;
	inspector->left_out = left_out(call);
}

/* Is there text whose end comes while the cursor is elsewhere? The window stays then. */
static void keep_window(struct ik_inspector *inspector)
{
	if (inspector->in_text && inspector->cursor + 1 < inspector->line_count)
		ik_scrollback_keep(inspector->pane.text);
}

/* What a running call prints is only added. */
void ik_inspector_sync_text(struct ik_inspector *inspector)
{
	const struct ik_shown_call *call = inspector->call;

	if (call == inspector->shown && call->version == inspector->shown_version &&
		inspector->page == inspector->shown_page && !inspector->arrived && !inspector->again)
		return;
	bool goes_on = !inspector->arrived && !inspector->again && call == inspector->shown &&
		call->stage == IK_STAGE_RUNNING && inspector->shown_stage == IK_STAGE_RUNNING &&
		inspector->page == inspector->shown_page && inspector->left_out == left_out(call);
	if (call == inspector->shown)
		keep_window(inspector);
	if (goes_on)
		add_streams(inspector);
	else
		rebuild(inspector);
	inspector->shown_version = call->version;
}

/* Decode another slice of a large envelope; true: there is more. */
static bool decode(struct ik_inspector *inspector)
{
	if (inspector->decoded_at == 0 || inspector->trees[IK_PART_ENVELOPE])
		return false;
	if (ik_call_envelope_slice(inspector->call, &inspector->decoded_at, SLICE, &inspector->decoded))
		return true;
	make_tree(inspector, IK_PART_ENVELOPE, &inspector->decoded);
	inspector->again = true;
	return false;
}

bool ik_inspector_work(struct ik_pane *pane, bool *ret_changed)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;
	bool more = false;

	*ret_changed = false;
	if (!inspector->shown || inspector->shown != inspector->call ||
		inspector->call->version != inspector->tree_version)
		return false;
	if (decode(inspector))
		return true;
	*ret_changed = inspector->again;
	for (size_t i = 0; i < IK_PARTS; i++) {
		struct ik_json_tree *tree = inspector->trees[i];

		if (!tree || more || !ik_json_tree_waits(tree))
			continue;
		more = ik_json_tree_work(tree);
		inspector->again = *ret_changed = true;
	}
	return more;
}

void ik_inspector_text_done(struct ik_inspector *inspector)
{
	for (size_t i = 0; i < IK_PARTS; i++)
		inspector->trees[i] = ik_json_tree_free(inspector->trees[i]);
	ik_buf_done(&inspector->decoded);
	free(inspector->lines);
}
