#include "util/words.h"

#include <criterion/criterion.h>
#include <string.h>

#include "util/buf.h"

/* The words of a text with blanks between. */
static const char *words_of(const char *text, size_t length)
{
	static struct ik_buf out;
	struct ik_words words;
	struct ik_word word;

	ik_buf_done(&out);
	ik_buf_init(&out, 100000);
	ik_words_begin(&words, text, length);
	while (ik_words_next(&words, &word)) {
		cr_assert(word.length > 0 && word.length <= 2 * IK_WORD_BYTES);
		cr_assert(word.start < word.middle && word.middle <= word.end && word.end <= length);
		if (out.length > 0)
			ik_buf_putc(&out, ' ');
		ik_buf_append(&out, word.text, word.length);
	}
	return out.length > 0 ? out.data : "";
}

#define WORDS(text, wanted) cr_expect_str_eq(words_of(text, strlen(text)), wanted)

Test(words, are_those_of_alphabets_folded)
{
	WORDS("", "");
	WORDS(" .,;\"'\n", "");
	WORDS("Mend the BOAT-27!", "mend the boat 27");
	WORDS("ik_store_append(x)", "ik store append x");
	WORDS("/home/me/notes.txt", "home me notes txt");
	WORDS("Résumé naïve Straße İstanbul", "resume naive strasse istanbul");
	WORDS("re\xcc\x81sume\xcc\x81", "resume");
	WORDS("ΣΊΣΥΦΟΣ σίσυφος", "σισυφοσ σισυφοσ");
	WORDS("Ёлка ёлка", "елка елка");
	WORDS("ＡＢＣ１２ ﬁne ½", "abc12 fine 12");
	WORDS("שָׁלוֹם مُحَمَّد", "שלום محمد");
}

Test(words, of_scripts_without_spaces_are_pairs)
{
	WORDS("語", "語");
	WORDS("日本", "日本 本");
	WORDS("日本語で abc語", "日本 本語 語て\xe3\x82\x99 て\xe3\x82\x99 abc 語");
	WORDS("ガ ｶﾞ", "カ\xe3\x82\x99 カ\xe3\x82\x99");
	WORDS("한국어", "한국 국어 어");
	WORDS("ภาษา", "ภา าษ ษา า");
	WORDS("กี่ดี", "กี่ดี ดี"); /* marks stay with their letter */
	WORDS("語。語", "語 語");
}

Test(words, every_emoji_is_one)
{
	WORDS("ok😀😀 👍🏽!", "ok 😀 😀 👍");
	WORDS("❤️", "❤");
	WORDS("🇩🇪", "🇩 🇪");
}

Test(words, are_found_in_any_bytes)
{
	char text[300], long_word[IK_WORD_BYTES + 1];

	cr_expect_str_eq(words_of("a\0b", 3), "a b");
	WORDS("a\xff" "b\xe6\x97", "a b");
	WORDS("\xcc\x81 \xcc\x81", "");
	memset(text, 'X', sizeof(text));
	memset(long_word, 'x', IK_WORD_BYTES);
	long_word[IK_WORD_BYTES] = '\0';
	cr_expect_str_eq(words_of(text, sizeof(text)), long_word, "its beginning, once");
}
