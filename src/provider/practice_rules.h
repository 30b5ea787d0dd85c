/*
 * practice_rules: how the practice model understands the user's line and describes what a tool
 * answered.
 *
 * Private to src/provider. Pure. May include: util, json.
 */
#ifndef IK_PROVIDER_PRACTICE_RULES_H
#define IK_PROVIDER_PRACTICE_RULES_H

#include "json/scan.h"

enum ik_practice_rule {
	IK_PRACTICE_HELP, /* also for anything else */
	IK_PRACTICE_LIST,
	IK_PRACTICE_READ,
	IK_PRACTICE_READ_EVERY,
	IK_PRACTICE_SEARCH,
	IK_PRACTICE_RUN,
	IK_PRACTICE_WRITE,
	IK_PRACTICE_REPLACE,
	IK_PRACTICE_CALL,
	IK_PRACTICE_STREAM,
	IK_PRACTICE_THINK
};

/* An order as it was understood. */
struct ik_practice_order {
	enum ik_practice_rule rule;
	int64_t number;  /* STREAM: how many words */
	char *tool;      /* what to call first; NULL: nothing */
	char *arguments; /* of that call, JSON unless the user wrote it; NULL without tool */
	char *subject;   /* THINK: about what */
};

void ik_practice_order_read(const char *text, size_t length, struct ik_practice_order *ret_order);
void ik_practice_order_done(struct ik_practice_order *order);

/* Append the arguments of file_read for a path. */
void ik_practice_read_arguments(struct ik_buf *out, const char *path, size_t length);

/* Return the text of "help" (translated). */
const char *ik_practice_help(void);

/* Append a description, in Markdown, of what a tool answered. envelope may be any text. */
void ik_practice_describe(struct ik_buf *out, const char *tool, struct ik_json_span arguments,
	const char *envelope, size_t length);

/* Append one line about a file that was read. */
void ik_practice_describe_file(struct ik_buf *out, struct ik_json_span arguments,
	const char *envelope, size_t length);

#endif
