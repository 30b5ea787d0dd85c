/*
 * spare: where events go that no disk's journals took until the program ended.
 *
 * That is a file in the temporary directory, where every tool can write, so that it waits for the
 * user: `ikigai session import` reads it.
 *
 * Inside src/store only.  May include: util, json, conversation, store/session_writer.h.
 */
#ifndef IK_STORE_SPARE_H
#define IK_STORE_SPARE_H

#include "store/session_writer.h"
#include "util/bytes.h"

/* A large text that the journal does not have whole yet. */
struct ik_store_blob {
	struct ik_store_blob *next;
	char session[IK_UUID_TEXT], id[IK_UUID_TEXT];
	struct ik_bytes *bytes;
	size_t part;  /* that is to be journaled next */
	bool written; /* to a file for the user */
};

/* Write the events that wait in these writers, with their large texts, as JSON Lines to a new file
 * in the temporary directory, and count them as journaled; a text of another event cannot be
 * imported. Return its path, new memory; NULL with *error: it cannot be written. */
char *ik_spare_write(struct ik_session_writer *writers, struct ik_store_blob *blobs,
	struct ik_error *error);

#endif
