/*
 * custom_commands: the commands that the user adds as files: "/NAME" is short for a prompt.
 *
 * Files with prompts are found where ikigai, Claude Code and opencode have them:
 *
 *     .ikigai/prompts  .claude/commands  .opencode/commands                    the project's
 *     ~/.ikigai/prompts  ~/.claude/commands  ~/.config/opencode/commands       the user's
 *
 * The name is that of the file without its extension; that of a file in a directory there is
 * DIRECTORY:NAME. The first place in this order that has a name wins, and a command of ikigai's own
 * wins over all. NAME.md is a text (core/prompt_text.h) whose front matter may have a description
 * and an argument-hint. In ikigai's own places an executable file, with any extension or none, is a
 * program, which prints the prompt. A project's files do nothing before the user trusts them
 * (core/project.h); then they are pinned to what was trusted.
 *
 * The skills that a scan finds are commands, too, if no other has the name.
 *
 * Nothing is read before it is needed. core/expansion.h makes the prompt.
 *
 * May include: util, core/places.h, core/project.h.
 */
#ifndef IK_CORE_CUSTOM_COMMANDS_H
#define IK_CORE_CUSTOM_COMMANDS_H

#include "core/places.h"
#include "core/project.h"

/* Limit on the commands of the project, on the user's and on skills, so that none of them takes the
 * place of others, and on all. */
#define IK_CUSTOM_MOST 500
#define IK_CUSTOM_ALL (3 * IK_CUSTOM_MOST)
/* Limit on the size of a text. */
#define IK_CUSTOM_TEXT_BYTES ((size_t)256 << 10)

enum ik_custom_kind {
	IK_CUSTOM_TEXT,    /* the file has the prompt */
	IK_CUSTOM_PROGRAM, /* it prints the prompt */
	IK_CUSTOM_SKILL    /* the file is a skill's, and has instructions (tool/source.h) */
};

/* In this order in the list, of several with the same name. */
enum ik_custom_state {
	IK_CUSTOM_USABLE,
	IK_CUSTOM_UNTRUSTED, /* came with the project */
	IK_CUSTOM_HIDDEN     /* another command has its name */
};

struct ik_custom_command {
	char *name;        /* "/review", "/git:commit" */
	char *description; /* one harmless line, never empty */
	char *hint;        /* what its arguments are, "[FILE]"; NULL: not known */
	char *path;        /* absolute */
	char *shown;       /* the path as it is shown: "~/.ikigai/prompts/review.md" */
	enum ik_custom_kind kind;
	enum ik_custom_state state;
	bool of_project;
	struct ik_identity identity; /* of the file when it was read */
};

struct ik_custom_commands;

/* Return the commands of these places (borrowed). Nothing is read yet. */
struct ik_custom_commands *ik_custom_commands_new(const struct ik_places *places,
	struct ik_project *project);
/* Takes NULL. Returns NULL. */
struct ik_custom_commands *ik_custom_commands_free(struct ik_custom_commands *commands);

/* Let the skills of a registry be commands, too, after all others (adding a reference). */
void ik_custom_commands_use_skills(struct ik_custom_commands *commands,
	struct ik_registry *registry);

/* Let no command have these names: a front end has them. */
typedef bool ik_custom_name_is_taken(const char *name);
void ik_custom_commands_leave(struct ik_custom_commands *commands,
	ik_custom_name_is_taken *is_taken);

/* Read the directories again, unless that was done a moment ago: may change all commands, and what
 * the project skipped. */
void ik_custom_commands_read(struct ik_custom_commands *commands);

/* Return the command at index, in the order of names, or NULL past the last. Borrowed, like all that
 * follows, until the next read. */
const struct ik_custom_command *ik_custom_command_at(const struct ik_custom_commands *commands,
	size_t index);

/* Read, and return the command that a line begins with ("/review main.c"), usable or untrusted, or
 * NULL. */
const struct ik_custom_command *ik_custom_command_of(struct ik_custom_commands *commands,
	const char *line, size_t length);

/* Return a sentence about a file that was left out, or NULL past the last. */
const char *ik_custom_commands_problem(const struct ik_custom_commands *commands, size_t index);

#endif
