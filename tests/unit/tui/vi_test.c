#include "tui/edit/vi.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "util/buf.h"
#include "util/utf8.h"
#include "vi_cases.h"

/* Type keys, as the screen does. */
static enum ik_action type(struct ik_vi *vi, struct ik_editor *editor, const char *keys)
{
	enum ik_action action = IK_ACTION_NONE;

	for (size_t length = strlen(keys); length > 0;) {
		uint32_t codepoint;
		int bytes = ik_utf8_decode(keys, length, &codepoint);
		struct ik_key key = {.code = IK_KEY_CHARACTER, .codepoint = codepoint};

		if (codepoint == 033)
			key = (struct ik_key){.code = IK_KEY_ESCAPE};
		else if (codepoint == '\n')
			key = (struct ik_key){.code = IK_KEY_ENTER};
		else if (codepoint == 022)
			key = (struct ik_key){.code = IK_KEY_CHARACTER, .codepoint = 'r', .modifiers = IK_CONTROL};
		if (!ik_vi_key(vi, editor, &key, &action) && action == IK_ACTION_NONE && ik_vi_mode(vi) == IK_VI_INSERT)
			ik_editor_insert(editor, keys, (size_t)bytes);
		keys += bytes;
		length -= (size_t)bytes;
	}
	return action;
}

/* Return the text with the cursor in it. */
static const char *shown(const struct ik_editor *editor)
{
	static char buffer[4096];
	size_t length, at = ik_editor_cursor(editor);
	const char *text = ik_editor_text(editor, &length);

	snprintf(buffer, sizeof buffer, "%.*s^%s", (int)at, text, text + at);
	return buffer;
}

/* Over a slow link Esc and a letter arrive together, which is also what Alt with the letter sends. */
Test(vi, takes_alt_for_esc_before_a_letter)
{
	struct ik_key key = {.code = IK_KEY_CHARACTER, .codepoint = 'x', .modifiers = IK_ALT};
	struct ik_editor *editor = ik_editor_new(NULL);
	struct ik_vi *vi = ik_vi_new();
	enum ik_action action;

	type(vi, editor, "one");
	cr_assert(ik_vi_key(vi, editor, &key, &action));
	cr_assert_str_eq(shown(editor), "o^n");
	type(vi, editor, "v");
	key.codepoint = 'i';
	cr_assert(ik_vi_key(vi, editor, &key, &action));
	cr_assert_eq(ik_vi_mode(vi), IK_VI_INSERT);
	key.codepoint = '2';
	cr_assert_not(ik_vi_key(vi, editor, &key, &action));
	cr_assert_eq(ik_vi_mode(vi), IK_VI_INSERT);
	ik_vi_free(vi);
	ik_editor_free(editor);
}

Test(vi, does_what_vim_does)
{
	cr_assert_not_null(setlocale(LC_ALL, "C.UTF-8"));
	for (size_t i = 0; i < sizeof vi_cases / sizeof *vi_cases; i++) {
		struct ik_editor *editor = ik_editor_new(NULL);
		struct ik_vi *vi = ik_vi_new();

		ik_editor_set(editor, vi_cases[i].text, strlen(vi_cases[i].text));
		type(vi, editor, "\033");
		ik_editor_select(editor, 0, 0);
		type(vi, editor, vi_cases[i].keys);
		type(vi, editor, "\033\033");
		cr_expect_str_eq(shown(editor), vi_cases[i].result, "%s in: %s: %s", vi_cases[i].keys, vi_cases[i].text, shown(editor));
		ik_vi_free(vi);
		ik_editor_free(editor);
	}
}

/* What isn't vi's keeps its meaning. */
Test(vi, leaves_keys_to_the_table_of_keys)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	struct ik_vi *vi = ik_vi_new();
	struct ik_key escape = {.code = IK_KEY_ESCAPE}, enter = {.code = IK_KEY_ENTER};
	struct ik_key control = {.code = IK_KEY_CHARACTER, .codepoint = 'w', .modifiers = IK_CONTROL};
	enum ik_action action;

	cr_assert_not(ik_vi_key(vi, editor, &control, &action));
	cr_assert(ik_vi_key(vi, editor, &escape, &action));
	cr_assert_eq(ik_vi_mode(vi), IK_VI_NORMAL);
	cr_assert_not(ik_vi_key(vi, editor, &control, &action));
	cr_assert_not(ik_vi_key(vi, editor, &enter, &action));
	cr_assert_not(ik_vi_key(vi, editor, &escape, &action));
	/* Half a command is forgotten. */
	type(vi, editor, "d");
	cr_assert(ik_vi_key(vi, editor, &escape, &action));
	cr_assert_not(ik_vi_key(vi, editor, &escape, &action));
	/* Beyond the text is the history. */
	cr_assert_eq(type(vi, editor, "k"), IK_ACTION_UP);
	cr_assert_eq(type(vi, editor, "j"), IK_ACTION_DOWN);
	cr_assert_eq(type(vi, editor, "/"), IK_ACTION_HISTORY_SEARCH);
	ik_vi_reset(vi);
	cr_assert_eq(ik_vi_mode(vi), IK_VI_INSERT);
	ik_vi_free(vi);
	ik_editor_free(editor);
}

/* A selection does not outlive its text. */
Test(vi, visual_mode_ends_with_its_text)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	struct ik_vi *vi = ik_vi_new();
	struct ik_key control = {.code = IK_KEY_CHARACTER, .codepoint = 'p', .modifiers = IK_CONTROL};
	enum ik_action action;

	ik_editor_set(editor, "one two three", 13);
	type(vi, editor, "\033v0");
	cr_assert_eq(ik_vi_mode(vi), IK_VI_VISUAL);
	ik_editor_set(editor, "a", 1);
	type(vi, editor, "x");
	cr_assert_eq(ik_vi_mode(vi), IK_VI_NORMAL);
	ik_editor_set(editor, "one two three", 13);
	type(vi, editor, "v0");
	cr_assert_not(ik_vi_key(vi, editor, &control, &action));
	cr_assert_eq(ik_vi_mode(vi), IK_VI_NORMAL);
	ik_vi_free(vi);
	ik_editor_free(editor);
}

/* Keys in any order leave the text and the cursor valid. */
Test(vi, survives_any_keys)
{
	static const char keys[] = "hjklwWbBeE0^$GgfFtT;,%dcyxXrRsSDCYiaIAoOpPJ~.uUvV|\"'(){}[]12390 \033\022\n";
	struct ik_editor *editor = ik_editor_new(NULL);
	struct ik_vi *vi = ik_vi_new();
	unsigned random = 1;

	for (int i = 0; i < 60000; i++) {
		char key[2] = "";
		size_t length;
		const char *text = ik_editor_text(editor, &length);

		if (length > 300) /* or it grows without end */
			ik_editor_set(editor, "one two (three)\n\tfour", 20);
		random = random * 1103515245 + 12345;
		key[0] = keys[(random >> 16) % (sizeof keys - 1)];
		type(vi, editor, key);
		text = ik_editor_text(editor, &length);
		cr_assert_leq(ik_editor_cursor(editor), length);
		cr_assert_eq(ik_utf8_valid_prefix(text, length), length);
	}
	ik_vi_free(vi);
	ik_editor_free(editor);
}
