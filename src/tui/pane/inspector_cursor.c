/* The cursor in the text of a call: moving it, folding and unfolding what it is on, copying
 * that. */
#include "tui/pane/inspector_private.h"

#include <stdlib.h>
#include <string.h>

#include "tui/scrollback/call_changes.h"
#include "util/alloc.h"
#include "util/limits.h"

struct ik_call_folds *ik_inspector_folds(struct ik_inspector *inspector, bool make)
{
	for (size_t i = inspector->fold_count; i-- > 0;)
		if (inspector->folds[i].call == inspector->call)
			return &inspector->folds[i];
	if (!make)
		return NULL;
	if (inspector->fold_count == inspector->fold_capacity) {
		inspector->fold_capacity = inspector->fold_capacity ? inspector->fold_capacity * 2 : 8;
		inspector->folds = ik_alloc_array(inspector->folds, inspector->fold_capacity,
			sizeof(*inspector->folds));
	}
	struct ik_call_folds *folds = &inspector->folds[inspector->fold_count++];
	*folds = (struct ik_call_folds){ .call = inspector->call };
	return folds;
}

void ik_inspector_folds_done(struct ik_inspector *inspector)
{
	for (size_t i = 0; i < inspector->fold_count; i++)
		free(inspector->folds[i].folds);
	free(inspector->folds);
}

/* Keep what was done to a node. */
static void note_fold(struct ik_inspector *inspector, const struct ik_inspector_line *line,
	enum ik_tree_state state)
{
	struct ik_call_folds *folds = ik_inspector_folds(inspector, true);

	for (size_t i = 0; i < folds->count; i++) {
		if (folds->folds[i].path == line->node->path && folds->folds[i].part == line->part) {
			folds->folds[i].state = state;
			return;
		}
	}
	if (folds->count == folds->capacity) {
		folds->capacity = folds->capacity ? folds->capacity * 2 : 8;
		folds->folds = ik_alloc_array(folds->folds, folds->capacity, sizeof(*folds->folds));
	}
	folds->folds[folds->count++] = (struct ik_fold){ line->node->path, line->part, state };
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

void ik_inspector_find_cursor(struct ik_inspector *inspector, struct ik_inspector_line before,
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
	if (!inspector->in_text)
		return;
	ik_scrollback_select_at(inspector->pane.text, inspector->cursor, true);
}

void ik_inspector_enter_text(struct ik_inspector *inspector, bool in_text)
{
	struct ik_scrollback *text = inspector->pane.text;

	inspector->in_text = in_text && inspector->line_count > 0;
	if (!inspector->in_text)
		return;
	if (!inspector->pane.text_moved)
		ik_scrollback_go(text, (struct ik_scroll_place){ .at_end = inspector->pane.text_follows });
	inspector->pane.text_moved = true;
	ik_scrollback_select_at(text, inspector->cursor, true);
	ik_scrollback_select(text, true);
	inspector->cursor = ik_scrollback_selected_index(text);
}

/* Fold or unfold a node. */
static void set_state(struct ik_inspector *inspector, size_t index, enum ik_tree_state state)
{
	struct ik_inspector_line line = inspector->lines[index];
	struct ik_json_tree *tree = inspector->trees[line.part];

	note_fold(inspector, &line, state);
	ik_json_tree_set(tree, line.node, state);
	(void)ik_json_tree_work(tree);
	inspector->again = true;
	/* What is folded goes on being one line: its first. */
	go_to(inspector, line_of(inspector, line.node));
}

/* Does the line stand for something that folds? */
static bool folds(const struct ik_inspector *inspector, size_t index)
{
	const struct ik_inspector_line *line = &inspector->lines[index];

	return line->node && inspector->trees[line->part] &&
		ik_tree_node_folds(inspector->trees[line->part], line->node);
}

/* Does it show all that it has? */
static bool is_open(const struct ik_inspector *inspector, size_t index)
{
	const struct ik_inspector_line *line = &inspector->lines[index];
	struct ik_json_tree *tree = inspector->trees[line->part];

	return ik_tree_node_is_open(tree, line->node) && !ik_tree_node_is_cut(tree, line->node);
}

/* Unfold, or go to the first thing within; from the list, into the text. */
static void go_inward(struct ik_inspector *inspector)
{
	size_t index = inspector->cursor;

	if (!inspector->in_text)
		ik_inspector_enter_text(inspector, true);
	else if (folds(inspector, index) && !is_open(inspector, index))
		set_state(inspector, index, IK_TREE_OPEN);
	else if (index + 1 < inspector->line_count)
		go_to(inspector, index + 1);
}

/* Fold, or go to what holds it; from what nothing holds, to the list. */
static void go_outward(struct ik_inspector *inspector)
{
	if (!inspector->in_text)
		return;
	size_t index = inspector->cursor;
	struct ik_inspector_line line = inspector->lines[index];
	bool shows = folds(inspector, index) && line.node->state != IK_TREE_FOLDED &&
		(ik_tree_node_is_open(inspector->trees[line.part], line.node) ||
			ik_tree_node_is_cut(inspector->trees[line.part], line.node));
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
			ik_inspector_enter_text(inspector, false);
	}
}

/* All of the call at once. */
static void fold_all(struct ik_inspector *inspector, enum ik_fold_all all)
{
	struct ik_call_folds *call = ik_inspector_folds(inspector, true);

	call->all = all;
	call->count = 0;
	inspector->tree_call = NULL;
	inspector->again = true;
}

bool ik_inspector_folds_by(enum ik_action action)
{
	return action == IK_ACTION_UNFOLD || action == IK_ACTION_TEXT || action == IK_ACTION_INWARD ||
		action == IK_ACTION_OUTWARD || action == IK_ACTION_UNFOLD_ALL ||
		action == IK_ACTION_FOLD_ALL;
}

void ik_inspector_fold(struct ik_inspector *inspector, enum ik_action action)
{
	const struct ik_call_folds *call = ik_inspector_folds(inspector, false);

	ik_inspector_sync_text(inspector);
	bool on_node = inspector->in_text && folds(inspector, inspector->cursor);

	switch (action) {
	case IK_ACTION_TEXT:
		ik_inspector_enter_text(inspector, !inspector->in_text);
		break;
	case IK_ACTION_INWARD:
		go_inward(inspector);
		break;
	case IK_ACTION_OUTWARD:
		go_outward(inspector);
		break;
	case IK_ACTION_UNFOLD_ALL:
		fold_all(inspector, IK_FOLD_NONE);
		break;
	case IK_ACTION_FOLD_ALL:
		fold_all(inspector, IK_FOLD_EVERY);
		break;
	default:
		if (on_node)
			set_state(inspector, inspector->cursor,
				is_open(inspector, inspector->cursor) ? IK_TREE_FOLDED : IK_TREE_OPEN);
		else if (!inspector->in_text || !inspector->lines[inspector->cursor].node)
			fold_all(inspector, call && call->all == IK_FOLD_NONE ? IK_FOLD_USUAL : IK_FOLD_NONE);
		break;
	}
	ik_inspector_sync_text(inspector);
	if (inspector->in_text)
		go_to(inspector, inspector->cursor);
}

void ik_inspector_clicked(struct ik_inspector *inspector)
{
	inspector->in_text = true;
	go_to(inspector, ik_scrollback_selected_index(inspector->pane.text));
	if (folds(inspector, inspector->cursor))
		ik_inspector_fold(inspector, IK_ACTION_UNFOLD);
}

bool ik_inspector_text_act(struct ik_inspector *inspector, enum ik_action action)
{
	struct ik_scrollback *text = inspector->pane.text;

	if (action != IK_ACTION_UP && action != IK_ACTION_DOWN)
		return false;
	ik_inspector_sync_text(inspector);
	ik_scrollback_select_at(text, inspector->cursor, true);
	ik_scrollback_step(text, action == IK_ACTION_UP ? -1 : 1);
	inspector->cursor = ik_scrollback_selected_index(text);
	inspector->pane.text_moved = true;
	return true;
}

/* Append a stream, as far as it is in memory. */
static void copy_stream(const struct ik_inspector *inspector, size_t which, struct ik_buf *out)
{
	const struct ik_shown_call *call = inspector->call;
	const struct ik_buf *live = which == 0 ? &call->output : &call->errors;
	struct ik_error error;

	if (call->whole[which])
		ik_buf_append(out, call->whole[which]->data, call->whole[which]->length);
	else if (live->length > 0)
		ik_buf_append(out, live->data, live->length);
	else
		(void)!ik_call_part(call, which == 0 ? IK_CALL_OUTPUT : IK_CALL_ERRORS, inspector->page,
			inspector->read, inspector->read_arg, out, &error);
}

void ik_inspector_copy_line(struct ik_inspector *inspector, struct ik_buf *out)
{
	ik_inspector_sync_text(inspector);
	const struct ik_inspector_line *line = &inspector->lines[inspector->cursor];
	const struct ik_json_tree *tree = inspector->trees[line->part];

	if (line->node) {
		ik_json_tree_copy(tree, line->node, out);
		return;
	}
	switch (line->part) {
	case IK_PART_ARGUMENTS:
		ik_buf_append(out, inspector->call->arguments.data, inspector->call->arguments.length);
		break;
	case IK_PART_CHANGES:
		(void)ik_call_changes(inspector->call, out);
		break;
	case IK_PART_ERRORS:
		copy_stream(inspector, 1, out);
		break;
	case IK_PART_OUTPUT:
		copy_stream(inspector, 0, out);
		break;
	case IK_PART_ENVELOPE:
		(void)ik_call_envelope(inspector->call, out);
		break;
	default:
		ik_inspector_copy_call(inspector->call, out);
		break;
	}
}
