#include "tui/pane/browser_form.h"

#include <stdlib.h>
#include <string.h>

#include "json/schema.h"
#include "json/write.h"
#include "tui/edit/editor.h"
#include "tui/pane/parameter.h"
#include "tui/text/wrap.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define MOST_ROWS 4       /* rows of a description, a message or a value */
#define LISTED_BYTES 1000 /* of names that complete a path: more than there is room for */

enum ik_field_kind { IK_FIELD_TEXT, IK_FIELD_CHOICE, IK_FIELD_JSON };

struct ik_form_field {
	char *name;
	char *description; /* or NULL */
	char *initial;     /* the default as JSON text, or NULL */
	bool required, is_path;
	enum ik_field_kind kind;
	struct ik_parameter_values parameter;
	struct ik_editor *editor; /* the input; of a choice, its JSON text */
};

struct ik_form {
	char *tool, *description;
	struct ik_json_span schema; /* owned copy; no value if the tool has no schema */
	struct ik_form_field *fields;
	size_t count, selected;
	size_t top; /* the first visible field */
	char *note; /* what is wrong with a field, or may be written there; or NULL */
	size_t note_field;
	enum ik_style note_style;
	ik_completer *completer; /* or NULL */
	void *completer_arg;
};

/* Is the input of a text field JSON rather than plain text? "" means the empty text. If the
 * field may be null, null means that and "null" the word. */
static bool is_written_as_json(const struct ik_form_field *field, const char *text, size_t length)
{
	static const char *const written[] = { "\"\"", "null", "\"null\"" };

	for (size_t i = 0; i < (field->parameter.may_be_null ? 3 : 1); i++)
		if (strlen(written[i]) == length && memcmp(text, written[i], length) == 0)
			return true;
	return false;
}

static bool is_path(const char *name)
{
	static const char *const ends[] = { "path", "Path", "file", "dir", "directory", "cwd" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (ik_text_ends(name, ends[i]))
			return true;
	return false;
}

static void add_field(struct ik_form *form, struct ik_parameter_root *root, struct ik_json_span key,
	struct ik_json_span property)
{
	form->fields = ik_alloc_array(form->fields, form->count + 1, sizeof(*form->fields));
	struct ik_form_field *field = &form->fields[form->count++];
	struct ik_json_span initial = ik_parameter_member(root, property, "default");
	struct ik_json_span description = ik_parameter_member(root, property, "description");
	*field = (struct ik_form_field){ .editor = ik_editor_new(NULL) };
	field->name = ik_json_string_new(key, NULL);
	field->required = ik_parameter_is_required(root->schema, key);
	field->description = ik_json_string_new(description, NULL);
	if (initial.text)
		field->initial = ik_strndup(initial.text, initial.length);
	ik_parameter_read(&field->parameter, root, property, true);
	field->kind = field->parameter.choices ? IK_FIELD_CHOICE
		: field->parameter.is_text         ? IK_FIELD_TEXT
										   : IK_FIELD_JSON;
	field->is_path = field->kind == IK_FIELD_TEXT && is_path(field->name);
}

struct ik_form *ik_form_new(const struct ik_tool *tool, ik_completer *completer,
	void *completer_arg)
{
	struct ik_form *form = ik_alloc(sizeof(*form));
	struct ik_json_span schema;

	form->completer = completer;
	form->completer_arg = completer_arg;
	form->tool = ik_strdup(tool->name);
	form->description = tool->description ? ik_strdup(tool->description) : NULL;
	if (!tool->parameters ||
		ik_json_check(tool->parameters, tool->parameters_length, &schema, NULL) != IK_OK)
		return form;
	form->schema = (struct ik_json_span){ ik_strndup(schema.text, schema.length), schema.length };
	struct ik_parameter_root root = { .schema = schema };

	for (struct ik_json_walk walk = ik_json_walk(ik_json_member(schema, "properties"));
		 ik_json_next(&walk);)
		add_field(form, &root, walk.key, walk.value);
	return form;
}

struct ik_form *ik_form_free(struct ik_form *form)
{
	if (!form)
		return NULL;
	for (size_t i = 0; i < form->count; i++) {
		struct ik_form_field *field = &form->fields[i];

		ik_parameter_done(&field->parameter);
		free(field->name);
		free(field->description);
		free(field->initial);
		ik_editor_free(field->editor);
	}
	free(form->fields);
	free(form->tool);
	free(form->description);
	free(form->note);
	free((char *)form->schema.text);
	free(form);
	return NULL;
}

static void forgive(struct ik_form *form)
{
	free(form->note);
	form->note = NULL;
}

const char *ik_form_tool(const struct ik_form *form)
{
	return form->tool;
}

bool ik_form_has_fields(const struct ik_form *form)
{
	return form->count > 0;
}

bool ik_form_is_of(const struct ik_form *form, const struct ik_tool *tool)
{
	struct ik_json_span schema = form->schema;
	bool same = tool->parameters_length == schema.length &&
		(schema.length == 0 || memcmp(tool->parameters, schema.text, schema.length) == 0);

	return same && ik_text_equal(form->tool, tool->name);
}

void ik_form_open(struct ik_form *form)
{
	forgive(form);
	form->selected = form->top = 0;
}

/* Say something at a field, and select it. */
static void note(struct ik_form *form, size_t field, enum ik_style style, const char *text)
{
	forgive(form);
	form->note = ik_strdup(text);
	form->note_style = style;
	form->note_field = field;
	form->selected = field;
}

/* Report that a field's value has the wrong type, and say which types it accepts. */
static void blame_value(struct ik_form *form, size_t field, const struct ik_error *error)
{
	const struct ik_parameter_values *parameter = &form->fields[field].parameter;
	/* Translators: what follows is a type: "Expected: whole number, at least 1". */
	char *sentence = parameter->is_json
		? ik_format(_("Expected: %s, written as JSON (%s)"), parameter->type, error->text)
		: ik_format(_("Expected: %s"), parameter->type);

	note(form, field, IK_STYLE_BAD, sentence);
	free(sentence);
}

/* Append the value of a non-empty field as JSON. */
static enum ik_status put_value(const struct ik_form_field *field, struct ik_buf *out,
	struct ik_error *error)
{
	struct ik_json_span value;
	size_t length;
	const char *text = ik_editor_text(field->editor, &length);

	if (field->kind == IK_FIELD_TEXT && !is_written_as_json(field, text, length)) {
		ik_json_put_string(out, text, length);
		return IK_OK;
	}
	enum ik_status status = ik_json_check(text, length, &value, error);

	if (status == IK_OK)
		ik_json_put_raw(out, value);
	return status;
}

enum ik_status ik_form_put(struct ik_form *form, struct ik_buf *out, struct ik_error *error)
{
	size_t start = out->length;
	enum ik_status status = IK_OK;

	ik_json_open(out, '{');
	for (size_t i = 0; i < form->count && status == IK_OK; i++) {
		const struct ik_form_field *field = &form->fields[i];

		if (ik_editor_is_empty(field->editor))
			continue;
		ik_json_key(out, field->name);
		status = put_value(field, out, error);
		if (status != IK_OK)
			blame_value(form, i, error);
	}
	if (status != IK_OK) {
		ik_buf_truncate(out, start);
		return status;
	}
	ik_json_close(out, '}');
	/* One line: the only line ends are between values, where a blank is as good. */
	for (size_t i = start; i < out->length; i++)
		if (out->data[i] == '\n' || out->data[i] == '\r')
			out->data[i] = ' ';
	return ik_buf_check(out, _("the arguments"), error);
}

/* Return the field that a validation error is about, from the path "/NAME/..." it begins with;
 * the selected field if it has no such path. */
static size_t field_of(const struct ik_form *form, const char *sentence)
{
	size_t longest = 0, found = form->selected;

	for (size_t i = 0; i < form->count; i++) {
		const char *name = form->fields[i].name;
		size_t length = strlen(name);
		bool place = sentence[0] == '/' && strncmp(sentence + 1, name, length) == 0 &&
			(sentence[length + 1] == '/' || sentence[length + 1] == ':');

		if (place && length >= longest) {
			found = i;
			longest = length;
		}
	}
	return found;
}

/* Are the arguments valid? If not, show the error at its field. */
static bool check(struct ik_form *form)
{
	struct ik_error error = { .text = "" };
	struct ik_buf out;

	forgive(form);
	for (size_t i = 0; i < form->count; i++)
		if (form->fields[i].required && ik_editor_is_empty(form->fields[i].editor)) {
			note(form, i, IK_STYLE_BAD,
				form->fields[i].kind == IK_FIELD_TEXT
					? _("This is required (\"\" is the empty text).")
					: _("This is required."));
			return false;
		}
	ik_buf_init(&out, IK_LIMIT_ARGUMENTS);
	bool good = ik_form_put(form, &out, &error) == IK_OK;

	if (good && form->schema.text) {
		struct ik_json_span arguments;

		good = ik_json_check(out.data, out.length, &arguments, &error) == IK_OK &&
			ik_schema_validate(form->schema, form->schema, arguments, &error) == IK_OK;
		if (!good)
			note(form, field_of(form, error.text), IK_STYLE_BAD, error.text);
	}
	ik_buf_done(&out);
	return good;
}

/* Select the next or previous choice; before the first is "none". */
static void choose(struct ik_form_field *field, bool back)
{
	size_t length, now = 0, steps = field->parameter.choice_count + 1;
	const char *text = ik_editor_text(field->editor, &length);

	for (size_t i = 0; i < field->parameter.choice_count; i++)
		if (strlen(field->parameter.choices[i]) == length &&
			memcmp(field->parameter.choices[i], text, length) == 0)
			now = i + 1;
	now = (now + (back ? steps - 1 : 1)) % steps;
	const char *choice = now == 0 ? "" : field->parameter.choices[now - 1];
	ik_editor_set(field->editor, choice, strlen(choice));
}

static enum ik_pane_result write_key(struct ik_form *form, const struct ik_key *key,
	enum ik_action action)
{
	struct ik_form_field *field = &form->fields[form->selected];

	if (field->kind == IK_FIELD_CHOICE) {
		bool back = action == IK_ACTION_LEFT;

		if (!back && action != IK_ACTION_RIGHT && key->code != IK_KEY_CHARACTER)
			return key->code == IK_KEY_PASTE ? IK_PANE_TAKEN : IK_PANE_PASSED;
		choose(field, back);
	} else if (key->code == IK_KEY_PASTE || action == IK_ACTION_NONE) {
		(void)ik_editor_type(field->editor, key);
	} else if (!ik_editor_act(field->editor, action)) {
		return IK_PANE_PASSED;
	}
	if (form->note_field == form->selected)
		forgive(form);
	return IK_PANE_TAKEN;
}

static void list_names(struct ik_form *form, const struct ik_completions *shown,
	const uint32_t *matches, size_t count)
{
	struct ik_buf names;

	ik_buf_init(&names, IK_LIMIT_USER_TEXT);
	for (size_t i = 0; i < count && names.length < LISTED_BYTES; i++)
		ik_buf_printf(&names, "%s%s", i > 0 ? "  " : "", shown->candidates[matches[i]].text);
	note(form, form->selected, IK_STYLE_DIM, names.data);
	ik_buf_done(&names);
}

/* Complete the path in the selected field as far as it is certain; if there are several, list them
 * once. Return false if there is nothing to do. */
static bool complete(struct ik_form *form)
{
	struct ik_form_field *field = &form->fields[form->selected];
	bool listed = form->note && form->note_field == form->selected;
	struct ik_completions shown = { .asked = true };
	size_t length, count, prefixed = 0, common = 0;
	const char *text = ik_editor_text(field->editor, &length);
	uint32_t *matches;

	if (!field->is_path || length == 0 || !form->completer)
		return false;
	char *mention = ik_format("@\"%s", text); /* the form of a path that may have blanks */
	bool any = form->completer(form->completer_arg, mention, strlen(mention), &shown);

	free(mention);
	if (!any || shown.start > 0)
		return false;
	count = ik_completion_match(&shown, &matches);
	if (count > 0)
		common = ik_completion_common(&shown, matches, count, &prefixed);
	bool more = prefixed > 0 && common > strlen(shown.typed);
	bool lists = prefixed > 1 && !more && !listed;

	if (more) {
		char *path = ik_format("%s%.*s", shown.head, (int)common,
			shown.candidates[matches[0]].text);

		ik_editor_set(field->editor, path, strlen(path));
		free(path);
		forgive(form);
	} else if (lists) {
		list_names(form, &shown, matches, prefixed);
	}
	free(matches);
	return more || lists;
}

enum ik_pane_result ik_form_key(struct ik_form *form, const struct ik_key *key,
	enum ik_action action)
{
	switch (action) {
	case IK_ACTION_CANCEL:
		return IK_PANE_CLOSED;
	case IK_ACTION_SEND:
		return check(form) ? IK_PANE_CALLED : IK_PANE_TAKEN;
	case IK_ACTION_UP:
		if (form->selected > 0)
			form->selected--;
		return IK_PANE_TAKEN;
	case IK_ACTION_DOWN:
		if (form->selected + 1 < form->count)
			form->selected++;
		return IK_PANE_TAKEN;
	case IK_ACTION_COMPLETE:
		if (form->count > 0 && !complete(form))
			form->selected = (form->selected + 1) % form->count;
		return IK_PANE_TAKEN;
	case IK_ACTION_COMPLETE_PREVIOUS:
		if (form->count > 0)
			form->selected = (form->selected + form->count - 1) % form->count;
		return IK_PANE_TAKEN;
	case IK_ACTION_END_OF_INPUT: /* only deletes: a field has no end of input */
		if (form->count > 0)
			(void)ik_editor_act(form->fields[form->selected].editor, IK_ACTION_DELETE_RIGHT);
		return IK_PANE_TAKEN;
	default:
		if (form->count == 0)
			return key->code == IK_KEY_CHARACTER || key->code == IK_KEY_PASTE ? IK_PANE_TAKEN
																			  : IK_PANE_PASSED;
		return write_key(form, key, action);
	}
}

/* Draw an external text, wrapped, from `row` on: skip the first `skip` rows and draw at most
 * `most`. Return the rows drawn. Without cells, only measure. */
static int put_rows(struct ik_cells *cells, struct ik_rectangle area, int row, enum ik_style style,
	const char *text, int skip, int most)
{
	char *line = ik_pane_line(text, strlen(text));
	size_t length = strlen(line);
	int rows = 0;

	for (size_t at = 0; at < length && rows < skip + most; rows++) {
		struct ik_row wrapped = ik_wrap_row(line + at, length - at, area.columns);

		if (cells && rows >= skip)
			ik_cells_text(cells, area, row + rows - skip, area.column, style, line + at,
				wrapped.shown);
		at += wrapped.taken;
	}
	free(line);
	return rows > skip ? rows - skip : 0;
}

/* Append a field's heading: name, type, "required", default. */
static void put_heading(const struct ik_form_field *field, struct ik_buf *out)
{
	ik_buf_printf(out, "%s · %s", field->name, field->parameter.type);
	if (field->required)
		ik_buf_printf(out, " · %s", _("required"));
	if (field->initial)
		ik_buf_printf(out, _(" · default %s"), field->initial);
}

/* Append a choice, in brackets if it is selected; *ret_end is then its end in bytes. */
static void put_choice(struct ik_buf *out, const char *choice, bool now, size_t *ret_end)
{
	ik_buf_puts(out, now ? "[" : " ");
	ik_sanitize_line(out, choice, strlen(choice));
	ik_buf_puts(out, now ? "]" : " ");
	if (now)
		*ret_end = out->length;
}

/* Draw the choices with the selected one visible: (none) "a" ["b"]. Return the rows drawn. */
static int put_choices(const struct ik_form_field *field, struct ik_cells *cells,
	struct ik_rectangle area, int row, enum ik_style style, int most)
{
	size_t length, end = 0;
	const char *text = ik_editor_text(field->editor, &length);
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_SCHEMA);
	put_choice(&out, _("left out"), length == 0, &end);
	for (size_t i = 0; i < field->parameter.choice_count; i++)
		put_choice(&out, field->parameter.choices[i],
			ik_text_equal(field->parameter.choices[i], text), &end);
	int above = 0; /* up to the end of the selected one */

	for (size_t at = 0; at < end; above++)
		at += ik_wrap_row(out.data + at, out.length - at, area.columns).taken;
	int rows = put_rows(cells, area, row, style, out.data, above > most ? above - most : 0, most);
	ik_buf_done(&out);
	return rows;
}

/* Draw a field's value. Return the rows drawn. */
static int put_field_value(const struct ik_form *form, size_t index, struct ik_cells *cells,
	struct ik_rectangle area, int row, int most)
{
	const struct ik_form_field *field = &form->fields[index];
	bool selected = index == form->selected;

	if (field->kind == IK_FIELD_CHOICE)
		return put_choices(field, cells, area, row, selected ? IK_STYLE_SELECTION : IK_STYLE_NORMAL,
			most);
	int columns = area.columns > 3 ? area.columns - 2 : 1;
	int rows = ik_editor_height(field->editor, columns);
	rows = rows < most ? rows : most;
	if (!cells)
		return rows;
	struct ik_rectangle place = { row, area.column, rows, area.columns };

	if (row + rows > area.row + area.rows)
		place.rows = area.row + area.rows - row;
	if (place.rows < 1)
		return rows;
	int cursor_row = cells->cursor_row, cursor_column = cells->cursor_column;

	ik_editor_draw(field->editor, cells, place, selected ? "> " : "  ");
	if (!selected)
		ik_cells_set_cursor(cells, cursor_row, cursor_column);
	return rows;
}

/* Return the rows left, at most MOST_ROWS. */
static int share(int left)
{
	return left < 0 ? 0 : left < MOST_ROWS ? left : MOST_ROWS;
}

/* Draw a field from `row` on, or measure it if cells is NULL. Return its rows.  If it does not
 * fit, the value has priority, then the error, then the name. */
static int put_field(const struct ik_form *form, size_t index, struct ik_cells *cells,
	struct ik_rectangle area, int row)
{
	const struct ik_form_field *field = &form->fields[index];
	struct ik_rectangle inner = { area.row, area.column + 2, area.rows, area.columns - 2 };
	const char *said = form->note && form->note_field == index ? form->note : "";
	bool selected = index == form->selected;
	struct ik_buf heading;
	int left = area.rows, begin = row;

	left -= put_field_value(form, index, NULL, area, 0, share(left > 3 ? left / 2 : 1));
	int value_rows = area.rows - left;
	int note_rows = put_rows(NULL, inner, 0, form->note_style, said, 0, share(left - 1));
	left -= note_rows;
	ik_buf_init(&heading, IK_LIMIT_SCHEMA);
	put_heading(field, &heading);
	int heading_rows = put_rows(cells, area, row, selected ? IK_STYLE_BOLD : IK_STYLE_NORMAL,
		heading.data, 0, share(left));
	ik_buf_done(&heading);
	row += heading_rows;
	left -= heading_rows;
	if (field->description)
		row += put_rows(cells, inner, row, IK_STYLE_DIM, field->description, 0, share(left));
	put_field_value(form, index, cells, area, row, value_rows);
	row += value_rows;
	put_rows(cells, inner, row, form->note_style, said, 0, note_rows);
	row += note_rows;
	struct ik_rectangle bar = { begin, area.column - 1, row - begin, 1 };

	if (bar.rows > area.row + area.rows - begin)
		bar.rows = area.row + area.rows - begin;
	if (cells && selected) /* it has focus: as in the conversation */
		ik_cells_fill_with(cells, bar, IK_STYLE_ACCENT, "▌");
	return row - begin;
}

/* Scroll until the selected field is visible as a whole. */
static void follow(struct ik_form *form, struct ik_rectangle area)
{
	int rows = 0;

	if (form->selected < form->top)
		form->top = form->selected;

	for (size_t i = form->selected + 1; i-- > form->top;) {
		rows += put_field(form, i, NULL, area, 0);
		if (rows > area.rows && i < form->selected) {
			form->top = i + 1;
			return;
		}
	}
}

void ik_form_draw(struct ik_form *form, struct ik_cells *cells, struct ik_rectangle area)
{
	int row = area.row;

	if (area.columns < 4 || area.rows < 1)
		return;
	if (area.rows > 12 && form->description)
		row += put_rows(cells, area, row, IK_STYLE_DIM, form->description, 0, MOST_ROWS) + 1;
	if (form->count == 0) {
		put_rows(cells, area, row, IK_STYLE_NORMAL, _("It takes no arguments."), 0, MOST_ROWS);
		if (form->note)
			put_rows(cells, area, row + 1, form->note_style, form->note, 0, MOST_ROWS);
		return;
	}
	struct ik_rectangle fields = { row, area.column + 1, area.row + area.rows - row,
		area.columns - 1 };

	follow(form, fields);
	for (size_t i = form->top; i < form->count && row < area.row + area.rows; i++)
		row += put_field(form, i, cells, fields, row);
}
