#include "tool/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"

/* Is the variable of this entry ("NAME=value") in the list of names? */
static bool listed(const char *entry, const char *const *names)
{
	size_t length = strcspn(entry, "=");

	for (; names && *names; names++) {
		if (strlen(*names) == length && strncmp(entry, *names, length) == 0)
			return true;
	}
	return false;
}

/* Copy the entries of this process's environment that are in only (NULL: all), but not those that
 * are in without and not in keep. */
static char **copy_environment(const char *const *only, const char *const *without,
	const char *const *keep)
{
	char **copy = NULL;
	size_t count = 0;

	for (char **entry = environ; entry && *entry; entry++) {
		if ((only && !listed(*entry, only)) || (listed(*entry, without) && !listed(*entry, keep)))
			continue;
		copy = ik_alloc_more(copy, count, sizeof(*copy));
		copy[count++] = ik_strdup(*entry);
	}
	copy = ik_alloc_more(copy, count, sizeof(*copy));
	copy[count] = NULL;
	return copy;
}

char **ik_environment_for_tools(const char *const *secrets, const char *const *keep)
{
	return copy_environment(NULL, secrets, keep);
}

char **ik_environment_of(const char *const *names)
{
	static const char *const none[] = { NULL };

	return copy_environment(names ? names : none, NULL, NULL);
}

const char **ik_environment_with(const char *const *environment, const char *const *entries)
{
	const char *const *from = environment ? environment : (const char *const *)environ;
	size_t count = 0, kept = 0;
	const char **copy;

	while (from && from[count])
		count++;
	for (size_t i = 0; entries[i]; i++)
		count++;
	copy = ik_alloc_array(NULL, count + 1, sizeof(*copy));
	for (; from && *from; from++) {
		size_t name = strcspn(*from, "="), i = 0;

		while (entries[i] &&
			(strcspn(entries[i], "=") != name || strncmp(entries[i], *from, name) != 0))
			i++;
		if (!entries[i])
			copy[kept++] = *from;
	}
	for (; *entries; entries++) {
		if (strchr(*entries, '='))
			copy[kept++] = *entries;
	}
	copy[kept] = NULL;
	return copy;
}

char **ik_environment_free(char **environment)
{
	for (char **entry = environment; entry && *entry; entry++)
		free(*entry);
	free(environment);
	return NULL;
}
