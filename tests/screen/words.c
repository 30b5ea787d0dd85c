#include "checks.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/text.h"

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

/* Of a word: letters, ASCII or not. */
static bool is_letter(char byte)
{
	return isalpha((unsigned char)byte) || (byte & 0x80) != 0;
}

/* The first word of a row that has a vowel as it was written, and is not listed; NULL: none. */
static char *untranslated_word(const char *row, const char *list)
{
	while (*row != '\0') {
		size_t length = 0, letters = 0;
		bool vowel = false;

		while (is_letter(row[length])) {
			letters += isalpha((unsigned char)row[length]) != 0;
			vowel = vowel || strchr("aeiou", row[length]) != NULL;
			length++;
		}
		if (vowel && letters >= SHORTEST_WORD && !is_listed(row, length, list))
			return ik_strndup(row, length);
		row += length + (length == 0);
	}
	return NULL;
}

bool check_translated(struct harness *h, const char *list)
{
	for (int row = 0; row < h->terminal.rows; row++) {
		char *word = untranslated_word(terminal_row(&h->terminal, row), list);

		if (word != NULL) {
			(void)fail(h, "row %d has the word \"%s\", which is not translated", row, word);
			free(word);
			return false;
		}
	}
	return true;
}
