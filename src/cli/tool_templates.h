/*
 * tool_templates: the tools that `ikigai tool new` writes.
 *
 * Each is complete and works.  "@NAME@" is the tool's name, and "@PATH@" the path of the
 * executable.
 *
 * May include: libc.
 */
#ifndef IK_CLI_TOOL_TEMPLATES_H
#define IK_CLI_TOOL_TEMPLATES_H

struct ik_tool_template {
	const char *language; /* the name for --lang */
	const char *suffix;   /* of the file: "" for a script, ".c" for a source */
	const char *compile;  /* the command that compiles a source, or NULL */
	const char *text;
};

/* All of them; language is NULL at the end. */
extern const struct ik_tool_template ik_tool_templates[];

#endif
