/*
 * export: the whole session as a file: Markdown for people, or JSON Lines.
 *
 * It is written piece by piece, one in each turn of the loop, once all older messages of the
 * session have been read. An existing file is replaced only on request. The result is the command's
 * answer.
 *
 * May include: all.
 */
#ifndef IK_CORE_EXPORT_H
#define IK_CORE_EXPORT_H

#include "core/core.h"

struct ik_export;

/* Start an export to file, which may begin with "~/"; for "" the name is made from the first
 * question and the time. ".jsonl" means JSON Lines; no extension or a text file's means Markdown;
 * others are refused. line is the command, for its answer. Return IK_INVALID if an export is
 * running, there is nothing to write, or the file can't be created. */
enum ik_status ik_export_start(struct ik_core *core, const char *line, const char *file,
	bool replace, struct ik_error *error) IK_MUST_USE;

/* Prepare for the end of a session: its export continues if it has all messages, and then reports
 * to the current session; otherwise it fails. */
void ik_export_session_closes(struct ik_export *export, const struct ik_session *session);

/* Cancel an export and remove its file. Takes NULL. Returns NULL. */
struct ik_export *ik_export_close(struct ik_export *export);

/* Append one message, as a line of JSON or a part of a Markdown text. */
void ik_export_json(struct ik_buf *out, const char *session, const struct ik_message *message);
void ik_export_markdown(struct ik_buf *out, const struct ik_message *message);

#endif
