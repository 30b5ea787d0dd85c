#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>

#include "util/text.h"

#define FENCE_LEAST 3
#define INDENT_MOST 3

/* How long a fence the line at text is (of the character ch, or of either where it is 0); 0:
 * it is none. */
static size_t fence_length(const char *text, const char *end, char *ch)
{
	size_t indent = 0, length = 0;

	while (text < end && *text == ' ' && indent <= INDENT_MOST) {
		text++;
		indent++;
	}
	if (indent > INDENT_MOST || text >= end || (*text != '`' && *text != '~') ||
		(*ch != '\0' && *text != *ch))
		return 0;
	while (text + length < end && text[length] == *text)
		length++;
	if (length < FENCE_LEAST)
		return 0;
	*ch = *text;
	return length;
}

/* Find the last fenced block of a text; false: it has none. */
static bool last_code(const char *text, size_t length, const char **ret_code, size_t *ret_length)
{
	const char *end = text + length, *code = NULL;
	size_t open = 0;
	bool found = false;
	char ch = '\0';

	while (text < end) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));
		const char *next = feed ? feed + 1 : end;
		char other = open > 0 ? ch : '\0';
		size_t fence = fence_length(text, next, &other);

		if (open == 0 && fence > 0) {
			open = fence;
			ch = other;
			code = next;
			*ret_code = code;
			*ret_length = (size_t)(end - code);
			found = true;
		} else if (open > 0 && fence >= open) {
			*ret_length = (size_t)(text - code);
			open = 0;
		}
		text = next;
	}
	return found;
}

/* What is to be copied: the number-th last reply, or the last code block of all. */
static bool find_text(const struct ik_conversation *conversation, size_t number, bool code,
	const char **ret_text, size_t *ret_length)
{
	size_t i;

	for (i = ik_conversation_count(conversation); i-- > 0;) {
		const struct ik_message *message = ik_conversation_at(conversation, i);

		if (message->kind != IK_KIND_ASSISTANT || message->content_length == 0)
			continue;
		if (code && last_code(message->content, message->content_length, ret_text, ret_length))
			return true;
		if (code || --number > 0)
			continue;
		*ret_text = message->content;
		*ret_length = message->content_length;
		return true;
	}
	return false;
}

enum ik_status ik_command_copy(const struct ik_core *core, const char *argument,
	const char **ret_text, size_t *ret_length, struct ik_error *error)
{
	bool code = ik_text_equal(argument, "code");
	char *end = NULL;
	long number = 1;

	if (!code && argument[0] != '\0')
		number = strtol(argument, &end, 10);
	if (number < 1 || (end && *end != '\0'))
		return ik_error_set(error, IK_INVALID, "%s",
			_("/copy copies the last reply; /copy 2 the one before it; "
			  "/copy code the last block of code."));
	if (find_text(ik_session_conversation(core->session), (size_t)number, code, ret_text,
			ret_length))
		return IK_OK;
	return ik_error_set(error, IK_NOT_FOUND, "%s",
		code ? _("There is no block of code yet.") : _("There are not so many replies."));
}
