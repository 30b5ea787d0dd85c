#include "tui/term/input.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/limits.h"
#include "util/utf8.h"

/* Keys as words: "a", "C-a", "A-Enter", "Paste(text)", "Mouse(row,column,button)". */
struct heard {
	char text[8192];
	size_t length;
	size_t pastes, paste_bytes;
	bool cut;
};

static void hear(void *arg, const struct ik_key *key)
{
	static const char *const names[] = { "None", "", "Enter", "Tab", "Backspace", "Escape",
		"Up", "Down", "Left", "Right", "Home", "End", "PgUp", "PgDn", "Insert", "Delete",
		"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12",
		"Paste", "Mouse", "FocusIn", "FocusOut", "Report" };
	struct heard *heard = arg;
	char word[300];
	int used = snprintf(word, sizeof word, "%s%s%s%s%s", heard->length ? " " : "",
		key->modifiers & IK_CONTROL ? "C-" : "", key->modifiers & IK_ALT ? "A-" : "",
		key->modifiers & IK_SHIFT ? "S-" : "", names[key->code]);
	if (key->code == IK_KEY_CHARACTER) {
		char bytes[4];
		int count = ik_utf8_encode(key->codepoint, bytes);
		cr_assert(count > 0);
		used += key->codepoint == ' ' ? snprintf(word + used, 10, "Space")
			: snprintf(word + used, 10, "%.*s", count, bytes);
	} else if (key->code == IK_KEY_PASTE) {
		heard->pastes++;
		heard->paste_bytes += key->text_length;
		heard->cut |= key->text_cut;
		cr_assert_eq(key->text[key->text_length], '\0');
		used += snprintf(word + used, 200, "(%s)", key->text_length < 150 ? key->text : "...");
	} else if (key->code == IK_KEY_REPORT) {
		used += snprintf(word + used, 200, "(%s)", key->text);
		cr_assert_eq(strlen(key->text), key->text_length);
	} else if (key->code == IK_KEY_MOUSE) {
		used += snprintf(word + used, 100, "(%d,%d,%d)", key->row, key->column, key->button);
	}
	cr_assert(heard->length + (size_t)used < sizeof heard->text);
	memcpy(heard->text + heard->length, word, (size_t)used + 1);
	heard->length += (size_t)used;
}

struct row {
	const char *bytes;
	const char *keys; /* before the timeout, then after " | " what it brings */
};

static const struct row rows[] = {
	/* characters and controls */
	{ "aZ 9~", "a Z Space 9 ~" },
	{ "\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80", "é 日 😀" },
	{ "\x01\x02\x05\x06\x0b\x0c\x10\x15\x17\x19\x1a", "C-a C-b C-e C-f C-k C-l C-p C-u C-w C-y C-z" },
	{ "\r\n\t\x7f\x08", "Enter C-j Tab Backspace Backspace" },
	{ "\x1c\x1d\x1e\x1f", "C-\\ C-] C-^ C-_" },
	/* invalid bytes vanish, what follows does not */
	{ "a\xff" "b\xc3" "c\xe6\x97" "d\xc0\xaf" "e\xed\xa0\x80" "f", "a b c d e f" },
	{ "\xe6\x97\xc3\xa9", "é" },
	{ "\xc2\x9b" "x", "x" },
	/* Escape and Alt */
	{ "\033", "| Escape" },
	{ "\033\033", "| Escape Escape" },
	{ "\033\033\033", "Escape | Escape Escape" },
	{ "\033x", "A-x" },
	{ "\033\xc3\xa9", "A-é" },
	{ "\033\033x", "Escape A-x" },
	{ "\033\r\033\x7f\033\t", "A-Enter A-Backspace A-Tab" },
	{ "\033\n\033\x01", "C-A-j C-A-a" },
	{ "\033[", "| A-[" },
	{ "\033O", "| A-O" },
	{ "\033]", "| A-]" },
	{ "\033P", "| A-P" },
	{ "\033\033[", "| Escape A-[" },
	{ "\033\033P", "Escape | A-P" },
	{ "\033[\r", "A-[ Enter" },
	/* arrows and editing keys of xterm, tmux, screen, vt220 */
	{ "\033[A\033[B\033[C\033[D\033[H\033[F", "Up Down Right Left Home End" },
	{ "\033OA\033OB\033OC\033OD\033OH\033OF", "Up Down Right Left Home End" },
	{ "\033[1~\033[2~\033[3~\033[4~\033[5~\033[6~", "Home Insert Delete End PgUp PgDn" },
	{ "\033[1;2A\033[1;3B\033[1;5C\033[1;6D\033[1;7H\033[1;8F",
		"S-Up A-Down C-Right C-S-Left C-A-Home C-A-S-End" },
	{ "\033[3;5~\033[5;3~\033[6;2~", "C-Delete A-PgUp S-PgDn" },
	{ "\033O5A\033O1;5B", "C-Up C-Down" },
	{ "\033\033[A\033\033OB", "A-Up A-Down" },
	{ "\033[Z", "S-Tab" },
	/* function keys */
	{ "\033OP\033OQ\033OR\033OS", "F1 F2 F3 F4" },
	{ "\033[11~\033[12~\033[13~\033[14~\033[15~\033[17~\033[18~\033[19~\033[20~\033[21~\033[23~\033[24~",
		"F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12" },
	{ "\033[[A\033[[B\033[[C\033[[D\033[[E", "F1 F2 F3 F4 F5" },
	{ "\033[1;5P\033[1;2R\033[15;5~\033[25~\033[34~", "C-F1 S-F3 C-F5 S-F1 S-F8" },
	/* rxvt */
	{ "\033[7~\033[8~\033Oa\033Oc\033[a\033[d", "Home End C-Up C-Right S-Up S-Left" },
	{ "\033[7^\033[8$\033[3@\033[5^", "C-Home S-End C-S-Delete C-PgUp" },
	/* the keypad in application mode */
	{ "\033Oj\033Ok\033Op\033Oy\033OM\033OX", "* + 0 9 Enter =" },
	/* kitty's protocol */
	{ "\033[97u\033[97;5u\033[97;2u\033[97:65;2u\033[97;6u", "a C-a A A C-S-a" },
	{ "\033[13;2u\033[13;5u\033[9;2u\033[27u\033[127;3u", "S-Enter C-Enter S-Tab Escape A-Backspace" },
	{ "\033[97;1:1u\033[97;1:2u\033[97;1:3u", "a a" },
	{ "\033[1;1:1A\033[1;1:3A\033[3;1:3~", "Up" },
	{ "\033[97;65u\033[1;129A", "a Up" },
	{ "\033[57358u\033[57441;2u\033[97;9u\033[55296u\033[1114112u", "" },
	{ "\033[57399u\033[57413u\033[57414u\033[57419u", "0 + Enter Up" },
	{ "\033[233;3u", "A-é" },
	{ "\033[?1u", "Report([?1u)" },
	/* modifyOtherKeys */
	{ "\033[27;5;13~\033[27;2;13~\033[27;5;105~\033[27;6;65~", "C-Enter S-Enter C-i C-S-a" },
	/* mouse */
	{ "\033[<0;1;1M\033[<0;1;1m\033[<2;10;20M", "Mouse(0,0,0) Mouse(0,0,3) Mouse(19,9,2)" },
	{ "\033[<64;5;6M\033[<65;5;6M\033[<66;5;6M", "Mouse(5,4,5) Mouse(5,4,6)" },
	{ "\033[<35;300;400M\033[<16;1;1M", "Mouse(399,299,4) C-Mouse(0,0,0)" },
	{ "\033[<0;0;1M\033[<0;1M\033[<:;1;1M\033[<;;M", "" },
	{ "\033[M !!x", "x" },
	{ "\033[32;10;10Mx", "x" },
	{ "\033\033[<0;1;1M", "Escape Mouse(0,0,0)" },
	/* focus */
	{ "\033[I\033[O", "FocusIn FocusOut" },
	{ "\033\033[I", "Escape FocusIn" },
	/* replies and unknown sequences are swallowed whole */
	{ "\033[?62;1;6cx\033[>0;276;0cx\033[24;80Rx\033[0nx", "Report([?62;1;6c) x x x x" },
	{ "\033[?2026;2$yx\033[4;1$yx\033[8;24;80tx", "Report([?2026;2$y) x x x" },
	{ "\033]11;rgb:ffff/ffff/ffff\aX\033]52;c;aGk=\033\\Y",
		"Report(]11;rgb:ffff/ffff/ffff) X Report(]52;c;aGk=) Y" },
	{ "\033P1+r524742=38\033\\x\033P>|XTerm(370)\033\\y\033_Gi=1;OK\033\\z",
		"Report(P1+r524742=38) x Report(P>|XTerm(370)) y Report(_Gi=1;OK) z" },
	/* longer than any that is known: no report, no keys */
	{ "\033]11;0123456789012345678901234567890123456789012345678901234567890123456789\ax", "x" },
	{ "\033]11;broken\033[Ax", "Up x" },
	{ "\033]11;broken\030x", "x" },
	{ "\033[12\030x\033[12\032y", "x y" },
	{ "\033[99~x\033[1;2;3;4;5;6;7Ax\033[ qx\033[!px\033Ozx", "x x x x x" },
	{ "\033[12345678901234567890~x", "x" },
	{ "\033[1;1111111111111111111111111111111111111111111111111111111111111111111111111111111111111Ax", "x" },
	{ "\033[12\033[A", "Up" },
	{ "\033[1\xc3\xa9", "é" },
	{ "\033[201~x", "x" },
	{ "\033\033]11;x\ay", "Escape Report(]11;x) y" },
	/* paste */
	{ "a\033[200~two\nlines\033[201~", "a | Paste(two\nlines)" },
	{ "\033[200~\033[201~", "| Paste()" },
	{ "\033[200~\033[A\003\033\033[20\033[201x\033[201~", "| Paste(\033[A\003\033\033[20\033[201x)" },
	/* an end mark in what is pasted: what follows it is not typed */
	{ "\033[200~one\033[201~!touch x\r\033[201~", "| Paste(one!touch x\r)" },
	{ "\033[200~one\033[201~\033[A\r", "| Paste(one\033[A\r)" },
	{ "\033[200~without end", "| Paste(without end)" },
	{ "\033[200~half\033[20", "| Paste(half\033[20)" },
	{ "\033\033[200~p\033[201~", "Escape | Paste(p)" },
	{ "\033[200~\xff\xc3\033[201~", "| Paste(\xff\xc3)" },
	/* what stalls is dropped */
	{ "\033[1;5", "| " },
	{ "\033]11;rgb", "| " },
	{ "\033[M!", "| " },
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

/* Feed in pieces of at most that size, with pauses where nothing is pending, then let the
 * time run out. */
static void play(struct heard *heard, const char *bytes, size_t length, size_t piece)
{
	struct ik_terminal_input *input = ik_input_new();
	*heard = (struct heard){ 0 };
	for (size_t at = 0; at < length; at += piece) {
		if (!ik_input_pending(input))
			ik_input_timeout(input, hear, heard);
		ik_input_feed(input, bytes + at, length - at < piece ? length - at : piece, hear, heard);
	}
	cr_assert(!ik_input_pending(input) || ik_input_wait_ms(input) > 0);
	if (ik_input_pending(input)) {
		size_t before = heard->length;
		heard->length += (size_t)sprintf(heard->text + before, before ? " | " : "| ");
		struct heard late = { 0 };
		ik_input_timeout(input, hear, &late);
		heard->length += (size_t)sprintf(heard->text + heard->length, "%s", late.text);
		heard->pastes += late.pastes;
		heard->paste_bytes += late.paste_bytes;
		heard->cut |= late.cut;
		cr_assert_not(ik_input_pending(input));
	} else {
		ik_input_timeout(input, hear, heard);
	}
	cr_assert_eq(ik_input_wait_ms(input), -1);
	struct heard after = { 0 };
	ik_input_feed(input, "z", 1, hear, &after);
	cr_assert_str_eq(after.text, "z", "alive behind %s", heard->text);
	ik_input_free(input);
}

Test(input, table)
{
	struct heard heard;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		play(&heard, rows[i].bytes, strlen(rows[i].bytes), strlen(rows[i].bytes));
		cr_assert_str_eq(heard.text, rows[i].keys, "row %zu", i);
	}
}

Test(input, the_same_in_pieces_of_any_size)
{
	struct heard heard;
	for (size_t i = 0; i < ROW_COUNT; i++)
		for (size_t piece = 1; piece < 9; piece++) {
			play(&heard, rows[i].bytes, strlen(rows[i].bytes), piece);
			cr_assert_str_eq(heard.text, rows[i].keys, "row %zu, pieces of %zu", i, piece);
		}
}

Test(input, rows_behind_one_another_do_not_disturb_each_other)
{
	char all[16384] = "", keys[16384] = "";
	struct heard whole, single;
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (!strchr(rows[i].keys, '|')) {
			strcat(all, rows[i].bytes);
			strcat(keys, keys[0] && rows[i].keys[0] ? " " : "");
			strcat(keys, rows[i].keys);
		}
	play(&whole, all, strlen(all), strlen(all));
	play(&single, all, strlen(all), 1);
	cr_assert_str_eq(whole.text, keys);
	cr_assert_str_eq(single.text, keys);
}

/* Random bytes of the alphabet that sequences are made of: the cut is nothing. */
Test(input, random_streams_cut_anywhere)
{
	static const char *const alphabet[] = { "\033", "[", "O", "1", ";", "5", "~", "A", "M", "<",
		"200~", "\033[201~", "]", "\a", "\\", "x", "\xc3", "\xa9", "P", "\r", "u", "$", "?" };
	struct heard whole, pieces;
	unsigned seed = 7;
	for (int round = 0; round < 3000; round++) {
		char bytes[256] = "";
		for (int i = 0; i < 24; i++) {
			seed = seed * 1103515245u + 12345u;
			strcat(bytes, alphabet[(seed >> 16) % (sizeof alphabet / sizeof *alphabet)]);
		}
		strcat(bytes, "\030"); /* nothing plain: no burst */
		play(&whole, bytes, strlen(bytes), strlen(bytes));
		play(&pieces, bytes, strlen(bytes), 1 + seed % 5);
		cr_assert_str_eq(whole.text, pieces.text);
	}
}

Test(input, control_space_and_nul)
{
	struct heard heard;
	play(&heard, "\0", 1, 1);
	cr_assert_str_eq(heard.text, "C-Space");
	play(&heard, "\033\0", 2, 2);
	cr_assert_str_eq(heard.text, "C-A-Space");
	play(&heard, "\033[200~a\0b\033[201~", 15, 15);
	cr_assert_eq(heard.paste_bytes, 3);
}

Test(input, how_long_to_wait)
{
	static const struct { const char *bytes; int wait; } waits[] = {
		{ "x", -1 }, { "\xc3", -1 }, { "\033", IK_INPUT_ESCAPE_MS }, { "\033[", IK_INPUT_ESCAPE_MS },
		{ "\033[1", IK_INPUT_STALL_MS }, { "\033]", IK_INPUT_ESCAPE_MS },
		{ "\033]1", IK_INPUT_STALL_MS }, { "\033[200~", IK_INPUT_STALL_MS },
		{ "\033[200~\033[201~", IK_INPUT_ESCAPE_MS }, { "\033[200~\033[201~x", IK_INPUT_STALL_MS },
	};
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		struct ik_terminal_input *input = ik_input_new();
		struct heard heard = { 0 };
		ik_input_feed(input, waits[i].bytes, strlen(waits[i].bytes), hear, &heard);
		cr_assert_eq(ik_input_wait_ms(input), waits[i].wait, "%zu", i);
		ik_input_free(input);
	}
}

/* Without brackets: text with line ends in one read is a paste and sends nothing. */
Test(input, a_burst_with_line_ends_is_a_paste)
{
	struct heard heard;
	const char *text = "first line\rsecond line\r";
	play(&heard, text, strlen(text), strlen(text));
	cr_assert_str_eq(heard.text, "| Paste(first line\rsecond line\r)");
	/* the rest of it comes in further reads, the last of them short */
	struct ik_terminal_input *input = ik_input_new();
	heard = (struct heard){ 0 };
	ik_input_feed(input, text, strlen(text), hear, &heard);
	ik_input_feed(input, "\r", 1, hear, &heard);
	ik_input_feed(input, "\xc3", 1, hear, &heard);
	cr_assert_str_eq(heard.text, "");
	cr_assert_eq(ik_input_wait_ms(input), IK_INPUT_ESCAPE_MS);
	ik_input_feed(input, "\xa9\033[A", 4, hear, &heard);
	cr_assert_str_eq(heard.text, "Paste(first line\rsecond line\r\r\xc3\xa9) Up");
	ik_input_free(input);
}

Test(input, typing_is_no_burst)
{
	struct heard heard;
	/* short; ending in Enter; with keys in it */
	play(&heard, "/help\r/quit\r", 12, 12);
	cr_assert_str_eq(heard.text, "/ h e l p Enter / q u i t Enter");
	play(&heard, "list all the files\r", 19, 19);
	cr_assert_eq(heard.pastes, 0);
	cr_assert_str_eq(heard.text + heard.length - 9, "s | Enter");
	play(&heard, "list all\x7f\x7f files\rmore\r", 23, 23);
	cr_assert_eq(heard.pastes, 0);
	play(&heard, "one line without any end", 24, 24);
	cr_assert_eq(heard.pastes, 0);
}

/* A paste that comes in reads of any size sends nothing, whatever stands at their ends;
 * the same text with pauses is typed. */
Test(input, a_run_of_reads_is_a_burst)
{
	static const char text[] = "one line of text\ranother\r\rand a last\r";
	for (size_t piece = 2; piece < sizeof text; piece++) {
		struct ik_terminal_input *input = ik_input_new();
		struct heard heard = { 0 };
		for (size_t at = 0; at + 1 < sizeof text; at += piece)
			ik_input_feed(input, text + at,
				sizeof text - 1 - at < piece ? sizeof text - 1 - at : piece, hear, &heard);
		ik_input_timeout(input, hear, &heard);
		cr_assert_eq(heard.pastes, 1, "%zu", piece);
		cr_assert_null(strstr(heard.text, "Enter"), "%zu: %s", piece, heard.text);
		heard = (struct heard){ 0 };
		for (size_t at = 0; at + 1 < sizeof text; at++) {
			ik_input_feed(input, text + at, 1, hear, &heard);
			ik_input_timeout(input, hear, &heard);
		}
		cr_assert_eq(heard.pastes, 0);
		ik_input_free(input);
	}
}

/* Lines that a script sends one after the other, and those typed ahead in short. */
Test(input, lines_with_pauses_are_sent)
{
	struct ik_terminal_input *input = ik_input_new();
	struct heard heard = { 0 };
	ik_input_feed(input, "list all of the files", 21, hear, &heard);
	cr_assert_eq(ik_input_wait_ms(input), IK_INPUT_BURST_MS);
	heard = (struct heard){ 0 };
	ik_input_feed(input, "\r", 1, hear, &heard);
	cr_assert_str_eq(heard.text, "");
	ik_input_timeout(input, hear, &heard);
	cr_assert_str_eq(heard.text, "Enter");
	/* a key behind it sends it, too */
	ik_input_feed(input, "list all of the files\r", 22, hear, &heard);
	heard = (struct heard){ 0 };
	ik_input_feed(input, "\033[A", 3, hear, &heard);
	cr_assert_str_eq(heard.text, "Enter Up");
	ik_input_free(input);
}

Test(input, a_full_queue_of_text_is_a_burst)
{
	static char text[4095];
	struct heard heard;
	memset(text, 'x', sizeof text);
	text[4000] = '\r';
	play(&heard, text, sizeof text, IK_INPUT_BURST_QUEUE);
	cr_assert_eq(heard.pastes, 1);
	cr_assert_eq(heard.paste_bytes, sizeof text);
}

Test(input, megabytes_are_instant_and_bounded)
{
	size_t length = IK_MIB(10);
	char *text = malloc(length);
	memset(text, 'x', length);
	for (size_t i = 0; i < length; i += 50)
		text[i] = i % 100 ? '\n' : '\033';
	struct ik_terminal_input *input = ik_input_new();
	struct heard heard = { 0 };
	struct timespec before, after;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	ik_input_feed(input, "\033[200~", 6, hear, &heard);
	for (size_t at = 0; at < length; at += 4096)
		ik_input_feed(input, text + at, length - at < 4096 ? length - at : 4096, hear, &heard);
	ik_input_feed(input, "\033[201~", 6, hear, &heard);
	ik_input_timeout(input, hear, &heard);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	cr_assert_eq(heard.pastes, 1);
	cr_assert_eq(heard.paste_bytes, length);
	cr_assert_not(heard.cut);
	long ms = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
	cr_log_info("10 MB pasted in %ld ms of CPU\n", ms);
	cr_assert_lt(ms, 1000);

	/* beyond the ceiling: cut, said so, and the keyboard lives */
	heard = (struct heard){ 0 };
	ik_input_feed(input, "\033[200~", 6, hear, &heard);
	for (int i = 0; i < 7; i++)
		ik_input_feed(input, text, length, hear, &heard);
	ik_input_feed(input, "\033[201~", 6, hear, &heard);
	ik_input_timeout(input, hear, &heard);
	ik_input_feed(input, "q", 1, hear, &heard);
	cr_assert_eq(heard.paste_bytes, IK_LIMIT_USER_TEXT);
	cr_assert(heard.cut);
	cr_assert_str_eq(heard.text, "Paste(...) q");
	ik_input_free(input);
	free(text);
}

/* An answer that a slow line brings byte by byte is never taken for keys. */
Test(input, expected_answers_have_time)
{
	static const char answer[] = "\033]11;rgb:1e1e/1e1e/1e1e\033\\\033[?62;4c";
	struct ik_terminal_input *input = ik_input_new();
	struct heard heard = { .length = 0 };
	ik_input_expect(input, true);
	for (size_t i = 0; i + 1 < sizeof answer; i++) {
		ik_input_feed(input, answer + i, 1, hear, &heard);
		if (ik_input_pending(input))
			cr_assert(ik_input_wait_ms(input) >= IK_INPUT_ANSWER_ESCAPE_MS);
	}
	cr_assert_str_eq(heard.text, "Report(]11;rgb:1e1e/1e1e/1e1e) Report([?62;4c)");
	ik_input_expect(input, false);
	ik_input_feed(input, "\033", 1, hear, &heard);
	cr_assert_eq(ik_input_wait_ms(input), IK_INPUT_ESCAPE_MS);
	ik_input_free(input);
}
