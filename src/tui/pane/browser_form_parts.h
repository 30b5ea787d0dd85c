/*
 * browser_form_parts: the form's own state, shared by the files that are it:
 * browser_form.c (what is written) and browser_form_draw.c (how it looks).
 */
#ifndef IK_TUI_PANE_BROWSER_FORM_PARTS_H
#define IK_TUI_PANE_BROWSER_FORM_PARTS_H

#include "json/json.h"
#include "tui/edit/editor.h"
#include "tui/pane/browser_form.h"

enum ik_field_kind { IK_FIELD_TEXT, IK_FIELD_CHOICE, IK_FIELD_JSON };

struct ik_form_field {
	char *key; /* as it stands in the schema, with quotes */
	char *name;
	char *type;        /* in words */
	char *description; /* or NULL */
	char *initial;     /* the default, JSON text; or NULL */
	bool required;
	enum ik_field_kind kind;
	bool may_be_null; /* a text */
	char **choices;   /* JSON texts */
	size_t choice_count;
	struct ik_editor *editor; /* what is written; a choice: its JSON text */
};

struct ik_form {
	char *tool, *description;
	bool utf8;
	struct ik_json *schema;
	struct ik_form_field *fields;
	size_t count, selected;
	size_t top;  /* the first field that is seen */
	char *wrong; /* what is wrong with wrong_field; NULL: nothing */
	size_t wrong_field;
};

#endif
