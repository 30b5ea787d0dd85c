/*
 * trust_text: files that came with a project, told of before they are trusted.
 *
 * They are read, never run.  What is made here goes through the screen's gate
 * (util/sanitize.h) like anything from outside.  May include: util, core/project.h.
 */
#ifndef IK_COMMANDS_TRUST_TEXT_H
#define IK_COMMANDS_TRUST_TEXT_H

#include "util/buf.h"
#include "util/identity.h"

/* A file that is not trusted. */
struct ik_untrusted {
	char *path;
	const char *name;            /* as the person knows it; points into path */
	struct ik_identity identity; /* of what is shown */
	bool changed;                /* other contents were trusted */
};

/* Append one line: name, new or changed, size, where a link leads to, and what it
 * is: the first line of a script, or the kind of a program. */
void ik_trust_text_line(const struct ik_untrusted *file, struct ik_buf *out);

/*
 * Append the file's text, up to what a person would read here; what is no text, or
 * is another file by now, is told of in a line.
 */
void ik_trust_text_contents(const struct ik_untrusted *file, struct ik_buf *out);

#endif
