#include "provider/context_window.h"

#include <stddef.h>

#include "util/text.h"

/* The first match counts: longer beginnings come before shorter ones. */
/* clang-format off */
static const struct { const char *beginning; int64_t tokens; } windows[] = {
	{ "gpt-5-chat", 128000 },
	{ "gpt-5", 400000 },
	{ "gpt-4.1", 1047576 },
	{ "gpt-4.5", 128000 },
	{ "gpt-4o", 128000 },
	{ "gpt-4-turbo", 128000 },
	{ "gpt-3.5-turbo", 16385 },
	{ "o1-mini", 128000 },
	{ "o1", 200000 },
	{ "o3", 200000 },
	{ "o4-mini", 200000 },
	{ "claude-", 200000 },
	{ "gemini-1.5-pro", 2097152 },
	{ "gemini-", 1048576 },
};
/* clang-format on */

int64_t ik_context_window(const char *model)
{
	for (size_t index = 0; model && index < sizeof(windows) / sizeof(*windows); index++) {
		if (ik_text_starts(model, windows[index].beginning))
			return windows[index].tokens;
	}
	return 0;
}
