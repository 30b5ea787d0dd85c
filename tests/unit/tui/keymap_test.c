#include "tui/edit/keymap.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(void *arg, const struct ik_key *key)
{
	*(struct ik_key *)arg = *key;
}

/* The action that a terminal's bytes lead to in a context. */
static enum ik_action action_in(unsigned context, const char *bytes)
{
	struct ik_keymap *keymap = ik_keymap_new(NULL);
	struct ik_key key = { 0 };
	struct ik_terminal_input *input = ik_input_new();
	ik_input_feed(input, bytes, strlen(bytes), keep, &key);
	ik_input_timeout(input, keep, &key);
	ik_input_free(input);
	enum ik_action action = ik_keymap_action(keymap, context, &key);
	ik_keymap_free(keymap);
	return action;
}

static enum ik_action action_of(const char *bytes)
{
	return action_in(IK_IN_EDITOR, bytes);
}

Test(keymap, from_bytes_to_actions)
{
	static const struct { const char *bytes; enum ik_action action; } rows[] = {
		{ "\033OP", IK_ACTION_HELP }, { "\0331", IK_ACTION_HELP },
		{ "\033[12~", IK_ACTION_BROWSER }, { "\0332", IK_ACTION_BROWSER },
		{ "\033[[C", IK_ACTION_INSPECTOR }, { "\0333", IK_ACTION_INSPECTOR },
		{ "\033[15~", IK_ACTION_REFRESH }, { "\0335", IK_ACTION_REFRESH },
		{ "\033[17~", IK_ACTION_NEXT_PANE }, { "\0336", IK_ACTION_NEXT_PANE },
		{ "\033", IK_ACTION_CANCEL }, { "\003", IK_ACTION_INTERRUPT },
		{ "\004", IK_ACTION_END_OF_INPUT }, { "\032", IK_ACTION_SUSPEND },
		{ "\014", IK_ACTION_REDRAW },
		{ "\033[5~", IK_ACTION_PAGE_UP }, { "\033[6~", IK_ACTION_PAGE_DOWN },
		{ "\033[1;5H", IK_ACTION_TOP }, { "\033[8^", IK_ACTION_BOTTOM },
		{ "\r", IK_ACTION_SEND }, { "\033OM", IK_ACTION_SEND },
		{ "\n", IK_ACTION_NEW_LINE }, { "\033\r", IK_ACTION_NEW_LINE },
		{ "\033[13;2u", IK_ACTION_NEW_LINE },
		{ "\033[A", IK_ACTION_UP }, { "\020", IK_ACTION_UP },
		{ "\033OB", IK_ACTION_DOWN }, { "\016", IK_ACTION_DOWN },
		{ "\002", IK_ACTION_LEFT }, { "\006", IK_ACTION_RIGHT },
		{ "\001", IK_ACTION_LINE_START }, { "\033[H", IK_ACTION_LINE_START },
		{ "\005", IK_ACTION_LINE_END }, { "\033[4~", IK_ACTION_LINE_END },
		{ "\033b", IK_ACTION_WORD_LEFT }, { "\033B", IK_ACTION_WORD_LEFT },
		{ "\033[1;5D", IK_ACTION_WORD_LEFT }, { "\033f", IK_ACTION_WORD_RIGHT },
		{ "\033Oc", IK_ACTION_WORD_RIGHT },
		{ "\x7f", IK_ACTION_DELETE_LEFT }, { "\x08", IK_ACTION_DELETE_LEFT },
		{ "\033[3~", IK_ACTION_DELETE_RIGHT },
		{ "\027", IK_ACTION_DELETE_WORD_LEFT }, { "\033\x7f", IK_ACTION_DELETE_WORD_LEFT },
		{ "\033d", IK_ACTION_DELETE_WORD_RIGHT },
		{ "\013", IK_ACTION_KILL_TO_END }, { "\025", IK_ACTION_KILL_TO_START },
		{ "\031", IK_ACTION_YANK }, { "\033y", IK_ACTION_YANK_OLDER },
		{ "\037", IK_ACTION_UNDO }, { "\033[47;5u", IK_ACTION_UNDO },
		{ "\t", IK_ACTION_COMPLETE }, { "\022", IK_ACTION_HISTORY_SEARCH },
		{ "\033[1;2D", IK_ACTION_SELECT_LEFT }, { "\033[1;2H", IK_ACTION_SELECT_LINE_START },
		{ "\033[1;6C", IK_ACTION_SELECT_WORD_RIGHT }, { "\033w", IK_ACTION_COPY_SELECTION },
		{ "\033_", IK_ACTION_REDO }, { "\033p", IK_ACTION_HISTORY_OLDER },
		{ "x", IK_ACTION_NONE }, { "X", IK_ACTION_NONE }, { "\033[24~", IK_ACTION_NONE },
		{ "\033[<0;1;1M", IK_ACTION_NONE }, { "\033[200~x\033[201~", IK_ACTION_NONE },
		{ "\033[Z", IK_ACTION_COMPLETE_PREVIOUS }, { "\xc3\xa9", IK_ACTION_NONE },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_assert_eq(action_of(rows[i].bytes), rows[i].action, "row %zu", i);
}

/* No action has two rows, every name is one of its own, every key shown can be read
 * and leads to its row in each of its contexts: no two rows claim one key. */
Test(keymap, the_table_is_whole)
{
	struct ik_keymap *keymap = ik_keymap_new(NULL);
	bool seen[IK_ACTION_COUNT] = { false };
	for (size_t i = 0; ik_keymap_at(i); i++) {
		const struct ik_binding *binding = ik_keymap_at(i);
		cr_assert_not(seen[binding->action]);
		seen[binding->action] = true;
		cr_assert(binding->name[0] && binding->description[0]);
		cr_assert(binding->contexts != 0 && (binding->contexts & ~(unsigned)IK_IN_ANY) == 0);
		for (size_t k = 0; k < i; k++)
			cr_assert_str_neq(binding->name, ik_keymap_at(k)->name);
		const char *at = binding->keys;
		for (;;) {
			size_t length = strcspn(at, ",");
			const char *blank = memchr(at, ' ', length);
			struct ik_key key, second;
			cr_assert(ik_key_parse(at, blank ? (size_t)(blank - at) : length, &key), "%s", at);
			if (blank)
				cr_assert(ik_key_parse(blank + 1, (size_t)(at + length - blank - 1), &second));
			for (unsigned context = 1; context <= IK_IN_ANY; context <<= 1) {
				if (!(binding->contexts & context)
				    || ((context & IK_IN_TEXT) && ik_key_is_text(&key)))
					continue;
				enum ik_action action = ik_keymap_action(keymap, context, &key);
				if (blank) {
					cr_assert_eq(action, IK_ACTION_PREFIX, "%s", at);
					action = ik_keymap_action(keymap, context, &second);
				}
				cr_assert_eq(action, binding->action, "%s in %u", at, context);
			}
			if (!at[length])
				break;
			at += length + 2;
		}
	}
	ik_keymap_free(keymap);
}

/* A character alone is text where one writes; what a pane does not bind means what
 * it means in the editor. */
Test(keymap, contexts)
{
	cr_assert_eq(action_in(IK_IN_BROWSER, "r"), IK_ACTION_REFRESH);
	cr_assert_eq(action_in(IK_IN_BROWSER, "R"), IK_ACTION_NONE);
	cr_assert_eq(action_in(IK_IN_EDITOR, "r"), IK_ACTION_NONE);
	cr_assert_eq(action_in(IK_IN_DIALOG, "r"), IK_ACTION_NONE);
	cr_assert_eq(action_in(IK_IN_SCROLLBACK, "r"), IK_ACTION_REWIND);
	cr_assert_eq(action_in(IK_IN_HELP, "r"), IK_ACTION_NONE);
	cr_assert_eq(action_in(IK_IN_SCROLLBACK, "\033[15~"), IK_ACTION_REFRESH);
	cr_assert_eq(action_in(IK_IN_INSPECTOR, "\013"), IK_ACTION_KILL_TO_END);
}

/* The hints of a pane's last line, in so many columns. */
static void assert_hints(unsigned context, int columns, const char *wanted)
{
	static const struct ik_key_hint hints[] = {
		{ IK_ACTION_UP, IK_ACTION_DOWN, "select", 2 },
		{ IK_ACTION_REFRESH, IK_ACTION_NONE, "refresh", 1 },
		{ IK_ACTION_PREFIX, IK_ACTION_NONE, "has no key", 0 },
		{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, "next pane", 3 },
		{ 0 },
	};
	struct ik_keymap *keymap = ik_keymap_new(NULL);
	struct ik_buf out;
	ik_buf_init(&out, 1000);
	ik_keymap_put_hints(keymap, context, hints, columns, &out);
	cr_assert_str_eq(out.length > 0 ? out.data : "", wanted);
	ik_buf_done(&out);
	ik_keymap_free(keymap);
}

Test(keymap, hints_are_as_many_as_fit)
{
	assert_hints(IK_IN_BROWSER, 80, "Up/Down select  r refresh  F6 next pane");
	assert_hints(IK_IN_BROWSER, 39, "Up/Down select  r refresh  F6 next pane");
	assert_hints(IK_IN_BROWSER, 38, "Up/Down select  r refresh");
	assert_hints(IK_IN_BROWSER, 24, "Up/Down  r refresh");
	assert_hints(IK_IN_BROWSER, 17, "r refresh");
	assert_hints(IK_IN_BROWSER, 8, "");
	assert_hints(IK_IN_EDITOR, 80, "Up/Down select  F5 refresh  F6 next pane");
}

Test(keymap, parse)
{
	struct ik_key key;
	cr_assert(ik_key_parse("Ctrl-Alt-Shift-F12", 18, &key));
	cr_assert_eq(key.code, IK_KEY_F12);
	cr_assert_eq(key.modifiers, IK_CONTROL | IK_ALT | IK_SHIFT);
	cr_assert(ik_key_parse("alt-ctrl-pgup", 13, &key));
	cr_assert_eq(key.code, IK_KEY_PAGE_UP);
	cr_assert(ik_key_parse("Ctrl--", 6, &key));
	cr_assert_eq(key.codepoint, '-');
	cr_assert(ik_key_parse("Ctrl-Space", 10, &key));
	cr_assert_eq(key.codepoint, ' ');
	cr_assert(ik_key_parse("N", 1, &key));
	cr_assert_eq(key.codepoint, 'N');
	cr_assert(ik_key_parse("Alt-N", 5, &key));
	cr_assert_eq(key.codepoint, 'n');
	cr_assert(ik_key_parse("é", 2, &key));
	cr_assert_eq(key.codepoint, 0xE9);
	cr_assert_not(ik_key_parse("", 0, &key));
	cr_assert_not(ik_key_parse("Ctrl-", 5, &key));
	cr_assert_not(ik_key_parse("F13", 3, &key));
	cr_assert_not(ik_key_parse("Strg-A", 6, &key));
	cr_assert_not(ik_key_parse("\xff", 1, &key));
}

/* Read a configuration into keymap; what is wrong with it, and at which byte, or "". */
static const char *read_keys(struct ik_keymap *keymap, const char *text)
{
	static struct ik_error error;
	static char said[600];
	struct ik_json_span object;
	const char *place = NULL;
	cr_assert_eq(ik_json_check(text, strlen(text), &object, NULL), IK_OK);
	if (ik_keymap_read(keymap, object, &place, &error) == IK_OK)
		return "";
	snprintf(said, sizeof said, "%zd %s", place - text, error.text);
	return said;
}

static enum ik_action action_by(struct ik_keymap *keymap, unsigned context, const char *name)
{
	struct ik_key key;
	cr_assert(ik_key_parse(name, strlen(name), &key));
	return ik_keymap_action(keymap, context, &key);
}

Test(keymap, keys_are_bound_anew)
{
	struct ik_keymap *keymap = ik_keymap_new(NULL);
	struct ik_buf out;
	ik_buf_init(&out, 1000);
	cr_assert_str_eq(read_keys(keymap, "{\"browser\": \" ctrl-t ,F11\", \"raw\": \"Ctrl-X  alt-ctrl-r\","
		"\"undo\": \"\", \"refresh\": \"Ctrl-,, f5, é\"}"), "");
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "Ctrl-T"), IK_ACTION_BROWSER);
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "F11"), IK_ACTION_BROWSER);
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "F2"), IK_ACTION_NONE);
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "Ctrl-_"), IK_ACTION_NONE);
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "Ctrl-,"), IK_ACTION_REFRESH);
	cr_assert_eq(action_by(keymap, IK_IN_BROWSER, "é"), IK_ACTION_REFRESH);
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "F3"), IK_ACTION_INSPECTOR);
	cr_assert(ik_keymap_put_key(keymap, IK_IN_EDITOR, IK_ACTION_RAW, &out));
	cr_assert_str_eq(out.data, "Ctrl-X Ctrl-Alt-R");
	cr_assert_not(ik_keymap_put_key(keymap, IK_IN_EDITOR, IK_ACTION_UNDO, &out));
	ik_buf_done(&out);
	ik_keymap_free(keymap);
}

/* What is delivered gives way to a person's own keys, one by one. */
Test(keymap, own_keys_win_over_those_delivered)
{
	struct ik_keymap *keymap = ik_keymap_new(NULL);
	struct ik_buf out;
	ik_buf_init(&out, 1000);
	cr_assert_str_eq(read_keys(keymap, "{\"raw\": \"Ctrl-K Ctrl-R, f3\"}"), "");
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "F3"), IK_ACTION_RAW);
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "Alt-3"), IK_ACTION_INSPECTOR);
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "Ctrl-K"), IK_ACTION_PREFIX);
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "Ctrl-R"), IK_ACTION_RAW);
	cr_assert(ik_keymap_put_key(keymap, IK_IN_EDITOR, IK_ACTION_INSPECTOR, &out));
	cr_assert_str_eq(out.data, "Alt-3");
	cr_assert_not(ik_keymap_put_key(keymap, IK_IN_EDITOR, IK_ACTION_KILL_TO_END, &out));
	cr_assert_str_eq(read_keys(keymap, "{\"raw\": \"\"}"), "");
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "F3"), IK_ACTION_INSPECTOR);
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "Ctrl-K"), IK_ACTION_KILL_TO_END);
	ik_buf_done(&out);
	ik_keymap_free(keymap);
}

/* The first key of a sequence waits for the second; any other ends it. */
Test(keymap, sequences)
{
	struct ik_keymap *keymap = ik_keymap_new(NULL);
	cr_assert_str_eq(read_keys(keymap, "{\"raw\": \"Ctrl-X Ctrl-R, Ctrl-X r\"}"), "");
	cr_assert_null(ik_keymap_pending(keymap));
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "Ctrl-X"), IK_ACTION_PREFIX);
	cr_assert_str_eq(ik_keymap_pending(keymap), "Ctrl-X");
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "Ctrl-R"), IK_ACTION_RAW);
	cr_assert_null(ik_keymap_pending(keymap));
	cr_assert_eq(action_by(keymap, IK_IN_SCROLLBACK, "Ctrl-X"), IK_ACTION_PREFIX);
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "r"), IK_ACTION_RAW);
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "r"), IK_ACTION_NONE);
	static const char *const others[] = { "Esc", "q", "Enter", "Ctrl-X" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "Ctrl-X"), IK_ACTION_PREFIX);
		cr_assert_eq(action_by(keymap, IK_IN_EDITOR, others[i]), IK_ACTION_PREFIX);
		cr_assert_null(ik_keymap_pending(keymap), "%s", others[i]);
	}
	cr_assert_eq(action_by(keymap, IK_IN_EDITOR, "Ctrl-X"), IK_ACTION_PREFIX);
	cr_assert_eq(ik_keymap_action(keymap, IK_IN_EDITOR, &(struct ik_key){ .code = IK_KEY_PASTE }),
		IK_ACTION_NONE);
	cr_assert_null(ik_keymap_pending(keymap));
	ik_keymap_free(keymap);
}

Test(keymap, what_cannot_be_bound_is_told)
{
	static const struct { const char *text, *said; } rows[] = {
		{ "{\"browsr\": \"F2\"}", "1 there is no action \"browsr\"; did you mean \"browser\"?" },
		{ "{\"help\": \"F9\", \"frobnicate\": \"F2\"}", "15 there is no action \"frobnicate\"; "
			"the manual, ikigai(1), lists them under KEYS" },
		{ "{\"help\": [\"F1\"]}", "1 \"help\": must be a string of keys, such as \"F1, Alt-1, ?\"" },
		{ "{\"help\": \"F1, Strg-H\"}", "1 \"help\": \"Strg-H\" is no key; keys are written like "
			"Ctrl-A, Alt-Enter, F5, PgUp or Ctrl-X Ctrl-E, several with commas between" },
		{ "{\"help\": \"F1,\"}", NULL },
		{ "{\"help\": \"F1,,F9\"}", "1 \"help\": \"\" is no key; keys are written like "
			"Ctrl-A, Alt-Enter, F5, PgUp or Ctrl-X Ctrl-E, several with commas between" },
		{ "{\"send\": \"x\"}", "1 \"send\": \"x\" would be typed as text there; take it with Ctrl- "
			"or Alt-, or a function key" },
		{ "{\"help\": \"f3\", \"inspector\": \"f3\"}", "9 F3 is bound to \"inspector\" and to "
			"\"help\"; give one of them another key, or none: \"\"" },
		{ "{\"raw\": \"Ctrl-K Ctrl-R\", \"undo\": \"Ctrl-K\"}", "8 Ctrl-K is bound to \"undo\" "
			"and to \"raw\"; give one of them another key, or none: \"\"" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ik_keymap *keymap = ik_keymap_new(NULL);
		cr_assert_str_eq(read_keys(keymap, rows[i].text), rows[i].said ? rows[i].said : "", "%s",
			rows[i].text);
		ik_keymap_free(keymap);
	}
}

Test(keymap, sentences_have_the_keys_of_now)
{
	struct ik_keymap *keymap = ik_keymap_new("{\"help\": \"Ctrl-T\", \"browser\": \"\"}");
	char *sentence = ik_keymap_sentence(keymap, "{help}: all; {browser} {copy} {send}{{\"ui\": {}} {nothing} {");
	cr_assert_str_eq(sentence, "Ctrl-T: all; \"browser\" y Enter{{\"ui\": {}} {nothing} {");
	free(sentence);
	ik_keymap_free(keymap);
}
