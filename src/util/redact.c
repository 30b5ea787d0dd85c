#include "util/redact.h"

#include <stdbool.h>
#include <string.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"
#include "util/text.h"

#define MARK "***"

/* Return the password in what follows "://", up to *ret_end; NULL if there is none. In a database
 * address, an unescaped "/", "?" or "@" counts as part of the password, to hide too much rather
 * than too little. */
static const char *find_password(const char *authority, bool database, const char **ret_end)
{
	const char *end = memrchr(authority, '@', strcspn(authority, database ? "?#" : "/?#"));
	const char *colon;

	if (!end && database)
		end = strrchr(authority, '@');
	colon = end ? memchr(authority, ':', (size_t)(end - authority)) : NULL;
	*ret_end = end;
	return colon ? colon + 1 : NULL;
}

/* Return the end of a keyword's value, which may be quoted. */
static const char *skip_value(const char *value)
{
	if (*value != '\'')
		return value + strcspn(value, "& \t\r\n");
	for (value++; *value && *value != '\''; value++) {
		if (*value == '\\' && value[1])
			value++;
	}
	return *value ? value + 1 : value;
}

/* Append text with the values of all passwords replaced. */
static void put_without_values(struct ik_buf *out, const char *text)
{
	static const char word[] = "password";
	const char *found;

	while ((found = strcasestr(text, word))) {
		const char *value = found + strlen(word);

		value += strspn(value, " \t");
		if (*value == '=') {
			value++;
			value += strspn(value, " \t");
			ik_buf_append(out, text, (size_t)(value - text));
			ik_buf_puts(out, MARK);
			text = skip_value(value);
		} else {
			ik_buf_append(out, text, (size_t)(value - text));
			text = value;
		}
	}
	ik_buf_puts(out, text);
}

char *ik_redact(const char *text)
{
	const char *scheme = text ? strstr(text, "://") : NULL;
	const char *password, *end;
	struct ik_buf out;

	if (!text)
		return NULL;
	ik_buf_init(&out, IK_LIMIT_CONFIG);
	password = scheme
		? find_password(scheme + strlen("://"), ik_text_starts(text, "postgres"), &end)
		: NULL;
	if (password) {
		ik_buf_append(&out, text, (size_t)(password - text));
		ik_buf_puts(&out, MARK);
		text = end;
	}
	put_without_values(&out, text);
	return ik_buf_take(&out, NULL);
}
