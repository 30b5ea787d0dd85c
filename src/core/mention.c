#include "core/mention.h"

#include <string.h>

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n';
}

/* Does a word begin at position? */
static bool begins_word(const char *text, size_t position)
{
	return position == 0 || is_blank(text[position - 1]) || strchr("([{\"'<,;", text[position - 1]);
}

bool ik_mention_next(const char *text, size_t length, size_t *position,
	struct ik_mention *ret_mention)
{
	for (size_t at = *position; at < length; at++) {
		const char *found = memchr(text + at, '@', length - at), *closing;
		struct ik_mention mention = { .start = 0 };

		if (!found)
			return false;
		at = mention.start = (size_t)(found - text);
		if (!begins_word(text, at))
			continue;
		mention.quoted = at + 1 < length && text[at + 1] == '"';
		mention.path = text + at + (mention.quoted ? 2 : 1);
		if (mention.quoted) {
			closing = memchr(mention.path, '"', length - at - 2);
			mention.open = !closing;
			mention.end = mention.open ? length : (size_t)(closing - text) + 1;
			mention.length = mention.end - (mention.open ? 0 : 1) - (at + 2);
		} else {
			for (mention.end = at + 1; mention.end < length && !is_blank(text[mention.end]);)
				mention.end++;
			mention.length = mention.end - (at + 1);
		}
		*position = mention.end;
		*ret_mention = mention;
		return true;
	}
	return false;
}
