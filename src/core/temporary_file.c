#include "core/temporary_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* Create the file in a new directory named by template, which is ours now. */
static enum ik_status make_in(struct ik_temporary_file *file, char *template, const char *name,
	const char *text, size_t length, struct ik_error *error)
{
	*file = (struct ik_temporary_file){ .directory = template };
	if (!mkdtemp(template)) {
		enum ik_status status = ik_error_set_errno(error, errno, _("cannot make %s"), template);

		free(template);
		return status;
	}
	file->path = ik_path_join(template, name);
	enum ik_status status = ik_file_write_unsynced(file->path, text, length, 0600, error);

	if (status != IK_OK)
		ik_temporary_file_remove(file);
	return status;
}

enum ik_status ik_temporary_file_make(struct ik_temporary_file *file,
	const struct ik_places *places, const char *kind, const char *name, const char *text,
	size_t length, struct ik_error *error)
{
	char *relative = ik_format("%s-XXXXXX", kind);
	char *template = ik_places_file(places, relative);

	free(relative);
	if (template && make_in(file, template, name, text, length, error) == IK_OK)
		return IK_OK;
	return make_in(file, ik_format("%s/ikigai-%s-XXXXXX", ik_path_temporary(), kind), name, text,
		length, error);
}

void ik_temporary_file_remove(struct ik_temporary_file *file)
{
	(void)unlink(file->path);
	(void)rmdir(file->directory);
	ik_temporary_file_leave(file);
}

void ik_temporary_file_leave(struct ik_temporary_file *file)
{
	free(file->path);
	free(file->directory);
}
