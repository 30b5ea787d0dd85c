#include "net/address.h"

#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

char *ik_address_of(const char *url)
{
	const char *start = strstr(url, "://");
	const char *at;
	size_t length;

	start = start ? start + 3 : url;
	length = strcspn(start, "/?#");
	at = memrchr(start, '@', length);
	if (at) {
		length -= (size_t)(at + 1 - start);
		start = at + 1;
	}
	if (length > 0 && start[length - 1] == ':')
		length--;
	return ik_strndup(start, length);
}

bool ik_address_is_loopback(const char *address)
{
	return ik_text_starts(address, "127.") || ik_text_starts(address, "[::1]") ||
		ik_text_equal(address, "localhost") || ik_text_starts(address, "localhost:");
}
