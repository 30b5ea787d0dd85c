/*
 * tool_templates: the tools that `ikigai tool new` writes to begin with.
 *
 * Each is complete and works as it is; "@NAME@" stands for the tool's name and
 * "@PATH@" for the place of the executable.
 *
 * May include: libc.
 */
#ifndef IK_CLI_TOOL_TEMPLATES_H
#define IK_CLI_TOOL_TEMPLATES_H

struct ik_tool_template {
	const char *language; /* as --lang names it */
	const char *suffix;   /* of the file: "" for what runs as it is, ".c" for a source */
	const char *compile;  /* the line that makes a source the executable, or NULL */
	const char *text;
};

/* All of them; language is NULL at the end. */
extern const struct ik_tool_template ik_tool_templates[];

#endif
