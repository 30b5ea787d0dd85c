/*
 * export: the whole session as a file: Markdown for people, or JSON Lines.
 *
 * Written a stretch in each turn of the loop, once all older messages of the
 * session are read; a file that is there is not replaced unless that is wished.
 * The end is told as the command's answer.
 *
 * May include: all.
 */
#ifndef IK_CORE_EXPORT_H
#define IK_CORE_EXPORT_H

#include "core/core.h"

struct ik_export;

/*
 * Begin. file: where to ("": a name is made of what was asked first, and the time; it may
 * begin with "~/"); JSON Lines where it ends in ".jsonl", Markdown where it has no ending or a
 * text's; others are refused. line is the command, for its answer.
 * IK_INVALID in words when one is under way, there is nothing to write or the file cannot be
 * made.
 */
enum ik_status ik_export_start(struct ik_core *core, const char *line, const char *file,
	bool replace, struct ik_error *error) IK_MUST_USE;

/* A session is about to be closed: an export of it that has all of it goes on, and its end is told
 * in the one in front; another one fails. */
void ik_export_session_closes(struct ik_export *export, const struct ik_session *session);

/* Give up what is under way (NULL: nothing is); the file is removed. */
struct ik_export *ik_export_close(struct ik_export *export);

/* Append one message as it stands in the file: a line of JSON, or a part of a Markdown text. */
void ik_export_json(struct ik_buf *out, const char *session, const struct ik_message *message);
void ik_export_markdown(struct ik_buf *out, const struct ik_message *message);

#endif
