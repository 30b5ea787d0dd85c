/*
 * file_reader: reads the pictures and documents of stored messages before they are sent.
 *
 * Their bytes are in memory only while requests send them (ik_attachments_first()).
 *
 * May include: util, conversation, store.
 */
#ifndef IK_AGENT_SESSION_FILE_READER_H
#define IK_AGENT_SESSION_FILE_READER_H

#include "conversation/conversation.h"
#include "store/store.h"

struct ik_file_reader;

/*
 * Read the files that the next request sends, and release those that no request will send. Return
 * NULL if all are in memory; otherwise done is called once, in a later turn of the loop, and the
 * owner closes the reader. What the store lacks, for example because the program was killed while it
 * was stored, stays missing: requests say so. Everything is borrowed until the end.
 */
struct ik_file_reader *ik_file_reader_start(struct ik_store *store,
	const struct ik_conversation *conversation, void (*done)(void *arg), void *arg);

/* Stop it; done is not called any more. Takes NULL. Returns NULL. */
struct ik_file_reader *ik_file_reader_close(struct ik_file_reader *reader);

#endif
