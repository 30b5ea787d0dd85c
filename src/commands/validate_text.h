/*
 * validate_text: what `ikigai tool validate` says, line by line.
 *
 * Prints as it goes: a tool may take its time.
 * May include: util, json, config, tool, core, commands.
 */
#ifndef IK_COMMANDS_VALIDATE_TEXT_H
#define IK_COMMANDS_VALIDATE_TEXT_H

#include "config/config.h"
#include "tool/findings.h"

/* Zero it at first. */
struct ik_validate_text {
	int tools, faults, advice;
	bool broken; /* standard output took no more */
};

/* A further executable, as it was named. */
void ik_validate_begin(struct ik_validate_text *text, const char *operand);

/* What is right, wrong, or could be better; sentences are taken over. line as in
 * struct ik_finding. */
void ik_validate_ok(struct ik_validate_text *text, char *sentence);
void ik_validate_fault(struct ik_validate_text *text, const char *code, char *sentence);
void ik_validate_advice(struct ik_validate_text *text, char *sentence, int line);

/* A finding about the announcement, with the line of the file to change where
 * it stands there as it was printed. */
void ik_validate_finding(struct ik_validate_text *text, const char *path, const char *announcement,
	const struct ik_finding *finding);

/* What a call with {} came to; needs_arguments: the schema alone refuses it. */
void ik_validate_run(struct ik_validate_text *text, const struct ik_tool *tool,
	bool needs_arguments, const char *envelope, size_t length);

/* The tool as each provider is told of it, with its size. */
void ik_validate_views(struct ik_validate_text *text, const struct ik_config *config,
	const struct ik_tool *tool);

/* The last line; returns how many faults there were, or what went wrong in printing. */
int ik_validate_end(struct ik_validate_text *text);

/* The first words of what a program said, on one line; new memory, never NULL. */
char *ik_validate_excerpt(const char *bytes, size_t length);

#endif
