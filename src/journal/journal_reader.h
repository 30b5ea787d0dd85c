/*
 * journal_reader: the records of a journal, starting where an earlier reader stopped.
 *
 * Reads whole lines only: a line that the writer has not finished does not exist yet.
 *
 * Owns the open file and the current line. May include: util, json, conversation, journal.
 */
#ifndef IK_JOURNAL_JOURNAL_READER_H
#define IK_JOURNAL_JOURNAL_READER_H

#include "conversation/message.h"
#include "json/scan.h"

struct ik_journal_reader;

enum ik_journal_record_kind {
	IK_JOURNAL_EVENT,
	IK_JOURNAL_BEGIN, /* a partial reply */
	IK_JOURNAL_MORE,
	IK_JOURNAL_DROP, /* the partial reply is discarded */
	IK_JOURNAL_PART,
	IK_JOURNAL_CLOSED,
	IK_JOURNAL_OTHER /* intact but unknown: a newer version wrote it */
};

struct ik_journal_record {
	enum ik_journal_record_kind kind;
	struct ik_json_span value; /* an event's or partial reply's object; for other kinds, the
	                              whole line */
};

/* The contents of the first line. */
struct ik_journal_head {
	char session[IK_UUID_TEXT], writer[IK_UUID_TEXT];
	char parent[IK_UUID_TEXT]; /* "": not a fork */
	char *directory;           /* owned by the reader */
	int64_t created_ms, after, forked_at;
	bool unlocked; /* its writer could not lock it */
};

/* Open a journal and read its first line. IK_INVALID: it is damaged or not a journal; IK_NOT_FOUND:
 * the file does not exist, or its first line is incomplete. */
enum ik_status ik_journal_reader_open(const char *path, struct ik_journal_reader **ret_reader,
	struct ik_error *error) IK_MUST_USE;
struct ik_journal_reader *ik_journal_reader_close(struct ik_journal_reader *reader);

const struct ik_journal_head *ik_journal_reader_head(const struct ik_journal_reader *reader);

/* Return the position of the first record, or the position after the last record that was read;
 * continue at such a position. Positions are in bytes. */
int64_t ik_journal_reader_start(const struct ik_journal_reader *reader);
int64_t ik_journal_reader_place(const struct ik_journal_reader *reader);
enum ik_status ik_journal_reader_go_to(struct ik_journal_reader *reader, int64_t place,
	struct ik_error *error) IK_MUST_USE;

/* Read the next record, valid until the next call. IK_NOT_FOUND without a sentence: there is none
 * yet. IK_INVALID: the line was damaged and has been skipped; later records don't depend on it. */
enum ik_status ik_journal_reader_next(struct ik_journal_reader *reader,
	struct ik_journal_record *ret_record, struct ik_error *error) IK_MUST_USE;

/* Has the writer closed the file or died? Tests the writer's exclusive lock with a shared one,
 * which several readers can hold at the same time. */
bool ik_journal_reader_is_abandoned(struct ik_journal_reader *reader);

/* Sync what was written so far to disk. */
enum ik_status ik_journal_reader_sync(struct ik_journal_reader *reader,
	struct ik_error *error) IK_MUST_USE;

#endif
