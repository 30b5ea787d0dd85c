/* The half of tui/edit/keymap.h that reads the configuration. */
#include "tui/edit/keymap.h"

#include <stdlib.h>
#include <string.h>

#include "tui/edit/keymap_private.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* The row of an action's name; row_count: there is none. */
static size_t find_row(const struct ik_keymap *keymap, const char *name)
{
	size_t row = 0;

	while (row < keymap->row_count && strcmp(keymap->rows[row].name, name) != 0)
		row++;
	return row;
}

/* Fail: there is no such action. */
static enum ik_status refuse_action(const struct ik_keymap *keymap, const char *name,
	struct ik_error *error)
{
	const char **names = ik_alloc_array(NULL, keymap->row_count, sizeof(*names));

	for (size_t i = 0; i < keymap->row_count; i++)
		names[i] = keymap->rows[i].name;
	const char *nearest = ik_text_nearest(name, names, keymap->row_count);
	free(names);
	if (nearest)
		return ik_error_set(error, IK_INVALID,
			_("there is no action \"%s\"; did you mean "
			  "\"%s\"?"),
			name, nearest);
	return ik_error_set(error, IK_INVALID,
		_("there is no action \"%s\"; the manual, "
		  "ikigai(1), lists them under KEYS"),
		name);
}

/* The keys of one action, written as they are shown, in new memory; NULL: an error. */
static char *read_keys(const struct ik_binding *row, const char *keys, struct ik_error *error)
{
	size_t left = strlen(keys), length;
	const char *text;
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	while (left > 0) {
		struct ik_stroke stroke;
		bool readable = ik_stroke_next(&keys, &left, &stroke, &text, &length);

		if (!readable && length == 0 && left == 0 && out.length == 0)
			break; /* blanks alone: none */
		if (!readable) {
			ik_error_set(error, IK_INVALID,
				_("\"%s\": \"%.*s\" is no key; keys are written "
				  "like Ctrl-A, Alt-Enter, F5, PgUp or Ctrl-X Ctrl-E, several with commas "
				  "between"),
				row->name, (int)length, text);
			goto fail;
		}
		if (ik_key_is_text(&stroke.first) && !(row->contexts & IK_IN_PANES)) {
			ik_error_set(error, IK_INVALID,
				_("\"%s\": \"%.*s\" would be typed as text there; "
				  "take it with Ctrl- or Alt-, or a function key"),
				row->name, (int)length, text);
			goto fail;
		}
		if (out.length > 0)
			ik_buf_puts(&out, ", ");
		ik_stroke_put(&out, &stroke);
	}
	if (ik_buf_status(&out) == IK_OK)
		return out.length > 0 ? ik_buf_take(&out, NULL) : ik_strdup("");
	ik_error_set(error, IK_TOO_LARGE, _("\"%s\": too many keys"), row->name);
fail:
	ik_buf_done(&out);
	return NULL;
}

/* Where a stroke counts: a character alone where nobody writes only. */
static unsigned contexts_of(const struct ik_keymap *keymap, const struct ik_stroke *stroke)
{
	unsigned contexts = keymap->rows[stroke->row].contexts;

	return ik_key_is_text(&stroke->first) ? contexts & IK_IN_PANES : contexts;
}

/* Is one of two strokes the other, or its beginning? */
static bool overlap(const struct ik_stroke *a, const struct ik_stroke *b)
{
	return ik_key_equal(&a->first, &b->first) &&
		(a->second.code == IK_KEY_NONE || b->second.code == IK_KEY_NONE ||
			ik_key_equal(&a->second, &b->second));
}

/* Do two strokes mean two actions in one place? */
static bool is_clash(const struct ik_keymap *keymap, const struct ik_stroke *a,
	const struct ik_stroke *b)
{
	return a->row != b->row && overlap(a, b) && (contexts_of(keymap, a) & contexts_of(keymap, b));
}

/* Does a stroke as delivered clash with one of a person's own? */
static bool gives_way(const struct ik_keymap *keymap, const struct ik_stroke *stroke)
{
	if (keymap->own[stroke->row])
		return false;
	for (size_t i = 0; i < keymap->count; i++)
		if (keymap->own[keymap->strokes[i].row] && is_clash(keymap, stroke, &keymap->strokes[i]))
			return true;
	return false;
}

/* Take from the actions that were not bound anew what is somebody's own key now: a later
 * version may come with keys that a person has used for something else for years. */
static void give_way(struct ik_keymap *keymap)
{
	for (size_t i = 0; i < keymap->count;) {
		size_t row = keymap->strokes[i].row, end = i;
		bool any = false;
		struct ik_buf rest;

		ik_buf_init(&rest, IK_KIB(1));
		for (; end < keymap->count && keymap->strokes[end].row == row; end++) {
			if (gives_way(keymap, &keymap->strokes[end])) {
				any = true;
				continue;
			}
			if (rest.length > 0)
				ik_buf_puts(&rest, ", ");
			ik_stroke_put(&rest, &keymap->strokes[end]);
		}
		if (any)
			keymap->rows[row].keys = keymap->rest[row] = ik_strndup(rest.data, rest.length);
		ik_buf_done(&rest);
		i = end;
	}
	ik_keymap_compile(keymap);
}

/* Fail when two actions have one key in one place; *ret_row is one of the rows that
 * was bound anew. */
static enum ik_status check_clashes(const struct ik_keymap *keymap, size_t *ret_row,
	struct ik_error *error)
{
	for (size_t i = 0; i < keymap->count; i++) {
		for (size_t k = i + 1; k < keymap->count; k++) {
			const struct ik_stroke *a = &keymap->strokes[i], *b = &keymap->strokes[k];

			if (!is_clash(keymap, a, b))
				continue;
			struct ik_buf key;
			ik_buf_init(&key, IK_KIB(1));
			ik_stroke_put(&key, a->second.code == IK_KEY_NONE ? a : b);
			*ret_row = keymap->own[b->row] ? b->row : a->row;
			ik_error_set(error, IK_INVALID,
				_("%s is bound to \"%s\" and to \"%s\"; give one of "
				  "them another key, or none: \"\""),
				key.data, keymap->rows[a->row].name, keymap->rows[b->row].name);
			ik_buf_done(&key);
			return IK_INVALID;
		}
	}
	return IK_OK;
}

/* Bind one action; false: an error. */
static bool bind_member(struct ik_keymap *keymap, const char *name, struct ik_json_span value,
	struct ik_error *error)
{
	size_t row = find_row(keymap, name);

	if (row == keymap->row_count) {
		refuse_action(keymap, name, error);
		return false;
	}
	if (ik_json_span_type(value) != IK_JSON_STRING) {
		ik_error_set(error, IK_INVALID, _("\"%s\": must be a string of keys, such as \"%s\""), name,
			keymap->rows[row].keys);
		return false;
	}
	char *text = ik_json_string_new(value, NULL);
	char *keys = read_keys(&keymap->rows[row], text, error);
	free(text);
	if (!keys)
		return false;
	free(keymap->own[row]);
	keymap->rows[row].keys = keymap->own[row] = keys;
	return true;
}

/* Bind all members in a keymap that is thrown away on failure. */
static enum ik_status bind_all(struct ik_keymap *keymap, struct ik_json_span object,
	const char **ret_place, struct ik_error *error)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, value;
	size_t row;
	bool bound = true;

	while (bound && ik_json_next(object, &walk, &key, &value)) {
		char *name = ik_json_string_new(key, NULL);

		*ret_place = key.text;
		bound = bind_member(keymap, name, value, error);
		free(name);
	}
	if (!bound)
		return IK_INVALID;
	ik_keymap_compile(keymap);
	give_way(keymap);
	if (check_clashes(keymap, &row, error) == IK_OK)
		return IK_OK;
	value = ik_json_member(object, keymap->rows[row].name);
	*ret_place = value.text ? value.text : object.text;
	return IK_INVALID;
}

enum ik_status ik_keymap_read(struct ik_keymap *keymap, struct ik_json_span object,
	const char **ret_place, struct ik_error *error)
{
	struct ik_keymap *tried = ik_keymap_new();

	for (size_t i = 0; i < keymap->row_count; i++)
		if (keymap->own[i])
			tried->rows[i].keys = tried->own[i] = ik_strdup(keymap->own[i]);
	enum ik_status status = bind_all(tried, object, ret_place, error);

	if (status == IK_OK) {
		struct ik_keymap old = *keymap;

		*keymap = *tried;
		*tried = old;
	}
	ik_keymap_free(tried);
	return status;
}

enum ik_status ik_keymap_check(struct ik_json_span object, const char **ret_place,
	struct ik_error *error)
{
	struct ik_keymap *keymap = ik_keymap_new();
	enum ik_status status = ik_keymap_read(keymap, object, ret_place, error);

	ik_keymap_free(keymap);
	return status;
}

struct ik_keymap *ik_keymap_new_with(const char *keys)
{
	struct ik_keymap *keymap = ik_keymap_new();
	struct ik_json_span object;
	const char *place;

	if (keys && ik_json_check(keys, strlen(keys), &object, NULL) == IK_OK)
		(void)!ik_keymap_read(keymap, object, &place, NULL);
	return keymap;
}
