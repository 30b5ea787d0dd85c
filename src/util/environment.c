#include "util/environment.h"

#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/text.h"

void ik_environment_hide(void)
{
	/* Keep these: the first lets an ikigai recognize the processes that a tool leaves running; the
	 * others are set again later, when the copies could no longer be freed. */
	static const char *const shown_on[] = { "IKIGAI_CALL=", "LANGUAGE=", "LINES=", "COLUMNS=" };
	const size_t count = sizeof(shown_on) / sizeof(shown_on[0]);

	for (char **entry = environ; entry && *entry; entry++) {
		char *shown = *entry, *value = strchr(shown, '=');
		size_t i = 0;

		while (i < count && !ik_text_starts(shown, shown_on[i]))
			i++;
		if (!value || i < count)
			continue;
		*entry = ik_strdup(shown);
		explicit_bzero(value + 1, strlen(value + 1));
	}
}
