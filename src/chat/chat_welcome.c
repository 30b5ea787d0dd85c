/* What the welcome says of the session's directory, from a look at its names before the first
 * frame. */
#include "chat/chat.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* A directory may have millions of names. */
#define NAMES_MOST 1000

/* Is a word among words, each of which is between blanks? */
static bool is_one_of(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += length)
		if (at > words && at[-1] == ' ' && at[length] == ' ')
			return true;
	return false;
}

/* Can a name be typed as it is, in a message? */
static bool is_plain(const char *name)
{
	for (const unsigned char *at = (const unsigned char *)name; *at; at++)
		if (!isalnum(*at) && !strchr("._-+", *at))
			return false;
	return true;
}

/* Is it a name of source code? */
static bool is_source(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot > name &&
		is_one_of(" c cc cpp cs ex go h hs java jl js kt lua ml pl php py rb rs scala sh sql swift "
				  "ts tsx zig ",
			dot + 1);
}

/* Keep a name if it is better than the one so far: the main file, else the first in the alphabet,
 * so that it is the same each time. */
static void keep_better(char **kept, const char *name)
{
	bool is_main = strncmp(name, "main.", 5) == 0;
	bool has_main = *kept && strncmp(*kept, "main.", 5) == 0;

	if (*kept && (is_main == has_main ? strcmp(name, *kept) >= 0 : has_main))
		return;
	free(*kept);
	*kept = ik_strdup(name);
}

/* Note an entry of the directory. */
static void note_entry(struct ik_welcome *welcome, const struct dirent *entry)
{
	const char *name = entry->d_name;

	if (name[0] == '.')
		return;
	welcome->empty = false;
	if (entry->d_type == DT_DIR || !is_plain(name))
		return;
	welcome->builds |= is_one_of(" CMakeLists.txt Cargo.toml GNUmakefile Makefile build.gradle "
								 "configure go.mod makefile meson.build package.json pom.xml "
								 "pyproject.toml ",
		name);
	if (strncasecmp(name, "readme", 6) == 0)
		keep_better(&welcome->readme, name);
	else if (is_source(name))
		keep_better(&welcome->source, name);
}

void ik_chat_welcome_look(struct ik_chat *chat)
{
	const struct ik_places *places = &chat->setup->places;
	struct ik_welcome *welcome = &chat->welcome;
	const struct dirent *entry;
	DIR *directory = opendir(places->directory);
	size_t keys = 0;

	welcome->directory = ik_path_shorten(places->directory, places->user_home);
	welcome->branch = ik_project_branch(places);
	welcome->empty = true;
	for (int i = 0; directory && i < NAMES_MOST && (entry = readdir(directory)); i++)
		note_entry(welcome, entry);
	if (directory)
		(void)closedir(directory);
	for (size_t i = 0; keys < IK_WELCOME_KEYS && ik_model_provider_at(chat->setup->config, i);
		 i++) {
		struct ik_welcome_key *key = &welcome->keys[keys];

		key->page = ik_model_key_page(i, &key->variable);
		keys += key->page ? 1 : 0;
	}
}

void ik_chat_welcome_done(struct ik_chat *chat)
{
	free(chat->welcome.directory);
	free(chat->welcome.branch);
	free(chat->welcome.readme);
	free(chat->welcome.source);
}
