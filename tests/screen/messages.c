#include "messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* The line of a message, after its name; NULL: there is none. */
static char *find_message(const char *name, size_t length)
{
	char *path = ik_format("%s/tests/screen/messages.txt", getenv("IK_TOP_SRCDIR"));
	FILE *stream = fopen(path, "re");
	char line[256], *found = NULL;

	free(path);
	if (stream == NULL)
		return NULL;
	while (found == NULL && fgets(line, sizeof line, stream) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, name, length) == 0 && line[length] == ' ')
			found = ik_format("%s", line + length + 1);
	}
	(void)fclose(stream);
	return found;
}

char *message_text(struct harness *h, const char *text)
{
	size_t length = text[0] == '@' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz-") : 0;
	const char *argument = text + 1 + length;
	char *message, *place, *whole;

	if (length == 0 || (*argument != '\0' && *argument != ' '))
		return ik_format("%s", text);
	message = find_message(text + 1, length);
	if (message == NULL) {
		(void)fail(h, "tests/screen/messages.txt has no \"%.*s\"", (int)length, text + 1);
		return NULL;
	}
	place = strchr(message, '%');
	if (place == NULL)
		return message;
	*place = '\0';
	whole = ik_format("%s%s%s", message, *argument == ' ' ? argument + 1 : "", place + 1);
	free(message);
	return whole;
}
