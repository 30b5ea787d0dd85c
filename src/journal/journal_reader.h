/*
 * journal_reader: the records of a journal, from a place where an earlier reader stopped.
 *
 * Reads whole lines only: what a writer has not finished is not there yet.
 *
 * Owns the open file and the current line.  May include: util, json, conversation, journal.
 */
#ifndef IK_JOURNAL_JOURNAL_READER_H
#define IK_JOURNAL_JOURNAL_READER_H

#include "conversation/message.h"
#include "json/scan.h"

struct ik_journal_reader;

enum ik_journal_record_kind {
	IK_JOURNAL_EVENT,
	IK_JOURNAL_BEGIN, /* a reply that is still arriving */
	IK_JOURNAL_MORE,
	IK_JOURNAL_DROP, /* it is not wanted any more */
	IK_JOURNAL_PART,
	IK_JOURNAL_CLOSED,
	IK_JOURNAL_OTHER /* whole, but not known here: a newer program wrote it */
};

struct ik_journal_record {
	enum ik_journal_record_kind kind;
	struct ik_json_span value; /* of an event: its object; of the others: the whole line */
};

/* What the first line says. */
struct ik_journal_head {
	char session[IK_UUID_TEXT], writer[IK_UUID_TEXT];
	char parent[IK_UUID_TEXT]; /* "": it is no fork */
	char *directory;           /* owned by the reader */
	int64_t created_ms, after, forked_at;
};

/* Open a journal and read its first line. IK_INVALID: it is damaged or no journal;
 * IK_NOT_FOUND: it is not there, or its first line is not whole yet. */
enum ik_status ik_journal_reader_open(const char *path, struct ik_journal_reader **ret_reader,
	struct ik_error *error) IK_MUST_USE;
struct ik_journal_reader *ik_journal_reader_close(struct ik_journal_reader *reader);

const struct ik_journal_head *ik_journal_reader_head(const struct ik_journal_reader *reader);

/* The place of the first record; the place after the last one that was read; continue at such a
 * place. */
int64_t ik_journal_reader_start(const struct ik_journal_reader *reader);
int64_t ik_journal_reader_place(const struct ik_journal_reader *reader);
enum ik_status ik_journal_reader_go_to(struct ik_journal_reader *reader, int64_t place,
	struct ik_error *error) IK_MUST_USE;

/* Read the next record, valid until the next call. IK_NOT_FOUND without a sentence: there is none
 * yet. IK_INVALID: the line is damaged, and was passed over: each record means something by itself. */
enum ik_status ik_journal_reader_next(struct ik_journal_reader *reader,
	struct ik_journal_record *ret_record, struct ik_error *error) IK_MUST_USE;

/* Has the writer closed the file or died? A shared lock tells, which other readers may have at the
 * same time: a writer's own is exclusive. */
bool ik_journal_reader_is_abandoned(struct ik_journal_reader *reader);

/* Have what was written so far on disk. */
enum ik_status ik_journal_reader_sync(struct ik_journal_reader *reader,
	struct ik_error *error) IK_MUST_USE;

#endif
