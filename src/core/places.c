#include "core/places.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* Return the user's home directory, or NULL. */
static char *find_user_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *entry;

	if (home && home[0] == '/')
		return ik_strdup(home);
	entry = getpwuid(getuid());
	if (entry && entry->pw_dir && entry->pw_dir[0] == '/')
		return ik_strdup(entry->pw_dir);
	return NULL;
}

/* Set home, creating it if necessary, or store why it is unusable. */
static void find_home(struct ik_places *places)
{
	const char *named = getenv("IKIGAI_HOME");
	struct ik_error error;

	if (named && named[0] != '\0')
		places->home = ik_path_join(places->directory, named);
	else if (places->user_home)
		places->home = ik_path_join(places->user_home, ".ikigai");
	if (!places->home) {
		places->problem = ik_strdup(_("There is no home directory: nothing can be kept. "
									  "Set HOME or IKIGAI_HOME."));
		return;
	}
	if (ik_path_make(places->home, 0700, &error) == IK_OK) {
		if (access(places->home, R_OK | W_OK | X_OK) == 0)
			return;
		(void)ik_error_set_errno(&error, errno, "%s", places->home);
	}
	places->problem = ik_format(_("%s. Nothing can be kept there: fix that, or set IKIGAI_HOME "
								  "to another directory."),
		error.text);
	if (access(places->home, R_OK | X_OK) != 0) {
		free(places->home);
		places->home = NULL;
	}
}

/* Return the directory of this program, or NULL; the caller frees it. */
static char *own_directory(void)
{
	char *self = ik_path_resolve("/proc/self/exe");
	char *directory = self ? ik_path_directory(self) : NULL;

	free(self);
	return directory;
}

/* Is directory the build tree that the program runs from? */
static bool is_build_tree(const char *directory)
{
	char *status = ik_path_join(directory, "config.status");
	bool found = access(status, F_OK) == 0;

	free(status);
	return found;
}

char *ik_places_installed(const char *built_name, const char *installed)
{
	char *own = own_directory(), *found = NULL;

	if (own && is_build_tree(own)) {
		found = ik_path_join(own, built_name);
	} else if (own && ik_text_ends(own, IK_BINDIR)) {
		/* What precedes the configured path is the root that it was installed under. */
		own[strlen(own) - strlen(IK_BINDIR)] = '\0';
		found = ik_format("%s%s", own, installed);
	}
	free(own);
	return found ? found : ik_strdup(installed);
}

enum ik_status ik_places_find(const char *directory, struct ik_places *ret_places,
	struct ik_error *error)
{
	struct ik_places places;

	memset(&places, 0, sizeof(places));
	if (directory && chdir(directory) != 0)
		return ik_error_set_errno(error, errno, _("cannot work in %s"), directory);
	places.directory = getcwd(NULL, 0);
	if (!places.directory)
		return ik_error_set_errno(error, errno,
			_("the current directory cannot be named (was it removed?); use -C DIR"));
	places.user_home = find_user_home();
	find_home(&places);
	places.system_tools = ik_places_installed("libexec", IK_PKGLIBEXECDIR);
	places.picture = ik_path_join(places.system_tools, "picture/picture");
	places.command = ik_path_join(places.system_tools, "command/ikigai-tool");
	*ret_places = places;
	return IK_OK;
}

void ik_places_done(struct ik_places *places)
{
	free(places->home);
	free(places->user_home);
	free(places->directory);
	free(places->system_tools);
	free(places->picture);
	free(places->command);
	free(places->problem);
	memset(places, 0, sizeof(*places));
}

char *ik_places_file(const struct ik_places *places, const char *name)
{
	return !places->home ? NULL : ik_path_join(places->home, name);
}

const char *ik_places_relative(const char *directory, const char *path)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

char *ik_places_whole_path(const struct ik_places *places, const char *path, size_t length)
{
	char *text = ik_strndup(path, length), *expanded = ik_path_expand(text, places->user_home);
	char *whole = ik_path_join(places->directory, expanded);

	free(text);
	free(expanded);
	return whole;
}
