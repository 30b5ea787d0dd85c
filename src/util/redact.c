#include "util/redact.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/base64.h"
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
	for (value++; *value && *value != '\''; value++)
		if (*value == '\\' && value[1])
			value++;
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

/* Is there the name of a secret right before the "=" at *equals, after ? or &? */
static bool names_secret(const char *text, const char *equals)
{
	static const char *const names[] = { "key", "token", "secret" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t length = strlen(names[i]);

		if ((size_t)(equals - text) > length &&
			strncasecmp(equals - length, names[i], length) == 0 &&
			strchr("?&_-", equals[-(ptrdiff_t)length - 1]))
			return true;
	}
	return false;
}

/* Replace the values of such names in the query of an address, in place. */
static void hide_query(struct ik_buf *address)
{
	const char *query = strchr(address->data, '?'), *equals = query;

	while (equals && (equals = strchr(equals + 1, '='))) {
		size_t at = (size_t)(equals + 1 - address->data);

		if (!names_secret(query, equals))
			continue;
		ik_buf_erase(address, at, strcspn(equals + 1, "&#"));
		ik_buf_insert(address, at, MARK, strlen(MARK));
		query = strchr(address->data, '?');
		equals = address->data + at;
	}
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
	if (scheme)
		hide_query(&out);
	return ik_buf_take(&out, NULL);
}

/* ---- secrets ---- */

#define SECRET_BYTES_LEAST 8

/* The forms in which secrets may appear. */
static struct {
	char **forms;
	size_t count;
} the_secrets;

/* Add a form (taken over), unless it is known. */
static void add_form(char *form)
{
	for (size_t i = 0; i < the_secrets.count; i++)
		if (ik_text_equal(the_secrets.forms[i], form)) {
			free(form);
			return;
		}
	the_secrets.forms = ik_alloc_array(the_secrets.forms, the_secrets.count + 1, sizeof(char *));
	the_secrets.forms[the_secrets.count++] = form;
}

/* Return the secret as in a URL, in new memory. */
static char *in_url(const char *secret)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_CONFIG);
	for (; *secret; secret++) {
		if (isalnum((unsigned char)*secret) || strchr("-._~", *secret))
			ik_buf_putc(&out, *secret);
		else
			ik_buf_printf(&out, "%%%02X", (unsigned char)*secret);
	}
	return ik_buf_take(&out, NULL);
}

/* Return the secret in base64, without its last characters, which depend on what follows it. */
static char *in_base64(const char *secret)
{
	size_t length = strlen(secret);
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_CONFIG);
	ik_base64_put(&out, secret, length - length % 3);
	return ik_buf_take(&out, NULL);
}

void ik_secret_know(const char *secret)
{
	if (!secret || strlen(secret) < SECRET_BYTES_LEAST)
		return;
	add_form(ik_strdup(secret));
	add_form(in_url(secret));
	add_form(in_base64(secret));
}

void ik_secret_know_address(const char *address)
{
	const char *scheme = address ? strstr(address, "://") : NULL, *end;
	const char *password = scheme ? find_password(scheme + strlen("://"), false, &end) : NULL;
	char *copy = password ? ik_strndup(password, (size_t)(end - password)) : NULL;

	ik_secret_know(copy);
	free(copy);
}

void ik_secrets_hide(struct ik_buf *text)
{
	for (size_t i = 0; i < the_secrets.count; i++) {
		size_t length = strlen(the_secrets.forms[i]);
		const char *found;

		while (text->length > 0 &&
			(found = memmem(text->data, text->length, the_secrets.forms[i], length))) {
			size_t at = (size_t)(found - text->data);

			ik_buf_erase(text, at, length);
			ik_buf_insert(text, at, MARK, strlen(MARK));
		}
	}
}

void ik_secrets_forget(void)
{
	for (size_t i = 0; i < the_secrets.count; i++) {
		explicit_bzero(the_secrets.forms[i], strlen(the_secrets.forms[i]));
		free(the_secrets.forms[i]);
	}
	free(the_secrets.forms);
	the_secrets.forms = NULL;
	the_secrets.count = 0;
}
