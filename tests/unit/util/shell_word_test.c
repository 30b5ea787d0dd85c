#include "util/shell_word.h"

#include <criterion/criterion.h>
#include <string.h>

/* The words, each in brackets. */
static void check_words(const char *text, const char *expected)
{
	struct ik_shell_words words;
	struct ik_buf out;

	ik_buf_init(&out, 4096);
	ik_shell_words_split(&words, text);
	for (size_t i = 0; i < words.count; i++)
		ik_buf_printf(&out, "[%s]", words.words[i]);
	cr_expect_str_eq(out.data, expected, "%s: %s", text, out.data);
	ik_shell_words_done(&words);
	ik_buf_done(&out);
}

Test(shell_word, split)
{
	check_words("", "");
	check_words(" \t\n", "");
	check_words(" a  b\nc\t", "[a][b][c]");
	check_words("'a b' \"c d\" e\\ f", "[a b][c d][e f]");
	check_words("a\"b c\"d --x='y z'", "[ab cd][--x=y z]");
	check_words("\"a\\\"b\\\\c\\d\" 'e\\f'", "[a\"b\\c\\d][e\\f]");
	check_words("'' \"\"", "[][]");
	/* What people write is not always a script. */
	check_words("don't and can't", "[don't][and][can't]");
	check_words("say \"hello", "[say][\"hello]");
	check_words("'open \\", "['open][\\]");
}
