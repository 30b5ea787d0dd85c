/*
 * prompt: what the user sends: content blocks become a text, and the files that go with it.
 *
 * May include: util, json, core/attach.h.
 */
#ifndef IK_ACP_PROMPT_H
#define IK_ACP_PROMPT_H

#include "core/attach.h"
#include "json/scan.h"

/* A session/prompt that is not answered yet. */
struct ik_editor_prompt {
	struct ik_editor_prompt *next;
	char *id; /* of the request: JSON */
	struct ik_buf text;
	struct ik_given_file *files;
	size_t file_count;
	bool begun; /* its files are read, or: */
	bool runs;  /* the session has it */
	bool cancelled;
};

/* Read the blocks. Return NULL, with the reason in *error, if one can't be taken. */
struct ik_editor_prompt *ik_editor_prompt_read(struct ik_json_span id, struct ik_json_span blocks,
	struct ik_error *error);
/* Returns NULL. */
struct ik_editor_prompt *ik_editor_prompt_free(struct ik_editor_prompt *prompt);

#endif
