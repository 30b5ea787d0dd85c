#include "checks.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "util/buf.h"
#include "util/limits.h"

#define SHORTEST_WORD 3

/* Is the word in a list between blanks and line ends? */
static bool is_listed(const char *word, size_t length, const char *list)
{
	for (list += strspn(list, " \n"); *list != '\0'; list += strspn(list, " \n")) {
		size_t listed = strcspn(list, " \n");

		if (listed == length && strncasecmp(word, list, length) == 0)
			return true;
		list += listed;
	}
	return false;
}

/* Bytes of the letter that text begins with, ASCII or with an accent (U+00C0 to U+00FF); 0: none. */
static size_t letter_length(const char *text)
{
	if ((unsigned char)text[0] == 0xC3 && (text[1] & 0xC0) == 0x80)
		return 2;
	return isalpha((unsigned char)text[0]) ? 1 : 0;
}

/* Append the words of a row that have a vowel as it was written, and are not listed.
 * Paths and commands, which begin with a slash, are names. */
static void put_untranslated(const char *row, const char *list, struct ik_buf *out)
{
	while (*row != '\0') {
		size_t length = 0, letter;
		bool vowel = false;

		if (*row == '/')
			row += strcspn(row, " ");
		while ((letter = letter_length(row + length)) > 0) {
			vowel = vowel || strchr("aeiou", row[length]) != NULL;
			length += letter;
		}
		if (vowel && length >= SHORTEST_WORD && !is_listed(row, length, list))
			ik_buf_printf(out, " %.*s", (int)length, row);
		row += length + (length == 0 && *row != '\0');
	}
}

bool check_translated(struct harness *h, const char *list)
{
	struct ik_buf words;
	bool all;

	ik_buf_init(&words, IK_KIB(64));
	for (int row = 0; row < h->terminal.rows; row++)
		put_untranslated(terminal_row(&h->terminal, row), list, &words);
	all = words.length == 0 || fail(h, "these words are not translated:%s", words.data);
	ik_buf_done(&words);
	return all;
}
