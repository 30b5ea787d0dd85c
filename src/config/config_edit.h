/*
 * config_edit: change one key of a configuration file, and no other byte of it: comments, order,
 * indentation and line ends stay as they are.
 *
 * May include: util, json, config.
 */
#ifndef IK_CONFIG_CONFIG_EDIT_H
#define IK_CONFIG_CONFIG_EDIT_H

#include "util/buf.h"

/*
 * Append to out the contents of a configuration file (path, for errors) with a key set to a value,
 * which is as for ik_config_set(). If the key is in the text, its value is replaced; of several
 * such members the one that counts. Otherwise it becomes the last member of its object, which is
 * created if it is missing. A text that could not be loaded is refused; the error names the line.
 */
enum ik_status ik_config_edit_text(const char *path, const struct ik_buf *text, const char *key,
	const char *value, struct ik_buf *out, struct ik_error *error) IK_MUST_USE;

/* Change a file in this way, atomically. It keeps its mode; a link to it stays one. A missing file
 * is created. */
enum ik_status ik_config_edit(const char *path, const char *key, const char *value,
	struct ik_error *error) IK_MUST_USE;

#endif
