#include "util/shell_word.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"

void ik_shell_word_put(struct ik_buf *out, const char *text)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./,:@%";

	if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
		ik_buf_puts(out, text);
		return;
	}
	ik_buf_putc(out, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			ik_buf_puts(out, "'\\''");
		else
			ik_buf_putc(out, *text);
	}
	ik_buf_putc(out, '\'');
}

/* Append the text of the quotation at `at` ('...' or "..."), and return its end; at itself if it has
 * no end. */
static const char *put_quoted(struct ik_buf *out, const char *at)
{
	char quote = *at;
	const char *start = at++;
	size_t before = out->length;

	for (; *at != quote; at++) {
		if (quote == '"' && *at == '\\' && at[1] != '\0' && strchr("\"\\$`", at[1]))
			at++;
		if (*at == '\0') {
			ik_buf_truncate(out, before);
			return start;
		}
		ik_buf_putc(out, *at);
	}
	return at + 1;
}

void ik_shell_words_split(struct ik_shell_words *words, const char *text)
{
	static const char blanks[] = " \t\r\n";
	struct ik_buf word;

	*words = (struct ik_shell_words){ NULL, 0 };
	for (text += strspn(text, blanks); *text != '\0'; text += strspn(text, blanks)) {
		const char *start = text;

		ik_buf_init(&word, IK_LIMIT_USER_TEXT);
		while (*text != '\0' && !strchr(blanks, *text)) {
			const char *next = text;

			if (*text == '"' || (*text == '\'' && (text == start || text[-1] == '=')))
				next = put_quoted(&word, text);
			if (next == text) {
				text += *text == '\\' && text[1] != '\0';
				ik_buf_putc(&word, *text++);
			} else {
				text = next;
			}
		}
		words->words = ik_alloc_more(words->words, words->count, sizeof(*words->words));
		words->words[words->count++] = ik_buf_take(&word, NULL);
	}
}

void ik_shell_words_done(struct ik_shell_words *words)
{
	while (words->count > 0)
		free(words->words[--words->count]);
	free(words->words);
	words->words = NULL;
}
